//! The vocabulary of one home: the lexicon, and every name that the home's document brings.

mod called;
mod features;
mod floors;
mod joints;
mod prefixes;
mod sounds;
mod spoken;
mod texts;
mod variants;
mod words;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use self::called::Called;
use self::features::Features;
use self::floors::floor_in_name;
use self::joints::Joints;
use self::prefixes::Prefixes;
use self::sounds::Sounds;
use self::texts::TextId;
use self::words::Words;
use super::command::bare;
use super::lexicon::{KindId, Lexicon, PropertyId, Sense};
use super::meaning::{DeviceSense, kinds_of_devices, kinds_of_name, own_words, senses};
use super::number;
use crate::home::{DeviceIndex, Domain, Home};
use crate::text::{normalize, utterance};

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
    variants: Vec<(TextId, u32)>,
    words: Words,
    /// Values of this home that the language knows as something else: 写字 of a desk lamp.
    offered: HashSet<String>,
    /// What is called by a word of the language: the protocol can name it, nobody who speaks does.
    taken: HashMap<String, Vec<Sense>>,
    sounds: Sounds,
    /// What each device calls what it has.
    features: Features,
    /// Names that may be cut by white space.
    joints: Joints,
    max_word: usize,
}

impl Vocabulary {
    /// Collects the words of a home.
    pub fn new(lexicon: Arc<Lexicon>, home: Arc<Home>) -> Self {
        let kinds = kinds_of_devices(&home, &lexicon);
        let own = own_words(&home, &kinds, &lexicon);
        let lexicon = if own.is_empty() { lexicon } else { Arc::new(lexicon.with_words(own)) };
        let devices = senses(&home, kinds, &lexicon);
        let mut floors: Vec<String> = Vec::new();
        let mut room_floor = Vec::with_capacity(home.rooms.len());
        for room in &home.rooms {
            let named = floor_in_name(&room.name, &lexicon);
            let floor = room.floor.as_deref().map(normalize).filter(|f| !f.is_empty()).or(named);
            room_floor.push(floor.map(|floor| {
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
            words: Words::of(home.devices.len()),
            offered: HashSet::new(),
            taken: HashMap::new(),
            sounds: Sounds::default(),
            features: Features::default(),
            joints: Joints::of(&home),
        };
        vocabulary.collect(&home);
        vocabulary
    }

    fn collect(&mut self, home: &Home) {
        let mut spoken = Vec::new();
        self.add_devices(home, &mut spoken);
        self.add_others(home, &mut spoken);
        self.sounds = Sounds::of(&spoken, self.words.texts());
        self.features = Features::of(home, &self.devices, &self.lexicon, &mut self.words);
        self.words.settle();
    }

    /// The names of devices, and what else people call them by.
    fn add_devices(&mut self, home: &Home, spoken: &mut Vec<TextId>) {
        let lexicon = Arc::clone(&self.lexicon);
        for (index, device) in home.devices.iter().enumerate() {
            for name in device.names().flat_map(spellings) {
                if spoken::is_taken(&name, &lexicon) {
                    self.taken.entry(name).or_default().push(Sense::Devices(vec![index]));
                } else {
                    let name = self.words.keep(&name);
                    self.add_device(name, index, spoken);
                }
            }
        }
        // What the home does not call so itself may be said so.
        let rooms: HashSet<String> =
            home.rooms.iter().flat_map(|r| std::iter::once(&r.name).chain(&r.aliases)).map(|n| normalize(n)).collect();
        let is_room = |text: &str| {
            rooms.contains(text)
                || lexicon.senses(text).iter().any(|s| matches!(s, Sense::RoomClass(_) | Sense::RoomSort(_)))
        };
        // 轩轩 of 轩轩窗帘 is the child and not the curtain where a room or another sort of thing is called after it.
        let called = Called::of(home, &lexicon);
        let shared = |brand: &str, name: &str| {
            let kinds = kinds_of_name(name, &lexicon);
            let other = |own: &[KindId]| !own.iter().any(|kind| kinds.contains(kind));
            rooms.iter().any(|room| room.contains(brand)) || called.with(brand).any(other)
        };
        let shared_prefixes = Prefixes::of(home);
        let mut said: Vec<(TextId, DeviceIndex)> = Vec::new();
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
                    for other in others {
                        self.say(&other, index, &mut said);
                    }
                }
                // 光管 of 厨房光管, 加热棒 of 鱼缸加热棒: where the language does not know what that is.
                let own = |bare: &&str| {
                    let begins = |word: &String| bare.starts_with(word.as_str());
                    let whose = begins(&lexicon.marks.of) || lexicon.any_room.iter().any(begins);
                    !whose && lexicon.senses(bare).is_empty() && !is_room(bare) && !spoken::is_taken(bare, &lexicon)
                };
                let rest = shared_prefixes.rest(&name).filter(|rest| kinds_of_name(rest, &lexicon).is_empty());
                for rest in bare.into_iter().chain(rest).filter(own) {
                    self.say(rest, index, &mut said);
                }
                for name in std::iter::once(name.as_str()).chain(bare) {
                    let brand = variants::brand(name, &lexicon).filter(|b| !is_room(b) && !shared(b, name));
                    let whose = variants::of_somebody(name, &lexicon)
                        .filter(|whose| !rooms.iter().any(|r| whose.chars().take(2).eq(r.chars().take(2))));
                    let more = variants::variants(name, &lexicon, &is_room).into_iter().chain(brand).chain(whose);
                    // Of 鱼缸水泵 no 鱼缸水 is left.
                    let more = more.filter(|other| !rest.is_some_and(|rest| prefixes::cuts(other, name, rest)));
                    for other in more {
                        self.say(&other, index, &mut said);
                    }
                }
            }
        }
        let texts = self.words.texts();
        said.sort_by(|(one, of), (other, whose)| (texts.text(*one), of).cmp(&(texts.text(*other), whose)));
        said.dedup();
        for (variant, index) in &said {
            self.add_device(*variant, *index, spoken);
        }
        self.variants = said.into_iter().map(|(variant, index)| (variant, index as u32)).collect();
    }

    /// Notes what a device may be called, unless the home itself calls something so.
    fn say(&mut self, name: &str, device: DeviceIndex, said: &mut Vec<(TextId, DeviceIndex)>) {
        if !self.is_name(name) {
            said.push((self.words.keep(name), device));
        }
    }

    /// The names of groups, scenes, rooms and floors, and the home's own words for values.
    fn add_others(&mut self, home: &Home, said: &mut Vec<TextId>) {
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
                        self.add(&format!("{}{word}", normalize(name)), Sense::Scene(index), Some(said));
                    }
                }
            }
        }
        for (index, room) in home.rooms.iter().enumerate() {
            for name in spoken::called(&room.name, &room.aliases) {
                self.add_name(name, &Sense::Room(index), spoken::tells_or_counts, said);
                // 小敏的 of the alias 小敏房 may be her lamp in any room.
                let of = lexicon.marks.of.as_str();
                for whose in variants::rooms_of_owners(&normalize(name), &lexicon) {
                    if !self.is_name(&whose) && (*name == room.name || !whose.ends_with(of)) {
                        self.add(&whose, Sense::Room(index), None);
                    }
                }
            }
        }
        for index in 0..self.floors.len() {
            let floor = self.floors[index].clone();
            // A floor called 一 is said 一楼; a bare numeral stays a number.
            if number::read(&floor.chars().collect::<Vec<_>>()).is_none() {
                self.add(&floor, Sense::Floor(index), Some(said));
            }
        }
        // In the order in which they come, each once: a house has many devices of a few models.
        let (mut values, mut known) = (Vec::new(), HashSet::new());
        for ability in self.devices.iter().flat_map(|d| d.abilities.iter()) {
            let Some(Domain::Enum(choices)) = &ability.domain else { continue };
            for choice in choices {
                if known.insert(choice.describe.as_str()) {
                    values.push(normalize(&choice.describe));
                }
            }
        }
        for word in values {
            // A value that is called 1 takes no number from anything else.
            let chars: Vec<char> = word.chars().collect();
            if number::read(&chars).is_some_and(|(_, used)| used == chars.len()) {
                continue;
            }
            let known = self.lexicon.senses(&word);
            let valued = |s: &Sense| matches!(s, Sense::Choice(_) | Sense::Kelvin(_) | Sense::Extreme(_));
            if !known.is_empty() && !known.iter().any(valued) {
                self.offered.insert(word);
            } else if !word.is_empty() && known.is_empty() {
                self.add(&word, Sense::Value, None);
                for said in variants::values(&word, &lexicon) {
                    if self.lexicon.senses(&said).is_empty() && !self.words.contains(&said) {
                        self.add(&said, Sense::Value, None);
                    }
                }
            }
        }
    }

    fn add_device(&mut self, name: TextId, index: DeviceIndex, spoken: &mut Vec<TextId>) {
        if !self.words.join(name, index) {
            self.add_sense(name, Sense::Devices(vec![index]), Some(spoken));
        }
    }

    /// Adds a name of a group, a scene or a room; `false` if it is a word of the language, which it takes nothing from.
    fn add_name(
        &mut self,
        name: &str,
        sense: &Sense,
        is_taken: fn(&str, &Lexicon) -> bool,
        said: &mut Vec<TextId>,
    ) -> bool {
        let free = !is_taken(&normalize(name), &self.lexicon);
        for spelling in spellings(name) {
            if free && !is_taken(&spelling, &self.lexicon) {
                self.add(&spelling, sense.clone(), Some(said));
            } else {
                self.taken.entry(spelling).or_default().push(sense.clone());
            }
        }
        free
    }

    /// Adds a sense of a word; what is heard as well as read is noted in `spoken`, once.
    fn add(&mut self, word: &str, sense: Sense, spoken: Option<&mut Vec<TextId>>) {
        let word = self.words.keep(word);
        self.add_sense(word, sense, spoken);
    }

    fn add_sense(&mut self, word: TextId, sense: Sense, spoken: Option<&mut Vec<TextId>>) {
        let length = self.words.texts().text(word).chars().count();
        if length == 0 || length > MAX_NAME {
            return;
        }
        self.max_word = self.max_word.max(length);
        if self.words.add(word, sense)
            && let Some(spoken) = spoken.filter(|_| length >= 2)
        {
            spoken.push(word);
        }
    }

    /// What was said, as it is compared: [`utterance`], with each name of this home as it is written here, however it was spaced.
    pub fn utterance(&self, sentence: &str) -> String {
        utterance(&self.joints.joined(sentence, |chars| self.counts(chars)))
    }

    /// The longest name of what one of some devices has that a text begins with: its characters, and what it names.
    pub fn feature_ahead(&self, text: &[char], of: &[DeviceIndex]) -> Option<(usize, PropertyId)> {
        self.features.ahead(text, of, &self.words)
    }

    /// What a device can switch of itself, by its names for it.
    pub fn flags(&self, device: DeviceIndex) -> impl Iterator<Item = (&str, PropertyId)> {
        let texts = self.words.texts();
        self.features.flags(device).iter().map(|(name, property)| (texts.text(*name), *property))
    }

    /// The devices that people may call so, though the home does not.
    pub fn called_otherwise(&self, text: &str) -> impl Iterator<Item = DeviceIndex> {
        let texts = self.words.texts();
        let start = self.variants.partition_point(|(variant, _)| texts.text(*variant) < text);
        let same = self.variants[start..].iter().take_while(move |(variant, _)| texts.text(*variant) == text);
        same.map(|(_, device)| *device as DeviceIndex)
    }

    /// What people may call a device, though the home does not.
    pub fn other_names(&self, device: DeviceIndex) -> impl Iterator<Item = &str> {
        let of_device = self.variants.iter().filter(move |(_, of)| *of as DeviceIndex == device);
        of_device.map(|(variant, _)| self.words.texts().text(*variant))
    }

    /// What a normalised word can mean in this home: the home's own names first.
    pub fn senses(&self, word: &str) -> Vec<Sense> {
        self.words.get(word).iter().chain(self.lexicon.senses(word)).cloned().collect()
    }

    /// What the home itself calls so, with or without the separators of the protocol.
    pub fn named(&self, text: &str) -> &[Sense] {
        let (written, bare) = (normalize(text), bare(text));
        let words = [&written, &bare].map(|word| self.words.get(word)).into_iter().find(|senses| !senses.is_empty());
        let taken = || self.taken.get(&written).or_else(|| self.taken.get(&bare)).map(Vec::as_slice);
        words.or_else(taken).unwrap_or_default()
    }

    /// Whether the home itself names something so.
    pub fn is_name(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether a value of this home is called so, although the language knows the word as something else.
    pub fn is_offered(&self, word: &str) -> bool {
        self.offered.contains(word)
    }

    /// Whether this is a word at all.
    pub fn knows(&self, word: &str) -> bool {
        self.words.contains(word) || !self.lexicon.senses(word).is_empty()
    }

    /// Words of the home and of the language that sound like a blurred reading.
    pub fn sounding(&self, blurred: &str) -> impl Iterator<Item = &str> {
        self.sounds
            .sounding(blurred, self.words.texts())
            .chain(self.lexicon.sounding(blurred).iter().map(String::as_str))
    }

    /// Characters of the longest word that begins with this one; 0 when none does.
    pub fn longest_from(&self, first: char) -> usize {
        self.words.longest_from(first).max(self.lexicon.longest_from(first)).min(self.max_word)
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
