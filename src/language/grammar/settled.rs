//! Which way, and then how far: `电视小点声，三十就行`, `空调别太凉，二十八`. The value is set, and the step to it is none of its own.

use super::super::lexicon::{PropertyId, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::property;

/// Numbers up to this one may count something else (两个, 一下).
const COUNTED: f64 = 2.0;

/// The sentence with the value in place of the step that leads to it.
pub(super) fn at_a_value(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let mut at = 1;
    while at + 1 < tokens.len() {
        let pause = tokens[at].has(&Sense::Punctuation);
        let begin = tokens[..at].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
        let length = tokens[at + 1..].iter().take_while(|t| !t.has(&Sense::Punctuation)).count();
        let value = &tokens[at + 1..at + 1 + length];
        if let (true, Some((step, of)), Some(from)) = (pause, stepped(&tokens[begin..at]), value_of(value)) {
            let named = of.map(|p| Token::of_property(p, &vocabulary.lexicon));
            let value = value[from..].to_vec();
            tokens.splice(begin + step..at + 1 + length, named.into_iter().chain(value));
        }
        at += 1;
    }
    tokens
}

/// Where a clause says which way at its end, and of which property where only that word says so.
fn stepped(clause: &[Token]) -> Option<(usize, Option<PropertyId>)> {
    let way = |t: &Token| {
        let steps = |s: &Sense| matches!(s, Sense::Direction { .. } | Sense::Degree { .. } | Sense::Step { .. });
        t.any(steps) && !t.is_entity()
    };
    let at = clause.iter().rposition(way).filter(|at| *at > 0)?;
    let little = |t: &Token| t.any(|s| matches!(s, Sense::Little | Sense::Particle | Sense::Filler)) && !t.is_entity();
    let number =
        |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Question(_) | Sense::Negation | Sense::If));
    if !clause[at + 1..].iter().all(little) || clause.iter().any(number) {
        return None;
    }
    let of = |s: &Sense| if let Sense::Direction { property, .. } = s { Some(*property) } else { None };
    let mut ways = clause[at].senses.iter().filter_map(of);
    let first = ways.next();
    let only = first.filter(|first| ways.all(|other| other == *first));
    Some((at, only.filter(|_| property(&clause[at - 1]).is_none())))
}

/// Where the value begins in a clause that is nothing else.
fn value_of(clause: &[Token]) -> Option<usize> {
    let own = |t: &Token, test: fn(&Sense) -> bool| t.any(test) && !t.is_entity();
    let led = clause.iter().take_while(|t| own(t, |s| matches!(s, Sense::Link | Sense::Filler | Sense::Then))).count();
    let counts =
        |s: &Sense| matches!(s, Sense::Number(n) if n.percent || n.value > COUNTED) || matches!(s, Sense::Fraction(_));
    let first = clause.get(led).filter(|t| t.any(counts) && !t.is_entity())?;
    let unit = usize::from(clause.get(led + 1).is_some_and(|t| own(t, |s| matches!(s, Sense::Unit(_)))));
    let small = |t: &Token| own(t, |s| matches!(s, Sense::Filler | Sense::Particle));
    (clause[led + 1 + unit..].iter().all(small) && first.heard.is_none()).then_some(led)
}
