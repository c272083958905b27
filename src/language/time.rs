//! Time as it is said: `十分钟后`, `明早五点`, `每周一三五晚上八点`, `开半小时`.
//!
//! [`read`] finds times in a text, [`due`] says when that is, seen from now, and [`say`] says it back. All of it is pure.
//!
//! What is left open by the words is decided so:
//!
//! - An hour with neither day nor part of the day is the next one that a clock shows: `七点` at 20:00 is tomorrow morning.
//! - With a day and no part of it, one to four o'clock is the afternoon, every other hour as it is said.
//! - An hour after midnight belongs to the night before it: `今晚一点` is tomorrow, 01:00.
//! - What was named with its day and has passed is an error, never another day; a weekday by itself is the next one.
//! - `周末` is the coming Saturday, or what is left of the weekend; `工作日` is every working day.
//! - A clock time after another one is the next after that: `晚上八点开，十点关`.
//! - An hour that a change of the clocks leaves out is an hour later; one that it repeats is the first.

mod due;
mod read;
mod repeat;
mod say;
#[cfg(test)]
mod tests;
mod words;

use serde::{Deserialize, Serialize};

pub use due::{Due, MAX_AHEAD_S, MIN_INTERVAL_S, Point, TimeError, due};
pub use read::{Piece, Span, read};
pub use repeat::{BadRule, Repeat};
pub use say::{say, say_repeat, say_seconds};
pub use words::TimeWords;

/// When something is to be done, as it was said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// When it begins; now, if nothing was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// How often it is done again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repeat>,
    /// When it is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
}

impl When {
    /// Whether a day was said, or a part of it, and no hour: as likely of something else (`睡吧明天还赶集`) as of what is to be done.
    pub fn lacks_hour(&self) -> bool {
        let hourless = |moment: &Moment| moment.clock.is_none() && moment.part.is_none_or(|part| part.alone.is_none());
        match &self.start {
            Some(Start::At(moment)) => hourless(moment),
            Some(Start::After(_)) => false,
            None => self.repeat.is_some_and(|repeat| !matches!(repeat, Repeat::Every(_))),
        }
    }
}

/// When it begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// So many seconds from now.
    After(u64),
    /// At a time of the day.
    At(Moment),
}

/// When it is undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// So many seconds after it began.
    For(u64),
    /// At a time of the day.
    Until(Moment),
}

/// A time of the day, as much of it as was said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// The day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<Day>,
    /// The part of the day, by its id in the language data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// Hour and minute, as they were said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<(u32, u32)>,
    /// The time said before it, which it follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub following: Option<Box<Moment>>,
}

/// The hours that a part of the day has; 24 and more are those of the day after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The first.
    pub from: u32,
    /// The one after the last.
    pub to: u32,
    /// What it means where no hour is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<u32>,
}

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Day {
    /// So many days from today.
    In(u32),
    /// A day of the week, 1 for Monday; of this week (0) or the next (1), if that was said.
    Weekday(i8, Option<u8>),
    /// Saturday or Sunday; of the next week, if that was said.
    Weekend(bool),
    /// A day of a month; the coming one where no month was said.
    Date(Option<i8>, i8),
    /// A day of the next month.
    NextMonth(i8),
}

impl Moment {
    /// Whether only an hour was said: it may belong to what was said before.
    pub fn is_bare(&self) -> bool {
        self.day.is_none() && self.part.is_none() && self.clock.is_some()
    }

    /// Takes from another what this does not say; `false`, changing nothing, where both say the same thing.
    pub fn join(&mut self, other: &Self) -> bool {
        let clash = (self.day.is_some() && other.day.is_some())
            || (self.part.is_some() && other.part.is_some())
            || (self.clock.is_some() && other.clock.is_some());
        if !clash {
            self.day = self.day.or(other.day);
            self.part = self.part.or(other.part);
            self.clock = self.clock.or(other.clock);
        }
        !clash
    }
}
