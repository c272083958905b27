//! Lamps.

use serde_json::{Value, json};

use super::super::call::{Call, Foreign};
use super::super::entity::Entity;
use super::super::portrait::{PERCENT, Portrait, Range};
use super::{number, percent, tell, text, whole, yes_or_no};
use crate::home::State;

const EFFECT: u64 = 4;

/// Modes in which a lamp shows any colour.
const COLORED: [&str; 5] = ["hs", "xy", "rgb", "rgbw", "rgbww"];

/// Colours further from each other than this, in each part, are told apart.
const SAME_COLOR: f64 = 40.0;

/// A colour without a name.
const OTHER: &str = "other";

fn modes(entity: &Entity) -> Vec<&str> {
    entity.list("supported_color_modes")
}

/// What a lamp can do.
pub(super) fn portray(entity: &Entity, portrait: &mut Portrait) {
    portrait.flag("power");
    let modes = modes(entity);
    if modes.iter().any(|mode| !["onoff", "unknown"].contains(mode)) {
        portrait.number("brightness", PERCENT);
    }
    if modes.contains(&"color_temp") {
        let kelvin = |key, mireds| entity.number(key).or_else(|| kelvin_of(entity.number(mireds)?));
        let min = kelvin("min_color_temp_kelvin", "max_mireds").unwrap_or(2_000.0).round();
        let max = kelvin("max_color_temp_kelvin", "min_mireds").unwrap_or(6_535.0).round();
        portrait.number("color_temperature", Range { min, max, step: 1.0, unit: "K" });
    }
    if modes.iter().any(|mode| COLORED.contains(mode)) {
        let words = &entity.words;
        let named = words.colors.iter().map(|(name, color)| json!({"value": name, "describe": color["describe"]}));
        let other = json!({"value": OTHER, "describe": words.other_color});
        portrait.choice_of("color", named.chain([other]).collect());
    }
    if entity.has(EFFECT) {
        portrait.choice("effect", &entity.list("effect_list"));
    }
}

fn kelvin_of(mireds: f64) -> Option<f64> {
    (mireds > 0.0).then(|| 1_000_000.0 / mireds)
}

/// What a lamp tells. One that is off tells no brightness: the last one stays.
pub(super) fn state(entity: &Entity, state: &mut State) {
    tell(state, "power", entity.is_on());
    let brightness = entity.number("brightness").filter(|brightness| *brightness > 0.0);
    tell(state, "brightness", brightness.map(|brightness| percent(brightness / 255.0).max(1)));
    let kelvin = entity.number("color_temp_kelvin").or_else(|| kelvin_of(entity.number("color_temp")?));
    tell(state, "color_temperature", kelvin.map(whole));
    if modes(entity).iter().any(|mode| COLORED.contains(mode)) && entity.text("color_mode").is_some() {
        tell(state, "color", color(entity));
    }
    tell(state, "effect", entity.text("effect"));
}

/// The name of the colour that a lamp shows.
fn color(entity: &Entity) -> Option<&str> {
    let mode = entity.text("color_mode")?;
    if !COLORED.contains(&mode) && mode != "white" {
        return Some(OTHER);
    }
    let [red, green, blue] = entity.numbers("rgb_color")[..] else { return None };
    let far = |color: &Value| {
        let part = |at: usize| color["rgb"][at].as_f64().unwrap_or(f64::MAX);
        (red - part(0)).abs().max((green - part(1)).abs()).max((blue - part(2)).abs())
    };
    let colors = entity.words.colors.iter();
    let near = colors.map(|(name, color)| (far(color), name)).min_by(|a, b| a.0.total_cmp(&b.0));
    Some(near.filter(|(far, _)| *far <= SAME_COLOR).map_or(OTHER, |(_, name)| name))
}

/// One call does everything, so that a lamp is never seen half set.
pub(super) fn calls(domain: &'static str, entity: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    if let Some(power) = wanted.get("power")
        && !yes_or_no("power", power)?
    {
        return Ok(vec![Call::new(domain, "turn_off")]);
    }
    let mut call = Call::new(domain, "turn_on");
    for (id, value) in wanted {
        call = match id.as_str() {
            "power" => call,
            "brightness" => call.with("brightness_pct", whole(number(id, value)?).clamp(0, 100)),
            "color_temperature" => call.with("color_temp_kelvin", whole(number(id, value)?)),
            "color" => {
                let rgb = entity.words.colors.get(text(id, value)?).map(|color| color["rgb"].clone());
                call.with("rgb_color", rgb.ok_or_else(|| Foreign::new(id))?)
            }
            "effect" if entity.list("effect_list").contains(&text(id, value)?) => call.with("effect", value.clone()),
            other => return Err(Foreign::new(other)),
        };
    }
    Ok(vec![call])
}
