//! Turns at the processors: what one asker has under way is worked on by so many threads at most, however much of it there is.
//!
//! Requests under way mostly wait, for a model or for a device; they are many so that these waits overlap. Each time one of
//! them goes on, it does so behind all others that can: with dozens of one asker that compute, everybody else would wait for
//! dozens, at every step.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::Semaphore;

/// The turns of one asker.
#[derive(Clone, Debug)]
pub(super) struct Turns(Arc<Semaphore>);

impl Turns {
    /// So many at once.
    pub(super) fn of(at_once: usize) -> Self {
        Self(Arc::new(Semaphore::new(at_once)))
    }

    /// Runs `work` and takes a turn for each of its steps, from one wait to the next.
    pub(super) async fn take<T>(self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            // Nobody closes it; if somebody did, work would go on without turns.
            let turn = self.0.acquire().await;
            let step = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
            drop(turn);
            if let Poll::Ready(done) = step {
                return done;
            }
            woken().await;
        }
    }
}

/// Ends when the task is woken, by whatever `work` waits for.
async fn woken() {
    let mut polled = false;
    poll_fn(|_| if std::mem::replace(&mut polled, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Notify;
    use tokio::task::JoinSet;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn of_one_asker_as_many_go_on_at_once_as_have_turns() {
        let turns = Turns::of(2);
        let (at_work, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut tasks = JoinSet::new();
        for _ in 0..16 {
            let (at_work, most) = (Arc::clone(&at_work), Arc::clone(&most));
            tasks.spawn(turns.clone().take(async move {
                for _ in 0..20 {
                    most.fetch_max(at_work.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    at_work.fetch_sub(1, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                }
            }));
        }
        assert_eq!(tasks.join_all().await.len(), 16);
        assert!(most.load(Ordering::SeqCst) <= 2);
    }

    #[tokio::test]
    async fn whoever_waits_for_something_else_keeps_no_turn() {
        let (turns, gate) = (Turns::of(1), Arc::new(Notify::new()));
        let mut tasks = JoinSet::new();
        for _ in 0..3 {
            let gate = Arc::clone(&gate);
            tasks.spawn(turns.clone().take(async move { gate.notified().await }));
        }
        tokio::task::yield_now().await;
        assert_eq!(turns.clone().take(async { 1 }).await, 1);
        gate.notify_waiters();
        assert_eq!(tasks.join_all().await.len(), 3);
    }

    #[tokio::test]
    async fn what_is_given_up_in_the_middle_of_its_turn_gives_it_back() {
        let turns = Turns::of(1);
        for _ in 0..3 {
            let hangs = turns.clone().take(std::future::pending::<()>());
            assert!(tokio::time::timeout(std::time::Duration::from_millis(1), hangs).await.is_err());
        }
        assert_eq!(turns.0.available_permits(), 1);
    }
}
