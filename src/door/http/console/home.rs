//! `GET /v1/console/home`: what there is, what the owner says of it, and what may be mistaken for one another.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::super::{House, body};
use super::aside;
use crate::home::{Device, Home, Likeness, Plain, Snapshot, alike};
use crate::language::vocabulary::{Vocabulary, taken_names};

/// The home in force, and what is hidden of it.
pub(in crate::door::http) async fn home(State(house): State<Arc<House>>) -> Response {
    let told = aside(move || {
        let behind = &house.console.behind;
        let snapshot = house.registry.snapshot();
        let model = behind.service().home_model();
        // A home that is one only without its hidden devices is shown without them.
        let plain = house.registry.plain().ok();
        let mut value = shown(&snapshot, model.as_ref().map(|model| &model.world.vocabulary), plain.as_ref());
        value["hubs"] = behind.hubs().into();
        value
    });
    told.await.map_or_else(|failed| failed, |told| body::reply(StatusCode::OK, &told))
}

fn shown(snapshot: &Snapshot, vocabulary: Option<&Vocabulary>, plain: Option<&Plain>) -> Value {
    let home = &snapshot.home;
    // The vocabulary may be of a home that came in between.
    let vocabulary = vocabulary.filter(|vocabulary| Arc::ptr_eq(&vocabulary.home, home));
    let changed = |id: &str| plain.map(|plain| plain.overrides.fields(id)).unwrap_or_default();
    let mut groups: HashMap<usize, Vec<&str>> = HashMap::new();
    for group in &home.groups {
        group.members.iter().for_each(|member| groups.entry(*member).or_default().push(&group.id));
    }
    let mut devices: Vec<Value> = Vec::new();
    for (at, device) in home.devices.iter().enumerate() {
        let mut value = described(home, device);
        let sense = vocabulary.and_then(|vocabulary| Some((vocabulary, vocabulary.devices.get(at)?)));
        if let Some((vocabulary, sense)) = sense {
            let word = sense.kinds.first().and_then(|kind| vocabulary.lexicon.kinds[*kind].words.first());
            value["kind"] = word.unwrap_or(&device.category).as_str().into();
            value["risky"] = sense.risky.into();
        }
        value["hub"] = hub(snapshot.source(at));
        value["online"] = snapshot.live.online(at).into();
        value["state"] = json!(snapshot.live.get(at).values);
        value["groups"] = json!(groups.get(&at).map_or(&[][..], Vec::as_slice));
        value["changed"] = json!(changed(&device.id));
        devices.push(value);
    }
    for (at, device) in plain.iter().flat_map(|plain| plain.home.devices.iter().enumerate()) {
        let Some(plain) = plain.filter(|plain| plain.overrides.hides(&device.id)) else { continue };
        let mut value = described(&plain.home, device);
        value["hub"] = plain.sources.get(at).map_or(Value::Null, |source| hub(source));
        value["exposed"] = false.into();
        value["changed"] = json!(changed(&device.id));
        devices.push(value);
    }
    let members = |indices: &[usize]| indices.iter().map(|at| home.devices[*at].id.clone()).collect::<Vec<_>>();
    let rooms = home.rooms.iter().map(|r| json!({"name": r.name, "floor": r.floor, "aliases": r.aliases}));
    let groups = home.groups.iter().map(|g| json!({"id": g.id, "name": g.name, "members": members(&g.members)}));
    let scenes = home.scenes.iter().map(|s| json!({"id": s.id, "name": s.name}));
    json!({
        "revision": snapshot.revision,
        "floors": vocabulary.map_or(&[][..], |vocabulary| &vocabulary.floors),
        "rooms": rooms.collect::<Vec<_>>(),
        "devices": devices,
        "groups": groups.collect::<Vec<_>>(),
        "scenes": scenes.collect::<Vec<_>>(),
        "notices": notices(home, vocabulary),
    })
}

/// A device as its home describes it.
fn described(home: &Home, device: &Device) -> Value {
    json!({
        "id": device.id, "name": device.name, "room": home.room_name(device), "kind": device.category,
        "aliases": device.aliases, "hub": null, "online": false, "exposed": true, "risk": device.risk, "risky": false,
        "state": {}, "groups": [], "changed": [],
    })
}

fn hub(source: &str) -> Value {
    if source.is_empty() { Value::Null } else { source.into() }
}

/// Names that people, or recognisers, cannot tell apart, and names that are words of the language.
fn notices(home: &Home, vocabulary: Option<&Vocabulary>) -> Vec<Value> {
    let alike = alike(home).into_iter().map(|alike| {
        let kind = if alike.how == Likeness::Same { "clash" } else { "homophone" };
        let mut ids: Vec<&str> = alike.devices.iter().map(|(at, _)| home.devices[*at].id.as_str()).collect();
        ids.dedup();
        let mut names: Vec<&str> = alike.devices.iter().map(|(_, name)| name.as_str()).collect();
        names.dedup();
        json!({"kind": kind, "ids": ids, "text": names.join(" / ")})
    });
    let taken = vocabulary.map(|vocabulary| taken_names(home, &vocabulary.lexicon)).unwrap_or_default();
    let taken = taken.into_iter().map(|taken| json!({"kind": "word", "ids": [taken.id], "text": taken.name}));
    alike.chain(taken).collect()
}
