//! What an entity is and can do, as a home document tells it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::words::{Danger, Kind, Words};

/// What one entity becomes in a home document.
#[derive(Debug)]
pub(super) struct Portrait {
    words: Arc<Words>,
    pub(super) kind: Kind,
    /// What its integration calls the values of it, where there is no other word.
    pub(super) said: Arc<BTreeMap<String, String>>,
    pub(super) properties: Map<String, Value>,
    pub(super) commands: Vec<Value>,
}

/// Which numbers a property takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range<'a> {
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) step: f64,
    pub(super) unit: &'a str,
}

/// Shares of a hundred, from the one that is not off.
pub(super) const PERCENT: Range = Range { min: 1.0, max: 100.0, step: 1.0, unit: "%" };

impl Portrait {
    /// Nothing but what it is.
    pub(super) fn of(kind: Kind, words: Arc<Words>) -> Self {
        Self { words, kind, said: Arc::default(), properties: Map::new(), commands: Vec::new() }
    }

    /// Whether there is nothing to say about it and nothing to ask of it.
    pub(super) fn is_empty(&self) -> bool {
        self.properties.is_empty() && self.commands.is_empty()
    }

    /// Whether a value may be one of this property: there is such a property, and a value of a choice is one of it.
    pub(super) fn takes(&self, id: &str, value: &Value) -> bool {
        self.properties.get(id).is_some_and(|told| {
            let range = told["range"].as_array();
            range.is_none_or(|range| range.iter().any(|choice| choice == value || choice["value"] == *value))
        })
    }

    /// Whether a wrong move is dangerous.
    pub(super) fn is_risky(&self) -> bool {
        self.kind.risk == Some(Danger::High)
    }

    /// Something that can be set to yes and no.
    pub(super) fn flag(&mut self, id: &str) {
        self.add(id, json!({"type": "bool"}));
    }

    /// A number that can be set.
    pub(super) fn number(&mut self, id: &str, range: Range) {
        let Range { min, max, step, unit } = range;
        if !(min.is_finite() && max.is_finite() && min < max) {
            return;
        }
        let whole = [min, max, step].iter().all(|number| number.fract() == 0.0 && number.abs() < 1e15);
        let step = if step > 0.0 { step } else { 1.0 };
        let number = |number: f64| if whole { json!(number as i64) } else { json!(number) };
        let kind = if whole { "int" } else { "float" };
        let mut told = json!({"type": kind, "min": number(min), "max": number(max), "step": number(step)});
        if !unit.is_empty() {
            told["unit"] = self.words.unit(unit).into();
        }
        self.add(id, told);
    }

    /// One of these values. Fewer than one is no choice.
    pub(super) fn choice(&mut self, id: &str, values: &[&str]) {
        let describe = |value: &&str| json!({"value": value, "describe": self.value(id, value)});
        self.choice_of(id, values.iter().map(describe).collect());
    }

    /// What a value is called.
    pub(super) fn value<'a>(&'a self, id: &str, value: &'a str) -> &'a str {
        let said = || self.said.get(value).map(String::as_str);
        self.words.known_value(id, value).or_else(said).unwrap_or_else(|| self.words.value(id, value))
    }

    /// One of these values, with words of their own.
    pub(super) fn choice_of(&mut self, id: &str, values: Vec<Value>) {
        if !values.is_empty() {
            self.add(id, json!({"type": "enum", "range": values}));
        }
    }

    /// One of these values, which is only told.
    pub(super) fn told(&mut self, id: &str, values: &[&str]) {
        self.choice(id, values);
        if let Some(told) = self.properties.get_mut(id) {
            told["access"] = "read".into();
        }
    }

    /// A number that is only told.
    pub(super) fn measured(&mut self, id: &str, unit: &str) {
        self.add(id, json!({"type": "float", "access": "read"}));
        if !unit.is_empty() {
            self.properties[id]["unit"] = self.words.unit(unit).into();
        }
    }

    /// A command without a value, by its service.
    pub(super) fn command(&mut self, service: &str) {
        self.commands.push(json!({"id": service, "description": self.words.command(service)}));
    }

    /// A property in words of its own.
    pub(super) fn called(&mut self, id: &str, describe: &str, mut told: Value) {
        told["describe"] = describe.into();
        self.properties.insert(id.to_owned(), told);
    }

    fn add(&mut self, id: &str, told: Value) {
        let words = Arc::clone(&self.words);
        self.called(id, words.property(id), told);
    }

    /// The model of a home document.
    pub(super) fn model(&self) -> Value {
        json!({"name": self.kind.category, "describe": self.kind.is, "property": self.properties})
    }
}
