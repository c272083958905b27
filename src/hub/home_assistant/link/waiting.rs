//! What is to be said and was not said yet.

use std::collections::VecDeque;
use std::future::{Future, pending};
use std::pin::pin;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::clock::Clock;
use crate::hub::{Answered, Delivery};

/// Most messages that are held here; the rest wait with whoever says them.
const MAX_WAITING: usize = 256;

/// The daemon says nothing more.
#[derive(Debug)]
pub(super) struct Gone;

/// Messages in the order in which they came.
pub(super) struct Waiting {
    deliveries: mpsc::Receiver<Delivery>,
    clock: Clock,
    queue: VecDeque<Delivery>,
}

impl Waiting {
    pub(super) fn new(deliveries: mpsc::Receiver<Delivery>, clock: Clock) -> Self {
        Self { deliveries, clock, queue: VecDeque::new() }
    }

    /// Does something else meanwhile: messages are taken in, and given back when their time is over.
    pub(super) async fn during<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Gone> {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return Ok(done),
                heard = self.take() => heard?,
            }
        }
    }

    /// Waits until a message came in or grew stale.
    pub(super) async fn take(&mut self) -> Result<(), Gone> {
        let stale = self.queue.iter().map(|delivery| delivery.expires_ms).min();
        let left = stale.map(|at| Duration::from_millis(at.saturating_sub(self.clock.now_ms())));
        let stale = async {
            match left {
                Some(left) => sleep(left).await,
                None => pending().await,
            }
        };
        tokio::select! {
            delivery = self.deliveries.recv(), if self.queue.len() < MAX_WAITING => {
                self.queue.push_back(delivery.ok_or(Gone)?);
            }
            () = stale => {}
        }
        self.drop_stale();
        Ok(())
    }

    /// The next message that is worth saying.
    pub(super) fn next(&mut self) -> Option<Delivery> {
        self.drop_stale();
        self.queue.pop_front()
    }

    fn drop_stale(&mut self) {
        let now_ms = self.clock.now_ms();
        while let Some(at) = self.queue.iter().position(|delivery| delivery.expires_ms <= now_ms) {
            if let Some(delivery) = self.queue.remove(at) {
                let _ = delivery.done.send(Answered::Expired);
            }
        }
    }
}
