//! Where doors hand in what they were asked, and hear what becomes of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::lanes::{Lane, Lanes, Turn};
use super::places::Places;
use crate::clock::Clock;
use crate::dispatch::{Asker, DispatchLimits, Job, Take};
use crate::frame::{ErrorCode, Event, Finish, Intent, Request};

/// Events of one request that may wait to be read by its door; more than there ever are of one.
const EVENTS: usize = 16;

/// What takes requests from all doors.
#[derive(Debug)]
pub struct Desk {
    intake: Arc<dyn Take>,
    places: Arc<Places>,
    lanes: Arc<Lanes>,
    patience: Duration,
    /// Of this run alone.
    run: String,
    made_up: AtomicU64,
}

/// A request under way.
#[derive(Debug)]
pub struct Line {
    events: mpsc::Receiver<Event>,
    _lane: Lane,
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
    /// A desk that hands requests on to `intake`, where they are served within these limits.
    pub fn new(intake: Arc<dyn Take>, limits: &DispatchLimits, places: Arc<Places>, clock: &Clock) -> Self {
        let run = format!("{:.12}-{:x}", clock.boot(), clock.now_ms());
        let lanes = Arc::new(Lanes::new(limits));
        Self { intake, places, lanes, patience: limits.deadline, run, made_up: AtomicU64::new(0) }
    }

    /// An id that no request had before: the start of the machine, that of the process in it, and a count.
    pub fn made_up(&self) -> String {
        format!("u-{}-{}", self.run, self.made_up.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// The room that a satellite stands in.
    pub fn room_of(&self, satellite: &str) -> Option<String> {
        self.places.room_of(satellite)
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
        let entering = self.lanes.enter(&mut turn, &request.origin, bytes);
        let Ok(lane) = timeout_at(arrived + self.patience, entering).await else {
            let message = "too many requests were before this one for too long; nothing was done".to_owned();
            return Err(Finish::Failed { code: ErrorCode::Overloaded, message });
        };
        // The turn is kept until the dispatch has it: what was asked first is there first.
        let (told, events) = mpsc::channel(EVENTS);
        self.intake.take(Job::new(request, Asker::Line(told), bytes).since(arrived));
        Ok(Line { events, _lane: lane })
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
        self.events.recv().await.unwrap_or_else(|| {
            let message = "the request was lost; see the log".to_owned();
            Event::Finish(Finish::Failed { code: ErrorCode::Internal, message })
        })
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
