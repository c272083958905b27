//! Hubs at work: each on a thread of its own, what it brings in the home, what it listens to at the broker.

mod inbox;
mod kinds;
mod runner;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tracing::{error, warn};

use self::inbox::Inbox;
use self::kinds::{Connection, Opened};
use self::runner::{Runner, Source, Tools};
use self::tally::Tally;
use super::home_lane::HomeLane;
use super::overrides::OverridesFile;
use crate::clock::Clock;
use crate::frame::Instruct;
use crate::home::{Registry, Snapshot};
use crate::hub::route::{Route, Routed};
use crate::hub::{Brought, Delivery, Hub, HubSettings, HubWords, MqttHub, Native, To, Unable, own_id, topics};
use crate::outbox::Lines;
use crate::store::write_hubs;
use crate::transport::{Batch, Hear, Publication, Subscriptions, Topics};

/// How long hubs are told of once at most.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// Hubs that the daemon is started with.
pub(super) struct Given {
    /// Those of the configuration.
    pub(super) settings: Vec<HubSettings>,
    /// Others over the broker, by name.
    pub(super) others: Vec<(String, Box<dyn MqttHub>)>,
}

impl Given {
    /// Their names.
    pub(super) fn names(&self) -> Vec<String> {
        let others = self.others.iter().map(|(name, _)| name.clone());
        self.settings.iter().map(|settings| settings.name.clone()).chain(others).collect()
    }
}

/// What a hub knows, behind a lock that is held shortly.
enum Translator {
    Mqtt(Mutex<Box<dyn MqttHub>>),
    Connected(Arc<Mutex<dyn Hub>>, mpsc::Sender<Delivery>),
}

/// A hub that runs.
struct Running {
    name: String,
    kind: &'static str,
    translator: Translator,
    inbox: Arc<Inbox>,
    tally: Mutex<Tally>,
    changes: watch::Sender<u64>,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("name", &self.name).field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Running {
    /// Asks a hub over the broker; any other has the default to say.
    fn mqtt<T>(&self, default: T, ask: impl FnOnce(&mut dyn MqttHub) -> T) -> T {
        match &self.translator {
            Translator::Mqtt(hub) => ask(&mut **lock(hub)),
            _ => default,
        }
    }

    fn home(&self) -> Brought {
        match &self.translator {
            Translator::Mqtt(hub) => lock(hub).home(),
            Translator::Connected(hub, _) => lock(hub).home(),
        }
    }

    fn tells(&self, device: &str, property: &str) -> bool {
        match &self.translator {
            Translator::Mqtt(hub) => lock(hub).tells(device, property),
            Translator::Connected(hub, _) => lock(hub).tells(device, property),
        }
    }

    fn native(&self, device: &str, instruct: &Instruct) -> Result<Vec<Native>, Unable> {
        match &self.translator {
            Translator::Mqtt(hub) => lock(hub).native(device, instruct),
            Translator::Connected(hub, _) => lock(hub).native(device, instruct),
        }
    }

    fn line(&self) -> Option<mpsc::Sender<Delivery>> {
        if let Translator::Connected(_, line) = &self.translator { Some(line.clone()) } else { None }
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        lock(&self.tally)
    }

    /// There is something new to tell.
    fn changed(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }
}

/// What one hub listens to, and who hears it.
struct Ear {
    filters: Vec<String>,
    inbox: Arc<dyn Hear>,
    /// How often what the broker keeps was asked for again.
    turn: u64,
}

/// What hubs listen to, all together.
struct Ears {
    each: Mutex<BTreeMap<String, Ear>>,
    all: watch::Sender<Arc<Subscriptions>>,
}

impl Ears {
    /// Asks a hub what it listens to now. Nothing that the daemon says may be heard.
    fn listen(&self, running: &Running) {
        let (good, bad): (Vec<String>, Vec<String>) = running
            .mqtt(Vec::new(), |hub| hub.subscriptions())
            .into_iter()
            .partition(|filter| topics::may_be_heard(filter));
        if !bad.is_empty() && running.tally().refused != bad {
            warn!(hub = running.name, filters = ?bad.iter().take(3).collect::<Vec<_>>(), "filters that no hub may listen to");
            running.tally().refused = bad;
            running.changed();
        }
        let mut each = lock(&self.each);
        if each.get(&running.name).is_some_and(|ear| ear.filters == good) {
            return;
        }
        let turn = each.get(&running.name).map_or(0, |ear| ear.turn);
        each.insert(running.name.clone(), Ear { filters: good, inbox: Arc::<Inbox>::clone(&running.inbox), turn });
        self.want(&each);
    }

    /// Asks the broker once more for what it keeps of what a hub listens to.
    fn renew(&self, running: &Running) {
        let mut each = lock(&self.each);
        if let Some(ear) = each.get_mut(&running.name) {
            ear.turn += 1;
            self.want(&each);
        }
    }

    fn want(&self, each: &BTreeMap<String, Ear>) {
        let mut all = Subscriptions::default();
        for ear in each.values() {
            all.add(ear.filters.iter().cloned(), &ear.inbox);
            all.renew(ear.filters.iter().cloned(), ear.turn);
        }
        self.all.send_replace(Arc::new(all));
    }
}

/// The hubs that run.
#[derive(Debug)]
pub(super) struct Hubs {
    hubs: BTreeMap<String, Arc<Running>>,
    registry: Arc<Registry>,
}

impl Hubs {
    /// How they are, each with what is in the home of it.
    pub(super) fn shown(&self, snapshot: &Snapshot) -> Vec<Value> {
        let shown = |running: &Arc<Running>| {
            running.tally().shown(&running.name, running.kind, running.inbox.dropped(), snapshot)
        };
        self.hubs.values().map(shown).collect()
    }
}

impl Route for Hubs {
    fn native(&self, instruct: &Instruct) -> Option<Routed> {
        let hub = self.registry.source(&instruct.id)?;
        let running = self.hubs.get(&hub)?;
        let device = own_id(&hub, &instruct.id)?;
        let told = running.native(&device, instruct).and_then(|messages| allowed(&device, messages));
        let wanted = instruct.state.iter().flat_map(|state| state.keys());
        let untold = wanted.filter(|property| !running.tells(&device, property)).cloned().collect();
        Some(Routed { hub, messages: told, untold })
    }
}

impl Lines for Hubs {
    fn line(&self, hub: &str) -> Option<mpsc::Sender<Delivery>> {
        self.hubs.get(hub)?.line()
    }
}

/// Messages that go where hubs may be told something: a device's configuration must not make the daemon speak to itself.
fn allowed(device: &str, messages: Vec<Native>) -> Result<Vec<Native>, Unable> {
    let forbidden = |native: &Native| matches!(&native.to, To::Topic { topic, .. } if !topics::may_be_told(topic));
    match messages.iter().any(forbidden) {
        true => Err(Unable::Foreign { device: device.to_owned(), what: "its topic".to_owned() }),
        false => Ok(messages),
    }
}

/// What goes on for hubs until it is stopped.
pub(super) struct AtWork {
    stop: watch::Sender<bool>,
    threads: Vec<JoinHandle<()>>,
    tasks: JoinSet<()>,
}

impl AtWork {
    /// Stops; what hubs said until now is in the home or is said again.
    pub(super) async fn stop(mut self) {
        self.stop.send_replace(true);
        self.tasks.shutdown().await;
        let threads = std::mem::take(&mut self.threads);
        let _ = spawn_blocking(move || threads.into_iter().for_each(|thread| drop(thread.join()))).await;
    }
}

/// Opens the hubs: from now on they can be asked what an instruct is in their words.
pub(super) fn open(given: Given, registry: Arc<Registry>, clock: &Clock, words: &HubWords) -> (Arc<Hubs>, Ready) {
    let settled = given.settings.into_iter().map(|settings| {
        let opened = kinds::open(&settings, clock, words);
        (settings.name, settings.kind.as_str(), opened)
    });
    let others = given.others.into_iter().map(|(name, hub)| (name, "other", Opened::Mqtt(hub)));
    ready(settled.chain(others).collect(), registry)
}

/// Hubs that were opened, each with its name and kind.
fn ready(opened: Vec<(String, &'static str, Opened)>, registry: Arc<Registry>) -> (Arc<Hubs>, Ready) {
    let (changes, changed) = watch::channel(0);
    let (mut hubs, mut sources, mut connections) = (BTreeMap::new(), Vec::new(), Vec::new());
    for (name, kind, opened) in opened {
        let (translator, source) = match opened {
            Opened::Mqtt(hub) => (Translator::Mqtt(Mutex::new(hub)), Source::Inbox),
            Opened::Connected { hub, run, changes, deliveries } => {
                connections.push(run);
                (Translator::Connected(hub, deliveries), Source::Changes(changes))
            }
        };
        let (inbox, tally) = (Arc::new(Inbox::default()), Mutex::default());
        let running = Running { name: name.clone(), kind, translator, inbox, tally, changes: changes.clone() };
        let running = Arc::new(running);
        sources.push((Arc::clone(&running), source));
        hubs.insert(name, running);
    }
    let hubs = Arc::new(Hubs { hubs, registry });
    (Arc::clone(&hubs), Ready { hubs, sources, connections, changed })
}

/// Hubs that are open and not yet at work.
pub(super) struct Ready {
    hubs: Arc<Hubs>,
    sources: Vec<(Arc<Running>, Source)>,
    connections: Vec<Connection>,
    changed: watch::Receiver<u64>,
}

/// What hubs are started with.
pub(super) struct Start {
    pub(super) lane: Arc<HomeLane>,
    pub(super) outbound: mpsc::Sender<Batch>,
    /// What they listen to.
    pub(super) filters: watch::Sender<Arc<Subscriptions>>,
    /// Counts connections on which they can be spoken to.
    pub(super) listening: watch::Receiver<u64>,
    pub(super) connected: watch::Receiver<bool>,
    pub(super) topics: Topics,
    pub(super) overrides: Arc<OverridesFile>,
    pub(super) state_dir: PathBuf,
    pub(super) clock: Clock,
}

impl Ready {
    /// Sets the hubs to work.
    pub(super) fn start(self, start: Start) -> AtWork {
        let (stop, stopped) = watch::channel(false);
        let ears = Arc::new(Ears { each: Mutex::default(), all: start.filters });
        let tools = Tools {
            registry: Arc::clone(&self.hubs.registry),
            lane: start.lane,
            outbound: start.outbound.clone(),
            ears: Arc::clone(&ears),
            clock: start.clock,
            stop: stopped,
        };
        let mut at_work = AtWork { stop, threads: Vec::new(), tasks: JoinSet::new() };
        self.connections.into_iter().for_each(|connection| _ = at_work.tasks.spawn(connection));
        for (running, source) in self.sources {
            ears.listen(&running);
            let name = running.name.clone();
            let (runner, handle) = (Runner::new(running, tools.clone()), Handle::current());
            let thread = std::thread::Builder::new().name(format!("hub-{name}"));
            match thread.spawn(move || runner.run(source, &handle)) {
                Ok(thread) => at_work.threads.push(thread),
                Err(error) => error!(%error, hub = name, "the machine gives no thread: the hub is not worked for"),
            }
        }
        if !self.hubs.hubs.is_empty() {
            at_work.tasks.spawn(greet(Arc::clone(&self.hubs), start.listening));
            let teller = Teller {
                hubs: self.hubs,
                outbound: start.outbound,
                topics: start.topics,
                overrides: start.overrides,
                state_dir: start.state_dir,
            };
            at_work.tasks.spawn(teller.tell(self.changed, start.connected));
        }
        at_work
    }
}

/// Tells hubs over the broker of each connection on which they can be spoken to.
async fn greet(hubs: Arc<Hubs>, mut listening: watch::Receiver<u64>) {
    while listening.changed().await.is_ok() {
        listening.borrow_and_update();
        for running in hubs.hubs.values() {
            running.mqtt((), |_| running.inbox.listening());
        }
    }
}

/// Tells how hubs are: on their topic, and in a file for readers beside the daemon.
struct Teller {
    hubs: Arc<Hubs>,
    outbound: mpsc::Sender<Batch>,
    topics: Topics,
    overrides: Arc<OverridesFile>,
    state_dir: PathBuf,
}

impl Teller {
    async fn tell(self, mut changes: watch::Receiver<u64>, mut connected: watch::Receiver<bool>) {
        let mut homes = self.hubs.registry.changes();
        let (mut known, mut due) = ((0, 0), true);
        loop {
            // States change all the time; devices that come, go or cannot be reached any more are what is told.
            let snapshot = self.hubs.registry.snapshot();
            let reachable = (0..snapshot.home.devices.len()).filter(|at| snapshot.live.online(*at)).count();
            let now = (snapshot.revision, reachable);
            if due || now != known {
                self.show().await;
            }
            (known, due) = (now, false);
            tokio::time::sleep(TELL_EVERY).await;
            tokio::select! {
                changed = homes.changed() => if changed.is_err() { return },
                changed = changes.changed() => if changed.is_err() { return } else { due = true },
                changed = connected.changed() => if changed.is_err() { return } else { due = true },
            }
        }
    }

    async fn show(&self) {
        let shown = self.shown();
        let payload = shown.to_string().into_bytes();
        let dir = self.state_dir.clone();
        if let Ok(Err(error)) = spawn_blocking(move || write_hubs(&dir, &shown)).await {
            warn!(%error, "how the hubs are cannot be written");
        }
        let _ = self.outbound.send(vec![Publication::new(self.topics.hubs(), payload).retained()]).await;
    }

    fn shown(&self) -> Value {
        let snapshot = self.hubs.registry.snapshot();
        json!({
            "revision": snapshot.revision,
            "hubs": self.hubs.shown(&snapshot),
            "overrides": self.overrides.shown(&self.hubs.registry),
        })
    }
}

/// A lock whose holder panicked is taken all the same: a message that a hub cannot read must not be its last.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
