//! The second reading of a sentence that the grammar was not sure of.

use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwapOption;

use super::{Service, View};
use crate::dialogue::Meant;
use crate::embedding::index::Index;
use crate::gist::{self, Found, Gist};
use crate::home::Home;
use crate::language::grammar::{Hearing, Order, Parse, Silence};

/// What a home can do, ready to be compared.
#[derive(Debug)]
pub(super) struct HomeIndex {
    home: Arc<Home>,
    index: Index,
}

/// A sentence that similarity may be asked about: no report, no refusal, no wish for later, no word to somebody else. With
/// the orders that the grammar was not sure of.
pub(super) struct Doubt(pub(super) Vec<Order>);

impl Doubt {
    pub(super) fn of(parse: &Parse) -> Option<Self> {
        match parse {
            Parse::Unsure(orders, _) => Some(Self(orders.clone())),
            Parse::Silent(Silence::Chatter) => Some(Self(Vec::new())),
            _ => None,
        }
    }
}

/// The index of a home, made anew when the home is another.
fn indexed(slot: &ArcSwapOption<HomeIndex>, gist: &Gist, home: &Arc<Home>) -> Arc<HomeIndex> {
    let known = slot.load_full().filter(|known| Arc::ptr_eq(&known.home, home));
    known.unwrap_or_else(|| {
        let made = Arc::new(HomeIndex { home: Arc::clone(home), index: gist.index(home) });
        slot.store(Some(Arc::clone(&made)));
        made
    })
}

impl Service {
    /// The same service, which also understands by similarity.
    #[must_use]
    pub fn with_gist(self, gist: Arc<Gist>) -> Self {
        Self { gist: Some(gist), ..self }
    }

    /// Gets ready for the home in force: indexes it, then computes the vectors that are not in the store. Requests are
    /// served meanwhile.
    pub async fn prepare(&self) {
        let snapshot = self.registry.snapshot();
        if snapshot.revision == 0 {
            return;
        }
        let world = self.registered(&snapshot);
        if let Some(gist) = &self.gist {
            let indexed = indexed(&self.index, gist, &world.vocabulary.home);
            gist.prepare(&indexed.index).await;
        }
    }

    /// What a sentence means that the grammar was not sure of, and how similar it is to that.
    pub(super) async fn by_similarity(
        &self,
        sentence: &str,
        doubt: &Doubt,
        view: &View,
        hearing: &Hearing,
    ) -> Option<(Meant, f32)> {
        let gist = self.gist.as_ref()?;
        let slot = if view.inline { &self.inline_index } else { &self.index };
        let indexed = indexed(slot, gist, &view.world.vocabulary.home);
        let place = gist::Place { vocabulary: &view.world.vocabulary, index: &indexed.index, hearing };
        let deadline = Instant::now() + self.settings.vector_wait;
        Some(match gist.read(sentence, &doubt.0, place, deadline).await? {
            Found::Situation(situation, room, vector) => (Meant::Situation(situation, room), vector),
            Found::Order(order, vector) => {
                (Meant::Orders { orders: vec![order], chosen: None, confirmed: false }, vector)
            }
        })
    }
}
