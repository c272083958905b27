//! The life of one utterance; the only place that calls every stage.

mod cascade;
mod current;
mod fresh;
mod hard;
mod inline;
mod jobs;
mod later;
mod report;
mod said;
mod settings;
mod similarity;
mod spoken;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use tokio::sync::mpsc;
use tracing::warn;

use crate::clock::Clock;
use crate::dialogue::{self, Meant, Mention, Nothing, OrderRecord, Page, Pages, PendingRecord, Turn};
use crate::frame::{ErrorCode, Event, Finish, Request};
use crate::gist::Gist;
use crate::home::{Live, Registry, RoomIndex, Snapshot};
use crate::job::{JobSettings, Jobs};
use crate::language::grammar::{self, Hearing, Parse, Silence};
use crate::language::order::Order;
use crate::language::protocol;
use crate::language::vocabulary::Vocabulary;
use crate::llm::cascade::Cascade;
use crate::llm::metrics::{End, GRAMMAR, MODEL, ParserMetrics};
use crate::observe::Metrics;
use crate::resolve::scope::{Area, area};
use crate::resolve::{Context, Outcome, resolve, resolve_described, resolve_situation};
use crate::retrieval::{Entity, World};
use crate::store::Store;
use crate::text::normalize;
use cascade::{Advice, Asking, HomePrefixes, restrain};
use current::Current;
use inline::{Inline, InlineHomes};
use similarity::{Doubt, HomeIndex};
use spoken::{nothing_done, speech};

pub use later::Carried;
pub use settings::{Language, LanguageError, ServiceSettings};

/// Serves requests.
#[derive(Debug)]
pub struct Service {
    registry: Arc<Registry>,
    store: Option<Arc<Store>>,
    settings: ServiceSettings,
    language: Language,
    names: Vec<String>,
    others: Vec<String>,
    pages: Arc<Pages>,
    /// Conversations about homes that came with their requests: nothing of those is written down.
    brought: Arc<Pages>,
    /// Until when nobody waits for the hub: it did not answer the last time.
    silent_until_ms: AtomicU64,
    /// The world of the registry's home, made anew when the home changes.
    world: Current<World>,
    /// Homes that come with requests.
    inline: InlineHomes,
    /// Understanding by similarity.
    gist: Option<Arc<Gist>>,
    /// What the registry's home can do.
    index: Current<HomeIndex>,
    /// The same of the last home that came with a request; by words only.
    inline_index: Current<HomeIndex>,
    /// Language models, for what neither grammar nor similarity is sure of.
    cascade: Option<Arc<Cascade>>,
    /// What they are told of the home that was asked about last.
    prefixes: Current<HomePrefixes>,
    /// What the daemon tells of itself.
    metrics: Metrics,
    /// What each parser did.
    parsers: ParserMetrics,
    /// What is to be done later.
    jobs: Arc<Jobs>,
}

/// A home as a request sees it.
struct View {
    world: Arc<World>,
    live: Live,
    inline: bool,
    /// The home that came with it is not let go of before it is served.
    _home: Option<Arc<Inline>>,
}

/// Microseconds of each stage.
#[derive(Clone, Copy, Debug, Default)]
struct Timing {
    parse: u128,
    resolve: u128,
    total: u128,
}

impl Service {
    /// A service on a registry; conversations are kept in the store, if there is one.
    pub fn new(
        registry: Arc<Registry>,
        store: Option<Arc<Store>>,
        settings: ServiceSettings,
        language: Language,
    ) -> Self {
        let normal = |names: &[String]| names.iter().map(|n| normalize(n)).filter(|n| !n.is_empty()).collect();
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
            world: Current::default(),
            inline: InlineHomes::default(),
            gist: None,
            index: Current::default(),
            inline_index: Current::default(),
            cascade: None,
            prefixes: Current::default(),
            metrics: Metrics::default(),
            parsers: ParserMetrics::default(),
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

    /// What tells the time.
    fn clock(&self) -> &Clock {
        self.registry.clock()
    }

    /// Serves one request and says how it goes; the last event is always [`Event::Finish`].
    ///
    /// A closed channel ends the work early: nobody is left to be told.
    pub async fn serve(&self, request: Request, events: mpsc::Sender<Event>) {
        let started = Instant::now();
        let mut view = match self.view(&request).await {
            Ok(view) => view,
            Err((code, message)) => {
                let _ = events.send(Event::Finish(Finish::Failed { code, message })).await;
                return;
            }
        };
        let mut now_ms = self.clock().now_ms();
        let (pages, page_key) = (if view.inline { &self.brought } else { &self.pages }, request.page_key());
        let mut page = pages.get(&page_key, now_ms);
        let local = request.local.as_deref().and_then(|name| {
            let place = protocol::place(name, &view.world.vocabulary);
            match area(&place, &view.world, None) {
                Area::Rooms(rooms) if rooms.len() == 1 => Some(rooms[0]),
                _ => None,
            }
        });
        let hearing = Hearing { local, names: self.names.clone(), others: self.others.clone() };
        let parse = grammar::parse(&request.question, &view.world.vocabulary, &hearing);
        let doubt = Doubt::of(&parse);
        let mut timing = Timing { parse: started.elapsed().as_micros(), ..Timing::default() };
        let end = if matches!(parse, Parse::Unsure(..)) { End::Unsure } else { End::Sure };
        self.count(GRAMMAR, end, started);
        let mut meant = dialogue::interpret(&request.question, parse, &page, &view.world, local, now_ms);
        let mut similarity = None;
        let mut parser = GRAMMAR;
        let mut advice = Advice::default();
        let last = Mention::recall(&page.last, view.world.home());
        if let Some(doubt) = doubt.filter(|doubt| doubt.stands(&meant)) {
            let reading = Instant::now();
            let found = self.by_similarity(&request.question, &doubt, &view, &hearing).await;
            if self.gist.is_some() {
                self.count(MODEL, if found.is_some() { End::Sure } else { End::Unsure }, reading);
            }
            (meant, similarity) = found.map_or((meant, None), |(meant, vector)| (meant, Some(vector)));
            if similarity.is_some() {
                parser = MODEL;
            } else {
                let asking =
                    Asking { request: &request, meant: &meant, doubt: &doubt, view: &view, local, last: &last };
                advice = self.by_models(&asking, &events).await;
            }
        }
        if advice.was_asked {
            // That may have taken seconds.
            now_ms = self.clock().now_ms();
            match self.by_now(&view) {
                Some(live) => view.live = live,
                None => advice.answer = None,
            }
        }
        if let Some(answer) = &advice.answer {
            parser = answer.parser;
            meant = Meant::Orders { orders: answer.orders.clone(), chosen: None, confirmed: false };
        }

        let resolving = Instant::now();
        let fresh_since = self.fresh_since(&view, now_ms);
        let mut jobs = Vec::new();
        let planned = self.scheduled(&meant, &request, &view, local, &last).await;
        let (orders, mut outcome) = match planned {
            Some((orders, outcome, made)) => {
                jobs = made;
                (orders, outcome)
            }
            None => self.resolve(&meant, &view.world, &view.live, local, &last, fresh_since),
        };
        timing.resolve = resolving.elapsed().as_micros();
        if !outcome.stale.is_empty() {
            let live = self.refresh(&view.world, &outcome, &events, now_ms).await;
            (_, outcome) = self.resolve(&meant, &view.world, &live, local, &last, 0);
        }
        let mut repeatable = &orders[..];
        if let Some(answer) = &advice.answer {
            let (handful, replies) = (self.settings.handful, &self.language.replies);
            if let Some(asked) = restrain(&outcome, &orders, &answer.said, &view.world, handful, replies) {
                // Once more is no yes.
                (outcome, repeatable) = (asked, &[]);
                page.orders.clear();
            }
        } else if advice.was_in_vain && matches!(meant, Meant::Nothing(Nothing::Unsure(_))) {
            outcome.text = self.language.replies.say("no_help", &[]);
        }
        timing.total = started.elapsed().as_micros();

        if let Some(vector) = similarity {
            let without = outcome.candidates.iter_mut().map(|found| &mut found.candidate.signals);
            without.filter(|signals| signals.vector == 0.0).for_each(|signals| signals.vector = vector);
        }
        self.remember(&mut page, &request, repeatable, &outcome, &view.world.vocabulary, now_ms);
        pages.put(&page_key, page, now_ms);
        self.audit(&request, &outcome, &view.world).await;
        let risky = self.risky(&request, &outcome, &view.world);

        let speech = speech(&outcome, view.world.home(), local);
        let stream =
            Event::Stream { intent: outcome.intent, text: outcome.text.clone(), aloud: !speech.text.is_empty() };
        let mut found = self.candidates(&request, &meant, &orders, &outcome, &view.world.vocabulary, timing);
        if !orders.is_empty() {
            found["parser"] = parser.into();
        }
        self.log(&request, &orders, &outcome, timing, found["parser"].as_str().unwrap_or("none"));
        let Outcome { intent, text: result, instructs, .. } = outcome;
        let finish = Finish::Done { intent, result, speech, instructs, risky, jobs };
        for event in [stream, Event::Candidates(found), Event::Finish(finish)] {
            if events.send(event).await.is_err() {
                break;
            }
        }
        self.commit();
    }

    /// The home a request speaks about.
    async fn view(&self, request: &Request) -> Result<View, (ErrorCode, String)> {
        if let Some(document) = &request.home {
            let home = self.inline.view(document, &self.language.lexicon, || self.inline_index.forget()).await?;
            return Ok(View {
                world: Arc::clone(&home.world),
                live: home.live.clone(),
                inline: true,
                _home: Some(home),
            });
        }
        let snapshot: Arc<Snapshot> = self.registry.snapshot();
        if snapshot.revision == 0 {
            return Err((ErrorCode::NoHome, "no home is registered and none came with the request".into()));
        }
        Ok(View { world: self.registered(&snapshot), live: snapshot.live.clone(), inline: false, _home: None })
    }

    /// The world of the registry's home.
    fn registered(&self, snapshot: &Snapshot) -> Arc<World> {
        let is = |world: &World| Arc::ptr_eq(&world.vocabulary.home, &snapshot.home);
        self.world.get(is, || {
            // It rests on the home before.
            self.index.forget();
            World::new(Arc::clone(&self.language.lexicon), Arc::clone(&snapshot.home))
        })
    }

    /// What is said of later times and of jobs; `None` when nothing is.
    async fn scheduled(
        &self,
        meant: &Meant,
        request: &Request,
        view: &View,
        local: Option<RoomIndex>,
        last: &[Entity],
    ) -> Option<(Vec<Order>, Outcome, Vec<serde_json::Value>)> {
        match meant {
            Meant::Jobs(ask) => {
                let (outcome, jobs) = self.about_jobs(ask, request, &view.world).await;
                Some((Vec::new(), outcome, jobs))
            }
            Meant::Orders { orders, chosen, confirmed } if orders.iter().any(|order| order.when.is_some()) => {
                let context = Context {
                    world: &view.world,
                    live: &view.live,
                    local,
                    last,
                    handful: self.settings.handful,
                    replies: &self.language.replies,
                    asking: false,
                    fresh_since_ms: 0,
                    chosen: chosen.as_deref(),
                    confirmed: *confirmed,
                };
                let planned = self.plan(orders, request, &context);
                let (outcome, jobs) = self.book(planned, request).await;
                Some((orders.clone(), outcome, jobs))
            }
            _ => None,
        }
    }

    /// Resolves what was meant.
    fn resolve(
        &self,
        meant: &Meant,
        world: &World,
        live: &Live,
        local: Option<RoomIndex>,
        last: &[Entity],
        fresh_since_ms: u64,
    ) -> (Vec<Order>, Outcome) {
        let replies = &self.language.replies;
        let context = Context {
            world,
            live,
            local,
            last,
            handful: self.settings.handful,
            replies,
            asking: false,
            fresh_since_ms,
            chosen: None,
            confirmed: false,
        };
        match meant {
            // Nothing that was said of a later time is done at once.
            Meant::Orders { orders, .. } if orders.iter().any(|order| order.when.is_some()) => {
                (orders.clone(), nothing_done(&Nothing::Silent(Silence::Later), replies))
            }
            Meant::Orders { orders, chosen, confirmed } => {
                let context = Context { chosen: chosen.as_deref(), confirmed: *confirmed, ..context };
                (orders.clone(), resolve(orders, &context))
            }
            Meant::Described(order, candidates) => {
                (vec![(**order).clone()], resolve_described(order, candidates, &context))
            }
            Meant::Situation(situation, room) => {
                resolve_situation(*situation, &Context { local: room.or(local), ..context })
            }
            // Answered before, and not by what moves.
            Meant::Jobs(_) => (Vec::new(), nothing_done(&Nothing::Silent(Silence::Later), replies)),
            Meant::Nothing(nothing) => (Vec::new(), nothing_done(nothing, replies)),
        }
    }

    fn remember(
        &self,
        page: &mut Page,
        request: &Request,
        orders: &[Order],
        outcome: &Outcome,
        vocabulary: &Vocabulary,
        now_ms: u64,
    ) {
        let home = &vocabulary.home;
        page.turns.push(Turn { question: request.question.clone(), reply: outcome.text.clone() });
        if !outcome.mentioned.is_empty() {
            page.last = Mention::keep(&outcome.mentioned, home);
        }
        if !orders.is_empty() {
            page.orders = orders.iter().map(|order| OrderRecord::keep(order, vocabulary)).collect();
        }
        let within = u64::try_from(self.settings.confirm_within.as_millis()).unwrap_or(u64::MAX);
        page.pending =
            outcome.pending.as_ref().map(|p| PendingRecord::keep(p, vocabulary, now_ms.saturating_add(within)));
    }

    /// Makes the page safe without keeping anybody waiting.
    fn commit(&self) {
        let Some(store) = self.store.clone() else { return };
        tokio::task::spawn_blocking(move || {
            if let Err(error) = store.commit() {
                warn!(%error, "a conversation is not safe on disk yet");
            }
        });
    }
}
