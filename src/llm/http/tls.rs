//! Whom an endpoint is trusted to be: the system's certificates, and those of a file.

use std::path::Path;
use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

use super::HttpError;

/// TLS of a client; one that speaks no TLS reads no certificates.
pub(super) fn config(wanted: bool, ca_file: Option<&Path>) -> Result<ClientConfig, HttpError> {
    let mut roots = RootCertStore::empty();
    if wanted {
        // Certificates of the system that cannot be read are of no use to anybody here.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    if let Some(path) = ca_file {
        let bad = |reason: String| HttpError::Certificates { path: path.to_owned(), reason };
        let certificates: Vec<_> =
            CertificateDer::pem_file_iter(path).and_then(Iterator::collect).map_err(|error| bad(error.to_string()))?;
        if certificates.is_empty() {
            return Err(bad("holds no certificate".into()));
        }
        for certificate in certificates {
            roots.add(certificate).map_err(|error| bad(error.to_string()))?;
        }
    }
    if wanted && roots.is_empty() {
        return Err(HttpError::NobodyTrusted);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| HttpError::Client(error.to_string()))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
