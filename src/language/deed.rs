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
    /// A condition that guards the commands after it.
    When(Condition),
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
    /// Which are in this state?
    Which(Status),
    /// How many are in this state?
    Count(Status),
    /// What is the value of this property?
    Value(PropertyId),
    /// Where is it?
    Where,
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
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A value is compared.
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
    /// A device is in a state, or is not.
    Status {
        /// The state.
        status: Status,
        /// Whether it must be.
        holds: bool,
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
            Self::When(condition) => condition.write(lexicon),
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
        }
    }
}

impl Ask {
    fn write(&self, lexicon: &Lexicon) -> String {
        match self {
            Self::State => "查询状态".into(),
            Self::Is(status) => format!("查询状态={}", status.write(lexicon)),
            Self::Which(status) => format!("查询哪些={}", status.write(lexicon)),
            Self::Count(status) => format!("查询数量={}", status.write(lexicon)),
            Self::Value(property) => format!("查询{}", lexicon.properties[*property].words[0]),
            Self::Where => "查询所在".into(),
        }
    }

    /// Reads what follows `查询`.
    pub(super) fn read(text: &str, vocabulary: &Vocabulary) -> Option<Self> {
        let status = |text: &str| read_status(text, vocabulary);
        if let Some((what, state)) = text.split_once('=') {
            return match what {
                "状态" => Some(Self::Is(status(state)?)),
                "哪些" => Some(Self::Which(status(state)?)),
                "数量" => Some(Self::Count(status(state)?)),
                _ => None,
            };
        }
        match text {
            "" | "状态" | "情况" => Some(Self::State),
            "所在" | "位置" => Some(Self::Where),
            _ => vocabulary.lexicon.properties.iter().position(|p| p.words.iter().any(|w| w == text)).map(Self::Value),
        }
    }
}

/// Reads a state word.
pub(super) fn read_status(text: &str, vocabulary: &Vocabulary) -> Option<Status> {
    let lexicon = &vocabulary.lexicon;
    let flag = |text: &str| lexicon.properties.iter().position(|p| p.words.iter().any(|w| w == text));
    if let Some(property) = text.strip_prefix('不').and_then(flag) {
        return Some(Status::Flag(property, false));
    }
    if let Some(property) = flag(text) {
        return Some(Status::Flag(property, true));
    }
    let verb = lexicon.verbs.iter().position(|v| v.state.iter().chain(&v.words).any(|w| w == text));
    verb.map(Status::Verb).or_else(|| (!text.is_empty()).then(|| Status::Word(text.to_owned())))
}

impl Condition {
    fn write(&self, lexicon: &Lexicon) -> String {
        match self {
            Self::Compare { property, comparison, value, unit } => {
                let sign = match comparison {
                    Comparison::Greater => ">",
                    Comparison::Less => "<",
                    Comparison::Equal => "=",
                };
                let name = &lexicon.properties[*property].words[0];
                format!("如果{name}{sign}{}", Amount::Number(*value, *unit).write())
            }
            Self::Status { status, holds } => {
                format!("如果状态{}{}", if *holds { "=" } else { "≠" }, status.write(lexicon))
            }
        }
    }

    /// Reads what follows `如果`.
    pub(super) fn read(text: &str, vocabulary: &Vocabulary) -> Option<Self> {
        for (sign, holds) in [("状态=", true), ("状态≠", false)] {
            if let Some(status) = text.strip_prefix(sign) {
                return Some(Self::Status { status: read_status(status, vocabulary)?, holds });
            }
        }
        let signs = [('>', Comparison::Greater), ('<', Comparison::Less), ('=', Comparison::Equal)];
        let (at, comparison) = signs.iter().find_map(|(sign, c)| Some((text.find(*sign)?, *c)))?;
        let (name, rest) = text.split_at(at);
        let property = vocabulary.lexicon.properties.iter().position(|p| p.words.iter().any(|w| w == name))?;
        let tokens = super::segment::segment(rest.get(1..)?, vocabulary);
        match grammar::read_amount(&tokens, vocabulary)? {
            Amount::Number(value, unit) => Some(Self::Compare { property, comparison, value, unit }),
            Amount::Percent(value) => Some(Self::Compare { property, comparison, value, unit: Some(Unit::Percent) }),
            _ => None,
        }
    }
}
