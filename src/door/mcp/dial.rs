//! MCP over a WebSocket that we dial: how xiaozhi's servers reach the tools of a home behind its router. Once connected, the
//! other side asks and we answer.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures_util::{FutureExt, SinkExt, StreamExt};
use reqwest::dns::Resolve;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tracing::{info, warn};

use super::McpServer;
use super::rpc::RpcError;
use crate::dial::websocket::{Authority, Socket, WebSocketError, open};
use crate::dial::{TlsSettings, backoff};
use crate::door::unheard::{Outgoing, Teller, outgoing};
use crate::frame::{Door, Origin};
use crate::llm::http::Resolver;
use crate::llm::settings::Secret;
use crate::observe::Metrics;

/// How long connecting may take, and sending one message.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server that lives answers two of three pings.
const PACE: Pace = Pace { ping: Duration::from_secs(20), silence: Duration::from_secs(50) };

/// Bytes of a message.
const MAX_BYTES: usize = 64 << 10;

/// Why a connection is given up on which nothing can be said.
const DEAF: &str = "takes nothing any more";

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
    /// It could not be reached.
    #[error(transparent)]
    Socket(#[from] WebSocketError),
    /// It was there, and ended the connection or fell silent.
    #[error("{0}")]
    Ended(&'static str),
}

impl Endpoint {
    /// An endpoint at this address.
    ///
    /// # Errors
    /// When it is none.
    pub fn new(name: &str, address: String) -> Result<Self, DialError> {
        Authority::of(&address)?;
        Ok(Self { name: name.to_owned(), address: Secret::new(address) })
    }

    async fn connect(&self, resolver: &Resolver) -> Result<Socket, DialError> {
        timeout(PATIENCE, self.connect_at_leisure(resolver))
            .await
            .unwrap_or_else(|_| Err(WebSocketError::Connection("does not answer in time".into()).into()))
    }

    async fn connect_at_leisure(&self, resolver: &Resolver) -> Result<Socket, DialError> {
        let place = Authority::of(self.address.reveal())?;
        let at = addresses(resolver, &place.host, place.port).await?;
        Ok(open(self.address.reveal(), &at, &TlsSettings::default(), MAX_BYTES).await?)
    }
}

/// Where a host is. Names are looked up where it keeps nobody else waiting.
async fn addresses(resolver: &Resolver, host: &str, port: u16) -> Result<Vec<SocketAddr>, WebSocketError> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let name = host.parse().map_err(|_| WebSocketError::Address)?;
    match resolver.resolve(name).await {
        Ok(found) => Ok(found.map(|address| SocketAddr::new(address.ip(), port)).collect()),
        Err(error) => Err(WebSocketError::Connection(error.to_string())),
    }
}

/// Whether an endpoint takes us and lives: it asks something, or answers a ping.
///
/// # Errors
/// Why it does not.
pub async fn reach(endpoint: &Endpoint) -> Result<(), DialError> {
    let mut socket = endpoint.connect(&Resolver::default()).await?;
    let sign = async {
        socket.send(Message::Ping(Vec::new())).await.ok()?;
        socket.next().await?.ok().filter(|message| !message.is_close())
    };
    match timeout(PATIENCE, sign).await {
        Ok(Some(_)) => {}
        Ok(None) => return Err(DialError::Ended("takes us and ends the connection")),
        Err(_) => return Err(DialError::Ended("takes us and gives no sign of life")),
    }
    let _ = timeout(PATIENCE, socket.close(None)).await;
    Ok(())
}

/// Answers an endpoint for as long as it is polled, and dials again whenever it is gone.
pub async fn dial(endpoint: Endpoint, server: McpServer) {
    let seed = endpoint.name.bytes().fold(0, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let resolver = Resolver::default();
    let (name, mut attempt, mut told) = (&endpoint.name, 0, false);
    let shown = Shown { metrics: server.desk.metrics(), name };
    shown.connected(false);
    loop {
        let error = match endpoint.connect(&resolver).await {
            Ok(socket) => {
                info!(name, "connected to the MCP endpoint");
                told = false;
                shown.connected(true);
                let mut talk = Talk::new(&server, name, PACE);
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
        shown.connected(false);
        sleep(backoff(attempt, seed)).await;
        attempt = attempt.saturating_add(1);
    }
}

/// What the numbers tell of an endpoint, for as long as it is dialled.
struct Shown<'a> {
    metrics: &'a Metrics,
    name: &'a str,
}

impl Shown<'_> {
    fn connected(&self, connected: bool) {
        self.metrics.endpoint(self.name, Some(connected));
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.metrics.endpoint(self.name, None);
    }
}

/// How often the other side is asked for a sign of life, and after how long without any it is given up.
#[derive(Clone, Copy, Debug)]
struct Pace {
    ping: Duration,
    silence: Duration,
}

/// One connection.
struct Talk<'a> {
    server: &'a McpServer,
    name: &'a str,
    pace: Pace,
    /// Messages that are being answered; nobody waits for them any more when the connection ends.
    tasks: JoinSet<()>,
    teller: Teller,
    /// Answers on their way out.
    answers: Outgoing,
    /// Whether anything that was asked could be answered.
    asked: bool,
}

impl<'a> Talk<'a> {
    fn new(server: &'a McpServer, name: &'a str, pace: Pace) -> Self {
        let origin = Origin { door: Door::Endpoint, client: name.to_owned() };
        let id = |answer: &Value| Some(answer["id"].to_string());
        let (teller, answers) = outgoing(IN_FLIGHT, server.desk.unheard(), &origin, id);
        Self { server, name, pace, tasks: JoinSet::new(), teller, answers, asked: false }
    }

    /// Answers until the connection ends, and says why it did.
    async fn run(&mut self, mut socket: Socket) -> DialError {
        let mut pings = interval(self.pace.ping);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        loop {
            tokio::select! {
                Some(answer) = self.answers.next() => {
                    self.asked |= answer.get("result").is_some();
                    if !sent(&mut socket, Message::Text(answer.to_string())).await {
                        self.answers.lose(&answer);
                        return DialError::Ended(DEAF);
                    }
                }
                Some(_) = self.tasks.join_next(), if !self.tasks.is_empty() => {}
                message = socket.next(), if self.tasks.len() + self.answers.len() < IN_FLIGHT => {
                    heard = Instant::now();
                    match message {
                        Some(Ok(Message::Text(text))) => self.take(text),
                        Some(Ok(Message::Binary(_))) => {
                            let error = RpcError::parse("must be text, not binary".to_owned());
                            self.teller.tell(error.reply(&Value::Null));
                        }
                        Some(Ok(Message::Close(_))) | None => return DialError::Ended("ended the connection"),
                        Some(Ok(_)) => {}
                        Some(Err(_)) => return DialError::Ended("the connection broke"),
                    }
                }
                _ = pings.tick() => {
                    if heard.elapsed() > self.pace.silence {
                        return DialError::Ended("fell silent");
                    }
                    if !sent(&mut socket, Message::Ping(Vec::new())).await {
                        return DialError::Ended(DEAF);
                    }
                }
            }
        }
    }

    fn take(&mut self, text: String) {
        let (server, name, teller) = (self.server.clone(), self.name.to_owned(), self.teller.clone());
        let mut answering = Box::pin(async move {
            if let Some(answer) = server.message(&name, &text).await {
                teller.tell(answer);
            }
        });
        // Begun here: a task that is ended before its beginning could not say that nobody hears its answer.
        if answering.as_mut().now_or_never().is_none() {
            self.tasks.spawn(answering);
        }
    }
}

/// Whether a message was sent in time.
async fn sent(socket: &mut Socket, message: Message) -> bool {
    matches!(timeout(PATIENCE, socket.send(message)).await, Ok(Ok(())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use tokio::net::TcpListener;
    use tokio_tungstenite::accept_async;

    use super::*;
    use crate::clock::Clock;
    use crate::dispatch::{DispatchLimits, Job, Take};
    use crate::door::{Desk, Places};
    use crate::frame::Limits;
    use crate::home::Registry;

    /// Takes what it is given and does nothing with it.
    #[derive(Debug)]
    struct Nobody;

    impl Take for Nobody {
        fn take(&self, _: Job) {}
    }

    fn server() -> McpServer {
        let registry = Arc::new(Registry::default());
        let places = Arc::new(Places::new(BTreeMap::new(), Arc::clone(&registry)));
        let within = DispatchLimits { workers: 1, waiting: 1, bytes: 1_000, deadline: PATIENCE };
        let desk = Arc::new(Desk::new(
            Arc::new(Nobody),
            &within,
            places,
            &Clock::of_machine(),
            crate::observe::Metrics::default(),
        ));
        McpServer { desk, registry, limits: Limits::default() }
    }

    /// Both ends of a connection.
    async fn connected() -> (Socket, tokio_tungstenite::WebSocketStream<tokio::net::TcpStream>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = Endpoint::new("toy", format!("ws://{}/", listener.local_addr().unwrap())).unwrap();
        let resolver = Resolver::default();
        let accepting = async { accept_async(listener.accept().await.unwrap().0).await.unwrap() };
        let (ours, theirs) = tokio::join!(endpoint.connect(&resolver), accepting);
        (ours.unwrap(), theirs)
    }

    #[tokio::test]
    async fn one_that_answers_no_ping_is_given_up_and_one_that_does_is_not() {
        let (server, soon) = (server(), Duration::from_millis(20));
        let (ours, deaf) = connected().await;
        // Its socket takes the pings, and nobody reads them.
        let error = Talk::new(&server, "toy", Pace { ping: soon, silence: soon }).run(ours).await;
        assert_eq!(error.to_string(), "fell silent");
        drop(deaf);
        let (ours, mut lives) = connected().await;
        let pace = Pace { ping: soon, silence: Duration::from_secs(60) };
        let mut talk = Talk::new(&server, "toy", pace);
        let answering = async {
            // Reading answers pings; after so many it says goodbye.
            for _ in 0..5 {
                assert!(lives.next().await.unwrap().unwrap().is_ping());
            }
            lives.close(None).await.unwrap();
        };
        let (error, ()) = tokio::join!(talk.run(ours), answering);
        assert_eq!(error.to_string(), "ended the connection");
        assert!(!talk.asked);
    }

    #[test]
    fn an_address_is_never_told() {
        let endpoint = Endpoint::new("toy", "ws://box.lan/?token=hush".into()).unwrap();
        assert!(!format!("{endpoint:?}").contains("hush"));
        assert!(Endpoint::new("toy", "http://box.lan/?token=hush".into()).is_err());
    }
}
