//! Places as sets of rooms.

use crate::home::RoomIndex;
use crate::language::lexicon::RoomClassId;
use crate::language::order::Place;
use crate::retrieval::World;
use crate::text::normalize;

/// What a place means in this home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Area {
    /// These rooms.
    Rooms(Vec<RoomIndex>),
    /// A word for several rooms of which one is meant (卧室 where there are two).
    OneOf(Vec<RoomIndex>),
    /// No place of this home.
    Unknown,
}

/// The rooms of a place. Rooms that have to be looked for (described ones) and members of groups are no matter of names.
pub fn area(place: &Place, world: &World, local: Option<RoomIndex>) -> Area {
    let all = 0..world.home().rooms.len();
    match place {
        Place::Room(room) => {
            // Rooms on two floors may bear one name.
            let name = normalize(&world.home().rooms[*room].name);
            let same = |room: &RoomIndex| names(&world.home().rooms[*room]).any(|n| normalize(n) == name);
            Area::Rooms(all.filter(same).collect())
        }
        Place::Floor(floor, _) => Area::Rooms(rooms_on(world, |f| f == *floor)),
        Place::Home => Area::Rooms(all.filter(|r| !is_outside(world, Some(*r))).collect()),
        Place::Here => local.map_or(Area::Unknown, |room| Area::Rooms(vec![room])),
        Place::Storey(up, _) => storey(*up, world, local),
        Place::Class(class, word) => {
            let rooms = rooms_of_class(*class, &normalize(word), world);
            match rooms.len() {
                0 => containing(word, world),
                1.. if world.lexicon().rooms[*class].whole => Area::Rooms(rooms),
                1 => Area::Rooms(rooms),
                _ if local.is_some_and(|l| rooms.contains(&l)) => Area::Rooms(local.into_iter().collect()),
                _ => Area::OneOf(rooms),
            }
        }
        Place::Unknown(word) => containing(word, world),
        Place::Described(_, among) => area(among, world, local),
        Place::Group(_) => Area::Unknown,
    }
}

/// Rooms of which a word is a part of the name.
fn containing(word: &str, world: &World) -> Area {
    let name = normalize(word);
    let rooms = world.home().rooms.iter().enumerate();
    let found = rooms.filter(|(_, r)| name.chars().count() >= 2 && names(r).any(|n| normalize(n).contains(&name)));
    let found: Vec<RoomIndex> = found.map(|(i, _)| i).collect();
    match found.len() {
        0 => Area::Unknown,
        1 => Area::Rooms(found),
        _ => Area::OneOf(found),
    }
}

fn names(room: &crate::home::Room) -> impl Iterator<Item = &str> {
    std::iter::once(room.name.as_str()).chain(room.aliases.iter().map(String::as_str))
}

fn rooms_on(world: &World, wanted: impl Fn(usize) -> bool) -> Vec<RoomIndex> {
    let floors = world.vocabulary.room_floor.iter().enumerate();
    floors.filter(|(_, f)| f.is_some_and(&wanted)).map(|(room, _)| room).collect()
}

/// Whether a room is not part of the house as 全屋 means it (garage, garden).
pub fn is_outside(world: &World, room: Option<RoomIndex>) -> bool {
    let Some(room) = room.map(|r| &world.home().rooms[r]) else { return false };
    let outside = world.lexicon().rooms.iter().filter(|c| c.outside);
    let name = normalize(&room.name);
    outside.flat_map(|c| c.words.iter().chain(&c.specific)).any(|w| name.contains(w.as_str()))
}

/// 楼上, 楼下: seen from the speaker's floor; from nowhere, all but the lowest, or the lowest.
fn storey(up: bool, world: &World, local: Option<RoomIndex>) -> Area {
    let vocabulary = &world.vocabulary;
    // Of a single floor nobody knows what is above it or below.
    if vocabulary.floors.len() < 2 {
        return Area::Unknown;
    }
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
    if rooms.is_empty() { Area::Unknown } else { Area::Rooms(rooms) }
}

/// Rooms of a class: by their own words, or because a word of the class is part of their name.
fn rooms_of_class(class: RoomClassId, said: &str, world: &World) -> Vec<RoomIndex> {
    let class = &world.lexicon().rooms[class];
    let specific = !class.words.iter().any(|word| word == said);
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
