//! The names of a home by how they sound. A large home has some hundred thousand readings, so each is two numbers: of the
//! reading, and of the word.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use crate::text::pinyin;

/// Words by the numbers of their blurred readings.
#[derive(Clone, Debug, Default)]
pub(super) struct Sounds {
    /// Nobody can tell from outside which readings have the same number.
    keys: RandomState,
    words: Box<[Arc<str>]>,
    /// The numbers of readings, sorted, and for each the position of its word; words of one number in their order.
    readings: Box<[u64]>,
    places: Box<[u32]>,
}

impl Sounds {
    /// Of words, each of which is there once.
    pub(super) fn of(words: &[Arc<str>]) -> Self {
        let keys = RandomState::new();
        let mut readings = Vec::with_capacity(words.len());
        // The same few characters make up most names.
        let mut known: HashMap<char, Vec<String>> = HashMap::new();
        let mut of_word: Vec<u64> = Vec::new();
        for (place, word) in (0_u32..).zip(words) {
            for c in word.chars().filter(|c| !known.contains_key(c)).collect::<Vec<_>>() {
                known.insert(c, pinyin::syllables(c).iter().map(|s| pinyin::blur(s)).collect());
            }
            let syllables = word.chars().filter_map(|c| known.get(&c));
            of_word.clear();
            of_word.extend(pinyin::combined(0, syllables, |number, syllable| next(&keys, *number, syllable)));
            of_word.sort_unstable();
            of_word.dedup();
            readings.extend(of_word.iter().map(|number| (*number, place)));
        }
        readings.sort_unstable();
        let (numbers, places) = (readings.iter().map(|r| r.0).collect(), readings.iter().map(|r| r.1).collect());
        Self { keys, words: words.into(), readings: numbers, places }
    }

    /// The words that are read so.
    pub(super) fn sounding(&self, blurred: &str) -> impl Iterator<Item = &str> {
        let number = next(&self.keys, 0, blurred);
        let start = self.readings.partition_point(|known| *known < number);
        let same =
            self.readings[start..].iter().zip(&self.places[start..]).take_while(move |(known, _)| **known == number);
        same.map(|(_, place)| &*self.words[*place as usize])
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
