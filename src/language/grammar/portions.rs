//! Portions that are given: `喂食器出粮两份`, `给年糕放两份粮`.

use super::super::lexicon::{PropertyId, Sense, Unit};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::recut::devices;

/// `喂食器每次改成两份`: how much it gives each time is a setting, and no rule for whenever.
pub(super) fn each_time(mut tokens: Vec<Token>) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let standing = |t: &Token| t.has(&Sense::Standing) && t.has(&Sense::Future) && !t.is_entity();
    let Some(at) = tokens.iter().position(standing) else { return tokens };
    let end = tokens[at..].iter().position(pause).map_or(tokens.len(), |pause| at + pause);
    if tokens[at + 1..end].iter().any(|t| t.has(&Sense::Unit(Unit::Portion))) {
        tokens.remove(at);
    }
    tokens
}

/// The sentence with what is done as setting so many, and without whom they are for and what they are. Where nothing is named
/// that gives portions, they are no unit: 来两份炸鸡.
pub(super) fn given(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let portion = |t: &Token| t.has(&Sense::Unit(Unit::Portion));
    let Some(at) = tokens.iter().position(portion) else { return tokens };
    let property = vocabulary.lexicon.property("portions");
    if !property.is_some_and(|property| tokens.iter().any(|t| names(t, property, vocabulary))) {
        tokens.iter_mut().for_each(|t| t.senses.retain(|s| *s != Sense::Unit(Unit::Portion)));
        return tokens;
    }
    if property.is_some_and(|property| tokens.get(at + 1).is_some_and(|t| is_food(t, property, vocabulary))) {
        tokens.remove(at + 1);
    }
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Fraction(_)));
    if at > 1 && number(&tokens[at - 1]) {
        let does = &mut tokens[at - 2];
        let made = does.has(&Sense::Make) && !does.any(|s| matches!(s, Sense::Verb(_)));
        if made || does.is_residue() || does.senses == [Sense::Filler] {
            does.senses = vec![Sense::SetBare];
        }
    }
    let gives = |t: &Token| t.has(&Sense::Disposal) && t.has(&Sense::Filler);
    if let Some(whom) = tokens[..at].windows(2).position(|pair| gives(&pair[0]) && pair[1].is_residue()) {
        tokens.drain(whom..whom + 2);
    }
    tokens
}

/// Whether a word names a thing that gives portions, what it gives, or how much.
fn names(token: &Token, property: PropertyId, vocabulary: &Vocabulary) -> bool {
    let gives = |device: &usize| vocabulary.devices[*device].about(property).is_some();
    let own = |p: PropertyId| {
        p == property || (0..vocabulary.devices.len()).any(|d| gives(&d) && vocabulary.devices[d].about(p).is_some())
    };
    devices(token, vocabulary).is_some_and(|devices| devices.iter().any(gives))
        || is_food(token, property, vocabulary)
        || token.any(|s| matches!(s, Sense::Property(p) | Sense::Feature(p) if own(*p)))
}

fn is_food(token: &Token, property: PropertyId, vocabulary: &Vocabulary) -> bool {
    vocabulary.lexicon.properties[property].describes.contains(&token.text)
}
