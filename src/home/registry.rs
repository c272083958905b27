//! The registry: the one home this daemon serves, swapped as a whole.
//!
//! It is the union of a home document and of what each hub brought ([`parts`]), as the owner wants it
//! ([`super::Overrides`]), with what devices reported ([`heard`]).

mod heard;
mod owned;
mod parts;
mod used;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use serde_json::Value;
use tokio::sync::watch;

pub use self::owned::Plain;

use self::heard::Heard;
use self::parts::{DOCUMENT, Part, Parts, Whole, parse, same};
use super::document::quote;
use super::{DeviceIndex, DeviceState, DocumentError, Home, Live, Overrides, Rejection, Report, Usage};
use crate::clock::Clock;
use crate::store::{Store, StoreError};

/// One consistent view of the home. Readers hold it as long as they like; nothing in it changes.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Counts registry replacements; 0 means that no home was ever loaded.
    pub revision: u64,
    /// The home.
    pub home: Arc<Home>,
    /// Its state.
    pub live: Live,
    /// How often its devices were asked for.
    pub usage: Arc<Usage>,
    /// What the home is made of: hubs by their names, and the empty one for the home document.
    sources: Arc<[String]>,
}

impl Snapshot {
    /// The name of the hub that brought a device; empty for one of the home document.
    pub fn source(&self, device: DeviceIndex) -> &str {
        self.sources.get(self.live.hub(device)).map_or("", String::as_str)
    }
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

/// What a registry begins with, besides what its store has.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// Why what the store has is set aside, if it is.
    pub aside: Option<String>,
    /// The hubs that there are; what others brought is forgotten. `None` keeps all.
    pub hubs: Option<Vec<String>>,
    /// What the owner says of devices.
    pub overrides: Overrides,
}

/// The home in force. Readers take no lock; writers take turns.
///
/// Locks are taken in the order of the fields.
#[derive(Debug, Default)]
pub struct Registry {
    /// What the home is made of; held while it is replaced.
    parts: Mutex<Parts>,
    /// Held while uses are counted.
    counting: Mutex<()>,
    /// What devices report; held shortly.
    heard: Mutex<Heard>,
    current: ArcSwap<Snapshot>,
    /// `None` for a home that lives in memory only.
    store: Option<Arc<Store>>,
    /// Tells when what was reported.
    clock: Clock,
    /// Counts changes of `current`.
    changes: watch::Sender<u64>,
}

impl Registry {
    /// The registry with the home and the state that the store has; an empty one if it has none. A document that is no
    /// home, as this version reads it, stays in the store and is set aside.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(store: Arc<Store>, clock: Clock) -> Result<Self, RegistryError> {
        Self::open_as(store, clock, Opening::default())
    }

    /// As [`Registry::open`]; the home of the store is set aside if there is a reason for it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open_unless(store: Arc<Store>, clock: Clock, reason: Option<String>) -> Result<Self, RegistryError> {
        Self::open_as(store, clock, Opening { aside: reason, ..Opening::default() })
    }

    /// As [`Registry::open`]. Hubs count as away until they are heard of.
    ///
    /// # Errors
    /// When the store cannot be read, or not be cleared of what is forgotten.
    pub fn open_as(store: Arc<Store>, clock: Clock, opening: Opening) -> Result<Self, RegistryError> {
        let document = store.load_registry()?.map(|(_, document)| (DOCUMENT.to_owned(), document));
        let (known, gone): (Vec<_>, Vec<_>) = store
            .load_parts()?
            .into_iter()
            .partition(|(hub, _)| opening.hubs.as_ref().is_none_or(|hubs| hubs.contains(hub)));
        for (hub, _) in gone {
            store.remove_part(&hub)?;
        }
        let (parts, whole) = Parts::of(document.into_iter().chain(known), opening.aside, opening.overrides);
        let heard = Heard::of(store.states()?, &clock);
        let usage = Arc::new(used::counted(&store)?);
        let revision = store.revision();
        let registry = Self { store: Some(store), clock, ..Self::default() };
        let (served, complete) = (!parts.is_empty(), parts.is_complete());
        registry.heard().begin(heard, parts.hubs());
        registry.current.store(Arc::new(Snapshot { usage, ..Snapshot::default() }));
        *registry.parts() = parts;
        if served {
            let gone = registry.install(revision, whole);
            // What is set aside may be read by another version, and its devices are there again.
            if complete {
                registry.forget(&gone);
                registry.forget_unused(&registry.parts());
            }
        }
        Ok(registry)
    }

    /// Why the home of the store is not in force, if it is not.
    pub fn set_aside(&self) -> Option<String> {
        self.parts().aside(DOCUMENT)
    }

    /// A registry without a store; replacements and state live as long as it does.
    pub fn in_memory(home: Home) -> Self {
        let registry = Self::default();
        let whole = registry.parts().begin(home);
        registry.install(1, whole);
        registry
    }

    /// A registry without a store of a home document and of what hubs brought, each under the hub's name. What is no home
    /// is left out.
    pub fn of_documents(document: Option<String>, hubs: Vec<(String, String)>, overrides: Overrides) -> Self {
        let documents = document.map(|document| (DOCUMENT.to_owned(), document)).into_iter().chain(hubs);
        let (parts, whole) = Parts::of(documents, None, overrides);
        let registry = Self::default();
        let served = !parts.is_empty();
        *registry.parts() = parts;
        if served {
            registry.install(1, whole);
        }
        registry
    }

    /// Makes an earlier snapshot of this registry the present one again: nothing was reported since.
    pub fn put_back(&self, snapshot: Arc<Snapshot>) {
        let mut heard = self.heard();
        heard.clear();
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

    /// Replaces the home document. What devices that stay have reported stays with them, as far as their properties still
    /// take it, and so does what hubs brought. The new home is safe on return. The document in force, given again, changes
    /// nothing and keeps its revision.
    ///
    /// # Errors
    /// When the document is no home, or the store could not keep it: the home before stays in force.
    pub fn replace(&self, document: &str) -> Result<Report, RegistryError> {
        let mut parts = self.parts();
        // It comes again with every start, if the broker keeps it.
        parts.refuse_aside(DOCUMENT, document)?;
        let (home, mut report) = parse(DOCUMENT, document)?;
        // A retained document comes again with every start: it is no new home.
        if parts.document() == Some(document) {
            report.revision = self.current.load().revision;
            return Ok(report);
        }
        let part = Part { document: Some(document.to_owned()), home: Arc::new(home) };
        self.put(&mut parts, DOCUMENT, part, document, &mut report)?;
        Ok(report)
    }

    /// Replaces what a hub brought by a home document with ids of this home, and nothing else. One that describes the same
    /// devices as before is no new home, whatever state they are in: then it only tells which of them can be reached.
    ///
    /// # Errors
    /// As [`Registry::replace`]; what the hub brought before stays in force.
    pub fn replace_hub(&self, hub: &str, document: &str) -> Result<Report, RegistryError> {
        let mut parts = self.parts();
        parts.refuse_aside(hub, document)?;
        let (home, mut report) = parse(hub, document)?;
        if let Some(before) = parts.home(hub).filter(|before| same(before, &home)) {
            let told = before.devices.iter().zip(&home.devices).filter(|(old, new)| old.online != new.online);
            for (_, device) in told {
                self.set_online(&device.id, device.online);
            }
            parts.tell(hub, home, &mut report);
            report.revision = self.current.load().revision;
            return Ok(report);
        }
        let part = Part { document: None, home: Arc::new(home) };
        self.put(&mut parts, hub, part, document, &mut report)?;
        Ok(report)
    }

    /// Puts a part in the place of the one before, if all together are a home that can be kept.
    fn put(
        &self,
        parts: &mut Parts,
        source: &str,
        part: Part,
        document: &str,
        report: &mut Report,
    ) -> Result<(), RegistryError> {
        let whole = parts.with(source, &part, report)?;
        report.revision = match &self.store {
            Some(store) if source == DOCUMENT => store.save_registry(document)?,
            Some(store) => store.save_part(source, document)?,
            None => self.current.load().revision + 1,
        };
        parts.put(source, part);
        let gone = self.install(report.revision, whole);
        self.forget(&gone);
        self.forget_unused(parts);
        Ok(())
    }

    /// Takes what the owner says of devices in place of what was said before.
    ///
    /// # Errors
    /// When the home passes a limit by it, or the store refuses: what was said before stays in force.
    pub fn set_overrides(&self, overrides: Overrides) -> Result<(), RegistryError> {
        let mut parts = self.parts();
        if parts.overrides() == &overrides {
            return Ok(());
        }
        let whole = parts.under(&overrides)?;
        if parts.is_empty() {
            parts.set_overrides(overrides);
            return Ok(());
        }
        let revision = match &self.store {
            Some(store) => store.next_revision()?,
            None => self.current.load().revision + 1,
        };
        // Only now: what the store refuses is not taken for said.
        parts.set_overrides(overrides);
        self.install(revision, whole);
        Ok(())
    }

    /// What the owner says that has no device now, and which devices are hidden.
    pub fn overridden(&self) -> Vec<Rejection> {
        self.parts().overridden()
    }

    /// Waits until a device has reported a property, or anything where none is named, at `since_ms` or later, by
    /// [`Registry::clock`], and returns its state; `None` as soon as there is no such device. The caller sets the time limit.
    pub async fn reported_since(&self, id: &str, property: Option<&str>, since_ms: u64) -> Option<DeviceState> {
        let mut changes = self.changes.subscribe();
        let mut found: Option<(Arc<Home>, DeviceIndex)> = None;
        loop {
            changes.mark_unchanged();
            {
                let snapshot = self.current.load();
                let (_, index) = match found.take().filter(|(home, _)| Arc::ptr_eq(home, &snapshot.home)) {
                    Some(found) => found,
                    None => (Arc::clone(&snapshot.home), snapshot.home.device(id)?.0),
                };
                let state = snapshot.live.get(index);
                let reported =
                    property.map_or_else(|| state.last_reported_ms(), |property| state.reported_ms(property));
                if reported.is_some_and(|at| at >= since_ms) {
                    return Some(state.clone());
                }
                found = Some((Arc::clone(&snapshot.home), index));
            }
            changes.changed().await.ok()?;
        }
    }

    /// A receiver that changes whenever the home or its state does.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The home document in force with live state in it, from which the same devices can be loaded again; that of a
    /// home that was set aside as it is; `None` when there is none. What hubs brought is not in it: they bring it again.
    pub fn export(&self) -> Option<String> {
        let parts = self.parts();
        if let Some(document) = parts.document_aside() {
            return Some(document);
        }
        let mut document: Value = serde_json::from_str(parts.document()?).ok()?;
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
    fn install(&self, revision: u64, whole: Whole) -> Vec<String> {
        let mut heard = self.heard();
        let before = self.current.load_full();
        let gone = heard.install(&before.home, &whole.home, &whole.sources);
        let mut live = Live::restored(&whole.home, |id| heard.state(id));
        heard.reach(&mut live, &whole);
        let usage = Arc::clone(&before.usage);
        self.publish(Snapshot { revision, home: whole.home, live, usage, sources: whole.sources });
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
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
