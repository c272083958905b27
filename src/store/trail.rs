//! The audit trail as a copy that can be read while the daemon holds the database: one entry a line.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde::de::IgnoredAny;

use super::database::{Database, Part};
use super::files::sync_folder;
use super::shares::Shares;
use super::{MAX_ROW_BYTES, StoreError};

/// Bytes by which the copy may outgrow the entries that are kept, until it is written anew from them.
const MAX_BYTES: u64 = 8 << 20;

/// The copy of the audit trail in a state directory.
#[derive(Debug)]
pub(super) struct Trail {
    path: PathBuf,
    /// How large it may become until it is written anew.
    limit: AtomicU64,
}

impl Trail {
    pub(super) const FILE: &'static str = "audit.jsonl";

    pub(super) fn new(dir: &Path) -> Self {
        Self { path: dir.join(Self::FILE), limit: AtomicU64::new(MAX_BYTES) }
    }

    /// Adds an entry; safe on the disk on return.
    pub(super) fn append(&self, entry: &[u8]) -> Result<(), StoreError> {
        let written = OpenOptions::new().create(true).append(true).open(&self.path).and_then(|mut file| {
            file.write_all(&[entry, b"\n"].concat())?;
            file.sync_data()
        });
        written.map_err(StoreError::io(&self.path, "append to"))
    }

    /// Whether it has grown so far that the oldest entries have to go.
    pub(super) fn is_full(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|meta| meta.len() > self.limit.load(Relaxed))
    }

    /// Writes the copy anew, as a whole.
    pub(super) fn replace(&self, entries: &[(u64, Vec<u8>)]) -> Result<(), StoreError> {
        let draft = self.path.with_extension("tmp");
        let written = File::create(&draft).and_then(|mut file| {
            for (_, entry) in entries {
                file.write_all(&[entry, &b"\n"[..]].concat())?;
            }
            file.sync_all()
        });
        written.map_err(StoreError::io(&draft, "write"))?;
        let bytes: usize = entries.iter().map(|(_, entry)| entry.len() + 1).sum();
        self.limit.store(MAX_BYTES + bytes as u64, Relaxed);
        fs::rename(&draft, &self.path).map_err(StoreError::io(&self.path, "replace"))?;
        self.path.parent().map_or(Ok(()), sync_folder)
    }
}

/// Puts the copy of the trail into a database that has none, as far as it is readable, and returns how many entries there
/// are.
pub(super) fn restore(database: &Database, dir: &Path) -> Result<usize, StoreError> {
    let there = database.part(Part::Audit).len();
    if there > 0 {
        return Ok(there);
    }
    let mut entries = read_trail(dir)?;
    // The last line may have been cut off by the end of the process, any of them be damaged.
    entries.retain(|entry| entry.len() < MAX_ROW_BYTES && serde_json::from_slice::<IgnoredAny>(entry).is_ok());
    let mut shares = Shares::default();
    (0_u64..).zip(&entries).for_each(|(number, entry)| shares.add(number, entry));
    let excess: BTreeSet<u64> = std::iter::from_fn(|| shares.pop_excess()).collect();
    let kept = (0_u64..).zip(&entries).filter(|(number, _)| !excess.contains(number));
    for (number, (_, entry)) in (0_u64..).zip(kept) {
        database.part(Part::Audit).insert(number.to_be_bytes(), &entry[..]).map_err(database.failed("write"))?;
    }
    Ok(entries.len() - excess.len())
}

/// Keeps the copy of the trail beside a database that was set aside.
pub(super) fn keep_beside(dir: &Path, quarantine: &Path) -> Result<(), StoreError> {
    let path = dir.join(Trail::FILE);
    match fs::copy(&path, quarantine.join(Trail::FILE)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::io(&path, "copy")(error)),
        _ => Ok(()),
    }
}

/// The audit trail of a state directory, oldest entry first, without opening the database: for a reader beside the daemon
/// that holds it. Empty when there is none.
///
/// # Errors
/// When the copy cannot be read.
pub fn read_trail(dir: &Path) -> Result<Vec<Vec<u8>>, StoreError> {
    let path = dir.join(Trail::FILE);
    match fs::read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(StoreError::io(&path, "read")(error)),
        Ok(bytes) => Ok(bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Store;
    use super::*;

    #[test]
    fn the_trail_can_be_read_while_the_store_is_open() {
        let dir = tempfile::tempdir().unwrap();
        assert!(read_trail(dir.path()).unwrap().is_empty());
        let (store, _) = Store::open(dir.path()).unwrap();
        store.append_audit(b"{\"step\":\"asked\"}").unwrap();
        store.append_audit(b"{\"step\":\"moved\"}").unwrap();
        let kept: Vec<Vec<u8>> = store.audit().unwrap().into_iter().map(|(_, entry)| entry).collect();
        assert_eq!(read_trail(dir.path()).unwrap(), kept);
    }

    #[test]
    fn a_copy_that_was_lost_is_written_anew() {
        let dir = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(dir.path()).unwrap();
        store.append_audit(b"{}").unwrap();
        store.commit().unwrap();
        drop(store);
        fs::remove_file(dir.path().join(Trail::FILE)).unwrap();
        let (_store, _) = Store::open(dir.path()).unwrap();
        assert_eq!(read_trail(dir.path()).unwrap(), [b"{}".to_vec()]);
    }
}
