//! One client after the other: connects, subscribes, forwards, until the connection ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rumqttc::Outgoing;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnAck, Filter, LastWill, Packet, Publish, SubscribeReasonCode};
use rumqttc::v5::{AsyncClient, Event, MqttOptions};
use tokio::sync::{mpsc, watch};
use tokio::time::MissedTickBehavior;
use tracing::{debug, info, warn};

use super::delivery::{Delivery, Settled, WINDOW};
use super::mqtt::{AnswerTo, Batch, INBOUND_MESSAGES, INBOUND_PACKETS, Inbound, LinkSettings};
use super::options::{keep_alive, mqtt_options};
use super::publication::{Fate, Publication, Row};
use super::room::{Load, Room};
use super::settings::BrokerSettings;
use super::status::Presence;
use super::throttle::Throttle;
use super::tls::TlsError;
use super::topics::Incoming;
use super::trouble::{describe, is_unreadable};
use crate::observe::Beat;

/// Requests that rumqttc may hold besides the window: the subscription and the goodbye.
const CLIENT_REQUESTS: usize = WINDOW as usize + 8;

/// How often the task says that it lives, in case nothing happens.
const BEAT: Duration = Duration::from_secs(2);

/// What is said of a connection that is there and does not get on.
const STUCK: &str = "the broker takes and sends nothing";

/// How a connection ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It broke, or there was none.
    Lost,
    /// The daemon stops.
    Stopped,
}

/// The connection's ends of the daemon's channels.
pub(super) struct Ends {
    pub(super) inbound: mpsc::Sender<Inbound>,
    pub(super) outbound: mpsc::Receiver<Batch>,
    pub(super) settled: mpsc::Sender<(Row, Fate)>,
    pub(super) connected: watch::Sender<bool>,
}

/// What outlives each single connection.
pub(super) struct Connection {
    settings: LinkSettings,
    inbound: mpsc::Sender<Inbound>,
    room: Arc<Room>,
    outbound: mpsc::Receiver<Batch>,
    settled: mpsc::Sender<(Row, Fate)>,
    connected: watch::Sender<bool>,
    beat: Beat,
    stop: watch::Receiver<bool>,
    delivery: Delivery,
    /// Largest packet that this broker takes, in bytes.
    broker_packet_bytes: usize,
    throttle: Throttle,
    /// The log says that the broker is away.
    told_lost: bool,
    /// Instructs that grew stale before the broker had them.
    expired: u64,
    /// The next connection asks the broker to forget the session: something in it cannot be read.
    forget_session: bool,
    /// Whether the broker acknowledged the subscription to this process: what is retained is wanted once by each, even
    /// if the session of the one before is still there.
    subscribed: bool,
    goodbye: Goodbye,
}

/// How far the goodbye is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goodbye {
    NotYet,
    Said,
    Disconnecting,
}

impl Connection {
    pub(super) fn new(mut settings: LinkSettings, ends: Ends, beat: Beat, stop: watch::Receiver<bool>) -> Self {
        let mut delivery = Delivery::new();
        settings.restored.drain(..).for_each(|publication| delivery.push(publication));
        let bytes = settings.broker.max_packet_bytes as usize;
        Self {
            inbound: ends.inbound,
            room: Room::of(Load { messages: INBOUND_MESSAGES, bytes: bytes.saturating_mul(INBOUND_PACKETS) }),
            outbound: ends.outbound,
            settled: ends.settled,
            connected: ends.connected,
            beat,
            stop,
            delivery,
            broker_packet_bytes: bytes,
            throttle: Throttle::default(),
            told_lost: false,
            expired: 0,
            forget_session: false,
            subscribed: false,
            goodbye: Goodbye::NotYet,
            settings,
        }
    }

    /// Connects and serves until the connection ends.
    pub(super) async fn run(&mut self) -> End {
        self.beat.stamp();
        let options = match self.options() {
            Ok(options) => options,
            Err(error) => {
                self.tell_lost(&format!("mqtt.tls.{error}"));
                return End::Lost;
            }
        };
        let (client, mut events) = AsyncClient::new(options, CLIENT_REQUESTS);
        let mut beats = tokio::time::interval(BEAT);
        beats.set_missed_tick_behavior(MissedTickBehavior::Skip);
        // A broker that reads no more lets rumqttc wait in the middle of a write, and keep nothing alive.
        let patience = keep_alive(&self.settings.broker) * 2;
        let error = loop {
            // Polling must not be cancelled midway: rumqttc would lose the packet it was about to write.
            let mut poll = std::pin::pin!(events.poll());
            let stuck = tokio::time::Instant::now() + patience;
            let event = loop {
                self.feed(&client);
                let due = self
                    .delivery
                    .due_ms()
                    .map(|due| Duration::from_millis(due.saturating_sub(self.settings.clock.now_ms())));
                let online = *self.connected.borrow();
                let unreported = self.settings.report.has_changed().unwrap_or(false);
                let done = self.outbound.is_empty() && self.delivery.is_idle() && !unreported;
                tokio::select! {
                    event = &mut poll => break event,
                    () = tokio::time::sleep_until(stuck) => {
                        self.on_lost(STUCK, false);
                        return self.end();
                    }
                    _ = beats.tick() => self.beat.stamp(),
                    Some(batch) = self.outbound.recv(), if self.delivery.is_hungry() => self.accept(batch),
                    Ok(()) = self.settings.status.changed(), if online => self.say(Presence::Online),
                    Ok(()) = self.settings.report.changed(), if online => self.report(),
                    () = tokio::time::sleep(due.unwrap_or_default()), if online && due.is_some() => {}
                    () = stopped(&mut self.stop), if self.goodbye == Goodbye::NotYet && (!online || done) => {
                        if !online {
                            return End::Stopped;
                        }
                        self.goodbye = Goodbye::Said;
                        self.say(Presence::Offline);
                    }
                }
            };
            match event {
                Ok(Event::Outgoing(Outgoing::Disconnect)) => return End::Stopped,
                Ok(event) => self.on_event(event, &client),
                Err(error) => break error,
            }
            if self.goodbye == Goodbye::Said && self.delivery.is_idle() {
                self.goodbye = Goodbye::Disconnecting;
                let _ = client.try_disconnect();
            }
        };
        // What was read before the connection broke counts.
        for event in std::mem::take(&mut events.state.events) {
            self.on_event(event, &client);
        }
        self.on_lost(&describe(&error), is_unreadable(&error));
        self.end()
    }

    fn end(&self) -> End {
        if self.goodbye == Goodbye::NotYet { End::Lost } else { End::Stopped }
    }

    fn options(&self) -> Result<MqttOptions, TlsError> {
        let mut options = mqtt_options(&self.settings.broker, &self.settings.client_id)?;
        let will = self.settings.status.borrow().payload(Presence::Offline);
        options.set_last_will(LastWill::new(self.settings.topics.status(), will, QoS::AtLeastOnce, true, None));
        options.set_clean_start(self.forget_session);
        // Without a limit rumqttc reserves a slot of some 100 bytes for each of 65,535 packet ids.
        options.set_outgoing_inflight_upper_limit(WINDOW + 1);
        Ok(options)
    }

    /// Hands rumqttc what the broker takes right now.
    fn feed(&mut self, client: &AsyncClient) {
        let mut settled = Vec::new();
        while let Some(publish) = self.delivery.next(self.settings.clock.now_ms(), &mut settled) {
            let Publish { qos, retain, topic, payload, properties, .. } = publish;
            let topic = String::from_utf8_lossy(&topic).into_owned();
            let result =
                client.try_publish_with_properties(topic, qos, retain, payload, properties.unwrap_or_default());
            // Topics are checked where they are made and the window is smaller than the channel: this does not happen.
            // If it did, the order that links packet ids to messages would be broken.
            if result.is_err() {
                settled.extend(self.delivery.take_back());
            }
        }
        settled.into_iter().for_each(|settled| self.settle(settled));
    }

    /// Takes messages from the daemon, but none that the broker does not: one packet too large ends the connection.
    fn accept(&mut self, batch: Batch) {
        for publication in batch {
            self.accept_one(publication);
        }
    }

    fn accept_one(&mut self, publication: Publication) {
        if publication.wire_bytes() > self.broker_packet_bytes {
            let (topic, bytes) = (publication.topic(), publication.wire_bytes());
            if let Some(suppressed) = self.throttle.pass("too large", Instant::now()) {
                let limit = self.broker_packet_bytes;
                warn!(topic, bytes, limit, suppressed, "message too large for the broker, dropped");
            }
            if let Some(row) = publication.row {
                self.release(row, Fate::Refused);
            }
            return;
        }
        self.delivery.push(publication);
    }

    fn say(&mut self, presence: Presence) {
        let payload = self.settings.status.borrow_and_update().payload(presence);
        let publication = Publication::new(self.settings.topics.status(), payload).retained().of_this_connection();
        self.delivery.push(publication);
    }

    /// Tells what became of the newest home document.
    fn report(&mut self) {
        let report = self.settings.report.borrow_and_update().clone();
        if let Some(payload) = report {
            self.accept_one(Publication::new(self.settings.topics.report(), payload).retained());
        }
    }

    fn on_event(&mut self, event: Event, client: &AsyncClient) {
        match event {
            Event::Incoming(Packet::ConnAck(connack)) => self.on_connected(&connack, client),
            Event::Incoming(Packet::Publish(publish)) => self.forward(publish),
            Event::Incoming(Packet::PubAck(ack)) => {
                if let Some(settled) = self.delivery.on_acknowledged(ack.pkid, ack.reason, self.settings.clock.now_ms())
                {
                    self.settle(settled);
                }
            }
            Event::Incoming(Packet::SubAck(ack)) => {
                self.subscribed = ack.return_codes.iter().all(|code| matches!(code, SubscribeReasonCode::Success(_)));
                if !self.subscribed && self.throttle.pass("subscription", Instant::now()).is_some() {
                    warn!(codes = ?ack.return_codes, "the broker refuses a subscription");
                }
            }
            Event::Outgoing(Outgoing::Publish(packet_id)) => self.delivery.on_sent(packet_id),
            _ => {}
        }
    }

    fn on_connected(&mut self, connack: &ConnAck, client: &AsyncClient) {
        let broker = &self.settings.broker;
        let properties = connack.properties.as_ref();
        let window = properties.and_then(|p| p.receive_max).map_or(WINDOW, |max| max.min(WINDOW));
        let theirs = properties.and_then(|p| p.max_packet_size).unwrap_or(u32::MAX);
        self.broker_packet_bytes = broker.max_packet_bytes.min(theirs) as usize;
        let (host, port, session) = (&broker.host, broker.port, connack.session_present);
        self.settings.metrics.connections.inc();
        if self.throttle.pass("connected", Instant::now()).is_some() || self.told_lost {
            info!(host, port, session, "connected to the broker");
        }
        self.told_lost = false;
        self.forget_session = false;
        self.subscribed &= connack.session_present;
        if !self.subscribed {
            let filters = self.settings.topics.subscriptions().map(|filter| Filter::new(filter, QoS::AtLeastOnce));
            // Its packet id comes from the same cycle as the publishes', which the window leaves one id of room for.
            let _ = client.try_subscribe_many(filters);
        }
        self.delivery.on_connected(connack.session_present, window);
        self.connected.send_replace(true);
        self.say(Presence::Online);
    }

    fn on_lost(&mut self, reason: &str, unreadable: bool) {
        self.connected.send_replace(false);
        self.delivery.on_lost(self.settings.clock.now_ms());
        self.forget_session |= unreadable;
        self.tell_lost(reason);
    }

    /// Says once a minute why there is no connection; each reason is one of a few.
    fn tell_lost(&mut self, reason: &str) {
        let BrokerSettings { host, port, .. } = &self.settings.broker;
        match self.throttle.pass(reason, Instant::now()) {
            Some(suppressed) => {
                self.told_lost = true;
                warn!(host, port, reason, suppressed, "no connection to the broker");
            }
            None => debug!(host, port, reason, "no connection to the broker"),
        }
    }

    fn forward(&mut self, publish: Publish) {
        let topic = String::from_utf8_lossy(&publish.topic).into_owned();
        let Some(about) = self.settings.topics.parse(&topic) else { return };
        if self.try_forward(about, publish).is_none()
            && let Some(suppressed) = self.throttle.pass(&topic, Instant::now())
        {
            warn!(topic, suppressed, "too much at once: message dropped");
        }
    }

    fn try_forward(&self, about: Incoming, publish: Publish) -> Option<()> {
        let share = self.room.take(&about, publish.payload.len())?;
        let answer_to = publish.properties.and_then(AnswerTo::of);
        let inbound = Inbound {
            retained: publish.retain,
            repeated: publish.dup,
            answer_to,
            _share: Some(share),
            ..Inbound::new(about, publish.payload.into())
        };
        self.inbound.try_send(inbound).ok()
    }

    fn settle(&mut self, settled: Settled) {
        match settled {
            Settled::Delivered(row) => self.release(row, Fate::Delivered),
            Settled::Expired(publication) if !publication.is_instruct() => {
                if let Some(suppressed) = self.throttle.pass("late answer", Instant::now()) {
                    warn!(topic = publication.topic(), suppressed, "answer too old, dropped");
                }
            }
            Settled::Expired(publication) => {
                self.expired += 1;
                self.settings.metrics.stale_instructs.inc();
                if let Some(suppressed) = self.throttle.pass(&publication.topic(), Instant::now()) {
                    let (topic, so_far) = (publication.topic(), self.expired);
                    warn!(topic, so_far, suppressed, "instruct too old, dropped");
                }
                publication.row.into_iter().for_each(|row| self.release(row, Fate::Expired));
            }
            Settled::Refused(publication, reason) => {
                if let Some(suppressed) = self.throttle.pass(&publication.topic(), Instant::now()) {
                    warn!(topic = publication.topic(), ?reason, suppressed, "the broker refuses a message, dropped");
                }
                publication.row.into_iter().for_each(|row| self.release(row, Fate::Refused));
            }
        }
    }

    fn release(&self, row: Row, fate: Fate) {
        // The channel is as long as the outbox; it is closed only when the daemon ends, and then the row is looked at
        // again at the next start.
        let _ = self.settled.try_send((row, fate));
    }
}

/// Completes when the daemon stops.
pub(super) async fn stopped(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
