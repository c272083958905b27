//! What the service manager sees: readiness, the watchdog, a reload, the end.

use std::path::Path;
use std::process::Command;

use tokio::net::UnixDatagram;

use crate::common::{Client, Mosquitto, free_port, home, within};
use crate::process::{Process, configure};
use crate::runner::zhiju;

/// What the daemon tells its service manager.
struct Manager(UnixDatagram);

impl Manager {
    fn listen(folder: &Path) -> Self {
        Self(UnixDatagram::bind(folder.join("notify")).unwrap())
    }

    /// The next message that starts with `text`.
    async fn hears(&self, text: &str) -> String {
        let mut bytes = [0; 4096];
        let search = async {
            loop {
                let len = self.0.recv(&mut bytes).await.unwrap();
                let message = String::from_utf8_lossy(&bytes[..len]).into_owned();
                if message.starts_with(text) {
                    return message;
                }
            }
        };
        within(text, search).await
    }
}

/// The daemon as systemd starts it, with a watchdog of 0.6 s.
fn supervised(folder: &Path, config: &Path) -> Process {
    let daemon = zhiju();
    let mut command = Command::new("sh");
    command.args(["-c", "WATCHDOG_PID=$$ exec \"$@\"", "sh"]).arg(daemon.get_program()).args(daemon.get_args());
    for (name, _) in daemon.get_envs() {
        command.env_remove(name);
    }
    command.args(["run", "--config"]).arg(config);
    command.env("NOTIFY_SOCKET", folder.join("notify")).env("WATCHDOG_USEC", "600000");
    Process::of(command)
}

#[tokio::test(flavor = "multi_thread")]
async fn readiness_does_not_wait_for_the_broker_and_the_watchdog_is_fed_without_work() {
    let folder = tempfile::tempdir().unwrap();
    let manager = Manager::listen(folder.path());
    let yaml = format!("mqtt: {{port: {}}}\nservice: {{deadline_seconds: 1}}\n", free_port().await);
    let daemon = supervised(folder.path(), &configure(folder.path(), &yaml));
    manager.hears("READY=1").await;
    manager.hears("STATUS=waiting for the broker").await;
    // Longer than a worker that does not answer would be believed to live.
    for _ in 0..10 {
        manager.hears("WATCHDOG=1").await;
    }
    daemon.signal("TERM");
    manager.hears("STOPPING=1").await;
    assert!(daemon.end().await.0.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_takes_all_of_a_good_configuration_and_nothing_of_a_bad_one() {
    let broker = Mosquitto::start().await;
    let mut client = Client::connect(broker.port, "client").await;
    let folder = tempfile::tempdir().unwrap();
    let manager = Manager::listen(folder.path());
    let with = |name: &str, more: &str| {
        configure(folder.path(), &format!("mqtt: {{port: {}}}\nassistant: {{names: [{name}]}}\n{more}", broker.port))
    };
    let mut daemon = supervised(folder.path(), &with("小牛", ""));
    manager.hears("READY=1").await;
    client.status("online").await;
    client.publish("registry", home().to_string()).await;
    client.on("registry/report").await;

    // Only its own name makes speech to 小马 its business.
    let mut ask = async |rid: &str| {
        let said = format!(r#"{{"text": "小马，打开客厅的灯", "rid": "{rid}"}}"#);
        client.publish("utterance/客厅", said).await;
        client.finish(rid).await["payload"]["data"]["active"]["intent"]["type"].clone()
    };
    assert_ne!(ask("before").await, "instruct");
    with("小马", "satellites: 5\n");
    daemon.signal("HUP");
    manager.hears("RELOADING=1").await;
    let line = daemon.says("nothing changes").await;
    assert!(line.contains("satellites"), "{line}");
    manager.hears("READY=1").await;
    assert_ne!(ask("bad").await, "instruct");
    with("小马", "service: {workers: 2}\n");
    daemon.signal("HUP");
    let line = daemon.says("count from the next start").await;
    assert!(line.contains("service") && !line.contains("assistant"), "{line}");
    daemon.says("the configuration is taken over").await;
    assert_eq!(ask("good").await, "instruct");
    daemon.signal("TERM");
    client.status("offline").await;
    assert!(daemon.end().await.0.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_restart_mends_has_the_exit_code_of_a_wrong_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let config = configure(folder.path(), "language: {lexicon: lexicon.yaml}\n");
    std::fs::write(folder.path().join("lexicon.yaml"), "kinds: 5\n").unwrap();
    assert_eq!(Process::start(&config).end().await.0.code(), Some(78));
    let store = folder.path().join("store");
    std::fs::create_dir(&store).unwrap();
    let newer = r#"{"schema": 1000, "database": "x", "revision": 1, "commits": 1}"#;
    std::fs::write(store.join("sentinel.json"), newer).unwrap();
    let (status, lines) = Process::start(&configure(folder.path(), "")).end().await;
    assert_eq!(status.code(), Some(78), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("schema 1000 is newer")), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_utterance_is_one_line_for_the_journal_without_what_was_said() {
    let broker = Mosquitto::start().await;
    let mut client = Client::connect(broker.port, "client").await;
    let folder = tempfile::tempdir().unwrap();
    let yaml = format!("mqtt: {{port: {}}}\nlog: {{format: journald}}\n", broker.port);
    let mut daemon = Process::start(&configure(folder.path(), &yaml));
    client.status("online").await;
    client.publish("registry", home().to_string()).await;
    client.on("registry/report").await;
    client.publish("utterance/客厅", r#"{"text": "打开客厅的灯", "rid": "r1"}"#).await;
    let line = daemon.says("rid=\"r1\"").await;
    assert!(line.starts_with("<6>zhiju::service::report: utterance "), "{line}");
    assert!(line.contains("intent=\"instruct\" parser=\"grammar\" commands=1 instructs=1 us="), "{line}");
    assert!(!line.contains("灯") && !line.contains('\u{1b}'), "{line}");
}
