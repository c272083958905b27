//! How far a reading may go beyond the words of its sentence.

use std::collections::BTreeSet;

use super::{By, Interpretation};
use crate::dialogue::Meant;
use crate::frame::Intent;
use crate::home::DeviceIndex;
use crate::language::action::Action;
use crate::language::order::Order;
use crate::resolve::reply::{self, Replies};
use crate::resolve::{Outcome, Pending};
use crate::retrieval::{Entity, World};

/// Nobody but the grammar moves what was refused, or another thing than those that the sentence names, where it names any.
/// A language model alone moves nothing that the sentence does not name, nothing risky, and no more than a handful. Then
/// it is asked first; what cannot be asked about in one question is not done, nor is what was refused. `None` when there
/// is nothing to restrain.
pub fn restrain(
    outcome: &Outcome,
    orders: &[Order],
    reading: &Interpretation,
    world: &World,
    handful: usize,
    replies: &Replies,
) -> Option<Outcome> {
    let evidence = reading.evidence.as_ref()?;
    let home = world.home();
    let moved: BTreeSet<DeviceIndex> =
        outcome.instructs.iter().filter_map(|instruct| home.device(&instruct.id).map(|(index, _)| index)).collect();
    let [first, rest @ ..] = orders else { return None };
    let risky = moved.iter().any(|device| world.vocabulary.devices[*device].risky);
    let about = || moved.iter().all(|device| evidence.is_about(*device));
    let bounded = match (reading.by, &reading.meant) {
        (By::Models(_), _) => {
            !risky && orders.iter().all(|order| evidence.names(order)) && about() && moved.len() <= handful
        }
        // A guess is a question.
        (By::Guessed, _) => false,
        // Whoever tells how it is or describes a thing names nothing.
        (_, Meant::Situation(..) | Meant::Described(..)) => true,
        _ => about(),
    };
    // A yes to a question of the resolver's own would move these.
    let offered = match &outcome.pending {
        Some(Pending::Device(_, devices) | Pending::Value(_, devices) | Pending::Confirm { devices, .. }) => {
            &devices[..]
        }
        _ => &[],
    };
    let spares = |device: DeviceIndex| match reading.by {
        // What was learned knows what is refused from what is wanted instead, and needs no more than room for it.
        By::Ranked => orders.iter().any(|order| evidence.forbids(order, device)),
        _ => evidence.spares(device),
    };
    let spared = moved.iter().chain(offered).any(|device| spares(*device));
    if !spared && (moved.is_empty() || bounded) {
        return None;
    }
    let scene = outcome.mentioned.iter().any(|entity| matches!(entity, Entity::Scene(_)));
    // A yes is bound to devices, so it can only be a yes to one thing that is done to all of them.
    let one = !scene && rest.iter().all(|order| order.action == first.action);
    let kept = |text: String, hint, pending| Outcome {
        text,
        intent: Intent::Question,
        instructs: Vec::new(),
        mentioned: Vec::new(),
        hint: Some(hint),
        pending,
        ..outcome.clone()
    };
    if spared {
        return Some(kept(replies.say("unsure", &[]), "needs_fallback", None));
    }
    if !one || outcome.pending.is_some() {
        return Some(kept(replies.say("too_much", &[]), "needs_fallback", None));
    }
    let summaries: Vec<String> = outcome.instructs.iter().map(|instruct| reply::spoken(&instruct.summary)).collect();
    let text = if moved.len() > handful {
        let count = moved.len().to_string();
        let doing = match &first.action {
            Action::Verb(verb) => {
                let many = replies.say("so_many", &[("count", &count)]);
                world.lexicon().verbs[*verb].told.replacen("{what}", &many, 1)
            }
            _ => replies.say("moving", &[("count", &count)]),
        };
        replies.say("many", &[("doing", &doing)])
    } else {
        let asked = if reading.by == By::Guessed { "guess" } else { "confirm" };
        replies.say(asked, &[("what", &replies.list(&summaries))])
    };
    let devices = moved.into_iter().collect();
    let pending = Pending::Confirm { orders: orders.to_vec(), devices, parts: Vec::new() };
    Some(kept(text, "confirm_required", Some(pending)))
}
