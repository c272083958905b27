//! The one database of the daemon: home, live state, pages, outbox and audit trail under one state directory.
//!
//! ```text
//! STATE/lock            held while the store is open
//! STATE/database/       sled
//! STATE/sentinel.json   what the database must hold at least
//! STATE/registry.json   a copy of the home document
//! STATE/hub-….json      copies of what hubs brought, for readers beside the daemon
//! STATE/hubs.json       how hubs are, for readers beside the daemon
//! STATE/jobs.json       a copy of what is to be done later, for readers beside the daemon
//! STATE/audit.jsonl     a copy of the audit trail, for readers beside the daemon
//! STATE/starting.json   starts in a row that ended before the home was served
//! STATE/quarantine-…/   databases that were set aside because they were damaged
//! ```
//!
//! **When data is safe.** Every `put_…`, `push_…`, `append_…`, `delete_…` and `remove_…` is visible at once and
//! survives nothing until [`Store::commit`] has returned `Ok`: then it survives `kill -9` and a power cut. Commits that
//! arrive together share one flush, so write a batch and commit once. [`Store::save_registry`] commits by itself.
//!
//! **After an error** of the disk, sled takes no more writes. What was committed is still readable, and with a later
//! write or commit the store opens sled again, writes what was taken but not committed once more, and goes on.
//!
//! All calls wait for the disk: call them from a thread that may block.

mod database;
mod error;
mod files;
mod hard;
mod jobs;
mod learning;
mod open;
mod parts;
mod pending;
mod registry;
mod reopen;
mod rows;
mod salvage;
mod shares;
mod starts;
mod trail;
mod uses;
mod vectors;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

pub use self::error::StoreError;
pub use self::files::{read_home, read_hubs, write_hubs};
pub use self::jobs::JobRow;
pub use self::learning::Refused;
use self::open::DirLock;
pub use self::open::{Found, Lost, OpenReport, inspect};
pub use self::parts::read_parts;
pub use self::rows::{MAX_ASKED, MAX_AUDIT, MAX_OUTBOX, MAX_PAGES, MAX_ROW_BYTES, StoredState};
pub use self::salvage::Kept;
pub use self::starts::MAX_STARTS;
pub use self::trail::read_trail;
pub use self::uses::UsesRows;
pub use self::vectors::MAX_VECTORS;

use self::database::Database;
use self::files::{Copy, Sentinel};
use self::pending::Pending;
use self::reopen::Failure;
use self::rows::Sequences;
use self::trail::Trail;

/// The layout of the database that this version reads and writes.
pub const SCHEMA: u64 = 2;

/// How far the sentinel may lag behind the commits.
const SENTINEL_EVERY: Duration = Duration::from_secs(30);

/// The open store. One process holds it at a time; its threads share it.
///
/// Locks are taken in the order of the fields.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    trail: Trail,
    progress: Mutex<Progress>,
    sequences: Mutex<Sequences>,
    /// `None` while it could not be opened again after a failure.
    database: RwLock<Option<Database>>,
    pending: Mutex<Pending>,
    /// The last failure of the disk, until the database was opened again.
    failure: Mutex<Option<Failure>>,
    /// Last, so that it is given back when everything else is closed.
    _lock: DirLock,
}

#[derive(Debug)]
struct Progress {
    /// What is on the disk, of which the sentinel file may know less.
    sentinel: Sentinel,
    sentinel_written: Instant,
}

impl Store {
    /// Opens the store in a state directory, creating it if need be.
    ///
    /// A database that is damaged, or holds less than was acknowledged, is set aside and a new one begun with the last
    /// home and whatever can be read of the old one; [`OpenReport::lost`] says so.
    ///
    /// # Errors
    /// [`StoreError::Locked`], [`StoreError::NewerSchema`], and [`StoreError::Io`] when the disk refuses.
    pub fn open(dir: &Path) -> Result<(Self, OpenReport), StoreError> {
        let opened = open::open(dir)?;
        let store = Self {
            dir: dir.to_owned(),
            trail: Trail::new(dir),
            progress: Mutex::new(Progress { sentinel: opened.sentinel, sentinel_written: Instant::now() }),
            sequences: Mutex::new(Sequences::read(&opened.database)?),
            database: RwLock::new(Some(opened.database)),
            pending: Mutex::default(),
            failure: Mutex::new(None),
            _lock: opened.lock,
        };
        store.copy_trail();
        Ok((store, opened.report))
    }

    /// Makes everything written so far safe.
    ///
    /// # Errors
    /// When the disk refuses; what was committed before is still there, and a later commit tries again.
    pub fn commit(&self) -> Result<(), StoreError> {
        let mine = guard(&self.pending).taken();
        let mut progress = guard(&self.progress);
        // Whoever held the lock before may have taken these writes along.
        if guard(&self.pending).flushed() >= mine {
            return Ok(());
        }
        self.recover(&mut progress);
        self.flush(&mut progress)
    }

    fn flush(&self, progress: &mut Progress) -> Result<(), StoreError> {
        let commits = progress.sentinel.commits + 1;
        let taken = guard(&self.pending).taken();
        self.write(|database| {
            database.set("commits", &commits.to_be_bytes())?;
            database.flush()
        })?;
        guard(&self.pending).flushed_until(taken);
        progress.sentinel.commits = commits;
        if progress.sentinel_written.elapsed() >= SENTINEL_EVERY {
            self.write_sentinel(progress);
        }
        Ok(())
    }

    /// The data is safe already: a sentinel that lags behind is worth a warning, no more.
    fn write_sentinel(&self, progress: &mut Progress) {
        progress.sentinel_written = Instant::now();
        if let Err(error) = files::write(&self.dir.join(Sentinel::FILE), &progress.sentinel) {
            tracing::warn!(%error, "the sentinel could not be written");
        }
    }

    /// Replaces the home document and gives it the next revision. Safe on return.
    ///
    /// # Errors
    /// When the disk refuses: this process goes on with the document before; the next one may find either.
    pub fn save_registry(&self, document: &str) -> Result<u64, StoreError> {
        let mut progress = guard(&self.progress);
        self.recover(&mut progress);
        let revision = progress.sentinel.revision + 1;
        self.write(|database| registry::put(database, revision, document))?;
        self.flush(&mut progress)?;
        progress.sentinel.revision = revision;
        let copy = Copy { revision, document: document.to_owned() };
        if let Err(error) = files::write(&self.dir.join(Copy::FILE), &copy) {
            tracing::warn!(%error, "the copy of the home could not be written");
        }
        self.write_sentinel(&mut progress);
        // Old pieces do no harm: whoever saves next removes what is left.
        if let Err(error) = self.write(|database| registry::remove(database, |r| r < revision)) {
            tracing::warn!(%error, "the home before could not be removed");
        }
        Ok(revision)
    }

    /// The home document and its revision.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn load_registry(&self) -> Result<Option<(u64, String)>, StoreError> {
        self.read(registry::get)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Err(error) = self.commit() {
            tracing::warn!(%error, "the store was closed with uncommitted writes");
        }
        let mut progress = guard(&self.progress);
        self.write_sentinel(&mut progress);
    }
}

/// A lock whose holder panicked is taken all the same: every field is set only after what it tells of has happened.
fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
