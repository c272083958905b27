//! What the service manager is told: when the daemon is ready, what it is at, and that it lives.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sd_notify::NotifyState;
use tracing::debug;

/// Speaks to systemd, or to nobody.
#[derive(Clone, Debug, Default)]
pub struct Notifier {
    heard: bool,
}

impl Notifier {
    /// Speaks to whoever started this process and wants to be told (`NOTIFY_SOCKET`).
    pub fn of_process() -> Self {
        Self { heard: std::env::var_os("NOTIFY_SOCKET").is_some() }
    }

    /// The daemon serves.
    pub fn ready(&self) {
        self.tell(&[NotifyState::Ready]);
    }

    /// What the daemon is at, in a few words.
    pub fn status(&self, text: &str) {
        self.tell(&[NotifyState::Status(text)]);
    }

    /// The configuration is being read again; [`Self::ready`] ends that.
    pub fn reloading(&self) {
        match NotifyState::monotonic_usec_now() {
            Ok(now) => self.tell(&[NotifyState::Reloading, now]),
            Err(_) => self.tell(&[NotifyState::Reloading]),
        }
    }

    /// The daemon ends.
    pub fn stopping(&self) {
        self.tell(&[NotifyState::Stopping]);
    }

    /// The daemon lives.
    pub fn alive(&self) {
        self.tell(&[NotifyState::Watchdog]);
    }

    /// How often [`Self::alive`] has to come at least; `None` when nobody waits for it.
    pub fn watchdog(&self) -> Option<Duration> {
        let mut microseconds = 0;
        (self.heard && sd_notify::watchdog_enabled(false, &mut microseconds) && microseconds > 0)
            .then(|| Duration::from_micros(microseconds))
    }

    fn tell(&self, states: &[NotifyState<'_>]) {
        if self.heard
            && let Err(error) = sd_notify::notify(false, states)
        {
            debug!(%error, "the service manager does not listen");
        }
    }
}

/// When a part of the daemon last got on with its work. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Beat {
    epoch: Instant,
    last_ms: Arc<AtomicU64>,
}

impl Default for Beat {
    fn default() -> Self {
        Self { epoch: Instant::now(), last_ms: Arc::default() }
    }
}

impl Beat {
    /// It got on just now.
    pub fn stamp(&self) {
        self.last_ms.store(self.now_ms(), Ordering::Relaxed);
    }

    /// For how long it has not.
    pub fn age(&self) -> Duration {
        Duration::from_millis(self.now_ms().saturating_sub(self.last_ms.load(Ordering::Relaxed)))
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
