//! The ordered lane for all that changes the home: documents and reported state, one after the other, off the runtime.
//!
//! What waits is merged: of documents only the newest counts, of a device's reports only the newest value of each property.
//! So the lane is bounded by the home and not by how fast a hub talks. Readers see a state at once; the disk gets what is
//! newest now and then, and nobody who speaks waits for that.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::{Notify, watch};
use tokio::task::spawn_blocking;
use tracing::{error, info, warn};

use super::overrides::OverridesFile;
use super::status_of;
use crate::frame::ErrorCode;
use crate::home::{Registry, RegistryError, Rejection, Report, State};
use crate::language::lexicon::Lexicon;
use crate::language::vocabulary::{Taken, taken_names};
use crate::transport::{Status, Throttle};

/// Bytes of reported state that may wait.
const MAX_STATE_BYTES: usize = 4 << 20;

/// Bytes of one report of state; beyond, it is no state.
const MAX_REPORT_BYTES: usize = 64 << 10;

/// How long the disk is left alone after reported state was written: a power cut costs no more than that.
const SAVE_EVERY: Duration = Duration::from_secs(5);

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
    /// Told when there is state that the disk does not have.
    unsaved: Notify,
    overrides: Arc<OverridesFile>,
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
        overrides: Arc<OverridesFile>,
    ) -> Arc<Self> {
        Arc::new(Self {
            registry,
            lexicon,
            report,
            status,
            waiting: Mutex::default(),
            arrived: Notify::new(),
            done: Notify::new(),
            unsaved: Notify::new(),
            overrides,
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

    /// Takes what a device of a hub reports of itself, now. Waits for nothing but other changes of the home.
    ///
    /// # Errors
    /// When there is no such device.
    pub(super) fn hear(&self, device: &str, state: &State, at_ms: u64) -> Result<Vec<String>, RegistryError> {
        let problems = self.registry.hear_state(device, state, at_ms)?;
        self.unsaved.notify_one();
        Ok(problems)
    }

    /// Replaces what a hub brought. Waits for the disk.
    ///
    /// # Errors
    /// When it is no home, or cannot be kept: what the hub brought before stays.
    pub(super) fn bring(&self, hub: &str, document: &str) -> Result<Report, RegistryError> {
        self.refresh();
        let before = self.registry.snapshot().revision;
        let report = self.registry.replace_hub(hub, document)?;
        if report.revision != before {
            self.tell_status();
        }
        Ok(report)
    }

    /// Reads the owner's file again, if it changed. Waits for the disk.
    pub(super) fn refresh(&self) {
        self.owned(OverridesFile::refresh);
    }

    /// Reads the owner's file again, as we have just written it. Waits for the disk.
    pub(super) fn retake(&self) {
        self.owned(OverridesFile::take);
    }

    fn owned(&self, take: impl FnOnce(&OverridesFile, &Registry)) {
        let before = self.registry.snapshot().revision;
        take(&self.overrides, &self.registry);
        if self.registry.snapshot().revision != before {
            self.tell_status();
        }
    }

    /// Works for as long as it is polled.
    pub(super) async fn run(self: Arc<Self>) {
        tokio::join!(Arc::clone(&self).serve(), self.save());
    }

    /// Brings reported state to the disk, at once after a quiet time and now and then in a storm.
    async fn save(&self) {
        loop {
            self.unsaved.notified().await;
            let registry = Arc::clone(&self.registry);
            match spawn_blocking(move || registry.commit()).await {
                Ok(Ok(false)) => {}
                Ok(Ok(true)) => self.unsaved.notify_one(),
                Ok(Err(error)) => {
                    self.warn("", &error.to_string());
                    self.unsaved.notify_one();
                }
                Err(panic) => error!(%panic, "a bug: reported state is not on the disk"),
            }
            tokio::time::sleep(SAVE_EVERY).await;
        }
    }

    async fn serve(self: Arc<Self>) {
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
                    self.tell_status();
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

    fn tell_status(&self) {
        self.status.send_modify(|status| {
            let parsers = std::mem::take(&mut status.parsers);
            *status = Status { parsers, ..status_of(&self.registry, status.since, status.model.clone()) };
        });
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
        let report = work.document.map(|document| {
            self.refresh();
            self.replace(&document)
        });
        for (device, (at_ms, state)) in work.states {
            match self.hear(&device, &state, at_ms) {
                Ok(problems) if problems.is_empty() => {}
                Ok(problems) => self.warn(&device, &problems.join("; ")),
                Err(error) => self.warn(&device, &error.to_string()),
            }
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
                for Taken { part, id, name } in taken_names(home, &self.lexicon) {
                    let reason = format!("{name:?} is a word of the language and stays one; call it otherwise");
                    report.note(Rejection { path: format!("{part}: {id}"), reason });
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
        if let Some(suppressed) = lock(&self.throttle).pass_of("device", device, Instant::now()) {
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
mod tests;
