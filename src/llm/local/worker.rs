//! The model's own thread: one sentence at a time, and the prefix in the time between.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use tokio::sync::oneshot;
use tracing::{debug, warn};

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
    /// Set when the sentence itself is at work: its turn has come, and its prefix is ready.
    pub(super) begun: Arc<AtomicBool>,
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
            Worker { engine, home: None, prefix: None }.serve(tasks, stopping);
        }
        Err(error) => {
            let _ = loaded.send(Err(error));
        }
    }
}

struct Worker {
    engine: Engine,
    /// The prefix that it is ready for whenever there is nothing else to do.
    home: Option<Arc<str>>,
    /// The prefix of the last sentence, or that of the home.
    prefix: Option<Prefix>,
}

impl Worker {
    fn serve(&mut self, tasks: &mpsc::Receiver<Task>, stopping: &AtomicBool) {
        loop {
            let task = match self.is_prepared() {
                true => tasks.recv().map_err(|_| mpsc::TryRecvError::Disconnected),
                false => tasks.try_recv(),
            };
            match task {
                Ok(Task::Ask(job)) => self.answer(job),
                Ok(Task::Prepare(text)) => self.home = Some(text),
                Err(mpsc::TryRecvError::Empty) => self.prepare(&|| !stopping.load(Ordering::Relaxed)),
                Err(mpsc::TryRecvError::Disconnected) => return,
            }
        }
    }

    /// Whether there is nothing to compute before the next sentence.
    fn is_prepared(&self) -> bool {
        match (&self.prefix, &self.home) {
            (Some(prefix), Some(home)) => prefix.is_of(home) && prefix.is_ready(),
            (Some(prefix), None) => prefix.is_ready(),
            (None, home) => home.is_none(),
        }
    }

    /// Computes a piece of the prefix, so that the next sentence need not wait for it.
    fn prepare(&mut self, go_on: &dyn Fn() -> bool) {
        let advanced = self.guarded(|worker| {
            if let Some(home) = worker.home.clone() {
                worker.turn_to(&home)?;
            }
            match &mut worker.prefix {
                Some(prefix) => prefix.advance(&worker.engine, go_on),
                None => Ok(()),
            }
        });
        match advanced {
            Ok(()) | Err(Failure::Stopped) => {}
            Err(error) => {
                warn!(%error, "the prompt's prefix was not prepared");
                // It would fail again; the sentences bring their prefix themselves.
                (self.home, self.prefix) = (None, None);
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
            prefix.complete(&worker.engine, &|| job.is_wanted())?;
            job.begun.store(true, Ordering::Relaxed);
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use candle_core::quantized::GgmlDType;

    use super::super::tests::tiny::Tiny;
    use super::*;

    #[test]
    fn another_prefix_has_the_cache_for_as_long_as_its_sentence_takes() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::load(&Tiny::new("qwen3", GgmlDType::Q8_0).write(folder.path())).unwrap();
        let home: Arc<str> = "Rooms: 客厅, 卧室".into();
        let mut worker = Worker { engine, home: Some(Arc::clone(&home)), prefix: None };
        let is_of = |worker: &Worker, text: &str| worker.prefix.as_ref().is_some_and(|prefix| prefix.is_of(text));
        let get_ready = |worker: &mut Worker| {
            while !worker.is_prepared() {
                worker.prepare(&|| true);
            }
        };
        get_ready(&mut worker);
        assert!(is_of(&worker, &home));
        for deadline in [Duration::ZERO, Duration::from_secs(600)] {
            let (answer, mut answered) = oneshot::channel();
            let asked = Instant::now();
            let prompt = Prompt { prefix: "Rooms: 厨房".into(), sentence: "开灯".into(), ..Prompt::default() };
            worker.answer(Job { prompt, asked, deadline: asked + deadline, begun: Arc::default(), answer });
            assert_eq!(answered.try_recv().unwrap().is_ok(), is_of(&worker, "Rooms: 厨房"));
            get_ready(&mut worker);
            assert!(is_of(&worker, &home), "{deadline:?}");
        }
    }

    #[test]
    fn a_prefix_that_cannot_be_prepared_is_given_up_and_sentences_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::load(&Tiny::new("qwen2", GgmlDType::Q8_0).write(folder.path())).unwrap();
        let mut worker = Worker { engine, home: Some("灯".repeat(10_000).into()), prefix: None };
        worker.prepare(&|| true);
        assert!(worker.is_prepared());
    }
}
