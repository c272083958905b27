//! What a connection hears from the broker.

use std::time::Instant;

use rumqttc::Outgoing;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnAck, Filter, Packet, Publish, SubscribeReasonCode};
use rumqttc::v5::{AsyncClient, Event};
use tracing::{debug, info, warn};

use super::Connection;
use crate::transport::delivery::WINDOW;
use crate::transport::mqtt::{AnswerTo, Inbound};
use crate::transport::settings::BrokerSettings;
use crate::transport::status::Presence;
use crate::transport::subscriptions::Asked;
use crate::transport::topics::Incoming;

impl Connection {
    pub(super) fn on_event(&mut self, event: Event, client: &AsyncClient) {
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
                let good = |code: &SubscribeReasonCode| matches!(code, SubscribeReasonCode::Success(_));
                let refused = ack.return_codes.iter().position(|code| !good(code));
                let asked = self.subscribing.answered();
                if asked == Some(Asked::Own) {
                    self.subscribed = refused.is_none();
                }
                if let Some(at) = refused
                    && self.throttle.pass("subscription", Instant::now()).is_some()
                {
                    let filter = if let Some(Asked::Add(filters)) = asked { filters.get(at).cloned() } else { None };
                    warn!(codes = ?ack.return_codes[at], filter, "the broker refuses a subscription");
                }
            }
            Event::Incoming(Packet::UnsubAck(_)) => _ = self.subscribing.answered(),
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
        self.told_hubs = false;
        let wanted = self.settings.hubs.borrow_and_update().clone();
        self.subscribing.begin(&wanted, !self.subscribed);
        if !self.subscribed {
            let filters = self.settings.topics.subscriptions().map(|filter| Filter::new(filter, QoS::AtLeastOnce));
            // Its packet id comes from the same cycle as the publishes', which the window leaves one id of room for.
            let _ = client.try_subscribe_many(filters);
        }
        self.delivery.on_connected(connack.session_present, window);
        self.connected.send_replace(true);
        self.say(Presence::Online);
    }

    pub(super) fn on_lost(&mut self, reason: &str, unreadable: bool) {
        self.connected.send_replace(false);
        for unanswered in self.delivery.on_lost(self.settings.clock.now_ms()) {
            self.settle(unanswered);
        }
        self.forget_session |= unreadable;
        self.tell_lost(reason);
    }

    /// Says once a minute why there is no connection; each reason is one of a few.
    pub(super) fn tell_lost(&mut self, reason: &str) {
        let BrokerSettings { host, port, .. } = &self.settings.broker;
        match self.throttle.pass_of("no connection", reason, Instant::now()) {
            Some(suppressed) => {
                self.told_lost = true;
                warn!(host, port, reason, suppressed, "no connection to the broker");
            }
            None => debug!(host, port, reason, "no connection to the broker"),
        }
    }

    fn forward(&mut self, publish: Publish) {
        let topic = String::from_utf8_lossy(&publish.topic).into_owned();
        let Some(about) = self.settings.topics.parse(&topic) else {
            let hubs = self.settings.hubs.borrow().clone();
            return hubs.hear(&topic, publish.payload.into(), publish.retain);
        };
        if self.try_forward(about, publish).is_none()
            && let Some(suppressed) = self.throttle.pass_of("dropped", &topic, Instant::now())
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
}
