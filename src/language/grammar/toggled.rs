//! The same thing on and off in one sentence: `打开电视，关电视，一天喊八百遍` tells of somebody who does so.

use super::super::action::Action;
use super::super::lexicon::{Lexicon, Sense};
use super::super::order::{Order, Target};
use super::super::segment::Token;
use super::Rejection;

/// Orders of which each thing is told only how it shall be in the end: the last word counts where nothing else was said (`电视打开关掉`).
/// Whoever goes to and fro and has more to say tells nothing. `关了再打开` and what is done at another time are two things to do.
pub(super) fn once(mut orders: Vec<Order>, words: &[Token], lexicon: &Lexicon) -> Result<Vec<Order>, Rejection> {
    let between = |t: &Token| {
        t.any(|s| matches!(s, Sense::Sequence | Sense::Then | Sense::Else | Sense::If | Sense::Correction | Sense::Not))
    };
    if words.iter().any(between) || orders.iter().any(|order| order.when.is_some()) {
        return Ok(orders);
    }
    let turns: Vec<usize> = (1..orders.len()).filter(|at| undoes(&orders[*at], &orders[at - 1], lexicon)).collect();
    if !turns.is_empty() && turns.len() + 1 == orders.len() && has_more_to_say(words) {
        return Err(Rejection::Talk);
    }
    if let [at] = turns[..] {
        let undone = orders.remove(at - 1);
        let last = &mut orders[at - 1];
        if matches!(last.target, Target::Reference(_)) {
            *last = undone.with(last.action.clone());
        }
    }
    Ok(orders)
}

/// Whether something that tells nothing follows behind what is told last.
fn has_more_to_say(words: &[Token]) -> bool {
    let last = words.rsplit(|t| t.has(&Sense::Punctuation)).find(|clause| !clause.is_empty()).unwrap_or_default();
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    last.iter().any(Token::is_residue) && !last.iter().any(acts)
}

/// Whether an order ends with the same thing what the one before it began.
fn undoes(order: &Order, before: &Order, lexicon: &Lexicon) -> bool {
    let (Action::Verb(one), Action::Verb(other)) = (&before.action, &order.action) else { return false };
    let same = order.target == before.target && order.scope == before.scope;
    let refers = matches!(order.target, Target::Reference(_)) && order.scope.include.is_empty();
    let named = !matches!(before.target, Target::Anything | Target::Text(..));
    (same && named || refers) && order.filter == before.filter && lexicon.verbs[*one].opposite == Some(*other)
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn whoever_goes_to_and_fro_tells_nothing() {
        for sentence in ["打开空调 关空调 打开空调 一天喊八百遍", "打开空调 关空调 一天喊八百遍"]
        {
            assert!(!matches!(at_home(sentence), Parse::Orders(_)), "{sentence}");
        }
    }

    #[test]
    fn the_last_word_counts() {
        let (Parse::Orders(told), Parse::Orders(last)) = (at_home("客厅空调打开关掉"), at_home("客厅空调关掉"))
        else {
            panic!()
        };
        assert_eq!(told, last);
    }

    #[test]
    fn what_is_done_one_after_the_other_is_two_orders() {
        assert!(matches!(at_home("客厅空调关了再打开"), Parse::Orders(orders) if orders.len() == 2));
    }
}
