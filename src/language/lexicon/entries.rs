//! What the language data is made of.

use serde::Deserialize;

use super::super::command::Type;
use super::super::sense::{Extreme, Unit};
use super::{ChoiceId, KindId, PropertyId, VerbId};

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
    /// What people call the one of a room that lights all of it (`大灯`).
    pub main: Vec<String>,
    /// Sorts that do so.
    pub overhead: Vec<String>,
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
    /// Seconds that it may take to be as it was told to be, where it says nothing on its way.
    pub takes: u16,
    /// Words for it by which more means less of its number: 冷气开大 cools.
    pub inverse: Vec<String>,
    /// What it does while it is on: 风扇 is 吹 and 转.
    pub goes: Vec<String>,
    /// What it works on: whoever asks whether that is done asks the thing (`衣服洗完了没`).
    pub handles: Vec<String>,
    /// What several of it are counted by in answers (`三盏灯`).
    pub measure: Option<String>,
    /// What it does has an end, and is stopped before.
    pub task: bool,
    /// A flag of it that does not start it harms nobody.
    pub cooks: bool,
    /// Without a switch of its own it is off when all that it does is.
    pub functions: bool,
    /// What such things are for.
    pub purposes: Vec<String>,
}

/// What ends that a thing goes on: `烟机不用抽了`.
#[derive(Clone, Debug, Default)]
pub struct Ceases {
    /// Words that say that it shall not.
    pub not: Vec<String>,
    /// What may stand between these and the thing (`别让…`).
    pub let_it: Vec<String>,
    /// What features and lamps of a thing do.
    pub feature: Vec<String>,
    /// What may follow, character by character.
    pub ends: Vec<String>,
    /// What ends where it is not done any more (`不洗了`), and is no complaint.
    pub over: Vec<String>,
    /// What people do with what shows and plays something (`不看了`).
    pub enjoyed: Vec<String>,
    /// That what is on its way has come far enough (`到这`).
    pub far_enough: Vec<String>,
    /// In the name of a feature, what says that it keeps something off (`防直吹`).
    pub against: Vec<String>,
}

/// What things make and wash, in the words of people.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tasks {
    /// What may stand before it (`给我`).
    pub before: Vec<String>,
    /// That it has begun, behind the verb (`煮上`).
    pub begun: Vec<String>,
    /// What stands between the verb and what is made (`点`).
    pub between: Vec<String>,
    /// What may follow.
    pub after: Vec<String>,
    /// One sort of thing each.
    pub makings: Vec<Making>,
}

/// One sort of what is made.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Making {
    /// How it is made; empty where what is done is all that is said (`甩干`).
    pub verbs: Vec<String>,
    /// What people call it.
    pub of: Vec<String>,
    /// What is in the names of its programs, the best first.
    pub values: Vec<String>,
}

/// How people say how hard a thing presses.
#[derive(Clone, Debug)]
pub struct Pressing {
    /// What may stand before it (`按得`).
    pub before: Vec<String>,
    /// Says that it is too much (`太`).
    pub overly: Vec<String>,
    /// Harder (`重`).
    pub harder: Vec<String>,
    /// Softer (`轻`).
    pub softer: Vec<String>,
    /// Tighter, of a part that presses (`紧`).
    pub tighter: Vec<String>,
    /// Looser (`松`).
    pub looser: Vec<String>,
    /// What may follow (`一点`).
    pub after: Vec<String>,
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
    /// What its numbers count where a home names no unit: shares of the range, gears, channels.
    pub counts: Option<Unit>,
    /// What of its values says by itself what it is: 25度 is a temperature, 制冷 is a mode.
    pub implied: Vec<Implied>,
    /// The property that people may mean by its general name: the temperature of what heats water is that of the water.
    pub like: Option<PropertyId>,
    /// It is what the property that it is like is set to, as questions ask for it.
    pub aim: bool,
}

impl PropertyWord {
    /// Whether things have it besides being on or off, and it is switched by itself.
    pub fn is_feature(&self) -> bool {
        self.flag && (self.own || !self.kinds.is_empty())
    }
}

/// Values that say by themselves which property they are of.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Implied {
    /// Its numbers.
    Number,
    /// Its words.
    Word,
    /// Its words with its name after them: 制冷模式.
    Suffixed,
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
    /// How a thing is told that is in its state already (`在充电`); as its first word for the state, where it is missing.
    pub rest: Option<String>,
    /// How it is told of a thing, with a place for its name: `{what}`.
    pub told: String,
    /// What it makes of a feature that is named with it: 打开摇头 makes it true, 停止摇头 false.
    pub switches: Option<bool>,
    /// Only what moves about does it.
    pub mobile: bool,
    /// What plays does it, where no thing is named.
    pub plays: bool,
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
    /// Somebody sleeps there, whose it is.
    pub private: bool,
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
    /// How it feels (`热`): with a word for how much, that is the situation.
    pub feels: Vec<String>,
    /// Words of a scene's name that fulfils it.
    pub scene: Vec<String>,
    /// What would help, in order of preference.
    pub wishes: Vec<Wish>,
}

/// What says how much something is felt (`太`, `得很`).
#[derive(Clone, Debug, Default)]
pub struct Felt {
    /// Before it.
    pub before: Vec<String>,
    /// After it.
    pub after: Vec<String>,
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

/// What asks how long something still takes, and what tells it.
#[derive(Clone, Debug, Default)]
pub struct HowLong {
    /// What question words end in that ask for a time (`还要多久`).
    pub asked: Vec<String>,
    /// What the name of a property holds that says how much time is left.
    pub left: Vec<String>,
}

/// How people ask for what was before: `恢复成先前那样`.
#[derive(Clone, Debug, Default)]
pub struct Restores {
    /// What goes back.
    pub by: Vec<String>,
    /// To where, which may be left out.
    pub to: Vec<String>,
    /// When it was so.
    pub when: Vec<String>,
    /// What of it, which may be left out.
    pub what: Vec<String>,
}

impl Restores {
    /// Where a text asks for that: where the words begin and end, in bytes.
    pub fn find(&self, text: &str) -> Option<(usize, usize)> {
        let longest = |words: &[String], rest: &str| {
            words.iter().filter(|word| rest.starts_with(word.as_str())).map(String::len).max().unwrap_or(0)
        };
        let asked = |(start, by): (usize, &str)| {
            let mut end = start + by.len();
            end += longest(&self.to, &text[end..]);
            let when = longest(&self.when, &text[end..]);
            end += when + longest(&self.what, &text[end + when..]);
            (when > 0).then_some((start, end))
        };
        let found = self.by.iter().flat_map(|by| text.match_indices(by.as_str())).filter_map(asked);
        found.max_by_key(|(start, end)| end - start)
    }
}
