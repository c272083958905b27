//! How a person or a supervisor sees what the daemon does: the log, the numbers, the service manager.

mod health;
mod journal;
mod metrics;
mod server;

pub use health::{Beat, Notifier};
pub use journal::{LogControl, is_journal, start_log};
pub use metrics::{Metrics, Sample};
pub use server::serve_metrics;
