//! HTTP: one listener for whoever asks by it, whether once, as Home Assistant does, over the pipe or as an agent.

mod ask;
mod attempts;
mod body;
mod console;
mod conversation;
mod guard;
mod home;
mod jobs;
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
use crate::job::Jobs;
use crate::listen::{Budget, ListenLimits, Meter, Peer, ServeTls, TlsFiles, serve_http};
use crate::observe::METRICS_TYPE;
pub use console::{Behind, Console, EditError, Live, Sources, shown_account, shown_at};
use guard::Pass;
pub use guard::{Guard, Terms};
pub use tokens::{Right, Tokens};

/// Where the pipe is.
pub const PIPE: &str = "/agent/smarthome-gpt/llm/stream";

/// How long a request that is not served yet, and one whose answer nobody takes, keep their connection beyond the deadline.
const SPARE: Duration = Duration::from_secs(20);

/// Bytes that bodies and pipes may hold beyond the small: with the home and its models in memory as well, the daemon stays
/// below what its unit allows it.
const HELD_BYTES: usize = 32 << 20;

/// Bytes of a body that need no leave; nobody says more in one breath.
const SMALL_BODY: usize = 4 << 10;

/// How many times as large a body is when it is read.
const READ_BODY: usize = 16;

/// What the listener needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpSettings {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Who may come in; without tokens, only this machine.
    pub terms: Terms,
    /// What TLS is spoken with; without it, none is.
    pub tls: Option<TlsFiles>,
    /// Connections at once.
    pub connections: usize,
    /// A pipe on which nothing is said for so long is closed.
    pub idle: Duration,
}

impl HttpSettings {
    /// Whether a running listener can take over `new`: who may come in, and what its files hold.
    pub fn can_become(&self, new: &Self) -> bool {
        let kept = Self { terms: new.terms.clone(), tls: new.tls.clone(), ..self.clone() };
        kept == *new && self.tls.is_some() == new.tls.is_some()
    }
}

/// What the routes share.
pub struct House {
    /// Takes what is asked.
    pub desk: Arc<Desk>,
    /// What there is.
    pub registry: Arc<Registry>,
    /// What is to be done later.
    pub jobs: Arc<Jobs>,
    /// Bounds of what is asked.
    pub limits: Limits,
    /// Who may pass.
    pub guard: Arc<Guard>,
    /// The content of `/metrics`.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// What the console shows.
    pub console: Console,
    /// How long a pipe may be silent.
    pub idle: Duration,
    /// What bodies and pipes may hold.
    pub budget: Budget,
}

impl House {
    /// Room for what all who ask by HTTP hold together.
    pub fn budget() -> Budget {
        Budget::new(HELD_BYTES)
    }
}

impl fmt::Debug for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("House").field("desk", &self.desk).field("guard", &self.guard).finish_non_exhaustive()
    }
}

/// Whose token was shown.
#[derive(Clone, Debug)]
pub(super) struct Client(pub(super) String);

/// Serves HTTP for as long as it is polled, over TLS if there is any; a request may take `deadline`.
///
/// An address that cannot be listened on is told in the log and is no reason to leave the home alone.
pub async fn serve(settings: &HttpSettings, house: House, tls: Option<Arc<ServeTls>>, deadline: Duration) {
    let address = settings.listen;
    let listener = match TcpListener::bind(address).await {
        Ok(listener) => listener,
        Err(error) => return warn!(%address, %error, "http.listen: nobody can ask by HTTP"),
    };
    info!(address = %listener.local_addr().unwrap_or(address), tls = tls.is_some(), "HTTP is served");
    let limits = ListenLimits {
        connections: settings.connections,
        // Nobody alone keeps the others out.
        per_address: settings.connections.div_ceil(2),
        head: Duration::from_secs(5),
        whole: deadline + SPARE,
        pause: Duration::from_secs(1),
    };
    serve_http(listener, router(Arc::new(house)), limits, tls).await;
}

/// What a route takes of whoever asks.
#[derive(Clone, Copy, Debug)]
enum Takes {
    /// Nothing: what it serves holds nothing of the home.
    Nothing,
    /// Any token.
    Token,
    /// A token with this right.
    A(Right),
}

/// A path, what it takes, and who answers.
type Route = (&'static str, Takes, MethodRouter<Arc<House>>);

fn routes() -> Vec<Route> {
    let (ask, see, manage) = (Takes::A(Right::Ask), Takes::A(Right::See), Takes::A(Right::Manage));
    vec![
        ("/", Takes::Nothing, get(console::assets::page)),
        ("/console/:file", Takes::Nothing, get(console::assets::file)),
        ("/healthz", Takes::Token, get(|| async { "ok\n" })),
        ("/metrics", see, get(metrics)),
        ("/v1/me", Takes::Token, get(console::health::me)),
        ("/v1/home", see, get(home::home)),
        ("/v1/jobs", see, get(jobs::jobs)),
        ("/v1/jobs/cancel", manage, post(jobs::cancel)),
        ("/v1/ask", ask, post(ask::ask)),
        ("/v1/utterances", see, get(console::utterances::list)),
        ("/v1/utterances/:seq", see, get(console::utterances::open)),
        ("/v1/utterances/:seq/trace", see, get(console::utterances::trace)),
        ("/v1/live", see, get(console::stream::open)),
        ("/v1/console/home", see, get(console::home::home)),
        ("/v1/overrides", see, get(console::overrides::shown)),
        ("/v1/overrides", manage, post(console::overrides::edit)),
        ("/v1/overrides/undo", manage, post(console::overrides::undo)),
        ("/v1/health", see, get(console::health::health)),
        ("/api/conversation/process", ask, post(conversation::process)),
        // Its tools look at the rights themselves.
        ("/mcp", Takes::Token, post(mcp::post)),
        (PIPE, ask, get(pipe::open)),
    ]
}

/// The paths of all routes, what changes in them in braces.
pub fn paths() -> Vec<String> {
    let level = |level: &str| level.strip_prefix(':').map_or(level.to_owned(), |name| format!("{{{name}}}"));
    routes().into_iter().map(|(path, ..)| path.split('/').map(level).collect::<Vec<_>>().join("/")).collect()
}

fn router(house: Arc<House>) -> Router {
    let mut router = Router::new();
    for (path, takes, handler) in routes() {
        let check = Checked { house: Arc::clone(&house), takes };
        router = router.route(path, handler.layer(from_fn_with_state(check, pass)));
    }
    router.with_state(house)
}

#[derive(Clone)]
struct Checked {
    house: Arc<House>,
    takes: Takes,
}

/// Lets those pass who may.
async fn pass(
    State(check): State<Checked>,
    Extension(peer): Extension<Peer>,
    Extension(meter): Extension<Meter>,
    request: Request,
    next: Next,
) -> Response {
    let (guard, uri, headers) = (&check.house.guard, request.uri(), request.headers());
    let admitted = match check.takes {
        Takes::Nothing => guard.meant(headers).map(|()| Pass::nobody()),
        Takes::Token => guard.admit(peer.address, uri, headers, None),
        Takes::A(right) => guard.admit(peer.address, uri, headers, Some(right)),
    };
    match admitted {
        Ok(pass) => {
            // A connection has one request, whose body is held until its end.
            meter.limit(check.house.budget.clone(), SMALL_BODY, READ_BODY);
            let mut request = request;
            request.extensions_mut().insert(Client(pass.name().to_owned()));
            request.extensions_mut().insert(pass);
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
