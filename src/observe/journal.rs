//! The log: for a person, for a program, or for the journal.

use std::fmt;
use std::io::{self, IsTerminal};
use std::os::unix::fs::MetadataExt;

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{Format, Full, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, reload};

use super::Troubles;

/// What is logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// A level or a filter such as `info,zhiju::transport=debug`.
    pub level: String,
    /// How a line looks.
    pub format: LogFormat,
    /// Whether what people say appears in the log.
    pub sentences: bool,
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// [`Self::Journald`] when stderr goes to the journal, else [`Self::Text`].
    Auto,
    /// For the journal: a priority, no time, no colours.
    Journald,
    /// For a person.
    Text,
    /// One JSON object a line.
    Json,
}

impl Default for Log {
    fn default() -> Self {
        Self { level: "info".into(), format: LogFormat::Auto, sentences: false }
    }
}

/// Changes the log while it runs.
#[derive(Clone, Debug)]
pub struct LogControl {
    filter: reload::Handle<EnvFilter, Registry>,
    troubles: Troubles,
}

impl LogControl {
    /// Logs by this filter from now on. One that is none leaves the log as it is.
    pub fn set_level(&self, level: &str) {
        if let Ok(filter) = EnvFilter::try_new(level) {
            // It fails only when the log is gone, in a test.
            let _ = self.filter.reload(filter);
        }
    }

    /// The last warnings and errors.
    pub fn troubles(&self) -> Troubles {
        self.troubles.clone()
    }
}

/// Logs to stderr from here on; where a log is already set up (a test), that one stays.
pub fn start_log(log: &Log) -> LogControl {
    let filter = EnvFilter::try_new(&log.level).unwrap_or_else(|_| EnvFilter::new("info"));
    let (filter, handle) = reload::Layer::new(filter);
    let layer = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    let format = match log.format {
        LogFormat::Auto if is_journal() => LogFormat::Journald,
        LogFormat::Auto => LogFormat::Text,
        format => format,
    };
    let layer = match format {
        LogFormat::Json => layer.json().boxed(),
        LogFormat::Journald => layer.with_ansi(false).event_format(Journald::default()).boxed(),
        LogFormat::Text | LogFormat::Auto => layer.with_ansi(io::stderr().is_terminal()).boxed(),
    };
    let troubles = Troubles::default();
    let _ = tracing_subscriber::registry().with(filter).with(layer).with(troubles.clone()).try_init();
    LogControl { filter: handle, troubles }
}

/// Whether stderr goes to the journal. The variable alone does not say so: a shell in a service inherits it.
pub fn is_journal() -> bool {
    let stream = std::env::var("JOURNAL_STREAM").unwrap_or_default();
    std::fs::metadata("/proc/self/fd/2").is_ok_and(|stderr| stream == format!("{}:{}", stderr.dev(), stderr.ino()))
}

/// A line as the journal wants it: its priority in front (sd-daemon(3)), no time and no colours, which it has itself.
struct Journald(Format<Full, ()>);

impl Default for Journald {
    fn default() -> Self {
        Self(Format::default().without_time().with_ansi(false).with_level(false))
    }
}

impl<S, N> FormatEvent<S, N> for Journald
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        // One event is one record, whatever an error brought along.
        let line = line.trim_end().replace(['\n', '\r'], " ");
        writeln!(out, "<{}>{line}", priority(*event.metadata().level()))
    }
}

/// The priority of syslog(3).
fn priority(level: Level) -> u8 {
    match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        Level::INFO => 6,
        _ => 7,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Vec<u8>>>);

    impl Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_journal_gets_a_priority_and_one_line_an_event() {
        let memory = Memory::default();
        let writer = memory.clone();
        let layer = tracing_subscriber::fmt::layer()
            .with_ansi(false)
            .event_format(Journald::default())
            .with_writer(move || writer.clone());
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            tracing::warn!(error = %"two\n<0>lines", "a remark");
            tracing::info!(us = 7, "utterance");
        });
        let text = String::from_utf8(memory.0.lock().unwrap().clone()).unwrap();
        let target = module_path!();
        assert_eq!(text, format!("<4>{target}: a remark error=two <0>lines\n<6>{target}: utterance us=7\n"));
    }
}
