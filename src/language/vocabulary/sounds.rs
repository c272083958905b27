//! The names of a home by how they sound. A large home has some hundred thousand readings, so each is two numbers: half of
//! that of the reading, and that of the word. Of the few words that half a number leads to, the readings are worked out anew.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::texts::{TextId, Texts};
use crate::text::pinyin;

/// Words by the numbers of their blurred readings.
#[derive(Clone, Debug, Default)]
pub(super) struct Sounds {
    /// Nobody can tell from outside which readings have the same number.
    keys: RandomState,
    words: Box<[TextId]>,
    /// The upper halves of the numbers of readings, each with the position of its word, sorted.
    readings: Box<[(u32, u32)]>,
}

impl Sounds {
    /// Of words, each of which is there once.
    pub(super) fn of(words: &[TextId], texts: &Texts) -> Self {
        let keys = RandomState::new();
        let mut readings = Vec::with_capacity(words.len());
        // The same few characters make up most names.
        let mut known: HashMap<char, Vec<String>> = HashMap::new();
        for (place, word) in (0_u32..).zip(words) {
            let word = texts.text(*word);
            for c in word.chars().filter(|c| !known.contains_key(c)).collect::<Vec<_>>() {
                known.insert(c, blurred(c));
            }
            let mut of_word = numbers(&keys, word.chars().filter_map(|c| known.get(&c)));
            of_word.sort_unstable();
            of_word.dedup();
            readings.extend(of_word.iter().map(|number| (half(*number), place)));
        }
        readings.sort_unstable();
        readings.dedup();
        Self { keys, words: words.into(), readings: readings.into() }
    }

    /// The words that are read so.
    pub(super) fn sounding<'t>(&'t self, blurred: &str, texts: &'t Texts) -> impl Iterator<Item = &'t str> {
        let number = next(&self.keys, 0, blurred);
        let start = self.readings.partition_point(|(known, _)| *known < half(number));
        let near = self.readings[start..].iter().take_while(move |(known, _)| *known == half(number));
        near.map(|(_, place)| texts.text(self.words[*place as usize])).filter(move |word| self.is_read(word, number))
    }

    fn is_read(&self, word: &str, number: u64) -> bool {
        let syllables: Vec<Vec<String>> = word.chars().map(blurred).collect();
        numbers(&self.keys, syllables.iter()).contains(&number)
    }
}

/// The syllables of a character, blurred.
fn blurred(c: char) -> Vec<String> {
    pinyin::syllables(c).iter().map(|syllable| pinyin::blur(syllable)).collect()
}

/// The numbers of the readings of characters.
fn numbers<'s>(keys: &RandomState, characters: impl Iterator<Item = &'s Vec<String>>) -> Vec<u64> {
    pinyin::combined(0, characters, |number, syllable| next(keys, *number, syllable))
}

fn half(number: u64) -> u32 {
    (number >> 32) as u32
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
        let words = ["空调", "长灯", "窗连", "窗帘", "a'b", "行长乐重行长"];
        let mut texts = Texts::default();
        let ids = words.map(|word| texts.keep(word));
        let sounds = Sounds::of(&ids, &texts);
        for word in words {
            for reading in pinyin::readings(word) {
                let blurred = pinyin::blur(&reading);
                let found: Vec<&str> = sounds.sounding(&blurred, &texts).collect();
                let wanted: Vec<&str> = words
                    .iter()
                    .copied()
                    .filter(|word| pinyin::readings(word).iter().any(|reading| pinyin::blur(reading) == blurred))
                    .collect();
                assert_eq!(found, wanted, "{blurred}");
            }
        }
        assert_eq!(sounds.sounding("deng", &texts).count(), 0);
    }
}
