//! What can be wrong with the files of a local model.

use std::path::{Path, PathBuf};

/// Why a local model was not loaded. The daemon goes on without it and says so.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// The file is missing or unreadable, or the system gives no thread.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is no GGUF, is shorter than it says, or is damaged.
    #[error("{}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What was expected and found.
        reason: String,
    },
    /// The model is of an architecture that is not known here.
    #[error("{}: architecture {architecture:?}; known are llama, qwen2 and qwen3", path.display())]
    Architecture {
        /// The file.
        path: PathBuf,
        /// What its metadata says.
        architecture: String,
    },
    /// The tokenizer is missing, damaged, or not the one of this model.
    #[error("{}: tokenizer: {reason}", path.display())]
    Tokenizer {
        /// The file it came from.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
}

impl LocalError {
    pub(super) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    pub(super) fn malformed(path: &Path, reason: impl ToString) -> Self {
        Self::Malformed { path: path.to_owned(), reason: reason.to_string() }
    }

    pub(super) fn tokenizer(path: &Path, reason: impl ToString) -> Self {
        Self::Tokenizer { path: path.to_owned(), reason: reason.to_string() }
    }
}
