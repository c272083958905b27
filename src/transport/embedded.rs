//! A small broker inside the process, to try the daemon with and for tests.
//!
//! It keeps retained messages and sessions in memory only, and rumqttd 0.20 cannot be told to send small packets at once
//! (`TCP_NODELAY`): an answer takes some 40 ms longer than the daemon needs for it. A home runs Mosquitto or its like,
//! with `set_tcp_nodelay true`, which Mosquitto leaves off by default.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::thread::JoinHandle;
use std::time::Duration;

use rumqttd::protocol::v5::V5;
use rumqttd::{ConnectionSettings, LinkType, Router, RouterConfig, Server, ServerSettings};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// How long the broker may take to listen.
const START: Duration = Duration::from_secs(10);

/// How often it is tried whether the broker listens; rumqttd has no way to tell.
const PROBE: Duration = Duration::from_millis(2);

/// Largest payload in bytes: below what the daemon takes, because a larger one would end the daemon's connection.
const MAX_PAYLOAD: usize = 3 << 20;

/// A running broker for MQTT 5 clients on the loopback interface; it ends when dropped.
#[derive(Debug)]
pub struct EmbeddedBroker {
    port: u16,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl EmbeddedBroker {
    /// Starts a broker on a free port and returns when it listens.
    ///
    /// # Errors
    /// When there is no free port or the broker does not come up.
    pub async fn start() -> io::Result<Self> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?.local_addr()?.port();
        Self::start_on(free).await
    }

    /// Starts a broker on this port and returns when it listens.
    ///
    /// # Errors
    /// When the broker does not come up, for example because the port is taken.
    pub async fn start_on(port: u16) -> io::Result<Self> {
        // rumqttd binds on its own and tells nobody: a port that another holds would look like success.
        drop(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?);
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("embedded-broker".into()).spawn(move || {
            let router = Router::new(0, router()).spawn();
            let mut server = Server::new(listener(port), router, V5);
            runtime.block_on(async {
                tokio::select! {
                    _ = server.start(LinkType::Remote) => {}
                    _ = stopped => {}
                }
            });
            // The connections are tasks of this runtime and end with it.
        })?;
        let broker = Self { port, stop: Some(stop), thread: Some(thread) };
        tokio::time::timeout(START, broker.listens()).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
        Ok(broker)
    }

    /// The port on the loopback interface.
    pub fn port(&self) -> u16 {
        self.port
    }

    async fn listens(&self) -> io::Result<()> {
        let mut probe = tokio::time::interval(PROBE);
        loop {
            probe.tick().await;
            if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
                return Err(io::Error::other(format!("the embedded broker cannot listen on port {}", self.port)));
            }
            if TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).await.is_ok() {
                return Ok(());
            }
        }
    }
}

impl Drop for EmbeddedBroker {
    fn drop(&mut self) {
        self.stop.take().map(|stop| stop.send(()));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn router() -> RouterConfig {
    RouterConfig {
        max_connections: 64,
        max_outgoing_packet_count: 200,
        max_segment_size: 16 << 20,
        max_segment_count: 4,
        ..RouterConfig::default()
    }
}

fn listener(port: u16) -> ServerSettings {
    ServerSettings {
        name: "embedded".into(),
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        tls: None,
        next_connection_delay_ms: 1,
        connections: ConnectionSettings {
            connection_timeout_ms: 5_000,
            max_payload_size: MAX_PAYLOAD,
            max_inflight_count: 100,
            auth: None,
            external_auth: None,
            dynamic_filters: true,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_listens_when_started_and_no_more_when_dropped() {
        let broker = EmbeddedBroker::start().await.unwrap();
        let port = broker.port();
        TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.unwrap();
        drop(broker);
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err());
    }

    #[tokio::test]
    async fn a_port_that_is_taken_is_an_error() {
        let first = EmbeddedBroker::start().await.unwrap();
        assert!(EmbeddedBroker::start_on(first.port()).await.is_err());
    }
}
