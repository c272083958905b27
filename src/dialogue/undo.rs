//! What was done is taken back: `换回去`, `恢复刚才的色温`.

use serde_json::Value;

use super::{Page, Was, behind, page, remark, words};
use crate::home::{DeviceIndex, Domain};
use crate::language::action::{Action, Amount};
use crate::language::lexicon::{Effect, PropertyId, Sense};
use crate::language::meaning::{Ability, Source};
use crate::language::order::Order;
use crate::language::segment::Token;
use crate::retrieval::World;

/// Characters of what asks for nothing else.
const CLEAR: usize = 4;

/// What makes everything as it was before the last thing that was done, or only what is named of it; `None` where nobody asks
/// for that, or says more. Empty where that was so already.
pub(super) fn undone(tokens: &[Token], page: &Page, world: &World) -> Option<Vec<Order>> {
    let clauses = tokens.split(|t| t.has(&Sense::Punctuation)).filter(|clause| !clause.is_empty());
    let (mut asked, mut named, mut of_devices) = (false, Vec::new(), Vec::new());
    for clause in clauses {
        match taken_back(clause, page, world) {
            Some((properties, devices)) => {
                asked = true;
                named.extend(properties);
                of_devices.extend(devices);
            }
            None if remark::is_talk(clause, world) || judges(clause) => {}
            None => return None,
        }
    }
    // 原来那个温度 of what sets the temperature of water.
    let orders = if asked {
        let some = page.was.iter().flat_map(|was| restored(was, &named, world)).collect();
        let all = || of(&of_devices, page, world);
        Some(some).filter(|orders: &Vec<Order>| !orders.is_empty() && !named.is_empty()).unwrap_or_else(all)
    } else {
        Vec::new()
    };
    // 关灯 of what was off, then 恢复: there is nothing to take back, and 恢复 is nothing else.
    let known = page.was.iter().all(|was| !was.state.is_empty());
    let as_before = asked && known && named.is_empty() && of_devices.is_empty();
    (!orders.is_empty() || as_before).then_some(orders)
}

/// `不好看`: whether a clause is nothing but what somebody thinks of it.
fn judges(clause: &[Token]) -> bool {
    let opinion =
        |s: &Sense| matches!(s, Sense::Not | Sense::Suppose | Sense::Filler | Sense::Particle | Sense::Reason);
    clause.iter().all(|t| t.any(opinion) && !t.is_entity())
}

/// The same of some devices; of all of them where none are given.
pub(super) fn of(devices: &[DeviceIndex], page: &Page, world: &World) -> Vec<Order> {
    let wanted = |was: &&Was| {
        let is = |device: &DeviceIndex| world.home().devices[*device].id == was.device;
        devices.is_empty() || devices.iter().any(is)
    };
    // What was so already was not changed by it.
    let told = page::orders(&page.orders, &world.vocabulary);
    let changed = |order: &Order| told.iter().all(|told| told.action != order.action);
    page.was.iter().filter(wanted).flat_map(|was| restored(was, &[], world)).filter(changed).collect()
}

/// What a clause names of what it takes back, properties and things; `None` where it takes nothing back, or says more.
fn taken_back(clause: &[Token], page: &Page, world: &World) -> Option<(Vec<PropertyId>, Vec<DeviceIndex>)> {
    let text = words::written(clause);
    let lexicon = world.lexicon();
    let phrase = |phrase: &String| text.find(phrase.as_str()).map(|start| (start, start + phrase.len()));
    let (start, end) = lexicon
        .undo
        .iter()
        .filter_map(phrase)
        .chain(lexicon.restores.find(&text))
        .max_by_key(|(start, end)| end - start)?;
    // 忒烫唻|恢复成先前那样: whatever it is that says why, where so much is asked for.
    let explains = |t: &Token| {
        let why = |s: &Sense| matches!(s, Sense::Reason | Sense::Not | Sense::Correction | Sense::Polite);
        text[start..end].chars().count() >= CLEAR && !words::is_ours(t) && (t.is_residue() || t.any(why))
    };
    let told: Vec<DeviceIndex> = page.was.iter().filter_map(|was| Some(world.home().device(&was.device)?.0)).collect();
    let (mut at, mut named, mut devices) = (0, Vec::new(), Vec::new());
    for token in clause {
        let begins = at;
        at += words::written(std::slice::from_ref(token)).len();
        let outside = at <= start || begins >= end;
        let before = named.len();
        named.extend(token.senses.iter().filter_map(|s| match s {
            Sense::Property(p) | Sense::Feature(p) => Some(*p),
            _ => None,
        }));
        let small = words::is_small(token)
            || token.any(|s| matches!(s, Sense::Sequence | Sense::Make | Sense::Each | Sense::All | Sense::Disposal));
        // 恢复供电 is another word.
        if !outside && !small && at > end {
            return None;
        }
        let these: Vec<DeviceIndex> = told.iter().copied().filter(|d| behind::is_of(token, *d, world)).collect();
        if outside && !these.is_empty() {
            devices.extend(these);
            continue;
        }
        if outside && named.len() == before && !small && !(at <= start && explains(token)) {
            return None;
        }
    }
    Some((named, devices))
}

/// One order for each property as it was.
fn restored(was: &Was, named: &[PropertyId], world: &World) -> Vec<Order> {
    let (home, vocabulary) = (world.home(), &world.vocabulary);
    let Some(device) = home.devices.iter().position(|device| device.id == was.device) else { return Vec::new() };
    let sense = &vocabulary.devices[device];
    let order = |(id, value): (&String, &Value)| {
        let at = home.devices[device].properties.iter().position(|property| property.id == *id)?;
        let ability = sense.abilities.iter().find(|a| a.source == Source::Property(at) && a.writable)?;
        let wanted = |p: PropertyId| named.is_empty() || named.contains(&p);
        let property = ability.property.filter(|p| wanted(*p))?;
        let domain = ability.domain.as_ref()?;
        let action = moved(ability, value, world).or_else(|| as_it_was(property, domain, value, world))?;
        Some(Order::device(action, device, vocabulary))
    };
    was.state.iter().filter_map(order).collect()
}

/// What a thing is told that was on its way: 打开窗帘, and not its 动作.
fn moved(ability: &Ability, value: &Value, world: &World) -> Option<Action> {
    let lexicon = world.lexicon();
    let Some(Domain::Enum(choices)) = &ability.domain else { return None };
    let meant = ability.choices.get(choices.iter().position(|c| c.value == *value)?)?;
    let travels = ability.property.is_some_and(|p| lexicon.properties[p].id == "action");
    let does = |effect: &Effect| matches!(effect, Effect::Choice(choice) if meant.contains(choice));
    let verb = ["on", "off", "raise", "lower"].iter().filter_map(|id| lexicon.verb(id)).filter(|_| travels);
    verb.into_iter().find(|verb| lexicon.verbs[*verb].does.iter().any(does)).map(Action::Verb)
}

/// What sets a property to a value that it had.
fn as_it_was(property: PropertyId, domain: &Domain, value: &Value, world: &World) -> Option<Action> {
    let lexicon = world.lexicon();
    let to = match (domain, value) {
        (Domain::Bool, Value::Bool(on)) => {
            let verb = lexicon.verb(if *on { "on" } else { "off" })?;
            let itself = lexicon.property("power") == Some(property);
            return Some(if itself { Action::Verb(verb) } else { Action::about(verb, property, lexicon) });
        }
        (Domain::Enum(choices), value) => Amount::Word(choices.iter().find(|c| c.value == *value)?.describe.clone()),
        (_, value) => Amount::Number(value.as_f64()?, None),
    };
    Some(Action::Set { property: Some(property), to })
}
