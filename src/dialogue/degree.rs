//! More or less of what the device of the turn before has degrees of, where it has none of what the word usually means:
//! `按摩椅换指压`, then `轻一点`; `电热毯开一档`, then `再热一点`.

use super::{Page, page, sibling};
use crate::home::{Choice, DeviceIndex, Domain};
use crate::language::action::{Action, Amount};
use crate::language::command::Type;
use crate::language::grammar::Parse;
use crate::language::lexicon::PropertyId;
use crate::language::meaning::Ability;
use crate::language::order::{Order, Scope, Target};
use crate::retrieval::World;
use crate::text::normalize;

/// What a device has for the value that it was set to by name.
fn valued(device: DeviceIndex, page: &Page, world: &World) -> Option<PropertyId> {
    let set = page::orders(&page.orders, &world.vocabulary).into_iter().rev().find_map(|order| match order.action {
        Action::Set { to: Amount::Word(word), .. } => Some(normalize(&word)),
        _ => None,
    })?;
    let named = |a: &&Ability| {
        let called = |list: &Vec<Choice>| list.iter().any(|choice| normalize(&choice.describe) == set);
        a.writable && matches!(&a.domain, Some(Domain::Enum(list)) if called(list))
    };
    world.vocabulary.devices[device].abilities.iter().find(named)?.property
}

/// The step that is meant of the device of the turn before; `None` where that takes the words as they are, or another is named.
pub(super) fn of_it(parse: &Parse, page: &Page, world: &World) -> Option<Action> {
    let lexicon = world.lexicon();
    let Parse::Orders(orders) = parse else { return None };
    let [Order { action: Action::Step { ways, by }, target, scope, when: None, everywhere: false, .. }] = &orders[..]
    else {
        return None;
    };
    let devices = sibling::devices(page, world);
    let [first, ..] = devices[..] else { return None };
    let points = matches!(target, Target::Anything | Target::Reference(Type::Unknown)) && *scope == Scope::default();
    let counts = |d: &DeviceIndex| {
        let abilities = &world.vocabulary.devices[*d].abilities;
        abilities.iter().any(|a| a.writable && matches!(a.domain, Some(Domain::Number { .. })))
    };
    let takes = |property: &Option<PropertyId>| {
        let about = |d: &DeviceIndex, p| world.vocabulary.devices[*d].about(p).is_some_and(|a| a.writable);
        devices.iter().any(|d| property.map_or_else(|| counts(d), |p| about(d, p)))
    };
    if !points {
        return None;
    }
    let stays = || Some(Action::Step { ways: ways.clone(), by: by.clone() });
    if ways.iter().any(|(property, _)| takes(property)) {
        // 白噪音机打开, then 小点声: of that, and not of what sounds in the room of whoever speaks. 高 and 大 say by themselves no
        // property; of what they are more, the turn before tells.
        let said = matches!(ways[..], [(Some(property), _)] if Some(property) == lexicon.property("volume"));
        return stays().filter(|_| said && devices.len() == 1);
    }
    // 浴霸开强暖, then 弱一点: of what that is a value of, and not of anything else.
    if ways.iter().all(|(property, _)| property.is_none()) {
        let of = valued(first, page, world).map(|property| vec![(Some(property), ways[0].1)]);
        return of.map(|ways| Action::Step { ways, by: by.clone() }).or_else(stays);
    }
    let usual = ways.iter().filter_map(|(property, _)| *property);
    let [volume, temperature] = ["volume", "temperature"].map(|id| lexicon.property(id));
    let loud = usual.clone().any(|p| Some(p) == volume);
    let warm = usual.clone().any(|p| Some(p) == temperature);
    let plays = |d: &DeviceIndex| {
        let kinds = &world.vocabulary.devices[*d].kinds;
        kinds.iter().any(|k| matches!(lexicon.kinds[*k].kind, Type::Television | Type::NetworkAudio))
    };
    let heats = |d: &DeviceIndex| {
        let kinds = &world.vocabulary.devices[*d].kinds;
        kinds.iter().any(|k| lexicon.kinds[*k].goes.iter().any(|goes| lexicon.marks.heats.contains(goes)))
    };
    if !(loud && !devices.iter().any(plays) || warm && devices.iter().all(heats)) {
        return None;
    }
    let degrees: Vec<PropertyId> = {
        let abilities = world.vocabulary.devices[first].abilities.iter();
        let counted = abilities.filter(|a| a.writable && matches!(a.domain, Some(Domain::Number { .. })));
        counted.filter_map(|a| a.property).collect()
    };
    // How loud is how hard, of what presses; how warm is any degree of what heats.
    if loud {
        let strong = |p: &PropertyId| {
            lexicon.properties[*p].words.iter().any(|word| lexicon.marks.force.iter().any(|force| word.contains(force)))
        };
        let force = degrees.into_iter().find(strong)?;
        return Some(Action::Step { ways: vec![(Some(force), ways.first()?.1)], by: by.clone() });
    }
    let set = page::orders(&page.orders, &world.vocabulary).into_iter().rev().find_map(|order| match order.action {
        Action::Set { property: Some(property), .. } => Some(property),
        _ => None,
    });
    let only = || matches!(degrees[..], [_]).then(|| degrees[0]);
    let Some(property) = set.filter(|property| degrees.contains(property)).or_else(only) else { return stays() };
    let up = ways.first()?.1;
    Some(Action::Step { ways: vec![(Some(property), up)], by: by.clone() })
}
