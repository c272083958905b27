//! Search by name: exact, alias, sound, part, kind and spelling, in one pass over the names.

use super::score::FLOOR;
use super::{Candidate, Entity, Signals, World};
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::command::Type;
use crate::text::{bigram_similarity, normalize, pinyin};

/// What is looked for.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// The name as it was said.
    pub name: &'a str,
    /// The type of the command.
    pub kind: Type,
    /// The rooms that were said.
    pub rooms: Option<&'a [RoomIndex]>,
    /// The room of the speaker.
    pub local: Option<RoomIndex>,
    /// What was mentioned last.
    pub recent: &'a [Entity],
    /// Whether a device can do what is asked.
    pub able: &'a dyn Fn(DeviceIndex) -> bool,
    /// Whether a device can be reached.
    pub online: &'a dyn Fn(DeviceIndex) -> bool,
}

/// Weights of the ways a name can match.
mod weight {
    pub const EXACT: f32 = 1.0;
    pub const ALIAS: f32 = 0.98;
    pub const ROOM_AND_NAME: f32 = 0.97;
    pub const SAME_SOUND: f32 = 0.9;
    pub const ENDS_WITH: f32 = 0.86;
    pub const KIND: f32 = 0.82;
    pub const NEAR_SOUND: f32 = 0.8;
    pub const CONTAINS: f32 = 0.74;
    pub const SORT: f32 = 0.6;
    pub const FUZZY: f32 = 0.75;
}

/// Spelling that is less similar than this is another name.
const MIN_SIMILARITY: f32 = 0.67;

/// Finds what a name may mean, best first. Devices outside the rooms that were said are left out, unless they stand in no
/// room and bear exactly the name.
pub fn search(world: &World, query: &Query) -> Vec<Candidate> {
    let name = normalize(query.name);
    if name.is_empty() {
        return Vec::new();
    }
    let mut found = Found::new(world);
    let readings = pinyin::readings(&name);
    for entry in world.names.exact(&name) {
        let weight = if entry.alias { weight::ALIAS } else { weight::EXACT };
        found.raise(entry.entity, |s| &mut s.name, weight);
    }
    for device in world.vocabulary.called_otherwise(&name) {
        found.raise(Entity::Device(device), |s| &mut s.name, weight::ALIAS);
    }
    if name.chars().count() >= 2 {
        for blurred in readings.iter().map(|r| pinyin::blur(r)) {
            for entry in world.names.sounding(&blurred) {
                let same = entry.readings.iter().any(|r| readings.contains(r));
                let weight = if same { weight::SAME_SOUND } else { weight::NEAR_SOUND };
                found.raise(entry.entity, |s| &mut s.pinyin, weight);
            }
        }
    }
    by_part(world, &name, &mut found);
    by_kind(world, &name, &mut found);
    let mut candidates = found.candidates(query);
    if candidates.is_empty() {
        by_spelling(world, &name, &mut found);
        candidates = found.candidates(query);
    }
    candidates
}

/// What is known to be called exactly so, best first, within the bounds of the query.
pub fn named(world: &World, entities: &[Entity], query: &Query) -> Vec<Candidate> {
    let mut found = Found::new(world);
    for entity in entities {
        found.raise(*entity, |s| &mut s.name, weight::EXACT);
    }
    found.candidates(query)
}

/// Signals so far, entity by entity.
struct Found<'a> {
    world: &'a World,
    signals: std::collections::BTreeMap<Entity, Signals>,
}

impl<'a> Found<'a> {
    fn new(world: &'a World) -> Self {
        Self { world, signals: std::collections::BTreeMap::new() }
    }

    fn raise(&mut self, entity: Entity, signal: impl Fn(&mut Signals) -> &mut f32, weight: f32) {
        let slot = self.signals.entry(entity).or_default();
        let value = signal(slot);
        *value = value.max(weight);
    }

    /// Candidates with every other signal filled in.
    fn candidates(&self, query: &Query) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = self
            .signals
            .iter()
            .filter_map(|(entity, signals)| {
                let mut signals = *signals;
                if let Entity::Device(index) = entity {
                    self.complete(*index, &mut signals, query)?;
                } else {
                    let scene = matches!(entity, Entity::Scene(_));
                    // A scene runs on its name alone: a part of it is too little, save the word for mode.
                    if scene && signals.name.max(signals.pinyin) < weight::SAME_SOUND {
                        return None;
                    }
                    // A group or scene has no room of its own; with a room said, only its whole name counts.
                    if query.rooms.is_some() && signals.name < weight::ALIAS {
                        return None;
                    }
                    signals.online = 1.0;
                    signals.capability = 1.0;
                }
                signals.recent = f32::from(u8::from(query.recent.contains(entity)));
                (signals.naming() >= FLOOR).then_some(Candidate { entity: *entity, signals })
            })
            .collect();
        candidates.sort_by(|a, b| b.score().total_cmp(&a.score()).then(a.entity.cmp(&b.entity)));
        candidates
    }

    fn complete(&self, index: DeviceIndex, signals: &mut Signals, query: &Query) -> Option<()> {
        let device = &self.world.home().devices[index];
        if let Some(rooms) = query.rooms {
            match device.room {
                Some(room) if !rooms.contains(&room) => return None,
                None if signals.name < weight::ROOM_AND_NAME => return None,
                _ => {}
            }
        }
        let sense = &self.world.vocabulary.devices[index];
        let typed = sense.kinds.iter().any(|k| self.world.lexicon().kinds[*k].kind == query.kind);
        signals.r#type = f32::from(u8::from(query.kind != Type::Unknown && typed));
        signals.room =
            f32::from(u8::from(query.rooms.is_none() && device.room.is_some() && device.room == query.local));
        signals.capability = f32::from(u8::from((query.able)(index)));
        signals.online = f32::from(u8::from((query.online)(index)));
        Some(())
    }
}

/// The name is a part of a longer one (床头灯 of 左床头灯), or room and name were said as one word (厨房灯).
fn by_part(world: &World, name: &str, found: &mut Found) {
    if name.chars().count() < 2 {
        return;
    }
    for entry in &world.names.entries {
        if entry.text.len() > name.len() {
            let mode = world.lexicon().property("mode").map(|p| &world.lexicon().properties[p].words);
            let rest = entry.text.strip_prefix(name);
            if rest.zip(mode).is_some_and(|(rest, words)| words.iter().any(|w| w == rest)) {
                found.raise(entry.entity, |s| &mut s.name, weight::ROOM_AND_NAME);
            } else if entry.text.ends_with(name) && !within_room(world, entry.entity, &entry.text, name) {
                found.raise(entry.entity, |s| &mut s.name, weight::ENDS_WITH);
            } else if entry.text.contains(name) {
                found.raise(entry.entity, |s| &mut s.name, weight::CONTAINS);
            }
        } else if entry.text.len() < name.len() && name.ends_with(&entry.text) {
            let Entity::Device(device) = entry.entity else { continue };
            let home = world.home();
            let Some(room) = home.devices[device].room else { continue };
            let before = &name[..name.len() - entry.text.len()];
            let room = &home.rooms[room];
            if std::iter::once(&room.name).chain(&room.aliases).any(|r| normalize(r) == before) {
                found.raise(entry.entity, |s| &mut s.name, weight::ROOM_AND_NAME);
            }
        }
    }
}

/// Whether a word that ends a name begins within the name of its room: 台灯 is no part of 阳台灯 on the 阳台.
fn within_room(world: &World, entity: Entity, text: &str, name: &str) -> bool {
    let Entity::Device(device) = entity else { return false };
    let Some(room) = world.home().devices[device].room.map(|room| &world.home().rooms[room]) else { return false };
    let begins = text.len() - name.len();
    let mut rooms = std::iter::once(&room.name).chain(&room.aliases).map(|r| normalize(r));
    rooms.any(|room| text.starts_with(&room) && (1..room.len()).contains(&begins))
}

/// The word is one for a kind: every device of the kind; for one sort of it (吊扇) those whose own name is general (风扇).
fn by_kind(world: &World, name: &str, found: &mut Found) {
    let lexicon = world.lexicon();
    for (id, kind) in lexicon.kinds.iter().enumerate() {
        let general = kind.words.iter().any(|w| w == name);
        let special = !general && kind.specific.iter().any(|w| w == name);
        if !general && !special {
            continue;
        }
        for (index, sense) in world.vocabulary.devices.iter().enumerate() {
            let covered = general && sense.kinds.iter().any(|k| kind.covers.contains(k));
            if !sense.is(id) && !covered {
                continue;
            }
            if general {
                let weight = if sense.is(id) { weight::KIND } else { weight::SORT };
                found.raise(Entity::Device(index), |s| &mut s.kind, weight);
                continue;
            }
            let device = &world.home().devices[index];
            if device.names().all(|n| kind.words.contains(&normalize(n))) {
                found.raise(Entity::Device(index), |s| &mut s.kind, weight::SORT);
            }
        }
    }
}

/// The last resort: names that share most of their bigrams.
fn by_spelling(world: &World, name: &str, found: &mut Found) {
    for entry in &world.names.entries {
        let similarity = bigram_similarity(name, &entry.text);
        if similarity > MIN_SIMILARITY {
            found.raise(entry.entity, |s| &mut s.fuzzy, weight::FUZZY * similarity);
        }
    }
}
