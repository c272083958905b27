//! The registry: the one home this daemon serves, swapped as a whole.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use serde_json::Value;
use tokio::sync::watch;

use super::document::{parse_text, quote};
use super::{Device, DeviceState, DocumentError, Home, Live, Report, State};
use crate::clock::Clock;
use crate::store::{Store, StoreError, StoredState};

/// One consistent view of the home. Readers hold it as long as they like; nothing in it changes.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Counts registry replacements; 0 means that no home was ever loaded.
    pub revision: u64,
    /// The home.
    pub home: Arc<Home>,
    /// Its state.
    pub live: Live,
}

/// Why the registry refused something; the home in force is the one before.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The document is no home.
    #[error("home document: {0}")]
    Document(#[from] DocumentError),
    /// The store could not keep it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The document is the one that was set aside.
    #[error("this home was set aside: {reason}")]
    SetAside {
        /// Why.
        reason: String,
    },
    /// No device has this id.
    #[error("there is no device {}", quote(id))]
    UnknownDevice {
        /// The id, as it came.
        id: String,
    },
}

/// The home in force. Readers take no lock; writers take turns.
#[derive(Debug, Default)]
pub struct Registry {
    current: ArcSwap<Snapshot>,
    writer: Mutex<Writer>,
    /// `None` for a home that lives in memory only.
    store: Option<Arc<Store>>,
    /// Tells when what was reported.
    clock: Clock,
    /// Counts changes of `current`.
    changes: watch::Sender<u64>,
}

/// What only writers need.
#[derive(Debug, Default)]
struct Writer {
    /// The text of the home in force; `None` for one that did not come as text.
    document: Option<String>,
    /// What devices reported since they are in the home, by device id: it outlives a replacement of the home, other
    /// than the state that a document came with.
    reported: HashMap<String, Reported>,
    /// The document of the store that is not in force, and why.
    aside: Option<(String, String)>,
}

/// What a device reported.
#[derive(Debug, Default)]
struct Reported {
    state: DeviceState,
    /// Whether the store has taken these values.
    stored: bool,
}

impl Registry {
    /// The registry with the home and the state that the store has; an empty one if it has none. A document that is no
    /// home, as this version reads it, stays in the store and is set aside.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(store: Arc<Store>, clock: Clock) -> Result<Self, RegistryError> {
        Self::open_unless(store, clock, None)
    }

    /// As [`Registry::open`]; the home of the store is set aside if there is a reason for it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open_unless(store: Arc<Store>, clock: Clock, reason: Option<String>) -> Result<Self, RegistryError> {
        let stored = store.load_registry()?;
        let restored = |state| Reported { state: restored(state, &clock), stored: true };
        let reported = store.states()?.into_iter().map(|(id, state)| (id, restored(state))).collect();
        let registry = Self { store: Some(store), clock, ..Self::default() };
        let Some((revision, document)) = stored else { return Ok(registry) };
        let home = match reason {
            Some(reason) => Err(reason),
            None => parse_text(&document).map(|(home, _)| home).map_err(|error| format!("home document: {error}")),
        };
        let mut writer = registry.lock();
        writer.reported = reported;
        match home {
            Ok(home) => {
                writer.document = Some(document);
                let gone = registry.install(&mut writer, revision, home);
                registry.forget(&gone);
            }
            Err(reason) => writer.aside = Some((document, reason)),
        }
        drop(writer);
        Ok(registry)
    }

    /// Why the home of the store is not in force, if it is not.
    pub fn set_aside(&self) -> Option<String> {
        self.lock().aside.as_ref().map(|(_, reason)| reason.clone())
    }

    /// A registry without a store; replacements and state live as long as it does.
    pub fn in_memory(home: Home) -> Self {
        let registry = Self::default();
        registry.install(&mut registry.lock(), 1, home);
        registry
    }

    /// Makes an earlier snapshot of this registry the present one again: nothing was reported since.
    pub fn put_back(&self, snapshot: Arc<Snapshot>) {
        let mut writer = self.lock();
        writer.reported.clear();
        self.current.store(snapshot);
    }

    /// The same registry by another clock.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// What tells when something was reported.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The home as it is now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Replaces the home. What devices that stay have reported stays with them, as far as their properties still take
    /// it. The new home is safe on return. The document in force, given again, changes nothing and keeps its revision.
    ///
    /// # Errors
    /// When the document is no home, or the store could not keep it: the home before stays in force.
    pub fn replace(&self, document: &str) -> Result<Report, RegistryError> {
        let mut writer = self.lock();
        // It comes again with every start, if the broker keeps it.
        if let Some((_, reason)) = writer.aside.as_ref().filter(|(aside, _)| aside == document) {
            return Err(RegistryError::SetAside { reason: reason.clone() });
        }
        let (home, mut report) = parse_text(document)?;
        // A retained document comes again with every start: it is no new home.
        if writer.document.as_deref() == Some(document) {
            report.revision = self.current.load().revision;
            return Ok(report);
        }
        report.revision = match &self.store {
            Some(store) => store.save_registry(document)?,
            None => self.current.load().revision + 1,
        };
        writer.document = Some(document.to_owned());
        writer.aside = None;
        let gone = self.install(&mut writer, report.revision, home);
        self.forget(&gone);
        Ok(report)
    }

    /// Merges what a device reported at `now_ms` into live state, which readers see at once, and hands it to the store; it
    /// is safe after [`Registry::commit`]. Returns what is wrong with the values that were left out.
    ///
    /// # Errors
    /// When there is no such device, or the store takes nothing more: then live state is newer than what is stored.
    pub fn merge_state(&self, id: &str, patch: &State, now_ms: u64) -> Result<Vec<String>, RegistryError> {
        let mut writer = self.lock();
        let snapshot = self.current.load();
        let (index, device) =
            snapshot.home.device(id).ok_or_else(|| RegistryError::UnknownDevice { id: id.to_owned() })?;
        let (values, misfits) = device.fitting(patch);
        let problems = misfits.into_iter().map(|(key, reason)| format!("{}: {reason}", quote(&key))).collect();
        if values.is_empty() {
            return Ok(problems);
        }
        let live = snapshot.live.merged(index, &values, now_ms);
        self.publish(Snapshot { revision: snapshot.revision, home: Arc::clone(&snapshot.home), live });

        let reported = writer.reported.entry(id.to_owned()).or_default();
        reported.stored &= values.iter().all(|(key, value)| reported.state.values.get(key) == Some(value));
        reported.state.merge(&values, now_ms);
        // A sensor that repeats itself does not wear the flash: after a restart its state only looks older than it is.
        if let Some(store) = &self.store
            && !reported.stored
        {
            let DeviceState { values, reported: times } = reported.state.clone();
            store.put_state(id, &StoredState { values, reported: times, boot: self.clock.boot().to_owned() })?;
            reported.stored = true;
        }
        Ok(problems)
    }

    /// Makes all state merged so far safe. Waits for the disk; calls that arrive together share one flush.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn commit(&self) -> Result<(), RegistryError> {
        self.store.as_ref().map_or(Ok(()), |store| Ok(store.commit()?))
    }

    /// Waits until a device has reported at `since_ms` or later, by [`Registry::clock`], and returns its state; `None` as soon as there is no such device. The caller sets the time limit.
    pub async fn reported_since(&self, id: &str, since_ms: u64) -> Option<DeviceState> {
        let mut changes = self.changes.subscribe();
        loop {
            changes.mark_unchanged();
            {
                let snapshot = self.current.load();
                let (index, _) = snapshot.home.device(id)?;
                let state = snapshot.live.get(index);
                if state.last_reported_ms().is_some_and(|at| at >= since_ms) {
                    return Some(state.clone());
                }
            }
            changes.changed().await.ok()?;
        }
    }

    /// A receiver that changes whenever the home or its state does.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The document of the home in force with live state in it, from which the same home can be loaded again; that of a
    /// home that was set aside as it is; `None` when the home did not come as a document.
    pub fn export(&self) -> Option<String> {
        let writer = self.lock();
        if let Some((document, _)) = &writer.aside {
            return Some(document.clone());
        }
        let mut document: Value = serde_json::from_str(writer.document.as_ref()?).ok()?;
        let snapshot = self.snapshot();
        let index: HashMap<&str, usize> =
            snapshot.home.devices.iter().enumerate().map(|(i, device)| (device.id.as_str(), i)).collect();
        for entry in document.get_mut("devices").and_then(Value::as_array_mut).into_iter().flatten() {
            let device = entry.get("id").and_then(Value::as_str).and_then(|id| index.get(id));
            if let Some(&device) = device
                && let Some(Value::Object(part)) = entry.get_mut("device")
            {
                let values = &snapshot.live.get(device).values;
                let state = values.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
                part.insert("state".to_owned(), Value::Object(state));
            }
        }
        serde_json::to_string_pretty(&document).ok()
    }

    /// Puts a home in force with what its devices reported before, and returns the ids of those that are gone.
    fn install(&self, writer: &mut Writer, revision: u64, home: Home) -> Vec<String> {
        let devices: HashMap<&str, &Device> = home.devices.iter().map(|d| (d.id.as_str(), d)).collect();
        let (mut stay, mut gone) = (HashMap::new(), Vec::new());
        for (id, mut reported) in writer.reported.drain() {
            match devices.get(id.as_str()) {
                Some(device) => {
                    let state = &mut reported.state;
                    state.values = device.fitting(&state.values).0;
                    state.reported.retain(|property, _| state.values.contains_key(property));
                    stay.insert(id, reported);
                }
                None => gone.push(id),
            }
        }
        writer.reported = stay;
        let live = Live::restored(&home, |id| writer.reported.get(id).map(|r| &r.state));
        self.publish(Snapshot { revision, home: Arc::new(home), live });
        gone
    }

    /// Removes the stored state of devices that are gone. Nothing reads it: no reason to refuse a home.
    fn forget(&self, gone: &[String]) {
        let Some(store) = &self.store else { return };
        for id in gone {
            if let Err(error) = store.delete_state(id) {
                tracing::warn!(%error, device = id, "the state of a device that is gone could not be removed");
            }
        }
    }

    fn publish(&self, snapshot: Snapshot) {
        self.current.store(Arc::new(snapshot));
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// A lock whose holder panicked is taken all the same: readers have their snapshot from elsewhere.
    fn lock(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the store kept of a device. What was reported before the machine was started anew is of no known age.
fn restored(stored: StoredState, clock: &Clock) -> DeviceState {
    let StoredState { values, mut reported, boot } = stored;
    let now_ms = clock.now_ms();
    reported.retain(|_, at_ms| boot == clock.boot() && *at_ms <= now_ms);
    DeviceState { values, reported }
}

#[cfg(test)]
mod tests;
