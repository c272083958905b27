//! ACTION: how it is written, and how it is read. Both stand on the words of the language alone, never on what a home calls
//! so; where a plain text would read as something else, its parts are marked: `「property」`, `〈verb〉`, `“word”`.

mod read;

use super::super::action::{Action, Amount, Ask, Condition, Status, unit_text};
use super::super::command::UNKNOWN_ACTION;
use super::super::lexicon::{Comparison, Extreme, Lexicon, PropertyId, Sense, Unit, VerbId};
use super::super::number;
use crate::text::normalize;
use read::{property_called, verb_called};
pub use read::{read_action, read_condition};

const ASK: &str = "查询";
const WHEN: &str = "如果";
const OR_WHEN: &str = "或者";
const SET: &str = "设置";
const STEP: [(&str, bool); 2] = [("调高", true), ("调低", false)];
const OR: char = '或';
/// What stands around the name of a property that would read as something else.
const MARKS: (char, char) = ('「', '」');
const STATE: &str = "状态";
const EXTREMES: [(&str, Extreme); 3] = [("最大", Extreme::Max), ("最小", Extreme::Min), ("中间", Extreme::Mid)];
const MORE: [(&str, bool); 2] = [("更高", true), ("更低", false)];
const LIST: &str = "列表";
const NOT: &str = "不";

/// What stands for a comma, of which every form separates.
const COMMA: char = '﹐';

/// Writes the canonical ACTION.
pub fn write_action(action: &Action, lexicon: &Lexicon) -> String {
    let plain = whole(&Writer { lexicon, marked: false }.action(action));
    if read_action(&plain, lexicon).as_ref() == Some(action) {
        return plain;
    }
    whole(&Writer { lexicon, marked: true }.action(action))
}

/// Writes a condition, as it stands after 如果 and before 的.
pub fn write_condition(condition: &Condition, lexicon: &Lexicon) -> String {
    let plain = whole(&Writer { lexicon, marked: false }.condition(condition));
    if read_condition(&plain, lexicon).as_ref() == Some(condition) {
        return plain;
    }
    whole(&Writer { lexicon, marked: true }.condition(condition))
}

/// Text in forms that separate nothing, whatever slot it stands in.
fn whole(text: &str) -> String {
    let whole = |c| match c {
        '-' => '－',
        '#' => '＃',
        '!' => '！',
        '*' => '＊',
        ',' => COMMA,
        other => other,
    };
    text.chars().map(whole).collect()
}

/// The text of which [`whole`] made another.
fn parts(text: &str) -> String {
    normalize(text).replace(COMMA, ",")
}

/// Writes an amount.
pub fn write_amount(amount: &Amount, lexicon: &Lexicon) -> String {
    Writer { lexicon, marked: false }.amount(amount)
}

struct Writer<'a> {
    lexicon: &'a Lexicon,
    marked: bool,
}

impl Writer<'_> {
    fn action(&self, action: &Action) -> String {
        match action {
            Action::Verb(verb) => self.verb(*verb),
            Action::Set { property, to } => format!("{SET}{}={}", self.any(*property), self.amount(to)),
            Action::Step { ways, by } => {
                let amount = by.as_ref().map(|by| format!("={}", self.amount(by))).unwrap_or_default();
                let shared = || Some(format!("调{}", shared_word(ways, self.lexicon)?));
                let shared = if ways.len() > 1 && !self.marked { shared() } else { None };
                let apart = || {
                    let way =
                        |(p, up): &(Option<PropertyId>, bool)| format!("{}{}", STEP[usize::from(!up)].0, self.any(*p));
                    ways.iter().map(way).collect::<Vec<_>>().join(&OR.to_string())
                };
                format!("{}{amount}", shared.unwrap_or_else(apart))
            }
            Action::Ask(ask) => format!("{ASK}{}", self.ask(ask)),
            Action::When(condition) => format!("{WHEN}{}", self.condition(condition)),
            Action::OrWhen(condition) => format!("{OR_WHEN}{}", self.condition(condition)),
            Action::Unclear(_) => UNKNOWN_ACTION.to_owned(),
        }
    }

    fn verb(&self, verb: VerbId) -> String {
        let words = &self.lexicon.verbs[verb].words;
        let own = words.iter().find(|word| verb_called(word, self.lexicon) == Some(verb));
        if self.marked { format!("〈{}〉", own.unwrap_or(&words[0])) } else { words[0].clone() }
    }

    fn any(&self, property: Option<PropertyId>) -> String {
        property.map(|property| self.property(property)).unwrap_or_default()
    }

    fn property(&self, property: PropertyId) -> String {
        let entry = &self.lexicon.properties[property];
        let mut words = entry.words.iter().chain([&entry.id]);
        if self.marked {
            let own = words.find(|word| property_called(word, self.lexicon) == Some(property));
            format!("「{}」", own.unwrap_or(&entry.id))
        } else {
            entry.words[0].clone()
        }
    }

    fn word(&self, word: &str) -> String {
        if self.marked { format!("“{word}”") } else { word.to_owned() }
    }

    fn amount(&self, amount: &Amount) -> String {
        match amount {
            Amount::Number(n, unit) => {
                let sign = if *n < 0.0 { "零下" } else { "" };
                format!("{sign}{}{}", n.abs(), unit.map_or("", |unit| unit_text(unit, self.lexicon)))
            }
            Amount::Percent(p) => format!("{}{}%", if *p < 0.0 { "零下" } else { "" }, p.abs()),
            Amount::Extreme(extreme) => extreme_text(*extreme).into(),
            Amount::Kelvin(_, word) => word.clone(),
            Amount::Word(word) => self.word(word),
            Amount::Little => "一点".into(),
            Amount::Lots => "很多".into(),
        }
    }

    fn status(&self, status: &Status) -> String {
        match status {
            Status::Verb(verb) => match self.lexicon.verbs[*verb].state.first() {
                Some(state) if !self.marked => state.clone(),
                _ => self.verb(*verb),
            },
            Status::Flag(property, true) => self.property(*property),
            Status::Flag(property, false) => format!("{NOT}{}", self.property(*property)),
            Status::Word(word) => self.word(word),
            Status::Compare { property, comparison, value, unit } => {
                let amount = self.amount(&Amount::Number(*value, *unit));
                format!("{}{}{amount}", self.property(*property), comparison.sign())
            }
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Status { status: status @ Status::Compare { .. }, holds: true } => self.status(status),
            Condition::Status { status, holds } => {
                format!("{STATE}{}{}", if *holds { "=" } else { "≠" }, self.status(status))
            }
            Condition::Extreme { property, extreme } => {
                format!("{}={}", self.property(*property), extreme_text(*extreme))
            }
        }
    }

    fn ask(&self, ask: &Ask) -> String {
        match ask {
            Ask::State => STATE.into(),
            Ask::Is(status) => format!("{STATE}={}", self.status(status)),
            Ask::Any(status) => format!("有无={}", self.status(status)),
            Ask::Which(status) => format!("哪些={}", self.status(status)),
            Ask::Count(status) => format!("数量={}", self.status(status)),
            Ask::Value(property) => self.property(*property),
            Ask::Range(property) => format!("{}={LIST}", self.property(*property)),
            Ask::Most(property, extreme) => format!("{}={}", self.property(*property), extreme_text(*extreme)),
            Ask::More(property, up) => format!("{}={}", self.property(*property), MORE[usize::from(!up)].0),
            Ask::Where => "所在".into(),
            Ask::List => LIST.into(),
            Ask::Number => "个数".into(),
        }
    }
}

fn extreme_text(extreme: Extreme) -> &'static str {
    EXTREMES.iter().find(|(_, known)| *known == extreme).map_or("", |(text, _)| text)
}

/// The direction word that stands for all of several ways and no other.
fn shared_word<'l>(ways: &[(Option<PropertyId>, bool)], lexicon: &'l Lexicon) -> Option<&'l str> {
    let words = |(id, up): &(Option<PropertyId>, bool)| -> &'l [String] {
        id.map_or(&[], |p| if *up { &lexicon.properties[p].up } else { &lexicon.properties[p].down })
    };
    let (first, rest) = ways.split_first()?;
    words(first).iter().find(|w| rest.iter().all(|way| words(way).contains(w))).map(String::as_str)
}
