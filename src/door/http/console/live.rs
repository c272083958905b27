//! What is new, written once for all who look.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::account;
use crate::home::{DeviceIndex, Registry, Snapshot};
use crate::job::Jobs;
use crate::ledger::{Ledger, News};

/// Pages that may be open at once.
const MAX_READERS: usize = 50;

/// How long what was said waits until it is written for readers.
const LATER: Duration = Duration::from_millis(50);

/// Events that a reader may be behind; beyond, it is told how many it missed.
const BEHIND: usize = 256;

/// How often state is told of, and of how many devices each time.
const ROUND: Duration = Duration::from_millis(250);
const DEVICES_A_ROUND: usize = 64;

/// Writes events for readers.
#[derive(Debug)]
pub struct Live {
    events: broadcast::Sender<Bytes>,
    room: Arc<Semaphore>,
}

/// What is told of.
#[derive(Debug)]
pub struct Sources {
    /// What was said.
    pub ledger: Arc<Ledger>,
    /// The home.
    pub registry: Arc<Registry>,
    /// What is to be done later.
    pub jobs: Arc<Jobs>,
}

impl Default for Live {
    fn default() -> Self {
        Self { events: broadcast::channel(BEHIND).0, room: Arc::new(Semaphore::new(MAX_READERS)) }
    }
}

impl Live {
    /// Hears all that is told from now on; `None` when too many do.
    pub(super) fn listen(&self) -> Option<(broadcast::Receiver<Bytes>, OwnedSemaphorePermit)> {
        let place = Arc::clone(&self.room).try_acquire_owned().ok()?;
        Some((self.events.subscribe(), place))
    }

    /// Writes an event, if anybody looks.
    fn tell(&self, name: &str, data: impl FnOnce() -> Value) {
        if self.events.receiver_count() > 0 {
            // Whoever left meanwhile has no more interest.
            let _ = self.events.send(event(name, &data()));
        }
    }

    /// Tells for as long as it is polled.
    pub async fn run(self: Arc<Self>, sources: Sources) {
        let Sources { ledger, registry, jobs } = sources;
        let zone = jobs.settings().zone.clone();
        let (mut said, mut homes, mut book) = (ledger.listen(), registry.changes(), jobs.changes());
        let mut told = Told { snapshot: registry.snapshot(), waiting: BTreeSet::new() };
        let mut rounds = interval(ROUND);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stale = false;
        loop {
            tokio::select! {
                heard = said.recv() => {
                    if self.events.receiver_count() > 0 {
                        // Whoever spoke is answered first, and what comes together is written together.
                        sleep(LATER).await;
                    }
                    let mut heard = Some(heard);
                    while let Some(news) = heard.take() {
                        match news {
                            Ok(News::Account(account)) => self.tell("utterance", || account::account(&account, &zone)),
                            Ok(News::Outcome(outcome)) => self.tell("outcome", || account::told(&outcome)),
                            Err(RecvError::Lagged(missed)) => self.tell("lagged", || json!({"missed": missed})),
                            Err(RecvError::Closed) => return,
                        }
                        heard = at_hand(&mut said);
                    }
                }
                changed = homes.changed(), if !stale => {
                    if changed.is_err() {
                        return;
                    }
                    stale = true;
                }
                _ = rounds.tick(), if stale => {
                    homes.mark_unchanged();
                    stale = self.round(&mut told, registry.snapshot());
                }
                changed = book.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    self.tell("jobs", || json!({}));
                }
            }
        }
    }

    /// Tells what is new of the home; whether there is more.
    fn round(&self, told: &mut Told, now: Arc<Snapshot>) -> bool {
        let before = std::mem::replace(&mut told.snapshot, Arc::clone(&now));
        if before.revision != now.revision {
            told.waiting.clear();
            self.tell("home", || json!({"revision": now.revision}));
        } else {
            told.waiting.extend(now.live.changed_since(&before.live));
        }
        for _ in 0..DEVICES_A_ROUND {
            let Some(device) = told.waiting.pop_first() else { break };
            self.tell("state", || {
                let (id, state) = (&now.home.devices[device].id, &now.live.get(device).values);
                json!({"id": id, "state": state, "online": now.live.online(device)})
            });
        }
        !told.waiting.is_empty()
    }
}

/// What is new already.
fn at_hand(said: &mut broadcast::Receiver<News>) -> Option<Result<News, RecvError>> {
    match said.try_recv() {
        Ok(news) => Some(Ok(news)),
        Err(TryRecvError::Lagged(missed)) => Some(Err(RecvError::Lagged(missed))),
        Err(TryRecvError::Closed) => Some(Err(RecvError::Closed)),
        Err(TryRecvError::Empty) => None,
    }
}

/// What readers know of the home.
struct Told {
    snapshot: Arc<Snapshot>,
    /// Devices whose state is yet to be told.
    waiting: BTreeSet<DeviceIndex>,
}

/// An event as the stream has it.
pub(super) fn event(name: &str, data: &Value) -> Bytes {
    // JSON has no line breaks of its own.
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}
