//! The words of a home and what they mean. Most of them are what people may call one device, in one of many ways: so what
//! they mean is there once for each device.

use std::collections::HashMap;

use super::super::lexicon::{Sense, lengthen};
use super::texts::{TextId, Texts};
use crate::home::DeviceIndex;

/// Of a text that is no word.
const NOTHING: u32 = u32::MAX;

/// Words and their senses.
#[derive(Clone, Debug)]
pub(super) struct Words {
    /// Words, and texts that are none yet.
    texts: Texts,
    /// For each text the position of its senses.
    places: Vec<u32>,
    /// Characters of the longest word that begins so: most words are short.
    longest: HashMap<char, usize>,
    /// First those of words that mean one device and nothing else, by the device.
    senses: Vec<Vec<Sense>>,
    devices: usize,
}

impl Words {
    /// No words, of so many devices.
    pub(super) fn of(devices: usize) -> Self {
        let senses = (0..devices).map(|device| vec![Sense::Devices(vec![device])]).collect();
        Self { texts: Texts::default(), places: Vec::new(), longest: HashMap::new(), senses, devices }
    }

    /// What a word means; nothing if it is none.
    pub(super) fn get(&self, word: &str) -> &[Sense] {
        self.texts.find(word).and_then(|id| self.place(id)).map_or(&[], |at| &self.senses[at])
    }

    /// Whether it is a word.
    pub(super) fn contains(&self, word: &str) -> bool {
        self.texts.find(word).and_then(|id| self.place(id)).is_some()
    }

    /// Characters of the longest word that begins so; 0 when none does.
    pub(super) fn longest_from(&self, first: char) -> usize {
        self.longest.get(&first).copied().unwrap_or_default()
    }

    /// Keeps a text, which is no word by that.
    pub(super) fn keep(&mut self, text: &str) -> TextId {
        let id = self.texts.keep(text);
        if id as usize == self.places.len() {
            self.places.push(NOTHING);
        }
        id
    }

    /// All texts.
    pub(super) fn texts(&self) -> &Texts {
        &self.texts
    }

    /// Where the senses of a word are.
    fn place(&self, word: TextId) -> Option<usize> {
        self.places.get(word as usize).filter(|at| **at != NOTHING).map(|at| *at as usize)
    }

    /// Adds a sense to a word; whether the word is new.
    pub(super) fn add(&mut self, word: TextId, sense: Sense) -> bool {
        if let Some(at) = self.place(word) {
            if !self.senses[at].contains(&sense) {
                self.own(word, at).push(sense);
            }
            return false;
        }
        let alone = match &sense {
            Sense::Devices(devices) if devices.len() == 1 => devices.first().copied(),
            _ => None,
        };
        let at = alone.unwrap_or_else(|| {
            self.senses.push(vec![sense]);
            self.senses.len() - 1
        });
        self.places[word as usize] = number(at);
        lengthen(&mut self.longest, self.texts.text(word));
        true
    }

    /// Adds a device to those that a word means already, if it means any; whether it does.
    pub(super) fn join(&mut self, word: TextId, device: DeviceIndex) -> bool {
        let Some(at) = self.place(word) else { return false };
        let of = |sense: &Sense| matches!(sense, Sense::Devices(_));
        let Some(which) = self.senses[at].iter().position(of) else { return false };
        if matches!(&self.senses[at][which], Sense::Devices(known) if known.contains(&device)) {
            return true;
        }
        if let Sense::Devices(known) = &mut self.own(word, at)[which] {
            known.push(device);
        }
        true
    }

    /// Takes no more room than what is there.
    pub(super) fn settle(&mut self) {
        self.texts.settle();
        self.places.shrink_to_fit();
        self.senses.shrink_to_fit();
    }

    /// The senses of this word and of no other.
    fn own(&mut self, word: TextId, mut at: usize) -> &mut Vec<Sense> {
        if at < self.devices {
            self.senses.push(self.senses[at].clone());
            at = self.senses.len() - 1;
            self.places[word as usize] = number(at);
        }
        &mut self.senses[at]
    }
}

/// A position: a home has far fewer words than there are numbers.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_word_comes_to_mean_no_other_word_of_the_same_device_means() {
        let mut words = Words::of(2);
        let [lamp, left, room] = ["灯", "左灯", "屋"].map(|text| words.keep(text));
        assert!(!words.contains("灯") && words.get("灯").is_empty());
        for word in [lamp, left] {
            assert!(!words.join(word, 0) && words.add(word, Sense::Devices(vec![0])));
        }
        assert!(words.join(lamp, 1) && words.join(lamp, 1) && !words.add(left, Sense::Room(3)));
        assert!(words.add(room, Sense::Room(3)) && !words.join(room, 1) && !words.add(room, Sense::Devices(vec![1])));
        words.settle();
        assert_eq!(words.get("灯"), [Sense::Devices(vec![0, 1])]);
        assert_eq!(words.get("左灯"), [Sense::Devices(vec![0]), Sense::Room(3)]);
        assert_eq!(words.get("屋"), [Sense::Room(3), Sense::Devices(vec![1])]);
        assert!(words.get("右灯").is_empty() && !words.contains("右灯"));
        assert_eq!(['灯', '左', '右'].map(|first| words.longest_from(first)), [1, 2, 0]);
    }
}
