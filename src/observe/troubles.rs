//! The last warnings and errors, for those who look at the daemon and not at its log.

use std::collections::VecDeque;
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use crate::text::displayable;

/// Warnings and errors that are kept.
const MAX_KEPT: usize = 20;

/// Characters of one of them.
const MAX_CHARS: usize = 300;

/// Fields that may hold what somebody said.
const SAID: [&str; 4] = ["sentence", "question", "said", "text"];

/// A warning or an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// When, in milliseconds since the Unix epoch.
    pub wall_ms: u64,
    /// What, without what was said.
    pub text: String,
}

/// The last of them, in memory. Cloning shares them.
#[derive(Clone, Debug, Default)]
pub struct Troubles(Arc<Mutex<VecDeque<Trouble>>>);

/// Two are the same when they always hold the same.
impl PartialEq for Troubles {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Troubles {
    /// The last of them, the newest first.
    pub fn last(&self) -> Vec<Trouble> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().rev().cloned().collect()
    }

    fn keep(&self, text: &str) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let wall_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == MAX_KEPT {
            kept.pop_front();
        }
        kept.push_back(Trouble { wall_ms, text: displayable(text, MAX_CHARS) });
    }
}

impl<S: Subscriber> Layer<S> for Troubles {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if *event.metadata().level() > Level::WARN {
            return;
        }
        let mut line = Line::default();
        event.record(&mut line);
        self.keep(&format!("{}{}", line.message, line.fields));
    }
}

/// An event as one line.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name if SAID.contains(&name) => Ok(()),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[test]
    fn the_last_warnings_are_kept_without_what_was_said() {
        let troubles = Troubles::default();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(troubles.clone()), || {
            for n in 0..30 {
                tracing::warn!(n, sentence = "打开保险柜", "a remark");
            }
            tracing::info!("nothing");
            tracing::error!(error = %format!("two\nlines {}", "x".repeat(1_000)), "worse");
        });
        let last = troubles.last();
        assert_eq!(last.len(), MAX_KEPT);
        assert!(last[0].text.starts_with("worse error=two lines xx") && last[0].text.chars().count() <= MAX_CHARS + 1);
        assert_eq!(last[1].text, "a remark n=29");
        assert!(last.iter().all(|trouble| trouble.wall_ms > 0));
    }
}
