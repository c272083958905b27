//! The broker as `deploy/mosquitto` configures it: everyone can do their part and nobody more.

use std::fs;
use std::path::Path;
use std::process::Command;

use rumqttc::v5::MqttOptions;
use rumqttc::v5::mqttbytes::v5::{ConnectReturnCode, Publish};
use rumqttc::v5::{AsyncClient, ConnectionError};

use crate::common::{Client, Daemon, Mosquitto, Pace, free_port, home, within};
use zhiju::transport::Credentials;

/// Mosquitto with the files that ship, moved to a folder and a port of the test; everyone's password is their name.
async fn broker() -> Mosquitto {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/mosquitto");
    let (folder, port) = (tempfile::tempdir().unwrap(), free_port().await);
    let at = folder.path().to_str().unwrap().to_owned();
    fs::copy(shipped.join("zhiju.acl"), folder.path().join("zhiju.acl")).unwrap();
    fs::write(folder.path().join("passwd"), "").unwrap();
    for user in ["zhiju", "hub", "app", "kitchen"] {
        let list = folder.path().join("passwd");
        assert!(Command::new("mosquitto_passwd").arg("-b").arg(list).args([user, user]).status().unwrap().success());
    }
    let config = fs::read_to_string(shipped.join("zhiju.conf")).unwrap();
    assert!(config.contains("\nlistener 1883 127.0.0.1\n"));
    let config = config.replace("listener 1883", &format!("listener {port}")).replace("/etc/mosquitto", &at);
    // As root, Mosquitto would become another user, who cannot read the folder.
    let config = format!("user root\npersistence_location {at}/\n{config}");
    Mosquitto::configured(folder, port, &config).await
}

async fn login(broker: &Mosquitto, user: &str) -> Client {
    let mut options = MqttOptions::new(user, "127.0.0.1", broker.port);
    options.set_credentials(user, user);
    Client::with(options, &["zhiju/#", "answers/#"], Pace::default()).await
}

fn daemon(broker: &Mosquitto) -> Daemon {
    let credentials = Credentials { username: "zhiju".into(), password: "zhiju".into() };
    Daemon::start(broker.port, |settings| settings.broker.credentials = Some(credentials))
}

fn is_instruct(publish: &Publish) -> bool {
    publish.topic.starts_with(b"zhiju/home/instruct/")
}

#[tokio::test(flavor = "multi_thread")]
async fn hub_satellite_application_and_daemon_can_do_their_part() {
    let broker = broker().await;
    let (mut hub, mut kitchen, mut app) =
        (login(&broker, "hub").await, login(&broker, "kitchen").await, login(&broker, "app").await);
    let daemon = daemon(&broker);
    hub.status("online").await;
    hub.retain("registry", home().to_string()).await;
    assert_eq!(hub.on("registry/report").await["ok"], true);
    kitchen.publish("utterance/kitchen", "打开厨房的灯").await;
    assert_eq!(hub.on("instruct/lamp-2").await["state"]["power"], true);
    assert_eq!(kitchen.on("reply/kitchen").await["intent"], "instruct");
    hub.publish("state/lamp-2", r#"{"power": true}"#).await;
    let mut asked = crate::common::request("r1", "p", "厨房的灯开着吗");
    asked["payload"]["local"] = "厨房".into();
    app.publish("request", asked.to_string()).await;
    assert_eq!(app.finish("r1").await["payload"]["data"]["active"]["intent"]["type"], "answer");
    asked["rid"] = "r2".into();
    app.publish("request/app", asked.to_string()).await;
    assert_eq!(app.finish("app/r2").await["rid"], "r2");
    assert_eq!(app.on("candidates/app/r2").await["rid"], "r2");
    asked["rid"] = "r3".into();
    asked["payload"]["question"] = "关闭厨房的灯".into();
    app.publish("request/app", asked.to_string()).await;
    assert_eq!(hub.on("instruct/lamp-2").await["state"]["power"], false);
    hub.publish("state/lamp-2", r#"{"power": false}"#).await;
    assert_eq!(app.on("outcome/app/r3").await["id"], "lamp-2");
    // The satellite and the application have heard none of what is the hub's.
    assert_eq!((kitchen.count(is_instruct), app.count(is_instruct)), (0, 0));
    assert_eq!(kitchen.count(|p| p.topic.starts_with(b"zhiju/home/response/")), 0);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_can_do_what_is_not_theirs() {
    let broker = broker().await;
    let (mut hub, mut kitchen, app) =
        (login(&broker, "hub").await, login(&broker, "kitchen").await, login(&broker, "app").await);
    let daemon = daemon(&broker);
    hub.status("online").await;
    hub.publish("registry", home().to_string()).await;
    assert_eq!(hub.on("registry/report").await["ok"], true);

    for thief in [&kitchen, &app] {
        thief.publish("instruct/lamp-1", r#"{"state": {"power": true}}"#).await;
        thief.publish("registry", "[]").await;
        thief.publish("state/lamp-1", r#"{"power": true}"#).await;
        thief.publish("status", r#"{"state": "offline"}"#).await;
    }
    // Not for another satellite, and no requests either.
    kitchen.publish("utterance/hall", "打开客厅的灯").await;
    kitchen.publish("request", crate::common::request("stolen", "p", "打开客厅的灯").to_string()).await;
    kitchen.publish("request/app", crate::common::request("stolen", "p", "打开客厅的灯").to_string()).await;
    app.publish("request/kitchen", crate::common::request("stolen", "p", "打开客厅的灯").to_string()).await;
    // Everything before it was handled when this is: a connection's messages are taken in order.
    kitchen.publish("utterance/kitchen", "打开厨房的灯").await;
    hub.on("instruct/lamp-2").await;
    kitchen.on("reply/kitchen").await;
    app.publish("request", crate::common::request("mine", "p", "好").to_string()).await;
    hub.publish("registry", home().to_string()).await;
    assert_eq!(hub.on("registry/report").await["ok"], true, "the hub alone says what the home is");
    assert_eq!(hub.count(is_instruct), 0, "what is left is somebody else's");
    daemon.stop().await;
    hub.status("offline").await;
}

#[tokio::test]
async fn without_a_password_or_with_another_ones_nobody_gets_in() {
    let broker = broker().await;
    for (user, password) in [(None, ""), (Some("hub"), "kitchen"), (Some("stranger"), "stranger")] {
        let mut options = MqttOptions::new("x", "127.0.0.1", broker.port);
        if let Some(user) = user {
            options.set_credentials(user, password);
        }
        let (_client, mut events) = AsyncClient::new(options, 10);
        let refused = within("the refusal", events.poll()).await.unwrap_err();
        assert!(
            matches!(
                refused,
                ConnectionError::ConnectionRefused(
                    ConnectReturnCode::NotAuthorized | ConnectReturnCode::BadUserNamePassword
                )
            ),
            "{refused:?}"
        );
    }
}

/// What the unit of the hot words runs, with the program and the folders of the test in the place of the installed ones.
#[test]
fn the_unit_of_the_hot_words_writes_a_list_for_each_recogniser_and_each_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (state, lists) = (folder.path().join("state"), folder.path().join("lists"));
    fs::create_dir(&lists).unwrap();
    {
        let (store, _) = zhiju::store::Store::open(&state).unwrap();
        store.save_registry(&home().to_string()).unwrap();
    }
    let unit = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("systemd/zhiju-words.service")).unwrap();
    let script =
        unit.lines().find_map(|line| line.strip_prefix("ExecStart=/bin/sh -euc '")?.strip_suffix('\'')).unwrap();
    let program = crate::runner::zhiju().get_program().to_str().unwrap().to_owned();
    let script = script.replace("$$", "$").replace("/usr/bin/zhiju", &program);
    let script = script.replace("/var/lib/zhiju;", &format!("{};", state.display()));
    assert!(state.join("registry.json").exists() && script.contains(&program));
    for _ in 0..2 {
        // systemd names the folder that the unit writes.
        let mut shell = Command::new("/bin/sh");
        shell.args(["-euc", &script]).current_dir(&lists).env("STATE_DIRECTORY", &lists);
        assert!(shell.status().unwrap().success());
        let mut names: Vec<_> = fs::read_dir(&lists).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["funasr.txt", "plain.txt", "sherpa.txt", "whisper.txt"]);
        assert!(fs::read_to_string(lists.join("sherpa.txt")).unwrap().contains(" :2.5\n"));
    }
}
