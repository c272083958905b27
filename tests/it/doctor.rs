//! `zhiju doctor`: what it finds, and what it says to do.

use std::path::Path;

use rumqttc::v5::mqttbytes::QoS;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::common::{Client, Mosquitto, Pace, free_port, json_of};
use crate::doors::dial::Server as Dialled;
use crate::doors::renewed::secret;
use crate::llm::server::{Say, Server};
use crate::process::{Process, configure, configure_with_model};
use crate::runner::{stdout, zhiju};

/// The exit code and the findings.
async fn doctor(config: &Path) -> (Option<i32>, Vec<Value>) {
    let config = config.to_owned();
    let output = tokio::task::spawn_blocking(move || {
        zhiju().args(["doctor", "--json", "--config"]).arg(config).output().unwrap()
    });
    let output = output.await.unwrap();
    (output.status.code(), serde_json::from_str(&stdout(&output)).unwrap())
}

/// The verdict on a thing, and what was found and advised.
fn on(findings: &[Value], what: &str) -> (String, String) {
    let finding = findings.iter().find(|finding| finding["what"] == what).unwrap();
    (finding["verdict"].as_str().unwrap().to_owned(), format!("{} {}", finding["found"], finding["advice"]))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_lacks_nothing_is_good() {
    let broker = Mosquitto::start().await;
    let folder = tempfile::tempdir().unwrap();
    let config = configure_with_model(folder.path(), &format!("mqtt: {{port: {}}}\n", broker.port));
    let (code, findings) = doctor(&config).await;
    assert_eq!(code, Some(0), "{findings:?}");
    for what in ["configuration", "store", "model", "broker", "broker limits", "broker messages"] {
        assert_eq!(on(&findings, what).0, "good", "{findings:?}");
    }
    assert!(
        on(&findings, "broker messages").1.contains("instructs, replies and answers were not tried"),
        "{findings:?}"
    );
    let mut daemon = Process::start(&config);
    daemon.says("connected to the broker").await;
    let (code, findings) = doctor(&config).await;
    assert_eq!(code, Some(0), "{findings:?}");
    assert!(on(&findings, "store").1.contains("in use by a running daemon"));
    daemon.signal("TERM");
    daemon.end().await;
    assert!(on(&doctor(&config).await.1, "store").1.contains("is whole"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let config = configure(folder.path(), &format!("mqtt: {{port: {}}}\n", free_port().await));
    let store = folder.path().join("store");
    std::fs::create_dir(&store).unwrap();
    std::fs::write(store.join("lock"), "").unwrap();
    std::fs::write(store.join("registry.json"), r#"{"revision": 3, "document": "{}"}"#).unwrap();
    let (code, findings) = doctor(&config).await;
    assert_eq!(code, Some(1), "{findings:?}");
    let bad = |what: &str, words: &str| {
        let (verdict, text) = on(&findings, what);
        assert!(verdict == "bad" && text.contains(words), "{what}: {text}");
    };
    bad("broker", "nothing listens there");
    bad("model", "models/README.md");
    bad("store", "restores the home from its copy");
    assert!(store.join("registry.json").exists() && !store.join("database").exists(), "nothing was touched");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hubs_left_out_and_names_that_nobody_can_tell_apart_are_told_with_their_reasons() {
    let broker = Mosquitto::start().await;
    let mut client = Client::subscribed(broker.port, "z2m", &["zhiju/home/hubs"], Pace::default()).await;
    let lamp = |ieee: &str, name: &str, disabled: bool| {
        let power = json!({"type": "binary", "name": "state", "property": "state", "access": 7, "value_on": "ON",
            "value_off": "OFF"});
        let definition = json!({"model": "L", "vendor": "v", "exposes": [{"type": "light", "features": [power]}]});
        json!({"ieee_address": ieee, "friendly_name": name, "type": "Router", "disabled": disabled, "supported": true,
            "interview_completed": true, "definition": definition})
    };
    let devices = json!([lamp("0x1", "客厅/石灯", false), lamp("0x2", "客厅/时灯", false), lamp("0x3", "旧灯", true)]);
    let devices = devices.to_string();
    client.client.publish("zigbee2mqtt/bridge/devices", QoS::AtLeastOnce, true, devices).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let yaml = format!("mqtt: {{port: {}}}\nhubs: {{z: {{kind: zigbee2mqtt}}}}\n", broker.port);
    let config = configure(folder.path(), &yaml);
    let daemon = Process::start(&config);
    client.find("the hub", |told| json_of(told)["hubs"][0]["devices"] == 2).await;
    let (_, findings) = doctor(&config).await;
    assert_eq!(on(&findings, "left out"), ("good".to_owned(), "\"z: is disabled: 旧灯\" \"\"".to_owned()));
    let (verdict, names) = on(&findings, "names");
    assert_eq!(verdict, "remark");
    for words in ["客厅", "sound the same", "石灯 (z:0x1)", "时灯 (z:0x2)"] {
        assert!(names.contains(words), "{words}: {names}");
    }
    daemon.signal("TERM");
    daemon.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_is_wrong_is_named_key_by_key() {
    let folder = tempfile::tempdir().unwrap();
    let config =
        configure(folder.path(), "mqtt: {port: 0, tls: {ca_file: missing.pem}}\nmetrics: {listen: '0.0.0.0:1'}\n");
    let (code, findings) = doctor(&config).await;
    assert_eq!(code, Some(1));
    let found: Vec<_> = findings.iter().map(|finding| finding["found"].as_str().unwrap()).collect();
    for key in ["mqtt.port: ", "mqtt.tls.ca_file: ", "metrics.listen: "] {
        assert!(found.iter().any(|text| text.starts_with(key)), "{found:?}");
    }
    assert!(findings.iter().any(|finding| finding["what"] == "memory"), "the machine is looked at all the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn language_models_are_asked_what_they_have_and_nothing_else() {
    let broker = Mosquitto::start().await;
    let server = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let config = configure(
        folder.path(),
        &format!(
            "mqtt: {{port: {}}}\nllm:\n  order: [grammar, box]\n  endpoints:\n    box: {{place: lan, url: 'http://127.0.0.1:{}/v1', model: m}}\n",
            broker.port, server.port
        ),
    );
    for (say, verdict, words) in [
        (Say::Body(r#"{"data": [{"id": "m"}]}"#.into()), "good", "has m"),
        (Say::Body(r#"{"data": [{"id": "n"}]}"#.into()), "remark", "does not list m"),
        (Say::Body("[[[".into()), "good", "does not say"),
        (Say::Status(404, ""), "good", "does not say"),
        (Say::Status(401, ""), "bad", "key_file"),
        (Say::Reset, "remark", "box"),
    ] {
        server.then(say);
        let (_, findings) = doctor(&config).await;
        let (found, text) = on(&findings, "language model");
        assert!(found == verdict && text.contains(words), "{found}: {text}");
    }
    assert!(server.asked().iter().all(Value::is_null), "no sentence goes out");
}

#[tokio::test(flavor = "multi_thread")]
async fn endpoints_are_dialled_and_what_is_wrong_with_each_is_named() {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let (server, lives) = Dialled::at().await;
    // One that knows us no more, one that takes us and goes, and one that is not there.
    let [refusing, leaving] =
        [TcpListener::bind("127.0.0.1:0").await.unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap()];
    let at = |listener: &TcpListener| format!("ws://{}/?token=hush", listener.local_addr().unwrap());
    let nobody = format!("ws://127.0.0.1:{}/?token=hush", free_port().await);
    let mut yaml = format!("mqtt: {{port: {}}}\nmcp:\n  endpoints:\n", broker.port);
    for (name, address) in [("lives", lives), ("refuses", at(&refusing)), ("leaves", at(&leaving)), ("nobody", nobody)]
    {
        secret(&folder.path().join(name), &address);
        yaml += &format!("    {name}: {name}\n");
    }
    let config = configure(folder.path(), &yaml);
    let others = async {
        let (mut stream, _) = refusing.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n").await.unwrap();
        let _ = stream.read_to_end(&mut Vec::new()).await;
    };
    let left = async {
        let (stream, _) = leaving.accept().await.unwrap();
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        let _ = socket.close(None).await;
    };
    let taken = async { server.dialled().await.ends().await };
    let ((code, findings), ..) = tokio::join!(doctor(&config), others, left, taken);
    assert_eq!(code, Some(1), "{findings:?}");
    let text = serde_json::to_string(&findings).unwrap();
    assert!(!text.contains("hush"), "{text}");
    for (name, verdict, words) in [
        ("lives", "good", "takes a second connection"),
        ("refuses", "bad", "401 get a new address and put it into the file of mcp.endpoints.refuses"),
        ("leaves", "remark", "takes us and ends the connection"),
        ("nobody", "remark", "it is dialled until it is there"),
    ] {
        let of =
            |finding: &&Value| finding["found"].as_str().is_some_and(|found| found.starts_with(&format!("{name}: ")));
        let finding = findings.iter().find(of).unwrap();
        let told = format!("{} {}", finding["found"].as_str().unwrap(), finding["advice"].as_str().unwrap());
        assert!(finding["verdict"] == verdict && told.contains(words), "{finding}");
    }
}
