//! What Home Assistant's registries say: floors, areas, labels, devices, entities, and what is exposed to Assist.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::entity::is_word;
use super::lenient::{Keyed, List};

/// Most aliases and labels of one entry.
const MAX_WORDS: usize = 64;

/// Most integrations whose words are asked for.
const MAX_INTEGRATIONS: usize = 200;

/// Most values of one entity that have words of their own.
const MAX_VALUES: usize = 256;

/// What is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Floors,
    Labels,
    Areas,
    Devices,
    Entities,
    Exposed,
    /// What the list of entities leaves out, of some of them.
    Entries,
    /// What integrations call the values of their entities.
    Translations,
}

impl Part {
    /// What can be fetched without knowing the rest.
    pub(super) const LISTS: [Self; 6] =
        [Self::Floors, Self::Labels, Self::Areas, Self::Devices, Self::Entities, Self::Exposed];

    /// The command that fetches it.
    pub(super) fn command(self) -> &'static str {
        match self {
            Self::Floors => "config/floor_registry/list",
            Self::Labels => "config/label_registry/list",
            Self::Areas => "config/area_registry/list",
            Self::Devices => "config/device_registry/list",
            Self::Entities => "config/entity_registry/list",
            Self::Exposed => "homeassistant/expose_entity/list",
            Self::Entries => "config/entity_registry/get_entries",
            Self::Translations => "frontend/get_translations",
        }
    }
}

/// The answers to what was fetched; empty where Home Assistant has no such thing.
#[derive(Clone, Debug, Default)]
pub struct Fetched {
    floors: List<Named>,
    labels: List<Named>,
    areas: List<Area>,
    devices: List<Appliances>,
    entities: List<Listed>,
    /// Those of the entities.
    ids: HashSet<String>,
    entries: BTreeMap<String, Listed>,
    exposed: Option<Keyed<HashMap<String, bool>>>,
    /// By `component.{integration}.entity.{domain}.{key}.…`.
    translations: BTreeMap<String, String>,
}

impl Fetched {
    /// Takes an answer, the JSON text of its `result`.
    pub(super) fn take(&mut self, part: Part, text: &str) -> Result<(), serde_json::Error> {
        match part {
            Part::Floors => self.floors = serde_json::from_str(text)?,
            Part::Labels => self.labels = serde_json::from_str(text)?,
            Part::Areas => self.areas = serde_json::from_str(text)?,
            Part::Devices => self.devices = serde_json::from_str(text)?,
            Part::Entities => {
                self.entities = serde_json::from_str(text)?;
                self.ids = self.entities.0.iter().map(|listed| listed.entity_id.clone()).collect();
            }
            Part::Entries => self.entries.extend(serde_json::from_str::<Keyed<Listed>>(text)?.0),
            Part::Translations => {
                // Nothing that is needed: a home without them is one.
                let told = serde_json::from_str::<Translated>(text).ok();
                let words = told.into_iter().flat_map(|told| told.resources.0);
                self.translations.extend(words.filter(|(_, word)| is_word(word)));
            }
            Part::Exposed => self.exposed = Some(serde_json::from_str::<Exposed>(text)?.exposed_entities),
        }
        Ok(())
    }

    /// The integrations of entities whose values may have words of their own.
    pub(super) fn integrations(&self, ids: &[&str]) -> Vec<&str> {
        let ids: HashSet<&str> = ids.iter().copied().collect();
        let listed = self.entities.0.iter().filter(|listed| ids.contains(listed.entity_id.as_str()));
        let found: BTreeSet<&str> = listed.filter_map(|l| Some(l.translation()?.0)).take(MAX_INTEGRATIONS).collect();
        found.into_iter().collect()
    }

    /// Whether the registry has an entry of an entity.
    pub(super) fn lists(&self, id: &str) -> bool {
        self.ids.contains(id)
    }
}

/// A floor or a label.
#[derive(Clone, Debug, Deserialize)]
struct Named {
    #[serde(alias = "floor_id", alias = "label_id")]
    id: String,
    name: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Area {
    area_id: String,
    name: String,
    #[serde(default)]
    aliases: Vec<Option<String>>,
    #[serde(default)]
    floor_id: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Appliances {
    id: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    name_by_user: Option<String>,
    #[serde(default)]
    area_id: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Listed {
    entity_id: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    original_name: Option<String>,
    #[serde(default)]
    has_entity_name: bool,
    #[serde(default)]
    device_id: Option<String>,
    #[serde(default)]
    area_id: Option<String>,
    #[serde(default)]
    labels: Vec<String>,
    /// Since 2026 one of them may be empty: it stands for the name itself.
    #[serde(default)]
    aliases: Vec<Option<String>>,
    #[serde(default)]
    disabled_by: Option<String>,
    #[serde(default)]
    hidden_by: Option<String>,
    #[serde(default)]
    entity_category: Option<String>,
    #[serde(default)]
    options: Value,
    #[serde(default)]
    platform: Option<String>,
    #[serde(default)]
    translation_key: Option<String>,
}

impl Listed {
    /// The integration of an entity, and what that calls it by.
    fn translation(&self) -> Option<(&str, &str)> {
        Some((self.platform.as_deref()?, self.translation_key.as_deref()?))
    }

    /// What its integration calls it, unless its owner does. Of a name with a gap nobody knows what fills it.
    fn called(&self, translations: &BTreeMap<String, String>) -> Option<String> {
        let ((platform, key), domain) = (self.translation()?, self.entity_id.split_once('.')?.0);
        let called = translations.get(&format!("component.{platform}.entity.{domain}.{key}.name"));
        called
            .filter(|called| word(&self.name).is_none() && !called.contains('{'))
            .map(|called| called.trim().to_owned())
    }

    /// What its integration calls its values.
    fn said(&self, translations: &BTreeMap<String, String>) -> Option<Arc<BTreeMap<String, String>>> {
        let ((platform, key), domain) = (self.translation()?, self.entity_id.split_once('.')?.0);
        let of = format!("component.{platform}.entity.{domain}.{key}.state");
        let said = translations.range(of.clone()..).take_while(|(id, _)| id.starts_with(&of)).take(MAX_VALUES);
        let said: BTreeMap<String, String> = said
            .filter_map(|(id, word)| {
                // Of the state itself, or of an attribute of it.
                let (_, value) = id[of.len() - "state".len()..].rsplit_once("state.")?;
                Some((value.to_owned(), word.clone()))
            })
            .collect();
        (!said.is_empty()).then(|| Arc::new(said))
    }
}

#[derive(Deserialize)]
struct Translated {
    resources: Keyed<String>,
}

#[derive(Deserialize)]
struct Exposed {
    exposed_entities: Keyed<HashMap<String, bool>>,
}

/// Registries, as far as they could be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Registries {
    /// In the order of the areas.
    pub(super) rooms: Vec<Room>,
    labels: HashMap<String, String>,
    devices: HashMap<String, Appliance>,
    /// By entity id.
    pub(super) entries: BTreeMap<String, Entry>,
    /// What integrations call the values of their entities, by entity id.
    said: HashMap<String, Arc<BTreeMap<String, String>>>,
    /// What integrations call their entities in our language, by entity id, and how many they call so.
    called: HashMap<String, String>,
    namesakes: HashMap<String, usize>,
    /// By entity id; `None` where nobody says.
    pub(super) exposed: Option<BTreeMap<String, bool>>,
}

/// An area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) floor: Option<String>,
}

/// A device in the sense of Home Assistant: what several entities belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Appliance {
    name: Option<String>,
    area: Option<String>,
}

/// An entity, as its registry knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    name: Option<String>,
    own_name: Option<String>,
    /// Its own name is a part of that of its device.
    belongs: bool,
    device: Option<String>,
    area: Option<String>,
    labels: Vec<String>,
    /// Other names that its owner gave it.
    pub(super) aliases: Vec<String>,
    /// Switched off in Home Assistant.
    pub(super) disabled: bool,
    /// Hidden in Home Assistant.
    pub(super) hidden: bool,
    /// `config` or `diagnostic`.
    pub(super) category: Option<String>,
    /// Areas that a robot can be sent to.
    pub(super) rooms: Vec<String>,
}

fn word(text: &Option<String>) -> Option<String> {
    text.as_deref().map(str::trim).filter(|text| is_word(text)).map(str::to_owned)
}

fn words(texts: &[Option<String>]) -> Vec<String> {
    texts.iter().filter_map(word).take(MAX_WORDS).collect()
}

impl Registries {
    /// Reads what was fetched.
    pub(super) fn read(fetched: &Fetched) -> Self {
        let named = |list: &List<Named>| list.0.iter().map(|named| (named.id.clone(), named.name.clone())).collect();
        let floors: HashMap<String, String> = named(&fetched.floors);
        let room = |area: &Area| {
            let floor = area.floor_id.as_ref().and_then(|floor| floors.get(floor).cloned());
            let name = Some(area.name.trim()).filter(|name| is_word(name))?.to_owned();
            Some(Room { id: area.area_id.clone(), name, aliases: words(&area.aliases), floor })
        };
        let appliance = |device: &Appliances| {
            let name = word(&device.name_by_user).or_else(|| word(&device.name));
            (device.id.clone(), Appliance { name, area: device.area_id.clone() })
        };
        let entry = |listed: &Listed| {
            let whole = fetched.entries.get(&listed.entity_id).unwrap_or(listed);
            (listed.entity_id.clone(), Entry::read(whole))
        };
        let exposed = fetched.exposed.as_ref().map(|exposed| {
            let to_assist = |(id, to): (&String, &HashMap<String, bool>)| Some((id.clone(), *to.get("conversation")?));
            exposed.0.iter().filter_map(to_assist).collect()
        });
        let listed = fetched.entities.0.iter();
        let called: HashMap<String, String> = listed
            .filter_map(|listed| Some((listed.entity_id.clone(), listed.called(&fetched.translations)?)))
            .collect();
        let mut namesakes = HashMap::new();
        called.values().for_each(|name| *namesakes.entry(name.clone()).or_default() += 1);
        Self {
            called,
            namesakes,
            rooms: fetched.areas.0.iter().filter_map(room).collect(),
            labels: named(&fetched.labels),
            devices: fetched.devices.0.iter().map(appliance).collect(),
            entries: fetched.entities.0.iter().map(entry).collect(),
            said: fetched
                .entities
                .0
                .iter()
                .filter_map(|listed| Some((listed.entity_id.clone(), listed.said(&fetched.translations)?)))
                .collect(),
            exposed,
        }
    }

    /// What an entity is called where its state does not say.
    pub(super) fn name(&self, id: &str) -> String {
        let entry = self.entries.get(id);
        let by_owner = entry.and_then(|entry| entry.name.clone());
        let own = entry.and_then(|entry| entry.own_name.clone());
        let of = entry.filter(|entry| entry.belongs).and_then(|entry| self.appliance(entry)?.name.clone());
        let name = by_owner.or(match (of, own) {
            (Some(of), Some(own)) => Some(format!("{of} {own}")),
            (of, own) => of.or(own),
        });
        name.unwrap_or_else(|| id.split_once('.').map_or(id, |(_, name)| name).replace('_', " "))
    }

    /// What the device is called that an entity belongs to.
    pub(super) fn device_name(&self, id: &str) -> Option<&str> {
        self.appliance(self.entries.get(id)?)?.name.as_deref()
    }

    /// What an entity is called in our language whatever Home Assistant's is: with its device, and by itself where no
    /// other has that name.
    pub(super) fn called(&self, id: &str) -> Vec<String> {
        let Some(own) = self.called.get(id) else { return Vec::new() };
        let whole = self.device_name(id).map(|device| format!("{device}{own}"));
        let alone = (self.namesakes.get(own) == Some(&1)).then(|| own.clone());
        whole.into_iter().chain(alone).collect()
    }

    /// The room that an entity stands in: its own, else that of its device.
    pub(super) fn room(&self, id: &str) -> Option<&Room> {
        let entry = self.entries.get(id)?;
        let area = entry.area.as_ref().or_else(|| self.appliance(entry)?.area.as_ref())?;
        self.rooms.iter().find(|room| room.id == *area)
    }

    /// The names of an entity's labels.
    pub(super) fn labels(&self, id: &str) -> Vec<&str> {
        let labels = self.entries.get(id).map_or(&[][..], |entry| &entry.labels);
        labels.iter().filter_map(|label| self.labels.get(label)).map(String::as_str).collect()
    }

    /// What the values of an entity are called.
    pub(super) fn said(&self, id: &str) -> Arc<BTreeMap<String, String>> {
        self.said.get(id).cloned().unwrap_or_default()
    }

    /// The areas that an entity can be sent to, with their names.
    pub(super) fn rooms_of(&self, id: &str) -> Vec<(String, String)> {
        let rooms = self.entries.get(id).map_or(&[][..], |entry| &entry.rooms);
        let named = |id: &String| self.rooms.iter().find(|room| room.id == *id).map(|room| room.name.clone());
        rooms.iter().filter_map(|id| Some((id.clone(), named(id)?))).collect()
    }

    fn appliance(&self, entry: &Entry) -> Option<&Appliance> {
        self.devices.get(entry.device.as_ref()?)
    }
}

impl Entry {
    fn read(listed: &Listed) -> Self {
        let mapped = listed.options["vacuum"]["area_mapping"].as_object();
        Self {
            name: word(&listed.name),
            own_name: word(&listed.original_name),
            belongs: listed.has_entity_name,
            device: listed.device_id.clone(),
            area: listed.area_id.clone(),
            labels: listed.labels.iter().take(MAX_WORDS).cloned().collect(),
            aliases: words(&listed.aliases),
            disabled: listed.disabled_by.is_some(),
            hidden: listed.hidden_by.is_some(),
            category: word(&listed.entity_category),
            rooms: mapped.into_iter().flatten().map(|(area, _)| area.clone()).take(MAX_WORDS).collect(),
        }
    }
}
