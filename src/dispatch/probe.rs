//! Whether requests are served, found out by sending something their way.

use std::sync::Arc;

use super::{Asker, Job, Shared};
use crate::frame::{Door, Origin, Request};
use crate::observe::Beat;

/// The asker of probes: no satellite can be it, since its name holds a control character.
const CLIENT: &str = "\0probe";

/// Sends probes.
#[derive(Debug)]
pub struct Prober {
    shared: Arc<Shared>,
}

impl Prober {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Sends a probe, unless one is on its way already or there is no room: then requests show what it would.
    pub fn probe(&self) {
        let origin = Origin { door: Door::Local, client: CLIENT.to_owned() };
        if self.shared.queue().knows(&origin) {
            return;
        }
        let request = Request { origin, ..Request::default() };
        let _ = self.shared.submit(Job { probe: true, ..Job::new(request, Asker::default(), 0) });
    }

    /// When a worker was last done with a request or a probe.
    pub fn beat(&self) -> &Beat {
        &self.shared.beat
    }
}
