//! Orders for things that were described: similarity proposes, one score decides, and what is risky is asked about.

use super::bounds::scope_of;
use super::resolver::{Pending, Resolver};
use super::select::Picker;
use super::selection::{Missing, Selection};
use super::telling::{self, intended};
use super::{Context, Outcome};
use crate::home::DeviceIndex;
use crate::language::order::Order;
use crate::retrieval::{Candidate, Entity, leaders};

/// Resolves an order for what was described: `found` is what it may be, with the signal `vector` set. As good as the best
/// means a question, and so does a device that is risky, whatever is to be done with it.
pub fn resolve_described(order: &Order, found: &[Candidate], context: &Context) -> Outcome {
    let mut resolver = Resolver::new(context);
    let selection = match scope_of(order, context) {
        Ok(scope) if !scope.unknown.is_empty() => {
            Selection::Missing(Missing::Room(scope.unknown.join(context.replies.word("and"))))
        }
        Ok(scope) => among(found, &Picker { order, context, scope, only: None }),
        Err(selection) => selection,
    };
    match selection {
        Selection::Devices(devices, found) if devices.iter().any(|d| context.world.vocabulary.devices[*d].risky) => {
            resolver.find(&found, order);
            let names: Vec<String> = devices.iter().map(|d| context.device_name(*d)).collect();
            let parts = vec![(intended(&order.action, context).whole, names)];
            let text = context.replies.say("confirm", &[("what", &telling::actions(&parts, context.replies))]);
            resolver.ask_back(text, Pending::confirm(order, devices, parts), "confirm_required");
        }
        selection => resolver.act(order, selection),
    }
    resolver.finish()
}

/// The candidates as good as the best that can do it, weighed as those are that were found by name.
fn among(found: &[Candidate], picker: &Picker) -> Selection {
    let context = picker.context;
    let world = context.world;
    let device = |candidate: &Candidate| match candidate.entity {
        Entity::Device(device) => Some(device),
        Entity::Group(_) | Entity::Scene(_) => None,
    };
    let mut weighed: Vec<(DeviceIndex, Candidate)> = found
        .iter()
        .filter_map(|candidate| Some((device(candidate)?, candidate.clone())))
        .filter(|(device, _)| picker.in_scope(*device))
        .collect();
    let able = weighed.iter().any(|(device, _)| picker.able(*device));
    for (device, candidate) in &mut weighed {
        let room = world.home().devices[*device].room;
        let signals = &mut candidate.signals;
        signals.room = f32::from(u8::from(picker.scope.rooms.is_none() && room.is_some() && room == context.local));
        signals.capability = f32::from(u8::from(picker.able(*device)));
        signals.online = f32::from(u8::from(picker.online(*device)));
    }
    if !able {
        return Selection::Missing(Missing::Ability(weighed.into_iter().map(|(device, _)| device).take(1).collect()));
    }
    let mut candidates: Vec<Candidate> = weighed.into_iter().map(|(_, candidate)| candidate).collect();
    candidates.sort_by(|a, b| b.score().total_cmp(&a.score()).then(a.entity.cmp(&b.entity)));
    let best: Vec<DeviceIndex> = leaders(&candidates).iter().filter_map(device).collect();
    if best.iter().all(|device| !picker.online(*device)) {
        return Selection::Missing(Missing::Offline(best));
    }
    if best.len() == 1 { Selection::Devices(best, candidates) } else { Selection::Which(best, candidates) }
}
