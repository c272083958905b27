//! The durable outbox over a Mosquitto that is killed: every instruct arrives at least once, none after its time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use zhiju::clock::Clock;
use zhiju::frame::{Instruct, Request};
use zhiju::observe::Metrics;
use zhiju::outbox::Outbox;
use zhiju::store::Store;
use zhiju::transport::{BrokerSettings, Link, LinkSettings, ModelStatus, Presence, Status, Topics};

use crate::common::{Client, Daemon, Mosquitto, PATIENCE, Pace, free_port, home, json_of, request, within};

/// Some wall clock time.
const NOON: u64 = 1_800_000_000_000;

/// The outbox and the link, as the daemon wires them.
struct Sender {
    outbox: Arc<Outbox<Store>>,
    link: Link,
    sweeper: JoinHandle<()>,
    store: Arc<Store>,
    _status: watch::Sender<Status>,
}

impl Sender {
    fn start(port: u16, folder: &Path, ttl: Duration) -> Self {
        Self::by(Clock::of_machine(), port, folder, ttl)
    }

    fn by(clock: Clock, port: u16, folder: &Path, ttl: Duration) -> Self {
        let store = Arc::new(Store::open(folder).unwrap().0);
        let topics = Topics::new("home").unwrap();
        let outbox = Arc::new(Outbox::new(Arc::clone(&store), topics.clone(), 4096, ttl, clock.clone()));
        let model = ModelStatus::Error("none".into());
        let parsers = Vec::new();
        let status =
            Status { state: Presence::Online, version: "0", devices: 0, revision: 0, since: 0, model, parsers };
        let (status_tx, status) = watch::channel(status);
        let (link, settled) = Link::start(LinkSettings {
            broker: BrokerSettings { port, ..BrokerSettings::default() },
            client_id: "zhiju-home".into(),
            topics,
            status,
            report: watch::channel(None).1,
            hubs: watch::channel(Arc::default()).1,
            restored: outbox.restore().unwrap(),
            outbox_capacity: 4096,
            metrics: Metrics::default(),
            clock,
        });
        let sweeper = tokio::spawn({
            let outbox = Arc::clone(&outbox);
            async move { outbox.sweep(settled).await }
        });
        Self { outbox, link, sweeper, store, _status: status_tx }
    }

    async fn give(&self, rid: &str, devices: impl IntoIterator<Item = usize>) {
        let order = |device: usize| Instruct {
            id: format!("dev-{device}"),
            state: Some([("power".to_owned(), json!(true))].into()),
            command: None,
            summary: "打开".into(),
            noop: false,
        };
        let orders: Vec<_> = devices.into_iter().map(order).collect();
        let room = self.link.outbound.reserve().await.unwrap();
        room.send(self.outbox.accept(&by(rid), &orders, None).await.unwrap());
    }

    /// Stops, and returns how many rows are left.
    async fn stop(self) -> usize {
        self.link.stop(tokio::time::Instant::now() + PATIENCE).await;
        within("the sweeper", self.sweeper).await.unwrap();
        self.store.outbox().unwrap().len()
    }
}

/// A request of this rid.
fn by(rid: &str) -> Request {
    Request { rid: rid.to_owned(), ..Request::default() }
}

/// Kills Mosquitto in the middle of 400 instructs and returns how often each arrived.
async fn killed_in_the_middle(pace: Pace) {
    const TTL: Duration = Duration::from_secs(30);
    let mut broker = Mosquitto::start().await;
    let mut client = Client::subscribed(broker.port, "hub", &["zhiju/home/instruct/+"], pace).await;
    let folder = tempfile::tempdir().unwrap();
    let sender = Sender::start(broker.port, folder.path(), TTL);
    let giving = async {
        for request in 0..100 {
            sender.give(&format!("r{request}"), request * 4..request * 4 + 4).await;
        }
    };
    let hearing = async {
        let mut arrived: BTreeMap<(String, String), usize> = BTreeMap::new();
        while arrived.len() < 400 {
            let instruct = json_of(&client.find(&format!("instruct {}", arrived.len()), |_| true).await);
            let age = Clock::of_machine().wall_ms() - instruct["ts"].as_u64().unwrap();
            assert!(Duration::from_millis(age) < TTL, "{age} ms old");
            let key = |name: &str| instruct[name].as_str().unwrap().to_owned();
            *arrived.entry((key("rid"), key("id"))).or_default() += 1;
            if arrived.len() == 150 && arrived.values().all(|n| *n == 1) {
                broker.kill();
                broker.restart().await;
            }
        }
        arrived
    };
    let ((), arrived) = tokio::join!(giving, hearing);
    let devices: BTreeSet<_> = arrived.keys().map(|(_, id)| id).collect();
    assert_eq!(devices.len(), 400);
    assert_eq!(sender.stop().await, 0, "rows left in the outbox");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_broker_loses_no_instruct() {
    killed_in_the_middle(Pace::default()).await;
}

/// What the broker acknowledged to us and still holds back for the subscriber dies with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_broker_loses_no_instruct_of_a_slow_subscriber() {
    killed_in_the_middle(Pace { window: Some(1), ..Pace::default() }).await;
}

/// The daemon is back before its listener.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_broker_loses_no_instruct_of_a_late_subscriber() {
    killed_in_the_middle(Pace { reconnect: Duration::from_secs(2), ..Pace::default() }).await;
}

/// The same with a whole daemon: ten requests of forty instructs each.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_broker_loses_no_instruct_of_the_daemon() {
    let mut broker = Mosquitto::start().await;
    let mut client = Client::connect(broker.port, "client").await;
    let daemon = Daemon::start(broker.port, |settings| settings.outbox_ttl = Duration::from_secs(60));
    client.status("online").await;
    let mut home = home();
    let lamp =
        |i| json!({"id": format!("dev-{i}"), "name": format!("灯{i}"), "local": "客厅", "device": {"model": "lamp"}});
    home["devices"] = (0..40).map(lamp).collect();
    client.publish("registry", home.to_string()).await;
    client.on("registry/report").await;
    for i in 0..10 {
        client.publish("request", request(&format!("r{i}"), &format!("p{i}"), "打开所有的灯").to_string()).await;
    }
    for i in 0..10 {
        // Its summary comes before its instructs.
        client.on(&format!("response/r{i}")).await;
    }
    broker.kill();
    broker.restart().await;
    let mut arrived = BTreeSet::new();
    while arrived.len() < 400 {
        let instruct = client.find("an instruct", |p| p.topic.starts_with(b"zhiju/home/instruct/")).await;
        let instruct = json_of(&instruct);
        arrived.insert((instruct["rid"].to_string(), instruct["id"].to_string()));
    }
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_gives_what_the_broker_never_had() {
    let port = free_port().await;
    let folder = tempfile::tempdir().unwrap();
    let sender = Sender::start(port, folder.path(), Duration::from_secs(60));
    sender.give("r", 0..3).await;
    assert_eq!(sender.stop().await, 3);
    let broker = zhiju::transport::embedded::EmbeddedBroker::start_on(port).await.unwrap();
    let mut client = Client::subscribed(broker.port(), "hub", &["zhiju/home/instruct/+"], Pace::default()).await;
    let sender = Sender::start(port, folder.path(), Duration::from_secs(60));
    for device in 0..3 {
        client.on(&format!("instruct/dev-{device}")).await;
    }
    assert_eq!(sender.stop().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_old_is_never_given() {
    let port = free_port().await;
    let folder = tempfile::tempdir().unwrap();
    let ttl = Duration::from_secs(10);
    let clock = Clock::by_hand("boot", 60_000, NOON);
    let mut sender = Sender::by(clock.clone(), port, folder.path(), ttl);
    sender.give("old", 0..50).await;
    clock.advance(ttl);
    clock.set_wall(NOON - 3_600_000);
    let broker = zhiju::transport::embedded::EmbeddedBroker::start_on(port).await.unwrap();
    let mut client = Client::subscribed(broker.port(), "hub", &["zhiju/home/#"], Pace::default()).await;
    within("the link", sender.link.connected.wait_for(|connected| *connected)).await.unwrap();
    sender.give("new", 50..51).await;
    client.on("instruct/dev-50").await;
    assert_eq!(client.count(|p| p.topic.starts_with(b"zhiju/home/instruct/")), 0);
    assert_eq!(sender.stop().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instruct_waits_for_its_listener() {
    let broker = Mosquitto::start().await;
    let folder = tempfile::tempdir().unwrap();
    let mut sender = Sender::start(broker.port, folder.path(), Duration::from_secs(60));
    within("the link", sender.link.connected.wait_for(|connected| *connected)).await.unwrap();
    sender.give("r", 0..1).await;
    let mut client = Client::subscribed(broker.port, "hub", &["zhiju/home/instruct/+"], Pace::default()).await;
    client.on("instruct/dev-0").await;
    assert_eq!(sender.stop().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_a_listener_waits_no_longer_while_the_wall_clock_jumps_back() {
    let broker = Mosquitto::start().await;
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::by_hand("boot", 60_000, NOON);
    let mut sender = Sender::by(clock.clone(), broker.port, folder.path(), Duration::from_secs(3_600));
    let jumping = tokio::spawn(async move {
        let step = Duration::from_millis(20);
        let mut ticks = tokio::time::interval(step);
        loop {
            ticks.tick().await;
            clock.advance(step);
            clock.set_wall(clock.wall_ms().saturating_sub(3_600_000));
        }
    });
    within("the link", sender.link.connected.wait_for(|connected| *connected)).await.unwrap();
    sender.give("first", 0..1).await;
    sender.give("second", 0..1).await;
    let mut client = Client::subscribed(broker.port, "hub", &["zhiju/home/instruct/+"], Pace::default()).await;
    for rid in ["first", "second"] {
        assert_eq!(client.on("instruct/dev-0").await["rid"], rid);
    }
    assert_eq!(sender.stop().await, 0);
    jumping.abort();
}
