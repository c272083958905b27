//! Why TLS failed with somebody, in words that say what to do about it.

use std::error::Error;
use std::io;

use rustls::{AlertDescription, CertificateError};

/// Whom we wanted to speak with, and the keys of the configuration to look at.
#[derive(Clone, Copy, Debug)]
pub struct Peer<'a> {
    /// What it is called in a sentence.
    pub who: &'a str,
    /// The key that says where it is.
    pub address: &'a str,
    /// The section that says whom we trust, and who we are.
    pub tls: &'a str,
}

/// What ended or prevented a TLS connection.
pub fn describe_tls(error: &rustls::Error, peer: &Peer<'_>) -> String {
    use rustls::Error::{AlertReceived, InvalidCertificate, InvalidMessage};
    let Peer { who, address, tls } = peer;
    let advice = match error {
        InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            format!("{who}'s certificate has expired (or the clock is wrong)")
        }
        InvalidCertificate(CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }) => {
            format!("{who}'s certificate is not valid yet (or the clock is wrong)")
        }
        InvalidCertificate(CertificateError::UnknownIssuer) => {
            format!("{who}'s certificate is signed by nobody we trust: see {tls}.ca_file")
        }
        InvalidCertificate(CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }) => {
            format!("{who}'s certificate is for another name: see {tls}.server_name")
        }
        InvalidCertificate(_) => format!("{who}'s certificate cannot be accepted"),
        AlertReceived(
            AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::UnknownCA
            | AlertDescription::HandshakeFailure
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::AccessDenied,
        ) => format!("{who} wants a client certificate that it trusts: see {tls}.client_cert_file"),
        InvalidMessage(_) => format!("{who} does not answer in TLS: see {address} and {tls}"),
        _ => return format!("TLS: {error}"),
    };
    format!("{advice} ({error})")
}

/// The TLS error at the bottom of an error, however deep it is wrapped.
pub fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            return Some(tls);
        }
        // What an `io::Error` carries is not its source.
        at = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}
