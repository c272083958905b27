//! What the description of a command says that it does: switch, set one value, move by a step, or take a value.

use super::super::lexicon::{Lexicon, PropertyId, VerbId};
use super::super::sense::Sense;
use super::{GENERIC_IDS, KindId, concept_in, property_concept};
use crate::home::{Device, Domain};
use crate::text::normalize;

/// The longest beginning of a text that has a sense which `reads` accepts: what it reads as, and the rest.
fn beginning<T>(text: &str, lexicon: &Lexicon, reads: impl Fn(&Sense) -> Option<T>) -> Option<(T, String)> {
    let ends: Vec<usize> = text.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
    ends.into_iter().rev().find_map(|end| {
        let read = lexicon.senses(&text[..end]).iter().find_map(&reads)?;
        Some((read, text[end..].to_owned()))
    })
}

/// The value that a command without an argument sets, as its description says it: `制冷` of `切换到制冷模式`, `打开制冷模式` and
/// `制冷`.
pub(super) fn command_value(description: &str, lexicon: &Lexicon) -> Option<String> {
    let description = normalize(description);
    let set = |sense: &Sense| matches!(sense, Sense::Set { .. }).then_some(());
    let switch = |sense: &Sense| (*sense == Sense::Verb(lexicon.verb("on")?)).then_some(());
    let (prefix, value) = match beginning(&description, lexicon, set) {
        Some(((), value)) => (true, value),
        None => (false, beginning(&description, lexicon, switch).map_or(description.clone(), |((), value)| value)),
    };
    let modes = lexicon.property("mode").map(|mode| &lexicon.properties[mode].words);
    let suffix =
        modes.into_iter().flatten().filter(|word| value.ends_with(word.as_str())).max_by_key(|word| word.len());
    let bare = suffix.map_or(&*value, |word| &value[..value.len() - word.len()]);
    let senses = lexicon.senses(bare);
    let only_value = value == description
        && senses.iter().any(|s| matches!(s, Sense::Choice(_)))
        && !senses.iter().any(|s| matches!(s, Sense::Verb(_)));
    (!bare.is_empty() && (prefix || suffix.is_some() || only_value)).then(|| bare.to_owned())
}

/// What a command without an argument moves by a step, and whether up: `增大音量`.
pub(super) fn command_step(description: &str, lexicon: &Lexicon) -> Option<(PropertyId, bool)> {
    let step = |sense: &Sense| if let Sense::Step { up } = sense { Some(*up) } else { None };
    let (up, what) = beginning(&normalize(description), lexicon, step)?;
    Some((concept_in(&what, lexicon)?, up))
}

/// What a command without an argument does: what its description says, else the last part of its id.
pub(super) fn command_verb(id: &str, description: &str, lexicon: &Lexicon) -> Option<VerbId> {
    let description = normalize(description);
    let described = lexicon
        .verbs
        .iter()
        .enumerate()
        .flat_map(|(id, v)| v.words.iter().map(move |w| (id, w)))
        .filter(|(_, w)| w.chars().count() > 1 && description.contains(w.as_str()))
        .max_by_key(|(_, w)| w.chars().count())
        .map(|(id, _)| id);
    let by_id = || {
        let tail = id.rsplit(['-', '.', '_', '/']).next().unwrap_or_default().to_lowercase();
        let tail = match tail.as_str() {
            "open" => "on",
            "close" => "off",
            other => other,
        };
        lexicon.verb(tail)
    };
    described.or_else(by_id)
}

/// What a command with an argument sets.
pub(super) fn command_concept(
    id: &str,
    description: &str,
    unit: Option<&str>,
    domain: &Domain,
    device: &Device,
    kinds: &[KindId],
    lexicon: &Lexicon,
) -> Option<PropertyId> {
    let described = concept_in(&normalize(description), lexicon);
    let compact = id.to_lowercase();
    let by_id = || {
        let ids = lexicon.properties.iter().enumerate().flat_map(|(p, w)| w.ids.iter().map(move |i| (p, i)));
        ids.filter(|(_, i)| i.len() > 3 && compact.contains(i.as_str()) && !GENERIC_IDS.contains(&i.as_str()))
            .max_by_key(|(_, i)| i.len())
            .map(|(p, _)| p)
    };
    described.or_else(by_id).or_else(|| property_concept("value", description, unit, domain, device, kinds, lexicon))
}
