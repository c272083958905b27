//! Names that white space may cut: the home writes `ECO 节能` and `闩锁 6` with some, and recognisers set Latin letters off from Chinese
//! characters. Within a name it is no pause.

use std::collections::HashSet;

use super::super::meaning::parts;
use super::MAX_NAME;
use crate::home::{Choice, Domain, Home};
use crate::text::{folded, is_han, normalize};

/// Such names in the order of their characters, without white space, and as they are compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Joints(Vec<(Vec<char>, String)>);

impl Joints {
    /// Those of a home.
    pub(super) fn of(home: &Home) -> Self {
        let mut joints = Self::default();
        let values = |domain: &Domain| match domain {
            Domain::Enum(choices) => choices.clone(),
            _ => Vec::new(),
        };
        // Many devices share what a model says.
        let mut known = HashSet::new();
        for device in &home.devices {
            device.names().for_each(|name| joints.add(name));
            if !known.insert(device.properties.as_ptr()) && device.commands.is_empty() {
                continue;
            }
            let of_properties = device.properties.iter().map(|p| (p.describe.as_str(), values(&p.domain)));
            let of_commands = device.commands.iter().map(|c| {
                let choices = c.argument.as_ref().map(values).unwrap_or_default();
                (c.description.as_str(), choices)
            });
            for (describe, choices) in of_properties.chain(of_commands) {
                joints.add(describe);
                parts(describe).for_each(|part| joints.add(part));
                choices.iter().for_each(|Choice { describe, .. }| joints.add(describe));
            }
        }
        let groups = home.groups.iter().flat_map(|g| std::iter::once(&g.name).chain(&g.aliases));
        let scenes = home.scenes.iter().flat_map(|s| std::iter::once(&s.name).chain(&s.aliases));
        let rooms = home.rooms.iter().flat_map(|r| std::iter::once(&r.name).chain(&r.aliases));
        groups.chain(scenes).chain(rooms).for_each(|name| joints.add(name));
        joints.0.sort_by(|one, other| one.0.cmp(&other.0));
        joints.0.dedup_by(|one, other| one.0 == other.0);
        joints
    }

    fn add(&mut self, name: &str) {
        let written = normalize(name);
        let compact: Vec<char> = written.chars().filter(|c| !c.is_whitespace()).collect();
        let cut = name.trim().contains(char::is_whitespace) || has_letters_beside_han(&compact);
        if cut && (2..=MAX_NAME).contains(&compact.len()) {
            self.0.push((compact, written));
        }
    }

    /// A sentence with each such name as it is compared. A number that is set off from the rest of a name and `counts` something
    /// behind it is none of the name: 筒灯 5分钟后关.
    pub(super) fn joined(&self, sentence: &str, counts: impl Fn(&[char]) -> bool) -> String {
        if self.0.is_empty() {
            return sentence.to_owned();
        }
        let chars: Vec<char> = sentence.chars().collect();
        let compared: Vec<char> = chars.iter().copied().map(folded).collect();
        let mut joined = String::with_capacity(sentence.len());
        let mut at = 0;
        while at < chars.len() {
            match self.name_at(&compared, at, &counts) {
                Some((end, name)) => {
                    joined.push_str(name);
                    at = end;
                }
                None => {
                    joined.push(chars[at]);
                    at += 1;
                }
            }
        }
        joined
    }

    /// The longest name that stands at a position, and where it ends.
    fn name_at(&self, chars: &[char], at: usize, counts: impl Fn(&[char]) -> bool) -> Option<(usize, &str)> {
        if at > 0 && goes_on(chars[at - 1], chars[at]) {
            return None;
        }
        // Those that begin like what has been read.
        let (mut alike, mut found) = (&self.0[..], None);
        let written = chars.iter().enumerate().skip(at).filter(|(_, c)| !c.is_whitespace());
        for (read, (end, c)) in written.enumerate() {
            let set_off = end > at && chars[end - 1].is_whitespace();
            if set_off && c.is_ascii_digit() && counts(&chars[end..]) {
                break;
            }
            let next = |(name, _): &(Vec<char>, String)| name.get(read).copied();
            alike = &alike[alike.partition_point(|name| next(name) < Some(*c))..];
            alike = &alike[..alike.partition_point(|name| next(name) == Some(*c))];
            let Some((name, spelled)) = alike.first() else { break };
            let whole = chars.get(end + 1).is_none_or(|next| !goes_on(*c, *next));
            if whole && name.len() == read + 1 {
                found = Some((end + 1, spelled.as_str()));
            }
        }
        found
    }
}

/// Whether a Latin word or a number goes on from one character to the next, both as they are compared.
fn goes_on(one: char, next: char) -> bool {
    let letters = one.is_ascii_alphabetic() && next.is_ascii_alphabetic();
    letters || one.is_ascii_digit() && (next.is_ascii_digit() || next == '.')
}

fn has_letters_beside_han(name: &[char]) -> bool {
    name.windows(2).any(|pair| {
        is_han(pair[0]) && pair[1].is_ascii_alphabetic() || pair[0].is_ascii_alphabetic() && is_han(pair[1])
    })
}
