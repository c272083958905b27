//! `GET /v1/home`: what there is, and how it is.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::{House, body};
use crate::frame::clean;
use crate::home::{Home, Live, Risk};

/// The home in force.
pub(super) async fn home(State(house): State<Arc<House>>) -> Response {
    let snapshot = house.registry.snapshot();
    let mut value = shown(&snapshot.home, &snapshot.live);
    value["revision"] = snapshot.revision.into();
    body::reply(StatusCode::OK, &value)
}

fn shown(home: &Home, live: &Live) -> Value {
    let all = |names: &[String]| names.iter().map(|name| clean(name)).collect::<Vec<_>>();
    let devices = home.devices.iter().enumerate().map(|(index, device)| {
        json!({
            "id": device.id, "name": clean(&device.name), "aliases": all(&device.aliases),
            "room": clean(home.room_name(device)), "category": clean(&device.category), "online": live.online(index), "risky": device.risk == Some(Risk::High),
            "state": cleaned(json!(live.get(index).values)),
        })
    });
    let members = |indices: &[usize]| indices.iter().map(|i| home.devices[*i].id.clone()).collect::<Vec<_>>();
    json!({
        "rooms": home.rooms.iter().map(|r| json!({"name": clean(&r.name), "floor": r.floor.as_deref().map(clean), "aliases": all(&r.aliases)})).collect::<Vec<_>>(),
        "devices": devices.collect::<Vec<_>>(),
        "groups": home.groups.iter().map(|g| json!({"id": g.id, "name": clean(&g.name), "aliases": all(&g.aliases), "members": members(&g.members)})).collect::<Vec<_>>(),
        "scenes": home.scenes.iter().map(|s| json!({"id": s.id, "name": clean(&s.name), "aliases": all(&s.aliases)})).collect::<Vec<_>>(),
    })
}

/// A value without anything in its texts that steers whoever reads them.
fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => clean(&text).into(),
        Value::Array(values) => values.into_iter().map(cleaned).collect(),
        Value::Object(entries) => entries.into_iter().map(|(key, value)| (key, cleaned(value))).collect(),
        other => other,
    }
}
