//! The console: a page that shows what was heard, understood and done, and the routes that it reads.

pub(super) mod account;
pub(super) mod assets;
pub(super) mod health;
pub(super) mod home;
mod live;
pub(super) mod overrides;
pub(super) mod stream;
pub(super) mod utterances;

use std::fmt;
use std::sync::Arc;

use axum::response::Response;
use serde_json::Value;
use tokio::task::spawn_blocking;
use tracing::error;

use super::body;
use crate::frame::ErrorCode;
use crate::home::Edit;
use crate::ledger::Ledger;
use crate::service::Service;
pub use account::{at as shown_at, shown as shown_account};
pub use live::{Live, Sources};

/// What the console shows, besides what the other routes know.
#[derive(Debug)]
pub struct Console {
    /// What was said lately.
    pub ledger: Arc<Ledger>,
    /// Tells whoever looks what is new.
    pub live: Arc<Live>,
    /// The daemon behind it.
    pub behind: Arc<dyn Behind>,
    /// What the home is called in topics.
    pub home_id: String,
}

/// The daemon, as far as the console needs it. All but the first wait for the disk or take their time.
pub trait Behind: Send + Sync + fmt::Debug {
    /// The service as it is now.
    fn service(&self) -> Arc<Service>;

    /// How the daemon is.
    fn health(&self) -> Value;

    /// How the hubs are.
    fn hubs(&self) -> Vec<Value>;

    /// The owner's file: its revision, what it says, what was done to it.
    ///
    /// # Errors
    /// When it cannot be read.
    fn overrides(&self) -> Result<Value, EditError>;

    /// Changes the owner's file, if it is still the one of revision `base`.
    ///
    /// # Errors
    /// When it is not, or the change is refused or cannot be written: then nothing changes.
    fn edit(&self, base: &str, edit: &Edit, who: &str) -> Result<(), EditError>;

    /// Takes back the last change of the owner's file, if it is still the one of revision `base`.
    ///
    /// # Errors
    /// As [`Behind::edit`], and when there is nothing to take back.
    fn undo(&self, base: &str, who: &str) -> Result<(), EditError>;
}

/// Why the owner's file was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is another file by now.
    #[error("the file was changed meanwhile")]
    Conflict {
        /// Its revision now.
        revision: String,
    },
    /// It would not be taken.
    #[error("{0}")]
    Refused(String),
    /// It cannot be written.
    #[error("the file cannot be written: {0}")]
    Unwritable(String),
}

/// Does what takes its time where it may.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Response> {
    spawn_blocking(work).await.map_err(|panic| {
        error!(%panic, "a bug: the console is not answered");
        let code = ErrorCode::Internal;
        body::error(body::status(code), code.code(), "a bug; see the log")
    })
}
