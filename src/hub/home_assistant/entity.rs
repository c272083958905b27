//! What an entity last told, as far as it can be believed.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::words::Words;

/// Attributes that say what an entity is and can do. They are remembered: many things tell little of themselves while
/// they are off or away, and can do no less for it.
const ABILITIES: [&str; 34] = [
    "supported_features",
    "supported_color_modes",
    "min_color_temp_kelvin",
    "max_color_temp_kelvin",
    "min_mireds",
    "max_mireds",
    "effect_list",
    "hvac_modes",
    "min_temp",
    "max_temp",
    "target_temp_step",
    "min_humidity",
    "max_humidity",
    "fan_modes",
    "swing_modes",
    "swing_horizontal_modes",
    "preset_modes",
    "available_modes",
    "operation_list",
    "percentage_step",
    "fan_speed_list",
    "source_list",
    "sound_mode_list",
    "options",
    "device_class",
    "unit_of_measurement",
    "friendly_name",
    "min",
    "max",
    "step",
    "current_temperature",
    "current_humidity",
    "current_position",
    "battery_level",
];

/// Most entries of a list of an entity that are looked at.
const MAX_LISTED: usize = 256;

/// Bytes of a text of an entity that are looked at.
const MAX_TEXT: usize = 256;

/// An entity and its state.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entity {
    /// `light.kitchen`.
    pub(super) id: String,
    /// Its state, as Home Assistant writes it.
    pub(super) state: String,
    attributes: Map<String, Value>,
    remembered: Map<String, Value>,
    /// The areas that it can be sent to: id and name.
    pub(super) rooms: Vec<(String, String)>,
    /// What its integration calls its values.
    pub(super) said: Arc<BTreeMap<String, String>>,
    /// What things are called here.
    pub(super) words: Arc<Words>,
}

impl Entity {
    /// An entity of which nothing is known yet.
    pub(super) fn new(id: &str, words: &Arc<Words>) -> Self {
        Self {
            id: id.to_owned(),
            state: String::new(),
            attributes: Map::new(),
            remembered: Map::new(),
            rooms: Vec::new(),
            said: Arc::default(),
            words: Arc::clone(words),
        }
    }

    /// `light` of `light.kitchen`.
    pub(super) fn domain(&self) -> &str {
        self.id.split_once('.').map_or("", |(domain, _)| domain)
    }

    /// Takes a whole state.
    pub(super) fn replace(&mut self, state: &str, attributes: &Map<String, Value>) {
        self.attributes.clear();
        self.change(Some(state), attributes, &[]);
    }

    /// Takes what changed of a state.
    pub(super) fn change(&mut self, state: Option<&str>, attributes: &Map<String, Value>, gone: &[Value]) {
        if let Some(state) = state {
            self.state = state.chars().take(MAX_TEXT).collect();
        }
        for key in gone.iter().filter_map(Value::as_str) {
            self.attributes.remove(key);
        }
        let media = self.domain() == "media_player";
        for (key, value) in attributes {
            if ABILITIES.contains(&key.as_str()) && !value.is_null() {
                let before = self.remembered.get(key).and_then(Value::as_u64).filter(|_| media).unwrap_or(0);
                // A player that is off says that it can be switched on and nothing else.
                let value = match value.as_u64() {
                    Some(now) if key == "supported_features" => Value::from(now | before),
                    _ => value.clone(),
                };
                self.remembered.insert(key.clone(), value);
            }
            self.attributes.insert(key.clone(), value.clone());
        }
    }

    /// Whether it can be reached.
    pub(super) fn is_online(&self) -> bool {
        self.state != "unavailable"
    }

    /// Its state, unless there is none.
    pub(super) fn known(&self) -> Option<&str> {
        Some(self.state.as_str()).filter(|state| !["unavailable", "unknown", ""].contains(state))
    }

    /// Whether it is on, of what is on or off.
    pub(super) fn is_on(&self) -> Option<bool> {
        match self.known()? {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        }
    }

    /// Whether it has all of these features.
    pub(super) fn has(&self, features: u64) -> bool {
        self.attribute("supported_features").and_then(Value::as_u64).unwrap_or(0) & features == features
    }

    /// Its device class.
    pub(super) fn class(&self) -> &str {
        self.text("device_class").unwrap_or_default()
    }

    /// A text; none that is empty or longer than any word.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.attribute(key).and_then(Value::as_str).filter(|text| is_word(text))
    }

    /// A finite number.
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        self.attribute(key).and_then(Value::as_f64).filter(|number| number.is_finite())
    }

    /// Yes or no.
    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.attribute(key).and_then(Value::as_bool)
    }

    /// The texts of a list, each once.
    pub(super) fn list(&self, key: &str) -> Vec<&str> {
        let mut list: Vec<&str> = Vec::new();
        let values = self.attribute(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for text in values.iter().filter_map(Value::as_str).filter(|text| is_word(text)).take(MAX_LISTED) {
            if !list.contains(&text) {
                list.push(text);
            }
        }
        list
    }

    /// The numbers of a list.
    pub(super) fn numbers(&self, key: &str) -> Vec<f64> {
        let values = self.attribute(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        values.iter().take(8).filter_map(Value::as_f64).collect()
    }

    fn attribute(&self, key: &str) -> Option<&Value> {
        let known = self.attributes.get(key).filter(|value| !value.is_null());
        // What it can do is what it ever told that it can.
        if key == "supported_features" { self.remembered.get(key) } else { known.or_else(|| self.remembered.get(key)) }
    }
}

/// Whether a text may be a name or a value: not empty, not endless.
pub(super) fn is_word(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= MAX_TEXT
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn what_is_off_can_do_no_less_than_what_is_on() {
        let mut tv = Entity::new("media_player.tv", &crate::hub::HubWords::default().home_assistant);
        tv.replace("playing", &object(json!({"supported_features": 4, "source_list": ["HDMI"], "volume_level": 0.5})));
        tv.replace("off", &object(json!({"supported_features": 128})));
        assert!(tv.has(4 | 128) && !tv.has(1));
        assert_eq!(tv.list("source_list"), ["HDMI"]);
        assert_eq!(tv.number("volume_level"), None);
    }

    #[test]
    fn a_change_adds_and_removes_what_it_names_and_leaves_the_rest() {
        let mut lamp = Entity::new("light.a", &crate::hub::HubWords::default().home_assistant);
        lamp.replace("on", &object(json!({"brightness": 3, "color_mode": "hs"})));
        lamp.change(None, &object(json!({"brightness": 4})), &[json!("color_mode"), json!(7)]);
        assert_eq!((lamp.state.as_str(), lamp.number("brightness"), lamp.text("color_mode")), ("on", Some(4.0), None));
    }

    #[test]
    fn what_is_no_word_is_no_name_and_no_value() {
        let mut select = Entity::new("select.a", &crate::hub::HubWords::default().home_assistant);
        select.replace("a", &object(json!({"options": ["a", "a", 5, "", " ", "x".repeat(300), null, "b"]})));
        assert_eq!(select.list("options"), ["a", "b"]);
    }
}
