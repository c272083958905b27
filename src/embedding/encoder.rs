//! The encoder's own thread. A forward pass holds its thread for milliseconds, which no async worker can spare.
//!
//! Queries go first: indexing is handed over a few texts at a time, so a phrase waits for one small batch at most.

use std::collections::VecDeque;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tracing::{error, warn};

use super::recent::Recent;
use super::{EncodeError, Kind, Model, ModelError};

/// Queries that may wait. More than this cannot be answered before their deadlines anyway.
const QUERIES: usize = 32;

/// Texts of bulk work that may wait.
const BULK: usize = 64;

/// Queries that are encoded together.
const QUERY_BATCH: usize = 8;

/// Bulk texts that are encoded together: the longest a query waits. A larger batch is hardly faster a text.
const BULK_BATCH: usize = 2;

/// Phrases whose vectors are kept: about a kilobyte each.
const RECENT: usize = 256;

/// The encoder has stopped, or could not encode a text; the log says why.
#[derive(Debug, thiserror::Error)]
#[error("no vector: the encoder stopped or failed on a text")]
pub struct NoVector;

/// What makes vectors. It lives on the encoder's thread and never leaves it.
pub trait Backend {
    /// Length of a vector.
    fn dimensions(&self) -> usize;
    /// What its vectors are kept under: other vectors, another checksum.
    fn checksum(&self) -> [u8; 32];
    /// A vector of unit length for each text, in their order.
    ///
    /// # Errors
    /// A text that cannot be encoded.
    fn encode(&self, texts: &[(Kind, &str)]) -> Result<Vec<Vec<f32>>, EncodeError>;
}

impl Backend for Model {
    fn dimensions(&self) -> usize {
        Self::dimensions(self)
    }

    fn checksum(&self) -> [u8; 32] {
        *Self::checksum(self)
    }

    fn encode(&self, texts: &[(Kind, &str)]) -> Result<Vec<Vec<f32>>, EncodeError> {
        Self::encode(self, texts)
    }
}

/// A handle to the thread that owns the model. Dropping it stops the thread after the batch at hand.
#[derive(Debug)]
pub struct Encoder {
    shared: Arc<Shared>,
    bulk: Arc<Semaphore>,
    recent: Mutex<Recent>,
    dimensions: usize,
    checksum: [u8; 32],
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    work: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    queries: VecDeque<Job>,
    bulk: VecDeque<Job>,
    stopping: bool,
}

#[derive(Debug)]
struct Job {
    kind: Kind,
    text: String,
    answer: oneshot::Sender<Arc<[f32]>>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Nothing panics while it holds the lock; should it ever, the queue is still a queue.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next batch; `None` when it is time to stop.
    fn next(&self) -> Option<Vec<Job>> {
        let mut queue = self.queue();
        loop {
            if queue.stopping {
                return None;
            }
            let (jobs, limit) = match queue.queries.is_empty() {
                false => (&mut queue.queries, QUERY_BATCH),
                true => (&mut queue.bulk, BULK_BATCH),
            };
            let batch: Vec<Job> = jobs.drain(..jobs.len().min(limit)).filter(|job| !job.answer.is_closed()).collect();
            if !batch.is_empty() {
                return Some(batch);
            }
            if queue.queries.is_empty() && queue.bulk.is_empty() {
                queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

impl Encoder {
    /// Loads the model of folder `dir` on a thread of its own, which then serves. Blocks while it loads.
    ///
    /// # Errors
    /// See [`Model::load`]; and if the system gives no thread.
    pub fn load(dir: &Path) -> Result<Self, ModelError> {
        let folder = dir.to_owned();
        Self::start(dir, move || Model::load(&folder))
    }

    /// Makes a backend on a thread of its own, which then serves; `name` stands in errors. Blocks while it is made.
    ///
    /// # Errors
    /// What `make` returns; and if the system gives no thread.
    pub fn start<B: Backend>(
        name: &Path,
        make: impl FnOnce() -> Result<B, ModelError> + Send + 'static,
    ) -> Result<Self, ModelError> {
        let shared = Arc::new(Shared::default());
        let (loaded, outcome) = mpsc::sync_channel(1);
        let io = |source| ModelError::Io { path: name.to_owned(), source };
        let thread = thread::Builder::new().name("encoder".into()).spawn({
            let shared = shared.clone();
            move || live(make, &shared, &loaded)
        });
        let thread = thread.map_err(io)?;
        let gone = |_| io(io::Error::other("the encoder's thread ended"));
        let (dimensions, checksum) = outcome.recv().map_err(gone)??;
        Ok(Self {
            shared,
            bulk: Arc::new(Semaphore::new(BULK)),
            recent: Mutex::new(Recent::new(RECENT)),
            dimensions,
            checksum,
            thread: Some(thread),
        })
    }

    /// Length of a vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// See [`Model::checksum`].
    pub fn checksum(&self) -> &[u8; 32] {
        &self.checksum
    }

    /// The vector of `text`, of unit length, if it is there by `deadline`. `None` is no error: the score does without.
    ///
    /// Vectors of recent texts are kept and come at once.
    pub async fn embed(&self, kind: Kind, text: &str, deadline: Instant) -> Option<Arc<[f32]>> {
        if let Some(vector) = self.recent().get(kind, text) {
            return Some(vector);
        }
        if deadline <= Instant::now() {
            return None;
        }
        let (answer, vector) = oneshot::channel();
        {
            let mut queue = self.shared.queue();
            queue.queries.retain(|job| !job.answer.is_closed());
            if queue.queries.len() >= QUERIES {
                return None;
            }
            queue.queries.push_back(Job { kind, text: text.to_owned(), answer, _permit: None });
        }
        self.shared.work.notify_one();
        let vector = tokio::time::timeout_at(deadline.into(), vector).await.ok()?.ok()?;
        self.recent().put(kind, text, vector.clone());
        Some(vector)
    }

    /// The vectors of all `texts`, in their order, behind whatever queries come meanwhile.
    ///
    /// # Errors
    /// The encoder stopped, or failed on one of the texts.
    pub async fn embed_all(&self, kind: Kind, texts: &[&str]) -> Result<Vec<Arc<[f32]>>, NoVector> {
        let mut answers = VecDeque::new();
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            let permit = self.bulk.clone().acquire_owned().await.map_err(|_| NoVector)?;
            let (answer, vector) = oneshot::channel();
            let job = Job { kind, text: (*text).to_owned(), answer, _permit: Some(permit) };
            self.shared.queue().bulk.push_back(job);
            self.shared.work.notify_one();
            answers.push_back(vector);
        }
        for answer in answers {
            vectors.push(answer.await.map_err(|_| NoVector)?);
        }
        Ok(vectors)
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        self.shared.queue().stopping = true;
        self.shared.work.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread's life: load, report, serve.
fn live<B: Backend>(
    make: impl FnOnce() -> Result<B, ModelError>,
    shared: &Shared,
    loaded: &mpsc::SyncSender<Result<(usize, [u8; 32]), ModelError>>,
) {
    // candle hands its larger products to rayon. With this thread as the only one of a pool of its own, they stay on it,
    // and rayon's global pool, with a thread a processor, is never started.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    if let Err(error) = &pool {
        warn!(%error, "the encoder shares rayon's global threads");
    }
    match make() {
        Ok(model) => {
            let _ = loaded.send(Ok((model.dimensions(), model.checksum())));
            serve(&model, shared);
        }
        Err(error) => {
            let _ = loaded.send(Err(error));
        }
    }
}

fn serve(model: &impl Backend, shared: &Shared) {
    while let Some(batch) = shared.next() {
        let texts: Vec<(Kind, &str)> = batch.iter().map(|job| (job.kind, job.text.as_str())).collect();
        // A panic in the kernels costs this batch its vectors, not the daemon its encoder.
        match panic::catch_unwind(AssertUnwindSafe(|| model.encode(&texts))) {
            Ok(Ok(vectors)) => {
                for (job, vector) in batch.into_iter().zip(vectors) {
                    let _ = job.answer.send(vector.into());
                }
            }
            Ok(Err(error)) => error!(%error, texts = batch.len(), "texts were not encoded"),
            Err(_) => error!(texts = batch.len(), "the encoder panicked"),
        }
    }
}
