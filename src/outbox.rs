//! Instructs on their way to the broker: written down before they are published, removed when the broker has them.
//!
//! An instruct is given at least once: a consumer tells a repeat by its `rid` and `id`. One that is older than its time
//! to live is dropped and reported, never given late; the wall clock decides, and an instruct from its future is as
//! stale as an old one.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::spawn_blocking;
use tracing::warn;

use crate::frame::{Instruct, instruct_payload};
use crate::store::{Store, StoreError};
use crate::transport::{Publication, Row, Topics};

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

    /// Makes what was pushed and removed so far outlive the process.
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
}

/// The outbox.
#[derive(Debug)]
pub struct Outbox<L> {
    log: Arc<L>,
    room: Arc<Semaphore>,
    capacity: usize,
    topics: Topics,
    ttl_ms: u64,
}

/// What is read back from a row.
#[derive(Deserialize)]
struct Head {
    id: String,
    ts: u64,
}

impl<L: OutboxLog> Outbox<L> {
    /// An outbox for at most `capacity` instructs, each fresh for `ttl`.
    pub fn new(log: Arc<L>, topics: Topics, capacity: usize, ttl: Duration) -> Self {
        let ttl_ms = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        Self { log, room: Arc::new(Semaphore::new(capacity)), capacity, topics, ttl_ms }
    }

    /// Until when what is said at `now_ms` is worth saying, in milliseconds since the Unix epoch.
    pub fn expires_ms(&self, now_ms: u64) -> u64 {
        now_ms.saturating_add(self.ttl_ms)
    }

    /// How many instructs the broker has not acknowledged.
    pub fn waiting(&self) -> usize {
        self.capacity.saturating_sub(self.room.available_permits())
    }

    /// What an earlier run left, to be published first; stale and unreadable rows are dropped. Waits for the disk.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn restore(&self, now_ms: u64) -> Result<Vec<Publication>, OutboxError> {
        let mut publications = Vec::new();
        let mut dropped = 0;
        for (seq, payload) in self.log.rows().map_err(|e| OutboxError::Log(e.to_string()))? {
            let fresh =
                serde_json::from_slice(&payload).ok().filter(|head: &Head| head.ts.abs_diff(now_ms) < self.ttl_ms);
            let topic = fresh.as_ref().and_then(|head| self.topics.instruct(&head.id));
            let permit = Arc::clone(&self.room).try_acquire_owned().ok();
            if let (Some(head), Some(topic), Some(permit)) = (fresh, topic, permit) {
                let row = Row { seq, permit: Some(permit) };
                publications.push(Publication::new(topic, payload).durable(row, head.ts.saturating_add(self.ttl_ms)));
            } else {
                dropped += 1;
                self.log.remove(seq).map_err(|e| OutboxError::Log(e.to_string()))?;
            }
        }
        if dropped > 0 {
            warn!(dropped, "instructs of an earlier run are too old, dropped");
        }
        Ok(publications)
    }

    /// Writes instructs down and returns them ready to be published, in order.
    ///
    /// A device whose id cannot be a topic level has no topic and gets nothing.
    ///
    /// # Errors
    /// When they do not fit or cannot be written: then none of them is given.
    pub async fn accept(&self, rid: &str, orders: &[Instruct], now_ms: u64) -> Result<Vec<Publication>, OutboxError> {
        let mut rows = Vec::with_capacity(orders.len());
        for order in orders {
            match self.topics.instruct(&order.id) {
                Some(topic) => rows.push((topic, instruct_payload(rid, order, now_ms).to_string().into_bytes())),
                None => warn!(rid, device = order.id, "a device with such an id has no topic"),
            }
        }
        let wanted = rows.len();
        let left = || OutboxError::Full { wanted, left: self.room.available_permits() };
        let many = u32::try_from(wanted).map_err(|_| left())?;
        let mut permits = Arc::clone(&self.room).try_acquire_many_owned(many).map_err(|_| left())?;
        let log = Arc::clone(&self.log);
        let (rows, numbers) = spawn_blocking(move || {
            let numbers = write(&*log, &rows)?;
            Ok::<_, OutboxError>((rows, numbers))
        })
        .await
        .map_err(|e| OutboxError::Log(e.to_string()))??;
        let expires_ms = self.expires_ms(now_ms);
        let publications = rows.into_iter().zip(numbers).map(|((topic, payload), seq)| {
            Publication::new(topic, payload).durable(Row { seq, permit: permits.split(1) }, expires_ms)
        });
        Ok(publications.collect())
    }

    /// Removes rows as they are settled, until the link is gone.
    pub async fn sweep(&self, mut settled: mpsc::Receiver<Row>) {
        let mut rows = Vec::with_capacity(BATCH);
        while settled.recv_many(&mut rows, BATCH).await > 0 {
            let log = Arc::clone(&self.log);
            let gone = std::mem::take(&mut rows);
            // Not committed: a row that comes back after a crash is given once more, if it is still fresh.
            let removed = spawn_blocking(move || gone.iter().try_for_each(|row| log.remove(row.seq))).await;
            if let Ok(Err(error)) = removed {
                warn!(%error, "instructs that were given cannot be removed from the outbox");
            }
        }
    }
}

/// Appends all rows and makes them durable, or leaves none behind.
fn write<L: OutboxLog>(log: &L, rows: &[(String, Vec<u8>)]) -> Result<Vec<u64>, OutboxError> {
    let mut numbers = Vec::with_capacity(rows.len());
    let result = rows.iter().try_for_each(|(_, row)| log.push(row).map(|number| numbers.push(number)));
    let result = if rows.is_empty() { result } else { result.and_then(|()| log.commit()) };
    result.map_err(|error| {
        log.withdraw(&numbers);
        OutboxError::Log(error.to_string())
    })?;
    Ok(numbers)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;
    use std::io;
    use std::sync::Mutex;

    use super::*;

    /// An outbox that lives in memory and can be told to fail.
    #[derive(Debug, Default)]
    pub(crate) struct MemoryLog {
        pub(crate) rows: Mutex<BTreeMap<u64, Vec<u8>>>,
        pub(crate) full: bool,
    }

    impl OutboxLog for MemoryLog {
        type Error = io::Error;

        fn push(&self, row: &[u8]) -> io::Result<u64> {
            let mut rows = self.rows.lock().unwrap();
            let next = rows.keys().next_back().map_or(0, |last| last + 1);
            rows.insert(next, row.to_vec());
            Ok(next)
        }

        fn remove(&self, number: u64) -> io::Result<()> {
            self.rows.lock().unwrap().remove(&number);
            Ok(())
        }

        fn withdraw(&self, numbers: &[u64]) {
            self.rows.lock().unwrap().retain(|number, _| !numbers.contains(number));
        }

        fn commit(&self) -> io::Result<()> {
            if self.full { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }

        fn rows(&self) -> io::Result<Vec<(u64, Vec<u8>)>> {
            Ok(self.rows.lock().unwrap().clone().into_iter().collect())
        }
    }

    fn outbox(log: MemoryLog, capacity: usize) -> Outbox<MemoryLog> {
        Outbox::new(Arc::new(log), Topics::new("home").unwrap(), capacity, Duration::from_secs(10))
    }

    fn orders(ids: &[&str]) -> Vec<Instruct> {
        let order = |id: &&str| Instruct {
            id: id.to_string(),
            state: None,
            command: None,
            summary: String::new(),
            noop: false,
        };
        ids.iter().map(order).collect()
    }

    #[tokio::test]
    async fn instructs_are_written_before_they_are_handed_out() {
        let outbox = outbox(MemoryLog::default(), 8);
        let publications = outbox.accept("r", &orders(&["a", "b"]), 1_000).await.unwrap();
        let topics: Vec<_> = publications.iter().map(Publication::topic).collect();
        assert_eq!(topics, ["zhiju/home/instruct/a", "zhiju/home/instruct/b"]);
        let rows = outbox.log.rows().unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].1, publications[0].payload());
    }

    #[tokio::test]
    async fn settled_rows_leave_and_make_room() {
        let outbox = outbox(MemoryLog::default(), 2);
        let mut publications = outbox.accept("r", &orders(&["a", "b"]), 1_000).await.unwrap();
        assert!(matches!(
            outbox.accept("r", &orders(&["c"]), 1_000).await,
            Err(OutboxError::Full { wanted: 1, left: 0 })
        ));
        let (settled, receiver) = mpsc::channel(2);
        settled.try_send(publications.remove(0).row.take().unwrap()).unwrap();
        drop(settled);
        outbox.sweep(receiver).await;
        assert_eq!(outbox.log.rows().unwrap().len(), 1);
        outbox.accept("r", &orders(&["c"]), 1_000).await.unwrap();
    }

    #[tokio::test]
    async fn a_full_disk_leaves_no_instruct_behind() {
        let outbox = outbox(MemoryLog { full: true, ..MemoryLog::default() }, 8);
        assert!(matches!(outbox.accept("r", &orders(&["a", "b"]), 0).await, Err(OutboxError::Log(_))));
        assert!(outbox.log.rows().unwrap().is_empty());
        assert_eq!(outbox.room.available_permits(), 8);
    }

    #[tokio::test]
    async fn a_restart_gives_what_is_fresh_and_drops_what_is_not() {
        let first = outbox(MemoryLog::default(), 8);
        first.accept("old", &orders(&["a"]), 10_000).await.unwrap();
        first.accept("fresh", &orders(&["b"]), 15_000).await.unwrap();
        first.accept("future", &orders(&["c"]), 40_000).await.unwrap();
        first.log.push(b"no json").unwrap();
        let publications = first.restore(20_000).unwrap();
        let topics: Vec<_> = publications.iter().map(Publication::topic).collect();
        assert_eq!(topics, ["zhiju/home/instruct/b"]);
        assert_eq!(first.log.rows().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_device_without_a_topic_is_left_out() {
        let outbox = outbox(MemoryLog::default(), 8);
        let publications = outbox.accept("r", &orders(&["a/b", "c"]), 0).await.unwrap();
        assert_eq!(publications.len(), 1);
    }
}
