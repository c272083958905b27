//! How late it is, as a reason: no time of what is told.

use super::super::super::lexicon::Sense;
use super::super::super::segment::Token;
use super::super::super::time::{self, Piece, Span};
use super::super::super::vocabulary::Vocabulary;

/// The sentence without a clause that says how late it is: `台灯关了，都十点了`.
pub(in super::super) fn without_the_hour(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let late = |clause: &[Token]| {
        let [first, .., last] = clause else { return false };
        let hour: Vec<char> = clause[1..clause.len() - 1].iter().flat_map(|t| t.text.chars()).collect();
        let spans = || time::read(&hour, |_| false, &vocabulary.lexicon.time);
        let whole = |spans: &[Span]| matches!(spans, [Span { start: 0, end, piece: Piece::At(moment, None), .. }] if *end == hour.len() && moment.clock.is_some());
        first.any(|s| matches!(s, Sense::Each | Sense::Already)) && last.text == marks.changed && whole(&spans())
    };
    let clauses: Vec<&[Token]> = tokens.split_inclusive(|t| t.has(&Sense::Punctuation)).collect();
    let bare = |clause: &[Token]| clause.iter().filter(|t| !t.has(&Sense::Punctuation)).cloned().collect::<Vec<_>>();
    if clauses.len() < 2 || !clauses.iter().any(|clause| late(&bare(clause))) {
        return tokens;
    }
    clauses.into_iter().filter(|clause| !late(&bare(clause))).flatten().cloned().collect()
}
