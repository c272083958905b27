//! The second reading of a sentence that the grammar was not sure of.

use std::sync::Arc;
use std::time::Instant;

use super::current::Current;
use super::{Service, View};
use crate::dialogue::{Meant, Nothing};
use crate::gist::{self, Found, Gist, Indexes};
use crate::home::Home;
use crate::language::grammar::{Hearing, Parse, Silence};
use crate::language::order::{Order, Target};
use crate::language::vocabulary::Vocabulary;

/// What a home can do, ready to be compared.
#[derive(Debug)]
pub(super) struct HomeIndex {
    home: Arc<Home>,
    indexes: Indexes,
}

/// A sentence that similarity may be asked about: no report, no refusal, no wish for later, no word to somebody else.
pub(super) enum Doubt {
    /// The grammar is not sure; with the orders that it was not sure of.
    Unsure(Vec<Order>),
    /// The grammar is sure of every word, but a part of them points to something that nobody mentioned: it may be described.
    Pointing,
}

impl Doubt {
    pub(super) fn of(parse: &Parse) -> Option<Self> {
        match parse {
            Parse::Unsure(orders, _) => Some(Self::Unsure(orders.clone())),
            Parse::Silent(Silence::Chatter) => Some(Self::Unsure(Vec::new())),
            // What was said of a later time is not looked for again: it would be done at once.
            Parse::Orders(orders) if orders.iter().any(points) && orders.iter().all(|o| o.when.is_none()) => {
                Some(Self::Pointing)
            }
            _ => None,
        }
    }

    /// The orders that the grammar was not sure of.
    pub(super) fn guess(&self) -> &[Order] {
        match self {
            Self::Unsure(orders) => orders,
            Self::Pointing => &[],
        }
    }

    /// Whether it is to be looked into, seeing what the page made of the sentence.
    pub(super) fn stands(&self, meant: &Meant) -> bool {
        match self {
            Self::Unsure(_) => matches!(meant, Meant::Nothing(Nothing::Unsure(_) | Nothing::Silent(_))),
            Self::Pointing => matches!(meant, Meant::Orders { chosen: None, confirmed: false, .. }),
        }
    }
}

fn points(order: &Order) -> bool {
    matches!(order.target, Target::Reference(_))
}

/// The index of a home, made anew when the home is another.
fn indexed(slot: &Current<HomeIndex>, gist: &Gist, vocabulary: &Vocabulary) -> Arc<HomeIndex> {
    let home = &vocabulary.home;
    let make = || HomeIndex { home: Arc::clone(home), indexes: gist.index(vocabulary) };
    slot.get(|known| Arc::ptr_eq(&known.home, home), make)
}

impl Service {
    /// The same service, which also understands by similarity.
    #[must_use]
    pub fn with_gist(self, gist: Arc<Gist>) -> Self {
        Self { gist: Some(gist), ..self }
    }

    /// Gets ready for the home in force: indexes it, computes the vectors that are not in the store, and lets language
    /// models read what they are told of it; and forgets the hard sentences that are no longer to be kept. Requests are
    /// served meanwhile.
    pub async fn prepare(&self) {
        self.forget_hard().await;
        let snapshot = self.registry.snapshot();
        if snapshot.revision == 0 {
            return;
        }
        let world = self.registered(&snapshot);
        if let Some(gist) = &self.gist {
            let indexed = indexed(&self.index, gist, &world.vocabulary);
            gist.prepare(&indexed.indexes).await;
        }
        if let Some(cascade) = &self.cascade {
            cascade.prepare(&self.prefixes_of(&world.vocabulary.home).prefixes);
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
        let indexed = indexed(slot, gist, &view.world.vocabulary);
        let place = gist::Place { vocabulary: &view.world.vocabulary, indexes: &indexed.indexes, hearing };
        let deadline = Instant::now() + self.settings.vector_wait;
        let found = match doubt {
            Doubt::Unsure(guess) => gist.read(sentence, guess, place, deadline).await,
            Doubt::Pointing => gist.read_description(sentence, place, deadline).await,
        };
        Some(match found? {
            Found::Situation(situation, room, vector) => (Meant::Situation(situation, room), vector),
            Found::Order(order, vector) => {
                (Meant::Orders { orders: vec![order], chosen: None, confirmed: false }, vector)
            }
            // Its candidates bring their own.
            Found::Described(described) => (Meant::Described(Box::new(described.order), described.candidates), 0.0),
        })
    }
}
