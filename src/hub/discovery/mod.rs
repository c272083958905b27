//! Home Assistant's MQTT discovery: whatever publishes how it is to be spoken to is spoken to so, without Home Assistant.
//!
//! The entities of a device become the things that people name: each lamp, switch or cover is one; what only tells or takes a
//! value (a sensor, a select) is a property of the thing that its device is. Templates are run as far as they end
//! (`template`).

mod adopt;
mod config;
mod entity;
mod forms;
mod light;
mod platform;
mod speak;
mod template;
#[cfg(test)]
mod tests;
mod thing;
mod words;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::codec::Codec;
use super::{Brought, Change, Hub, HubWords, LeftOut, MqttHub, Native, To, Unable};
use crate::frame::Instruct;
use crate::home::{MAX_ALL_DEVICES, MAX_NAME_CHARS, MAX_SETS};
use config::{Abbreviations, ConfigTopic, place};
use entity::Slot;
use forms::Forms;
use template::Templates;
use thing::{Entity, Layout, Thing, things};
pub(super) use words::Data;
use words::Names;

/// Largest configuration that is read, in bytes.
const MAX_CONFIG_BYTES: usize = 256 * 1024;
/// Most entities of all devices.
const MAX_ENTITIES: usize = 10_000;
/// Most that the configurations of all entities may take, in bytes: ten times those of a large house.
const MAX_WEIGHT: usize = 24 * 1024 * 1024;
/// Most entities of one device.
const MAX_OF_DEVICE: usize = 500;
/// Most entries of what was left out.
const MAX_LEFT_OUT: usize = 2_000;
/// Longest id of an entity, in characters.
const MAX_ID: usize = 100;

/// What is discovered below one prefix.
#[derive(Debug)]
pub struct Discovery {
    prefix: String,
    birth: bool,
    abbreviations: Abbreviations,
    names: Names,
    templates: Templates,
    /// Entities by their own id.
    entities: HashMap<String, Box<Entity>>,
    /// The entities of each configuration topic, and why others of it were left out.
    topics: BTreeMap<String, Vec<String>>,
    left_out: BTreeMap<String, Vec<LeftOut>>,
    /// Entities of each device, in the order of their ids.
    devices: BTreeMap<String, Vec<String>>,
    /// Which thing each value of a device belongs to, of devices that said something since they changed.
    layouts: HashMap<String, Arc<Layout>>,
    /// What the properties of entities are.
    forms: Forms,
    /// Which entities listen to a topic.
    listeners: HashMap<String, Vec<String>>,
    /// What the configurations of the entities take, in bytes.
    weight: usize,
    /// Configuration topics whose entities are about to move to the device form.
    migrating: HashSet<String>,
    /// The mode that something was in before it was switched off.
    modes: HashMap<String, Value>,
}

impl Discovery {
    /// What is discovered below `prefix`, usually `homeassistant`.
    pub fn new(prefix: String) -> Self {
        Self {
            prefix: prefix.trim_end_matches('/').to_owned(),
            birth: false,
            abbreviations: Abbreviations::read(),
            names: Names::of(&HubWords::default()),
            templates: Templates::new(),
            entities: HashMap::new(),
            topics: BTreeMap::new(),
            left_out: BTreeMap::new(),
            devices: BTreeMap::new(),
            layouts: HashMap::new(),
            forms: Forms::default(),
            listeners: HashMap::new(),
            weight: 0,
            migrating: HashSet::new(),
            modes: HashMap::new(),
        }
    }

    /// The same in the words of an owner.
    #[must_use]
    pub fn in_words(self, words: &HubWords) -> Self {
        Self { names: Names::of(words), ..self }
    }

    /// Says that Home Assistant is online, for publishers that tell nothing before; only where there is no Home Assistant.
    #[must_use]
    pub fn announced(mut self) -> Self {
        self.birth = true;
        self
    }

    /// Of what a topic tells how it is spoken to, if it is a configuration's.
    fn place(&self, topic: &str) -> Option<ConfigTopic> {
        place(topic.strip_prefix(self.prefix.as_str())?.strip_prefix('/')?)
    }

    fn leave_out(&mut self, topic: &str, id: &str, name: &str, reason: String) {
        if self.left_out.values().map(Vec::len).sum::<usize>() < MAX_LEFT_OUT {
            let short = |text: &str| text.chars().take(MAX_NAME_CHARS).collect();
            let left = LeftOut { id: short(id), name: short(name), reason: short(&reason) };
            self.left_out.entry(topic.to_owned()).or_default().push(left);
        }
    }

    /// Takes what a configuration topic says; tells whether anything is another thing now.
    fn configure(&mut self, topic: &str, place: &ConfigTopic, payload: &[u8]) -> bool {
        if payload.is_empty() {
            self.migrating.remove(topic);
            return self.forget(topic);
        }
        if payload.len() > MAX_CONFIG_BYTES {
            self.leave_out(topic, topic, "", format!("{} bytes are more than {MAX_CONFIG_BYTES}", payload.len()));
            return true;
        }
        let configs = match self.abbreviations.entities(place, payload) {
            Ok(configs) => configs,
            Err(reason) => {
                self.forget(topic);
                self.leave_out(topic, topic, "", reason);
                return true;
            }
        };
        // The entities stay where they are until the device form brings them.
        if configs.iter().any(|config| config.flag("migrate_discovery", false)) {
            if self.migrating.len() < MAX_ENTITIES {
                self.migrating.insert(topic.to_owned());
            }
            return false;
        }
        self.forget(topic);
        for config in configs {
            if let Err((id, name, reason)) = self.adopt(topic, &config) {
                self.leave_out(topic, &id, &name, reason);
            }
        }
        true
    }

    /// The device that a thing belongs to.
    fn group_of(&self, thing: &str) -> Option<String> {
        let whole = || thing.strip_prefix("device:").map(|key| format!("device {key}"));
        self.entities.get(thing).map(|entity| group(entity)).or_else(whole)
    }

    /// The entities of a device, and the things that they are.
    fn things(&self, group: &str) -> (Vec<&Entity>, Vec<Thing>) {
        let ids = self.devices.get(group).map(Vec::as_slice).unwrap_or_default();
        let entities: Vec<&Entity> =
            ids.iter().filter_map(|id| self.entities.get(id).map(|entity| &**entity)).collect();
        let things = things(&entities, &self.names);
        (entities, things)
    }
}

impl Hub for Discovery {
    fn home(&self) -> Brought {
        let (mut models, mut keys) = (Map::new(), HashMap::new());
        let (mut devices, mut scenes) = (Vec::new(), Vec::new());
        let mut left_out: Vec<LeftOut> = self.left_out.values().flatten().cloned().collect();
        let (mut ids, mut unseen) = (HashSet::new(), Vec::new());
        for group in self.devices.keys() {
            let (entities, things) = self.things(group);
            for thing in things {
                let reason = match devices.len() {
                    MAX_ALL_DEVICES.. => Some("there are too many devices"),
                    _ if thing.name.trim().is_empty() => Some("it has no name"),
                    _ if !ids.insert(thing.id.clone()) => Some("its id is there already"),
                    _ => None,
                };
                if let Some(reason) = reason {
                    left_out.push(LeftOut { id: thing.id, name: thing.name, reason: reason.to_owned() });
                    continue;
                }
                let model = thing.model();
                let key = keys.entry(model.to_string()).or_insert_with(|| format!("m{}", models.len())).clone();
                models.entry(key.clone()).or_insert(model);
                let online = match thing.main {
                    Some(at) => entities[at].availability.online(),
                    None => entities.iter().any(|entity| entity.availability.online()),
                };
                if thing.scene && scenes.len() < MAX_SETS {
                    let actions = json!([{"id": thing.id, "state": {"run": "start"}}]);
                    scenes.push(json!({"id": thing.id, "name": thing.name, "actions": actions}));
                    unseen.push(LeftOut::unseen(&thing.id, &thing.name));
                }
                devices.push(thing.device(&key, online));
            }
        }
        left_out.truncate(MAX_LEFT_OUT);
        // No copy of it: a house has thousands of devices.
        let parts = [("model", Value::Object(models)), ("devices", devices.into()), ("scenes", scenes.into())];
        let document = Value::Object(parts.into_iter().map(|(key, part)| (key.to_owned(), part)).collect());
        Brought { document, left_out, unseen }
    }

    fn native(&self, device: &str, instruct: &Instruct) -> Result<Vec<Native>, Unable> {
        let gone = || Unable::Gone { device: device.to_owned() };
        let foreign = |what: &str| Unable::Foreign { device: device.to_owned(), what: what.to_owned() };
        let group = self.group_of(device).ok_or_else(gone)?;
        let (entities, things) = self.things(&group);
        let thing = things.iter().find(|thing| thing.id == device).ok_or_else(gone)?;
        if let Some(command) = &instruct.command {
            return Err(foreign(&command.id));
        }
        let state = instruct.state.as_ref().filter(|state| !state.is_empty()).ok_or_else(|| foreign("nothing"))?;
        let mut wanted: BTreeMap<usize, Vec<(&Slot, &Value)>> = BTreeMap::new();
        for (key, value) in state {
            let property = thing.properties.iter().find(|property| property.id == *key);
            let at = property.ok_or_else(|| foreign(key))?.at;
            let slot = &entities[at.0].form.slots[at.1];
            // What is off takes no look: a lamp that is told to dim switches on.
            let off = state.get("power").is_some_and(|power| *power == false) && slot.id != "power";
            if slot.write.is_none() || slot.codec.write(value, None, &self.names.colours).is_none() {
                return Err(foreign(key));
            }
            if !(off && entities[at.0].platform == "light") {
                wanted.entry(at.0).or_default().push((slot, value));
            }
        }
        let mut natives = Vec::new();
        for (at, mut slots) in wanted {
            // A mode that is named as well as the power that it implies wins.
            let moded = slots.iter().any(|(slot, _)| slot.id == "mode");
            slots.retain(|(slot, value)| {
                !(moded && matches!(slot.codec, Codec::Mode { .. }) && **value == Value::Bool(true))
            });
            let once = slots.iter().any(|(slot, _)| slot.once);
            let messages = self.messages(entities[at], &slots).ok_or_else(|| foreign(&entities[at].object))?;
            // What is told must not come back as another home.
            if let Some((topic, _)) = messages.iter().find(|(topic, _)| self.place(topic).is_some()) {
                return Err(foreign(topic));
            }
            natives.extend(messages.into_iter().map(|(topic, payload)| say(topic, payload, once)));
        }
        Ok(natives)
    }

    fn tells(&self, device: &str, property: &str) -> bool {
        let Some(group) = self.group_of(device) else { return true };
        let (entities, things) = self.things(&group);
        let at = things.iter().find(|thing| thing.id == device);
        let at = at.and_then(|thing| thing.properties.iter().find(|own| own.id == property)).map(|own| own.at);
        at.is_none_or(|at| entities[at.0].form.slots[at.1].read.is_some())
    }
}

impl MqttHub for Discovery {
    fn subscriptions(&self) -> Vec<String> {
        let configs = ["+/+/config", "+/+/+/config"].map(|levels| format!("{}/{levels}", self.prefix));
        configs.into_iter().chain(self.listeners.keys().cloned()).collect()
    }

    fn hello(&self) -> Vec<Native> {
        let birth = self.birth.then(|| say(format!("{}/status", self.prefix), "online".to_owned(), false));
        birth.into_iter().collect()
    }

    fn heard(&mut self, topic: &str, payload: &[u8], _retained: bool) -> Vec<Change> {
        if let Some(place) = self.place(topic) {
            return if self.configure(topic, &place, payload) { vec![Change::Registry] } else { Vec::new() };
        }
        self.told(topic, payload).unwrap_or_default()
    }
}

/// What an entity's device is called in the list of devices; an entity without one stands alone.
fn group(entity: &Entity) -> String {
    if entity.device.key.is_empty() { entity.id.clone() } else { format!("device {}", entity.device.key) }
}

/// A value as a payload.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn say(topic: String, payload: String, once: bool) -> Native {
    Native { to: To::Topic { topic, payload: payload.into_bytes() }, once }
}
