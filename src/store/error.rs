//! What can go wrong with the store.

use std::io;
use std::path::{Path, PathBuf};

/// Why the store could not do something. After any of these, what was acknowledged before is still there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system refused: disk full, no permission, a failing disk.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The operating system's reason.
        source: io::Error,
    },
    /// Another process has the state directory open.
    #[error("{}: another process uses this state directory", path.display())]
    Locked {
        /// The state directory.
        path: PathBuf,
    },
    /// The database was written by a newer version of this program, which alone can read it.
    #[error("{}: schema {found} is newer than {supported}, the newest this version reads", path.display())]
    NewerSchema {
        /// The state directory.
        path: PathBuf,
        /// The schema found.
        found: u64,
        /// The newest schema supported.
        supported: u64,
    },
    /// The database cannot be read.
    #[error("{}: the database is damaged: {reason}", path.display())]
    Damaged {
        /// The database folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A value is longer than the store takes.
    #[error("{what} has {bytes} bytes, more than {limit}")]
    TooLarge {
        /// What was to be stored.
        what: &'static str,
        /// Its size in bytes.
        bytes: usize,
        /// The most that is taken.
        limit: usize,
    },
    /// There are as many rows as the store takes.
    #[error("there are {limit} {what} already")]
    TooMany {
        /// What was to be stored.
        what: &'static str,
        /// The most that are taken.
        limit: usize,
    },
}

impl StoreError {
    /// Whether the disk (or a quota on it) is full: freeing space helps.
    pub fn is_disk_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        matches!(self, Self::Io { source, .. } if matches!(source.kind(), StorageFull | QuotaExceeded | FileTooLarge))
    }

    /// For `map_err` on file operations.
    pub(super) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, action, source }
    }

    /// For `map_err` on database operations.
    pub(super) fn sled(path: &Path, action: &'static str) -> impl FnOnce(sled::Error) -> Self {
        use io::ErrorKind::{InvalidData, NotFound, UnexpectedEof};
        let path = path.to_owned();
        move |error| match error {
            // A file of the database that is not there or too short is damage; the rest is the disk's present state.
            sled::Error::Io(source) if !matches!(source.kind(), NotFound | UnexpectedEof | InvalidData) => {
                Self::Io { path, action, source }
            }
            sled::Error::Corruption { .. } => {
                Self::Damaged { path, reason: format!("cannot {action}: corrupted data") }
            }
            other => Self::Damaged { path, reason: format!("cannot {action}: {other}") },
        }
    }
}
