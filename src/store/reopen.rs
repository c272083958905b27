//! Going on after the disk refused: sled keeps its first error for good, so it is closed and opened again.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::database::Database;
use super::rows::Sequences;
use super::{Progress, Store, StoreError, guard};

/// How long to leave a failing disk alone.
const PAUSE: Duration = Duration::from_secs(1);

/// Free space that makes it worth while to open the database again, in bytes: two of sled's segments.
const PROBE_BYTES: usize = 1024 * 1024;

/// Why the database takes no writes.
#[derive(Debug)]
pub(super) struct Failure {
    at: Instant,
    path: PathBuf,
    kind: io::ErrorKind,
    reason: String,
}

impl Failure {
    fn new(error: &StoreError, store: &Store) -> Self {
        let (path, kind) = match error {
            StoreError::Io { path, source, .. } => (path.clone(), source.kind()),
            _ => (store.dir.clone(), io::ErrorKind::Other),
        };
        Self { at: Instant::now(), path, kind, reason: error.to_string() }
    }

    fn error(&self) -> StoreError {
        let source = io::Error::new(self.kind, format!("an earlier write failed: {}", self.reason));
        StoreError::Io { path: self.path.clone(), action: "write", source }
    }
}

impl Store {
    /// Reads from the database.
    pub(super) fn read<T>(&self, read: impl FnOnce(&Database) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        match &*database {
            Some(database) => read(database),
            None => Err(self.refusal()),
        }
    }

    /// Writes to the database. After a failure nothing is written until [`Store::recover`] has opened it again: a disk
    /// that failed once may say yes the next time without having written anything.
    pub(super) fn write<T>(&self, write: impl FnOnce(&Database) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if guard(&self.failure).is_some() {
            return Err(self.refusal());
        }
        self.read(write).inspect_err(|error| {
            guard(&self.failure).get_or_insert_with(|| Failure::new(error, self));
        })
    }

    fn refusal(&self) -> StoreError {
        match &*guard(&self.failure) {
            Some(failure) => failure.error(),
            None => StoreError::Damaged { path: self.dir.clone(), reason: "it is closed".to_owned() },
        }
    }

    /// Whether a failure is there and it is time to try again.
    pub(super) fn may_recover(&self) -> bool {
        guard(&self.failure).as_ref().is_some_and(|failure| failure.at.elapsed() >= PAUSE)
    }

    /// Opens the database again if an earlier write failed and the disk has space again. If that fails too, the failure
    /// stays and the next write names it.
    pub(super) fn recover(&self, progress: &mut Progress) {
        if !self.may_recover() {
            return;
        }
        let mut sequences = guard(&self.sequences);
        match self.probe().and_then(|()| self.reopen(progress)) {
            Ok(reopened) => {
                *sequences = reopened;
                *guard(&self.failure) = None;
                tracing::info!("the store takes writes again");
            }
            Err(error) => *guard(&self.failure) = Some(Failure::new(&error, self)),
        }
    }

    /// While the disk is still full, the old database stays open for reading.
    fn probe(&self) -> Result<(), StoreError> {
        let path = self.dir.join("probe.tmp");
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(&vec![0; PROBE_BYTES])?;
            file.sync_all()
        });
        let removed = fs::remove_file(&path);
        written.and(removed).map_err(StoreError::io(&path, "write"))
    }

    fn reopen(&self, progress: &Progress) -> Result<Sequences, StoreError> {
        let mut slot = self.database.write().unwrap_or_else(PoisonError::into_inner);
        *slot = None;
        let database = Database::open(&self.dir.join("database"))?;
        super::open::check(&database, Some(&progress.sentinel), None)?;
        guard(&self.pending).apply(&database)?;
        let sequences = Sequences::read(&database)?;
        *slot = Some(database);
        Ok(sequences)
    }
}
