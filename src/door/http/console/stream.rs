//! `GET /v1/live`: what is new, for as long as somebody looks.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, Interval, interval_at};

use super::super::{House, Pass, body};
use super::live::event;
use crate::listen::Peer;

/// A stream on which nothing happens says so, so that both sides know that the other is there.
const COMMENT_EVERY: Duration = Duration::from_secs(15);

/// A reader that takes nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(60);

/// One reader.
struct Reader {
    house: Arc<House>,
    pass: Pass,
    peer: Peer,
    events: Receiver<Bytes>,
    /// Said first.
    hello: Option<Bytes>,
    comments: Interval,
    over: bool,
    _place: OwnedSemaphorePermit,
}

/// Opens a stream.
pub(in crate::door::http) async fn open(
    State(house): State<Arc<House>>,
    Extension(pass): Extension<Pass>,
    Extension(peer): Extension<Peer>,
) -> Response {
    let Some((events, place)) = house.console.live.listen() else {
        return body::error(StatusCode::SERVICE_UNAVAILABLE, "overloaded", "too many pages are open already");
    };
    // After it listens: nothing falls between.
    let hello = json!({"seq": house.console.ledger.last(), "revision": house.registry.snapshot().revision});
    let every = |period| interval_at(Instant::now() + period, period);
    let reader = Reader {
        hello: Some(event("hello", &hello)),
        events,
        comments: every(COMMENT_EVERY),
        over: false,
        house,
        pass,
        peer,
        _place: place,
    };
    let stream = unfold(reader, |mut reader| async move {
        let bytes = reader.next().await?;
        Some((Ok::<_, Infallible>(bytes), reader))
    });
    let headers = [(CONTENT_TYPE, "text/event-stream; charset=utf-8"), (CACHE_CONTROL, "no-store")];
    (headers, Body::from_stream(stream)).into_response()
}

impl Reader {
    /// Asked only when the other side took what came before.
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        self.peer.patience.extend(PATIENCE);
        if let Some(hello) = self.hello.take() {
            return Some(hello);
        }
        tokio::select! {
            _ = self.peer.closing.changed() => None,
            () = self.house.guard.revoked(&self.pass) => {
                self.over = true;
                Some(event("bye", &json!({"why": "token"})))
            }
            heard = self.events.recv() => match heard {
                Ok(event) => Some(event),
                Err(RecvError::Lagged(missed)) => Some(event("lagged", &json!({"missed": missed}))),
                Err(RecvError::Closed) => None,
            },
            _ = self.comments.tick() => Some(Bytes::from_static(b":\n\n")),
        }
    }
}
