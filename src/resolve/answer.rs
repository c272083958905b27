//! Answers from the state of the home.

use serde_json::Value;

use super::Context;
use super::reply::list;
use super::value::with_unit;
use crate::home::{DeviceIndex, Domain};
use crate::language::deed::{Ask, Condition, Deed, Status};
use crate::language::lexicon::{Comparison, Effect, PropertyId};
use crate::language::meaning::{Ability, Source};

/// The value of an ability as the device last reported it.
fn value<'a>(device: DeviceIndex, ability: &Ability, context: &'a Context) -> Option<&'a Value> {
    let Source::Property(index) = ability.source else { return None };
    let id = &context.world.home().devices[device].properties[index].id;
    context.live.get(device).values.get(id)
}

/// Whether a device can tell what is asked.
pub fn tells(device: DeviceIndex, deed: &Deed, context: &Context) -> bool {
    let sense = &context.world.vocabulary.devices[device];
    match deed {
        Deed::Ask(Ask::Value(property)) => reads(device, *property, context).is_some(),
        Deed::When(Condition::Compare { property, .. }) => reads(device, *property, context).is_some(),
        Deed::Ask(Ask::Is(status) | Ask::Which(status) | Ask::Count(status))
        | Deed::When(Condition::Status { status, .. }) => holds(device, status, context).is_some(),
        _ => !sense.abilities.is_empty(),
    }
}

/// The ability that tells a property: one that only reports before one that sets (a thermometer before a thermostat).
fn reads<'a>(device: DeviceIndex, property: PropertyId, context: &'a Context) -> Option<&'a Ability> {
    let abilities = || {
        let all = context.world.vocabulary.devices[device].abilities.iter();
        all.filter(move |a| a.property == Some(property) && matches!(a.source, Source::Property(_)))
    };
    abilities().find(|a| !a.writable).or_else(|| abilities().next())
}

/// Whether a device is in a state; `None` when it cannot tell.
pub fn holds(device: DeviceIndex, status: &Status, context: &Context) -> Option<bool> {
    let lexicon = context.world.lexicon();
    let sense = &context.world.vocabulary.devices[device];
    match status {
        Status::Flag(property, wanted) => {
            let ability = reads(device, *property, context)?;
            truth(value(device, ability, context)?).map(|v| v == *wanted)
        }
        Status::Word(word) => {
            let word = crate::text::normalize(word);
            sense.abilities.iter().find_map(|ability| {
                let Some(Domain::Enum(choices)) = &ability.domain else { return None };
                let now = choices.iter().position(|c| Some(&c.value) == value(device, ability, context))?;
                let means = |i: usize| {
                    crate::text::normalize(&choices[i].describe) == word
                        || ability.choices[i].iter().any(|c| lexicon.choices[*c].words.contains(&word))
                };
                (0..choices.len()).any(means).then(|| means(now))
            })
        }
        Status::Verb(verb) => {
            let verb = &lexicon.verbs[*verb];
            let opposite = verb.opposite.map(|v| &lexicon.verbs[v]);
            for effect in &verb.does {
                match effect {
                    Effect::Flag(property, wanted) => {
                        let known = reads(device, *property, context).and_then(|a| value(device, a, context));
                        if let Some(known) = known.and_then(truth) {
                            return Some(known == *wanted);
                        }
                    }
                    Effect::Choice(choice) => {
                        for ability in &sense.abilities {
                            let Some(Domain::Enum(choices)) = &ability.domain else { continue };
                            let Some(at) = ability.choices.iter().position(|c| c.contains(choice)) else { continue };
                            let Some(now) = value(device, ability, context) else { continue };
                            // A blind that was stopped half way is open: what its position says counts.
                            if let Some(open) = by_position(device, context) {
                                let opens = opposite.is_some() && !verb.safe;
                                return Some(open == opens);
                            }
                            return Some(now == &choices[at].value);
                        }
                    }
                    _ => {}
                }
            }
            text_state(device, verb, opposite, context)
        }
    }
}

fn by_position(device: DeviceIndex, context: &Context) -> Option<bool> {
    let position = context.world.lexicon().property("position")?;
    let ability = reads(device, position, context)?;
    value(device, ability, context)?.as_f64().map(|p| p > 0.0)
}

/// Sensors that report `on`, `off`, `open` as text.
fn text_state(
    device: DeviceIndex,
    verb: &crate::language::lexicon::Verb,
    opposite: Option<&crate::language::lexicon::Verb>,
    context: &Context,
) -> Option<bool> {
    let lexicon = context.world.lexicon();
    let state = &context.live.get(device).values;
    let words = state.values().filter_map(Value::as_str).map(str::to_lowercase);
    let says = |verb: &crate::language::lexicon::Verb, word: &str| {
        verb.state.iter().any(|w| w == word)
            || verb
                .does
                .iter()
                .any(|e| matches!(e, Effect::Choice(c) if lexicon.choices[*c].ids.iter().any(|i| i == word)))
    };
    let mut words = words.filter_map(|w| {
        if says(verb, &w) {
            Some(true)
        } else if opposite.is_some_and(|o| says(o, &w)) {
            Some(false)
        } else {
            None
        }
    });
    words.next()
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(b) => Some(*b),
        Value::String(s) if s.eq_ignore_ascii_case("on") || s.eq_ignore_ascii_case("true") => Some(true),
        Value::String(s) if s.eq_ignore_ascii_case("off") || s.eq_ignore_ascii_case("false") => Some(false),
        Value::Number(n) => n.as_f64().map(|n| n != 0.0),
        _ => None,
    }
}

/// Answers a question about some devices.
pub fn answer(ask: &Ask, devices: &[DeviceIndex], what: &str, context: &Context) -> String {
    let replies = context.replies;
    match ask {
        Ask::Value(property) => values(*property, devices, what, context),
        Ask::Is(status) => is(status, devices, context).unwrap_or_else(|| states(devices, what, context)),
        Ask::Which(status) => {
            let (holding, _) = split(status, devices, context);
            let word = status_word(status, context);
            if holding.is_empty() {
                return replies.say("none_are", &[("what", what), ("state", &word)]);
            }
            let names: Vec<String> = holding.iter().map(|d| context.device_name(*d)).collect();
            // Asked which, the answer names them, however many there are.
            let names = if names.len() <= 12 { names.join("、") } else { list(&names) };
            replies.say("which_are", &[("what", &names), ("state", &word)])
        }
        Ask::Count(status) => {
            let (holding, _) = split(status, devices, context);
            let word = status_word(status, context);
            let names: Vec<String> = holding.iter().map(|d| context.device_name(*d)).collect();
            let named = if names.is_empty() { String::new() } else { format!("：{}", list(&names)) };
            let count = holding.len().to_string();
            replies.say("count_are", &[("count", &count), ("what", what), ("state", &word), ("names", &named)])
        }
        Ask::Where => {
            let told = devices.iter().find_map(|d| {
                let place = context.live.get(*d).values.values().find_map(Value::as_str).map(place_word);
                let room = context.world.home().room_name(&context.world.home().devices[*d]).to_owned();
                place.or((!room.is_empty()).then_some(room)).map(|p| (*d, p))
            });
            match told {
                Some((device, place)) => {
                    let name = super::reply::spoken(&context.world.home().devices[device].name);
                    replies.say("where_is", &[("what", &name), ("value", &place)])
                }
                None => replies.say("unknown_answer", &[("what", what)]),
            }
        }
        Ask::State => states(devices, what, context),
    }
}

fn place_word(place: &str) -> String {
    match place {
        "home" => "家".into(),
        "not_home" | "away" => "外面".into(),
        other => super::reply::spoken(other),
    }
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

fn status_word(status: &Status, context: &Context) -> String {
    let lexicon = context.world.lexicon();
    match status {
        Status::Verb(verb) => lexicon.verbs[*verb].state.first().unwrap_or(&lexicon.verbs[*verb].words[0]).clone(),
        Status::Flag(property, true) => lexicon.properties[*property].words[0].clone(),
        Status::Flag(property, false) => format!("不{}", lexicon.properties[*property].words[0]),
        Status::Word(word) => word.clone(),
    }
}

fn is(status: &Status, devices: &[DeviceIndex], context: &Context) -> Option<String> {
    let (yes, no) = split(status, devices, context);
    let replies = context.replies;
    let word = status_word(status, context);
    let names =
        |list: &[DeviceIndex]| super::reply::list(&list.iter().map(|d| context.device_name(*d)).collect::<Vec<_>>());
    let opposite = match status {
        Status::Verb(verb) => {
            context.world.lexicon().verbs[*verb].opposite.map(|o| status_word(&Status::Verb(o), context))
        }
        _ => None,
    };
    let not = opposite.unwrap_or_else(|| format!("没有{word}"));
    match (yes.len(), no.len()) {
        (0, 0) => None,
        (1, 0) => Some(replies.say("yes", &[("what", &names(&yes)), ("state", &word)])),
        (_, 0) => Some(replies.say("all_yes", &[("what", &names(&yes)), ("state", &word)])),
        (0, _) => Some(replies.say("no", &[("what", &names(&no)), ("state", &not)])),
        _ => {
            let yes = replies.say("state_is", &[("what", &names(&yes)), ("state", &word)]);
            let no = replies.say("state_is", &[("what", &names(&no)), ("state", &not)]);
            Some(format!("{}，{no}", yes.trim_end_matches('。')))
        }
    }
}

/// Values of a property; devices that only report are asked before those that set.
fn values(property: PropertyId, devices: &[DeviceIndex], what: &str, context: &Context) -> String {
    let told: Vec<(DeviceIndex, &Ability, &Value)> = devices
        .iter()
        .filter_map(|d| {
            let ability = reads(*d, property, context)?;
            Some((*d, ability, value(*d, ability, context)?))
        })
        .collect();
    let reporters: Vec<_> = told.iter().filter(|(_, a, _)| !a.writable).copied().collect();
    // The temperature of a room is what a thermometer says, not what the air conditioner is set to.
    let several_kinds = devices.len() > 1;
    let told = if several_kinds && !reporters.is_empty() { reporters } else { told };
    if told.is_empty() {
        return context.replies.say("unknown_answer", &[("what", what)]);
    }
    let said: Vec<String> = told
        .iter()
        .take(6)
        .map(|(device, ability, value)| {
            let name = property_name(*device, ability, property, context);
            context.replies.say(
                "value_is",
                &[
                    ("what", &context.device_name(*device)),
                    ("property", &name),
                    ("value", &spoken_value(value, ability)),
                ],
            )
        })
        .collect();
    join(&said)
}

fn join(sentences: &[String]) -> String {
    let parts: Vec<&str> = sentences.iter().map(|s| s.trim_end_matches('。')).collect();
    format!("{}。", parts.join("，"))
}

fn property_name(device: DeviceIndex, ability: &Ability, property: PropertyId, context: &Context) -> String {
    let described = match ability.source {
        Source::Property(i) => context.world.home().devices[device].properties[i].describe.clone(),
        Source::Command(_) => String::new(),
    };
    if described.is_empty() {
        context.world.lexicon().properties[property].words[0].clone()
    } else {
        super::reply::spoken(&described)
    }
}

/// A value as it is spoken: the words of a choice, a number with its unit.
pub fn spoken_value(value: &Value, ability: &Ability) -> String {
    match (&ability.domain, value) {
        (Some(Domain::Enum(choices)), _) => choices
            .iter()
            .find(|c| &c.value == value && !c.describe.is_empty())
            .map_or_else(|| plain(value), |c| super::reply::spoken(&c.describe)),
        (_, Value::Number(_)) => with_unit(value, ability),
        (_, Value::String(text)) if text.parse::<f64>().is_ok() => {
            let number =
                text.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map_or(Value::Null, Value::Number);
            with_unit(&number, ability)
        }
        _ => plain(value),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => super::reply::spoken(text),
        Value::Bool(true) => "是".into(),
        Value::Bool(false) => "否".into(),
        other => other.to_string(),
    }
}

/// How devices are, in one sentence.
fn states(devices: &[DeviceIndex], what: &str, context: &Context) -> String {
    let lexicon = context.world.lexicon();
    let mut said = Vec::new();
    for device in devices.iter().take(8) {
        let sense = &context.world.vocabulary.devices[*device];
        let mut parts: Vec<String> = Vec::new();
        for verb in ["on", "lock"] {
            let Some(verb) = lexicon.verb(verb) else { continue };
            let status = Status::Verb(verb);
            let about = |id: &str| lexicon.property(id).is_some_and(|p| sense.about(p).is_some());
            let fits = if lexicon.verbs[verb].id == "lock" { about("locked") } else { !about("locked") };
            if let (true, Some(holds)) = (fits, holds(*device, &status, context)) {
                let state = if holds { status } else { lexicon.verbs[verb].opposite.map_or(status, Status::Verb) };
                parts.push(status_word(&state, context));
            }
        }
        for ability in &sense.abilities {
            let Some(now) = value(*device, ability, context) else { continue };
            if matches!(ability.domain, Some(Domain::Bool)) && !parts.is_empty() {
                continue;
            }
            let named = ability.property.map(|p| property_name(*device, ability, p, context));
            parts.push(format!("{}{}", named.unwrap_or_default(), spoken_value(now, ability)));
        }
        if !parts.is_empty() {
            parts.truncate(4);
            said.push(
                context
                    .replies
                    .say("state_is", &[("what", &context.device_name(*device)), ("state", &parts.join("，"))]),
            );
        }
    }
    if said.is_empty() { context.replies.say("unknown_answer", &[("what", what)]) } else { join(&said) }
}

/// What became of a condition: whether it holds, and what was read.
pub fn condition(when: &Condition, devices: &[DeviceIndex], context: &Context) -> Option<(bool, String)> {
    match when {
        Condition::Status { status, holds: wanted } => {
            let known: Vec<(DeviceIndex, bool)> =
                devices.iter().filter_map(|d| Some((*d, holds(*d, status, context)?))).collect();
            let any = known.iter().any(|(_, h)| *h);
            let (device, _) = known.iter().find(|(_, h)| *h).or(known.first())?;
            let word = status_word(status, context);
            let read = format!("{}{}{word}", context.device_name(*device), if any { "" } else { "没有" });
            Some((any == *wanted, read))
        }
        Condition::Compare { property, comparison, value: bound, .. } => {
            let told = |writable: bool| {
                devices.iter().find_map(|d| {
                    let ability = reads(*d, *property, context).filter(|a| a.writable == writable)?;
                    let number = value(*d, ability, context).and_then(number_of)?;
                    Some((*d, ability, number))
                })
            };
            let (device, ability, number) = told(false).or_else(|| told(true))?;
            let holds = match comparison {
                Comparison::Greater => number > *bound,
                Comparison::Less => number < *bound,
                Comparison::Equal => (number - bound).abs() < f64::EPSILON,
            };
            let name = property_name(device, ability, *property, context);
            let now = with_unit(&serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number), ability);
            Some((holds, format!("{}的{name}是{now}", context.device_name(device))))
        }
    }
}

fn number_of(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str().and_then(|s| s.trim().parse().ok()))
}
