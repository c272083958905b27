//! WebSockets that we open.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;

use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::Uri;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::tls::{TlsError, TlsSettings, client_config};

/// Bytes that are gathered before they are written.
const WRITE_BUFFER: usize = 4 << 10;

/// Whatever a WebSocket is spoken over.
pub trait Stream: AsyncRead + AsyncWrite + Send {}
impl<T: AsyncRead + AsyncWrite + Send> Stream for T {}

/// A WebSocket that we opened.
pub type Socket = WebSocketStream<Pin<Box<dyn Stream>>>;

/// Why a WebSocket could not be opened. Nothing of its address is told: there may be a token in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebSocketError {
    /// The address is none.
    #[error("the address must begin with ws:// or wss:// and name a host")]
    Address,
    /// Nobody is there.
    #[error("{0}")]
    Connection(String),
    /// What TLS is to be spoken with cannot be used.
    #[error("tls.{0}")]
    Settings(#[from] TlsError),
    /// Who is there is not whom we trust, or speaks no TLS.
    #[error("TLS: {0}")]
    Tls(io::Error),
    /// It answers, and will not speak with us.
    #[error("refuses us with status {0}")]
    Refused(u16),
}

/// Where an address leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// Whether TLS is spoken there.
    pub secure: bool,
    /// A name or an IP address, the latter without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl Authority {
    /// Where an address leads, `ws://…` or `wss://…`.
    ///
    /// # Errors
    /// When it is none.
    pub fn of(address: &str) -> Result<Self, WebSocketError> {
        let uri: Uri = address.parse().map_err(|_| WebSocketError::Address)?;
        let (secure, usual) = match uri.scheme_str() {
            Some("ws") => (false, 80),
            Some("wss") => (true, 443),
            _ => return Err(WebSocketError::Address),
        };
        let host = uri.host().filter(|host| !host.is_empty()).ok_or(WebSocketError::Address)?;
        let host = host.trim_matches(['[', ']']).to_owned();
        Ok(Self { secure, host, port: uri.port_u16().unwrap_or(usual) })
    }
}

/// Opens a WebSocket at an address whose host was found `at` these. A message of more than `max_bytes` ends it. Takes as long as
/// it takes: the caller sets the time limit.
///
/// # Errors
/// Why nobody is there, or takes us.
pub async fn open(
    address: &str,
    at: &[SocketAddr],
    tls: &TlsSettings,
    max_bytes: usize,
) -> Result<Socket, WebSocketError> {
    let failed = |error: &dyn std::fmt::Display| WebSocketError::Connection(error.to_string());
    let place = Authority::of(address)?;
    let plain = TcpStream::connect(at).await.map_err(|error| failed(&error))?;
    let _ = plain.set_nodelay(true);
    let stream: Pin<Box<dyn Stream>> = if place.secure {
        let config = client_config(tls)?;
        let name = ServerName::try_from(place.host).map_err(|error| failed(&error))?;
        Box::pin(TlsConnector::from(config).connect(name, plain).await.map_err(WebSocketError::Tls)?)
    } else {
        Box::pin(plain)
    };
    let request = address.into_client_request().map_err(|_| WebSocketError::Address)?;
    let config = WebSocketConfig {
        max_message_size: Some(max_bytes),
        max_frame_size: Some(max_bytes),
        write_buffer_size: WRITE_BUFFER,
        ..WebSocketConfig::default()
    };
    match client_async_with_config(request, stream, Some(config)).await {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(response)) => Err(WebSocketError::Refused(response.status().as_u16())),
        Err(error) => Err(failed(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_scheme_host_and_port() {
        let told = |address: &str| Authority::of(address).ok().map(|place| (place.secure, place.host, place.port));
        assert_eq!(told("ws://box.lan:8004/mcp/?token=x"), Some((false, "box.lan".into(), 8004)));
        assert_eq!(told("wss://api.example/mcp/?token=x"), Some((true, "api.example".into(), 443)));
        assert_eq!(told("ws://[::1]:8123/api"), Some((false, "::1".into(), 8123)));
        for bad in ["http://box.lan", "box.lan:8004", "ws://", "wss:///x", "", "ws://a b"] {
            assert_eq!(told(bad), None, "{bad}");
        }
    }
}
