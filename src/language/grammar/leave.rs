//! Values that are left: `取消预设`, `空调退出节能模式`. Who takes one of several values away wants none of them, where there is a
//! value for that, and never the one that is named.

use super::super::lexicon::{PropertyId, Sense};
use super::super::meaning::Ability;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::feature::owns;
use super::nominal::kind;
use crate::home::{Choice, Domain};
use crate::text::normalize;

/// What hubs call the value that is none.
const OFF: &str = "off";

/// The words of a command, with what is left set to none. `None` where nothing is left.
pub(super) fn left(tokens: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let parts = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Then | Sense::Sequence | Sense::And));
    if !tokens.iter().any(|t| leaves(t, vocabulary)) {
        return None;
    }
    let clauses = || tokens.split_inclusive(parts);
    let read: Vec<Option<Vec<Token>>> = clauses().map(|clause| of_clause(clause, vocabulary)).collect();
    read.iter().any(Option::is_some).then(|| {
        let both = clauses().zip(read);
        both.flat_map(|(clause, left)| left.unwrap_or_else(|| clause.to_vec())).collect()
    })
}

/// Whether a word takes something away.
fn leaves(token: &Token, vocabulary: &Vocabulary) -> bool {
    let off = |s: &Sense| vocabulary.lexicon.switches(s) == Some(false);
    !token.is_entity() && (token.any(off) || vocabulary.lexicon.leaves[0].contains(&token.text))
}

fn of_clause(clause: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let one = |test: &dyn Fn(&Token) -> bool| {
        let mut found = (0..clause.len()).filter(|at| test(&clause[*at]));
        found.next().filter(|_| found.next().is_none())
    };
    let by = one(&|t| leaves(t, vocabulary))?;
    // More than that is not only left: 取消节能换成离家.
    let sets = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare | Sense::Step { .. } | Sense::Not));
    if clause.iter().any(|t| sets(t) && !t.is_entity()) {
        return None;
    }
    let suffix = |t: &Token| vocabulary.lexicon.feature_suffix.contains(&t.text);
    let small =
        |t: &Token| suffix(t) || t.any(|s| matches!(s, Sense::Filler | Sense::Disposal | Sense::Each | Sense::Also));
    let mut found = (0..clause.len()).filter(|at| *at != by).filter_map(|at| Some((at, what(at, clause, vocabulary)?)));
    let (at, (properties, none)) = found.next()?;
    let near = if by < at { clause[by + 1..at].iter().all(owns) } else { clause[at + 1..by].iter().all(small) };
    // The name of a value may be followed by that of what it is one of (节能模式).
    let end = at + 1 + usize::from(clause.get(at + 1).is_some_and(suffix));
    let more = found.any(|(other, _)| other >= end);
    if !near || more {
        return None;
    }
    let none = Token { senses: vocabulary.senses(&none), text: none, heard: None };
    let set = Token { senses: vec![Sense::Set { open: false }], ..clause[by].clone() };
    let named = vocabulary.lexicon.properties[*properties.first()?].words.first()?;
    let senses = properties.into_iter().map(Sense::Property).collect();
    let property = Token { text: named.clone(), heard: None, senses };
    let kept = |from: usize, to: usize| (from..to).filter(|at| *at != by).map(|at| clause[at].clone());
    let mut read: Vec<Token> = kept(0, at).collect();
    read.extend([property, set, none]);
    read.extend(kept(end, clause.len()));
    Some(read)
}

/// The properties that a word names, itself or by one of their values, and what is none of their values.
fn what(at: usize, clause: &[Token], vocabulary: &Vocabulary) -> Option<(Vec<PropertyId>, String)> {
    let token = &clause[at];
    if token.is_entity() || kind(token).is_some() {
        return None;
    }
    let named: Vec<PropertyId> = token.senses.iter().filter_map(property).collect();
    let is_value = token.any(|s| matches!(s, Sense::Choice(_) | Sense::Value));
    if named.is_empty() && !is_value {
        return None;
    }
    let mut found: Option<(Vec<PropertyId>, String)> = None;
    for ability in meant(clause, vocabulary) {
        let (Some(property), Some(Domain::Enum(list))) = (ability.property, &ability.domain) else { continue };
        let by_name = named.contains(&property);
        if !(by_name || named.is_empty() && has(ability, list, token)) {
            continue;
        }
        let none = list.iter().find(|choice| is_none(choice, vocabulary));
        match (none, &mut found) {
            // Of a value that something else has that cannot be left, nobody knows which is meant.
            (None, _) if !by_name => return None,
            (None, _) => {}
            (Some(none), None) => found = Some((vec![property], normalize(&none.describe))),
            (Some(_), Some((properties, _))) if !properties.contains(&property) => properties.push(property),
            (Some(_), Some(_)) => {}
        }
    }
    found
}

fn property(sense: &Sense) -> Option<PropertyId> {
    if let Sense::Property(property) = sense { Some(*property) } else { None }
}

/// What can be set of the things that a clause names; of all where it names none.
fn meant<'v>(clause: &[Token], vocabulary: &'v Vocabulary) -> impl Iterator<Item = &'v Ability> {
    let named: Vec<usize> = clause
        .iter()
        .flat_map(|t| &t.senses)
        .filter_map(|s| if let Sense::Devices(devices) = s { Some(devices.as_slice()) } else { None })
        .flatten()
        .copied()
        .collect();
    let kinds: Vec<usize> = clause.iter().filter_map(kind).collect();
    let is_meant = move |at: usize| {
        named.contains(&at)
            || kinds.iter().any(|kind| vocabulary.devices[at].is(*kind))
            || (named.is_empty() && kinds.is_empty())
    };
    let devices = (0..vocabulary.devices.len()).filter(move |at| is_meant(*at));
    devices.flat_map(|at| vocabulary.devices[at].abilities.iter()).filter(|ability| ability.writable)
}

/// Whether a word is one of the values, and not the one that is none of them.
fn has(ability: &Ability, list: &[Choice], token: &Token) -> bool {
    let meant = |s: &Sense| if let Sense::Choice(choice) = s { Some(*choice) } else { None };
    let meanings: Vec<_> = token.senses.iter().filter_map(meant).collect();
    list.iter().enumerate().any(|(at, choice)| {
        normalize(&choice.describe) == token.text
            || ability.choices.get(at).is_some_and(|of| of.iter().any(|choice| meanings.contains(choice)))
    })
}

/// Whether a value of the things that are named may be left.
pub(super) fn may_be_left(at: usize, clause: &[Token], vocabulary: &Vocabulary) -> bool {
    what(at, clause, vocabulary).is_some()
}

/// 无, or what a hub knows as off and a home calls otherwise (标准).
fn is_none(choice: &Choice, vocabulary: &Vocabulary) -> bool {
    let called = normalize(&choice.describe);
    let switches = || vocabulary.lexicon.senses(&called).iter().any(|s| vocabulary.lexicon.switches(s).is_some());
    let off = choice.value.as_str().is_some_and(|value| value.eq_ignore_ascii_case(OFF));
    vocabulary.lexicon.leaves[1].contains(&called) || off && !called.is_empty() && !switches()
}
