//! What a sentence may tell: things that it may be about, each with what can be done to it.

use std::sync::Arc;

use super::Setting;
use super::features::hash;
use super::repertoire::{Called, Doing, about};
use super::things::{Named, Thing};
use crate::home::{DeviceIndex, Domain};
use crate::language::action::{Action, Amount, Ask, Status};
use crate::language::grammar;
use crate::language::lexicon::{PropertyId, Situation, VerbId, Wish};
use crate::language::meaning::{Ability, Source};
use crate::language::order::Order;
use crate::resolve::Context;
use crate::resolve::plan::Subject;

/// Candidates of one sentence.
const MAX_CANDIDATES: usize = 3_000;

/// Values of one sentence that are looked at.
const MAX_AMOUNTS: usize = 3;

/// Abilities of one device that are asked for.
const MAX_ASKED: usize = 64;

/// Devices of one thing that are looked at: those of a kind can mostly do the same.
const MAX_DEVICES: usize = 6;

/// How a value was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// By the words from one position to another.
    Amount(usize, usize),
    /// It is more.
    Up,
    /// It is less.
    Down,
    /// More, by the words from one position to another.
    UpBy(usize, usize),
    /// Less, by such.
    DownBy(usize, usize),
    /// It is one of what the device can always be told.
    Fixed,
    /// It is asked for.
    Asked,
    /// It helps where something is so.
    Helps,
}

/// Something that a sentence may tell.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// By position among the things.
    pub thing: usize,
    /// The device that it was worked out for.
    pub device: DeviceIndex,
    /// What is done.
    pub action: Action,
    /// All of what helps in a situation; empty for anything else.
    helps: Vec<Order>,
    /// See [`Doing::op`].
    pub op: u64,
    /// See [`Doing::about`].
    pub about: u64,
    /// The property.
    pub property: Option<PropertyId>,
    /// By position in the device's abilities.
    pub ability: usize,
    /// The verbs that say it.
    pub verbs: &'a [VerbId],
    /// The words for its value.
    pub words: &'a [String],
    /// See [`Doing::called`].
    pub called: Arc<[Called]>,
    /// How its value is said.
    pub said: Said,
    /// Whether it is so already; of what is asked for, whether it could be set.
    pub so: bool,
}

impl Candidate<'_> {
    /// As orders.
    pub fn orders(&self, things: &[Thing]) -> Vec<Order> {
        match self.said {
            Said::Helps => self.helps.clone(),
            _ => vec![things[self.thing].order.clone().with(self.action.clone())],
        }
    }
}

/// What a sentence may tell its things.
pub fn candidates<'a>(things: &[Thing], setting: &Setting<'a>) -> Vec<Candidate<'a>> {
    let world = setting.context.world;
    let amounts: Vec<(Amount, usize, usize)> = (0..setting.tokens.len())
        .filter_map(|at| grammar::amount(setting.tokens, at, &world.vocabulary).map(|(amount, end)| (amount, at, end)))
        .filter(|(amount, ..)| !matches!(amount, Amount::Word(_) | Amount::Little | Amount::Lots))
        .take(MAX_AMOUNTS)
        .collect();
    let mut found: Vec<Candidate> = Vec::new();
    found.extend(helpful(things, setting));
    for (thing, known) in things.iter().enumerate().filter(|(_, thing)| thing.named != Named::Around) {
        let first = found.len();
        // What is not named is all of one kind.
        let looked_at = if known.named == Named::Not { 1 } else { MAX_DEVICES };
        for device in known.devices.iter().take(looked_at).copied() {
            let state = &setting.context.live.get(device).values;
            for doing in setting.repertoires.device(device) {
                if found.len() >= MAX_CANDIDATES {
                    return found;
                }
                // What one device can be told is all different.
                if found.len() == first
                    || found[first].device == device
                    || !known_already(&found[first..], &doing.action)
                {
                    found.push(fixed(thing, device, doing, doing.is_so(state)));
                }
            }
            for candidate in measured(thing, device, &amounts, setting) {
                if found.len() < MAX_CANDIDATES && !known_already(&found[first..], &candidate.action) {
                    found.push(candidate);
                }
            }
            for candidate in asked(thing, device, setting) {
                if found.len() < MAX_CANDIDATES && !known_already(&found[first..], &candidate.action) {
                    found.push(candidate);
                }
            }
        }
    }
    found
}

fn known_already(found: &[Candidate], action: &Action) -> bool {
    found.iter().any(|candidate| candidate.action == *action)
}

/// What helps in each situation that has no scene of its own; `things` has a last one for it.
fn helpful<'a>(things: &[Thing], setting: &Setting<'a>) -> Vec<Candidate<'a>> {
    let world = setting.context.world;
    let last = things.iter().enumerate().next_back().filter(|(_, thing)| thing.named == Named::Around);
    let Some((thing, here)) = last else { return Vec::new() };
    let room = here.devices.first().and_then(|device| world.home().devices[*device].room);
    let context = Context { local: room, ..setting.context };
    let can_help = |wish: &Wish| here.devices.iter().any(|d| world.vocabulary.devices[*d].is(wish.kind));
    let help = |situation: &'a Situation| {
        if !situation.wishes.iter().any(can_help) {
            return None;
        }
        let (helps, devices) = crate::resolve::helps(situation, &context).filter(|_| situation.scene.is_empty())?;
        let device = devices[0];
        let action = helps.first()?.action.clone();
        Some(Candidate {
            thing,
            device,
            action,
            helps,
            op: hash("help"),
            about: hash(&situation.id),
            property: None,
            ability: 0,
            verbs: &[],
            words: &[],
            called: Arc::default(),
            said: Said::Helps,
            so: devices.len() > 1,
        })
    };
    world.lexicon().situations.iter().filter_map(help).collect()
}

fn fixed(thing: usize, device: DeviceIndex, doing: &Doing, so: bool) -> Candidate<'_> {
    Candidate {
        thing,
        device,
        action: doing.action.clone(),
        helps: Vec::new(),
        op: doing.op,
        about: doing.about,
        property: doing.property,
        ability: doing.ability,
        verbs: &doing.verbs,
        words: &doing.words,
        called: Arc::clone(&doing.called),
        said: Said::Fixed,
        so,
    }
}

/// What can be asked about a device: whether it is on, and what else it is.
fn asked<'a>(thing: usize, device: DeviceIndex, setting: &Setting) -> Vec<Candidate<'a>> {
    let world = setting.context.world;
    let lexicon = world.lexicon();
    let held = [("power", "on"), ("locked", "lock")].map(|(p, verb)| (lexicon.property(p), lexicon.verb(verb)));
    let abilities = world.vocabulary.devices[device].abilities.iter().enumerate().take(MAX_ASKED);
    let told = abilities.filter(|(_, ability)| matches!(ability.source, Source::Property(_)));
    let ask = |(at, ability): (usize, &Ability)| {
        let property = ability.property?;
        let verb = held.iter().find_map(|(p, verb)| verb.filter(|_| *p == Some(property)));
        let (ask, op) = match (verb, &ability.domain) {
            (Some(verb), _) => (Ask::Is(Status::Verb(verb)), "ask on"),
            (_, Some(Domain::Bool)) => (Ask::Value(property), "ask flag"),
            (_, Some(Domain::Number { .. })) => (Ask::Value(property), "ask number"),
            _ => (Ask::Value(property), "ask value"),
        };
        Some(Candidate {
            thing,
            device,
            action: Action::Ask(ask),
            helps: Vec::new(),
            op: hash(op),
            about: about(ability, lexicon),
            property: Some(property),
            ability: at,
            verbs: &[],
            words: &[],
            called: Called::property(ability, lexicon).into_iter().collect(),
            said: Said::Asked,
            so: ability.writable,
        })
    };
    told.filter_map(ask).collect()
}

/// What is set to a value that was said, and what becomes more or less.
fn measured<'a>(
    thing: usize,
    device: DeviceIndex,
    amounts: &[(Amount, usize, usize)],
    setting: &Setting,
) -> Vec<Candidate<'a>> {
    let world = setting.context.world;
    let sense = &world.vocabulary.devices[device];
    let state = &setting.context.live.get(device).values;
    let subject = Subject { device: &world.home().devices[device], sense, state, lexicon: world.lexicon() };
    let mut found: Vec<Candidate> = Vec::new();
    for (at, ability) in sense.abilities.iter().enumerate().filter(|(_, a)| a.writable) {
        let Some(property) = ability.property.or(ability.kin) else { continue };
        if matches!(ability.domain, Some(Domain::Bool | Domain::Text))
            || ability.domain.is_none() && ability.step.is_none()
        {
            continue;
        }
        let called: Arc<[Called]> = Called::property(ability, world.lexicon()).into_iter().collect();
        let mut add = |action: Action, op: &str, said: Said| {
            let Ok(act) = subject.plan(&action) else { return };
            // What is about another ability comes up there.
            if act.property.is_some() && act.property != ability.property {
                return;
            }
            found.push(Candidate {
                thing,
                device,
                action,
                helps: Vec::new(),
                op: hash(op),
                about: about(ability, world.lexicon()),
                property: ability.property,
                ability: at,
                verbs: &[],
                words: &[],
                called: Arc::clone(&called),
                said,
                so: act.at_bound,
            });
        };
        let step = |up: bool, by: Option<Amount>| Action::Step { ways: vec![(Some(property), up)], by };
        for (amount, start, end) in amounts {
            let set = Action::Set { property: Some(property), to: amount.clone() };
            add(set, "set", Said::Amount(*start, *end));
            add(step(true, Some(amount.clone())), "up by", Said::UpBy(*start, *end));
            add(step(false, Some(amount.clone())), "down by", Said::DownBy(*start, *end));
        }
        add(step(true, None), "up", Said::Up);
        add(step(false, None), "down", Said::Down);
    }
    found
}
