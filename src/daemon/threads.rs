//! Threads that understand, apart from those that hear and speak: however long a sentence takes, and however many are at it,
//! the connection to the broker, timers and signals do not wait for it.

use std::io;
use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::runtime::{Builder, EnterGuard, Handle, Runtime};
use tokio::task::spawn_blocking;

/// Threads of these that wait for the disk.
const BLOCKING_THREADS: usize = 2;

/// The threads; as many as there are processors, and two at least: half of them is what one asker gets.
#[derive(Debug)]
pub(super) struct Understanding(Option<Runtime>);

impl Understanding {
    pub(super) fn start() -> io::Result<Self> {
        let threads = Builder::new_multi_thread()
            .enable_all()
            .worker_threads(available_parallelism().map_or(1, NonZero::get).max(2))
            .thread_name("understanding")
            .max_blocking_threads(BLOCKING_THREADS)
            .build()?;
        Ok(Self(Some(threads)))
    }

    /// Where tasks are spawned for as long as the guard lives.
    pub(super) fn enter(&self) -> Option<EnterGuard<'_>> {
        self.0.as_ref().map(Runtime::enter)
    }

    /// To spawn a task there.
    pub(super) fn handle(&self) -> Handle {
        self.0.as_ref().map_or_else(Handle::current, |threads| threads.handle().clone())
    }

    /// Waits for what is still being written to the disk, but not longer than `patience`.
    pub(super) async fn stop(mut self, patience: Duration) {
        if let Some(threads) = self.0.take() {
            let _ = spawn_blocking(move || threads.shutdown_timeout(patience)).await;
        }
    }
}

/// A runtime may not be waited for where others are served.
impl Drop for Understanding {
    fn drop(&mut self) {
        if let Some(threads) = self.0.take() {
            threads.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn what_takes_all_of_these_threads_keeps_nobody_else_waiting() {
        let threads = Understanding::start().unwrap();
        let all = available_parallelism().unwrap().get().max(2);
        let (begun_tx, mut begun) = tokio::sync::mpsc::channel(all);
        let mut ends = Vec::new();
        for _ in 0..all {
            let (end, ended) = mpsc::sync_channel::<()>(0);
            ends.push(end);
            let begun = begun_tx.clone();
            let _here = threads.enter();
            tokio::spawn(async move {
                begun.try_send(()).unwrap();
                let _ = ended.recv();
            });
        }
        for _ in 0..all {
            begun.recv().await.unwrap();
        }
        // This thread is the only one of its runtime, and it is here.
        tokio::time::sleep(Duration::from_millis(1)).await;
        drop(ends);
        threads.stop(Duration::from_secs(10)).await;
    }
}
