//! The reading of a sentence without what only comments on it.

use std::sync::Arc;

use tracing::debug;

use super::{By, Evidence, Interpretation, Interpreter, Reading, Utterance};
use crate::dialogue::{Meant, Nothing, Page};
use crate::language::deed::Deed;
use crate::language::grammar::{self, Parse, Silence};
use crate::language::order::{Order, Target};
use crate::reader::Reader;

/// The learned reader, and the grammar after it.
#[derive(Debug)]
pub struct Learned(pub Arc<Reader>);

impl Learned {
    /// What is left of a sentence without its comments, if the grammar is sure of all of that; silence, if nothing is told.
    fn told(&self, utterance: Utterance<'_>, first: &Interpretation) -> Option<Interpretation> {
        let Utterance { sentence, home, hearing, page, last, .. } = utterance;
        let world = &home.world;
        let words = grammar::words(sentence, &world.vocabulary, hearing)?;
        let told = self.0.told(&words)?;
        let found = told.left(&words).and_then(|left| {
            debug!(left, "without comments");
            let parse = grammar::parse(&left, &world.vocabulary, hearing);
            let sure = !matches!(parse, Parse::Unsure(..) | Parse::Silent(_) | Parse::Jobs(_));
            let meant = utterance.in_its_light(&left, parse);
            let evidence = || Evidence::of(&left, &[], home, hearing.local, last);
            (sure && is_clear(&meant, page)).then(|| Interpretation::again(By::Learned, meant, Some(evidence())))
        });
        // Who only talks is not asked what was meant; who calls us by name does not only talk.
        let unsure = matches!(first.meant, Meant::Nothing(Nothing::Unsure(_)));
        let silent = unsure && told.is_nothing() && !utterance.calls_us();
        let silence = || Interpretation::again(By::Learned, Meant::Nothing(Nothing::Silent(Silence::Chatter)), None);
        found.or_else(|| silent.then(silence))
    }
}

impl Interpreter for Learned {
    fn by(&self) -> By {
        By::Learned
    }

    fn read<'a>(&'a self, utterance: Utterance<'a>, first: &'a Interpretation) -> Reading<'a, Option<Interpretation>> {
        Box::pin(std::future::ready(self.told(utterance, first)))
    }
}

/// Orders that are understood to the end, each of something that was named here or in the turn before.
fn is_clear(meant: &Meant, page: &Page) -> bool {
    let names = |order: &Order| {
        let property = match &order.action {
            Deed::Set { property, .. } => property.is_some(),
            Deed::Step { ways, .. } => ways.iter().any(|(property, _)| property.is_some()),
            Deed::Ask(_) | Deed::When(_) | Deed::OrWhen(_) => true,
            Deed::Verb(_) | Deed::Unclear(_) => false,
        };
        property || order.target != Target::Anything
    };
    let clear = |order: &Order| !matches!(order.action, Deed::Unclear(_)) && (names(order) || !page.orders.is_empty());
    match meant {
        Meant::Orders { orders, confirmed, .. } => !confirmed && orders.iter().all(clear),
        Meant::Situation(..) => true,
        Meant::Described(..) | Meant::Jobs(_) | Meant::Called { .. } | Meant::Nothing(_) => false,
    }
}
