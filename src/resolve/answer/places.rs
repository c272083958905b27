//! Where things are.

use super::*;
use crate::resolve::reply;

/// Where devices are: people where they say that they are, things in their rooms.
pub(super) fn where_is(devices: &[DeviceIndex], what: &What, context: &Context) -> String {
    let home = context.world.home();
    let person = context.world.lexicon().kind("person");
    let place = |device: &DeviceIndex| {
        let moves = person.is_some_and(|person| context.world.vocabulary.devices[*device].is(person));
        let told = context.live.get(*device).values.values().find_map(Value::as_str).filter(|_| moves);
        let room = home.room_name(&home.devices[*device]);
        told.map(|place| place_word(place, context)).or((!room.is_empty()).then(|| room.to_owned()))
    };
    let mut places: Vec<String> = Vec::new();
    let mut found: Vec<DeviceIndex> = Vec::new();
    for device in devices {
        let Some(place) = place(device) else { continue };
        found.push(*device);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let name = match &found[..] {
        [] => return context.replies.say("unknown_answer", &[("what", &what.whole())]),
        [only] => reply::spoken(&home.devices[*only].name),
        _ => what.word.clone(),
    };
    context.replies.say("where_is", &[("what", &name), ("value", &context.replies.list(&places))])
}

/// The rooms that have none of these devices: `哪个房间没有空调`.
pub(super) fn lacking(devices: &[DeviceIndex], what: &What, context: &Context) -> String {
    let home = context.world.home();
    let stands = |room: &usize| devices.iter().any(|device| home.devices[*device].room == Some(*room));
    let rooms: Vec<String> =
        (0..home.rooms.len()).filter(|room| !stands(room)).map(|room| reply::spoken(&home.rooms[room].name)).collect();
    if rooms.is_empty() {
        return context.replies.say("lacking_none", &[("what", &what.word)]);
    }
    let named = rooms.len() <= MAX_NAMED;
    let told = if named { rooms.join(context.replies.word("comma")) } else { context.replies.list(&rooms) };
    context.replies.say("lacking", &[("value", &told), ("what", &what.word)])
}

fn place_word(place: &str, context: &Context) -> String {
    match place {
        "home" => context.replies.word("at_home").to_owned(),
        "not_home" | "away" => context.replies.word("away").to_owned(),
        other => reply::spoken(other),
    }
}
