//! Situations: `好热` becomes what helps in the room of the speaker, in the state that it is in.

use super::plan::Subject;
use super::state::holds;
use super::{Context, Outcome, resolve};
use crate::frame::Intent;
use crate::home::DeviceIndex;
use crate::language::action::{Action, Status};
use crate::language::lexicon::{PropertyId, Situation, Wish};
use crate::language::meaning::Source;
use crate::language::order::Order;

/// Resolves a situation by its position in the lexicon. Nothing that helps: the outcome says so and moves nothing.
pub fn resolve_situation(situation: usize, context: &Context) -> (Vec<Order>, Outcome) {
    let world = context.world;
    let situation = &world.lexicon().situations[situation];
    let orders = match scene(&situation.scene, context) {
        Some(order) => vec![order],
        None => helps(situation, context).map(|(orders, _)| orders).unwrap_or_default(),
    };
    if orders.is_empty() {
        // 我出门了 in a home without a scene for it is said to the family; 好热 where nothing helps asks for nothing either.
        return (orders, Outcome::say(Intent::None, context.replies.say("none", &[])).in_silence());
    }
    let outcome = resolve(&orders, context);
    (orders, outcome)
}

/// What helps in a situation, and the devices of that; `None` where nothing does.
pub fn helps(situation: &Situation, context: &Context) -> Option<(Vec<Order>, Vec<DeviceIndex>)> {
    if is_of_another(situation, context) {
        return None;
    }
    let (action, devices) = situation.wishes.iter().find_map(|wish| grant(wish, context))?;
    let vocabulary = &context.world.vocabulary;
    let order = |device: &DeviceIndex| Order { each: true, ..Order::device(action.clone(), *device, vocabulary) };
    Some((devices.iter().map(order).collect(), devices))
}

/// The scene whose name has one of these words.
fn scene(words: &[String], context: &Context) -> Option<Order> {
    let home = context.world.home();
    let named = |scene: &&crate::home::Scene| {
        let mut names = std::iter::once(&scene.name).chain(&scene.aliases).map(|n| crate::text::normalize(n));
        names.any(|n| words.iter().any(|w| n.contains(w.as_str())))
    };
    Order::run(home.scenes.iter().position(|scene| named(&scene))?, &context.world.vocabulary)
}

/// What a wish comes to now: the action and its devices; `None` when it cannot help.
fn grant(wish: &Wish, context: &Context) -> Option<(Action, Vec<DeviceIndex>)> {
    let world = context.world;
    let home = world.home();
    let here = |d: &DeviceIndex| wish.whole_home || (context.local.is_some() && home.devices[*d].room == context.local);
    let of_kind = |d: &DeviceIndex| world.vocabulary.devices[*d].is(wish.kind) && context.online(*d);
    let all: Vec<DeviceIndex> = (0..home.devices.len()).filter(of_kind).collect();
    let mut devices: Vec<DeviceIndex> = all.iter().copied().filter(here).collect();
    // 床头灯开一下, 还是太暗: it is said of what was spoken of.
    let last = context.last_devices();
    if devices.iter().any(|d| last.contains(d)) {
        devices.retain(|d| last.contains(d));
    } else if last.iter().any(of_kind) {
        // 主卧灯调暗点, 还是太亮: of the one there.
        devices = last.iter().copied().filter(of_kind).collect();
    }
    // Nobody knows where the speaker is, but there is just one that helps.
    if devices.is_empty() && context.local.is_none() && all.len() == 1 {
        devices = all;
    }
    if let Some(only) = wish.only {
        devices.retain(|d| holds(*d, &Status::Verb(only), context) == Some(true));
    }
    let able = |action: &Action, d: &DeviceIndex| {
        let subject = Subject {
            device: &home.devices[*d],
            sense: &world.vocabulary.devices[*d],
            state: &context.live.get(*d).values,
            lexicon: world.lexicon(),
        };
        subject.able(action)
    };
    // 冷死了 starts nothing that cools.
    if let Some((property, up)) =
        wish.step.filter(|(property, _)| world.lexicon().property("temperature") == Some(*property))
    {
        let runs = |d: &DeviceIndex| wish.verb.is_none_or(|verb| holds(*d, &Status::Verb(verb), context) == Some(true));
        devices.retain(|d| runs(d) || !works_against(*d, property, up, context));
    }
    if let Some(verb) = wish.verb {
        let action = Action::Verb(verb);
        // Whatever is meant is told, what is so already as well, as long as anything is not.
        let meant: Vec<DeviceIndex> = devices.iter().copied().filter(|d| able(&action, d)).collect();
        if meant.iter().any(|d| holds(*d, &Status::Verb(verb), context) != Some(true)) {
            return Some((action, meant));
        }
    }
    let (property, up) = wish.step?;
    let action = Action::Step { ways: vec![(Some(property), up)], by: None };
    devices.retain(|d| able(&action, d));
    (!devices.is_empty()).then_some((action, devices))
}

/// Whether the mode of a device changes the temperature the other way.
fn works_against(device: DeviceIndex, property: PropertyId, up: bool, context: &Context) -> bool {
    let world = context.world;
    let lexicon = world.lexicon();
    let sense = &world.vocabulary.devices[device];
    let Some(mode) = lexicon.property("mode") else { return false };
    let Some(id) = sense.about(mode).and_then(|ability| match ability.source {
        Source::Property(at) => Some(&world.home().devices[device].properties[at].id),
        _ => None,
    }) else {
        return false;
    };
    let value = context.live.get(device).values.get(id).and_then(|value| value.as_str());
    let against = if up { "cool" } else { "heat" };
    sense.about(property).is_some() && value == Some(against)
}

/// `净化器开大点`, then `太吵了`: it is said of a machine that does nothing about it, and of no other.
fn is_of_another(situation: &Situation, context: &Context) -> bool {
    let world = context.world;
    let lexicon = world.lexicon();
    let last = context.last_devices();
    let wished = |d: &DeviceIndex| situation.wishes.iter().any(|wish| world.vocabulary.devices[*d].is(wish.kind));
    if last.is_empty() || last.iter().any(wished) {
        return false;
    }
    let heard = |wish: &Wish| {
        wish.step
            .is_some_and(|(p, _)| ["volume", "speed", "temperature"].iter().any(|id| lexicon.property(id) == Some(p)))
    };
    let works = |d: &DeviceIndex| {
        let strength = ["speed", "level", "suction", "temperature", "water_temperature", "mode"];
        let lit = lexicon.kind("light").is_some_and(|light| world.vocabulary.devices[*d].is(light));
        !lit && strength
            .iter()
            .filter_map(|id| lexicon.property(id))
            .any(|p| world.vocabulary.devices[*d].about(p).is_some())
    };
    situation.wishes.iter().any(heard) && last.iter().any(works)
}
