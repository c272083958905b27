//! SmartThings, as somebody with its token publishes it: devices, rooms, profiles and status as its API gives them, retained
//! below one topic. What is to be done is published there too, in the form that its API takes.
//!
//! | topic | holds |
//! |---|---|
//! | `{topic}/devices` | `{"items": […]}` of `GET /devices`; entries with `commands` of their own (`main-switch-on`) pass as they are |
//! | `{topic}/rooms`, `{topic}/profiles` | `{"items": […]}` |
//! | `{topic}/status/{deviceId}`, `{topic}/health/{deviceId}` | the device's status, and whether it is `ONLINE` |
//! | `{topic}/commands/{deviceId}` | `{"commands": […]}`, for `POST /devices/{deviceId}/commands` |

mod device;
#[cfg(test)]
mod tests;
mod wire;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::colour::Colours;
use super::zigbee2mqtt::Words;
use super::{Brought, Change, Hub, HubWords, LeftOut, MqttHub, Native, To, Unable};
use crate::frame::Instruct;
use crate::home::{MAX_ALL_DEVICES, MAX_NAME_CHARS, State};
pub(super) use device::Known;
use device::{Device, one};
use wire::{Component, Items, Listed, Profile, Room};

/// Largest document that is read, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Largest status of one device that is read, in bytes.
const MAX_STATUS_BYTES: usize = 256 * 1024;
/// Most that is kept of all statuses, in bytes.
const MAX_KEPT_BYTES: usize = 16 * 1024 * 1024;

/// One SmartThings location.
#[derive(Debug)]
pub struct SmartThings {
    topic: String,
    known: Arc<Known>,
    words: Arc<Words>,
    colours: Arc<Colours>,
    listed: Vec<Listed>,
    /// Devices in the form that lists its commands.
    plain: Vec<Value>,
    left_out: Vec<LeftOut>,
    rooms: HashMap<String, String>,
    profiles: HashMap<String, Vec<Component>>,
    /// What a status document says besides values: what is disabled, and between which bounds values lie.
    devices: BTreeMap<String, Device>,
    status: HashMap<String, Status>,
    away: HashSet<String>,
}

/// What a device's status document says.
#[derive(Debug)]
struct Status {
    said: Value,
    bytes: usize,
}

impl SmartThings {
    /// The one that is published below `topic`.
    pub fn new(topic: String) -> Self {
        let words = HubWords::default();
        Self {
            topic: topic.trim_end_matches('/').to_owned(),
            known: words.smartthings,
            words: words.zigbee2mqtt,
            colours: words.colours,
            listed: Vec::new(),
            plain: Vec::new(),
            left_out: Vec::new(),
            rooms: HashMap::new(),
            profiles: HashMap::new(),
            devices: BTreeMap::new(),
            status: HashMap::new(),
            away: HashSet::new(),
        }
    }

    /// The same in the words of an owner.
    #[must_use]
    pub fn in_words(self, words: &HubWords) -> Self {
        let (known, colours) = (Arc::clone(&words.smartthings), Arc::clone(&words.colours));
        Self { known, words: Arc::clone(&words.zigbee2mqtt), colours, ..self }
    }

    fn list(&mut self, payload: &[u8]) -> Option<Vec<Change>> {
        let items: Items = items(payload)?;
        self.listed.clear();
        self.plain.clear();
        self.left_out.clear();
        let mut seen = HashSet::new();
        for (at, item) in items.items.into_iter().enumerate() {
            let leave = |id: String, name: String, reason: &str| LeftOut { id, name, reason: reason.to_owned() };
            if self.listed.len() + self.plain.len() >= MAX_ALL_DEVICES {
                self.left_out.push(leave(format!("#{at}"), String::new(), "there are too many devices"));
                break;
            }
            match serde_json::from_str::<Listed>(item.get()) {
                Ok(listed) if !is_id(&listed.device_id) => {
                    self.left_out.push(leave(format!("#{at}"), named(&listed), "its id is none"));
                }
                Ok(listed) if !seen.insert(listed.device_id.clone()) => {
                    self.left_out.push(leave(listed.device_id.clone(), named(&listed), "its id is there already"));
                }
                Ok(listed) => self.listed.push(listed),
                Err(error) => {
                    let own: Value = serde_json::from_str(item.get()).unwrap_or_default();
                    let id = own["id"].as_str().filter(|id| is_id(id) && seen.insert((*id).to_owned()));
                    match (id, own["commands"].is_array()) {
                        (Some(_), true) => self.plain.push(own),
                        _ => self.left_out.push(leave(format!("#{at}"), String::new(), &error.to_string())),
                    }
                }
            }
        }
        self.rebuild();
        Some(vec![Change::Registry])
    }

    /// Works out what the devices are, and keeps the status of those that are there.
    fn rebuild(&mut self) {
        let ids: HashSet<&str> = self.listed.iter().map(|listed| listed.device_id.as_str()).collect();
        self.status.retain(|id, _| ids.contains(id.as_str()));
        self.devices = self.listed.iter().map(|listed| (listed.device_id.clone(), self.built(listed))).collect();
    }

    fn built(&self, listed: &Listed) -> Device {
        let of_profile = listed.profile.as_ref().and_then(|profile| self.profiles.get(&profile.id));
        let components = match (&listed.components, of_profile) {
            (own, Some(profile)) if own.is_empty() => profile,
            (own, _) => own,
        };
        let status = self.status.get(&listed.device_id).map_or(&Value::Null, |status| &status.said);
        self.known.device(components, status, &self.words, &self.colours)
    }

    fn told(&mut self, id: &str, payload: &[u8]) -> Option<Vec<Change>> {
        let listed = self.listed.iter().find(|listed| listed.device_id == id)?;
        let said: Value = serde_json::from_slice(payload).ok()?;
        said.get("components")?.as_object()?;
        let others = self.status.iter().filter(|(known, _)| *known != id).map(|(_, status)| status.bytes);
        if others.sum::<usize>() + payload.len() > MAX_KEPT_BYTES {
            let reason = "there is no room for its status".to_owned();
            let left = LeftOut { id: id.to_owned(), name: named(listed), reason };
            return (!self.left_out.contains(&left)).then(|| {
                self.left_out.push(left);
                vec![Change::Registry]
            });
        }
        self.status.insert(id.to_owned(), Status { said, bytes: payload.len() });
        let built = self.built(listed);
        let before = self.devices.get(id).map(Device::model);
        let changed = before != Some(built.model());
        let status = &self.status[id].said;
        let told = built.properties.iter().filter_map(|p| Some((p.id.clone(), p.told(status, &self.colours)?)));
        let values: State = told.collect();
        self.devices.insert(id.to_owned(), built);
        let registry = changed.then_some(Change::Registry);
        let state = (!values.is_empty()).then(|| Change::State { device: id.to_owned(), values });
        Some(registry.into_iter().chain(state).collect())
    }

    fn health(&mut self, id: &str, payload: &[u8]) -> Option<Vec<Change>> {
        let health: Value = serde_json::from_slice(payload).ok()?;
        self.listed.iter().find(|listed| listed.device_id == id)?;
        let online = match health["state"].as_str()? {
            "ONLINE" => true,
            "OFFLINE" => false,
            _ => return None,
        };
        if online {
            self.away.remove(id);
        } else {
            self.away.insert(id.to_owned());
        }
        Some(vec![Change::Device { device: id.to_owned(), online }])
    }

    fn say(&self, device: &str, commands: &[Value]) -> Native {
        // What toggles or presses has another effect when it is said twice.
        let twice = |command: &Value| {
            let name = command["command"].as_str().unwrap_or_default().to_lowercase();
            ["push", "toggle", "next", "previous", "up", "down"].iter().any(|part| name.contains(part))
        };
        let once = commands.iter().any(twice);
        let payload = json!({"commands": commands}).to_string().into_bytes();
        Native { to: To::Topic { topic: format!("{}/commands/{device}", self.topic), payload }, once }
    }
}

impl Hub for SmartThings {
    fn home(&self) -> Brought {
        let (mut models, mut keys) = (Map::new(), HashMap::new());
        let mut left_out = self.left_out.clone();
        let mut devices = self.plain.clone();
        for listed in &self.listed {
            let Some(device) = self.devices.get(&listed.device_id) else { continue };
            let (id, name) = (&listed.device_id, named(listed));
            left_out.extend(device.disabled.iter().map(|what| LeftOut {
                id: format!("{id}#{what}"),
                name: name.clone(),
                reason: format!("{what} is disabled"),
            }));
            if device.properties.is_empty() || name.is_empty() {
                let reason = if name.is_empty() { "it has no name" } else { "tells and takes nothing" };
                left_out.push(LeftOut { id: id.clone(), name, reason: reason.to_owned() });
                continue;
            }
            let model = device.model();
            let key = keys.entry(model.to_string()).or_insert_with(|| format!("m{}", models.len())).clone();
            models.entry(key.clone()).or_insert(model);
            let mut entry = json!({"id": id, "name": name, "device": {"model": key}});
            if let Some(room) = listed.room_id.as_ref().and_then(|room| self.rooms.get(room)) {
                entry["local"] = room.as_str().into();
            }
            if device.risky {
                entry["risk"] = "high".into();
            }
            if self.away.contains(id) {
                entry["online"] = false.into();
            }
            devices.push(entry);
        }
        Brought { document: json!({"model": models, "devices": devices}), left_out, unseen: Vec::new() }
    }

    fn native(&self, device: &str, instruct: &Instruct) -> Result<Vec<Native>, Unable> {
        let foreign = |what: &str| Unable::Foreign { device: device.to_owned(), what: what.to_owned() };
        let plain = self.plain.iter().find(|own| own["id"] == device);
        if let (Some(own), Some(command)) = (plain, &instruct.command) {
            let listed = own["commands"].as_array().into_iter().flatten().any(|c| c["id"] == command.id.as_str());
            let mut parts = command.id.splitn(3, '-').filter(|_| listed);
            let (Some(component), Some(capability), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
                return Err(foreign(&command.id));
            };
            let arguments: Value = command.argument.iter().cloned().collect();
            return Ok(vec![self.say(device, &[one(component, capability, name, arguments)])]);
        }
        if plain.is_some() {
            return Err(foreign("a state"));
        }
        let known = self.devices.get(device).ok_or_else(|| Unable::Gone { device: device.to_owned() })?;
        if let Some(command) = &instruct.command {
            return Err(foreign(&command.id));
        }
        let state = instruct.state.as_ref().filter(|state| !state.is_empty()).ok_or_else(|| foreign("nothing"))?;
        let mut commands = Vec::new();
        for (key, value) in state {
            let property = known.properties.iter().find(|p| p.id == *key);
            let command = property.and_then(|p| p.command(value, &self.colours)).ok_or_else(|| foreign(key))?;
            // What is off does not take the rest: it is switched on first.
            let at = if key == "power" && *value == true { 0 } else { commands.len() };
            commands.insert(at, command);
        }
        Ok(vec![self.say(device, &commands)])
    }
}

impl MqttHub for SmartThings {
    fn subscriptions(&self) -> Vec<String> {
        ["devices", "rooms", "profiles", "status/+", "health/+"].map(|level| format!("{}/{level}", self.topic)).into()
    }

    fn hello(&self) -> Vec<Native> {
        Vec::new()
    }

    fn heard(&mut self, topic: &str, payload: &[u8], _retained: bool) -> Vec<Change> {
        let Some(level) = topic.strip_prefix(self.topic.as_str()).and_then(|rest| rest.strip_prefix('/')) else {
            return Vec::new();
        };
        let changes = match level.split_once('/') {
            None if payload.len() > MAX_BYTES => Some(vec![Change::too_large(level, "", payload.len(), MAX_BYTES)]),
            None if level == "devices" => self.list(payload),
            None if level == "rooms" => self.read_rooms(payload),
            None if level == "profiles" => self.read_profiles(payload),
            Some((_, id)) if payload.len() > MAX_STATUS_BYTES => {
                let of = self.listed.iter().find(|listed| listed.device_id == id);
                of.map(|of| vec![Change::too_large(id, &named(of), payload.len(), MAX_STATUS_BYTES)])
            }
            Some(("status", id)) => self.told(id, payload),
            Some(("health", id)) => self.health(id, payload),
            _ => None,
        };
        changes.unwrap_or_default()
    }
}

impl SmartThings {
    fn read_rooms(&mut self, payload: &[u8]) -> Option<Vec<Change>> {
        let rooms = items(payload)?.items.into_iter().filter_map(|item| serde_json::from_str::<Room>(item.get()).ok());
        let rooms = rooms.map(|room| (room.room_id, short(&room.name))).filter(|(_, name)| !name.is_empty());
        self.rooms = rooms.take(crate::home::MAX_ROOMS).collect();
        Some(vec![Change::Registry])
    }

    fn read_profiles(&mut self, payload: &[u8]) -> Option<Vec<Change>> {
        let profiles =
            items(payload)?.items.into_iter().filter_map(|item| serde_json::from_str::<Profile>(item.get()).ok());
        self.profiles = profiles.take(MAX_ALL_DEVICES).map(|profile| (profile.id, profile.components)).collect();
        self.rebuild();
        Some(vec![Change::Registry])
    }
}

/// The entries of a list, if it is one.
fn items(payload: &[u8]) -> Option<Items<'_>> {
    serde_json::from_slice(payload).ok()
}

fn is_id(id: &str) -> bool {
    (1..=100).contains(&id.len()) && !id.contains(['/', '+', '#']) && !id.chars().any(char::is_control)
}

/// What its owner calls a device.
fn named(listed: &Listed) -> String {
    let name = listed.label.iter().chain(&listed.name).find(|name| !name.trim().is_empty());
    name.map(|name| short(name)).unwrap_or_default()
}

fn short(name: &str) -> String {
    name.trim().chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect()
}
