//! The sections of the doors: nothing listens but what is named here.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use super::raw::{Leaf, RawHttp, RawHttpTls, RawMcp, RawWyoming};
use super::validate::Check;
use crate::door::http::{HttpSettings, Terms, Tokens};
use crate::door::mcp::Endpoint;
use crate::door::wyoming::WyomingSettings;
use crate::listen::{ServeTls, TlsFiles};

/// Largest file of tokens, in bytes.
const MAX_TOKENS_BYTES: u64 = 64 << 10;

/// Endpoints that are dialled.
const MAX_ENDPOINTS: usize = 8;

/// Connections of a listener: the unit lets the daemon open 1,024 files.
const CONNECTIONS: std::ops::RangeInclusive<i64> = 1..=400;

impl Check<'_> {
    /// The section `http`. Outside of this machine a token is wanted.
    pub(super) fn http(&mut self, raw: RawHttp) -> Option<HttpSettings> {
        let listen = self.listen("http.listen", raw.listen, 8710);
        let tls = self.http_tls(raw.tls);
        let tokens = self.text("http.tokens", raw.tokens).and_then(|file| self.tokens("http.tokens", &file));
        let hosts = self.take("http.hosts", raw.hosts, Vec::new());
        for (at, host) in hosts.iter().enumerate() {
            if host.is_empty() || host.contains([':', '/', ' ']) {
                self.problem(&format!("http.hosts[{at}]"), "must be a name without port, such as gateway.lan");
            }
        }
        let origins = self.take("http.origins", raw.origins, Vec::new());
        for (at, origin) in origins.iter().enumerate() {
            let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
            if host.is_none_or(|host| host.is_empty() || host.contains(['/', '*', ' '])) {
                self.problem(&format!("http.origins[{at}]"), "must be such as https://panel.lan, without a path");
            }
        }
        let connections = self.number("http.connections", raw.connections, 64, CONNECTIONS);
        let idle = self.seconds("http.idle_seconds", raw.idle_seconds, Duration::from_secs(300), 1..=86_400);
        let listen = listen?;
        if tokens.is_none() && !listen.ip().is_loopback() {
            self.problem("http.listen", "is no loopback address: that needs http.tokens");
        }
        Some(HttpSettings { listen, tls, terms: Terms { tokens, hosts, origins }, connections, idle })
    }

    /// The section `http.tls`: both files, and what they hold.
    fn http_tls(&mut self, raw: Leaf<RawHttpTls>) -> Option<TlsFiles> {
        if matches!(raw, Leaf::Absent) {
            return None;
        }
        let raw = self.section("http.tls", raw);
        let cert_file = self.text("http.tls.cert_file", raw.cert_file).map(|file| self.beside_file(&file));
        let key_file = self.text("http.tls.key_file", raw.key_file).map(|file| self.secret_file(&file));
        let (Some(cert_file), Some(key_file)) = (cert_file, key_file) else {
            self.problem("http.tls", "needs cert_file and key_file");
            return None;
        };
        self.warn_if_readable("http.tls.key_file", &key_file);
        let files = TlsFiles { cert_file, key_file };
        if let Err(error) = ServeTls::read(&files) {
            self.problem(&format!("http.tls.{}", error.key), format!("{}: {}", error.path.display(), error.reason));
        }
        Some(files)
    }

    /// The section `wyoming`. The protocol knows no tokens: outside of this machine its clients are known by address.
    pub(super) fn wyoming(&mut self, raw: RawWyoming) -> Option<WyomingSettings> {
        let listen = self.listen("wyoming.listen", raw.listen, 10_700);
        let mut clients = Vec::new();
        for (at, client) in self.take("wyoming.clients", raw.clients, Vec::new()).iter().enumerate() {
            match client.parse::<IpAddr>() {
                Ok(address) => clients.push(address.to_canonical()),
                Err(_) => self.problem(&format!("wyoming.clients[{at}]"), "must be an address, such as 192.168.1.5"),
            }
        }
        let connections = self.number("wyoming.connections", raw.connections, 32, CONNECTIONS);
        let announce = self.take("wyoming.announce", raw.announce, false);
        let listen = listen?;
        if clients.is_empty() && !listen.ip().is_loopback() {
            self.problem("wyoming.listen", "is no loopback address: that needs wyoming.clients");
        }
        if announce && listen.ip().is_loopback() {
            self.problem("wyoming.announce", "nobody else reaches the loopback address of wyoming.listen");
        }
        Some(WyomingSettings { listen, clients, connections, announce })
    }

    /// The section `mcp`: addresses hold tokens, so each of them is the first line of a file.
    pub(super) fn mcp(&mut self, raw: RawMcp) -> Vec<Endpoint> {
        let files = self.take("mcp.endpoints", raw.endpoints, BTreeMap::new());
        if files.len() > MAX_ENDPOINTS {
            self.problem("mcp.endpoints", format!("must be at most {MAX_ENDPOINTS}"));
        }
        let mut endpoints = Vec::new();
        for (name, file) in files.iter().take(MAX_ENDPOINTS) {
            let key = format!("mcp.endpoints.{name}");
            self.name(&key, name);
            if name.contains('/') {
                self.problem(&key, "must be a name without /");
            }
            let address = self.secret(&key, file);
            if address.is_empty() {
                continue;
            }
            match Endpoint::new(name, address) {
                Ok(endpoint) => endpoints.push(endpoint),
                Err(error) => self.problem(&key, error.to_string()),
            }
        }
        endpoints
    }

    fn listen(&mut self, key: &str, raw: Leaf<String>, example: u16) -> Option<SocketAddr> {
        let listen = self.text(key, raw)?;
        let address = listen.parse::<SocketAddr>().ok();
        if address.is_none() {
            self.problem(key, format!("must be ADDRESS:PORT, such as 127.0.0.1:{example}"));
        }
        address
    }

    /// The tokens of a file that nobody else may read.
    fn tokens(&mut self, key: &str, file: &str) -> Option<Tokens> {
        let path = self.secret_file(file);
        let read = std::fs::metadata(&path).and_then(|metadata| {
            if metadata.permissions().mode() & 0o007 != 0 {
                return Err(std::io::Error::other("everyone can read it; chmod 600 it"));
            }
            if metadata.len() > MAX_TOKENS_BYTES {
                return Err(std::io::Error::other(format!("is larger than {MAX_TOKENS_BYTES} bytes")));
            }
            std::fs::read_to_string(&path)
        });
        let tokens = read.map_err(|error| error.to_string()).and_then(|text| Tokens::read(&text));
        tokens.map_err(|why| self.problem(key, format!("{}: {why}", path.display()))).ok()
    }
}
