//! The ordered lane for all that changes the home: documents and reported state, one after the other, off the runtime.
//!
//! What waits is merged: of documents only the newest counts, of a device's reports only the newest value of each property.
//! So the lane is bounded by the home and not by how fast a hub talks, and a burst costs one write to the disk.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::sync::{Notify, watch};
use tokio::task::spawn_blocking;
use tracing::{error, info, warn};

use super::status_of;
use crate::frame::ErrorCode;
use crate::home::{Registry, RegistryError, Rejection, State};
use crate::language::lexicon::Lexicon;
use crate::language::vocabulary::taken_names;
use crate::transport::{Status, Throttle};

/// Bytes of reported state that may wait.
const MAX_STATE_BYTES: usize = 4 << 20;

/// Bytes of one report of state; beyond, it is no state.
const MAX_REPORT_BYTES: usize = 64 << 10;

/// The lane.
#[derive(Debug)]
pub(super) struct HomeLane {
    registry: Arc<Registry>,
    lexicon: Arc<Lexicon>,
    report: watch::Sender<Option<Vec<u8>>>,
    status: watch::Sender<Status>,
    // Not held across an await.
    waiting: Mutex<Waiting>,
    arrived: Notify,
    done: Notify,
    throttle: Mutex<Throttle>,
}

#[derive(Debug, Default)]
struct Waiting {
    document: Option<Vec<u8>>,
    states: BTreeMap<String, (u64, State)>,
    state_bytes: usize,
    busy: bool,
    /// Changes that have arrived, and how many of them are done.
    arrived: u64,
    settled: u64,
}

impl HomeLane {
    /// Of what it does with documents it tells `report`, of the home in force `status`.
    pub(super) fn new(
        registry: Arc<Registry>,
        lexicon: Arc<Lexicon>,
        report: watch::Sender<Option<Vec<u8>>>,
        status: watch::Sender<Status>,
    ) -> Arc<Self> {
        Arc::new(Self {
            registry,
            lexicon,
            report,
            status,
            waiting: Mutex::default(),
            arrived: Notify::new(),
            done: Notify::new(),
            throttle: Mutex::default(),
        })
    }

    /// Takes a home document; one that still waits is superseded.
    pub(super) fn document(&self, payload: Vec<u8>) {
        // Whoever clears the retained document does not mean to clear the home.
        if !payload.is_empty() {
            let mut waiting = lock(&self.waiting);
            waiting.document = Some(payload);
            waiting.arrived += 1;
            drop(waiting);
            self.arrived.notify_one();
        }
    }

    /// Takes what a device reports of itself.
    pub(super) fn state(&self, device: &str, payload: &[u8]) {
        if payload.is_empty() {
            return;
        }
        let state = if payload.len() > MAX_REPORT_BYTES { None } else { serde_json::from_slice::<State>(payload).ok() };
        let Some(state) = state else {
            return self.warn(device, "not a JSON object of properties, or too large");
        };
        let mut waiting = lock(&self.waiting);
        if waiting.state_bytes + payload.len() > MAX_STATE_BYTES {
            drop(waiting);
            return self.warn(device, "too many reports of state wait already");
        }
        waiting.state_bytes += payload.len();
        waiting.arrived += 1;
        let slot = waiting.states.entry(device.to_owned()).or_default();
        slot.0 = self.registry.clock().now_ms();
        slot.1.extend(state);
        drop(waiting);
        self.arrived.notify_one();
    }

    /// Works for as long as it is polled.
    pub(super) async fn run(self: Arc<Self>) {
        loop {
            self.arrived.notified().await;
            let work = {
                let mut waiting = lock(&self.waiting);
                let work = std::mem::take(&mut *waiting);
                waiting.busy = true;
                waiting.arrived = work.arrived;
                waiting.settled = work.settled;
                work
            };
            let upto = work.arrived;
            let lane = Arc::clone(&self);
            let report = spawn_blocking(move || lane.work(work)).await;
            match report {
                Ok(Some(report)) => {
                    self.report.send_replace(Some(report.to_string().into_bytes()));
                    self.status.send_modify(|status| {
                        let parsers = std::mem::take(&mut status.parsers);
                        *status = Status { parsers, ..status_of(&self.registry, status.since, status.model.clone()) };
                    });
                }
                Ok(None) => {}
                Err(panic) => error!(%panic, "a bug: the change of the home is lost"),
            }
            let mut waiting = lock(&self.waiting);
            waiting.busy = false;
            waiting.settled = upto;
            drop(waiting);
            self.done.notify_waiters();
        }
    }

    /// Waits until everything is done that has arrived so far: who first reports a state and then speaks is understood in
    /// that state.
    pub(super) async fn settled(&self) {
        let mark = lock(&self.waiting).arrived;
        loop {
            let done = self.done.notified();
            if lock(&self.waiting).settled >= mark {
                return;
            }
            done.await;
        }
    }

    /// Waits until nothing waits.
    pub(super) async fn idle(&self) {
        loop {
            let done = self.done.notified();
            {
                let waiting = lock(&self.waiting);
                if !waiting.busy && waiting.document.is_none() && waiting.states.is_empty() {
                    return;
                }
            }
            done.await;
        }
    }

    /// The document first: a state that came with it belongs to its devices.
    fn work(&self, work: Waiting) -> Option<Value> {
        let report = work.document.map(|document| self.replace(&document));
        for (device, (at_ms, state)) in work.states {
            match self.registry.merge_state(&device, &state, at_ms) {
                Ok(problems) if problems.is_empty() => {}
                Ok(problems) => self.warn(&device, &problems.join("; ")),
                Err(error) => self.warn(&device, &error.to_string()),
            }
        }
        if let Err(error) = self.registry.commit() {
            self.warn("", &error.to_string());
        }
        report
    }

    /// Replaces the home and says what became of it.
    fn replace(&self, document: &[u8]) -> Value {
        let result = match std::str::from_utf8(document) {
            Ok(text) => self.registry.replace(text).map_err(|error| {
                let code = match error {
                    RegistryError::Document(_) | RegistryError::SetAside { .. } => ErrorCode::BadHome,
                    _ => ErrorCode::Internal,
                };
                (code, error.to_string())
            }),
            Err(error) => Err((ErrorCode::BadHome, format!("not UTF-8: {error}"))),
        };
        match result {
            Ok(mut report) => {
                let home = &self.registry.snapshot().home;
                for (id, name) in taken_names(home, &self.lexicon) {
                    let reason = format!("{name:?} is a word of the language, which nobody calls this device by");
                    report.note(Rejection { path: format!("devices: {id}"), reason });
                }
                info!(
                    revision = report.revision,
                    devices = report.devices,
                    rejected = report.rejected.len(),
                    "new home"
                );
                let mut value = json!({"ok": true});
                if let (Some(value), Ok(Value::Object(report))) = (value.as_object_mut(), serde_json::to_value(report))
                {
                    value.extend(report);
                }
                value
            }
            Err((code, message)) => {
                warn!(code = code.code(), message, "the home document is refused");
                refused(code, &message)
            }
        }
    }

    fn warn(&self, device: &str, problem: &str) {
        if let Some(suppressed) = lock(&self.throttle).pass(device, Instant::now()) {
            warn!(device, problem, suppressed, "a report of state is not (wholly) taken");
        }
    }
}

/// What is told of a home that is not in force.
pub(super) fn refused(code: ErrorCode, message: &str) -> Value {
    json!({"ok": false, "error": {"code": code.code(), "message": message}})
}

/// A lock whose holder panicked is taken all the same: what waits is whole between calls.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::ModelStatus;

    const HOME: &str = r#"{"layout": ["客厅"], "model": {"m": {"property": {"power": {"type": "bool"}}}},
        "devices": [{"id": "a", "name": "灯", "local": "客厅", "device": {"model": "m"}}]}"#;

    struct Bench {
        lane: Arc<HomeLane>,
        registry: Arc<Registry>,
        report: watch::Receiver<Option<Vec<u8>>>,
        status: watch::Receiver<Status>,
    }

    fn bench() -> Bench {
        let registry = Arc::new(Registry::default());
        let (report_tx, report) = watch::channel(None);
        let (status_tx, status) = watch::channel(status_of(&registry, 0, ModelStatus::Error(String::new())));
        let lane = HomeLane::new(Arc::clone(&registry), Arc::new(Lexicon::built_in().unwrap()), report_tx, status_tx);
        tokio::spawn(Arc::clone(&lane).run());
        Bench { lane, registry, report, status }
    }

    async fn report(bench: &mut Bench) -> Value {
        bench.report.changed().await.unwrap();
        serde_json::from_slice(bench.report.borrow().as_deref().unwrap()).unwrap()
    }

    #[tokio::test]
    async fn a_document_is_put_in_force_and_reported() {
        let mut bench = bench();
        bench.lane.document(HOME.into());
        let report = report(&mut bench).await;
        assert_eq!(report["ok"], true);
        assert_eq!((&report["revision"], &report["devices"], &report["rooms"]), (&json!(1), &json!(1), &json!(1)));
        assert_eq!(report["rejected"], json!([]));
        bench.lane.idle().await;
        assert_eq!((bench.status.borrow().devices, bench.status.borrow().revision), (1, 1));
    }

    #[tokio::test]
    async fn a_document_that_is_no_home_is_refused_by_name() {
        let mut bench = bench();
        for bad in [&b"no json"[..], b"[]", b"\xff"] {
            bench.lane.document(bad.into());
            let report = report(&mut bench).await;
            assert_eq!((&report["ok"], &report["error"]["code"]), (&json!(false), &json!("bad_home")));
        }
        assert_eq!(bench.registry.snapshot().revision, 0);
    }

    #[tokio::test]
    async fn a_cleared_document_does_not_clear_the_home() {
        let mut bench = bench();
        bench.lane.document(HOME.into());
        report(&mut bench).await;
        bench.lane.document(Vec::new());
        bench.lane.idle().await;
        assert_eq!(bench.registry.snapshot().home.devices.len(), 1);
    }

    #[tokio::test]
    async fn state_that_came_with_a_document_belongs_to_its_devices() {
        let bench = bench();
        bench.lane.state("a", br#"{"power": true}"#);
        bench.lane.document(HOME.into());
        bench.lane.state("b", br#"{"power": true}"#);
        bench.lane.state("a", b"junk");
        bench.lane.idle().await;
        let snapshot = bench.registry.snapshot();
        let state = snapshot.live.get(0);
        assert_eq!(state.values["power"], true);
        assert!(state.reported_ms("power").is_some());
    }

    #[tokio::test]
    async fn waiting_state_is_bounded() {
        let registry = Arc::new(Registry::default());
        let (status, _) = watch::channel(status_of(&registry, 0, ModelStatus::Error(String::new())));
        let lane = HomeLane::new(registry, Arc::new(Lexicon::built_in().unwrap()), watch::channel(None).0, status);
        let report = json!({"x": "y".repeat(MAX_REPORT_BYTES - 100)}).to_string();
        for device in 0..1_000 {
            lane.state(&device.to_string(), report.as_bytes());
        }
        assert!(lock(&lane.waiting).state_bytes <= MAX_STATE_BYTES);
    }
}
