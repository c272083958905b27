//! What becomes of each message that was to be sent.

use std::time::Instant;

use tracing::warn;

use super::Connection;
use crate::transport::delivery::Settled;
use crate::transport::publication::{Fate, Row};

impl Connection {
    pub(super) fn settle(&mut self, settled: Settled) {
        match settled {
            Settled::Delivered(row) => self.release(row, Fate::Delivered),
            Settled::Expired(publication) if !publication.is_instruct() => {
                if let Some(suppressed) = self.throttle.pass("late answer", Instant::now()) {
                    warn!(topic = publication.topic(), suppressed, "answer too old, dropped");
                }
            }
            Settled::Expired(publication) => {
                self.expired += 1;
                self.settings.metrics.stale_instructs.inc();
                if let Some(suppressed) = self.throttle.pass_of("stale", &publication.topic(), Instant::now()) {
                    let (topic, so_far) = (publication.topic(), self.expired);
                    warn!(topic, so_far, suppressed, "instruct too old, dropped");
                }
                publication.row.into_iter().for_each(|row| self.release(row, Fate::Expired));
            }
            Settled::Refused(publication, reason) => {
                if let Some(suppressed) = self.throttle.pass_of("refused", &publication.topic(), Instant::now()) {
                    warn!(topic = publication.topic(), ?reason, suppressed, "the broker refuses a message, dropped");
                }
                let why = format!("the broker refuses it: {reason:?}");
                publication.row.into_iter().for_each(|row| self.release(row, Fate::Refused(why.clone())));
            }
            Settled::Unanswered(publication) => {
                if let Some(suppressed) = self.throttle.pass_of("unanswered", &publication.topic(), Instant::now()) {
                    let topic = publication.topic();
                    warn!(topic, suppressed, "the connection broke; what may have arrived is not said twice, dropped");
                }
                publication.row.into_iter().for_each(|row| self.release(row, Fate::Unanswered));
            }
        }
    }

    pub(super) fn release(&self, row: Row, fate: Fate) {
        // The channel is as long as the outbox; it is closed only when the daemon ends, and then the row is looked at
        // again at the next start.
        let _ = self.settled.try_send((row, fate));
    }
}
