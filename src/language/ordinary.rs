//! Ordinary words, which mean nothing to a home: they keep words of commands from being cut out of them (`当` of `当心`).

use std::collections::HashSet;

use serde::Deserialize;

use crate::text::normalize;
use crate::zh::{self, DataError, Problem, Sources};

/// Characters of an ordinary word at least and at most.
const LENGTH: std::ops::RangeInclusive<usize> = 2..=4;

/// Words that are no more than that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ordinary(HashSet<Box<str>>);

/// Those that ship stand in one text: as many entries of a list would cost every start milliseconds. An owner's are a list, so
/// that they join them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    words: String,
    more: Vec<String>,
}

impl Ordinary {
    /// The words that ship.
    ///
    /// # Errors
    /// When one is there twice, or is too short or too long.
    pub fn of(sources: &Sources) -> Result<Self, DataError> {
        let data = sources.data(&zh::ORDINARY)?;
        let Raw { words, more } = data.read()?;
        let mut all = HashSet::new();
        Self::take(&mut all, words.split_whitespace()).map_err(|problem| data.fault("words", problem))?;
        Self::take(&mut all, more.iter().map(String::as_str)).map_err(|problem| data.fault("more", problem))?;
        Ok(Self(all))
    }

    /// Takes words, none of them twice.
    fn take<'a>(words: &mut HashSet<Box<str>>, taken: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
        for word in taken {
            if !LENGTH.contains(&word.chars().count()) || normalize(word) != word {
                return Err(Problem::Shape(format!("`{word}` has not two to four characters")));
            }
            if !words.insert(word.into()) {
                return Err(Problem::Twice(word.to_owned()));
            }
        }
        Ok(())
    }

    /// The lengths, in characters, of the ordinary words that a text begins with.
    pub fn begin(&self, text: &[char]) -> impl Iterator<Item = usize> {
        let word: String = text.iter().take(*LENGTH.end()).collect();
        let ends = word.char_indices().map(|(at, c)| at + c.len_utf8()).enumerate().skip(LENGTH.start() - 1);
        let found: Vec<usize> = ends.filter(|(_, end)| self.0.contains(&word[..*end])).map(|(at, _)| at + 1).collect();
        found.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_that_ship_are_read() {
        let text: Vec<char> = "当心着火".chars().collect();
        assert_eq!(Ordinary::of(&Sources::default()).unwrap().begin(&text).collect::<Vec<_>>(), [2]);
        let own = Sources::text(&zh::ORDINARY, "more: [着火了]").unwrap();
        let own = Ordinary::of(&own).unwrap();
        assert_eq!((own.begin(&text).next(), own.begin(&['着', '火', '了']).next()), (Some(2), Some(3)));
    }

    #[test]
    fn what_is_too_short_too_long_or_there_twice_is_named() {
        for wrong in ["心", "当心着火了", "当心 转悠 当心", "当心，"] {
            let told = Ordinary::take(&mut HashSet::new(), wrong.split(' ')).unwrap_err().to_string();
            assert!(told.contains(wrong.split(' ').next().unwrap()), "{told}");
        }
    }
}
