//! What was handed to the broker and what became of it: pure bookkeeping, no input or output.
//!
//! A durable row may be forgotten only when the broker acknowledged its message, but rumqttc tells the packet id of a
//! publish only in passing, as an event. What links the two is order: rumqttc takes requests one by one and tells of
//! each QoS 1 publish in that order. So everything is published at QoS 1, at most [`WINDOW`] at once (rumqttc stops
//! taking requests when it runs out of packet ids, and forgets to start again if the connection ends then), and a lost
//! connection ends the order: all that is unacknowledged is published anew on the next.

use std::collections::{BTreeMap, VecDeque};

use rumqttc::v5::mqttbytes::v5::{PubAckReason, Publish};

use super::publication::{Publication, Row};

/// Most messages that wait for an acknowledgement at once.
pub(super) const WINDOW: u16 = 64;

/// A broker that lost our session may have lost what it had acknowledged and not yet passed on: whatever it
/// acknowledged this long before the connection ended is published again then.
const RELAPSE_MS: u64 = 3_000;

/// First wait before an instruct that nobody was subscribed to is published again; doubles each time.
const UNHEARD_MS: u64 = 250;

/// Acknowledged messages kept for [`RELAPSE_MS`]; older ones go first.
const MAX_RELAPSE: usize = 4096;

/// What became of a message that is not published (again).
#[derive(Debug)]
pub(super) enum Settled {
    /// The broker has it: its row may go.
    Delivered(Row),
    /// It grew stale before anyone had it.
    Expired(Publication),
    /// The broker refuses it for good.
    Refused(Publication, PubAckReason),
}

/// Messages between the daemon and the broker.
#[derive(Debug)]
pub(super) struct Delivery {
    /// Next to be published, in order.
    waiting: VecDeque<Publication>,
    /// Handed to rumqttc; their packet ids are not known yet.
    submitted: VecDeque<Publication>,
    /// Known to the broker by packet id.
    in_flight: BTreeMap<u16, Publication>,
    /// Acknowledged a moment ago, with the time in milliseconds.
    relapse: VecDeque<(u64, Publication)>,
    /// Not to be published before the time given, in milliseconds.
    later: VecDeque<(u64, Publication)>,
    window: usize,
    next_order: u64,
}

impl Delivery {
    pub(super) fn new() -> Self {
        Self {
            waiting: VecDeque::new(),
            submitted: VecDeque::new(),
            in_flight: BTreeMap::new(),
            relapse: VecDeque::new(),
            later: VecDeque::new(),
            window: 0,
            next_order: 0,
        }
    }

    /// Queues a message behind all others.
    pub(super) fn push(&mut self, mut publication: Publication) {
        publication.order = self.next_order;
        self.next_order += 1;
        self.waiting.push_back(publication);
    }

    /// Whether there is room for another message right now.
    pub(super) fn is_hungry(&self) -> bool {
        self.waiting.is_empty() && self.outstanding() < self.window
    }

    /// Whether everything but what nobody listens to is with the broker.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.outstanding() == 0
    }

    fn outstanding(&self) -> usize {
        self.submitted.len() + self.in_flight.len()
    }

    /// When [`Self::next`] has something to do that no event will tell of, in milliseconds since the epoch.
    pub(super) fn due_ms(&self) -> Option<u64> {
        self.later.iter().map(|(due, _)| *due).min()
    }

    /// The next message to hand to rumqttc, in the order of these calls; stale ones are settled instead.
    pub(super) fn next(&mut self, now_ms: u64, settled: &mut Vec<Settled>) -> Option<Publish> {
        for _ in 0..self.later.len() {
            match self.later.pop_front() {
                Some((due, publication)) if due <= now_ms => self.waiting.push_back(publication),
                Some(not_yet) => self.later.push_back(not_yet),
                None => break,
            }
        }
        while self.outstanding() < self.window {
            let publication = self.waiting.pop_front()?;
            if publication.is_stale(now_ms) {
                settled.push(Settled::Expired(publication));
                continue;
            }
            let packet = publication.packet(now_ms);
            self.submitted.push_back(publication);
            return Some(packet);
        }
        None
    }

    /// rumqttc did not take what [`Self::next`] gave out last.
    pub(super) fn take_back(&mut self) -> Option<Settled> {
        let publication = self.submitted.pop_back()?;
        Some(Settled::Refused(publication, PubAckReason::UnspecifiedError))
    }

    /// rumqttc gave the oldest submitted message this packet id.
    pub(super) fn on_sent(&mut self, packet_id: u16) {
        if let Some(publication) = self.submitted.pop_front() {
            self.in_flight.insert(packet_id, publication);
        }
    }

    /// The broker acknowledged a packet id.
    pub(super) fn on_acknowledged(&mut self, packet_id: u16, reason: PubAckReason, now_ms: u64) -> Option<Settled> {
        let mut publication = self.in_flight.remove(&packet_id)?;
        if !publication.expires() {
            return match reason {
                PubAckReason::Success | PubAckReason::NoMatchingSubscribers => None,
                reason => Some(Settled::Refused(publication, reason)),
            };
        }
        match reason {
            PubAckReason::Success => {
                let row = publication.row.take();
                self.relapse.push_back((now_ms, publication));
                let old = |(at, _): &(u64, _)| at + RELAPSE_MS <= now_ms;
                while self.relapse.len() > MAX_RELAPSE || self.relapse.front().is_some_and(old) {
                    self.relapse.pop_front();
                }
                row.map(Settled::Delivered)
            }
            // After a restart of the broker its other clients may come back later than we do: an order that nobody
            // heard is given again while it is fresh.
            PubAckReason::NoMatchingSubscribers | PubAckReason::QuotaExceeded => {
                let wait = UNHEARD_MS << publication.unheard.min(5);
                publication.unheard += 1;
                self.later.push_back((now_ms + wait, publication));
                None
            }
            reason => Some(Settled::Refused(publication, reason)),
        }
    }

    /// The connection ended at `now_ms`: whatever the broker did not acknowledge is to be published again, in order.
    pub(super) fn on_lost(&mut self, now_ms: u64) {
        self.window = 0;
        let mut again: Vec<_> = std::mem::take(&mut self.in_flight).into_values().collect();
        again.extend(self.submitted.drain(..));
        again.extend(self.waiting.drain(..));
        again.retain(|publication| !publication.this_connection_only);
        again.sort_by_key(|publication| publication.order);
        self.waiting = again.into();
        self.relapse.retain(|(at, _)| at + RELAPSE_MS > now_ms);
    }

    /// A connection is there that takes `window` messages at once. A broker that lost our session is given again what
    /// it acknowledged last.
    pub(super) fn on_connected(&mut self, session_present: bool, window: u16) {
        self.window = usize::from(window.clamp(1, WINDOW));
        let mut again: Vec<_> = std::mem::take(&mut self.relapse).into_iter().map(|(_, p)| p).collect();
        if !session_present {
            again.extend(self.waiting.drain(..));
            again.sort_by_key(|publication| publication.order);
            self.waiting = again.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TTL: u64 = 10_000;

    fn instruct(seq: u64, expires_ms: u64) -> Publication {
        Publication::new(format!("i/{seq}"), vec![]).durable(Row { seq, permit: None }, expires_ms)
    }

    fn connected(window: u16) -> Delivery {
        let mut delivery = Delivery::new();
        delivery.on_connected(false, window);
        delivery
    }

    /// Hands everything that fits to rumqttc and returns the topics.
    fn pump(delivery: &mut Delivery, now_ms: u64) -> Vec<String> {
        let mut settled = Vec::new();
        let packets = std::iter::from_fn(|| delivery.next(now_ms, &mut settled));
        packets.map(|p| String::from_utf8(p.topic.to_vec()).unwrap()).collect()
    }

    fn acknowledge(delivery: &mut Delivery, id: u16, reason: PubAckReason) -> Option<u64> {
        match delivery.on_acknowledged(id, reason, 0) {
            Some(Settled::Delivered(row)) => Some(row.seq),
            _ => None,
        }
    }

    #[test]
    fn a_row_is_delivered_when_its_own_packet_id_is_acknowledged() {
        let mut delivery = connected(8);
        delivery.push(instruct(1, TTL));
        delivery.push(Publication::new("plain".into(), vec![]));
        delivery.push(instruct(2, TTL));
        assert_eq!(pump(&mut delivery, 0), ["i/1", "plain", "i/2"]);
        for id in [7, 8, 9] {
            delivery.on_sent(id);
        }
        assert_eq!(acknowledge(&mut delivery, 9, PubAckReason::Success), Some(2));
        assert_eq!(acknowledge(&mut delivery, 8, PubAckReason::Success), None);
        assert_eq!(acknowledge(&mut delivery, 7, PubAckReason::Success), Some(1));
        assert_eq!(acknowledge(&mut delivery, 7, PubAckReason::Success), None);
        assert!(delivery.is_idle());
    }

    #[test]
    fn no_more_than_the_window_is_outstanding() {
        let mut delivery = connected(2);
        for seq in 0..5 {
            delivery.push(instruct(seq, TTL));
        }
        assert_eq!(pump(&mut delivery, 0), ["i/0", "i/1"]);
        delivery.on_sent(1);
        delivery.on_acknowledged(1, PubAckReason::Success, 0);
        assert_eq!(pump(&mut delivery, 0), ["i/2"]);
    }

    #[test]
    fn nothing_is_published_without_a_connection() {
        let mut delivery = Delivery::new();
        delivery.push(instruct(1, TTL));
        assert!(pump(&mut delivery, 0).is_empty());
        assert!(!delivery.is_hungry());
    }

    #[test]
    fn what_was_not_acknowledged_is_published_again_in_order() {
        let mut delivery = connected(3);
        for seq in 0..4 {
            delivery.push(instruct(seq, TTL));
        }
        pump(&mut delivery, 0);
        delivery.on_sent(1);
        delivery.on_sent(2);
        delivery.on_acknowledged(1, PubAckReason::Success, 0);
        delivery.on_lost(1);
        delivery.on_connected(true, 64);
        assert_eq!(pump(&mut delivery, 1), ["i/1", "i/2", "i/3"]);
    }

    #[test]
    fn a_broker_that_lost_the_session_is_given_again_what_it_acknowledged_last() {
        let mut delivery = connected(3);
        for seq in 0..3 {
            delivery.push(instruct(seq, TTL));
        }
        pump(&mut delivery, 0);
        for id in 1..=3 {
            delivery.on_sent(id);
        }
        delivery.on_acknowledged(1, PubAckReason::Success, 100);
        delivery.on_acknowledged(2, PubAckReason::Success, 4_000);
        delivery.on_lost(5_000);
        delivery.on_connected(false, 64);
        assert_eq!(pump(&mut delivery, 5_000), ["i/1", "i/2"]);
    }

    #[test]
    fn what_is_given_again_waits_for_a_listener_too() {
        let mut delivery = connected(3);
        delivery.push(instruct(0, TTL));
        pump(&mut delivery, 0);
        delivery.on_sent(1);
        assert_eq!(acknowledge(&mut delivery, 1, PubAckReason::Success), Some(0));
        delivery.on_lost(100);
        delivery.on_connected(false, 64);
        assert_eq!(pump(&mut delivery, 100), ["i/0"]);
        delivery.on_sent(1);
        delivery.on_acknowledged(1, PubAckReason::NoMatchingSubscribers, 100);
        assert_eq!(pump(&mut delivery, 100 + UNHEARD_MS), ["i/0"]);
    }

    #[test]
    fn stale_instructs_are_never_published() {
        let mut delivery = connected(8);
        delivery.push(instruct(1, 500));
        delivery.push(instruct(2, 501));
        let mut settled = Vec::new();
        let packet = delivery.next(500, &mut settled).unwrap();
        assert_eq!(packet.topic, "i/2");
        assert_eq!(packet.properties.unwrap().message_expiry_interval, Some(1));
        assert!(matches!(&settled[..], [Settled::Expired(p)] if p.topic() == "i/1"));
    }

    #[test]
    fn an_instruct_that_nobody_heard_is_given_again_while_it_is_fresh() {
        let mut delivery = connected(8);
        delivery.push(instruct(1, 1_000));
        pump(&mut delivery, 0);
        delivery.on_sent(1);
        assert!(delivery.on_acknowledged(1, PubAckReason::NoMatchingSubscribers, 0).is_none());
        assert!(delivery.is_idle());
        assert_eq!(delivery.due_ms(), Some(UNHEARD_MS));
        assert!(pump(&mut delivery, UNHEARD_MS - 1).is_empty());
        assert_eq!(pump(&mut delivery, UNHEARD_MS), ["i/1"]);
        delivery.on_sent(2);
        delivery.on_acknowledged(2, PubAckReason::NoMatchingSubscribers, UNHEARD_MS);
        let mut settled = Vec::new();
        assert!(delivery.next(5_000, &mut settled).is_none());
        assert!(matches!(settled[..], [Settled::Expired(_)]));
    }

    #[test]
    fn a_plain_message_that_nobody_heard_is_done() {
        let mut delivery = connected(8);
        delivery.push(Publication::new("plain".into(), vec![]));
        pump(&mut delivery, 0);
        delivery.on_sent(1);
        assert!(delivery.on_acknowledged(1, PubAckReason::NoMatchingSubscribers, 0).is_none());
        assert_eq!(delivery.due_ms(), None);
    }

    #[test]
    fn what_the_broker_refuses_is_not_repeated() {
        let mut delivery = connected(8);
        delivery.push(instruct(1, TTL));
        pump(&mut delivery, 0);
        delivery.on_sent(1);
        let settled = delivery.on_acknowledged(1, PubAckReason::NotAuthorized, 0);
        assert!(matches!(settled, Some(Settled::Refused(_, PubAckReason::NotAuthorized))));
        assert!(delivery.is_idle());
    }

    #[test]
    fn a_status_is_not_repeated_on_the_next_connection() {
        let mut delivery = connected(8);
        delivery.push(Publication::new("status".into(), vec![]).of_this_connection());
        pump(&mut delivery, 0);
        delivery.on_lost(0);
        delivery.on_connected(false, 8);
        assert!(pump(&mut delivery, 0).is_empty());
    }

    proptest! {
        /// Whatever happens to the connection, every row ends exactly once, and only after its own acknowledgement.
        #[test]
        fn every_row_is_settled_exactly_once(script in prop::collection::vec((0u8..6, any::<bool>()), 0..400)) {
            let (mut delivery, mut settled, mut done) = (connected(5), Vec::new(), Vec::new());
            // A broker and a rumqttc of our own: what was handed over, and what has which packet id.
            let (mut handed, mut ids, mut next_id) = (VecDeque::new(), VecDeque::new(), 1u16);
            let mut pushed = 0u64;
            for (step, flag) in script.into_iter().chain(std::iter::repeat_n([(1, true), (2, true), (3, true)], 600).flatten()) {
                match step {
                    0 if pushed < 64 => { delivery.push(instruct(pushed, TTL)); pushed += 1; }
                    1 => while let Some(packet) = delivery.next(0, &mut settled) { handed.push_back(packet.topic) },
                    2 => if let Some(topic) = handed.pop_front() {
                        delivery.on_sent(next_id);
                        ids.push_back((next_id, topic));
                        next_id = next_id % 60 + 1;
                    },
                    3 => if let Some((id, topic)) = ids.pop_front()
                        && let Some(Settled::Delivered(row)) = delivery.on_acknowledged(id, PubAckReason::Success, 0)
                    {
                        let expected = format!("i/{}", row.seq);
                        prop_assert_eq!(expected.as_bytes(), &topic[..]);
                        done.push(row.seq);
                    },
                    4 => {
                        delivery.on_lost(0);
                        handed.clear();
                        ids.clear();
                        delivery.on_connected(flag, 5);
                    }
                    _ => {}
                }
            }
            done.sort_unstable();
            prop_assert_eq!(done, (0..pushed).collect::<Vec<_>>());
            prop_assert!(settled.is_empty());
        }
    }
}
