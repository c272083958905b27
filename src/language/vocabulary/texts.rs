//! Texts, each kept once. A house of thousands of things is called in some hundred thousand ways: as allocations of their own
//! these would take several times what they say.

use std::hash::{BuildHasher, RandomState};

/// A text that is kept.
pub(super) type TextId = u32;

/// No text.
const FREE: TextId = TextId::MAX;

/// Texts one behind the other, and where each is found.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    /// Names come from outside: nobody may know which of them meet in the table.
    keys: RandomState,
    all: String,
    /// Where each text ends.
    ends: Vec<u32>,
    /// The texts by their numbers: a power of two of places, of which at least a quarter is free.
    places: Vec<TextId>,
}

impl Texts {
    /// The text of an id.
    pub(super) fn text(&self, id: TextId) -> &str {
        let at = id as usize;
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.all[begin..self.ends[at] as usize]
    }

    /// The id of a text that is kept.
    pub(super) fn find(&self, text: &str) -> Option<TextId> {
        if self.places.is_empty() {
            return None;
        }
        Some(self.places[self.place(text)]).filter(|id| *id != FREE)
    }

    /// Keeps a text.
    pub(super) fn keep(&mut self, text: &str) -> TextId {
        if let Some(known) = self.find(text) {
            return known;
        }
        if (self.ends.len() + 1) * 4 > self.places.len() * 3 {
            self.spread((self.places.len() * 2).max(16));
        }
        let id = number(self.ends.len());
        self.all.push_str(text);
        self.ends.push(number(self.all.len()));
        let place = self.place(text);
        self.places[place] = id;
        id
    }

    /// Takes no more room than what is there.
    pub(super) fn settle(&mut self) {
        self.all.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Where a text is, or would be.
    fn place(&self, text: &str) -> usize {
        let mask = self.places.len() - 1;
        let mut at = self.keys.hash_one(text) as usize & mask;
        while self.places[at] != FREE && self.text(self.places[at]) != text {
            at = (at + 1) & mask;
        }
        at
    }

    fn spread(&mut self, places: usize) {
        self.places = vec![FREE; places];
        for id in 0..number(self.ends.len()) {
            let place = self.place(self.text(id));
            self.places[place] = id;
        }
    }
}

/// A position: a home's bounds keep it far below as many texts, or characters of them, as there are numbers.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(FREE)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_text_is_kept_once_and_found_again(said in proptest::collection::vec("[灯左a]{0,4}", 0..200)) {
            let mut texts = Texts::default();
            let mut known: HashMap<String, TextId> = HashMap::new();
            for text in &said {
                prop_assert_eq!(texts.find(text), known.get(text).copied());
                let id = texts.keep(text);
                prop_assert_eq!(*known.entry(text.clone()).or_insert(id), id);
            }
            texts.settle();
            prop_assert_eq!(texts.ends.len(), known.len());
            for (text, id) in &known {
                prop_assert_eq!(texts.text(*id), text);
                prop_assert_eq!(texts.find(text), Some(*id));
            }
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_is_kept() {
        assert_eq!(Texts::default().find(""), None);
    }
}
