//! HTTP: one listener for whoever asks by it, whether once, as Home Assistant does, over the pipe or as an agent.

mod ask;
mod attempts;
mod body;
mod conversation;
mod guard;
mod home;
mod mcp;
mod pipe;
mod tokens;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};
use tokio::net::TcpListener;
use tracing::{info, warn};

use super::Desk;
use crate::frame::Limits;
use crate::home::Registry;
use crate::listen::{ListenLimits, Peer, serve_http};
use crate::observe::METRICS_TYPE;
pub use guard::Guard;
pub use tokens::{Right, Tokens};

/// Where the pipe is.
pub const PIPE: &str = "/agent/smarthome-gpt/llm/stream";

/// How long a request that is not served yet, and one whose answer nobody takes, keep their connection beyond the deadline.
const SPARE: Duration = Duration::from_secs(20);

/// What the listener needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpSettings {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Who may come in; without tokens, only this machine.
    pub tokens: Option<Tokens>,
    /// Names of this machine.
    pub hosts: Vec<String>,
    /// Sites whose pages may ask.
    pub origins: Vec<String>,
    /// Connections at once.
    pub connections: usize,
    /// A pipe on which nothing is said for so long is closed.
    pub idle: Duration,
}

/// What the routes share.
pub struct House {
    /// Takes what is asked.
    pub desk: Arc<Desk>,
    /// What there is.
    pub registry: Arc<Registry>,
    /// Bounds of what is asked.
    pub limits: Limits,
    /// Who may pass.
    pub guard: Guard,
    /// The content of `/metrics`.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// How long a pipe may be silent.
    pub idle: Duration,
}

impl fmt::Debug for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("House").field("desk", &self.desk).field("guard", &self.guard).finish_non_exhaustive()
    }
}

/// Whose token was shown.
#[derive(Clone, Debug)]
pub(super) struct Client(pub(super) String);

/// Serves HTTP for as long as it is polled; a request may take `deadline`.
///
/// An address that cannot be listened on is told in the log and is no reason to leave the home alone.
pub async fn serve(settings: &HttpSettings, house: House, deadline: Duration) {
    let address = settings.listen;
    let listener = match TcpListener::bind(address).await {
        Ok(listener) => listener,
        Err(error) => return warn!(%address, %error, "http.listen: nobody can ask by HTTP"),
    };
    info!(address = %listener.local_addr().unwrap_or(address), "HTTP is served");
    let limits = ListenLimits {
        connections: settings.connections,
        // Nobody alone keeps the others out.
        per_address: settings.connections.div_ceil(2),
        head: Duration::from_secs(5),
        whole: deadline + SPARE,
        pause: Duration::from_secs(1),
    };
    serve_http(listener, router(Arc::new(house)), limits).await;
}

/// A path, the right that it takes, and who answers; any token will do where no right is named.
type Route = (&'static str, Option<Right>, MethodRouter<Arc<House>>);

fn routes() -> Vec<Route> {
    vec![
        ("/healthz", None, get(|| async { "ok\n" })),
        ("/metrics", Some(Right::See), get(metrics)),
        ("/v1/home", Some(Right::See), get(home::home)),
        ("/v1/ask", Some(Right::Ask), post(ask::ask)),
        ("/api/conversation/process", Some(Right::Ask), post(conversation::process)),
        // Its tools look at the rights themselves.
        ("/mcp", None, post(mcp::post)),
        (PIPE, Some(Right::Ask), get(pipe::open)),
    ]
}

/// The paths of all routes.
pub fn paths() -> Vec<&'static str> {
    routes().into_iter().map(|(path, ..)| path).collect()
}

fn router(house: Arc<House>) -> Router {
    let mut router = Router::new();
    for (path, right, handler) in routes() {
        let check = Checked { house: Arc::clone(&house), right };
        router = router.route(path, handler.layer(from_fn_with_state(check, pass)));
    }
    router.with_state(house)
}

#[derive(Clone)]
struct Checked {
    house: Arc<House>,
    right: Option<Right>,
}

/// Lets those pass who may.
async fn pass(
    State(check): State<Checked>,
    Extension(peer): Extension<Peer>,
    request: Request,
    next: Next,
) -> Response {
    match check.house.guard.admit(peer.address, request.uri(), request.headers(), check.right) {
        Ok(name) => {
            let mut request = request;
            request.extensions_mut().insert(Client(name));
            next.run(request).await
        }
        Err(denied) => {
            let (status, message) = denied.explain();
            let mut response = body::error(status, "denied", message);
            if status == StatusCode::UNAUTHORIZED {
                response.headers_mut().insert(WWW_AUTHENTICATE, axum::http::HeaderValue::from_static("Bearer"));
            }
            response
        }
    }
}

async fn metrics(State(house): State<Arc<House>>) -> Response {
    ([(CONTENT_TYPE, METRICS_TYPE)], (house.metrics)()).into_response()
}
