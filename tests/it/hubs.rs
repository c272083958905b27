//! Hubs over a real broker: what they bring, what they say, and what becomes of them when they go and come.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rumqttc::v5::mqttbytes::QoS;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use zhiju::daemon::{self, DaemonError, DaemonSettings, Supervision};
use zhiju::frame::Instruct;
use zhiju::home::State;
use zhiju::hub::{Brought, Change, Hub, HubKind, HubSettings, LeftOut, MqttHub, Native, To, Unable};

use crate::common::{Broker, Client, Daemon, Mosquitto, Pace, json_of, request, within};
use crate::process::{Process, configure};
use crate::runner::{stdout, zhiju};

/// A small hub: below its topic it keeps its `devices` (a home document), tells whether it and each device is `online`,
/// what `state` they are in, and is told to `set` them. It is asked to `get` everything once it can be.
struct Small {
    base: &'static str,
    document: Value,
}

impl Hub for Small {
    fn home(&self) -> Brought {
        let left_out = LeftOut { id: "0x1".into(), name: "网关".into(), reason: "is no device".into() };
        Brought { document: self.document.clone(), left_out: vec![left_out], ..Brought::default() }
    }

    fn native(&self, device: &str, instruct: &Instruct) -> Result<Vec<Native>, Unable> {
        let payload = json!(instruct.state).to_string().into_bytes();
        let to = To::Topic { topic: format!("{}/set/{device}", self.base), payload };
        Ok(vec![Native { to, once: false }])
    }
}

impl MqttHub for Small {
    fn subscriptions(&self) -> Vec<String> {
        // The last one would hear what the daemon says, and is refused.
        vec![format!("{}/#", self.base), "zhiju/home/#".into()]
    }

    fn hello(&self) -> Vec<Native> {
        let to = |topic: String| Native { to: To::Topic { topic, payload: Vec::new() }, once: false };
        vec![to(format!("{}/get", self.base)), to("zhiju/home/request".into())]
    }

    fn heard(&mut self, topic: &str, payload: &[u8], _: bool) -> Vec<Change> {
        assert!(!topic.starts_with("zhiju/"), "{topic}");
        let Some(rest) = topic.strip_prefix(self.base).and_then(|rest| rest.strip_prefix('/')) else { return vec![] };
        match rest.split_once('/') {
            None if rest == "devices" => {
                self.document = serde_json::from_slice(payload).unwrap_or_default();
                vec![Change::Registry]
            }
            None if rest == "online" => vec![Change::Hub { online: payload == b"1" }],
            Some(("online", device)) => vec![Change::Device { device: device.into(), online: payload == b"1" }],
            Some(("state", device)) => {
                let values: State = serde_json::from_slice(payload).unwrap_or_default();
                vec![Change::State { device: device.into(), values }]
            }
            Some(("bug", _)) => panic!("a bug in the translation"),
            _ => Vec::new(),
        }
    }
}

/// A daemon with small hubs below `small` and `other`.
struct Running {
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), DaemonError>>,
}

impl Running {
    fn start(port: u16, folder: &Path) -> Self {
        let mut settings = DaemonSettings { state_dir: folder.join("store"), ..DaemonSettings::default() };
        settings.broker.port = port;
        let small = |base| Box::new(Small { base, document: Value::Null }) as Box<dyn MqttHub>;
        let hubs = ["small", "other"].map(|base| (base.to_owned(), small(base))).into();
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async move { drop(stopped.await) };
        let task = tokio::spawn(daemon::run_with_hubs(settings, Supervision::none(), hubs, stopped));
        Self { stop: Some(stop), task }
    }

    async fn stop(mut self) {
        drop(self.stop.take());
        within("the daemon to stop", &mut self.task).await.unwrap().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lamps(devices: &[(&str, &str, &str)]) -> Value {
    let device = |(id, name, room): &(&str, &str, &str)| json!({"id": id, "name": name, "local": room, "device": {"model": "m"}});
    let model = json!({"name": "light", "describe": "灯，用于照明。", "property": {"power": {"type": "bool"}}});
    json!({"layout": ["客厅"], "model": {"m": model}, "devices": devices.iter().map(device).collect::<Vec<_>>()})
}

/// Everything, of the home and of hubs.
async fn connect(port: u16) -> Client {
    Client::subscribed(port, "person", &["zhiju/home/#", "small/#"], Pace::default()).await
}

async fn keep(client: &Client, topic: &str, payload: impl Into<Vec<u8>>) {
    client.client.publish(topic, QoS::AtLeastOnce, true, payload.into()).await.unwrap();
}

/// Waits until it is told of the hub `small` as wanted.
async fn told(client: &mut Client, wanted: impl Fn(&Value) -> bool) -> Value {
    let of = |value: &Value| {
        let hubs = value["hubs"].as_array().cloned().unwrap_or_default();
        hubs.into_iter().find(|hub| hub["name"] == "small").unwrap_or_default()
    };
    let found = client.find("the hub to be so", |p| p.topic == "zhiju/home/hubs" && wanted(&of(&json_of(p)))).await;
    of(&json_of(&found))
}

async fn ask(client: &mut Client, rid: &str, question: &str) -> Value {
    client.publish("request", request(rid, rid, question).to_string()).await;
    client.finish(rid).await["payload"]["data"]["active"].clone()
}

fn text(active: &Value) -> &str {
    active["intent"]["result"].as_str().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_hub_keeps_at_the_broker_is_in_the_home_and_moves() {
    let (broker, folder) = (Broker::embedded().await, tempfile::tempdir().unwrap());
    let mut client = connect(broker.port()).await;
    keep(&client, "small/devices", lamps(&[("a", "照明灯", "客厅"), ("b", "台灯", "书房")]).to_string()).await;
    keep(&client, "small/state/b", r#"{"power": false}"#).await;
    keep(&client, "small/online/b", "1").await;
    let daemon = Running::start(broker.port(), folder.path());
    client.status("online").await;
    client.find("a word to the hub", |p| p.topic == "small/get").await;
    let hub = told(&mut client, |hub| hub["devices"] == 2).await;
    assert_eq!((&hub["online"], &hub["rooms"], &hub["left_out"][0]["id"]), (&json!(true), &json!(2), &json!("0x1")));
    assert_eq!(hub["refused"], json!(["zhiju/home/#"]));
    let done = ask(&mut client, "r1", "打开照明灯").await;
    assert_eq!(done["instructs"][0]["id"], "small:a", "{done}");
    assert_eq!(client.on("instruct/small:a").await["state"], json!({"power": true}));
    let answer = ask(&mut client, "r2", "书房的台灯开着吗").await;
    assert!(text(&answer).contains("关"), "{answer}");
    // With a document as well: a room of the same name is the same room.
    let mut document = lamps(&[("d", "吊灯", "客厅")]);
    document["devices"][0]["id"] = "small:a2".into();
    client.retain("registry", document.to_string()).await;
    client.on("registry/report").await;
    let done = ask(&mut client, "r3", "打开客厅所有的灯").await;
    let ids: Vec<&str> = done["instructs"].as_array().unwrap().iter().filter_map(|i| i["id"].as_str()).collect();
    assert_eq!(ids.len(), 2, "{done}");
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_goes_keeps_its_devices_as_offline_and_comes_back_without_a_restart() {
    let (broker, folder) = (Broker::embedded().await, tempfile::tempdir().unwrap());
    let mut client = connect(broker.port()).await;
    let daemon = Running::start(broker.port(), folder.path());
    client.status("online").await;
    keep(&client, "small/devices", lamps(&[("a", "照明灯", "客厅"), ("b", "台灯", "书房")]).to_string()).await;
    told(&mut client, |hub| hub["devices_online"] == 2).await;
    keep(&client, "small/online", "0").await;
    told(&mut client, |hub| hub["devices"] == 2 && hub["devices_online"] == 0).await;
    let refused = ask(&mut client, "r1", "打开照明灯").await;
    assert!(refused["instructs"] == json!([]) && !text(&refused).contains("正在打开"), "{refused}");
    keep(&client, "small/online/b", "0").await;
    keep(&client, "small/online", "1").await;
    told(&mut client, |hub| hub["devices_online"] == 1).await;
    assert_eq!(ask(&mut client, "r2", "打开照明灯").await["instructs"][0]["id"], "small:a");
    assert_eq!(ask(&mut client, "r3", "打开台灯").await["instructs"], json!([]));
    // A message that cannot be worked on is the hub's own trouble.
    client.client.publish("small/bug/x", QoS::AtLeastOnce, false, "").await.unwrap();
    keep(&client, "small/online/b", "1").await;
    told(&mut client, |hub| hub["devices_online"] == 2).await;
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_without_the_hub_has_its_devices_and_waits_for_it() {
    let (broker, folder) = (Broker::embedded().await, tempfile::tempdir().unwrap());
    let mut client = connect(broker.port()).await;
    let daemon = Running::start(broker.port(), folder.path());
    client.find("a word to the hub", |p| p.topic == "small/get").await;
    let document = lamps(&[("a", "照明灯", "客厅")]).to_string();
    client.client.publish("small/devices", QoS::AtLeastOnce, false, document.clone()).await.unwrap();
    let first = told(&mut client, |hub| hub["devices_online"] == 1).await;
    assert!(first["problem"].is_null());
    daemon.stop().await;
    // Another client, who hears of the second start alone, and before it what the broker kept of the first.
    let mut client = Client::subscribed(broker.port(), "later", &["zhiju/home/#", "small/#"], Pace::default()).await;
    told(&mut client, |hub| hub["devices_online"] == 1).await;
    let daemon = Running::start(broker.port(), folder.path());
    client.find("a word to the hub", |p| p.topic == "small/get").await;
    assert_eq!(client.status("online").await["devices"], 1);
    let refused = ask(&mut client, "r1", "打开照明灯").await;
    assert_eq!(refused["instructs"], json!([]), "nobody knows whether it can be reached: {refused}");
    let before = told(&mut client, |hub| hub["devices_online"] == 0).await;
    assert_eq!(before["devices"], 1);
    client.client.publish("small/devices", QoS::AtLeastOnce, false, document).await.unwrap();
    told(&mut client, |hub| hub["devices_online"] == 1).await;
    assert_eq!(ask(&mut client, "r2", "打开照明灯").await["instructs"][0]["id"], "small:a");
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_owner_said_survives_every_rediscovery() {
    let (broker, folder) = (Broker::embedded().await, tempfile::tempdir().unwrap());
    let store = folder.path().join("store");
    std::fs::create_dir(&store).unwrap();
    let said = "devices:\n  small:a: {name: 落地灯, room: 书房}\n  small:b: {hidden: true}\n";
    std::fs::write(store.join("overrides.yaml"), said).unwrap();
    let mut client = connect(broker.port()).await;
    let daemon = Running::start(broker.port(), folder.path());
    client.status("online").await;
    for (round, more) in ["c", "d"].into_iter().enumerate() {
        let devices = lamps(&[("a", "照明灯", "客厅"), ("b", "门灯", "客厅"), (more, "壁灯", "阳台")]);
        keep(&client, "small/devices", devices.to_string()).await;
        client.status_with(|status| status["revision"].as_u64() > Some(round as u64)).await;
        told(&mut client, |hub| hub["devices"] == 2).await;
        let rid = format!("a{round}");
        assert_eq!(ask(&mut client, &rid, "打开书房的落地灯").await["instructs"][0]["id"], "small:a");
        assert_eq!(ask(&mut client, &format!("b{round}"), "打开门灯").await["instructs"], json!([]));
    }
    // Edited meanwhile, and read again with the next change.
    std::fs::write(store.join("overrides.yaml"), "devices:\n  small:a: {name: 阅读灯, room: 书房}\n").unwrap();
    keep(&client, "small/devices", lamps(&[("a", "照明灯", "客厅"), ("b", "门灯", "客厅")]).to_string()).await;
    told(&mut client, |hub| hub["devices"] == 2).await;
    client.status_with(|status| status["devices"] == 2 && status["revision"].as_u64() > Some(3)).await;
    assert_eq!(ask(&mut client, "c", "打开阅读灯").await["instructs"][0]["id"], "small:a");
    assert_eq!(ask(&mut client, "d", "打开门灯").await["instructs"][0]["id"], "small:b");
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_hub_is_bounded_and_named_and_takes_nothing_from_the_others() {
    let (broker, folder) = (Broker::embedded().await, tempfile::tempdir().unwrap());
    let mut client = connect(broker.port()).await;
    let daemon = Running::start(broker.port(), folder.path());
    client.status("online").await;
    let alike = lamps(&[("lamp", "照明灯", "客厅"), ("LAMP", "照明灯", "客厅"), ("Lamp", "台灯", "客厅")]);
    keep(&client, "small/devices", alike.to_string()).await;
    told(&mut client, |hub| hub["devices"] == 3).await;
    // Two hubs with the same devices.
    keep(&client, "other/devices", alike.to_string()).await;
    client.status_with(|status| status["devices"] == 6).await;
    let many = json!({"devices": (0..10_000).map(|i| json!({"id": i, "name": "x"})).collect::<Vec<_>>()});
    keep(&client, "small/devices", many.to_string()).await;
    let hub = told(&mut client, |hub| !hub["problem"].is_null()).await;
    assert!(hub["problem"].as_str().unwrap().contains("10000 entries are more than"), "{hub}");
    assert_eq!(hub["devices"], 3, "what it brought before stays");
    for (topic, payload) in [
        ("small/state/lamp", vec![b' '; 1 << 20]),
        ("small/state/nobody", br#"{"power": true}"#.to_vec()),
        ("small/state/Lamp", br#"{"power": "maybe", "x": 1}"#.to_vec()),
        ("small/devices", b"\xff".to_vec()),
    ] {
        client.client.publish(topic, QoS::AtLeastOnce, false, payload).await.unwrap();
    }
    keep(&client, "small/state/Lamp", r#"{"power": true}"#).await;
    let mut devices = alike;
    devices["devices"][2]["name"] = "落地灯".into();
    keep(&client, "small/devices", devices.to_string()).await;
    client.status_with(|status| status["revision"] == 3).await;
    let answer = ask(&mut client, "r", "落地灯开着吗").await;
    assert!(text(&answer).contains("开"), "{answer}");
    // Beside the daemon: what each brought, and names that nobody can tell apart.
    let store = folder.path().join("store");
    let output = tokio::task::spawn_blocking(move || zhiju().arg("hubs").arg("--store").arg(store).output().unwrap());
    let shown = stdout(&within("zhiju hubs", output).await.unwrap());
    for words in ["small (other): online, 3 devices", "left out: 0x1 网关", "客厅: the same name", "small:LAMP"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_states_keeps_nobody_waiting_and_the_last_ones_count() {
    let (broker, folder) = (Broker::embedded().await, tempfile::tempdir().unwrap());
    let mut client = connect(broker.port()).await;
    let daemon = Running::start(broker.port(), folder.path());
    client.status("online").await;
    let names: Vec<String> = (0..100).map(|i| format!("d{i}")).collect();
    let mut all: Vec<(&str, &str, &str)> = names.iter().map(|id| (id.as_str(), "射灯", "书房")).collect();
    all.push(("a", "照明灯", "客厅"));
    keep(&client, "small/devices", lamps(&all).to_string()).await;
    told(&mut client, |hub| hub["devices"] == 101).await;
    let storm = client.client.clone();
    let raging = tokio::spawn(async move {
        for round in 0..40_usize {
            for (at, id) in names.iter().enumerate() {
                let on = (round + at) % 2 == 1;
                let state = json!({"power": on}).to_string();
                storm.publish(format!("small/state/{id}"), QoS::AtMostOnce, false, state).await.unwrap();
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    for n in 0..10 {
        let done = ask(&mut client, &format!("r{n}"), if n % 2 == 0 { "打开照明灯" } else { "关闭照明灯" }).await;
        assert_eq!(done["instructs"][0]["id"], "small:a");
    }
    within("the storm", raging).await.unwrap();
    keep(&client, "small/online/a", "0").await;
    told(&mut client, |hub| hub["devices_online"] == 100).await;
    daemon.stop().await;
    // What was said last is there after the next start.
    let output = tokio::task::spawn_blocking({
        let store = folder.path().join("store");
        move || zhiju().args(["home", "show", "--store"]).arg(store).output().unwrap()
    });
    let shown = stdout(&within("zhiju home show", output).await.unwrap());
    let on: BTreeMap<bool, usize> =
        shown.lines().filter(|line| line.contains("small:d")).fold(BTreeMap::new(), |mut all, line| {
            *all.entry(line.contains("true")).or_default() += 1;
            all
        });
    assert_eq!(on, [(false, 50), (true, 50)].into(), "{shown}");
}

/// What Zigbee2MQTT tells of a lamp.
fn zigbee_lamp(address: &str, name: &str) -> Value {
    let state = json!({"type": "binary", "name": "state", "property": "state", "label": "State", "access": 7,
        "value_on": "ON", "value_off": "OFF", "value_toggle": "TOGGLE"});
    let light = json!({"type": "light", "features": [state]});
    json!({"ieee_address": address, "friendly_name": name, "type": "Router", "supported": true, "disabled": false,
        "interview_completed": true, "interview_state": "SUCCESSFUL",
        "definition": {"model": "L1", "vendor": "v", "description": "Bulb", "exposes": [light]}, "endpoints": {}})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_zigbee_lamp_is_brought_by_configuration_moved_and_believed_only_when_it_says_so() {
    let broker = Broker::embedded().await;
    let topics: &[&str] = &["zhiju/home/#", "zigbee2mqtt/+/set"];
    let mut client = Client::subscribed(broker.port(), "person", topics, Pace::default()).await;
    keep(&client, "zigbee2mqtt/bridge/state", r#"{"state": "online"}"#).await;
    let lamps = json!([zigbee_lamp("0x01", "书房台灯"), zigbee_lamp("0x02", "客厅吊灯")]);
    keep(&client, "zigbee2mqtt/bridge/devices", lamps.to_string()).await;
    let daemon = Daemon::start(broker.port(), |settings| {
        let kind = HubKind::Zigbee2Mqtt { base_topic: "zigbee2mqtt".into() };
        settings.hubs = vec![HubSettings { name: "z2m".into(), kind }];
        settings.confirm_within = Duration::from_secs(1);
    });
    client.status("online").await;
    client.find("the lamps", |p| p.topic == "zhiju/home/hubs" && json_of(p)["hubs"][0]["devices"] == 2).await;
    keep(&client, "zigbee2mqtt/书房台灯", r#"{"state": "OFF"}"#).await;
    keep(&client, "zigbee2mqtt/客厅吊灯", r#"{"state": "OFF"}"#).await;

    client.publish("utterance/box", r#"{"text": "打开书房台灯", "rid": "r1"}"#).await;
    let set = client.find("a word to the lamp", |p| p.topic == "zigbee2mqtt/书房台灯/set").await;
    assert_eq!(json_of(&set), json!({"state": "ON"}));
    keep(&client, "zigbee2mqtt/书房台灯", r#"{"state": "ON"}"#).await;
    let outcome = client.on("outcome/r1").await;
    assert_eq!((&outcome["id"], &outcome["result"]), (&json!("z2m:0x01"), &json!("confirmed")), "{outcome}");

    client.publish("utterance/box", r#"{"text": "打开客厅吊灯", "rid": "r2"}"#).await;
    let outcome = client.on("outcome/r2").await;
    assert_eq!(outcome["result"], "silent", "{outcome}");
    let told = |p: &rumqttc::v5::mqttbytes::v5::Publish| {
        p.topic == "zhiju/home/reply/box" && json_of(p)["text"].as_str().is_some_and(|text| text.contains("没有响应"))
    };
    assert_eq!(json_of(&client.find("that it did not answer", told).await)["rid"], "r2");
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn why_a_hub_is_away_is_on_the_topic_and_in_zhiju_hubs() {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let house = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", house.local_addr().unwrap());
    let token = folder.path().join("token");
    std::fs::write(&token, "secret\n").unwrap();
    let hub = format!("{{kind: home_assistant, url: '{url}', token_file: '{}'}}", token.display());
    let config = configure(folder.path(), &format!("mqtt: {{port: {}}}\nhubs: {{ha: {hub}}}\n", broker.port));
    let mut client = Client::subscribed(broker.port, "person", &["zhiju/home/hubs"], Pace::default()).await;
    let _daemon = Process::start(&config);
    let plain = async {
        loop {
            let (mut stream, _) = house.accept().await.unwrap();
            let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    };
    let why = |told: &Value| told["hubs"][0]["problem"].as_str().unwrap_or_default().to_owned();
    tokio::select! {
        () = plain => unreachable!(),
        _ = client.find("the reason", |p| why(&json_of(p)).contains("does not answer in TLS")) => {}
    }
    let output = tokio::task::spawn_blocking(move || zhiju().args(["hubs", "--config"]).arg(config).output().unwrap());
    let shown = stdout(&output.await.unwrap());
    assert!(shown.contains("PROBLEM: https://") && shown.contains("does not answer in TLS"), "{shown}");
}
