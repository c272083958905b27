//! TLS towards those whom we dial: whom we trust, and who we are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};

/// How to speak TLS with somebody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// PEM file of the authorities that may have signed the other side's certificate; `None`: those of the system.
    pub ca_file: Option<PathBuf>,
    /// Our own certificate, for who wants one.
    pub client: Option<ClientCertificate>,
    /// The name in the other side's certificate; `None`: the host that is connected to.
    pub server_name: Option<String>,
}

/// A certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificate {
    /// PEM file of the certificate and whatever stands between it and the authority.
    pub cert_file: PathBuf,
    /// PEM file of the key.
    pub key_file: PathBuf,
}

/// Which setting cannot be used, and why.
#[derive(Debug, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct TlsError {
    /// The key of its section, such as `mqtt.tls`.
    pub key: &'static str,
    /// What is wrong, with the file's path.
    pub reason: String,
}

impl TlsError {
    fn new(key: &'static str, reason: impl ToString) -> Self {
        Self { key, reason: reason.to_string() }
    }

    fn file(key: &'static str, path: &Path, reason: impl ToString) -> Self {
        Self::new(key, format!("{}: {}", path.display(), reason.to_string()))
    }
}

/// Reads the files. Each connection does it anew, so a renewed certificate is used with the next one.
///
/// # Errors
/// When a file cannot be read or is not what it should be.
pub fn client_config(settings: &TlsSettings) -> Result<Arc<ClientConfig>, TlsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots = Arc::new(roots(settings.ca_file.as_deref())?);
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::new("ca_file", error))?;
    let builder = match &settings.server_name {
        None => builder.with_root_certificates(roots),
        Some(name) => {
            let verifier = Named::new(name, roots, provider)?;
            builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
        }
    };
    let config = match &settings.client {
        None => builder.with_no_client_auth(),
        Some(ClientCertificate { cert_file, key_file }) => {
            let certificates = certificates("client_cert_file", cert_file)?;
            let key = PrivateKeyDer::from_pem_file(key_file)
                .map_err(|error| TlsError::file("client_key_file", key_file, error))?;
            builder
                .with_client_auth_cert(certificates, key)
                .map_err(|error| TlsError::file("client_cert_file", cert_file, error))?
        }
    };
    Ok(Arc::new(config))
}

fn roots(file: Option<&Path>) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    match file {
        Some(path) => {
            for certificate in certificates("ca_file", path)? {
                roots.add(certificate).map_err(|error| TlsError::file("ca_file", path, error))?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                let reason = "the system knows no authorities (package ca-certificates); name a file of them";
                return Err(TlsError::new("ca_file", reason));
            }
        }
    }
    Ok(roots)
}

fn certificates(key: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(certificates) if certificates.is_empty() => Err(TlsError::file(key, path, "holds no certificate")),
        other => other.map_err(|error| TlsError::file(key, path, error)),
    }
}

/// The usual check of a certificate, against one given name instead of the host that is connected to: what runs in a home
/// is often reached by address.
#[derive(Debug)]
struct Named {
    name: ServerName<'static>,
    usual: Arc<WebPkiServerVerifier>,
}

impl Named {
    fn new(name: &str, roots: Arc<RootCertStore>, provider: Arc<CryptoProvider>) -> Result<Self, TlsError> {
        let invalid = |error: &dyn ToString| TlsError::new("server_name", error.to_string());
        Ok(Self {
            name: ServerName::try_from(name.to_owned()).map_err(|error| invalid(&error))?,
            usual: WebPkiServerVerifier::builder_with_provider(roots, provider)
                .build()
                .map_err(|error| invalid(&error))?,
        })
    }
}

impl ServerCertVerifier for Named {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _host: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        self.usual.verify_server_cert(end_entity, intermediates, &self.name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.usual.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.usual.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_certificate_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing.pem");
        let empty = folder.path().join("empty.pem");
        std::fs::write(&empty, "nothing").unwrap();
        for path in [missing, empty] {
            let settings = TlsSettings { ca_file: Some(path.clone()), ..TlsSettings::default() };
            let error = client_config(&settings).unwrap_err().to_string();
            assert!(error.starts_with(&format!("ca_file: {}: ", path.display())), "{error}");
        }
    }

    #[test]
    fn a_client_certificate_needs_its_own_key() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let ours = rcgen::generate_simple_self_signed(["zhiju".to_owned()]).unwrap();
        let other = rcgen::KeyPair::generate().unwrap();
        let cert_file = file("cert.pem", ours.cert.pem());
        let settings = |key_file: PathBuf| TlsSettings {
            ca_file: Some(cert_file.clone()),
            client: Some(ClientCertificate { cert_file: cert_file.clone(), key_file }),
            server_name: Some("hub.home".into()),
        };
        client_config(&settings(file("key.pem", ours.key_pair.serialize_pem()))).unwrap();
        let error = client_config(&settings(file("other.pem", other.serialize_pem()))).unwrap_err();
        assert_eq!(error.key, "client_cert_file");
        let error = client_config(&settings(file("none.pem", String::new()))).unwrap_err();
        assert_eq!(error.key, "client_key_file");
    }
}
