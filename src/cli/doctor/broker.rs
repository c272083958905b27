//! The broker: whether it lets us in, what it takes, and whether a message comes back.

use std::time::{Duration, Instant};

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{
    ConnAck, Filter, Packet, PubAckReason, Publish, RetainForwardRule, SubAck, SubscribeReasonCode,
};
use rumqttc::v5::{AsyncClient, ConnectionError, Event, EventLoop};
use tokio::time::timeout;

use super::Finding;
use crate::cli::run::settings;
use crate::config::Config;
use crate::transport::{Topics, describe, mqtt_options};

/// How long the broker has for each step.
const PATIENCE: Duration = Duration::from_secs(5);

const BROKER: &str = "broker";
const LIMITS: &str = "broker limits";
const MESSAGES: &str = "broker messages";

/// What a hub or a satellite would hear, and act on.
const NOT_TRIED: &str =
    "rights to publish instructs, replies and answers were not tried: the daemon's log names refusals";

/// Connects as the daemon would, under a client id of its own, and neither hears nor says anything of the home.
pub(super) async fn check(config: &Config) -> Vec<Finding> {
    let Some(topics) = Topics::new(&config.home_id) else { return Vec::new() };
    let broker = settings(config.clone()).broker;
    let mut options = match mqtt_options(&broker, &format!("{}-doctor", config.mqtt.client_id)) {
        Ok(options) => options,
        Err(error) => return vec![Finding::bad(BROKER, format!("mqtt.tls.{error}"), "correct the key")],
    };
    options.set_clean_start(true);
    options.set_session_expiry_interval(None);
    let (client, mut events) = AsyncClient::new(options, 8);
    let started = Instant::now();
    let place = format!("{}:{}{}", broker.host, broker.port, if broker.tls.is_some() { " over TLS" } else { "" });
    let connack = match timeout(PATIENCE, connected(&mut events)).await {
        Ok(Ok(connack)) => connack,
        Ok(Err(error)) => {
            return vec![Finding::bad(BROKER, format!("{place}: {}", describe(&error)), "the daemon waits for it")];
        }
        Err(_) => return vec![Finding::bad(BROKER, format!("{place}: no answer"), "see mqtt.host and mqtt.port")],
    };
    let found = format!("{place}, connected in {} ms", started.elapsed().as_millis());
    let mut findings = vec![Finding::good(BROKER, found), limits(&connack, broker.max_packet_bytes)];
    let messages = timeout(PATIENCE, exchange(&client, &mut events, &topics)).await;
    findings.push(messages.unwrap_or_else(|_| {
        let advice = format!("let the daemon's user read and write {}", topics.doctor());
        Finding::remark(MESSAGES, "subscribed, but a message of our own did not come back", advice)
    }));
    findings
}

async fn connected(events: &mut EventLoop) -> Result<ConnAck, ConnectionError> {
    loop {
        if let Event::Incoming(Packet::ConnAck(connack)) = events.poll().await? {
            return Ok(connack);
        }
    }
}

/// What the broker says it takes.
fn limits(connack: &ConnAck, wanted_bytes: u32) -> Finding {
    let properties = connack.properties.as_ref();
    let bytes = properties.and_then(|p| p.max_packet_size);
    if properties.is_some_and(|p| p.retain_available == Some(0)) {
        return Finding::bad(LIMITS, "the broker keeps no retained messages", "allow retained messages");
    }
    if properties.is_some_and(|p| p.max_qos == Some(0)) {
        return Finding::bad(LIMITS, "the broker knows QoS 0 only", "allow QoS 1");
    }
    if let Some(bytes) = bytes.filter(|bytes| *bytes < wanted_bytes) {
        let found = format!("the broker takes packets of {bytes} bytes, mqtt.max_packet_bytes is {wanted_bytes}");
        return Finding::remark(LIMITS, found, "a larger home document will not arrive: raise the broker's limit");
    }
    let packets = bytes.map_or("packets of any size".into(), |bytes| format!("packets of up to {bytes} bytes"));
    let window = properties.and_then(|p| p.receive_max).unwrap_or(u16::MAX);
    Finding::good(LIMITS, format!("{packets}, {window} messages at once"))
}

/// Subscribes to what the daemon subscribes to, and sends itself a message.
async fn exchange(client: &AsyncClient, events: &mut EventLoop, topics: &Topics) -> Finding {
    let probe = topics.doctor();
    let filter =
        |path: String| Filter { retain_forward_rule: RetainForwardRule::Never, ..Filter::new(path, QoS::AtLeastOnce) };
    let paths: Vec<String> = topics.subscriptions().into_iter().chain([probe.clone()]).collect();
    let _ = client.try_subscribe_many(paths.iter().cloned().map(filter));
    let mut started = Instant::now();
    loop {
        match events.poll().await {
            Ok(Event::Incoming(Packet::SubAck(ack))) => {
                if let Some(refused) = refused(&ack, &paths) {
                    return Finding::bad(MESSAGES, refused, "let the daemon's user read it (the broker's ACL)");
                }
                started = Instant::now();
                let _ = client.try_publish(probe.as_str(), QoS::AtLeastOnce, false, "probe");
            }
            Ok(Event::Incoming(Packet::Publish(Publish { topic, .. }))) if topic == probe => {
                let ms = started.elapsed().as_secs_f64() * 1e3;
                let found = format!("subscribed; a message comes back in {ms:.1} ms; {NOT_TRIED}");
                return Finding::good(MESSAGES, found);
            }
            Ok(Event::Incoming(Packet::PubAck(ack))) if ack.reason == PubAckReason::NotAuthorized => {
                let advice = format!("let the daemon's user read and write {probe}");
                return Finding::remark(MESSAGES, "subscribed, but a message of our own is refused", advice);
            }
            Ok(_) => {}
            Err(error) => return Finding::bad(MESSAGES, describe(&error), "see the broker's log"),
        }
    }
}

fn refused(ack: &SubAck, paths: &[String]) -> Option<String> {
    let codes = ack.return_codes.iter().zip(paths);
    let (code, path) = codes.into_iter().find(|(code, _)| !matches!(code, SubscribeReasonCode::Success(_)))?;
    Some(format!("the broker refuses the subscription to {path} ({code:?})"))
}
