//! Answers that nobody is left to hear. What was asked is done or not all the same: that there was an answer is said here,
//! in the log and in the numbers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;
use tokio::sync::mpsc;
use tracing::warn;

use crate::frame::Origin;
use crate::observe::Metrics;
use crate::text::displayable;
use crate::transport::Throttle;

/// Characters of an id in the log.
const ID_CHARS: usize = 128;

/// Counts the answers that nobody heard.
#[derive(Debug)]
pub(super) struct Unheard {
    pub(super) metrics: Metrics,
    throttle: Mutex<Throttle>,
}

impl Unheard {
    pub(super) fn new(metrics: Metrics) -> Self {
        Self { metrics, throttle: Mutex::default() }
    }

    /// One more, of a request that was called so. `why` is of a small fixed set.
    pub(super) fn note(&self, origin: &Origin, id: &str, why: &'static str) {
        let (door, client) = (origin.door.as_str(), &origin.client);
        self.metrics.unheard(door);
        let mut throttle = self.throttle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(suppressed) = throttle.pass_of(why, &format!("{door}/{client}"), Instant::now()) {
            let id = displayable(id, ID_CHARS);
            warn!(door, client, id, suppressed, "{why}");
        }
    }
}

/// How far a request came that somebody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It waits for its turn.
    Waits,
    /// It is served, or will be.
    Taken,
    /// It was answered.
    Over,
}

/// Somebody who waits for an answer. If they leave before, that is said.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) stage: Stage,
    unheard: Arc<Unheard>,
    origin: Origin,
    rid: String,
}

impl Listener {
    pub(super) fn new(unheard: &Arc<Unheard>, origin: &Origin, rid: &str) -> Self {
        Self { stage: Stage::Waits, unheard: Arc::clone(unheard), origin: origin.clone(), rid: rid.to_owned() }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let why = match self.stage {
            Stage::Waits => "whoever asked left before their turn; nothing was done",
            Stage::Taken => "whoever asked left; nobody hears what becomes of it",
            Stage::Over => return,
        };
        self.unheard.note(&self.origin, &self.rid, why);
    }
}

/// Which answer a message is, if it is one.
type Id = fn(&Value) -> Option<String>;

/// Puts messages on their way to one connection.
#[derive(Clone, Debug)]
pub(super) struct Teller {
    messages: mpsc::Sender<Value>,
    lost: Lost,
}

/// The messages on their way to one connection. Answers that are left when it ends are said to be unheard.
#[derive(Debug)]
pub(super) struct Outgoing {
    messages: mpsc::Receiver<Value>,
    lost: Lost,
}

#[derive(Clone, Debug)]
struct Lost {
    unheard: Arc<Unheard>,
    origin: Origin,
    id: Id,
}

/// Both ends for a connection of `origin`, with room for so many messages.
pub(super) fn outgoing(room: usize, unheard: &Arc<Unheard>, origin: &Origin, id: Id) -> (Teller, Outgoing) {
    let (sender, receiver) = mpsc::channel(room);
    let lost = Lost { unheard: Arc::clone(unheard), origin: origin.clone(), id };
    (Teller { messages: sender, lost: lost.clone() }, Outgoing { messages: receiver, lost })
}

impl Teller {
    /// Does not wait: whoever tells sees to it that there is room. False when the connection is gone.
    pub(super) fn tell(&self, message: Value) -> bool {
        let sent = self.messages.try_send(message);
        if let Err(error) = &sent {
            let (mpsc::error::TrySendError::Full(message) | mpsc::error::TrySendError::Closed(message)) = error;
            self.lost.note(message);
        }
        sent.is_ok()
    }
}

impl Outgoing {
    /// The next one; never the end, since its teller is there.
    pub(super) async fn next(&mut self) -> Option<Value> {
        self.messages.recv().await
    }

    /// The next one, if it is there.
    pub(super) fn try_next(&mut self) -> Option<Value> {
        self.messages.try_recv().ok()
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

    /// One that was taken out could not be sent.
    pub(super) fn lose(&self, message: &Value) {
        self.lost.note(message);
    }
}

impl Lost {
    fn note(&self, message: &Value) {
        if let Some(id) = (self.id)(message) {
            self.unheard.note(&self.origin, &id, "the connection ended before an answer was sent; nobody hears it");
        }
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        // Whoever tells more from here on is told that it is over, and says so.
        self.messages.close();
        while let Ok(message) = self.messages.try_recv() {
            self.lost.note(&message);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::frame::Door;
    use crate::observe::Sample;

    #[tokio::test]
    async fn what_a_connection_leaves_behind_is_said_to_be_unheard_whenever_it_was_told() {
        let metrics = Metrics::default();
        let unheard = Arc::new(Unheard::new(metrics.clone()));
        let origin = Origin { door: Door::Mcp, client: "toy".into() };
        let (teller, mut answers) = outgoing(4, &unheard, &origin, |message| Some(message.as_str()?.to_owned()));
        assert!(["a", "b", "c"].into_iter().all(|id| teller.tell(json!(id))));
        // Not an answer.
        teller.tell(json!(1));
        assert_eq!(answers.next().await, Some(json!("a")));
        drop(answers);
        assert!(!teller.tell(json!("d")));
        let text = metrics.text(Sample::default());
        assert!(text.contains("zhiju_unheard_total{door=\"mcp\"} 3\n"), "{text}");
    }
}
