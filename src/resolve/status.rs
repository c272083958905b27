//! States in words.

use super::Context;
use crate::home::Domain;
use crate::language::action::{Condition, Status, unit_text};
use crate::language::lexicon::{Comparison, PropertyId, Unit};
use crate::language::meaning::Ability;

/// A state in words.
pub(super) fn status_word(status: &Status, context: &Context) -> String {
    let lexicon = context.world.lexicon();
    match status {
        Status::Verb(verb) => lexicon.verbs[*verb].state.first().unwrap_or(&lexicon.verbs[*verb].words[0]).clone(),
        Status::Flag(property, on) if feature(*property, context) => {
            let key = if *on { "feature_on" } else { "feature_off" };
            context.replies.say(key, &[("what", &lexicon.properties[*property].words[0])])
        }
        Status::Flag(property, true) => lexicon.properties[*property].words[0].clone(),
        Status::Flag(property, false) => {
            let property = &lexicon.properties[*property];
            property
                .absent
                .first()
                .cloned()
                .unwrap_or_else(|| context.replies.say("lacks", &[("what", &property.words[0])]))
        }
        Status::Word(word) => word.clone(),
        Status::Compare { property, comparison, value, unit } => {
            let sign = context.replies.word(match comparison {
                Comparison::Greater => "greater",
                Comparison::Less => "less",
                Comparison::AtLeast => "at_least",
                Comparison::AtMost => "at_most",
                Comparison::Equal => "equal",
                Comparison::NotEqual => "not_equal",
            });
            let unit = match unit {
                Some(Unit::Celsius) => context.replies.word("degrees"),
                Some(unit) => unit_text(*unit, lexicon),
                None => "",
            };
            format!("{}{sign}{value}{unit}", lexicon.properties[*property].words[0])
        }
    }
}

/// Whether a property is something that a thing has and that is switched (`照明`), and nothing that comes about (`有人`).
pub(super) fn feature(property: PropertyId, context: &Context) -> bool {
    let entry = &context.world.lexicon().properties[property];
    let moves = context.world.vocabulary.devices.iter().flat_map(|d| d.abilities.iter());
    let named = |a: &&Ability| a.property.is_some_and(|p| p == property || entry.covers.contains(&p));
    // What one thing has as a number another may only have on or off (声音).
    let flag = |a: &Ability| entry.flag || a.domain == Some(Domain::Bool);
    entry.absent.is_empty() && moves.filter(named).any(|a| a.writable && flag(a))
}

/// The state that a description asks for, in words.
pub(super) fn state_in_words(condition: &Condition, context: &Context) -> String {
    match condition {
        Condition::Status { status, holds: true } => status_word(status, context),
        Condition::Status { status, holds: false } => match status.opposite(context.world.lexicon()) {
            Some(opposite) => status_word(&opposite, context),
            None => context.replies.say("is_not", &[("state", &status_word(status, context))]),
        },
        Condition::Extreme { property, .. } => context.world.lexicon().properties[*property].words[0].clone(),
    }
}
