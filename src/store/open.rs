//! Opening a state directory: what must be there is checked, and what was lost is set aside, restored and reported.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::database::Database;
use super::files::{self, Copy, Sentinel};
use super::salvage::{self, Kept};
use super::{SCHEMA, StoreError, registry, trail};

/// How many databases that were set aside are kept; the oldest go.
const QUARANTINES: usize = 3;

/// How opening the store went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// The registry revision that is there now; 0 when there is none.
    pub revision: u64,
    /// Set when the database was damaged or incomplete and a new one was begun.
    pub lost: Option<Lost>,
    /// Other things that a person should know, e.g. a missing copy that was written anew.
    pub notes: Vec<String>,
}

/// A database that could not be used any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// What was wrong with it.
    pub reason: String,
    /// The folder it was set aside in.
    pub quarantine: PathBuf,
    /// The registry revision it had held, as far as known; 0 when it held none.
    pub had_revision: u64,
    /// The registry revision that was restored, out of it or from the copy; `None` when there was nothing to restore.
    pub restored_revision: Option<u64>,
    /// Entries of the audit trail that were restored, out of it or from its copy.
    pub restored_audit: usize,
    /// What else was taken over out of it; `None` when it could not be read, or was older than what was acknowledged.
    pub kept: Option<Kept>,
}

/// What is in a state directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing yet.
    Nothing,
    /// A store that a process has open.
    InUse,
    /// Another user's store: opening it would leave files behind that its owner cannot read.
    Foreign,
    /// A store that holds what it must.
    Whole {
        /// The registry revision; 0 when there is no home.
        revision: u64,
    },
}

/// Looks at a state directory without setting aside or restoring anything.
///
/// # Errors
/// [`StoreError::NewerSchema`], [`StoreError::Damaged`], and [`StoreError::Io`] when the disk refuses.
pub fn inspect(dir: &Path) -> Result<Found, StoreError> {
    let path = dir.join("lock");
    let lock = match File::open(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Found::Nothing),
        other => other.map_err(StoreError::io(&path, "open"))?,
    };
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(Found::InUse),
        Err(TryLockError::Error(error)) => return Err(StoreError::io(&path, "lock")(error)),
    }
    // Held until the end, so that no daemon opens the database meanwhile.
    let _lock = DirLock(lock);
    let mut notes = Vec::new();
    let sentinel: Option<Sentinel> = optional(dir, Sentinel::FILE, &mut notes)?;
    let copy: Option<Copy> = optional(dir, Copy::FILE, &mut notes)?;
    if let Some(sentinel) = &sentinel {
        check_schema(dir, sentinel.schema)?;
    }
    let owner = fs::metadata(dir).map_err(StoreError::io(dir, "read"))?.uid();
    if fs::metadata("/proc/self").is_ok_and(|me| me.uid() != owner) {
        return Ok(Found::Foreign);
    }
    let path = dir.join("database");
    if !path.exists() {
        return Err(StoreError::Damaged { path, reason: "it is not there".into() });
    }
    let database = Database::open(&path)?;
    check_schema(dir, database.number("schema")?)?;
    check(&database, sentinel.as_ref(), copy.as_ref())?;
    Ok(Found::Whole { revision: registry::revision(&database)? })
}

/// A state directory that was opened.
pub(super) struct Opened {
    pub(super) lock: DirLock,
    pub(super) database: Database,
    pub(super) sentinel: Sentinel,
    pub(super) report: OpenReport,
}

/// Opens a state directory, creating what is not there.
pub(super) fn open(dir: &Path) -> Result<Opened, StoreError> {
    fs::create_dir_all(dir).map_err(StoreError::io(dir, "create"))?;
    let lock = lock(dir)?;
    let mut report = OpenReport::default();
    let sentinel: Option<Sentinel> = optional(dir, Sentinel::FILE, &mut report.notes)?;
    let copy: Option<Copy> = optional(dir, Copy::FILE, &mut report.notes)?;
    if let Some(sentinel) = &sentinel {
        check_schema(dir, sentinel.schema)?;
    }

    let path = dir.join("database");
    let opened = Database::open(&path).and_then(|database| {
        check_schema(dir, database.number("schema")?)?;
        check(&database, sentinel.as_ref(), copy.as_ref())?;
        Ok(database)
    });
    let database = match opened {
        Err(StoreError::Damaged { reason, .. }) => {
            let quarantine = set_aside(dir, &path)?;
            // Worth a word, and no reason to serve nobody.
            report.notes.extend(trail::keep_beside(dir, &quarantine).err().map(|error| error.to_string()));
            let database = Database::open(&path)?;
            let kept = take_over(dir, &database, sentinel.as_ref())?;
            if let Some(copy) = &copy
                && registry::get(&database)?.is_none_or(|(revision, _)| revision < copy.revision)
            {
                registry::put(&database, copy.revision, &copy.document)?;
            }
            report.lost = Some(Lost {
                reason,
                quarantine,
                had_revision: sentinel.as_ref().map_or(0, |s| s.revision).max(copy.as_ref().map_or(0, |c| c.revision)),
                restored_revision: registry::get(&database)?.map(|(revision, _)| revision),
                restored_audit: 0,
                kept,
            });
            database
        }
        other => other?,
    };

    let new = database.note("id")?.is_none();
    if new {
        // Before the database has its name: until then it counts as empty, and all of this is done once more.
        let restored = trail::restore(&database, dir)?;
        match &mut report.lost {
            Some(lost) => lost.restored_audit = restored,
            None if restored > 0 => {
                report.notes.push(format!("there was no database; {restored} audit entries are from the copy"));
            }
            None => {}
        }
    }
    // Rows of the version before are read where they can be and dropped with a word where not; it could not read ours.
    database.set("schema", &SCHEMA.to_be_bytes())?;
    if new {
        database.set("id", new_id().as_bytes())?;
    }
    database.flush()?;
    report.revision = registry::revision(&database)?;
    if let Some((revision, document)) = registry::get(&database)?
        && copy.is_none_or(|copy| copy.revision != revision)
    {
        report.notes.push(match files::write(&dir.join(Copy::FILE), &Copy { revision, document }) {
            Ok(()) => format!("{} was written anew for revision {revision}", Copy::FILE),
            Err(error) => error.to_string(),
        });
    }
    let now = Sentinel {
        schema: SCHEMA,
        database: id(&database)?,
        revision: report.revision,
        commits: database.number("commits")?,
    };
    if sentinel.as_ref() != Some(&now) {
        match files::write(&dir.join(Sentinel::FILE), &now) {
            // An older sentinel of the same database asks for less, but one of another would have this one set aside.
            Err(error) if !new => report.notes.push(error.to_string()),
            other => other?,
        }
    }
    Ok(Opened { lock, database, sentinel: now, report })
}

/// The held lock of a state directory.
#[derive(Debug)]
pub(super) struct DirLock(File);

impl Drop for DirLock {
    fn drop(&mut self) {
        // Closing alone would not do while a child that was forked a moment ago still has a copy of the descriptor.
        let _ = self.0.unlock();
    }
}

fn lock(dir: &Path) -> Result<DirLock, StoreError> {
    let path = dir.join("lock");
    let file = File::create(&path).map_err(StoreError::io(&path, "create"))?;
    match file.try_lock() {
        Ok(()) => Ok(DirLock(file)),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: dir.to_owned() }),
        Err(TryLockError::Error(e)) => Err(StoreError::io(&path, "lock")(e)),
    }
}

/// One of the files beside the database; a damaged one is noted and counts as missing.
fn optional<T: serde::de::DeserializeOwned>(
    dir: &Path,
    name: &str,
    notes: &mut Vec<String>,
) -> Result<Option<T>, StoreError> {
    match files::read(&dir.join(name)) {
        Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::InvalidData => {
            notes.push(format!("{name} is damaged: {source}"));
            Ok(None)
        }
        other => other,
    }
}

fn check_schema(dir: &Path, found: u64) -> Result<(), StoreError> {
    if found > SCHEMA {
        return Err(StoreError::NewerSchema { path: dir.to_owned(), found, supported: SCHEMA });
    }
    Ok(())
}

/// Refuses a database that holds less than it must.
pub(super) fn check(database: &Database, sentinel: Option<&Sentinel>, copy: Option<&Copy>) -> Result<(), StoreError> {
    let revision = registry::revision(database)?;
    registry::get(database)?;
    check_age(database, sentinel)?;
    let known = sentinel.map_or(0, |s| s.revision).max(copy.map_or(0, |c| c.revision));
    if revision < known {
        return Err(database.damaged(format!("it has registry revision {revision} instead of {known}")));
    }
    Ok(())
}

/// Refuses another database than the one before, and one that stands where that one stood earlier.
pub(super) fn check_age(database: &Database, sentinel: Option<&Sentinel>) -> Result<(), StoreError> {
    if let Some(sentinel) = sentinel {
        if database.note("id")?.is_none() {
            return Err(database.damaged("it is empty"));
        }
        if id(database)? != sentinel.database {
            return Err(database.damaged("it is another database than before"));
        }
        let commits = database.number("commits")?;
        if commits < sentinel.commits {
            return Err(database.damaged(format!("{} commits are missing", sentinel.commits - commits)));
        }
    }
    Ok(())
}

fn id(database: &Database) -> Result<String, StoreError> {
    let id = database.note("id")?.unwrap_or_default();
    String::from_utf8(id).map_err(|_| database.damaged("its id is no text"))
}

/// Tells this database from every other one on this machine; it need not be secret.
fn new_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{:x}", now.as_nanos(), std::process::id())
}

/// The databases that were set aside with their numbers, the oldest first.
fn quarantines(dir: &Path) -> Result<Vec<(u128, PathBuf)>, StoreError> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(dir).map_err(StoreError::io(dir, "list"))? {
        let path = entry.map_err(StoreError::io(dir, "list"))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if let Some(number) = name.strip_prefix("quarantine-").and_then(|number| number.parse::<u128>().ok()) {
            kept.push((number, path));
        }
    }
    kept.sort();
    Ok(kept)
}

/// Takes over what can be read of the database that was just set aside. If that is what an earlier start was killed over while
/// it did the same, the one before is the one that it came from: the sentinel knows it.
fn take_over(dir: &Path, into: &Database, sentinel: Option<&Sentinel>) -> Result<Option<Kept>, StoreError> {
    let candidates = if sentinel.is_some() { QUARANTINES } else { 1 };
    for (_, from) in quarantines(dir)?.iter().rev().take(candidates) {
        if let Some(kept) = salvage::take_over(from, into, sentinel)? {
            return Ok(Some(kept));
        }
    }
    Ok(None)
}

/// Renames the database folder, keeping the last few.
fn set_aside(dir: &Path, database: &Path) -> Result<PathBuf, StoreError> {
    let kept = quarantines(dir)?;
    // Whatever the wall clock says now, the newest has the highest number.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let number = kept.last().map_or(now, |(last, _)| now.max(last + 1));
    let quarantine = dir.join(format!("quarantine-{number}"));
    fs::rename(database, &quarantine).map_err(StoreError::io(database, "set aside"))?;
    files::sync_folder(dir)?;
    for (_, old) in kept.iter().rev().skip(QUARANTINES - 1) {
        fs::remove_dir_all(old).map_err(StoreError::io(old, "remove"))?;
    }
    Ok(quarantine)
}
