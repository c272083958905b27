//! Rows of the store: live state, pages, outbox and audit trail, each bounded in size and number.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::database::{Database, Part, decode};
use super::pending::Write;
use super::shares::Shares;
use super::{Store, StoreError, guard};
use crate::sorted::Sorted;

/// Largest row in bytes, with its key. Rows of up to 6 KiB are cheap: sled writes nodes of more than 128 KiB, with up to
/// 16 rows each, to files of their own.
pub const MAX_ROW_BYTES: usize = 16 * 1024;
/// Most pages.
pub const MAX_PAGES: usize = 1_000;
/// Most instructs on their way.
pub const MAX_OUTBOX: usize = 10_000;
/// Most writes without a commit; one more commits by itself.
const MAX_PENDING: usize = 4_096;
/// Entries of the audit trail that tell of orders and are kept; whose go then, `shares` decides.
pub const MAX_AUDIT: usize = 5_000;
/// Entries beside them that tell of questions.
pub const MAX_ASKED: usize = 1_000;

/// What a device reported, as far as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredState {
    /// The values reported, by property id.
    pub values: Sorted<Value>,
    /// When each of them arrived, by [`crate::clock::Clock::now_ms`]. A row of the version before has one time of the wall
    /// clock for all, which is not read.
    #[serde(default)]
    pub reported: Sorted<u64>,
    /// The start of the machine that those times count from.
    #[serde(default)]
    pub boot: String,
}

/// Where the numbered trees and the bounded ones stand.
#[derive(Debug)]
pub(super) struct Sequences {
    outbox: Sequence,
    audit: Sequence,
    shares: Shares,
    pages: usize,
}

/// A tree keyed by ascending numbers.
#[derive(Debug)]
struct Sequence {
    next: u64,
    len: usize,
}

impl Sequences {
    pub(super) fn read(database: &Database) -> Result<Self, StoreError> {
        let sequence = |part: Part| -> Result<Sequence, StoreError> {
            let tree = database.part(part);
            let last = tree.last().map_err(database.failed("read"))?.and_then(|(key, _)| decode(&key));
            Ok(Sequence { next: last.map_or(0, |n| n + 1), len: tree.len() })
        };
        let mut shares = Shares::default();
        for entry in database.part(Part::Audit) {
            let (key, row) = entry.map_err(database.failed("read"))?;
            decode(&key).into_iter().for_each(|number| shares.add(number, &row));
        }
        Ok(Self {
            outbox: sequence(Part::Outbox)?,
            audit: sequence(Part::Audit)?,
            shares,
            pages: database.part(Part::Pages).len(),
        })
    }
}

impl Store {
    /// Sets what a device reported.
    ///
    /// # Errors
    /// When it is larger than [`MAX_ROW_BYTES`], or the disk refuses.
    pub fn put_state(&self, device: &str, state: &StoredState) -> Result<(), StoreError> {
        let bytes = serde_json::to_vec(state)
            .map_err(|e| StoreError::io(&self.dir, "encode a state for")(std::io::Error::from(e)))?;
        self.make_room()?;
        self.put(Part::State, device.as_bytes(), &bytes, "the state of a device").map(drop)
    }

    /// Forgets what a device reported.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn delete_state(&self, device: &str) -> Result<(), StoreError> {
        self.make_room()?;
        self.delete(Part::State, device.as_bytes()).map(drop)
    }

    /// Takes a state back that is no longer the device's: even if the disk refuses now, it is gone as soon as it takes writes
    /// again.
    pub fn withdraw_state(&self, device: &str) {
        self.withdraw(Part::State, device.as_bytes());
    }

    /// What every device reported.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn states(&self) -> Result<Vec<(String, StoredState)>, StoreError> {
        self.rows(Part::State, |key, bytes| Some((text(key)?, serde_json::from_slice(bytes).ok()?)))
    }

    /// Sets a page.
    ///
    /// # Errors
    /// When it is larger than [`MAX_ROW_BYTES`], there are [`MAX_PAGES`] others, or the disk refuses.
    pub fn put_page(&self, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.make_room()?;
        let mut sequences = guard(&self.sequences);
        if sequences.pages >= MAX_PAGES && self.page(id)?.is_none() {
            return Err(StoreError::TooMany { what: "pages", limit: MAX_PAGES });
        }
        let replaced = self.put(Part::Pages, id.as_bytes(), bytes, "a page")?;
        sequences.pages += usize::from(!replaced);
        Ok(())
    }

    /// A page.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn page(&self, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|database| {
            let page = database.part(Part::Pages).get(id).map_err(database.failed("read"))?;
            Ok(page.map(|bytes| bytes.to_vec()))
        })
    }

    /// Removes a page; one that is not there is fine.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn delete_page(&self, id: &str) -> Result<(), StoreError> {
        self.make_room()?;
        let mut sequences = guard(&self.sequences);
        let there = self.delete(Part::Pages, id.as_bytes())?;
        sequences.pages -= usize::from(there);
        Ok(())
    }

    /// Takes a page back that is no longer what was said: even if the disk refuses now, it is gone as soon as it takes
    /// writes again.
    pub fn withdraw_page(&self, id: &str) {
        let mut sequences = guard(&self.sequences);
        let there = self.withdraw(Part::Pages, id.as_bytes());
        sequences.pages -= usize::from(there);
    }

    /// All pages with their ids, in the order of the ids.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn pages(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.rows(Part::Pages, |key, bytes| Some((text(key)?, bytes.to_vec())))
    }

    /// Puts an instruct into the outbox and returns its number. Numbers ascend while any instruct is on its way, and
    /// start anew after a restart with an empty outbox.
    ///
    /// # Errors
    /// When it is larger than [`MAX_ROW_BYTES`], there are [`MAX_OUTBOX`] others, or the disk refuses.
    pub fn push_outbox(&self, bytes: &[u8]) -> Result<u64, StoreError> {
        self.make_room()?;
        let mut sequences = guard(&self.sequences);
        if sequences.outbox.len >= MAX_OUTBOX {
            return Err(StoreError::TooMany { what: "instructs on their way", limit: MAX_OUTBOX });
        }
        self.push(Part::Outbox, &mut sequences.outbox, bytes, "an instruct")
    }

    /// Removes an instruct from the outbox; one that is not there is fine.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn remove_outbox(&self, number: u64) -> Result<(), StoreError> {
        self.make_room()?;
        let mut sequences = guard(&self.sequences);
        let there = self.delete(Part::Outbox, &number.to_be_bytes())?;
        sequences.outbox.len -= usize::from(there);
        Ok(())
    }

    /// Takes back instructs that were put into the outbox: even if the disk refuses now, they are gone as soon as it takes
    /// writes again.
    pub fn withdraw_outbox(&self, numbers: &[u64]) {
        // Held all the while, so that the database is not opened again in the middle.
        let mut sequences = guard(&self.sequences);
        for number in numbers {
            let there = self.withdraw(Part::Outbox, &number.to_be_bytes());
            sequences.outbox.len -= usize::from(there);
        }
    }

    /// The instructs on their way with their numbers, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn outbox(&self) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        self.rows(Part::Outbox, |key, bytes| Some((decode(key)?, bytes.to_vec())))
    }

    /// Appends to the audit trail, of which [`MAX_AUDIT`] rows are kept that tell of orders, and [`MAX_ASKED`] of questions: the
    /// newest of whoever has least of them.
    ///
    /// # Errors
    /// When it is larger than [`MAX_ROW_BYTES`], or the disk refuses.
    pub fn append_audit(&self, bytes: &[u8]) -> Result<(), StoreError> {
        self.make_room()?;
        let mut sequences = guard(&self.sequences);
        let number = self.push(Part::Audit, &mut sequences.audit, bytes, "an audit entry")?;
        sequences.shares.add(number, bytes);
        while let Some(oldest) = sequences.shares.pop_excess() {
            self.delete(Part::Audit, &oldest.to_be_bytes())?;
        }
        drop(sequences);
        // The database has it; the copy is for readers beside the daemon.
        if let Err(error) = self.trail.append(bytes) {
            tracing::warn!(%error, "an audit entry is not in the copy of the trail");
        } else if self.trail.is_full() {
            self.copy_trail();
        }
        Ok(())
    }

    /// Writes the copy of the audit trail anew.
    pub(super) fn copy_trail(&self) {
        if let Err(error) = self.audit().and_then(|entries| self.trail.replace(&entries)) {
            tracing::warn!(%error, "the copy of the audit trail could not be written");
        }
    }

    /// The audit trail with its numbers, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn audit(&self) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        self.rows(Part::Audit, |key, bytes| Some((decode(key)?, bytes.to_vec())))
    }

    /// Before a write: opens the database again after a failure, and commits when nobody else does.
    pub(super) fn make_room(&self) -> Result<(), StoreError> {
        if self.may_recover() {
            self.recover(&mut guard(&self.progress));
        }
        let full = guard(&self.pending).len() >= MAX_PENDING;
        if full { self.commit() } else { Ok(()) }
    }

    /// Sets a row; says whether it was there before.
    pub(super) fn put(&self, part: Part, key: &[u8], bytes: &[u8], what: &'static str) -> Result<bool, StoreError> {
        let size = key.len() + bytes.len();
        if size > MAX_ROW_BYTES {
            return Err(StoreError::TooLarge { what, bytes: size, limit: MAX_ROW_BYTES });
        }
        self.take(Write { part, key: key.to_vec(), value: Some(bytes.to_vec()) })
    }

    fn push(&self, part: Part, sequence: &mut Sequence, bytes: &[u8], what: &'static str) -> Result<u64, StoreError> {
        let number = sequence.next;
        self.put(part, &number.to_be_bytes(), bytes, what)?;
        sequence.next += 1;
        sequence.len += 1;
        Ok(number)
    }

    /// Removes a row; says whether it was there.
    pub(super) fn delete(&self, part: Part, key: &[u8]) -> Result<bool, StoreError> {
        self.take(Write { part, key: key.to_vec(), value: None })
    }

    /// Removes a row now, or as soon as the disk takes writes again; says whether it was there and is gone now.
    pub(super) fn withdraw(&self, part: Part, key: &[u8]) -> bool {
        self.delete(part, key).unwrap_or_else(|_| {
            guard(&self.pending).owe_removal(part, key);
            false
        })
    }

    /// Does a write and remembers it until it is flushed, in the same order as the database sees it.
    fn take(&self, write: Write) -> Result<bool, StoreError> {
        self.write(|database| {
            let mut pending = guard(&self.pending);
            let before = write.apply(database)?;
            pending.push(write);
            Ok(before)
        })
    }

    pub(super) fn rows<T>(&self, part: Part, row: impl Fn(&[u8], &[u8]) -> Option<T>) -> Result<Vec<T>, StoreError> {
        self.read(|database| {
            let rows = database.part(part).iter().map(|entry| {
                let (key, bytes) = entry.map_err(database.failed("read"))?;
                row(&key, &bytes).ok_or_else(|| database.damaged(format!("a row of {part:?} is not readable")))
            });
            rows.collect()
        })
    }
}

fn text(key: &[u8]) -> Option<String> {
    String::from_utf8(key.to_vec()).ok()
}
