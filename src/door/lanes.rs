//! How many requests of one client are with the dispatch at a time.
//!
//! The queue of the dispatch is short, so that nobody's request grows old in it. A door that stays open can keep its client
//! waiting instead: one of them alone never fills the queue, however many connections it has.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::frame::Origin;

/// Requests of one client that are waiting or being served.
pub(super) const LANES: usize = 16;

/// The lanes of all clients that have requests under way.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    // Not held across an await.
    open: Mutex<HashMap<Origin, Arc<Semaphore>>>,
}

/// One of a client's lanes, for as long as it is kept.
#[derive(Debug)]
pub(super) struct Lane {
    permit: Option<OwnedSemaphorePermit>,
    user: User,
}

impl Lanes {
    /// Waits for a lane. Whoever stops waiting leaves nothing behind.
    pub(super) async fn enter(self: &Arc<Self>, client: &Origin) -> Lane {
        let lanes = Arc::clone(self.open().entry(client.clone()).or_insert_with(|| Arc::new(Semaphore::new(LANES))));
        let user = User { all: Arc::clone(self), client: client.clone(), lanes: Some(Arc::clone(&lanes)) };
        // Nobody closes it.
        let permit = lanes.acquire_owned().await.ok();
        Lane { permit, user }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Origin, Arc<Semaphore>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // Before its user, who looks at what is still held.
        self.permit = None;
        self.user.leave();
    }
}

/// Someone who waits for a lane or has one; the last one takes the client's entry along.
#[derive(Debug)]
struct User {
    all: Arc<Lanes>,
    client: Origin,
    lanes: Option<Arc<Semaphore>>,
}

impl User {
    fn leave(&mut self) {
        let mut open = self.all.open();
        self.lanes = None;
        if open.get(&self.client).is_some_and(|lanes| Arc::strong_count(lanes) == 1) {
            open.remove(&self.client);
        }
    }
}

impl Drop for User {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;
    use crate::frame::Door;

    fn client(name: &str) -> Origin {
        Origin { door: Door::Http, client: name.into() }
    }

    #[tokio::test]
    async fn one_client_has_so_many_and_the_next_waits_for_one_of_them() {
        let lanes = Arc::new(Lanes::default());
        let mut held = Vec::new();
        for _ in 0..LANES {
            held.push(lanes.enter(&client("a")).await);
        }
        let waits = timeout(Duration::from_millis(20), lanes.enter(&client("a"))).await;
        assert!(waits.is_err());
        // Another client is not kept waiting by that.
        drop(lanes.enter(&client("b")).await);
        held.pop();
        held.push(lanes.enter(&client("a")).await);
    }

    #[tokio::test]
    async fn nothing_is_left_of_a_client_that_has_nothing_under_way() {
        let lanes = Arc::new(Lanes::default());
        let first = lanes.enter(&client("a")).await;
        let second = lanes.enter(&client("a")).await;
        drop(first);
        assert_eq!(lanes.open().len(), 1);
        drop(second);
        assert!(lanes.open().is_empty());
        let held: Vec<_> = futures(&lanes, LANES).await;
        assert!(timeout(Duration::from_millis(5), lanes.enter(&client("a"))).await.is_err());
        drop(held);
        assert!(lanes.open().is_empty());
    }

    async fn futures(lanes: &Arc<Lanes>, many: usize) -> Vec<Lane> {
        let mut held = Vec::new();
        for _ in 0..many {
            held.push(lanes.enter(&client("a")).await);
        }
        held
    }
}
