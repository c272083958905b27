//! Similarity of words: characters, pairs of characters, concepts and directions, weighted by how rare they are.

use std::collections::HashMap;

use super::words::{Dimension, Meaning, Pole};

/// What two texts can have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Feature {
    Character(char),
    Pair(char, char),
    Concept(u16),
    Scale(Dimension),
    Direction(Dimension, Pole),
}

impl Feature {
    /// Weights of the kinds, chosen on `actions.jsonl`; the result changes little within a factor of two.
    fn weight(self) -> f32 {
        match self {
            Self::Character(_) => 0.5,
            Self::Pair(..) => 1.0,
            Self::Concept(_) | Self::Scale(_) => 1.5,
            Self::Direction(..) => 2.0,
        }
    }

    fn of(text: &str, meaning: &Meaning) -> Vec<Self> {
        let letters: Vec<char> =
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(MAX_CHARACTERS).collect();
        let mut features: Vec<Self> = letters.iter().copied().map(Self::Character).collect();
        features.extend(letters.windows(2).map(|pair| Self::Pair(pair[0], pair[1])));
        features.extend(meaning.concepts.iter().copied().map(Self::Concept));
        features.extend(meaning.scales.iter().copied().map(Self::Scale));
        features.extend(meaning.directions.iter().map(|(dimension, pole)| Self::Direction(*dimension, *pole)));
        let mut seen = std::collections::HashSet::new();
        features.retain(|feature| seen.insert(*feature));
        features
    }
}

/// Characters of a text that are looked at: no spoken command is longer.
const MAX_CHARACTERS: usize = 256;

/// Texts to compare phrases with: TF-IDF vectors of unit length, by feature.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    texts: usize,
    postings: HashMap<Feature, Vec<(u32, f32)>>,
}

impl Lexicon {
    pub(super) fn new<'t>(texts: impl Iterator<Item = (&'t str, &'t Meaning)>) -> Self {
        let features: Vec<Vec<Feature>> = texts.map(|(text, meaning)| Feature::of(text, meaning)).collect();
        let mut lexicon = Self { texts: features.len(), postings: HashMap::new() };
        for (number, features) in (0u32..).zip(&features) {
            for feature in features {
                lexicon.postings.entry(*feature).or_default().push((number, 0.0));
            }
        }
        for (number, features) in (0u32..).zip(&features) {
            for (feature, weight) in lexicon.unit(features) {
                let posting = lexicon.postings.get_mut(&feature).and_then(|list| {
                    let at = list.binary_search_by_key(&number, |(text, _)| *text).ok()?;
                    list.get_mut(at)
                });
                if let Some(posting) = posting {
                    posting.1 = weight;
                }
            }
        }
        lexicon
    }

    fn unit(&self, features: &[Feature]) -> Vec<(Feature, f32)> {
        let rarity = |feature: &Feature| {
            let with = self.postings.get(feature).map_or(0, Vec::len);
            ((1 + self.texts) as f32 / (1 + with) as f32).ln() + 1.0
        };
        let weights: Vec<f32> = features.iter().map(|feature| feature.weight() * rarity(feature)).collect();
        let norm = weights.iter().map(|w| w * w).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        features.iter().copied().zip(weights).map(|(feature, weight)| (feature, weight / norm)).collect()
    }

    /// The cosine of `phrase` with each text, 0 to 1.
    pub(super) fn compare(&self, phrase: &str, meaning: &Meaning) -> Vec<f32> {
        let mut scores = vec![0.0; self.texts];
        for (feature, weight) in self.unit(&Feature::of(phrase, meaning)) {
            for (text, other) in self.postings.get(&feature).into_iter().flatten() {
                if let Some(score) = scores.get_mut(*text as usize) {
                    *score += weight * other;
                }
            }
        }
        scores
    }
}
