//! What one client of the broker cannot do to another, to the devices or to the daemon.

mod attack;
mod names;
mod shares;
mod trail;

use rumqttc::v5::mqttbytes::v5::{Publish, PublishProperties};
use serde_json::{Value, json};
use zhiju::store::{Store, read_trail};

use crate::common::{Broker, Client, Daemon, Mosquitto, PATIENCE, Pace, home, json_of, request, within};

/// The villa, in which `lock-01` is a lock at the front door.
fn villa() -> String {
    crate::load::villa("villa")
}

async fn with_villa(client: &mut Client) {
    client.status("online").await;
    client.publish("registry", villa()).await;
    assert_eq!(client.on("registry/report").await["ok"], true);
}

async fn say(client: &mut Client, satellite: &str, rid: &str, text: &str, page: Option<&str>) -> Value {
    let spoken = json!({"text": text, "rid": rid, "page_id": page});
    client.publish(&format!("utterance/{satellite}"), spoken.to_string()).await;
    client.finish(rid).await["payload"]["data"].clone()
}

fn moved(client: &mut Client) -> usize {
    client.count(|publish| publish.topic.starts_with(b"zhiju/home/instruct/"))
}

#[tokio::test(flavor = "multi_thread")]
async fn who_brings_a_home_moves_nothing_of_ours() {
    let broker = Broker::mosquitto().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    with_villa(&mut client).await;
    // The lock of the registered home, said to be harmless.
    let lock = json!({"id": "lock-01", "name": "大门锁", "local": "玄关", "risk": "low",
        "device": {"model": "lock", "state": {"locked": true}}});
    let mut brought = home();
    brought["layout"] = json!(["玄关"]);
    brought["model"] = json!({"lock": {"describe": "智能门锁", "property": {"locked": {"type": "bool"}}}});
    brought["devices"] = json!([lock]);
    let ask = |rid: &str, question: &str, with_home: bool| {
        let mut frame = request(rid, "z", question);
        if with_home {
            frame["payload"]["home"] = brought.clone();
        }
        frame.to_string()
    };
    client.publish("request", ask("open", "打开大门锁", true)).await;
    let active = client.finish("open").await["payload"]["data"]["active"].clone();
    assert_eq!(active["instructs"][0]["id"], "lock-01", "whoever brings a home is told what moves in it: {active}");
    // Nor does a yes in the same conversation mean the lock of ours.
    client.publish("request", ask("yes", "确认", false)).await;
    assert_eq!(client.finish("yes").await["payload"]["data"]["active"]["instructs"], json!([]));
    client.publish("request", ask("lamp", "打开书房吸顶灯", false)).await;
    client.finish("lamp").await;
    client.on("instruct/cct-05").await;
    assert_eq!(moved(&mut client), 0);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_belongs_to_whoever_opened_it() {
    let broker = Broker::mosquitto().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    with_villa(&mut client).await;
    let asks = |data: &Value| data["active"]["intent"]["type"] == "question";
    // The kitchen and an app ask in what they call the bath's page; the bath did not ask and its yes opens nothing.
    let data = say(&mut client, "kitchen", "k1", "打开大门锁", Some("satellite-bath")).await;
    assert!(asks(&data) && data["page_id"] == "satellite-bath", "{data}");
    client.publish("request", request("a1", "satellite-bath", "打开大门锁").to_string()).await;
    assert!(asks(&client.finish("a1").await["payload"]["data"]));
    assert_eq!(say(&mut client, "bath", "b1", "确认", None).await["active"]["instructs"], json!([]));
    // Nor may they confirm what the bath asked.
    assert!(asks(&say(&mut client, "bath", "b2", "打开大门锁", None).await));
    say(&mut client, "kitchen", "k2", "算了", Some("satellite-bath")).await;
    assert_eq!(
        say(&mut client, "kitchen", "k3", "确认", Some("satellite-bath")).await["active"]["instructs"],
        json!([])
    );
    client.publish("request", request("a2", "satellite-bath", "算了").to_string()).await;
    client.finish("a2").await;
    client.publish("request", request("a3", "satellite-bath", "确认").to_string()).await;
    assert_eq!(client.finish("a3").await["payload"]["data"]["active"]["instructs"], json!([]));
    assert_eq!(moved(&mut client), 0);
    // The bath may.
    assert_eq!(say(&mut client, "bath", "b3", "确认", None).await["active"]["instructs"][0]["id"], "lock-01");
    client.on("instruct/lock-01").await;
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn applications_with_topics_of_their_own_are_told_apart() {
    let broker = Broker::mosquitto().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    with_villa(&mut client).await;
    let to = |topic: &str| PublishProperties { response_topic: Some(topic.into()), ..PublishProperties::default() };
    // The same rid and page, and answers wanted where the other one is answered.
    let said = [("a", "打开大门锁", "question"), ("b", "确认", "none"), ("a", "确认", "instruct")];
    for (name, question, intent) in said {
        let frame = request("r", "p", question).to_string();
        client.publish_with(&format!("request/{name}"), frame, to("answers/a/1")).await;
        let active = client.finish(&format!("{name}/r")).await["payload"]["data"]["active"].clone();
        assert_eq!(active["intent"]["type"], intent, "{name}: {active}");
        if name == "a" {
            let told = |p: &Publish| p.topic == "answers/a/1" && json_of(p)["payload"]["finish"] == true;
            assert_eq!(json_of(&client.find("answers/a/1", told).await)["payload"]["data"]["question"], question);
        }
    }
    client.on("instruct/lock-01").await;
    assert_eq!(moved(&mut client), 0, "once");
    assert_eq!(client.count(|p| p.topic == "zhiju/home/response/r"), 0);
    assert_eq!(client.count(|p| p.topic == "answers/a/1" && json_of(p)["payload"]["finish"] == true), 0);
    daemon.stop().await;
}

/// The audit trail below a state folder: step, satellite, devices.
fn trail(folder: &std::path::Path) -> Vec<(String, Option<String>, Vec<String>)> {
    let entries = read_trail(folder).unwrap();
    let entries = entries.iter().map(|entry| serde_json::from_slice::<Value>(entry).unwrap());
    let text = |value: &Value| value.as_str().map(str::to_owned);
    entries
        .map(|entry| {
            let devices = entry["devices"].as_array().unwrap().iter().filter_map(text).collect();
            (text(&entry["step"]).unwrap(), text(&entry["satellite"]), devices)
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_trail_says_what_moved_and_who_said_so() {
    let broker = Broker::mosquitto().await;
    let (mut client, folder) = (Client::connect(broker.port(), "client").await, tempfile::tempdir().unwrap());
    let daemon = Daemon::start(broker.port(), |settings| settings.state_dir = folder.path().to_owned());
    with_villa(&mut client).await;
    for (rid, question, instruct) in [("d1", "打开大门锁", true), ("d2", "确认", false)] {
        let mut frame = request(rid, "p", question);
        frame["payload"]["instruct"] = instruct.into();
        client.publish("request", frame.to_string()).await;
        client.finish(rid).await;
    }
    say(&mut client, "kitchen", "k1", "打开大门锁", Some("page")).await;
    say(&mut client, "kitchen", "k2", "确认", Some("page")).await;
    client.on("instruct/lock-01").await;
    daemon.stop().await;
    let (lock, kitchen) = (vec!["lock-01".to_owned()], Some("kitchen".to_owned()));
    let entry = |step: &str, satellite: &Option<String>| (step.to_owned(), satellite.clone(), lock.clone());
    let steps = [entry("asked", &None), entry("asked", &kitchen), entry("ordered", &kitchen), entry("moved", &kitchen)];
    assert_eq!(trail(folder.path()), steps);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_trail_names_every_lock_however_many_they_are() {
    let broker = Broker::mosquitto().await;
    let (mut client, folder) = (Client::connect(broker.port(), "client").await, tempfile::tempdir().unwrap());
    let daemon = Daemon::start(broker.port(), |settings| settings.state_dir = folder.path().to_owned());
    client.status("online").await;
    let ids: Vec<String> = (0..150).map(|n| format!("{n:0>128}")).collect();
    let mut locks = home();
    locks["model"] = json!({"lock": {"describe": "智能门锁", "property": {"locked": {"type": "bool"}}}});
    let lock = |(n, id): (usize, &String)| {
        let name = format!("{n}号门锁");
        json!({"id": id, "name": name, "local": "客厅", "device": {"model": "lock", "state": {"locked": true}}})
    };
    locks["devices"] = ids.iter().enumerate().map(lock).collect();
    client.publish("registry", locks.to_string()).await;
    assert_eq!(client.on("registry/report").await["ok"], true);
    say(&mut client, "kitchen", "k1", "打开所有的门锁", None).await;
    let told = say(&mut client, "kitchen", "k2", "确认", None).await["active"]["instructs"].clone();
    assert_eq!(told.as_array().unwrap().len(), ids.len());
    for id in &ids {
        client.on(&format!("instruct/{id}")).await;
    }
    daemon.stop().await;
    for step in ["asked", "ordered", "moved"] {
        let entries = trail(folder.path()).into_iter().filter(|entry| entry.0 == step);
        let named: std::collections::BTreeSet<String> = entries.flat_map(|entry| entry.2).collect();
        assert_eq!(named.len(), ids.len(), "{step}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_directs_answers_to_where_they_may_not_write() {
    let broker = Broker::mosquitto().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let filters = &["elsewhere/#", "answers/#"];
    let mut others = Client::subscribed(broker.port(), "others", filters, Pace::default()).await;
    let daemon = Daemon::start(broker.port(), |_| {});
    with_villa(&mut client).await;
    let to = |topic: &str| PublishProperties { response_topic: Some(topic.into()), ..PublishProperties::default() };
    let spoken = |rid: &str| json!({"text": "今天收益不错", "rid": rid}).to_string();
    // A satellite may have its answers below its own name and nobody else's; an app below `answers/`.
    for (n, topic) in ["answers/app/secret", "elsewhere/x", "zhiju/home/response/q0"].into_iter().enumerate() {
        client.publish_with("utterance/kitchen", spoken(&format!("k{n}")), to(topic)).await;
        client.finish(&format!("k{n}")).await;
        let topic = topic.replace("answers", "elsewhere");
        client.publish_with("request", request(&format!("r{n}"), "p", "好").to_string(), to(&topic)).await;
        client.finish(&format!("r{n}")).await;
    }
    client.publish_with("utterance/kitchen", spoken("k3"), to("answers/kitchen/1")).await;
    client.publish_with("request", request("r3", "p", "好").to_string(), to("answers/app/1")).await;
    for topic in ["answers/kitchen/1", "answers/app/1"] {
        others.find(topic, |p| p.topic == topic && json_of(p)["payload"]["finish"] == true).await;
    }
    assert_eq!(others.count(|p| p.topic != "answers/kitchen/1" && p.topic != "answers/app/1"), 0);
    assert_eq!(client.count(|p| p.topic == "zhiju/home/response/q0"), 0);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_satellite_that_floods_leaves_others_served() {
    // The broker is not what is tried here: whatever comes, it hands on.
    let broker = Mosquitto::with(tempfile::tempdir().unwrap(), "max_queued_messages 100000\n").await;
    let mut client = Client::connect(broker.port, "client").await;
    let daemon = Daemon::start(broker.port, |_| {});
    with_villa(&mut client).await;
    drop(client);
    let mut victim = Client::subscribed(broker.port, "victim", &["zhiju/home/reply/victim"], Pace::default()).await;
    let flood = Client::subscribed(broker.port, "flood", &["zhiju/home/reply/nobody"], Pace::default()).await;
    let flooding = tokio::spawn(async move {
        for n in 0..6_000 {
            let said =
                json!({"text": "打开书房吸顶灯然后关闭餐厅的空调", "page_id": format!("p{n}"), "rid": format!("f{n}")});
            flood.publish("utterance/flood", said.to_string()).await;
        }
        flood
    });
    for n in 0..30 {
        let text = if n % 2 == 0 { "打开老伙计" } else { "关掉老伙计" };
        let said = json!({"text": text, "rid": format!("v{n}")});
        victim.publish("utterance/victim", said.to_string()).await;
        // Once with the stream frame, once with the end.
        for _ in 0..2 {
            let reply = victim.on("reply/victim").await;
            assert_eq!((&reply["rid"], &reply["intent"]), (&said["rid"], &json!("instruct")), "{reply}");
        }
    }
    drop(within("the flood", flooding).await.unwrap());
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_devices_than_the_outbox_holds_can_be_told_at_once() {
    let broker = Broker::mosquitto().await;
    let (mut client, folder) = (Client::connect(broker.port(), "client").await, tempfile::tempdir().unwrap());
    let daemon = Daemon::start(broker.port(), |settings| {
        settings.outbox_capacity = 100;
        settings.state_dir = folder.path().to_owned();
    });
    client.status("online").await;
    let mut plugs = home();
    plugs["model"] = json!({"plug": {"describe": "智能插座，可开关电源。", "property": {"power": {"type": "bool"}}}});
    let plug = |n| json!({"id": format!("plug-{n}"), "name": format!("插座{n}"), "local": "客厅", "device": {"model": "plug"}});
    plugs["devices"] = (0..150).map(plug).collect();
    client.publish("registry", plugs.to_string()).await;
    assert_eq!(client.on("registry/report").await["ok"], true);
    client.publish("request", request("r1", "p", "关闭所有的插座").to_string()).await;
    let active = client.finish("r1").await["payload"]["data"]["active"].clone();
    assert_eq!(active["instructs"].as_array().map(Vec::len), Some(150), "{active}");
    for n in 0..150 {
        assert_eq!(client.on(&format!("instruct/plug-{n}")).await["rid"], "r1");
    }
    daemon.stop().await;
    assert!(Store::open(folder.path()).unwrap().0.outbox().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_became_of_a_request_is_not_mixed_with_what_a_satellite_did_by_the_same_rid() {
    let broker = Broker::embedded().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |settings| settings.confirm_within = PATIENCE);
    client.status("online").await;
    client.publish("registry", home().to_string()).await;
    client.on("registry/report").await;
    let on = json!({"power": true}).to_string();
    // Both have told their state before, and will tell it again.
    for lamp in ["lamp-1", "lamp-2"] {
        client.publish(&format!("state/{lamp}"), json!({"power": false}).to_string()).await;
    }
    client.publish("request", request("r", "p", "打开客厅的照明灯").to_string()).await;
    client.finish("r").await;
    // The satellite guessed the rid of a request that is over; what its lamp says comes first.
    let spoken = json!({"text": "打开厨房的照明灯", "rid": "r"});
    client.publish("utterance/kitchen", spoken.to_string()).await;
    client.on("instruct/lamp-2").await;
    client.publish("state/lamp-2", on.clone()).await;
    client.publish("state/lamp-1", on).await;
    let outcome = client.on("outcome/r").await;
    assert_eq!((&outcome["id"], &outcome["result"]), (&json!("lamp-1"), &json!("confirmed")), "{outcome}");
    // With a rid of its own it is told.
    let spoken = json!({"text": "关闭厨房的照明灯", "rid": "own"});
    client.publish("utterance/kitchen", spoken.to_string()).await;
    client.on("instruct/lamp-2").await;
    client.publish("state/lamp-2", json!({"power": false}).to_string()).await;
    assert_eq!(client.on("outcome/own").await["id"], "lamp-2");
    assert_eq!(client.count(|p| p.topic == "zhiju/home/outcome/r"), 0);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_guesses_the_rid_and_page_of_another_application_learns_and_confirms_nothing() {
    let broker = Broker::embedded().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    with_villa(&mut client).await;
    let to = |topic: &str| PublishProperties { response_topic: Some(topic.into()), ..PublishProperties::default() };
    let frame = |rid: &str, question: &str| request(rid, "p", question).to_string();
    client.publish("request/a", frame("r", "打开大门锁")).await;
    assert_eq!(client.finish("a/r").await["payload"]["data"]["active"]["intent"]["type"], "question");
    // By a topic of its own, by the shared one, as a satellite, and by a rid that looks like a topic of the other's.
    client.publish_with("request/b", frame("r", "确认"), to("answers/b/1")).await;
    client.publish_with("request", frame("r", "确认"), to("answers/b/2")).await;
    client.publish_with("request", frame("a/r", "确认"), to("answers/b/3")).await;
    let spoken = json!({"text": "确认", "rid": "r", "page_id": "p"});
    client.publish_with("utterance/b", spoken.to_string(), to("answers/b/4")).await;
    for n in 1..=4 {
        let topic = format!("answers/b/{n}");
        let is_end = |p: &Publish| p.topic == topic && json_of(p)["payload"]["finish"] == true;
        let told = json_of(&client.find(&topic, is_end).await).to_string();
        assert!(!told.contains("大门锁") && !told.contains("lock-01"), "{told}");
    }
    assert_eq!(moved(&mut client), 0);
    assert_eq!(client.count(|p| p.topic == "zhiju/home/response/a/r"), 0);
    client.publish("request/a", frame("r2", "确认")).await;
    assert_eq!(client.finish("a/r2").await["payload"]["data"]["active"]["instructs"][0]["id"], "lock-01");
    daemon.stop().await;
}
