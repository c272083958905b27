//! What goes on from something that is to be done later: `晚上十点关空调`, then `电视也关` or `二十六度`.

use super::{Page, page};
use crate::language::action::Action;
use crate::language::lexicon::Sense;
use crate::language::order::{Order, Target};
use crate::language::segment::Token;
use crate::retrieval::World;

/// The orders at the time of the turn before, where they are told with it or of what it was about.
pub(super) fn at_that_time(mut orders: Vec<Order>, tokens: &[Token], page: &Page, world: &World) -> Vec<Order> {
    let before = page::orders(&page.orders, &world.vocabulary);
    let Some(when) = before.first().and_then(|order| order.when.clone()) else { return orders };
    let same = before.iter().all(|order| order.when.as_ref() == Some(&when));
    let said = |t: &Token| world.lexicon().marks.now.iter().any(|word| t.text.contains(word.as_str()));
    let now = tokens.iter().any(said);
    let also = tokens.iter().any(|t| t.any(|s| matches!(s, Sense::Also | Sense::Sequence)) && !t.is_entity());
    let of_it = |order: &Order| {
        let points = matches!(order.target, Target::Anything | Target::Reference(_));
        points && order.scope.include.is_empty() && !order.everywhere
    };
    let free = |order: &Order| order.when.is_none() && !order.action.moves_nothing();
    // 晚上十点关电视, then 声音小点: what will be off takes no value then.
    let verbs = &world.lexicon().verbs;
    let closes = |order: &Order| matches!(order.action, Action::Verb(verb) if verbs[verb].switches == Some(false));
    let closing = before.iter().all(closes);
    if same && !now && orders.iter().all(free) && (also || !closing && orders.iter().all(of_it)) {
        for order in &mut orders {
            order.when = Some(when.clone());
        }
    }
    orders
}
