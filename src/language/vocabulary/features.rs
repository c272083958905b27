//! What each thing calls what it has: behind `净化器的` the thing's own names come before all other words.

use std::collections::HashMap;

use super::super::lexicon::{Lexicon, PropertyId, Sense};
use super::super::meaning::{Ability, DeviceSense, han_name, whole_names};
use super::MAX_NAME;
use super::texts::TextId;
use super::words::Words;
use crate::home::{Device, DeviceIndex, Domain, Home};
use crate::text::normalize;

/// Names of what devices have, for each device; what is alike is there once.
#[derive(Clone, Debug, Default)]
pub(super) struct Features {
    /// For each device, which of the lists is its own.
    of: Vec<u32>,
    lists: Vec<Box<[(TextId, PropertyId)]>>,
    /// For each of the lists what of it is switched, by its whole name.
    flags: Vec<Box<[(TextId, PropertyId)]>>,
    longest: usize,
}

impl Features {
    /// Those of a home.
    pub(super) fn of(home: &Home, devices: &[DeviceSense], lexicon: &Lexicon, words: &mut Words) -> Self {
        let mut features = Self::default();
        let mut known: HashMap<*const Ability, u32> = HashMap::new();
        for (device, sense) in home.devices.iter().zip(devices) {
            let list = *known.entry(sense.abilities.as_ptr()).or_insert_with(|| {
                let mut names = Vec::new();
                for (name, property) in names_of(device, sense, lexicon) {
                    features.longest = features.longest.max(name.chars().count());
                    names.push((words.keep(&name), property));
                }
                names.sort_unstable();
                features.lists.push(names.into());
                let flags = flags_of(device, sense, lexicon).map(|(name, property)| (words.keep(&name), property));
                features.flags.push(flags.collect());
                u32::try_from(features.lists.len() - 1).unwrap_or(u32::MAX)
            });
            features.of.push(list);
        }
        features
    }

    /// What a device can switch of itself, by its names for it.
    pub(super) fn flags(&self, device: DeviceIndex) -> &[(TextId, PropertyId)] {
        &self.flags[self.of[device] as usize]
    }

    /// The longest of the names of some devices that a text begins with: its characters, and what it names.
    pub(super) fn ahead(&self, text: &[char], of: &[DeviceIndex], words: &Words) -> Option<(usize, PropertyId)> {
        let mut lists: Vec<u32> = of.iter().filter_map(|device| self.of.get(*device)).copied().collect();
        lists.sort_unstable();
        lists.dedup();
        lists.retain(|list| !self.lists[*list as usize].is_empty());
        if lists.is_empty() {
            return None;
        }
        (1..=self.longest.min(text.len())).rev().find_map(|length| {
            let name: String = text[..length].iter().collect();
            let name = words.texts().find(&name)?;
            lists.iter().find_map(|list| {
                let list = &self.lists[*list as usize];
                let at = list.binary_search_by_key(&name, |(name, _)| *name).ok()?;
                Some((length, list[at].1))
            })
        })
    }
}

/// What a device calls what it can switch, the whole of it aside.
fn flags_of<'d>(
    device: &'d Device,
    sense: &'d DeviceSense,
    lexicon: &Lexicon,
) -> impl Iterator<Item = (String, PropertyId)> + 'd {
    let power = lexicon.property("power");
    let flag = |a: &&Ability| a.writable && (a.domain == Some(Domain::Bool) || a.is_switch());
    let of = sense.abilities.iter().filter(flag).filter_map(|a| Some((a, a.property?)));
    of.filter(move |(_, p)| Some(*p) != power).map(|(a, property)| (normalize(a.called(device)), property))
}

/// What a device calls what it has, each name of one thing only.
fn names_of(device: &Device, sense: &DeviceSense, lexicon: &Lexicon) -> Vec<(String, PropertyId)> {
    let power = lexicon.property("power");
    let about = || sense.abilities.iter().filter_map(|a| Some((a, a.property?))).filter(|(_, p)| Some(*p) != power);
    let called = |ability: &Ability| ability.called(device);
    let mut found: Vec<(String, Option<PropertyId>)> = Vec::new();
    let mut add = |name: String, property: PropertyId, ability: &Ability| {
        let plain = &lexicon.properties[property];
        // 声音 that is on or off is no volume.
        let usual = plain.flag || ability.domain != Some(Domain::Bool);
        let known = !plain.own && usual && plain.words.contains(&name);
        if name.is_empty() || name.chars().count() > MAX_NAME || known {
            return;
        }
        match found.iter_mut().find(|(known, _)| *known == name) {
            // Of two that are called so nobody knows which is meant.
            Some((_, of)) => *of = of.filter(|of| *of == property),
            None => found.push((name, Some(property))),
        }
    };
    for (ability, property) in about() {
        whole_names(called(ability)).for_each(|name| add(name, property, ability));
        if lexicon.properties[property].own {
            lexicon.properties[property].words.iter().for_each(|word| add(word.clone(), property, ability));
        }
    }
    let value = |name: &str| {
        let domains = sense.abilities.iter().filter_map(|a| a.domain.as_ref());
        domains.into_iter().any(|domain| match domain {
            Domain::Enum(choices) => choices.iter().any(|choice| normalize(&choice.describe) == name),
            _ => false,
        })
    };
    // 节能 of ECO 节能, where that is no value of the thing.
    for (ability, property) in about() {
        let han = han_name(&normalize(called(ability))).filter(|name| !value(name));
        han.into_iter().for_each(|name| add(name, property, ability));
    }
    let mut names: Vec<(String, PropertyId)> =
        found.into_iter().filter_map(|(name, property)| Some((name, property?))).collect();
    // 采暖 of 采暖水温, where nothing else of the thing is called so.
    let measures = |word: &str| {
        let plain = |p: &PropertyId| !lexicon.properties[*p].own && !lexicon.properties[*p].flag;
        lexicon.senses(word).iter().any(|s| matches!(s, Sense::Property(p) if plain(p)))
    };
    let mut stems: Vec<(String, PropertyId)> = Vec::new();
    for (ability, property) in about().filter(|(a, _)| is_number(a)) {
        let name = normalize(called(ability));
        let cuts = name.char_indices().skip(2).filter(|(at, _)| measures(&name[*at..])).map(|(at, _)| &name[..at]);
        // 提醒 of 提醒音量 is 服药提醒, where the thing has that.
        let flag = |stem: &str| {
            let mut flags = about().filter(|(a, _)| a.writable && a.domain == Some(Domain::Bool));
            flags.any(|(a, _)| normalize(called(a)).ends_with(stem))
        };
        let free = |stem: &&str| !value(stem) && !flag(stem) && names.iter().all(|(known, _)| known != stem);
        stems.extend(cuts.filter(free).map(|stem| (stem.to_owned(), property)));
    }
    stems.sort_unstable();
    stems.dedup();
    let once = |(stem, _): &&(String, PropertyId)| stems.iter().filter(|(other, _)| other == stem).count() == 1;
    names.extend(stems.iter().filter(once).cloned());
    names
}

/// Whether it takes a number.
fn is_number(ability: &Ability) -> bool {
    ability.writable && matches!(ability.domain, Some(Domain::Number { .. }))
}
