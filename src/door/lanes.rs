//! Whose request goes to the dispatch next.
//!
//! The queue of the dispatch is short, so that nobody's request grows old in it, and refuses what it has no room for. Doors
//! stay open and can keep whoever asks waiting instead: a request goes on when there is a place for it, and all doors together
//! have no more places than the queue has room. One request of a conversation waits for the lanes of its client, one of a
//! client for a place: so conversations take turns within a client, and clients among each other, however much each asks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::dispatch::DispatchLimits;
use crate::frame::Origin;

/// Requests of one client that are with the dispatch, or next to go there.
pub(super) const LANES: usize = 16;

/// Most places; more than any queue has room.
const MAX_PLACES: u32 = 1 << 16;

/// The lanes of all clients that have requests under way, and the places that they share.
#[derive(Debug)]
pub(super) struct Lanes {
    // Not held across an await.
    open: Mutex<HashMap<Origin, Client>>,
    places: Arc<Semaphore>,
    /// How many there are when all are free.
    all_places: u32,
    /// Bytes of payload for which a request takes one of them.
    place_bytes: usize,
}

/// What the requests of one client share.
#[derive(Clone, Debug)]
struct Client {
    lanes: Arc<Semaphore>,
    /// Held by the one that waits for a place.
    next: Arc<tokio::sync::Mutex<()>>,
    /// Requests that wait for a lane or have one; the last one takes the entry along.
    users: usize,
}

/// One of a client's lanes with its places, for as long as it is kept.
#[derive(Debug)]
pub(super) struct Lane {
    _lane: Option<OwnedSemaphorePermit>,
    _places: Option<OwnedSemaphorePermit>,
    _user: User,
}

/// A connection on which requests follow each other: they go on in their order, one after the other.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    last: Option<oneshot::Receiver<()>>,
}

/// The turn of one request, kept until the request went on or was given up. The default comes at once, and nobody waits for it.
#[derive(Debug, Default)]
pub(super) struct Turn {
    before: Option<oneshot::Receiver<()>>,
    _over: Option<oneshot::Sender<()>>,
}

impl Conversation {
    /// The turn of what is asked now, behind all that was asked before.
    pub(super) fn turn(&mut self) -> Turn {
        let (over, next) = oneshot::channel();
        Turn { before: self.last.replace(next), _over: Some(over) }
    }
}

impl Turn {
    async fn comes(&mut self) {
        if let Some(before) = self.before.take() {
            // Nothing is ever sent: it ends with the turn before.
            let _ = before.await;
        }
    }
}

impl Lanes {
    /// Lanes before a dispatch with these limits.
    pub(super) fn new(limits: &DispatchLimits) -> Self {
        let all_places = u32::try_from(limits.waiting).unwrap_or(MAX_PLACES).clamp(1, MAX_PLACES);
        let place_bytes = limits.bytes.div_ceil(all_places as usize).max(1);
        let places = Arc::new(Semaphore::new(all_places as usize));
        Self { open: Mutex::default(), places, all_places, place_bytes }
    }

    /// Waits for its turn, a lane, and places for so many bytes. Whoever stops waiting leaves nothing behind.
    pub(super) async fn enter(self: &Arc<Self>, turn: &mut Turn, client: &Origin, bytes: usize) -> Lane {
        turn.comes().await;
        let (shared, user) = self.join(client);
        // Nobody closes them.
        let lane = shared.lanes.acquire_owned().await.ok();
        let _next = shared.next.lock().await;
        // What is larger than all the room goes alone.
        let places = u32::try_from(bytes.div_ceil(self.place_bytes)).unwrap_or(u32::MAX).clamp(1, self.all_places);
        let places = Arc::clone(&self.places).acquire_many_owned(places).await.ok();
        Lane { _lane: lane, _places: places, _user: user }
    }

    fn join(self: &Arc<Self>, origin: &Origin) -> (Client, User) {
        let mut open = self.open();
        let client = open.entry(origin.clone()).or_insert_with(Client::new);
        client.users += 1;
        (client.clone(), User { all: Arc::clone(self), origin: origin.clone() })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Origin, Client>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client {
    fn new() -> Self {
        Self { lanes: Arc::new(Semaphore::new(LANES)), next: Arc::default(), users: 0 }
    }
}

/// Someone who waits for a lane or has one.
#[derive(Debug)]
struct User {
    all: Arc<Lanes>,
    origin: Origin,
}

impl Drop for User {
    fn drop(&mut self) {
        let mut open = self.all.open();
        if let Some(client) = open.get_mut(&self.origin) {
            client.users -= 1;
            if client.users == 0 {
                open.remove(&self.origin);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;
    use tokio::task::{JoinHandle, yield_now};

    use super::*;
    use crate::frame::Door;

    fn lanes(waiting: usize, bytes: usize) -> Arc<Lanes> {
        let limits = DispatchLimits { workers: 1, waiting, bytes, deadline: Duration::from_secs(1) };
        Arc::new(Lanes::new(&limits))
    }

    fn client(name: &str) -> Origin {
        Origin { door: Door::Http, client: name.into() }
    }

    /// A lane, if there is one now.
    fn now(lanes: &Arc<Lanes>, name: &str, bytes: usize) -> Option<Lane> {
        lanes.enter(&mut Turn::default(), &client(name), bytes).now_or_never()
    }

    /// One that waits; what it is told it adds to the list once it goes on, and keeps its lane until it is aborted.
    async fn waiting(
        lanes: &Arc<Lanes>,
        mut turn: Turn,
        name: &str,
        told: &Arc<Mutex<Vec<String>>>,
        what: String,
    ) -> JoinHandle<()> {
        let (lanes, client, told) = (Arc::clone(lanes), client(name), Arc::clone(told));
        let task = tokio::spawn(async move {
            let _lane = lanes.enter(&mut turn, &client, 1).await;
            told.lock().unwrap().push(what);
            drop(turn);
            std::future::pending().await
        });
        yield_now().await;
        task
    }

    async fn settled() {
        for _ in 0..100 {
            yield_now().await;
        }
    }

    #[tokio::test]
    async fn one_client_has_so_many_and_the_next_waits_for_one_of_them() {
        let lanes = lanes(100, 1_000);
        let mut held: Vec<Lane> = (0..LANES).map(|_| now(&lanes, "a", 1).unwrap()).collect();
        assert!(now(&lanes, "a", 1).is_none());
        // Another client is not kept waiting by that.
        assert!(now(&lanes, "b", 1).is_some());
        held.pop();
        assert!(now(&lanes, "a", 1).is_some());
    }

    #[tokio::test]
    async fn nothing_is_left_of_a_client_that_has_nothing_under_way() {
        let lanes = lanes(100, 1_000);
        let held: Vec<Lane> = (0..LANES).map(|_| now(&lanes, "a", 1).unwrap()).collect();
        assert!(now(&lanes, "a", 1).is_none());
        assert_eq!(lanes.open().len(), 1);
        drop(held);
        assert!(lanes.open().is_empty());
        assert_eq!(lanes.places.available_permits(), 100);
    }

    #[tokio::test]
    async fn all_clients_together_have_no_more_places_than_the_queue_has_room() {
        let lanes = lanes(8, 8_000);
        let held: Vec<Lane> = (0..8).map(|n| now(&lanes, &n.to_string(), 1_000).unwrap()).collect();
        assert!(now(&lanes, "late", 1).is_none());
        drop(held);
        // A large one takes the places of several, and what is larger than all of them goes alone.
        let large = now(&lanes, "a", 6_001).unwrap();
        assert!(now(&lanes, "b", 1_001).is_none());
        let small = now(&lanes, "b", 1_000).unwrap();
        drop((large, small));
        let whole = now(&lanes, "a", 1_000_000).unwrap();
        assert!(now(&lanes, "b", 0).is_none());
        drop(whole);
        assert!(now(&lanes, "b", 0).is_some());
    }

    #[tokio::test]
    async fn conversations_take_turns_within_a_client_and_keep_their_order() {
        let (lanes, told) = (lanes(100, 1_000), Arc::default());
        let mut held: Vec<Lane> = (0..LANES).map(|_| now(&lanes, "a", 1).unwrap()).collect();
        let mut talks = [Conversation::default(), Conversation::default()];
        let mut tasks = Vec::new();
        for (talk, many) in [(0, 5), (1, 2)] {
            // The last ones are polled first.
            let turns: Vec<Turn> = (0..many).map(|_| talks[talk].turn()).collect();
            for (n, turn) in turns.into_iter().enumerate().rev() {
                tasks.push(waiting(&lanes, turn, "a", &told, format!("{talk}-{n}")).await);
            }
        }
        for n in 1..=7 {
            held.pop();
            settled().await;
            assert_eq!(told.lock().unwrap().len(), n);
        }
        assert_eq!(*told.lock().unwrap(), ["0-0", "1-0", "0-1", "1-1", "0-2", "0-3", "0-4"]);
        tasks.iter().for_each(JoinHandle::abort);
    }

    #[tokio::test]
    async fn clients_take_turns_for_places_however_many_requests_each_has() {
        let (lanes, told) = (lanes(4, 1_000), Arc::default());
        let mut held: Vec<Lane> = (0..4).map(|_| now(&lanes, "held", 1).unwrap()).collect();
        let mut tasks = Vec::new();
        for name in ["flood", "flood", "flood", "other"] {
            tasks.push(waiting(&lanes, Turn::default(), name, &told, name.to_owned()).await);
        }
        for _ in 0..2 {
            held.pop();
            settled().await;
        }
        assert_eq!(*told.lock().unwrap(), ["flood", "other"]);
        tasks.iter().for_each(JoinHandle::abort);
    }

    #[tokio::test]
    async fn a_turn_that_is_given_up_keeps_nobody_waiting() {
        let (lanes, told) = (lanes(100, 1_000), Arc::default());
        let mut talk = Conversation::default();
        let (first, second) = (talk.turn(), talk.turn());
        let task = waiting(&lanes, second, "a", &told, "second".into()).await;
        assert!(told.lock().unwrap().is_empty());
        drop(first);
        settled().await;
        assert_eq!(*told.lock().unwrap(), ["second"]);
        task.abort();
    }
}
