//! What waits for a hub's next home, and how long it may wait.

use super::*;

/// And after so long, quiet or not.
const PATIENCE: Duration = Duration::from_secs(5);

/// A hub whose devices keep changing is asked ever more seldom, down to once in so long: each time the home is made anew.
const SELDOM: Duration = Duration::from_secs(60);

/// Bytes that the states of them may have together.
const MAX_HELD_BYTES: usize = 2 << 20;

/// How often a hub's home is taken.
#[derive(Default)]
pub(super) struct Pace {
    /// When it was taken last and was another than before, and how long to wait from then on.
    pub(super) last: Option<(Instant, Duration)>,
}

impl Pace {
    /// It was taken and was another than before.
    pub(super) fn changed(&mut self, now: Instant) {
        let wait = match self.last {
            Some((last, wait)) if now < last + wait + SELDOM => (wait * 2).min(SELDOM),
            _ => QUIET,
        };
        self.last = Some((now, wait));
    }

    /// When it may be taken that is due then.
    pub(super) fn earliest(&self, due: Instant) -> Instant {
        self.last.map_or(due, |(last, wait)| due.max(last + wait))
    }
}

/// What waits for the hub's next home: a broker gives what it kept in any order.
#[derive(Default)]
pub(super) struct Held {
    /// When the hub said first and last that its devices change.
    pub(super) since: Option<(Instant, Instant)>,
    pub(super) states: BTreeMap<String, (u64, State)>,
    pub(super) bytes: usize,
    pub(super) online: BTreeMap<String, bool>,
    /// What the hub wants said: what it asks of new devices is answered where nobody listens yet.
    pub(super) said: Vec<Native>,
}

impl Held {
    pub(super) fn due(&self) -> Option<Instant> {
        self.since.map(|(first, last)| (last + QUIET).min(first + PATIENCE))
    }

    /// Keeps the newest values of a device, as far as there is room.
    pub(super) fn hold_state(&mut self, id: String, values: State, now_ms: u64) {
        let before = self.states.get(&id).map_or(0, |(_, state)| weight(state));
        let mut state = self.states.get(&id).map(|(_, state)| state.clone()).unwrap_or_default();
        state.extend(values);
        let bytes = self.bytes - before + weight(&state);
        if bytes <= MAX_HELD_BYTES && (before > 0 || self.states.len() < MAX_HELD) {
            self.bytes = bytes;
            self.states.insert(id, (now_ms, state));
        }
    }

    pub(super) fn hold_online(&mut self, id: String, online: bool) {
        if self.online.len() < MAX_HELD || self.online.contains_key(&id) {
            self.online.insert(id, online);
        }
    }
}

/// About what a state takes, in bytes.
fn weight(state: &State) -> usize {
    state.iter().map(|(key, value)| key.len() + value.to_string().len() + 64).sum()
}

#[cfg(test)]
mod tests;
