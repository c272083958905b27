//! What several turns did alike, one after the other: `打开客厅灯`, `打开餐厅灯`, then `都关了`.

use super::page::MAX_LAST;
use super::{Meant, Mention, Page, page, tokens};
use crate::language::action::Action;
use crate::language::lexicon::Sense;
use crate::language::order::{Order, Scope, Target};
use crate::retrieval::{Entity, World};

/// What an utterance speaks of that names nothing: all of the row, where it says 都 or how many they are, else what was mentioned last.
pub fn spoken_of(page: &Page, meant: &Meant, sentence: &str, world: &World) -> Vec<Entity> {
    let home = world.home();
    let last = || Mention::recall(&page.last, home);
    let Meant::Orders { orders, .. } = meant else { return last() };
    let row = Mention::recall(&page.row, home);
    let each = || tokens(sentence, world).iter().any(|t| t.any(|s| matches!(s, Sense::Each | Sense::All)));
    let many = u32::try_from(row.len()).ok();
    let of_them = |order: &Order| {
        let points = matches!(order.target, Target::Reference(_) | Target::Anything) && order.scope == Scope::default();
        points && !order.everywhere && order.count.map_or_else(each, |_| order.count == many)
    };
    if row.is_empty() || orders.is_empty() || !orders.iter().all(of_them) { last() } else { row }
}

/// The row after a turn that did something to what it mentions: longer by that, where it did the same as the turn before.
pub fn row(page: &Page, orders: &[Order], mentioned: &[Mention], world: &World) -> Vec<Mention> {
    let before = page::orders(&page.orders, &world.vocabulary);
    let alike = match (&before[..], orders) {
        ([one], [other]) => {
            let alike = is_alike(&one.action, &other.action) || one_kind(page.row.iter().chain(mentioned), world);
            one.when.is_none() && other.when.is_none() && !one.action.moves_nothing() && alike
        }
        _ => false,
    };
    // 打开客厅的灯和空调, then 空调25度: still of those.
    let within = || page.row.len() > 1 && mentioned.iter().all(|one| page.row.contains(one));
    let mut row = if alike || within() { page.row.clone() } else { Vec::new() };
    for one in mentioned {
        if !row.contains(one) {
            row.push(one.clone());
        }
    }
    // Nobody means more than that by a word.
    row.truncate(MAX_LAST);
    row
}

/// Whether all of these are things of one kind.
fn one_kind<'m>(mentions: impl Iterator<Item = &'m Mention>, world: &World) -> bool {
    let mentions: Vec<Mention> = mentions.cloned().collect();
    let kind = |entity: &Entity| match entity {
        Entity::Device(device) => world.vocabulary.devices[*device].kinds.first().copied(),
        _ => None,
    };
    let kinds: Vec<_> = Mention::recall(&mentions, world.home()).iter().map(kind).collect();
    kinds.len() == mentions.len()
        && kinds.first().is_some_and(|first| first.is_some() && kinds.iter().all(|k| k == first))
}

/// Whether two actions do the same: the same verb, or values of one property.
fn is_alike(one: &Action, other: &Action) -> bool {
    match (one, other) {
        (Action::Verb(one), Action::Verb(other)) => one == other,
        (Action::Set { property: one, .. }, Action::Set { property: other, .. }) => one == other,
        _ => false,
    }
}
