//! The things that a sentence may be about: what it names by a name, by a word for its kind, by a part of its name or by nothing.

use std::collections::{BTreeMap, HashSet};

use super::Setting;
use crate::home::{DeviceIndex, Entity, RoomIndex};
use crate::language::command::{Quantifier, Type};
use crate::language::lexicon::{KindId, PropertyId, Sense};
use crate::language::order::{Fragment, Order, Place, Scope, Target};
use crate::language::segment::Token;
use crate::resolve::scope::{Area, area};

/// Things that are looked at: a large home stays cheap.
const MAX_THINGS: usize = 48;

/// Places of a sentence that are looked at.
const MAX_PLACES: usize = 2;

/// Things that are named by a part of their name, and those elsewhere that are named by what they can do.
const MAX_GUESSED: usize = 8;

/// Characters of a part of a name that tell more than fewer of them.
const LONG_PART: usize = 4;

/// Words in a row that may be a part of a name.
const PART_WORDS: usize = 3;

/// How a thing is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// By its whole name.
    Exactly,
    /// By a word for one sort of things.
    BySort,
    /// By a word for its kind.
    ByKind,
    /// By a part of its name, so many characters.
    Partly(u8),
    /// By a word that points (`它`).
    Pointed,
    /// Not at all, and it was spoken of before.
    Before,
    /// Not at all.
    Not,
    /// Not at all: whatever helps where it is said.
    Around,
}

/// Where a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// Where was said.
    There,
    /// Elsewhere than was said.
    Elsewhere,
    /// Nobody said where: in the speaker's room.
    Here,
    /// Nobody said where: in another room.
    Away,
    /// Nobody knows where.
    Anywhere,
}

/// Something that a sentence may be about.
#[derive(Clone, Debug)]
pub struct Thing {
    /// As an order says it.
    pub order: Fragment,
    /// The devices that it may come to, one at least.
    pub devices: Vec<DeviceIndex>,
    /// How it is named.
    pub named: Named,
    /// Where it is.
    pub stands: Stands,
    /// The words that name it.
    pub words: Vec<usize>,
}

/// The things that a sentence may be about.
pub fn things(setting: &Setting) -> Vec<Thing> {
    let mut things = Vec::new();
    let places = places(setting);
    for (at, token) in setting.tokens.iter().enumerate() {
        named(at, token, &places, setting, &mut things);
    }
    partly_named(&places, setting, &mut things);
    spoken_of(setting, &mut things);
    all_nearby(&places, setting, &mut things);
    nearby(&places, setting, &mut things);
    things.truncate(MAX_THINGS);
    things.extend(around(&places, setting));
    things
}

/// Whatever is where somebody speaks or speaks of, as one thing.
fn around(places: &[Spot], setting: &Setting) -> Option<Thing> {
    let home = setting.context.world.home();
    let room = match places {
        [] => setting.context.local?,
        [Spot { rooms, .. }] if rooms.len() == 1 => rooms[0],
        _ => return None,
    };
    let devices: Vec<DeviceIndex> = (0..home.devices.len()).filter(|d| home.devices[*d].room == Some(room)).collect();
    let stands = stands(*devices.first()?, places, setting);
    let words = places.iter().map(|place| place.at).collect();
    let order = Order::about((), Target::Anything);
    Some(Thing { order, devices, named: Named::Around, stands, words })
}

/// A place that is said, and its rooms.
struct Spot {
    at: usize,
    place: Place,
    rooms: Vec<RoomIndex>,
}

fn places(setting: &Setting) -> Vec<Spot> {
    let world = setting.context.world;
    let place = |(at, token): (usize, &Token)| {
        let says = |s: &Sense| {
            matches!(
                s,
                Sense::Room(_) | Sense::Floor(_) | Sense::RoomClass(_) | Sense::RoomSort(_) | Sense::Storey { .. }
            )
        };
        token.any(says).then(|| {
            let place = Place::called(&token.text, &world.vocabulary);
            let rooms = match area(&place, world, setting.context.local) {
                Area::Rooms(rooms) | Area::OneOf(rooms) => rooms,
                Area::Unknown => Vec::new(),
            };
            Spot { at, place, rooms }
        })
    };
    setting.tokens.iter().enumerate().filter_map(place).take(MAX_PLACES).collect()
}

/// A fragment about a target in a place.
fn fragment(target: Target, place: Option<&Place>) -> Fragment {
    let quantifier = if matches!(target, Target::Type(_)) { Quantifier::All } else { Quantifier::One };
    Fragment { quantifier, scope: Scope::of(place.cloned().into_iter().collect()), ..Order::about((), target) }
}

fn stands(device: DeviceIndex, places: &[Spot], setting: &Setting) -> Stands {
    let room = setting.context.world.home().devices[device].room;
    match (room, setting.context.local) {
        (Some(room), _) if places.iter().any(|place| place.rooms.contains(&room)) => Stands::There,
        _ if !places.is_empty() => Stands::Elsewhere,
        (Some(room), Some(local)) if room == local => Stands::Here,
        (Some(_), Some(_)) => Stands::Away,
        _ => Stands::Anywhere,
    }
}

/// What a word names: devices and groups by name, devices by their kind.
fn named(at: usize, token: &Token, places: &[Spot], setting: &Setting, things: &mut Vec<Thing>) {
    let world = setting.context.world;
    let home = world.home();
    let mut devices: Vec<DeviceIndex> = Vec::new();
    let (mut how, mut kinds) = (Named::Exactly, false);
    for sense in &token.senses {
        match sense {
            Sense::Devices(all) => devices.extend(all),
            Sense::Group(group) => devices.extend(&home.groups[*group].members),
            _ => {}
        }
    }
    if devices.is_empty() {
        for sense in &token.senses {
            let (Sense::Kind(kind) | Sense::Sort(kind)) = sense else { continue };
            how = if matches!(sense, Sense::Sort(_)) { Named::BySort } else { Named::ByKind };
            kinds = true;
            let covers = &world.lexicon().kinds[*kind].covers;
            let all = world.vocabulary.devices.iter().enumerate();
            let of_kind = || all.clone().filter(|(_, d)| d.is(*kind)).map(|(index, _)| index);
            devices.extend(of_kind());
            if devices.is_empty() {
                devices.extend(all.clone().filter(|(_, d)| covers.iter().any(|k| d.is(*k))).map(|(index, _)| index));
            }
            break;
        }
    }
    if devices.is_empty() {
        return;
    }
    let target = if kinds {
        Target::general(&token.text, Type::Unknown, &world.vocabulary)
    } else {
        Target::called(&token.text, Type::Unknown, &world.vocabulary)
    };
    let inside =
        |device: &DeviceIndex, place: &Spot| home.devices[*device].room.is_some_and(|r| place.rooms.contains(&r));
    for place in places.iter().filter(|place| place.at != at) {
        let there: Vec<DeviceIndex> = devices.iter().copied().filter(|d| inside(d, place)).collect();
        if !there.is_empty() {
            let order = fragment(target.clone(), Some(&place.place));
            let words = vec![place.at, at];
            things.push(Thing { order, devices: there, named: how, stands: Stands::There, words });
        }
    }
    // Of a kind that is here, none elsewhere is meant.
    let local = setting.context.local;
    let here: Vec<DeviceIndex> =
        devices.iter().copied().filter(|d| local.is_some() && home.devices[*d].room == local).collect();
    let meant = if here.is_empty() { devices } else { here };
    let stands = stands(meant[0], places, setting);
    things.push(Thing { order: fragment(target, None), devices: meant, named: how, stands, words: vec![at] });
}

/// Devices of which a part of the name stands in the sentence, the longest parts first.
fn partly_named(places: &[Spot], setting: &Setting, things: &mut Vec<Thing>) {
    let world = setting.context.world;
    let parts = parts(setting.tokens);
    // Most names of a large home have no two characters in common with what was said.
    let pairs: HashSet<(char, char)> = parts.iter().flat_map(|(text, _)| pairs_of(text)).collect();
    let mut found: BTreeMap<DeviceIndex, (usize, &[usize])> = BTreeMap::new();
    for entry in &world.names.entries {
        let Entity::Device(device) = entry.entity else { continue };
        if !pairs_of(&entry.text).any(|pair| pairs.contains(&pair)) {
            continue;
        }
        let Some((part, words)) = parts.iter().find(|(part, _)| entry.text.contains(part.as_str())) else { continue };
        let length = part.chars().count();
        let known = found.entry(device).or_insert((length, words));
        if known.0 < length {
            *known = (length, words);
        }
    }
    let is_named =
        |device: &DeviceIndex| things.iter().any(|t| t.named == Named::Exactly && t.devices.contains(device));
    let mut found: Vec<_> = found.into_iter().filter(|(device, _)| !is_named(device)).collect();
    found.sort_by_key(|(_, (length, _))| std::cmp::Reverse(*length));
    let partly = found.into_iter().take(MAX_GUESSED).map(|(device, (length, words))| Thing {
        order: fragment(Target::device(device, &world.vocabulary), None),
        devices: vec![device],
        named: Named::Partly(length.min(LONG_PART) as u8),
        stands: stands(device, places, setting),
        words: words.to_vec(),
    });
    things.extend(partly.collect::<Vec<_>>());
}

/// Each two characters in a row.
fn pairs_of(text: &str) -> impl Iterator<Item = (char, char)> {
    text.chars().zip(text.chars().skip(1))
}

/// What of a sentence may be a part of a name, and its words, the longest first: words in a row, so that a name may be cut in the
/// middle, and the ends of strange ones (吸油烟|机).
fn parts(tokens: &[Token]) -> Vec<(String, Vec<usize>)> {
    let mut parts: Vec<(String, Vec<usize>)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.is_entity() || token.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)) {
            continue;
        }
        let mut text = String::new();
        for (end, word) in tokens.iter().enumerate().skip(at).take(PART_WORDS) {
            text.push_str(&word.text);
            parts.push((text.clone(), (at..=end).collect()));
        }
        if token.is_residue() {
            let chars: Vec<char> = token.text.chars().collect();
            for length in 2..chars.len() {
                let ends = [&chars[..length], &chars[chars.len() - length..]];
                parts.extend(ends.map(|part| (part.iter().collect(), vec![at])));
            }
        }
    }
    parts.retain(|(text, _)| text.chars().nth(1).is_some());
    parts.sort_by_key(|(text, _)| std::cmp::Reverse(text.chars().count()));
    parts
}

/// The one thing that was spoken of before.
fn spoken_of(setting: &Setting, things: &mut Vec<Thing>) {
    let devices = setting.context.last_devices();
    let [device] = devices[..] else { return };
    let points = setting.tokens.iter().position(|t| t.has(&Sense::Reference));
    things.push(Thing {
        order: fragment(Target::device(device, &setting.context.world.vocabulary), None),
        devices,
        named: if points.is_some() { Named::Pointed } else { Named::Before },
        stands: Stands::Anywhere,
        words: points.into_iter().collect(),
    });
}

/// All of one kind that are where somebody speaks or spoke of, named by nothing: 黑灯瞎火的 is told of all lights.
fn all_nearby(places: &[Spot], setting: &Setting, things: &mut Vec<Thing>) {
    let world = setting.context.world;
    let (home, lexicon) = (world.home(), world.lexicon());
    let rooms: &[RoomIndex] = match places {
        [] => setting.context.local.as_slice(),
        [place] => &place.rooms,
        _ => return,
    };
    let near: Vec<DeviceIndex> =
        (0..home.devices.len()).filter(|d| home.devices[*d].room.is_some_and(|room| rooms.contains(&room))).collect();
    let mut kinds: Vec<KindId> =
        near.iter().filter_map(|d| world.vocabulary.devices[*d].kinds.first().copied()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let devices: Vec<DeviceIndex> =
            near.iter().copied().filter(|d| world.vocabulary.devices[*d].kinds.first() == Some(&kind)).collect();
        let known = |thing: &Thing| thing.devices == devices;
        if devices.len() < 2 || things.iter().any(known) {
            continue;
        }
        let Some(word) = lexicon.kinds[kind].words.first() else { continue };
        let target = Target::general(word, Type::Unknown, &world.vocabulary);
        let stands = stands(devices[0], places, setting);
        let words = places.iter().map(|place| place.at).collect();
        let order = fragment(target, places.first().map(|place| &place.place));
        things.push(Thing { order, devices, named: Named::Not, stands, words });
    }
}

/// What is where somebody speaks or spoke of, named by nothing; and elsewhere what alone has a property that was named.
fn nearby(places: &[Spot], setting: &Setting, things: &mut Vec<Thing>) {
    let world = setting.context.world;
    let home = world.home();
    let rooms: Vec<RoomIndex> = match places {
        [] => setting.context.local.into_iter().collect(),
        places => places.iter().flat_map(|place| place.rooms.iter().copied()).collect(),
    };
    let features: Vec<PropertyId> = setting
        .tokens
        .iter()
        .flat_map(|t| &t.senses)
        .filter_map(|s| match s {
            Sense::Property(p) | Sense::Feature(p) => Some(*p),
            _ => None,
        })
        .collect();
    let has = |d: DeviceIndex| features.iter().any(|p| world.vocabulary.devices[d].about(*p).is_some());
    let near = |d: DeviceIndex| home.devices[d].room.is_some_and(|room| rooms.contains(&room));
    let known: Vec<DeviceIndex> = things.iter().filter(|t| t.devices.len() == 1).map(|t| t.devices[0]).collect();
    let mut far = 0;
    for device in 0..home.devices.len() {
        if known.contains(&device) {
            continue;
        }
        let is_near = near(device);
        if !is_near {
            if !has(device) || far >= MAX_GUESSED {
                continue;
            }
            far += 1;
        }
        let words: Vec<usize> = if is_near { places.iter().map(|place| place.at).collect() } else { Vec::new() };
        things.push(Thing {
            order: fragment(Target::device(device, &world.vocabulary), None),
            devices: vec![device],
            named: Named::Not,
            stands: stands(device, places, setting),
            words,
        });
        if things.len() >= MAX_THINGS {
            return;
        }
    }
}
