//! What came of something that was so: `电热毯三档烫得慌`, `洗衣机羊毛洗缩水了`; and who or what it is so with: `空调开到二十二度的人`.

use super::super::super::lexicon::Sense;
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{is_somebody, is_thing, property};

/// The sentence with the thing alone where what came of something is told of it. `None` where nothing else is told.
pub(in super::super) fn without_outcome(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let clauses: Vec<&[Token]> = tokens.split_inclusive(|t| t.has(&Sense::Punctuation)).collect();
    let bare = |clause: &[Token]| clause.iter().take_while(|t| !t.has(&Sense::Punctuation)).count();
    let told: Vec<bool> = clauses.iter().map(|clause| is_told(&clause[..bare(clause)], vocabulary)).collect();
    if !told.contains(&true) {
        return Some(tokens);
    }
    let mut left = Vec::with_capacity(tokens.len());
    for (clause, told) in clauses.into_iter().zip(told) {
        let thing = clause.iter().position(is_thing).filter(|_| told);
        left.extend_from_slice(thing.map_or(clause, |thing| &clause[..=thing]));
        left.extend(thing.and(clause.last()).filter(|t| t.has(&Sense::Punctuation)).cloned());
    }
    let acts = |t: &Token| t.any(|s| s.is_action() || matches!(s, Sense::Number(_))) && !t.is_entity();
    left.iter().any(acts).then_some(left)
}

/// Whether a clause tells of a thing what came of a value, in one breath, or describes something by it.
fn is_told(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let own = |t: &Token, test: fn(&Sense) -> bool| t.any(test) && !t.is_entity();
    // 打开 and 小 are values as well, and do something.
    let does = |t: &Token| own(t, |s| s.is_action() || matches!(s, Sense::State(_) | Sense::Degree { .. }));
    let value = |t: &Token| {
        own(t, |s| matches!(s, Sense::Number(_) | Sense::Value | Sense::Choice(_) | Sense::Extreme(_))) && !does(t)
    };
    let Some(thing) = clause.iter().position(is_thing) else { return false };
    let Some(first) = clause[thing + 1..].iter().position(value).map(|at| thing + 1 + at) else { return false };
    let part = |t: &Token| value(t) || property(t).is_some() || own(t, |s| matches!(s, Sense::Unit(_)));
    let end = first + clause[first..].iter().take_while(|t| part(t)).count();
    let (lead, tail) = (&clause[thing + 1..first], &clause[end..]);
    let told = |s: &Sense| {
        matches!(
            s,
            Sense::Verb(_) | Sense::Set { .. } | Sense::SetBare | Sense::Step { .. } | Sense::Disposal | Sense::Grant
        )
    };
    let sets = clause[..thing].iter().chain(lead).any(|t| !t.is_entity() && t.any(told));
    let sets_or = |s: &Sense| matches!(s, Sense::Set { .. } | Sense::SetBare | Sense::Step { .. } | Sense::Negation);
    let switched = |t: &Token| t.any(|s| lexicon.switches(s).is_some() || sets_or(s)) && !t.is_entity();
    let strange = tail.iter().any(Token::is_residue) && !tail.iter().any(switched);
    let changed = |t: &Token| t.text.ends_with(&lexicon.marks.changed) && !own(t, |s| matches!(s, Sense::Verb(_)));
    let over = tail.iter().any(changed);
    let so = tail.windows(2).any(|pair| lexicon.marks.results.contains(&pair[0].text) && pair[1].is_residue());
    let came = !sets && strange && (over || so);
    // 空调开到最低的是你吧
    let described = tail.first().is_some_and(|t| t.has(&Sense::Of))
        && tail.get(1).is_some_and(|t| {
            is_somebody(t, vocabulary)
                || own(t, |s| matches!(s, Sense::Person | Sense::Is | Sense::Here | Sense::AnyRoom))
        });
    came || sets && described
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn what_came_of_a_value_and_who_likes_it_tell_nothing() {
        for sentence in ["热水器四十五度烫着娃了", "空调开到十八度的人都不怕冷", "空调调到最低的是你吧"]
        {
            assert!(!matches!(at_home(sentence), Parse::Orders(_)), "{sentence}: {:?}", at_home(sentence));
        }
    }

    #[test]
    fn a_value_with_a_reason_is_told() {
        for sentence in ["空调调到二十六度 太冷了", "空调二十六度"] {
            assert!(matches!(at_home(sentence), Parse::Orders(_)), "{sentence}");
        }
    }
}
