//! What moves about by itself: vacuum cleaners and lawn mowers.

use serde_json::json;

use super::super::call::{Call, Foreign};
use super::super::entity::Entity;
use super::super::portrait::Portrait;
use super::{tell, text, whole};
use crate::home::State;

const TURN_ON: u64 = 1;
const TURN_OFF: u64 = 2;
const PAUSE: u64 = 4;
const STOP: u64 = 8;
const RETURN_HOME: u64 = 16;
const FAN_SPEED: u64 = 32;
const LOCATE: u64 = 512;
const CLEAN_SPOT: u64 = 1_024;
const START: u64 = 8_192;
const CLEAN_AREA: u64 = 16_384;

const MOW: u64 = 1;
const MOWER_PAUSE: u64 = 2;
const DOCK: u64 = 4;

/// What a vacuum cleaner may be about, and what a lawn mower.
const CLEANS: [&str; 6] = ["cleaning", "paused", "idle", "returning", "docked", "error"];
const MOWS: [&str; 5] = ["mowing", "paused", "returning", "docked", "error"];

/// What a vacuum cleaner can do. What it is about comes first: it says more than what it was told.
pub(super) fn portray_vacuum(entity: &Entity, portrait: &mut Portrait) {
    portrait.told("activity", &CLEANS);
    let mut run = Vec::new();
    if entity.has(START) || entity.has(TURN_ON) {
        run.push("clean");
    }
    if entity.has(PAUSE) {
        run.push("pause");
    }
    if entity.has(STOP) || (entity.has(TURN_OFF) && !entity.has(RETURN_HOME)) {
        run.push("stop");
    }
    if entity.has(RETURN_HOME) {
        run.push("dock");
    }
    portrait.choice("run", &run);
    if entity.has(CLEAN_AREA) {
        let rooms = entity.rooms.iter().map(|(id, name)| json!({"value": id, "describe": name}));
        portrait.choice_of("room", rooms.collect());
    }
    if entity.has(FAN_SPEED) {
        portrait.choice("suction", &entity.list("fan_speed_list"));
    }
    if entity.has(LOCATE) {
        portrait.command("locate");
    }
    if entity.has(CLEAN_SPOT) {
        portrait.command("clean_spot");
    }
    if entity.number("battery_level").is_some() {
        portrait.measured("battery", "%");
    }
}

/// What a vacuum cleaner tells.
pub(super) fn state_vacuum(entity: &Entity, state: &mut State) {
    let run = entity.known().and_then(|known| match known {
        "cleaning" | "on" => Some("clean"),
        "paused" => Some("pause"),
        "idle" | "off" => Some("stop"),
        "docked" | "returning" => Some("dock"),
        _ => None,
    });
    tell(state, "run", run);
    let activity = entity.known().map(|known| match known {
        "on" => "cleaning",
        "off" => "idle",
        other => other,
    });
    tell(state, "activity", activity);
    tell(state, "suction", entity.text("fan_speed"));
    tell(state, "battery", entity.number("battery_level").map(whole));
}

/// How a vacuum cleaner is moved.
pub(super) fn calls_vacuum(domain: &'static str, entity: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let mut calls = Vec::new();
    // How hard it shall suck, before it begins to.
    if let Some(suction) = wanted.get("suction") {
        calls.push(Call::new(domain, "set_fan_speed").with("fan_speed", text("suction", suction)?));
    }
    for (id, value) in wanted {
        calls.push(match id.as_str() {
            "suction" => continue,
            // The room says what is cleaned, and starts it.
            "run" if wanted.contains_key("room") => continue,
            "room" => {
                let room = text(id, value)?;
                if !entity.rooms.iter().any(|(known, _)| known == room) {
                    return Err(Foreign::new(id));
                }
                Call::new(domain, "clean_area").with("cleaning_area_id", json!([room]))
            }
            "run" => {
                let service = match text(id, value)? {
                    "clean" if entity.has(START) => "start",
                    "clean" => "turn_on",
                    "pause" => "pause",
                    "stop" if entity.has(STOP) => "stop",
                    "stop" => "turn_off",
                    "dock" => "return_to_base",
                    _ => return Err(Foreign::new(id)),
                };
                Call::new(domain, service)
            }
            other => return Err(Foreign::new(other)),
        });
    }
    Ok(calls)
}

/// What a lawn mower can do.
pub(super) fn portray_mower(entity: &Entity, portrait: &mut Portrait) {
    portrait.told("activity", &MOWS);
    let run = [(MOW, "mow"), (MOWER_PAUSE, "pause"), (DOCK, "dock")];
    let run: Vec<&str> = run.iter().filter(|(feature, _)| entity.has(*feature)).map(|(_, value)| *value).collect();
    portrait.choice("run", &run);
}

/// What a lawn mower tells.
pub(super) fn state_mower(entity: &Entity, state: &mut State) {
    let run = entity.known().and_then(|known| match known {
        "mowing" => Some("mow"),
        "paused" => Some("pause"),
        "docked" | "returning" => Some("dock"),
        _ => None,
    });
    tell(state, "run", run);
    tell(state, "activity", entity.known());
}

/// How a lawn mower is moved.
pub(super) fn calls_mower(domain: &'static str, _: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let run = |(id, value): (&String, &serde_json::Value)| match (id.as_str(), value.as_str()) {
        ("run", Some("mow")) => Ok(Call::new(domain, "start_mowing")),
        ("run", Some("pause")) => Ok(Call::new(domain, "pause")),
        ("run", Some("dock")) => Ok(Call::new(domain, "dock")),
        (other, _) => Err(Foreign::new(other)),
    };
    wanted.iter().map(run).collect()
}
