//! Instructs on their way: written down before they are said, removed when the broker has them.
//!
//! What a device's hub is to be told so that an instruct comes true is written down with it, behind it, and goes the same way:
//! over the broker, or over the hub's own connection.
//!
//! An instruct is given at least once: a consumer tells a repeat by its `rid` and `id`. One that is older than its time
//! to live is dropped and reported, never given late. The count since the start of the machine decides ([`Clock`]), so
//! what was written down before another start is dropped: nothing tells how old it is.

mod courier;
mod draft;
mod log;
mod restore;
mod row;
mod watch;

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use tokio::task::spawn_blocking;
use tracing::warn;

use crate::audit::{Entry, Step};
use crate::clock::Clock;
use crate::dispatch::{Deliver, Refusal};
use crate::frame::{ErrorCode, Instruct, Request};
use crate::hub::To;
use crate::hub::route::Route;
use crate::outcome::{Follow, Given};
use crate::store::JobRow;
use crate::transport::{Fate, Publication, Row, Topics};
use courier::Letter;
use draft::{Doubt, Draft, Out};
use row::Head;
use watch::{Ended, Order, Watch};

pub use courier::{Courier, Lines};
pub use log::OutboxLog;

/// Rows removed in one go.
const BATCH: usize = 256;

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
    doubt: Doubt,
    hubs: Option<Hubs>,
    follow: Option<Arc<Follow>>,
}

/// Where devices' hubs are told things.
struct Hubs {
    route: Arc<dyn Route>,
    /// Whoever stops the hubs' tasks has it.
    courier: Weak<Courier>,
}

impl fmt::Debug for Hubs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hubs").field("courier", &self.courier).finish_non_exhaustive()
    }
}

impl<L: OutboxLog> Outbox<L> {
    /// An outbox for at most `capacity` instructs, each fresh for `ttl`.
    pub fn new(log: Arc<L>, topics: Topics, capacity: usize, ttl: Duration, clock: Clock) -> Self {
        let ttl_ms = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        let room = Arc::new(Semaphore::new(capacity));
        let (watch, doubt) = (Watch::default(), Doubt::default());
        Self { log, room, capacity, topics, ttl_ms, clock, watch, doubt, hubs: None, follow: None }
    }

    /// The same outbox, which tells the hubs of devices, too, for as long as the courier is there.
    #[must_use]
    pub fn with_hubs(self, route: Arc<dyn Route>, courier: &Arc<Courier>) -> Self {
        Self { hubs: Some(Hubs { route, courier: Arc::downgrade(courier) }), ..self }
    }

    /// The same outbox, whose orders are followed until their devices say that they are done.
    #[must_use]
    pub fn followed_by(self, follow: Arc<Follow>) -> Self {
        Self { follow: Some(follow), ..self }
    }

    /// Until when what is said now is worth saying, by [`Clock::now_ms`].
    pub fn expires_ms(&self) -> u64 {
        self.clock.now_ms().saturating_add(self.ttl_ms)
    }

    /// How many instructs the broker has not acknowledged.
    pub fn waiting(&self) -> usize {
        self.capacity.saturating_sub(self.room.available_permits())
    }

    /// Writes instructs down and returns what goes over the broker, ready to be published, in order; hubs are told theirs
    /// from here on. What `ordered` tells of the risky ones among them is written into the audit trail with them.
    ///
    /// A device whose id cannot be a topic level has no topic and gets nothing. More than would ever fit are taken when
    /// nothing else waits: else they could never be given.
    ///
    /// # Errors
    /// When they do not fit or cannot be written: then none of them is given.
    pub async fn accept(
        &self,
        request: &Request,
        orders: &[Instruct],
        ordered: Option<Entry>,
    ) -> Result<Vec<Publication>, OutboxError> {
        self.accept_for(None, request, orders, ordered).await
    }

    /// The same for a job, of which is written down in the same breath that it was done: a crash leaves both or neither,
    /// or instructs by which [`Outbox::given`] tells that it was done.
    ///
    /// # Errors
    /// As [`Outbox::accept`]; the job was not done then.
    pub async fn accept_for(
        &self,
        job: Option<JobRow>,
        request: &Request,
        orders: &[Instruct],
        ordered: Option<Entry>,
    ) -> Result<Vec<Publication>, OutboxError> {
        let (given_ms, wall_ms) = (self.clock.now_ms(), self.clock.wall_ms());
        let mut drafts = Vec::with_capacity(orders.len());
        for order in orders {
            let Some(topic) = self.topics.instruct(&order.id) else {
                warn!(rid = request.rid, device = order.id, "a device with such an id has no topic");
                continue;
            };
            let routed = self.hubs.as_ref().and_then(|hubs| hubs.route.native(order));
            // Of what is so already nothing is said, unless something else may be under way.
            let doubtful = self.doubt.note(order, given_ms, self.ttl_ms) && order.noop;
            drafts.push(Draft::new(&request.rid, order, topic, routed, doubtful, wall_ms));
        }
        // A question moves nothing, and most of what is said are questions: no thread that waits for the disk is asked.
        if drafts.is_empty() && ordered.is_none() && job.is_none() {
            return Ok(Vec::new());
        }
        let ordered = ordered.map(|mut entry| {
            entry.devices.retain(|device| drafts.iter().any(|draft| draft.order.id == *device));
            Arc::new(entry)
        });
        let rows = rows(&drafts, &request.rid, self.clock.boot(), given_ms);
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
        let numbers = spawn_blocking(move || write(&*log, entry.as_deref(), &rows, job.as_ref(), wall_ms))
            .await
            .map_err(|e| OutboxError::Log(e.to_string()))??;
        let ended = self.begin(request, &drafts, &numbers, ordered.as_ref(), given_ms);
        let expires_ms = given_ms.saturating_add(self.ttl_ms);
        let (mut publications, mut letters, mut numbers) = (Vec::new(), Vec::new(), numbers.into_iter());
        for draft in drafts {
            for (out, seq) in draft.outs.into_iter().zip(numbers.by_ref()) {
                let row = Row { seq, permit: permits.split(1) };
                match self.send(out, draft.order.id.clone(), row, expires_ms) {
                    Sent::Broker(publication) => publications.push(publication),
                    Sent::Hub(hub, letter) => letters.push((hub, letter)),
                }
            }
        }
        self.post(letters);
        if !ended.is_empty() {
            self.conclude(ended).await;
        }
        Ok(publications)
    }

    /// Watches orders that are written down, and returns those that end here: what their hubs are unable to do.
    fn begin(
        &self,
        request: &Request,
        drafts: &[Draft],
        numbers: &[u64],
        ordered: Option<&Arc<Entry>>,
        given_ms: u64,
    ) -> Vec<Ended> {
        let (mut given, mut ended, mut numbers) = (Vec::with_capacity(drafts.len()), Vec::new(), numbers);
        for draft in drafts {
            let (own, rest) = numbers.split_at(draft.outs.len());
            numbers = rest;
            let Some(number) = own.first().copied() else { continue };
            let device = draft.order.id.clone();
            let ordered = ordered.filter(|entry| entry.devices.contains(&device)).cloned();
            let order = Order { number, device, ordered };
            let mut wanted = draft.order.state.clone().unwrap_or_default();
            wanted.retain(|property, _| !draft.untold.contains(property));
            given.push(Given {
                number,
                device: order.device.clone(),
                wanted,
                noop: draft.order.noop,
                hub: draft.routed,
                ordered: order.ordered.clone(),
            });
            match &draft.unable {
                Some(why) => ended.push(Ended { order, fate: Fate::Refused(why.clone()) }),
                None => self.watch.begin(&order, own.iter().skip(draft.uncounted()).copied()),
            }
        }
        if let Some(follow) = self.follow.as_ref().filter(|_| !given.is_empty()) {
            follow.given(request, given, given_ms);
        }
        ended
    }

    /// A row on its way.
    fn send(&self, out: Out, device: String, row: Row, expires_ms: u64) -> Sent {
        match out {
            Out::Instruct { topic, payload, aside } => {
                Sent::Broker(Publication::new(topic, payload).durable(row, expires_ms).aside(aside))
            }
            Out::Topic { topic, payload, once } => {
                let publication = Publication::new(topic, payload).durable(row, expires_ms);
                // A topic never holds this: whatever its hub calls them, a device's messages stay in order.
                Sent::Broker(publication.on_lane(format!("\0{device}")).once(once))
            }
            Out::Hub { hub, message, once } => Sent::Hub(hub, Letter { row, device, message, once, expires_ms }),
        }
    }

    /// Gives hubs what they are to be told.
    fn post(&self, letters: Vec<(String, Letter)>) {
        let courier = self.hubs.as_ref().and_then(|hubs| hubs.courier.upgrade());
        match courier {
            Some(courier) => letters.into_iter().for_each(|(hub, letter)| courier.take(&hub, letter)),
            None if letters.is_empty() => {}
            None => warn!("hubs are not told any more; what is written down is looked at after the next start"),
        }
    }

    /// Removes rows as they are settled, until whoever tells of them is gone.
    pub async fn sweep(&self, mut settled: mpsc::Receiver<(Row, Fate)>) {
        let mut rows = Vec::with_capacity(BATCH);
        while settled.recv_many(&mut rows, BATCH).await > 0 {
            let log = Arc::clone(&self.log);
            let gone = std::mem::take(&mut rows);
            let ended = self.watch.end(gone.iter().map(|(row, fate)| (row.seq, fate.clone())));
            self.conclude(ended).await;
            // Not committed: a row that comes back after a crash is given once more, if it is still fresh.
            let removed = spawn_blocking(move || gone.iter().try_for_each(|(row, _)| log.remove(row.seq))).await;
            if let Ok(Err(error)) = removed {
                warn!(%error, "instructs that were given cannot be removed from the outbox");
            }
        }
    }

    /// Tells what became of orders.
    async fn conclude(&self, ended: Vec<Ended>) {
        let entries = watch::entries(&ended, self.clock.wall_ms());
        if let Some(follow) = &self.follow {
            let fates = ended.into_iter().map(|ended| (ended.order.number, ended.fate));
            follow.ended(fates, self.clock.now_ms());
        }
        if !entries.is_empty() {
            self.note(entries).await;
        }
    }

    /// Writes into the audit trail what became of orders.
    pub async fn note(&self, entries: Vec<Entry>) {
        let log = Arc::clone(&self.log);
        let noted = spawn_blocking(move || append(&*log, &entries).and_then(|()| log.commit())).await;
        if let Ok(Err(error)) = noted {
            warn!(%error, "what became of a risky order is not in the audit trail");
        }
    }
}

/// A row that is on its way.
enum Sent {
    Broker(Publication),
    Hub(String, Letter),
}

/// The rows of all drafts, in order.
fn rows(drafts: &[Draft], rid: &str, boot: &str, given_ms: u64) -> Vec<Vec<u8>> {
    let outs = drafts.iter().flat_map(|draft| draft.outs.iter().map(|out| (&draft.order.id, out)));
    let rows = outs.map(|(device, out)| {
        let (rid, device, boot) = (rid.to_owned(), device.clone(), boot.to_owned());
        let (way, payload) = out.kept();
        Head { rid, device, boot, given_ms, way }.row(&payload)
    });
    rows.collect()
}

impl<L: OutboxLog> Deliver for Outbox<L> {
    async fn accept(
        &self,
        request: &Request,
        orders: &[Instruct],
        ordered: Option<Entry>,
    ) -> Result<Vec<Publication>, Refusal> {
        Ok(self.accept(request, orders, ordered).await?)
    }

    fn needs_broker(&self, orders: &[Instruct]) -> bool {
        let by_itself = |order: &Instruct| {
            let routed = self.hubs.as_ref().and_then(|hubs| hubs.route.native(order));
            let messages = routed.and_then(|routed| routed.messages.ok());
            messages.is_some_and(|messages| messages.iter().all(|native| matches!(native.to, To::Connection(_))))
        };
        !orders.iter().all(by_itself)
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

/// Appends the entry and all rows and makes them durable, or leaves no row behind.
fn write<L: OutboxLog>(
    log: &L,
    ordered: Option<&Entry>,
    rows: &[Vec<u8>],
    job: Option<&JobRow>,
    wall_ms: u64,
) -> Result<Vec<u64>, OutboxError> {
    // The entry first: whatever survives of this, no order is without it.
    ordered
        .map_or(Ok(()), |entry| append(log, std::slice::from_ref(entry)))
        .map_err(|error| OutboxError::Audit(error.to_string()))?;
    let mut numbers = Vec::with_capacity(rows.len());
    let result = rows.iter().try_for_each(|row| log.push(row).map(|number| numbers.push(number)));
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
