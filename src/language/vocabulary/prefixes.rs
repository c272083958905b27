//! What several names of a home begin with alike: `鱼缸灯`, `鱼缸水泵`, `鱼缸加热棒` are three things of one.

use std::collections::HashMap;

use crate::home::Home;
use crate::text::{is_han, normalize};

/// Characters of what is shared and of what is left, at the least.
const LEAST: usize = 2;

/// How many names begin with each of the beginnings, and how many end in each of the ends.
#[derive(Default)]
pub(super) struct Prefixes {
    begin: HashMap<String, usize>,
    end: HashMap<String, usize>,
}

impl Prefixes {
    pub(super) fn of(home: &Home) -> Self {
        let mut found = Self::default();
        for device in &home.devices {
            let name = normalize(&device.name);
            for (prefix, rest) in splits(&name) {
                *found.begin.entry(prefix.to_owned()).or_default() += 1;
                *found.end.entry(rest.to_owned()).or_default() += 1;
            }
        }
        found
    }

    /// What is left of a name without the longest beginning that another one shares, where nothing else ends in it.
    pub(super) fn rest<'n>(&self, name: &'n str) -> Option<&'n str> {
        let shared = |(prefix, _): &(&str, &str)| self.begin.get(*prefix).is_some_and(|count| *count > 1);
        let (_, rest) = splits(name).filter(shared).last()?;
        (self.end.get(rest) == Some(&1)).then_some(rest)
    }
}

/// A name in two parts of which either may be said, in all ways; that with the shortest beginning first.
fn splits(name: &str) -> impl Iterator<Item = (&str, &str)> {
    let ends = name.char_indices().skip(LEAST).map(|(at, _)| name.split_at(at));
    ends.filter(|(_, rest)| rest.chars().count() >= LEAST && rest.chars().all(is_han))
}

/// Whether a beginning of a name ends within the first word of what is left of it.
pub(super) fn cuts(beginning: &str, name: &str, rest: &str) -> bool {
    let shared = name.strip_suffix(rest).unwrap_or(name);
    let within = name.strip_prefix(beginning).and(beginning.strip_prefix(shared));
    within.is_some_and(|part| part.chars().count() == 1)
}
