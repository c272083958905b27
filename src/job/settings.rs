//! Bounds of jobs, and why one is not made.

use std::time::Duration;

use jiff::tz::TimeZone;

use crate::store::StoreError;

/// Bounds of jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSettings {
    /// How late a job may still be done.
    pub late: Duration,
    /// Jobs of one page.
    pub per_page: usize,
    /// Jobs of all pages; nobody has more than are left for others.
    pub total: usize,
    /// The zone that times are of.
    pub zone: TimeZone,
}

impl Default for JobSettings {
    fn default() -> Self {
        Self { late: Duration::from_secs(60), per_page: 100, total: 10_000, zone: TimeZone::system() }
    }
}

/// Why a job was not made.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// There are too many already.
    #[error("{limit} jobs are there already")]
    TooMany {
        /// How many there may be.
        limit: usize,
    },
    /// The clock is not set.
    #[error("the clock of the machine is not set")]
    NoClock,
    /// It could not be written down.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It could not be written at all.
    #[error("a job cannot be written: {0}")]
    Json(#[from] serde_json::Error),
}
