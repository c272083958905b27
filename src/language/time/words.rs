//! The words of time, read from the language data.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Part;
use crate::zh::{DataError, Problem, Sources};

/// The words of time.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeWords {
    pub(super) days: BTreeMap<String, u32>,
    /// Of several words for a day the one that is said.
    pub(super) days_said: Vec<String>,
    pub(super) this_week: String,
    pub(super) next_week: String,
    pub(super) day_parts: BTreeMap<String, DayPart>,
    pub(super) parts: BTreeMap<String, PartWords>,
    pub(super) said_in: BTreeMap<i8, String>,
    pub(super) clock: ClockWords,
    pub(super) weekday: Vec<String>,
    pub(super) weekdays: Vec<String>,
    pub(super) sunday: Vec<String>,
    pub(super) weekend: Vec<String>,
    pub(super) workdays: Vec<String>,
    pub(super) this: Vec<String>,
    pub(super) next: Vec<String>,
    pub(super) month: Vec<String>,
    pub(super) month_day: Vec<String>,
    pub(super) every: Vec<String>,
    pub(super) daily: Vec<String>,
    pub(super) monthly: Vec<String>,
    pub(super) range: Vec<String>,
    pub(super) list: Vec<String>,
    pub(super) units: BTreeMap<String, UnitWords>,
    pub(super) short_minute: Vec<String>,
    pub(super) count: Vec<String>,
    pub(super) half: Vec<String>,
    pub(super) after: Vec<String>,
    pub(super) before: Vec<String>,
    pub(super) further: Vec<String>,
    pub(super) then: Vec<String>,
    pub(super) interval: Vec<String>,
    pub(super) once: Vec<String>,
    pub(super) soon: Vec<String>,
    pub(super) reminders: Vec<String>,
    pub(super) set_to: String,
    pub(super) own_timer: String,
    pub(super) timed: Vec<String>,
    pub(super) until: Vec<String>,
    pub(super) at: Vec<String>,
    pub(super) from: Vec<String>,
    pub(super) trailing: Vec<String>,
    pub(super) deadline: Vec<String>,
    pub(super) told: Vec<String>,
    pub(super) whole: Vec<String>,
    pub(super) timer: Vec<String>,
    pub(super) two: String,
    /// What is said of jobs themselves.
    pub(crate) jobs: JobWords,
    pub(super) spoken: BTreeMap<String, String>,
}

/// A day and a part of it in one word.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DayPart {
    pub(super) day: Option<u32>,
    pub(super) part: String,
}

/// A part of the day.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartWords {
    pub(super) words: Vec<String>,
    from: u32,
    to: u32,
    alone: Option<u32>,
}

impl PartWords {
    pub(super) fn part(&self) -> Part {
        Part { from: self.from, to: self.to, alone: self.alone }
    }
}

/// What is said of an hour.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClockWords {
    pub(super) hour: Vec<String>,
    pub(super) colon: Vec<String>,
    pub(super) minute: Vec<String>,
    pub(super) half: Vec<String>,
    pub(super) quarters: BTreeMap<String, u32>,
    pub(super) zero: Vec<String>,
    pub(super) sharp: Vec<String>,
    pub(super) past: Vec<String>,
    pub(super) short_of: Vec<String>,
}

/// A length of time.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitWords {
    pub(super) words: Vec<String>,
    pub(super) seconds: u64,
}

/// What is said of jobs themselves: `取消刚才的定时`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobWords {
    /// What they are called.
    pub(crate) nouns: Vec<String>,
    /// What takes one back.
    pub(crate) cancel: Vec<String>,
    /// What takes back those that were just spoken of.
    pub(crate) drop: Vec<String>,
    /// That another time is meant (`不对`).
    pub(crate) mend: Vec<String>,
    /// What says nothing beside what asks when one is due (`我定的几点来着`).
    pub(crate) set: Vec<String>,
    /// What says that all of them are meant where nothing else is said of which (`全取消`).
    pub(crate) whole: Vec<String>,
    /// What asks for all of them without calling them so (`我定了啥`).
    pub(crate) asks: Vec<String>,
    /// What asks for all of them.
    pub(crate) list: Vec<String>,
    /// What puts one to another time.
    pub(crate) change: Vec<String>,
    /// Say that it is to be later by so much.
    pub(crate) later: Vec<String>,
    /// Say that it is to be earlier by so much.
    pub(crate) earlier: Vec<String>,
    /// What points to the last.
    pub(crate) last: Vec<String>,
    /// All of them.
    pub(crate) all: Vec<String>,
    /// What says nothing beside these.
    pub(crate) small: Vec<String>,
}

impl TimeWords {
    /// Whether a word is that of the present day.
    pub fn is_today(&self, word: &str) -> bool {
        self.days.get(word) == Some(&0)
    }

    /// What makes an hour of a number (`点`).
    pub fn hours(&self) -> &[String] {
        &self.clock.hour
    }

    /// The words that ship, with what an owner lays over them.
    ///
    /// # Errors
    /// When the data does not have its shape, or names a part of the day that it does not have.
    pub(in crate::language) fn of(sources: &Sources) -> Result<Self, DataError> {
        let data = sources.data(&crate::zh::TIME)?;
        let words: Self = data.read()?;
        let named = words.day_parts.iter().map(|(word, day)| (format!("day_parts.{word}"), &day.part));
        let named = named.chain(words.said_in.iter().map(|(hour, part)| (format!("said_in.{hour}"), part)));
        for (path, part) in named {
            let unknown = || Problem::Unknown { what: "part of the day", id: part.clone() };
            words.parts.get(part).ok_or_else(|| data.fault(&path, unknown()))?;
        }
        let missing = || Problem::Missing { what: "day", id: "7".into() };
        words.weekdays.get(6).ok_or_else(|| data.fault("weekdays", missing()))?;
        Ok(words)
    }

    /// What sets a property to a length of time.
    pub fn set_to(&self) -> &str {
        &self.set_to
    }

    /// Who wants to be told something.
    pub fn reminders(&self) -> &[String] {
        &self.reminders
    }

    /// What only goes on with what was said of a time (`八点再关`, `八点自动关`).
    pub fn then(&self) -> &[String] {
        &self.then
    }

    /// What the timer of a device is called.
    pub fn own_timer(&self) -> &str {
        &self.own_timer
    }

    /// What tells a device how long, and says its timer by that (`风扇定两小时`).
    pub fn timed(&self) -> &[String] {
        &self.timed
    }

    /// What says how often where that was said already.
    pub fn once(&self) -> &[String] {
        &self.once
    }
}
