//! Answers from the state of the home.

mod places;
mod states;
mod subject;
mod whether;

use places::{lacking, where_is};
use states::spoken_value;
pub(super) use states::states;
pub use subject::What;
use subject::{names_of, only_reports};
pub(super) use whether::not_so;
use whether::{is, is_so, so};

use serde_json::Value;

use super::Context;
use super::plan::also_called;
use super::state::{features, holds, plainly, reads, reported, value};
use super::status::{feature, status_word};
use super::value::{property_name, with_unit};
use crate::home::{DeviceIndex, Domain};
use crate::language::action::{Ask, Status};
use crate::language::lexicon::{Extreme, PropertyId};
use crate::language::meaning::Ability;

/// Values told in one answer.
const MAX_TOLD: usize = 6;
/// Names told in one answer to `哪些`: who asks which wants to hear them.
const MAX_NAMED: usize = 12;
/// Devices described one by one; more are summed up.
const MAX_DESCRIBED: usize = 4;

/// Answers a question about some devices.
pub fn answer(ask: &Ask, devices: &[DeviceIndex], what: &What, context: &Context) -> String {
    let replies = context.replies;
    let none =
        |word: &str| replies.say("none_in_state", &[("where", &what.place), ("state", word), ("what", &what.word)]);
    match ask {
        Ask::Value(property) => values(*property, devices, what, context),
        Ask::Is(status) => is(status, devices, what, context)
            .or_else(|| whether::unknown(status, devices, what, context))
            .unwrap_or_else(|| states(devices, what, context)),
        Ask::Any(status) => {
            let (holding, known) = split(status, devices, context);
            let word = status_word(status, context);
            let comes_about = matches!(status, Status::Flag(property, _) if !feature(*property, context));
            if comes_about && holding.is_empty() && !known.is_empty() {
                let not = status.opposite(context.world.lexicon()).map(|s| status_word(&s, context));
                return replies.say("no", &[("what", &what.place), ("state", &not.unwrap_or_default())]);
            }
            match (holding.is_empty(), known.is_empty()) {
                (true, true) => replies.say("unknown_answer", &[("what", &what.whole())]),
                (true, false) => none(&word),
                (false, _) => {
                    replies.say("there_is", &[("what", &named(&holding, status, what, context)), ("state", &word)])
                }
            }
        }
        Ask::Which(status) => {
            let (holding, _) = split(status, devices, context);
            let word = status_word(status, context);
            if holding.is_empty() {
                return none(&word);
            }
            // 客厅风扇摇头开着, and not 是摇头开着的
            if matches!(status, Status::Flag(property, _) if feature(*property, context)) {
                let told =
                    [("what", named(&holding, status, what, context)), ("state", is_so(status, &holding, context))];
                return replies.say("state_is", &told.each_ref().map(|(key, word)| (*key, word.as_str())));
            }
            replies.say("which_are", &[("what", &named(&holding, status, what, context)), ("state", &word)])
        }
        Ask::Count(status) => {
            let (holding, _) = split(status, devices, context);
            let word = status_word(status, context);
            if holding.is_empty() {
                return none(&word);
            }
            super::inventory::counted(&names_of(&holding, what.rooms, context), &holding, &word, what, context)
        }
        Ask::Most(property, extreme) => most(*property, *extreme, devices, what, context),
        Ask::Range(property) => values(*property, devices, what, context),
        Ask::More(..) => replies.say("unknown_answer", &[("what", &what.whole())]),
        Ask::List => super::inventory::list_of(devices, what, context),
        Ask::Number => super::inventory::number_of(devices, what, context),
        Ask::Where => where_is(devices, what, context),
        Ask::Lacking => lacking(devices, what, context),
        Ask::State => states(devices, what, context),
    }
}

fn named(devices: &[DeviceIndex], status: &Status, what: &What, context: &Context) -> String {
    let rooms = what.rooms || matches!(status, Status::Flag(..)) && devices.iter().all(|d| only_reports(*d, context));
    let names = names_of(devices, rooms, context);
    if names.len() <= MAX_NAMED { names.join(context.replies.word("comma")) } else { context.replies.list(&names) }
}

/// Devices in a state, and devices known not to be.
fn split(status: &Status, devices: &[DeviceIndex], context: &Context) -> (Vec<DeviceIndex>, Vec<DeviceIndex>) {
    let mut parts = (Vec::new(), Vec::new());
    for device in devices {
        match holds(*device, status, context) {
            Some(true) => parts.0.push(*device),
            Some(false) => parts.1.push(*device),
            None => {}
        }
    }
    parts
}

/// A device and its state: `客厅灯开着`; a sensor speaks for its room (`走廊没人`).
pub(super) fn about(device: DeviceIndex, status: &Status, word: &str, context: &Context) -> String {
    let sensor = matches!(status, Status::Flag(..)) && only_reports(device, context);
    let names = names_of(&[device], sensor, context);
    let name = names.first().map_or("", String::as_str);
    format!("{name}{}", so(name, word, context))
}

/// Which has the most: a room by what its sensors say, a device that is on by its own value.
fn most(property: PropertyId, extreme: Extreme, devices: &[DeviceIndex], what: &What, context: &Context) -> String {
    let found = super::superlative::leaders(property, extreme, devices, what.rooms, context);
    let Some(first) = found.first() else {
        return context.replies.say("unknown_answer", &[("what", &what.whole())]);
    };
    let value = reads(*first, property, context)
        .and_then(|ability| Some(spoken_value(value(*first, ability, context)?, ability, context)))
        .unwrap_or_default();
    let names = context.replies.list(&names_of(&found, what.rooms, context));
    let property = &context.world.lexicon().properties[property].words[0];
    let key = if extreme == Extreme::Min { "least_is" } else { "most_is" };
    context.replies.say(key, &[("what", &names), ("property", property), ("value", &value)])
}

/// Answers which of two places has more of a property.
pub(super) fn more(property: PropertyId, up: bool, places: &[(String, Vec<DeviceIndex>)], context: &Context) -> String {
    let told: Vec<(&str, f64, String)> = places
        .iter()
        .filter_map(|(name, devices)| {
            let told = |sensor: bool| {
                devices.iter().find_map(|d| {
                    let (number, only) = reported(*d, property, context)?;
                    let ability = reads(*d, property, context)?;
                    (only == sensor).then(|| {
                        (number, spoken_value(value(*d, ability, context).unwrap_or(&Value::Null), ability, context))
                    })
                })
            };
            let (number, spoken) = told(true).or_else(|| told(false))?;
            Some((name.as_str(), number, spoken))
        })
        .collect();
    let [(a, x, said_a), (b, y, said_b)] = &told[..] else {
        let unknown = places.iter().find(|(name, _)| !told.iter().any(|t| t.0 == name));
        return context.replies.say("unknown_answer", &[("what", unknown.map_or("", |(name, _)| name))]);
    };
    let key = match x.total_cmp(y) {
        std::cmp::Ordering::Equal => "more_same",
        order if (order == std::cmp::Ordering::Greater) == up => "more_yes",
        _ => "more_no",
    };
    context.replies.say(key, &[("a", a), ("first", said_a), ("b", b), ("second", said_b)])
}

/// What a device tells of itself.
type Told<'a> = (DeviceIndex, &'a Ability, &'a Value);

/// Values of a property; devices that only report are asked before those that set.
fn values(property: PropertyId, devices: &[DeviceIndex], what: &What, context: &Context) -> String {
    // 风扇几档, of what has gears and calls none of them a speed.
    let known = |property: PropertyId| devices.iter().any(|d| reads(*d, property, context).is_some());
    let other = || also_called(property, context.world.lexicon()).filter(|p| known(*p));
    let property = if known(property) { property } else { other().unwrap_or(property) };
    let told: Vec<Told> = devices
        .iter()
        .filter_map(|d| {
            let ability = reads(*d, property, context)?;
            Some((*d, ability, value(*d, ability, context)?))
        })
        .collect();
    let plain = plainly(told.iter().map(|(device, ability, _)| (*device, *ability)), property, context);
    let told: Vec<_> = told.into_iter().zip(plain).filter_map(|(told, plain)| plain.then_some(told)).collect();
    let reporters: Vec<_> = told.iter().filter(|(_, a, _)| !a.writable).copied().collect();
    // The temperature of a room is what a thermometer says, not what the air conditioner is set to.
    let several_kinds = devices.len() > 1;
    let told = if several_kinds && !reporters.is_empty() { reporters } else { told };
    if told.is_empty() {
        let name = context.world.lexicon().properties[property].words[0].as_str();
        if what.word == context.replies.word("device") {
            return match what.place.is_empty() {
                true => context.replies.say("unread", &[("what", name)]),
                false => context.replies.say("unknown_value", &[("what", &what.place), ("property", name)]),
            };
        }
        return context.replies.say("unknown_value", &[("what", &what.whole()), ("property", name)]);
    }
    let home = context.world.home();
    if let Some(said) = only_set(property, &told, what, context) {
        return said;
    }
    // 客厅温度是28度: a room is asked about, and not the thing on the wall that measures it.
    if let [(device, ability, value)] = &told[..]
        && what.word == context.replies.word("device")
        && let room = home.room_name(&home.devices[*device])
        && (!what.place.is_empty() || only_reports(*device, context) && !room.is_empty())
    {
        let name = context.world.lexicon().properties[property].words[0].as_str();
        let place = if what.place.is_empty() { room } else { what.place.as_str() };
        let told = [("what", place), ("property", name), ("value", &spoken_value(value, ability, context))];
        return context.replies.say("value_is", &told);
    }
    if let Some(said) = by_room(&told, what, context) {
        return said;
    }
    let said: Vec<String> = told
        .iter()
        .take(MAX_TOLD)
        .map(|(device, ability, value)| {
            let (name, what) = (property_name(*device, ability, property, context), context.device_name(*device));
            // 客厅的温度 of what is called 客厅温度.
            let place = what.strip_suffix(name.as_str()).filter(|place| !place.is_empty());
            let value = value_word(value, ability, context);
            let told = [("what", place.unwrap_or(&what)), ("property", &name), ("value", &value)];
            context.replies.say("value_is", &told)
        })
        .collect();
    context.replies.join(&said)
}

/// What a property of each can be set to; `None` where nobody says.
pub(super) fn ranges(property: PropertyId, devices: &[DeviceIndex], context: &Context) -> Option<String> {
    let one = |device: &DeviceIndex| {
        let ability = super::state::sets(*device, property, context)?;
        let range = super::value::describe_range(ability, context);
        let (what, name) = (context.device_name(*device), property_name(*device, ability, property, context));
        let told = [("what", what.as_str()), ("property", &name), ("range", &range)];
        (!range.is_empty()).then(|| context.replies.say("range_is", &told))
    };
    let told: Vec<String> = devices.iter().filter_map(one).take(MAX_TOLD).collect();
    (!told.is_empty()).then(|| context.replies.join(&told))
}

/// What is told of a room that nothing measures: what is set there is not how warm it is.
fn only_set(property: PropertyId, told: &[Told], what: &What, context: &Context) -> Option<String> {
    let replies = context.replies;
    let properties = &context.world.lexicon().properties;
    let aimed_at = properties.iter().any(|aim| aim.aim && aim.like == Some(property));
    // A thermometer of which nobody says that it cannot be written switches nothing.
    let lexicon = context.world.lexicon();
    let (power, on) = (lexicon.property("power"), lexicon.verb("on"));
    let switches = |a: &Ability| a.property.is_some() && a.property == power || a.verb.is_some() && a.verb == on;
    let sets = |(device, ability, _): &Told| {
        ability.writable && context.world.vocabulary.devices[*device].abilities.iter().any(switches)
    };
    let set = what.word == replies.word("device") && told.iter().all(sets);
    let (first, ..) = told.first().filter(|_| aimed_at && set)?;
    let home = context.world.home();
    let place = if what.place.is_empty() { home.room_name(&home.devices[*first]) } else { what.place.as_str() };
    let said: Vec<String> = told
        .iter()
        .take(MAX_TOLD)
        .map(|(device, ability, value)| {
            let told = [("what", context.device_name(*device)), ("value", spoken_value(value, ability, context))];
            replies.say("set_to", &told.each_ref().map(|(key, word)| (*key, word.as_str())))
        })
        .collect();
    let values =
        [("where", place), ("property", &properties[property].words[0]), ("told", &said.join(replies.word("pause")))];
    Some(replies.say("not_measured", &values))
}

/// A value as it is spoken; of what is true or false, whether it is on.
fn value_word(value: &Value, ability: &Ability, context: &Context) -> String {
    let lexicon = context.world.lexicon();
    let verb = match value {
        Value::Bool(true) => lexicon.verb("on"),
        Value::Bool(false) => lexicon.verb("off"),
        _ => None,
    };
    verb.map_or_else(|| spoken_value(value, ability, context), |verb| status_word(&Status::Verb(verb), context))
}

/// `客厅27.5度，主卧25度`: what sensors in rooms of their own measure, where nobody asked for the sensors.
fn by_room(told: &[Told], what: &What, context: &Context) -> Option<String> {
    let home = context.world.home();
    let measured = told.iter().all(|(_, a, v)| !a.writable && a.unit.is_some() && v.is_number());
    if told.len() < 2 || !measured || what.word != context.replies.word("device") {
        return None;
    }
    let rooms: Vec<&str> = told.iter().map(|(d, ..)| home.room_name(&home.devices[*d])).collect();
    if (0..rooms.len()).any(|at| rooms[at].is_empty() || rooms[..at].contains(&rooms[at])) {
        return None;
    }
    let one = |(room, (_, ability, value)): (&&str, &(_, &Ability, &Value))| {
        let value = spoken_value(value, ability, context);
        context.replies.say("room_value", &[("room", &super::reply::spoken(room)), ("value", &value)])
    };
    let said: Vec<String> = rooms.iter().zip(told).take(MAX_TOLD).map(one).collect();
    Some(context.replies.join(&said))
}
