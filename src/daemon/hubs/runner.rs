//! One hub at work, on a thread of its own: what it says becomes changes of the home, and what it wants said is said.
//!
//! However much it says, and however long its translation takes, nobody else waits for it: those who speak see the home as
//! it was until a change is made, and changes are made shortly.

mod held;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout_at};
use tracing::{error, info, warn};

use super::inbox::Event;
use super::{Ears, Running};
use crate::clock::Clock;
use crate::daemon::home_lane::HomeLane;
use crate::home::{Registry, RegistryError, State};
use crate::hub::{Change, Delivery, LeftOut, Native, To, device_id, named, topics};
use crate::transport::{Batch, Publication, Throttle};
use held::{Held, Pace};

/// A hub whose devices change is asked for its home when it was quiet for so long.
const QUIET: Duration = Duration::from_millis(500);

/// What a hub is asked or told by itself is worth saying for so long, in milliseconds.
const FRESH_MS: u64 = 10_000;

/// Devices of which something may wait until the hub tells of them.
const MAX_HELD: usize = 5_000;

/// How a thread that works on what hubs say stands behind those that serve people.
const NICENESS: i32 = 5;

/// Where what happens comes from.
pub(super) enum Source {
    /// The hub's inbox.
    Inbox,
    /// The hub's own connection.
    Changes(mpsc::Receiver<Change>),
}

/// What a runner works with.
#[derive(Clone)]
pub(super) struct Tools {
    pub(super) registry: Arc<Registry>,
    pub(super) lane: Arc<HomeLane>,
    pub(super) outbound: mpsc::Sender<Batch>,
    pub(super) ears: Arc<Ears>,
    pub(super) clock: Clock,
    pub(super) stop: watch::Receiver<bool>,
}

/// One hub at work.
pub(super) struct Runner {
    running: Arc<Running>,
    tools: Tools,
    held: Held,
    pace: Pace,
    /// When something of what the hub said was lost, and how often what the broker keeps was asked for again.
    lost: Option<Instant>,
    renewed: Pace,
    throttle: Throttle,
}

/// What a runner does next.
enum Next {
    Event(Event),
    Change(Change),
    /// The hub's own connection ended, which is a bug.
    Ended,
    /// The hub's home is to be taken.
    Due,
    Stop,
}

impl Runner {
    pub(super) fn new(running: Arc<Running>, tools: Tools) -> Self {
        let (pace, renewed) = (Pace::default(), Pace::default());
        Self { running, tools, held: Held::default(), pace, lost: None, renewed, throttle: Throttle::default() }
    }

    /// Works until told to stop.
    pub(super) fn run(mut self, mut source: Source, handle: &Handle) {
        if let Err(error) = rustix::process::nice(NICENESS) {
            warn!(%error, hub = self.running.name, "the hub is worked for at the daemon's own priority");
        }
        loop {
            let next = handle.block_on(self.next(&mut source));
            if matches!(next, Next::Stop) {
                return;
            }
            let ended = matches!(next, Next::Ended);
            // Whatever a hub says, the others and those who speak go on.
            let done = catch_unwind(AssertUnwindSafe(|| handle.block_on(self.take(next))));
            if done.is_err() {
                error!(hub = self.running.name, "a bug: what a hub said cannot be worked on");
            }
            if ended {
                return;
            }
        }
    }

    async fn next(&mut self, source: &mut Source) -> Next {
        let due = self.bring_due().into_iter().chain(self.renew_due()).min();
        let running = Arc::clone(&self.running);
        let happens = async {
            match source {
                Source::Inbox => Next::Event(running.inbox.next().await),
                Source::Changes(changes) => changes.recv().await.map_or(Next::Ended, Next::Change),
            }
        };
        let happens = async {
            match due {
                Some(due) => timeout_at(due, happens).await.unwrap_or(Next::Due),
                None => happens.await,
            }
        };
        let mut stop = self.tools.stop.clone();
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => Next::Stop,
            next = happens => next,
        }
    }

    /// When the hub's home is to be taken.
    fn bring_due(&self) -> Option<Instant> {
        self.held.due().map(|due| self.pace.earliest(due))
    }

    /// When what the broker keeps is to be asked for again.
    fn renew_due(&self) -> Option<Instant> {
        self.lost.map(|lost| self.renewed.earliest(lost + QUIET))
    }

    async fn take(&mut self, next: Next) {
        let changes = match next {
            Next::Due => {
                let now = Instant::now();
                if self.renew_due().is_some_and(|due| due <= now) {
                    self.lost = None;
                    self.renewed.changed(now);
                    warn!(hub = self.running.name, "messages were lost: what the broker keeps is asked for again");
                    self.tools.ears.renew(&self.running);
                }
                if self.bring_due().is_none_or(|due| due > now) {
                    return;
                }
                let said = self.bring();
                return self.say(said).await;
            }
            Next::Ended => return self.end(),
            Next::Stop => return,
            Next::Change(change) => vec![change],
            Next::Event(Event::Listening) => self.greet(),
            Next::Event(Event::Lost) => {
                self.lost.get_or_insert_with(Instant::now);
                return;
            }
            Next::Event(Event::Heard(message)) => {
                self.running.mqtt(Vec::new(), |hub| hub.heard(&message.topic, &message.payload, message.retained))
            }
        };
        let mut said = Vec::new();
        for change in changes {
            match change {
                Change::Registry => self.devices_change(),
                Change::State { device, values } => self.state(device, values),
                Change::Device { device, online } => self.device(device, online),
                Change::Hub { online } => self.reach(online),
                Change::Away { reason } => {
                    self.running.tally().away = Some(reason);
                    self.running.changed();
                }
                Change::Unread(what) => self.unread(what),
                Change::Say(native) => said.push(native),
            }
        }
        if self.held.since.is_none() {
            self.say(said).await;
        } else {
            said.truncate(MAX_HELD.saturating_sub(self.held.said.len()));
            self.held.said.append(&mut said);
        }
    }

    /// The hub's own connection is no more: its devices cannot be reached until the next start.
    fn end(&mut self) {
        error!(hub = self.running.name, "a bug: the hub's connection ended for good");
        self.running.tally().problem = Some("its connection ended for good: see the log".to_owned());
        self.reach(false);
    }

    /// What the hub says as soon as it is listened to.
    fn greet(&self) -> Vec<Change> {
        self.running.mqtt(Vec::new(), |hub| hub.hello()).into_iter().map(Change::Say).collect()
    }

    fn devices_change(&mut self) {
        let now = Instant::now();
        let first = self.held.since.map_or(now, |(first, _)| first);
        self.held.since = Some((first, now));
        // Who tells of devices is there, unless it said that it is not.
        if self.running.tally().online.is_none() {
            self.reach(true);
        }
    }

    fn reach(&mut self, online: bool) {
        let name = &self.running.name;
        self.tools.registry.set_hub_online(name, online);
        let before = {
            let mut tally = self.running.tally();
            if online {
                tally.away = None;
            }
            tally.online.replace(online)
        };
        if before != Some(online) {
            if online {
                info!(hub = name, "the hub can be reached");
            } else {
                warn!(hub = name, "the hub cannot be reached");
            }
            self.running.changed();
        }
    }

    fn state(&mut self, device: String, values: State) {
        let (id, now_ms) = (device_id(&self.running.name, &device), self.tools.clock.now_ms());
        let taken = self.tools.lane.hear(&id, &values, now_ms);
        if matches!(&taken, Ok(problems) if problems.is_empty()) {
            return;
        }
        // It may fit what the device is about to be, or a device that is about to come.
        if self.held.since.is_some() || matches!(taken, Err(RegistryError::UnknownDevice { .. })) {
            self.held.hold_state(id, values, now_ms);
        } else {
            self.complain(&id, taken);
        }
    }

    fn unread(&mut self, what: LeftOut) {
        if let Some(suppressed) = self.throttle.pass("unread", std::time::Instant::now()) {
            let LeftOut { id, reason, .. } = &what;
            warn!(hub = self.running.name, id, reason, suppressed, "something that the hub said is not read");
        }
        // How often is told with whatever else there is to tell: it may be said many times a second.
        if self.running.tally().note_unread(what) {
            self.running.changed();
        }
    }

    fn device(&mut self, device: String, online: bool) {
        let id = device_id(&self.running.name, &device);
        let known = self.tools.registry.set_online(&id, online);
        if self.held.since.is_some() || !known {
            self.held.hold_online(id, online);
        }
    }

    /// Takes the hub's home as it is now, and what waited for it; returns what is to be said then.
    fn bring(&mut self) -> Vec<Native> {
        let held = std::mem::take(&mut self.held);
        let name = self.running.name.clone();
        let brought = self.running.home();
        let document = named(&name, brought.document).to_string();
        let before = self.tools.registry.snapshot().revision;
        let result = self.tools.lane.bring(&name, &document);
        {
            let mut tally = self.running.tally();
            (tally.left_out, tally.unseen) = (brought.left_out, brought.unseen);
            match result {
                Ok(report) => {
                    let (revision, devices, rejected) = (report.revision, report.devices, report.rejected.len());
                    info!(hub = name, revision, devices, rejected, "the hub told its devices");
                    tally.problem = None;
                    tally.report = Some(report);
                    if revision != before {
                        self.pace.changed(Instant::now());
                    }
                }
                Err(error) => {
                    let problem = error.to_string();
                    warn!(hub = name, problem, "what the hub brought is refused; what it brought before stays");
                    tally.problem = Some(problem);
                }
            }
        }
        self.tools.ears.listen(&self.running);
        for (id, (at_ms, values)) in held.states {
            let taken = self.tools.lane.hear(&id, &values, at_ms);
            self.complain(&id, taken);
        }
        for (id, online) in held.online {
            self.tools.registry.set_online(&id, online);
        }
        self.running.changed();
        held.said
    }

    fn complain(&mut self, id: &str, taken: Result<Vec<String>, RegistryError>) {
        let problem = match taken {
            Ok(problems) if problems.is_empty() => return,
            Ok(problems) => problems.join("; "),
            Err(error) => error.to_string(),
        };
        // Of each hub once a minute: a device of its own for each message must not fill the log.
        if let Some(suppressed) = self.throttle.pass("state", std::time::Instant::now()) {
            warn!(hub = self.running.name, device = id, problem, suppressed, "a state is not (wholly) taken");
        }
    }

    /// Says what the hub wants said, in order.
    async fn say(&mut self, said: Vec<Native>) {
        let expires_ms = self.tools.clock.now_ms().saturating_add(FRESH_MS);
        let mut batch = Vec::new();
        for native in said {
            match native.to {
                To::Topic { topic, payload } if topics::may_be_told(&topic) => {
                    batch.push(Publication::new(topic, payload).fresh_until(expires_ms));
                }
                To::Topic { topic, .. } => {
                    if let Some(suppressed) = self.throttle.pass("topic", std::time::Instant::now()) {
                        warn!(
                            hub = self.running.name,
                            topic, suppressed, "a topic that no hub may be told anything on"
                        );
                    }
                }
                To::Connection(message) => {
                    let Some(line) = self.running.line() else { continue };
                    let delivery = Delivery { message, expires_ms, done: tokio::sync::oneshot::channel().0 };
                    let _ = line.try_send(delivery);
                }
            }
        }
        if batch.is_empty() {
            return;
        }
        let mut stop = self.tools.stop.clone();
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => {}
            _ = self.tools.outbound.send(batch) => {}
        }
    }
}
