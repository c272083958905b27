//! The state of devices, as they last reported it.

mod features;

pub(super) use features::of as features;

use serde_json::Value;

use super::{Context, Stale};
use crate::home::{DeviceIndex, Domain};
use crate::language::action::{Action, Ask, Condition, Status};
use crate::language::lexicon::{Effect, PropertyId};
use crate::language::meaning::{Ability, Source};
use crate::language::sense::Extreme;

/// The value of an ability as the device last reported it.
pub(super) fn value<'a>(device: DeviceIndex, ability: &Ability, context: &'a Context) -> Option<&'a Value> {
    context.live.get(device).values.get(id(device, ability, context)?)
}

/// The property that an ability is of.
fn id<'a>(device: DeviceIndex, ability: &Ability, context: &'a Context) -> Option<&'a str> {
    let Source::Property(index) = ability.source else { return None };
    Some(&context.world.home().devices[device].properties[index].id)
}

/// The property of a device that answers what is asked; `None` where that is no single one, or nobody knows yet which.
fn answering<'a>(device: DeviceIndex, action: &Action, context: &'a Context) -> Option<&'a str> {
    let of = |property: PropertyId| id(device, reads(device, property, context)?, context);
    match action {
        Action::Ask(Ask::Value(property) | Ask::Most(property, _) | Ask::More(property, _)) => of(*property),
        Action::Ask(Ask::Is(status) | Ask::Any(status) | Ask::Which(status) | Ask::Count(status))
        | Action::When(Condition::Status { status, .. })
        | Action::OrWhen(Condition::Status { status, .. }) => match status {
            Status::Flag(property, _) | Status::Compare { property, .. } => of(*property),
            Status::Verb(_) | Status::Word(_) => decides(device, status, context).map(|(_, by)| by),
        },
        _ => None,
    }
}

/// What is too old of a device to decide by: the time that counts is that of the property that answers, and not of
/// whatever else the device told meanwhile.
pub(super) fn stale(device: DeviceIndex, action: &Action, context: &Context) -> Option<Stale> {
    if context.fresh_since_ms == 0 || context.told.is_some_and(|told| told.contains(&device)) {
        return None;
    }
    let (state, property) = (context.live.get(device), answering(device, action, context));
    let reported = property.map_or_else(|| state.last_reported_ms(), |property| state.reported_ms(property));
    let old = reported.is_none_or(|ms| ms < context.fresh_since_ms);
    old.then(|| Stale { device, property: property.map(str::to_owned) })
}

/// Whether a device can tell what is asked.
pub fn tells(device: DeviceIndex, action: &Action, context: &Context) -> bool {
    let sense = &context.world.vocabulary.devices[device];
    match action {
        Action::Ask(Ask::Value(property) | Ask::Most(property, _) | Ask::More(property, _)) => {
            reads(device, *property, context).is_some()
        }
        Action::Ask(Ask::Is(status) | Ask::Any(status) | Ask::Which(status) | Ask::Count(status))
        | Action::When(Condition::Status { status, .. })
        | Action::OrWhen(Condition::Status { status, .. }) => holds(device, status, context).is_some(),
        _ => !sense.abilities.is_empty(),
    }
}

/// The ability that tells a property: one that only reports before one that sets (a thermometer before a thermostat).
pub(super) fn reads<'a>(device: DeviceIndex, property: PropertyId, context: &'a Context) -> Option<&'a Ability> {
    let all = || {
        let all = context.world.vocabulary.devices[device].abilities.iter();
        all.filter(|a| matches!(a.source, Source::Property(_)))
    };
    let aims = &context.world.lexicon().properties[property];
    if let (true, Some(of)) = (aims.aim, aims.like) {
        return all().find(|a| a.writable && (a.property == Some(of) || a.kin == Some(of)));
    }
    let exact = || all().filter(move |a| a.property == Some(property));
    // 热水器几度: the water is what it has a temperature of.
    let kin = || all().filter(move |a| a.kin == Some(property));
    let first = |of: &dyn Fn() -> Option<&'a Ability>, or: &dyn Fn() -> Option<&'a Ability>| of().or_else(or);
    let exactly = first(&|| exact().find(|a| !a.writable), &|| exact().next());
    let covers = &context.world.lexicon().properties[property].covers;
    let covered = || all().find(|a| !a.writable && a.property.is_some_and(|p| covers.contains(&p)));
    // 滤芯 of one is its 滤芯寿命, of another its 滤芯剩余天数.
    let called = |p: PropertyId| {
        let other = &context.world.lexicon().properties[p];
        other.own && other.words.iter().any(|word| aims.words.contains(word))
    };
    let alike = || all().find(|a| !a.writable && a.property.is_some_and(called)).filter(|_| aims.own);
    let kindred = || first(&|| kin().find(|a| !a.writable), &|| kin().next());
    exactly.or_else(kindred).or_else(covered).or_else(alike)
}

/// Whether each of some things tells what is asked of its room: not where it calls it something more (地面温度, 土温) and another
/// thing of the room tells just that.
pub(super) fn plainly<'a>(
    told: impl Iterator<Item = (DeviceIndex, &'a Ability)>,
    property: PropertyId,
    context: &Context,
) -> Vec<bool> {
    let words = &context.world.lexicon().properties[property].words;
    let room = |device: DeviceIndex| context.world.home().devices[device].room;
    let named: Vec<(Option<usize>, bool, bool)> = told
        .map(|(device, ability)| {
            let name = super::value::property_name(device, ability, property, context);
            let plain = words.contains(&name);
            let more = words.iter().any(|w| name.len() > last(w).len() && name.ends_with(last(w)));
            (room(device), plain, more && !plain)
        })
        .collect();
    let plain_in = |room: Option<usize>| named.iter().any(|(other, plain, _)| *plain && *other == room);
    named.iter().map(|(room, _, more)| !more || !plain_in(*room)).collect()
}

/// The last character of a word.
fn last(word: &str) -> &str {
    word.char_indices().next_back().map_or(word, |(at, _)| &word[at..])
}

/// The ability that sets a property: of one that it measures, what it is set to.
pub(super) fn sets<'a>(device: DeviceIndex, property: PropertyId, context: &'a Context) -> Option<&'a Ability> {
    let of = &context.world.lexicon().properties[property];
    let property = of.like.filter(|_| of.aim).unwrap_or(property);
    let all = || context.world.vocabulary.devices[device].abilities.iter().filter(|a| a.writable);
    all().find(|a| a.property == Some(property)).or_else(|| all().find(|a| a.kin == Some(property)))
}

/// Whether a device has a property under its own name, and not only something like it.
pub(super) fn has(device: DeviceIndex, property: PropertyId, context: &Context) -> bool {
    context.world.vocabulary.devices[device].abilities.iter().any(|a| a.property == Some(property))
}

/// The property that a question or a condition is about.
pub(super) fn about(action: &Action) -> Option<PropertyId> {
    match action {
        Action::Ask(Ask::Value(property) | Ask::Most(property, _) | Ask::More(property, _)) => Some(*property),
        Action::Ask(Ask::Is(status) | Ask::Any(status) | Ask::Which(status) | Ask::Count(status))
        | Action::When(Condition::Status { status, .. })
        | Action::OrWhen(Condition::Status { status, .. }) => match status {
            Status::Compare { property, .. } => Some(*property),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a device is in a state; `None` when it cannot tell.
pub fn holds(device: DeviceIndex, status: &Status, context: &Context) -> Option<bool> {
    Some(decides(device, status, context)?.0)
}

/// The same, and the property that decides it.
fn decides<'a>(device: DeviceIndex, status: &Status, context: &'a Context) -> Option<(bool, &'a str)> {
    let lexicon = context.world.lexicon();
    // A lock that tells that it is locked in words of its own is not unlocked.
    if let Status::Verb(verb) = status
        && Some(*verb) == lexicon.verb("unlock")
        && let Some((locked, by)) = lexicon.verb("lock").and_then(|lock| decides(device, &Status::Verb(lock), context))
    {
        return Some((!locked, by));
    }
    let sense = &context.world.vocabulary.devices[device];
    match status {
        Status::Flag(property, wanted) => {
            let (on, by) = features::is_on(device, *property, context)?;
            Some((on == *wanted, id(device, by, context)?))
        }
        Status::Compare { property, comparison, value: bound, .. } => {
            let ability = reads(device, *property, context)?;
            let number = number_of(value(device, ability, context)?)?;
            Some(comparison.holds(number, *bound)).zip(id(device, ability, context))
        }
        Status::Word(word) => {
            let word = crate::text::normalize(word);
            if let Some(said) = text_says(device, &word, context) {
                return Some(said);
            }
            sense.abilities.iter().find_map(|ability| {
                let Some(Domain::Enum(choices)) = &ability.domain else { return None };
                let now = choices.iter().position(|c| Some(&c.value) == value(device, ability, context))?;
                let means = |i: usize| {
                    crate::text::normalize(&choices[i].describe) == word
                        || ability.choices[i].iter().any(|c| lexicon.choices[*c].words.contains(&word))
                };
                (0..choices.len()).any(means).then(|| means(now)).zip(id(device, ability, context))
            })
        }
        Status::Verb(verb) => {
            let verb = &lexicon.verbs[*verb];
            let opposite = verb.opposite.map(|v| &lexicon.verbs[v]);
            for effect in &verb.does {
                match effect {
                    Effect::Flag(property, wanted) => {
                        let known = features::is_on(device, *property, context);
                        if let Some((known, by)) = known.and_then(|(on, by)| Some((on, id(device, by, context)?))) {
                            return Some((known == *wanted, by));
                        }
                    }
                    Effect::Choice(choice) => {
                        for ability in sense.abilities.iter() {
                            let Some(Domain::Enum(choices)) = &ability.domain else { continue };
                            let Some(at) = ability.choices.iter().position(|c| c.contains(choice)) else { continue };
                            let Some(now) = value(device, ability, context) else { continue };
                            // A blind that was stopped half way is open: what its position says counts.
                            if let Some((open, by)) = by_position(device, context) {
                                let opens = opposite.is_some() && !verb.safe;
                                return Some((open == opens, by));
                            }
                            return Some(now == &choices[at].value).zip(id(device, ability, context));
                        }
                    }
                    // A blind that has only a position is open or closed by it.
                    Effect::End(_, end) => {
                        if let Some((open, by)) = by_position(device, context) {
                            return Some((open == matches!(end, Extreme::Max), by));
                        }
                    }
                    Effect::Nudge(..) => {}
                }
            }
            text_state(device, verb, opposite, context)
        }
    }
}

fn by_position<'a>(device: DeviceIndex, context: &'a Context) -> Option<(bool, &'a str)> {
    let position = context.world.lexicon().property("position")?;
    let ability = reads(device, position, context)?;
    value(device, ability, context)?.as_f64().map(|p| p > 0.0).zip(id(device, ability, context))
}

/// Whether a thing stands somewhere between open and closed, whatever it was told last.
pub(super) fn is_part_way(device: DeviceIndex, context: &Context) -> bool {
    let position = context.world.lexicon().property("position").and_then(|position| reads(device, position, context));
    let Some(ability) = position else { return false };
    let now = value(device, ability, context).and_then(serde_json::Value::as_f64);
    match (&ability.domain, now) {
        (Some(Domain::Number { min, max, .. }), Some(now)) => now > min.unwrap_or(0.0) && now < max.unwrap_or(100.0),
        _ => false,
    }
}

/// Sensors that report `on`, `off`, `open` as text.
fn text_state<'a>(
    device: DeviceIndex,
    verb: &crate::language::lexicon::Verb,
    opposite: Option<&crate::language::lexicon::Verb>,
    context: &'a Context,
) -> Option<(bool, &'a str)> {
    let lexicon = context.world.lexicon();
    let state = &context.live.get(device).values;
    let words = state.iter().filter_map(|(id, value)| Some((id.as_str(), value.as_str()?.to_lowercase())));
    let says = |verb: &crate::language::lexicon::Verb, word: &str| {
        verb.state.iter().any(|w| w == word)
            || verb
                .does
                .iter()
                .any(|e| matches!(e, Effect::Choice(c) if lexicon.choices[*c].ids.iter().any(|i| i == word)))
    };
    let mut words = words.filter_map(|(by, w)| {
        if says(verb, &w) {
            Some((true, by))
        } else if opposite.is_some_and(|o| says(o, &w)) {
            Some((false, by))
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

/// Whether what a device reports as text is what a word means (`home`: 在家); `None` when it reports something else.
fn text_says<'a>(device: DeviceIndex, word: &str, context: &'a Context) -> Option<(bool, &'a str)> {
    let lexicon = context.world.lexicon();
    let meant: Vec<_> = lexicon.choices.iter().filter(|c| c.words.iter().any(|w| w == word)).collect();
    if meant.is_empty() {
        return None;
    }
    let properties = context.world.home().devices[device].properties.iter();
    let texts = properties
        .filter(|p| matches!(p.domain, Domain::Text))
        .filter_map(|p| Some((p, context.live.get(device).values.get(&p.id)?.as_str()?.to_lowercase())));
    let mut texts = texts.filter(|(_, text)| lexicon.choices.iter().any(|c| c.ids.contains(text)));
    texts.next().map(|(p, text)| (meant.iter().any(|c| c.ids.contains(&text)), p.id.as_str()))
}

/// The number a device reports of a property, and whether it is one that only reports.
pub(super) fn reported(device: DeviceIndex, property: PropertyId, context: &Context) -> Option<(f64, bool)> {
    let ability = reads(device, property, context)?;
    Some((number_of(value(device, ability, context)?)?, !ability.writable))
}

pub(super) fn number_of(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str().and_then(|s| s.trim().parse().ok()))
}
