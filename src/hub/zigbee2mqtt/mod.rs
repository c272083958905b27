//! Zigbee2MQTT: what `bridge/devices` and `bridge/groups` list, what devices publish, and `set`.
//!
//! A device whose endpoints are things of their own (the gangs of a wall switch) is a device for each of them. Its own id is
//! its address, so that a rename moves nothing.

mod device;
mod feature;
#[cfg(test)]
mod tests;
mod wire;
mod words;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::codec::Codec;
use super::colour::Colours;
use super::{Brought, Change, Hub, HubWords, LeftOut, MqttHub, Native, To, Unable};
use crate::frame::Instruct;
use crate::home::{MAX_ALL_DEVICES, MAX_SETS, Risk, State};
use device::{Part, keep_scenes, parts, place, short};
use wire::{Listed, ListedGroup};
pub(super) use words::Words;

/// Largest list of devices or groups that is read, in bytes.
const MAX_LIST_BYTES: usize = 16 * 1024 * 1024;
/// Largest state of a device that is read, in bytes.
const MAX_STATE_BYTES: usize = 256 * 1024;
/// Most entries of what was left out.
const MAX_LEFT_OUT: usize = 2_000;

/// One Zigbee2MQTT.
#[derive(Debug)]
pub struct Zigbee2Mqtt {
    base: String,
    words: Arc<Words>,
    colours: Arc<Colours>,
    known: Vec<Known>,
    groups: Vec<ListedGroup>,
    left_out: Vec<LeftOut>,
    /// Addresses of the devices that cannot be reached.
    away: HashSet<String>,
    /// The mode that something was in before it was switched off, by its own id and property.
    modes: HashMap<(String, String), Value>,
}

/// A device and what people name of it.
#[derive(Debug)]
struct Known {
    ieee: String,
    /// Its topic below the base: `bridge/devices` calls it the friendly name.
    topic: String,
    battery: bool,
    parts: Vec<Part>,
    /// What endpoints are called, by their number.
    endpoints: HashMap<String, String>,
}

impl Zigbee2Mqtt {
    /// The one that publishes below `base_topic`, usually `zigbee2mqtt`.
    pub fn new(base_topic: String) -> Self {
        let words = HubWords::default();
        Self {
            base: base_topic.trim_end_matches('/').to_owned(),
            words: words.zigbee2mqtt,
            colours: words.colours,
            known: Vec::new(),
            groups: Vec::new(),
            left_out: Vec::new(),
            away: HashSet::new(),
            modes: HashMap::new(),
        }
    }

    /// The same in the words of an owner.
    #[must_use]
    pub fn in_words(self, words: &HubWords) -> Self {
        Self { words: Arc::clone(&words.zigbee2mqtt), colours: Arc::clone(&words.colours), ..self }
    }

    fn leave_out(&mut self, id: &str, name: &str, reason: &str) {
        if self.left_out.len() < MAX_LEFT_OUT {
            self.left_out.push(LeftOut { id: id.to_owned(), name: name.to_owned(), reason: reason.to_owned() });
        }
    }

    /// Reads `bridge/devices`, which comes whole. `None` when it is no list.
    fn devices(&mut self, payload: &[u8], retained: bool) -> Option<Vec<Change>> {
        let list: Vec<&RawValue> = read(payload)?;
        let before: HashSet<String> = self.known.drain(..).map(|known| known.ieee).collect();
        self.left_out.clear();
        let (mut seen, mut count) = (HashSet::new(), 0);
        for (at, entry) in list.into_iter().enumerate() {
            let listed: Listed = match serde_json::from_str(entry.get()) {
                Ok(listed) => listed,
                Err(error) => {
                    self.leave_out(&format!("#{at}"), "", &error.to_string());
                    continue;
                }
            };
            if listed.r#type.as_deref() == Some("Coordinator") {
                continue;
            }
            let (id, name) = (listed.ieee_address.clone(), listed.friendly_name.clone());
            let unfit = match &listed.definition {
                _ if listed.disabled => Some("is disabled"),
                _ if !listed.interviewed() => Some("its interview is not completed"),
                None => Some("is of no supported model"),
                _ if !is_id(&id) => Some("its address is none"),
                _ if !is_topic(&name) => Some("its name is no topic"),
                _ if !seen.insert(id.clone()) => Some("its address is there already"),
                _ if !seen.insert(format!("name {name}")) => Some("its name is there already"),
                _ => None,
            };
            if let Some(reason) = unfit {
                self.leave_out(&id, &name, reason);
                continue;
            }
            let Some(definition) = &listed.definition else { continue };
            let parts = parts(&listed, definition, &self.words, &self.colours, &mut self.left_out);
            self.left_out.truncate(MAX_LEFT_OUT);
            count += parts.len();
            if parts.is_empty() || count > MAX_ALL_DEVICES {
                let reason = if parts.is_empty() { "tells and takes nothing" } else { "there are too many devices" };
                count -= parts.len();
                self.leave_out(&id, &name, reason);
                continue;
            }
            let named = |(number, e): (&String, &wire::Endpoint)| Some((number.clone(), e.name.clone()?));
            let endpoints = listed.endpoints.iter().filter_map(named).collect();
            let battery = listed.power_source.as_deref() == Some("Battery");
            self.known.push(Known { ieee: id, topic: name, battery, parts, endpoints });
        }
        let ids: HashSet<&str> = self.known.iter().map(|known| known.ieee.as_str()).collect();
        self.away.retain(|ieee| ids.contains(ieee.as_str()));
        let parts: HashSet<&str> = self.known.iter().flat_map(|k| &k.parts).map(|part| part.id.as_str()).collect();
        self.modes.retain(|(part, _), _| parts.contains(part.as_str()));
        // A retained list is the first one after we subscribed: whatever was said before went by.
        let fresh = self.known.iter().filter(|known| retained || !before.contains(&known.ieee));
        let get = fresh.filter_map(|known| self.get(known)).map(Change::Say);
        Some(std::iter::once(Change::Registry).chain(get).collect())
    }

    fn grouped(&mut self, payload: &[u8]) -> Option<Vec<Change>> {
        let list: Vec<&RawValue> = read(payload)?;
        let mut seen = HashSet::new();
        let groups = list.into_iter().filter_map(|entry| serde_json::from_str::<ListedGroup>(entry.get()).ok());
        self.groups = groups.filter(|group| seen.insert(group.id)).take(MAX_SETS).collect();
        Some(vec![Change::Registry])
    }

    /// Asks a device how it is. Those that sleep are not woken.
    fn get(&self, known: &Known) -> Option<Native> {
        let asked = known.parts.iter().flat_map(|part| &part.features).filter(|f| f.asked && f.path.len() == 1);
        let wanted: Map<String, Value> = asked.map(|f| (f.path[0].clone(), "".into())).collect();
        let useful = !known.battery && !self.away.contains(&known.ieee) && !wanted.is_empty();
        useful.then(|| say(format!("{}/{}/get", self.base, known.topic), &wanted.into(), false))
    }

    /// What a device tells of itself, of each of its parts.
    fn state(&mut self, at: usize, payload: &[u8]) -> Option<Vec<Change>> {
        let reported: Map<String, Value> = serde_json::from_slice(payload).ok()?;
        let white = reported.get("color_mode").is_some_and(|mode| mode == "color_temp");
        let mut changes = Vec::new();
        for part in &self.known[at].parts {
            let mut values = State::new();
            for feature in part.features.iter().filter(|f| f.published) {
                let Some(raw) = at_path(&reported, &feature.path).filter(|raw| !raw.is_null()) else { continue };
                // What a lamp calls its colour while it is white is not what people call so.
                if white && matches!(feature.codec, Codec::Colour { .. }) {
                    continue;
                }
                if let Codec::Mode { on, .. } = &feature.codec
                    && on.contains(raw)
                {
                    self.modes.insert((part.id.clone(), feature.id.clone()), raw.clone());
                }
                values.extend(feature.codec.read(raw, &self.colours).map(|value| (feature.id.clone(), value)));
            }
            if !values.is_empty() {
                changes.push(Change::State { device: part.id.clone(), values });
            }
        }
        Some(changes)
    }

    /// The scenes that a group keeps, as a thing that can be told to recall them.
    fn keeper(&self, group: &ListedGroup) -> Option<Part> {
        let (name, room) = place(&group.friendly_name, &self.words);
        let member = |known: &&Known| group.members.iter().any(|member| member.ieee_address == known.ieee);
        let parts = self.known.iter().filter(member).flat_map(|known| &known.parts);
        let mut keeper = Part {
            id: format!("group:{}:scenes", group.id),
            endpoint: None,
            name: format!("{name}{}", self.words.property("scene_recall").unwrap_or_default()),
            room,
            kind: None,
            // A scene may open whatever belongs to its group.
            risk: parts.filter_map(|part| part.risk).find(|risk| *risk == Risk::High),
            features: Vec::new(),
            scenes: Vec::new(),
        };
        keep_scenes(&mut keeper, &group.scenes, None, &self.words);
        (is_topic(&group.friendly_name) && !keeper.features.is_empty()).then_some(keeper)
    }

    /// The members of a group that people can name; of a device with parts the one that is meant.
    fn members(&self, group: &ListedGroup) -> Vec<&str> {
        let mut members = Vec::new();
        for member in &group.members {
            let Some(known) = self.known.iter().find(|known| known.ieee == member.ieee_address) else { continue };
            let number = member.endpoint.as_str().map_or_else(|| member.endpoint.to_string(), str::to_owned);
            let endpoint = known.endpoints.get(&number).unwrap_or(&number);
            let by_endpoint = known.parts.iter().find(|part| part.endpoint.as_ref() == Some(endpoint));
            let part = by_endpoint.or_else(|| known.parts.first().filter(|_| known.parts.len() == 1));
            members.extend(part.map(|part| part.id.as_str()).filter(|id| !members.contains(id)));
        }
        members
    }

    /// A part by its own id, and the topic that it is spoken to on.
    fn find(&self, id: &str) -> Option<(String, std::borrow::Cow<'_, Part>)> {
        use std::borrow::Cow;
        let topic = |name: &str| format!("{}/{name}/set", self.base);
        if let Some(number) = id.strip_prefix("group:").and_then(|rest| rest.strip_suffix(":scenes")) {
            let group = self.groups.iter().find(|group| group.id.to_string() == number)?;
            return Some((topic(&group.friendly_name), Cow::Owned(self.keeper(group)?)));
        }
        self.known.iter().find_map(|known| {
            let part = known.parts.iter().find(|part| part.id == id)?;
            Some((topic(&known.topic), Cow::Borrowed(part)))
        })
    }
}

impl Hub for Zigbee2Mqtt {
    fn home(&self) -> Brought {
        let (mut models, mut keys) = (Map::new(), HashMap::new());
        let (mut devices, mut groups, mut scenes) = (Vec::new(), Vec::new(), Vec::new());
        let mut left_out = self.left_out.clone();
        let mut bring = |part: &Part, online: bool, scenes: &mut Vec<Value>| {
            let model = part.model();
            let text = model.to_string();
            let key = keys.entry(text).or_insert_with(|| format!("m{}", models.len())).clone();
            models.entry(key.clone()).or_insert(model);
            devices.push(part.device(&key, online));
            for (id, name) in &part.scenes {
                let state = json!({"scene_recall": id});
                let actions = json!([{"id": part.id, "state": state}]);
                scenes.push(json!({"id": format!("{}:scene:{id}", part.id), "name": name, "actions": actions}));
            }
        };
        for known in &self.known {
            let online = !self.away.contains(&known.ieee);
            known.parts.iter().for_each(|part| bring(part, online, &mut scenes));
        }
        for group in &self.groups {
            let members = self.members(group);
            let (id, name) = (format!("group:{}", group.id), place(&group.friendly_name, &self.words).0);
            if let Some(keeper) = self.keeper(group) {
                bring(&keeper, true, &mut scenes);
            }
            if members.is_empty() {
                let reason = "it has no member that was brought".to_owned();
                left_out.push(LeftOut { id, name: group.friendly_name.clone(), reason });
            } else {
                groups.push(json!({"id": id, "name": short(&name), "members": members}));
            }
        }
        scenes.truncate(MAX_SETS);
        let document = json!({"model": models, "devices": devices, "groups": groups, "scenes": scenes});
        Brought { document, left_out, unseen: Vec::new() }
    }

    fn native(&self, device: &str, instruct: &Instruct) -> Result<Vec<Native>, Unable> {
        let (topic, part) = self.find(device).ok_or_else(|| Unable::Gone { device: device.to_owned() })?;
        let foreign = |what: &str| Unable::Foreign { device: device.to_owned(), what: what.to_owned() };
        if let Some(command) = &instruct.command {
            return Err(foreign(&command.id));
        }
        let state = instruct.state.as_ref().filter(|state| !state.is_empty()).ok_or_else(|| foreign("nothing"))?;
        let (mut payload, mut once) = (Map::new(), false);
        let mut wanted = Vec::new();
        for (key, value) in state {
            let feature = part.features.iter().find(|f| f.id == *key && f.settable).ok_or_else(|| foreign(key))?;
            let last = self.modes.get(&(part.id.clone(), feature.id.clone()));
            let written = feature.codec.write(value, last, &self.colours).ok_or_else(|| foreign(key))?;
            // What is not published has no state to come to: it happens each time.
            once |= !feature.published && feature.id != "scene_recall";
            wanted.push((feature, written));
        }
        // A mode that is named as well as the power that it implies wins.
        wanted.sort_by_key(|(feature, _)| !matches!(feature.codec, Codec::Mode { .. }));
        for (feature, written) in wanted {
            put(&mut payload, &feature.path, written);
        }
        Ok(vec![say(topic, &payload.into(), once)])
    }
}

impl MqttHub for Zigbee2Mqtt {
    fn subscriptions(&self) -> Vec<String> {
        let bridge = ["state", "devices", "groups"].map(|topic| format!("{}/bridge/{topic}", self.base));
        let device = |known: &Known| {
            let topic = format!("{}/{}", self.base, known.topic);
            [format!("{topic}/availability"), topic]
        };
        bridge.into_iter().chain(self.known.iter().flat_map(device)).collect()
    }

    fn hello(&self) -> Vec<Native> {
        Vec::new()
    }

    fn heard(&mut self, topic: &str, payload: &[u8], retained: bool) -> Vec<Change> {
        let Some(topic) = topic.strip_prefix(self.base.as_str()).and_then(|rest| rest.strip_prefix('/')) else {
            return Vec::new();
        };
        let changes = match topic {
            "bridge/devices" | "bridge/groups" if payload.len() > MAX_LIST_BYTES => {
                Some(vec![Change::too_large(topic, "", payload.len(), MAX_LIST_BYTES)])
            }
            "bridge/state" => wire::online(payload).map(|online| vec![Change::Hub { online }]),
            "bridge/devices" => self.devices(payload, retained),
            "bridge/groups" => self.grouped(payload),
            _ if payload.len() > MAX_STATE_BYTES => {
                let of = self.known.iter().find(|known| known.topic == topic);
                of.map(|known| vec![Change::too_large(&known.ieee, topic, payload.len(), MAX_STATE_BYTES)])
            }
            _ => match self.known.iter().position(|known| known.topic == topic) {
                Some(at) => self.state(at, payload),
                None => self.availability(topic, payload),
            },
        };
        changes.unwrap_or_default()
    }
}

impl Zigbee2Mqtt {
    fn availability(&mut self, topic: &str, payload: &[u8]) -> Option<Vec<Change>> {
        let name = topic.strip_suffix("/availability")?;
        let known = self.known.iter().find(|known| known.topic == name)?;
        let online = wire::online(payload)?;
        if online {
            self.away.remove(&known.ieee);
        } else {
            self.away.insert(known.ieee.clone());
        }
        Some(known.parts.iter().map(|part| Change::Device { device: part.id.clone(), online }).collect())
    }
}

/// A list of the bridge, its entries unread.
fn read(payload: &[u8]) -> Option<Vec<&RawValue>> {
    serde_json::from_slice(payload).ok()
}

fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

/// Whether a friendly name is a topic that can be subscribed to and told apart from the bridge's own.
fn is_topic(name: &str) -> bool {
    (1..=crate::home::MAX_NAME_CHARS).contains(&name.len())
        && !name.contains(['+', '#', '\0'])
        && !name.chars().any(char::is_control)
        && name != "bridge"
        && !name.starts_with("bridge/")
        && !name.trim_matches('/').trim().is_empty()
}

fn say(topic: String, payload: &Value, once: bool) -> Native {
    Native { to: To::Topic { topic, payload: payload.to_string().into_bytes() }, once }
}

fn at_path<'a>(reported: &'a Map<String, Value>, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(reported.get(first)?, |value, key| value.get(key))
}

fn put(payload: &mut Map<String, Value>, path: &[String], value: Value) {
    match path {
        [] => {}
        [key] => drop(payload.insert(key.clone(), value)),
        [key, rest @ ..] => {
            let inner = payload.entry(key.clone()).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}
