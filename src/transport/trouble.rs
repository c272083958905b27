//! Why there is no connection to the broker, in words that say what to do about it.

use std::io;

use rumqttc::v5::mqttbytes::Error as PacketError;
use rumqttc::v5::mqttbytes::v5::ConnectReturnCode;
use rumqttc::v5::{ConnectionError, StateError};

use crate::dial::trouble::{Peer, describe_tls, tls_error};

/// Who the broker is, as TLS is told of.
const BROKER: Peer<'_> = Peer { who: "the broker", address: "mqtt.port", tls: "mqtt.tls" };

/// What ended or prevented a connection.
pub fn describe(error: &ConnectionError) -> String {
    if let Some(tls) = tls_error(io_error(error).map_or(error, |io| io)) {
        return describe_tls(tls, &BROKER);
    }
    match error {
        ConnectionError::ConnectionRefused(code) => describe_refusal(*code),
        ConnectionError::Timeout(_) => "the broker does not answer in time".into(),
        other => io_error(other).map_or_else(|| other.to_string(), describe_io),
    }
}

/// What the operating system or TLS said, which rumqttc does not always name as the source of its error.
fn io_error(error: &ConnectionError) -> Option<&io::Error> {
    match error {
        ConnectionError::Io(io)
        | ConnectionError::Tls(rumqttc::TlsError::Io(io))
        | ConnectionError::MqttState(StateError::Io(io) | StateError::Deserialization(PacketError::Io(io))) => Some(io),
        _ => None,
    }
}

/// Whether the broker sent something that is no MQTT.
pub(super) fn is_unreadable(error: &ConnectionError) -> bool {
    matches!(error, ConnectionError::MqttState(StateError::Deserialization(_))) && io_error(error).is_none()
}

fn describe_refusal(code: ConnectReturnCode) -> String {
    match code {
        ConnectReturnCode::BadUserNamePassword | ConnectReturnCode::NotAuthorized => format!(
            "the broker refuses user name or password ({code:?}): see mqtt.username, mqtt.password_file and the broker's \
             own lists"
        ),
        ConnectReturnCode::UnsupportedProtocolVersion | ConnectReturnCode::RefusedProtocolVersion => {
            format!("the broker does not speak MQTT 5 ({code:?})")
        }
        ConnectReturnCode::BadClientId | ConnectReturnCode::ClientIdentifierNotValid => {
            format!("the broker refuses the client id ({code:?}): see mqtt.client_id")
        }
        code => format!("the broker refuses the connection ({code:?})"),
    }
}

fn describe_io(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "nothing listens there: see mqtt.host and mqtt.port".into(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof => {
            format!("the broker closed the connection ({error})")
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use rustls::CertificateError;

    use super::*;

    fn io_of(error: rustls::Error) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }

    #[test]
    fn a_tls_error_is_found_however_deep_it_is() {
        let unknown = || rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        let wrapped = [
            ConnectionError::Tls(rumqttc::TlsError::Io(io_of(unknown()))),
            ConnectionError::Tls(rumqttc::TlsError::TLS(unknown())),
            ConnectionError::Io(io_of(unknown())),
            ConnectionError::MqttState(StateError::Io(io_of(unknown()))),
            ConnectionError::MqttState(StateError::Deserialization(PacketError::Io(io_of(unknown())))),
        ];
        for error in wrapped {
            assert!(describe(&error).contains("mqtt.tls.ca_file"), "{error:?}");
            assert!(!is_unreadable(&error), "{error:?}");
        }
    }

    #[test]
    fn a_refusal_names_the_keys_to_look_at() {
        let refused = ConnectionError::ConnectionRefused(ConnectReturnCode::NotAuthorized);
        assert!(describe(&refused).contains("mqtt.password_file"));
        let nobody = ConnectionError::Io(io::ErrorKind::ConnectionRefused.into());
        assert!(describe(&nobody).contains("mqtt.port"));
    }
}
