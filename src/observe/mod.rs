//! How a person or a supervisor sees what the daemon does: the log, the numbers, the service manager.

mod health;
mod journal;
mod metrics;
mod server;
mod troubles;

pub use health::{Beat, Notifier};
pub use journal::{Log, LogControl, LogFormat, is_journal, start_log};
pub use metrics::{Counters, Metrics, Sample, resident_bytes};
pub use server::{METRICS_TYPE, serve_metrics};
pub use troubles::{Trouble, Troubles};
