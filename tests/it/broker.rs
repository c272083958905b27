//! The daemon over a real broker: who hears what, and what happens when one side is lost.

use std::process::Stdio;

use rumqttc::v5::mqttbytes::v5::PublishProperties;
use serde_json::{Value, json};

use crate::common::{Broker, Client, Daemon, Mosquitto, free_port, home, json_of, request, within};
use crate::runner::zhiju;
use zhiju::transport::embedded::EmbeddedBroker;

/// The same test over the embedded broker and over Mosquitto.
macro_rules! over_both_brokers {
    ($($name:ident)*) => {
        mod embedded {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() { super::$name(super::Broker::embedded().await).await })*
        }
        mod mosquitto {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() { super::$name(super::Broker::mosquitto().await).await })*
        }
    };
}
pub(crate) use over_both_brokers;

over_both_brokers! {
    a_request_is_answered
    an_utterance_is_replied_to
    a_retained_home_is_loaded_and_reported
    a_home_that_is_none_is_reported
    the_response_topic_of_mqtt_5_is_honoured
    a_graceful_stop_says_goodbye
    a_retained_request_is_not_served
    the_same_page_is_answered_in_order
    an_order_moves_its_device_and_everyone_concerned_hears_of_it
    a_request_without_instructs_moves_nothing
}

async fn a_request_is_answered(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    client.publish("request", request("r1", "p1", "今天收益不错，我很开心").to_string()).await;
    let frame = client.finish("r1").await;
    assert_eq!(frame["topic"], "llm/smarthome");
    assert_eq!(frame["rid"], "r1");
    let data = &frame["payload"]["data"];
    assert_eq!((&data["page_id"], &data["question"]), (&json!("p1"), &json!("今天收益不错，我很开心")));
    assert!(data["ret"].is_u64());
    daemon.stop().await;
}

async fn an_utterance_is_replied_to(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    client.publish("utterance/kitchen", "今天收益不错").await;
    let reply = client.on("reply/kitchen").await;
    let rid = reply["rid"].as_str().unwrap().to_owned();
    assert!(reply["intent"].is_string() && reply["text"].is_string());
    assert_eq!(client.finish(&rid).await["payload"]["data"]["page_id"], "satellite-kitchen");
    let spoken = json!({"text": "今天收益不错", "rid": "mine", "page_id": "page"});
    client.publish("utterance/kitchen", spoken.to_string()).await;
    assert_eq!(client.finish("mine").await["payload"]["data"]["page_id"], "page");
    daemon.stop().await;
}

async fn a_retained_home_is_loaded_and_reported(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    client.retain("registry", home().to_string()).await;
    client.on("registry").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    let report = client.on("registry/report").await;
    assert_eq!(report["ok"], true, "{report}");
    assert_eq!((&report["devices"], &report["rooms"], &report["revision"]), (&json!(2), &json!(2), &json!(1)));
    let loaded = |p: &_| {
        let status: Value = json_of(p);
        status["devices"] == 2 && status["revision"] == 1 && status["state"] == "online"
    };
    client.find("a status with devices", |p| p.topic == "zhiju/home/status" && loaded(p)).await;
    // Whoever comes later finds both.
    let mut later = Client::connect(broker.port(), "later").await;
    assert_eq!(later.on("registry/report").await["devices"], 2);
    assert_eq!(later.status("online").await["devices"], 2);
    daemon.stop().await;
}

async fn a_home_that_is_none_is_reported(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    client.publish("registry", "[1, 2]").await;
    let report = client.on("registry/report").await;
    assert_eq!((&report["ok"], &report["error"]["code"]), (&json!(false), &json!("bad_home")));
    client.publish("registry", home().to_string()).await;
    assert_eq!(client.on("registry/report").await["ok"], true);
    daemon.stop().await;
}

async fn the_response_topic_of_mqtt_5_is_honoured(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    let to = |topic: &str| PublishProperties {
        response_topic: Some(topic.into()),
        correlation_data: Some("c-7".into()),
        ..PublishProperties::default()
    };
    client.publish_with("request", request("r1", "p", "好").to_string(), to("answers/mine")).await;
    let finish = |p: &rumqttc::v5::mqttbytes::v5::Publish| json_of(p)["payload"]["finish"] == true;
    let answer = client.find("the answer", |p| p.topic == "answers/mine" && finish(p)).await;
    assert_eq!(answer.properties.as_ref().unwrap().correlation_data.as_deref(), Some(&b"c-7"[..]));
    assert_eq!(json_of(&answer), client.finish("r1").await);
    // A command topic is not answered to; the frame goes to its own topic all the same.
    client.publish_with("request", request("r2", "p", "好").to_string(), to("zhiju/home/registry")).await;
    client.finish("r2").await;
    client.publish("request", request("r3", "p", "好").to_string()).await;
    client.finish("r3").await;
    assert_eq!(client.count(|p| p.topic == "zhiju/home/registry"), 0);
    daemon.stop().await;
}

async fn a_graceful_stop_says_goodbye(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    let online = client.status("online").await;
    assert!(online["since"].as_u64().unwrap() > 1_600_000_000_000);
    assert_eq!(online["version"], env!("CARGO_PKG_VERSION"));
    client.publish("request", request("last", "p", "好").to_string()).await;
    client.finish("last").await;
    daemon.stop().await;
    client.status("offline").await;
    let mut later = Client::connect(broker.port(), "later").await;
    later.status("offline").await;
}

async fn a_retained_request_is_not_served(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    client.retain("request", request("old", "p", "开灯").to_string()).await;
    client.on("request").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    client.publish("request", request("new", "p", "好").to_string()).await;
    client.finish("new").await;
    assert_eq!(client.count(|p| p.topic == "zhiju/home/response/old"), 0);
    daemon.stop().await;
}

/// Loads the small home.
async fn with_home(client: &mut Client) {
    client.publish("registry", home().to_string()).await;
    assert_eq!(client.on("registry/report").await["ok"], true);
}

async fn an_order_moves_its_device_and_everyone_concerned_hears_of_it(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    with_home(&mut client).await;
    let spoken = json!({"text": "打开客厅的灯", "rid": "r1"});
    client.publish("utterance/客厅", spoken.to_string()).await;
    let stream = client.on("response/r1").await;
    assert_eq!((&stream["payload"]["finish"], &stream["payload"]["data"]["type"]), (&json!(false), &json!("token")));
    let instruct = client.on("instruct/lamp-1").await;
    assert_eq!(
        (&instruct["rid"], &instruct["id"], &instruct["state"]),
        (&json!("r1"), &json!("lamp-1"), &json!({"power": true}))
    );
    assert!(instruct["ts"].as_u64().unwrap() > 1_600_000_000_000);
    let finish = client.finish("r1").await;
    let active = &finish["payload"]["data"]["active"];
    assert_eq!(active["intent"]["type"], "instruct");
    assert_eq!(active["instructs"].as_array().unwrap().len(), 1);
    for _ in ["with the stream frame", "with the finish frame"] {
        let reply = client.on("reply/客厅").await;
        assert_eq!((&reply["rid"], &reply["intent"]), (&json!("r1"), &json!("instruct")));
    }
    let candidates = client.on("candidates/r1").await;
    assert_eq!((&candidates["rid"], &candidates["page_id"]), (&json!("r1"), &json!("satellite-客厅")));
    // What the hub reports is known to the next utterance.
    client.publish("state/lamp-1", r#"{"power": true}"#).await;
    client.publish("request", request("r2", "p", "客厅的灯开着吗").to_string()).await;
    assert_eq!(client.finish("r2").await["payload"]["data"]["active"]["intent"]["type"], "answer");
    daemon.stop().await;
}

async fn a_request_without_instructs_moves_nothing(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    with_home(&mut client).await;
    let mut dry = request("dry", "p", "打开客厅的灯");
    dry["payload"]["instruct"] = false.into();
    client.publish("request", dry.to_string()).await;
    let active = client.finish("dry").await["payload"]["data"]["active"].clone();
    assert_eq!((&active["intent"]["type"], &active["instructs"]), (&json!("instruct"), &json!([])));
    client.publish("request", request("wet", "q", "打开厨房的灯").to_string()).await;
    client.finish("wet").await;
    assert_eq!(client.count(|p| p.topic == "zhiju/home/instruct/lamp-1"), 0);
    assert_eq!(client.count(|p| p.topic == "zhiju/home/instruct/lamp-2"), 1);
    daemon.stop().await;
}

async fn the_same_page_is_answered_in_order(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |settings| settings.queue_capacity = 1_000);
    client.status("online").await;
    for i in 0..100 {
        client.publish("request", request(&format!("{i}"), &format!("page-{}", i % 4), "好").to_string()).await;
    }
    let mut last = [None; 4];
    for _ in 0..100 {
        let answer = |p: &rumqttc::v5::mqttbytes::v5::Publish| {
            p.topic.starts_with(b"zhiju/home/response/") && json_of(p)["payload"]["finish"] == true
        };
        let frame = json_of(&client.find("an answer", answer).await);
        let i: usize = frame["rid"].as_str().unwrap().parse().unwrap();
        assert!(last[i % 4].is_none_or(|before| before < i), "{i} after {last:?}");
        last[i % 4] = Some(i);
    }
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_daemon_leaves_its_last_will() {
    let broker = Mosquitto::start().await;
    let mut client = Client::connect(broker.port, "client").await;
    let folder = tempfile::tempdir().unwrap();
    let mut daemon = zhiju()
        .args(["run", "--broker", &format!("127.0.0.1:{}", broker.port), "--store"])
        .arg(folder.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    client.status("online").await;
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    client.status("offline").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_comes_late_is_waited_for() {
    let port = free_port().await;
    let daemon = Daemon::start(port, |_| {});
    let broker = EmbeddedBroker::start_on(port).await.unwrap();
    let mut client = Client::connect(broker.port(), "client").await;
    client.status("online").await;
    client.publish("request", request("r", "p", "好").to_string()).await;
    client.finish("r").await;
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_without_a_broker_stops_at_once() {
    let daemon = Daemon::start(free_port().await, |_| {});
    within("the daemon to stop", daemon.stop()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_restarts_finds_the_daemon_again() {
    let mut broker = Mosquitto::start().await;
    let mut client = Client::connect(broker.port, "client").await;
    let daemon = Daemon::start(broker.port, |_| {});
    client.status("online").await;
    for round in 0..3 {
        broker.kill();
        broker.restart().await;
        client.status("online").await;
        let rid = format!("r{round}");
        client.publish("request", request(&rid, "p", "好").to_string()).await;
        client.finish(&rid).await;
    }
    daemon.stop().await;
}

/// Mosquitto keeps the order of one client's messages; the embedded broker does not promise it.
#[tokio::test(flavor = "multi_thread")]
async fn a_sentence_sees_the_home_and_the_state_published_just_before_it() {
    let broker = Broker::mosquitto().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    for round in 0..20 {
        let on = round % 2 == 0;
        client.publish("registry", home().to_string()).await;
        client.publish("state/lamp-2", json!({"power": on}).to_string()).await;
        let rid = format!("r{round}");
        client.publish("request", request(&rid, "p", "打开厨房的灯").to_string()).await;
        let data = client.finish(&rid).await["payload"]["data"].clone();
        assert_eq!((&data["ret"], &data["active"]["instructs"][0]["noop"]), (&json!(0), &json!(on)), "{data}");
    }
    daemon.stop().await;
}
