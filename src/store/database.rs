//! sled, opened so that damage is an error and flushed so that it reaches the disk.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use sled::Tree;

use super::StoreError;
use super::files::sync_folder;

/// Page cache in bytes; sled's own default is 1 GiB.
const CACHE_BYTES: u64 = 4 * 1024 * 1024;

/// How long sled's threads may take to let go of a database that was closed.
const CLOSING: Duration = Duration::from_secs(5);

/// An open database and its trees.
#[derive(Debug)]
pub(super) struct Database {
    path: PathBuf,
    db: sled::Db,
    /// sled's log, for fsync: sled itself only hands pages to the kernel.
    log: File,
    /// Blob files that are known to be on the disk.
    blobs: Mutex<HashSet<PathBuf>>,
    /// Schema, id, counters, and where the registry stands.
    pub(super) meta: Tree,
    /// Home documents in pieces.
    pub(super) registry: Tree,
    /// What hubs brought, in pieces.
    pub(super) parts: Tree,
    state: Tree,
    pages: Tree,
    outbox: Tree,
    audit: Tree,
    jobs: Tree,
    uses: Tree,
    /// Vectors of texts, by the key of `embedding::cache`: a cache, which may lose rows.
    pub(super) vectors: Tree,
    /// Sentences that were hard to understand, by sequence number: a collection, which may lose rows.
    pub(super) hard: Tree,
    /// Sentences that were not understood, by what was said; may lose rows.
    pub(super) refused: Tree,
    /// Names that were asked about, with their devices: when.
    pub(super) asked: Tree,
    /// Rows of `vectors`: sled counts by reading all of them.
    pub(super) vector_count: AtomicUsize,
}

/// The trees that hold rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Reported state by device id.
    State,
    /// Dialogue pages by page id.
    Pages,
    /// Instructs on their way, by sequence number.
    Outbox,
    /// What was done, by sequence number.
    Audit,
    /// What is to be done later, by its id.
    Jobs,
    /// How often devices were used, by device id.
    Uses,
}

impl Database {
    /// Opens or creates the database and reads every row once.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when anything in it cannot be read, [`StoreError::Io`] when the disk refuses.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        // sled panics on some kinds of damage that it could name.
        catch_unwind(AssertUnwindSafe(|| {
            let mut database = Self::open_unread(path)?;
            database.verify()?;
            Ok(database)
        }))
        .unwrap_or_else(|panic| {
            let message = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            Err(StoreError::Damaged { path: path.to_owned(), reason: format!("sled panicked: {message}") })
        })
    }

    /// Opens or creates the database and reads no rows: whatever is read of it later may be damaged.
    ///
    /// # Errors
    /// As [`Database::open`]; sled panics on some kinds of damage.
    #[expect(clippy::disallowed_methods, reason = "opening blocks anyway, and sled has no event to wait for")]
    pub(super) fn open_unread(path: &Path) -> Result<Self, StoreError> {
        remove_drafts(path)?;
        let config = sled::Config::new().path(path).cache_capacity(CACHE_BYTES);
        let started = Instant::now();
        let db = loop {
            match config.open() {
                // The state directory is locked, so this is the same process still closing the database.
                Err(sled::Error::Io(e)) if e.to_string().contains("acquire lock") && started.elapsed() < CLOSING => {
                    thread::sleep(Duration::from_millis(10));
                }
                other => break other.map_err(StoreError::sled(path, "open"))?,
            }
        };
        let tree = |name: &str| db.open_tree(name).map_err(StoreError::sled(path, "open a tree of"));
        let log = path.join("db");
        let database = Self {
            path: path.to_owned(),
            log: File::open(&log).map_err(StoreError::io(&log, "open"))?,
            blobs: Mutex::default(),
            meta: tree("meta")?,
            registry: tree("registry")?,
            parts: tree("parts")?,
            state: tree("state")?,
            pages: tree("pages")?,
            outbox: tree("outbox")?,
            audit: tree("audit")?,
            jobs: tree("jobs")?,
            uses: tree("uses")?,
            vector_count: AtomicUsize::new(0),
            vectors: tree("vectors")?,
            hard: tree("hard")?,
            refused: tree("refused")?,
            asked: tree("asked")?,
            db,
        };
        // sled has renamed a new snapshot into place without making the name durable.
        sync_folder(path)?;
        Ok(database)
    }

    /// Reads everything, so that damage shows now and not in the middle of the night. What is damaged has no end: sled gives
    /// the same error for ever.
    fn verify(&mut self) -> Result<(), StoreError> {
        for (_, tree) in self.trees() {
            for row in tree {
                row.map_err(self.failed("read"))?;
            }
        }
        self.vector_count = AtomicUsize::new(self.vectors.len());
        Ok(())
    }

    /// All tables, by their names.
    pub(super) fn trees(&self) -> [(&'static str, &Tree); 13] {
        [
            ("meta", &self.meta),
            ("registry", &self.registry),
            ("parts", &self.parts),
            ("state", &self.state),
            ("pages", &self.pages),
            ("outbox", &self.outbox),
            ("audit", &self.audit),
            ("jobs", &self.jobs),
            ("uses", &self.uses),
            ("vectors", &self.vectors),
            ("hard", &self.hard),
            ("refused", &self.refused),
            ("asked", &self.asked),
        ]
    }

    /// Brings everything written so far to the disk.
    pub(super) fn flush(&self) -> Result<(), StoreError> {
        self.db.flush().map_err(self.failed("flush"))?;
        self.sync_blobs()?;
        self.log.sync_all().map_err(StoreError::io(&self.path.join("db"), "sync"))
    }

    /// sled writes a node of more than 128 KiB to a file of its own and never syncs it. Such nodes are rare, because rows
    /// are small; their files are written once.
    fn sync_blobs(&self) -> Result<(), StoreError> {
        let folder = self.path.join("blobs");
        let mut known = self.blobs.lock().unwrap_or_else(PoisonError::into_inner);
        let mut now = HashSet::new();
        for entry in fs::read_dir(&folder).map_err(StoreError::io(&folder, "list"))? {
            let path = entry.map_err(StoreError::io(&folder, "list"))?.path();
            if !known.contains(&path) {
                match File::open(&path).and_then(|blob| blob.sync_all()) {
                    // sled's cleaner was faster.
                    Err(e) if e.kind() == ErrorKind::NotFound => continue,
                    other => other.map_err(StoreError::io(&path, "sync"))?,
                }
            }
            now.insert(path);
        }
        if !now.is_subset(&known) {
            sync_folder(&folder)?;
        }
        *known = now;
        Ok(())
    }

    /// For `map_err` on operations of the trees.
    pub(super) fn failed(&self, action: &'static str) -> impl FnOnce(sled::Error) -> StoreError {
        StoreError::sled(&self.path, action)
    }

    /// The tree of a part.
    pub(super) fn part(&self, part: Part) -> &Tree {
        match part {
            Part::State => &self.state,
            Part::Pages => &self.pages,
            Part::Outbox => &self.outbox,
            Part::Audit => &self.audit,
            Part::Jobs => &self.jobs,
            Part::Uses => &self.uses,
        }
    }

    /// A value of `meta`.
    pub(super) fn note(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.meta.get(key).map_err(self.failed("read"))?.map(|bytes| bytes.to_vec()))
    }

    /// A number of `meta`; 0 when it is not there.
    pub(super) fn number(&self, key: &str) -> Result<u64, StoreError> {
        match self.note(key)? {
            None => Ok(0),
            Some(bytes) => decode(&bytes).ok_or_else(|| self.damaged(format!("{key} is no number"))),
        }
    }

    /// The values of `meta` whose keys begin so, with the rest of their keys.
    pub(super) fn notes(&self, prefix: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let rows = self.meta.scan_prefix(prefix).map(|row| {
            let (key, value) = row.map_err(self.failed("read"))?;
            let rest = String::from_utf8(key[prefix.len()..].to_vec()).map_err(|_| self.damaged("a key is no text"))?;
            Ok((rest, value.to_vec()))
        });
        rows.collect()
    }

    /// Removes a value of `meta`.
    pub(super) fn unset(&self, key: &str) -> Result<(), StoreError> {
        self.meta.remove(key).map_err(self.failed("remove")).map(drop)
    }

    /// Sets a value of `meta`.
    pub(super) fn set(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.meta.insert(key, value).map_err(self.failed("write")).map(drop)
    }

    pub(super) fn damaged(&self, reason: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), reason: reason.into() }
    }
}

/// A sequence number or counter from its bytes.
pub(super) fn decode(bytes: &[u8]) -> Option<u64> {
    bytes.try_into().ok().map(u64::from_be_bytes)
}

/// Removes snapshots that sled was killed while writing: it would take them for damaged ones. The last whole snapshot
/// is still there, because sled removes it only after the new one has its name.
fn remove_drafts(path: &Path) -> Result<(), StoreError> {
    let Ok(folder) = fs::read_dir(path) else { return Ok(()) };
    for entry in folder {
        let draft = entry.map_err(StoreError::io(path, "list"))?.path();
        if draft.extension().is_some_and(|extension| extension == "generating") {
            fs::remove_file(&draft).map_err(StoreError::io(&draft, "remove"))?;
        }
    }
    Ok(())
}
