//! What the scorer sees of a sentence: its words in pieces, and what the language and the home say about each word.

use std::collections::HashMap;

use super::features::{class, is_of_home};
use crate::language::segment::Token;

/// Begins a sentence.
const START: u32 = 0;
/// Ends it.
const END: u32 = 2;
/// A character that is no piece.
const UNKNOWN: u32 = 3;
/// Of the first piece; those before it are marks.
const FIRST: u32 = 4;

/// The class of words that nothing explains.
const STRANGE: &str = "?";
/// The class of words that one home has and another has not.
const OWNED: &str = "@";

/// Pieces of words, and classes of words, by number.
#[derive(Debug)]
pub(super) struct Pieces {
    pieces: HashMap<Box<str>, u32>,
    classes: HashMap<Box<str>, usize>,
    /// Characters of the longest piece.
    longest: usize,
}

/// One sentence as the scorer sees it.
#[derive(Debug, PartialEq)]
pub(super) struct Seen {
    /// Pieces, the marks of the ends among them.
    pub(super) pieces: Vec<u32>,
    /// The word that each of them belongs to; none for the marks.
    pub(super) words: Vec<Option<usize>>,
    /// Of each word, its classes.
    pub(super) classes: Vec<Vec<usize>>,
}

/// What the language and the home say about a word, each name once.
pub fn classes(token: &Token) -> Vec<&'static str> {
    let strange = token.is_residue().then_some(STRANGE);
    let owned = token.any(is_of_home).then_some(OWNED);
    let mut classes: Vec<&str> = token.senses.iter().map(class).chain(strange).chain(owned).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}

impl Pieces {
    /// Of two lists, one name a line.
    pub(super) fn new(pieces: &str, classes: &str) -> Self {
        Self {
            longest: pieces.lines().map(|piece| piece.chars().count()).max().unwrap_or(1),
            pieces: pieces.lines().map(Box::from).zip(FIRST..).collect(),
            classes: classes.lines().map(Box::from).zip(0..).collect(),
        }
    }

    /// Rows of a table of all pieces, marks included.
    pub(super) fn rows(&self) -> usize {
        self.pieces.len() + FIRST as usize
    }

    /// Classes that there are.
    pub(super) fn classes(&self) -> usize {
        self.classes.len()
    }

    /// What is seen of a sentence.
    pub(super) fn see(&self, tokens: &[Token]) -> Seen {
        let mut seen = Seen { pieces: vec![START], words: vec![None], classes: Vec::with_capacity(tokens.len()) };
        for (word, token) in tokens.iter().enumerate() {
            let before = seen.pieces.len();
            self.cut(&token.text, &mut seen.pieces);
            seen.words.extend(std::iter::repeat_n(Some(word), seen.pieces.len() - before));
            seen.classes.push(classes(token).into_iter().filter_map(|name| self.classes.get(name).copied()).collect());
        }
        seen.pieces.push(END);
        seen.words.push(None);
        seen
    }

    /// The longest piece first.
    fn cut(&self, text: &str, into: &mut Vec<u32>) {
        let mut rest = text;
        while !rest.is_empty() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(self.longest);
            let ends: Vec<usize> = ends.collect();
            let longest = ends.iter().rev().find_map(|end| Some((*end, *self.pieces.get(&rest[..*end])?)));
            let (end, piece) = longest.unwrap_or((ends[0], UNKNOWN));
            into.push(piece);
            rest = &rest[end..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::tests::words;

    #[test]
    fn words_are_cut_into_the_longest_pieces_and_keep_what_is_known_of_them() {
        let pieces = Pieces::new("空\n空调\n开\n打\n打开\n客\n厅", "verb\nplace\n?\n@");
        let seen = pieces.see(&words("打开客厅空调"));
        let named: Vec<u32> = seen.pieces.clone();
        assert_eq!((named.first(), named.last()), (Some(&START), Some(&END)));
        assert_eq!(named[1], 8, "打开 is one piece");
        assert_eq!(seen.words.len(), named.len());
        assert_eq!(seen.words[1], Some(0));
        assert_eq!(seen.classes[0], [0], "a verb, and no home's own");
        assert!(seen.classes[1].contains(&3), "{seen:?}");
    }

    #[test]
    fn what_is_no_piece_is_unknown_character_by_character() {
        let pieces = Pieces::new("灯", "kind");
        let seen = pieces.see(&words("呱呱"));
        assert_eq!(seen.pieces, [START, UNKNOWN, UNKNOWN, END]);
    }
}
