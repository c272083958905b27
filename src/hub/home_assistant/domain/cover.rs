//! What opens and closes: covers, valves, locks.

use super::super::call::{Call, Foreign};
use super::super::entity::Entity;
use super::super::portrait::{Portrait, Range};
use super::{number, tell, text, whole, yes_or_no};
use crate::home::State;

const OPEN: u64 = 1;
const CLOSE: u64 = 2;
const SET_POSITION: u64 = 4;
const STOP: u64 = 8;
const OPEN_TILT: u64 = 16;
const CLOSE_TILT: u64 = 32;
const STOP_TILT: u64 = 64;
const SET_TILT: u64 = 128;

const SHARE: Range = Range { min: 0.0, max: 100.0, step: 1.0, unit: "%" };

/// Whether the slats are all that moves.
fn only_tilts(entity: &Entity) -> bool {
    ![OPEN, CLOSE, SET_POSITION].iter().any(|feature| entity.has(*feature))
}

/// What a cover can do.
pub(super) fn portray(entity: &Entity, portrait: &mut Portrait) {
    if portrait.kind.is.is_empty() {
        portrait.kind.category = "cover".to_owned();
    }
    let features = if only_tilts(entity) { [OPEN_TILT, CLOSE_TILT, STOP_TILT] } else { [OPEN, CLOSE, STOP] };
    let actions = features.iter().zip(["open", "close", "stop"]);
    let actions: Vec<&str> = actions.filter(|(feature, _)| entity.has(**feature)).map(|(_, action)| action).collect();
    portrait.choice("action", &actions);
    if entity.has(SET_POSITION) {
        portrait.number("position", SHARE);
    } else if entity.number("current_position").is_some() {
        portrait.measured("position", "%");
    }
    if entity.has(SET_TILT) {
        portrait.number("tilt", SHARE);
    } else if !only_tilts(entity) && entity.has(OPEN_TILT | CLOSE_TILT) {
        // All the way or not at all: what opens and closes is the cover itself.
        portrait.number("tilt", Range { step: 100.0, ..SHARE });
    }
}

/// What a cover tells: one that stands in between is neither open nor closed, so that both can still be asked of it.
pub(super) fn state(entity: &Entity, state: &mut State) {
    let position = entity.number(if only_tilts(entity) { "current_tilt_position" } else { "current_position" });
    let action = entity.known().and_then(|known| match (known, position) {
        ("opening", _) => Some("open"),
        ("closing", _) => Some("close"),
        ("open" | "closed", Some(position)) if position <= 0.0 => Some("close"),
        ("open" | "closed", Some(position)) if position < 100.0 => Some("stop"),
        ("open", _) => Some("open"),
        ("closed", _) => Some("close"),
        _ => None,
    });
    let stops = entity.has(if only_tilts(entity) { STOP_TILT } else { STOP });
    tell(state, "action", action.filter(|action| *action != "stop" || stops));
    tell(state, "position", entity.number("current_position").map(whole));
    tell(state, "tilt", entity.number("current_tilt_position").map(whole));
}

/// A value says more than an action.
pub(super) fn calls(domain: &'static str, entity: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let mut calls = Vec::new();
    for (id, value) in wanted {
        calls.push(match id.as_str() {
            "action" if wanted.contains_key("position") => continue,
            "action" => {
                let service = match (text(id, value)?, only_tilts(entity)) {
                    ("open", false) => "open_cover",
                    ("close", false) => "close_cover",
                    ("stop", false) => "stop_cover",
                    ("open", true) => "open_cover_tilt",
                    ("close", true) => "close_cover_tilt",
                    ("stop", true) => "stop_cover_tilt",
                    _ => return Err(Foreign::new(id)),
                };
                Call::new(domain, service)
            }
            "position" => Call::new(domain, "set_cover_position").with("position", whole(number(id, value)?)),
            "tilt" if !entity.has(SET_TILT) => {
                let open = number(id, value)? >= 50.0;
                Call::new(domain, if open { "open_cover_tilt" } else { "close_cover_tilt" })
            }
            "tilt" => Call::new(domain, "set_cover_tilt_position").with("tilt_position", whole(number(id, value)?)),
            other => return Err(Foreign::new(other)),
        });
    }
    Ok(calls)
}

/// What a valve can do.
pub(super) fn portray_valve(entity: &Entity, portrait: &mut Portrait) {
    if entity.has(OPEN) || entity.has(CLOSE) {
        portrait.flag("open");
    }
    if entity.has(SET_POSITION) {
        portrait.number("position", SHARE);
    }
}

/// What a valve tells.
pub(super) fn state_valve(entity: &Entity, state: &mut State) {
    let position = entity.number("current_position");
    let open = entity.known().and_then(|known| match known {
        "open" | "opening" => Some(true),
        "closed" | "closing" => Some(false),
        _ => None,
    });
    tell(state, "open", open);
    tell(state, "position", position.map(whole));
}

/// How a valve is moved.
pub(super) fn calls_valve(domain: &'static str, _: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    if let Some(position) = wanted.get("position") {
        let position = whole(number("position", position)?);
        return Ok(vec![Call::new(domain, "set_valve_position").with("position", position)]);
    }
    let open = |(id, value): (&String, &serde_json::Value)| match id.as_str() {
        "open" => Ok(Call::new(domain, if yes_or_no(id, value)? { "open_valve" } else { "close_valve" })),
        other => Err(Foreign::new(other)),
    };
    wanted.iter().map(open).collect()
}

/// What a lock can do. Pulling the latch as well is nothing that a sentence should do.
pub(super) fn portray_lock(_: &Entity, portrait: &mut Portrait) {
    portrait.flag("locked");
}

/// What a lock tells.
pub(super) fn state_lock(entity: &Entity, state: &mut State) {
    let locked = entity.known().and_then(|known| match known {
        "locked" => Some(true),
        "unlocked" | "open" | "opening" | "unlocking" | "jammed" => Some(false),
        _ => None,
    });
    tell(state, "locked", locked);
}

/// How a lock is moved.
pub(super) fn calls_lock(domain: &'static str, _: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let turn = |(id, value): (&String, &serde_json::Value)| match id.as_str() {
        "locked" => Ok(Call::new(domain, if yes_or_no(id, value)? { "lock" } else { "unlock" })),
        other => Err(Foreign::new(other)),
    };
    wanted.iter().map(turn).collect()
}
