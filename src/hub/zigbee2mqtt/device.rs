//! A device of Zigbee2MQTT as the things that people name: a wall switch of three gangs is three of them.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::super::LeftOut;
use super::super::codec::Codec;
use super::super::colour::Colours;
use super::feature::{Feature, Features};
use super::wire::{Definition, Expose, Listed, Scene};
use super::words::Words;
use crate::home::Risk;

/// Most scenes of one device or group.
pub(super) const MAX_SCENES: usize = 64;

/// Something that people name.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The device's address, and for a part of it `:` and its endpoint.
    pub(super) id: String,
    /// The endpoint that it is.
    pub(super) endpoint: Option<String>,
    pub(super) name: String,
    pub(super) room: Option<String>,
    /// What it is, in words.
    pub(super) kind: Option<String>,
    pub(super) risk: Option<Risk>,
    pub(super) features: Vec<Feature>,
    /// The scenes that it keeps, by their id.
    pub(super) scenes: Vec<(i64, String)>,
}

/// What is left of a name, and the room that it says: `客厅/吸顶灯`, `客厅吸顶灯`.
pub(super) fn place(name: &str, words: &Words) -> (String, Option<String>) {
    let levels: Vec<&str> = name.split('/').map(str::trim).filter(|level| !level.is_empty()).collect();
    let joined = |name: &str| match name.is_ascii() {
        true => name.to_owned(),
        false => name.replace(['_', '-', ' '], ""),
    };
    match levels.as_slice() {
        [.., room, thing] => (joined(thing), Some((*room).to_owned())),
        [thing] => (joined(thing), words.room(&joined(thing)).map(str::to_owned)),
        [] => (name.to_owned(), None),
    }
}

/// The things that a device is, the device itself first.
pub(super) fn parts(
    listed: &Listed,
    definition: &Definition,
    words: &Words,
    colours: &Colours,
    left_out: &mut Vec<LeftOut>,
) -> Vec<Part> {
    let ieee = &listed.ieee_address;
    let named = listed.friendly_name.trim() != ieee;
    let (name, room) = if named { place(listed.friendly_name.trim(), words) } else { (String::new(), None) };
    let things = things(&definition.exposes, words);
    let mut made = Vec::new();
    for (endpoint, exposes) in &things {
        let mut features = Features::new(words, colours);
        for expose in exposes.iter().filter(|e| e.specific()) {
            features.specific(expose);
        }
        for feature in &mut features.list {
            feature.asked &= feature.published;
        }
        let own = features.list.len();
        for expose in exposes.iter().filter(|e| !e.specific()) {
            features.generic(expose, Vec::new());
        }
        for feature in features.list.iter_mut().skip(own) {
            feature.asked = false;
        }
        let gone = |(property, reason): (String, &str)| LeftOut {
            id: format!("{ieee}#{property}"),
            name: listed.friendly_name.clone(),
            reason: format!("{property} {reason}"),
        };
        left_out.extend(features.left_out.into_iter().map(gone));
        let types: Vec<&str> = exposes.iter().filter(|e| e.specific()).map(|e| e.r#type.as_str()).collect();
        let split = things.len() > 1;
        let kind = words.kind(definition, &types, exposes).filter(|_| !split || !types.is_empty());
        let word = kind.map_or(words.nameless.as_str(), |kind| kind.word.as_str());
        // Nobody has named it yet: what it is, and how its address ends, so that two of them differ.
        let whole = if named { name.clone() } else { format!("{word}{}", tail(ieee)) };
        let part = match endpoint {
            Some(endpoint) => Some(endpoint.as_str()),
            None if split && types.is_empty() => Some("rest"),
            None => None,
        };
        made.push(Part {
            id: endpoint.as_ref().map_or_else(|| ieee.clone(), |endpoint| format!("{ieee}:{endpoint}")),
            endpoint: endpoint.clone(),
            name: part.map_or(whole.clone(), |part| words.part(&whole, part)),
            room: room.clone(),
            kind: kind.map(|kind| kind.word.clone()),
            risk: kind.and_then(|kind| kind.risk),
            features: features.list,
            scenes: Vec::new(),
        });
    }
    for (number, endpoint) in &listed.endpoints {
        let fits = |p: &&mut Part| p.endpoint.as_deref() == Some(endpoint.name.as_deref().unwrap_or(number));
        let at = made.iter_mut().find(fits).map(|part| part.id.clone());
        let at = at.or_else(|| made.first().map(|part| part.id.clone()));
        if let Some(part) = made.iter_mut().find(|part| Some(&part.id) == at.as_ref()) {
            keep_scenes(part, &endpoint.scenes, endpoint.name.as_deref(), words);
        }
    }
    made.retain(|part| !part.features.is_empty());
    made
}

/// Gives a part the scenes that it keeps, as a property whose values they are.
pub(super) fn keep_scenes(part: &mut Part, scenes: &[Scene], endpoint: Option<&str>, words: &Words) {
    let mut known = HashSet::new();
    let named = scenes.iter().filter(|s| !s.name.trim().is_empty() && known.insert(s.id)).take(MAX_SCENES);
    let scenes: Vec<(i64, String)> = named.map(|s| (s.id, short(&s.name))).collect();
    if scenes.is_empty() || part.features.iter().any(|f| f.id == "scene_recall") {
        return;
    }
    let range: Vec<Value> = scenes.iter().map(|(id, name)| json!({"value": id, "describe": name})).collect();
    let describe = words.property("scene_recall").unwrap_or_default();
    part.features.push(Feature {
        id: "scene_recall".to_owned(),
        path: vec![endpoint.map_or_else(|| "scene_recall".to_owned(), |name| format!("scene_recall_{name}"))],
        codec: Codec::Choice(scenes.iter().map(|(id, _)| json!(id)).collect()),
        published: false,
        settable: true,
        asked: false,
        document: json!({"describe": describe, "type": "enum", "range": range}),
    });
    part.scenes = scenes;
}

/// The exposes of each thing that a device is, by endpoint. The device itself comes first, with what belongs to no endpoint.
fn things<'a>(exposes: &'a [Expose], words: &Words) -> Vec<(Option<String>, Vec<&'a Expose>)> {
    let specific: Vec<&'a Expose> = exposes.iter().filter(|e| e.specific()).collect();
    let endpoints: HashSet<Option<&str>> = specific.iter().map(|e| e.endpoint.as_deref()).collect();
    let mut things: Vec<(Option<String>, Vec<&'a Expose>)> = vec![(None, Vec::new())];
    let mut put = |key: Option<String>, expose| match things.iter_mut().find(|(k, _)| *k == key) {
        Some((_, list)) => list.push(expose),
        None => things.push((key, vec![expose])),
    };
    let main = main_type(&specific);
    let whole = endpoints.contains(&None);
    for expose in &specific {
        let key = match expose.endpoint.as_deref() {
            // The swing of an air conditioner is a feature of it.
            Some(endpoint) if whole && expose.r#type == "switch" && !words.is_place(endpoint) => None,
            Some(endpoint) if endpoints.len() > 1 => Some(endpoint.to_owned()),
            // A lamp on a fan is a thing of its own; a switch on a thermostat is its power.
            None if expose.r#type == "light" && main != "light" => Some(expose.r#type.clone()),
            _ => None,
        };
        put(key, *expose);
    }
    for expose in exposes.iter().filter(|e| !e.specific()) {
        let of_part = |endpoint: &&String| things.iter().any(|(key, _)| key.as_ref() == Some(*endpoint));
        let key = expose.endpoint.as_ref().filter(of_part).cloned();
        match things.iter_mut().find(|(k, _)| *k == key) {
            Some((_, list)) => list.push(expose),
            None => things.push((key, vec![expose])),
        }
    }
    things.retain(|(_, list)| !list.is_empty());
    things
}

/// What the device as a whole is.
fn main_type(specific: &[&Expose]) -> &'static str {
    let whole = |t: &&&str| specific.iter().any(|e| e.endpoint.is_none() && e.r#type == **t);
    ["climate", "cover", "lock", "fan", "light", "switch"].iter().find(whole).copied().unwrap_or("light")
}

/// The end of an address.
fn tail(ieee: &str) -> String {
    let start = ieee.char_indices().rev().nth(3).map_or(0, |(at, _)| at);
    ieee[start..].to_owned()
}

/// A name of bounded length.
pub(super) fn short(name: &str) -> String {
    name.trim().chars().take(crate::home::MAX_NAME_CHARS).collect()
}

impl Part {
    /// Its model, as a home document has it.
    pub(super) fn model(&self) -> Value {
        let properties: Map<String, Value> = self.features.iter().map(|f| (f.id.clone(), f.document.clone())).collect();
        let kind = self.kind.clone().unwrap_or_default();
        json!({"name": kind, "describe": kind, "property": properties})
    }

    /// Its entry of a home document.
    pub(super) fn device(&self, model: &str, online: bool) -> Value {
        let mut device = json!({"id": self.id, "name": short(&self.name), "device": {"model": model}});
        if let Some(room) = &self.room {
            device["local"] = short(room).into();
        }
        if self.risk == Some(Risk::High) {
            device["risk"] = "high".into();
        }
        if !online {
            device["online"] = false.into();
        }
        device
    }
}
