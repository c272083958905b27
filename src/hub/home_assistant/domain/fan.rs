//! Fans.

use super::super::call::{Call, Foreign};
use super::super::entity::Entity;
use super::super::portrait::{PERCENT, Portrait, Range};
use super::{number, tell, text, whole, yes_or_no};
use crate::home::State;

const SET_SPEED: u64 = 1;
const OSCILLATE: u64 = 2;
const DIRECTION: u64 = 4;
const PRESET_MODE: u64 = 8;

/// So many speeds are gears that people count; more are shares of the fastest.
const MOST_GEARS: f64 = 12.0;

/// How many gears it has; `None` where its speed is a share.
fn gears(entity: &Entity) -> Option<f64> {
    let step = entity.number("percentage_step").filter(|step| *step > 0.0)?;
    Some((100.0 / step).round()).filter(|gears| (1.0..=MOST_GEARS).contains(gears))
}

/// What a fan can do.
pub(super) fn portray(entity: &Entity, portrait: &mut Portrait) {
    portrait.flag("power");
    if entity.has(SET_SPEED) {
        match gears(entity) {
            Some(max) => portrait.number("speed", Range { min: 1.0, max, step: 1.0, unit: "" }),
            None => portrait.number("speed", PERCENT),
        }
    }
    if entity.has(OSCILLATE) {
        portrait.flag("oscillating");
    }
    if entity.has(DIRECTION) {
        portrait.choice("direction", &["forward", "reverse"]);
    }
    let modes = entity.list("preset_modes");
    if entity.has(PRESET_MODE) || !modes.is_empty() {
        portrait.choice("mode", &modes);
    }
}

/// What a fan tells.
pub(super) fn state(entity: &Entity, state: &mut State) {
    tell(state, "power", entity.is_on());
    let share = entity.number("percentage").filter(|share| *share > 0.0);
    let gear = |share: f64| gears(entity).map_or(share, |gears| (share * gears / 100.0).round().max(1.0));
    tell(state, "speed", share.map(|share| whole(gear(share))));
    tell(state, "oscillating", entity.flag("oscillating"));
    tell(state, "direction", entity.text("direction"));
    tell(state, "mode", entity.text("preset_mode"));
}

/// First what it runs as, then the rest.
pub(super) fn calls(domain: &'static str, entity: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let power = wanted.get("power").map(|power| yes_or_no("power", power)).transpose()?;
    if power == Some(false) {
        return Ok(vec![Call::new(domain, "turn_off")]);
    }
    let mut calls = Vec::new();
    let runs = wanted.contains_key("speed") || wanted.contains_key("mode");
    if power.is_some() && !runs {
        calls.push(Call::new(domain, "turn_on"));
    }
    for (id, value) in wanted {
        calls.push(match id.as_str() {
            "power" => continue,
            "speed" => {
                let speed = number(id, value)?;
                let share = gears(entity).map_or(speed, |gears| speed * 100.0 / gears);
                Call::new(domain, "set_percentage").with("percentage", whole(share).clamp(0, 100))
            }
            "mode" => Call::new(domain, "set_preset_mode").with("preset_mode", text(id, value)?),
            "oscillating" => Call::new(domain, "oscillate").with("oscillating", yes_or_no(id, value)?),
            "direction" => Call::new(domain, "set_direction").with("direction", text(id, value)?),
            other => return Err(Foreign::new(other)),
        });
    }
    Ok(calls)
}
