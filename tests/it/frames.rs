//! Bad input over MQTT: every frame is answered with what is wrong, and the daemon lives.

use serde_json::{Value, json};

use crate::broker::over_both_brokers;
use crate::common::{Broker, Client, Daemon, request};

over_both_brokers! {
    bad_frames_are_answered_and_survived
    bad_utterances_are_answered_aloud
    large_frames_are_answered_and_survived
    junk_on_every_topic_is_survived
}

/// What a bad frame is answered with.
async fn refusal(client: &mut Client, rid: &str) -> (Value, Value) {
    let data = client.finish(rid).await["payload"]["data"].clone();
    (data["ret"].clone(), data["error"]["code"].clone())
}

async fn still_serves(client: &mut Client) {
    client.publish("request", request("alive", "p", "好").to_string()).await;
    assert_eq!(client.finish("alive").await["payload"]["data"]["page_id"], "p");
}

async fn bad_frames_are_answered_and_survived(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    let frames: [(&[u8], &str); 8] = [
        (b"not json", "unknown"),
        (b"", "unknown"),
        (b"\xff\xfe\x00", "unknown"),
        (b"[]", "unknown"),
        (br#"{"topic":"llm/smarthome","rid":"shape","payload":[]}"#, "shape"),
        (br#"{"topic":"other","rid":"topic","payload":{}}"#, "topic"),
        (br#"{"topic":"llm/smarthome","rid":"a/b","payload":{}}"#, "unknown"),
        (b"{\"rid\":\"bytes\",\"payload\":{\"question\":\"\xff\"}}", "bytes"),
    ];
    for (frame, rid) in frames {
        client.publish("request", frame).await;
        assert_eq!(refusal(&mut client, rid).await, (json!(1), json!("bad_frame")), "{rid}");
    }
    let mut long = request("long", "p", "");
    long["payload"]["question"] = "灯".repeat(2_001).into();
    client.publish("request", long.to_string()).await;
    assert_eq!(refusal(&mut client, "long").await.1, "bad_frame");
    client.publish("request", "[".repeat(200_000)).await;
    assert_eq!(refusal(&mut client, "unknown").await.1, "bad_frame");
    still_serves(&mut client).await;
    daemon.stop().await;
}

async fn bad_utterances_are_answered_aloud(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    for payload in [&b"\xff\xfe"[..], b"{\"text\":", br#"{"text": 7}"#, "灯".repeat(3_000).as_bytes()] {
        client.publish("utterance/kitchen", payload).await;
        let reply = client.on("reply/kitchen").await;
        assert_eq!((&reply["rid"], &reply["intent"]), (&json!("unknown"), &json!("none")));
        assert_eq!(refusal(&mut client, "unknown").await.1, "bad_frame");
    }
    still_serves(&mut client).await;
    daemon.stop().await;
}

async fn large_frames_are_answered_and_survived(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    let mut large = request("large", "p", "好");
    large["payload"]["home"] = json!({"x": "y".repeat(1 << 20)});
    client.publish("request", large.to_string()).await;
    assert_eq!(refusal(&mut client, "large").await, (json!(1), json!("bad_frame")));
    still_serves(&mut client).await;
    // A little less is read.
    large["rid"] = "fits".into();
    large["payload"]["home"] = json!({"x": "y".repeat((1 << 20) - 1_000)});
    client.publish("request", large.to_string()).await;
    assert_ne!(refusal(&mut client, "fits").await.1, "bad_frame");
    daemon.stop().await;
}

async fn junk_on_every_topic_is_survived(broker: Broker) {
    let mut client = Client::connect(broker.port(), "client").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    for junk in [&b""[..], b"\x00\xff", b"{}", b"[[[[", b"null", "\u{202E}".as_bytes()] {
        for topic in ["registry", "state/lamp-1", "state/\u{202E}", "utterance/x", "request"] {
            client.publish(topic, junk).await;
        }
    }
    still_serves(&mut client).await;
    daemon.stop().await;
}

/// Mosquitto keeps what is larger than the client takes from the client; the session goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_too_large_for_the_connection_is_survived() {
    let broker = Broker::mosquitto().await;
    let mut client = Client::connect(broker.port(), "client").await;
    client.retain("registry", vec![b'x'; 5 << 20]).await;
    client.find("the large message", |p| p.topic == "zhiju/home/registry").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    client.status("online").await;
    client.publish("request", vec![b'x'; 5 << 20]).await;
    still_serves(&mut client).await;
    assert_eq!(client.count(|p| p.topic == "zhiju/home/status"), 0, "connected once");
    daemon.stop().await;
}
