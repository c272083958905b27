//! HTTP/1 with the limits that `axum::serve` has none of.

use std::sync::Arc;

use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::map_response;
use axum::response::Response;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::time::timeout;
use tracing::debug;

use super::meter::{Meter, Metered};
use super::{ListenLimits, Patience, ServeTls, listen};

/// Bytes of a request's head.
const HEAD_BYTES: usize = 16 << 10;

/// Serves a router for as long as it is polled, one request a connection, over TLS if there is any. Handlers find the
/// [`super::Peer`] and the [`Meter`] of its connection among the extensions of the request; one that takes the connection over keeps it for as long.
pub async fn serve_http(listener: TcpListener, router: Router, limits: ListenLimits, tls: Option<Arc<ServeTls>>) {
    let router = router.layer(map_response(last));
    listen(listener, limits, |stream, peer| {
        let patience = peer.patience.clone();
        let meter = Meter::default();
        let router = router.clone().layer(Extension(peer)).layer(Extension(meter.clone()));
        let tls = tls.clone();
        async move {
            let Some(tls) = tls else { return one(Metered { stream, meter }, router, limits, patience).await };
            match timeout(limits.head, tls.accept(stream)).await {
                Ok(Ok(stream)) => one(Metered { stream, meter }, router, limits, patience).await,
                Ok(Err(error)) => debug!(%error, "a handshake fails"),
                Err(_) => debug!("a handshake does not come to an end"),
            }
        }
    })
    .await;
}

/// Serves one connection.
async fn one(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    limits: ListenLimits,
    patience: Patience,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    // Whoever breaks off or takes too long is not told, and nobody else has to know.
    patience.keep(connection).await;
}

/// A response is the last one of its connection, unless another protocol takes the connection over.
async fn last(mut response: Response) -> Response {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::super::tls::tests::self_signed;
    use super::*;

    #[tokio::test]
    async fn a_handshake_that_does_not_come_to_an_end_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let tls = Arc::new(ServeTls::read(&self_signed(folder.path())).unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let long = Duration::from_secs(60);
        let head = Duration::from_millis(20);
        // The second one comes in only when the first is gone.
        let limits = ListenLimits { connections: 1, per_address: 1, head, whole: long, pause: long };
        tokio::spawn(serve_http(listener, Router::new(), limits, Some(tls)));
        for begun in [&b""[..], b"\x16\x03\x01\x02\x00\x01"] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(begun).await.unwrap();
            let told = stream.read_to_end(&mut Vec::new()).await;
            assert_eq!(told.unwrap_or_default(), 0);
        }
    }
}
