//! Values and states in words.

use super::*;
use crate::language::lexicon::{ChoiceId, Effect, Verb};
use crate::resolve::reply;

/// A value as it is spoken: the words of a choice, a number with its unit.
pub(super) fn spoken_value(value: &Value, ability: &Ability, context: &Context) -> String {
    let lexicon = context.world.lexicon();
    match (&ability.domain, value) {
        (Some(Domain::Enum(choices)), _) => choices
            .iter()
            .find(|c| &c.value == value && !c.describe.is_empty())
            .map_or_else(|| plain(value, context), |c| reply::spoken(&c.describe)),
        (_, Value::Number(_)) => with_unit(value, ability, lexicon),
        (_, Value::String(text)) if text.parse::<f64>().is_ok() => {
            let number =
                text.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map_or(Value::Null, Value::Number);
            with_unit(&number, ability, lexicon)
        }
        _ => plain(value, context),
    }
}

fn plain(value: &Value, context: &Context) -> String {
    match value {
        Value::String(text) => reply::spoken(text),
        Value::Bool(true) => context.replies.word("true_is").to_owned(),
        Value::Bool(false) => context.replies.word("false_is").to_owned(),
        other => other.to_string(),
    }
}

/// How devices are, in one sentence.
pub(in crate::resolve) fn states(devices: &[DeviceIndex], what: &What, context: &Context) -> String {
    if devices.len() > MAX_DESCRIBED {
        return summary(devices, what, context);
    }
    let lexicon = context.world.lexicon();
    let mut said = Vec::new();
    for device in devices.iter().take(8) {
        let sense = &context.world.vocabulary.devices[*device];
        let mut parts: Vec<String> = Vec::new();
        // Of what is in trouble nobody asks whether it is on.
        let troubled = sense.abilities.iter().any(|ability| is_fault(*device, ability, context));
        for verb in ["on", "lock"] {
            let Some(verb) = lexicon.verb(verb).filter(|_| !troubled) else { continue };
            let status = Status::Verb(verb);
            let about = |id: &str| lexicon.property(id).is_some_and(|p| sense.about(p).is_some());
            let fits = if lexicon.verbs[verb].id == "lock" { about("locked") } else { !about("locked") };
            if let (true, Some(holds)) = (fits, holds(*device, &status, context)) {
                let state = if holds { status } else { lexicon.verbs[verb].opposite.map_or(status, Status::Verb) };
                parts.push(status_word(&state, context));
            }
        }
        let stated = parts.len();
        for (at, ability) in sense.abilities.iter().enumerate() {
            let Some(now) = value(*device, ability, context) else { continue };
            // What it is about says more than what it was told to do, where it tells that first.
            if ability.writable && sense.abilities[..at].iter().any(|told| !told.writable && is_alike(told, ability)) {
                continue;
            }
            if matches!(ability.domain, Some(Domain::Bool)) && stated > 0 {
                continue;
            }
            // 在清扫, and not 运行清扫.
            if let Some(doing) = doing(*device, ability, context) {
                if !parts.contains(&doing) {
                    parts.push(doing);
                }
                continue;
            }
            if let (Value::Bool(yes), Some(property)) = (now, ability.property) {
                parts.push(status_word(&Status::Flag(property, *yes), context));
                continue;
            }
            let named = ability.property.map(|p| property_name(*device, ability, p, context)).unwrap_or_default();
            let said = spoken_value(now, ability, context);
            // PM2.5是41: two numbers in a row would be one.
            let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            let runs_on = digit(named.chars().last()) && digit(said.chars().next());
            let said = if runs_on { context.replies.say("is_value", &[("state", &said)]) } else { said };
            parts.push(format!("{named}{said}"));
        }
        if !parts.is_empty() {
            parts.truncate(4);
            said.push(context.replies.say(
                "state_is",
                &[("what", &context.device_name(*device)), ("state", &parts.join(context.replies.word("pause")))],
            ));
        }
    }
    if said.is_empty() {
        context.replies.say("unknown_answer", &[("what", &what.whole())])
    } else {
        context.replies.join(&said)
    }
}

/// What a device is at, where one of its enumerations says so: the state of the verb that tells it to.
fn doing(device: DeviceIndex, ability: &Ability, context: &Context) -> Option<String> {
    let Some(Domain::Enum(choices)) = ability.domain.as_ref().filter(|_| ability.writable) else { return None };
    let now = value(device, ability, context)?;
    let meant = ability.choices.get(choices.iter().position(|choice| choice.value == *now)?)?;
    let first = |effects: &[Effect]| {
        effects.iter().find_map(|effect| if let Effect::Choice(choice) = effect { Some(*choice) } else { None })
    };
    let told = |verb: &&Verb| !verb.state.is_empty() && first(&verb.does).is_some_and(|choice| meant.contains(&choice));
    let verb = context.world.lexicon().verbs.iter().find(told)?;
    verb.state.first().cloned()
}

/// Whether what a device tells of itself is that something is wrong with it.
fn is_fault(device: DeviceIndex, ability: &Ability, context: &Context) -> bool {
    let (Some(now), Some(Domain::Enum(list))) = (value(device, ability, context), &ability.domain) else {
        return false;
    };
    let fault = context.world.lexicon().choice("fault");
    let at = list.iter().position(|choice| choice.value == *now);
    at.and_then(|at| ability.choices.get(at)).is_some_and(|of| fault.is_some_and(|fault| of.contains(&fault)))
}

/// Whether two enumerations are about the same: two of the values of one mean what values of the other do.
fn is_alike(one: &Ability, other: &Ability) -> bool {
    let means = |choice: &ChoiceId| other.choices.iter().any(|of| of.contains(choice));
    one.choices.iter().filter(|of| of.iter().any(means)).count() >= 2
}

/// Many devices in one sentence: what the sensors say, what is on, and that the rest is off.
pub(in crate::resolve) fn summary(devices: &[DeviceIndex], what: &What, context: &Context) -> String {
    let lexicon = context.world.lexicon();
    let mut readings: Vec<String> = Vec::new();
    let mut on: Vec<DeviceIndex> = Vec::new();
    let mut off = 0;
    for device in devices {
        let sense = &context.world.vocabulary.devices[*device];
        if sense.only_reports() {
            for ability in sense.abilities.iter() {
                let (Some(property), Some(now)) = (ability.property, value(*device, ability, context)) else {
                    continue;
                };
                let said = match now {
                    Value::Bool(true) => lexicon.properties[property].words[0].clone(),
                    Value::Bool(false) => continue,
                    _ => {
                        format!(
                            "{}{}",
                            property_name(*device, ability, property, context),
                            spoken_value(now, ability, context)
                        )
                    }
                };
                if !readings.contains(&said) && readings.len() < MAX_TOLD {
                    readings.push(said);
                }
            }
            continue;
        }
        match lexicon.verb("on").and_then(|on| holds(*device, &Status::Verb(on), context)) {
            Some(true) => on.push(*device),
            Some(false) => off += 1,
            None => {}
        }
    }
    let state = |id: &str| lexicon.verb(id).map(|v| status_word(&Status::Verb(v), context)).unwrap_or_default();
    let mut parts: Vec<String> = readings;
    if !on.is_empty() {
        let said = context.replies.say(
            "state_is",
            &[("what", &context.replies.list(&names_of(&on, false, context))), ("state", &state("on"))],
        );
        parts.push(said);
    }
    if off > 0 {
        let key = if on.is_empty() { "rest_all" } else { "rest" };
        parts.push(context.replies.say(key, &[("state", &state("off"))]));
    }
    if parts.is_empty() {
        return context.replies.say("unknown_answer", &[("what", &what.whole())]);
    }
    let about = if what.place.is_empty() { &what.word } else { &what.place };
    format!("{about}{}", context.replies.join(&parts))
}
