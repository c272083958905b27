//! States that are too old to be believed: the hub is asked for them, and waited for a moment.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tracing::warn;

use super::Service;
use crate::frame::Event;
use crate::home::{DeviceIndex, Live, MAX_DEVICES};
use crate::resolve::Outcome;
use crate::retrieval::World;

/// A hub that does not answer is asked on, and not waited for again for so long: a minute.
const HUB_SILENCE_MS: u64 = 60_000;

/// When devices were last asked how they are. However many want to know, a hub that is waited for is asked once.
#[derive(Debug, Default)]
pub(super) struct Asked {
    // Not held across an await.
    at_ms: Mutex<HashMap<String, u64>>,
}

impl Asked {
    /// Whether to ask a device now: not while the answer may still come to who asked before.
    fn begin(&self, device: &str, now_ms: u64, wait_ms: u64) -> bool {
        let mut at_ms = self.at_ms.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = |at: &u64| now_ms.saturating_sub(*at) < wait_ms;
        if at_ms.get(device).is_some_and(waits) {
            return false;
        }
        if at_ms.len() >= MAX_DEVICES {
            at_ms.retain(|_, at| waits(at));
        }
        at_ms.insert(device.to_owned(), now_ms);
        true
    }
}

/// How things are after the hub was asked.
pub(super) struct Refreshed {
    pub(super) live: Live,
    /// Devices whose hubs tell whatever changes by themselves, as long as they are there at all.
    pub(super) told: Vec<DeviceIndex>,
}

impl Service {
    /// How young states have to be, by the count since the start of the machine.
    pub(super) fn fresh_since(&self, inline: bool, now_ms: u64) -> u64 {
        match self.settings.state_max_age {
            // Soon after the start of the machine as well, what has no known age is not fresh.
            Some(age) if !inline => now_ms.saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX)).max(1),
            _ => 0,
        }
    }

    /// Asks the hub for the states that are too old, and takes what comes in time. `decides`: something is done by them, so that
    /// a hub that was silent before is waited for as well.
    pub(super) async fn refresh(
        &self,
        world: &World,
        outcome: &Outcome,
        events: &mpsc::Sender<Event>,
        since_ms: u64,
        decides: bool,
    ) -> Refreshed {
        let old: Vec<(&str, Option<&str>)> = outcome
            .stale
            .iter()
            .map(|stale| (world.home().devices[stale.device].id.as_str(), stale.property.as_deref()))
            .collect();
        let wait_ms = u64::try_from(self.settings.state_wait.as_millis()).unwrap_or(u64::MAX);
        for (device, _) in old.iter().filter(|(device, _)| self.asked.begin(device, since_ms, wait_ms)) {
            if events.send(Event::AskState { device: (*device).to_owned() }).await.is_err() {
                break;
            }
        }
        let reported = async {
            for (id, property) in &old {
                let _ = self.registry.reported_since(id, *property, since_ms).await;
            }
        };
        let silent = !decides && since_ms < self.silent_until_ms.load(Ordering::Relaxed);
        if !silent && tokio::time::timeout(self.settings.state_wait, reported).await.is_err() {
            self.silent_until_ms.store(since_ms.saturating_add(HUB_SILENCE_MS), Ordering::Relaxed);
            warn!(states = old.len(), "no fresh state came in time");
        }
        let snapshot = self.registry.snapshot();
        // The home may have been replaced meanwhile; then the state belongs to another one.
        if !Arc::ptr_eq(&snapshot.home, &world.vocabulary.home) {
            return Refreshed { live: Live::initial(world.home()), told: Vec::new() };
        }
        let told = (0..world.home().devices.len()).filter(|device| !snapshot.source(*device).is_empty()).collect();
        Refreshed { told, live: snapshot.live.clone() }
    }
}
