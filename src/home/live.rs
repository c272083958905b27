//! Live state: what each device last said about itself, and when.

use std::sync::Arc;

use super::{DeviceIndex, Home, State};

/// What one device last said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceState {
    /// Last known value of each property.
    pub values: State,
    /// When the last report arrived, in milliseconds since the Unix epoch; `None` while only the document's own
    /// state is known.
    pub reported_ms: Option<u64>,
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

    /// The state the document came with, and over it what `reported` knows: the values of a device id and when the
    /// last of them arrived. Values that the device does not take any more are left out.
    pub fn restored<'a>(home: &Home, reported: impl Fn(&str) -> Option<(&'a State, u64)>) -> Self {
        let states = home.devices.iter().map(|device| {
            let mut state = DeviceState { values: device.initial.clone(), reported_ms: None };
            if let Some((values, at)) = reported(&device.id) {
                let (fitting, _) = device.fitting(values);
                if !fitting.is_empty() {
                    state.values.extend(fitting);
                    state.reported_ms = Some(at);
                }
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

    /// A copy in which the values of `patch` replace those of `device`, stamped with `now_ms`.
    #[must_use]
    pub fn merged(&self, device: DeviceIndex, patch: &State, now_ms: u64) -> Self {
        let mut next = self.clone();
        if let Some(slot) = next.states.get_mut(device) {
            let mut state = (**slot).clone();
            state.values.extend(patch.iter().map(|(k, v)| (k.clone(), v.clone())));
            state.reported_ms = Some(now_ms);
            *slot = Arc::new(state);
        }
        next
    }
}
