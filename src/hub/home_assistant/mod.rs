//! Home Assistant, by its WebSocket API: what it is asked for and what it tells becomes a home document, states and
//! services. `link` is the connection.

mod call;
mod domain;
mod entity;
mod lenient;
mod link;
mod portrait;
mod registry;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use self::call::Foreign;
use self::domain::Domain;
use self::entity::Entity;
use self::portrait::Portrait;
use self::registry::Registries;
pub(super) use self::words::Words;
use super::{Brought, Change, Hub, HubWords, LeftOut, Native, Unable};
use crate::frame::Instruct;
use crate::home::{MAX_ALL_DEVICES, MAX_ID_CHARS, State};

pub use link::{LinkError, Settings, reach, run};
pub use registry::Fetched;

/// Most entities that are kept.
const MAX_ENTITIES: usize = 20_000;

/// What of a Home Assistant is brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exposure {
    /// What its owner exposes to Assist.
    #[default]
    Assist,
    /// All that is neither hidden nor there for the configuration of things.
    Everything,
}

/// A Home Assistant, as far as it told of itself.
#[derive(Debug)]
pub struct HomeAssistant {
    words: Arc<Words>,
    exposure: Exposure,
    registries: Registries,
    entities: BTreeMap<String, Entity>,
    /// What each entity was in the home when that was last looked at, without its state.
    shapes: BTreeMap<String, Value>,
}

impl HomeAssistant {
    /// One that has told nothing yet.
    pub fn new(exposure: Exposure) -> Self {
        Self {
            words: HubWords::default().home_assistant,
            exposure,
            registries: Registries::default(),
            entities: BTreeMap::new(),
            shapes: BTreeMap::new(),
        }
    }

    /// The same in the words of an owner.
    #[must_use]
    pub fn in_words(self, words: &HubWords) -> Self {
        Self { words: Arc::clone(&words.home_assistant), ..self }
    }

    /// Takes the registries. [`HomeAssistant::changed`] says whether that makes another home.
    pub fn learn(&mut self, fetched: &Fetched) {
        self.registries = Registries::read(fetched);
        for entity in self.entities.values_mut() {
            entity.rooms = self.registries.rooms_of(&entity.id);
            entity.said = self.registries.said(&entity.id);
        }
    }

    /// The entities whose states are wanted; `None`: all there are.
    pub fn wanted(&self) -> Option<Vec<String>> {
        if self.exposure == Exposure::Everything {
            return None;
        }
        Some(self.speakable())
    }

    /// The entities that can be spoken to.
    fn speakable(&self) -> Vec<String> {
        let known = self.known().into_iter();
        known.filter(|id| self.refusal(id).is_none()).map(str::to_owned).collect()
    }

    /// Takes an event of `subscribe_entities`. The first one of a subscription is the `whole` of it.
    pub fn heard(&mut self, event: &Value, whole: bool) -> Vec<Change> {
        let before: BTreeMap<String, Entity> = if whole { std::mem::take(&mut self.entities) } else { BTreeMap::new() };
        let (mut touched, mut turned) = (BTreeSet::new(), BTreeSet::new());
        for (id, state) in event["a"].as_object().into_iter().flatten() {
            if !self.entities.contains_key(id) && self.entities.len() >= MAX_ENTITIES {
                break;
            }
            let mut entity = before.get(id).cloned().unwrap_or_else(|| Entity::new(id, &self.words));
            entity.rooms = self.registries.rooms_of(id);
            entity.said = self.registries.said(id);
            entity.replace(state["s"].as_str().unwrap_or_default(), state["a"].as_object().unwrap_or(&Map::new()));
            self.entities.insert(id.clone(), entity);
            touched.insert(id.as_str());
            turned.insert(id.as_str());
        }
        for (id, diff) in event["c"].as_object().into_iter().flatten() {
            let Some(entity) = self.entities.get_mut(id) else { continue };
            let was_online = entity.is_online();
            let (added, gone) = (&diff["+"], diff["-"]["a"].as_array());
            let attributes = added["a"].as_object();
            entity.change(added["s"].as_str(), attributes.unwrap_or(&Map::new()), gone.map_or(&[], Vec::as_slice));
            touched.insert(id.as_str());
            if entity.is_online() != was_online {
                turned.insert(id.as_str());
            }
        }
        for id in event["r"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            self.entities.remove(id);
            touched.insert(id);
        }
        let mut changes = Vec::new();
        let same = |id: &&str| self.shape(id).as_ref() == self.shapes.get(*id);
        if whole || !touched.iter().all(same) {
            changes.extend(self.changed());
        }
        for id in touched {
            changes.extend(self.told(id, turned.contains(id)));
        }
        changes
    }

    /// Looks whether the home is another one than when this was last asked.
    pub fn changed(&mut self) -> Option<Change> {
        let ids: Vec<String> = self.entities.keys().cloned().collect();
        let mut shapes: BTreeMap<String, Value> =
            ids.into_iter().filter_map(|id| Some((id.clone(), self.shape(&id)?))).collect();
        // The rooms are part of the home, whatever stands in them; no entity has an empty id.
        shapes.insert(String::new(), self.layout());
        if shapes == self.shapes {
            return None;
        }
        self.shapes = shapes;
        Some(Change::Registry)
    }

    /// What an entity tells now, and whether it can be reached if that is `news`.
    fn told(&self, id: &str, news: bool) -> Vec<Change> {
        let (Some(entity), None, Some(domain)) =
            (self.entities.get(id), self.refusal(id), Domain::named(domain_of(id)))
        else {
            return Vec::new();
        };
        let values = domain.state(entity);
        let mut changes = Vec::new();
        if news {
            changes.push(Change::Device { device: id.to_owned(), online: entity.is_online() });
        }
        if !values.is_empty() {
            changes.push(Change::State { device: id.to_owned(), values });
        }
        changes
    }

    /// Every entity that anybody spoke of.
    fn known(&self) -> BTreeSet<&str> {
        let exposed = self.registries.exposed.iter().flatten().map(|(id, _)| id);
        let ids = self.registries.entries.keys().chain(exposed).chain(self.entities.keys());
        ids.map(String::as_str).collect()
    }

    /// Why an entity is not in the home, as far as its state has no say in it.
    fn refusal(&self, id: &str) -> Option<String> {
        let entry = self.registries.entries.get(id);
        let domain = domain_of(id);
        if entry.is_some_and(|entry| entry.disabled) {
            return Some("is switched off in Home Assistant".into());
        }
        if domain == "alarm_control_panel" {
            return Some("alarm systems are never moved by what is said".into());
        }
        if Domain::named(domain).is_none() {
            return Some(format!("things of the domain {domain} cannot be spoken to"));
        }
        if id.len() == domain.len() + 1 || id.chars().count() > MAX_ID_CHARS / 2 {
            return Some("has an id that is none".into());
        }
        match (self.exposure, &self.registries.exposed) {
            (Exposure::Assist, None) => {
                Some("what is exposed to Assist cannot be read: that takes the token of an administrator".into())
            }
            (Exposure::Assist, Some(exposed)) => match exposed.get(id) {
                Some(true) => None,
                Some(false) => Some("is not exposed to Assist".into()),
                None => Some("is not exposed to Assist: nobody has decided yet".into()),
            },
            (Exposure::Everything, _) => {
                let entry = entry?;
                let hidden = entry.hidden.then(|| "is hidden in Home Assistant".to_owned());
                hidden.or_else(|| Some(format!("is there for {}", entry.category.as_ref()?)))
            }
        }
    }

    fn layout(&self) -> Value {
        let room = |room: &registry::Room| {
            let mut told = json!({"name": room.name, "aliases": room.aliases});
            if let Some(floor) = &room.floor {
                told["floor"] = floor.as_str().into();
            }
            told
        };
        self.registries.rooms.iter().map(room).collect()
    }

    fn portrait(&self, id: &str) -> Option<Portrait> {
        self.refusal(id).is_none().then_some(())?;
        let portrait = Domain::named(domain_of(id))?.portrait(self.entities.get(id)?);
        (!portrait.is_empty()).then_some(portrait)
    }

    /// What an entity is in the home, without its state.
    fn shape(&self, id: &str) -> Option<Value> {
        let (portrait, entity) = (self.portrait(id)?, self.entities.get(id)?);
        let mut aliases = self.registries.entries.get(id).map_or_else(Vec::new, |entry| entry.aliases.clone());
        let name = entity.text("friendly_name").map_or_else(|| self.registries.name(id), str::to_owned);
        let plain = |name: &str| name.split_whitespace().collect::<String>();
        let called = self.registries.called(id).into_iter();
        aliases.extend(called.filter(|called| plain(called) != plain(&name)));
        let domain = entity.domain();
        // 温湿度计 is what people say for the humidity that it tells.
        if ["sensor", "binary_sensor"].contains(&domain) {
            aliases.extend(self.registries.device_name(id).filter(|of| *of != name).map(str::to_owned));
        }
        let mut shape = json!({"id": id, "name": name.trim(), "aliases": aliases, "model": portrait.model()});
        let labels = self.registries.labels(id);
        if !labels.is_empty() {
            shape["tags"] = json!(labels);
        }
        if let Some(room) = self.registries.room(id) {
            shape["local"] = room.name.as_str().into();
        }
        let opens = |members: Vec<&str>| members.into_iter().any(|member| self.guards(member));
        if portrait.is_risky() || self.members(id).is_some_and(opens) {
            shape["risk"] = "high".into();
        }
        if !portrait.commands.is_empty() {
            shape["commands"] = portrait.commands.into();
        }
        Some(shape)
    }
}

impl Hub for HomeAssistant {
    fn home(&self) -> Brought {
        let mut brought = Brought::default();
        let (mut models, mut keys) = (Map::new(), BTreeMap::new());
        let (mut devices, mut scenes) = (Vec::new(), Vec::new());
        for id in self.known() {
            let reason = match (self.refusal(id), self.shape(id)) {
                (Some(reason), _) => reason,
                (None, None) if self.entities.contains_key(id) => "tells nothing and takes nothing".into(),
                (None, None) => "has no state".into(),
                (None, Some(_)) if devices.len() >= MAX_ALL_DEVICES => format!("there are more than {MAX_ALL_DEVICES}"),
                (None, Some(mut shape)) => {
                    let model = shape["model"].take();
                    let key = keys.entry(model.to_string()).or_insert_with(|| {
                        let key = format!("m{}", models.len());
                        models.insert(key.clone(), model);
                        key
                    });
                    if let Some(scene) = scene(&mut shape, &self.words) {
                        if self.members(id).is_none() {
                            let name = scene["name"].as_str().unwrap_or_default();
                            brought.unseen.push(LeftOut::unseen(id, name));
                        }
                        scenes.push(scene);
                    }
                    devices.push(self.device(id, shape, key));
                    continue;
                }
            };
            let name = self.entities.get(id).and_then(|entity| entity.text("friendly_name")).map(str::to_owned);
            let name = name.unwrap_or_else(|| self.registries.name(id));
            brought.left_out.push(LeftOut { id: id.to_owned(), name, reason });
        }
        brought.document = json!({"layout": self.layout(), "model": models, "devices": devices, "scenes": scenes});
        brought
    }

    fn native(&self, device: &str, instruct: &Instruct) -> Result<Vec<Native>, Unable> {
        let gone = || Unable::Gone { device: device.to_owned() };
        let entity = self.entities.get(device).filter(|_| self.refusal(device).is_none()).ok_or_else(gone)?;
        let domain = Domain::named(entity.domain()).ok_or_else(gone)?;
        let empty = State::new();
        let foreign = |Foreign(what)| Unable::Foreign { device: device.to_owned(), what };
        let wanted = instruct.state.as_ref().unwrap_or(&empty);
        let portrait = domain.portrait(entity);
        // Only what the home was told that it can do.
        if let Some(id) = wanted.keys().find(|id| !portrait.properties.contains_key(*id)) {
            return Err(foreign(Foreign::new(id)));
        }
        let mut calls = domain.calls(entity, wanted).map_err(foreign)?;
        if let Some(command) = &instruct.command {
            calls.push(domain.command(entity, &command.id).map_err(foreign)?);
        }
        Ok(calls.into_iter().map(|call| call.native(device)).collect())
    }

    fn tells(&self, device: &str, property: &str) -> bool {
        let position = || self.entities.get(device).and_then(|entity| entity.number("current_tilt_position"));
        // Some slats have no position; whether a scene or a script was run, its state does not say.
        (property != "tilt" || position().is_some())
            && !["scene.", "script."].iter().any(|domain| device.starts_with(domain))
    }
}

impl HomeAssistant {
    /// What a scene sets, if it says so.
    fn members(&self, id: &str) -> Option<Vec<&str>> {
        let entity = self.entities.get(id).filter(|entity| entity.domain() == "scene")?;
        Some(entity.list("entity_id")).filter(|members| !members.is_empty())
    }

    /// Whether a wrong move of an entity is dangerous, exposed or not. Of a cover that is not, nobody knows what it closes.
    fn guards(&self, id: &str) -> bool {
        let (domain, entity) = (domain_of(id), self.entities.get(id));
        let unknown = entity.is_none() && domain == "cover";
        let kind = self.words.kind(domain, entity.map_or("", Entity::class));
        unknown || kind.risk.is_some() || ["alarm_control_panel", "siren"].contains(&domain)
    }

    /// An entry of the home document.
    fn device(&self, id: &str, shape: Value, model: &str) -> Value {
        let mut device = shape;
        if let Some(fields) = device.as_object_mut() {
            fields.remove("model");
        }
        let entity = self.entities.get(id);
        let state = entity.and_then(|entity| Some(Domain::named(entity.domain())?.state(entity))).unwrap_or_default();
        device["online"] = entity.is_some_and(Entity::is_online).into();
        device["device"] = json!({"model": model, "state": state});
        device
    }
}

/// The scene of the home document that a scene or a script of Home Assistant is. What it does to which device, nobody is
/// told: the device behind it stands for that, and its own name leaves the other to the scene.
fn scene(shape: &mut Value, words: &Words) -> Option<Value> {
    let id = shape["id"].as_str()?.to_owned();
    let what = match domain_of(&id) {
        "scene" => &words.scene,
        "script" => &words.script,
        _ => return None,
    };
    let name = shape["name"].clone();
    let scene = json!({
        "id": id, "name": name, "aliases": shape["aliases"].take(),
        "actions": [{"id": id, "state": {"run": "start"}}],
    });
    shape["name"] = format!("{} {what}", name.as_str()?).into();
    Some(scene)
}

fn domain_of(id: &str) -> &str {
    id.split_once('.').map_or("", |(domain, _)| domain)
}
