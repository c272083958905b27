//! A discovery message as the entities that it holds: abbreviations written out, `~` filled in, the device form taken apart.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// Longest text of a configuration that is a topic, in bytes.
const MAX_TOPIC: usize = 1_024;
/// Most that the components of a message may have of what they share, in bytes: each has all of it.
const MAX_SHARED: usize = 4 * 1024 * 1024;
/// Most entities of one message.
pub(super) const MAX_COMPONENTS: usize = 500;

/// What may be written for short.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Abbreviations {
    config: HashMap<String, String>,
    device: HashMap<String, String>,
    origin: HashMap<String, String>,
}

/// One entity as its publisher configures it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Config {
    pub(super) platform: String,
    /// The last part of its topic, or its key in the device form.
    pub(super) object: String,
    fields: Map<String, Value>,
}

/// What a discovery topic is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ConfigTopic {
    /// The platform, or `device`.
    pub(super) platform: String,
    pub(super) object: String,
}

/// What a topic below the prefix configures, if anything.
pub(super) fn place(topic: &str) -> Option<ConfigTopic> {
    if topic.len() > MAX_TOPIC {
        return None;
    }
    let levels: Vec<&str> = topic.split('/').collect();
    let plain =
        |level: &str| !level.is_empty() && level.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let (platform, object) = match levels.as_slice() {
        [platform, object, "config"] => (*platform, *object),
        [platform, node, object, "config"] if plain(node) => (*platform, *object),
        _ => return None,
    };
    (plain(platform) && plain(object)).then(|| ConfigTopic { platform: platform.to_owned(), object: object.to_owned() })
}

impl Abbreviations {
    pub(super) fn read() -> Self {
        serde_yaml::from_str(include_str!("abbreviations.yaml")).expect("a test reads the data")
    }

    /// The entities of a message, each whole.
    pub(super) fn entities(&self, place: &ConfigTopic, payload: &[u8]) -> Result<Vec<Config>, String> {
        let message: Value = serde_json::from_slice(payload).map_err(|error| error.to_string())?;
        let Value::Object(message) = message else { return Err("it is no object".to_owned()) };
        let mut message = self.written_out(message);
        if place.platform != "device" {
            fill_in(&mut message, None);
            return Ok(vec![Config {
                platform: place.platform.clone(),
                object: place.object.clone(),
                fields: message,
            }]);
        }
        let base = message.get("~").cloned();
        let Some(Value::Object(components)) = message.remove("components") else {
            return Err("it has no components".to_owned());
        };
        if components.len() > MAX_COMPONENTS {
            return Err(format!("{} components are more than {MAX_COMPONENTS}", components.len()));
        }
        let shared = |key: &str| {
            key.starts_with("availability")
                || ["device", "origin", "command_topic", "state_topic", "qos", "encoding"].contains(&key)
                || ["payload_available", "payload_not_available"].contains(&key)
        };
        let bytes: usize = message.iter().filter(|(key, _)| shared(key)).map(|(_, value)| weight(value)).sum();
        if bytes * components.len() > MAX_SHARED {
            return Err(format!("{bytes} bytes are too many for {} components to share", components.len()));
        }
        let mut entities = Vec::new();
        for (key, component) in components {
            let Value::Object(component) = component else { continue };
            let mut component = self.written_out(component);
            let Some(platform) = component.get("platform").and_then(Value::as_str).map(str::to_owned) else { continue };
            // A component of which only the platform is left is removed.
            if component.len() == 1 {
                continue;
            }
            for (key, value) in message.iter().filter(|(key, _)| shared(key)) {
                if !component.contains_key(key) {
                    component.insert(key.clone(), value.clone());
                }
            }
            fill_in(&mut component, base.as_ref().and_then(Value::as_str));
            entities.push(Config { platform, object: key, fields: component });
        }
        Ok(entities)
    }

    /// A message with its keys in full, those of its device and of its availability too.
    fn written_out(&self, message: Map<String, Value>) -> Map<String, Value> {
        let full = |names: &HashMap<String, String>, fields: Map<String, Value>| -> Map<String, Value> {
            fields.into_iter().map(|(key, value)| (names.get(&key).cloned().unwrap_or(key), value)).collect()
        };
        let mut message = full(&self.config, message);
        for (key, names) in [("device", &self.device), ("origin", &self.origin)] {
            if let Some(Value::Object(fields)) = message.get_mut(key) {
                *fields = full(names, std::mem::take(fields));
            }
        }
        if let Some(Value::Array(list)) = message.get_mut("availability") {
            for entry in list {
                if let Value::Object(fields) = entry {
                    *fields = full(&self.config, std::mem::take(fields));
                }
            }
        }
        message
    }
}

/// Puts the base where a topic begins or ends with `~`: once, so that a base of a base stays what it is.
fn fill_in(fields: &mut Map<String, Value>, outer: Option<&str>) {
    let own = fields.remove("~");
    let Some(base) = own.as_ref().and_then(Value::as_str).or(outer).filter(|b| b.len() <= MAX_TOPIC) else { return };
    let filled = |text: &str| match (text.strip_prefix('~'), text.strip_suffix('~')) {
        (Some(rest), _) => Some(format!("{base}{rest}")),
        (None, Some(rest)) => Some(format!("{rest}{base}")),
        _ => None,
    };
    let fill = |value: &mut Value| {
        if let Some(text) = value.as_str().and_then(filled) {
            *value = text.into();
        }
    };
    for (key, value) in fields.iter_mut() {
        if key.ends_with("topic") {
            fill(value);
        } else if let ("availability", Value::Array(list)) = (key.as_str(), value) {
            list.iter_mut().filter_map(|entry| entry.get_mut("topic")).for_each(fill);
        }
    }
}

impl Config {
    /// About what an entity of it takes, in bytes.
    pub(super) fn weight(&self) -> usize {
        self.fields.values().map(weight).sum::<usize>() + self.platform.len() + self.object.len()
    }

    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }

    /// Whether a key is there and says that there is none.
    pub(super) fn is_null(&self, key: &str) -> bool {
        self.fields.get(key).is_some_and(Value::is_null)
    }

    /// A text; numbers and truths as they are written.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        match self.get(key)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(if *flag { "True" } else { "False" }.to_owned()),
            _ => None,
        }
    }

    pub(super) fn text_or(&self, key: &str, default: &str) -> String {
        self.text(key).unwrap_or_else(|| default.to_owned())
    }

    /// The same for a word that is seldom another one.
    pub(super) fn word(&self, key: &str, default: &'static str) -> Cow<'static, str> {
        self.text(key).filter(|text| text != default).map_or(Cow::Borrowed(default), Cow::Owned)
    }

    /// A topic that can be published to and subscribed to.
    pub(super) fn topic(&self, key: &str) -> Option<String> {
        self.text(key).filter(|topic| is_topic(topic))
    }

    pub(super) fn number(&self, key: &str, default: f64) -> f64 {
        self.get(key).and_then(Value::as_f64).filter(|n| n.is_finite()).unwrap_or(default)
    }

    pub(super) fn flag(&self, key: &str, default: bool) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or(default)
    }

    /// A list of texts, or what it is where none is given.
    pub(super) fn texts(&self, key: &str, default: &[&str]) -> Vec<String> {
        match self.get(key) {
            Some(Value::Array(list)) => list.iter().take(256).filter_map(|v| v.as_str()).map(str::to_owned).collect(),
            _ => default.iter().map(|v| (*v).to_owned()).collect(),
        }
    }
}

/// About what a value takes, in bytes.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(weight).sum(),
        Value::Object(fields) => fields.iter().map(|(key, value)| key.len() + weight(value)).sum(),
        _ => 0,
    }
    .max(16)
}

pub(super) fn is_topic(topic: &str) -> bool {
    (1..=MAX_TOPIC).contains(&topic.len()) && !topic.contains(['+', '#', '\0']) && !topic.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_abbreviation_is_written_out_once() {
        let all = Abbreviations::read();
        assert!(all.config.len() >= 269, "{}", all.config.len());
        let message = json!({"~": "home/a", "cmd_t": "~/set", "stat_t": "state/~", "avty": [{"t": "~/up", "val_tpl": "~"}],
            "dev": {"ids": "x", "sa": "客厅"}, "pl_on": "~1", "name": "~"});
        let place = place("switch/node/a/config").unwrap();
        let entity = &all.entities(&place, message.to_string().as_bytes()).unwrap()[0];
        assert_eq!(entity.topic("command_topic").as_deref(), Some("home/a/set"));
        assert_eq!(entity.topic("state_topic").as_deref(), Some("state/home/a"));
        assert_eq!(entity.get("availability"), Some(&json!([{"topic": "home/a/up", "value_template": "~"}])));
        assert_eq!(entity.get("device"), Some(&json!({"identifiers": "x", "suggested_area": "客厅"})));
        assert_eq!((entity.text("payload_on").as_deref(), entity.text("name").as_deref()), (Some("~1"), Some("~")));
    }

    #[test]
    fn a_base_of_itself_ends() {
        let all = Abbreviations::read();
        let message = json!({"~": "~/~", "cmd_t": "~/set"}).to_string();
        let entity = &all.entities(&place("switch/a/config").unwrap(), message.as_bytes()).unwrap()[0];
        assert_eq!(entity.topic("command_topic").as_deref(), Some("~/~/set"));
    }

    #[test]
    fn the_device_form_is_taken_apart_and_what_is_shared_is_in_each() {
        let all = Abbreviations::read();
        let message = json!({"dev": {"ids": ["d"], "name": "灯"}, "o": {"name": "x"}, "avty_t": "up", "stat_t": "s", "cmps": {
            "one": {"p": "switch", "unique_id": "1", "cmd_t": "c"},
            "two": {"p": "sensor", "unique_id": "2", "stat_t": "own"},
            "gone": {"p": "switch"}, "odd": 3, "none": {"unique_id": "4"}}});
        let entities = all.entities(&place("device/d/config").unwrap(), message.to_string().as_bytes()).unwrap();
        let read: Vec<_> = entities.iter().map(|e| (e.platform.as_str(), e.topic("state_topic").unwrap())).collect();
        assert_eq!(read, [("switch", "s".to_owned()), ("sensor", "own".to_owned())]);
        assert!(entities.iter().all(|e| e.topic("availability_topic").is_some() && e.get("device").is_some()));
    }

    #[test]
    fn only_topics_of_the_form_are_configurations() {
        assert!(place("light/a/config").is_some() && place("light/n/a/config").is_some());
        for topic in ["light/config", "light/a/b/c/config", "light/灯/config", "status", "light/a/state", "//config"] {
            assert_eq!(place(topic), None, "{topic}");
        }
    }
}
