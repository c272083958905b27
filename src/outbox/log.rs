//! Where instructs are written down.

use crate::store::{JobRow, Store, StoreError};

/// Where instructs are written down; every call may wait for the disk.
pub trait OutboxLog: Send + Sync + 'static {
    /// What goes wrong.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Appends a row and returns its number, larger than that of any row still there.
    ///
    /// # Errors
    /// When there is no room for it.
    fn push(&self, row: &[u8]) -> Result<u64, Self::Error>;

    /// Removes a row, if it is there.
    ///
    /// # Errors
    /// When the disk refuses.
    fn remove(&self, number: u64) -> Result<(), Self::Error>;

    /// Takes back rows that were pushed: even if the disk refuses now, it will not bring them back later.
    fn withdraw(&self, numbers: &[u64]);

    /// Appends to the audit trail.
    ///
    /// # Errors
    /// When there is no room for it.
    fn audit(&self, row: &[u8]) -> Result<(), Self::Error>;

    /// The audit trail, oldest entry first.
    ///
    /// # Errors
    /// When the disk refuses.
    fn audited(&self) -> Result<Vec<Vec<u8>>, Self::Error>;

    /// Writes down what becomes of a job that was done with these rows.
    ///
    /// # Errors
    /// When there is no room for it.
    fn settle(&self, job: &JobRow) -> Result<(), Self::Error>;

    /// Makes what was pushed, appended and removed so far outlive the process.
    ///
    /// # Errors
    /// When the disk refuses.
    fn commit(&self) -> Result<(), Self::Error>;

    /// The rows, oldest first.
    ///
    /// # Errors
    /// When the disk refuses.
    fn rows(&self) -> Result<Vec<(u64, Vec<u8>)>, Self::Error>;
}

impl OutboxLog for Store {
    type Error = StoreError;

    fn push(&self, row: &[u8]) -> Result<u64, StoreError> {
        self.push_outbox(row)
    }

    fn remove(&self, number: u64) -> Result<(), StoreError> {
        self.remove_outbox(number)
    }

    fn withdraw(&self, numbers: &[u64]) {
        self.withdraw_outbox(numbers);
    }

    fn audit(&self, row: &[u8]) -> Result<(), StoreError> {
        self.append_audit(row).map(drop)
    }

    fn audited(&self) -> Result<Vec<Vec<u8>>, StoreError> {
        Ok(Self::audit(self)?.into_iter().map(|(_, entry)| entry).collect())
    }

    fn settle(&self, job: &JobRow) -> Result<(), StoreError> {
        self.settle_job(job)
    }

    fn commit(&self) -> Result<(), StoreError> {
        Self::commit(self)
    }

    fn rows(&self) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        self.outbox()
    }
}
