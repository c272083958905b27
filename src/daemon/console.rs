//! The daemon as the console sees it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use tokio::sync::watch;

use super::InOrder;
use super::hubs::Hubs;
use super::overrides::Owner;
use crate::clock::Clock;
use crate::door::http::{Behind, EditError, shown_at};
use crate::home::{Edit, Registry};
use crate::job::JobSettings;
use crate::llm::cascade::Cascade;
use crate::llm::metrics::{GRAMMAR, Hindrance, MODEL, ParserMetrics};
use crate::observe::{Troubles, resident_bytes};
use crate::outbox::Outbox;
use crate::service::Service;
use crate::store::Store;
use crate::transport::ModelStatus;

/// What the console is told from.
pub(super) struct Facts {
    pub(super) service: Arc<InOrder>,
    pub(super) owner: Arc<Owner>,
    pub(super) hubs: Arc<Hubs>,
    pub(super) registry: Arc<Registry>,
    pub(super) outbox: Arc<Outbox<Store>>,
    pub(super) connected: watch::Receiver<bool>,
    pub(super) parsers: ParserMetrics,
    pub(super) cascade: Option<Arc<Cascade>>,
    pub(super) model: ModelStatus,
    pub(super) reader: bool,
    pub(super) troubles: Troubles,
    pub(super) jobs: JobSettings,
    pub(super) clock: Clock,
    /// When the daemon started, and since when the broker is as it is: milliseconds since the Unix epoch.
    pub(super) since_ms: u64,
    pub(super) broker_since_ms: AtomicU64,
    /// When it started, by [`Clock::now_ms`].
    pub(super) started_ms: u64,
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facts").field("owner", &self.owner).finish_non_exhaustive()
    }
}

impl Facts {
    /// Keeps in mind when the broker came or went, for as long as it is polled.
    pub(super) async fn watch(self: Arc<Self>) {
        let mut connected = self.connected.clone();
        while connected.changed().await.is_ok() {
            self.broker_since_ms.store(self.clock.wall_ms(), Ordering::Relaxed);
        }
    }

    fn at(&self, wall_ms: u64) -> String {
        shown_at(wall_ms, &self.jobs.zone)
    }

    /// What each parser did, and the language models with what keeps them from being asked.
    fn parsers(&self) -> (Vec<Value>, Vec<Value>) {
        let tallies = match &self.cascade {
            Some(cascade) => cascade.tallies(),
            None => self.parsers.tallies(|_| None),
        };
        let parsers = tallies.iter().map(|tally| {
            let end = |name: &str| tally.ends.get(name).copied().unwrap_or_default();
            let (sure, unsure) = (end("sure"), tally.ends.iter().filter(|(name, _)| **name != "sure").map(|(_, n)| n));
            json!({
                "name": tally.parser, "calls": tally.calls, "sure": sure, "unsure": unsure.sum::<u64>(),
                "p50_ms": tally.p50_ms, "p95_ms": tally.p95_ms,
            })
        });
        let models = tallies.iter().filter(|tally| ![GRAMMAR, MODEL].contains(&tally.parser.as_str())).map(|tally| {
            let (state, reason) = match &tally.hindrance {
                None => ("ready", None),
                Some(Hindrance::Breaker(state)) => (*state, None),
                Some(Hindrance::Unusable(reason)) => ("unusable", Some(reason)),
            };
            json!({"name": tally.parser, "state": state, "reason": reason})
        });
        (parsers.collect(), models.collect())
    }
}

impl Behind for Facts {
    fn service(&self) -> Arc<Service> {
        self.service.current()
    }

    fn health(&self) -> Value {
        let (parsers, models) = self.parsers();
        let (embedding, problem) = match &self.model {
            ModelStatus::Name(name) => (Some(name), None),
            ModelStatus::Error(error) => (None, Some(error)),
        };
        let troubles = self.troubles.last();
        let errors = troubles.iter().map(|trouble| json!({"at": self.at(trouble.wall_ms), "text": trouble.text}));
        json!({
            "since": self.at(self.since_ms),
            "uptime_s": self.clock.now_ms().saturating_sub(self.started_ms) / 1_000,
            "version": env!("CARGO_PKG_VERSION"),
            "memory_bytes": resident_bytes(),
            "broker": {
                "connected": *self.connected.borrow(),
                "since": self.at(self.broker_since_ms.load(Ordering::Relaxed)),
            },
            "models": {"embedding": embedding, "problem": problem, "reader": self.reader, "llm": models},
            "parsers": parsers,
            "outbox": {"waiting": self.outbox.waiting()},
            "errors": errors.collect::<Vec<_>>(),
        })
    }

    fn hubs(&self) -> Vec<Value> {
        self.hubs
            .shown(&self.registry.snapshot())
            .into_iter()
            .map(|hub| {
                let state = if hub["online"] == true { "online" } else { "away" };
                json!({
                    "name": hub["name"], "kind": hub["kind"], "state": state, "devices": hub["devices"],
                    "devices_online": hub["devices_online"], "error": hub["problem"],
                })
            })
            .collect()
    }

    fn overrides(&self) -> Result<Value, EditError> {
        self.owner.shown(|ms| self.at(ms))
    }

    fn edit(&self, base: &str, edit: &Edit, who: &str) -> Result<(), EditError> {
        self.owner.edit(base, edit, who)
    }

    fn undo(&self, base: &str, who: &str) -> Result<(), EditError> {
        self.owner.undo(base, who)
    }
}
