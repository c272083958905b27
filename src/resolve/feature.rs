//! A thing that is a part of what was spoken of: `打开浴霸的取暖，灯也打开` means the lamp in the heater.

use super::Context;
use super::plan::Subject;
use crate::home::{DeviceIndex, Domain};
use crate::language::action::{Action, Amount};
use crate::language::command::Type;
use crate::language::lexicon::{KindId, PropertyId, VerbId};
use crate::language::meaning::{Ability, Source};
use crate::language::order::{Order, Scope, Target};

/// The order for the part of what was mentioned last, where that is meant and not a thing that stands by itself.
pub(super) fn of_mentioned(order: &Order, context: &Context) -> Option<Order> {
    let Action::Verb(verb) = order.action else { return None };
    let vocabulary = &context.world.vocabulary;
    let lexicon = &vocabulary.lexicon;
    lexicon.verbs[verb].switches?;
    let whole = order.scope == Scope::default() && !order.everywhere && order.filter.is_none();
    if !whole || order.count.is_some() || order.ordinal.is_some() {
        return None;
    }
    let of_type = |kind: Type| lexicon.kinds.iter().position(|k| k.kind == kind && k.part);
    let (kind, pointed): (KindId, bool) = match &order.target {
        Target::Reference(kind) => (of_type(*kind)?, true),
        Target::Type(kind) => (of_type(*kind)?, false),
        Target::Kind(kind, _) if lexicon.kinds[*kind].part => (*kind, false),
        _ => return None,
    };
    let has = |d: &DeviceIndex| {
        let device = &vocabulary.devices[*d];
        if device.is(kind) { None } else { device.feature_of_kind(kind, lexicon).map(|property| (*d, property)) }
    };
    let mut found = context.last_devices().into_iter().filter_map(|d| has(&d));
    let (device, property) = found.next()?;
    if found.next().is_some() {
        return None;
    }
    // A lamp of its own in the room of the speaker is meant before one that is a part of something.
    let here = |d: &DeviceIndex| context.world.home().devices[*d].room == context.local && context.local.is_some();
    let stands = (0..vocabulary.devices.len()).any(|d| here(&d) && vocabulary.devices[d].is(kind));
    let action = Action::about(verb, property, lexicon);
    (pointed || !stands).then(|| Order::device(action, device, vocabulary))
}

impl Subject<'_> {
    /// What is done to all like parts of a thing that has nothing of its own for it: `排插关了` of three outlets, `电热毯三档` of two
    /// sides.
    pub(super) fn by_parts(&self, action: &Action) -> Vec<Action> {
        let each = |switched: bool, told: &dyn Fn(PropertyId) -> Action| -> Vec<Action> {
            self.sense.parts(switched, self.lexicon).into_iter().map(told).collect()
        };
        match action {
            Action::Verb(verb) if self.lexicon.verbs[*verb].switches.is_some() => {
                let parts = each(true, &|part| Action::about(*verb, part, self.lexicon));
                let parts = if parts.is_empty() { self.functions(*verb) } else { parts };
                // Of what no part can be told in another way nothing is told.
                if parts.contains(action) { Vec::new() } else { parts }
            }
            Action::Set { property, to: to @ Amount::Number(..) } => {
                let like = |a: &&Ability| a.property.is_some_and(|p| self.lexicon.properties[p].own) && a.kin.is_some();
                let kin = self.writable().find(like).and_then(|a| a.kin);
                let whole = self.writable().any(|a| a.property == kin);
                match kin.is_some() && !whole && property.is_none_or(|p| Some(p) == kin) {
                    true => each(false, &|part| Action::Set { property: Some(part), to: to.clone() }),
                    false => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// `浴霸关了` of what has no switch of its own: all that it does ends, as far as it is known to do it.
    fn functions(&self, verb: VerbId) -> Vec<Action> {
        let whole = self.sense.kinds.iter().any(|kind| self.lexicon.kinds[*kind].functions);
        if !whole || self.lexicon.verbs[verb].id != "off" || self.about_id("power").is_some() {
            return Vec::new();
        }
        let flag = |a: &&Ability| a.domain == Some(Domain::Bool) || a.is_switch();
        let flags: Vec<&Ability> = self.writable().filter(flag).collect();
        let runs = |a: &&&Ability| match a.source {
            Source::Property(at) => self.state.get(&self.device.properties[at].id) == Some(&true.into()),
            Source::Command(_) => true,
        };
        let running: Vec<&&Ability> = flags.iter().filter(runs).collect();
        let told = if running.is_empty() { flags.iter().collect() } else { running };
        let mut own: Vec<PropertyId> = told.into_iter().filter_map(|a| a.property).collect();
        own.dedup();
        own.into_iter().map(|property| Action::about(verb, property, self.lexicon)).collect()
    }
}
