//! One JSON object of the document and the checked reading of its fields.

use serde_json::{Map, Value};

use super::{MAX_ALIASES, MAX_DESCRIBE_CHARS, MAX_ID_CHARS, MAX_NAME_CHARS, Rejection, Report};
use crate::home::Risk;

/// How much of a foreign text a reason quotes, in characters.
const QUOTED_CHARS: usize = 64;

/// An object of the document and where it stands.
pub(super) struct Entry<'a> {
    pub(super) path: String,
    pub(super) fields: &'a Map<String, Value>,
}

impl<'a> Entry<'a> {
    pub(super) fn new(path: String, value: &'a Value) -> Result<Self, Rejection> {
        match value {
            Value::Object(fields) => Ok(Self { path, fields }),
            _ => Err(rejection(path, "is not an object")),
        }
    }

    /// The path of a field of this entry.
    pub(super) fn at(&self, field: &str) -> String {
        child(&self.path, field)
    }

    /// The rejection of this entry because of a field.
    pub(super) fn wrong(&self, field: &str, reason: impl Into<String>) -> Rejection {
        rejection(self.at(field), reason)
    }

    /// A field; `null` counts as absent.
    pub(super) fn get(&self, field: &str) -> Option<&'a Value> {
        self.fields.get(field).filter(|v| !v.is_null())
    }

    /// A text of at most `limit` characters.
    pub(super) fn text(&self, field: &str, limit: usize) -> Result<Option<&'a str>, Rejection> {
        self.get(field).map(|value| bounded(self.at(field), value, limit)).transpose()
    }

    /// A list; absent counts as empty.
    pub(super) fn list(&self, field: &str) -> Result<&'a [Value], Rejection> {
        match self.get(field) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(_) => Err(self.wrong(field, "is not an array")),
        }
    }

    /// A yes or no.
    pub(super) fn flag(&self, field: &str) -> Result<Option<bool>, Rejection> {
        self.get(field).map(|v| v.as_bool().ok_or_else(|| self.wrong(field, "is not true or false"))).transpose()
    }

    /// A finite number.
    pub(super) fn number(&self, field: &str) -> Result<Option<f64>, Rejection> {
        self.get(field)
            .map(|v| v.as_f64().filter(|n| n.is_finite()).ok_or_else(|| self.wrong(field, "is not a number")))
            .transpose()
    }

    /// The required name of a thing people speak of.
    pub(super) fn name(&self) -> Result<String, Rejection> {
        match self.text("name", MAX_NAME_CHARS)? {
            None => Err(self.wrong("name", "is missing")),
            Some(name) if name.trim().is_empty() => Err(self.wrong("name", "is empty")),
            Some(name) => Ok(name.to_owned()),
        }
    }

    /// The required id of a device, group or scene, fit to be one level of an MQTT topic.
    pub(super) fn id(&self) -> Result<&'a str, Rejection> {
        let id = self.text("id", MAX_ID_CHARS)?.ok_or_else(|| self.wrong("id", "is missing"))?;
        if id.is_empty() {
            Err(self.wrong("id", "is empty"))
        } else if id.contains(|c: char| matches!(c, '/' | '+' | '#') || c.is_control()) {
            Err(self.wrong("id", format!("{} cannot be an MQTT topic level", quote(id))))
        } else {
            Ok(id)
        }
    }

    /// A description; one that is too long is cut, because it only helps to understand.
    pub(super) fn describe(&self, field: &str, report: &mut Report) -> Result<String, Rejection> {
        let text = self.text(field, usize::MAX)?.unwrap_or_default();
        Ok(match text.char_indices().nth(MAX_DESCRIBE_CHARS) {
            None => text.to_owned(),
            Some((end, _)) => {
                report.note(self.wrong(field, format!("cut to {MAX_DESCRIBE_CHARS} characters")));
                text[..end].to_owned()
            }
        })
    }

    /// Aliases or tags; empty ones are dropped, since they would match everything.
    pub(super) fn words(&self, field: &str, report: &mut Report) -> Result<Vec<String>, Rejection> {
        let list = self.list(field)?;
        if list.len() > MAX_ALIASES {
            return Err(self.wrong(field, format!("{} entries are more than {MAX_ALIASES}", list.len())));
        }
        let mut words = Vec::with_capacity(list.len());
        for (i, value) in list.iter().enumerate() {
            let path = format!("{}[{i}]", self.at(field));
            let word = bounded(path.clone(), value, MAX_NAME_CHARS)?;
            if word.trim().is_empty() {
                report.note(rejection(path, "is empty and left out"));
            } else {
                words.push(word.to_owned());
            }
        }
        Ok(words)
    }

    /// The risk; an unknown one rejects the entry, because a guess could open a door.
    pub(super) fn risk(&self) -> Result<Option<Risk>, Rejection> {
        match self.text("risk", usize::MAX)? {
            None => Ok(None),
            Some("low") => Ok(Some(Risk::Low)),
            Some("high") => Ok(Some(Risk::High)),
            Some(other) => Err(self.wrong("risk", format!("{} is not low or high", quote(other)))),
        }
    }
}

/// A text value of at most `limit` characters.
pub(super) fn bounded(path: String, value: &Value, limit: usize) -> Result<&str, Rejection> {
    match value.as_str() {
        None => Err(rejection(path, "is not a text")),
        // No character is longer than four bytes and none shorter than one: most texts need no counting.
        Some(text) if text.len() > limit && text.chars().count() > limit => {
            Err(rejection(path, format!("is longer than {limit} characters")))
        }
        Some(text) => Ok(text),
    }
}

pub(super) fn rejection(path: impl Into<String>, reason: impl Into<String>) -> Rejection {
    Rejection { path: path.into(), reason: reason.into() }
}

/// The path of a key below `path`; keys that are no plain words are quoted.
pub(in crate::home) fn child(path: &str, key: &str) -> String {
    let plain = key.len() <= QUOTED_CHARS
        && !key.is_empty()
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    match (plain, path.is_empty()) {
        (true, true) => key.to_owned(),
        (true, false) => format!("{path}.{key}"),
        (false, _) => format!("{path}[{}]", quote(key)),
    }
}

/// A foreign text as a reason may show it: short, in quotes, control characters escaped.
pub(in crate::home) fn quote(text: &str) -> String {
    let shown: String = text.chars().take(QUOTED_CHARS).flat_map(char::escape_debug).collect();
    let more = if text.chars().nth(QUOTED_CHARS).is_some() { "…" } else { "" };
    format!("\"{shown}{more}\"")
}
