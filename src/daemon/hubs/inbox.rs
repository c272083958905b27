//! What a hub said and nobody has looked at yet: bounded, whatever it says.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::transport::Hear;

/// Messages that may wait: as many announcements as a large house has come at once.
const MAX_MESSAGES: usize = 16_384;

/// Bytes that they may have together.
const MAX_BYTES: usize = 8 << 20;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) topic: String,
    pub(super) payload: Vec<u8>,
    pub(super) retained: bool,
}

/// What happened, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The broker is there and lets through what the hub listens to.
    Listening,
    /// A message.
    Heard(Message),
    /// Of what came before this, something was dropped.
    Lost,
}

/// The inbox of one hub.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    events: VecDeque<Event>,
    /// The number of the first event; the others follow.
    first: u64,
    /// The numbers of the newest messages by their topics.
    newest: HashMap<String, u64>,
    bytes: usize,
    dropped: u64,
    /// Something was dropped that nobody was told of.
    lost: bool,
}

impl Waiting {
    fn push(&mut self, event: Event) {
        if let Event::Heard(message) = &event {
            self.bytes += cost(message);
            self.newest.insert(message.topic.clone(), self.first + self.events.len() as u64);
        }
        self.events.push_back(event);
    }

    fn pop(&mut self) -> Option<Event> {
        let Some(event) = self.events.pop_front() else {
            return std::mem::take(&mut self.lost).then_some(Event::Lost);
        };
        if let Event::Heard(message) = &event {
            self.bytes -= cost(message);
            if self.newest.get(&message.topic) == Some(&self.first) {
                self.newest.remove(&message.topic);
            }
        }
        self.first += 1;
        Some(event)
    }

    fn fits(&self, message: &Message) -> bool {
        self.events.len() < MAX_MESSAGES && self.bytes + cost(message) <= MAX_BYTES
    }

    /// A newer message takes the place of what waits of its topic, if anything does and there is room; else it is lost.
    fn supersede(&mut self, message: Message) {
        let at = self.newest.get(&message.topic).and_then(|number| usize::try_from(number - self.first).ok());
        if let Some(Event::Heard(old)) = at.and_then(|at| self.events.get_mut(at))
            && self.bytes - cost(old) + cost(&message) <= MAX_BYTES
        {
            self.bytes = self.bytes - cost(old) + cost(&message);
            *old = message;
        } else {
            self.lost = true;
        }
    }
}

impl Inbox {
    /// The hub can be spoken to.
    pub(super) fn listening(&self) {
        self.waiting().push(Event::Listening);
        self.arrived.notify_one();
    }

    /// Messages that found no room so far.
    pub(super) fn dropped(&self) -> u64 {
        self.waiting().dropped
    }

    /// The next event.
    pub(super) async fn next(&self) -> Event {
        loop {
            let event = self.waiting().pop();
            if let Some(event) = event {
                return event;
            }
            self.arrived.notified().await;
        }
    }

    // Not held across an await.
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of a message.
fn cost(message: &Message) -> usize {
    message.topic.len() + message.payload.len()
}

impl Hear for Inbox {
    /// With no room left, what is newest of a topic counts, and what is of a topic that nothing waits of is dropped.
    fn hear(&self, topic: &str, payload: Vec<u8>, retained: bool) {
        let message = Message { topic: topic.to_owned(), payload, retained };
        let mut waiting = self.waiting();
        if waiting.fits(&message) {
            waiting.push(Event::Heard(message));
        } else {
            waiting.dropped += 1;
            waiting.supersede(message);
        }
        drop(waiting);
        self.arrived.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(inbox: &Inbox) -> Vec<(String, usize)> {
        let events = std::iter::from_fn(|| inbox.waiting().pop());
        let told = |event| match event {
            Event::Heard(message) => Some((message.topic, message.payload.len())),
            Event::Listening | Event::Lost => None,
        };
        events.filter_map(told).collect()
    }

    #[tokio::test]
    async fn messages_come_in_their_order() {
        let inbox = Inbox::default();
        inbox.listening();
        inbox.hear("a", b"1".to_vec(), true);
        inbox.hear("a", b"22".to_vec(), false);
        assert_eq!(inbox.next().await, Event::Listening);
        let first = Message { topic: "a".into(), payload: b"1".to_vec(), retained: true };
        assert_eq!(inbox.next().await, Event::Heard(first));
        assert_eq!(heard(&inbox), [("a".to_owned(), 2)]);
        assert_eq!(inbox.waiting().bytes, 0);
    }

    #[tokio::test]
    async fn that_something_was_lost_is_told_once_and_after_what_was_kept() {
        let inbox = Inbox::default();
        for topic in 0..MAX_MESSAGES + 5 {
            inbox.hear(&topic.to_string(), Vec::new(), false);
        }
        // The newest of a topic that waits already takes its place: nothing is lost by that.
        inbox.hear("0", Vec::new(), false);
        for _ in 0..MAX_MESSAGES {
            assert!(matches!(inbox.next().await, Event::Heard(_)));
        }
        assert_eq!(inbox.next().await, Event::Lost);
        inbox.hear("a", Vec::new(), false);
        assert!(matches!(inbox.next().await, Event::Heard(_)));
        assert_eq!(inbox.waiting().pop(), None);
    }

    #[test]
    fn a_flood_is_bounded_and_what_is_newest_of_a_topic_counts() {
        let inbox = Inbox::default();
        for round in 0..3 {
            for topic in 0..16 {
                inbox.hear(&format!("{topic:02}"), vec![0; (1 << 20) - 10 + round], false);
            }
        }
        assert!(inbox.waiting().bytes <= MAX_BYTES);
        assert_eq!(inbox.dropped(), 40);
        let heard = heard(&inbox);
        assert_eq!(heard.len(), 8);
        assert!(heard.iter().all(|(_, bytes)| *bytes == (1 << 20) - 8), "{heard:?}");
        assert_eq!(inbox.waiting().bytes, 0);
        for topic in 0..2 * MAX_MESSAGES {
            inbox.hear(&topic.to_string(), Vec::new(), false);
        }
        assert_eq!(inbox.waiting().events.len(), MAX_MESSAGES);
    }
}
