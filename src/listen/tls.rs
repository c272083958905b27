//! TLS for those who connect: who we are, by files that may be renewed while we listen.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Where a certificate and its key lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// PEM file of the certificate and whatever stands between it and its authority.
    pub cert_file: PathBuf,
    /// PEM file of the key.
    pub key_file: PathBuf,
}

/// Which file cannot be used, and why.
#[derive(Debug, thiserror::Error)]
#[error("{key}: {}: {reason}", path.display())]
pub struct TlsFilesError {
    /// The field of [`TlsFiles`].
    pub key: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

impl TlsFilesError {
    fn new(key: &'static str, path: &Path, reason: impl ToString) -> Self {
        Self { key, path: path.to_owned(), reason: reason.to_string() }
    }
}

/// What a listener speaks TLS with.
#[derive(Debug)]
pub struct ServeTls {
    config: ArcSwap<ServerConfig>,
}

impl ServeTls {
    /// Reads the files.
    ///
    /// # Errors
    /// When one cannot be read or is not what it should be.
    pub fn read(files: &TlsFiles) -> Result<Self, TlsFilesError> {
        Ok(Self { config: ArcSwap::new(config(files)?) })
    }

    /// Reads the files again; connections from now on see what they hold.
    ///
    /// # Errors
    /// As [`ServeTls::read`]; then nothing changes.
    pub fn renew(&self, files: &TlsFiles) -> Result<(), TlsFilesError> {
        self.config.store(config(files)?);
        Ok(())
    }

    /// Shakes hands.
    pub(super) async fn accept(&self, stream: TcpStream) -> std::io::Result<TlsStream<TcpStream>> {
        TlsAcceptor::from(self.config.load_full()).accept(stream).await
    }
}

fn config(files: &TlsFiles) -> Result<Arc<ServerConfig>, TlsFilesError> {
    let TlsFiles { cert_file, key_file } = files;
    let of_cert = |reason: &dyn ToString| TlsFilesError::new("cert_file", cert_file, reason.to_string());
    let certificates = CertificateDer::pem_file_iter(cert_file)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| of_cert(&error))?;
    if certificates.is_empty() {
        return Err(of_cert(&"holds no certificate"));
    }
    let key =
        PrivateKeyDer::from_pem_file(key_file).map_err(|error| TlsFilesError::new("key_file", key_file, error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| of_cert(&error))?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| of_cert(&error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Files in a folder with a certificate that signed itself.
    pub(in super::super) fn self_signed(folder: &Path) -> TlsFiles {
        let ours = rcgen::generate_simple_self_signed(["gateway.lan".to_owned()]).unwrap();
        let files = TlsFiles { cert_file: folder.join("cert.pem"), key_file: folder.join("key.pem") };
        std::fs::write(&files.cert_file, ours.cert.pem()).unwrap();
        std::fs::write(&files.key_file, ours.key_pair.serialize_pem()).unwrap();
        files
    }

    #[test]
    fn what_is_wrong_with_which_file_is_named_and_what_was_read_before_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let TlsFiles { cert_file: cert, key_file: key } = self_signed(folder.path());
        let other = file("other.pem", rcgen::KeyPair::generate().unwrap().serialize_pem());
        let (empty, missing) = (file("empty.pem", String::new()), folder.path().join("missing.pem"));
        let files = |cert_file: &PathBuf, key_file: &PathBuf| TlsFiles {
            cert_file: cert_file.clone(),
            key_file: key_file.clone(),
        };
        let tls = ServeTls::read(&files(&cert, &key)).unwrap();
        let before = tls.config.load_full();
        for (cert, key, wrong, path) in [
            (&empty, &key, "cert_file", &empty),
            (&missing, &key, "cert_file", &missing),
            (&cert, &empty, "key_file", &empty),
            (&cert, &missing, "key_file", &missing),
            (&cert, &other, "cert_file", &cert),
        ] {
            let error = tls.renew(&files(cert, key)).unwrap_err();
            let text = error.to_string();
            assert!(error.key == wrong && text.starts_with(&format!("{wrong}: {}: ", path.display())), "{text}");
        }
        assert!(Arc::ptr_eq(&before, &tls.config.load_full()));
        tls.renew(&files(&cert, &key)).unwrap();
        assert!(!Arc::ptr_eq(&before, &tls.config.load_full()));
    }
}
