//! Finding devices, groups and scenes by what was said: names, sounds, spelling and kinds, one score, a gate.

mod index;
mod score;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use index::NameIndex;
pub use score::{Candidate, EPSILON, Signals, leaders};
pub use search::{Query, named, search};

pub use crate::home::Entity;

use crate::home::Home;
use crate::language::lexicon::Lexicon;
use crate::language::vocabulary::Vocabulary;

/// A home, ready to be spoken about. Built once per registry revision, then shared and never changed.
#[derive(Clone, Debug)]
pub struct World {
    /// Words, kinds and abilities.
    pub vocabulary: Vocabulary,
    /// Names of everything that can be meant.
    pub names: NameIndex,
}

impl World {
    /// Indexes a home.
    pub fn new(lexicon: Arc<Lexicon>, home: Arc<Home>) -> Self {
        Self { names: NameIndex::new(&home), vocabulary: Vocabulary::new(lexicon, home) }
    }

    /// The home.
    pub fn home(&self) -> &Home {
        &self.vocabulary.home
    }

    /// The language.
    pub fn lexicon(&self) -> &Lexicon {
        &self.vocabulary.lexicon
    }
}
