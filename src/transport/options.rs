//! How rumqttc is to reach the broker.

use std::time::Duration;

use rumqttc::v5::MqttOptions;
use rumqttc::{NetworkOptions, TlsConfiguration, Transport};

use super::settings::BrokerSettings;
use crate::dial::tls::{TlsError, client_config};

/// After how long without a word each side asks whether the other is there. rumqttc refuses less than 5 s by a panic, and
/// the protocol has 16 bits for it.
pub(super) fn keep_alive(broker: &BrokerSettings) -> Duration {
    broker.keep_alive.clamp(Duration::from_secs(5), Duration::from_secs(65_535))
}

/// Options for a connection as `client_id`.
///
/// # Errors
/// When the files that TLS needs cannot be used.
pub fn mqtt_options(broker: &BrokerSettings, client_id: &str) -> Result<MqttOptions, TlsError> {
    let mut options = MqttOptions::new(client_id, &broker.host, broker.port);
    if let Some(credentials) = &broker.credentials {
        options.set_credentials(&credentials.username, &credentials.password);
    }
    if let Some(tls) = &broker.tls {
        options.set_transport(Transport::tls_with_config(TlsConfiguration::Rustls(client_config(tls)?)));
    }
    options.set_keep_alive(keep_alive(broker));
    let expiry = u32::try_from(broker.session_expiry.as_secs()).unwrap_or(u32::MAX);
    options.set_session_expiry_interval(Some(expiry));
    options.set_max_packet_size(Some(broker.max_packet_bytes));
    options.set_connection_timeout(5);
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    options.set_network_options(network);
    Ok(options)
}
