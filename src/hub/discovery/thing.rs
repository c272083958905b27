//! The entities of a device as the things that people name: a lamp is one, and the sensors of its device are values of it.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::config::Config;
use super::entity::Slot;
use super::forms::Form;
use super::platform::Role;
use super::words::Names;
use super::{MAX_ID, text_of};
use crate::home::{MAX_NAME_CHARS, MAX_PROPERTIES};

/// An entity: what it is, and how it is reached.
#[derive(Clone, Debug)]
pub(super) struct Entity {
    /// Unique, and the same after each restart.
    pub(super) id: String,
    pub(super) platform: String,
    pub(super) object: String,
    pub(super) class: Option<String>,
    pub(super) role: Role,
    pub(super) form: Form,
    pub(super) device: Owner,
    /// Its own name; empty where it is called as its device.
    pub(super) name: String,
    pub(super) availability: Availability,
    /// When a light is told that it is on: before what else it is told, after it, or not at all.
    pub(super) on_type: Cow<'static, str>,
    /// What its configuration takes, in bytes.
    pub(super) weight: usize,
}

/// The device that an entity belongs to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Owner {
    /// Its first identifier; empty where there is no device.
    pub(super) key: String,
    pub(super) name: String,
    pub(super) area: Option<String>,
}

impl Owner {
    /// The device of an entity.
    pub(super) fn read(config: &Config) -> Self {
        let Some(device) = config.get("device") else { return Self::default() };
        let text = |key: &str| device.get(key).and_then(Value::as_str).map(str::to_owned);
        let first = |key: &str| match device.get(key)? {
            Value::String(text) => Some(text.clone()),
            Value::Array(list) => list.first().map(text_of),
            _ => None,
        };
        let key = first("identifiers").or_else(|| first("connections")).unwrap_or_default();
        let sound = key.chars().count() <= MAX_ID && !key.chars().any(char::is_control);
        Self {
            key: if sound { key } else { String::new() },
            name: text("name").unwrap_or_default(),
            area: text("suggested_area").filter(|area| !area.trim().is_empty()),
        }
    }
}

/// When an entity can be reached.
#[derive(Clone, Debug, Default)]
pub(super) struct Availability {
    pub(super) mode: Cow<'static, str>,
    pub(super) topics: Vec<Sign>,
    latest: Option<bool>,
}

/// One topic that says whether something can be reached.
#[derive(Clone, Debug)]
pub(super) struct Sign {
    pub(super) topic: String,
    pub(super) template: Option<String>,
    pub(super) on: Cow<'static, str>,
    pub(super) off: Cow<'static, str>,
    said: Option<bool>,
}

impl Availability {
    pub(super) fn read(config: &Config) -> Self {
        let mut topics = Vec::new();
        let sign = |field: &dyn Fn(&str) -> Option<String>, topic: &str, template: &str| {
            let word = |key: &str, default: &'static str| field(key).map_or(Cow::Borrowed(default), Cow::Owned);
            Some(Sign {
                topic: field(topic).filter(|t| super::config::is_topic(t))?,
                template: field(template),
                on: word("payload_available", "online"),
                off: word("payload_not_available", "offline"),
                said: None,
            })
        };
        topics.extend(sign(&|key| config.text(key), "availability_topic", "availability_template"));
        for entry in config.get("availability").and_then(Value::as_array).into_iter().flatten().take(16) {
            let field = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
            topics.extend(sign(&field, "topic", "value_template"));
        }
        Self { mode: config.word("availability_mode", "latest"), topics, latest: None }
    }

    /// Takes what a topic says of it.
    pub(super) fn hear(&mut self, topic: &str, mut said: impl FnMut(&Sign) -> Option<String>) {
        for sign in self.topics.iter_mut().filter(|sign| sign.topic == topic) {
            let Some(text) = said(sign) else { continue };
            let online = if text == sign.on {
                true
            } else if text == sign.off {
                false
            } else {
                continue;
            };
            sign.said = Some(online);
            self.latest = Some(online);
        }
    }

    /// Whether it can be reached, as far as anybody said.
    pub(super) fn online(&self) -> bool {
        let mut said = self.topics.iter().filter_map(|sign| sign.said);
        match &*self.mode {
            "all" => said.all(|online| online),
            "any" => self.topics.iter().all(|sign| sign.said.is_none()) || said.any(|online| online),
            _ => self.latest.unwrap_or(true),
        }
    }
}

/// Something that people name.
#[derive(Clone, Debug)]
pub(super) struct Thing {
    /// The hub's own id of it.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) room: Option<String>,
    kind: String,
    risky: bool,
    /// A button or a scene: the name of what it does.
    pub(super) scene: bool,
    /// The position of the entity that it is, among those of its device.
    pub(super) main: Option<usize>,
    pub(super) properties: Vec<Placed>,
}

/// A property of a thing, and whose it is.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) id: String,
    document: Arc<Value>,
    /// The positions of the entity among those of its device, and of its slot.
    pub(super) at: (usize, usize),
}

/// The things that the entities of one device are.
pub(super) fn things(entities: &[&Entity], names: &Names) -> Vec<Thing> {
    let thing = |at: usize, entity: &Entity| {
        let name = called(entity);
        Thing {
            id: entity.id.clone(),
            room: entity.device.area.clone().or_else(|| names.room(&name).map(str::to_owned)),
            name,
            kind: names.kind(&entity.platform, entity.class.as_deref()).to_owned(),
            risky: names.risky(&entity.platform, entity.class.as_deref()),
            scene: entity.platform == "scene",
            main: Some(at),
            properties: Vec::new(),
        }
    };
    let owned = entities.first().is_some_and(|entity| !entity.device.key.is_empty());
    let is_thing = |entity: &Entity| entity.role == Role::Thing || !owned;
    let mut things: Vec<Thing> = Vec::new();
    for (at, entity) in entities.iter().enumerate().filter(|(_, entity)| is_thing(entity)) {
        let mut thing = thing(at, entity);
        for (slot_at, slot) in entity.form.slots.iter().enumerate() {
            let single = entity.role == Role::Value;
            let (id, document) =
                if single { named(entity, slot, names) } else { (slot.id.clone(), Arc::clone(&slot.document)) };
            thing.properties.push(Placed { id, document, at: (at, slot_at) });
        }
        things.push(thing);
    }
    // Values belong to the thing that the device is, if it is one thing; else to the device as a whole.
    let pressed =
        |thing: &Thing| thing.main.is_some_and(|at| ["button", "scene"].contains(&entities[at].platform.as_str()));
    let real: Vec<usize> = (0..things.len()).filter(|i| !pressed(&things[*i])).collect();
    let whole = real.iter().copied().find(|i| things[*i].main.is_some_and(|at| entities[at].name.is_empty()));
    let mut home = match real.as_slice() {
        [only] => Some(*only),
        _ => whole,
    };
    for (at, entity) in entities.iter().enumerate().filter(|(_, entity)| !is_thing(entity)) {
        let to = *home.get_or_insert_with(|| {
            let name = entity.device.name.clone();
            let class = entities
                .iter()
                .filter(|e| !is_thing(e))
                .find_map(|e| Some(names.kind(&e.platform, e.class.as_deref())).filter(|kind| !kind.is_empty()));
            things.push(Thing {
                id: format!("device:{}", entity.device.key),
                room: entity.device.area.clone().or_else(|| names.room(&name).map(str::to_owned)),
                name,
                kind: class.unwrap_or_default().to_owned(),
                risky: false,
                scene: false,
                main: None,
                properties: Vec::new(),
            });
            things.len() - 1
        });
        for (slot_at, slot) in entity.form.slots.iter().enumerate() {
            let (id, document) = named(entity, slot, names);
            things[to].properties.push(Placed { id, document, at: (at, slot_at) });
        }
    }
    things.iter_mut().for_each(Thing::settle);
    things
}

/// The id and words of an entity that is one value.
fn named(entity: &Entity, slot: &Slot, names: &Names) -> (String, Arc<Value>) {
    let own = entity.name.trim();
    let class = entity.class.as_deref().filter(|_| entity.platform.ends_with("sensor"));
    let slug: String = own.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    let word = Some(own.to_owned()).filter(|own| !own.is_ascii());
    let word = word.or_else(|| names.property(&slug));
    let word = word.or_else(|| class.and_then(|class| names.class(class)).map(str::to_owned));
    let word = word.or_else(|| names.property(&entity.object));
    let word = word.unwrap_or_else(|| if own.is_empty() { entity.object.clone() } else { own.to_owned() });
    let mut document = Arc::clone(&slot.document);
    describe(&mut document, word.chars().take(MAX_NAME_CHARS).collect());
    let id = class.map_or_else(|| entity.object.replace('_', ""), str::to_owned);
    (id, document)
}

/// Gives a property other words, if they are others.
fn describe(document: &mut Arc<Value>, words: String) {
    if document["describe"] != *words {
        Arc::make_mut(document)["describe"] = words.into();
    }
}

/// Which thing each value of a device belongs to: what a state is read by.
#[derive(Debug)]
pub(super) struct Layout {
    /// The things' ids, and the position of the entity that each is.
    pub(super) things: Vec<(String, Option<usize>)>,
    /// For each property its thing, its id, and the positions of its entity and its slot.
    pub(super) properties: Vec<(usize, String, (usize, usize))>,
}

impl Layout {
    pub(super) fn of(things: Vec<Thing>) -> Self {
        let mut layout = Self { things: Vec::with_capacity(things.len()), properties: Vec::new() };
        for (at, thing) in things.into_iter().enumerate() {
            layout.properties.extend(thing.properties.into_iter().map(|p| (at, p.id, p.at)));
            layout.things.push((thing.id, thing.main));
        }
        layout.properties.shrink_to_fit();
        layout
    }
}

/// The name of an entity as Home Assistant composes it; a Chinese one without a space.
fn called(entity: &Entity) -> String {
    let (device, own) = (entity.device.name.trim(), entity.name.trim());
    let own = own.strip_prefix(device).map_or(own, str::trim);
    let space = if device.is_ascii() && own.is_ascii() { " " } else { "" };
    let name = match (device.is_empty(), own.is_empty()) {
        (_, true) if device.is_empty() => entity.object.clone(),
        (true, false) => own.to_owned(),
        (_, true) => device.to_owned(),
        (false, false) => format!("{device}{space}{own}"),
    };
    name.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect()
}

impl Thing {
    /// Gives each property an id and words of its own, and bounds their number.
    fn settle(&mut self) {
        let (mut ids, mut words) = (HashSet::new(), HashSet::new());
        self.properties.truncate(MAX_PROPERTIES);
        for property in &mut self.properties {
            let plain = property.id.clone();
            let mut count = 1;
            while property.id.is_empty() || !ids.insert(property.id.clone()) {
                count += 1;
                property.id = format!("{plain}{count}");
            }
            let word = property.document["describe"].as_str().unwrap_or_default().to_owned();
            let mut said = word.clone();
            let mut count = 1;
            while !words.insert(said.clone()) {
                count += 1;
                said = format!("{word}{count}");
            }
            describe(&mut property.document, said);
        }
    }

    /// Its model, as a home document has it.
    pub(super) fn model(&self) -> Value {
        let properties: Map<String, Value> =
            self.properties.iter().map(|p| (p.id.clone(), (*p.document).clone())).collect();
        json!({"name": self.kind, "describe": self.kind, "property": properties})
    }

    /// Its entry of a home document.
    pub(super) fn device(&self, model: &str, online: bool) -> Value {
        let mut device = json!({"id": self.id, "name": self.name, "device": {"model": model}});
        if let Some(room) = &self.room {
            device["local"] = room.chars().take(MAX_NAME_CHARS).collect::<String>().into();
        }
        if self.risky {
            device["risk"] = "high".into();
        }
        if !online {
            device["online"] = false.into();
        }
        device
    }
}
