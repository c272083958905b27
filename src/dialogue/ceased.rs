//! What was told just now shall not go on: `晾衣架放下来`, then `别放了，停在这`; `摇篮打开`, then `别摇了`.

use super::{Page, again, remark, sibling};
use crate::home::DeviceIndex;
use crate::language::action::{Action, Amount};
use crate::language::grammar;
use crate::language::lexicon::{Effect, Lexicon, Sense};
use crate::language::order::Order;
use crate::language::segment::Token;
use crate::retrieval::World;

/// What ends what the device of the turn before does; `None` where words name a thing, or it does no such thing.
pub(super) fn no_more(tokens: &[Token], before: &[Order], page: &Page, world: &World) -> Option<Action> {
    let lexicon = world.lexicon();
    let clauses = tokens.split(|t| t.has(&Sense::Punctuation)).filter(|clause| !clause.is_empty());
    let (mut what, mut other) = (None, Vec::new());
    for clause in clauses {
        match grammar::no_more(clause, lexicon).filter(|_| what.is_none()) {
            Some(ended) => what = Some(ended),
            None => other.push(clause),
        }
    }
    let what = what?;
    let names = |t: &Token| again::is_ours(t) && !t.any(Sense::is_action);
    if tokens.iter().any(names) || !other.iter().all(|clause| remark::is_talk(clause, world) || stops(clause, lexicon))
    {
        return None;
    }
    let devices = sibling::devices(page, world);
    let off = lexicon.verb("off")?;
    // 升上去的时候烘着, then 别烘了: what was set, or what it has besides.
    let set = before.iter().find_map(|order| match order.action {
        Action::Set { property: Some(property), to: Amount::Word(_) } => Some(property),
        _ => None,
    });
    let called = |p: &usize| {
        let property = &lexicon.properties[*p];
        property.flag && property.words.iter().any(|word| word.contains(&what))
    };
    let feature = set.filter(called).or_else(|| grammar::feature_called(&devices, &what, &world.vocabulary));
    if let Some(feature) = feature {
        return Some(Action::about(off, feature, lexicon));
    }
    let halt = lexicon.verb("halt")?;
    if !devices.is_empty() && lexicon.marks.moves.contains(&what) && devices.iter().all(|d| can(*d, halt, world)) {
        return Some(Action::Verb(halt));
    }
    let goes = |d: &DeviceIndex| {
        let kinds = &world.vocabulary.devices[*d].kinds;
        let kind = kinds.iter().any(|kind| lexicon.kinds[*kind].goes.contains(&what));
        kind || world.home().devices[*d].names().any(|name| name.contains(&what))
    };
    let task = |d: &DeviceIndex| world.vocabulary.devices[*d].kinds.iter().any(|kind| lexicon.kinds[*kind].task);
    let ends = if devices.iter().any(task) { lexicon.verb("stop")? } else { off };
    (!devices.is_empty() && devices.iter().all(goes)).then_some(Action::Verb(ends))
}

/// `停`, `停在这`: that it stops, and nothing else.
fn stops(clause: &[Token], lexicon: &Lexicon) -> bool {
    let ends = ["halt", "stop", "pause"].map(|id| lexicon.verb(id));
    let stops = |t: &Token| {
        let verb = t.any(|s| matches!(s, Sense::Verb(verb) if ends.contains(&Some(*verb))));
        !t.is_entity() && (verb || t.any(|s| matches!(s, Sense::Set { .. } | Sense::Reference | Sense::Here)))
    };
    clause.iter().all(|t| stops(t) || again::is_small(t))
}

/// Whether a device can do something by a value or a command of its own.
fn can(device: DeviceIndex, verb: usize, world: &World) -> bool {
    let does = &world.lexicon().verbs[verb].does;
    let value = |choice: &usize| does.iter().any(|effect| matches!(effect, Effect::Choice(of) if of == choice));
    let abilities = &world.vocabulary.devices[device].abilities;
    abilities.iter().any(|a| a.writable && (a.verb == Some(verb) || a.choices.iter().flatten().any(value)))
}
