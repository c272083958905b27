//! The lexicon: the data file of the language, read, checked and compiled into a table from words to senses.

use std::collections::HashMap;
use std::sync::Arc;

mod asides;
mod asked;
mod by_part;
mod called;
mod entries;
mod marks;
mod own;
mod situation_texts;

use super::command::Type;
use super::ordinary::Ordinary;
use super::protocol::ProtocolWords;
use super::time::TimeWords;
use crate::embedding::documents::Clusters;
use crate::embedding::words::Words as Meanings;
use crate::zh::{DataError, Sources, Texts};

/// Characters of the longest word.
const MAX_WORD: usize = 16;

pub use asides::Asides;
pub use asked::AskedWords;
pub use by_part::{ByPart, Turned};
pub(super) use called::Called;
pub use entries::{
    Answers, Ceases, Choice, Effect, Felt, HowLong, Implied, Kind, OwnProperty, OwnWords, Pressing, PropertyWord,
    Restores, RoomClass, Situation, Tasks, Verb, Wish,
};
pub use marks::Marks;

pub(super) use situation_texts::SituationTexts;

pub use super::sense::{Comparison, Extreme, Question, Sense, Unit};

/// Position of a kind in [`Lexicon::kinds`].
pub type KindId = usize;
/// Position of a property in [`Lexicon::properties`].
pub type PropertyId = usize;
/// Position of a verb in [`Lexicon::verbs`].
pub type VerbId = usize;
/// Position of a value in [`Lexicon::choices`].
pub type ChoiceId = usize;
/// Position of a room class in [`Lexicon::rooms`].
pub type RoomClassId = usize;

/// Ids of entries.
pub struct Ids {
    /// Of kinds.
    pub kinds: &'static [&'static str],
    /// Of properties.
    pub properties: &'static [&'static str],
    /// Of values.
    pub choices: &'static [&'static str],
    /// Of verbs.
    pub verbs: &'static [&'static str],
}

/// What code asks for by its id: loading refuses a lexicon without one of them, and a test reads them off the source.
#[rustfmt::skip]
pub const RELIED: Ids = Ids {
    kinds: &["air_conditioner", "blind", "door", "fan", "light", "lock", "person", "projection_screen", "switch", "television"],
    properties: &[
        "action", "air", "brightness", "channel", "color", "color_temperature", "illuminance", "level", "locked", "mode",
        "open", "portions", "position", "power", "program", "speed", "suction", "swing", "swing_horizontal",
        "swing_vertical", "temperature", "timer", "volume", "water_temperature",
    ],
    choices: &[
        "cancel", "clean", "close", "cool", "down", "fault", "fixed", "heat", "high", "low", "mid", "normal", "open",
        "pause", "quick", "resume", "silent", "stop", "turbo", "up",
    ],
    verbs: &[
        "cancel", "clean", "draw", "feed", "flush", "halt", "lock", "lower", "mop", "mute", "off", "on", "pause", "play",
        "raise", "run_scene", "start", "stop", "unlock",
    ],
};

/// The language as data.
#[derive(Clone, Debug)]
pub struct Lexicon {
    /// Kinds of devices.
    pub kinds: Vec<Kind>,
    /// Properties.
    pub properties: Vec<PropertyWord>,
    /// Values of enumerations.
    pub choices: Vec<Choice>,
    /// Verbs.
    pub verbs: Vec<Verb>,
    /// Room classes.
    pub rooms: Vec<RoomClass>,
    /// Colour temperatures by word.
    pub kelvin: Vec<(u32, Vec<String>)>,
    /// Units and their words.
    pub units: Vec<(Unit, Vec<String>)>,
    /// What points to one of several (`那个`), between whose it is and what it is.
    pub pointers: Vec<String>,
    /// Ask that what was done be taken back (`换回去`).
    pub undo: Vec<String>,
    /// The same, put together of its parts.
    pub restores: Restores,
    /// Function words by their duty.
    pub marks: Marks,
    /// Measure words.
    pub measures: Vec<String>,
    /// What is said before a command and means nothing (`好了`, `算了`).
    pub interjections: Vec<String>,
    /// What says how much of something somebody does not want (`别那么亮`).
    pub so: Vec<String>,
    /// What leads to what shall not come of it (`省得晃眼`).
    pub lest: Vec<String>,
    /// What stands between a thing and how much is asked of it (`水烧到多少度`).
    pub through: Vec<String>,
    /// What asks how long something still takes.
    pub how_long: HowLong,
    /// Words of questions by their duty.
    pub asked: AskedWords,
    /// What a story says after what somebody said in it.
    pub attributed: Vec<String>,
    /// What makes a sentence none that tells anything, although it holds an action.
    pub asides: Asides,
    /// What names of devices end in.
    pub device_suffix: Vec<String>,
    /// Whoever is spoken of (`我`, `他`).
    pub pronouns: Vec<String>,
    /// What ends the short name of a quantity (`雾量`).
    pub quantity_ending: Vec<String>,
    /// What stands in the name of a quantity and is left out (`制冷设定温度`).
    pub quantity_infix: Vec<String>,
    /// What stands between a verb and its object (`煮个粥`).
    pub between: Vec<String>,
    /// What is in the names of blinds that go up and down.
    pub lifted: Vec<String>,
    /// Words for the front one and the back one, the upper and the lower; the first of each stands in names.
    pub ends: Vec<Vec<String>>,
    /// What things make and wash, in the words of people.
    pub tasks: Tasks,
    /// How people say how hard a thing presses.
    pub pressing: Pressing,
    /// How people name what documents call in full.
    pub by_part: ByPart,
    /// How people say which way a camera shall turn.
    pub turned: Turned,
    /// Groups of values that people take for each other (`优盘`).
    pub alike: Vec<Vec<String>>,
    /// Groups of what is in the names of features and what people say that these do (`语音`, `说话`).
    pub doings: Vec<Vec<String>>,
    /// Groups of names of features that people take for each other.
    pub same: Vec<Vec<String>>,
    /// What an unknown word holds that is not about the home (`歌`).
    pub topics: Vec<String>,
    /// What says that something stays as it is (`留着`).
    pub kept: Vec<String>,
    /// What leaves a value besides the verbs that switch off (`退出`), and what a value is called that is none of them.
    pub leaves: [Vec<String>; 2],
    /// What ends that a thing goes on.
    pub ceases: Ceases,
    /// What leads from a reason to what is told (`所以`).
    pub therefore: Vec<String>,
    /// What is left out before and after the name of a device.
    pub left_out: [Vec<String>; 2],
    /// What makes another quantity of one, before and after its name: `最高亮度` and `光照阈值` are set and are no brightness.
    pub tuned: [Vec<String>; 2],
    /// Who is spoken to (`你`): after a name of somebody, the sentence is meant for that one.
    pub addressees: Vec<String>,
    /// What follows a verb that describes (`开得很大`).
    pub complement: Vec<String>,
    /// Times of the day, which may be told as well as asked for.
    pub day: Vec<String>,
    /// What begins somebody else's words.
    pub quotes: Vec<String>,
    /// Words that end the name of a feature (`功能`).
    pub feature_suffix: Vec<String>,
    /// Words that end the description of a command which takes a value (`设置`).
    pub command_suffix: Vec<String>,
    /// What the descriptions of commands that switch something end in: off, on.
    pub switched: [Vec<String>; 2],
    /// Words that end the name of a quantity (`角度`).
    pub quantity_suffix: Vec<String>,
    /// Single characters that are recognised by their sound.
    pub misheard: Vec<String>,
    /// Words for a little.
    pub little: Vec<String>,
    /// Words for rooms in general.
    pub any_room: Vec<String>,
    /// Words for the whole home.
    pub home: Vec<String>,
    /// Words for the left side, and for the right.
    pub sides: [Vec<String>; 2],
    /// Words for scenes in general.
    pub scene_words: Vec<String>,
    /// Suffixes of floors (`楼`).
    pub floor_suffix: Vec<String>,
    /// Situations.
    pub situations: Vec<Situation>,
    /// What says how much a situation is felt.
    pub felt: Felt,
    /// What begins a statement about what was just named (`会`).
    pub modals: Vec<String>,
    /// What somebody wants (`要`): whoever stands before it is told of, and not spoken to.
    pub wants: Vec<String>,
    /// Answers.
    pub answers: Answers,
    /// The words of time.
    pub time: Arc<TimeWords>,
    /// Texts that are used as they stand.
    pub texts: Arc<Texts>,
    pub(super) ordinary: Arc<Ordinary>,
    pub(super) protocol: Arc<ProtocolWords>,
    /// Words that mean the same, and words that mean opposites.
    pub meanings: Arc<Meanings>,
    /// What people say for what a capability does.
    pub capabilities: Arc<Clusters>,
    pub(super) called: Called,
    pub(super) situation_texts: SituationTexts,
    pub(super) senses: HashMap<String, Vec<Sense>>,
    pub(super) sounds: HashMap<String, Vec<String>>,
    /// Characters of the longest word that begins so.
    pub(super) longest: HashMap<char, usize>,
}

impl Lexicon {
    /// The language that ships.
    ///
    /// # Errors
    /// Never for the files that ship; a test reads them.
    pub fn built_in() -> Result<Self, DataError> {
        Self::of(&Sources::default())
    }

    /// The language that ships, with what an owner lays over it.
    ///
    /// # Errors
    /// Names the file and the path of what is wrong: another version, an entry that points to nothing or back to itself, an
    /// id that is missing.
    pub fn of(sources: &Sources) -> Result<Self, DataError> {
        super::compile::compile(sources)
    }

    /// The same, which knows how long its words are.
    #[must_use]
    pub(super) fn measured(mut self) -> Self {
        self.senses.keys().for_each(|word| lengthen(&mut self.longest, word));
        self
    }

    /// Characters of the longest word that begins with this one; 0 when none does.
    pub fn longest_from(&self, first: char) -> usize {
        self.longest.get(&first).copied().unwrap_or_default()
    }

    /// Whether a word is a value of enumerations.
    fn is_value(&self, word: &str) -> bool {
        self.senses(word).iter().any(|s| matches!(s, Sense::Choice(_)))
    }

    /// What a normalised word can mean; empty when it is no word.
    pub fn senses(&self, word: &str) -> &[Sense] {
        self.senses.get(word).map_or(&[], Vec::as_slice)
    }

    /// Which way a verb switches; `None` for one that switches nothing, and for all that is none.
    pub fn switches(&self, sense: &Sense) -> Option<bool> {
        if let Sense::Verb(verb) = sense { self.verbs[*verb].switches } else { None }
    }

    /// Whether a property is a feature that has the name of a value: 睡眠 where a device knows a sleep mode by a switch of its own.
    pub fn is_feature_called(&self, property: PropertyId, word: &str) -> bool {
        let property = &self.properties[property];
        let suffixed = |w: &String| self.feature_suffix.iter().any(|s| *w == format!("{word}{s}"));
        // 省电 of what is called 节能.
        let same = |w: &String| self.choices.iter().any(|c| c.words.contains(w) && c.words.iter().any(|c| c == word));
        // eco节能
        let behind = |w: &String| w.trim_start_matches(|c: char| c.is_ascii()).trim_start() == word && !word.is_empty();
        let called = |w: &String| w == word || suffixed(w) || same(w) || behind(w);
        property.own && property.flag && property.words.iter().any(called)
    }

    /// Which way the verb switches that a refusal holds as one word: off for `别关`.
    pub fn held(&self, refusal: &str) -> Option<bool> {
        let ends = refusal.char_indices().skip(1).map(|(at, _)| &refusal[at..]);
        ends.flat_map(|verb| self.senses(verb)).find_map(|sense| self.switches(sense))
    }

    /// The kinds that a normalised word stands for, in general or for one sort of them.
    pub fn kinds_called(&self, word: &str) -> impl Iterator<Item = KindId> {
        self.senses(word).iter().filter_map(|sense| match sense {
            Sense::Kind(kind) | Sense::Sort(kind) => Some(*kind),
            _ => None,
        })
    }

    /// Whether a character is a particle by itself.
    pub fn is_particle(&self, c: char) -> bool {
        self.senses(c.encode_utf8(&mut [0; 4])).contains(&Sense::Particle)
    }

    /// A text without the particles at its end.
    pub fn without_particles<'a>(&self, text: &'a str) -> &'a str {
        text.trim_end_matches(|c: char| self.is_particle(c))
    }

    /// Words that sound like this blurred reading.
    pub fn sounding(&self, blurred: &str) -> &[String] {
        self.sounds.get(blurred).map_or(&[], Vec::as_slice)
    }

    /// Characters of the longest word.
    pub fn max_word(&self) -> usize {
        MAX_WORD
    }

    /// Whether a kind is the one that its type of the protocol means by itself: a projector is a `Television`, but not
    /// what 电视 means.
    pub fn is_primary(&self, kind: KindId) -> bool {
        let of_type = self.kinds[kind].kind;
        of_type == Type::Unknown || self.kinds.iter().position(|k| k.kind == of_type) == Some(kind)
    }

    /// Words for a side.
    pub fn side_words(&self, side: &Sense) -> &[String] {
        match side {
            Sense::Side { left: true } => &self.sides[0],
            Sense::Side { left: false } => &self.sides[1],
            _ => &[],
        }
    }

    /// Whether two values are taken for each other.
    pub fn are_alike(&self, one: &str, other: &str) -> bool {
        let holds = |group: &Vec<String>, word: &str| group.iter().any(|w| w == word);
        self.alike.iter().any(|group| holds(group, one) && holds(group, other))
    }

    /// The verb of this id.
    pub fn verb(&self, id: &str) -> Option<VerbId> {
        self.verbs.iter().position(|v| v.id == id)
    }

    /// The property of this id.
    pub fn property(&self, id: &str) -> Option<PropertyId> {
        self.properties.iter().position(|p| p.id == id)
    }

    /// The property that is called so, separators of the protocol aside.
    pub fn property_called(&self, word: &str) -> Option<PropertyId> {
        self.called.find(word)
    }

    /// The kind of this id.
    pub fn kind(&self, id: &str) -> Option<KindId> {
        self.kinds.iter().position(|k| k.id == id)
    }

    /// Seconds of a unit of time, as a home writes it.
    pub fn seconds(&self, unit: &str) -> Option<f64> {
        let unit = unit.to_lowercase();
        match unit.as_str() {
            "s" | "sec" | "second" | "seconds" => Some(1.0),
            "min" | "mins" | "minute" | "minutes" => Some(60.0),
            "h" | "hr" | "hour" | "hours" => Some(3_600.0),
            _ => self.units.iter().find(|(_, words)| words.contains(&unit))?.0.seconds(),
        }
    }

    /// What a unit is called; the first word is the one that is said.
    pub fn unit_words(&self, unit: Unit) -> &[String] {
        self.units.iter().find(|(known, _)| *known == unit).map_or(&[], |(_, words)| words)
    }

    /// The value of this id.
    pub fn choice(&self, id: &str) -> Option<ChoiceId> {
        self.choices.iter().position(|c| c.id == id)
    }
}

/// Notes how long a word is by its first character.
pub(super) fn lengthen(longest: &mut HashMap<char, usize>, word: &str) {
    if let Some(first) = word.chars().next() {
        let known = longest.entry(first).or_default();
        *known = (*known).max(word.chars().count());
    }
}
