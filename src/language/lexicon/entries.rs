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
    /// What it does has an end, and is stopped before.
    pub task: bool,
    /// A flag of it that does not start it harms nobody.
    pub cooks: bool,
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

/// Function words that rules of the grammar speak of, each by its duty.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// What goes on with something (`继续`).
    pub continues: Vec<String>,
    /// Stands between whose it is and what it is (`的`).
    pub of: String,
    /// Stands for what was spoken of (`它`).
    pub it: String,
    /// Before whoever something is done for (`给奶奶把灯打开`).
    pub helps: Vec<String>,
    /// Behind somebody, what makes that person's room (`奶奶屋`).
    pub rooms_of: Vec<String>,
    /// Brands that end as what is said of whose something is (`美的`).
    pub brands: Vec<String>,
    /// Count lamps and nothing else (`那盏`).
    pub lamps: Vec<String>,
    /// Stands before what is not done any more (`不关了`).
    pub denies: String,
    /// What a lamp gives (`光`).
    pub shine: Vec<String>,
    /// Say how long something has been so (`一宿`).
    pub lasted: Vec<String>,
    /// Stand before the value that something has so far (`从二十六调到二十四`).
    pub from: Vec<String>,
    /// Say how somebody feels about something (`怕`).
    pub feels: Vec<String>,
    /// Opens a condition (`如果`).
    pub supposes: String,
    /// Stands before the number of one in a row (`第`).
    pub ordinal: String,
    /// Stands after the number of one of several (`号`).
    pub number: String,
    /// Ends what points to one of several (`那个`).
    pub one: String,
    /// Says that something has become so (`了`).
    pub changed: String,
    /// Says that something goes on (`着`).
    pub going: String,
    /// Say that something was done.
    pub done: Vec<String>,
    /// Says that something was not done (`没`).
    pub undone: String,
    /// Begins what denies (`不是`).
    pub not: String,
    /// Ends what says what is meant (`我说的是`).
    pub is: String,
    /// Say that nothing but one of several is meant (`只`).
    pub only: Vec<String>,
    /// Ask what something can be set to, beside what it is that is set (`有哪些模式`).
    pub options: Vec<String>,
    /// Say of all others that they are not wanted (`别的不要`).
    pub unwanted: Vec<String>,
    /// Makes a statement a question (`吧`).
    pub tag: String,
    /// Whoever speaks (`我`).
    pub speaker: String,
    /// Refuse by themselves.
    pub refusals: Vec<String>,
    /// Tell something to end; words that begin with the first may begin with any of them.
    pub stop: Vec<String>,
    /// Are called out before a name.
    pub calls: Vec<String>,
    /// Set the value right behind them, and are no words by themselves (`打制冷`).
    pub sets: Vec<String>,
    /// Say that somebody did not think of something (`忘`).
    pub forgot: Vec<String>,
    /// What is said while thinking, before one begins anew: `呃`.
    pub hesitates: Vec<String>,
    /// End what has to be over first (`洗完`).
    pub over: Vec<String>,
    /// End what is put off (`等会儿再说`).
    pub postpones: Vec<String>,
    /// Count something that is no value of a thing (`七十五寸`).
    pub counters: Vec<String>,
    /// Parts of a thing and of furniture, which are not switched with it (`洗衣机门`).
    pub parts: Vec<String>,
    /// Say how strong something shall be, and not how warm (`大`).
    pub strong: Vec<String>,
    /// Say of what has not begun that it need not (`速冷不用`).
    pub needless: Vec<String>,
    /// Ask somebody at the end whether that was heard (`听见没`).
    pub hears: Vec<String>,
    /// Before what is done before anything else (`先`).
    pub first: Vec<String>,
    /// Begin what was done just now (`刚关`).
    pub just: Vec<String>,
    /// Say that somebody is at it (`打扫呢`).
    pub busy: Vec<String>,
    /// What some things do, and people do to all others.
    pub washes: Vec<String>,
    /// Before what has to come about first (`等`).
    pub waits: Vec<String>,
    /// Right before what is told, that it shall be later (`等下关电视`); by themselves they take something back.
    pub soon: Vec<String>,
    /// Between that and what is told (`再`).
    pub again: Vec<String>,
    /// Say how much, and sound like what is told (`挺`).
    pub very: Vec<String>,
    /// Say that somebody hears something, and sound like what is told (`听`).
    pub listens: Vec<String>,
    /// Say that something is done at once, whatever is done later (`现在`).
    pub now: Vec<String>,
}

/// What asks how long something still takes, and what tells it.
#[derive(Clone, Debug, Default)]
pub struct HowLong {
    /// What question words end in that ask for a time (`还要多久`).
    pub asked: Vec<String>,
    /// What the name of a property holds that says how much time is left.
    pub left: Vec<String>,
}
