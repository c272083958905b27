//! Brokers, a client and a daemon for the tests that speak MQTT.

use std::net::Ipv4Addr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rumqttc::NetworkOptions;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Packet, Publish, PublishProperties};
use rumqttc::v5::{AsyncClient, Event, MqttOptions};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use zhiju::daemon::{self, DaemonError, DaemonSettings};
use zhiju::transport::embedded::EmbeddedBroker;

/// Whatever is awaited comes sooner, on any machine.
pub const PATIENCE: Duration = Duration::from_secs(90);

pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("waited too long for {what}"))
}

/// A broker that ends with the test.
pub enum Broker {
    Embedded(EmbeddedBroker),
    Mosquitto(Mosquitto),
}

impl Broker {
    pub async fn embedded() -> Self {
        Self::Embedded(EmbeddedBroker::start().await.unwrap())
    }

    pub async fn mosquitto() -> Self {
        Self::Mosquitto(Mosquitto::start().await)
    }

    pub fn port(&self) -> u16 {
        match self {
            Self::Embedded(broker) => broker.port(),
            Self::Mosquitto(broker) => broker.port,
        }
    }
}

/// A real Mosquitto.
pub struct Mosquitto {
    pub port: u16,
    child: Child,
    folder: TempDir,
}

impl Mosquitto {
    pub async fn start() -> Self {
        Self::with(tempfile::tempdir().unwrap(), "").await
    }

    /// With a plain listener for everyone and whatever `more` adds; its files are in `folder`.
    pub async fn with(folder: TempDir, more: &str) -> Self {
        let port = free_port().await;
        // As root, Mosquitto would become another user, who cannot read the folder.
        let config = format!(
            "user root\nper_listener_settings true\nlistener {port} 127.0.0.1\nallow_anonymous true\n\
             set_tcp_nodelay true\n{more}"
        );
        Self::configured(folder, port, &config).await
    }

    /// With this configuration, which listens on `port`.
    pub async fn configured(folder: TempDir, port: u16, config: &str) -> Self {
        std::fs::write(folder.path().join("mosquitto.conf"), config).unwrap();
        let child = spawn_mosquitto(&folder);
        let mut broker = Self { port, child, folder };
        broker.listens().await;
        broker
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again on the same port.
    pub async fn restart(&mut self) {
        self.child = spawn_mosquitto(&self.folder);
        self.listens().await;
    }

    async fn listens(&mut self) {
        let mut probe = tokio::time::interval(Duration::from_millis(5));
        let probing = async {
            while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).await.is_err() {
                if let Some(status) = self.child.try_wait().unwrap() {
                    panic!("mosquitto ended: {status}");
                }
                probe.tick().await;
            }
        };
        within("mosquitto to listen", probing).await;
    }
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn_mosquitto(folder: &TempDir) -> Child {
    let named = std::env::var("ZHIJU_TEST_MOSQUITTO").ok();
    let binary = named.as_deref().unwrap_or("/usr/sbin/mosquitto");
    let child = Command::new(binary)
        .arg("-c")
        .arg(folder.path().join("mosquitto.conf"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    child.unwrap_or_else(|error| {
        panic!("{binary}: {error}; install Debian's package `mosquitto` or name another in ZHIJU_TEST_MOSQUITTO")
    })
}

pub async fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap().local_addr().unwrap().port()
}

/// How quick a client is.
#[derive(Clone, Copy)]
pub struct Pace {
    /// Messages it takes before it has acknowledged one.
    pub window: Option<u16>,
    /// Wait before it connects again.
    pub reconnect: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { window: None, reconnect: Duration::from_millis(10) }
    }
}

/// A client that hears everything of the home.
pub struct Client {
    pub client: AsyncClient,
    heard: mpsc::Receiver<Publish>,
    /// Heard while something else was awaited.
    kept: Vec<Publish>,
    poll: JoinHandle<()>,
}

impl Client {
    /// Connects and subscribes to everything of the home, and to `answers/#`.
    pub async fn connect(port: u16, id: &str) -> Self {
        Self::subscribed(port, id, &["zhiju/home/#", "answers/#"], Pace::default()).await
    }

    pub async fn subscribed(port: u16, id: &str, filters: &'static [&'static str], pace: Pace) -> Self {
        Self::with(MqttOptions::new(id, "127.0.0.1", port), filters, pace).await
    }

    /// Connects with these options, which may hold user name and password.
    pub async fn with(mut options: MqttOptions, filters: &'static [&'static str], pace: Pace) -> Self {
        options.set_receive_maximum(pace.window);
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        options.set_network_options(network);
        options.set_max_packet_size(Some(16 << 20));
        let (client, mut events) = AsyncClient::new(options, 1_000);
        let (heard_tx, heard) = mpsc::channel(10_000);
        let (ready_tx, mut ready) = mpsc::channel(64);
        let subscriber = client.clone();
        let poll = tokio::spawn(async move {
            loop {
                match events.poll().await {
                    // As a hub does, it subscribes anew with every connection.
                    Ok(Event::Incoming(Packet::ConnAck(_))) => {
                        for filter in filters {
                            subscriber.try_subscribe(*filter, QoS::AtLeastOnce).unwrap();
                        }
                    }
                    Ok(Event::Incoming(Packet::SubAck(_))) => ready_tx.try_send(()).unwrap_or_default(),
                    Ok(Event::Incoming(Packet::Publish(publish))) => heard_tx.try_send(publish).unwrap(),
                    Ok(_) => {}
                    Err(_) => tokio::time::sleep(pace.reconnect).await,
                }
            }
        });
        for _ in filters {
            within("the subscription", ready.recv()).await;
        }
        Self { client, heard, kept: Vec::new(), poll }
    }

    pub async fn publish(&self, topic: &str, payload: impl Into<Vec<u8>>) {
        self.client.publish(format!("zhiju/home/{topic}"), QoS::AtLeastOnce, false, payload.into()).await.unwrap();
    }

    pub async fn retain(&self, topic: &str, payload: impl Into<Vec<u8>>) {
        self.client.publish(format!("zhiju/home/{topic}"), QoS::AtLeastOnce, true, payload.into()).await.unwrap();
    }

    pub async fn publish_with(&self, topic: &str, payload: impl Into<Vec<u8>>, properties: PublishProperties) {
        let topic = format!("zhiju/home/{topic}");
        self.client.publish_with_properties(topic, QoS::AtLeastOnce, false, payload.into(), properties).await.unwrap();
    }

    /// The next message that `wanted` accepts; others are kept for later.
    pub async fn find(&mut self, what: &str, wanted: impl Fn(&Publish) -> bool) -> Publish {
        if let Some(i) = self.kept.iter().position(&wanted) {
            return self.kept.remove(i);
        }
        let search = async {
            loop {
                let publish = self.heard.recv().await.unwrap();
                if wanted(&publish) {
                    return publish;
                }
                self.kept.push(publish);
            }
        };
        match tokio::time::timeout(PATIENCE, search).await {
            Ok(publish) => publish,
            Err(_) => {
                let heard: Vec<_> = self.kept.iter().map(|p| String::from_utf8_lossy(&p.topic).into_owned()).collect();
                panic!("waited too long for {what}; heard {heard:?}")
            }
        }
    }

    /// The next message on this topic, as JSON.
    pub async fn on(&mut self, topic: &str) -> Value {
        let full = format!("zhiju/home/{topic}");
        json_of(&self.find(topic, |publish| publish.topic == full).await)
    }

    /// The finish frame of a request; stream frames before it are skipped.
    pub async fn finish(&mut self, rid: &str) -> Value {
        loop {
            let frame = self.on(&format!("response/{rid}")).await;
            if frame["payload"]["finish"] == true {
                return frame;
            }
        }
    }

    /// Waits until the daemon says `state`.
    pub async fn status(&mut self, state: &str) -> Value {
        let of = |publish: &Publish| publish.topic == "zhiju/home/status" && json_of(publish)["state"] == state;
        json_of(&self.find(state, of).await)
    }

    /// Waits for a status that is as wanted.
    pub async fn status_with(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let of = |publish: &Publish| publish.topic == "zhiju/home/status" && wanted(&json_of(publish));
        json_of(&self.find("such a status", of).await)
    }

    /// How many of the messages heard so far satisfy `wanted`, without waiting.
    pub fn count(&mut self, wanted: impl Fn(&Publish) -> bool) -> usize {
        while let Ok(publish) = self.heard.try_recv() {
            self.kept.push(publish);
        }
        self.kept.iter().filter(|publish| wanted(publish)).count()
    }
}

impl Client {
    /// All that was heard and not found yet.
    pub fn said(&self) -> &[Publish] {
        &self.kept
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.poll.abort();
    }
}

pub fn json_of(publish: &Publish) -> Value {
    serde_json::from_slice(&publish.payload).unwrap()
}

/// A daemon in this process.
pub struct Daemon {
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), DaemonError>>,
    _folder: TempDir,
}

impl Daemon {
    pub fn start(port: u16, change: impl FnOnce(&mut DaemonSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = DaemonSettings { state_dir: folder.path().join("state"), ..DaemonSettings::default() };
        settings.broker.port = port;
        change(&mut settings);
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(daemon::run(settings, async move { drop(stopped.await) }));
        Self { stop: Some(stop), task, _folder: folder }
    }

    pub async fn stop(mut self) {
        drop(self.stop.take());
        within("the daemon to stop", &mut self.task).await.unwrap().unwrap();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A request frame.
pub fn request(rid: &str, page: &str, question: &str) -> Value {
    json!({"topic": "llm/smarthome", "rid": rid, "payload": {"page_id": page, "question": question, "local": "客厅"}})
}

/// A small home: a lamp in the living room, one in the kitchen.
pub fn home() -> Value {
    json!({
        "did": "test",
        "layout": ["客厅", "厨房"],
        "model": {"lamp": {"name": "lamp", "describe": "开关灯，用于照明。",
            "property": {"power": {"type": "bool", "range": [true, false]}}}},
        "devices": [
            {"id": "lamp-1", "name": "照明灯", "local": "客厅", "device": {"model": "lamp", "state": {"power": false}}},
            {"id": "lamp-2", "name": "照明灯", "local": "厨房", "device": {"model": "lamp", "state": {"power": false}}},
        ],
    })
}
