//! The names of everything that can be meant.

use std::collections::HashMap;

use crate::home::{Entity, Home};
use crate::language::vocabulary::spellings;
use crate::text::pinyin;

/// One name of one entity.
#[derive(Clone, Debug)]
pub struct NameEntry {
    /// Whose.
    pub entity: Entity,
    /// Normalised.
    pub text: String,
    /// Not the first name.
    pub alias: bool,
    /// Its readings.
    pub readings: Vec<String>,
}

/// All names, by spelling and by sound.
#[derive(Clone, Debug, Default)]
pub struct NameIndex {
    /// Every name.
    pub entries: Vec<NameEntry>,
    exact: HashMap<String, Vec<usize>>,
    sounds: HashMap<String, Vec<usize>>,
}

/// Characters of a name beyond which only its beginning is compared by sound.
const MAX_SPOKEN_NAME: usize = 16;

impl NameIndex {
    /// Collects the names of a home.
    pub fn new(home: &Home) -> Self {
        let mut index = Self::default();
        for (i, device) in home.devices.iter().enumerate() {
            index.add(Entity::Device(i), &device.name, &device.aliases);
        }
        for (i, group) in home.groups.iter().enumerate() {
            index.add(Entity::Group(i), &group.name, &group.aliases);
        }
        for (i, scene) in home.scenes.iter().enumerate() {
            index.add(Entity::Scene(i), &scene.name, &scene.aliases);
        }
        index
    }

    fn add(&mut self, entity: Entity, name: &str, aliases: &[String]) {
        let names = std::iter::once(name).chain(aliases.iter().map(String::as_str)).enumerate();
        for (i, text) in names.flat_map(|(i, name)| spellings(name).map(move |text| (i, text))) {
            if text.is_empty() {
                continue;
            }
            let spoken: String = text.chars().take(MAX_SPOKEN_NAME).collect();
            let readings = pinyin::readings(&spoken);
            let at = self.entries.len();
            for reading in &readings {
                let list = self.sounds.entry(pinyin::blur(reading)).or_default();
                if list.last() != Some(&at) {
                    list.push(at);
                }
            }
            self.exact.entry(text.clone()).or_default().push(at);
            self.entries.push(NameEntry { entity, text, alias: i > 0, readings });
        }
    }

    /// Names spelled exactly so.
    pub fn exact(&self, text: &str) -> impl Iterator<Item = &NameEntry> {
        self.exact.get(text).into_iter().flatten().map(|i| &self.entries[*i])
    }

    /// Names that sound so, near sounds included.
    pub fn sounding(&self, blurred: &str) -> impl Iterator<Item = &NameEntry> {
        self.sounds.get(blurred).into_iter().flatten().map(|i| &self.entries[*i])
    }
}
