//! The connection to a Home Assistant, kept for as long as the daemon lives.

mod session;
mod waiting;
mod wire;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::lookup_host;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use self::session::Session;
use self::waiting::{Gone, Waiting};
use super::HomeAssistant;
use crate::clock::Clock;
use crate::dial::trouble::{Peer, describe_tls, tls_error};
use crate::dial::websocket::{Authority, Socket, WebSocketError, open};
use crate::dial::{TlsSettings, backoff};
use crate::hub::{Change, HomeAssistantSettings, Line};
use crate::text::displayable;

/// How long connecting may take, and sending one message.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of a message: the registries of a large home have some of them.
const MAX_BYTES: usize = 16 << 20;

/// Bytes of a token file.
const MAX_TOKEN_BYTES: u64 = 16 << 10;

/// How often the token file is looked at after its token was refused.
const TOKEN_LOOK: Duration = Duration::from_secs(2);

/// After this a token that was refused is tried once more: each attempt is a failed login in Home Assistant's log, and
/// enough of them get us banned.
const TOKEN_AGAIN: Duration = Duration::from_secs(300);

/// How a Home Assistant is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What its owner calls it.
    pub name: String,
    /// Its address as a browser knows it, `http://…` or `https://…`.
    pub url: String,
    /// The file whose first line is a long-lived access token; read anew for each connection.
    pub token_file: PathBuf,
    /// How TLS is spoken where the address is `https://…`.
    pub tls: TlsSettings,
}

/// Why a Home Assistant is not there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// The address is none.
    #[error("url: must begin with http:// or https:// and name a host")]
    Address,
    /// There is no token to be had.
    #[error("token_file: {}: {reason}", path.display())]
    Token {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// It does not take the token.
    #[error("token_file: {}: Home Assistant refuses this token; it expired or was withdrawn", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
    },
    /// It could not be reached.
    #[error("{url}: {reason}")]
    Unreachable {
        /// Its address.
        url: String,
        /// Why.
        reason: String,
    },
    /// It was there, and is no more.
    #[error("Home Assistant {0}")]
    Ended(&'static str),
    /// It says what no Home Assistant says.
    #[error("{what}: {reason}")]
    Foreign {
        /// What was expected.
        what: &'static str,
        /// What is wrong with what came.
        reason: String,
    },
    /// The daemon wants no more of it.
    #[error("nobody is left to be told")]
    Done,
}

impl From<Gone> for LinkError {
    fn from(_: Gone) -> Self {
        Self::Done
    }
}

impl Settings {
    /// Those of a hub of the configuration.
    pub fn of(name: &str, own: &HomeAssistantSettings) -> Self {
        let HomeAssistantSettings { url, token_file, tls, everything: _ } = own.clone();
        Self { name: name.to_owned(), url, token_file, tls }
    }

    /// Where the WebSocket is.
    ///
    /// # Errors
    /// When the address is none.
    pub fn address(&self) -> Result<String, LinkError> {
        let base = self.url.trim_end_matches('/');
        let (scheme, rest) = base.split_once("://").ok_or(LinkError::Address)?;
        let scheme = match scheme {
            "http" => "ws",
            "https" => "wss",
            _ => return Err(LinkError::Address),
        };
        let address = format!("{scheme}://{rest}/api/websocket");
        Authority::of(&address).map_err(|_| LinkError::Address)?;
        Ok(address)
    }

    /// The token, as the file has it now.
    fn token(&self) -> Result<String, LinkError> {
        let wrong = |reason: String| LinkError::Token { path: self.token_file.clone(), reason };
        let size = std::fs::metadata(&self.token_file).map_err(|error| wrong(error.to_string()))?.len();
        if size > MAX_TOKEN_BYTES {
            return Err(wrong(format!("{size} bytes are no token")));
        }
        let text = std::fs::read_to_string(&self.token_file).map_err(|error| wrong(error.to_string()))?;
        let token = text.lines().next().unwrap_or_default().trim();
        if token.is_empty() { Err(wrong("its first line is empty".into())) } else { Ok(token.to_owned()) }
    }

    async fn connect(&self) -> Result<Socket, LinkError> {
        let address = self.address()?;
        let place = Authority::of(&address).map_err(|_| LinkError::Address)?;
        let connecting = async {
            let at: Vec<SocketAddr> = match place.host.parse::<IpAddr>() {
                Ok(ip) => vec![SocketAddr::new(ip, place.port)],
                Err(_) => {
                    let found = lookup_host((place.host.as_str(), place.port)).await;
                    found.map_err(|error| WebSocketError::Connection(error.to_string()))?.collect()
                }
            };
            open(&address, &at, &self.tls, MAX_BYTES).await
        };
        let late = || WebSocketError::Connection("does not answer in time".into());
        let connected = timeout(PATIENCE, connecting).await.unwrap_or_else(|_| Err(late()));
        connected.map_err(|error| self.unreachable(&error))
    }

    /// Why it could not be reached, with the keys to look at.
    fn unreachable(&self, error: &WebSocketError) -> LinkError {
        let section = format!("hubs.{}", self.name);
        let reason = match error {
            WebSocketError::Settings(error) => format!("{section}.tls.{error}"),
            WebSocketError::Tls(io) => match tls_error(io) {
                Some(tls) => {
                    let (address, keys) = (format!("{section}.url"), format!("{section}.tls"));
                    describe_tls(tls, &Peer { who: "Home Assistant", address: &address, tls: &keys })
                }
                None => error.to_string(),
            },
            other => other.to_string(),
        };
        LinkError::Unreachable { url: displayable(&self.url, 256), reason }
    }
}

/// Whether Home Assistant takes us, and its version. Nothing is asked of it.
///
/// # Errors
/// Why it does not.
pub async fn reach(settings: &Settings) -> Result<String, LinkError> {
    Ok(Session::open(settings, &settings.token()?).await?.version)
}

/// Keeps the connection for as long as it is polled and somebody wants to hear of it. What changes is told by the line; what
/// is to be said is said as soon as Home Assistant is there, unless its time is over before.
pub async fn run(settings: Settings, hub: Arc<Mutex<HomeAssistant>>, line: Line, clock: Clock) {
    let seed = settings.url.bytes().fold(0, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let mut link = Link {
        waiting: Waiting::new(line.deliveries, clock),
        changes: line.changes,
        settings,
        hub,
        token: String::new(),
        online: None,
    };
    let (mut attempt, mut told) = (0, String::new());
    loop {
        let (was_there, error) = link.once().await;
        if matches!(error, LinkError::Done) || link.tell(Change::Hub { online: false }).await.is_err() {
            return;
        }
        let name = &link.settings.name;
        // The same reason is told once, until it was there again.
        let reason = error.to_string();
        if was_there || reason != told {
            warn!(name, %error, "Home Assistant is gone; it is tried again until it is there");
            told.clone_from(&reason);
            if link.tell(Change::Away { reason }).await.is_err() {
                return;
            }
        }
        attempt = if was_there { 0 } else { attempt + 1 };
        let pause = match error {
            LinkError::Refused { .. } => link.another_token().await,
            _ => link.waiting.during(sleep(backoff(attempt, seed))).await,
        };
        if pause.is_err() {
            return;
        }
    }
}

/// What lasts longer than a connection.
struct Link {
    settings: Settings,
    hub: Arc<Mutex<HomeAssistant>>,
    changes: mpsc::Sender<Change>,
    waiting: Waiting,
    /// The one that was presented last.
    token: String,
    /// What was last told of the hub itself.
    online: Option<bool>,
}

impl Link {
    /// One connection, to its end: whether it was of any use, and why it ended.
    async fn once(&mut self) -> (bool, LinkError) {
        match self.settings.token() {
            Ok(token) => self.token = token,
            Err(error) => return (false, error),
        }
        let opened = self.waiting.during(Session::open(&self.settings, &self.token)).await;
        let mut session = match opened {
            Ok(Ok(session)) => session,
            Ok(Err(error)) => return (false, error),
            Err(gone) => return (false, gone.into()),
        };
        info!(name = self.settings.name, version = session.version, "connected to Home Assistant");
        let error = session.serve(self).await;
        (self.online == Some(true), error)
    }

    /// Tells what changed. What was told of the hub itself already is not told again.
    async fn tell(&mut self, change: Change) -> Result<(), Gone> {
        if let Change::Hub { online } = change
            && self.online.replace(online) == Some(online)
        {
            return Ok(());
        }
        self.changes.send(change).await.map_err(|_| Gone)
    }

    /// Waits until the token file holds another token than the one that was refused, or long enough to try that again.
    async fn another_token(&mut self) -> Result<(), Gone> {
        let (settings, refused) = (&self.settings, &self.token);
        let changed = async {
            while settings.token().is_ok_and(|token| token == *refused) {
                sleep(TOKEN_LOOK).await;
            }
        };
        self.waiting.during(async { _ = timeout(TOKEN_AGAIN, changed).await }).await
    }

    /// The hub. Whoever panicked while holding it left it whole enough: every change of it is one assignment after another.
    fn hub(&self) -> MutexGuard<'_, HomeAssistant> {
        self.hub.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
