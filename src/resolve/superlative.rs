//! Which of several is meant by what they report: the hottest room, the lamps that are lit.

use super::Context;
use super::scope::{Area, area};
use super::selection::{Missing, Selection};
use super::state::{holds, reported};
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::action::{Condition, Status};
use crate::language::lexicon::{Extreme, PropertyId};
use crate::language::order::Place;

/// The devices with the most or the least of a property, several when they are equal. `rooms`: only what sensors say of
/// their rooms counts; else only what is on, for a lamp that is off has no brightness.
pub(super) fn leaders(
    property: PropertyId,
    extreme: Extreme,
    devices: &[DeviceIndex],
    rooms: bool,
    context: &Context,
) -> Vec<DeviceIndex> {
    let off = context.world.lexicon().verb("off").map(Status::Verb);
    let told: Vec<(DeviceIndex, f64)> = devices
        .iter()
        .filter_map(|d| {
            let (number, sensor) = reported(*d, property, context)?;
            let counts = if rooms {
                sensor
            } else {
                sensor || off.as_ref().is_none_or(|off| holds(*d, off, context) != Some(true))
            };
            counts.then_some((*d, number))
        })
        .collect();
    let numbers = told.iter().map(|(_, number)| *number);
    let best = match extreme {
        Extreme::Min => numbers.fold(f64::INFINITY, f64::min),
        _ => numbers.fold(f64::NEG_INFINITY, f64::max),
    };
    told.into_iter().filter(|(_, number)| *number == best).map(|(device, _)| device).collect()
}

/// Whether a device is one of those that a condition leaves.
pub(super) fn meets(device: DeviceIndex, only: &Condition, context: &Context) -> bool {
    match only {
        Condition::Status { status, holds: wanted } => holds(device, status, context) == Some(*wanted),
        Condition::Extreme { .. } => true,
    }
}

/// Of what was selected, the one with the most.
pub(super) fn narrowed(selection: Selection, only: &Condition, context: &Context) -> Selection {
    let Condition::Extreme { property, extreme } = only else { return selection };
    let (devices, found) = match selection {
        Selection::Devices(devices, found)
        | Selection::Which(devices, found)
        | Selection::Many(devices, found)
        | Selection::Group(_, devices, found) => (devices, found),
        other => return other,
    };
    let best = leaders(*property, *extreme, &devices, false, context);
    let found =
        found.into_iter().filter(|c| matches!(c.entity, crate::retrieval::Entity::Device(d) if best.contains(&d)));
    let found = found.collect();
    match best.len() {
        0 => Selection::Missing(Missing::Unread(context.world.lexicon().properties[*property].words[0].clone())),
        1 => Selection::Devices(best, found),
        _ => Selection::Which(best, found),
    }
}

/// Rooms that were described.
pub(super) struct Described {
    pub(super) rooms: Vec<RoomIndex>,
    /// One room was meant.
    pub(super) superlative: bool,
}

/// The rooms of a place of which something holds.
///
/// # Errors
/// What is missing where there is none.
pub(super) fn described_rooms(condition: &Condition, among: &Place, context: &Context) -> Result<Described, Missing> {
    let world = context.world;
    let word = || Place::Described(condition.clone(), Box::new(among.clone())).word(&world.vocabulary).to_owned();
    let among: Vec<RoomIndex> = match area(among, world, None) {
        _ if *among == Place::Home => (0..world.home().rooms.len()).collect(),
        Area::Rooms(rooms) | Area::OneOf(rooms) => rooms,
        Area::Unknown => return Err(Missing::Room(word())),
    };
    let devices: Vec<DeviceIndex> = (0..world.home().devices.len())
        .filter(|d| world.home().devices[*d].room.is_some_and(|r| among.contains(&r)))
        .collect();
    let sensors = |d: &DeviceIndex| world.vocabulary.devices[*d].only_reports();
    let (found, property) = match condition {
        Condition::Extreme { property, extreme } => {
            (leaders(*property, *extreme, &devices, true, context), Some(*property))
        }
        Condition::Status { status, .. } => {
            let measured = matches!(status, Status::Compare { .. } | Status::Flag(..));
            let of_room = |d: &DeviceIndex| !measured || sensors(d);
            let met = devices.iter().copied().filter(|d| of_room(d) && meets(*d, condition, context)).collect();
            (met, None)
        }
    };
    let mut rooms: Vec<RoomIndex> = found.iter().filter_map(|d| world.home().devices[*d].room).collect();
    rooms.sort_unstable();
    rooms.dedup();
    match (rooms.is_empty(), property) {
        (false, superlative) => Ok(Described { rooms, superlative: superlative.is_some() }),
        (true, Some(property)) => Err(Missing::Unread(world.lexicon().properties[property].words[0].clone())),
        (true, None) => Err(Missing::State(super::status::state_in_words(condition, context), word())),
    }
}
