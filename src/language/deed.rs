//! The deed: what an ACTION means, and how it is written.
//!
//! The grammar builds deeds and prints them as ACTION text; resolution reads ACTION text back, whether the grammar, a
//! model or a person wrote it. So there is one meaning of an ACTION, and the protocol carries all of it.

use super::grammar;
use super::lexicon::{Comparison, Extreme, Lexicon, PropertyId, Unit, VerbId};
use super::vocabulary::Vocabulary;

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// A plain verb.
    Verb(VerbId),
    /// A property gets a value.
    Set {
        /// Which; left to the device when not said.
        property: Option<PropertyId>,
        /// Its value.
        to: Amount,
    },
    /// A property changes.
    Step {
        /// Which property in which direction; several when the word fits several (`暖`: warmer air, warmer light).
        ways: Vec<(Option<PropertyId>, bool)>,
        /// By how much; a little when not said.
        by: Option<Amount>,
    },
    /// A question about the state of the home.
    Ask(Ask),
    /// A condition that guards the commands after it; several in a row have to hold all.
    When(Condition),
    /// A condition that is enough in place of the one before it.
    OrWhen(Condition),
}

/// A value as it was said.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// A number and its unit.
    Number(f64, Option<Unit>),
    /// A share of the range.
    Percent(f64),
    /// An end of the range.
    Extreme(Extreme),
    /// A colour temperature by word, in kelvin, and the word.
    Kelvin(u32, String),
    /// A value by word.
    Word(String),
    /// A little.
    Little,
    /// A lot.
    Lots,
}

/// Questions about the state of the home.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// How is it?
    State,
    /// Is it in this state?
    Is(Status),
    /// Is there any in this state?
    Any(Status),
    /// Which are in this state?
    Which(Status),
    /// How many are in this state?
    Count(Status),
    /// What is the value of this property?
    Value(PropertyId),
    /// Which has the most of this property, or the least?
    Most(PropertyId, Extreme),
    /// Has the first more of this property than the second (or less)?
    More(PropertyId, bool),
    /// Where is it?
    Where,
    /// Which are there?
    List,
    /// How many are there?
    Number,
}

/// A state to ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// What a verb leaves behind.
    Verb(VerbId),
    /// A property that is true, or not.
    Flag(PropertyId, bool),
    /// A value by word.
    Word(String),
    /// A value as it compares with another.
    Compare {
        /// Which value.
        property: PropertyId,
        /// How.
        comparison: Comparison,
        /// With what.
        value: f64,
        /// Its unit as said.
        unit: Option<Unit>,
    },
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A device is in a state, or is not.
    Status {
        /// The state.
        status: Status,
        /// Whether it must be.
        holds: bool,
    },
    /// It has more of a property than all others, or less. Only where one of several is meant.
    Extreme {
        /// The property.
        property: PropertyId,
        /// Which end.
        extreme: Extreme,
    },
}

impl Deed {
    /// Reads an ACTION; `None` when it means nothing.
    pub fn read(action: &str, vocabulary: &Vocabulary) -> Option<Self> {
        grammar::read_action(action, vocabulary)
    }

    /// Writes the canonical ACTION.
    pub fn write(&self, lexicon: &Lexicon) -> String {
        let property = |id: &Option<PropertyId>| id.map_or("", |p| lexicon.properties[p].words[0].as_str());
        match self {
            Self::Verb(verb) => lexicon.verbs[*verb].words[0].clone(),
            Self::Set { property: id, to } => format!("设置{}={}", property(id), to.write()),
            Self::Step { ways, by } => {
                let amount = by.as_ref().map(|a| format!("={}", a.write())).unwrap_or_default();
                match &ways[..] {
                    [(id, up)] => format!("{}{}{amount}", if *up { "调高" } else { "调低" }, property(id)),
                    several => format!("调{}{amount}", shared_word(several, lexicon)),
                }
            }
            Self::Ask(ask) => ask.write(lexicon),
            Self::When(condition) => format!("如果{}", condition.write(lexicon)),
            Self::OrWhen(condition) => format!("或者{}", condition.write(lexicon)),
        }
    }
}

/// The direction word that stands for all of several ways.
fn shared_word(ways: &[(Option<PropertyId>, bool)], lexicon: &Lexicon) -> String {
    let words = |(id, up): &(Option<PropertyId>, bool)| -> &[String] {
        id.map_or(&[], |p| if *up { &lexicon.properties[p].up } else { &lexicon.properties[p].down })
    };
    let Some((first, rest)) = ways.split_first() else { return String::new() };
    words(first).iter().find(|w| rest.iter().all(|way| words(way).contains(w))).cloned().unwrap_or_default()
}

impl Amount {
    /// As an ACTION writes it.
    pub fn write(&self) -> String {
        match self {
            Self::Number(n, unit) => {
                let sign = if *n < 0.0 { "零下" } else { "" };
                format!("{sign}{}{}", n.abs(), unit.map_or("", unit_text))
            }
            Self::Percent(p) => format!("{p}%"),
            Self::Extreme(Extreme::Max) => "最大".into(),
            Self::Extreme(Extreme::Min) => "最小".into(),
            Self::Extreme(Extreme::Mid) => "中间".into(),
            Self::Kelvin(_, word) | Self::Word(word) => word.replace('-', " "),
            Self::Little => "一点".into(),
            Self::Lots => "很多".into(),
        }
    }
}

/// A unit as an ACTION writes it.
pub fn unit_text(unit: Unit) -> &'static str {
    match unit {
        Unit::Percent => "%",
        Unit::Celsius => "C",
        Unit::Kelvin => "K",
        Unit::Gear => "档",
        Unit::Channel => "频道",
        Unit::Lux => "lx",
        Unit::Minute => "分钟",
        Unit::Hour => "小时",
        Unit::Second => "秒",
    }
}

impl Status {
    fn write(&self, lexicon: &Lexicon) -> String {
        match self {
            Self::Verb(verb) => lexicon.verbs[*verb].state.first().unwrap_or(&lexicon.verbs[*verb].words[0]).clone(),
            Self::Flag(property, true) => lexicon.properties[*property].words[0].clone(),
            Self::Flag(property, false) => format!("不{}", lexicon.properties[*property].words[0]),
            Self::Word(word) => word.replace('-', " "),
            Self::Compare { property, comparison, value, unit } => {
                let name = &lexicon.properties[*property].words[0];
                format!("{name}{}{}", comparison.sign(), Amount::Number(*value, *unit).write())
            }
        }
    }

    /// The state that a device is in when it is not in this one.
    #[must_use]
    pub fn opposite(&self, lexicon: &Lexicon) -> Option<Self> {
        Some(match self {
            Self::Verb(verb) => Self::Verb(lexicon.verbs[*verb].opposite?),
            Self::Flag(property, value) => Self::Flag(*property, !value),
            Self::Compare { property, comparison, value, unit } => {
                Self::Compare { property: *property, comparison: comparison.opposite(), value: *value, unit: *unit }
            }
            Self::Word(_) => return None,
        })
    }
}

impl Ask {
    fn write(&self, lexicon: &Lexicon) -> String {
        match self {
            Self::State => "查询状态".into(),
            Self::Is(status) => format!("查询状态={}", status.write(lexicon)),
            Self::Any(status) => format!("查询有无={}", status.write(lexicon)),
            Self::Which(status) => format!("查询哪些={}", status.write(lexicon)),
            Self::Count(status) => format!("查询数量={}", status.write(lexicon)),
            Self::Value(property) => format!("查询{}", lexicon.properties[*property].words[0]),
            Self::Most(property, extreme) => {
                format!("查询{}={}", lexicon.properties[*property].words[0], Amount::Extreme(*extreme).write())
            }
            Self::More(property, up) => {
                format!("查询{}={}", lexicon.properties[*property].words[0], if *up { "更高" } else { "更低" })
            }
            Self::Where => "查询所在".into(),
            Self::List => "查询列表".into(),
            Self::Number => "查询个数".into(),
        }
    }

    /// Reads what follows `查询`.
    pub(super) fn read(text: &str, vocabulary: &Vocabulary) -> Option<Self> {
        let status = |text: &str| read_status(text, vocabulary);
        let property = |name: &str| property_called(name, vocabulary);
        if let Some((what, state)) = text.split_once('=') {
            return match (what, state) {
                ("状态", _) => Some(Self::Is(status(state)?)),
                ("有无", _) => Some(Self::Any(status(state)?)),
                ("哪些", _) => Some(Self::Which(status(state)?)),
                ("数量", _) => Some(Self::Count(status(state)?)),
                (_, "最大") => Some(Self::Most(property(what)?, Extreme::Max)),
                (_, "最小") => Some(Self::Most(property(what)?, Extreme::Min)),
                (_, "更高") => Some(Self::More(property(what)?, true)),
                (_, "更低") => Some(Self::More(property(what)?, false)),
                _ => None,
            };
        }
        match text {
            "" | "状态" | "情况" => Some(Self::State),
            "所在" | "位置" => Some(Self::Where),
            "列表" => Some(Self::List),
            "个数" => Some(Self::Number),
            _ => property(text).map(Self::Value),
        }
    }
}

/// The property that a word names.
fn property_called(word: &str, vocabulary: &Vocabulary) -> Option<PropertyId> {
    vocabulary.lexicon.properties.iter().position(|p| p.words.iter().any(|w| w == word))
}

/// Reads a state word, or a comparison (`温度>26C`).
pub(super) fn read_status(text: &str, vocabulary: &Vocabulary) -> Option<Status> {
    let lexicon = &vocabulary.lexicon;
    if let Some((name, comparison, rest)) = split_comparison(text)
        && let Some(property) = property_called(name, vocabulary)
    {
        let (value, unit) = match grammar::read_amount(&super::segment::segment(rest, vocabulary), vocabulary)? {
            Amount::Number(value, unit) => (value, unit),
            Amount::Percent(value) => (value, Some(Unit::Percent)),
            _ => return None,
        };
        return Some(Status::Compare { property, comparison, value, unit });
    }
    if let Some(property) = text.strip_prefix('不').and_then(|text| property_called(text, vocabulary)) {
        return Some(Status::Flag(property, false));
    }
    if let Some(property) = property_called(text, vocabulary) {
        return Some(Status::Flag(property, true));
    }
    let verb = lexicon.verbs.iter().position(|v| v.state.iter().chain(&v.words).any(|w| w == text));
    verb.map(Status::Verb).or_else(|| (!text.is_empty()).then(|| Status::Word(text.to_owned())))
}

/// Cuts `温度>26C` at its sign.
fn split_comparison(text: &str) -> Option<(&str, Comparison, &str)> {
    let (at, sign, comparison) = text.char_indices().find_map(|(at, c)| Some((at, c, Comparison::of_sign(c)?)))?;
    Some((&text[..at], comparison, &text[at + sign.len_utf8()..]))
}

impl Condition {
    /// As it is written after 如果, and where it says which of several are meant.
    pub fn write(&self, lexicon: &Lexicon) -> String {
        match self {
            Self::Status { status: status @ Status::Compare { .. }, holds: true } => status.write(lexicon),
            Self::Status { status, holds } => {
                format!("状态{}{}", if *holds { "=" } else { "≠" }, status.write(lexicon))
            }
            Self::Extreme { property, extreme } => {
                format!("{}={}", lexicon.properties[*property].words[0], Amount::Extreme(*extreme).write())
            }
        }
    }

    /// Reads what [`Condition::write`] writes.
    pub fn read(text: &str, vocabulary: &Vocabulary) -> Option<Self> {
        for (sign, holds) in [("状态=", true), ("状态≠", false)] {
            if let Some(status) = text.strip_prefix(sign) {
                return Some(Self::Status { status: read_status(status, vocabulary)?, holds });
            }
        }
        let (name, _, rest) = split_comparison(text)?;
        let property = property_called(name, vocabulary)?;
        match rest {
            "最大" => Some(Self::Extreme { property, extreme: Extreme::Max }),
            "最小" => Some(Self::Extreme { property, extreme: Extreme::Min }),
            _ => match read_status(text, vocabulary)? {
                status @ Status::Compare { .. } => Some(Self::Status { status, holds: true }),
                _ => None,
            },
        }
    }

    /// What holds when this does not; the end of a range has no opposite.
    #[must_use]
    pub fn opposite(&self) -> Option<Self> {
        match self.clone() {
            Self::Status { status: Status::Compare { property, comparison, value, unit }, holds: true } => {
                let status = Status::Compare { property, comparison: comparison.opposite(), value, unit };
                Some(Self::Status { status, holds: true })
            }
            Self::Status { status, holds } => Some(Self::Status { status, holds: !holds }),
            Self::Extreme { .. } => None,
        }
    }
}
