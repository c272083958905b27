//! What was told just now shall not go on: `晾衣架放下来`, then `别放了，停在这`; `摇篮打开`, then `别摇了`.

use super::{Page, again, remark, sibling};
use crate::language::action::{Action, Amount};
use crate::language::grammar::{self, End};
use crate::language::lexicon::{Lexicon, PropertyId, Sense};
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
    match end.or_else(|| grammar::end_of(&sibling::devices(page, world), &what, &world.vocabulary))? {
        End::Feature(feature) => Some(Action::about(lexicon.verb("off")?, feature, lexicon)),
        End::Verb(verb) => Some(Action::Verb(verb)),
    }
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
