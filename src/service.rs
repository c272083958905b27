//! The life of one utterance; the only place that calls every stage.

mod current;
mod due;
mod explained;
mod fresh;
mod inline;
mod jobs;
mod later;
mod learning;
mod report;
mod settings;
mod share;
mod spoken;
#[cfg(test)]
mod tests;
mod wiring;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tracing::warn;

use crate::clock::Clock;
use crate::dialogue::{self, Meant, Mention, Nothing, OrderRecord, Page, Pages, PendingRecord, Turn, Was};
use crate::frame::{ErrorCode, Event, Feedback, Finish, Intent, Request};
use crate::home::{Live, Registry, RoomIndex, Snapshot, Usage};
use crate::interpret::{HomeModel, Interpreters, Readings, Utterance, restrain};
use crate::job::Jobs;
use crate::language::grammar::{Rejection, SpeakerContext};
use crate::language::order::Order;
use crate::language::protocol;
use crate::observe::Metrics;
use crate::resolve::scope::{Area, area};
use crate::resolve::{Context, Outcome, resolve, resolve_described, resolve_situation};
use crate::retrieval::{Entity, World};
use crate::store::Store;
use current::Current;
use fresh::{Asked, Refreshed};
use inline::InlineHomes;
use learning::Lesson;
use spoken::{nothing_done, speech};

pub use due::Carried;
pub use explained::{Explanation, Near, Word};
pub use learning::NameBook;
pub use settings::{Language, Learning, ServiceSettings};
pub use share::{Names, shared, written};

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
    /// Which devices the hub was just asked for.
    asked: Asked,
    /// The registry's home, made anew when that changes.
    home: Arc<Current<HomeModel>>,
    /// Homes that come with requests.
    inline: InlineHomes,
    /// Who says what an utterance means.
    readers: Interpreters,
    /// What the daemon tells of itself.
    metrics: Metrics,
    /// What is to be done later.
    jobs: Arc<Jobs>,
    /// Who writes down what devices are called.
    called_by: Option<Arc<dyn NameBook>>,
    /// Whether a commit waits to begin: it takes along whatever is written until then.
    commit_waits: Arc<AtomicBool>,
}

/// A home as a request sees it.
struct View {
    home: Arc<HomeModel>,
    live: Live,
    /// Nothing is counted of homes that come with their requests.
    usage: Arc<Usage>,
    inline: bool,
}

impl View {
    fn world(&self) -> &World {
        &self.home.world
    }
}

/// Microseconds of each stage.
#[derive(Clone, Copy, Debug, Default)]
struct Timing {
    parse: u128,
    resolve: u128,
    total: u128,
}

impl Service {
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
        let (pages, page_key) = (if view.inline { &self.brought } else { &self.pages }, request.page_key());
        let now_ms = self.clock().now_ms();
        let mut page = pages.get(&page_key, now_ms);
        if now_ms.saturating_sub(page.used_ms) > self.confirm_ms() {
            page.jobs_told = 0;
            page.row.clear();
        }
        let home = Arc::clone(&view.home);
        let world = &home.world;
        let local = request.local.as_deref().and_then(|name| self.room(name, world));
        let speaker = SpeakerContext { local, names: self.names.clone(), others: self.others.clone() };
        let last = Mention::recall(&page.last, world.home());

        let utterance = Utterance {
            rid: &request.rid,
            asker: &request.origin,
            sentence: &request.question,
            home: &home,
            speaker: &speaker,
            page: &page,
            context: self.context(&view, local, &last, 0),
            last: &last,
            now_ms,
            events: &events,
        };
        let to_us = utterance.calls_us();
        let Readings { first, parsed, again } = self.readers.read(utterance).await;
        let mut timing = Timing { parse: parsed.duration_since(started).as_micros(), ..Timing::default() };
        // That may have taken seconds.
        let now_ms = self.clock().now_ms();
        let reading = match (self.renew(&mut view), again) {
            (true, Some(reading)) => reading,
            (false, Some(_)) => {
                warn!(rid = request.rid, "the home was replaced while a sentence was read; nothing is read into it");
                first
            }
            (_, None) => first,
        };
        let meant = &reading.meant;
        let last = dialogue::spoken_of(&page, meant, &request.question, world);

        let resolving = Instant::now();
        let fresh_since = self.fresh_since(view.inline, now_ms);
        let mut jobs = Vec::new();
        let planned = match self.called(meant, &request, &view, &speaker).await {
            Some(outcome) => Some((Vec::new(), outcome, Vec::new())),
            None => self.scheduled(meant, &request, &view, local, &last).await,
        };
        let (orders, mut outcome) = match planned {
            Some((orders, outcome, made)) => {
                jobs = made;
                (orders, outcome)
            }
            None => self.resolve(meant, &self.context(&view, local, &last, fresh_since)),
        };
        timing.resolve = resolving.elapsed().as_micros();
        if !outcome.stale.is_empty() {
            let decides = orders.iter().any(|order| order.action.states());
            let Refreshed { live, told } = self.refresh(world, &outcome, &events, now_ms, decides).await;
            let context = Context { live: &live, told: Some(&told), ..self.context(&view, local, &last, fresh_since) };
            (_, outcome) = self.resolve(meant, &context);
        }
        let mut repeatable = &orders[..];
        let (handful, replies) = (self.settings.handful, &self.language.replies);
        if let Some(asked) = restrain(&outcome, &orders, &reading, world, handful, replies) {
            // Once more is no yes.
            (outcome, repeatable) = (asked, &[]);
            page.orders.clear();
        }
        let lesson = Lesson { request: &request, view: &view, speaker: &speaker, meant, orders: repeatable, now_ms };
        let naming = self.wonder(&lesson, page.unheard.as_ref(), &mut outcome).await;
        page.unheard = self.unheard(&lesson, &page, &outcome, to_us);
        timing.total = started.elapsed().as_micros();

        let signals = outcome.candidates.iter_mut().map(|found| &mut found.candidate.signals);
        signals.filter(|signals| signals.vector == 0.0).for_each(|signals| signals.vector = reading.vector);
        page.jobs_told = jobs.len();
        let asks = naming.is_some();
        page.naming = naming;
        self.audit(&request, &outcome, page.pending.as_ref().filter(|open| open.expires_ms >= now_ms), world).await;
        if let Some(was) = Was::keep(&outcome.instructs, world.home(), &view.live) {
            page.was = was;
        }
        // 把吊灯关了，算了，then 调暗一点: what was taken back was spoken of.
        if matches!(meant, Meant::Nothing(Nothing::Rejected(Rejection::Withdrawn))) {
            outcome.mentioned = dialogue::named(&request.question, world);
        }
        if request.moves() {
            self.registry.used(&outcome.asked_for(world.home()), self.clock().wall_ms());
        }
        self.remember(&mut page, &request, repeatable, &outcome, world, now_ms);
        pages.put(&page_key, page, now_ms);
        let risky = self.risky(&request, &outcome, world);
        let confirmed = matches!(meant, Meant::Orders { confirmed: true, .. });

        let mut speech = speech(&outcome, world.home(), local);
        if asks {
            speech.feedback = Feedback::Full;
        }
        let stream =
            Event::Stream { intent: outcome.intent, text: outcome.text.clone(), aloud: !speech.text.is_empty() };
        let found = self.candidates(&request, &reading, &orders, &outcome, &world.vocabulary, timing);
        self.log(&request, &orders, &outcome, timing, report::parser_of(&reading, &orders));
        let Outcome { intent, text: result, instructs, .. } = outcome;
        let finish = Finish::Done { intent, result, speech, instructs, risky, confirmed, jobs };
        for event in [stream, Event::Candidates(Arc::new(found)), Event::Finish(finish)] {
            if events.send(event).await.is_err() {
                break;
            }
        }
        self.commit();
    }

    /// The home a request speaks about.
    async fn view(&self, request: &Request) -> Result<View, (ErrorCode, String)> {
        if let Some(document) = &request.home {
            let brought = self.inline.view(document, &request.origin, &self.language.lexicon).await?;
            let (home, live) = (Arc::clone(&brought.home), brought.live.clone());
            return Ok(View { home, live, usage: Arc::default(), inline: true });
        }
        let snapshot: Arc<Snapshot> = self.registry.snapshot();
        if snapshot.revision == 0 {
            return Err((ErrorCode::NoHome, "no home is registered and none came with the request".into()));
        }
        Ok(self.registered_view(&snapshot).await)
    }

    /// The registry's home as it is in a snapshot.
    async fn registered_view(&self, snapshot: &Arc<Snapshot>) -> View {
        let (live, usage) = (snapshot.live.clone(), Arc::clone(&snapshot.usage));
        View { home: self.registered(snapshot).await, live, usage, inline: false }
    }

    /// The registry's home; made off the threads of the runtime, once, and to the end whoever leaves meanwhile.
    async fn registered(&self, snapshot: &Snapshot) -> Arc<HomeModel> {
        let (homes, lexicon, home) =
            (Arc::clone(&self.home), Arc::clone(&self.language.lexicon), Arc::clone(&snapshot.home));
        if let Some(known) = homes.known(|known| known.is_of(&home)) {
            return known;
        }
        let make =
            move || homes.get(|known| known.is_of(&home), || HomeModel::new(Arc::clone(&lexicon), Arc::clone(&home)));
        // Where nothing can be made elsewhere any more, it is made here.
        spawn_blocking(make.clone()).await.unwrap_or_else(|_| make())
    }

    /// Looks again at how things are; `false` when the home was replaced meanwhile, and nobody knows what was meant in the
    /// new one.
    fn renew(&self, view: &mut View) -> bool {
        if view.inline {
            return true;
        }
        let snapshot = self.registry.snapshot();
        let same = view.home.is_of(&snapshot.home);
        if same {
            view.live = snapshot.live.clone();
        }
        same
    }

    /// The room of a name, if there is just one.
    fn room(&self, name: &str, world: &World) -> Option<RoomIndex> {
        match area(&protocol::place(name, &world.vocabulary), world, None) {
            Area::Rooms(rooms) if rooms.len() == 1 => Some(rooms[0]),
            _ => None,
        }
    }

    /// What orders are resolved in.
    fn context<'a>(
        &'a self,
        view: &'a View,
        local: Option<RoomIndex>,
        last: &'a [Entity],
        fresh_since_ms: u64,
    ) -> Context<'a> {
        Context {
            world: view.world(),
            live: &view.live,
            local,
            last,
            handful: self.settings.handful,
            replies: &self.language.replies,
            asking: false,
            fresh_since_ms,
            told: None,
            chosen: None,
            confirmed: false,
            usage: Some(&view.usage),
        }
    }

    /// Resolves what was meant.
    fn resolve(&self, meant: &Meant, context: &Context) -> (Vec<Order>, Outcome) {
        let replies = &self.language.replies;
        let later = || nothing_done(&Nothing::Rejected(Rejection::Later), replies);
        match meant {
            // Nothing that was said of a later time is done at once.
            Meant::Orders { orders, .. } if orders.iter().any(|order| order.when.is_some()) => {
                (orders.clone(), later())
            }
            Meant::Orders { orders, chosen, confirmed } => {
                let context = Context { chosen: chosen.as_deref(), confirmed: *confirmed, ..*context };
                (orders.clone(), resolve(orders, &context))
            }
            Meant::Described(order, candidates) => {
                (vec![(**order).clone()], resolve_described(order, candidates, context))
            }
            Meant::Situation(situation, room) => {
                resolve_situation(*situation, &Context { local: room.or(context.local), ..*context })
            }
            // Answered before, and not by what moves.
            Meant::Jobs(_) | Meant::Instead(_) | Meant::Called { .. } => (Vec::new(), later()),
            Meant::Nothing(nothing) => (Vec::new(), nothing_done(nothing, replies)),
        }
    }

    fn remember(
        &self,
        page: &mut Page,
        request: &Request,
        orders: &[Order],
        outcome: &Outcome,
        world: &World,
        now_ms: u64,
    ) {
        let (home, vocabulary) = (world.home(), &world.vocabulary);
        page.turns.push(Turn { question: request.question.clone(), reply: outcome.text.clone() });
        page.talked = orders.is_empty() && outcome.intent == Intent::None;
        if !outcome.mentioned.is_empty() {
            let mentioned = Mention::keep(&outcome.mentioned, home);
            page.row = match outcome.intent == Intent::Instruct {
                true => dialogue::row(page, orders, &mentioned, world),
                false => Vec::new(),
            };
            page.last = mentioned;
        }
        if !orders.is_empty() {
            page.orders = orders.iter().map(|order| OrderRecord::keep(order, vocabulary)).collect();
        }
        let until_ms = now_ms.saturating_add(self.confirm_ms());
        page.pending = outcome.pending.as_ref().map(|p| PendingRecord::keep(p, vocabulary, until_ms));
    }

    /// Milliseconds within which what was just spoken of needs no name.
    fn confirm_ms(&self) -> u64 {
        u64::try_from(self.settings.confirm_within.as_millis()).unwrap_or(u64::MAX)
    }

    /// Makes the page safe without keeping anybody waiting.
    fn commit(&self) {
        let Some(store) = self.store.clone() else { return };
        let waits = Arc::clone(&self.commit_waits);
        if waits.swap(true, Ordering::AcqRel) {
            return;
        }
        spawn_blocking(move || {
            // What is written from here on is for the next one.
            waits.swap(false, Ordering::AcqRel);
            if let Err(error) = store.commit() {
                warn!(%error, "a conversation is not safe on disk yet");
            }
        });
    }
}
