//! `…/v1/overrides`: the owner's file, read, changed and taken back.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::super::{Client, House, body};
use super::{Behind, EditError, aside};
use crate::frame::{ErrorCode, clean};
use crate::home::Edit;

/// What it says, and what was done to it.
pub(in crate::door::http) async fn shown(State(house): State<Arc<House>>) -> Response {
    answer(&house, |behind| behind.overrides()).await
}

/// Says something else of a device: `{"base", "device", "set": {…}}`.
pub(in crate::door::http) async fn edit(
    State(house): State<Arc<House>>,
    Extension(Client(who)): Extension<Client>,
    request: Request,
) -> Response {
    let (asked, base) = match asked(request).await {
        Ok(asked) => asked,
        Err(refused) => return refused,
    };
    let edit = match Edit::read(&asked) {
        Ok(edit) => edit,
        Err(reason) => return body::error(StatusCode::BAD_REQUEST, ErrorCode::BadFrame.code(), &reason),
    };
    answer(&house, move |behind| behind.edit(&base, &edit, &who).and_then(|()| behind.overrides())).await
}

/// Takes the last change back: `{"base"}`.
pub(in crate::door::http) async fn undo(
    State(house): State<Arc<House>>,
    Extension(Client(who)): Extension<Client>,
    request: Request,
) -> Response {
    let (_, base) = match asked(request).await {
        Ok(asked) => asked,
        Err(refused) => return refused,
    };
    answer(&house, move |behind| behind.undo(&base, &who).and_then(|()| behind.overrides())).await
}

/// What is asked for, and the revision that it was asked of.
async fn asked(request: Request) -> Result<(Value, String), Response> {
    let code = ErrorCode::BadFrame.code();
    let (asked, _) = body::read(request).await.map_err(|(status, message)| body::error(status, code, &message))?;
    match asked["base"].as_str().map(str::to_owned) {
        Some(base) => Ok((asked, base)),
        None => Err(body::error(StatusCode::BAD_REQUEST, code, "base: the revision that is changed must be named")),
    }
}

async fn answer(
    house: &Arc<House>,
    work: impl FnOnce(&dyn Behind) -> Result<Value, EditError> + Send + 'static,
) -> Response {
    let behind = Arc::clone(&house.console.behind);
    let (status, code, error) = match aside(move || work(&*behind)).await {
        Ok(Ok(value)) => return body::reply(StatusCode::OK, &value),
        Err(failed) => return failed,
        Ok(Err(error @ EditError::Conflict { .. })) => (StatusCode::CONFLICT, "conflict", error),
        Ok(Err(error @ EditError::Refused(_))) => (StatusCode::UNPROCESSABLE_ENTITY, "refused", error),
        Ok(Err(error @ EditError::Unwritable(_))) => (StatusCode::INSUFFICIENT_STORAGE, "unwritable", error),
    };
    let mut value = json!({"error": {"code": code, "message": clean(&error.to_string())}});
    if let EditError::Conflict { revision } = error {
        value["revision"] = revision.into();
    }
    body::reply(status, &value)
}
