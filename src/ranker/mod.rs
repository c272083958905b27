//! A learned reader of whole sentences: of all that a home can be told, what a sentence most likely tells, and how likely that is.
//!
//! It knows no names of things. Each thing that a sentence may mean, with each thing that can be done to it, is a candidate; what is known
//! of a candidate in its sentence ([`features`]) is weighed, and one candidate is that nothing is told. A softmax over all of them
//! says how likely each is. The weights come from what becomes of sentences of `tests/corpus` (`models/recipe/ranker`).

mod candidates;
mod features;
mod parts;
mod repertoire;
#[cfg(test)]
mod tests;
mod things;

pub use candidates::{Candidate, Said};
pub use features::{BUCKETS, hash};
pub use repertoire::{Doing, Repertoires};
pub use things::{Named, Stands, Thing};

use crate::language::order::Order;
use crate::language::segment::Token;
use crate::reader::{Reader, Weights, WeightsError};
use crate::resolve::Context;

/// The weights that ship.
const SHIPPED: &[u8] = include_bytes!("../../models/ranker-zh/weights.bin");

/// A sentence and what is known around it.
#[derive(Clone)]
pub struct Setting<'a> {
    /// Its words.
    pub tokens: &'a [Token],
    /// Where it is said.
    pub context: Context<'a>,
    /// What the devices of the home can be told.
    pub repertoires: &'a Repertoires,
    /// How likely each word tells something, by [`Reader::likely`].
    pub tells: Vec<f32>,
    /// How likely nothing is told, by the same.
    pub nothing: f32,
    /// How the grammar left it.
    pub left: &'static str,
}

impl<'a> Setting<'a> {
    /// A sentence as the chain of `reader` sees it.
    pub fn of(
        tokens: &'a [Token],
        context: Context<'a>,
        repertoires: &'a Repertoires,
        reader: &Reader,
        left: &'static str,
    ) -> Option<Self> {
        let (tells, nothing) = reader.likely(tokens)?;
        Some(Self { tokens, context, repertoires, tells, nothing, left })
    }
}

/// All that a sentence may tell, each with its features; those of nothing are the first.
pub struct Choices<'a> {
    /// The things that it may be about.
    pub things: Vec<Thing>,
    /// What it may tell.
    pub candidates: Vec<Candidate<'a>>,
    /// Of nothing, then of each candidate.
    pub features: Vec<Vec<u32>>,
}

impl<'a> Choices<'a> {
    /// Those of a sentence.
    pub fn of(setting: &Setting<'a>) -> Self {
        let things = things::things(setting);
        let candidates = candidates::candidates(&things, setting);
        let sentence = features::Sentence::of(setting);
        let nothing = sentence.nothing(&things);
        // Candidates of one device stand in a row.
        let mut known = None;
        let features = candidates.iter().map(|candidate| {
            let of = (candidate.thing, candidate.device);
            let rivals = match known {
                Some((before, rivals)) if before == of => rivals,
                _ => features::rivals(&things[of.0], of.1, &things),
            };
            known = Some((of, rivals));
            sentence.candidate(candidate, &things, rivals)
        });
        let features = std::iter::once(nothing).chain(features).collect();
        Self { things, candidates, features }
    }
}

/// Knows what is most likely told.
#[derive(Debug)]
pub struct Ranker {
    weights: Weights<1, BUCKETS>,
    /// Knows comments from commands.
    chain: Reader,
}

impl Ranker {
    /// The one that ships.
    ///
    /// # Errors
    /// When the weights that were built in are damaged.
    pub fn shipped() -> Result<Self, WeightsError> {
        Self::of(SHIPPED)
    }

    /// A ranker of these weights, in the form that [`crate::reader::pack`] writes.
    ///
    /// # Errors
    /// When they are anything else.
    pub fn of(bytes: &[u8]) -> Result<Self, WeightsError> {
        Ok(Self { weights: Weights::read(bytes)?, chain: Reader::shipped()? })
    }

    /// A sentence and what is known around it; `left` is how the grammar left it. `None` for one that nobody commands in one breath.
    pub fn setting<'a>(
        &self,
        tokens: &'a [Token],
        context: Context<'a>,
        repertoires: &'a Repertoires,
        left: &'static str,
    ) -> Option<Setting<'a>> {
        Setting::of(tokens, context, repertoires, &self.chain, left)
    }

    /// How likely each of the choices is, in their order; nothing is the first.
    pub fn likely(&self, choices: &Choices) -> Vec<f32> {
        let score = |all: &Vec<u32>| all.iter().map(|feature| self.weights.of(0, *feature)).sum::<f32>();
        let scores: Vec<f32> = choices.features.iter().map(score).collect();
        let most = scores.iter().copied().fold(f32::MIN, f32::max);
        let weights: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
        let sum: f32 = weights.iter().sum();
        weights.iter().map(|weight| weight / sum).collect()
    }

    /// The orders that a sentence most likely tells, the likeliest first, each at least so likely.
    pub fn rank(&self, setting: &Setting, least: f32) -> Vec<(Vec<Order>, f32)> {
        let choices = Choices::of(setting);
        let likely = self.likely(&choices);
        let mut found: Vec<(Vec<Order>, f32)> = choices
            .candidates
            .iter()
            .zip(&likely[1..])
            .filter(|(_, likely)| **likely >= least)
            .map(|(candidate, likely)| (candidate.orders(&choices.things), *likely))
            .collect();
        found.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        found
    }
}
