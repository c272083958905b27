//! A device of SmartThings as properties, by what its capabilities are and its status says of them.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::colour::Colours;
use super::super::zigbee2mqtt::Words;
use super::wire::{Component, attribute, texts, unit};
use crate::home::Risk;

/// Most properties of one device.
const MAX_PROPERTIES: usize = 120;

/// What is known of capabilities and categories.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::hub) struct Known {
    features: Vec<Feature>,
    categories: HashMap<String, String>,
    risky: Vec<String>,
    components: HashMap<String, String>,
    values: HashMap<String, String>,
}

/// An attribute that is a property of a home.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Feature {
    pub(super) capability: String,
    pub(super) attribute: String,
    id: String,
    word: String,
    flag: Option<(String, String)>,
    number: Option<(f64, f64, f64)>,
    #[serde(default)]
    colour: bool,
    #[serde(default)]
    values: Vec<String>,
    supported: Option<String>,
    bounds: Option<(String, String, String)>,
    unit: Option<String>,
    #[serde(default)]
    commands: HashMap<String, String>,
    setter: Option<String>,
    risk: Option<Risk>,
}

/// A property of one device.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) id: String,
    pub(super) component: String,
    pub(super) feature: Feature,
    pub(super) document: Value,
}

/// A device that can be spoken to.
#[derive(Clone, Debug)]
pub(super) struct Device {
    pub(super) kind: String,
    pub(super) risky: bool,
    pub(super) properties: Vec<Property>,
    /// Component and capability of what was left out.
    pub(super) disabled: Vec<String>,
}

impl Known {
    /// What the components of a device are, by its status.
    pub(super) fn device(&self, components: &[Component], status: &Value, words: &Words, colours: &Colours) -> Device {
        let gone = texts(status, "main", "custom.disabledComponents", "disabledComponents");
        let category = components.iter().find(|c| c.id == "main").and_then(|main| {
            let chosen = main.categories.iter().find(|category| category.category_type == "user");
            chosen.or_else(|| main.categories.first()).map(|category| category.name.clone())
        });
        let category = category.unwrap_or_default();
        let mut device = Device {
            kind: self.categories.get(&category).cloned().unwrap_or_default(),
            risky: self.risky.contains(&category),
            properties: Vec::new(),
            disabled: Vec::new(),
        };
        for component in components {
            if gone.contains(&component.id) {
                device.disabled.push(component.id.clone());
                continue;
            }
            let off = texts(status, &component.id, "custom.disabledCapabilities", "disabledCapabilities");
            for capability in &component.capabilities {
                let features = || self.features.iter().filter(|feature| feature.capability == capability.id);
                if off.contains(&capability.id) {
                    device.disabled.extend(features().next().map(|_| format!("{}/{}", component.id, capability.id)));
                    continue;
                }
                for feature in features() {
                    self.add(&mut device, component, feature, status, words, colours);
                }
            }
        }
        device
    }

    fn add(
        &self,
        device: &mut Device,
        component: &Component,
        feature: &Feature,
        status: &Value,
        words: &Words,
        colours: &Colours,
    ) {
        let Some(mut document) = self.domain(&component.id, feature, status, words, colours) else { return };
        let main = component.id == "main";
        let id = if main { feature.id.clone() } else { format!("{}.{}", component.id, feature.id) };
        let part = self.components.get(&component.id).cloned().unwrap_or_else(|| component.id.clone());
        let word = if main { feature.word.clone() } else { format!("{part}{}", feature.word) };
        if device.properties.len() >= MAX_PROPERTIES || device.properties.iter().any(|p| p.id == id) {
            return;
        }
        document["describe"] = word.into();
        if feature.setter.is_none() && feature.commands.is_empty() {
            document["access"] = "read".into();
        }
        device.risky |= feature.risk == Some(Risk::High);
        device.properties.push(Property { id, component: component.id.clone(), feature: feature.clone(), document });
    }

    /// The values that a feature takes; `None` when it takes none here.
    fn domain(
        &self,
        component: &str,
        feature: &Feature,
        status: &Value,
        words: &Words,
        colours: &Colours,
    ) -> Option<Value> {
        if feature.flag.is_some() {
            return Some(json!({"type": "bool"}));
        }
        if feature.colour {
            return Some(json!({"type": "enum", "range": colours.range()}));
        }
        if let Some((min, max, step)) = feature.number {
            let mut domain = json!({"type": "float"});
            let fahrenheit = unit(status, component, &feature.capability, &feature.attribute) == Some("F");
            if let Some(unit) = &feature.unit {
                domain["unit"] = if fahrenheit { "F" } else { unit.as_str() }.into();
            }
            if min < max {
                let degrees = |c: f64| if fahrenheit { (c * 1.8 + 32.0).round() } else { c };
                let (min, max) = feature.told_bounds(component, status).unwrap_or((degrees(min), degrees(max)));
                let whole = [min, max, step].iter().all(|n| n.fract() == 0.0 && n.abs() < 1e9);
                domain["type"] = if whole { "int" } else { "float" }.into();
                for (key, n) in [("min", min), ("max", max), ("step", step)] {
                    domain[key] = if whole { json!(n as i64) } else { json!(n) };
                }
            }
            return Some(domain);
        }
        let supported = feature
            .supported
            .as_ref()
            .map(|name| texts(status, component, &feature.capability, name))
            .unwrap_or_default();
        let values = if supported.is_empty() { feature.values.clone() } else { supported };
        let mut said: Vec<&str> = Vec::new();
        let range: Vec<Value> = values
            .iter()
            .filter(|value| !value.is_empty() && value.chars().count() <= 128)
            .map(|value| {
                let word = self.values.get(value).map(String::as_str).or_else(|| words.value(value));
                let word = word.filter(|word| !said.contains(word)).unwrap_or_default();
                said.push(word);
                json!({"value": value, "describe": word})
            })
            .collect();
        (!range.is_empty()).then(|| json!({"type": "enum", "range": range}))
    }
}

impl Feature {
    /// Between which bounds a component says that its values lie: by the attribute's own range, else where others do.
    fn told_bounds(&self, component: &str, status: &Value) -> Option<(f64, f64)> {
        let range = attribute(status, component, &self.capability, &format!("{}Range", self.attribute));
        let range = range.and_then(|range| range["minimum"].as_f64().zip(range["maximum"].as_f64()));
        let bound = |capability: &str, name: &str| attribute(status, component, capability, name)?.as_f64();
        let elsewhere = || {
            let (capability, low, high) = self.bounds.as_ref()?;
            bound(capability, low).zip(bound(capability, high))
        };
        range.or_else(elsewhere).filter(|(low, high)| low < high)
    }
}

impl Device {
    /// Its model, as a home document has it.
    pub(super) fn model(&self) -> Value {
        let properties: Map<String, Value> =
            self.properties.iter().map(|p| (p.id.clone(), p.document.clone())).collect();
        json!({"name": self.kind, "describe": self.kind, "property": properties})
    }
}

impl Property {
    /// What a status document says of it.
    pub(super) fn told(&self, status: &Value, colours: &Colours) -> Option<Value> {
        let feature = &self.feature;
        let get = |name: &str| attribute(status, &self.component, &feature.capability, name);
        let value = get(&feature.attribute)?;
        if let Some((on, off)) = &feature.flag {
            let said = value.as_str()?;
            return (said == on || said == off).then(|| (said == on).into());
        }
        if feature.colour {
            let (hue, saturation) = (value.as_f64()?, get("saturation")?.as_f64()?);
            return colours.nearest(hue * 3.6, saturation).map(Value::from);
        }
        if feature.number.is_some() {
            let number = value.as_f64()?;
            let whole = self.document["type"] == "int" && number.abs() < 1e9;
            return Some(if whole { json!(number.round() as i64) } else { json!(number) });
        }
        // What it is on the way to is what it was told; what stands in between is none of its values.
        let value = match value.as_str()? {
            "opening" => "open",
            "closing" => "closed",
            other => other,
        };
        let range = self.document["range"].as_array()?;
        range.iter().any(|choice| choice["value"] == value).then(|| value.into())
    }

    /// The command that sets it, as the API takes it.
    pub(super) fn command(&self, value: &Value, colours: &Colours) -> Option<Value> {
        let feature = &self.feature;
        let said = match (&feature.flag, value) {
            (Some((on, off)), Value::Bool(flag)) => Value::from(if *flag { on.as_str() } else { off }),
            (Some(_), _) => return None,
            (None, _) if feature.colour => {
                let (hue, saturation) = colours.hue(value.as_str()?)?;
                json!({"hue": (hue / 3.6).round() as i64, "saturation": saturation as i64})
            }
            (None, Value::Number(_)) if feature.number.is_some() => value.clone(),
            (None, Value::String(_)) if feature.number.is_none() => value.clone(),
            _ => return None,
        };
        let (command, arguments) = match said.as_str().and_then(|value| feature.commands.get(value)) {
            Some(command) => (command.as_str(), json!([])),
            None => (feature.setter.as_deref()?, json!([said])),
        };
        Some(one(&self.component, &feature.capability, command, arguments))
    }
}

/// One command, as the API takes it.
pub(super) fn one(component: &str, capability: &str, command: &str, arguments: Value) -> Value {
    json!({"component": component, "capability": capability, "command": command, "arguments": arguments})
}
