//! A language model in this process: GGUF weights of llama, qwen2 or qwen3 architecture, on a thread of their own.
//!
//! The answer is held to the protocol's grammar while it is written ([`choose`]), so that any model, however small,
//! answers with an array that [`crate::language::protocol`] reads without problems; whether it is the right one is
//! another question. The KV cache of the prompt's constant prefix is kept between sentences and computed in the idle time
//! after it changed; a sentence nobody waits for any more is given up within one layer of one token. There is one such
//! cache, and it is that of the prefix last prepared: another prefix has it for as long as its sentence takes.

mod architecture;
mod decoder;
mod engine;
mod error;
mod generate;
mod gguf;
mod grammar;
mod template;
#[cfg(test)]
mod tests;
mod vocabulary;
mod worker;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use tokio::sync::oneshot;

pub use decoder::{Cache, Decoder, Stopped};
pub use error::LocalError;
pub use generate::choose;
pub use grammar::Position;
pub use vocabulary::TokenBytes;

use super::{Answering, Client, LlmError, Prompt};
use engine::Failure;
use worker::{Job, Task};

/// Sentences that may wait while one is answered. More cannot be answered before their deadlines anyway.
const QUEUE: usize = 4;

/// What a local model is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalSettings {
    /// The name it has in the configuration, in counters and in the log.
    pub name: String,
    /// The GGUF file.
    pub model: PathBuf,
    /// Its `tokenizer.json`. Without one: the `tokenizer.json` beside the model; without that: what the model's metadata
    /// say, if it is a byte-level tokenizer.
    pub tokenizer: Option<PathBuf>,
    /// Tokens that prompt and answer may have together, if the model takes so many. Positions are prepared for them.
    pub context: usize,
    /// Tokens that an answer may have. One that would be longer is `UNKNOWN`.
    pub max_tokens: usize,
}

impl LocalSettings {
    /// A model with the usual limits.
    pub fn new(name: &str, model: PathBuf) -> Self {
        Self { name: name.to_owned(), model, tokenizer: None, context: 4096, max_tokens: 256 }
    }
}

/// A handle to the thread that owns the model. Dropping it stops the thread within one layer of one token.
#[derive(Debug)]
pub struct LocalModel {
    name: String,
    tasks: Option<SyncSender<Task>>,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl LocalModel {
    /// Loads the model on a thread of its own, which then serves. Blocks while it loads.
    ///
    /// # Errors
    /// Whatever is wrong with the files, see [`LocalError`]. Nothing in them makes this panic, or take more memory than
    /// a few times their length.
    pub fn open(settings: &LocalSettings) -> Result<Self, LocalError> {
        let stopping = Arc::new(AtomicBool::new(false));
        let (tasks, queue) = mpsc::sync_channel(QUEUE);
        let (loaded, outcome) = mpsc::sync_channel(1);
        let io = |source| LocalError::io(&settings.model, source);
        let thread = thread::Builder::new().name("language-model".into()).spawn({
            let (settings, stopping) = (settings.clone(), stopping.clone());
            move || worker::live(&settings, &queue, &stopping, &loaded)
        });
        let thread = thread.map_err(io)?;
        outcome.recv().map_err(|_| io(io::Error::other("the model's thread ended")))??;
        Ok(Self { name: settings.name.clone(), tasks: Some(tasks), stopping, thread: Some(thread) })
    }
}

impl Client for LocalModel {
    fn name(&self) -> &str {
        &self.name
    }

    /// Has the KV cache of a prefix computed as soon as there is nothing to answer: at the start, and when the home
    /// changed. Without it, the first sentence waits for it, or leaves it to the next ones if its deadline is shorter.
    fn prepare(&self, prefix: &Arc<str>) {
        if let Some(tasks) = &self.tasks {
            // With the queue full, the sentences in it bring the prefix themselves.
            let _ = tasks.try_send(Task::Prepare(Arc::clone(prefix)));
        }
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt, deadline: Instant) -> Answering<'a> {
        Box::pin(async move {
            let client = || self.name.clone();
            let (answer, outcome) = oneshot::channel();
            let begun = Arc::new(AtomicBool::new(false));
            let job =
                Job { prompt: prompt.clone(), asked: Instant::now(), deadline, begun: Arc::clone(&begun), answer };
            match self.tasks.as_ref().map(|tasks| tasks.try_send(Task::Ask(job))) {
                Some(Ok(())) => {}
                Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_))) | None => {
                    return Err(LlmError::Busy { client: client() });
                }
            }
            match tokio::time::timeout_at(deadline.into(), outcome).await {
                // Whoever only waited in line, or for the prefix, learned nothing about the model.
                Err(_) | Ok(Ok(Err(Failure::Stopped))) if !begun.load(Ordering::Relaxed) => {
                    Err(LlmError::Busy { client: client() })
                }
                Err(_) | Ok(Ok(Err(Failure::Stopped))) => Err(LlmError::Deadline { client: client() }),
                Ok(Err(_)) => Err(LlmError::Busy { client: client() }),
                Ok(Ok(Err(failure @ Failure::TooLong { .. }))) => {
                    Err(LlmError::TooLong { client: client(), reason: failure.to_string() })
                }
                Ok(Ok(Err(failure))) => {
                    Err(LlmError::Unreachable { client: client(), reason: failure.to_string(), again: false })
                }
                Ok(Ok(Ok(completion))) => Ok(completion),
            }
        })
    }
}

impl Drop for LocalModel {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        drop(self.tasks.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
