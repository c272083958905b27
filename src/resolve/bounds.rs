//! The bounds of a search: rooms that were said, and what is left out.

use super::Context;
use super::scope::{Area, area};
use super::selection::{Missing, Selection};
use super::superlative::described_rooms;
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::command::Type;
use crate::language::order::{Excluded, Order, Place, Target};
use crate::retrieval::{Entity, Query, leaders, named, search};
use crate::text::normalize;

/// Where to look.
pub(super) struct Bounds {
    /// Rooms that were said.
    pub(super) rooms: Option<Vec<RoomIndex>>,
    /// Devices left out.
    pub(super) excluded: Vec<DeviceIndex>,
    /// Members of groups that were said as places.
    pub(super) members: Option<Vec<DeviceIndex>>,
    /// Places that are not of this home, with the text.
    pub(super) unknown: Vec<String>,
}

impl Bounds {
    /// Whether a place was said.
    pub(super) fn is_said(&self) -> bool {
        self.rooms.is_some() || self.members.is_some()
    }
}

/// Reads the scope of an order.
pub(super) fn scope_of(order: &Order, context: &Context) -> Result<Bounds, Selection> {
    let world = context.world;
    let mut scope = Bounds { rooms: None, excluded: Vec::new(), members: None, unknown: Vec::new() };
    let mut narrow: Option<Vec<RoomIndex>> = None;
    for place in &order.scope.include {
        match place {
            Place::Described(condition, among) => {
                let found = described_rooms(condition, among, context).map_err(Selection::Missing)?;
                if found.superlative && found.rooms.len() > 1 && !order.each {
                    return Err(Selection::WhichPlace(found.rooms));
                }
                scope.rooms.get_or_insert_default().extend(found.rooms);
            }
            Place::Group(group) => {
                scope.members.get_or_insert_default().extend(&world.home().groups[*group].members);
            }
            place => match area(place, world, context.local) {
                Area::Rooms(found) => {
                    // 一楼卫生间: a floor and a class of rooms narrow each other; two rooms add up.
                    if narrow.is_none() && found.len() > 1 {
                        narrow = Some(found.clone());
                    }
                    scope.rooms.get_or_insert_default().extend(found);
                }
                Area::OneOf(found) => {
                    let within = |floor: &Vec<RoomIndex>| found.iter().copied().filter(|r| floor.contains(r)).collect();
                    let inside: Vec<RoomIndex> = narrow.as_ref().map_or_else(|| found.clone(), within);
                    if inside.len() > 1 && !(order.each || order.everywhere || context.asking) {
                        return Err(Selection::WhichPlace(inside));
                    }
                    if narrow.take().is_some() {
                        scope.rooms = None;
                    }
                    scope.rooms.get_or_insert_default().extend(if inside.is_empty() { found } else { inside });
                }
                Area::Unknown => scope.unknown.push(place.word(&world.vocabulary).to_owned()),
            },
        }
    }
    // 二楼书房: the floor that was said first is narrowed by the room.
    if let (Some(floor), Some(all)) = (&narrow, &mut scope.rooms) {
        let inside: Vec<RoomIndex> = all[floor.len().min(all.len())..].to_vec();
        if !inside.is_empty() && inside.iter().all(|r| floor.contains(r)) {
            *all = inside;
        }
    }
    for excluded in &order.scope.exclude {
        let devices = of_owner(excluded, order, context).map_or_else(
            || left_out(excluded, scope.rooms.as_deref(), context),
            |(word, devices)| if devices.is_empty() { Err(word) } else { Ok(devices) },
        );
        // What shall be spared and is not found could be anything: nothing moves.
        scope.excluded.extend(devices.map_err(|word| Selection::Missing(Missing::Device(word, Vec::new())))?);
    }
    Ok(scope)
}

/// `空调除了浩浩那台`: whose it is says which of the kind is left out, whatever else may be called so. The word, and the devices.
fn of_owner(excluded: &Excluded, order: &Order, context: &Context) -> Option<(String, Vec<DeviceIndex>)> {
    let Excluded::Thing(thing, _) = excluded else { return None };
    let (world, lexicon) = (context.world, context.world.lexicon());
    let meant = |d: &DeviceIndex| {
        let sense = &world.vocabulary.devices[*d];
        match &order.target {
            Target::Type(kind) => sense.kinds.iter().any(|k| lexicon.kinds[*k].kind == *kind),
            Target::Kind(kind, _) | Target::Sort(kind, _) => sense.is(*kind),
            _ => false,
        }
    };
    if !matches!(order.target, Target::Type(_) | Target::Kind(..) | Target::Sort(..)) {
        return None;
    }
    let word = thing.word(&world.vocabulary)?;
    let measured = lexicon.measures.iter().filter_map(|measure| word.strip_suffix(measure.as_str()));
    let pointed =
        |rest: &str| lexicon.pointers.iter().find_map(|pointer| rest.strip_suffix(pointer.as_str()).map(str::to_owned));
    let owner = measured.into_iter().find_map(pointed)?;
    let owner = normalize(owner.strip_suffix(lexicon.marks.of.as_str()).unwrap_or(&owner));
    let home = world.home();
    let whose = |d: &DeviceIndex| {
        let device = &home.devices[*d];
        let room = device.room.map(|r| normalize(&home.rooms[r].name));
        device.names().any(|name| normalize(name).contains(&owner)) || room.is_some_and(|room| room.contains(&owner))
    };
    let of_kind = (0..home.devices.len()).filter(meant);
    (!owner.is_empty()).then(|| (word.to_owned(), of_kind.filter(whose).collect()))
}

/// The devices that are left out of some rooms; the word for it, when there is no such thing.
fn left_out(excluded: &Excluded, rooms: Option<&[RoomIndex]>, context: &Context) -> Result<Vec<DeviceIndex>, String> {
    let world = context.world;
    let home = world.home();
    let standing = |rooms: &[RoomIndex]| {
        let devices = home.devices.iter().enumerate();
        devices.filter(|(_, d)| d.room.is_some_and(|r| rooms.contains(&r))).map(|(i, _)| i).collect::<Vec<_>>()
    };
    let (word, entities, own) = match excluded {
        Excluded::Place(Place::Described(condition, among)) => {
            let found = described_rooms(condition, among, context);
            return Ok(found.map(|found| standing(&found.rooms)).unwrap_or_default());
        }
        Excluded::Place(Place::Group(group)) => return Ok(home.groups[*group].members.clone()),
        Excluded::Place(place) => match area(place, world, context.local) {
            Area::Rooms(found) | Area::OneOf(found) => return Ok(standing(&found)),
            Area::Unknown => (place.word(&world.vocabulary).to_owned(), &[][..], None),
        },
        Excluded::Thing(Target::Type(kind), room) => {
            let kinds = &world.lexicon().kinds;
            let word = kinds.iter().find(|k| k.kind == *kind).map_or_else(String::new, |k| k.words[0].clone());
            (word, &[][..], *room)
        }
        Excluded::Thing(target, room) => {
            let word = target.word(&world.vocabulary).unwrap_or_default().to_owned();
            (word, if let Target::Named { entities, .. } = target { &entities[..] } else { &[] }, *room)
        }
    };
    let within = own.as_ref().map(std::slice::from_ref).or(rooms);
    let (nobody, online) = (|_| true, |device| context.online(device));
    let query = |name, rooms| Query {
        name,
        kind: Type::Unknown,
        rooms,
        local: None,
        recent: &[],
        able: &nobody,
        online: &online,
    };
    let mut found = named(world, entities, &query(&word, within));
    if found.is_empty() {
        found = leaders(&search(world, &query(&word, within))).to_vec();
    }
    // 厨房灯 that stands in no room, where the kitchen's lamp is left out.
    if let (true, Some(room)) = (found.is_empty(), own) {
        let joined = format!("{}{word}", home.rooms[room].name);
        found = leaders(&search(world, &query(&joined, rooms))).to_vec();
    }
    if found.is_empty() {
        return Err(word);
    }
    let devices = found.iter().flat_map(|candidate| match candidate.entity {
        Entity::Device(device) => vec![device],
        Entity::Group(group) => home.groups[group].members.clone(),
        Entity::Scene(_) => Vec::new(),
    });
    Ok(devices.collect())
}
