//! What became of orders: the state that a device reports afterwards confirms them, or does not.
//!
//! Pure bookkeeping behind a lock: who gives orders and who settles them tells [`Follow`], who owns a task looks at live state
//! now and then and tells those who asked.

mod same;
mod watches;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::audit::{Entry, Step};
use crate::frame::{Origin, Request, clean};
use crate::home::{Device, Snapshot, State};
use crate::transport::Fate;
use watches::Watches;

/// One device's order that was given.
#[derive(Debug)]
pub struct Given {
    /// Tells it from all others that are under way.
    pub number: u64,
    /// The device.
    pub device: String,
    /// The values that it is to have; none for a command.
    pub wanted: State,
    /// Live state says so already: nobody waits for it.
    pub noop: bool,
    /// The device belongs to a hub, which tells state.
    pub hub: bool,
    /// What the audit trail says of it, if the device is a risky one.
    pub ordered: Option<Arc<Entry>>,
}

/// How an order turned out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The device says that it is as it was told to be.
    Confirmed,
    /// It did not say so in time.
    Silent,
    /// Its hub would not, or could not.
    Rejected,
}

impl Verdict {
    /// As on the wire and in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Silent => "silent",
            Self::Rejected => "rejected",
        }
    }
}

/// What became of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Who asked.
    pub asked: Arc<Asked>,
    /// The device.
    pub device: String,
    /// How it turned out.
    pub verdict: Verdict,
    /// What the device says of what was wanted of it.
    pub state: State,
    /// How long it took, in milliseconds since the order was accepted.
    pub ms: u64,
    /// Why, if it was rejected: untrusted text.
    pub reason: Option<String>,
    /// What the audit trail says of the order, if the device is a risky one.
    pub ordered: Option<Arc<Entry>>,
}

/// Who gave an order, and in which request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The request.
    pub rid: String,
    /// Who asked.
    pub origin: Origin,
}

/// What did not work of a request, all of it together.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// Who asked.
    pub asked: Arc<Asked>,
    /// The devices that did not say that they did it.
    pub silent: Vec<String>,
    /// The devices whose hubs would not.
    pub rejected: Vec<String>,
}

/// What there is to tell.
#[derive(Debug, Default, PartialEq)]
pub struct News {
    /// Device by device.
    pub outcomes: Vec<Outcome>,
    /// Request by request.
    pub failed: Vec<Failed>,
}

impl Outcome {
    /// The payload of `outcome/{rid}`.
    pub fn payload(&self) -> Value {
        let mut payload = json!({
            "rid": self.asked.rid,
            "id": self.device,
            "result": self.verdict.as_str(),
            "state": self.state,
            "ms": self.ms,
        });
        if let Some(reason) = &self.reason {
            payload["reason"] = json!(clean(reason));
        }
        payload
    }

    /// What the audit trail says of it; of what was rejected it says so already.
    pub fn entry(&self, wall_ms: u64) -> Option<Entry> {
        let step = match self.verdict {
            Verdict::Confirmed => Step::Confirmed,
            Verdict::Silent => Step::Silent,
            Verdict::Rejected => return None,
        };
        Some(self.ordered.as_ref()?.then(step, vec![self.device.clone()], wall_ms))
    }
}

/// How long a device may take to do what it was told, by what it is.
pub type Takes = Box<dyn Fn(&Device) -> Duration + Send>;

/// Follows orders until their devices have said what became of them, or had the time to.
#[derive(Debug)]
pub struct Follow {
    // Not held across an await.
    watches: Mutex<Watches>,
    changed: Notify,
}

impl Follow {
    /// Devices have `window` to say that they did what they were told, from when they were told, and those that move
    /// slowly what `takes` says, if that is longer; an order is told within `ttl` or not at all.
    pub fn new(window: Duration, ttl: Duration, takes: Takes) -> Self {
        Self { watches: Mutex::new(Watches::new(millis(window), millis(ttl), takes)), changed: Notify::new() }
    }

    /// Orders of a request are written down, and go out from here on. `now_ms` as all times here by
    /// [`crate::clock::Clock::now_ms`].
    pub fn given(&self, request: &Request, given: Vec<Given>, now_ms: u64) {
        let asked = Asked { rid: request.rid.clone(), origin: request.origin.clone() };
        self.lock().given(asked, given, now_ms);
        self.changed.notify_one();
    }

    /// What was said for these orders has arrived, or never will.
    pub fn ended(&self, fates: impl IntoIterator<Item = (u64, Fate)>, now_ms: u64) {
        let mut watches = self.lock();
        fates.into_iter().for_each(|(number, fate)| watches.ended(number, &fate, now_ms));
        drop(watches);
        self.changed.notify_one();
    }

    /// What there is to tell now that the home is like this.
    pub fn look(&self, snapshot: &Snapshot, now_ms: u64) -> News {
        self.lock().look(snapshot, now_ms)
    }

    /// When a look is due though nothing changes; `None` while nothing is followed.
    pub fn due_ms(&self) -> Option<u64> {
        self.lock().due_ms()
    }

    /// Waits until something is given, or has ended.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// A lock whose holder panicked is taken all the same: at worst an order is followed no more.
    fn lock(&self) -> MutexGuard<'_, Watches> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
