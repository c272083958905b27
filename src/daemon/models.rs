//! Language models in the daemon: opened at the start, told of in the status and in the log.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tracing::{info, warn};

use super::{DaemonError, blocking};
use crate::embedding::Encoder;
use crate::llm::cascade::Cascade;
use crate::llm::metrics::ParserMetrics;
use crate::llm::settings::LlmSettings;
use crate::ranker::Ranker;
use crate::reader::Reader;
use crate::transport::{ModelStatus, Status};

/// Reports from one line of the log to the next: about an hour.
const REPORTS_PER_LINE: u64 = 60;

/// Of so many workers, one may be at a sentence that models are asked about.
const WORKERS_PER_SENTENCE: usize = 4;

/// The learned reader. Weights that cannot be used are no reason not to start.
pub(super) fn reader() -> Option<Arc<Reader>> {
    let usable = Reader::shipped();
    usable.inspect_err(|error| warn!(%error, "understanding without the learned reader")).ok().map(Arc::new)
}

/// The learned ranker, likewise.
pub(super) fn ranker() -> Option<Arc<Ranker>> {
    let usable = Ranker::shipped();
    usable.inspect_err(|error| warn!(%error, "understanding without the learned ranker")).ok().map(Arc::new)
}

/// The cascade, if any model is configured. A model that cannot be used is no reason not to start.
pub(super) async fn open(
    settings: LlmSettings,
    workers: usize,
    metrics: ParserMetrics,
) -> Result<Option<Arc<Cascade>>, DaemonError> {
    if settings.steps.is_empty() {
        return Ok(None);
    }
    blocking(move || {
        // However long models take, most workers are left for what needs none.
        let cascade = Cascade::open(&settings, workers / WORKERS_PER_SENTENCE, metrics);
        for step in cascade.unusable() {
            warn!(%step, "a language model cannot be used");
        }
        if cascade.is_empty() {
            warn!("no language model can be used: what grammar and similarity are not sure of stays unanswered");
        }
        Ok(Some(Arc::new(cascade)))
    })
    .await
}

/// Tells now and then what the parsers did and what keeps them from it, if that has changed.
pub(super) async fn report(
    metrics: ParserMetrics,
    cascade: Option<Arc<Cascade>>,
    status: watch::Sender<Status>,
    every: Duration,
) {
    let mut interval = tokio::time::interval(every.max(Duration::from_millis(1)));
    let mut logged = Vec::new();
    for report in 1u64.. {
        interval.tick().await;
        let tallies = cascade.as_ref().map_or_else(|| metrics.tallies(|_| None), |cascade| cascade.tallies());
        // Structs of plain fields have no way to fail.
        let told: Vec<Value> = tallies.iter().filter_map(|tally| serde_json::to_value(tally).ok()).collect();
        status.send_if_modified(|status| {
            let before = std::mem::replace(&mut status.parsers, told);
            status.parsers != before
        });
        if report.is_multiple_of(REPORTS_PER_LINE) && tallies != logged {
            let line: Vec<String> = tallies.iter().map(ToString::to_string).collect();
            info!(parsers = line.join("; "), "since the start");
            logged = tallies;
        }
    }
}

/// The encoder, if its model can be used, and what the status says of it.
pub(super) async fn load_model(dir: Option<PathBuf>) -> Result<(Option<Encoder>, ModelStatus), DaemonError> {
    let Some(dir) = dir else {
        warn!("no embedding model is configured or installed: understanding by words alone");
        return Ok((None, ModelStatus::Error("none is configured or installed".into())));
    };
    super::blocking(move || {
        let started = std::time::Instant::now();
        Ok(match Encoder::load(&dir) {
            Ok(encoder) => {
                info!(dir = %dir.display(), ms = started.elapsed().as_millis() as u64, "the embedding model is loaded");
                let name = dir.file_name().map_or_else(|| dir.display().to_string(), |n| n.to_string_lossy().into());
                (Some(encoder), ModelStatus::Name(name))
            }
            Err(error) => {
                warn!(%error, "the embedding model cannot be used: understanding by words alone");
                (None, ModelStatus::Error(error.to_string()))
            }
        })
    })
    .await
}
