//! What an earlier run left.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tracing::warn;

use super::draft::Out;
use super::row::{Head, Way};
use super::watch::{self, Order};
use super::{Outbox, OutboxError, OutboxLog, Sent, append};
use crate::transport::{Fate, Publication, Row};

impl<L: OutboxLog> Outbox<L> {
    /// The requests of which an earlier run left instructs. Waits for the disk.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn given(&self) -> Result<HashSet<String>, OutboxError> {
        let rows = self.log.rows().map_err(|error| OutboxError::Log(error.to_string()))?;
        Ok(rows.iter().filter_map(|(_, row)| Some(Head::read(row)?.0.rid)).collect())
    }

    /// What an earlier run left: what goes over the broker, to be published first; hubs are told theirs from here on. Rows that
    /// are stale, unreadable, of another start of the machine, or not to be said twice are dropped and reported. Waits for the
    /// disk.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn restore(&self) -> Result<Vec<Publication>, OutboxError> {
        let failed = |error: L::Error| OutboxError::Log(error.to_string());
        let rows = self.log.rows().map_err(failed)?;
        let trail = if rows.is_empty() { Vec::new() } else { self.log.audited().map_err(failed)? };
        let (mut publications, mut letters, mut dropped) = (Vec::new(), Vec::new(), Vec::new());
        let mut orders: HashMap<(String, String), Order> = HashMap::new();
        let (mut stale, mut ageless, mut unsure) = (0, 0, 0);
        let now_ms = self.clock.now_ms();
        for (seq, row) in rows {
            let read = Head::read(&row);
            // An instruct that nobody needs to hear tells nothing of what moved.
            if let Some((head, _)) = read.as_ref().filter(|(head, _)| head.way != Way::Instruct { aside: true }) {
                let order = orders.entry((head.rid.clone(), head.device.clone())).or_insert_with(|| {
                    let ordered = watch::ordered(&trail, &head.rid, &head.device).map(Arc::new);
                    Order { number: seq, device: head.device.clone(), ordered }
                });
                self.watch.begin(order, [seq]);
            }
            // Nothing tells whether it was said.
            let twice = read.as_ref().is_some_and(|(head, _)| head.way.once());
            let read = read.filter(|(head, _)| head.boot == self.clock.boot());
            let count = if read.is_some() { &mut stale } else { &mut ageless };
            let fresh = read.filter(|(head, _)| now_ms.checked_sub(head.given_ms).is_some_and(|age| age < self.ttl_ms));
            let expires_ms = fresh.as_ref().map_or(0, |(head, _)| head.given_ms.saturating_add(self.ttl_ms));
            let permit = || Arc::clone(&self.room).try_acquire_owned().ok();
            match fresh.and_then(|(head, payload)| Some((Out::read(&head, payload, &self.topics)?, head.device))) {
                Some((out, device)) if !twice => {
                    let row = Row { seq, permit: permit() };
                    match self.send(out, device, row, expires_ms) {
                        Sent::Broker(publication) => publications.push(publication),
                        Sent::Hub(hub, letter) => letters.push((hub, letter)),
                    }
                }
                _ => {
                    *(if twice { &mut unsure } else { count }) += 1;
                    self.log.remove(seq).map_err(failed)?;
                    dropped.push((seq, if twice { Fate::Unanswered } else { Fate::Expired }));
                }
            }
        }
        if stale > 0 {
            warn!(stale, "instructs of an earlier run are too old, dropped");
        }
        if ageless > 0 {
            warn!(ageless, "instructs from before the machine was started anew, or of an older version, dropped");
        }
        if unsure > 0 {
            warn!(unsure, "what an earlier run may have told a hub is not to be said twice, dropped");
        }
        if !dropped.is_empty() {
            let ended = self.watch.end(dropped);
            append(&*self.log, &watch::entries(&ended, self.clock.wall_ms())).map_err(failed)?;
        }
        self.post(letters);
        Ok(publications)
    }
}
