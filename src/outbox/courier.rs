//! Messages on their way to hubs with a connection of their own: a task for each hub, so that one that is away keeps nobody
//! else waiting.
//!
//! A hub is told things in the order in which they were decided, several at a time; of one device one after the other. What
//! it has not answered when its connection breaks is said again while it is fresh, unless it must not be said twice.

mod lane;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tracing::error;

use crate::clock::Clock;
use crate::hub::Delivery;
use crate::transport::{Fate, Row};
use lane::Lane;

/// Knows the connections of hubs.
pub trait Lines: Send + Sync + 'static {
    /// Where the hub of this name takes what is to be said; `None` while nobody is there.
    fn line(&self, hub: &str) -> Option<mpsc::Sender<Delivery>>;
}

/// A message for a hub.
#[derive(Debug)]
pub(super) struct Letter {
    pub(super) row: Row,
    /// The device that it is about.
    pub(super) device: String,
    pub(super) message: Value,
    pub(super) once: bool,
    pub(super) expires_ms: u64,
}

/// Takes messages to hubs.
pub struct Courier {
    lines: Arc<dyn Lines>,
    clock: Clock,
    settled: mpsc::Sender<(Row, Fate)>,
    /// Messages that may wait for one hub.
    capacity: usize,
    // Neither is held across an await.
    lanes: Mutex<HashMap<String, mpsc::Sender<Letter>>>,
    tasks: Mutex<JoinSet<()>>,
}

impl Courier {
    /// A courier for an outbox of `capacity` rows. The receiver tells of rows whose messages were answered, or are stale: they
    /// may go.
    pub fn new(lines: Arc<dyn Lines>, clock: Clock, capacity: usize) -> (Self, mpsc::Receiver<(Row, Fate)>) {
        let capacity = capacity.max(1);
        let (settled, receiver) = mpsc::channel(capacity);
        let (lanes, tasks) = (Mutex::default(), Mutex::default());
        (Self { lines, clock, settled, capacity, lanes, tasks }, receiver)
    }

    /// Takes a message for a hub, behind all others for it.
    pub(super) fn take(&self, hub: &str, letter: Letter) {
        let mut lanes = lock(&self.lanes);
        let lane = lanes.entry(hub.to_owned()).or_insert_with(|| self.open(hub));
        // As long as the outbox: it is full only if the task ended.
        if let Err(refused) = lane.try_send(letter) {
            error!(hub, "a bug: what is to be told to the hub has no room");
            let why = "there is no room for it".to_owned();
            let _ = self.settled.try_send((refused.into_inner().row, Fate::Refused(why)));
        }
    }

    fn open(&self, hub: &str) -> mpsc::Sender<Letter> {
        let (sender, letters) = mpsc::channel(self.capacity);
        let lane = Lane::new(hub, Arc::clone(&self.lines), self.clock.clone(), self.settled.clone());
        lock(&self.tasks).spawn(lane.run(letters));
        sender
    }

    /// Waits until all is said that was taken, but not longer than `until`; the rest is given after the next start.
    pub async fn stop(&self, until: Instant) {
        lock(&self.lanes).clear();
        let mut tasks = std::mem::take(&mut *lock(&self.tasks));
        let _ = timeout_at(until, async { while tasks.join_next().await.is_some() {} }).await;
        tasks.shutdown().await;
    }
}

impl fmt::Debug for Courier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Courier").field("capacity", &self.capacity).finish_non_exhaustive()
    }
}

/// A lock whose holder panicked is taken all the same: what it guards is whole between calls.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
