//! Rows of what is to be done later. How many there are is the business of whoever puts them.

use super::database::Part;
use super::{Store, StoreError};

/// What becomes of the row of a job that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRow {
    /// The job.
    pub id: String,
    /// Its row from now on; `None` when it is over.
    pub row: Option<Vec<u8>>,
}

impl Store {
    /// Sets a job.
    ///
    /// # Errors
    /// When it is larger than [`super::MAX_ROW_BYTES`], or the disk refuses.
    pub fn put_job(&self, id: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.make_room()?;
        self.put(Part::Jobs, id.as_bytes(), bytes, "a job").map(drop)
    }

    /// Removes a job; one that is not there is fine.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn remove_job(&self, id: &str) -> Result<(), StoreError> {
        self.make_room()?;
        self.delete(Part::Jobs, id.as_bytes()).map(drop)
    }

    /// Takes a job back that was not made after all: even if the disk refuses now, it is gone as soon as it takes writes
    /// again.
    pub fn withdraw_job(&self, id: &str) {
        self.withdraw(Part::Jobs, id.as_bytes());
    }

    /// Writes down what becomes of a job.
    ///
    /// # Errors
    /// As [`Store::put_job`].
    pub fn settle_job(&self, job: &JobRow) -> Result<(), StoreError> {
        match &job.row {
            Some(row) => self.put_job(&job.id, row),
            None => self.remove_job(&job.id),
        }
    }

    /// All jobs with their ids.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn jobs(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.rows(Part::Jobs, |key, bytes| Some((String::from_utf8(key.to_vec()).ok()?, bytes.to_vec())))
    }
}
