//! The numbers over HTTP, for Prometheus.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use tokio::net::TcpListener;
use tracing::{info, warn};

use crate::listen::{ListenLimits, serve_http};

/// The content type of [`crate::observe::Metrics::text`].
pub const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const LIMITS: ListenLimits = ListenLimits {
    connections: 16,
    // Nobody alone keeps the others out.
    per_address: 8,
    head: Duration::from_secs(5),
    whole: Duration::from_secs(30),
    pause: Duration::from_secs(1),
};

/// What `text` says as the content of `/metrics`, for as long as it is polled.
///
/// An address that cannot be listened on is told in the log and is no reason to leave the home alone.
pub async fn serve_metrics(address: SocketAddr, text: impl Fn() -> String + Send + Sync + 'static) {
    let listener = match TcpListener::bind(address).await {
        Ok(listener) => listener,
        Err(error) => return warn!(%address, %error, "metrics.listen: nobody can be told the metrics"),
    };
    info!(address = %listener.local_addr().unwrap_or(address), "metrics are told on /metrics");
    serve(listener, text, LIMITS).await;
}

async fn serve(listener: TcpListener, text: impl Fn() -> String + Send + Sync + 'static, limits: ListenLimits) {
    let text = Arc::new(text);
    let router = Router::new().route("/metrics", get(move || async move { ([(CONTENT_TYPE, METRICS_TYPE)], text()) }));
    serve_http(listener, router, limits, None).await;
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    async fn start(limits: ListenLimits) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(serve(listener, || "42".to_owned(), limits));
        address
    }

    fn connect(address: SocketAddr, head: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(head).unwrap();
        stream
    }

    /// All that comes until the server closes.
    async fn end(mut stream: TcpStream) -> String {
        let reading = tokio::task::spawn_blocking(move || {
            let mut text = String::new();
            stream.read_to_string(&mut text).map(|_| text)
        });
        reading.await.unwrap().unwrap()
    }

    #[tokio::test]
    async fn a_request_that_does_not_come_to_an_end_is_not_waited_for() {
        let address = start(ListenLimits { head: Duration::from_millis(20), ..LIMITS }).await;
        for slow in [&b""[..], b"GET /metrics HT", b"GET /metrics HTTP/1.1\r\nHost: x\r\nX-A"] {
            assert!(!end(connect(address, slow)).await.contains("42"));
        }
        let told = end(connect(address, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")).await;
        assert!(told.starts_with("HTTP/1.1 200 OK\r\n") && told.ends_with("42"), "{told}");
    }

    #[tokio::test]
    async fn one_address_leaves_room_for_the_others() {
        let address = start(LIMITS).await;
        let _held: Vec<TcpStream> = (0..LIMITS.per_address).map(|_| connect(address, b"GET ")).collect();
        let mut one_more = connect(address, b"");
        let refused = tokio::task::spawn_blocking(move || one_more.read(&mut [0]));
        assert!(matches!(refused.await.unwrap(), Ok(0) | Err(_)), "closed at once");
        let other = tokio::net::TcpSocket::new_v4().unwrap();
        other.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        let mut other = other.connect(address).await.unwrap();
        other.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await.unwrap();
        let mut told = String::new();
        other.read_to_string(&mut told).await.unwrap();
        assert!(told.ends_with("42"), "{told}");
    }

    #[tokio::test]
    async fn no_more_connections_are_served_at_once_than_there_is_room_for() {
        let address = start(ListenLimits { connections: 1, head: Duration::from_millis(20), ..LIMITS }).await;
        let mut slow = connect(address, b"GET ");
        let told = end(connect(address, b"GET /metrics HTTP/1.0\r\n\r\n")).await;
        assert!(told.ends_with("42"), "{told}");
        // The one before had to be over by then.
        slow.set_nonblocking(true).unwrap();
        let mut rest = Vec::new();
        slow.read_to_end(&mut rest).unwrap();
    }
}
