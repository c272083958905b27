//! Live state: what each device last said about itself, and when.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{DeviceIndex, Home, State};

/// What one device last said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceState {
    /// Last known value of each property.
    pub values: State,
    /// When each of them was last reported, by [`crate::clock::Clock::now_ms`]. Not there is what only the document says,
    /// and what was reported before the machine was started anew: nothing tells how old that is.
    pub reported: BTreeMap<String, u64>,
}

impl DeviceState {
    /// When a property was last reported.
    pub fn reported_ms(&self, property: &str) -> Option<u64> {
        self.reported.get(property).copied()
    }

    /// Takes the values of `patch`, reported at `now_ms`.
    pub(super) fn merge(&mut self, patch: &State, now_ms: u64) {
        self.values.extend(patch.iter().map(|(k, v)| (k.clone(), v.clone())));
        self.reported.extend(patch.keys().map(|k| (k.clone(), now_ms)));
    }

    /// When anything of the device was last reported.
    pub fn last_reported_ms(&self) -> Option<u64> {
        self.reported.values().max().copied()
    }
}

/// The state of every device of one home, cheap to copy: an update replaces one entry and shares the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    states: Vec<Arc<DeviceState>>,
}

impl Live {
    /// The state the document came with.
    pub fn initial(home: &Home) -> Self {
        Self::restored(home, |_| None)
    }

    /// The state the document came with, and over it what `reported` knows of a device id. Values that the device does
    /// not take any more are left out.
    pub fn restored<'a>(home: &Home, reported: impl Fn(&str) -> Option<&'a DeviceState>) -> Self {
        let states = home.devices.iter().map(|device| {
            let mut state = DeviceState { values: device.initial.clone(), ..DeviceState::default() };
            if let Some(known) = reported(&device.id) {
                state.values.extend(device.fitting(&known.values).0);
                state.reported.extend(known.reported.clone());
            }
            Arc::new(state)
        });
        Self { states: states.collect() }
    }

    /// The state of a device.
    ///
    /// # Panics
    /// When `device` is not an index of the home this state belongs to.
    pub fn get(&self, device: DeviceIndex) -> &DeviceState {
        &self.states[device]
    }

    /// A copy in which the values of `patch` replace those of `device`, each stamped with `now_ms`.
    #[must_use]
    pub fn merged(&self, device: DeviceIndex, patch: &State, now_ms: u64) -> Self {
        let mut next = self.clone();
        if let Some(slot) = next.states.get_mut(device) {
            let mut state = (**slot).clone();
            state.merge(patch, now_ms);
            *slot = Arc::new(state);
        }
        next
    }
}
