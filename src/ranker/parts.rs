//! What each word of a sentence is for, if a candidate is what is told.

use super::candidates::{Candidate, Said};
use super::features::{Sentence, hash};
use super::things::Thing;
use crate::language::action::Action;
use crate::language::lexicon::Sense;
use crate::language::segment::Token;

/// What a word is for, if a candidate is what is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Names the thing.
    Thing,
    /// Says the value.
    Value,
    /// Names the property.
    Property,
    /// Says the action.
    Action,
    /// Says that something is done, whatever it is.
    Sets,
    /// Says the opposite.
    Opposite,
    /// Says nothing.
    Hollow,
    /// Nothing of the candidate explains it.
    Open,
}

impl Sentence<'_, '_> {
    /// What a word is for.
    pub(super) fn part(&self, at: usize, candidate: &Candidate, thing: &Thing) -> Part {
        let token = &self.setting.tokens[at];
        if thing.words.contains(&at) {
            return Part::Thing;
        }
        if let Said::Amount(start, end) | Said::UpBy(start, end) | Said::DownBy(start, end) = candidate.said
            && (start..end).contains(&at)
        {
            return Part::Value;
        }
        if candidate.words.contains(&token.text) {
            return Part::Value;
        }
        let lexicon = &self.setting.context.world.vocabulary.lexicon;
        let sense = &self.setting.context.world.vocabulary.devices[candidate.device];
        let ability = &sense.abilities[candidate.ability];
        let own = |p: usize| Some(p) == candidate.property || Some(p) == ability.kin;
        let up = match candidate.said {
            Said::Up | Said::UpBy(..) => Some(true),
            Said::Down | Said::DownBy(..) => Some(false),
            _ => None,
        };
        let mut part = if self.is_hollow(at) { Part::Hollow } else { Part::Open };
        let mut best = |found: Part| part = part.min(found);
        for sense in &token.senses {
            match sense {
                Sense::Property(p) | Sense::Feature(p) | Sense::Absent(p) if own(*p) => best(Part::Property),
                Sense::Direction { property, up: way } => match up {
                    Some(up) if own(*property) => best(if up == *way { Part::Action } else { Part::Opposite }),
                    None if own(*property) => best(Part::Property),
                    _ => {}
                },
                Sense::Verb(verb) | Sense::State(verb) => {
                    let same = candidate.verbs.contains(verb);
                    let opposite = candidate.verbs.iter().any(|v| lexicon.verbs[*v].opposite == Some(*verb));
                    let switches = lexicon.verbs[*verb].switches;
                    let flag = match &candidate.action {
                        Action::Set { .. } => switches,
                        _ => None,
                    };
                    let on = candidate.op == hash("yes");
                    match (same, opposite, flag) {
                        (true, ..) => best(Part::Action),
                        (_, true, _) => best(Part::Opposite),
                        (_, _, Some(way)) if candidate.op == hash("no") || on => {
                            best(if way == on { Part::Action } else { Part::Opposite });
                        }
                        (_, _, Some(true)) => best(Part::Sets),
                        _ => {}
                    }
                }
                Sense::Step { up: way } | Sense::Degree { up: way } => {
                    if let Some(up) = up {
                        best(if up == *way { Part::Action } else { Part::Opposite });
                    }
                }
                Sense::Question(_) if candidate.said == Said::Asked => best(Part::Action),
                Sense::Set { .. } | Sense::SetBare | Sense::Link | Sense::Make | Sense::Grant => best(Part::Sets),
                Sense::Little | Sense::Lots if up.is_some() => best(Part::Sets),
                Sense::Unit(_) if matches!(candidate.said, Said::Amount(..)) => best(Part::Value),
                _ => {}
            }
        }
        part
    }

    pub(super) fn property_words(&self, candidate: &Candidate) -> impl Iterator<Item = &str> {
        let vocabulary = &self.setting.context.world.vocabulary;
        let lexicon = &vocabulary.lexicon;
        candidate.property.into_iter().flat_map(|p| lexicon.properties[p].words.iter().map(String::as_str))
    }

    /// How much of any of these words stands among those that nothing explains: 8 and the share in thirds, or 0.
    pub(super) fn resembles<'w>(&self, words: impl Iterator<Item = &'w str>, parts: &[Part]) -> u64 {
        let mut most = 0;
        for word in words {
            let length = word.chars().count();
            if length < 2 {
                continue;
            }
            for (at, _) in parts.iter().enumerate().filter(|(_, part)| **part == Part::Open) {
                let common = common(&self.setting.tokens[at].text, word);
                let whole = self.setting.tokens[at].text.chars().count();
                if common > 0 {
                    let share = (3 * common / length).min(3) as u64;
                    most = most.max(10 + 8 * u64::from(common > 1) + 4 * u64::from(common == whole) + share);
                }
            }
        }
        most
    }

    /// Whether words that nothing explains name another ability of the device, or a value of another.
    pub(super) fn names_other(&self, candidate: &Candidate, parts: &[Part]) -> u64 {
        let sense = &self.setting.context.world.vocabulary.devices[candidate.device];
        let open = || self.setting.tokens.iter().zip(parts).filter(|(_, part)| **part == Part::Open);
        let names = |token: &Token| {
            token.any(|s| match s {
                Sense::Property(p) | Sense::Feature(p) | Sense::Direction { property: p, .. } => {
                    sense.about(*p).is_some_and(|a| a.writable)
                }
                _ => false,
            })
        };
        let valued = |token: &Token| {
            token.any(|s| matches!(s, Sense::Value | Sense::Choice(_) | Sense::Number(_) | Sense::Fraction(_)))
        };
        u64::from(open().any(|(token, _)| names(token))) + 2 * u64::from(open().any(|(token, _)| valued(token)))
    }
}

/// The most characters in a row that two texts have in common.
fn common(one: &str, other: &str) -> usize {
    let alike = |one: &str, other: &str| one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let from = |one: &str| other.char_indices().map(|(at, _)| alike(one, &other[at..])).max().unwrap_or_default();
    one.char_indices().map(|(at, _)| from(&one[at..])).max().unwrap_or_default()
}
