//! What is switched, set, chosen or pressed and does nothing else; scenes and scripts, which are run.

use serde_json::{Value, json};

use super::super::call::{Call, Foreign};
use super::super::entity::Entity;
use super::super::portrait::{Portrait, Range};
use super::{number, plain_number, tell, text, yes_or_no};
use crate::home::State;

/// What a switch can do.
pub(super) fn portray_switch(_: &Entity, portrait: &mut Portrait) {
    portrait.flag("power");
}

/// What a switch tells.
pub(super) fn state_switch(entity: &Entity, state: &mut State) {
    tell(state, "power", entity.is_on());
}

/// How a switch is moved.
pub(super) fn calls_switch(domain: &'static str, _: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let turn = |(id, value): (&String, &Value)| match id.as_str() {
        "power" => Ok(Call::new(domain, if yes_or_no(id, value)? { "turn_on" } else { "turn_off" })),
        other => Err(Foreign::new(other)),
    };
    wanted.iter().map(turn).collect()
}

/// The id of a number: what it is about, if that is known.
fn number_id(entity: &Entity) -> &'static str {
    match entity.class() {
        "temperature" => "temperature",
        "humidity" => "humidity",
        _ => "value",
    }
}

/// What a number can be.
pub(super) fn portray_number(entity: &Entity, portrait: &mut Portrait) {
    let bound = |key, other| entity.number(key).unwrap_or(other);
    let unit = entity.text("unit_of_measurement").unwrap_or_default();
    let range = Range { min: bound("min", 0.0), max: bound("max", 100.0), step: bound("step", 1.0), unit };
    portrait.number(number_id(entity), range);
}

/// What a number is.
pub(super) fn state_number(entity: &Entity, state: &mut State) {
    let value = entity.known().and_then(|value| value.parse().ok()).filter(|value: &f64| value.is_finite());
    tell(state, number_id(entity), value.map(plain_number));
}

/// How a number is set.
pub(super) fn calls_number(domain: &'static str, entity: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let set = |(id, value): (&String, &Value)| {
        if id != number_id(entity) {
            return Err(Foreign::new(id));
        }
        Ok(Call::new(domain, "set_value").with("value", plain_number(number(id, value)?)))
    };
    wanted.iter().map(set).collect()
}

/// What can be chosen. What a choice is about, nobody says; its values may have words of any kind.
pub(super) fn portray_select(entity: &Entity, portrait: &mut Portrait) {
    let words = &entity.words;
    let describe = |value: &&str| {
        let known = ["mode", "fan", "suction", "preset"].iter().find_map(|id| words.known_value(id, value));
        json!({"value": value, "describe": known.unwrap_or_else(|| portrait.value("option", value))})
    };
    let values = entity.list("options").iter().map(describe).collect();
    portrait.choice_of("option", values);
}

/// What is chosen.
pub(super) fn state_select(entity: &Entity, state: &mut State) {
    tell(state, "option", entity.known());
}

/// How something is chosen.
pub(super) fn calls_select(domain: &'static str, _: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let choose = |(id, value): (&String, &Value)| match id.as_str() {
        "option" => Ok(Call::new(domain, "select_option").with("option", text(id, value)?)),
        other => Err(Foreign::new(other)),
    };
    wanted.iter().map(choose).collect()
}

/// What a button can do.
pub(super) fn portray_button(_: &Entity, portrait: &mut Portrait) {
    portrait.command("press");
}

/// What a scene or a script can do: it starts, and is nothing that could be switched off.
pub(super) fn portray_scene(_: &Entity, portrait: &mut Portrait) {
    portrait.choice("run", &["start"]);
}

/// How a scene or a script is run.
pub(super) fn calls_scene(domain: &'static str, _: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let start = |(id, value): (&String, &Value)| match (id.as_str(), value.as_str()) {
        ("run", Some("start")) if domain == "script" => Ok(Call::once(domain, "turn_on")),
        ("run", Some("start")) => Ok(Call::new(domain, "turn_on")),
        (other, _) => Err(Foreign::new(other)),
    };
    wanted.iter().map(start).collect()
}

/// What only does.
pub(super) fn tells_nothing(_: &Entity, _: &mut State) {}

/// What only tells, or only does what it is told by name.
pub(super) fn takes_nothing(_: &'static str, _: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    wanted.keys().next().map_or(Ok(Vec::new()), |id| Err(Foreign::new(id)))
}
