//! Who serves which request when: the same page in order, different pages in parallel, everyone their share, everything
//! bounded in number, bytes and time.

mod answers;
mod claims;
mod intake;
mod probe;
mod queue;
#[cfg(test)]
mod tests;
mod turns;

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tracing::{error, warn};

pub use answers::{Answers, Asker, Deliver, Refusal};
pub use intake::{Intake, Take};
pub use probe::Prober;

use crate::frame::{ErrorCode, Event, Origin, Request};
use crate::observe::{Beat, Metrics};
use claims::{Claim, Claims};
use queue::{Queue, Room};
use turns::Turns;

/// Events of one request that may wait to be answered.
const EVENTS: usize = 16;

/// Serves one request at a time and says how it goes.
pub trait Serve: Send + Sync + 'static {
    /// Serves `request`; the last event is [`Event::Finish`].
    fn serve(&self, request: Request, events: mpsc::Sender<Event>) -> impl Future<Output = ()> + Send;

    /// Waits for whatever a request would wait for before it is served, and serves nothing.
    fn probe(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// A request and who wants to know.
#[derive(Debug)]
pub struct Job {
    request: Request,
    asker: Asker,
    /// Size of its payload.
    bytes: usize,
    arrived: Instant,
    /// No request, but a question whether requests would be served.
    probe: bool,
    /// Its right to its response topic.
    claim: Option<Claim>,
    /// What is given back when it is done.
    held: Option<Box<dyn Any + Send>>,
}

impl Job {
    /// A request that has just arrived in a payload of `bytes` bytes.
    pub fn new(request: Request, asker: Asker, bytes: usize) -> Self {
        Self { request, asker, bytes, arrived: Instant::now(), probe: false, claim: None, held: None }
    }

    /// The same request, which arrived at `arrived`: its time runs from there.
    #[must_use]
    pub fn since(self, arrived: Instant) -> Self {
        Self { arrived, ..self }
    }

    /// The same request, with what is given back when it is done, whether anybody still waits for it or not.
    #[must_use]
    pub fn holding(self, held: impl Any + Send) -> Self {
        Self { held: Some(Box::new(held)), ..self }
    }

    /// Who wants to know, and the request.
    pub fn into_parts(self) -> (Request, Asker) {
        (self.request, self.asker)
    }
}

/// Bounds of the dispatch.
#[derive(Clone, Copy, Debug)]
pub struct DispatchLimits {
    /// Requests of one asker that are served at the same time; as many more workers are there for others.
    pub workers: usize,
    /// Requests that may wait.
    pub waiting: usize,
    /// Bytes of payload that may wait.
    pub bytes: usize,
    /// From the arrival of a request to its end.
    pub deadline: Duration,
}

/// The workers and what waits for them.
#[derive(Debug)]
pub struct Dispatch {
    shared: Arc<Shared>,
    workers: JoinSet<()>,
}

#[derive(Debug)]
struct Shared {
    // Not held across an await.
    queue: Mutex<Queue>,
    /// Told when a request can be served. A worker that takes one tells the next if there are more.
    ready: Notify,
    /// Told whenever a request is done.
    done: Notify,
    /// When a worker was last done with something.
    beat: Beat,
    claims: Arc<Claims>,
    metrics: Metrics,
}

impl Dispatch {
    /// Starts the workers.
    pub fn start<S: Serve, D: Deliver>(service: Arc<S>, answers: Arc<Answers<D>>, limits: DispatchLimits) -> Self {
        // Nobody has more than are left idle: one alone has half of them.
        let workers = limits.workers.max(1) * 2;
        // Half of the threads that the workers run on are enough for one asker.
        let at_once = (Handle::current().metrics().num_workers() / 2).max(1);
        let room = Room { workers, waiting: limits.waiting, bytes: limits.bytes, at_once };
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue::new(room)),
            ready: Notify::new(),
            done: Notify::new(),
            beat: Beat::default(),
            claims: Arc::clone(answers.claims()),
            metrics: answers.metrics().clone(),
        });
        let mut tasks = JoinSet::new();
        for _ in 0..workers {
            let worker = Worker {
                shared: Arc::clone(&shared),
                service: Arc::clone(&service),
                answers: Arc::clone(&answers),
                deadline: limits.deadline,
            };
            tasks.spawn(worker.run());
        }
        Self { shared, workers: tasks }
    }

    /// Takes a request, and gives back those for which there is no room: they are to be answered `overloaded`. It may be
    /// this one, or others of an asker who has more waiting.
    #[must_use]
    pub fn submit(&self, job: Job) -> Vec<Job> {
        self.shared.submit(job)
    }

    /// Where doors hand in their requests; those for which there is no room are answered through `answers`.
    pub fn intake<D: Deliver>(&self, answers: Arc<Answers<D>>) -> Intake<D> {
        Intake::new(Arc::clone(&self.shared), answers)
    }

    /// Finds out whether requests are served.
    pub fn prober(&self) -> Prober {
        Prober::new(Arc::clone(&self.shared))
    }

    /// Waits until a worker ends by itself, which is a bug, and says how.
    pub async fn ended(&mut self) -> String {
        format!("{:?}", self.workers.join_next().await)
    }

    /// Waits until nothing waits and nothing is being served; whoever stops the daemon sets the limit.
    pub async fn idle(&self) {
        loop {
            let done = self.shared.done.notified();
            if self.shared.queue().is_idle() {
                return;
            }
            done.await;
        }
    }

    /// Ends the workers and drops what they were at.
    pub async fn stop(mut self) {
        self.workers.shutdown().await;
    }
}

impl Shared {
    /// A lock whose holder panicked is taken all the same: the queue is whole between its calls.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn submit(&self, mut job: Job) -> Vec<Job> {
        job.claim = (job.request.origin == Origin::request()).then(|| self.claims.claim(&job.request.rid));
        let mut queue = self.queue();
        let displaced = queue.push(job);
        self.metrics.waiting.set(queue.waiting() as i64);
        drop(queue);
        self.ready.notify_one();
        displaced
    }

    async fn next(&self) -> Job {
        loop {
            if let Some(job) = self.try_next() {
                return job;
            }
            self.ready.notified().await;
        }
    }

    fn try_next(&self) -> Option<Job> {
        let mut queue = self.queue();
        let job = queue.pop()?;
        self.metrics.waiting.set(queue.waiting() as i64);
        let more = queue.is_ready();
        drop(queue);
        if more {
            self.ready.notify_one();
        }
        Some(job)
    }
}

struct Worker<S, D> {
    shared: Arc<Shared>,
    service: Arc<S>,
    answers: Arc<Answers<D>>,
    deadline: Duration,
}

impl<S: Serve, D: Deliver> Worker<S, D> {
    async fn run(self) {
        loop {
            let job = self.shared.next().await;
            let (asker, page) = (job.request.origin.clone(), job.request.page_id.clone());
            if job.probe {
                self.service.probe().await;
            } else {
                let arrived = job.arrived;
                let turns = self.shared.queue().turns(&asker);
                self.serve(job, turns).await;
                self.shared.metrics.answered(arrived.elapsed());
            }
            self.shared.beat.stamp();
            self.shared.queue().done(&asker, &page);
            self.shared.done.notify_waiters();
        }
    }

    async fn serve(&self, job: Job, turns: Turns) {
        let until = job.arrived + self.deadline;
        let Job { request, asker, claim: _claim, held: _held, .. } = job;
        let (events_tx, mut events) = mpsc::channel(EVENTS);
        // A task of its own, so that a panic ends it alone; it ends with this scope at the latest.
        let mut task = JoinSet::new();
        let service = Arc::clone(&self.service);
        let asked = request.clone();
        if Instant::now() < until {
            task.spawn(turns.take(async move { service.serve(asked, events_tx).await }));
        } else {
            drop(events_tx);
        }
        let (mut finished, mut found) = (false, None);
        let end = loop {
            match timeout_at(until, events.recv()).await {
                Ok(Some(event)) if !finished => {
                    if let Event::Candidates(candidates) = &event {
                        found = Some(Arc::clone(candidates));
                    }
                    match event {
                        Event::Finish(finish) => {
                            finished = true;
                            self.answers.finish(&asker, &request, finish, found.take(), until).await;
                        }
                        event => self.answers.tell(&asker, &request, event, until).await,
                    }
                }
                Ok(Some(_)) => warn!(rid = request.rid, "an event after the end"),
                Ok(None) => break timeout_at(until, task.join_next()).await,
                Err(elapsed) => break Err(elapsed),
            }
        };
        let (code, message) = match end {
            Ok(Some(Err(panic))) => {
                error!(rid = request.rid, %panic, "the service panicked");
                (ErrorCode::Internal, "a bug; see the log for this rid".to_owned())
            }
            _ if finished => return,
            Ok(Some(Ok(()))) => {
                error!(rid = request.rid, "the service ended without an answer");
                (ErrorCode::Internal, "a bug; see the log for this rid".to_owned())
            }
            Ok(None) | Err(_) => {
                if let Some(suppressed) = self.answers.may_log("deadline") {
                    warn!(rid = request.rid, suppressed, "the deadline passed");
                }
                (ErrorCode::Timeout, format!("not served within {} ms; nothing was done", self.deadline.as_millis()))
            }
        };
        if !finished {
            self.answers.fail(&asker, &request, code, message).await;
        }
    }
}
