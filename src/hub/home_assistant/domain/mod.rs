//! The domains of Home Assistant that can be spoken to: what an entity of each can do, what it tells, and by which
//! services it is moved.

mod air;
mod climate;
mod cover;
mod fan;
mod light;
mod media;
mod plain;
mod robot;
mod sensor;

use std::sync::Arc;

use serde_json::Value;

use super::call::{Call, Foreign};
use super::entity::Entity;
use super::portrait::Portrait;
use crate::home::State;

/// A domain.
pub(super) struct Domain {
    /// As Home Assistant calls it.
    pub(super) name: &'static str,
    portray: fn(&Entity, &mut Portrait),
    state: fn(&Entity, &mut State),
    calls: fn(&'static str, &Entity, &State) -> Result<Vec<Call>, Foreign>,
}

const DOMAINS: [Domain; 28] = [
    Domain { name: "light", portray: light::portray, state: light::state, calls: light::calls },
    Domain { name: "switch", portray: plain::portray_switch, state: plain::state_switch, calls: plain::calls_switch },
    Domain {
        name: "input_boolean",
        portray: plain::portray_switch,
        state: plain::state_switch,
        calls: plain::calls_switch,
    },
    Domain { name: "climate", portray: climate::portray, state: climate::state, calls: climate::calls },
    Domain { name: "cover", portray: cover::portray, state: cover::state, calls: cover::calls },
    Domain { name: "valve", portray: cover::portray_valve, state: cover::state_valve, calls: cover::calls_valve },
    Domain { name: "lock", portray: cover::portray_lock, state: cover::state_lock, calls: cover::calls_lock },
    Domain { name: "fan", portray: fan::portray, state: fan::state, calls: fan::calls },
    Domain { name: "media_player", portray: media::portray, state: media::state, calls: media::calls },
    Domain { name: "vacuum", portray: robot::portray_vacuum, state: robot::state_vacuum, calls: robot::calls_vacuum },
    Domain { name: "lawn_mower", portray: robot::portray_mower, state: robot::state_mower, calls: robot::calls_mower },
    Domain { name: "humidifier", portray: air::portray, state: air::state, calls: air::calls },
    Domain { name: "water_heater", portray: air::portray_water, state: air::state_water, calls: air::calls_water },
    Domain { name: "number", portray: plain::portray_number, state: plain::state_number, calls: plain::calls_number },
    Domain {
        name: "input_number",
        portray: plain::portray_number,
        state: plain::state_number,
        calls: plain::calls_number,
    },
    Domain { name: "select", portray: plain::portray_select, state: plain::state_select, calls: plain::calls_select },
    Domain {
        name: "input_select",
        portray: plain::portray_select,
        state: plain::state_select,
        calls: plain::calls_select,
    },
    Domain { name: "button", portray: plain::portray_button, state: plain::tells_nothing, calls: plain::takes_nothing },
    Domain {
        name: "input_button",
        portray: plain::portray_button,
        state: plain::tells_nothing,
        calls: plain::takes_nothing,
    },
    Domain { name: "scene", portray: plain::portray_scene, state: plain::tells_nothing, calls: plain::calls_scene },
    Domain { name: "script", portray: plain::portray_scene, state: plain::tells_nothing, calls: plain::calls_scene },
    Domain::told("sensor"),
    // A text or a time is nothing that is dictated word by word.
    Domain::told("text"),
    Domain::told("input_text"),
    Domain::told("date"),
    Domain::told("time"),
    Domain::told("datetime"),
    Domain::told("input_datetime"),
];

const BINARY_SENSOR: Domain = Domain {
    name: "binary_sensor",
    portray: sensor::portray_binary,
    state: sensor::state_binary,
    calls: plain::takes_nothing,
};

/// Commands without a value; each is the service of its name.
const COMMANDS: [&str; 7] = ["turn_on", "turn_off", "press", "volume_up", "volume_down", "locate", "clean_spot"];

impl Domain {
    /// One that only tells.
    const fn told(name: &'static str) -> Self {
        Self { name, portray: sensor::portray, state: sensor::state, calls: plain::takes_nothing }
    }

    /// The domain of this name, if it can be spoken to.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        DOMAINS.iter().chain([&BINARY_SENSOR]).find(|domain| domain.name == name)
    }

    /// What an entity is and can do.
    pub(super) fn portrait(&self, entity: &Entity) -> Portrait {
        let mut portrait = Portrait::of(entity.words.kind(self.name, entity.class()), Arc::clone(&entity.words));
        portrait.said = Arc::clone(&entity.said);
        (self.portray)(entity, &mut portrait);
        portrait
    }

    /// What an entity tells of itself.
    pub(super) fn state(&self, entity: &Entity) -> State {
        let mut state = State::new();
        if entity.is_online() {
            (self.state)(entity, &mut state);
            let portrait = self.portrait(entity);
            state.retain(|id, value| portrait.takes(id, value));
        }
        state
    }

    /// What gives an entity these values, in order.
    pub(super) fn calls(&self, entity: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
        (self.calls)(self.name, entity, wanted)
    }

    /// What runs a command of an entity.
    pub(super) fn command(&self, entity: &Entity, id: &str) -> Result<Call, Foreign> {
        let known = self.portrait(entity).commands.iter().any(|command| command["id"] == id);
        let service = COMMANDS.iter().find(|service| known && **service == id).ok_or_else(|| Foreign::new(id))?;
        let repeatable = ["turn_on", "turn_off", "locate"].contains(service);
        Ok(if repeatable { Call::new(self.name, service) } else { Call::once(self.name, service) })
    }
}

fn yes_or_no(id: &str, value: &Value) -> Result<bool, Foreign> {
    value.as_bool().ok_or_else(|| Foreign::new(id))
}

fn number(id: &str, value: &Value) -> Result<f64, Foreign> {
    value.as_f64().filter(|number| number.is_finite()).ok_or_else(|| Foreign::new(id))
}

fn text<'a>(id: &str, value: &'a Value) -> Result<&'a str, Foreign> {
    value.as_str().ok_or_else(|| Foreign::new(id))
}

/// A number without a fraction where it has none.
fn plain_number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 { Value::from(number as i64) } else { Value::from(number) }
}

/// A share as whole per cent.
fn percent(share: f64) -> i64 {
    (share * 100.0).round().clamp(0.0, 100.0) as i64
}

/// Adds a value that there is.
fn tell(state: &mut State, id: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        state.insert(id.to_owned(), value.into());
    }
}

/// The unit of temperatures: Home Assistant tells all of them in that of its own configuration.
fn whole(number: f64) -> i64 {
    number.round().clamp(-1e15, 1e15) as i64
}
