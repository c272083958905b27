//! The words of commands, read from the language data.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::super::lexicon::Extreme;
use crate::zh::{self, DataError, Entries, Problem, Sources};

/// The words of commands.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtocolWords {
    pub(super) ask: String,
    pub(super) when: String,
    pub(super) or_when: String,
    pub(super) set: String,
    up: String,
    down: String,
    pub(super) make: String,
    pub(super) or: char,
    max: String,
    min: String,
    mid: String,
    pub(super) little: String,
    pub(super) lots: String,
    pub(super) below_zero: String,
    pub(super) state: String,
    pub(super) also_state: String,
    pub(super) any: String,
    pub(super) which: String,
    pub(super) count: String,
    higher: String,
    lower: String,
    pub(super) list: String,
    pub(super) place: String,
    pub(super) lacking: String,
    pub(super) also_place: String,
    pub(super) number: String,
    pub(super) not: String,
    pub(super) here: String,
    pub(super) of: char,
    pub(super) general: char,
    pub(super) marks: Marks,
    conditions: Vec<String>,
}

/// What stands around a word that would read as something else.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Marks {
    pub(super) property: (char, char),
    pub(super) verb: (char, char),
    pub(super) word: (char, char),
}

impl ProtocolWords {
    /// The words that ship.
    ///
    /// # Errors
    /// When one is missing, or stands for two things.
    pub(in crate::language) fn of(sources: &Sources) -> Result<Self, DataError> {
        let data = sources.data(&zh::PROTOCOL)?;
        let mut seen = HashSet::new();
        for (path, word) in data.read::<Entries<serde_json::Value>>()?.0 {
            if let Some(word) = word.as_str().filter(|word| !seen.insert((*word).to_owned())) {
                return Err(data.fault(&path, Problem::Twice(word.to_owned())));
            }
        }
        data.read()
    }

    /// What commands begin with that say when others hold. Nobody lays anything over them: what is no command yet is of no
    /// lexicon either.
    pub(super) fn conditions() -> &'static [String] {
        static READ: LazyLock<ProtocolWords> = LazyLock::new(|| zh::PROTOCOL.shipped().expect("a test reads the data"));
        &READ.conditions
    }

    /// What makes more, and what makes less.
    pub(super) fn step(&self, up: bool) -> &str {
        if up { &self.up } else { &self.down }
    }

    /// Who has more, and who has less.
    pub(super) fn more(&self, up: bool) -> &str {
        if up { &self.higher } else { &self.lower }
    }

    pub(super) fn extreme(&self, extreme: Extreme) -> &str {
        match extreme {
            Extreme::Max => &self.max,
            Extreme::Min => &self.min,
            Extreme::Mid => &self.mid,
        }
    }

    pub(super) fn extreme_called(&self, text: &str) -> Option<Extreme> {
        [Extreme::Max, Extreme::Min, Extreme::Mid].into_iter().find(|extreme| self.extreme(*extreme) == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_stands_for_two_things_is_named_with_its_path() {
        let read = |own: &str| ProtocolWords::of(&Sources::text(&zh::PROTOCOL, own).unwrap());
        assert!(read("down: 再低").is_ok());
        let error = read("down: 调高").unwrap_err().to_string();
        assert_eq!(error, "own protocol.yaml: down: `调高` stands there twice");
        assert!(read("beside: 旁边").is_err() && read("general: 大约").is_err());
    }
}
