//! What can be wrong with a model folder.

use std::path::{Path, PathBuf};

/// Why a model was not loaded. The daemon goes on without vectors and says so in its status.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file is missing or unreadable.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The folder holds neither `model.safetensors` nor exactly one `*.gguf`.
    #[error("{}: no weights: expected model.safetensors or one .gguf file", path.display())]
    NoWeights {
        /// The folder.
        path: PathBuf,
    },
    /// The file is larger than any file of its kind may be.
    #[error("{}: {bytes} bytes, more than the {limit} allowed", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The largest size that is read.
        limit: u64,
    },
    /// The manifest's format is newer than this program knows.
    #[error("{}: format {found} is newer than the newest known, {known}", path.display())]
    Newer {
        /// The manifest.
        path: PathBuf,
        /// Its format number.
        found: u32,
        /// The newest format number this program reads.
        known: u32,
    },
    /// The file is not the one the manifest describes: shorter, longer or changed.
    #[error("{}: {found}, but the manifest says {expected}", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Size and SHA-256 of the file as it is.
        found: String,
        /// Size and SHA-256 it should have.
        expected: String,
    },
    /// The file is not of its kind at all, or damaged.
    #[error("{}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What was expected and found.
        reason: String,
    },
    /// The model's dimensions are not those of the configuration or the manifest.
    #[error("{}: {what} is {found}, expected {expected}", path.display())]
    Dimensions {
        /// The file.
        path: PathBuf,
        /// The tensor or setting.
        what: String,
        /// What the file has.
        found: String,
        /// What it should have.
        expected: String,
    },
}

impl ModelError {
    pub(crate) fn malformed(path: &Path, reason: impl ToString) -> Self {
        Self::Malformed { path: path.to_owned(), reason: reason.to_string() }
    }

    pub(super) fn dimensions(
        path: &Path,
        what: impl Into<String>,
        found: impl std::fmt::Debug,
        expected: impl std::fmt::Debug,
    ) -> Self {
        Self::Dimensions {
            path: path.to_owned(),
            what: what.into(),
            found: format!("{found:?}"),
            expected: format!("{expected:?}"),
        }
    }
}

/// Why a text got no vector.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The tokenizer refused the text.
    #[error("tokenizer: {0}")]
    Tokenizer(String),
    /// The forward pass failed.
    #[error("forward pass: {0}")]
    Forward(#[from] candle_core::Error),
    /// The forward pass gave no direction: infinite, undefined or zero.
    #[error("the vector is not finite: the weights are damaged")]
    NotFinite,
}
