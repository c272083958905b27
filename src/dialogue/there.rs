//! The room that was spoken of goes on: `次卧的窗帘关上`, then `灯也关了`; `奶奶房多少度`, then `把空调调低点`; `那边灯也关了`.

use super::{Meant, Page, page, tokens, words};
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::action::{Action, Ask};
use crate::language::grammar::Parse;
use crate::language::lexicon::Sense;
use crate::language::order::{Order, Place, Scope, Target};
use crate::language::segment::Token;
use crate::resolve::scope::{Area, area};
use crate::retrieval::{Entity, World};
use crate::text::normalize;

/// What is told in the room that was spoken of; `None` where the utterance says where, or goes on from nothing.
pub(super) fn there(
    sentence: &str,
    parse: &Parse,
    page: &Page,
    world: &World,
    local: Option<RoomIndex>,
    read: impl Fn(&str) -> Parse,
) -> Option<Meant> {
    let before = page::orders(&page.orders, &world.vocabulary);
    let row = super::sibling::devices_of(&page.row, world);
    let room = before.iter().rev().find_map(|order| said_in(order, page, world, local));
    let room =
        room.or_else(|| one_room(&row, world).filter(|_| before.iter().all(|o| goes_on_from_before(o, &row))))?;
    if Some(room) == local {
        return None;
    }
    if let Some(text) = pointed(sentence, room, world)
        && let Parse::Orders(orders) = read(&text)
        && super::remark::moves(&super::plain(orders.clone()))
    {
        return Some(super::plain(orders));
    }
    let Parse::Orders(orders) = parse else { return None };
    let words = tokens(sentence, world);
    let also = words.iter().any(|t| t.has(&Sense::Also) && !t.is_entity());
    let asked = before.iter().all(|o| matches!(o.action, Action::Ask(Ask::Value(_))) && o.target == Target::Anything);
    let goes_on = also || asked || page.turns.len() > 1 && went_on(page, world);
    // 厨房灯和油烟机打开, then 把灯关了: which of them, and no others of that kind.
    let of_row = one_room(&row, world) == Some(room) && orders.iter().all(|order| is_of(&order.target, &row, world));
    let goes_on = goes_on || of_row;
    let moves = |o: &Order| !o.action.moves_nothing() && !matches!(o.action, Action::Unclear(_)) && o.when.is_none();
    let free = |o: &Order| moves(o) && o.scope == Scope::default() && !o.everywhere && is_there(&o.target, room, world);
    if !goes_on || !orders.iter().all(free) {
        return None;
    }
    let mut orders = orders.clone();
    for order in &mut orders {
        order.scope.include = vec![Place::Room(room)];
    }
    Some(super::plain(orders))
}

/// The room in which all of them stand.
fn one_room(row: &[DeviceIndex], world: &World) -> Option<RoomIndex> {
    let room = world.home().devices[*row.first()?].room?;
    row.iter().all(|device| world.home().devices[*device].room == Some(room)).then_some(room)
}

/// Whether an order says no place, and is of what was spoken of before it.
fn goes_on_from_before(order: &Order, row: &[DeviceIndex]) -> bool {
    let of_row = |entity: &Entity| matches!(entity, Entity::Device(device) if row.contains(device));
    let names = match &order.target {
        Target::Anything | Target::Reference(_) => false,
        Target::Named { entities, .. } => !entities.iter().all(of_row),
        _ => true,
    };
    order.scope == Scope::default() && !names
}

/// Whether a word tells some of these from the others of them: a kind that some of them are of and not all, or a name.
fn is_of(target: &Target, row: &[DeviceIndex], world: &World) -> bool {
    let many = row.iter().filter(|device| means(target, **device, world)).count();
    many > 0 && many < row.len()
}

/// Whether the turn before went on in that room itself: it named none.
fn went_on(page: &Page, world: &World) -> bool {
    let Some(turn) = page.turns.last() else { return false };
    let words = tokens(&turn.question, world);
    words.iter().any(|t| t.has(&Sense::Also)) && !words.iter().any(|t| t.any(|s| matches!(s, Sense::Room(_))))
}

/// The one room that an order said it was for.
fn said_in(order: &Order, page: &Page, world: &World, local: Option<RoomIndex>) -> Option<RoomIndex> {
    let home = world.home();
    if let [place] = &order.scope.include[..] {
        return match area(place, world, local) {
            Area::Rooms(rooms) => <[RoomIndex; 1]>::try_from(rooms).ok().map(|[room]| room),
            // 楼上卧室: which of them is known by what was done there.
            _ => {
                let rooms: Vec<_> = super::sibling::devices(page, world)
                    .iter()
                    .filter_map(|device| home.devices[*device].room)
                    .collect();
                let first = *rooms.first()?;
                rooms.iter().all(|room| *room == first).then_some(first)
            }
        };
    }
    // 朵朵房间灯: the room is a part of the name.
    let Target::Named { text, entities, .. } = &order.target else { return None };
    let [Entity::Device(device)] = entities[..] else { return None };
    let room = home.devices[device].room?;
    let said = std::iter::once(&home.rooms[room].name).chain(&home.rooms[room].aliases);
    let mut said = said.map(|name| normalize(name));
    said.any(|name| text.starts_with(&name)).then_some(room)
}

/// Whether a word for a kind of thing means one in a room.
fn is_there(target: &Target, room: RoomIndex, world: &World) -> bool {
    let devices = &world.home().devices;
    (0..devices.len()).any(|device| devices[device].room == Some(room) && means(target, device, world))
}

/// Whether a word for a kind of thing, or a name, means a device.
fn means(target: &Target, device: DeviceIndex, world: &World) -> bool {
    let (lexicon, sense) = (world.lexicon(), &world.vocabulary.devices[device]);
    match target {
        Target::Type(kind) => sense.kinds.iter().any(|k| lexicon.kinds[*k].kind == *kind),
        Target::Kind(kind, _) | Target::Sort(kind, _) => sense.is(*kind),
        // 大灯 is the one that is called so.
        Target::Named { entities, .. } => entities.contains(&Entity::Device(device)),
        _ => false,
    }
}

/// The sentence with the name of the room for the words that point to it: `那边灯也关了`.
fn pointed(sentence: &str, room: RoomIndex, world: &World) -> Option<String> {
    let said = world.vocabulary.utterance(sentence);
    let words = tokens(sentence, world);
    let there = &world.lexicon().marks.there;
    let skip = |t: &&Token| words::is_small(t) || t.has(&Sense::Disposal);
    let lead: String = words::written(&words.iter().take_while(skip).cloned().collect::<Vec<_>>());
    let starts = [lead.as_str(), ""];
    let word = there.iter().filter(|word| {
        starts.iter().any(|lead| said.strip_prefix(lead).is_some_and(|rest| rest.starts_with(word.as_str())))
    });
    let word = word.max_by_key(|word| word.len())?;
    Some(said.replacen(word.as_str(), &world.home().rooms[room].name, 1))
}
