//! Live state: what each device last said about itself and when, and whether it can be reached.

use std::sync::Arc;

use super::{DeviceIndex, Home, State};
use crate::sorted::Sorted;

/// Devices whose states are copied together when one of them changes: near the root of what a home may hold, so that an
/// update copies little, however many there are.
const CHUNK: usize = 64;

/// What one device last said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceState {
    /// Last known value of each property.
    pub values: State,
    /// When each of them was last reported, by [`crate::clock::Clock::now_ms`]. Not there is what only the document says,
    /// and what was reported before the machine was started anew: nothing tells how old that is.
    pub reported: Sorted<u64>,
    /// Whether the device itself cannot be reached; [`Live::online`] knows of its hub as well.
    pub(super) away: bool,
}

impl DeviceState {
    /// When a property was last reported.
    pub fn reported_ms(&self, property: &str) -> Option<u64> {
        self.reported.get(property).copied()
    }

    /// Takes the values of `patch`, reported at `now_ms`.
    pub(super) fn merge(&mut self, patch: &State, now_ms: u64) {
        for (key, value) in patch {
            // What is there already is not looked up and written anew: devices say the same few things all day.
            match self.values.get_mut(key) {
                Some(known) => known.clone_from(value),
                None => _ = self.values.insert(key.clone(), value.clone()),
            }
            match self.reported.get_mut(key) {
                Some(at_ms) => *at_ms = now_ms,
                None => _ = self.reported.insert(key.clone(), now_ms),
            }
        }
    }

    /// Whether the same was said, at the same times.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.values == other.values && self.reported == other.reported
    }

    /// When anything of the device was last reported.
    pub fn last_reported_ms(&self) -> Option<u64> {
        self.reported.values().max().copied()
    }
}

/// The state of every device of one home, cheap to copy: an update replaces one entry and shares the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    chunks: Vec<Arc<Vec<Arc<DeviceState>>>>,
    /// Of each device, the hub that it is of, by position; the home document is the first.
    hubs: Arc<[u8]>,
    /// Which hubs cannot be reached, a bit each.
    hubs_away: u32,
}

impl Live {
    /// The state the document came with.
    pub fn initial(home: &Home) -> Self {
        Self::restored(home, |_| None)
    }

    /// The state the document came with, and over it what `reported` knows of a device id. Values that the device does
    /// not take any more are left out.
    pub fn restored<'a>(home: &Home, reported: impl Fn(&str) -> Option<&'a Arc<DeviceState>>) -> Self {
        let states = home.devices.iter().map(|device| {
            let known = reported(&device.id);
            // Whose document says nothing of its state is as it reported, in one place.
            if let Some(known) = known
                && device.initial.is_empty()
                && known.away != device.online
                && device.fitting(&known.values).1.is_empty()
            {
                return Arc::clone(known);
            }
            let mut state =
                DeviceState { values: device.initial.clone(), away: !device.online, ..DeviceState::default() };
            if let Some(known) = known {
                state.values.extend(device.fitting(&known.values).0);
                state.reported.extend(known.reported.clone());
            }
            Arc::new(state)
        });
        let states: Vec<_> = states.collect();
        let chunks = states.chunks(CHUNK).map(|chunk| Arc::new(chunk.to_vec())).collect();
        Self { chunks, hubs: vec![0; states.len()].into(), hubs_away: 0 }
    }

    /// The state that the home's documents came with, of devices that can be reached as they can be now.
    #[must_use]
    pub fn asleep(&self, home: &Home) -> Self {
        let mut next = Self::initial(home);
        (next.hubs, next.hubs_away) = (Arc::clone(&self.hubs), self.hubs_away);
        for (device, state) in self.chunks.iter().flat_map(|chunk| chunk.iter()).enumerate() {
            next.set_away(device, state.away);
        }
        next
    }

    /// The state of a device.
    ///
    /// # Panics
    /// When `device` is not an index of the home this state belongs to.
    pub fn get(&self, device: DeviceIndex) -> &DeviceState {
        self.shared(device)
    }

    /// The same, to be kept where it is now.
    pub(super) fn shared(&self, device: DeviceIndex) -> &Arc<DeviceState> {
        &self.chunks[device / CHUNK][device % CHUNK]
    }

    /// Whether a device can be reached: by what it says of itself, and by whether its hub is there.
    ///
    /// # Panics
    /// When `device` is not an index of the home this state belongs to.
    pub fn online(&self, device: DeviceIndex) -> bool {
        !self.get(device).away && self.hubs_away & bit(self.hubs[device]) == 0
    }

    /// The devices whose state is another than it was `before`, a state of the same home.
    pub fn changed_since(&self, before: &Self) -> Vec<DeviceIndex> {
        let hubs = self.hubs_away != before.hubs_away;
        let mut changed = Vec::new();
        for (at, (now, then)) in self.chunks.iter().zip(&before.chunks).enumerate() {
            if !hubs && Arc::ptr_eq(now, then) {
                continue;
            }
            for (within, (new, old)) in now.iter().zip(then.iter()).enumerate() {
                let device = at * CHUNK + within;
                if (!Arc::ptr_eq(new, old) && new != old) || self.online(device) != before.online(device) {
                    changed.push(device);
                }
            }
        }
        changed
    }

    /// The position of the part of the home that a device is of.
    pub(super) fn hub(&self, device: DeviceIndex) -> usize {
        self.hubs.get(device).map_or(0, |hub| usize::from(*hub))
    }

    /// A copy in which the values of `patch` replace those of `device`, each stamped with `now_ms`.
    #[must_use]
    pub fn merged(&self, device: DeviceIndex, patch: &State, now_ms: u64) -> Self {
        let mut next = self.clone();
        if let Some(state) = next.slot(device) {
            state.merge(patch, now_ms);
        }
        next
    }

    /// Says whether the device itself can be reached.
    pub(super) fn set_away(&mut self, device: DeviceIndex, away: bool) {
        if device < self.hubs.len()
            && self.get(device).away != away
            && let Some(state) = self.slot(device)
        {
            state.away = away;
        }
    }

    /// Says which hub each device is of, and which hubs cannot be reached.
    pub(super) fn set_hubs(&mut self, hubs: Arc<[u8]>, away: impl IntoIterator<Item = u8>) {
        self.hubs = hubs;
        self.hubs_away = away.into_iter().fold(0, |all, hub| all | bit(hub));
    }

    /// Says whether a hub can be reached; `false` when that is nothing new.
    pub(super) fn set_hub_away(&mut self, hub: u8, away: bool) -> bool {
        let before = self.hubs_away;
        self.hubs_away = if away { before | bit(hub) } else { before & !bit(hub) };
        self.hubs_away != before
    }

    /// The entry of a device, copied where others share it.
    fn slot(&mut self, device: DeviceIndex) -> Option<&mut DeviceState> {
        let slot = Arc::make_mut(self.chunks.get_mut(device / CHUNK)?).get_mut(device % CHUNK)?;
        Some(Arc::make_mut(slot))
    }
}

/// The bit of a hub; hubs beyond the last bit share it.
fn bit(hub: u8) -> u32 {
    1 << u32::from(hub).min(31)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn home(devices: usize) -> Home {
        let device = |i: usize| json!({"id": format!("d{i}"), "name": "灯", "online": !i.is_multiple_of(7), "device": {"model": "m", "state": {"p": 1}}});
        let model = json!({"m": {"property": {"p": {"type": "uint"}}}});
        let document = json!({"model": model, "devices": (0..devices).map(device).collect::<Vec<_>>()});
        crate::home::parse(&document).unwrap().0
    }

    #[test]
    fn an_update_changes_one_device_and_no_earlier_copy() {
        let before = Live::initial(&home(200));
        for device in [0, CHUNK - 1, CHUNK, 199] {
            let after = before.merged(device, &State::from([("p".to_owned(), json!(2))]), 5);
            let changed: Vec<usize> = (0..200).filter(|d| after.get(*d) != before.get(*d)).collect();
            assert_eq!(changed, [device]);
            assert_eq!(after.changed_since(&before), [device]);
            assert_eq!(after.changed_since(&after), [0; 0]);
            assert_eq!((&after.get(device).values["p"], &before.get(device).values["p"]), (&json!(2), &json!(1)));
        }
    }

    #[test]
    fn a_device_can_be_reached_if_it_and_its_hub_can() {
        let mut live = Live::initial(&home(200));
        let hubs: Arc<[u8]> = (0..200).map(|d| u8::from(d >= 100)).collect();
        live.set_hubs(hubs, [1]);
        assert_eq!((live.online(0), live.online(1), live.online(101)), (false, true, false));
        let before = live.clone();
        assert!(live.set_hub_away(1, false) && !live.set_hub_away(1, false));
        assert_eq!(live.changed_since(&before), (100..200).filter(|d| d % 7 != 0).collect::<Vec<_>>());
        live.set_away(101, true);
        live.set_away(0, false);
        assert_eq!((live.online(0), live.online(101), live.online(102)), (true, false, true));
        let asleep = live.asleep(&home(200));
        assert!((0..200).all(|d| asleep.online(d) == live.online(d)));
    }
}
