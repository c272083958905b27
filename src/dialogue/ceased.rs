//! What was told just now shall not go on: `晾衣架放下来`, then `别放了，停在这`; `摇篮打开`, then `别摇了`.

use super::{Page, remark, sibling, words};
use crate::language::action::{Action, Amount};
use crate::language::grammar::{self, End};
use crate::language::lexicon::{Lexicon, PropertyId, Sense};
use crate::language::order::Order;
use crate::language::segment::Token;
use crate::retrieval::World;

/// What ends what the device of the turn before does; `None` where words name a thing, or it does no such thing.
pub(super) fn no_more(tokens: &[Token], before: &[Order], page: &Page, world: &World) -> Option<Action> {
    let lexicon = world.lexicon();
    let clauses = || tokens.split(|t| t.has(&Sense::Punctuation)).filter(|clause| !clause.is_empty());
    let travels = |order: &Order| matches!(order.action, Action::Verb(_));
    let ended = |end: End| match end {
        End::Feature(feature) => Some(Action::about(lexicon.verb("off")?, feature, lexicon)),
        End::Against(feature) => Some(Action::about(lexicon.verb("on")?, feature, lexicon)),
        End::Verb(verb) => Some(Action::Verb(verb)),
    };
    let devices = sibling::devices(page, world);
    let enough = |clause: &[Token]| grammar::far_enough(&devices, clause, &world.vocabulary);
    if before.iter().all(travels)
        && let Some(end) = clauses().find_map(enough)
        && clauses().all(|clause| enough(clause).is_some() || remark::is_talk(clause, world) || stops(clause, lexicon))
    {
        return ended(end);
    }
    let (mut what, mut other) = (None, Vec::new());
    for clause in clauses() {
        // 行了不要动了
        // 停了吧不洗了 likewise.
        let ends = |t: &Token| stops(std::slice::from_ref(t), lexicon);
        let small = clause.iter().take_while(|t| ends(t) && !t.is_entity() && !t.has(&Sense::Not)).count();
        let led = || clause.get(small..).filter(|rest| small > 0 && !rest.is_empty());
        let ended = grammar::no_more(clause, lexicon).or_else(|| grammar::no_more(led()?, lexicon));
        match ended.filter(|_| what.is_none()) {
            Some(ended) => what = Some(ended),
            None => other.push(clause),
        }
    }
    let what = what?;
    let names = |t: &Token| words::is_ours(t) && !t.any(Sense::is_action);
    if tokens.iter().any(names) || !other.iter().all(|clause| remark::is_talk(clause, world) || stops(clause, lexicon))
    {
        return None;
    }
    // 晾衣架烘干打开, then 别烘了: what was set, before what else it does.
    let set = before.iter().find_map(|order| match order.action {
        Action::Set { property: Some(property), to: Amount::Word(_) } => Some(property),
        _ => None,
    });
    let called = |p: &PropertyId| {
        let property = &lexicon.properties[*p];
        property.flag && property.words.iter().any(|word| word.contains(&what))
    };
    let end = set.filter(called).map(End::Feature);
    ended(end.or_else(|| grammar::end_of(&devices, &what, &world.vocabulary))?)
}

/// What ends the work of what was spoken of just now: `不洗了`, `停了吧不洗了`.
pub(super) fn work_no_more(tokens: &[Token], page: &Page, world: &World) -> Option<Action> {
    let stop = world.lexicon().verb("stop")?;
    no_more(tokens, &[], page, world).filter(|ended| *ended == Action::Verb(stop))
}

/// `停`, `停在这`: that it stops, and nothing else.
fn stops(clause: &[Token], lexicon: &Lexicon) -> bool {
    let ends = ["halt", "stop", "pause"].map(|id| lexicon.verb(id));
    let stops = |t: &Token| {
        let verb = t.any(|s| matches!(s, Sense::Verb(verb) if ends.contains(&Some(*verb))));
        !t.is_entity() && (verb || t.any(|s| matches!(s, Sense::Set { .. } | Sense::Reference | Sense::Here)))
    };
    clause.iter().all(|t| stops(t) || words::is_small(t))
}
