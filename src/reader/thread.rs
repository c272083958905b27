//! The scorer's own thread: candle hands larger products to the threads of the pool that it is called from, and whoever reads a
//! sentence belongs to none.

use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;
use std::{io, thread};

use tracing::error;

use super::chain::Chain;
use super::pieces::{Pieces, Seen};
use super::scorer::Scorer;
use crate::embedding::ModelError;
use crate::language::segment::Token;

/// Sentences that may wait. More than this cannot be answered in time anyway.
const WAITING: usize = 16;

/// How long a sentence waits: many times what one takes on a gateway.
const PATIENCE: Duration = Duration::from_millis(500);

/// What is asked of the thread, and where it answers.
type Job = (Seen, mpsc::SyncSender<Option<Chain>>);

/// A handle to the thread that owns a scorer, which ends with it.
#[derive(Debug)]
pub(super) struct Thread {
    pieces: Pieces,
    jobs: mpsc::SyncSender<Job>,
}

impl Thread {
    /// Reads a scorer on a thread of its own, which then serves; `path` stands in errors. Blocks while it is read.
    ///
    /// # Errors
    /// See [`Scorer::read`]; and if the system gives no thread.
    pub(super) fn start(path: PathBuf, bytes: Vec<u8>) -> Result<Self, ModelError> {
        let (jobs, work) = mpsc::sync_channel(WAITING);
        let (ready, outcome) = mpsc::sync_channel(1);
        let io = |source| ModelError::Io { path: path.clone(), source };
        let name = path.clone();
        let started = thread::Builder::new().name("reader".into()).spawn(move || {
            // With this thread as the only one of a pool of its own, products stay on it.
            let _pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            match Scorer::read(&name, &bytes) {
                Ok((scorer, pieces)) => {
                    drop(bytes);
                    let _ = ready.send(Ok(pieces));
                    serve(&scorer, &work);
                }
                Err(error) => {
                    let _ = ready.send(Err(error));
                }
            }
        });
        started.map_err(io)?;
        let pieces = outcome.recv().map_err(|_| io(io::Error::other("the reader's thread ended")))??;
        Ok(Self { pieces, jobs })
    }

    /// The chain of a sentence; `None` where it is too long, or there is no time for it.
    pub(super) fn chain(&self, tokens: &[Token]) -> Option<Chain> {
        let (answer, chain) = mpsc::sync_channel(1);
        self.jobs.try_send((self.pieces.see(tokens), answer)).ok()?;
        chain.recv_timeout(PATIENCE).ok()?
    }
}

fn serve(scorer: &Scorer, work: &mpsc::Receiver<Job>) {
    while let Ok((seen, answer)) = work.recv() {
        let _ = answer.send(scored(scorer, &seen));
    }
}

fn scored(scorer: &Scorer, seen: &Seen) -> Option<Chain> {
    // A panic in the kernels costs this sentence its reading, not the daemon its reader.
    match panic::catch_unwind(AssertUnwindSafe(|| scorer.chain(seen))) {
        Ok(Ok(chain)) => chain,
        Ok(Err(error)) => {
            error!(%error, "a sentence was not scored");
            None
        }
        Err(_) => {
            error!("the scorer panicked");
            None
        }
    }
}
