//! What names of a home cannot do to the words of the language.

use serde_json::json;

use crate::common::{Broker, Client, Daemon, home, request};

#[tokio::test(flavor = "multi_thread")]
async fn no_device_takes_a_word_of_the_language_by_being_called_so() {
    let broker = Broker::mosquitto().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    let names = ["打开", "26", "所有的灯", "关闭"];
    let mut named = home();
    let celsius = json!({"type": "uint", "range": [16, 30], "unit": "C"});
    named["model"]["ac"] = json!({"describe": "空调", "property": {"power": {"type": "bool"}, "temperature": celsius}});
    let state = json!({"power": true, "temperature": 20});
    let device = |id: &str, name: &str, model: &str| json!({"id": id, "name": name, "local": "客厅", "device": {"model": model, "state": state}});
    let devices = named["devices"].as_array_mut().unwrap();
    devices.extend([device("ac", "空调", "ac"), device("buddy", "老伙计", "lamp")]);
    devices.extend(names.iter().map(|name| device(name, name, "lamp")));
    client.publish("registry", named.to_string()).await;
    let report = client.on("registry/report").await;
    let notes = report["notes"].to_string();
    assert!(report["ok"] == true && names.iter().all(|name| notes.contains(&format!("devices: {name}"))), "{report}");
    for (question, ids) in [
        ("打开老伙计", &["buddy"][..]),
        ("关闭老伙计", &["buddy"]),
        ("空调调到26度", &["ac"]),
        ("关闭所有的灯", &["buddy", "lamp-1", "lamp-2", "打开", "26", "所有的灯", "关闭"]),
    ] {
        client.publish("request", request(question, "p", question).to_string()).await;
        let active = client.finish(question).await["payload"]["data"]["active"].clone();
        let mut told: Vec<&str> =
            active["instructs"].as_array().unwrap().iter().filter_map(|instruct| instruct["id"].as_str()).collect();
        told.sort_unstable();
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        assert_eq!(told, ids, "{question}: {active}");
    }
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_room_group_or_scene_takes_a_word_of_the_language_by_being_called_so() {
    let broker = Broker::embedded().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    let mut named = home();
    let celsius = json!({"type": "uint", "range": [16, 30], "unit": "C"});
    named["model"]["ac"] = json!({"describe": "空调", "property": {"power": {"type": "bool"}, "temperature": celsius}});
    let device = |id: &str, name: &str, room: &str, model: &str| json!({"id": id, "name": name, "local": room, "device": {"model": model, "state": {"power": true}}});
    let devices = named["devices"].as_array_mut().unwrap();
    devices.extend([device("ac", "空调", "客厅", "ac"), device("buddy", "老伙计", "客厅", "lamp")]);
    devices.push(device("lamp-3", "小夜灯", "打开", "lamp"));
    named["layout"].as_array_mut().unwrap().extend([json!("打开"), json!("其他")]);
    named["groups"] = json!([
        {"id": "g-26", "name": "26", "members": ["lamp-1"]},
        {"id": "g-off", "name": "关闭", "members": ["lamp-1"]},
    ]);
    let actions = json!([{"id": "lamp-2", "state": {"power": true}}]);
    named["scenes"] = json!([
        {"id": "s-on", "name": "打开", "actions": actions},
        {"id": "s-set", "name": "调到", "actions": actions},
        {"id": "s-work", "name": "开工", "actions": actions},
    ]);
    client.publish("registry", named.to_string()).await;
    let report = client.on("registry/report").await;
    let notes = report["notes"].to_string();
    for path in ["rooms: 打开", "rooms: 其他", "groups: g-26", "groups: g-off", "scenes: s-on", "scenes: s-set"] {
        assert!(notes.contains(path), "{path}: {report}");
    }
    for (question, ids) in [
        ("打开老伙计", &["buddy"][..]),
        ("关闭老伙计", &["buddy"]),
        ("空调调到26度", &["ac"]),
        ("关闭所有的灯", &["buddy", "lamp-1", "lamp-2", "lamp-3"]),
        // What is called so has other ways to be called.
        ("打开小夜灯", &["lamp-3"]),
        ("执行打开场景", &["lamp-2"]),
        ("开工", &["lamp-2"]),
    ] {
        client.publish("request", request(question, question, question).to_string()).await;
        let active = client.finish(question).await["payload"]["data"]["active"].clone();
        let mut told: Vec<&str> =
            active["instructs"].as_array().unwrap().iter().filter_map(|instruct| instruct["id"].as_str()).collect();
        told.sort_unstable();
        assert_eq!(told, ids, "{question}: {active}");
    }
    daemon.stop().await;
}
