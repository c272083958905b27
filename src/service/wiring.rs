//! What a service is made of.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::fresh::Asked;
use super::inline::InlineHomes;
use super::{Language, Service, ServiceSettings};
use crate::dialogue::Pages;
use crate::gist::Gist;
use crate::home::Registry;
use crate::interpret::{HardSentences, Interpreters, Learned, Models, Ranked, Similarity};
use crate::job::{JobSettings, Jobs};
use crate::llm::cascade::Cascade;
use crate::llm::metrics::ParserMetrics;
use crate::observe::Metrics;
use crate::ranker::Ranker;
use crate::reader::Reader;
use crate::store::Store;
use crate::text::normalize;

impl Service {
    /// A service on a registry; conversations are kept in the store, if there is one.
    pub fn new(
        registry: Arc<Registry>,
        store: Option<Arc<Store>>,
        settings: ServiceSettings,
        language: Language,
    ) -> Self {
        let normal = |names: &[String]| names.iter().map(|n| normalize(n)).filter(|n| !n.is_empty()).collect();
        let ask_about_chatter = settings.ask_about_chatter;
        Self {
            names: normal(&settings.names),
            others: normal(&settings.others),
            pages: Arc::new(Pages::open(settings.pages, store.clone(), registry.clock())),
            brought: Arc::new(Pages::open(settings.brought_pages(), None, registry.clock())),
            jobs: Arc::new(Jobs::in_memory(registry.clock().clone(), JobSettings::default())),
            registry,
            store,
            settings,
            language,
            silent_until_ms: AtomicU64::new(0),
            asked: Asked::default(),
            home: Arc::default(),
            inline: InlineHomes::default(),
            readers: Interpreters::new(ask_about_chatter),
            metrics: Metrics::default(),
            called_by: None,
            commit_waits: Arc::default(),
        }
    }

    /// The same service, which counts in `metrics`.
    #[must_use]
    pub fn with_metrics(self, metrics: Metrics) -> Self {
        Self { metrics, ..self }
    }

    /// The same service, which writes into this book what is to be done later.
    #[must_use]
    pub fn with_jobs(self, jobs: Arc<Jobs>) -> Self {
        Self { jobs, ..self }
    }

    /// The same service, which goes on with the conversations of the one `before`.
    #[must_use]
    pub fn succeeding(self, before: &Self) -> Self {
        before.pages.keep_to(self.settings.pages);
        before.brought.keep_to(self.settings.brought_pages());
        Self { pages: Arc::clone(&before.pages), brought: Arc::clone(&before.brought), ..self }
    }

    /// The same service, which counts what each parser does in `parsers`.
    #[must_use]
    pub fn with_parsers(mut self, parsers: ParserMetrics) -> Self {
        self.readers.count_in(parsers);
        self
    }

    /// The same service, which also tells commands from what people say around them.
    #[must_use]
    pub fn with_reader(mut self, reader: Option<Arc<Reader>>) -> Self {
        reader.into_iter().for_each(|reader| self.readers.add(Learned(reader)));
        self
    }

    /// The same service, which also weighs all that the home can be told.
    #[must_use]
    pub fn with_ranker(mut self, ranker: Option<Arc<Ranker>>) -> Self {
        ranker.into_iter().for_each(|ranker| self.readers.add(Ranked(ranker)));
        self
    }

    /// The same service, which also understands by similarity.
    #[must_use]
    pub fn with_gist(mut self, gist: Arc<Gist>) -> Self {
        self.readers.add(Similarity { gist, wait: self.settings.vector_wait });
        self
    }

    /// The same service, which asks language models what it is not sure of.
    #[must_use]
    pub fn with_models(mut self, cascade: Option<Arc<Cascade>>) -> Self {
        if let Some(cascade) = cascade.filter(|cascade| !cascade.is_empty()) {
            let (replies, hard) = (Arc::clone(&self.language.replies), self.hard_sentences());
            self.readers.add(Models { cascade, replies, hard });
        }
        self
    }

    fn hard_sentences(&self) -> HardSentences {
        HardSentences { store: self.store.clone(), keep: self.settings.keep_hard, clock: self.clock().clone() }
    }

    /// Gets ready for the home in force: computes the vectors that are not in the store, and lets language models read what
    /// they are told of it; and forgets the hard sentences that are no longer to be kept. Requests are served meanwhile.
    pub async fn prepare(&self) {
        self.hard_sentences().forget().await;
        self.forget_refused().await;
        let snapshot = self.registry.snapshot();
        if snapshot.revision > 0 {
            self.readers.prepare(&self.registered(&snapshot).await).await;
        }
    }
}
