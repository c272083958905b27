//! What there is: devices of a place or of a kind, and scenes.

use std::collections::BTreeSet;

use super::Context;
use super::answer::What;
use super::reply::spoken;
use crate::home::DeviceIndex;

/// Names told of what there is; more are counted by kind.
const MAX_NAMED: usize = 12;

/// Which devices there are: by name where that is short, else how many of each kind.
pub(super) fn list_of(devices: &[DeviceIndex], what: &What, context: &Context) -> String {
    let home = context.world.home();
    let bare = |d: &DeviceIndex| spoken(&home.devices[*d].name);
    let names: Vec<String> = match what.place.is_empty() {
        true => devices.iter().map(|d| context.device_name(*d)).collect(),
        false => devices.iter().map(bare).collect(),
    };
    if names.len() <= MAX_NAMED {
        return context
            .replies
            .say("there_are", &[("where", &what.place), ("what", &names.join(context.replies.word("comma")))]);
    }
    let lexicon = context.world.lexicon();
    let mut kinds: Vec<(usize, usize)> = Vec::new();
    for device in devices {
        let Some(kind) = context.world.vocabulary.devices[*device].kinds.first() else { continue };
        match kinds.iter_mut().find(|(k, _)| k == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((*kind, 1)),
        }
    }
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let piece = |kind: &usize| lexicon.kinds[*kind].measure.as_deref().unwrap_or(context.replies.word("piece"));
    let said: Vec<String> = kinds
        .iter()
        .take(MAX_NAMED)
        .map(|(kind, count)| format!("{count}{}{}", piece(kind), lexicon.kinds[*kind].words[0]))
        .collect();
    let total = devices.len().to_string();
    context.replies.say(
        "there_are_many",
        &[("where", &what.place), ("count", &total), ("what", &said.join(context.replies.word("comma")))],
    )
}

/// How many devices there are.
pub(super) fn number_of(devices: &[DeviceIndex], what: &What, context: &Context) -> String {
    let rooms = || devices.iter().filter_map(|d| context.world.home().devices[*d].room).collect::<BTreeSet<_>>().len();
    let count = if what.rooms { rooms() } else { devices.len() }.to_string();
    context.replies.say(
        "number",
        &[("where", &what.place), ("count", &count), ("piece", piece(devices, what, context)), ("what", &what.word)],
    )
}

/// What these are counted by: three lamps are 三盏, rooms and things of several kinds are 个.
fn piece<'a>(devices: &[DeviceIndex], what: &What, context: &'a Context) -> &'a str {
    let kinds = &context.world.lexicon().kinds;
    let kind = |d: &DeviceIndex| context.world.vocabulary.devices[*d].kinds.first().copied();
    let first = devices.first().and_then(kind).filter(|_| !what.rooms);
    let common = first.filter(|first| devices.iter().all(|d| kind(d) == Some(*first)));
    common.and_then(|kind| kinds[kind].measure.as_deref()).unwrap_or(context.replies.word("piece"))
}

/// Names of those that were counted, before the rest of them is left unnamed.
const MAX_COUNTED: usize = 4;

/// How many are in a state, and which.
pub(super) fn counted(
    names: &[String],
    devices: &[DeviceIndex],
    state: &str,
    what: &What,
    context: &Context,
) -> String {
    let replies = context.replies;
    let listed = if names.len() > MAX_COUNTED {
        replies.say("and_more", &[("names", &names[..MAX_COUNTED - 1].join(replies.word("comma")))])
    } else {
        replies.list(names)
    };
    let (count, whole) = (names.len().to_string(), what.whole());
    let piece = piece(devices, what, context);
    let values = [("count", count.as_str()), ("piece", piece), ("what", &whole), ("state", state), ("names", &listed)];
    replies.say(if names.len() == 1 { "count_one" } else { "count_are" }, &values)
}

/// The scenes there are.
pub(super) fn scenes(context: &Context) -> String {
    let home = context.world.home();
    let names: Vec<String> = home.scenes.iter().take(MAX_NAMED).map(|s| spoken(&s.name)).collect();
    if names.is_empty() {
        return context.replies.say("no_scenes", &[]);
    }
    let count = home.scenes.len().to_string();
    context.replies.say("scenes", &[("count", &count), ("what", &names.join(context.replies.word("comma")))])
}
