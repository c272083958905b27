//! A time that is taken back for another: `明天八点，不对，九点打开空调`, `晚上八点关灯，说错了，九点`.

use super::super::super::lexicon::Sense;
use super::super::super::segment;
use super::super::super::time::{Piece, Span};
use super::super::super::vocabulary::Vocabulary;
use super::timed::{Timed, is_action};

/// The sentence with the other time alone; `None` where none is taken back.
pub(super) fn amended(timed: &Timed, vocabulary: &Vocabulary) -> Option<Timed> {
    let at = (1..timed.spans.len()).find(|at| {
        let (wrong, meant) = (&timed.spans[at - 1], &timed.spans[*at]);
        takes_back(&timed.text(wrong.end, meant.start), vocabulary).is_some()
    })?;
    let (wrong, meant) = (&timed.spans[at - 1], &timed.spans[at]);
    let between = timed.text(wrong.end, meant.start);
    let told: Vec<char> = between.chars().take(takes_back(&between, vocabulary)?).collect();
    let rest = timed.spans.get(at + 1).map_or(timed.chars.len(), |next| next.start);
    let behind = segment::plain(&timed.text(meant.end, rest), vocabulary);
    // What is told stands on one side of them.
    if told.is_empty() != behind.iter().any(is_action) {
        return None;
    }
    let mut chars = timed.chars[..wrong.start].to_vec();
    let start = chars.len();
    chars.extend_from_slice(&timed.chars[meant.start..meant.end]);
    let end = chars.len();
    chars.extend(told);
    let moved = meant.end - chars.len();
    chars.extend_from_slice(&timed.chars[meant.end..]);
    let piece = of_the_same_day(&wrong.piece, &meant.piece);
    let later = timed.spans[at + 1..].iter().cloned().map(|span| Span {
        start: span.start - moved,
        end: span.end - moved,
        ..span
    });
    let spans = timed.spans[..at - 1].iter().cloned();
    let spans = spans.chain([Span { start, end, piece, weak: meant.weak }]).chain(later).collect();
    Some(Timed { chars, spans })
}

/// How many characters of what stands between two times are told, where the rest of it takes the first of them back.
fn takes_back(between: &str, vocabulary: &Vocabulary) -> Option<usize> {
    let pauses = |c: char| !c.is_alphanumeric();
    let starts = std::iter::once(0).chain(between.char_indices().filter(|(_, c)| pauses(*c)).map(|(at, _)| at));
    let marks = &vocabulary.lexicon.marks;
    starts.into_iter().find_map(|start| {
        let words = segment::plain(&between[start..], vocabulary);
        let corrects = |t: &segment::Token| t.has(&Sense::Correction) || t.text == marks.denies;
        let small = |s: &Sense| matches!(s, Sense::Punctuation | Sense::Filler | Sense::Particle | Sense::Is);
        let fits = words.iter().any(corrects) && words.iter().all(|t| !t.is_entity() && (corrects(t) || t.any(small)));
        fits.then(|| between[..start].chars().count())
    })
}

/// Of the day and the part of it that was said, where the other says none.
fn of_the_same_day(wrong: &Piece, meant: &Piece) -> Piece {
    match (wrong, meant) {
        (Piece::At(before, repeated), Piece::At(moment, repeat)) => {
            let mut moment = moment.clone();
            moment.day = moment.day.or(before.day);
            moment.part = moment.part.or(before.part);
            Piece::At(moment, repeat.or(*repeated))
        }
        _ => meant.clone(),
    }
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::tests::at_home;

    #[test]
    fn a_time_may_be_taken_back_for_another() {
        assert_eq!(at_home("明天八点，不对，九点打开空调"), at_home("明天九点打开空调"));
        assert_eq!(at_home("晚上八点关灯，说错了，是九点"), at_home("晚上九点关灯"));
        assert_eq!(at_home("半小时后，不，一个小时后关电视"), at_home("一个小时后关电视"));
    }
}
