//! Writes that were taken and are not yet on the disk: what a commit waits for, and what a failed disk owes.

use std::collections::VecDeque;

use super::StoreError;
use super::database::{Database, Part};

/// One write of one row.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) part: Part,
    pub(super) key: Vec<u8>,
    /// `None` removes the row.
    pub(super) value: Option<Vec<u8>>,
}

impl Write {
    /// Does it; says whether the row was there before.
    pub(super) fn apply(&self, database: &Database) -> Result<bool, StoreError> {
        let tree = database.part(self.part);
        let before = match &self.value {
            Some(value) => tree.insert(&self.key, value.as_slice()).map_err(database.failed("write")),
            None => tree.remove(&self.key).map_err(database.failed("remove")),
        };
        before.map(|row| row.is_some())
    }
}

/// The writes since the last flush, in their order, counted through.
#[derive(Debug, Default)]
pub(super) struct Pending {
    writes: VecDeque<Write>,
    flushed: u64,
}

impl Pending {
    pub(super) fn push(&mut self, write: Write) {
        self.writes.push_back(write);
    }

    /// Remembers that a row is to go, once: whoever is refused for long asks often.
    pub(super) fn owe_removal(&mut self, part: Part, key: &[u8]) {
        let last = self.writes.iter().rev().find(|write| write.part == part && write.key == key);
        if last.is_none_or(|write| write.value.is_some()) {
            self.push(Write { part, key: key.to_vec(), value: None });
        }
    }

    pub(super) fn len(&self) -> usize {
        self.writes.len()
    }

    /// How many writes were ever taken.
    pub(super) fn taken(&self) -> u64 {
        self.flushed + self.writes.len() as u64
    }

    /// How many of them are on the disk.
    pub(super) fn flushed(&self) -> u64 {
        self.flushed
    }

    /// Tells that so many of all the writes ever taken are on the disk.
    pub(super) fn flushed_until(&mut self, taken: u64) {
        while self.flushed < taken && self.writes.pop_front().is_some() {
            self.flushed += 1;
        }
    }

    /// Does all of them once more.
    pub(super) fn apply(&self, database: &Database) -> Result<(), StoreError> {
        self.writes.iter().try_for_each(|write| write.apply(database).map(drop))
    }
}
