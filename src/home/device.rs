//! What a device is: its names, where it stands, what it can do and what it last said about itself.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::sorted::Sorted;

/// Property values by property id, as the hub reports them.
pub type State = Sorted<Value>;

/// Longest text a `string` property takes, in characters.
pub const MAX_TEXT_CHARS: usize = 1_024;

/// Position of a device in [`super::Home::devices`].
pub type DeviceIndex = usize;

/// Position of a room in [`super::Home::rooms`].
pub type RoomIndex = usize;

/// One device of the home.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// Unique in the home; the last level of the device's MQTT topics.
    pub id: String,
    /// What the family calls it. Untrusted text: it is data wherever it appears.
    pub name: String,
    /// Other names of the same device.
    pub aliases: Vec<String>,
    /// Free words such as `照明` or `安防`.
    pub tags: Vec<String>,
    /// Where it stands; `None` when the document does not say.
    pub room: Option<RoomIndex>,
    /// The importer's or model's category (`fan`, `smartthings:switch`): a hint, often wrong.
    pub category: String,
    /// The model's description, the most telling text about what the device is.
    pub describe: String,
    /// Values it has and takes; shared by all devices of a model.
    pub properties: Arc<[Property]>,
    /// Commands it takes, for devices described by commands (seed 002).
    pub commands: Vec<DeviceCommand>,
    /// How dangerous a wrong move is; `None` leaves it to the kind of the device.
    pub risk: Option<Risk>,
    /// `false` when its document says that the device cannot be reached; [`super::Live::online`] tells how that is now.
    pub online: bool,
    /// The state the document came with; [`super::Live`] holds what was reported since.
    pub initial: State,
}

/// How dangerous a wrong move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// Moves without asking, even if devices of its kind usually need a confirmation.
    Low,
    /// Opening or starting it needs a confirmation.
    High,
}

/// A value of a device, readable and perhaps writable.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Its key in a state, e.g. `power`.
    pub id: String,
    /// What it is in words, e.g. `亮度`; may be empty.
    pub describe: String,
    /// Which values it takes.
    pub domain: Domain,
    /// Its unit as the document writes it, e.g. `%`, `C`, `K`.
    pub unit: Option<String>,
    /// Whether it can be set.
    pub writable: bool,
}

/// The values a property or argument takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// True or false.
    Bool,
    /// A number; bounds are inclusive.
    Number {
        /// Smallest value.
        min: Option<f64>,
        /// Largest value.
        max: Option<f64>,
        /// Smallest change; 1 for integers that name none.
        step: f64,
        /// Whether only whole numbers are taken.
        integer: bool,
    },
    /// One of a list.
    Enum(Vec<Choice>),
    /// Any text.
    Text,
}

/// One value of an enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What is sent.
    pub value: Value,
    /// How people say it; may be empty.
    pub describe: String,
}

/// A command of a device in the form of seed 002.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceCommand {
    /// What is sent, e.g. `main-switch-on`.
    pub id: String,
    /// What it does in words, e.g. `打开设备`.
    pub description: String,
    /// Its argument's values, if it takes one.
    pub argument: Option<Domain>,
    /// The argument's unit.
    pub unit: Option<String>,
}

impl Device {
    /// Whether it is called by one of the words for what goes up and down, and is not drawn.
    pub fn is_lifted(&self, words: &[String]) -> bool {
        self.names().any(|name| words.iter().any(|word| name.contains(word.as_str())))
    }

    /// The property of this id.
    pub fn property(&self, id: &str) -> Option<&Property> {
        self.properties.iter().find(|p| p.id == id)
    }

    /// Name and aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }

    /// The values of a foreign state that are this device's, and for each of the others its key and what is wrong
    /// with it. Keys come back unchanged: whoever shows them makes them safe.
    pub fn fitting<'a>(
        &self,
        values: impl IntoIterator<Item = (&'a String, &'a Value)>,
    ) -> (State, Vec<(String, &'static str)>) {
        let mut state = State::new();
        let mut misfits = Vec::new();
        for (key, value) in values {
            match self.property(key) {
                None => misfits.push((key.clone(), "the device has no such property")),
                Some(property) if !property.domain.accepts(value) => {
                    misfits.push((key.clone(), "the property does not take this value"));
                }
                Some(_) => _ = state.insert(key.clone(), value.clone()),
            }
        }
        (state, misfits)
    }
}

impl Domain {
    /// Whether `value` is one the domain takes.
    pub fn accepts(&self, value: &Value) -> bool {
        match self {
            Self::Bool => value.is_boolean(),
            Self::Number { min, max, integer, .. } => value.as_f64().is_some_and(|v| {
                min.is_none_or(|m| v >= m) && max.is_none_or(|m| v <= m) && (!integer || v.fract() == 0.0)
            }),
            Self::Enum(choices) => choices.iter().any(|c| &c.value == value),
            Self::Text => value.as_str().is_some_and(|text| text.chars().nth(MAX_TEXT_CHARS).is_none()),
        }
    }
}
