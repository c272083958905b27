//! Places as sets of rooms.

use crate::home::RoomIndex;
use crate::language::lexicon::Sense;
use crate::retrieval::World;
use crate::text::normalize;

/// What the name of a place means in this home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// These rooms.
    Rooms(Vec<RoomIndex>),
    /// A word for several rooms of which one is meant (卧室 where there are two).
    OneOf(Vec<RoomIndex>),
    /// No place of this home.
    Unknown,
}

/// Reads the name of a room, a class of rooms, a floor, or 楼上.
pub fn place(name: &str, world: &World, local: Option<RoomIndex>) -> Place {
    let vocabulary = &world.vocabulary;
    let name = normalize(name);
    let senses = vocabulary.senses(&name);
    for sense in &senses {
        match sense {
            Sense::Room(_) => {
                let rooms: Vec<RoomIndex> =
                    senses.iter().filter_map(|s| if let Sense::Room(r) = s { Some(*r) } else { None }).collect();
                return Place::Rooms(rooms);
            }
            Sense::Floor(floor) => return Place::Rooms(rooms_on(world, |f| f == *floor)),
            Sense::WholeHome => {
                let inside = (0..world.home().rooms.len()).filter(|r| !is_outside(world, Some(*r)));
                return Place::Rooms(inside.collect());
            }
            _ => {}
        }
    }
    for sense in &senses {
        match sense {
            Sense::Storey { up } => return storey(*up, world, local),
            Sense::RoomClass(class) | Sense::RoomSort(class) => {
                let specific = matches!(sense, Sense::RoomSort(_));
                let rooms = rooms_of_class(*class, &name, specific, world);
                let whole = world.lexicon().rooms[*class].whole;
                return match rooms.len() {
                    1.. if whole => Place::Rooms(rooms),
                    0 => continue,
                    1 => Place::Rooms(rooms),
                    _ if local.is_some_and(|l| rooms.contains(&l)) => Place::Rooms(local.into_iter().collect()),
                    _ => Place::OneOf(rooms),
                };
            }
            _ => {}
        }
    }
    if let Some(floor) = floor(&name, world) {
        return Place::Rooms(rooms_on(world, |f| f == floor));
    }
    let containing: Vec<RoomIndex> = world
        .home()
        .rooms
        .iter()
        .enumerate()
        .filter(|(_, r)| name.chars().count() >= 2 && names(r).any(|n| normalize(n).contains(&name)))
        .map(|(i, _)| i)
        .collect();
    match containing.len() {
        0 => Place::Unknown,
        1 => Place::Rooms(containing),
        _ => Place::OneOf(containing),
    }
}

fn names(room: &crate::home::Room) -> impl Iterator<Item = &str> {
    std::iter::once(room.name.as_str()).chain(room.aliases.iter().map(String::as_str))
}

fn rooms_on(world: &World, wanted: impl Fn(usize) -> bool) -> Vec<RoomIndex> {
    let floors = world.vocabulary.room_floor.iter().enumerate();
    floors.filter(|(_, f)| f.is_some_and(&wanted)).map(|(room, _)| room).collect()
}

/// A floor by number (`2楼`, `二层`).
fn floor(name: &str, world: &World) -> Option<usize> {
    let chars: Vec<char> = name.chars().collect();
    let (number, used) = crate::language::number::read(&chars)?;
    let rest: String = chars[used..].iter().collect();
    let suffix = world.lexicon().floor_suffix.contains(&rest);
    suffix.then(|| world.vocabulary.floor_of_number(number.value)).flatten()
}

/// Whether a room is not part of the house as 全屋 means it (garage, garden).
pub fn is_outside(world: &World, room: Option<RoomIndex>) -> bool {
    let Some(room) = room.map(|r| &world.home().rooms[r]) else { return false };
    let outside = world.lexicon().rooms.iter().filter(|c| c.outside);
    let name = normalize(&room.name);
    outside.flat_map(|c| c.words.iter().chain(&c.specific)).any(|w| name.contains(w.as_str()))
}

/// 楼上, 楼下: seen from the speaker's floor; from nowhere, all but the lowest, or the lowest.
fn storey(up: bool, world: &World, local: Option<RoomIndex>) -> Place {
    let vocabulary = &world.vocabulary;
    let height = |floor: usize| {
        let chars: Vec<char> = vocabulary.floors[floor].chars().collect();
        crate::language::number::read(&chars).map_or(floor as f64, |(n, _)| n.value)
    };
    let lowest = (0..vocabulary.floors.len()).map(height).fold(f64::INFINITY, f64::min);
    let highest = (0..vocabulary.floors.len()).map(height).fold(f64::NEG_INFINITY, f64::max);
    let own = local.and_then(|room| vocabulary.room_floor[room]).map(height);
    let wanted = |floor: usize| match own {
        // From the top floor 楼上 is where the speaker is, as from the ground floor 楼下 is.
        Some(own) if up && own < highest => height(floor) > own,
        Some(own) if !up && own > lowest => height(floor) < own,
        _ if up => height(floor) > lowest,
        _ => height(floor) == lowest,
    };
    let rooms = rooms_on(world, wanted);
    if rooms.is_empty() { Place::Unknown } else { Place::Rooms(rooms) }
}

/// Rooms of a class: by their own words, or because a word of the class is part of their name.
fn rooms_of_class(class: usize, said: &str, specific: bool, world: &World) -> Vec<RoomIndex> {
    let class = &world.lexicon().rooms[class];
    if class.whole {
        let named =
            world.home().rooms.iter().enumerate().filter(|(_, r)| names(r).any(|n| normalize(n).contains(said)));
        let named: Vec<RoomIndex> = named.map(|(room, _)| room).collect();
        let outside = || (0..world.home().rooms.len()).filter(|r| is_outside(world, Some(*r))).collect();
        return if named.is_empty() { outside() } else { named };
    }
    let of_class = |name: &str| {
        let name = normalize(name);
        let general = class.words.iter().any(|w| name.contains(w.as_str()));
        general || class.specific.contains(&name)
    };
    let matches = |name: &str| {
        let name = normalize(name);
        name == said || (name.chars().count() >= 2 && (name.contains(said) || said.contains(&name)))
    };
    let rooms = world.home().rooms.iter().enumerate();
    // 主卧室 said of 主卧; a room with a name of its own is not just any room of the class.
    let test = |room: &crate::home::Room| if specific { names(room).any(matches) } else { names(room).any(of_class) };
    rooms.filter(|(_, room)| test(room)).map(|(i, _)| i).collect()
}
