//! How late it is, as a reason, and times of what other people do: no times of what is told.

use super::super::super::lexicon::Sense;
use super::super::super::segment::{self, Token};
use super::super::super::time::{self, Piece, Span};
use super::super::super::vocabulary::Vocabulary;
use super::super::act;
use super::pause;

/// The sentence without a clause that says how late it is: `台灯关了，都十点了`, `九点半了，台灯关掉`.
pub(in super::super) fn without_the_hour(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let late = |clause: &[Token]| {
        let [first, .., last] = clause else { return false };
        let hour =
            |from: usize| -> Vec<char> { clause[from..clause.len() - 1].iter().flat_map(|t| t.text.chars()).collect() };
        let whole = |hour: &[char]| {
            let spans = time::read(hour, |_| false, &vocabulary.lexicon.time);
            matches!(&spans[..], [Span { start: 0, end, piece: Piece::At(moment, None), .. }] if *end == hour.len() && moment.clock.is_some())
        };
        let begins = first.any(|s| matches!(s, Sense::Each | Sense::Already));
        last.text == marks.changed && (begins && whole(&hour(1)) || whole(&hour(0)))
    };
    let clauses: Vec<&[Token]> = tokens.split_inclusive(|t| t.has(&Sense::Punctuation)).collect();
    let bare = |clause: &[Token]| clause.iter().filter(|t| !t.has(&Sense::Punctuation)).cloned().collect::<Vec<_>>();
    if clauses.len() < 2 || !clauses.iter().any(|clause| late(&bare(clause))) {
        return tokens;
    }
    clauses.into_iter().filter(|clause| !late(&bare(clause))).flatten().cloned().collect()
}

/// `你五点就要出车还刷手机，床头灯关了`, `面膜要敷十五分钟，镜前灯打开`: whether a time stands in a clause that tells of something else, beside
/// others: how long that takes, or when somebody does it.
pub(super) fn of_its_own(chars: &[char], span: &Span, vocabulary: &Vocabulary) -> bool {
    let (before, after) = (pause(&chars[..span.start], true), pause(&chars[span.end..], false));
    let others = before.len() + (span.end - span.start) + after.len() < chars.len();
    let words = |part: &[char]| segment::plain(&part.iter().collect::<String>(), vocabulary);
    let (before, after) = (words(before), words(after));
    let lexicon = &vocabulary.lexicon;
    let somebody = |t: &Token| {
        t.has(&Sense::Person) || [&lexicon.addressees, &lexicon.pronouns].iter().any(|list| list.contains(&t.text))
    };
    // 电视小点声，我明早五点出车: behind what is told it says why.
    let told = words(&chars[..span.start - pause(&chars[..span.start], true).len()]);
    let mine = before.first().is_some_and(|t| t.has(&Sense::Speaker)) && act::tells(&told);
    // 明早七点还要赶地铁
    let plans = after.first().is_some_and(|t| lexicon.modals.contains(&t.text));
    let theirs = mine || plans || before.iter().any(|t| somebody(t) && !t.has(&Sense::Speaker));
    // 屏显关了吧，半夜照得我睡不着
    let behind = act::tells(&told) && matches!(&span.piece, Piece::At(moment, None) if moment.clock.is_none());
    let rest = [before, after].concat();
    let binds = |t: &Token| t.any(|s| matches!(s, Sense::If | Sense::IfClose | Sense::Question(_)));
    others
        && (theirs || behind || matches!(span.piece, Piece::For(_)))
        && rest.iter().any(Token::is_residue)
        && !rest.iter().any(binds)
        && !act::tells(&rest)
        && !act::names_something(&rest)
}
