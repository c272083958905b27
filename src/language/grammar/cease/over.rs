//! What is not done any more: `洗碗机不洗了`, `电视不看了`. It ends; `风扇不转了` complains.

use super::super::super::command::Type;
use super::super::super::lexicon::Sense;
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::recut::devices;
use super::is_all;

/// The sentence with what is not done any more as what ends it; without it where that is said already (`洗衣机停吧，不洗了`).
pub(super) fn done_no_more(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let mut at = 0;
    while at < tokens.len() {
        let end = tokens[at..].iter().position(pause).map_or(tokens.len(), |pause| at + pause);
        let text: String = tokens[at..end].iter().map(|t| t.text.as_str()).collect();
        let denied = tokens[at].text.starts_with(&lexicon.marks.denies) && !tokens[at].is_entity();
        let rest = text.strip_prefix(lexicon.marks.denies.as_str()).filter(|_| denied);
        let Some(rest) = rest.filter(|rest| rest.contains(&lexicon.marks.changed)) else {
            at += 1;
            continue;
        };
        let named = tokens[..at].iter().rposition(|t| devices(t, vocabulary).is_some_and(|of| !of.is_empty()));
        let ends = |t: &Token| {
            let ends = |s: &Sense| matches!(s, Sense::Verb(verb) if lexicon.verbs[*verb].safe);
            t.any(ends) && !t.is_entity()
        };
        let Some((thing, verb)) = named.and_then(|thing| Some((thing, ended(&tokens[thing], rest, vocabulary)?)))
        else {
            at += 1;
            continue;
        };
        let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Sequence | Sense::Each)) && !t.is_entity();
        let told = tokens[thing + 1..at].iter().any(ends);
        let right_behind = tokens[thing + 1..at].iter().all(small);
        if told {
            tokens[at..end].iter_mut().for_each(|t| t.senses = vec![Sense::Filler]);
        } else if right_behind {
            tokens.splice(at..end, [Token::of_verb(verb, lexicon)]);
        }
        at += 1;
    }
    tokens
}

/// What ends that a thing does so.
fn ended(thing: &Token, rest: &str, vocabulary: &Vocabulary) -> Option<usize> {
    let lexicon = &vocabulary.lexicon;
    let kinds: Vec<usize> = thing.senses.iter().flat_map(|sense| super::kinds(sense, vocabulary)).collect();
    let over = lexicon.ceases.over.iter().find(|word| is_all(rest, word, &lexicon.ceases));
    let goes = over.and_then(|word| kinds.iter().find(|kind| lexicon.kinds[**kind].goes.contains(word)));
    if let Some(kind) = goes {
        return if lexicon.kinds[*kind].task { lexicon.verb("stop") } else { lexicon.verb("off") };
    }
    let shows = |kind: &usize| matches!(lexicon.kinds[*kind].kind, Type::Television | Type::NetworkAudio);
    let enjoyed = lexicon.ceases.enjoyed.iter().any(|word| is_all(rest, word, &lexicon.ceases));
    lexicon.verb("off").filter(|_| enjoyed && kinds.iter().any(shows))
}

#[cfg(test)]
mod tests {
    use crate::language::action::Action;
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn what_is_not_done_any_more_ends() {
        let Parse::Orders(orders) = at_home("洗衣机不洗了") else { panic!() };
        assert!(matches!(&orders[..], [order] if matches!(order.action, Action::Verb(_))));
        assert_eq!(at_home("洗衣机别洗了"), Parse::Orders(orders));
    }

    #[test]
    fn what_does_not_go_any_more_is_complained_of() {
        for sentence in ["客厅灯不亮了", "换气扇不转了"] {
            assert!(!matches!(at_home(sentence), Parse::Orders(_)), "{sentence}");
        }
    }
}
