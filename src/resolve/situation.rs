//! Situations: `好热` becomes what helps in the room of the speaker, in the state that it is in.

use super::realize::Subject;
use super::state::holds;
use super::{Context, Outcome, resolve};
use crate::frame::Intent;
use crate::home::DeviceIndex;
use crate::language::command::{Command, Name, Quantifier, Scope, Target, Type};
use crate::language::deed::{Deed, Status};
use crate::language::grammar::Order;
use crate::language::lexicon::Wish;

/// Resolves a situation by its position in the lexicon. Nothing that helps: the outcome says so and moves nothing.
pub fn resolve_situation(situation: usize, context: &Context) -> (Vec<Order>, Outcome) {
    let world = context.world;
    let situation = &world.lexicon().situations[situation];
    if let Some(order) = scene(&situation.scene, context) {
        let orders = vec![order];
        let outcome = resolve(&orders, context);
        return (orders, outcome);
    }
    for wish in &situation.wishes {
        let Some((deed, devices)) = grant(wish, context) else { continue };
        let action = deed.write(world.lexicon());
        let orders: Vec<Order> = devices
            .iter()
            .map(|device| {
                let device = &world.home().devices[*device];
                let room = device.room.map(|r| world.home().rooms[r].name.as_str());
                let kind = world.lexicon().kinds[wish.kind].kind;
                let target = Target { name: Name::named(&device.name), kind, quantifier: Quantifier::One, count: None };
                let command = Command::new(&action, Scope::new(room, []), target);
                Order { command, everywhere: false, each: true, ordinal: None, only: None }
            })
            .collect();
        // The devices are known already; one order is enough to move them all.
        let outcome = resolve(&orders[..1], &Context { chosen: Some(&devices), ..*context });
        return (orders, outcome);
    }
    let text = context.replies.say("nothing_to_do", &[]);
    let intent = if situation.wishes.is_empty() { Intent::None } else { Intent::Question };
    let text = if situation.wishes.is_empty() { context.replies.say("none", &[]) } else { text };
    (Vec::new(), Outcome::say(intent, text))
}

/// The scene whose name has one of these words.
fn scene(words: &[String], context: &Context) -> Option<Order> {
    let home = context.world.home();
    let named = |scene: &&crate::home::Scene| {
        let mut names = std::iter::once(&scene.name).chain(&scene.aliases).map(|n| crate::text::normalize(n));
        names.any(|n| words.iter().any(|w| n.contains(w.as_str())))
    };
    let scene = home.scenes.iter().find(named)?;
    let verb = context.world.lexicon().verb("run_scene")?;
    let target =
        Target { name: Name::named(&scene.name), kind: Type::Unknown, quantifier: Quantifier::One, count: None };
    let action = &context.world.lexicon().verbs[verb].words[0];
    Some(Order {
        command: Command::new(action, Scope::default(), target),
        everywhere: false,
        each: false,
        ordinal: None,
        only: None,
    })
}

/// What a wish comes to now: the deed and its devices; `None` when it cannot help.
fn grant(wish: &Wish, context: &Context) -> Option<(Deed, Vec<DeviceIndex>)> {
    let world = context.world;
    let home = world.home();
    let here = |d: &DeviceIndex| wish.whole_home || (context.local.is_some() && home.devices[*d].room == context.local);
    let of_kind = |d: &DeviceIndex| world.vocabulary.devices[*d].is(wish.kind) && home.devices[*d].online;
    let all: Vec<DeviceIndex> = (0..home.devices.len()).filter(of_kind).collect();
    let mut devices: Vec<DeviceIndex> = all.iter().copied().filter(here).collect();
    // Nobody knows where the speaker is, but there is just one that helps.
    if devices.is_empty() && context.local.is_none() && all.len() == 1 {
        devices = all;
    }
    if let Some(only) = wish.only {
        devices.retain(|d| holds(*d, &Status::Verb(only), context) == Some(true));
    }
    let able = |deed: &Deed, d: &DeviceIndex| {
        let subject = Subject {
            device: &home.devices[*d],
            sense: &world.vocabulary.devices[*d],
            state: &context.live.get(*d).values,
            lexicon: world.lexicon(),
        };
        subject.able(deed)
    };
    if let Some(verb) = wish.verb {
        let deed = Deed::Verb(verb);
        let waiting: Vec<DeviceIndex> = devices
            .iter()
            .copied()
            .filter(|d| able(&deed, d) && holds(*d, &Status::Verb(verb), context) != Some(true))
            .collect();
        if !waiting.is_empty() {
            return Some((deed, waiting));
        }
    }
    let (property, up) = wish.step?;
    let deed = Deed::Step { ways: vec![(Some(property), up)], by: None };
    devices.retain(|d| able(&deed, d));
    (!devices.is_empty()).then_some((deed, devices))
}
