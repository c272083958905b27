//! What somebody finds too much: `电视开那么大声`, `空调开那么低，也不怕感冒`. It tells nobody to do so.

use super::super::super::lexicon::Sense;
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;

/// The sentence with what is only blamed as what it is said of: `灯开那么亮，关了` is of the lamp. `None` where nothing else is told.
pub(in super::super) fn without_blame(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let Some(at) = (1..tokens.len().saturating_sub(1)).find(|at| blames(&tokens, *at, vocabulary)) else {
        return Some(tokens);
    };
    let asks = |t: &&Token| t.any(|s| matches!(s, Sense::Question(_) | Sense::Particle));
    let asked = tokens[at + 2..].iter().take_while(asks).count();
    tokens.drain(at - 1..at + 2 + asked);
    let acts = |t: &Token| t.any(|s| s.is_action() || matches!(s, Sense::Number(_))) && !t.is_entity();
    tokens.iter().any(acts).then_some(tokens)
}

/// Whether a verb, such a word and a degree meet there. 别开那么亮 and 再开那么亮 tell how it shall be.
fn blames(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> bool {
    let (verb, so, how) = (&tokens[at - 1], &tokens[at], &tokens[at + 1]);
    let makes = verb.any(|s| matches!(s, Sense::Make | Sense::Verb(_) | Sense::SetBare)) && !verb.is_entity();
    let much = vocabulary.lexicon.so.contains(&so.text) && !so.has(&Sense::Reason);
    let degree = how.any(|s| matches!(s, Sense::Degree { .. } | Sense::Direction { .. })) && !how.is_entity();
    let bound = |t: &Token| {
        t.any(|s| matches!(s, Sense::Negation | Sense::Not | Sense::Sequence | Sense::If | Sense::Disposal))
    };
    let clause = tokens[..at].rsplit(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
    makes && much && degree && !clause.iter().any(bound)
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn what_is_too_much_for_somebody_is_told_to_nobody() {
        for sentence in ["灯开那么亮", "空调开那么低 也不怕感冒"] {
            assert!(!matches!(at_home(sentence), Parse::Orders(_)), "{sentence}");
        }
    }

    #[test]
    fn what_is_told_behind_it_is_of_what_it_was_said_of() {
        assert_eq!(at_home("灯开那么亮 关了"), at_home("灯关了"));
    }
}
