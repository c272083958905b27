//! One client after the other: connects, subscribes, forwards, until the connection ends.

mod heard;
mod settle;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rumqttc::Outgoing;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, LastWill, Publish};
use rumqttc::v5::{AsyncClient, Event, MqttOptions};
use tokio::sync::{mpsc, watch};
use tokio::time::MissedTickBehavior;
use tracing::warn;

use super::delivery::{Delivery, WINDOW};
use super::mqtt::{Batch, INBOUND_MESSAGES, INBOUND_PACKETS, Inbound, LinkSettings};
use super::options::{keep_alive, mqtt_options};
use super::publication::{Fate, Publication, Row};
use super::room::{Load, Room};
use super::status::Presence;
use super::subscriptions::{Asked, Subscribing};
use super::throttle::Throttle;
use super::trouble::{describe, is_unreadable};
use crate::dial::tls::TlsError;
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
    pub(super) listening: watch::Sender<u64>,
}

/// What outlives each single connection.
pub(super) struct Connection {
    settings: LinkSettings,
    inbound: mpsc::Sender<Inbound>,
    room: Arc<Room>,
    outbound: mpsc::Receiver<Batch>,
    settled: mpsc::Sender<(Row, Fate)>,
    connected: watch::Sender<bool>,
    /// Counts connections on which the broker lets through all that hubs listen to.
    listening: watch::Sender<u64>,
    subscribing: Subscribing,
    /// Whether hubs were told of this connection.
    told_hubs: bool,
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
            listening: ends.listening,
            subscribing: Subscribing::default(),
            told_hubs: false,
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
        self.age();
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
                    _ = beats.tick() => {
                        self.beat.stamp();
                        if !online {
                            self.age();
                        }
                    }
                    Some(batch) = self.outbound.recv(), if self.delivery.is_hungry() => self.accept(batch),
                    Ok(()) = self.settings.status.changed(), if online => self.say(Presence::Online),
                    Ok(()) = self.settings.report.changed(), if online => self.report(),
                    Ok(()) = self.settings.hubs.changed(), if online => {
                        let wanted = self.settings.hubs.borrow_and_update().clone();
                        self.subscribing.want(&wanted);
                    }
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
        if *self.connected.borrow() {
            self.subscribe(client);
        }
    }

    /// Asks for what hubs listen to. At QoS 0: nothing of it waits at the broker while we are away; what it keeps, and what
    /// hubs are asked for, comes anew with each connection.
    fn subscribe(&mut self, client: &AsyncClient) {
        match self.subscribing.next() {
            Some(Asked::Add(filters)) => {
                let filters = filters.into_iter().map(|filter| Filter::new(filter, QoS::AtMostOnce));
                let _ = client.try_subscribe_many(filters);
            }
            Some(Asked::Remove(filter)) => _ = client.try_unsubscribe(filter),
            Some(Asked::Own) | None => {}
        }
        if self.subscribing.is_done() && !self.told_hubs {
            self.told_hubs = true;
            self.listening.send_modify(|connections| *connections += 1);
        }
    }

    /// Without a broker nothing that waits gets any younger: what is stale goes, and leaves its room to what is said now.
    fn age(&mut self) {
        loop {
            let mut settled = Vec::new();
            let has_room = self.delivery.age(self.settings.clock.now_ms(), &mut settled);
            settled.into_iter().for_each(|settled| self.settle(settled));
            if !has_room {
                return;
            }
            match self.outbound.try_recv() {
                Ok(batch) => self.accept(batch),
                Err(_) => return,
            }
        }
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
                self.release(row, Fate::Refused("too large for the broker".to_owned()));
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
}

/// Completes when the daemon stops.
pub(super) async fn stopped(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
