//! Sections about TLS: whom we trust, and who we are.

use super::raw::{Leaf, RawTls};
use super::validate::Check;
use crate::dial::tls::{self, ClientCertificate, TlsSettings};

impl Check<'_> {
    /// A section that is there, even an empty one, asks for TLS.
    pub(super) fn tls(&mut self, section: &str, raw: Leaf<RawTls>) -> Option<TlsSettings> {
        if matches!(raw, Leaf::Absent) {
            return None;
        }
        let at = |leaf: &str| format!("{section}.{leaf}");
        let before = self.problems();
        let raw = self.section(section, raw);
        let ca_file = self.text(&at("ca_file"), raw.ca_file).map(|file| self.beside_file(&file));
        let cert_file = self.text(&at("client_cert_file"), raw.client_cert_file).map(|file| self.beside_file(&file));
        let key_file = self.text(&at("client_key_file"), raw.client_key_file).map(|file| self.secret_file(&file));
        let client = match (cert_file, key_file) {
            (Some(cert_file), Some(key_file)) => {
                self.warn_if_readable(&at("client_key_file"), &key_file);
                Some(ClientCertificate { cert_file, key_file })
            }
            (Some(_), None) => {
                self.problem(&at("client_cert_file"), format!("needs {section}.client_key_file"));
                None
            }
            (None, Some(_)) => {
                self.problem(&at("client_key_file"), format!("needs {section}.client_cert_file"));
                None
            }
            (None, None) => None,
        };
        let settings = TlsSettings { ca_file, client, server_name: self.text(&at("server_name"), raw.server_name) };
        if self.problems() == before
            && let Err(error) = tls::client_config(&settings)
        {
            self.problem(&at(error.key), error.reason);
        }
        Some(settings)
    }
}
