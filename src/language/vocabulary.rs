//! The vocabulary of one home: the lexicon, and every name that the home's document brings.

mod called;
mod sounds;
mod spoken;
mod variants;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use self::called::Called;
use self::sounds::Sounds;
use super::command::bare;
use super::lexicon::{KindId, Lexicon, Sense};
use super::meaning::{DeviceSense, kinds_of_name, own_words};
use super::number;
use crate::home::{DeviceIndex, Domain, Home};
use crate::text::normalize;

pub use spoken::{Taken, taken_names};

/// Characters of a name beyond which it is looked up only by search, never as a word of a sentence.
const MAX_NAME: usize = 24;

/// Everything needed to read sentences about one home. Built once per registry revision.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// The language.
    pub lexicon: Arc<Lexicon>,
    /// The home.
    pub home: Arc<Home>,
    /// What is known about each device, in the home's order.
    pub devices: Vec<DeviceSense>,
    /// Names of floors, in the order of the layout.
    pub floors: Vec<String>,
    /// For each room, the position of its floor.
    pub room_floor: Vec<Option<usize>>,
    /// Other ways to say the names of devices, sorted, and whose they are.
    variants: Vec<(Arc<str>, DeviceIndex)>,
    /// Every text is there once, however many hold it.
    words: HashMap<Arc<str>, Vec<Sense>>,
    /// What is called by a word of the language: the protocol can name it, nobody who speaks does.
    taken: HashMap<String, Vec<Sense>>,
    sounds: Sounds,
    max_word: usize,
}

impl Vocabulary {
    /// Collects the words of a home.
    pub fn new(lexicon: Arc<Lexicon>, home: Arc<Home>) -> Self {
        let own = own_words(&home, &lexicon);
        let lexicon = if own.is_empty() { lexicon } else { Arc::new(lexicon.with_words(own)) };
        let devices = home.devices.iter().map(|d| DeviceSense::of(d, &lexicon)).collect();
        let mut floors: Vec<String> = Vec::new();
        let mut room_floor = Vec::with_capacity(home.rooms.len());
        for room in &home.rooms {
            room_floor.push(room.floor.as_deref().map(normalize).filter(|f| !f.is_empty()).map(|floor| {
                floors.iter().position(|f| *f == floor).unwrap_or_else(|| {
                    floors.push(floor);
                    floors.len() - 1
                })
            }));
        }
        let mut vocabulary = Self {
            max_word: lexicon.max_word(),
            lexicon,
            home: Arc::clone(&home),
            devices,
            floors,
            room_floor,
            variants: Vec::new(),
            words: HashMap::new(),
            taken: HashMap::new(),
            sounds: Sounds::default(),
        };
        vocabulary.collect(&home);
        vocabulary
    }

    fn collect(&mut self, home: &Home) {
        let mut spoken = Vec::new();
        self.add_devices(home, &mut spoken);
        self.add_others(home, &mut spoken);
        self.sounds = Sounds::of(&spoken);
        self.words.shrink_to_fit();
    }

    /// The names of devices, and what else people call them by.
    fn add_devices(&mut self, home: &Home, spoken: &mut Vec<Arc<str>>) {
        let lexicon = Arc::clone(&self.lexicon);
        for (index, device) in home.devices.iter().enumerate() {
            for name in device.names().flat_map(spellings).filter(|name| !spoken::is_taken(name, &lexicon)) {
                self.add_device(name.into(), index, spoken);
            }
        }
        // What the home does not call so itself may be said so.
        let rooms: HashSet<String> =
            home.rooms.iter().flat_map(|r| std::iter::once(&r.name).chain(&r.aliases)).map(|n| normalize(n)).collect();
        let is_room = |text: &str| {
            rooms.contains(text)
                || self.lexicon.senses(text).iter().any(|s| matches!(s, Sense::RoomClass(_) | Sense::RoomSort(_)))
        };
        // 轩轩 of 轩轩窗帘 is the child and not the curtain where a room or another sort of thing is called after it.
        let called = Called::of(home, &lexicon);
        let shared = |brand: &str, name: &str| {
            let kinds = kinds_of_name(name, &lexicon);
            let other = |own: &[KindId]| !own.iter().any(|kind| kinds.contains(kind));
            rooms.iter().any(|room| room.contains(brand)) || called.with(brand).any(other)
        };
        let mut said: Vec<(Arc<str>, DeviceIndex)> = Vec::new();
        for (index, device) in home.devices.iter().enumerate() {
            let room = device.room.map(|r| normalize(&home.rooms[r].name)).unwrap_or_default();
            for name in device.names().map(normalize).filter(|name| !spoken::is_taken(name, &lexicon)) {
                // 主卧左窗帘 in the 主卧 is the left one there.
                let bare = name.strip_prefix(room.as_str()).filter(|rest| !room.is_empty() && rest.chars().count() > 1);
                // 里屋灯 is the 卧室灯 where the 卧室 is called 里屋 as well.
                if let (Some(rest), Some(r)) = (
                    bare.or_else(|| name.strip_prefix(room.as_str()).filter(|r| !r.is_empty() && !room.is_empty())),
                    device.room,
                ) {
                    let others = home.rooms[r].aliases.iter().map(|alias| format!("{}{rest}", normalize(alias)));
                    said.extend(others.filter(|v| !self.is_name(v)).map(|v| (v.into(), index)));
                }
                for name in std::iter::once(name.as_str()).chain(bare) {
                    let brand = variants::brand(name, &lexicon).filter(|b| !is_room(b) && !shared(b, name));
                    let more = variants::variants(name, &lexicon, &is_room).into_iter().chain(brand);
                    said.extend(more.filter(|v| !self.is_name(v)).map(|v| (v.into(), index)));
                }
            }
        }
        said.sort();
        said.dedup();
        for (variant, index) in &mut said {
            if let Some((known, _)) = self.words.get_key_value(variant) {
                *variant = Arc::clone(known);
            }
            self.add_device(Arc::clone(variant), *index, spoken);
        }
        said.shrink_to_fit();
        self.variants = said;
    }

    /// The names of groups, scenes, rooms and floors, and the home's own words for values.
    fn add_others(&mut self, home: &Home, said: &mut Vec<Arc<str>>) {
        let lexicon = Arc::clone(&self.lexicon);
        for (index, group) in home.groups.iter().enumerate() {
            for name in spoken::called(&group.name, &group.aliases) {
                self.add_name(name, &Sense::Group(index), spoken::tells_or_counts, said);
            }
        }
        for (index, scene) in home.scenes.iter().enumerate() {
            for name in spoken::called(&scene.name, &scene.aliases) {
                if !self.add_name(name, &Sense::Scene(index), spoken::is_taken, said) {
                    for word in &lexicon.scene_words {
                        self.add(format!("{}{word}", normalize(name)).into(), Sense::Scene(index), Some(said));
                    }
                }
            }
        }
        for (index, room) in home.rooms.iter().enumerate() {
            for name in spoken::called(&room.name, &room.aliases) {
                self.add_name(name, &Sense::Room(index), spoken::tells_or_counts, said);
            }
            for whose in variants::rooms_of_owners(&normalize(&room.name), &lexicon) {
                if !self.is_name(&whose) {
                    self.add(whose.into(), Sense::Room(index), None);
                }
            }
        }
        for index in 0..self.floors.len() {
            let floor = self.floors[index].clone();
            // A floor called 一 is said 一楼; a bare numeral stays a number.
            if number::read(&floor.chars().collect::<Vec<_>>()).is_none() {
                self.add(floor.into(), Sense::Floor(index), Some(said));
            }
        }
        // In the order in which they come, each once: a house has many devices of a few models.
        let (mut values, mut known) = (Vec::new(), HashSet::new());
        for ability in self.devices.iter().flat_map(|d| &d.abilities) {
            let Some(Domain::Enum(choices)) = &ability.domain else { continue };
            for choice in choices {
                if known.insert(choice.describe.as_str()) {
                    values.push(normalize(&choice.describe));
                }
            }
        }
        for word in values {
            if !word.is_empty() && self.lexicon.senses(&word).is_empty() {
                self.add(word.as_str().into(), Sense::Value, None);
                for said in variants::values(&word, &lexicon) {
                    if self.lexicon.senses(&said).is_empty() && !self.words.contains_key(&*said) {
                        self.add(said.into(), Sense::Value, None);
                    }
                }
            }
        }
    }

    fn add_device(&mut self, name: Arc<str>, index: DeviceIndex, spoken: &mut Vec<Arc<str>>) {
        if let Some(senses) = self.words.get_mut(&name) {
            for sense in senses.iter_mut() {
                if let Sense::Devices(devices) = sense {
                    if !devices.contains(&index) {
                        devices.push(index);
                    }
                    return;
                }
            }
        }
        self.add(name, Sense::Devices(vec![index]), Some(spoken));
    }

    /// Adds a name of a group, a scene or a room; `false` if it is a word of the language, which it takes nothing from.
    fn add_name(
        &mut self,
        name: &str,
        sense: &Sense,
        is_taken: fn(&str, &Lexicon) -> bool,
        said: &mut Vec<Arc<str>>,
    ) -> bool {
        let free = !is_taken(&normalize(name), &self.lexicon);
        for spelling in spellings(name) {
            if free && !is_taken(&spelling, &self.lexicon) {
                self.add(spelling.into(), sense.clone(), Some(said));
            } else {
                self.taken.entry(spelling).or_default().push(sense.clone());
            }
        }
        free
    }

    /// Adds a sense of a word; what is heard as well as read is noted in `spoken`, once.
    fn add(&mut self, word: Arc<str>, sense: Sense, spoken: Option<&mut Vec<Arc<str>>>) {
        let length = word.chars().count();
        if word.is_empty() || length > MAX_NAME {
            return;
        }
        self.max_word = self.max_word.max(length);
        match self.words.entry(word) {
            Entry::Occupied(senses) if senses.get().contains(&sense) => {}
            Entry::Occupied(mut senses) => senses.get_mut().push(sense),
            Entry::Vacant(place) => {
                if let Some(spoken) = spoken.filter(|_| length >= 2) {
                    spoken.push(Arc::clone(place.key()));
                }
                place.insert(vec![sense]);
            }
        }
    }

    /// The devices that people may call so, though the home does not.
    pub fn called_otherwise(&self, text: &str) -> impl Iterator<Item = DeviceIndex> {
        let start = self.variants.partition_point(|(variant, _)| **variant < *text);
        self.variants[start..].iter().take_while(move |(variant, _)| **variant == *text).map(|(_, device)| *device)
    }

    /// What people may call a device, though the home does not.
    pub fn other_names(&self, device: DeviceIndex) -> impl Iterator<Item = &str> {
        self.variants.iter().filter(move |(_, of)| *of == device).map(|(variant, _)| &**variant)
    }

    /// What a normalised word can mean in this home: the home's own names first.
    pub fn senses(&self, word: &str) -> Vec<Sense> {
        let own = self.words.get(word).map_or(&[][..], Vec::as_slice);
        own.iter().chain(self.lexicon.senses(word)).cloned().collect()
    }

    /// What the home itself calls so, with or without the separators of the protocol.
    pub fn named(&self, text: &str) -> &[Sense] {
        let (written, bare) = (normalize(text), bare(text));
        let words = || self.words.get(&*written).or_else(|| self.words.get(&*bare));
        let own = words().or_else(|| self.taken.get(&written).or_else(|| self.taken.get(&bare)));
        own.map_or(&[], Vec::as_slice)
    }

    /// Whether the home itself names something so.
    pub fn is_name(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    /// Whether this is a word at all.
    pub fn knows(&self, word: &str) -> bool {
        self.words.contains_key(word) || !self.lexicon.senses(word).is_empty()
    }

    /// Words of the home and of the language that sound like a blurred reading.
    pub fn sounding(&self, blurred: &str) -> impl Iterator<Item = &str> {
        self.sounds.sounding(blurred).chain(self.lexicon.sounding(blurred).iter().map(String::as_str))
    }

    /// Characters of the longest word.
    pub fn max_word(&self) -> usize {
        self.max_word
    }

    /// The floor that a normalised word names by its number (`2楼`, `二层`).
    pub fn floor_called(&self, word: &str) -> Option<usize> {
        let chars: Vec<char> = word.chars().collect();
        let (number, used) = number::read(&chars)?;
        let rest: String = chars[used..].iter().collect();
        let suffix = self.lexicon.floor_suffix.contains(&rest);
        suffix.then(|| self.floor_of_number(number.value)).flatten()
    }

    /// The floor of this number: `一楼`, `1楼`, `一层` or a floor called `一`.
    pub fn floor_of_number(&self, n: f64) -> Option<usize> {
        self.floors.iter().position(|f| {
            let chars: Vec<char> = f.chars().collect();
            number::read(&chars).is_some_and(|(number, used)| {
                let rest: String = chars[used..].iter().collect();
                number.value == n && (rest.is_empty() || self.lexicon.floor_suffix.contains(&rest))
            })
        })
    }
}

/// How else the name of a value is said: `hdmi二` for `hdmi2`, `煮个粥` for `煮粥`.
pub fn spoken_value(name: &str, lexicon: &Lexicon) -> impl Iterator<Item = String> {
    variants::values(name, lexicon).into_iter()
}

/// A name as it is written, and as it is said: nobody speaks the separators of the protocol.
pub fn spellings(name: &str) -> impl Iterator<Item = String> {
    let written = normalize(name);
    let said = Some(bare(name)).filter(|said| !said.is_empty() && *said != written);
    std::iter::once(written).chain(said)
}
