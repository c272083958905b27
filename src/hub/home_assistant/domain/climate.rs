//! Air conditioners and heatings.

use super::super::call::{Call, Foreign};
use super::super::entity::Entity;
use super::super::portrait::{Portrait, Range};
use super::{number, plain_number, tell, text, whole, yes_or_no};
use crate::home::State;

const TEMPERATURE: u64 = 1;
const TEMPERATURE_RANGE: u64 = 2;
const HUMIDITY: u64 = 4;
const FAN_MODE: u64 = 8;
const PRESET_MODE: u64 = 16;
const SWING_MODE: u64 = 32;
const TURN_OFF: u64 = 128;
const TURN_ON: u64 = 256;
const SWING_HORIZONTAL: u64 = 512;

/// Both ways of swinging, each by itself, and the value that means it.
const WAYS: [(&str, bool, bool); 4] =
    [("off", false, false), ("vertical", true, false), ("horizontal", false, true), ("both", true, true)];

/// The modes in which it runs.
fn modes(entity: &Entity) -> Vec<&str> {
    let mut modes = entity.list("hvac_modes");
    modes.retain(|mode| *mode != "off");
    modes
}

/// What it can do.
pub(super) fn portray(entity: &Entity, portrait: &mut Portrait) {
    let modes = modes(entity);
    let cools = modes.iter().any(|mode| ["cool", "dry", "fan_only", "heat_cool"].contains(mode));
    let words = &entity.words;
    portrait.kind = if cools || modes.is_empty() { words.cooling.clone() } else { words.heating.clone() };
    if entity.list("hvac_modes").contains(&"off") || entity.has(TURN_ON | TURN_OFF) {
        portrait.flag("power");
    }
    portrait.choice("mode", &modes);
    let (min, max) = (entity.number("min_temp").unwrap_or(7.0), entity.number("max_temp").unwrap_or(35.0));
    let unit = if max > 50.0 { "F" } else { "C" };
    let step = entity.number("target_temp_step").unwrap_or(0.5);
    let range = Range { min, max, step, unit };
    if entity.has(TEMPERATURE) {
        portrait.number("temperature", range);
    }
    if entity.has(TEMPERATURE_RANGE) {
        portrait.number("temperature_low", range);
        portrait.number("temperature_high", range);
    }
    if entity.has(HUMIDITY) {
        let bound = |key, other| entity.number(key).unwrap_or(other);
        let (min, max) = (bound("min_humidity", 30.0), bound("max_humidity", 99.0));
        portrait.number("humidity", Range { min, max, step: 1.0, unit: "%" });
    }
    if entity.has(FAN_MODE) {
        portrait.choice("fan", &entity.list("fan_modes"));
    }
    if entity.has(PRESET_MODE) {
        portrait.choice("preset", &entity.list("preset_modes"));
    }
    portray_swing(entity, portrait);
    if entity.number("current_temperature").is_some() {
        portrait.measured("current_temperature", unit);
    }
    if entity.number("current_humidity").is_some() {
        portrait.measured("current_humidity", "%");
    }
}

/// Whether the ways of swinging are those that can be told apart.
fn has_ways(modes: &[&str]) -> bool {
    WAYS.iter().all(|(mode, ..)| modes.contains(mode))
}

fn portray_swing(entity: &Entity, portrait: &mut Portrait) {
    let modes = if entity.has(SWING_MODE) { entity.list("swing_modes") } else { Vec::new() };
    let across = entity.has(SWING_HORIZONTAL) && off_and_on(&entity.list("swing_horizontal_modes")).is_some();
    if has_ways(&modes) {
        portrait.flag("swing_vertical");
        portrait.flag("swing_horizontal");
        return;
    }
    if across {
        portrait.flag("swing_horizontal");
    }
    if off_and_on(&modes).is_some() {
        portrait.flag(if across { "swing_vertical" } else { "swing" });
    }
    if modes.len() > 2 {
        portrait.choice("swing_mode", &modes);
    }
}

/// The value that stands still and the one that moves.
fn off_and_on<'a>(modes: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let off = modes.iter().find(|mode| ["off", "stop", "stopped"].contains(mode))?;
    let usual = modes.iter().find(|mode| ["on", "auto", "both", "swing"].contains(mode));
    Some((off, usual.or_else(|| modes.iter().find(|mode| *mode != off))?))
}

/// What it tells.
pub(super) fn state(entity: &Entity, state: &mut State) {
    let mode = entity.known();
    tell(state, "power", mode.map(|mode| mode != "off"));
    tell(state, "mode", mode.filter(|mode| *mode != "off"));
    tell(state, "temperature", entity.number("temperature").map(plain_number));
    tell(state, "temperature_low", entity.number("target_temp_low").map(plain_number));
    tell(state, "temperature_high", entity.number("target_temp_high").map(plain_number));
    tell(state, "humidity", entity.number("humidity").map(whole));
    tell(state, "current_temperature", entity.number("current_temperature"));
    tell(state, "current_humidity", entity.number("current_humidity"));
    tell(state, "fan", entity.text("fan_mode"));
    tell(state, "preset", entity.text("preset_mode"));
    let modes = entity.list("swing_modes");
    if let Some(mode) = entity.text("swing_mode") {
        tell(state, "swing_mode", Some(mode));
        if has_ways(&modes) {
            let ways = WAYS.iter().find(|(known, ..)| *known == mode);
            tell(state, "swing_vertical", ways.map(|(_, vertical, _)| *vertical));
            tell(state, "swing_horizontal", ways.map(|(.., horizontal)| *horizontal));
        } else if let Some((off, _)) = off_and_on(&modes) {
            tell(state, "swing", Some(mode != off));
            tell(state, "swing_vertical", Some(mode != off));
        }
    }
    if let Some((off, _)) = off_and_on(&entity.list("swing_horizontal_modes")) {
        tell(state, "swing_horizontal", entity.text("swing_horizontal_mode").map(|mode| mode != off));
    }
}

/// First what it runs as, then the rest.
pub(super) fn calls(domain: &'static str, entity: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let power = wanted.get("power").map(|power| yes_or_no("power", power)).transpose()?;
    if power == Some(false) {
        let off = Call::new(domain, "set_hvac_mode").with("hvac_mode", "off");
        return Ok(vec![if entity.has(TURN_OFF) { Call::new(domain, "turn_off") } else { off }]);
    }
    let mut calls = Vec::new();
    match wanted.get("mode") {
        Some(mode) => calls.push(Call::new(domain, "set_hvac_mode").with("hvac_mode", text("mode", mode)?)),
        None if power.is_none() => {}
        None if entity.has(TURN_ON) => calls.push(Call::new(domain, "turn_on")),
        None => {
            let modes = modes(entity);
            let usual = ["auto", "heat_cool", "cool", "heat"].into_iter().find(|mode| modes.contains(mode));
            let mode = usual.or_else(|| modes.first().copied()).ok_or_else(|| Foreign::new("power"))?;
            calls.push(Call::new(domain, "set_hvac_mode").with("hvac_mode", mode));
        }
    }
    for (id, value) in wanted {
        match id.as_str() {
            "power" | "mode" => {}
            "temperature" => {
                let degrees = plain_number(number(id, value)?);
                calls.push(Call::new(domain, "set_temperature").with("temperature", degrees));
            }
            "temperature_low" => calls.push(between(domain, entity, wanted)?),
            "temperature_high" if wanted.contains_key("temperature_low") => {}
            "temperature_high" => calls.push(between(domain, entity, wanted)?),
            "humidity" => {
                calls.push(Call::new(domain, "set_humidity").with("humidity", whole(number(id, value)?)));
            }
            "fan" => calls.push(Call::new(domain, "set_fan_mode").with("fan_mode", text(id, value)?)),
            "preset" => calls.push(Call::new(domain, "set_preset_mode").with("preset_mode", text(id, value)?)),
            "swing_mode" => calls.push(Call::new(domain, "set_swing_mode").with("swing_mode", text(id, value)?)),
            "swing" | "swing_vertical" | "swing_horizontal" => {
                let call = swing(domain, entity, id, wanted)?;
                if !calls.contains(&call) {
                    calls.push(call);
                }
            }
            other => return Err(Foreign::new(other)),
        }
    }
    Ok(calls)
}

/// Home Assistant wants both bounds at once.
fn between(domain: &'static str, entity: &Entity, wanted: &State) -> Result<Call, Foreign> {
    let bound = |id: &str, key| match wanted.get(id) {
        Some(value) => number(id, value),
        None => entity.number(key).ok_or_else(|| Foreign::new(id)),
    };
    let (low, high) = (bound("temperature_low", "target_temp_low")?, bound("temperature_high", "target_temp_high")?);
    let call = Call::new(domain, "set_temperature").with("target_temp_low", plain_number(low.min(high)));
    Ok(call.with("target_temp_high", plain_number(high.max(low))))
}

fn swing(domain: &'static str, entity: &Entity, id: &str, wanted: &State) -> Result<Call, Foreign> {
    let modes = entity.list("swing_modes");
    if has_ways(&modes) {
        let mut now = State::new();
        state(entity, &mut now);
        let way = |id: &str| wanted.get(id).or_else(|| now.get(id)).map_or(Ok(false), |value| yes_or_no(id, value));
        let (vertical, horizontal) = (way("swing_vertical")?, way("swing_horizontal")?);
        let mode = WAYS.iter().find(|way| (way.1, way.2) == (vertical, horizontal));
        let (mode, ..) = mode.ok_or_else(|| Foreign::new(id))?;
        return Ok(Call::new(domain, "set_swing_mode").with("swing_mode", *mode));
    }
    let on = wanted.get(id).map_or(Ok(false), |value| yes_or_no(id, value))?;
    let chosen = |modes: &[&str]| {
        off_and_on(modes).map(|(off, moving)| if on { moving } else { off }.to_owned()).ok_or_else(|| Foreign::new(id))
    };
    if id == "swing_horizontal" {
        let mode = chosen(&entity.list("swing_horizontal_modes"))?;
        return Ok(Call::new(domain, "set_swing_horizontal_mode").with("swing_horizontal_mode", mode));
    }
    Ok(Call::new(domain, "set_swing_mode").with("swing_mode", chosen(&modes)?))
}
