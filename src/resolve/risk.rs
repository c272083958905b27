//! Which moves need a confirmation.

use super::Context;
use super::plan::{Act, Subject};
use crate::home::{DeviceIndex, State};
use crate::language::action::Action;

/// Closing and locking need no confirmation, and neither does what changes nothing.
pub(super) fn is_safe(action: &Action, act: &Act, device: DeviceIndex, context: &Context) -> bool {
    if let Action::Verb(verb) = action {
        let lexicon = context.world.lexicon();
        let verb = &lexicon.verbs[*verb];
        if verb.safe {
            return true;
        }
    }
    act.command.is_none() && (lowers(act, device, context) || !opens(device, &act.state, context))
}

/// Whether all that changes is a number that gets smaller: less fire, less heat.
fn lowers(act: &Act, device: DeviceIndex, context: &Context) -> bool {
    let now = &context.live.get(device).values;
    let less = |(id, value): (&String, &serde_json::Value)| {
        now.get(id).and_then(|v| v.as_f64()).zip(value.as_f64()).is_some_and(|(now, then)| then < now)
    };
    !act.state.is_empty() && act.state.iter().all(less)
}

/// Whether values open, unlock or start something: anything that closing would not also set.
pub(super) fn opens(device: DeviceIndex, state: &State, context: &Context) -> bool {
    let world = context.world;
    let lexicon = world.lexicon();
    let subject = Subject {
        device: &world.home().devices[device],
        sense: &world.vocabulary.devices[device],
        state: &context.live.get(device).values,
        lexicon,
    };
    let closing: Vec<State> = ["off", "lock", "stop"]
        .iter()
        .filter_map(|id| lexicon.verb(id))
        .filter_map(|verb| subject.plan(&Action::Verb(verb)).ok())
        .map(|act| act.state)
        .collect();
    !state.iter().all(|(k, v)| closing.iter().any(|c| c.get(k) == Some(v)) || v == &serde_json::json!(0))
}
