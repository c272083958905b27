//! What a sentence may tell that nobody else understood: it is asked about by name, in place of what was not understood.

use super::{Likeliest, Ranked, is_doubtful, left, words};
use crate::dialogue::Meant;
use crate::interpret::{By, Evidence, Interpretation, Utterance};
use crate::language::action::Action;
use crate::language::grammar;
use crate::language::segment::Token;
use crate::language::sense::Sense;
use crate::resolve::resolve;

/// How likely an order has to be to be asked about: likelier than all else together.
const LIKELY: f32 = 0.5;

impl Ranked {
    /// The likeliest order, where it is not sure enough to be told, would move a handful of things and needs nothing else to be asked.
    pub(super) fn guess(
        &self,
        utterance: Utterance<'_>,
        first: &Interpretation,
        likeliest: &Likeliest,
    ) -> Option<Interpretation> {
        let Utterance { sentence, home, speaker, last, context, .. } = utterance;
        let left = left(&first.meant, &context);
        // Whoever is not asked what was meant is not asked this.
        if left != "unsure" {
            return None;
        }
        let words = words(utterance)?;
        if is_doubtful(&words, &home.world.vocabulary) || is_somebodys(&words) {
            return None;
        }
        let (orders, likely) = likeliest.get_or_init(|| self.likeliest(&words, left, utterance)).clone()?;
        let outcome = resolve(&orders, &context);
        let moves =
            (1..=context.handful).contains(&outcome.instructs.len()) && outcome.instructs.iter().any(|i| !i.noop);
        let switched = only_switches(&words) && !orders.iter().all(|o| matches!(o.action, Action::Verb(_)));
        if likely < LIKELY || switched || !moves || outcome.pending.is_some() {
            return None;
        }
        let evidence = Evidence::of(sentence, &[], home, speaker.local, last);
        let meant = Meant::Orders { orders, chosen: None, confirmed: false };
        Some(Interpretation::again(By::Guessed, meant, Some(evidence)))
    }
}

/// `小明的空调`, `小明那屋的空调`: of somebody whom nobody here knows.
fn is_somebodys(words: &[Token]) -> bool {
    let owns = |t: &Token| t.any(|s| matches!(s, Sense::Of | Sense::Reference | Sense::RoomSuffix | Sense::AnyRoom));
    let owner = |at: &usize| words[*at].is_residue() && owns(&words[at + 1]) && !words[at + 1].is_entity();
    let mut owners = (0..words.len().saturating_sub(1)).filter(owner);
    // 那个专门按腰的 is nobody's.
    owners.any(|at| words[at + 2..].iter().any(grammar::names_a_thing))
}

/// Whether words say that something is switched, and neither which value nor how much.
fn only_switches(words: &[Token]) -> bool {
    let switches = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_)));
    let sets = |s: &Sense| {
        matches!(
            s,
            Sense::Property(_)
                | Sense::Feature(_)
                | Sense::Value
                | Sense::Choice(_)
                | Sense::Direction { .. }
                | Sense::Degree { .. }
                | Sense::Step { .. }
                | Sense::Set { .. }
                | Sense::Number(_)
        )
    };
    words.iter().any(switches) && !words.iter().any(|t| !switches(t) && t.any(sets))
}
