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
    let room = before.iter().rev().find_map(|order| said_in(order, page, world, local))?;
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
    let lexicon = world.lexicon();
    let vocabulary = &world.vocabulary;
    let is = |device: DeviceIndex| match target {
        Target::Type(kind) => vocabulary.devices[device].kinds.iter().any(|k| lexicon.kinds[*k].kind == *kind),
        Target::Kind(kind, _) | Target::Sort(kind, _) => vocabulary.devices[device].is(*kind),
        // 大灯 is the one that is called so.
        Target::Named { entities, .. } => entities.contains(&Entity::Device(device)),
        _ => false,
    };
    (0..world.home().devices.len()).any(|device| world.home().devices[device].room == Some(room) && is(device))
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
