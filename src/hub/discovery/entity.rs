//! An entity as properties: where each is read, and what is sent to set it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::codec::Codec;
use super::config::Config;
use super::words::Names;

/// A property of an entity.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slot {
    pub(super) id: String,
    /// Its words and domain, as a home document has them: shared by all whose are the same.
    pub(super) document: Arc<Value>,
    pub(super) codec: Codec,
    pub(super) read: Option<Reader>,
    pub(super) write: Option<Writer>,
    /// Doing it twice is another thing than doing it once.
    pub(super) once: bool,
}

/// Where a value is read, and how.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reader {
    pub(super) topic: String,
    pub(super) template: Option<String>,
    /// Keys that lead to it, where states are JSON by the schema.
    pub(super) path: Vec<&'static str>,
    /// Values that are written otherwise in a state than in a command.
    pub(super) alias: Vec<(String, Value)>,
}

/// What is sent to set a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Writer {
    /// The value as a text, or what a template makes of it.
    Plain { topic: String, template: Option<String> },
    /// A key of one JSON message.
    Field { topic: String, key: &'static str },
    /// Topic and payload of each value.
    Each(Vec<(Value, String, String)>),
    /// A part of a light whose messages are made by templates: on and off.
    Light { topic: String, on: String, off: String, key: &'static str },
}

/// The properties of an entity as they are found.
pub(super) struct Slots<'a> {
    pub(super) config: &'a Config,
    pub(super) names: &'a Names,
    pub(super) list: Vec<Slot>,
}

impl<'a> Slots<'a> {
    pub(super) fn new(config: &'a Config, names: &'a Names) -> Self {
        Self { config, names, list: Vec::new() }
    }

    /// A reader of the topic in one key by the template in another, if there is such a topic.
    pub(super) fn reader(&self, topic: &str, template: &str) -> Option<Reader> {
        let topic = self.config.topic(topic)?;
        Some(Reader { topic, template: self.config.text(template), path: Vec::new(), alias: Vec::new() })
    }

    /// A writer to the topic in one key by the template in another, if there is such a topic.
    pub(super) fn writer(&self, topic: &str, template: &str) -> Option<Writer> {
        Some(Writer::Plain { topic: self.config.topic(topic)?, template: self.config.text(template) })
    }

    /// Adds a property that is read or set, by the word for its part.
    pub(super) fn add(&mut self, id: &str, codec: Codec, domain: Value, read: Option<Reader>, write: Option<Writer>) {
        let word = self.names.part(id);
        self.named(id, word, codec, domain, read, write);
    }

    pub(super) fn named(
        &mut self,
        id: &str,
        word: String,
        codec: Codec,
        mut domain: Value,
        read: Option<Reader>,
        write: Option<Writer>,
    ) {
        if read.is_none() && write.is_none() {
            return;
        }
        domain["describe"] = word.into();
        if write.is_none() {
            domain["access"] = "read".into();
        }
        self.list.push(Slot { id: id.to_owned(), document: Arc::new(domain), codec, read, write, once: false });
    }

    /// Adds something that is on or off.
    pub(super) fn flag(&mut self, id: &str, on: &str, off: &str, read: Option<Reader>, write: Option<Writer>) {
        let codec = Codec::Flag { on: on.into(), off: off.into() };
        self.add(id, codec, json!({"type": "bool"}), read, write);
    }

    /// Adds one of a list of values.
    pub(super) fn choice(&mut self, id: &str, values: &[String], read: Option<Reader>, write: Option<Writer>) {
        let values: Vec<Value> = values.iter().filter(|v| !v.is_empty()).map(|v| v.as_str().into()).collect();
        if values.is_empty() {
            return;
        }
        let range = self.names.range(&values);
        self.add(id, Codec::Choice(values), json!({"type": "enum", "range": range}), read, write);
    }

    /// Adds a mode, and the power of what is off in one of its modes.
    pub(super) fn mode(&mut self, modes: &[String], read: Option<Reader>, write: Option<Writer>) {
        let (off, on): (Vec<_>, Vec<_>) = modes.iter().cloned().partition(|mode| mode.eq_ignore_ascii_case("off"));
        if let Some(off) = off.first().filter(|_| !on.is_empty() && !self.list.iter().any(|s| s.id == "power")) {
            let on = on.iter().map(|mode| mode.as_str().into()).collect();
            let codec = Codec::Mode { off: off.as_str().into(), on };
            self.add("power", codec, json!({"type": "bool"}), read.clone(), write.clone());
        }
        self.choice("mode", &on, read, write);
    }

    /// Adds a number between bounds.
    pub(super) fn number(
        &mut self,
        id: &str,
        [min, max, step]: [f64; 3],
        unit: &str,
        read: Option<Reader>,
        write: Option<Writer>,
    ) {
        let integer = [min, max, step].iter().all(|n| n.fract() == 0.0 && n.abs() < 9e15);
        let mut domain = json!({"type": if integer { "int" } else { "float" }});
        if !unit.is_empty() {
            domain["unit"] = unit.into();
        }
        if write.is_some() && min <= max && step > 0.0 {
            for (key, bound) in [("min", min), ("max", max), ("step", step)] {
                domain[key] = if integer { json!(bound as i64) } else { json!(bound) };
            }
        }
        if write.is_none() {
            domain["type"] = "float".into();
        }
        let codec = Codec::Number { integer: integer && write.is_some() };
        self.add(id, codec, domain, read, write);
    }

    /// Adds a share of a range that devices count otherwise.
    pub(super) fn percent(&mut self, id: &str, min: f64, max: f64, read: Option<Reader>, write: Option<Writer>) {
        if min < max {
            let domain = json!({"type": "uint", "min": 0, "max": 100, "unit": "%"});
            self.add(id, Codec::Percent { min, max }, domain, read, write);
        }
    }

    /// Adds commands, each with a topic and a payload of its own.
    pub(super) fn commands(&mut self, id: &str, commands: Vec<(&str, String, String)>, read: Option<Reader>) {
        let values: Vec<Value> = commands.iter().map(|(id, ..)| (*id).into()).collect();
        if values.is_empty() {
            return;
        }
        let range = self.names.range(&values);
        let each = commands.into_iter().map(|(id, topic, payload)| (id.into(), topic, payload)).collect();
        let domain = json!({"type": "enum", "range": range});
        self.add(id, Codec::Choice(values), domain, read, Some(Writer::Each(each)));
    }
}
