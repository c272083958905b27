//! Room for messages that nobody has looked at yet: however much one sender has waiting, some is left for others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::topics::Incoming;

/// Messages of one satellite or application that may wait; more than anybody says. They are looked at in the order in which
/// they came, so that this is also how long others wait behind them.
const MAX_SPOKEN: usize = 256;

/// What messages take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) messages: usize,
    pub(super) bytes: usize,
}

/// The room.
#[derive(Debug)]
pub(super) struct Room {
    whole: Load,
    // Not held across an await.
    taken: Mutex<HashMap<Incoming, Load>>,
}

/// A message's part of the room, for as long as it is kept.
#[derive(Debug)]
pub struct Share {
    room: Arc<Room>,
    sender: Incoming,
    bytes: usize,
}

impl Room {
    pub(super) fn of(whole: Load) -> Arc<Self> {
        Arc::new(Self { whole, taken: Mutex::default() })
    }

    /// Room for a message; `None` when its sender would have more than is left, or says more than anybody does. So one that is
    /// alone has half at most, the next one half of the rest.
    pub(super) fn take(self: &Arc<Self>, about: &Incoming, bytes: usize) -> Option<Share> {
        let sender = sender(about);
        let mut taken = self.taken();
        let (mut messages, mut all_bytes) = (1, bytes);
        for load in taken.values() {
            messages += load.messages;
            all_bytes += load.bytes;
        }
        let own = taken.get(&sender).copied().unwrap_or_default();
        let own = Load { messages: own.messages + 1, bytes: own.bytes + bytes };
        let left = |whole: usize, all: usize| whole.checked_sub(all);
        let most =
            if matches!(sender, Incoming::Utterance(_) | Incoming::Request(_)) { MAX_SPOKEN } else { usize::MAX };
        let fits = own.messages <= most
            && left(self.whole.messages, messages).is_some_and(|left| own.messages <= left)
            && left(self.whole.bytes, all_bytes).is_some_and(|left| own.bytes <= left);
        fits.then(|| {
            taken.insert(sender.clone(), own);
            Share { room: Arc::clone(self), sender, bytes }
        })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<Incoming, Load>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.room.taken();
        if let Some(load) = taken.get_mut(&self.sender) {
            load.messages -= 1;
            load.bytes -= self.bytes;
            if load.messages == 0 {
                taken.remove(&self.sender);
            }
        }
    }
}

/// Who sends: the topic tells, save that all states come from the hub.
fn sender(about: &Incoming) -> Incoming {
    match about {
        Incoming::State(_) => Incoming::State(String::new()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn satellite(name: &str) -> Incoming {
        Incoming::Utterance(name.into())
    }

    fn fill(room: &Arc<Room>, about: &Incoming, bytes: usize) -> Vec<Share> {
        std::iter::from_fn(|| room.take(about, bytes)).collect()
    }

    #[test]
    fn whoever_sends_most_leaves_as_much_for_others() {
        let room = Room::of(Load { messages: 64, bytes: 64_000 });
        let flood = fill(&room, &satellite("flood"), 10);
        assert_eq!(flood.len(), 32);
        let next: Vec<Share> = ["a", "b", "c"].iter().filter_map(|name| room.take(&satellite(name), 10)).collect();
        assert_eq!(next.len(), 3);
        assert!(room.take(&satellite("flood"), 10).is_none());
        drop((flood, next));
        assert!(room.taken().is_empty());
    }

    #[test]
    fn nobody_waits_behind_more_than_anybody_says() {
        let room = Room::of(Load { messages: 16 * MAX_SPOKEN, bytes: 1 << 20 });
        assert_eq!(fill(&room, &satellite("flood"), 1).len(), MAX_SPOKEN);
        let states: Vec<Share> = fill(&room, &Incoming::State("lamp".into()), 1);
        assert_eq!(states.len(), 8 * MAX_SPOKEN);
    }

    #[test]
    fn large_messages_are_bounded_by_their_bytes() {
        let room = Room::of(Load { messages: 64, bytes: 400 });
        assert!(room.take(&Incoming::Registry, 201).is_none());
        let whole = room.take(&Incoming::Registry, 200);
        assert!(whole.is_some() && room.take(&Incoming::Registry, 1).is_none());
        assert!(room.take(&satellite("a"), 100).is_some());
    }

    #[test]
    fn all_states_are_one_senders() {
        let room = Room::of(Load { messages: 8, bytes: 8_000 });
        let states: Vec<Share> = (0..8).filter_map(|n| room.take(&Incoming::State(n.to_string()), 10)).collect();
        assert_eq!(states.len(), 4);
    }
}
