//! What hubs are told so that instructs come true: over a real broker and over connections of their own, in order, none lost,
//! none late, none twice that must not be.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use zhiju::clock::Clock;
use zhiju::frame::{Instruct, Request};
use zhiju::hub::route::{Route, Routed};
use zhiju::hub::{Answered, Delivery, Native, To};
use zhiju::observe::Metrics;
use zhiju::outbox::{Courier, Lines, Outbox};
use zhiju::store::Store;
use zhiju::transport::{BrokerSettings, Fate, Link, LinkSettings, ModelStatus, Presence, Row, Status, Topics};

use crate::common::{Client, Mosquitto, PATIENCE, Pace, within};

const TTL: Duration = Duration::from_secs(60);

/// `z2m:…` is on the broker, `ha:…` has a connection of its own; what is called toggle must not be done twice.
struct Routes;

impl Route for Routes {
    fn native(&self, instruct: &Instruct) -> Option<Routed> {
        let (hub, own) = instruct.id.split_once(':')?;
        let once = own.starts_with("toggle");
        let message = |part: &str| json!({"device": own, "part": part, "said": instruct.summary});
        let to = |part: &str| match hub {
            "z2m" => {
                To::Topic { topic: format!("zigbee2mqtt/{own}/{part}"), payload: message(part).to_string().into() }
            }
            _ => To::Connection(message(part)),
        };
        let messages = ["first", "second"].map(|part| Native { to: to(part), once });
        Some(Routed { hub: hub.to_owned(), messages: Ok(messages.into()), untold: Vec::new() })
    }
}

/// The connection of the hub `ha`, as far as it is there.
#[derive(Default)]
struct Switchboard {
    line: Mutex<Option<mpsc::Sender<Delivery>>>,
}

impl Switchboard {
    fn connect(&self) -> mpsc::Receiver<Delivery> {
        let (sender, deliveries) = mpsc::channel(16);
        *self.line.lock().unwrap() = Some(sender);
        deliveries
    }
}

impl Lines for Switchboard {
    fn line(&self, hub: &str) -> Option<mpsc::Sender<Delivery>> {
        (hub == "ha").then(|| self.line.lock().unwrap().clone()).flatten()
    }
}

/// Outbox, link and hubs, as the daemon wires them.
struct Sender {
    outbox: Arc<Outbox<Store>>,
    link: Link,
    courier: Arc<Courier>,
    sweepers: JoinHandle<()>,
    /// What became of each row.
    fates: Arc<Mutex<Vec<Fate>>>,
    store: Arc<Store>,
    _status: watch::Sender<Status>,
}

/// Passes on what is settled, and keeps what it was.
fn noting(fates: Arc<Mutex<Vec<Fate>>>, mut settled: mpsc::Receiver<(Row, Fate)>) -> mpsc::Receiver<(Row, Fate)> {
    let (on, noted) = mpsc::channel(10_000);
    tokio::spawn(async move {
        while let Some((row, fate)) = settled.recv().await {
            fates.lock().unwrap().push(fate.clone());
            on.send((row, fate)).await.unwrap();
        }
    });
    noted
}

impl Sender {
    fn start(port: u16, folder: &Path, board: &Arc<Switchboard>) -> Self {
        let clock = Clock::of_machine();
        let store = Arc::new(Store::open(folder).unwrap().0);
        let topics = Topics::new("home").unwrap();
        let (courier, answered) = Courier::new(Arc::clone(board) as Arc<dyn Lines>, clock.clone(), 4096);
        let courier = Arc::new(courier);
        let outbox = Outbox::new(Arc::clone(&store), topics.clone(), 4096, TTL, clock.clone());
        let outbox = Arc::new(outbox.with_hubs(Arc::new(Routes), &courier));
        let (model, parsers) = (ModelStatus::Error("none".into()), Vec::new());
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
        let fates = Arc::new(Mutex::default());
        let (settled, answered) = (noting(Arc::clone(&fates), settled), noting(Arc::clone(&fates), answered));
        let sweepers = tokio::spawn({
            let outbox = Arc::clone(&outbox);
            async move {
                tokio::join!(outbox.sweep(settled), outbox.sweep(answered));
            }
        });
        Self { outbox, link, courier, sweepers, fates, store, _status: status_tx }
    }

    async fn give(&self, said: &str, devices: impl IntoIterator<Item = String>) {
        let order = |id: String| {
            let state = Some([("power".to_owned(), json!(true))].into());
            Instruct { id, state, command: None, summary: said.to_owned(), noop: false }
        };
        let orders: Vec<_> = devices.into_iter().map(order).collect();
        let request = Request { rid: said.to_owned(), ..Request::default() };
        let room = self.link.outbound.reserve().await.unwrap();
        room.send(self.outbox.accept(&request, &orders, None).await.unwrap());
    }

    /// Waits until nothing is under way.
    async fn idle(&self) {
        self.until("everything to be settled", |_| self.outbox.waiting() == 0).await;
    }

    /// Waits until the fates of rows are so.
    async fn until(&self, what: &str, wanted: impl Fn(&[Fate]) -> bool) {
        let waiting = async {
            let mut ticks = tokio::time::interval(Duration::from_millis(10));
            while !wanted(&self.fates.lock().unwrap()) {
                ticks.tick().await;
            }
        };
        within(what, waiting).await;
    }

    /// Stops, and returns how many rows are left.
    async fn stop(self) -> usize {
        let until = tokio::time::Instant::now() + PATIENCE;
        tokio::join!(self.link.stop(until), self.courier.stop(until));
        drop(self.courier);
        within("the sweepers", self.sweepers).await.unwrap();
        self.store.outbox().unwrap().len()
    }
}

/// What was said of what: `r7/lamp/first`.
fn key(message: &Value) -> String {
    let word = |key: &str| message[key].as_str().unwrap().to_owned();
    format!("{}/{}/{}", word("said"), word("device"), word("part"))
}

const EARS: &[&str] = &["zhiju/home/instruct/+", "zigbee2mqtt/#"];

#[tokio::test(flavor = "multi_thread")]
async fn what_a_hub_is_told_comes_after_the_instruct_and_in_order() {
    let broker = Mosquitto::start().await;
    let mut client = Client::subscribed(broker.port, "hub", EARS, Pace::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let board = Arc::new(Switchboard::default());
    let mut hub = board.connect();
    let sender = Sender::start(broker.port, folder.path(), &board);
    for round in 0..20 {
        sender.give(&format!("r{round}"), ["z2m:lamp".into(), "ha:fan".into(), "z2m:toggle".into()]).await;
    }
    let mut heard: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for _ in 0..20 * 7 {
        let publish = client.find("a message", |_| true).await;
        let topic = String::from_utf8_lossy(&publish.topic).into_owned();
        let message: Value = serde_json::from_slice(&publish.payload).unwrap();
        let (device, said) = match topic.strip_prefix("zhiju/home/instruct/") {
            Some(device) => {
                (device.split_once(':').unwrap().1.to_owned(), format!("{}/instruct", message["rid"].as_str().unwrap()))
            }
            None => (message["device"].as_str().unwrap().to_owned(), key(&message)),
        };
        heard.entry(device).or_default().push(said);
    }
    for device in ["lamp", "toggle"] {
        let (instructs, native): (Vec<String>, Vec<String>) =
            heard[device].iter().cloned().partition(|said| said.ends_with("/instruct"));
        let parts = |n| ["first", "second"].map(|part| format!("r{n}/{device}/{part}"));
        assert_eq!(native, (0..20).flat_map(parts).collect::<Vec<_>>());
        assert_eq!(instructs, (0..20).map(|n| format!("r{n}/instruct")).collect::<Vec<_>>());
        let at = |said: &str| heard[device].iter().position(|heard| heard == said).unwrap();
        for n in 0..20 {
            // A newer instruct may overtake what makes an older one true: nobody waits for who only listens.
            assert!(at(&format!("r{n}/instruct")) < at(&parts(n)[0]), "{:?}", heard[device]);
        }
    }
    for n in 0..20 {
        for part in ["first", "second"] {
            let delivery = within("a delivery", hub.recv()).await.unwrap();
            assert_eq!(key(&delivery.message), format!("r{n}/fan/{part}"));
            delivery.done.send(Answered::Taken).unwrap();
        }
    }
    assert_eq!(sender.stop().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_refuses_answers_never_and_breaks_and_others_do_not_wait() {
    let broker = Mosquitto::start().await;
    let mut client = Client::subscribed(broker.port, "hub", EARS, Pace::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let board = Arc::new(Switchboard::default());
    let mut hub = board.connect();
    let sender = Sender::start(broker.port, folder.path(), &board);
    let devices = ["away:x", "ha:refuses", "ha:breaks", "ha:toggle-breaks", "ha:silent", "z2m:lamp"];
    sender.give("r", devices.map(str::to_owned)).await;
    let mut told = Vec::new();
    for _ in 0..4 {
        told.push(within("a delivery", hub.recv()).await.unwrap());
    }
    // The connection of one hub is slow, another is not there at all: the broker's is told at once.
    client.find("the lamp", |p| p.topic == "zigbee2mqtt/lamp/second").await;
    let refused = told.remove(0);
    assert_eq!(key(&refused.message), "r/refuses/first");
    refused.done.send(Answered::Refused("not allowed".into())).unwrap();
    let second = within("the second", hub.recv()).await.unwrap();
    assert_eq!(key(&second.message), "r/refuses/second");
    second.done.send(Answered::Taken).unwrap();
    let silent = told.remove(2);
    let mut back = board.connect();
    drop((hub, told));
    let again = within("the delivery again", back.recv()).await.unwrap();
    assert_eq!(key(&again.message), "r/breaks/first");
    again.done.send(Answered::Taken).unwrap();
    let next = within("the next delivery", back.recv()).await.unwrap();
    assert!(["r/breaks/second", "r/toggle-breaks/second"].contains(&key(&next.message).as_str()));
    sender
        .until("both to be told", |fates| {
            fates.contains(&Fate::Refused("not allowed".into())) && fates.contains(&Fate::Unanswered)
        })
        .await;
    assert!(sender.outbox.waiting() > 0, "one is silent and one is away");
    drop(silent);
}

/// 400 commands while the broker, or the hub's connection, dies 20 times: each arrives, or is told to be lost; none twice that
/// must not be.
async fn killed_twenty_times(hub_name: &str) {
    let mut broker = Mosquitto::start().await;
    let mut client = Client::subscribed(broker.port, "hub", &["zigbee2mqtt/#"], Pace::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let board = Arc::new(Switchboard::default());
    let sender = Sender::start(broker.port, folder.path(), &board);
    let on_broker = hub_name == "z2m";
    let mut hub = board.connect();
    let mut heard: BTreeMap<String, usize> = BTreeMap::new();
    let mut hear = |message: &Value| *heard.entry(key(message)).or_default() += 1;
    for round in 0..20 {
        for request in 0..5 {
            let own = |n: usize| if n < 2 { "lamp" } else { "toggle" };
            let devices = (0..4).map(|n| format!("{hub_name}:{}{}", own(n), n));
            sender.give(&format!("r{round}-{request}"), devices).await;
            if on_broker {
                // Half a round is with the broker when it dies, at best.
                if request == 2 {
                    broker.kill();
                    broker.restart().await;
                }
            } else if let Ok(Some(delivery)) = tokio::time::timeout(Duration::from_millis(5), hub.recv()).await {
                hear(&delivery.message);
                // Every other one did what it was told and broke before it could say so.
                if request % 2 == 0 {
                    delivery.done.send(Answered::Taken).unwrap();
                }
            }
        }
        if !on_broker {
            let mut broken = std::mem::replace(&mut hub, board.connect());
            // What it was handed and did not look at is lost with it.
            broken.close();
        }
    }
    let serving = async {
        loop {
            let delivery = hub.recv().await.unwrap();
            hear(&delivery.message);
            let _ = delivery.done.send(Answered::Taken);
        }
    };
    tokio::select! {
        () = sender.idle() => {}
        () = serving => {}
    }
    let fates = sender.fates.lock().unwrap().clone();
    assert_eq!(fates.len(), 400 * 3, "an instruct and two messages each");
    let unanswered = fates.iter().filter(|fate| **fate == Fate::Unanswered).count();
    assert!(fates.iter().all(|fate| matches!(fate, Fate::Delivered | Fate::Unanswered)), "{fates:?}");
    if on_broker {
        while heard.len() + unanswered < 800 {
            let publish = client.find("what is missing", |_| true).await;
            *heard.entry(key(&serde_json::from_slice(&publish.payload).unwrap())).or_default() += 1;
        }
    }
    let missing = 800 - heard.len();
    assert!(missing <= unanswered, "{missing} are missing, {unanswered} were told to be");
    let twice: Vec<_> = heard.iter().filter(|(key, n)| key.contains("toggle") && **n > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    assert_eq!(sender.stop().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_killed_twenty_times_loses_nothing_untold() {
    killed_twenty_times("z2m").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_breaks_twenty_times_loses_nothing_untold() {
    killed_twenty_times("ha").await;
}

const FOLDER: &str = "ZHIJU_TEST_NATIVELY_FOLDER";
const PORT: &str = "ZHIJU_TEST_NATIVELY_PORT";

/// The process that is killed: gives the next hundred requests and says so, forever.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "the other half of the test below, which starts it"]
async fn the_process_that_is_killed() {
    let (Ok(folder), Ok(port)) = (std::env::var(FOLDER), std::env::var(PORT)) else { return };
    let folder = PathBuf::from(folder);
    let sender = Sender::start(port.parse().unwrap(), &folder.join("store"), &Arc::new(Switchboard::default()));
    let mut log = std::fs::OpenOptions::new().create(true).append(true).open(folder.join("given")).unwrap();
    for n in 0.. {
        let said = format!("r{}-{n}", std::process::id());
        sender.give(&said, ["z2m:lamp".into(), "z2m:toggle".into()]).await;
        // Only what was accepted is promised, in one piece: it may be killed within a line.
        log.write_all(format!("{said}\n").as_bytes()).unwrap();
    }
}

fn start_process(folder: &Path, port: u16) -> Child {
    let name = "natively::the_process_that_is_killed";
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--ignored", "--nocapture"]).env(FOLDER, folder).env(PORT, port.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_loses_nothing_and_says_nothing_twice_that_must_not_be() {
    let broker = Mosquitto::start().await;
    let mut client = Client::subscribed(broker.port, "hub", &["zigbee2mqtt/#"], Pace::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let mut heard: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..5 {
        let mut process = start_process(folder.path(), broker.port);
        for _ in 0..100 {
            let publish = client.find("a message", |_| true).await;
            *heard.entry(key(&serde_json::from_slice(&publish.payload).unwrap())).or_default() += 1;
        }
        process.kill().unwrap();
        process.wait().unwrap();
    }
    // The last start says what the one before left.
    let sender = Sender::start(broker.port, &folder.path().join("store"), &Arc::new(Switchboard::default()));
    sender.idle().await;
    sender.give("end", ["z2m:end".into()]).await;
    let given = std::fs::read_to_string(folder.path().join("given")).unwrap();
    let promised: BTreeSet<String> =
        given.lines().flat_map(|said| ["first", "second"].map(|part| format!("{said}/lamp/{part}"))).collect();
    loop {
        let publish = client.find("the end", |_| true).await;
        let key = key(&serde_json::from_slice(&publish.payload).unwrap());
        if key == "end/end/second" {
            break;
        }
        *heard.entry(key).or_default() += 1;
    }
    let lost: Vec<_> = promised.iter().filter(|key| !heard.contains_key(*key)).collect();
    assert!(promised.len() >= 50 && lost.is_empty(), "{lost:?} of {}", promised.len());
    let twice: Vec<_> = heard.iter().filter(|(key, n)| key.contains("toggle") && **n > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    assert_eq!(sender.stop().await, 0);
}
