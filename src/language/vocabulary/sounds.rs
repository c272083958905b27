//! The names of a home by how they sound. A large home has some hundred thousand readings, so each is a number and a
//! shared text.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use crate::text::pinyin;

/// Words by the numbers of their blurred readings.
#[derive(Clone, Debug, Default)]
pub(super) struct Sounds {
    /// Nobody can tell from outside which readings have the same number.
    keys: RandomState,
    /// Sorted by number; words of one number in the order in which they came.
    readings: Vec<(u64, Arc<str>)>,
}

impl Sounds {
    /// Of words, each of which is there once.
    pub(super) fn of(words: &[Arc<str>]) -> Self {
        let keys = RandomState::new();
        let mut readings = Vec::with_capacity(words.len());
        // The same few characters make up most names.
        let mut known: HashMap<char, Vec<String>> = HashMap::new();
        let mut of_word: Vec<u64> = Vec::new();
        for word in words {
            for c in word.chars().filter(|c| !known.contains_key(c)).collect::<Vec<_>>() {
                known.insert(c, pinyin::syllables(c).iter().map(|s| pinyin::blur(s)).collect());
            }
            let syllables = word.chars().filter_map(|c| known.get(&c));
            of_word.clear();
            of_word.extend(pinyin::combined(0, syllables, |number, syllable| next(&keys, *number, syllable)));
            of_word.sort_unstable();
            of_word.dedup();
            readings.extend(of_word.iter().map(|number| (*number, Arc::clone(word))));
        }
        readings.sort_by_key(|(number, _)| *number);
        readings.shrink_to_fit();
        Self { keys, readings }
    }

    /// The words that are read so.
    pub(super) fn sounding(&self, blurred: &str) -> impl Iterator<Item = &str> {
        let number = next(&self.keys, 0, blurred);
        let start = self.readings.partition_point(|(known, _)| *known < number);
        self.readings[start..].iter().take_while(move |(known, _)| *known == number).map(|(_, word)| &**word)
    }
}

/// The number of a reading that goes on with these syllables.
fn next(keys: &RandomState, number: u64, syllables: &str) -> u64 {
    syllables.split('\'').fold(number, |number, syllable| keys.hash_one((number, syllable)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_by_each_of_their_readings_and_by_no_other() {
        let words: Vec<Arc<str>> = ["空调", "长灯", "窗连", "窗帘", "a'b", "行长乐重行长"].map(Arc::from).into();
        let sounds = Sounds::of(&words);
        for word in &words {
            for reading in pinyin::readings(word) {
                let blurred = pinyin::blur(&reading);
                let found: Vec<&str> = sounds.sounding(&blurred).collect();
                let wanted: Vec<&str> = words
                    .iter()
                    .map(|word| &**word)
                    .filter(|word| pinyin::readings(word).iter().any(|reading| pinyin::blur(reading) == blurred))
                    .collect();
                assert_eq!(found, wanted, "{blurred}");
            }
        }
        assert_eq!(sounds.sounding("deng").count(), 0);
    }
}
