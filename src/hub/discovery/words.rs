//! The words of `zh/discovery.yaml`, and those of Zigbee2MQTT for what both know.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::HubWords;
use super::super::colour::Colours;
use super::super::zigbee2mqtt::Words;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::hub) struct Data {
    kinds: HashMap<String, String>,
    risky: Vec<String>,
    classes: HashMap<String, String>,
    parts: HashMap<String, String>,
    values: HashMap<String, String>,
}

/// What things are called.
#[derive(Debug)]
pub(super) struct Names {
    data: Arc<Data>,
    words: Arc<Words>,
    pub(super) colours: Arc<Colours>,
}

impl Names {
    pub(super) fn of(words: &HubWords) -> Self {
        let HubWords { discovery, zigbee2mqtt, colours, .. } = words.clone();
        Self { data: discovery, words: zigbee2mqtt, colours }
    }

    /// What an entity is, by its platform and class.
    pub(super) fn kind(&self, platform: &str, class: Option<&str>) -> &str {
        let special = class.and_then(|class| self.data.kinds.get(&format!("{platform}/{class}")));
        special.or_else(|| self.data.kinds.get(platform)).map(String::as_str).unwrap_or_default()
    }

    pub(super) fn risky(&self, platform: &str, class: Option<&str>) -> bool {
        let special = class.map(|class| format!("{platform}/{class}"));
        self.data.risky.iter().any(|kind| kind == platform || Some(kind) == special.as_ref())
    }

    pub(super) fn class(&self, class: &str) -> Option<&str> {
        self.data.classes.get(class).map(String::as_str)
    }

    pub(super) fn part(&self, id: &str) -> String {
        self.data.parts.get(id).cloned().or_else(|| self.words.property(id)).unwrap_or_else(|| id.to_owned())
    }

    /// What an entity without a Chinese name is called.
    pub(super) fn property(&self, id: &str) -> Option<String> {
        self.words.property(id)
    }

    /// The room that a name begins with.
    pub(super) fn room(&self, name: &str) -> Option<&str> {
        self.words.room(name)
    }

    /// Whether something is not for people.
    pub(super) fn never(&self, name: &str) -> bool {
        self.words.never(name)
    }

    /// Values and what they are called, as a home document lists them. No word is said of two of them.
    pub(super) fn range(&self, values: &[Value]) -> Value {
        let mut said = Vec::new();
        let range = values.iter().map(|value| {
            let text = value.as_str().unwrap_or_default();
            let known =
                self.data.values.get(&text.to_lowercase()).map(String::as_str).or_else(|| self.words.value(text));
            let word = known.filter(|word| !said.contains(word)).unwrap_or_default();
            said.push(word);
            json!({"value": value, "describe": word})
        });
        range.collect()
    }
}
