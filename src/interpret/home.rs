//! A home, ready for every reader.

use std::sync::{Arc, OnceLock};

use tokio::sync::OwnedSemaphorePermit;
use tokio::task::spawn_blocking;

use crate::gist::{Gist, Indexes};
use crate::home::Home;
use crate::language::lexicon::Lexicon;
use crate::llm::prompt::Prefixes;
use crate::ranker::Repertoires;
use crate::retrieval::World;

/// All that is made of one home: what the grammar needs at once, what costlier readers need when one of them first asks.
/// It is never changed, so nothing of one home is ever used with something of another.
#[derive(Debug)]
pub struct HomeModel {
    /// Its words and names.
    pub world: World,
    /// What can be found in it by similarity.
    indexes: OnceLock<Indexes>,
    /// What its devices can be told.
    repertoires: OnceLock<Repertoires>,
    /// What language models are told of it.
    prefixes: OnceLock<Prefixes>,
    /// Its share of the memory for homes, where that is bounded.
    _room: Option<OwnedSemaphorePermit>,
}

impl HomeModel {
    /// The model of a home. Takes milliseconds for a large one: call it where that may be.
    pub fn new(lexicon: Arc<Lexicon>, home: Arc<Home>) -> Self {
        let world = World::new(lexicon, home);
        Self { world, indexes: OnceLock::new(), repertoires: OnceLock::new(), prefixes: OnceLock::new(), _room: None }
    }

    /// The same, which holds a place among the homes in memory until it is gone.
    #[must_use]
    pub fn holding(self, room: OwnedSemaphorePermit) -> Self {
        Self { _room: Some(room), ..self }
    }

    /// Whether it is the model of this very home.
    pub fn is_of(&self, home: &Arc<Home>) -> bool {
        Arc::ptr_eq(&self.world.vocabulary.home, home)
    }

    /// What can be found by similarity; made off the threads of the runtime, once.
    pub async fn indexes(self: &Arc<Self>, gist: &Arc<Gist>) -> &Indexes {
        let make = |home: &Self, gist: &Gist| gist.index(&home.world.vocabulary);
        if self.indexes.get().is_none() {
            let (home, gist) = (Arc::clone(self), Arc::clone(gist));
            // Where nothing can be made elsewhere any more, it is made here.
            let making = move || {
                home.indexes.get_or_init(|| make(&home, &gist));
            };
            let _ = spawn_blocking(making).await;
        }
        self.indexes.get_or_init(|| make(self, gist))
    }

    /// What its devices can be told.
    pub fn repertoires(&self) -> &Repertoires {
        self.repertoires.get_or_init(|| Repertoires::of(&self.world.vocabulary))
    }

    /// What language models are told.
    pub fn prefixes(&self) -> &Prefixes {
        self.prefixes.get_or_init(|| Prefixes::of(self.world.home(), &self.world.lexicon().texts))
    }
}
