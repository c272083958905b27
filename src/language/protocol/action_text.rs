//! ACTION: how it is written, and how it is read. Both stand on the words of the language alone, never on what a home calls
//! so; where a plain text would read as something else, its parts are marked: `「property」`, `〈verb〉`, `“word”`.

mod read;

use super::super::action::{Action, Amount, Ask, Condition, Status, unit_text};
use super::super::command::{SEPARATORS, UNKNOWN_ACTION};
use super::super::lexicon::{Comparison, Lexicon, PropertyId, Sense, Unit, VerbId};
use super::super::number;
use super::words::ProtocolWords;
use crate::text::{NO_COMMA, full_width, normalize};
use read::{property_called, verb_called};
pub use read::{read_action, read_condition};

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
        ',' => NO_COMMA,
        c if SEPARATORS.contains(&c) => full_width(c).unwrap_or(c),
        other => other,
    };
    text.chars().map(whole).collect()
}

/// The text of which [`whole`] made another.
fn parts(text: &str) -> String {
    normalize(text).replace(NO_COMMA, ",")
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
    fn words(&self) -> &ProtocolWords {
        &self.lexicon.protocol
    }

    fn action(&self, action: &Action) -> String {
        let words = self.words();
        match action {
            Action::Verb(verb) => self.verb(*verb),
            Action::Set { property, to } => format!("{}{}={}", words.set, self.any(*property), self.amount(to)),
            Action::Step { ways, by } => {
                let amount = by.as_ref().map(|by| format!("={}", self.amount(by))).unwrap_or_default();
                let shared = || Some(format!("{}{}", words.make, shared_word(ways, self.lexicon)?));
                let shared = if ways.len() > 1 && !self.marked { shared() } else { None };
                let apart = || {
                    let way = |(p, up): &(Option<PropertyId>, bool)| format!("{}{}", words.step(*up), self.any(*p));
                    ways.iter().map(way).collect::<Vec<_>>().join(&words.or.to_string())
                };
                format!("{}{amount}", shared.unwrap_or_else(apart))
            }
            Action::Ask(ask) => format!("{}{}", words.ask, self.ask(ask)),
            Action::When(condition) => format!("{}{}", words.when, self.condition(condition)),
            Action::OrWhen(condition) => format!("{}{}", words.or_when, self.condition(condition)),
            Action::Unclear(_) => UNKNOWN_ACTION.to_owned(),
        }
    }

    fn verb(&self, verb: VerbId) -> String {
        let words = &self.lexicon.verbs[verb].words;
        let own = words.iter().find(|word| verb_called(word, self.lexicon) == Some(verb));
        if self.marked { within(self.words().marks.verb, own.unwrap_or(&words[0])) } else { words[0].clone() }
    }

    fn any(&self, property: Option<PropertyId>) -> String {
        property.map(|property| self.property(property)).unwrap_or_default()
    }

    fn property(&self, property: PropertyId) -> String {
        let entry = &self.lexicon.properties[property];
        let mut words = entry.words.iter().chain([&entry.id]);
        if self.marked {
            let own = words.find(|word| property_called(word, self.lexicon) == Some(property));
            within(self.words().marks.property, own.unwrap_or(&entry.id))
        } else {
            entry.words[0].clone()
        }
    }

    fn word(&self, word: &str) -> String {
        if self.marked { within(self.words().marks.word, word) } else { word.to_owned() }
    }

    fn amount(&self, amount: &Amount) -> String {
        let words = self.words();
        let sign = |n: f64| if n < 0.0 { words.below_zero.as_str() } else { "" };
        match amount {
            Amount::Number(n, unit) => {
                format!("{}{}{}", sign(*n), n.abs(), unit.map_or("", |unit| unit_text(unit, self.lexicon)))
            }
            Amount::Percent(p) => format!("{}{}%", sign(*p), p.abs()),
            Amount::Extreme(extreme) => words.extreme(*extreme).into(),
            Amount::Kelvin(_, word) => word.clone(),
            Amount::Word(word) => self.word(word),
            Amount::Little => words.little.clone(),
            Amount::Lots => words.lots.clone(),
        }
    }

    fn status(&self, status: &Status) -> String {
        match status {
            Status::Verb(verb) => match self.lexicon.verbs[*verb].state.first() {
                Some(state) if !self.marked => state.clone(),
                _ => self.verb(*verb),
            },
            Status::Flag(property, true) => self.property(*property),
            Status::Flag(property, false) => format!("{}{}", self.words().not, self.property(*property)),
            Status::Word(word) => self.word(word),
            Status::Compare { property, comparison, value, unit } => {
                let amount = self.amount(&Amount::Number(*value, *unit));
                format!("{}{}{amount}", self.property(*property), comparison.sign())
            }
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        let words = self.words();
        match condition {
            Condition::Status { status: status @ Status::Compare { .. }, holds: true } => self.status(status),
            Condition::Status { status, holds } => {
                format!("{}{}{}", words.state, if *holds { "=" } else { "≠" }, self.status(status))
            }
            Condition::Extreme { property, extreme } => {
                format!("{}={}", self.property(*property), words.extreme(*extreme))
            }
        }
    }

    fn ask(&self, ask: &Ask) -> String {
        let words = self.words();
        let so = |word: &str, status: &Status| format!("{word}={}", self.status(status));
        let of = |property: &PropertyId, word: &str| format!("{}={word}", self.property(*property));
        match ask {
            Ask::State => words.state.clone(),
            Ask::Is(status) => so(&words.state, status),
            Ask::Any(status) => so(&words.any, status),
            Ask::Which(status) => so(&words.which, status),
            Ask::Count(status) => so(&words.count, status),
            Ask::Value(property) => self.property(*property),
            Ask::Range(property) => of(property, &words.list),
            Ask::Most(property, extreme) => of(property, words.extreme(*extreme)),
            Ask::More(property, up) => of(property, words.more(*up)),
            Ask::Where => words.place.clone(),
            Ask::Lacking => words.lacking.clone(),
            Ask::List => words.list.clone(),
            Ask::Number => words.number.clone(),
        }
    }
}

/// A word between two marks.
fn within((open, close): (char, char), word: &str) -> String {
    format!("{open}{word}{close}")
}

/// The direction word that stands for all of several ways and no other.
fn shared_word<'l>(ways: &[(Option<PropertyId>, bool)], lexicon: &'l Lexicon) -> Option<&'l str> {
    let words = |(id, up): &(Option<PropertyId>, bool)| -> &'l [String] {
        id.map_or(&[], |p| if *up { &lexicon.properties[p].up } else { &lexicon.properties[p].down })
    };
    let (first, rest) = ways.split_first()?;
    words(first).iter().find(|w| rest.iter().all(|way| words(way).contains(w))).map(String::as_str)
}
