//! The names of a home's devices, to be found by a part of them without a look at each.

use std::collections::HashMap;

use super::super::lexicon::{KindId, Lexicon};
use super::super::meaning::kinds_of_name;
use crate::home::Home;
use crate::text::normalize;

/// The names, and what each says that its device is.
#[derive(Default)]
pub(super) struct Called {
    names: Vec<(String, Vec<KindId>)>,
    /// The positions of names by the pairs of characters that they hold.
    pairs: HashMap<(char, char), Vec<usize>>,
}

impl Called {
    pub(super) fn of(home: &Home, lexicon: &Lexicon) -> Self {
        let mut called = Self::default();
        for name in home.devices.iter().flat_map(|device| device.names()).map(normalize) {
            let at = called.names.len();
            for pair in pairs(&name) {
                let holders = called.pairs.entry(pair).or_default();
                if holders.last() != Some(&at) {
                    holders.push(at);
                }
            }
            let kinds = kinds_of_name(&name, lexicon);
            called.names.push((name, kinds));
        }
        called
    }

    /// What the names that hold this text, of at least two characters, say that their devices are.
    pub(super) fn with(&self, text: &str) -> impl Iterator<Item = &[KindId]> {
        let holders = pairs(text).map(|pair| self.pairs.get(&pair).map_or(&[][..], Vec::as_slice));
        let fewest = holders.min_by_key(|holders| holders.len()).unwrap_or_default();
        let names = fewest.iter().map(|at| &self.names[*at]);
        names.filter(move |(name, _)| name.contains(text)).map(|(_, kinds)| kinds.as_slice())
    }
}

/// The neighbouring characters of a text.
fn pairs(text: &str) -> impl Iterator<Item = (char, char)> {
    text.chars().zip(text.chars().skip(1))
}
