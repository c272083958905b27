//! Where doors hand in what they were asked, and hear what becomes of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::lanes::{Lanes, Turn};
use super::places::Places;
use super::unheard::{Listener, Stage, Unheard};
use crate::clock::Clock;
use crate::dispatch::{Asker, DispatchLimits, Job, Take};
use crate::frame::{ErrorCode, Event, Finish, Intent, Request};
use crate::observe::Metrics;
use crate::zh::Texts;

/// Events of one request that may wait to be read by its door; more than there ever are of one.
const EVENTS: usize = 16;

/// What takes requests from all doors.
#[derive(Debug)]
pub struct Desk {
    intake: Arc<dyn Take>,
    places: Arc<Places>,
    lanes: Arc<Lanes>,
    unheard: Arc<Unheard>,
    patience: Duration,
    /// Of this run alone.
    run: String,
    made_up: AtomicU64,
    texts: Arc<Texts>,
}

/// A request under way.
#[derive(Debug)]
pub struct Line {
    events: mpsc::Receiver<Event>,
    listener: Listener,
}

/// All that was heard of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// How it ended.
    pub finish: Finish,
    /// Why nothing was done, or what is asked, in a word for programs.
    pub hint: Option<String>,
}

impl Desk {
    /// A desk that hands requests on to `intake`, where they are served within these limits, and counts what nobody hears.
    pub fn new(
        intake: Arc<dyn Take>,
        limits: &DispatchLimits,
        places: Arc<Places>,
        clock: &Clock,
        metrics: Metrics,
    ) -> Self {
        let run = format!("{:.12}-{:x}", clock.boot(), clock.now_ms());
        let lanes = Arc::new(Lanes::new(limits));
        let unheard = Arc::new(Unheard::new(metrics));
        let (made_up, texts) = (AtomicU64::new(0), Arc::default());
        Self { intake, places, lanes, unheard, patience: limits.deadline, run, made_up, texts }
    }

    /// The same in the words of an owner.
    #[must_use]
    pub fn in_words(self, texts: Arc<Texts>) -> Self {
        Self { texts, ..self }
    }

    /// What doors say by themselves.
    pub(super) fn texts(&self) -> &Texts {
        &self.texts
    }

    /// An id that no request had before: the start of the machine, that of the process in it, and a count.
    pub fn made_up(&self) -> String {
        format!("u-{}-{}", self.run, self.made_up.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// The room that a satellite stands in.
    pub fn room_of(&self, satellite: &str) -> Option<String> {
        self.places.room_of(satellite)
    }

    /// Where answers are counted that nobody hears.
    pub(super) fn unheard(&self) -> &Arc<Unheard> {
        &self.unheard
    }

    /// Where things are counted.
    pub(super) fn metrics(&self) -> &Metrics {
        &self.unheard.metrics
    }

    /// Takes a request that is answered without its door.
    pub fn take(&self, job: Job) {
        self.intake.take(job);
    }

    /// Asks, once its turn comes and there is room for it. Its time runs from now.
    ///
    /// # Errors
    /// When there was none in time; nothing was done.
    pub(super) async fn ask(&self, mut turn: Turn, request: Request, bytes: usize) -> Result<Line, Finish> {
        let arrived = Instant::now();
        let mut listener = Listener::new(&self.unheard, &request.origin, &request.rid);
        let entering = self.lanes.enter(&mut turn, &request.origin, bytes);
        let Ok(lane) = timeout_at(arrived + self.patience, entering).await else {
            listener.stage = Stage::Over;
            let message = "too many requests were before this one for too long; nothing was done".to_owned();
            return Err(Finish::Failed { code: ErrorCode::Overloaded, message });
        };
        // The turn is kept until the dispatch has it: what was asked first is there first.
        let (told, events) = mpsc::channel(EVENTS);
        // Its lane is free when the work is done, not when somebody stops waiting for it: whoever asks and leaves, again and
        // again, has no more under way than others.
        self.intake.take(Job::new(request, Asker::Line(told), bytes).since(arrived).holding(lane));
        listener.stage = Stage::Taken;
        Ok(Line { events, listener })
    }

    /// Asks behind nothing else, and waits for the end.
    pub async fn answer(&self, request: Request, bytes: usize) -> Answer {
        let mut line = match self.ask(Turn::default(), request, bytes).await {
            Ok(line) => line,
            Err(finish) => return Answer { finish, hint: None },
        };
        let mut hint = None;
        loop {
            match line.next().await {
                Event::Finish(finish) => return Answer { finish, hint },
                Event::Candidates(candidates) => hint = candidates["hint"].as_str().map(str::to_owned),
                Event::Stream { .. } | Event::AskState { .. } => {}
            }
        }
    }
}

impl Line {
    /// The next event; after [`Event::Finish`] there is none to wait for.
    pub async fn next(&mut self) -> Event {
        // The dispatch answers whatever it takes; should it ever not, that is a bug and no reason to wait.
        let event = self.events.recv().await.unwrap_or_else(|| {
            let message = "the request was lost; see the log".to_owned();
            Event::Finish(Finish::Failed { code: ErrorCode::Internal, message })
        });
        if matches!(event, Event::Finish(_)) {
            self.listener.stage = Stage::Over;
        }
        event
    }
}

impl Answer {
    /// Whether it was for us at all: what was not, and what was not understood, another assistant may take.
    pub fn is_ours(&self) -> bool {
        let silent = matches!(
            &self.finish,
            Finish::Done { intent: Intent::None, speech, .. } if speech.text.is_empty()
        );
        !silent && self.hint.as_deref() != Some("needs_fallback")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use futures_util::FutureExt;

    use super::*;
    use crate::door::lanes::LANES;
    use crate::frame::{Door, Origin};
    use crate::home::Registry;
    use crate::observe::Sample;

    /// Keeps what it is given.
    #[derive(Debug, Default)]
    struct Kept(Mutex<Vec<Job>>);

    impl Take for Kept {
        fn take(&self, job: Job) {
            self.0.lock().unwrap().push(job);
        }
    }

    fn desk() -> (Desk, Arc<Kept>, Metrics) {
        let (kept, metrics) = (Arc::new(Kept::default()), Metrics::default());
        let within = DispatchLimits { workers: 1, waiting: 64, bytes: 64_000, deadline: Duration::from_secs(60) };
        let places = Arc::new(Places::new(BTreeMap::new(), Arc::new(Registry::default())));
        let intake = Arc::clone(&kept) as Arc<dyn Take>;
        (Desk::new(intake, &within, places, &Clock::of_machine(), metrics.clone()), kept, metrics)
    }

    fn asked(rid: usize) -> Request {
        let origin = Origin { door: Door::Socket, client: "phone".into() };
        Request { rid: rid.to_string(), origin, ..Request::default() }
    }

    fn unheard(metrics: &Metrics) -> u64 {
        let text = metrics.text(Sample::default());
        let line = text.lines().find_map(|line| line.strip_prefix("zhiju_unheard_total{door=\"socket\"} "));
        line.map_or(0, |count| count.parse().unwrap())
    }

    #[tokio::test]
    async fn who_asks_and_leaves_has_no_more_under_way_than_others() {
        let (desk, kept, metrics) = desk();
        for rid in 0..LANES {
            drop(desk.ask(Turn::default(), asked(rid), 1).await.unwrap());
        }
        assert_eq!(unheard(&metrics), LANES as u64);
        // All that was asked is still with the dispatch, although nobody waits for it.
        let mut next = Box::pin(desk.ask(Turn::default(), asked(99), 1));
        assert!((&mut next).now_or_never().is_none());
        kept.0.lock().unwrap().pop();
        assert!((&mut next).now_or_never().is_some());
        assert_eq!(kept.0.lock().unwrap().len(), LANES);
    }

    #[tokio::test]
    async fn an_answer_that_nobody_hears_is_counted_once_and_one_that_is_heard_is_not() {
        let (desk, kept, metrics) = desk();
        let finish = || Finish::Failed { code: ErrorCode::Timeout, message: String::new() };
        let answer = || {
            let (_, asker) = kept.0.lock().unwrap().pop().unwrap().into_parts();
            let Asker::Line(line) = asker else { unreachable!() };
            line.try_send(Event::Finish(finish())).unwrap();
        };
        let mut line = desk.ask(Turn::default(), asked(1), 1).await.unwrap();
        answer();
        assert_eq!(line.next().await, Event::Finish(finish()));
        drop(line);
        assert_eq!(unheard(&metrics), 0);
        // It was there, and not read.
        let line = desk.ask(Turn::default(), asked(2), 1).await.unwrap();
        answer();
        drop(line);
        assert_eq!(unheard(&metrics), 1);
        // It never came to its turn.
        for rid in 0..LANES {
            drop(desk.ask(Turn::default(), asked(rid), 1).await.unwrap());
        }
        assert!(desk.ask(Turn::default(), asked(3), 1).now_or_never().is_none());
        assert_eq!(unheard(&metrics), 2 + LANES as u64);
    }
}
