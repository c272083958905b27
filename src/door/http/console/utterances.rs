//! `GET /v1/utterances…`: what was said lately, page by page and one by one.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::super::{House, body};
use super::{account, aside};
use crate::ledger::Entry;
use crate::service::{Explanation, Names, Near, Service, shared, written};

/// Accounts of a page, where nobody says how many, and at most.
const PAGE: usize = 50;
const MAX_PAGE: usize = 200;

/// A page of them, the newest first: `?before=SEQ&limit=N`.
pub(in crate::door::http) async fn list(State(house): State<Arc<House>>, uri: Uri) -> Response {
    let number = |key: &str| {
        let mut pairs = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(name, _)| *name == key).map(|(_, value)| value.parse::<u64>()).transpose()
    };
    let (Ok(before), Ok(limit)) = (number("before"), number("limit")) else {
        return body::error(StatusCode::BAD_REQUEST, "bad_frame", "before and limit must be numbers");
    };
    let limit = limit.map_or(PAGE, |limit| usize::try_from(limit).unwrap_or(MAX_PAGE)).clamp(1, MAX_PAGE);
    let told = aside(move || {
        let sheet = house.console.ledger.sheet(before, limit);
        let zone = &house.jobs.settings().zone;
        let accounts: Vec<Value> = sheet.entries.iter().map(|entry| account::shown(entry, zone)).collect();
        json!({"utterances": accounts, "more": sheet.more})
    });
    told.await.map_or_else(|failed| failed, |told| body::reply(StatusCode::OK, &told))
}

/// One of them, with how it is read now.
pub(in crate::door::http) async fn open(State(house): State<Arc<House>>, Path(seq): Path<String>) -> Response {
    let Some(entry) = find(&house, &seq) else { return gone() };
    let told = aside(move || {
        let shown = account::shown(&entry, &house.jobs.settings().zone);
        let (reading, near) = looked(&house.console.behind.service(), &entry, &shown);
        let words = reading.words.iter().map(|word| json!({"text": word.text, "senses": word.senses}));
        let near = near.iter().map(|n| json!({"id": n.id, "name": n.name, "room": n.room, "score": n.score}));
        json!({
            "utterance": shown, "words": words.collect::<Vec<_>>(), "steps": reading.steps,
            "near": near.collect::<Vec<_>>(),
        })
    });
    told.await.map_or_else(|failed| failed, |told| body::reply(StatusCode::OK, &told))
}

/// One of them as a text to give away, without the names of the home.
pub(in crate::door::http) async fn trace(State(house): State<Arc<House>>, Path(seq): Path<String>) -> Response {
    let Some(entry) = find(&house, &seq) else { return gone() };
    let told = aside(move || {
        let service = house.console.behind.service();
        let shown = account::shown(&entry, &house.jobs.settings().zone);
        let (reading, _) = looked(&service, &entry, &shown);
        let others =
            [&entry.account.origin.client, entry.account.room.as_ref().unwrap_or(&entry.account.origin.client)];
        let names = service.home_model().map(|model| Names::of(&model.world.vocabulary, &others.map(String::as_str)));
        shared(&written(&shown, &reading), &names.unwrap_or_default())
    });
    let told = match told.await {
        Ok(told) => told,
        Err(failed) => return failed,
    };
    let headers =
        [(CONTENT_TYPE, "text/plain; charset=utf-8"), (HeaderName::from_static("x-content-type-options"), "nosniff")];
    (headers, told).into_response()
}

fn find(house: &House, seq: &str) -> Option<Entry> {
    house.console.ledger.find(seq.parse().ok()?)
}

fn gone() -> Response {
    body::error(StatusCode::NOT_FOUND, "not_found", "there is no such utterance, or it is too long ago")
}

/// How it is read with the home as it is now, and what is nearest to what was not found. Of a home that came with the
/// request nothing is known.
fn looked(service: &Service, entry: &Entry, shown: &Value) -> (Explanation, Vec<Near>) {
    let account = &entry.account;
    if account.brought {
        return (Explanation::default(), Vec::new());
    }
    let reading = service.read(&account.said, account.room.as_deref());
    let near = service.near(&missing(shown));
    (reading, near)
}

/// The names in commands that nothing was found for.
fn missing(shown: &Value) -> Vec<String> {
    let texts = |key: &str| shown[key].as_array().map_or(&[][..], Vec::as_slice);
    let found = |command: &Value| texts("candidates").iter().any(|candidate| candidate["command"] == *command);
    let commands = texts("commands").iter().filter(|command| !found(command)).filter_map(Value::as_str);
    let names = commands.filter_map(|command| command.rsplit('-').next()?.split('#').next());
    names.filter(|name| !name.is_empty() && *name != "*" && !name.starts_with('@')).map(str::to_owned).collect()
}
