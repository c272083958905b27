//! The bounds of a search: rooms that were said, and what is left out.

use super::Context;
use super::answer::status_word;
use super::scope::{self, Place};
use super::select::{Missing, Selection};
use super::superlative::described_rooms;
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::command::Type;
use crate::language::deed::Condition;
use crate::language::grammar::Order;
use crate::language::lexicon::Sense;
use crate::retrieval::{Entity, Query, leaders, search};

/// Where to look.
pub(super) struct Scope {
    /// Rooms that were said.
    pub(super) rooms: Option<Vec<RoomIndex>>,
    /// Devices left out.
    pub(super) excluded: Vec<DeviceIndex>,
    /// Members of groups that were said as places.
    pub(super) members: Option<Vec<DeviceIndex>>,
    /// Places that are not of this home, with the text.
    pub(super) unknown: Vec<String>,
}

impl Scope {
    /// Whether a place was said.
    pub(super) fn is_said(&self) -> bool {
        self.rooms.is_some() || self.members.is_some()
    }
}

/// Reads the scope of an order.
pub(super) fn scope_of(order: &Order, context: &Context) -> Result<Scope, Selection> {
    let command = &order.command;
    let world = context.world;
    let mut rooms: Option<Vec<RoomIndex>> = None;
    let mut unknown = Vec::new();
    let mut members: Option<Vec<DeviceIndex>> = None;
    let mut narrow: Option<Vec<RoomIndex>> = None;
    for name in &command.scope.include {
        match described_rooms(name, context) {
            Some(Ok(found)) if found.superlative && found.rooms.len() > 1 && !order.each => {
                return Err(Selection::WhichPlace(found.rooms));
            }
            Some(Ok(found)) => {
                rooms.get_or_insert_default().extend(found.rooms);
                continue;
            }
            Some(Err(missing)) => return Err(Selection::Missing(missing)),
            None => {}
        }
        let senses = world.vocabulary.senses(&crate::text::normalize(name));
        let place = senses.iter().any(|s| matches!(s, Sense::Room(_) | Sense::Floor(_)));
        let group = senses.iter().find_map(|s| if let Sense::Group(group) = s { Some(*group) } else { None });
        if let Some(group) = group.filter(|_| !place) {
            members.get_or_insert_default().extend(&world.home().groups[group].members);
            continue;
        }
        match scope::place(name, world, context.local) {
            Place::Rooms(found) => {
                // 一楼卫生间: a floor and a class of rooms narrow each other; two rooms add up.
                let whole_floor = found.len() > 1;
                if let (None, true) = (&mut narrow, whole_floor) {
                    narrow = Some(found.clone())
                }
                rooms.get_or_insert_default().extend(found);
            }
            Place::OneOf(found) => {
                let inside: Vec<RoomIndex> = match &narrow {
                    Some(floor) => found.iter().copied().filter(|r| floor.contains(r)).collect(),
                    None => found.clone(),
                };
                let all = order.each || order.everywhere || context.asking;
                if inside.len() > 1 && !all {
                    return Err(Selection::WhichPlace(inside));
                }
                if narrow.take().is_some() {
                    rooms = None;
                }
                rooms.get_or_insert_default().extend(if inside.is_empty() { found } else { inside });
            }
            Place::Unknown => unknown.push(name.clone()),
        }
    }
    // 二楼书房: the floor that was said first is narrowed by the room.
    if let (Some(floor), Some(all)) = (&narrow, &mut rooms) {
        let inside: Vec<RoomIndex> = all[floor.len().min(all.len())..].to_vec();
        if !inside.is_empty() && inside.iter().all(|r| floor.contains(r)) {
            *all = inside;
        }
    }
    let mut excluded: Vec<DeviceIndex> = Vec::new();
    let devices = &world.home().devices;
    for name in &command.scope.exclude {
        match scope::place(name, world, context.local) {
            Place::Rooms(found) | Place::OneOf(found) => {
                let inside = devices.iter().enumerate().filter(|(_, d)| d.room.is_some_and(|r| found.contains(&r)));
                excluded.extend(inside.map(|(i, _)| i));
            }
            Place::Unknown => {
                let nobody = |_| true;
                let query = Query {
                    name,
                    kind: Type::Unknown,
                    rooms: rooms.as_deref(),
                    local: None,
                    recent: &[],
                    able: &nobody,
                };
                let found = search(world, &query);
                if found.is_empty() {
                    // What shall be spared and is not found could be anything: nothing moves.
                    return Err(Selection::Missing(Missing::Device(name.clone(), Vec::new())));
                }
                for candidate in leaders(&found) {
                    match candidate.entity {
                        Entity::Device(device) => excluded.push(device),
                        Entity::Group(group) => excluded.extend(&world.home().groups[group].members),
                        Entity::Scene(_) => {}
                    }
                }
            }
        }
    }
    Ok(Scope { rooms, members, excluded, unknown })
}

/// The state that a description asks for, in words.
pub(super) fn state_in_words(condition: &Condition, context: &Context) -> String {
    match condition {
        Condition::Status { status, holds: true } => status_word(status, context),
        Condition::Status { status, holds: false } => match status.opposite(context.world.lexicon()) {
            Some(opposite) => status_word(&opposite, context),
            None => context.replies.say("is_not", &[("state", &status_word(status, context))]),
        },
        Condition::Extreme { property, .. } => context.world.lexicon().properties[*property].words[0].clone(),
    }
}
