//! Whether something is so, and how it is where it is not.

use super::*;
use crate::language::lexicon::{Effect, VerbId};
use crate::resolve::state::has;

/// Names of those that are so, where many of the others are not and are left unnamed.
const MAX_FEW: usize = 3;

/// Whether some devices are in a state; `None` where none of them can tell.
pub(super) fn is(status: &Status, devices: &[DeviceIndex], what: &What, context: &Context) -> Option<String> {
    let (yes, no) = split(status, &measuring(status, devices, what, context), context);
    let replies = context.replies;
    if let (Status::Compare { property, .. }, true) = (status, yes.len() + no.len() > 0) {
        let key = if yes.is_empty() { "no_value" } else { "yes_value" };
        let told = if yes.is_empty() { &no } else { &yes };
        return Some(replies.say(key, &[("told", &values(*property, told, what, context))]));
    }
    let names = |devices: &[DeviceIndex]| {
        context.replies.list(&names_of(
            devices,
            matches!(status, Status::Flag(..)) && devices.iter().all(|d| only_reports(*d, context)),
            context,
        ))
    };
    let all = |devices: &[DeviceIndex]| match (devices.len() > MAX_DESCRIBED, what.word.is_empty()) {
        (true, false) => what.whole(),
        _ => names(devices),
    };
    let (word, not) = (is_so(status, &yes, context), not_so(status, &no, context));
    let say =
        |key: &str, what: &str, state: &str| replies.say(key, &[("what", what), ("state", &so(what, state, context))]);
    match (yes.len(), no.len()) {
        (0, 0) => None,
        (1, 0) => Some(say("yes", &names(&yes), &word)),
        (_, 0) => Some(say("all_yes", &all(&yes), &word)),
        (0, 1) => Some(say("no", &names(&no), &not)),
        (0, _) => Some(say("all_no", &all(&no), &not)),
        _ if what.every => Some(say("all_but", &names(&no), &not)),
        _ => {
            let yes_said = say("state_is", &names(&yes), &word);
            let end = replies.word("end");
            let yes_said = yes_said.trim_end_matches(end);
            let few = yes.len() <= MAX_FEW && yes.len() + no.len() > MAX_DESCRIBED;
            let others = || replies.say("others", &[("state", &not)]);
            let no_said = say("state_is", &names(&no), &not);
            let rest = if few { format!("{}{end}", others()) } else { no_said };
            Some(format!("{yes_said}{}{rest}", replies.word("pause")))
        }
    }
}

/// Of the devices of a room, those that measure what is asked for, where any does: `主卧到26度了吗` is not of what is set.
fn measuring(status: &Status, devices: &[DeviceIndex], what: &What, context: &Context) -> Vec<DeviceIndex> {
    let Status::Compare { property, .. } = status else { return devices.to_vec() };
    let measures = |d: &DeviceIndex| {
        reads(*d, *property, context).is_some_and(|ability| !ability.writable && value(*d, ability, context).is_some())
    };
    let measuring: Vec<DeviceIndex> = devices.iter().copied().filter(measures).collect();
    let general = what.word == context.replies.word("device");
    if measuring.is_empty() || !general { devices.to_vec() } else { measuring }
}

/// A state behind a name: `门锁是锁着的`, where the name ends as the state begins.
pub(super) fn so(name: &str, word: &str, context: &Context) -> String {
    let again = word.chars().next().is_some_and(|first| name.ends_with(first));
    if again { context.replies.say("is_so", &[("state", word)]) } else { word.to_owned() }
}

/// Of a feature of which nothing tells: that it is not known, or that the devices have none.
pub(super) fn unknown(status: &Status, devices: &[DeviceIndex], what: &What, context: &Context) -> Option<String> {
    let lexicon = context.world.lexicon();
    let makes = |verb: &VerbId| {
        let verb = &lexicon.verbs[*verb];
        let flag = |e: &Effect| if let Effect::Flag(property, _) = e { Some(*property) } else { None };
        let feature = verb.does.iter().find_map(flag).filter(|p| lexicon.properties[*p].is_feature());
        feature.filter(|_| verb.switches.is_none())
    };
    let (property, name) = match status {
        Status::Flag(property, _) if feature(*property, context) => {
            (*property, &lexicon.properties[*property].words[0])
        }
        // 电视静音开着吗, of one that has no such thing
        Status::Verb(verb) => (makes(verb)?, &lexicon.verbs[*verb].words[0]),
        _ => return None,
    };
    let named = match devices {
        [] => return None,
        [one] => context.device_name(*one),
        _ => what.whole(),
    };
    let (replies, known) = (context.replies, devices.iter().any(|d| has(*d, property, context)));
    Some(match known || matches!(status, Status::Verb(_)) {
        true => replies.say("unknown_value", &[("what", &named), ("property", name)]),
        false => replies.say("state_is", &[("what", &named), ("state", &replies.say("lacks", &[("what", name)]))]),
    })
}

/// How a feature is, as the devices call it: `上下摆风开着`, and each of them where one word stands for several
/// (`上下摆风开着，左右摆风没开`). `None` where they differ, or nothing tells.
fn feature_is(status: &Status, devices: &[DeviceIndex], context: &Context) -> Option<String> {
    let Status::Flag(property, _) = status else { return None };
    let replies = context.replies;
    let of = |device: &DeviceIndex| {
        let told = features(*device, *property, context);
        let says = |key: &str, wanted: bool| {
            let told = told.iter().filter(|(_, on)| *on == wanted);
            let names: Vec<String> = told.map(|(ability, _)| called(*device, ability, *property, context)).collect();
            (!names.is_empty()).then(|| replies.say(key, &[("what", &replies.list(&names))]))
        };
        let said: Vec<String> = says("feature_on", true).into_iter().chain(says("feature_off", false)).collect();
        (!said.is_empty()).then(|| said.join(replies.word("pause")))
    };
    let mut all = devices.iter().map(of);
    let first = all.next().flatten().filter(|_| feature(*property, context))?;
    all.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// What a device calls a feature; by the word for it where the device has none that is spoken.
fn called(device: DeviceIndex, ability: &Ability, property: PropertyId, context: &Context) -> String {
    let name = property_name(device, ability, ability.property.unwrap_or(property), context);
    let property = &context.world.lexicon().properties[property];
    if property.own || !name.chars().any(crate::text::is_han) { property.words[0].clone() } else { name }
}

/// That some devices are in a state. Of a value by name that is said with a verb: 灯带是紫色.
pub(super) fn is_so(status: &Status, devices: &[DeviceIndex], context: &Context) -> String {
    let word = feature_is(status, devices, context).unwrap_or_else(|| status_word(status, context));
    match status {
        Status::Word(_) if devices.iter().any(|d| chosen(*d, status, context).is_some()) => {
            context.replies.say("is_value", &[("state", &word)])
        }
        _ => word,
    }
}

/// That some devices are not in a state: what they are instead, as far as that has a name.
pub(in crate::resolve) fn not_so(status: &Status, devices: &[DeviceIndex], context: &Context) -> String {
    let (lexicon, replies) = (context.world.lexicon(), context.replies);
    let word = status_word(status, context);
    let not_done = |word: &str| replies.say("undone", &[("state", word)]);
    if let Some(is) = feature_is(status, devices, context) {
        return is;
    }
    match (status, status.opposite(lexicon)) {
        (Status::Verb(_), Some(Status::Verb(opposite))) if lexicon.verbs[opposite].state.is_empty() => not_done(&word),
        (_, Some(opposite)) => status_word(&opposite, context),
        (Status::Verb(verb), None) if ["raise", "lower"].map(|id| lexicon.verb(id)).contains(&Some(*verb)) => {
            not_done(&lexicon.verbs[*verb].words[0])
        }
        (Status::Verb(_), None) => not_done(&word),
        (Status::Word(_), None)
            if let [only] = devices
                && let Some(now) = chosen(*only, status, context) =>
        {
            replies.say("is_value", &[("state", &now)])
        }
        _ => replies.say("is_not", &[("state", &word)]),
    }
}

/// What a device has of the values of which one is asked for.
fn chosen(device: DeviceIndex, status: &Status, context: &Context) -> Option<String> {
    let Status::Word(word) = status else { return None };
    let (word, lexicon) = (crate::text::normalize(word), context.world.lexicon());
    context.world.vocabulary.devices[device].abilities.iter().find_map(|ability| {
        let Some(crate::home::Domain::Enum(choices)) = &ability.domain else { return None };
        let means = |at: usize| {
            crate::text::normalize(&choices[at].describe) == word
                || ability.choices[at].iter().any(|c| lexicon.choices[*c].words.contains(&word))
        };
        let named = ability.property.is_some_and(|p| has(device, p, context)) && (0..choices.len()).any(means);
        let now = value(device, ability, context).filter(|_| named)?;
        Some(spoken_value(now, ability, context))
    })
}
