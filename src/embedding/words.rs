//! Everyday words and what they say: concepts, and directions on scales and switches.
//!
//! The words themselves are data (`zh/meanings.yaml`); this is the little grammar around them: `热一点` wishes for heat, `太热了`
//! complains of it, `别太热` too, `不够热` wishes for more.

use std::collections::{BTreeMap, HashMap};
use std::ops::Neg;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use crate::zh::{DataError, Entries, MEANINGS, Problem, Sources};

/// The concept of what asks, and moves nothing.
const ASKING: &str = "ask";

/// A scale or a switch of a [`Words`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// Something there can be more or less of.
    Scale(u16),
    /// Something with two ends.
    Switch(u16),
    /// Some scale that was not named: `大一点`.
    AnyScale,
}

/// Which way on a [`Dimension`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pole {
    /// More, on, locked, next.
    Plus,
    /// Less, off, unlocked, previous.
    Minus,
}

impl Neg for Pole {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Plus => Self::Minus,
            Self::Minus => Self::Plus,
        }
    }
}

/// What a text says as far as the word lists know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// Where things should go, sorted. Empty for a question: it asks, it does not move.
    pub directions: Vec<(Dimension, Pole)>,
    /// The scales it is about, sorted.
    pub scales: Vec<Dimension>,
    /// The concepts it mentions, sorted; numbers into the word lists.
    pub concepts: Vec<u16>,
}

/// The word lists of one language.
#[derive(Debug, Default)]
pub struct Words {
    entries: HashMap<String, Entry>,
    longest: usize,
    asking: Option<u16>,
}

#[derive(Debug, Default)]
struct Entry {
    concepts: Vec<u16>,
    roles: Vec<Role>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Names a scale: 温度.
    Name(u16),
    /// A device that has the scale: 空调. It decides between scales, but does not speak of one.
    Carrier(u16),
    /// A state, felt as too much or too little unless it is wished for: 热.
    Felt(u16, Pole),
    /// A direction by itself: 降温.
    Wanted(u16, Pole),
    /// A direction on whatever scale is named.
    Change(Pole),
    End(u16, Pole),
    Marker(Marker),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    ComplaintBefore,
    ComplaintAfter,
    WishBefore,
    WishAfter,
    Negation,
    Short,
    Question,
}

type List = Vec<String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    concepts: BTreeMap<String, List>,
    scales: Entries<ScaleLists>,
    change: ChangeLists,
    switches: BTreeMap<String, SwitchLists>,
    markers: MarkerLists,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeLists {
    up: List,
    down: List,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SwitchLists {
    plus: List,
    minus: List,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ScaleLists {
    names: List,
    carriers: List,
    high: List,
    low: List,
    more: List,
    less: List,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkerLists {
    complaint_before: List,
    complaint_after: List,
    wish_before: List,
    wish_after: List,
    negation: List,
    short: List,
    question: List,
}

impl Words {
    /// The Chinese word lists that ship with the program.
    pub fn chinese() -> Arc<Self> {
        static CHINESE: LazyLock<Arc<Words>> =
            LazyLock::new(|| Words::of(&Sources::default()).expect("the shipped word lists parse"));
        CHINESE.clone()
    }

    /// The word lists that ship, with what an owner lays over them.
    ///
    /// # Errors
    /// Where they do not have their shape.
    pub fn of(sources: &Sources) -> Result<Arc<Self>, DataError> {
        let data = sources.data(&MEANINGS)?;
        let document: Document = data.read()?;
        let mut words = Self { entries: HashMap::new(), longest: 0, asking: None };
        for ((name, list), concept) in document.concepts.into_iter().zip(0..) {
            if name == ASKING {
                words.asking = Some(concept);
            }
            list.into_iter().for_each(|word| words.entry(word).concepts.push(concept));
        }
        // In the order of the file: of several scales a word may belong to, the first is meant if none is named.
        for ((_, lists), scale) in document.scales.0.into_iter().zip(0..) {
            words.add(lists.names, Role::Name(scale));
            words.add(lists.carriers, Role::Carrier(scale));
            words.add(lists.high, Role::Felt(scale, Pole::Plus));
            words.add(lists.low, Role::Felt(scale, Pole::Minus));
            words.add(lists.more, Role::Wanted(scale, Pole::Plus));
            words.add(lists.less, Role::Wanted(scale, Pole::Minus));
        }
        words.add(document.change.up, Role::Change(Pole::Plus));
        words.add(document.change.down, Role::Change(Pole::Minus));
        for ((_, lists), switch) in document.switches.into_iter().zip(0..) {
            words.add(lists.plus, Role::End(switch, Pole::Plus));
            words.add(lists.minus, Role::End(switch, Pole::Minus));
        }
        let markers = document.markers;
        words.add(markers.complaint_before, Role::Marker(Marker::ComplaintBefore));
        words.add(markers.complaint_after, Role::Marker(Marker::ComplaintAfter));
        words.add(markers.wish_before, Role::Marker(Marker::WishBefore));
        words.add(markers.wish_after, Role::Marker(Marker::WishAfter));
        words.add(markers.negation, Role::Marker(Marker::Negation));
        words.add(markers.short, Role::Marker(Marker::Short));
        words.add(markers.question, Role::Marker(Marker::Question));
        let missing = || Problem::Missing { what: "concept", id: ASKING.into() };
        words.asking.ok_or_else(|| data.fault("concepts", missing()))?;
        Ok(Arc::new(words))
    }

    fn entry(&mut self, word: String) -> &mut Entry {
        self.longest = self.longest.max(word.chars().count());
        self.entries.entry(word).or_default()
    }

    fn add(&mut self, list: List, role: Role) {
        list.into_iter().for_each(|word| self.entry(word).roles.push(role));
    }

    /// The longest word at the start of `text`, of those that `wanted` accepts.
    fn longest_at<'w>(&'w self, text: &str, wanted: impl Fn(&Entry) -> bool) -> Option<(usize, &'w Entry)> {
        let mut ends: Vec<usize> = text.char_indices().map(|(i, c)| i + c.len_utf8()).take(self.longest).collect();
        ends.reverse();
        ends.into_iter().find_map(|end| {
            let entry = self.entries.get(&text[..end]).filter(|entry| wanted(entry))?;
            Some((end, entry))
        })
    }

    /// The entries that steer directions, from left to right, each at least as long as any other at its place.
    fn steering(&self, text: &str) -> Vec<&Entry> {
        let mut found = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let (taken, entry) = match self.longest_at(rest, |entry| !entry.roles.is_empty()) {
                Some((taken, entry)) => (taken, Some(entry)),
                None => (first.len_utf8(), None),
            };
            found.extend(entry);
            rest = &rest[taken..];
        }
        found
    }

    /// The words of `text` in order, and whether each steers a direction; what the lists do not know is cut into characters.
    pub fn cut<'t>(&self, text: &'t str) -> Vec<(&'t str, bool)> {
        let mut words = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let known = self.longest_at(rest, |_| true);
            let (word, after) = rest.split_at(known.map_or(first.len_utf8(), |(taken, _)| taken));
            words.push((word, known.is_some_and(|(_, entry)| !entry.roles.is_empty())));
            rest = after;
        }
        words
    }

    fn concepts(&self, text: &str) -> Vec<u16> {
        let starts = text.char_indices().map(|(i, _)| i);
        let entries = starts.filter_map(|i| self.longest_at(&text[i..], |entry| !entry.concepts.is_empty()));
        let mut concepts: Vec<u16> = entries.flat_map(|(_, entry)| entry.concepts.iter().copied()).collect();
        concepts.sort_unstable();
        concepts.dedup();
        concepts
    }

    /// What `text` says.
    pub fn meaning(&self, text: &str) -> Meaning {
        let sentence = Sentence(self.steering(text));
        let mut meaning = sentence.meaning();
        meaning.concepts = self.concepts(text);
        if !meaning.directions.is_empty() {
            meaning.concepts.retain(|concept| Some(*concept) != self.asking);
        }
        meaning
    }
}

/// The steering words of a text, in order.
struct Sentence<'w>(Vec<&'w Entry>);

impl Sentence<'_> {
    fn marked(&self, at: Option<usize>, marker: Marker) -> bool {
        at.and_then(|i| self.0.get(i)).is_some_and(|entry| entry.roles.contains(&Role::Marker(marker)))
    }

    fn scales_where(&self, pick: impl Fn(Role) -> Option<u16>) -> Vec<u16> {
        let mut scales: Vec<u16> =
            self.0.iter().flat_map(|entry| entry.roles.iter().copied().filter_map(&pick)).collect();
        scales.sort_unstable();
        scales.dedup();
        scales
    }

    fn meaning(&self) -> Meaning {
        let names = self.scales_where(|role| if let Role::Name(scale) = role { Some(scale) } else { None });
        let carriers = self.scales_where(|role| if let Role::Carrier(scale) = role { Some(scale) } else { None });
        let is_named = |scale: &u16| names.contains(scale) || carriers.contains(scale);
        let mut directions = Vec::new();
        let mut changes = Vec::new();
        let mut decided = Vec::new();
        for (i, entry) in self.0.iter().enumerate() {
            let before = |distance: usize| i.checked_sub(distance);
            let negated = self.marked(before(1), Marker::Negation) || self.marked(before(2), Marker::Negation);
            let short = self.marked(before(1), Marker::Short);
            let complaint = self.marked(before(1), Marker::ComplaintBefore)
                || self.marked(Some(i + 1), Marker::ComplaintAfter)
                || negated;
            let wish = self.marked(Some(i + 1), Marker::WishAfter)
                || self.marked(before(1), Marker::WishBefore)
                || self.marked(before(2), Marker::WishBefore);
            let asked = |pole: Pole, as_is: bool| if as_is { pole } else { -pole };
            let on_scale: Vec<(u16, Pole)> = entry
                .roles
                .iter()
                .filter_map(|role| match *role {
                    Role::Felt(scale, pole) => Some((scale, asked(pole, short || wish && !complaint))),
                    Role::Wanted(scale, pole) => Some((scale, asked(pole, short || !complaint))),
                    _ => None,
                })
                .collect();
            let named: Vec<_> = on_scale.iter().copied().filter(|(scale, _)| is_named(scale)).collect();
            decided.extend(if named.is_empty() { on_scale.into_iter().take(1).collect() } else { named });
            for role in &entry.roles {
                match *role {
                    Role::Change(pole) => changes.push(asked(pole, short || !complaint)),
                    Role::End(switch, pole) => directions.push((Dimension::Switch(switch), asked(pole, !negated))),
                    _ => {}
                }
            }
        }
        let mut scales = names.clone();
        if !decided.is_empty() {
            scales = decided.iter().map(|(scale, _)| *scale).collect();
            directions.extend(decided.into_iter().map(|(scale, pole)| (Dimension::Scale(scale), pole)));
        } else if !changes.is_empty() {
            if scales.is_empty() {
                scales = carriers;
            }
            for pole in changes {
                directions.extend(scales.iter().map(|scale| (Dimension::Scale(*scale), pole)));
                if directions.is_empty() {
                    directions.push((Dimension::AnyScale, pole));
                }
            }
        }
        if (0..self.0.len()).any(|i| self.marked(Some(i), Marker::Question)) {
            directions.clear();
        }
        directions.sort_unstable();
        directions.dedup();
        let mut scales: Vec<Dimension> = scales.into_iter().map(Dimension::Scale).collect();
        scales.sort_unstable();
        scales.dedup();
        Meaning { directions, scales, concepts: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_and_complaints_point_opposite_ways() {
        let words = Words::chinese();
        let pole = |text: &str| match words.meaning(text).directions.as_slice() {
            [(_, pole)] => *pole,
            other => panic!("{text}: {other:?}"),
        };
        for (warmer, cooler) in [
            ("热一点", "太热了"),
            ("好冷", "冷一点"),
            ("冻死了", "热死了"),
            ("温度高一点", "温度太高了"),
            ("不够热", "别太热"),
            ("升温", "降温"),
            ("暖和一点", "凉快一点"),
        ] {
            assert_eq!((pole(warmer), pole(cooler)), (Pole::Plus, Pole::Minus), "{warmer} / {cooler}");
        }
    }

    #[test]
    fn the_thing_spoken_of_decides_the_scale() {
        let words = Words::chinese();
        let scales = |text: &str| words.meaning(text).scales;
        assert_ne!(scales("灯光暖一点"), scales("暖一点"));
        assert_eq!(scales("灯光暖一点"), scales("调色温"));
        assert_eq!(scales("暖一点"), scales("调温度"));
    }

    #[test]
    fn any_text_has_a_meaning() {
        let words = Words::chinese();
        for text in ["", "，。", "🦊", &"太".repeat(10_000), &"不要别".repeat(5_000)] {
            assert!(words.meaning(text).directions.len() <= 64);
        }
    }
}
