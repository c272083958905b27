//! A message on its way out.

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Publish, PublishProperties};
use tokio::sync::OwnedSemaphorePermit;

/// A message on its way to the broker.
#[derive(Debug)]
pub struct Publication {
    publish: Publish,
    /// When it is stale, by [`crate::clock::Clock::now_ms`]: it is not published from then on.
    expires_ms: Option<u64>,
    /// What is published instead once it is stale.
    late: Option<Vec<u8>>,
    instruct: bool,
    /// What goes on one lane goes one after the other; without one, an instruct's lane is its topic.
    lane: Option<String>,
    /// Nobody needs to hear it: what moves the device goes another way.
    pub(super) aside: bool,
    /// Doing it twice is another thing than doing it once.
    pub(super) once: bool,
    pub(crate) row: Option<Row>,
    pub(super) this_connection_only: bool,
    /// Its place among all messages.
    pub(super) order: u64,
    /// How often nobody was subscribed to it.
    pub(super) unheard: u32,
}

/// The durable row that a message leaves behind, to be removed once the broker has the message.
#[derive(Debug)]
pub struct Row {
    /// Its key in the outbox.
    pub seq: u64,
    /// Its share of the outbox's capacity, given back when the row is gone.
    pub permit: Option<OwnedSemaphorePermit>,
}

/// What became of the message of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// The broker has it, or the hub that it was for took it.
    Delivered,
    /// It grew stale before anyone had it, or before anyone was there to hear it.
    Expired,
    /// It was too large, or the broker or the hub refuses it, for this reason.
    Refused(String),
    /// It may have arrived and may have not: nobody answered, and it is not to be said twice.
    Unanswered,
}

impl Publication {
    /// A message that is lost if the daemon ends before the broker has it.
    pub fn new(topic: String, payload: Vec<u8>) -> Self {
        Self {
            publish: Publish::new(topic, QoS::AtLeastOnce, payload, None),
            expires_ms: None,
            late: None,
            instruct: false,
            lane: None,
            aside: false,
            once: false,
            row: None,
            this_connection_only: false,
            order: 0,
            unheard: 0,
        }
    }

    /// The broker keeps it for later subscribers.
    #[must_use]
    pub fn retained(mut self) -> Self {
        self.publish.retain = true;
        self
    }

    /// Properties of MQTT 5, for answers to a response topic.
    #[must_use]
    pub fn with_properties(mut self, properties: PublishProperties) -> Self {
        self.publish.properties = Some(properties);
        self
    }

    /// It is an instruct, written down in `row` and not published at or after `expires_ms`, as all times here by
    /// [`crate::clock::Clock::now_ms`].
    #[must_use]
    pub fn durable(mut self, row: Row, expires_ms: u64) -> Self {
        self.row = Some(row);
        self.instruct = true;
        self.fresh_until(expires_ms)
    }

    /// It goes behind whatever went on this lane before, and not before that is settled.
    #[must_use]
    pub fn on_lane(mut self, lane: String) -> Self {
        self.lane = Some(lane);
        self
    }

    /// Whether or not anyone hears it, it is done once the broker has it.
    #[must_use]
    pub fn aside(mut self, aside: bool) -> Self {
        self.aside = aside;
        self
    }

    /// If it may have arrived it is not published again.
    #[must_use]
    pub fn once(mut self, once: bool) -> Self {
        self.once = once;
        self
    }

    /// It is not published at or after `expires_ms`.
    #[must_use]
    pub fn fresh_until(mut self, expires_ms: u64) -> Self {
        self.expires_ms = Some(expires_ms);
        self
    }

    /// At or after `expires_ms`, `late` is published in its place.
    #[must_use]
    pub fn or_late(mut self, expires_ms: u64, late: Vec<u8>) -> Self {
        self.late = Some(late);
        self.fresh_until(expires_ms)
    }

    /// It says something about this connection and is not repeated on the next.
    #[must_use]
    pub(super) fn of_this_connection(mut self) -> Self {
        self.this_connection_only = true;
        self
    }

    /// Its topic.
    pub fn topic(&self) -> String {
        String::from_utf8_lossy(&self.publish.topic).into_owned()
    }

    /// Its lane.
    pub(super) fn lane(&self) -> String {
        self.lane.clone().unwrap_or_else(|| self.topic())
    }

    /// Its payload.
    pub fn payload(&self) -> &[u8] {
        &self.publish.payload
    }

    /// Bytes it takes on the wire, rounded up.
    pub(super) fn wire_bytes(&self) -> usize {
        self.publish.size() + 16
    }

    /// What to hand to rumqttc at `now_ms`. The broker is told when the message is stale, too: it may hold it for a
    /// subscriber that is away.
    pub(super) fn packet(&self, now_ms: u64) -> Publish {
        let mut publish = self.publish.clone();
        if let (Some(expires_ms), None) = (self.expires_ms, &self.late) {
            let seconds = expires_ms.saturating_sub(now_ms).div_ceil(1000);
            let properties = publish.properties.get_or_insert_default();
            properties.message_expiry_interval = Some(u32::try_from(seconds).unwrap_or(u32::MAX));
        }
        publish
    }

    /// Whether it is an instruct: given in order to each device, again if nobody heard it, and never late.
    pub(super) fn is_instruct(&self) -> bool {
        self.instruct
    }

    /// Whether the broker keeps it for later subscribers.
    pub(super) fn is_retained(&self) -> bool {
        self.publish.retain
    }

    /// Whether there is a time at which it is too late for it.
    pub(super) fn grows_stale(&self) -> bool {
        self.expires_ms.is_some()
    }

    /// Whether it is too late for it at `now_ms`. What is to be said then takes its place, and that is never too late.
    pub(super) fn is_stale(&mut self, now_ms: u64) -> bool {
        if self.expires_ms.is_none_or(|expires| now_ms < expires) {
            return false;
        }
        let Some(late) = self.late.take() else { return true };
        self.publish.payload = late.into();
        self.expires_ms = None;
        false
    }
}
