//! `model`: what devices of a kind can do, and the values their properties take.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::entry::{Entry, bounded, child, quote, rejection};
use super::within;
use super::{DocumentError, MAX_CHOICES, MAX_ID_CHARS, MAX_MODELS, MAX_NAME_CHARS, MAX_PROPERTIES, Rejection, Report};
use crate::home::{Choice, Domain, Property, Risk};

/// Smallest change of a `float` that names none.
const FLOAT_STEP: f64 = 0.1;

/// What devices of one kind share.
pub(super) struct Model {
    pub(super) category: String,
    pub(super) describe: String,
    pub(super) risk: Option<Risk>,
    /// Shared by all its devices: a document of 4 MiB must not become gigabytes.
    pub(super) properties: Arc<[Property]>,
}

/// Reads `model`, which may be absent.
pub(super) fn read<'a>(top: &Entry<'a>, report: &mut Report) -> Result<HashMap<&'a str, Model>, DocumentError> {
    let Some(value) = top.get("model") else { return Ok(HashMap::new()) };
    let Some(entry) = report.keep(Entry::new("model".to_owned(), value)) else { return Ok(HashMap::new()) };
    within("model", entry.fields.len(), MAX_MODELS)?;
    let mut models = HashMap::with_capacity(entry.fields.len());
    for (key, value) in entry.fields {
        let model = Entry::new(entry.at(key), value).and_then(|entry| model(&entry, report));
        if let Some(model) = report.keep(model) {
            models.insert(key.as_str(), model);
        }
    }
    Ok(models)
}

fn model(entry: &Entry, report: &mut Report) -> Result<Model, Rejection> {
    let category = entry.text("name", MAX_NAME_CHARS)?.unwrap_or_default().to_owned();
    let describe = entry.describe("describe", report)?;
    let risk = entry.risk()?;
    let mut properties = Vec::new();
    if let Some(value) = entry.get("property") {
        let list = Entry::new(entry.at("property"), value)?;
        if list.fields.len() > MAX_PROPERTIES {
            return Err(entry.wrong("property", format!("{} are more than {MAX_PROPERTIES}", list.fields.len())));
        }
        for (id, value) in list.fields {
            let read = Entry::new(list.at(id), value).and_then(|entry| property(id, &entry, report));
            properties.extend(report.keep(read));
        }
    }
    Ok(Model { category, describe, risk, properties: properties.into() })
}

fn property(id: &str, entry: &Entry, report: &mut Report) -> Result<Property, Rejection> {
    check_key(&entry.path, id)?;
    let domain = match entry.text("type", usize::MAX)?.ok_or_else(|| entry.wrong("type", "is missing"))? {
        "bool" => Domain::Bool,
        "uint" => number(entry, "min", "max", Kind::Unsigned)?,
        "int" => number(entry, "min", "max", Kind::Integer)?,
        "float" => number(entry, "min", "max", Kind::Float)?,
        "enum" => choices(entry, "range", report)?,
        "string" => Domain::Text,
        other => return Err(entry.wrong("type", format!("{} is no type", quote(other)))),
    };
    Ok(Property {
        id: id.to_owned(),
        describe: entry.describe("describe", report)?,
        domain,
        unit: unit(entry)?,
        writable: entry.get("access").and_then(Value::as_str) != Some("read"),
    })
}

/// Refuses a property or command id that is empty, too long or contains control characters.
pub(super) fn check_key(path: &str, id: &str) -> Result<(), Rejection> {
    if id.is_empty() || id.chars().count() > MAX_ID_CHARS || id.contains(char::is_control) {
        return Err(rejection(
            path,
            format!("an id has 1 to {MAX_ID_CHARS} characters, none of them a control character"),
        ));
    }
    Ok(())
}

/// The unit of a property or range; an empty one is none.
pub(super) fn unit(entry: &Entry) -> Result<Option<String>, Rejection> {
    Ok(entry.text("unit", MAX_NAME_CHARS)?.filter(|unit| !unit.is_empty()).map(str::to_owned))
}

/// Which numbers a property takes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// Whole numbers from 0.
    Unsigned,
    /// Whole numbers.
    Integer,
    /// Any number.
    Float,
}

/// A number whose inclusive bounds, if any, stand in the fields `low` and `high`.
pub(super) fn number(entry: &Entry, low: &str, high: &str, kind: Kind) -> Result<Domain, Rejection> {
    let integer = kind != Kind::Float;
    let whole = |field: &str, value: Option<f64>| match value {
        Some(n) if integer && n.fract() != 0.0 => Err(entry.wrong(field, "is not a whole number")),
        other => Ok(other),
    };
    let mut min = whole(low, entry.number(low)?)?;
    let max = whole(high, entry.number(high)?)?;
    if kind == Kind::Unsigned {
        if min.is_some_and(|m| m < 0.0) {
            return Err(entry.wrong(low, "is below 0"));
        }
        min = min.or(Some(0.0));
    }
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        return Err(entry.wrong(low, format!("{min} is above the maximum {max}")));
    }
    let step = whole("step", entry.number("step")?)?.unwrap_or(if integer { 1.0 } else { FLOAT_STEP });
    if step <= 0.0 {
        return Err(entry.wrong("step", "is not above 0"));
    }
    Ok(Domain::Number { min, max, step, integer })
}

/// An enumeration whose values stand in the list `field`, bare or as `{"value", "describe"}`.
pub(super) fn choices(entry: &Entry, field: &str, report: &mut Report) -> Result<Domain, Rejection> {
    let list = entry.list(field)?;
    if list.len() > MAX_CHOICES {
        return Err(entry.wrong(field, format!("{} values are more than {MAX_CHOICES}", list.len())));
    }
    let mut choices = Vec::with_capacity(list.len());
    let mut seen = HashSet::with_capacity(list.len());
    for (i, value) in list.iter().enumerate() {
        let path = format!("{}[{i}]", entry.at(field));
        let choice = choice(path.clone(), value).and_then(|choice| {
            if seen.insert(choice.value.clone()) { Ok(choice) } else { Err(rejection(path, "is there already")) }
        });
        choices.extend(report.keep(choice));
    }
    if choices.is_empty() { Err(entry.wrong(field, "lists no value")) } else { Ok(Domain::Enum(choices)) }
}

fn choice(path: String, value: &Value) -> Result<Choice, Rejection> {
    let (value, describe) = match value {
        Value::Object(_) => {
            let entry = Entry::new(path.clone(), value)?;
            let describe = match entry.text("describe", MAX_NAME_CHARS)? {
                Some(text) => text,
                None => entry.text("description", MAX_NAME_CHARS)?.unwrap_or_default(),
            };
            (entry.get("value").ok_or_else(|| entry.wrong("value", "is missing"))?, describe)
        }
        bare => (bare, ""),
    };
    match value {
        Value::Bool(_) | Value::Number(_) => {}
        Value::String(_) => _ = bounded(path, value, MAX_NAME_CHARS)?,
        _ => return Err(rejection(child(&path, "value"), "is not a text, number or boolean")),
    }
    Ok(Choice { value: value.clone(), describe: describe.to_owned() })
}
