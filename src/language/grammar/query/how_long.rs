//! How long something still takes: `洗衣机还要洗多久`, `烘干机还得几分钟才好`.

use super::super::super::action::{Action, Ask};
use super::super::super::lexicon::{PropertyId, Question, Sense, Unit};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{self, Nominal};
use super::super::{Parse, SpeakerContext, feature, order};
use crate::home::Domain;

/// Characters of a word that nobody knows and that may be what the thing does meanwhile.
const DOES: usize = 2;

/// Reads such a question; `None` when a sentence is none, or names nothing that could tell.
pub(in super::super) fn how_long(tokens: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Parse> {
    let (at, end) = asked(tokens, vocabulary)?;
    let (before, after) = (&tokens[..at], &tokens[end..]);
    if tokens.iter().any(|t| t.has(&Sense::Punctuation)) || after.first().is_some_and(is_moment) {
        return None;
    }
    let mut thing: Option<Nominal> = None;
    let mut rest = 0;
    while rest < before.len() {
        match nominal::read(before, rest, vocabulary).filter(|_| thing.is_none()) {
            Some((nominal, end)) if nominal.head.is_some() => {
                thing = Some(nominal);
                rest = end;
            }
            _ => {
                let place = thing.is_none() && nominal::place(&before[rest]).is_some();
                if !place && !is_idle(&before[rest]) {
                    return None;
                }
                rest += 1;
            }
        }
    }
    let said = after.iter().position(|t| t.has(&Sense::Particle)).unwrap_or(after.len());
    let named = |t: &Token| t.is_entity() || nominal::kind(t).is_some() || t.has(&Sense::Disposal);
    if !after[..said].iter().all(is_idle) || after.iter().any(named) {
        return None;
    }
    let thing = thing?;
    let devices = feature::meant(&thing, vocabulary)?;
    let remaining = devices.iter().find_map(|d| remaining(*d, vocabulary))?;
    let ask = Action::Ask(Ask::Value(remaining));
    Some(Parse::Orders(vec![order::order(&thing, &ask, vocabulary, speaker)]))
}

/// Where the words that ask for a time stand, and where they end.
fn asked(tokens: &[Token], vocabulary: &Vocabulary) -> Option<(usize, usize)> {
    let asks = |t: &Token| {
        t.any(|s| matches!(s, Sense::Question(Question::HowMuch | Question::HowMany) | Sense::Some)) && !t.is_entity()
    };
    (0..tokens.len()).filter(|at| asks(&tokens[*at])).find_map(|at| {
        let time = |s: &Sense| matches!(s, Sense::Unit(Unit::Minute | Unit::Hour | Unit::Second));
        let unit = tokens.get(at + 1).is_some_and(|t| t.any(time));
        let long = vocabulary.lexicon.how_long.asked.iter().any(|word| tokens[at].text.ends_with(word.as_str()));
        (long || unit).then_some((at, at + 1 + usize::from(unit)))
    })
}

/// `几分钟后` is a time, and no question for one.
fn is_moment(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Future | Sense::Sequence | Sense::RoomSuffix))
}

/// What may stand around a thing and the question: what it does, and that it is not done.
fn is_idle(token: &Token) -> bool {
    let short = token.text.chars().count() <= DOES;
    (token.is_residue() && short)
        || token.any(|s| {
            matches!(
                s,
                Sense::Filler
                    | Sense::Particle
                    | Sense::Verb(_)
                    | Sense::State(_)
                    | Sense::Set { .. }
                    | Sense::Finished
                    | Sense::Exists
                    | Sense::Also
                    | Sense::Of
                    | Sense::Is
                    | Sense::Polite
                    | Sense::AskFor
                    | Sense::Reference
                    | Sense::Measure
                    | Sense::Value
                    | Sense::Choice(_)
                    | Sense::Property(_)
                    | Sense::Feature(_)
            )
        })
}

/// What a device tells of the time that is left.
fn remaining(device: usize, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let time = |unit: &str| vocabulary.lexicon.seconds(unit).is_some();
    let tells = vocabulary.devices[device].abilities.iter().filter(|ability| {
        let number = matches!(ability.domain, Some(Domain::Number { .. }) | None);
        !ability.writable && number && ability.unit.as_deref().is_some_and(time)
    });
    let named = |p: &PropertyId| {
        let words = &vocabulary.lexicon.properties[*p].words;
        words.iter().any(|word| vocabulary.lexicon.how_long.left.iter().any(|left| word.contains(left.as_str())))
    };
    tells.filter_map(|ability| ability.property).find(named)
}
