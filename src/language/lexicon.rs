//! The lexicon: the data file of the language, read, checked and compiled into a table from words to senses.

use std::collections::HashMap;

use super::command::Type;

/// The data file that ships.
const BUILT_IN: &str = include_str!("zh.yaml");

/// Characters of the longest word.
const MAX_WORD: usize = 16;

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

/// A data file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LexiconError {
    /// Not the shape of a lexicon.
    #[error("the lexicon is not valid: {0}")]
    Yaml(#[from] serde_yaml::Error),
    /// Another version of the format.
    #[error("the lexicon has version {0}, this program reads version 1")]
    Version(u32),
    /// An entry that points to nothing.
    #[error("{path}: there is no {what} `{id}`")]
    Unknown {
        /// Where.
        path: String,
        /// What kind of entry.
        what: &'static str,
        /// The missing id.
        id: String,
    },
}

/// A kind of device.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Its id in the data file.
    pub id: String,
    /// The protocol's type.
    pub kind: Type,
    /// Words for the kind in general; the first is used in replies.
    pub words: Vec<String>,
    /// Words for one sort of it.
    pub specific: Vec<String>,
    /// What descriptions and categories say.
    pub hints: Vec<String>,
    /// The property of a bare number or a generic `level`.
    pub number: Option<PropertyId>,
    /// The bare word means all of a room.
    pub collective: bool,
    /// Kinds meant when none of this kind is there.
    pub covers: Vec<KindId>,
    /// A room said with it is where it works.
    pub mobile: bool,
    /// It only reports.
    pub sensor: bool,
    /// It carries another device: what is named after something else is not spoken of as this.
    pub carrier: bool,
    /// Opening or starting it needs a confirmation.
    pub risky: bool,
    /// Other devices have one of their own: the lamp of a hood.
    pub part: bool,
    /// Words for it by which more means less of its number: 冷气开大 cools.
    pub inverse: Vec<String>,
}

/// A property.
#[derive(Clone, Debug, Default)]
pub struct PropertyWord {
    /// Its id in the data file.
    pub id: String,
    /// Words for it; the first is used in replies and commands.
    pub words: Vec<String>,
    /// What ids of hubs contain.
    pub ids: Vec<String>,
    /// Words that say it is not so.
    pub absent: Vec<String>,
    /// Words for more of it.
    pub up: Vec<String>,
    /// Words for less of it.
    pub down: Vec<String>,
    /// Units that settle it.
    pub units: Vec<String>,
    /// Whose it usually is.
    pub kinds: Vec<KindId>,
    /// What 一点 changes, if not a tenth of the range.
    pub step: Option<f64>,
    /// The smallest value that `最小` sets lies one step above zero.
    pub floor: bool,
    /// A home brought it: the language has no word for it.
    pub own: bool,
    /// It is true or false.
    pub flag: bool,
    /// What descriptions say that mean it, and nobody says as its name.
    pub describes: Vec<String>,
    /// The properties that one word stands for: 摆风 for up and down, and for left and right.
    pub covers: Vec<PropertyId>,
    /// The kind of thing that it is called after: the lamp of a hood.
    pub kind: Option<KindId>,
    /// The property that people may mean by its general name: the temperature of what heats water is that of the water.
    pub like: Option<PropertyId>,
}

/// What a home calls its properties.
#[derive(Clone, Debug, Default)]
pub struct OwnWords {
    /// Properties that only this home has.
    pub properties: Vec<OwnProperty>,
    /// Further words for properties of the language.
    pub also: Vec<(PropertyId, String)>,
}

/// A property that only one home has.
#[derive(Clone, Debug)]
pub struct OwnProperty {
    /// Its words; the first is its description.
    pub words: Vec<String>,
    /// It is true or false.
    pub flag: bool,
    /// The kind of thing that it is called after.
    pub kind: Option<KindId>,
    /// What it is called where it is said to be more or less.
    pub short: Option<String>,
}

impl OwnWords {
    /// Whether the home needs no words but those of the language.
    pub fn is_empty(&self) -> bool {
        self.properties.is_empty() && self.also.is_empty()
    }
}

/// A value of enumerations.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its id in the data file.
    pub id: String,
    /// Words for it.
    pub words: Vec<String>,
    /// Values of hubs.
    pub ids: Vec<String>,
}

/// A verb.
#[derive(Clone, Debug)]
pub struct Verb {
    /// Its id in the data file.
    pub id: String,
    /// Words for it; the first is the canonical ACTION.
    pub words: Vec<String>,
    /// What fulfils it, best first.
    pub does: Vec<Effect>,
    /// The verb that undoes it.
    pub opposite: Option<VerbId>,
    /// It never needs a confirmation.
    pub safe: bool,
    /// Words for the state it leaves behind.
    pub state: Vec<String>,
    /// What descriptions of commands say that mean it, and nobody says.
    pub describes: Vec<String>,
    /// What ids of commands say.
    pub ids: Vec<String>,
    /// What it makes of a feature that is named with it: 打开摇头 makes it true, 停止摇头 false.
    pub switches: Option<bool>,
}

/// One way to fulfil a verb.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// A bool property takes a value.
    Flag(PropertyId, bool),
    /// An enumeration takes a value.
    Choice(ChoiceId),
    /// A number takes an end of its range.
    End(PropertyId, Extreme),
    /// A number moves by one.
    Nudge(PropertyId, bool),
}

/// A class of rooms.
#[derive(Clone, Debug)]
pub struct RoomClass {
    /// Words for the class.
    pub words: Vec<String>,
    /// Rooms of the class with names of their own.
    pub specific: Vec<String>,
    /// Not part of 全屋 when something is switched on.
    pub outside: bool,
    /// Words for all rooms that are outside (`室外`).
    pub whole: bool,
}

/// What people say without naming a device.
#[derive(Clone, Debug)]
pub struct Situation {
    /// Its id in the data file.
    pub id: String,
    /// Whole utterances.
    pub texts: Vec<String>,
    /// How such a text begins, whatever is painted after it (`热得…`).
    pub begins: Vec<String>,
    /// Words of a scene's name that fulfils it.
    pub scene: Vec<String>,
    /// What would help, in order of preference.
    pub wishes: Vec<Wish>,
}

/// One thing that would help.
#[derive(Clone, Debug)]
pub struct Wish {
    /// With devices of this kind.
    pub kind: KindId,
    /// Do this, unless it is done already.
    pub verb: Option<VerbId>,
    /// Only those in the state of this verb.
    pub only: Option<VerbId>,
    /// Or change this property.
    pub step: Option<(PropertyId, bool)>,
    /// In the whole home, not only in the speaker's room.
    pub whole_home: bool,
}

/// Answers to the daemon's own questions.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Yes.
    pub yes: Vec<String>,
    /// No.
    pub no: Vec<String>,
    /// All of them.
    pub all: Vec<String>,
    /// Whichever.
    pub any: Vec<String>,
    /// The last one.
    pub last: Vec<String>,
    /// The first one.
    pub first: Vec<String>,
}

impl Answers {
    /// Whether a word answers nothing by itself.
    pub fn is_none_of(&self, word: &str) -> bool {
        let lists = [&self.yes, &self.no, &self.all, &self.any, &self.last, &self.first];
        !lists.into_iter().flatten().any(|answer| answer == word)
    }
}

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
    /// Measure words.
    pub measures: Vec<String>,
    /// What is said before a command and means nothing (`好了`, `算了`).
    pub interjections: Vec<String>,
    /// What names of devices end in.
    pub device_suffix: Vec<String>,
    /// Whoever is spoken of (`我`, `他`).
    pub pronouns: Vec<String>,
    /// What ends the short name of a quantity (`雾量`).
    pub quantity_ending: Vec<String>,
    /// What an unknown word holds that is not about the home (`歌`).
    pub topics: Vec<String>,
    /// What says that something stays as it is (`留着`).
    pub kept: Vec<String>,
    /// What is left out before and after the name of a device.
    pub left_out: [Vec<String>; 2],
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
    /// Answers.
    pub answers: Answers,
    pub(super) senses: HashMap<String, Vec<Sense>>,
    pub(super) sounds: HashMap<String, Vec<String>>,
}

impl Lexicon {
    /// The language that ships.
    ///
    /// # Errors
    /// Never for the file that ships; a test reads it.
    pub fn built_in() -> Result<Self, LexiconError> {
        Self::parse(BUILT_IN)
    }

    /// Reads a data file.
    ///
    /// # Errors
    /// When it is not a lexicon of version 1, or an entry points to an id that is not there.
    pub fn parse(text: &str) -> Result<Self, LexiconError> {
        super::compile::compile(text)
    }

    /// The language with what one home calls its properties. A word that means something else besides names the property
    /// only beside a verb that switches: [`Sense::Feature`].
    #[must_use]
    pub fn with_words(&self, own: OwnWords) -> Self {
        let mut lexicon = self.clone();
        let add = |lexicon: &mut Self, word: &str, property: PropertyId| {
            let known = !self.senses(word).is_empty();
            let sense = if known { Sense::Feature(property) } else { Sense::Property(property) };
            let senses = lexicon.senses.entry(word.to_owned()).or_default();
            if !senses.contains(&sense) {
                senses.push(sense);
            }
        };
        for OwnProperty { words, flag, kind, short } in own.properties {
            let Some(id) = words.first().cloned() else { continue };
            let property = lexicon.properties.len();
            if let Some(short) = short {
                lexicon.senses.entry(short).or_default().push(Sense::Feature(property));
            }
            for word in &words {
                add(&mut lexicon, word, property);
                // X, X功能, X模式 are the same X; a part of a long name will do where 功能 follows it.
                for suffix in self.feature_suffix.iter().filter(|_| flag) {
                    add(&mut lexicon, &format!("{word}{suffix}"), property);
                    for part in parts(word) {
                        if self.senses(&format!("{part}{suffix}")).is_empty() && !self.is_value(&part) {
                            add(&mut lexicon, &format!("{part}{suffix}"), property);
                        }
                    }
                }
            }
            lexicon.properties.push(PropertyWord { id, words, own: true, flag, kind, ..PropertyWord::default() });
        }
        for (property, word) in own.also {
            add(&mut lexicon, &word, property);
        }
        lexicon
    }

    /// Whether a word is a value of enumerations.
    fn is_value(&self, word: &str) -> bool {
        self.senses(word).iter().any(|s| matches!(s, Sense::Choice(_)))
    }

    /// What a normalised word can mean; empty when it is no word.
    pub fn senses(&self, word: &str) -> &[Sense] {
        self.senses.get(word).map_or(&[], Vec::as_slice)
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

    /// The verb of this id.
    pub fn verb(&self, id: &str) -> Option<VerbId> {
        self.verbs.iter().position(|v| v.id == id)
    }

    /// The property of this id.
    pub fn property(&self, id: &str) -> Option<PropertyId> {
        self.properties.iter().position(|p| p.id == id)
    }

    /// The kind of this id.
    pub fn kind(&self, id: &str) -> Option<KindId> {
        self.kinds.iter().position(|k| k.id == id)
    }

    /// The value of this id.
    pub fn choice(&self, id: &str) -> Option<ChoiceId> {
        self.choices.iter().position(|c| c.id == id)
    }
}

/// The beginning and the end of a name of three characters and more.
fn parts(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    let length = chars.len();
    let cuts = (2..length).filter(|cut| length >= 3 && *cut < length);
    cuts.flat_map(|cut| [chars[..cut].iter().collect::<String>(), chars[length - cut..].iter().collect()]).collect()
}
