//! What hubs brought, in the database: pieces under the hub's name and the home's revision, and a row a hub that says
//! which revision counts.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::database::{Database, decode};
use super::files::{self, Copy};
use super::{Progress, Store, StoreError, guard};

/// Bytes of one piece, as of the home document.
const PIECE_BYTES: usize = 4 * 1024;

/// What the keys of the rows of `meta` begin with, of which each tells the revision and the length of a hub's text.
const CURRENT: &str = "part:";

/// The row of `meta` with the newest revision of the home that came of something else than its document.
pub(super) const REVISION: &str = "parts";

/// What the names of the copies begin with.
const COPY: &str = "hub-";

impl Store {
    /// Replaces what a hub brought and gives the home its next revision. Safe on return.
    ///
    /// # Errors
    /// When the disk refuses: this process goes on with what was there before; the next one may find either.
    pub fn save_part(&self, hub: &str, document: &str) -> Result<u64, StoreError> {
        let mut progress = guard(&self.progress);
        self.recover(&mut progress);
        let revision = progress.sentinel.revision + 1;
        self.write(|database| put(database, hub, revision, document))?;
        self.advance(&mut progress, revision)?;
        let path = copy(&self.dir, hub);
        if let Err(error) = files::write(&path, &Copy { revision, document: document.to_owned() }) {
            tracing::warn!(%error, "the copy of what a hub brought could not be written");
        }
        if let Err(error) = self.write(|database| remove(database, hub, |r| r < revision)) {
            tracing::warn!(%error, "what a hub brought before could not be removed");
        }
        Ok(revision)
    }

    /// Forgets what a hub brought. Safe with the next commit.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn remove_part(&self, hub: &str) -> Result<(), StoreError> {
        let mut progress = guard(&self.progress);
        self.recover(&mut progress);
        self.write(|database| {
            database.unset(&format!("{CURRENT}{hub}"))?;
            remove(database, hub, |_| true)
        })?;
        match fs::remove_file(copy(&self.dir, hub)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(StoreError::io(&copy(&self.dir, hub), "remove")(error))
            }
            _ => Ok(()),
        }
    }

    /// What hubs brought, by the hubs' names.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn load_parts(&self) -> Result<Vec<(String, String)>, StoreError> {
        self.read(|database| {
            let hubs = database.notes(CURRENT)?.into_iter();
            hubs.map(|(hub, row)| Ok((hub.clone(), get(database, &hub, &row)?))).collect()
        })
    }

    /// The revision of the home; 0 when there never was one.
    pub fn revision(&self) -> u64 {
        guard(&self.progress).sentinel.revision
    }

    /// Gives the home its next revision, for a change that is kept elsewhere. Safe on return.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn next_revision(&self) -> Result<u64, StoreError> {
        let mut progress = guard(&self.progress);
        self.recover(&mut progress);
        let revision = progress.sentinel.revision + 1;
        self.advance(&mut progress, revision)?;
        Ok(revision)
    }

    fn advance(&self, progress: &mut Progress, revision: u64) -> Result<(), StoreError> {
        self.write(|database| database.set(REVISION, &revision.to_be_bytes()))?;
        self.flush(progress)?;
        progress.sentinel.revision = revision;
        self.write_sentinel(progress);
        Ok(())
    }
}

/// What the pieces of a hub's text begin with: its name cannot hold the zero.
fn prefix(hub: &str) -> Vec<u8> {
    [hub.as_bytes(), &[0]].concat()
}

fn put(database: &Database, hub: &str, revision: u64, text: &str) -> Result<(), StoreError> {
    // Pieces that a failed attempt at the same revision left.
    remove(database, hub, |r| r >= revision)?;
    for (i, piece) in (0_u32..).zip(text.as_bytes().chunks(PIECE_BYTES)) {
        let key = [&prefix(hub)[..], &revision.to_be_bytes(), &i.to_be_bytes()].concat();
        database.parts.insert(key, piece).map_err(database.failed("write"))?;
    }
    // A disk that fills up does so here, before anything points to the new text.
    database.flush()?;
    let len = text.len() as u64;
    database.set(&format!("{CURRENT}{hub}"), &[revision.to_be_bytes(), len.to_be_bytes()].concat())
}

fn get(database: &Database, hub: &str, row: &[u8]) -> Result<String, StoreError> {
    let whole = || {
        let (revision, len) = row.split_at_checked(8)?;
        let mut text = Vec::new();
        for row in database.parts.scan_prefix([&prefix(hub)[..], revision].concat()) {
            text.extend_from_slice(&row.ok()?.1);
        }
        String::from_utf8(text).ok().filter(|text| Some(text.len() as u64) == decode(len))
    };
    whole().ok_or_else(|| database.damaged(format!("what the hub {hub} brought is not whole")))
}

/// Removes the texts of hubs of which pieces are missing: they are brought again.
pub(super) fn drop_unless_whole(database: &Database) -> Result<(), StoreError> {
    for (hub, row) in database.notes(CURRENT)? {
        if get(database, &hub, &row).is_err() {
            database.unset(&format!("{CURRENT}{hub}"))?;
            remove(database, &hub, |_| true)?;
        }
    }
    Ok(())
}

/// Removes the pieces of the revisions that `unwanted` names.
fn remove(database: &Database, hub: &str, unwanted: impl Fn(u64) -> bool) -> Result<(), StoreError> {
    let prefix = prefix(hub);
    for row in database.parts.scan_prefix(&prefix).keys() {
        let key = row.map_err(database.failed("read"))?;
        if key.get(prefix.len()..prefix.len() + 8).and_then(decode).is_none_or(&unwanted) {
            database.parts.remove(key).map_err(database.failed("remove"))?;
        }
    }
    Ok(())
}

fn copy(dir: &Path, hub: &str) -> PathBuf {
    dir.join(format!("{COPY}{hub}.json"))
}

/// What hubs brought, by the hubs' names, from the copies that a store keeps, also while a daemon holds the store.
///
/// # Errors
/// When a copy cannot be read or is damaged.
pub fn read_parts(dir: &Path) -> Result<Vec<(String, String)>, StoreError> {
    let mut parts = Vec::new();
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(parts),
        other => other.map_err(StoreError::io(dir, "list"))?,
    };
    for entry in entries {
        let path = entry.map_err(StoreError::io(dir, "list"))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(hub) = name.strip_prefix(COPY).and_then(|name| name.strip_suffix(".json"))
            && let Some(copy) = files::read::<Copy>(&path)?
        {
            parts.push((hub.to_owned(), copy.document));
        }
    }
    parts.sort();
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hubs_brought_is_there_again_and_the_revision_only_grows() {
        let dir = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(dir.path()).unwrap();
        let large = "长".repeat(20_000);
        assert_eq!(store.save_registry("{}").unwrap(), 1);
        assert_eq!(store.save_part("z2m", "first").unwrap(), 2);
        assert_eq!(store.save_part("z2m", &large).unwrap(), 3);
        assert_eq!(store.save_part("z", "other").unwrap(), 4);
        let all = vec![("z".to_owned(), "other".to_owned()), ("z2m".to_owned(), large.clone())];
        assert_eq!((store.load_parts().unwrap(), read_parts(dir.path()).unwrap()), (all.clone(), all.clone()));
        drop(store);
        let (store, report) = Store::open(dir.path()).unwrap();
        assert_eq!((report.lost, report.revision, store.load_parts().unwrap()), (None, 4, all));
        assert_eq!(store.load_registry().unwrap(), Some((1, "{}".to_owned())));
        store.remove_part("z2m").unwrap();
        assert_eq!(store.next_revision().unwrap(), 5);
        drop(store);
        let (store, report) = Store::open(dir.path()).unwrap();
        assert_eq!((report.lost, report.revision), (None, 5));
        assert_eq!(store.load_parts().unwrap(), [("z".to_owned(), "other".to_owned())]);
        assert_eq!(read_parts(dir.path()).unwrap().len(), 1);
        assert_eq!(store.save_registry("{}").unwrap(), 6);
    }
}
