//! What a device is, in a handful of short texts: what it is found by when nobody says its name.

use std::collections::BTreeSet;

use crate::embedding::documents::abilities;
use crate::embedding::index::Document;
use crate::home::Device;
use crate::language::lexicon::Sense;
use crate::language::segment::segment;
use crate::language::vocabulary::Vocabulary;
use crate::text::{BREAKS, normalize};

/// Texts of one device: an index over a hostile home stays small.
const MAX_TEXTS: usize = 40;

/// Characters of a text that are kept.
const MAX_CHARACTERS: usize = 24;

/// One document for every device that can be moved: names, kinds and what they are for, what it says of itself, what it
/// can do. Owners are positions in the home.
pub(super) fn portraits(vocabulary: &Vocabulary) -> Vec<Document> {
    let devices = vocabulary.home.devices.iter().enumerate();
    let moving = devices.filter(|(owner, _)| !vocabulary.devices[*owner].only_reports());
    moving.map(|(owner, device)| Document { owner, capability: 0, texts: texts(owner, device, vocabulary) }).collect()
}

fn texts(owner: usize, device: &Device, vocabulary: &Vocabulary) -> Vec<String> {
    let lexicon = &vocabulary.lexicon;
    let kinds = vocabulary.devices[owner].kinds.iter().map(|kind| &lexicon.kinds[*kind]);
    let of_kinds = kinds.flat_map(|kind| kind.words.iter().chain(&kind.purposes).cloned());
    let clauses = device.describe.split(BREAKS).map(str::to_owned);
    // What nearly everything can do tells nothing apart, and a value is what a device has now, not what it is.
    let telling = |text: &String| !segment(text, vocabulary).iter().any(|token| token.any(is_switch_or_value));
    let mut seen = BTreeSet::new();
    let texts = device.names().map(str::to_owned).chain(device.tags.iter().cloned()).chain(of_kinds).chain(clauses);
    texts
        .chain(abilities(device, &lexicon.capabilities).into_iter().filter(telling))
        .map(|text| normalize(&text).chars().take(MAX_CHARACTERS).collect::<String>())
        .filter(|text| !text.is_empty() && seen.insert(text.clone()))
        .take(MAX_TEXTS)
        .collect()
}

fn is_switch_or_value(sense: &Sense) -> bool {
    matches!(sense, Sense::Verb(_) | Sense::Choice(_) | Sense::Kelvin(_) | Sense::Number(_) | Sense::Fraction(_))
}
