//! Why the daemon could not start or had to end.

use tokio::task::spawn_blocking;

use crate::home::RegistryError;
use crate::job::JobError;
use crate::outbox::OutboxError;
use crate::store::StoreError;
use crate::zh::DataError;

/// Why the daemon could not start or had to end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DaemonError {
    /// The language cannot be read.
    #[error(transparent)]
    Language(#[from] DataError),
    /// A setting that cannot work.
    #[error("{key}: {reason}")]
    Setting {
        /// The field of [`super::DaemonSettings`].
        key: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The state folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The home in the state folder cannot be used.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The outbox in the state folder cannot be used.
    #[error(transparent)]
    Outbox(#[from] OutboxError),
    /// The machine gives no threads.
    #[error("cannot start the threads that understand: {0}")]
    Threads(#[source] std::io::Error),
    /// The jobs in the state folder cannot be used.
    #[error(transparent)]
    Jobs(#[from] JobError),
    /// A part of the daemon ended: a bug, and the supervisor had better start it anew.
    #[error("a part of the daemon ended: {0}")]
    Ended(String),
}

/// Runs what waits for the disk where it may.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DaemonError> + Send + 'static,
) -> Result<T, DaemonError> {
    spawn_blocking(work).await.map_err(|panic| DaemonError::Ended(panic.to_string()))?
}
