//! States that are too old to be believed: the hub is asked for them, and waited for a moment.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::mpsc;
use tracing::warn;

use super::Service;
use crate::frame::Event;
use crate::home::Live;
use crate::resolve::Outcome;
use crate::retrieval::World;

/// A hub that does not answer is asked on, and not waited for again for so long: a minute.
const HUB_SILENCE_MS: u64 = 60_000;

impl Service {
    /// How young states have to be, by the count since the start of the machine.
    pub(super) fn fresh_since(&self, inline: bool, now_ms: u64) -> u64 {
        match self.settings.state_max_age {
            // Soon after the start of the machine as well, what has no known age is not fresh.
            Some(age) if !inline => now_ms.saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX)).max(1),
            _ => 0,
        }
    }

    /// Asks the hub for the states that are too old, and takes what comes in time.
    pub(super) async fn refresh(
        &self,
        world: &World,
        outcome: &Outcome,
        events: &mpsc::Sender<Event>,
        since_ms: u64,
    ) -> Live {
        let ids: Vec<String> = outcome.stale.iter().map(|d| world.home().devices[*d].id.clone()).collect();
        for device in &ids {
            if events.send(Event::AskState { device: device.clone() }).await.is_err() {
                break;
            }
        }
        let reported = async {
            for id in &ids {
                let _ = self.registry.reported_since(id, since_ms).await;
            }
        };
        let silent = since_ms < self.silent_until_ms.load(Ordering::Relaxed);
        if !silent && tokio::time::timeout(self.settings.state_wait, reported).await.is_err() {
            self.silent_until_ms.store(since_ms.saturating_add(HUB_SILENCE_MS), Ordering::Relaxed);
            warn!(devices = ids.len(), "no fresh state came in time; the last known one is used");
        }
        let snapshot = self.registry.snapshot();
        // The home may have been replaced meanwhile; then the state belongs to another one.
        if Arc::ptr_eq(&snapshot.home, &world.vocabulary.home) {
            snapshot.live.clone()
        } else {
            Live::initial(world.home())
        }
    }
}
