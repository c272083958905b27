//! `GET /v1/home`: what there is, and how it is.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::{House, body};
use crate::home::{Home, Live, Risk};

/// The home in force.
pub(super) async fn home(State(house): State<Arc<House>>) -> Response {
    let snapshot = house.registry.snapshot();
    let mut value = shown(&snapshot.home, &snapshot.live);
    value["revision"] = snapshot.revision.into();
    body::reply(StatusCode::OK, &value)
}

fn shown(home: &Home, live: &Live) -> Value {
    let devices = home.devices.iter().enumerate().map(|(index, device)| {
        json!({
            "id": device.id, "name": device.name, "aliases": device.aliases, "room": home.room_name(device),
            "category": device.category, "online": live.online(index), "risky": device.risk == Some(Risk::High),
            "state": live.get(index).values,
        })
    });
    let members = |indices: &[usize]| indices.iter().map(|i| home.devices[*i].id.clone()).collect::<Vec<_>>();
    json!({
        "rooms": home.rooms.iter().map(|r| json!({"name": r.name, "floor": r.floor, "aliases": r.aliases})).collect::<Vec<_>>(),
        "devices": devices.collect::<Vec<_>>(),
        "groups": home.groups.iter().map(|g| json!({"id": g.id, "name": g.name, "aliases": g.aliases, "members": members(&g.members)})).collect::<Vec<_>>(),
        "scenes": home.scenes.iter().map(|s| json!({"id": s.id, "name": s.name, "aliases": s.aliases})).collect::<Vec<_>>(),
    })
}
