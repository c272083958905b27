//! Where the broker is and who we are to it.

use std::fmt;
use std::time::Duration;

use crate::dial::TlsSettings;

/// Where the broker is and how to speak with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerSettings {
    /// Name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Who the daemon is to the broker; `None` for a broker that takes anyone.
    pub credentials: Option<Credentials>,
    /// How TLS is spoken; `None` for plain TCP.
    pub tls: Option<TlsSettings>,
    /// MQTT client identifier; it has to stay the same, or the broker forgets the session. `None`: `zhiju-{home_id}`.
    pub client_id: Option<String>,
    /// Silence after which the connection is probed; at least 5 s.
    pub keep_alive: Duration,
    /// The largest packet taken or sent, in bytes: a home document must fit.
    pub max_packet_bytes: u32,
    /// How long the broker keeps subscriptions and messages while the daemon is away. Short: what was said longer ago
    /// should not move anything now.
    pub session_expiry: Duration,
    /// What the topics begin with on which requests may be answered besides their own; each ends with a slash.
    pub response_topics: Vec<String>,
}

/// A user name and a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// User name.
    pub username: String,
    /// Password; never printed.
    pub password: String,
}

impl Default for BrokerSettings {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".into(),
            port: 1883,
            credentials: None,
            tls: None,
            client_id: None,
            keep_alive: Duration::from_secs(30),
            max_packet_bytes: 4 << 20,
            session_expiry: Duration::from_secs(10),
            response_topics: vec!["answers/".into()],
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("username", &self.username).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_printed() {
        let credentials = Credentials { username: "hub".into(), password: "s3cret".into() };
        let settings = BrokerSettings { credentials: Some(credentials), ..BrokerSettings::default() };
        let printed = format!("{settings:?}");
        assert!(printed.contains("hub") && !printed.contains("s3cret"));
    }
}
