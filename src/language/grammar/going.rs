//! Where whoever speaks is going: `客厅灯关了我去主卧`, `空调关了去主卧睡`, `灯关了 我去书房了`. Nothing is told of that room.

use super::super::lexicon::Sense;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{is_thing, place};

/// The sentence without where the speaker is going. What is to be on could be meant for there (`我去厕所 开下灯`).
pub(super) fn without_going(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let goes = |t: &Token| lexicon.marks.goes.contains(&t.text) && !t.is_entity();
    let lead = |t: &Token| t.any(|s| matches!(s, Sense::Speaker | Sense::Sequence | Sense::Filler)) && !t.is_entity();
    let way = |t: &Token| t.senses.iter().find_map(|s| lexicon.switches(s)).filter(|_| !t.is_entity());
    let binds = |t: &Token| t.any(|s| s.is_action() || matches!(s, Sense::Disposal | Sense::Of | Sense::Question(_)));
    for at in 0..tokens.len().saturating_sub(1) {
        let room = tokens[at + 1].any(|s| matches!(s, Sense::Room(_) | Sense::Floor(_))) && !tokens[at + 1].is_entity();
        if !goes(&tokens[at]) || !room {
            continue;
        }
        let start = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
        let end = at + tokens[at..].iter().position(pause).unwrap_or(tokens.len() - at);
        let begin = at - tokens[start..at].iter().rev().take_while(|t| lead(t)).count();
        let (before, tail) = (&tokens[start..begin], &tokens[at + 2..end]);
        let speaks = tokens[begin..at].iter().any(|t| t.has(&Sense::Speaker));
        let others = || match before.is_empty() {
            true => tokens[..begin].iter().chain(&tokens[end..]),
            false => before.iter().chain(&[]),
        };
        let acts = others().any(|t| t.any(Sense::is_action) && !t.is_entity());
        let off = acts && others().filter_map(way).all(|on| !on);
        let said = before.iter().any(|t| way(t).is_some()) && before.iter().any(is_thing);
        let placed = before.iter().any(|t| place(t).is_some());
        let leaves = if before.is_empty() { speaks && off } else { said && (off || placed) };
        if leaves && !tail.iter().any(binds) {
            tokens.drain(begin..if before.is_empty() { (end + 1).min(tokens.len()) } else { end });
            return tokens;
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn where_somebody_goes_is_told_nothing() {
        let told = at_home("客厅灯关了");
        assert!(matches!(told, Parse::Orders(_)));
        assert_eq!(at_home("客厅灯关了我去主卧"), told);
        assert_eq!(at_home("我去主卧了，客厅灯关了"), told);
    }

    #[test]
    fn what_is_to_be_on_may_be_meant_for_there() {
        assert_ne!(at_home("我去主卧 灯开一下"), at_home("灯开一下"));
    }
}
