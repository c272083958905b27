//! What may be said of jobs: which of them, and what becomes of them.

use super::super::super::time::{Repeat, When};

/// What is said of jobs themselves.
#[derive(Clone, Debug, PartialEq)]
pub enum JobAsk {
    /// Which are there (`还有哪些定时`).
    List,
    /// When something happens to one of these devices (`电视几点关`), or how long it is until then.
    Due {
        /// The devices, by id.
        devices: Vec<String>,
        /// How long it is until then.
        left: bool,
    },
    /// Something of those that are told from the others (`取消刚才的定时`, `改成八点`).
    Of(Which, Doing),
}

/// Which jobs are meant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Which {
    /// All of those that the rest is true of.
    pub all: bool,
    /// The last one, where nothing else is said.
    pub last: bool,
    /// Those of a time.
    pub at: Option<When>,
    /// The one that stands there in the list, from 1.
    pub number: Option<usize>,
    /// Those of a thing and what it is told, as it was said.
    pub about: String,
}

/// What becomes of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Doing {
    /// They are not wanted any more.
    Cancel,
    /// For another time.
    Change(Box<When>),
    /// So many seconds later, or earlier.
    Shift(i64),
    /// They are told.
    Tell,
    /// How long it is until then.
    Left,
}

/// What was said of jobs before.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpokenOf {
    /// How many were told in the turn before.
    pub just: usize,
    /// It was a length of time from then.
    pub delayed: bool,
    /// How often again.
    pub repeat: Option<Repeat>,
}

impl Which {
    /// Whether it is said which.
    pub fn is_said(&self) -> bool {
        self.all || self.at.is_some() || self.number.is_some() || !self.about.is_empty()
    }
}
