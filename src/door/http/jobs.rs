//! `GET /v1/jobs` and `POST /v1/jobs/cancel`: what is to be done later, and what is not to be done after all.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};
use tracing::error;

use super::{House, body, shown_at};
use crate::frame::ErrorCode;
use crate::job::{Job, Jobs};

/// Jobs that are shown at most.
const MAX_SHOWN: usize = 1_000;

/// What is pending, soonest first, and what came to an end in this run, newest first.
pub(super) async fn jobs(State(house): State<Arc<House>>) -> Response {
    let pending = house.jobs.pending();
    let zone = &house.jobs.settings().zone;
    let ended = house.jobs.ended().into_iter().map(
        |ended| json!({"id": ended.id, "summary": ended.summary, "at": shown_at(ended.wall_ms, zone), "how": ended.how}),
    );
    let (jobs, ended) = (shown(&house.jobs, &pending), ended.collect::<Vec<_>>());
    body::reply(StatusCode::OK, &json!({"count": pending.len(), "jobs": jobs, "ended": ended}))
}

/// Takes jobs back: `{"id"}`, or `{"all": true}`.
pub(super) async fn cancel(State(house): State<Arc<House>>, request: Request) -> Response {
    let asked = match body::read(request).await {
        Ok((asked, _)) => asked,
        Err((status, message)) => return body::error(status, ErrorCode::BadFrame.code(), &message),
    };
    let Some(ids) = house.jobs.named(&asked) else {
        return body::error(
            StatusCode::BAD_REQUEST,
            ErrorCode::BadFrame.code(),
            "one of \"id\": \"…\" and \"all\": true is needed",
        );
    };
    let jobs = Arc::clone(&house.jobs);
    match tokio::task::spawn_blocking(move || jobs.cancel(&ids)).await {
        Ok(Ok(gone)) => body::reply(StatusCode::OK, &json!({"gone": shown(&house.jobs, &gone)})),
        Ok(Err(error)) => {
            error!(%error, "jobs cannot be taken back");
            failed()
        }
        Err(_) => failed(),
    }
}

fn shown(book: &Jobs, jobs: &[Job]) -> Vec<Value> {
    jobs.iter().take(MAX_SHOWN).map(|job| job.shown(book.clock(), &book.settings().zone)).collect()
}

fn failed() -> Response {
    let code = ErrorCode::Internal;
    body::error(body::status(code), code.code(), "they cannot be taken back now")
}
