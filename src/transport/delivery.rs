//! What was handed to the broker and what became of it: pure bookkeeping, no input or output.
//!
//! A durable row may be forgotten only when the broker acknowledged its message, but rumqttc tells the packet id of a
//! publish only in passing, as an event. What links the two is order: rumqttc takes requests one by one and tells of
//! each QoS 1 publish in that order. So everything is published at QoS 1, at most [`WINDOW`] at once (rumqttc stops
//! taking requests when it runs out of packet ids, and forgets to start again if the connection ends then), and a lost
//! connection ends the order: all that is unacknowledged is published anew on the next.
//!
//! All times are those of [`crate::clock::Clock::now_ms`]: they only go forward.
//!
//! Each device gets its instructs in the order they were given, one after the other: whatever waits for a listener is
//! waited for by those behind it, or a lamp that was switched off in the meantime would be switched on again.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use rumqttc::v5::mqttbytes::v5::{PubAckReason, Publish};

use super::publication::{Publication, Row};

/// Most messages that wait for an acknowledgement at once.
pub(super) const WINDOW: u16 = 64;

/// A broker that lost our session may have lost what it had acknowledged and not yet passed on: whatever it
/// acknowledged this long before the connection ended is published again then.
const RELAPSE_MS: u64 = 3_000;

/// First wait before an instruct that nobody was subscribed to is published again; doubles each time.
const UNHEARD_MS: u64 = 250;

/// Messages that never grow stale and wait for a broker that is away; what comes then waits with whoever says it.
const MAX_AWAY: usize = 1024;

/// Acknowledged messages kept for [`RELAPSE_MS`]; older ones go first.
const MAX_RELAPSE: usize = 4096;

/// What became of a message that is not published (again).
#[derive(Debug)]
pub(super) enum Settled {
    /// The broker has it: its row may go.
    Delivered(Row),
    /// It grew stale before the broker had it, or before anyone was there to hear it.
    Expired(Publication),
    /// The broker refuses it for good.
    Refused(Publication, PubAckReason),
    /// It may have arrived, and is not to be published twice.
    Unanswered(Publication),
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
    /// By lane: the instructs behind one that is submitted, in flight or due later.
    behind: HashMap<String, VecDeque<Publication>>,
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
            behind: HashMap::new(),
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

    /// When [`Self::next`] has something to do that no event will tell of.
    pub(super) fn due_ms(&self) -> Option<u64> {
        self.later.iter().map(|(due, _)| *due).min()
    }

    /// The next message to hand to rumqttc, in the order of these calls; stale ones are settled instead.
    pub(super) fn next(&mut self, now_ms: u64, settled: &mut Vec<Settled>) -> Option<Publish> {
        for _ in 0..self.later.len() {
            match self.later.pop_front() {
                Some((due, publication)) if due <= now_ms => {
                    self.let_pass(&publication.lane());
                    self.waiting.push_front(publication);
                }
                Some(not_yet) => self.later.push_back(not_yet),
                None => break,
            }
        }
        while self.outstanding() < self.window {
            let mut publication = self.waiting.pop_front()?;
            if publication.is_stale(now_ms) {
                settled.push(Settled::Expired(publication));
                continue;
            }
            if publication.is_instruct() {
                match self.behind.entry(publication.lane()) {
                    Entry::Occupied(mut before) => {
                        before.get_mut().push_back(publication);
                        continue;
                    }
                    Entry::Vacant(first) => first.insert(VecDeque::new()),
                };
            }
            let packet = publication.packet(now_ms);
            self.submitted.push_back(publication);
            return Some(packet);
        }
        None
    }

    /// While there is no broker: settles what grew stale, and leaves the newest of each topic that the broker would keep.
    /// Says whether there is room for more: whatever comes after something fresh is fresh as well.
    pub(super) fn age(&mut self, now_ms: u64, settled: &mut Vec<Settled>) -> bool {
        let mut newer = HashSet::new();
        let mut left = VecDeque::with_capacity(self.waiting.len());
        for mut publication in self.waiting.drain(..).rev() {
            if publication.is_stale(now_ms) {
                settled.push(Settled::Expired(publication));
            } else if !publication.is_retained() || newer.insert(publication.topic()) {
                left.push_front(publication);
            }
        }
        self.waiting = left;
        self.waiting.len() < MAX_AWAY && !self.waiting.iter().any(Publication::grows_stale)
    }

    /// rumqttc did not take what [`Self::next`] gave out last.
    pub(super) fn take_back(&mut self) -> Option<Settled> {
        let publication = self.submitted.pop_back()?;
        self.let_pass(&publication.lane());
        Some(Settled::Refused(publication, PubAckReason::UnspecifiedError))
    }

    /// What waits behind an instruct on this lane need not wait any more; what was given first goes first.
    fn let_pass(&mut self, lane: &str) {
        for publication in self.behind.remove(lane).into_iter().flatten().rev() {
            self.waiting.push_front(publication);
        }
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
        if !publication.is_instruct() {
            return match reason {
                PubAckReason::Success | PubAckReason::NoMatchingSubscribers => None,
                reason => Some(Settled::Refused(publication, reason)),
            };
        }
        match reason {
            PubAckReason::NoMatchingSubscribers if publication.aside => {
                self.let_pass(&publication.lane());
                publication.row.take().map(Settled::Delivered)
            }
            PubAckReason::Success => {
                self.let_pass(&publication.lane());
                let row = publication.row.take();
                if !publication.once {
                    self.relapse.push_back((now_ms, publication));
                }
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
            reason => {
                self.let_pass(&publication.lane());
                Some(Settled::Refused(publication, reason))
            }
        }
    }

    /// The connection ended at `now_ms`: whatever the broker did not acknowledge, or nobody heard, is to be published
    /// again, in order. What is not to be published twice comes back.
    pub(super) fn on_lost(&mut self, now_ms: u64) -> Vec<Settled> {
        self.window = 0;
        let under_way = std::mem::take(&mut self.in_flight).into_values().chain(self.submitted.drain(..));
        let (unanswered, mut again): (Vec<_>, Vec<_>) = under_way.partition(|publication| publication.once);
        again.extend(self.waiting.drain(..));
        again.extend(self.later.drain(..).map(|(_, publication)| publication));
        again.extend(self.behind.drain().flat_map(|(_, publications)| publications));
        again.retain(|publication| !publication.this_connection_only);
        again.sort_by_key(|publication| publication.order);
        self.waiting = again.into();
        self.relapse.retain(|(at, _)| at + RELAPSE_MS > now_ms);
        unanswered.into_iter().map(Settled::Unanswered).collect()
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
mod tests;
