//! The model's own thread: one sentence at a time, and the prefix in the time between.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use tokio::sync::oneshot;
use tracing::{debug, error, warn};

use super::engine::{Engine, Failure, Prefix};
use super::{LocalError, LocalSettings};
use crate::llm::{Completion, Prompt};

/// How far the thread, and those that candle starts from it, stand back: whatever else the daemon does goes first.
const NICENESS: i32 = 10;

/// What the thread is told to do.
pub(super) enum Task {
    /// Answer.
    Ask(Job),
    /// Compute this prefix when there is nothing else to do.
    Prepare(Arc<str>),
}

/// A sentence to be answered.
pub(super) struct Job {
    pub(super) prompt: Prompt,
    pub(super) asked: Instant,
    pub(super) deadline: Instant,
    /// Its other end is dropped when nobody waits any more.
    pub(super) answer: oneshot::Sender<Result<Completion, Failure>>,
}

impl Job {
    fn is_wanted(&self) -> bool {
        !self.answer.is_closed() && Instant::now() < self.deadline
    }
}

/// The thread's life: load, report, serve until nobody can ask any more.
pub(super) fn live(
    settings: &LocalSettings,
    tasks: &mpsc::Receiver<Task>,
    stopping: &AtomicBool,
    loaded: &mpsc::SyncSender<Result<(), LocalError>>,
) {
    if let Err(error) = rustix::process::nice(NICENESS) {
        warn!(%error, "the language model runs at the daemon's own priority");
    }
    // As the encoder's: what candle hands to rayon stays here. The large products go to candle's own threads.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    if let Err(error) = &pool {
        warn!(%error, "the language model shares rayon's global threads");
    }
    match Engine::load(settings) {
        Ok(engine) => {
            let _ = loaded.send(Ok(()));
            Worker { engine, prefix: None }.serve(tasks, stopping);
        }
        Err(error) => {
            let _ = loaded.send(Err(error));
        }
    }
}

struct Worker {
    engine: Engine,
    prefix: Option<Prefix>,
}

impl Worker {
    fn serve(&mut self, tasks: &mpsc::Receiver<Task>, stopping: &AtomicBool) {
        loop {
            let unfinished = self.prefix.as_ref().is_some_and(|prefix| !prefix.is_ready());
            let task = match unfinished {
                true => tasks.try_recv(),
                false => tasks.recv().map_err(|_| mpsc::TryRecvError::Disconnected),
            };
            match task {
                Ok(Task::Ask(job)) => self.answer(job),
                Ok(Task::Prepare(text)) => {
                    if let Err(error) = self.guarded(|worker| worker.turn_to(&text)) {
                        warn!(%error, "the prompt's prefix was not prepared");
                    }
                }
                Err(mpsc::TryRecvError::Empty) => self.prepare(&|| !stopping.load(Ordering::Relaxed)),
                Err(mpsc::TryRecvError::Disconnected) => return,
            }
        }
    }

    /// Computes a piece of the prefix, so that the next sentence need not wait for it.
    fn prepare(&mut self, go_on: &dyn Fn() -> bool) {
        let advanced = self.guarded(|worker| match &mut worker.prefix {
            Some(prefix) => prefix.advance(&worker.engine, go_on),
            None => Ok(()),
        });
        match advanced {
            Ok(()) | Err(Failure::Stopped) => {}
            Err(error) => {
                error!(%error, "the prompt's prefix was not prepared");
                self.prefix = None;
            }
        }
    }

    fn answer(&mut self, job: Job) {
        if !job.is_wanted() {
            let _ = job.answer.send(Err(Failure::Stopped));
            return;
        }
        let mut first_token = None;
        let outcome = self.guarded(|worker| {
            worker.turn_to(&job.prompt.prefix)?;
            let prefix = worker.prefix.as_mut().expect("it was turned to");
            let first = || first_token = Some(job.asked.elapsed());
            worker.engine.answer(prefix, &job.prompt.sentence, first, &|| job.is_wanted())
        });
        let outcome = outcome.map(|(answer, prompt)| Completion {
            // The grammar allows nothing that is not UTF-8.
            text: String::from_utf8_lossy(&answer.bytes).into_owned(),
            prompt_tokens: prompt as u64,
            completion_tokens: answer.tokens as u64,
            first_token,
            cut_off: false,
        });
        match &outcome {
            Ok(completion) => debug!(
                prompt = completion.prompt_tokens,
                tokens = completion.completion_tokens,
                first_ms = first_token.map(|elapsed| elapsed.as_millis()),
                ms = job.asked.elapsed().as_millis(),
                "the language model answered"
            ),
            Err(Failure::Stopped) => debug!("a sentence was given up before it was answered"),
            Err(error) => warn!(%error, "the language model did not answer"),
        }
        let _ = job.answer.send(outcome);
    }

    /// Makes the prefix that of `text`; what there was is kept if it is the same.
    fn turn_to(&mut self, text: &Arc<str>) -> Result<(), Failure> {
        if !self.prefix.as_ref().is_some_and(|prefix| prefix.is_of(text)) {
            // The old one goes first: two of them may be more than the machine has memory for.
            self.prefix = None;
            self.prefix = Some(self.engine.prefix(text)?);
        }
        Ok(())
    }

    /// A panic in the kernels costs a sentence its answer, not the daemon its model.
    fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        panic::catch_unwind(AssertUnwindSafe(|| work(&mut *self))).unwrap_or_else(|_| {
            self.prefix = None;
            Err(Failure::Panicked)
        })
    }
}
