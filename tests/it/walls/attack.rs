//! What was tried against the daemon from outside, as tests.

use std::collections::BTreeSet;

use super::*;
use crate::process::{Process, configure};

/// A home of one lamp.
fn lamp(did: &str, name: &str) -> Value {
    let mut one = home();
    one["did"] = did.into();
    one["devices"] = json!([{"id": did, "name": name, "local": "客厅", "device": {"model": "lamp"}}]);
    one
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_yes_and_a_no_the_first_counts_and_of_five_yeses_one() {
    let broker = Broker::mosquitto().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |settings| settings.service.confirm_within = PATIENCE);
    with_villa(&mut client).await;
    let mut opened = 0;
    for (round, answers) in
        [&["好的", "取消"][..], &["取消", "好的"], &["好的"; 5], &["不要", "确认", "确认"]].repeat(5).iter().enumerate()
    {
        let asked = say(&mut client, "kitchen", &format!("ask-{round}"), "打开大门锁", None).await;
        assert_eq!(asked["active"]["intent"]["type"], "question", "{asked}");
        let spoken = |n: usize, text: &str| json!({"text": text, "rid": format!("{round}-{n}")}).to_string();
        for (n, text) in answers.iter().enumerate() {
            client.publish("utterance/kitchen", spoken(n, text)).await;
        }
        let mut told = Vec::new();
        for n in 0..answers.len() {
            let active = client.finish(&format!("{round}-{n}")).await["payload"]["data"]["active"].clone();
            told.push(active["instructs"][0]["id"] == "lock-01");
        }
        let yes = ["好的", "确认"].contains(&answers[0]);
        assert_eq!(told, (0..answers.len()).map(|n| yes && n == 0).collect::<Vec<_>>(), "{answers:?}");
        if yes {
            assert_eq!(client.on("instruct/lock-01").await["rid"], format!("{round}-0"));
            opened += 1;
        }
    }
    assert_eq!((opened, moved(&mut client)), (10, 0), "each once");
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_that_the_broker_kept_of_devices_keeps_nobody_from_being_served() {
    let broker = Mosquitto::with(tempfile::tempdir().unwrap(), "max_queued_messages 100000\n").await;
    let mut client = Client::connect(broker.port, "client").await;
    client.retain("registry", villa()).await;
    let garbage = ["[[[[", "{\"locked\": \"open\"}", "\u{202e}", "{\"locked\": {\"locked\": false}}", "null", "7"];
    for n in 0..2_000 {
        let device = if n % 40 == 0 { "lock-01".to_owned() } else { format!("nobody-{n}") };
        client.retain(&format!("state/{device}"), garbage[n % garbage.len()]).await;
    }
    let daemon = Daemon::start(broker.port, |_| {});
    client.status("online").await;
    assert_eq!(client.on("registry/report").await["ok"], true);
    client.publish("state/cct-05", json!({"power": false}).to_string()).await;
    let told = say(&mut client, "kitchen", "k1", "打开书房吸顶灯", None).await;
    assert_eq!(told["active"]["instructs"][0]["id"], "cct-05", "{told}");
    client.on("instruct/cct-05").await;
    let locked = say(&mut client, "kitchen", "k2", "大门锁了吗", None).await["active"]["intent"]["result"].clone();
    assert!(locked.as_str().unwrap().contains("锁着"), "{locked}");
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_five_hundred_homes_in_a_burst_the_last_is_right() {
    let broker = Mosquitto::with(tempfile::tempdir().unwrap(), "max_queued_messages 100000\n").await;
    let mut client = Client::connect(broker.port, "client").await;
    let daemon = Daemon::start(broker.port, |_| {});
    client.status("online").await;
    for n in 0..500 {
        client.publish("registry", lamp(&format!("lamp-{n}"), "老伙计").to_string()).await;
    }
    // Reports of those between may be one: the last home alone has a lamp of this name.
    client.publish("registry", lamp("last", "夜明珠").to_string()).await;
    let mut reports = 0;
    loop {
        assert_eq!(client.on("registry/report").await["ok"], true);
        reports += 1;
        let told = say(&mut client, "kitchen", &format!("k{reports}"), "打开夜明珠", None).await;
        match told["active"]["instructs"][0]["id"].as_str() {
            Some(id) => break assert_eq!(id, "last"),
            None => assert!(reports <= 501, "{told}"),
        }
    }
    // And stays so, whatever else waited.
    let told = say(&mut client, "kitchen", "again", "打开老伙计", None).await;
    assert_eq!(told["active"]["instructs"], json!([]), "{told}");
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_satellites_are_answered_within_the_memory_of_the_unit() {
    let broker = Mosquitto::with(tempfile::tempdir().unwrap(), "max_queued_messages 100000\n").await;
    let folder = tempfile::tempdir().unwrap();
    let config = configure(folder.path(), &format!("mqtt: {{port: {}}}\nlog: {{level: warn}}\n", broker.port));
    let daemon = Process::start(&config);
    let mut client = Client::connect(broker.port, "client").await;
    client.status("online").await;
    client.publish("registry", lamp("lamp-1", "老伙计").to_string()).await;
    assert_eq!(client.on("registry/report").await["ok"], true);
    drop(client);
    let mut client = Client::subscribed(broker.port, "satellites", &["zhiju/home/reply/+"], Pace::default()).await;
    let mut answered = BTreeSet::new();
    // No more at once than may wait.
    for group in (0..2_000).collect::<Vec<usize>>().chunks(40) {
        for n in group {
            client.publish(&format!("utterance/s{n}"), if n % 2 == 0 { "打开老伙计" } else { "关掉老伙计" }).await;
        }
        for n in group {
            // What is being done, and that it is.
            for _ in 0..2 {
                let reply = client.on(&format!("reply/s{n}")).await;
                assert_eq!(reply["intent"], "instruct", "{reply}");
            }
            answered.insert(*n);
        }
    }
    assert_eq!(answered.len(), 2_000);
    let peak = daemon.peak_kb();
    assert!(peak <= 192 << 10, "{peak} kB");
    daemon.signal("TERM");
    assert!(daemon.end().await.0.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_form_of_a_home_that_is_brought_moves_our_lock() {
    let broker = Broker::mosquitto().await;
    let (mut client, folder) = (Client::connect(broker.port(), "client").await, tempfile::tempdir().unwrap());
    let daemon = Daemon::start(broker.port(), |settings| settings.state_dir = folder.path().to_owned());
    with_villa(&mut client).await;
    let model = json!({
        "lock": {"describe": "智能门锁", "property": {"locked": {"type": "bool"}}},
        "plug": {"describe": "插座", "property": {"power": {"type": "bool"}, "locked": {"type": "bool"}}},
        "opener": {"describe": "开关", "commands": {"unlock": {"describe": "打开"}}},
    });
    let device = |model: &str, name: &str, risk: &str| json!({"id": "lock-01", "name": name, "local": "玄关", "risk": risk, "device": {"model": model, "state": {}}});
    let brought = |device: Value, group: Value, scene: Value| json!({"layout": ["玄关"], "model": model, "devices": [device], "groups": group, "scenes": scene});
    let group = json!([{"id": "g", "name": "老伙计", "members": ["lock-01"]}]);
    let scene = json!([{"id": "s", "name": "回家模式", "actions": [{"id": "lock-01", "state": {"locked": false}}]}]);
    let forms = [
        ("打开大门锁", brought(device("lock", "大门锁", "low"), json!([]), json!([]))),
        ("打开台灯", brought(device("plug", "台灯", "low"), json!([]), json!([]))),
        ("打开老伙计", brought(device("lock", "门锁", "low"), group, json!([]))),
        ("回家模式", brought(device("plug", "插座", "low"), json!([]), scene)),
        ("打开开关", brought(device("opener", "开关", "low"), json!([]), json!([]))),
    ];
    let mut told = 0;
    for (n, (question, home)) in forms.into_iter().enumerate() {
        for (turn, question) in [question, "确认"].into_iter().enumerate() {
            let mut frame = request(&format!("{n}-{turn}"), &format!("p{n}"), question);
            frame["payload"]["home"] = home.clone();
            client.publish("request", frame.to_string()).await;
            let data = client.finish(&format!("{n}-{turn}")).await["payload"]["data"].clone();
            assert_eq!(data["error"], Value::Null, "{data}");
            told += data["active"]["instructs"].as_array().map_or(0, Vec::len);
        }
    }
    assert!(told >= 4, "whoever brings a home is told what moves in it: {told}");
    client.publish("request", request("lamp", "z", "打开书房吸顶灯").to_string()).await;
    client.on("instruct/cct-05").await;
    assert_eq!(moved(&mut client), 0);
    daemon.stop().await;
    assert!(trail(folder.path()).is_empty(), "and nothing of ours was asked about");
}

#[tokio::test(flavor = "multi_thread")]
async fn long_sentences_of_one_satellite_keep_nobody_else_from_being_served() {
    let broker = Mosquitto::with(tempfile::tempdir().unwrap(), "max_queued_messages 100000\n").await;
    let mut client = Client::connect(broker.port, "client").await;
    let daemon = Daemon::start(broker.port, |_| {});
    with_villa(&mut client).await;
    drop(client);
    let mut victim = Client::subscribed(broker.port, "victim", &["zhiju/home/reply/victim"], Pace::default()).await;
    let flood = Client::subscribed(broker.port, "flood", &["zhiju/home/reply/nobody"], Pace::default()).await;
    let long = ["打开客厅的".repeat(400), "打开客厅的".repeat(39), "把台灯和".repeat(500), "如果".repeat(1_000)];
    for n in 0..30 {
        for (form, text) in long.iter().enumerate() {
            let said = json!({"text": text, "page_id": format!("p{n}"), "rid": format!("f{n}-{form}")});
            flood.publish("utterance/flood", said.to_string()).await;
        }
        let text = if n % 2 == 0 { "打开老伙计" } else { "关掉老伙计" };
        victim.publish("utterance/victim", json!({"text": text, "rid": format!("v{n}")}).to_string()).await;
        for _ in 0..2 {
            let reply = victim.on("reply/victim").await;
            assert_eq!((&reply["rid"], &reply["intent"]), (&json!(format!("v{n}")), &json!("instruct")), "{reply}");
        }
    }
    daemon.stop().await;
}
