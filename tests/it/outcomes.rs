//! What became of instructs, as their devices tell: over a broker, to whoever asked.

use std::collections::BTreeSet;
use std::time::Duration;

use rumqttc::v5::mqttbytes::v5::Publish;
use serde_json::{Value, json};

use crate::common::{Broker, Client, Daemon, home, json_of, request};

/// A daemon that serves the small home, in which `lamp-1` tells its state.
async fn served(window: Duration) -> (Broker, Client, Daemon) {
    let broker = Broker::embedded().await;
    let mut client = Client::connect(broker.port(), "hub").await;
    let daemon = Daemon::start(broker.port(), |settings| settings.confirm_within = window);
    client.status("online").await;
    client.retain("registry", home().to_string()).await;
    client.on("registry/report").await;
    client.publish("state/lamp-1", json!({"power": false}).to_string()).await;
    (broker, client, daemon)
}

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(300);

async fn said(client: &Client, satellite: &str, rid: &str, text: &str) {
    client.publish(&format!("utterance/{satellite}"), json!({"rid": rid, "text": text}).to_string()).await;
}

/// The next words that are said aloud for a request.
async fn aloud(client: &mut Client, satellite: &str, rid: &str) -> String {
    let topic = format!("zhiju/home/reply/{satellite}");
    let reply = client.find("a reply", |p| p.topic == topic && json_of(p)["rid"] == rid).await;
    json_of(&reply)["text"].as_str().unwrap().to_owned()
}

/// Whether something is said aloud of what did not work.
fn complains(publish: &Publish) -> bool {
    publish.topic.starts_with(b"zhiju/home/reply/") && json_of(publish)["text"].as_str().unwrap().contains("没有响应")
}

#[tokio::test]
async fn a_device_that_says_so_confirms_it_and_nothing_more_is_said() {
    let (_broker, mut client, daemon) = served(LONG).await;
    said(&client, "客厅", "r1", "打开照明灯").await;
    assert!(aloud(&mut client, "客厅", "r1").await.starts_with("正在"));
    client.on("instruct/lamp-1").await;
    client.publish("state/lamp-1", json!({"power": true}).to_string()).await;
    let outcome = client.on("outcome/r1").await;
    let ms = outcome["ms"].as_u64().unwrap();
    let wanted = json!({"rid": "r1", "id": "lamp-1", "result": "confirmed", "state": {"power": true}, "ms": ms});
    assert_eq!(outcome, wanted);
    // Whatever else was to be said would have come before this.
    said(&client, "客厅", "r2", "打开厨房照明灯").await;
    aloud(&mut client, "客厅", "r2").await;
    assert_eq!(client.count(complains), 0);
    daemon.stop().await;
}

#[tokio::test]
async fn a_satellite_hears_of_a_device_that_stays_silent() {
    let (_broker, mut client, daemon) = served(SHORT).await;
    said(&client, "客厅", "r1", "打开照明灯").await;
    assert!(aloud(&mut client, "客厅", "r1").await.starts_with("正在"));
    let outcome = client.on("outcome/r1").await;
    assert_eq!((&outcome["result"], &outcome["state"]), (&json!("silent"), &json!({"power": false})));
    let complaint = json_of(&client.find("a complaint", complains).await);
    let wanted = json!({"rid": "r1", "intent": "answer", "text": "客厅照明灯没有响应。", "feedback": "full"});
    assert_eq!(complaint, wanted);
    daemon.stop().await;
}

#[tokio::test]
async fn a_device_that_never_tells_anything_is_not_complained_of() {
    let (_broker, mut client, daemon) = served(SHORT).await;
    said(&client, "厨房", "r1", "打开照明灯").await;
    client.on("instruct/lamp-2").await;
    said(&client, "客厅", "r2", "打开照明灯").await;
    // Its window opened later.
    client.on("outcome/r2").await;
    let complaint = client.find("a complaint", complains).await;
    assert_eq!((&complaint.topic[..], client.count(complains)), ("zhiju/home/reply/客厅".as_bytes(), 0));
    assert_eq!(client.count(|p| p.topic == "zhiju/home/outcome/r1"), 0);
    daemon.stop().await;
}

#[tokio::test]
async fn an_application_hears_of_its_own_below_its_name() {
    let (_broker, mut client, daemon) = served(LONG).await;
    client.publish("request/app", request("r1", "p", "打开照明灯").to_string()).await;
    client.on("instruct/lamp-1").await;
    client.publish("state/lamp-1", json!({"power": true}).to_string()).await;
    assert_eq!(client.on("outcome/app/r1").await["result"], "confirmed");
    daemon.stop().await;
}

#[tokio::test]
async fn whoever_guesses_the_rid_of_another_hears_of_its_own_below_its_own_name_alone() {
    let (_broker, mut client, daemon) = served(LONG).await;
    client.publish("request/app", request("r1", "p", "打开照明灯").to_string()).await;
    client.on("instruct/lamp-1").await;
    client.publish("request/stranger", request("r1", "p", "照明灯开着吗").to_string()).await;
    client.on("response/stranger/r1").await;
    client.publish("state/lamp-1", json!({"power": true}).to_string()).await;
    assert_eq!(client.on("outcome/app/r1").await["result"], "confirmed");
    client.publish("request/stranger", request("r1", "p", "关闭照明灯").to_string()).await;
    client.on("instruct/lamp-1").await;
    client.publish("state/lamp-1", json!({"power": false}).to_string()).await;
    assert_eq!(client.on("outcome/stranger/r1").await["state"], json!({"power": false}));
    assert_eq!(client.count(|p| p.topic == "zhiju/home/outcome/r1"), 0);
    daemon.stop().await;
}

#[tokio::test]
async fn nothing_is_told_where_nobody_wants_to_know() {
    let (_broker, mut client, daemon) = served(Duration::ZERO).await;
    said(&client, "客厅", "r1", "打开照明灯").await;
    client.on("instruct/lamp-1").await;
    client.publish("state/lamp-1", json!({"power": true}).to_string()).await;
    said(&client, "客厅", "r2", "照明灯开着吗").await;
    aloud(&mut client, "客厅", "r2").await;
    assert_eq!(client.count(|p| p.topic.starts_with(b"zhiju/home/outcome/")), 0);
    daemon.stop().await;
}

#[tokio::test]
async fn hundreds_of_devices_at_once_are_each_told_of() {
    const MANY: usize = 300;
    let (_broker, mut client, daemon) = served(LONG).await;
    let mut home = home();
    let lamp =
        |i| json!({"id": format!("dev-{i}"), "name": format!("灯{i}"), "local": "客厅", "device": {"model": "lamp"}});
    home["devices"] = (0..MANY).map(lamp).collect();
    client.retain("registry", home.to_string()).await;
    client.on("registry/report").await;
    let report = |on: bool| json!({"power": on}).to_string();
    for i in 0..MANY {
        client.publish(&format!("state/dev-{i}"), report(false)).await;
    }
    client.publish("request", request("r1", "p", "打开所有的灯").to_string()).await;
    client.finish("r1").await;
    for i in 0..MANY {
        client.publish(&format!("state/dev-{i}"), report(i != 7)).await;
    }
    let mut confirmed = BTreeSet::new();
    while confirmed.len() < MANY - 1 {
        let outcome: Value = client.on("outcome/r1").await;
        assert_eq!(outcome["result"], "confirmed");
        confirmed.insert(outcome["id"].as_str().unwrap().to_owned());
    }
    assert!(!confirmed.contains("dev-7"));
    daemon.stop().await;
}
