//! Properties by what they are called. Every command that is written or read asks for them, of every word that could be one.

use std::collections::HashMap;

use super::{PropertyId, PropertyWord};
use crate::language::command::bare;

/// The first property of each name.
#[derive(Clone, Debug, Default)]
pub(in crate::language) struct Called {
    /// By its words, and by its id.
    exact: HashMap<String, PropertyId>,
    /// By its words as commands have them, whatever of the separators was left.
    bare: HashMap<String, PropertyId>,
}

impl Called {
    pub(in crate::language) fn of(properties: &[PropertyWord]) -> Self {
        let mut called = Self::default();
        properties.iter().enumerate().for_each(|(id, property)| called.add(id, property));
        called
    }

    /// Adds the property of the next position.
    pub(super) fn add(&mut self, id: PropertyId, property: &PropertyWord) {
        for word in property.words.iter().chain([&property.id]) {
            self.exact.entry(word.clone()).or_insert(id);
        }
        for word in &property.words {
            self.bare.entry(bare(word)).or_insert(id);
        }
    }

    /// The property that is called so, letter by letter if there is one.
    pub(super) fn find(&self, word: &str) -> Option<PropertyId> {
        let loose = || if word.is_empty() { None } else { self.bare.get(&bare(word)) };
        self.exact.get(word).or_else(loose).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Lexicon;
    use super::*;

    #[test]
    fn every_word_names_the_first_property_that_has_it() {
        let lexicon = Lexicon::built_in().unwrap();
        let first = |has: &dyn Fn(&PropertyWord) -> bool| lexicon.properties.iter().position(has);
        for property in &lexicon.properties {
            for word in property.words.iter().chain([&property.id]) {
                let exact = first(&|p| p.words.contains(word) || p.id == *word);
                assert_eq!(lexicon.property_called(word), exact, "{word}");
                let loose = format!("~{word}-");
                let wanted = first(&|p| p.words.iter().any(|w| bare(w) == bare(&loose)));
                assert_eq!(lexicon.property_called(&loose), wanted, "{loose}");
            }
        }
        assert_eq!(lexicon.property_called(""), None);
    }
}
