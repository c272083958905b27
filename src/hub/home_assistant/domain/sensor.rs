//! What only tells.

use serde_json::{Value, json};

use super::super::entity::Entity;
use super::super::portrait::Portrait;
use super::tell;
use crate::home::State;

/// What a sensor tells: a number, one of its options, or a text.
enum Told<'a> {
    Number(&'a str),
    Choice(Vec<&'a str>),
    Text,
}

fn told(entity: &Entity) -> Told<'_> {
    let options = entity.list("options");
    match entity.text("unit_of_measurement") {
        Some(unit) => Told::Number(unit),
        None if !options.is_empty() => Told::Choice(options),
        None if entity.text("state_class").is_some() => Told::Number(""),
        None if ["aqi", "ph"].contains(&entity.class()) => Told::Number(""),
        None => Told::Text,
    }
}

/// What a sensor is.
pub(super) fn portray(entity: &Entity, portrait: &mut Portrait) {
    let words = &entity.words;
    let sensor = words.sensor(entity.class());
    portrait.kind.is.clone_from(&sensor.is);
    let told = match told(entity) {
        Told::Number("") => json!({"type": "float"}),
        Told::Number(unit) => json!({"type": "float", "unit": words.unit(unit)}),
        Told::Choice(options) => {
            let said = |value: &&str| match entity.said.get(*value) {
                Some(word) => json!({"value": value, "describe": word}),
                None => json!(value),
            };
            json!({"type": "enum", "range": options.iter().map(said).collect::<Vec<_>>()})
        }
        Told::Text => json!({"type": "string"}),
    };
    portrait.called(&sensor.id, &sensor.describe, read_only(told));
}

fn read_only(mut told: Value) -> Value {
    told["access"] = "read".into();
    told
}

/// What a sensor tells.
pub(super) fn state(entity: &Entity, state: &mut State) {
    let id = &entity.words.sensor(entity.class()).id;
    let Some(known) = entity.known() else { return };
    match told(entity) {
        Told::Number(_) => tell(state, id, known.parse::<f64>().ok().filter(|number| number.is_finite())),
        Told::Choice(_) | Told::Text => tell(state, id, Some(known)),
    }
}

/// What a sensor is that says yes or no.
pub(super) fn portray_binary(entity: &Entity, portrait: &mut Portrait) {
    let sensor = entity.words.binary_sensor(entity.class());
    portrait.kind.is.clone_from(&sensor.is);
    portrait.called(&sensor.id, &sensor.describe, read_only(json!({"type": "bool"})));
}

/// What it says.
pub(super) fn state_binary(entity: &Entity, state: &mut State) {
    let sensor = entity.words.binary_sensor(entity.class());
    tell(state, &sensor.id, entity.is_on().map(|on| on != sensor.inverted));
}
