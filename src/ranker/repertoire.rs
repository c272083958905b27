//! What the devices of a home can be told, worked out once for a home: for each device, every action that comes to something
//! different, and the verbs and words that say it.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::features::hash;
use crate::frame::CommandCall;
use crate::home::{Choice, Device, DeviceIndex, Domain, State};
use crate::language::action::{Action, Amount};
use crate::language::lexicon::{Lexicon, PropertyId, VerbId};
use crate::language::meaning::{Ability, DeviceSense, Source};
use crate::language::vocabulary::Vocabulary;
use crate::resolve::plan::{Act, Subject};
use crate::text::normalize;

/// Actions of one device, and of all that are not alike: a hostile home has no end of values. What is beyond is left to the grammar.
const MAX_DOINGS: usize = 256;
const MAX_IN_HOME: usize = 16_384;

/// Characters of a name that are looked at: a hostile home has names that are sentences.
const MAX_CHARS: usize = 8;

/// What a home itself calls a property or a value that the language has no word for.
#[derive(Clone, Debug)]
pub struct Called {
    /// The name.
    pub name: u64,
    /// Its characters.
    pub chars: Vec<u64>,
}

impl Called {
    fn of(name: &str) -> Self {
        let mut buffer = [0; 4];
        let chars = name.chars().take(MAX_CHARS).map(|c| hash(c.encode_utf8(&mut buffer))).collect();
        Self { name: hash(name), chars }
    }

    /// What a home calls a property; nothing where the language knows it.
    pub fn property(ability: &Ability, lexicon: &Lexicon) -> Option<Self> {
        let property = &lexicon.properties[ability.property?];
        property.words.first().filter(|_| property.own).map(|name| Self::of(name))
    }
}

/// One thing that a device can be told.
#[derive(Clone, Debug)]
pub struct Doing {
    /// How it is told.
    pub action: Action,
    /// What sort of thing is done, the same for all homes.
    pub op: u64,
    /// What it is done to, the same for all homes: a property of the language, or the sort of one that a home brings.
    pub about: u64,
    /// The property.
    pub property: Option<PropertyId>,
    /// By position in the device's abilities.
    pub ability: usize,
    /// The verbs that say it.
    pub verbs: Vec<VerbId>,
    /// The words for its value.
    pub words: Vec<String>,
    /// What the home calls its property and its value, where only the home does.
    pub called: Arc<[Called]>,
    /// What it comes to.
    effect: (State, Option<CommandCall>),
}

impl Doing {
    /// Whether the device is already as this would make it.
    pub fn is_so(&self, state: &State) -> bool {
        self.effect.1.is_none() && self.effect.0.iter().all(|(key, value)| state.get(key) == Some(value))
    }
}

/// What each device can be told, by its position; devices that are alike share theirs.
#[derive(Debug)]
pub struct Repertoires(Vec<Arc<[Doing]>>);

impl Repertoires {
    /// Those of a home.
    pub fn of(vocabulary: &Vocabulary) -> Self {
        let mut known: HashMap<_, Arc<[Doing]>> = HashMap::new();
        let mut left = MAX_IN_HOME;
        let devices = vocabulary.home.devices.iter().zip(&vocabulary.devices);
        let of = devices.map(|(device, sense)| {
            let like = (Arc::as_ptr(&sense.abilities), &sense.kinds[..], device.is_lifted(&vocabulary.lexicon.lifted));
            let made = || {
                let mut all = if left > 0 { doings(device, sense, &vocabulary.lexicon) } else { Vec::new() };
                all.truncate(left);
                left -= all.len();
                all.into()
            };
            Arc::clone(known.entry(like).or_insert_with(made))
        });
        Self(of.collect())
    }

    /// What a device can be told.
    pub fn device(&self, device: DeviceIndex) -> &[Doing] {
        &self.0[device]
    }
}

/// What a property is called among all homes.
pub fn about(ability: &Ability, lexicon: &Lexicon) -> u64 {
    match ability.property.map(|p| &lexicon.properties[p]) {
        Some(property) if !property.own => hash(&property.id),
        Some(_) => hash(match ability.domain {
            Some(Domain::Bool) => "own flag",
            Some(Domain::Enum(_)) => "own values",
            Some(Domain::Number { .. }) => "own number",
            _ => "own",
        }),
        None => hash("none"),
    }
}

fn doings(device: &Device, sense: &DeviceSense, lexicon: &Lexicon) -> Vec<Doing> {
    let state = State::new();
    let subject = Subject { device, sense, state: &state, lexicon };
    let mut found: Vec<Doing> = Vec::new();
    // What is done by the home's own name for it is learned by that name.
    let learned = |verb: &usize| !lexicon.verbs[*verb].does.is_empty() && !subject.is_called_like(*verb);
    for verb in (0..lexicon.verbs.len()).filter(learned) {
        let action = Action::Verb(verb);
        let Ok(act) = subject.plan(&action) else { continue };
        if let Some(at) = add(&mut found, action, act, device, sense, lexicon) {
            found[at].verbs.push(verb);
            if found[at].verbs.len() == 1 {
                found[at].op = hash(&lexicon.verbs[verb].id);
            }
        }
    }
    let switch =
        |on: bool| lexicon.verb(if on { "on" } else { "off" }).map(|verb| lexicon.verbs[verb].words[0].clone());
    for ability in sense.abilities.iter().filter(|a| a.writable) {
        let words: Vec<String> = match &ability.domain {
            Some(Domain::Bool) => [true, false].into_iter().filter_map(switch).collect(),
            Some(Domain::Enum(choices)) => choices.iter().map(said).collect(),
            _ => Vec::new(),
        };
        for word in words {
            let action = Action::Set { property: ability.property, to: Amount::Word(word) };
            let Ok(act) = subject.plan(&action) else { continue };
            add(&mut found, action, act, device, sense, lexicon);
        }
    }
    found
}

/// How a value is told.
fn said(choice: &Choice) -> String {
    match (&choice.describe, choice.value.as_str()) {
        (describe, Some(value)) if describe.is_empty() => value.to_owned(),
        (describe, _) => describe.clone(),
    }
}

/// Notes an action; the position of what comes to the same.
fn add(
    found: &mut Vec<Doing>,
    action: Action,
    act: Act,
    device: &Device,
    sense: &DeviceSense,
    lexicon: &Lexicon,
) -> Option<usize> {
    let effect = (act.state, act.command);
    if let Some(at) = found.iter().position(|known| known.effect == effect) {
        return Some(at);
    }
    if found.len() >= MAX_DOINGS {
        return None;
    }
    let is_of = |ability: &Ability| match ability.source {
        Source::Property(at) => effect.0.iter().any(|(key, _)| *key == device.properties[at].id),
        Source::Command(at) => effect.1.as_ref().is_some_and(|call| call.id == device.commands[at].id),
    };
    let at = sense.abilities.iter().position(|a| a.writable && is_of(a))?;
    let ability = &sense.abilities[at];
    let value = match ability.source {
        Source::Property(property) => effect.0.get(&device.properties[property].id).cloned(),
        Source::Command(_) => effect.1.as_ref().and_then(|call| call.argument.clone()),
    };
    let (op, words) = op(ability, value.as_ref(), lexicon);
    let about = about(ability, lexicon);
    let value = words.first().filter(|_| op == hash("value")).map(|word| Called::of(word));
    let called = Called::property(ability, lexicon).into_iter().chain(value).collect();
    let (property, verbs) = (ability.property, Vec::new());
    found.push(Doing { action, op, about, property, ability: at, verbs, words, called, effect });
    Some(found.len() - 1)
}

/// What sort of thing a value is, where no verb says it, and the words for it.
fn op(ability: &Ability, value: Option<&Value>, lexicon: &Lexicon) -> (u64, Vec<String>) {
    match (&ability.domain, value) {
        (Some(Domain::Bool), Some(Value::Bool(true))) => (hash("yes"), Vec::new()),
        (Some(Domain::Bool), Some(Value::Bool(false))) => (hash("no"), Vec::new()),
        (Some(Domain::Enum(choices)), value) => {
            let only = choices.len() == 1;
            let Some(at) = choices.iter().position(|c| only || Some(&c.value) == value) else {
                return (hash("value"), Vec::new());
            };
            let general = ability.choices.get(at).and_then(|meant| meant.first()).map(|c| &lexicon.choices[*c]);
            let mut words = vec![normalize(&choices[at].describe)];
            words.extend(choices[at].value.as_str().map(normalize));
            words.extend(general.iter().flat_map(|choice| choice.words.iter().cloned()));
            words.retain(|word| !word.is_empty());
            words.dedup();
            (general.map_or(hash("value"), |choice| hash(&format!("value {}", choice.id))), words)
        }
        _ => (hash("does"), Vec::new()),
    }
}
