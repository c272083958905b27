//! An expose as a property of a home document.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::super::codec::Codec;
use super::super::colour::Colours;
use super::wire::Expose;
use super::words::Words;

/// Most features of one device; more is no device that a person speaks to.
const MAX_FEATURES: usize = 120;
/// Most values of one enumeration.
const MAX_VALUES: usize = 256;
/// Longest value, in characters.
const MAX_VALUE_CHARS: usize = 128;
/// What a lamp takes that does not say, in mired.
const MIRED: (f64, f64) = (153.0, 500.0);
/// Two values that are on and off, as devices write them.
const SWITCHED: [(&str, &str); 6] = [
    ("on", "off"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("true", "false"),
    ("yes", "no"),
    ("open", "closed"),
];

/// A property of a device and what it is on the wire.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Feature {
    /// Its id in the home document.
    pub(super) id: String,
    /// Where its value stands in what the device publishes and takes.
    pub(super) path: Vec<String>,
    pub(super) codec: Codec,
    pub(super) published: bool,
    pub(super) settable: bool,
    /// Its state can be asked for, and is what the device is for.
    pub(super) asked: bool,
    /// Its words and domain, as a home document has them.
    pub(super) document: Value,
}

/// The features of one device as they are found.
pub(super) struct Features<'a> {
    words: &'a Words,
    colours: &'a Colours,
    pub(super) list: Vec<Feature>,
    /// Name and reason of what was left out.
    pub(super) left_out: Vec<(String, &'static str)>,
    described: HashSet<String>,
}

impl<'a> Features<'a> {
    pub(super) fn new(words: &'a Words, colours: &'a Colours) -> Self {
        Self { words, colours, list: Vec::new(), left_out: Vec::new(), described: HashSet::new() }
    }

    /// Adds a thing with features of its own: a light, a cover.
    pub(super) fn specific(&mut self, thing: &Expose) {
        let has = |name: &str| thing.features.iter().any(|f| f.name() == name);
        for feature in &thing.features {
            let path = vec![key(feature)];
            match (thing.r#type.as_str(), feature.name(), feature.r#type.as_str()) {
                (_, name, "composite") if name.starts_with("color_") => self.colour(feature, has("color_hs")),
                ("light", "brightness", "numeric") => self.brightness(feature, path),
                ("lock", "state", "binary") => {
                    let word = self.words.locked.clone();
                    self.named(feature, "locked", word, path, flag(feature), json!({"type": "bool"}));
                }
                ("cover", "state", _) => {
                    let (codec, domain) = self.choices(feature, None);
                    self.named(feature, "action", self.words.cover.clone(), path, codec, domain);
                }
                // A switch beside the one that is called state is a feature by another name.
                ("switch", "state", "binary") if !path[0].starts_with("state") && feature.endpoint.is_none() => {
                    let word = self.words.property(&path[0]).unwrap_or_else(|| path[0].clone());
                    self.named(feature, &own_id(&path[0]), word, path, flag(feature), json!({"type": "bool"}));
                }
                (_, "state", "binary") => self.power(feature, path, flag(feature)),
                ("climate", "system_mode", "enum") => self.mode(feature, path, "mode"),
                ("fan", "mode", "enum") if !has("state") => self.mode(feature, path, "fan_mode"),
                ("fan", "mode", "enum") if !has("speed") => {
                    let (codec, domain) = self.choices(feature, None);
                    let word = self.words.property("fan_mode").unwrap_or_default();
                    self.named(feature, "fan_mode", word, path, codec, domain);
                }
                _ => self.generic(feature, Vec::new()),
            }
        }
    }

    /// Adds a value of its own. `within` is where it stands.
    pub(super) fn generic(&mut self, expose: &Expose, within: Vec<String>) {
        let name = expose.name();
        if self.words.never(name) {
            return self.left_out.push((key(expose), "is not for people"));
        }
        if !expose.published() && !expose.settable() && expose.r#type != "composite" {
            return;
        }
        let mut path = within;
        path.push(key(expose));
        let id = path.join(".");
        let own = own_id(name);
        let name = own.as_str();
        match expose.r#type.as_str() {
            "binary" if name == "state" => self.power(expose, path, flag(expose)),
            "binary" => self.add(expose, name, path, flag(expose), json!({"type": "bool"})),
            "numeric" if expose.unit.as_deref() == Some("mired") => self.kelvin(expose, path),
            "numeric" => {
                let (codec, domain) = numeric(expose);
                self.add(expose, name, path, codec, domain);
            }
            "enum" => match switched(&expose.values) {
                Some((on, off)) => self.add(expose, name, path, Codec::Flag { on, off }, json!({"type": "bool"})),
                None => {
                    let (codec, domain) = self.choices(expose, None);
                    self.add(expose, name, path, codec, domain);
                }
            },
            "text" => self.add(expose, name, path, Codec::Text, json!({"type": "string"})),
            "composite" if self.words.apart(expose.name()) && path.len() == 1 => {
                for part in &expose.features {
                    self.generic(part, path.clone());
                }
            }
            "composite" => self.left_out.push((id, "takes several values at once")),
            "list" => self.left_out.push((id, "is a list")),
            _ => self.left_out.push((id, "is of an unknown type")),
        }
    }

    /// What is switched, unless something is already: a thermostat that has a switch as well.
    fn power(&mut self, expose: &Expose, path: Vec<String>, codec: Codec) {
        if let Some(endpoint) = expose.endpoint.as_deref().filter(|endpoint| !self.words.is_place(endpoint)) {
            let word = self.words.property(endpoint).unwrap_or_else(|| endpoint.to_owned());
            return self.named(expose, endpoint, word, path, codec, json!({"type": "bool"}));
        }
        if self.list.iter().any(|f| f.id == "power") {
            let id = path.join(".");
            return self.add(expose, &id, path, codec, json!({"type": "bool"}));
        }
        let word = self.words.power.clone();
        self.named(expose, "power", word, path, codec, json!({"type": "bool"}));
    }

    /// The mode of something that is off in one of its modes.
    fn mode(&mut self, expose: &Expose, path: Vec<String>, id: &str) {
        let off = expose.values.iter().find(|v| v.as_str().is_some_and(|v| v.eq_ignore_ascii_case("off")));
        let on: Vec<Value> = expose.values.iter().filter(|v| Some(*v) != off).cloned().collect();
        let (codec, domain) = self.choices(expose, off);
        if let Some(off) = off.filter(|_| !on.is_empty()) {
            let switch = Codec::Mode { off: off.clone(), on };
            let word = self.words.power.clone();
            self.named(expose, "power", word, path.clone(), switch, json!({"type": "bool"}));
        }
        let word = self.words.property(if id == "mode" { "system_mode" } else { id }).unwrap_or_default();
        self.named(expose, id, word, path, codec, domain);
    }

    fn brightness(&mut self, expose: &Expose, path: Vec<String>) {
        let (min, max) = (expose.value_min.unwrap_or(0.0), expose.value_max.unwrap_or(254.0));
        if min >= max {
            return self.generic(expose, Vec::new());
        }
        let domain = json!({"type": "uint", "min": 0, "max": 100, "unit": "%"});
        self.add(expose, "brightness", path, Codec::Percent { min, max }, domain);
    }

    fn kelvin(&mut self, expose: &Expose, path: Vec<String>) {
        let sound = |bound: Option<f64>, other: f64| bound.filter(|b| (50.0..=1000.0).contains(b)).unwrap_or(other);
        let (min, max) = (sound(expose.value_min, MIRED.0), sound(expose.value_max, MIRED.1));
        let kelvin = |mired: f64| (1e6 / mired).round() as i64;
        let domain = json!({"type": "uint", "min": kelvin(max), "max": kelvin(min.min(max)), "unit": "K"});
        let id = if expose.name() == "color_temp" { "color_temp".to_owned() } else { own_id(expose.name()) };
        self.add(expose, &id, path, Codec::Kelvin { min: min.min(max), max }, domain);
    }

    fn colour(&mut self, expose: &Expose, hue: bool) {
        let path = vec![key(expose)];
        if !self.list.iter().any(|f| f.path == path) {
            let domain = json!({"type": "enum", "range": self.colours.range()});
            let word = self.words.property("color").unwrap_or_default();
            self.named(expose, "color", word, path, Codec::Colour { hue }, domain);
        }
    }

    /// The values of an enumeration but `without`.
    fn choices(&self, expose: &Expose, without: Option<&Value>) -> (Codec, Value) {
        let mut said = HashSet::new();
        let fits = |value: &&Value| match value {
            Value::String(text) => text.chars().count() <= MAX_VALUE_CHARS && !text.chars().any(char::is_control),
            Value::Number(_) | Value::Bool(_) => true,
            _ => false,
        };
        let mut values: Vec<Value> = Vec::new();
        for value in expose.values.iter().filter(|v| Some(*v) != without).filter(fits).take(MAX_VALUES) {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        let range: Vec<Value> = values
            .iter()
            .map(|value| {
                let word = value.as_str().and_then(|v| self.words.value(v)).filter(|word| said.insert(*word));
                json!({"value": value, "describe": word.unwrap_or_default()})
            })
            .collect();
        (Codec::Choice(values), json!({"type": "enum", "range": range}))
    }

    /// Adds a feature by the words for its name, or else its own label.
    fn add(&mut self, expose: &Expose, id: &str, path: Vec<String>, codec: Codec, domain: Value) {
        let word = self.words.property(expose.name()).or_else(|| expose.label.clone());
        let word = word.unwrap_or_else(|| expose.name().to_owned());
        self.named(expose, id, word, path, codec, domain);
    }

    fn named(&mut self, expose: &Expose, id: &str, word: String, path: Vec<String>, codec: Codec, domain: Value) {
        if self.list.len() >= MAX_FEATURES {
            return self.left_out.push((path.join("."), "is one too many"));
        }
        if let Codec::Choice(values) = &codec
            && values.is_empty()
        {
            return self.left_out.push((path.join("."), "has no values"));
        }
        let word: String = word.chars().filter(|c| !c.is_control()).take(MAX_VALUE_CHARS).collect();
        // What is on or off is called after what it is: 背光, not 背光模式.
        let word = match domain["type"] == "bool" {
            true => self.words.plain(&word).to_owned(),
            false => word,
        };
        // Two things of the same name would be a riddle: the second has the label of its own, or a number.
        let label = expose.label.clone().unwrap_or_default();
        let numbered = |n: usize| format!("{word}{n}");
        let describe = [word.clone(), label].into_iter().chain((2..).map(numbered));
        let describe = describe.into_iter().find(|d| !d.is_empty() && !self.described.contains(d)).unwrap_or_default();
        self.described.insert(describe.clone());
        let id = match self.list.iter().any(|f| f.id == id) {
            true => path.join("."),
            false => id.to_owned(),
        };
        if id.is_empty() || id.len() > MAX_VALUE_CHARS || self.list.iter().any(|f| f.id == id) {
            return self.left_out.push((id, "has no name of its own"));
        }
        let mut document = Map::new();
        document.insert("describe".into(), describe.into());
        document.extend(domain.as_object().cloned().unwrap_or_default());
        if !expose.settable() {
            document.insert("access".into(), "read".into());
        }
        self.list.push(Feature {
            id,
            path,
            codec,
            published: expose.published(),
            settable: expose.settable(),
            asked: expose.gettable(),
            document: document.into(),
        });
    }
}

/// The id of a value that is none of a lamp's or a thermostat's own: one word, since parts of an id (`min_brightness`) would
/// be taken for what it is about, and its words say better what that is.
fn own_id(name: &str) -> String {
    let mut id = String::new();
    let mut upper = false;
    for c in name.chars() {
        match c {
            '_' => upper = !id.is_empty(),
            c if upper => {
                id.extend(c.to_uppercase());
                upper = false;
            }
            c => id.push(c),
        }
    }
    // These are what a thing is for, not what it measures.
    if ["power", "locked", "action", "active", "switch", "on"].contains(&id.as_str()) {
        format!("{id}Value")
    } else {
        id
    }
}

/// The key of an expose in what its device publishes.
pub(super) fn key(expose: &Expose) -> String {
    expose.property.clone().unwrap_or_else(|| expose.name().to_owned())
}

fn flag(expose: &Expose) -> Codec {
    let (on, off) = (expose.value_on.clone(), expose.value_off.clone());
    // Both missing would make everything true.
    if on == off { Codec::Flag { on: true.into(), off: false.into() } } else { Codec::Flag { on, off } }
}

/// On and off, where an enumeration has no other values.
fn switched(values: &[Value]) -> Option<(Value, Value)> {
    let [a, b] = values else { return None };
    let (first, second) = (a.as_str()?.to_lowercase(), b.as_str()?.to_lowercase());
    SWITCHED.iter().find_map(|(on, off)| match (first.as_str(), second.as_str()) {
        (f, s) if f == *on && s == *off => Some((a.clone(), b.clone())),
        (f, s) if f == *off && s == *on => Some((b.clone(), a.clone())),
        _ => None,
    })
}

fn numeric(expose: &Expose) -> (Codec, Value) {
    let unit = expose.unit.clone().filter(|unit| unit.chars().count() <= 16).unwrap_or_default();
    if !expose.settable() {
        return (Codec::Number { integer: false }, json!({"type": "float", "unit": unit}));
    }
    let celsius = unit.trim_start_matches('°') == "C";
    let step = expose.value_step.filter(|s| *s > 0.0).unwrap_or(if celsius { 0.5 } else { 1.0 });
    let bounds = expose.value_min.zip(expose.value_max).filter(|(min, max)| min <= max);
    let integer = step.fract() == 0.0 && bounds.is_some_and(|(min, max)| min.fract() == 0.0 && max.fract() == 0.0);
    let mut domain = json!({"type": if integer { "int" } else { "float" }, "step": step, "unit": unit});
    if let Some((min, max)) = bounds {
        domain["min"] = if integer { json!(min as i64) } else { json!(min) };
        domain["max"] = if integer { json!(max as i64) } else { json!(max) };
    }
    if integer {
        domain["step"] = json!(step as i64);
    }
    (Codec::Number { integer }, domain)
}
