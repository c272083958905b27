//! The section `mqtt`: the broker, and how we show ourselves to it.

use super::raw::{Leaf, RawMqtt};
use super::validate::Check;
use super::{Credentials, Mqtt};
use crate::frame::is_topic_level;
use crate::transport::BrokerSettings;

impl Check<'_> {
    pub(super) fn mqtt(&mut self, raw: RawMqtt, home_id: &str) -> Mqtt {
        let host = self.text("mqtt.host", raw.host).unwrap_or_else(|| "127.0.0.1".into());
        if host.contains(|c: char| c.is_whitespace() || c == '/') {
            self.problem("mqtt.host", "must be a host name or address");
        }
        let username = self.text("mqtt.username", raw.username);
        let password =
            self.text("mqtt.password_file", raw.password_file).map(|file| self.secret("mqtt.password_file", &file));
        let credentials = match (username, password) {
            (Some(username), Some(password)) => Some(Credentials { username, password }),
            (Some(_), None) => {
                self.problem("mqtt.username", "needs mqtt.password_file");
                None
            }
            (None, Some(_)) => {
                self.problem("mqtt.password_file", "needs mqtt.username");
                None
            }
            (None, None) => None,
        };
        let tls = self.tls("mqtt.tls", raw.tls);
        let port = if tls.is_some() { 8883 } else { 1883 };
        Mqtt {
            host,
            port: self.number("mqtt.port", raw.port, port, 1..=65_535),
            credentials,
            tls,
            client_id: self.text("mqtt.client_id", raw.client_id).unwrap_or_else(|| format!("zhiju-{home_id}")),
            max_packet_bytes: self.number("mqtt.max_packet_bytes", raw.max_packet_bytes, 4 << 20, 65_536..=16 << 20),
            response_topics: self.response_topics(raw.response_topics),
        }
    }

    /// Answers are written with the daemon's rights: nowhere where its own topics or the broker's are.
    fn response_topics(&mut self, raw: Leaf<Vec<String>>) -> Vec<String> {
        let prefixes = self.take("mqtt.response_topics", raw, BrokerSettings::default().response_topics);
        for (at, prefix) in prefixes.iter().enumerate() {
            let levels = prefix.strip_suffix('/').unwrap_or_default();
            let sound = !levels.is_empty() && levels.split('/').all(is_topic_level);
            if !sound || levels.starts_with('$') || levels.split('/').next() == Some("zhiju") {
                self.problem(
                    &format!("mqtt.response_topics[{at}]"),
                    "must be the beginning of a topic that ends with /, without + and #, and not below zhiju/ or $",
                );
            }
        }
        prefixes
    }
}
