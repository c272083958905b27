//! Instructs on their way to the broker: written down before they are published, removed when the broker has them.
//!
//! An instruct is given at least once: a consumer tells a repeat by its `rid` and `id`. One that is older than its time
//! to live is dropped and reported, never given late. The count since the start of the machine decides ([`Clock`]), so
//! what was written down before another start is dropped: nothing tells how old it is.

mod watch;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::spawn_blocking;
use tracing::warn;

use crate::audit::{Entry, Step};
use crate::clock::Clock;
use crate::dispatch::{Deliver, Refusal};
use crate::frame::{ErrorCode, Instruct, instruct_payload};
use crate::store::{JobRow, Store, StoreError};
use crate::transport::{Fate, Publication, Row, Topics};
use watch::Watch;

/// Rows removed in one go.
const BATCH: usize = 256;

/// Where instructs are written down; every call may wait for the disk.
pub trait OutboxLog: Send + Sync + 'static {
    /// What goes wrong.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Appends a row and returns its number, larger than that of any row still there.
    ///
    /// # Errors
    /// When there is no room for it.
    fn push(&self, row: &[u8]) -> Result<u64, Self::Error>;

    /// Removes a row, if it is there.
    ///
    /// # Errors
    /// When the disk refuses.
    fn remove(&self, number: u64) -> Result<(), Self::Error>;

    /// Takes back rows that were pushed: even if the disk refuses now, it will not bring them back later.
    fn withdraw(&self, numbers: &[u64]);

    /// Appends to the audit trail.
    ///
    /// # Errors
    /// When there is no room for it.
    fn audit(&self, row: &[u8]) -> Result<(), Self::Error>;

    /// The audit trail, oldest entry first.
    ///
    /// # Errors
    /// When the disk refuses.
    fn audited(&self) -> Result<Vec<Vec<u8>>, Self::Error>;

    /// Writes down what becomes of a job that was done with these rows.
    ///
    /// # Errors
    /// When there is no room for it.
    fn settle(&self, job: &JobRow) -> Result<(), Self::Error>;

    /// Makes what was pushed, appended and removed so far outlive the process.
    ///
    /// # Errors
    /// When the disk refuses.
    fn commit(&self) -> Result<(), Self::Error>;

    /// The rows, oldest first.
    ///
    /// # Errors
    /// When the disk refuses.
    fn rows(&self) -> Result<Vec<(u64, Vec<u8>)>, Self::Error>;
}

impl OutboxLog for Store {
    type Error = StoreError;

    fn push(&self, row: &[u8]) -> Result<u64, StoreError> {
        self.push_outbox(row)
    }

    fn remove(&self, number: u64) -> Result<(), StoreError> {
        self.remove_outbox(number)
    }

    fn withdraw(&self, numbers: &[u64]) {
        self.withdraw_outbox(numbers);
    }

    fn audit(&self, row: &[u8]) -> Result<(), StoreError> {
        self.append_audit(row).map(drop)
    }

    fn audited(&self) -> Result<Vec<Vec<u8>>, StoreError> {
        Ok(Self::audit(self)?.into_iter().map(|(_, entry)| entry).collect())
    }

    fn settle(&self, job: &JobRow) -> Result<(), StoreError> {
        self.settle_job(job)
    }

    fn commit(&self) -> Result<(), StoreError> {
        Self::commit(self)
    }

    fn rows(&self) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        self.outbox()
    }
}

/// Why instructs were not taken; none of them is given then.
#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// Too many wait for the broker already.
    #[error("{wanted} more instructs do not fit into the outbox, {left} would")]
    Full {
        /// How many there are.
        wanted: usize,
        /// How many would fit.
        left: usize,
    },
    /// They could not be written down.
    #[error("the outbox cannot be written: {0}")]
    Log(String),
    /// What moves something risky could not be written into the audit trail.
    #[error("the audit trail cannot be written, and without it nothing risky moves; nothing was done: {0}")]
    Audit(String),
}

impl From<OutboxError> for Refusal {
    fn from(error: OutboxError) -> Self {
        let code = match &error {
            OutboxError::Full { .. } => ErrorCode::Overloaded,
            OutboxError::Log(_) | OutboxError::Audit(_) => ErrorCode::Internal,
        };
        Self { code, message: error.to_string() }
    }
}

/// The outbox.
#[derive(Debug)]
pub struct Outbox<L> {
    log: Arc<L>,
    room: Arc<Semaphore>,
    capacity: usize,
    topics: Topics,
    ttl_ms: u64,
    clock: Clock,
    watch: Watch,
}

/// The first line of a row; what is published follows on the second. A row of the version before, which went by the wall
/// clock, is one line: what is published, of no known start of the machine.
#[derive(Serialize, Deserialize)]
struct Head {
    /// The request.
    rid: String,
    /// The device.
    id: String,
    /// The start of the machine that `given_ms` counts from.
    #[serde(default)]
    boot: String,
    /// When it was written down.
    #[serde(default)]
    given_ms: u64,
}

impl Head {
    /// The row of an instruct.
    fn row(&self, payload: &str) -> Vec<u8> {
        let head = serde_json::json!(self);
        format!("{head}\n{payload}").into_bytes()
    }

    /// Reads a row: its head and its payload.
    fn read(row: &[u8]) -> Option<(Self, &[u8])> {
        let end = row.iter().position(|byte| *byte == b'\n').unwrap_or(row.len());
        Some((serde_json::from_slice(&row[..end]).ok()?, row.get(end + 1..).unwrap_or_default()))
    }
}

impl<L: OutboxLog> Outbox<L> {
    /// An outbox for at most `capacity` instructs, each fresh for `ttl`.
    pub fn new(log: Arc<L>, topics: Topics, capacity: usize, ttl: Duration, clock: Clock) -> Self {
        let ttl_ms = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        let room = Arc::new(Semaphore::new(capacity));
        Self { log, room, capacity, topics, ttl_ms, clock, watch: Watch::default() }
    }

    /// Until when what is said now is worth saying, by [`Clock::now_ms`].
    pub fn expires_ms(&self) -> u64 {
        self.clock.now_ms().saturating_add(self.ttl_ms)
    }

    /// How many instructs the broker has not acknowledged.
    pub fn waiting(&self) -> usize {
        self.capacity.saturating_sub(self.room.available_permits())
    }

    /// The requests of which an earlier run left instructs. Waits for the disk.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn given(&self) -> Result<HashSet<String>, OutboxError> {
        let rows = self.log.rows().map_err(|error| OutboxError::Log(error.to_string()))?;
        Ok(rows.iter().filter_map(|(_, row)| Some(Head::read(row)?.0.rid)).collect())
    }

    /// What an earlier run left, to be published first. Rows that are stale, unreadable, or of another start of the
    /// machine are dropped and reported. Waits for the disk.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn restore(&self) -> Result<Vec<Publication>, OutboxError> {
        let failed = |error: L::Error| OutboxError::Log(error.to_string());
        let rows = self.log.rows().map_err(failed)?;
        let trail = if rows.is_empty() { Vec::new() } else { self.log.audited().map_err(failed)? };
        let (mut publications, mut dropped) = (Vec::new(), Vec::new());
        let (mut stale, mut ageless) = (0, 0);
        let now_ms = self.clock.now_ms();
        for (seq, row) in rows {
            let read = Head::read(&row);
            if let Some((head, _)) = &read
                && let Some(ordered) = watch::ordered(&trail, &head.rid, &head.id)
            {
                self.watch.begin(&Arc::new(ordered), [(seq, head.id.clone())]);
            }
            let read = read.filter(|(head, _)| head.boot == self.clock.boot());
            let count = if read.is_some() { &mut stale } else { &mut ageless };
            let fresh = read.filter(|(head, _)| now_ms.checked_sub(head.given_ms).is_some_and(|age| age < self.ttl_ms));
            let topic = fresh.as_ref().and_then(|(head, _)| self.topics.instruct(&head.id));
            if let (Some((head, payload)), Some(topic)) = (fresh, topic) {
                let row = Row { seq, permit: Arc::clone(&self.room).try_acquire_owned().ok() };
                let expires_ms = head.given_ms.saturating_add(self.ttl_ms);
                publications.push(Publication::new(topic, payload.to_vec()).durable(row, expires_ms));
            } else {
                *count += 1;
                self.log.remove(seq).map_err(failed)?;
                dropped.push((seq, Fate::Expired));
            }
        }
        if stale > 0 {
            warn!(stale, "instructs of an earlier run are too old, dropped");
        }
        if ageless > 0 {
            warn!(ageless, "instructs from before the machine was started anew, or of an older version, dropped");
        }
        if !dropped.is_empty() {
            append(&*self.log, &self.watch.end(dropped, self.clock.wall_ms())).map_err(failed)?;
        }
        Ok(publications)
    }

    /// Writes instructs down and returns them ready to be published, in order. What `ordered` tells of the risky ones among
    /// them is written into the audit trail with them.
    ///
    /// A device whose id cannot be a topic level has no topic and gets nothing. More than would ever fit are taken when
    /// nothing else waits: else they could never be given.
    ///
    /// # Errors
    /// When they do not fit or cannot be written: then none of them is given.
    pub async fn accept(
        &self,
        rid: &str,
        orders: &[Instruct],
        ordered: Option<Entry>,
    ) -> Result<Vec<Publication>, OutboxError> {
        self.accept_for(None, rid, orders, ordered).await
    }

    /// The same for a job, of which is written down in the same breath that it was done: a crash leaves both or neither,
    /// or instructs by which [`Outbox::given`] tells that it was done.
    ///
    /// # Errors
    /// As [`Outbox::accept`]; the job was not done then.
    pub async fn accept_for(
        &self,
        job: Option<JobRow>,
        rid: &str,
        orders: &[Instruct],
        ordered: Option<Entry>,
    ) -> Result<Vec<Publication>, OutboxError> {
        let mut rows = Vec::with_capacity(orders.len());
        let (given_ms, wall_ms) = (self.clock.now_ms(), self.clock.wall_ms());
        for order in orders {
            match self.topics.instruct(&order.id) {
                Some(topic) => {
                    let payload = instruct_payload(rid, order, wall_ms).to_string();
                    let (rid, id) = (rid.to_owned(), order.id.clone());
                    let row = Head { rid, id: id.clone(), boot: self.clock.boot().to_owned(), given_ms }.row(&payload);
                    rows.push(Written { id, topic, row, payload: payload.into_bytes() });
                }
                None => warn!(rid, device = order.id, "a device with such an id has no topic"),
            }
        }
        let ordered = ordered.map(|mut entry| {
            entry.devices.retain(|device| rows.iter().any(|written| written.id == *device));
            Arc::new(entry)
        });
        let wanted = rows.len();
        let many = u32::try_from(wanted.min(self.capacity.max(1))).unwrap_or(u32::MAX);
        let permits = Arc::clone(&self.room).try_acquire_many_owned(many);
        let (log, entry) = (Arc::clone(&self.log), ordered.clone());
        let Ok(mut permits) = permits else {
            let left = self.room.available_permits();
            if let Some(entry) = entry {
                self.note(vec![entry.then(Step::Refused, entry.devices.clone(), wall_ms)]).await;
            }
            return Err(OutboxError::Full { wanted, left });
        };
        let (rows, numbers) = spawn_blocking(move || {
            let numbers = write(&*log, entry.as_deref(), &rows, job.as_ref(), wall_ms)?;
            Ok::<_, OutboxError>((rows, numbers))
        })
        .await
        .map_err(|e| OutboxError::Log(e.to_string()))??;
        if let Some(ordered) = &ordered {
            let devices = rows.iter().map(|written| written.id.clone());
            self.watch.begin(ordered, numbers.iter().copied().zip(devices));
        }
        let expires_ms = given_ms.saturating_add(self.ttl_ms);
        let publications = rows.into_iter().zip(numbers).map(|(written, seq)| {
            let row = Row { seq, permit: permits.split(1) };
            Publication::new(written.topic, written.payload).durable(row, expires_ms)
        });
        Ok(publications.collect())
    }

    /// Removes rows as they are settled, until the link is gone.
    pub async fn sweep(&self, mut settled: mpsc::Receiver<(Row, Fate)>) {
        let mut rows = Vec::with_capacity(BATCH);
        while settled.recv_many(&mut rows, BATCH).await > 0 {
            let log = Arc::clone(&self.log);
            let gone = std::mem::take(&mut rows);
            let entries = self.watch.end(gone.iter().map(|(row, fate)| (row.seq, *fate)), self.clock.wall_ms());
            if !entries.is_empty() {
                self.note(entries).await;
            }
            // Not committed: a row that comes back after a crash is given once more, if it is still fresh.
            let removed = spawn_blocking(move || gone.iter().try_for_each(|(row, _)| log.remove(row.seq))).await;
            if let Ok(Err(error)) = removed {
                warn!(%error, "instructs that were given cannot be removed from the outbox");
            }
        }
    }

    /// Writes into the audit trail what became of orders.
    async fn note(&self, entries: Vec<Entry>) {
        let log = Arc::clone(&self.log);
        let noted = spawn_blocking(move || append(&*log, &entries).and_then(|()| log.commit())).await;
        if let Ok(Err(error)) = noted {
            warn!(%error, "what became of a risky order is not in the audit trail");
        }
    }
}

impl<L: OutboxLog> Deliver for Outbox<L> {
    async fn accept(
        &self,
        rid: &str,
        orders: &[Instruct],
        ordered: Option<Entry>,
    ) -> Result<Vec<Publication>, Refusal> {
        Ok(self.accept(rid, orders, ordered).await?)
    }

    fn expires_ms(&self) -> u64 {
        self.expires_ms()
    }

    fn clock(&self) -> &Clock {
        &self.clock
    }
}

fn append<L: OutboxLog>(log: &L, entries: &[Entry]) -> Result<(), L::Error> {
    entries.iter().flat_map(Entry::rows).try_for_each(|row| log.audit(&row))
}

/// An instruct on its way into the log.
struct Written {
    /// The device.
    id: String,
    topic: String,
    payload: Vec<u8>,
    row: Vec<u8>,
}

/// Appends the entry and all rows and makes them durable, or leaves no row behind.
fn write<L: OutboxLog>(
    log: &L,
    ordered: Option<&Entry>,
    rows: &[Written],
    job: Option<&JobRow>,
    wall_ms: u64,
) -> Result<Vec<u64>, OutboxError> {
    // The entry first: whatever survives of this, no order is without it.
    ordered
        .map_or(Ok(()), |entry| append(log, std::slice::from_ref(entry)))
        .map_err(|error| OutboxError::Audit(error.to_string()))?;
    let mut numbers = Vec::with_capacity(rows.len());
    let result = rows.iter().try_for_each(|written| log.push(&written.row).map(|number| numbers.push(number)));
    let result = result.and_then(|()| job.map_or(Ok(()), |job| log.settle(job)));
    let result = if rows.is_empty() && job.is_none() { result } else { result.and_then(|()| log.commit()) };
    result.map_err(|error| {
        log.withdraw(&numbers);
        // On a disk that refuses this is a try; an order of which nothing more is told is none that moved.
        let refused = ordered.map(|entry| entry.then(Step::Refused, entry.devices.clone(), wall_ms));
        if append(log, refused.as_slice()).is_err() {
            warn!("that a risky order was withdrawn is not in the audit trail");
        }
        OutboxError::Log(error.to_string())
    })?;
    Ok(numbers)
}

#[cfg(test)]
pub(crate) mod tests;
