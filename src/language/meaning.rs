//! What the words of a home document say about its devices: kinds and abilities.
//!
//! A model's name is only a hint (the seed's air conditioner is called `fan`), so a device's kinds come from everything
//! that is known of it: names, description, category. It counts as a kind if any of them says so.

mod choices;
mod claim;
mod commands;
mod parts_of;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::lexicon::{ChoiceId, Kind, KindId, Lexicon, OwnProperty, OwnWords, PropertyId, Unit, VerbId};
use super::number;
use crate::home::{Choice, Device, Domain, Home, Property, Risk};
use crate::text::{BREAKS, ENUMERATION, is_han, normalize};
use choices::choices;
use claim::{Claim, claims, kind_of_feature};
pub use claim::{han_name, parts, whole_names};
use commands::Command;

/// A name says its kind at its end; more characters than this before it, and it is no name but a sentence.
const MAX_NAME_PREFIX: usize = 6;

/// Properties that one home may add to the language.
const MAX_OWN_PROPERTIES: usize = 1024;

/// What is known about one device.
#[derive(Clone, Debug, Default)]
pub struct DeviceSense {
    /// The kinds it counts as, best evidence first.
    pub kinds: Vec<KindId>,
    /// What it can do and tell.
    pub abilities: Arc<[Ability]>,
    /// Opening or starting it needs a confirmation.
    pub risky: bool,
}

/// Where an ability comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A property, by position.
    Property(usize),
    /// A command, by position.
    Command(usize),
}

/// One thing a device can do or tell.
#[derive(Clone, Debug)]
pub struct Ability {
    /// Where it comes from.
    pub source: Source,
    /// What it is about.
    pub property: Option<PropertyId>,
    /// What it would be about if it had no name of its own: the level behind `雾量`.
    pub kin: Option<PropertyId>,
    /// What it does, for a command without an argument.
    pub verb: Option<VerbId>,
    /// What it moves by a step, and whether up, for a command without an argument.
    pub step: Option<(PropertyId, bool)>,
    /// The values it takes; the only one, for a command that sets one value (`切换到制冷模式`).
    pub domain: Option<Domain>,
    /// Their unit.
    pub unit: Option<String>,
    /// What they count where they have no unit.
    pub counts: Option<Unit>,
    /// Whether it can be set.
    pub writable: bool,
    /// For each choice of an enumeration, what it means.
    pub choices: Vec<Vec<ChoiceId>>,
}

fn counts(property: Option<PropertyId>, lexicon: &Lexicon) -> Option<Unit> {
    lexicon.properties[property?].counts
}

/// What is known of each device of a home, in the home's order: of those that are alike, what they can do is there once.
/// `kinds` is what they count as, `lexicon` has the home's own words.
pub fn senses(home: &Home, kinds: Vec<Vec<KindId>>, lexicon: &Lexicon) -> Vec<DeviceSense> {
    let mut known: HashMap<Likeness, Arc<[Ability]>> = HashMap::new();
    let can = home.devices.iter().zip(&kinds).map(|(device, kinds)| match likeness(device, kinds) {
        Some(like) => Arc::clone(known.entry(like).or_insert_with(|| abilities(device, kinds, lexicon))),
        None => abilities(device, kinds, lexicon),
    });
    let can: Vec<Arc<[Ability]>> = can.collect();
    let all = home.devices.iter().zip(kinds).zip(can);
    all.map(|((device, kinds), abilities)| {
        let risky = match device.risk {
            Some(risk) => risk == Risk::High,
            None => kinds.iter().any(|k| lexicon.kinds[*k].risky && !only_reports(device)),
        };
        DeviceSense { kinds, abilities, risky }
    })
    .collect()
}

/// What devices have in common that can do the same: their model, and what they count as.
type Likeness<'a> = (*const Property, &'a str, &'a [KindId]);

/// None for devices that are described by commands of their own.
fn likeness<'a>(device: &'a Device, kinds: &'a [KindId]) -> Option<Likeness<'a>> {
    device.commands.is_empty().then(|| (device.properties.as_ptr(), device.describe.as_str(), kinds))
}

/// What a device can do and tell.
fn abilities(device: &Device, kinds: &[KindId], lexicon: &Lexicon) -> Arc<[Ability]> {
    let (of_properties, of_commands) = claims(device, kinds, lexicon);
    let properties = device.properties.iter().zip(of_properties).enumerate().map(|(i, (p, claim))| Ability {
        source: Source::Property(i),
        property: claim.concept,
        kin: claim.kin,
        verb: None,
        step: None,
        domain: Some(p.domain.clone()),
        unit: p.unit.clone(),
        counts: counts(claim.concept.or(claim.kin), lexicon),
        writable: p.writable,
        choices: choices(&p.domain, lexicon),
    });
    let commands = device.commands.iter().zip(of_commands).enumerate().map(|(i, (c, (claim, does)))| {
        let domain = match &does {
            Command::Feature { on, .. } => Some(switched(*on, lexicon)),
            Command::Value(value) => {
                Some(Domain::Enum(vec![Choice { value: value.clone().into(), describe: value.clone() }]))
            }
            _ => c.argument.clone(),
        };
        let (verb, step) = match does {
            Command::Verb(verb) => (Some(verb), None),
            Command::Step(property, up) => (None, Some((property, up))),
            _ => (None, None),
        };
        Ability {
            source: Source::Command(i),
            property: claim.concept.filter(|_| step.is_none()),
            kin: claim.kin,
            verb,
            step,
            choices: domain.as_ref().map(|d| choices(d, lexicon)).unwrap_or_default(),
            domain,
            unit: c.unit.clone(),
            counts: counts(claim.concept.or(claim.kin), lexicon),
            writable: true,
        }
    });
    properties.chain(commands).collect()
}

impl Ability {
    /// What its device calls it, as the document writes it.
    pub fn called<'d>(&self, device: &'d Device) -> &'d str {
        match self.source {
            Source::Property(at) => &device.properties[at].describe,
            Source::Command(at) => &device.commands[at].description,
        }
    }

    /// One of two commands that switch something that a device has: `速冷启用`.
    pub fn is_switch(&self) -> bool {
        matches!((self.source, &self.domain), (Source::Command(_), Some(Domain::Enum(list)))
            if matches!(&list[..], [one] if one.value.is_boolean()))
    }
}

impl DeviceSense {
    /// The ability about a property; one that can be set before one that only tells.
    pub fn about(&self, property: PropertyId) -> Option<&Ability> {
        let about = || self.abilities.iter().filter(|a| a.property == Some(property));
        let kin = || self.abilities.iter().find(|a| a.kin == Some(property) && a.writable);
        about().find(|a| a.writable).or_else(kin).or_else(|| about().next())
    }

    /// The feature of this device that is called after a kind of thing: the lamp of a hood; where it has several, the one that
    /// is called so and no more (照明 of an aquarium that has a 杀菌灯 as well).
    pub fn feature_of_kind(&self, kind: KindId, lexicon: &Lexicon) -> Option<PropertyId> {
        let own = self.abilities.iter().filter(|a| a.writable).filter_map(|a| a.property);
        let named = own.filter(|p| lexicon.properties[*p].kind == Some(kind));
        let plain = |p: &PropertyId| {
            lexicon.properties[*p].words.first().is_some_and(|w| lexicon.kinds[kind].words.contains(w))
        };
        let only = |mut of: Box<dyn Iterator<Item = PropertyId> + '_>| {
            let first = of.next()?;
            of.all(|p| p == first).then_some(first)
        };
        only(Box::new(named.clone())).or_else(|| only(Box::new(named.filter(plain))))
    }

    /// Whether nothing switches the whole of it: a fan and its lamp have a switch each.
    pub fn has_no_switch(&self, lexicon: &Lexicon) -> bool {
        let switch = |a: &Ability| {
            let on = a.verb.is_some_and(|verb| lexicon.verbs[verb].id == "on");
            on || a.property.is_some() && a.property == lexicon.property("power")
        };
        !self.abilities.iter().any(|a| a.writable && switch(a))
    }

    /// Whether it counts as a kind.
    pub fn is(&self, kind: KindId) -> bool {
        self.kinds.contains(&kind)
    }

    /// Whether it only reports and never moves.
    pub fn only_reports(&self) -> bool {
        !self.abilities.iter().any(|a| a.writable)
    }
}

/// How long a device may take to be as it was told to be, by what it is, in seconds; 0 for what does at once what it does.
pub fn takes(device: &Device, lexicon: &Lexicon) -> u16 {
    kinds(device, lexicon).into_iter().map(|kind| lexicon.kinds[kind].takes).max().unwrap_or_default()
}

/// The first number in a name: 2 of 2号插孔.
pub fn counted(name: &str) -> Option<u32> {
    let chars: Vec<char> = name.chars().collect();
    (0..chars.len()).find_map(|at| number::read(&chars[at..])).map(|(number, _)| number.value as u32)
}

/// The one value of a command that switches something on or off.
fn switched(on: bool, lexicon: &Lexicon) -> Domain {
    let verb = lexicon.verb(if on { "on" } else { "off" });
    let describe = verb.map(|v| lexicon.verbs[v].words[0].clone()).unwrap_or_default();
    Domain::Enum(vec![Choice { value: on.into(), describe }])
}

/// What the home calls its properties: those that the language has no word for, or that share one with another property of
/// the same device (two temperatures of a refrigerator), and further words for those of the language.
pub fn own_words(home: &Home, kinds: &[Vec<KindId>], lexicon: &Lexicon) -> OwnWords {
    let mut found = OwnWords::default();
    let mut seen: HashSet<Likeness> = HashSet::new();
    let mut known: HashSet<String> = HashSet::new();
    let mut also: HashSet<(PropertyId, String)> = HashSet::new();
    for (device, kinds) in home.devices.iter().zip(kinds) {
        if likeness(device, kinds).is_some_and(|like| !seen.insert(like)) {
            continue;
        }
        let (properties, commands) = claims(device, kinds, lexicon);
        for claim in properties.into_iter().chain(commands.into_iter().map(|(claim, _)| claim)) {
            let Claim { concept, words, own, flag, .. } = claim;
            let Some(first) = words.first() else { continue };
            if own {
                if found.properties.len() < MAX_OWN_PROPERTIES && known.insert(first.clone()) {
                    let kind = kind_of_feature(first, lexicon).filter(|_| flag);
                    let short = shortened(first, lexicon).filter(|_| !flag);
                    found.properties.push(OwnProperty { words, flag, kind, short });
                }
            } else if let Some(concept) = concept {
                // Many devices of a few models say the same.
                for word in words {
                    if !also.contains(&(concept, word.clone())) {
                        also.insert((concept, word.clone()));
                        found.also.push((concept, word));
                    }
                }
            }
        }
    }
    // 指示灯 of 指示灯模式 is said of 指示灯, where there is one.
    for property in &mut found.properties {
        let mut at = 0;
        property.words.retain(|word| {
            at += 1;
            at == 1 || !known.contains(word)
        });
    }
    found
}

/// `雾` for `雾量`.
fn shortened(name: &str, lexicon: &Lexicon) -> Option<String> {
    let stem = lexicon.quantity_ending.iter().find_map(|ending| name.strip_suffix(ending.as_str()))?;
    (stem.chars().count() == 1 && lexicon.senses(stem).is_empty()).then(|| stem.to_owned())
}

fn only_reports(device: &Device) -> bool {
    device.commands.is_empty() && device.properties.iter().all(|p| !p.writable)
}

/// What each device of a home counts as, in the home's order.
pub fn kinds_of_devices(home: &Home, lexicon: &Lexicon) -> Vec<Vec<KindId>> {
    // Many devices are described by one model.
    let mut described: HashMap<&str, Vec<KindId>> = HashMap::new();
    let of = home.devices.iter().map(|device| {
        let text = device.describe.as_str();
        let described = described.entry(text).or_insert_with(|| kinds_of_description(text, lexicon));
        kinds_with(device, described, lexicon)
    });
    of.collect()
}

fn kinds(device: &Device, lexicon: &Lexicon) -> Vec<KindId> {
    kinds_with(device, &kinds_of_description(&device.describe, lexicon), lexicon)
}

fn kinds_with(device: &Device, described: &[KindId], lexicon: &Lexicon) -> Vec<KindId> {
    let mut kinds = Vec::new();
    let mut add = |more: &[KindId]| {
        for kind in more {
            if !kinds.contains(kind) {
                kinds.push(*kind);
            }
        }
    };
    for name in device.names() {
        add(&kinds_of_name(&normalize(name), lexicon));
    }
    for tag in &device.tags {
        add(&kinds_of_name(&normalize(tag), lexicon));
    }
    add(described);
    if kinds.is_empty() {
        kinds = kinds_of_category(&device.category.to_lowercase(), lexicon);
    }
    if kinds.iter().any(|k| !lexicon.kinds[*k].carrier) {
        kinds.retain(|k| !lexicon.kinds[*k].carrier);
    }
    // A cover that is called a door is a door; a sensor on a door is not.
    if only_reports(device) && kinds.iter().any(|k| lexicon.kinds[*k].sensor) {
        kinds.retain(|k| lexicon.kinds[*k].sensor);
    }
    kinds
}

/// The kinds whose longest word ends the name (numbering such as `灯A` and `灯一` aside).
pub fn kinds_of_name(name: &str, lexicon: &Lexicon) -> Vec<KindId> {
    let trimmed = name.trim_end_matches(|c: char| {
        c.is_ascii_digit()
            || (c.is_ascii_alphabetic() && name.chars().any(is_han))
            || number::TO_TEN.contains(c)
            || lexicon.marks.number.contains(c)
    });
    let stem = if trimmed.is_empty() { name } else { trimmed };
    let ends = stem.char_indices().take(MAX_NAME_PREFIX + 1).map(|(at, _)| &stem[at..]);
    let mut of_ends = ends.map(|end| lexicon.kinds_called(end).collect::<Vec<_>>());
    let mut kinds = of_ends.find(|kinds| !kinds.is_empty()).unwrap_or_default();
    kinds.dedup();
    kinds
}

/// The kinds that the first clause of a description names (`空调，调节室温…` is an air conditioner).
fn kinds_of_description(description: &str, lexicon: &Lexicon) -> Vec<KindId> {
    let description = normalize(description);
    let clause = description.split(|c| c != ENUMERATION && BREAKS.contains(&c)).next().unwrap_or_default();
    let mut found: Vec<(usize, usize, KindId)> = Vec::new();
    for (id, kind) in lexicon.kinds.iter().enumerate() {
        for word in words_and_hints(kind) {
            // Single characters such as 门 or 床 say nothing inside a description, unless they are all of it.
            if word.chars().count() == 1 && !clause.ends_with(word.as_str()) {
                continue;
            }
            if let Some(at) = clause.find(word.as_str()) {
                found.push((at, at + word.len(), id));
            }
        }
    }
    let inside = |a: &(usize, usize, KindId), b: &(usize, usize, KindId)| {
        b.0 <= a.0 && a.1 <= b.1 && (b.1 - b.0) > (a.1 - a.0) && a.2 != b.2
    };
    let kept: Vec<_> = found.iter().filter(|a| !found.iter().any(|b| inside(a, b))).collect();
    let mut kinds = Vec::new();
    for (_, _, id) in kept {
        if !kinds.contains(id) {
            kinds.push(*id);
        }
    }
    kinds
}

fn words_and_hints(kind: &Kind) -> impl Iterator<Item = &String> {
    kind.words.iter().chain(&kind.specific).chain(&kind.hints)
}

fn kinds_of_category(category: &str, lexicon: &Lexicon) -> Vec<KindId> {
    let tail = category.rsplit(':').next().unwrap_or_default();
    let tokens: Vec<&str> = tail.split(['-', '_', ' ', '.']).collect();
    let hit = |kind: &Kind| {
        kind.hints.iter().any(|h| tail == h || tokens.contains(&h.as_str())) || kind.words.iter().any(|w| w == tail)
    };
    lexicon.kinds.iter().enumerate().filter(|(_, k)| hit(k)).map(|(id, _)| id).collect()
}

/// The property whose longest word the text contains.
fn contained(text: &str, lexicon: &Lexicon) -> Option<PropertyId> {
    let words = lexicon.properties.iter().enumerate().flat_map(|(id, p)| p.words.iter().map(move |w| (id, w)));
    words
        .filter(|(id, _)| !lexicon.properties[*id].own && !lexicon.properties[*id].aim)
        .filter(|(_, w)| (w.chars().count() > 1 && text.contains(w.as_str())) || text == w.as_str())
        // 摆风模式 is about the swing.
        .max_by_key(|(_, w)| (w.chars().count(), !lexicon.feature_suffix.contains(w)))
        .map(|(id, _)| id)
}

fn concept_of_unit(unit: &str, lexicon: &Lexicon) -> Option<PropertyId> {
    let unit = unit.trim_start_matches('°').to_lowercase();
    lexicon.properties.iter().position(|p| p.units.contains(&unit))
}
