//! The vocabulary of one home: the lexicon, and every name that the home's document brings.

mod spoken;
mod variants;

use std::collections::HashMap;
use std::sync::Arc;

use super::command::bare;
use super::lexicon::{KindId, Lexicon, Sense};
use super::meaning::{DeviceSense, kinds_of_name, own_words};
use super::number;
use crate::home::{Domain, Home};
use crate::text::{normalize, pinyin};

pub use spoken::taken_names;

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
    /// Other ways to say the names of devices, and whose they are.
    pub variants: Vec<(String, usize)>,
    words: HashMap<String, Vec<Sense>>,
    sounds: HashMap<String, Vec<String>>,
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
            sounds: HashMap::new(),
        };
        vocabulary.collect(&home);
        vocabulary
    }

    fn collect(&mut self, home: &Home) {
        let lexicon = Arc::clone(&self.lexicon);
        for (index, device) in home.devices.iter().enumerate() {
            for name in device.names().flat_map(spellings).filter(|name| !spoken::is_taken(name, &lexicon)) {
                self.add_device(&name, index);
            }
        }
        // What the home does not call so itself may be said so.
        let rooms: Vec<String> =
            home.rooms.iter().flat_map(|r| std::iter::once(&r.name).chain(&r.aliases)).map(|n| normalize(n)).collect();
        let is_room = |text: &str| {
            rooms.iter().any(|r| r == text)
                || self.lexicon.senses(text).iter().any(|s| matches!(s, Sense::RoomClass(_) | Sense::RoomSort(_)))
        };
        // 轩轩 of 轩轩窗帘 is the child and not the curtain where a room or another sort of thing is called after it.
        let called: Vec<(String, Vec<KindId>)> = home
            .devices
            .iter()
            .flat_map(|d| d.names().map(normalize))
            .map(|name| (kinds_of_name(&name, &lexicon), name))
            .map(|(kinds, name)| (name, kinds))
            .collect();
        let shared = |brand: &str, name: &str| {
            let kinds = kinds_of_name(name, &lexicon);
            let other = |(n, k): &(String, Vec<KindId>)| n.contains(brand) && !k.iter().any(|k| kinds.contains(k));
            rooms.iter().any(|r| r.contains(brand)) || called.iter().any(other)
        };
        let mut said: Vec<(String, usize)> = Vec::new();
        for (index, device) in home.devices.iter().enumerate() {
            let room = device.room.map(|r| normalize(&home.rooms[r].name)).unwrap_or_default();
            for name in device.names().map(normalize).filter(|name| !spoken::is_taken(name, &lexicon)) {
                // 主卧左窗帘 in the 主卧 is the left one there.
                let bare = name.strip_prefix(room.as_str()).filter(|rest| !room.is_empty() && rest.chars().count() > 1);
                for name in std::iter::once(name.as_str()).chain(bare) {
                    let brand = variants::brand(name, &lexicon).filter(|b| !is_room(b) && !shared(b, name));
                    let more = variants::variants(name, &lexicon, &is_room).into_iter().chain(brand);
                    said.extend(more.filter(|v| !self.words.contains_key(v)).map(|v| (v, index)));
                }
            }
        }
        said.sort();
        said.dedup();
        for (variant, index) in &said {
            self.add_device(variant, *index);
        }
        self.variants = said;
        for (index, group) in home.groups.iter().enumerate() {
            for name in std::iter::once(&group.name).chain(&group.aliases).flat_map(|name| spellings(name)) {
                self.add(&name, Sense::Group(index), true);
            }
        }
        for (index, scene) in home.scenes.iter().enumerate() {
            for name in std::iter::once(&scene.name).chain(&scene.aliases).flat_map(|name| spellings(name)) {
                self.add(&name, Sense::Scene(index), true);
            }
        }
        for (index, room) in home.rooms.iter().enumerate() {
            for name in std::iter::once(&room.name).chain(&room.aliases).flat_map(|name| spellings(name)) {
                self.add(&name, Sense::Room(index), true);
            }
        }
        for index in 0..self.floors.len() {
            let floor = self.floors[index].clone();
            // A floor called 一 is said 一楼; a bare numeral stays a number.
            if number::read(&floor.chars().collect::<Vec<_>>()).is_none() {
                self.add(&floor, Sense::Floor(index), true);
            }
        }
        let said: Vec<Domain> =
            self.devices.iter().flat_map(|d| &d.abilities).filter_map(|ability| ability.domain.clone()).collect();
        for domain in said {
            let Domain::Enum(choices) = domain else { continue };
            for choice in &choices {
                let word = normalize(&choice.describe);
                if !word.is_empty() && self.lexicon.senses(&word).is_empty() {
                    self.add(&word, Sense::Value, false);
                }
            }
        }
    }

    fn add_device(&mut self, name: &str, index: usize) {
        if let Some(senses) = self.words.get_mut(name) {
            for sense in senses.iter_mut() {
                if let Sense::Devices(devices) = sense {
                    if !devices.contains(&index) {
                        devices.push(index);
                    }
                    return;
                }
            }
        }
        self.add(name, Sense::Devices(vec![index]), true);
    }

    fn add(&mut self, word: &str, sense: Sense, spoken: bool) {
        let length = word.chars().count();
        if word.is_empty() || length > MAX_NAME {
            return;
        }
        self.max_word = self.max_word.max(length);
        let senses = self.words.entry(word.to_owned()).or_default();
        if !senses.contains(&sense) {
            senses.push(sense);
        }
        if spoken && length >= 2 {
            for reading in pinyin::readings(word) {
                let words = self.sounds.entry(pinyin::blur(&reading)).or_default();
                if !words.iter().any(|w| w == word) {
                    words.push(word.to_owned());
                }
            }
        }
    }

    /// What a normalised word can mean in this home: the home's own names first.
    pub fn senses(&self, word: &str) -> Vec<Sense> {
        let own = self.words.get(word).map_or(&[][..], Vec::as_slice);
        own.iter().chain(self.lexicon.senses(word)).cloned().collect()
    }

    /// What the home itself calls so, with or without the separators of the protocol.
    pub fn named(&self, text: &str) -> &[Sense] {
        let own = self.words.get(&normalize(text)).or_else(|| self.words.get(&bare(text)));
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
    pub fn sounding(&self, blurred: &str) -> impl Iterator<Item = &String> {
        self.sounds.get(blurred).into_iter().flatten().chain(self.lexicon.sounding(blurred))
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

/// A name as it is written, and as it is said: nobody speaks the separators of the protocol.
pub fn spellings(name: &str) -> impl Iterator<Item = String> {
    let written = normalize(name);
    let said = Some(bare(name)).filter(|said| !said.is_empty() && *said != written);
    std::iter::once(written).chain(said)
}
