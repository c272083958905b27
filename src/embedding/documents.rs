//! The texts a device's capabilities are found by.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;

use super::index::Document;
use crate::home::{Device, Domain, Home};
use crate::zh::{CAPABILITIES, DataError, Sources};

/// Texts of one capability: an index over a hostile home stays small.
const MAX_TEXTS: usize = 24;

/// Values of an enumeration that become texts.
const MAX_VALUES: usize = 12;

/// Characters of a text that are kept: descriptions are for reading, comparisons need their start.
const MAX_CHARACTERS: usize = 32;

/// What a [`Document::capability`] of a device stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Position in [`Device::properties`].
    Property(usize),
    /// Position in [`Device::commands`].
    Command(usize),
}

impl Capability {
    /// The capability that a document of `device` calls `number`: properties come first, then commands.
    pub fn of(device: &Device, number: usize) -> Option<Self> {
        match number.checked_sub(device.properties.len()) {
            None => Some(Self::Property(number)),
            Some(command) => (command < device.commands.len()).then_some(Self::Command(command)),
        }
    }
}

/// One document for every writable property and every command of the home; owners are positions in [`Home::devices`].
pub fn documents(home: &Home, clusters: &Clusters) -> Vec<Document> {
    home.devices
        .iter()
        .enumerate()
        .flat_map(|(owner, device)| {
            let properties = device.properties.iter().enumerate().filter(|(_, property)| property.writable);
            let properties = properties.map(move |(number, property)| {
                let texts = clusters.texts(device, &property.id, &property.describe, Some(&property.domain));
                Document { owner, capability: number, texts }
            });
            let commands = device.commands.iter().zip(device.properties.len()..).map(move |(command, number)| {
                let texts = clusters.texts(device, &command.id, &command.description, command.argument.as_ref());
                Document { owner, capability: number, texts }
            });
            properties.chain(commands)
        })
        .collect()
}

/// What a device can do, in the words of all its capabilities together; values are not among them.
pub fn abilities(device: &Device, clusters: &Clusters) -> Vec<String> {
    let writable = device.properties.iter().filter(|property| property.writable);
    let properties = writable.map(|property| (&property.id, &property.describe));
    let commands = device.commands.iter().map(|command| (&command.id, &command.description));
    properties.chain(commands).flat_map(|(id, description)| clusters.texts(device, id, description, None)).collect()
}

/// What people say for what capabilities do.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clusters {
    plain_ids: Vec<String>,
    clusters: Vec<Cluster>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cluster {
    ids: Vec<Id>,
    says: Vec<String>,
    #[serde(default)]
    plain: bool,
    texts: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Id {
    Word(String),
    Words(Vec<String>),
}

impl Id {
    fn words(&self) -> &[String] {
        match self {
            Self::Word(word) => std::slice::from_ref(word),
            Self::Words(words) => words,
        }
    }
}

impl Clusters {
    /// Those that ship, with what an owner lays over them.
    ///
    /// # Errors
    /// Where they do not have their shape.
    pub fn of(sources: &Sources) -> Result<Arc<Self>, DataError> {
        sources.data(&CAPABILITIES)?.read().map(Arc::new)
    }

    fn texts(&self, device: &Device, id: &str, description: &str, domain: Option<&Domain>) -> Vec<String> {
        let words = id_words(id);
        let plain = words.iter().all(|word| self.plain_ids.contains(word));
        let by_id = |cluster: &Cluster| {
            let entries = cluster.ids.iter().map(Id::words);
            entries.filter(|entry| entry.iter().all(|word| words.contains(word))).map(<[String]>::len).max()
        };
        let says = |cluster: &Cluster, text: &str| cluster.says.iter().any(|word| text.contains(word));
        // `switch on` is more telling than `switch`.
        let most = self.clusters.iter().filter_map(by_id).max();
        let chosen = self.clusters.iter().filter(|cluster| {
            most.is_some() && by_id(cluster) == most
                || says(cluster, description)
                || plain && cluster.plain && says(cluster, &device.describe)
        });
        let values = match domain {
            Some(Domain::Enum(choices)) => choices.as_slice(),
            _ => &[],
        };
        let values = values.iter().take(MAX_VALUES).map(|choice| match choice.describe.as_str() {
            "" => choice.value.as_str().unwrap_or_default(),
            describe => describe,
        });
        let mut seen = BTreeSet::new();
        let mut texts: Vec<String> = [description]
            .into_iter()
            .chain(chosen.flat_map(|cluster| cluster.texts.iter().map(String::as_str)))
            .chain(values)
            .map(|text| text.trim().chars().take(MAX_CHARACTERS).collect::<String>())
            .filter(|text| !text.is_empty() && seen.insert(text.clone()))
            .take(MAX_TEXTS)
            .collect();
        if texts.is_empty() {
            texts.push(id.chars().take(MAX_CHARACTERS).collect());
        }
        texts
    }
}

/// The words of an id: `main-switchLevel-setLevel` is main, switch, level, set, level.
fn id_words(id: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for c in id.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_fall_into_words() {
        assert_eq!(id_words("main-switchLevel-setLevel"), ["main", "switch", "level", "set", "level"]);
        assert_eq!(id_words("main-switch-on"), ["main", "switch", "on"]);
        assert_eq!(id_words("RGB_color"), ["rgb", "color"]);
    }

    #[test]
    fn the_most_telling_cluster_is_chosen() {
        let device = device("");
        let texts = clusters().texts(&device, "main-switch-off", "电源停用", None);
        assert_eq!(texts.first().map(String::as_str), Some("电源停用"));
        assert!(texts.contains(&"关掉".into()) && !texts.contains(&"打开".into()), "{texts:?}");
        let texts = clusters().texts(&device, "main-switchLevel-setLevel", "调光器", None);
        assert!(texts.contains(&"亮一点".into()), "{texts:?}");
    }

    #[test]
    fn a_plain_id_is_what_the_device_says() {
        let fan = device("电风扇，通风散热，支持开关和风速调节。");
        assert!(clusters().texts(&fan, "level", "", None).contains(&"风大一点".into()));
        let lamp = device("LED调光灯，用于照明，可开关，可调节亮度。");
        assert!(clusters().texts(&lamp, "level", "", None).contains(&"亮一点".into()));
    }

    fn clusters() -> Arc<Clusters> {
        Clusters::of(&Sources::default()).unwrap()
    }

    fn device(describe: &str) -> Device {
        Device {
            id: "d".into(),
            name: "设备".into(),
            aliases: Vec::new(),
            tags: Vec::new(),
            room: None,
            category: String::new(),
            describe: describe.into(),
            properties: [].into(),
            commands: Vec::new(),
            risk: None,
            online: true,
            initial: Default::default(),
        }
    }
}
