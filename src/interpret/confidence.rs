//! How sure a reading is, as a whole and in each slot of its orders. These are no probabilities: they order readings from those
//! that every word of a sentence says to those that somebody made up his mind about.

use serde::{Serialize, Serializer};

use super::{By, Interpretation};
use crate::dialogue::{Meant, Nothing};
use crate::language::action::Action;
use crate::language::command::Quantifier;
use crate::language::order::{Order, Scope, Target};
use crate::retrieval::Signals;

/// What was not said, and is taken for what is usually meant.
const UNSAID: f32 = 0.9;

/// Something that only points to what was spoken of.
const POINTED: f32 = 0.9;

/// How sure a reading is, from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Confidence {
    /// The least of its slots; 0 where nothing was understood.
    #[serde(serialize_with = "rounded")]
    pub overall: f32,
    /// Of each order.
    pub commands: Vec<Slots>,
}

/// How sure each slot of an order is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slots {
    /// What is to be done.
    #[serde(serialize_with = "rounded")]
    pub action: f32,
    /// Where.
    #[serde(serialize_with = "rounded")]
    pub scope: f32,
    /// To what.
    #[serde(serialize_with = "rounded")]
    pub target: f32,
    /// To how many.
    #[serde(serialize_with = "rounded")]
    pub quantity: f32,
}

/// Two digits tell all there is to tell.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn rounded<S: Serializer>(sure: &f32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((f64::from(*sure) * 100.0).round() / 100.0)
}

impl Slots {
    fn least(self) -> f32 {
        [self.action, self.scope, self.target, self.quantity].into_iter().fold(1.0, f32::min)
    }
}

impl By {
    /// How far a reading of this sort goes beyond the words.
    fn trust(self) -> f32 {
        match self {
            Self::Grammar => 1.0,
            Self::Learned | Self::Ranked => 0.9,
            Self::Similarity => 0.8,
            Self::Models(_) => 0.7,
            Self::Guessed => 0.5,
        }
    }
}

impl Interpretation {
    /// How sure this is, with the orders that it came to and what was found for each of them.
    pub fn confidence<'a>(&self, orders: &[Order], found: impl Fn(&Order) -> Option<&'a Signals>) -> Confidence {
        let trust = self.by.trust();
        let commands: Vec<Slots> = orders.iter().map(|order| slots(order, trust, found(order))).collect();
        let understood = match &self.meant {
            Meant::Nothing(Nothing::Unsure(_) | Nothing::Unhelped(_)) => 0.0,
            _ => trust,
        };
        Confidence { overall: commands.iter().map(|slots| slots.least()).fold(understood, f32::min), commands }
    }
}

fn slots(order: &Order, trust: f32, found: Option<&Signals>) -> Slots {
    let action = if matches!(order.action, Action::Unclear(_)) { 0.0 } else { trust };
    // A name says where its bearer is.
    let placed = order.scope != Scope::default() || order.everywhere || matches!(order.target, Target::Named { .. });
    let counted = order.count.is_some() || order.each || order.quantifier != Quantifier::One;
    let target = match &order.target {
        Target::Reference(_) => POINTED,
        Target::Anything => UNSAID,
        // How it was found: by its name, by its sound, by a part of it.
        _ => found.map(Signals::naming).filter(|name| *name > 0.0).unwrap_or(1.0),
    };
    let named = matches!(order.target, Target::Named { .. } | Target::Text(..));
    Slots {
        action,
        scope: if placed { trust } else { trust * UNSAID },
        target: trust * target,
        quantity: if counted || named { trust } else { trust * UNSAID },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(by: By, meant: Meant) -> Interpretation {
        Interpretation::again(by, meant, None)
    }

    fn named() -> Order {
        let target = Target::Named { text: "台灯".into(), entities: Vec::new(), kind: None };
        Order::about(Action::Verb(0), target)
    }

    fn orders(orders: Vec<Order>) -> Meant {
        Meant::Orders { orders, chosen: None, confirmed: false }
    }

    #[test]
    fn whoever_goes_further_beyond_the_words_is_less_sure() {
        let sure = |by| reading(by, orders(vec![named()])).confidence(&[named()], |_| None).overall;
        assert_eq!(sure(By::Grammar), 1.0);
        assert!(sure(By::Grammar) > sure(By::Learned) && sure(By::Learned) > sure(By::Similarity));
        assert!(sure(By::Similarity) > sure(By::Models("local")));
    }

    #[test]
    fn a_slot_that_nobody_filled_is_less_sure_than_one_that_was_said() {
        let unsaid = Order::about(Action::Verb(0), Target::Anything);
        let all = [
            named(),
            unsaid,
            Order::about(Action::Verb(0), Target::Reference(crate::language::command::Type::Unknown)),
        ];
        let confidence = reading(By::Grammar, orders(all.to_vec())).confidence(&all, |_| None);
        let [named, unsaid, pointed] = confidence.commands[..] else { panic!("{confidence:?}") };
        assert_eq!(named, Slots { action: 1.0, scope: 1.0, target: 1.0, quantity: 1.0 });
        assert!(unsaid.target < 1.0 && unsaid.scope < 1.0 && unsaid.quantity < 1.0 && unsaid.action == 1.0);
        assert!(pointed.target < 1.0);
        assert_eq!(confidence.overall, unsaid.least().min(pointed.least()));
    }

    #[test]
    fn what_was_found_by_its_sound_is_less_sure() {
        let heard = Signals { pinyin: 0.9, ..Signals::default() };
        let confidence = reading(By::Grammar, orders(vec![named()])).confidence(&[named()], |_| Some(&heard));
        assert_eq!(confidence.commands[0].target, 0.9);
        assert_eq!(confidence.overall, 0.9);
    }

    #[test]
    fn what_was_not_understood_is_not_sure_at_all() {
        let unsure = reading(By::Grammar, Meant::Nothing(Nothing::Unsure(vec!["跑步机".into()])));
        assert_eq!(unsure.confidence(&[], |_| None).overall, 0.0);
        let unclear = Order::about(Action::Unclear("跑步机".into()), Target::Anything);
        let partly = reading(By::Grammar, orders(vec![named(), unclear.clone()]));
        assert_eq!(partly.confidence(&[named(), unclear], |_| None).overall, 0.0);
    }
}
