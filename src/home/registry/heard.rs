//! What devices report of themselves, and which of them can be reached.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::parts::{DOCUMENT, Whole};
use super::{Registry, RegistryError, Snapshot};
use crate::clock::Clock;
use crate::home::document::quote;
use crate::home::{Device, DeviceIndex, DeviceState, Home, Live, State};
use crate::store::{Store, StoreError, StoredState};

/// Rows of state that one commit writes at most. The others wait for the next: however fast devices talk, a disk of flash
/// does not wear, and what is newest counts.
const MAX_ROWS: usize = 500;

/// What only writers need.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// What devices reported since they are in the home, by device id: it outlives a replacement of the home, other
    /// than the state that a document came with.
    reported: HashMap<String, Reported>,
    /// Devices whose state the store does not have yet.
    unsaved: BTreeSet<String>,
    /// What was said of whether a device can be reached, since its document said otherwise.
    online: HashMap<String, bool>,
    /// Hubs that cannot be reached.
    away: BTreeSet<String>,
    /// Where each device stands in the home.
    index: HashMap<String, DeviceIndex>,
}

/// What a device reported.
#[derive(Debug, Default)]
struct Reported {
    /// As a rule all that is known of how the device is: then it is the very one of [`Live`], which is there once.
    state: Arc<DeviceState>,
    /// Whether the store has taken these values.
    stored: bool,
}

impl Heard {
    /// What the store kept.
    pub(super) fn of(stored: Vec<(String, StoredState)>, clock: &Clock) -> Self {
        let restored = |state| Reported { state: Arc::new(restored(state, clock)), stored: true };
        Self { reported: stored.into_iter().map(|(id, state)| (id, restored(state))).collect(), ..Self::default() }
    }

    /// Begins with what was heard before by hubs that are not there yet.
    pub(super) fn begin<'a>(&mut self, before: Self, hubs: impl Iterator<Item = &'a String>) {
        *self = Self { away: hubs.cloned().collect(), ..before };
    }

    /// Forgets what was reported.
    pub(super) fn clear(&mut self) {
        self.reported.clear();
        self.unsaved.clear();
        self.online.clear();
    }

    /// What a device reported.
    pub(super) fn state(&self, id: &str) -> Option<&Arc<DeviceState>> {
        self.reported.get(id).map(|reported| &reported.state)
    }

    /// Keeps what still is of a device of the new home, and returns the ids of devices that reported and are gone.
    pub(super) fn install(&mut self, before: &Home, home: &Home, sources: &[String]) -> Vec<String> {
        let index: HashMap<String, DeviceIndex> =
            home.devices.iter().enumerate().map(|(at, device)| (device.id.clone(), at)).collect();
        let of = |id: &str| -> Option<&Device> { index.get(id).map(|at| &home.devices[*at]) };
        let mut gone = Vec::new();
        self.reported.retain(|id, reported| {
            let Some(device) = of(id) else {
                gone.push(id.clone());
                return false;
            };
            let (fitting, misfits) = device.fitting(&reported.state.values);
            if !misfits.is_empty() {
                let state = Arc::make_mut(&mut reported.state);
                state.values = fitting;
                state.reported.retain(|property, _| state.values.contains_key(property));
            }
            true
        });
        self.unsaved.retain(|id| index.contains_key(id));
        // What a document says newly is newer than what was heard before.
        let (old, places) = (before, &self.index);
        self.online.retain(|id, _| {
            let was = places.get(id).and_then(|at| old.devices.get(*at)).map(|device| device.online);
            of(id).is_some_and(|device| was.is_none_or(|was| was == device.online))
        });
        self.away.retain(|hub| sources.contains(hub));
        self.index = index;
        gone
    }

    /// Says in `live` which devices can be reached.
    pub(super) fn reach(&self, live: &mut Live, whole: &Whole) {
        for (id, online) in &self.online {
            if let Some(device) = self.index.get(id) {
                live.set_away(*device, !online);
            }
        }
        let hubs = (0_u8..).zip(whole.sources.iter()).filter(|(_, hub)| self.away.contains(*hub));
        live.set_hubs(Arc::clone(&whole.parts), hubs.map(|(at, _)| at));
    }

    /// Merges what a device reported, by which its live state became another; the state that the store is to have, if it is
    /// another than before.
    fn merge(
        &mut self,
        id: &str,
        values: &State,
        now_ms: u64,
        [before, after]: [&Arc<DeviceState>; 2],
    ) -> Option<&DeviceState> {
        if !self.reported.contains_key(id) {
            self.reported.insert(id.to_owned(), Reported::default());
        }
        let reported = self.reported.get_mut(id)?;
        reported.stored &= values.iter().all(|(key, value)| reported.state.values.get(key) == Some(value));
        if Arc::ptr_eq(&reported.state, before) || reported.state.says_the_same(before) {
            reported.state = Arc::clone(after);
        } else {
            Arc::make_mut(&mut reported.state).merge(values, now_ms);
        }
        // A sensor that repeats itself does not wear the flash: after a restart its state only looks older than it is.
        (!reported.stored).then_some(&*reported.state)
    }

    /// Notes that the store has these values of a device, unless newer ones came meanwhile.
    fn note_stored(&mut self, id: &str, values: &State) {
        if let Some(reported) = self.reported.get_mut(id) {
            reported.stored = &reported.state.values == values;
        }
    }
}

/// What was taken of a report, the state of the device before and after, and what is wrong with the rest.
type Merged = (State, [Arc<DeviceState>; 2], Vec<String>);

impl Registry {
    /// Merges what a device reported at `now_ms` into live state, which readers see at once, and hands it to the store; it
    /// is safe after [`Registry::commit`]. Returns what is wrong with the values that were left out.
    ///
    /// # Errors
    /// When there is no such device, or the store takes nothing more: then live state is newer than what is stored.
    pub fn merge_state(&self, id: &str, patch: &State, now_ms: u64) -> Result<Vec<String>, RegistryError> {
        let mut heard = self.heard();
        let (values, states, problems) = self.merge_live(&heard, id, patch, now_ms)?;
        if !values.is_empty()
            && let Some(state) = heard.merge(id, &values, now_ms, states.each_ref())
            && let Some(store) = &self.store
        {
            let state = state.clone();
            self.store_state(store, id, &state)?;
            heard.note_stored(id, &state.values);
        }
        Ok(problems)
    }

    /// As [`Registry::merge_state`], but the store gets it with a later [`Registry::commit`]: for devices that talk much.
    ///
    /// # Errors
    /// When there is no such device.
    pub fn hear_state(&self, id: &str, patch: &State, now_ms: u64) -> Result<Vec<String>, RegistryError> {
        let mut heard = self.heard();
        let (values, states, problems) = self.merge_live(&heard, id, patch, now_ms)?;
        if !values.is_empty()
            && heard.merge(id, &values, now_ms, states.each_ref()).is_some()
            && self.store.is_some()
            && !heard.unsaved.contains(id)
        {
            heard.unsaved.insert(id.to_owned());
        }
        Ok(problems)
    }

    /// Merges into live state what fits, and returns it, the state of the device before and after, and what is wrong with
    /// the rest.
    fn merge_live(&self, heard: &Heard, id: &str, patch: &State, now_ms: u64) -> Result<Merged, RegistryError> {
        let snapshot = self.current.load();
        let index = heard.index.get(id).copied();
        let index = index.ok_or_else(|| RegistryError::UnknownDevice { id: id.to_owned() })?;
        let (values, misfits) = snapshot.home.devices[index].fitting(patch);
        let problems = misfits.into_iter().map(|(key, reason)| format!("{}: {reason}", quote(&key))).collect();
        let before = Arc::clone(snapshot.live.shared(index));
        if values.is_empty() {
            return Ok((values, [Arc::clone(&before), before], problems));
        }
        let live = snapshot.live.merged(index, &values, now_ms);
        let after = Arc::clone(live.shared(index));
        self.publish(Snapshot { live, ..(**snapshot).clone() });
        Ok((values, [before, after], problems))
    }

    /// Says whether a device can be reached. One that is not there is none of this home's; `false` then.
    pub fn set_online(&self, id: &str, online: bool) -> bool {
        let mut heard = self.heard();
        let Some(index) = heard.index.get(id).copied() else { return false };
        heard.online.insert(id.to_owned(), online);
        let snapshot = self.current.load();
        if snapshot.live.get(index).away == online {
            let mut live = snapshot.live.clone();
            live.set_away(index, !online);
            self.publish(Snapshot { live, ..(**snapshot).clone() });
        }
        true
    }

    /// Says whether a hub can be reached; while it cannot, none of its devices can.
    pub fn set_hub_online(&self, hub: &str, online: bool) {
        if hub == DOCUMENT {
            return;
        }
        let mut heard = self.heard();
        if online {
            _ = heard.away.remove(hub)
        } else {
            _ = heard.away.insert(hub.to_owned())
        }
        let snapshot = self.current.load();
        let Some(at) = (0_u8..).zip(snapshot.sources.iter()).find(|(_, source)| *source == hub) else { return };
        let mut live = snapshot.live.clone();
        if live.set_hub_away(at.0, !online) {
            self.publish(Snapshot { live, ..(**snapshot).clone() });
        }
    }

    /// The name of the hub that brought a device, empty for one of the home document; `None` when there is no such device.
    pub fn source(&self, id: &str) -> Option<String> {
        let heard = self.heard();
        let index = *heard.index.get(id)?;
        Some(self.current.load().source(index).to_owned())
    }

    /// Makes state merged so far safe, of some hundred devices at a time. Waits for the disk; calls that arrive together
    /// share one flush. Returns whether some is left for the next time.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn commit(&self) -> Result<bool, RegistryError> {
        let Some(store) = &self.store else { return Ok(false) };
        let (rows, left) = self.take_unsaved();
        let mut rows = rows.into_iter();
        while let Some((id, state)) = rows.next() {
            match self.store_state(store, &id, &state) {
                Ok(()) => self.heard().note_stored(&id, &state.values),
                // It stays in memory; the others are kept.
                Err(error @ StoreError::TooLarge { .. }) => {
                    tracing::warn!(%error, device = id, "the state of a device is not kept");
                }
                Err(error) => {
                    self.heard().unsaved.extend(rows.map(|(id, _)| id).chain([id]));
                    return Err(error.into());
                }
            }
        }
        store.commit()?;
        Ok(left)
    }

    /// The states that the next commit writes, and whether there are more.
    fn take_unsaved(&self) -> (Vec<(String, Arc<DeviceState>)>, bool) {
        let mut heard = self.heard();
        let mut rows = Vec::new();
        while rows.len() < MAX_ROWS
            && let Some(id) = heard.unsaved.pop_first()
        {
            if let Some(state) = heard.state(&id) {
                let state = Arc::clone(state);
                rows.push((id, state));
            }
        }
        (rows, !heard.unsaved.is_empty())
    }

    /// Hands a state to the store. Of one that is too large for it the older one goes: after a restart that would be
    /// believed.
    fn store_state(&self, store: &Store, id: &str, state: &DeviceState) -> Result<(), StoreError> {
        let DeviceState { values, reported, .. } = state.clone();
        let put = store.put_state(id, &StoredState { values, reported, boot: self.clock.boot().to_owned() });
        if matches!(put, Err(StoreError::TooLarge { .. })) {
            store.withdraw_state(id);
        }
        put
    }
}

/// What the store kept of a device. What was reported before the machine was started anew is of no known age.
fn restored(stored: StoredState, clock: &Clock) -> DeviceState {
    let StoredState { values, mut reported, boot } = stored;
    let now_ms = clock.now_ms();
    reported.retain(|_, at_ms| boot == clock.boot() && *at_ms <= now_ms);
    DeviceState { values, reported, ..DeviceState::default() }
}
