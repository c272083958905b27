//! Humidifiers and water heaters.

use super::super::call::{Call, Foreign};
use super::super::entity::Entity;
use super::super::portrait::{Portrait, Range};
use super::{number, plain_number, tell, text, whole, yes_or_no};
use crate::home::State;

const MODES: u64 = 1;

const TEMPERATURE: u64 = 1;
const OPERATION: u64 = 2;
const AWAY: u64 = 4;
const ON_OFF: u64 = 8;

/// What a humidifier can do.
pub(super) fn portray(entity: &Entity, portrait: &mut Portrait) {
    portrait.flag("power");
    let (min, max) = (entity.number("min_humidity").unwrap_or(0.0), entity.number("max_humidity").unwrap_or(100.0));
    portrait.number("humidity", Range { min, max, step: 1.0, unit: "%" });
    if entity.has(MODES) {
        portrait.choice("mode", &entity.list("available_modes"));
    }
    if entity.number("current_humidity").is_some() {
        portrait.measured("current_humidity", "%");
    }
}

/// What a humidifier tells.
pub(super) fn state(entity: &Entity, state: &mut State) {
    tell(state, "power", entity.is_on());
    tell(state, "humidity", entity.number("humidity").map(whole));
    tell(state, "mode", entity.text("mode"));
    tell(state, "current_humidity", entity.number("current_humidity"));
}

/// First that it is on, then the rest.
pub(super) fn calls(domain: &'static str, _: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let mut calls = Vec::new();
    if let Some(power) = wanted.get("power") {
        if !yes_or_no("power", power)? {
            return Ok(vec![Call::new(domain, "turn_off")]);
        }
        calls.push(Call::new(domain, "turn_on"));
    }
    for (id, value) in wanted {
        calls.push(match id.as_str() {
            "power" => continue,
            "humidity" => Call::new(domain, "set_humidity").with("humidity", whole(number(id, value)?)),
            "mode" => Call::new(domain, "set_mode").with("mode", text(id, value)?),
            other => return Err(Foreign::new(other)),
        });
    }
    Ok(calls)
}

/// The ways in which a water heater runs.
fn operations(entity: &Entity) -> Vec<&str> {
    let mut list = entity.list("operation_list");
    list.retain(|mode| *mode != "off");
    list
}

/// What a water heater can do.
pub(super) fn portray_water(entity: &Entity, portrait: &mut Portrait) {
    if entity.has(ON_OFF) || (entity.has(OPERATION) && entity.list("operation_list").contains(&"off")) {
        portrait.flag("power");
    }
    if entity.has(TEMPERATURE) {
        let (min, max) = (entity.number("min_temp").unwrap_or(30.0), entity.number("max_temp").unwrap_or(75.0));
        let unit = if max > 100.0 { "F" } else { "C" };
        let step = entity.number("target_temp_step").unwrap_or(0.5);
        portrait.number("water_temperature", Range { min, max, step, unit });
    }
    if entity.has(OPERATION) {
        portrait.choice("mode", &operations(entity));
    }
    if entity.has(AWAY) {
        portrait.flag("away");
    }
    if entity.number("current_temperature").is_some() {
        portrait.measured("current_temperature", "C");
    }
}

/// What a water heater tells.
pub(super) fn state_water(entity: &Entity, state: &mut State) {
    let mode = entity.known();
    tell(state, "power", mode.map(|mode| mode != "off"));
    tell(state, "mode", mode.filter(|mode| *mode != "off"));
    tell(state, "water_temperature", entity.number("temperature").map(plain_number));
    tell(state, "current_temperature", entity.number("current_temperature"));
    tell(state, "away", entity.text("away_mode").map(|away| away == "on"));
}

/// First that it is on, then the rest.
pub(super) fn calls_water(domain: &'static str, entity: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let mut calls = Vec::new();
    let set = |mode: &str| Call::new(domain, "set_operation_mode").with("operation_mode", mode);
    if let Some(power) = wanted.get("power") {
        let on = yes_or_no("power", power)?;
        if !on {
            return Ok(vec![if entity.has(ON_OFF) { Call::new(domain, "turn_off") } else { set("off") }]);
        }
        if entity.has(ON_OFF) {
            calls.push(Call::new(domain, "turn_on"));
        } else if !wanted.contains_key("mode") {
            calls.push(set(operations(entity).first().ok_or_else(|| Foreign::new("power"))?));
        }
    }
    for (id, value) in wanted {
        calls.push(match id.as_str() {
            "power" => continue,
            "water_temperature" => {
                let degrees = plain_number(number(id, value)?);
                Call::new(domain, "set_temperature").with("temperature", degrees)
            }
            "mode" => set(text(id, value)?),
            "away" => Call::new(domain, "set_away_mode").with("away_mode", yes_or_no(id, value)?),
            other => return Err(Foreign::new(other)),
        });
    }
    Ok(calls)
}
