//! The reading of a sentence by what it is like, in words and vectors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;

use super::{By, Doubt, Evidence, HomeModel, Interpretation, Interpreter, Utterance};
use crate::dialogue::Meant;
use crate::gist::{Found, Gist, Surroundings};
use crate::language::grammar;

/// Understanding by similarity.
#[derive(Debug)]
pub struct Similarity {
    /// What compares.
    pub gist: Arc<Gist>,
    /// How long a sentence waits for its vector; a late one is done without.
    pub wait: Duration,
}

impl Similarity {
    async fn nearest(&self, utterance: Utterance<'_>, first: &Interpretation) -> Option<Interpretation> {
        let Utterance { sentence, home, speaker, last, .. } = utterance;
        let doubt = first.doubt.as_ref()?;
        let words = grammar::words_to_anybody(sentence, &home.world.vocabulary, speaker)?;
        if grammar::only_names_a_number(&words, &home.world.vocabulary) {
            return None;
        }
        let indexes = home.indexes(&self.gist).await;
        let place = Surroundings { vocabulary: &home.world.vocabulary, indexes, speaker };
        let deadline = Instant::now() + self.wait;
        let found = match doubt {
            Doubt::Unsure(guess) => self.gist.read(sentence, guess, place, deadline).await,
            Doubt::Pointing => self.gist.read_description(sentence, place, deadline).await,
        };
        let (meant, vector) = match found? {
            Found::Situation(situation, room, vector) => (Meant::Situation(situation, room), vector),
            Found::Order(order, vector) => {
                (Meant::Orders { orders: vec![order], chosen: None, confirmed: false }, vector)
            }
            // Its candidates bring their own.
            Found::Described(described) => (Meant::Described(Box::new(described.order), described.candidates), 0.0),
        };
        let evidence = Evidence::of(sentence, doubt.guess(), home, speaker.local, last);
        Some(Interpretation { vector, ..Interpretation::again(By::Similarity, meant, Some(evidence)) })
    }
}

impl Interpreter for Similarity {
    fn by(&self) -> By {
        By::Similarity
    }

    /// Computes the vectors that are not in the store. Requests are served meanwhile.
    fn prepare<'a>(&'a self, home: &'a Arc<HomeModel>) -> BoxFuture<'a, ()> {
        Box::pin(async { self.gist.prepare(home.indexes(&self.gist).await).await })
    }

    fn read<'a>(
        &'a self,
        utterance: Utterance<'a>,
        first: &'a Interpretation,
    ) -> BoxFuture<'a, Option<Interpretation>> {
        Box::pin(self.nearest(utterance, first))
    }
}
