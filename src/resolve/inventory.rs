//! What there is: devices of a place or of a kind, and scenes.

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
    let said: Vec<String> = kinds
        .iter()
        .take(MAX_NAMED)
        .map(|(kind, count)| format!("{count}个{}", lexicon.kinds[*kind].words[0]))
        .collect();
    let total = devices.len().to_string();
    context.replies.say(
        "there_are_many",
        &[("where", &what.place), ("count", &total), ("what", &said.join(context.replies.word("comma")))],
    )
}

/// How many devices there are.
pub(super) fn number_of(devices: &[DeviceIndex], what: &What, context: &Context) -> String {
    let count = devices.len().to_string();
    context.replies.say("number", &[("where", &what.place), ("count", &count), ("what", &what.word)])
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
