//! The daemon and whoever looks after it: what the service manager is told, and the configuration read anew.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{MissedTickBehavior, interval};
use tracing::{error, info, warn};

use super::DaemonSettings;
use super::error::blocking;
use crate::dispatch::Prober;
use crate::home::Registry;
use crate::observe::{Beat, Notifier};
use crate::store::Store;
use crate::transport::{ModelStatus, Presence, Status};

/// Who looks after the daemon.
#[derive(Debug)]
pub struct Supervision {
    /// Is told how the daemon is.
    pub notifier: Notifier,
    /// Settings to take over while serving.
    pub reloads: mpsc::Receiver<Reload>,
}

/// Settings to take over while serving: those of `service`, the satellites, and who may come in by which doors; the others
/// count from the next start.
#[derive(Debug)]
pub struct Reload {
    /// The settings.
    pub settings: DaemonSettings,
    /// Told when they are in force.
    pub done: oneshot::Sender<()>,
}

impl Supervision {
    /// Nobody.
    pub fn none() -> Self {
        Self { notifier: Notifier::default(), reloads: mpsc::channel(1).1 }
    }
}

/// How often the watchdog is looked at within its patience.
const TICKS: u32 = 3;

/// What shows whether the daemon lives.
#[derive(Debug)]
pub(super) struct Signs {
    /// Of the connection's task.
    pub(super) link: Beat,
    /// Of the workers.
    pub(super) prober: Prober,
    /// Longest time that a worker may take for one request.
    pub(super) deadline: Duration,
}

/// Feeds the watchdog for as long as the connection's task and the workers get on; never ends.
///
/// Workers that have nothing to do are given something: a probe that goes the way of a request. One that takes its time
/// is alive until the deadline of requests has passed.
pub(super) async fn feed_watchdog(notifier: Notifier, signs: Signs) {
    let Some(patience) = notifier.watchdog() else { return std::future::pending().await };
    info!(seconds = patience.as_secs(), "the watchdog is fed");
    let mut ticks = interval(patience / TICKS);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        // The answer shows in the beat; a probe that never comes back must not keep this task.
        signs.prober.probe();
        let (link, workers) = (signs.link.age(), signs.prober.beat().age());
        if gets_on(link, workers, patience, signs.deadline) {
            notifier.alive();
        } else {
            let (link_ms, workers_ms) = (link.as_millis() as u64, workers.as_millis() as u64);
            error!(link_ms, workers_ms, "the daemon does not get on; the watchdog is not fed");
        }
    }
}

/// Tells the service manager in a few words how the daemon is, whenever that changes.
pub(super) async fn tell_status(notifier: Notifier, registry: Arc<Registry>, mut connected: watch::Receiver<bool>) {
    loop {
        let broker = if *connected.borrow_and_update() { "connected to the broker" } else { "waiting for the broker" };
        notifier.status(&format!("{broker}, {} devices", registry.snapshot().home.devices.len()));
        if connected.changed().await.is_err() {
            return std::future::pending().await;
        }
    }
}

/// Whether parts that were last seen so long ago get on, for a watchdog of this patience.
fn gets_on(link: Duration, workers: Duration, patience: Duration, deadline: Duration) -> bool {
    // The probe of the tick before had one tick to come back, unless requests with all their time were in its way.
    link <= patience && workers <= deadline + patience / TICKS * 2
}

/// Takes note that the home is served: no later end of the daemon is held against it.
pub(super) async fn note_start(store: Arc<Store>) {
    if let Err(error) = blocking(move || Ok(store.started()?)).await {
        warn!(%error, "the start is not noted");
    }
}

/// What there is to say about the home in force.
pub(super) fn status_of(registry: &Registry, since: u64, model: ModelStatus) -> Status {
    let snapshot = registry.snapshot();
    Status {
        state: Presence::Online,
        version: env!("CARGO_PKG_VERSION"),
        devices: snapshot.home.devices.len(),
        revision: snapshot.revision,
        since,
        model,
        parsers: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watchdog_is_fed_only_while_both_get_on() {
        let seconds = Duration::from_secs;
        let fed = |link, workers| gets_on(seconds(link), seconds(workers), seconds(30), seconds(10));
        assert!(fed(2, 10));
        assert!(fed(30, 30), "a request may take its ten seconds, and the probe waits a tick");
        assert!(!fed(31, 10), "the connection's task hangs");
        assert!(!fed(2, 31), "the workers hang");
    }
}
