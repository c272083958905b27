//! MCP over a WebSocket that we dial: how xiaozhi's servers reach the tools of a home behind its router. Once connected, the
//! other side asks and we answer.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use reqwest::dns::Resolve;
use rustls_pki_types::ServerName;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::Uri;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use tracing::{info, warn};

use super::{Call, McpServer, RpcError, Who};
use crate::llm::http::Resolver;
use crate::llm::settings::Secret;
use crate::transport::{TlsSettings, backoff, tls};

/// How long connecting may take, and sending one message.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often the other side is asked for a sign of life.
const PING: Duration = Duration::from_secs(20);

/// Without any sign of life for so long, the connection is given up.
const SILENCE: Duration = Duration::from_secs(50);

/// Bytes of a message.
const MAX_BYTES: usize = 64 << 10;

/// Requests in flight; the next one is read when one of them is answered.
const IN_FLIGHT: usize = 8;

/// Whom to dial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// What the owner calls it.
    pub name: String,
    /// Its address, which holds a token.
    address: Secret,
}

/// Why an endpoint is not there. Nothing of its address is told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DialError {
    /// The address is none.
    #[error("the address must begin with ws:// or wss:// and name a host")]
    Address,
    /// Nobody is there, or not in time.
    #[error("{0}")]
    Connection(String),
    /// It answers, and will not speak with us.
    #[error("refuses us with status {0}")]
    Refused(u16),
    /// It was there, and ended the connection or fell silent.
    #[error("{0}")]
    Ended(&'static str),
}

/// Whatever a WebSocket is spoken over.
trait Stream: AsyncRead + AsyncWrite + Send {}
impl<T: AsyncRead + AsyncWrite + Send> Stream for T {}

type Socket = WebSocketStream<Pin<Box<dyn Stream>>>;

impl Endpoint {
    /// An endpoint at this address.
    ///
    /// # Errors
    /// When it is none.
    pub fn new(name: &str, address: String) -> Result<Self, DialError> {
        parts(&address)?;
        Ok(Self { name: name.to_owned(), address: Secret::new(address) })
    }

    async fn connect(&self, resolver: &Resolver) -> Result<Socket, DialError> {
        timeout(PATIENCE, self.connect_at_leisure(resolver))
            .await
            .unwrap_or_else(|_| Err(DialError::Connection("does not answer in time".into())))
    }

    async fn connect_at_leisure(&self, resolver: &Resolver) -> Result<Socket, DialError> {
        let failed = |error: &dyn std::fmt::Display| DialError::Connection(error.to_string());
        let (secure, host, port) = parts(self.address.reveal())?;
        let host = host.trim_matches(['[', ']']);
        let plain =
            TcpStream::connect(&addresses(resolver, host, port).await?[..]).await.map_err(|error| failed(&error))?;
        let _ = plain.set_nodelay(true);
        let stream: Pin<Box<dyn Stream>> = if secure {
            let config = tls::client_config(&TlsSettings::default()).map_err(|error| failed(&error))?;
            let name = ServerName::try_from(host.to_owned()).map_err(|error| failed(&error))?;
            Box::pin(TlsConnector::from(config).connect(name, plain).await.map_err(|error| failed(&error))?)
        } else {
            Box::pin(plain)
        };
        let request = self.address.reveal().into_client_request().map_err(|_| DialError::Address)?;
        let config = WebSocketConfig {
            max_message_size: Some(MAX_BYTES),
            max_frame_size: Some(MAX_BYTES),
            write_buffer_size: 4 << 10,
            ..WebSocketConfig::default()
        };
        match client_async_with_config(request, stream, Some(config)).await {
            Ok((socket, _)) => Ok(socket),
            Err(Error::Http(response)) => Err(DialError::Refused(response.status().as_u16())),
            Err(error) => Err(failed(&error)),
        }
    }
}

/// Where a host is. Names are looked up where it keeps nobody else waiting.
async fn addresses(resolver: &Resolver, host: &str, port: u16) -> Result<Vec<SocketAddr>, DialError> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let name = host.parse().map_err(|_| DialError::Address)?;
    match resolver.resolve(name).await {
        Ok(found) => Ok(found.map(|address| SocketAddr::new(address.ip(), port)).collect()),
        Err(error) => Err(DialError::Connection(error.to_string())),
    }
}

/// Whether the address is one of TLS, its host and its port.
fn parts(address: &str) -> Result<(bool, String, u16), DialError> {
    let uri: Uri = address.parse().map_err(|_| DialError::Address)?;
    let (secure, usual) = match uri.scheme_str() {
        Some("ws") => (false, 80),
        Some("wss") => (true, 443),
        _ => return Err(DialError::Address),
    };
    let host = uri.host().filter(|host| !host.is_empty()).ok_or(DialError::Address)?;
    Ok((secure, host.to_owned(), uri.port_u16().unwrap_or(usual)))
}

/// Whether an endpoint takes us.
///
/// # Errors
/// Why it does not.
pub async fn reach(endpoint: &Endpoint) -> Result<(), DialError> {
    let mut socket = endpoint.connect(&Resolver::default()).await?;
    let _ = timeout(PATIENCE, socket.close(None)).await;
    Ok(())
}

/// Answers an endpoint for as long as it is polled, and dials again whenever it is gone.
pub async fn dial(endpoint: Endpoint, server: McpServer) {
    let seed = endpoint.name.bytes().fold(0, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let resolver = Resolver::default();
    let (name, mut attempt, mut told) = (&endpoint.name, 0, false);
    loop {
        let error = match endpoint.connect(&resolver).await {
            Ok(socket) => {
                info!(name, "connected to the MCP endpoint");
                told = false;
                let mut talk = Talk { server: &server, name, tasks: JoinSet::new(), asked: false };
                let error = talk.run(socket).await;
                // Whoever takes us and asks nothing is not there yet.
                if talk.asked {
                    attempt = 0;
                }
                error
            }
            Err(error) => error,
        };
        if !std::mem::replace(&mut told, true) {
            warn!(name, %error, "the MCP endpoint is gone; it is dialled again until it is there");
        }
        sleep(backoff(attempt, seed)).await;
        attempt = attempt.saturating_add(1);
    }
}

/// One connection.
struct Talk<'a> {
    server: &'a McpServer,
    name: &'a str,
    /// Requests under way; they end with the connection.
    tasks: JoinSet<Value>,
    /// Whether anything was ever asked.
    asked: bool,
}

impl Talk<'_> {
    /// Answers until the connection ends, and says why it did.
    async fn run(&mut self, mut socket: Socket) -> DialError {
        let mut pings = interval(PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            let sent = tokio::select! {
                Some(answer) = self.tasks.join_next(), if !self.tasks.is_empty() => match answer {
                    Ok(answer) => Message::Text(answer.to_string()),
                    Err(_) => continue,
                },
                message = socket.next(), if self.tasks.len() < IN_FLIGHT => {
                    heard = Instant::now();
                    match message {
                        Some(Ok(Message::Text(text))) => match self.take(&text) {
                            Some(error) => Message::Text(error.to_string()),
                            None => continue,
                        },
                        Some(Ok(Message::Close(_))) | None => return DialError::Ended("ended the connection"),
                        Some(Ok(_)) => continue,
                        Some(Err(_)) => return DialError::Ended("the connection broke"),
                    }
                }
                _ = pings.tick() => {
                    if heard.elapsed() > SILENCE {
                        return DialError::Ended("fell silent");
                    }
                    Message::Ping(Vec::new())
                }
            };
            if !matches!(timeout(PATIENCE, socket.send(sent)).await, Ok(Ok(()))) {
                return DialError::Ended("takes nothing any more");
            }
        }
    }

    /// Begins to answer a message; what is no request is answered at once.
    fn take(&mut self, text: &str) -> Option<Value> {
        let call = match serde_json::from_str(text).map_err(|error| RpcError::parse(format!("not JSON: {error}"))) {
            Ok(body) => Call::read(body),
            Err(error) => Err((Value::Null, error)),
        };
        match call {
            Ok(Some(call)) => {
                self.asked = true;
                let (server, name, bytes) = (self.server.clone(), self.name.to_owned(), text.len());
                self.tasks.spawn(async move {
                    let who = Who { client: &name, may_ask: true, may_see: true };
                    match server.answer(who, &call, false, bytes).await {
                        Ok(result) => json!({"jsonrpc": "2.0", "id": call.id, "result": result}),
                        Err(error) => error.reply(&call.id),
                    }
                });
                None
            }
            Ok(None) => None,
            Err((id, error)) => Some(error.reply(&id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_scheme_host_and_port_and_is_never_told() {
        let told = |address: &str| parts(address).ok();
        assert_eq!(told("ws://box.lan:8004/mcp/?token=x"), Some((false, "box.lan".into(), 8004)));
        assert_eq!(told("wss://api.example/mcp/?token=x"), Some((true, "api.example".into(), 443)));
        for bad in ["http://box.lan", "box.lan:8004", "ws://", "wss:///x", "", "ws://a b"] {
            assert_eq!(told(bad), None, "{bad}");
        }
        let endpoint = Endpoint::new("toy", "ws://box.lan/?token=hush".into()).unwrap();
        assert!(!format!("{endpoint:?}").contains("hush"));
    }
}
