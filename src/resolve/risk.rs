//! Which moves need a confirmation.

use super::Context;
use super::plan::{Act, Subject};
use crate::frame::CommandCall;
use crate::home::{DeviceIndex, Risk, State};
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

/// Whether all that changes of what cooks is a flag that starting it leaves alone: its lamp, its lock. How hot it shall be is asked
/// about, and so is all of what a home itself calls risky.
pub(super) fn settles(act: &Act, device: DeviceIndex, context: &Context) -> bool {
    let world = context.world;
    let lexicon = world.lexicon();
    let sense = &world.vocabulary.devices[device];
    let cooks = sense.kinds.iter().any(|kind| lexicon.kinds[*kind].cooks);
    let flags = act.state.values().all(|value| value.is_boolean())
        && act.command.as_ref().is_none_or(|command| command.argument.is_none());
    if !cooks || !flags || world.home().devices[device].risk == Some(Risk::High) {
        return false;
    }
    let now = State::new();
    let subject = Subject { device: &world.home().devices[device], sense, state: &now, lexicon };
    let opening = lexicon.verbs.iter().enumerate().filter(|(_, verb)| !verb.safe);
    !opening.filter_map(|(verb, _)| subject.plan(&Action::Verb(verb)).ok()).any(|opens| {
        let same = |one: &CommandCall| act.command.as_ref().is_some_and(|other| other.id == one.id);
        opens.state.keys().any(|key| act.state.contains_key(key)) || opens.command.as_ref().is_some_and(same)
    })
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
