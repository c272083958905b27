//! The numbers over HTTP, for Prometheus.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use tokio::net::TcpListener;
use tracing::{info, warn};

/// What `text` says as the content of `/metrics`, for as long as it is polled.
///
/// An address that cannot be listened on is told in the log and is no reason to leave the home alone.
pub async fn serve_metrics(address: SocketAddr, text: impl Fn() -> String + Send + Sync + 'static) {
    let listener = match TcpListener::bind(address).await {
        Ok(listener) => listener,
        Err(error) => return warn!(%address, %error, "metrics.listen: nobody can be told the metrics"),
    };
    info!(address = %listener.local_addr().unwrap_or(address), "metrics are told on /metrics");
    let text = Arc::new(text);
    let kind = [(CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")];
    let router = Router::new().route("/metrics", get(move || async move { (kind, text()) }));
    if let Err(error) = axum::serve(listener, router).await {
        warn!(%error, "metrics are not told any more");
    }
}
