use serde_json::json;
use tokio::sync::oneshot;

use super::*;
use crate::home::State;
use crate::hub::{Answered, Change, LeftOut, Line};
use crate::language::lexicon::Lexicon;
use crate::transport::{ModelStatus, Topics};

/// A hub that has what it is given, and is told by the device's id and the instruct's state.
struct Shelf {
    document: Arc<Mutex<Value>>,
    topic: String,
}

impl Hub for Shelf {
    fn home(&self) -> Brought {
        Brought { document: lock(&self.document).clone(), ..Brought::default() }
    }

    fn native(&self, device: &str, instruct: &Instruct) -> Result<Vec<Native>, Unable> {
        let to = match self.topic.as_str() {
            "" => To::Connection(json!({"device": device, "state": instruct.state})),
            topic => To::Topic { topic: topic.to_owned(), payload: Vec::new() },
        };
        Ok(vec![Native { to, once: false }])
    }
}

struct Bench {
    registry: Arc<Registry>,
    hubs: Arc<Hubs>,
    at_work: AtWork,
    document: Arc<Mutex<Value>>,
    changes: mpsc::Sender<Change>,
    _folder: tempfile::TempDir,
    _outbound: mpsc::Receiver<Batch>,
}

/// A hub with a connection of its own that takes whatever it is told.
fn bench(topic: &str, document: Value) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let registry = Arc::new(Registry::default());
    let overrides = Arc::new(OverridesFile::new(None, folder.path()));
    let status = crate::daemon::status_of(&registry, 0, ModelStatus::Error(String::new()));
    let lane = HomeLane::new(
        Arc::clone(&registry),
        Arc::new(Lexicon::built_in().unwrap()),
        watch::channel(None).0,
        watch::channel(status).0,
        Arc::clone(&overrides),
    );
    let (outbound, outbound_rx) = mpsc::channel(64);
    let document = Arc::new(Mutex::new(document));
    let (lines, mut line) = mpsc::channel::<mpsc::Sender<Change>>(1);
    let shelf = Shelf { document: Arc::clone(&document), topic: topic.to_owned() };
    let opened = Opened::connected(shelf, |_, Line { changes, mut deliveries }| async move {
        lines.send(changes).await.unwrap();
        while let Some(delivery) = deliveries.recv().await {
            let _ = delivery.done.send(Answered::Taken);
        }
    });
    let start = Start {
        lane,
        outbound,
        filters: watch::channel(Arc::default()).0,
        listening: watch::channel(0).1,
        connected: watch::channel(false).1,
        topics: Topics::new("home").unwrap(),
        overrides,
        state_dir: folder.path().to_owned(),
        clock: Clock::of_machine(),
    };
    let (hubs, ready) = ready(vec![("shelf".to_owned(), "shelf", opened)], Arc::clone(&registry));
    let at_work = ready.start(start);
    let changes = tokio::task::block_in_place(|| Handle::current().block_on(line.recv())).unwrap();
    Bench { registry, hubs, at_work, document, changes, _folder: folder, _outbound: outbound_rx }
}

fn home(ids: &[&str]) -> Value {
    let device = |id: &&str| json!({"id": id, "name": "灯", "device": {"model": "m"}});
    let model = json!({"m": {"property": {"level": {"type": "uint", "max": 9}}}});
    json!({"model": model, "devices": ids.iter().map(device).collect::<Vec<_>>()})
}

impl Bench {
    async fn tell(&self, change: Change) {
        self.changes.send(change).await.unwrap();
    }

    async fn state(&self, device: &str, level: u32) {
        let values = State::from([("level".to_owned(), json!(level))]);
        self.tell(Change::State { device: device.to_owned(), values }).await;
    }

    /// Waits until the home is as wanted.
    async fn until(&self, wanted: impl Fn(&crate::home::Snapshot) -> bool) {
        let mut changes = self.registry.changes();
        let waiting = async {
            while !wanted(&self.registry.snapshot()) {
                changes.changed().await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(60), waiting).await.expect("the home does not become so");
    }

    fn instruct(&self, id: &str) -> Option<Routed> {
        self.hubs.native(&serde_json::from_value(json!({"id": id, "summary": "", "noop": false})).unwrap())
    }
}

fn level(snapshot: &crate::home::Snapshot, id: &str) -> Option<Value> {
    let (device, _) = snapshot.home.device(id)?;
    snapshot.live.get(device).values.get("level").cloned()
}

#[tokio::test(flavor = "multi_thread")]
async fn devices_come_in_with_what_they_said_before_and_stay_when_the_hub_goes() {
    let bench = bench("", home(&["a", "b/c"]));
    bench.state("b/c", 7).await;
    bench.tell(Change::Registry).await;
    bench.state("b/c", 8).await;
    bench.tell(Change::Device { device: "a".into(), online: false }).await;
    bench.until(|home| level(home, "shelf:b%2Fc") == Some(json!(8)) && !home.live.online(0)).await;
    assert_eq!(bench.registry.snapshot().source(0), "shelf");
    assert!(bench.registry.snapshot().live.online(1));
    bench.tell(Change::Hub { online: false }).await;
    bench.until(|home| (0..2).all(|device| !home.live.online(device))).await;
    bench.tell(Change::Hub { online: true }).await;
    bench.until(|home| !home.live.online(0) && home.live.online(1)).await;
    *lock(&bench.document) = home(&["b/c", "d"]);
    bench.tell(Change::Registry).await;
    bench.until(|home| home.home.device("shelf:d").is_some()).await;
    let snapshot = bench.registry.snapshot();
    assert_eq!((level(&snapshot, "shelf:b%2Fc"), snapshot.home.devices.len()), (Some(json!(8)), 2));
    bench.at_work.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_home_takes_nothing_away() {
    let bench = bench("", home(&["a"]));
    bench.tell(Change::Registry).await;
    bench.until(|home| home.revision == 1).await;
    for bad in [json!(null), json!({"devices": vec![json!({}); 10_000]})] {
        *lock(&bench.document) = bad;
        bench.tell(Change::Registry).await;
        let running = &bench.hubs.hubs["shelf"];
        let mut told = running.changes.subscribe();
        while running.tally().problem.is_none() {
            told.changed().await.unwrap();
        }
        assert_eq!(bench.registry.snapshot().home.devices.len(), 1);
        running.tally().problem = None;
    }
    bench.at_work.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn why_a_hub_is_away_is_told_until_it_is_back() {
    let bench = bench("", home(&["a"]));
    bench.tell(Change::Registry).await;
    bench.until(|home| home.revision == 1).await;
    let running = &bench.hubs.hubs["shelf"];
    let told = || bench.hubs.shown(&bench.registry.snapshot())[0]["problem"].clone();
    bench.tell(Change::Hub { online: false }).await;
    bench.tell(Change::Away { reason: "the token is refused".into() }).await;
    let mut changes = running.changes.subscribe();
    while told() != "the token is refused" {
        changes.changed().await.unwrap();
    }
    // Devices that it tells of are no sign that it is spoken with.
    *lock(&bench.document) = home(&["a", "b"]);
    bench.tell(Change::Registry).await;
    bench.until(|home| home.revision == 2).await;
    assert_eq!(told(), "the token is refused");
    bench.tell(Change::Hub { online: true }).await;
    while !told().is_null() {
        changes.changed().await.unwrap();
    }
    bench.at_work.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_read_is_counted_by_whose_it_is() {
    let bench = bench("", home(&["a"]));
    let unread = |id: &str| Change::Unread(LeftOut { id: id.into(), name: "灯".into(), reason: "too large".into() });
    for id in ["a", "b", "a", "a"] {
        bench.tell(unread(id)).await;
    }
    bench.tell(Change::Registry).await;
    bench.until(|home| home.revision == 1).await;
    let told = bench.hubs.shown(&bench.registry.snapshot())[0]["unread"].clone();
    let one = |id: &str, count: u64| json!({"id": id, "name": "灯", "reason": "too large", "count": count});
    assert_eq!(told, json!([one("a", 3), one("b", 1)]));
    // Ids of which there is no end take no room without end.
    for n in 0..500 {
        bench.tell(unread(&n.to_string())).await;
    }
    *lock(&bench.document) = home(&["a", "b"]);
    bench.tell(Change::Registry).await;
    bench.until(|home| home.revision == 2).await;
    let told = bench.hubs.shown(&bench.registry.snapshot())[0]["unread"].clone();
    let counts = told.as_array().unwrap().iter().map(|one| one["count"].as_u64().unwrap());
    assert_eq!((told.as_array().unwrap().len(), counts.sum::<u64>()), (201, 504));
    bench.at_work.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instruct_goes_to_the_hub_of_its_device_and_never_to_ourselves() {
    let bench = bench("", home(&["a/b"]));
    bench.tell(Change::Registry).await;
    bench.until(|home| home.revision == 1).await;
    let routed = bench.instruct("shelf:a%2Fb").unwrap();
    let native = routed.messages.unwrap().remove(0);
    assert_eq!((routed.hub.as_str(), &native.to), ("shelf", &To::Connection(json!({"device": "a/b", "state": null}))));
    assert_eq!((bench.instruct("shelf:gone"), bench.instruct("x")), (None, None));
    let line = bench.hubs.line("shelf").unwrap();
    let (done, answered) = oneshot::channel();
    line.send(Delivery { message: json!(1), expires_ms: u64::MAX, done }).await.unwrap();
    assert_eq!(answered.await, Ok(Answered::Taken));
    assert!(bench.hubs.line("other").is_none());
    bench.at_work.stop().await;

    let bench = self::bench("zhiju/home/request", home(&["a"]));
    bench.tell(Change::Registry).await;
    bench.until(|home| home.revision == 1).await;
    assert!(bench.instruct("shelf:a").unwrap().messages.is_err(), "its topic is one of ours");
    bench.at_work.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_ends_for_good_takes_its_devices_offline_and_is_named() {
    let bench = bench("", home(&["a"]));
    bench.tell(Change::Registry).await;
    bench.until(|home| home.revision == 1 && home.live.online(0)).await;
    drop(bench.changes);
    let mut changes = bench.registry.changes();
    while bench.registry.snapshot().live.online(0) {
        changes.changed().await.unwrap();
    }
    assert!(bench.hubs.hubs["shelf"].tally().problem.is_some());
    bench.at_work.stop().await;
}
