//! Bytes that connections hold, bounded over all of them together.
//!
//! What is small needs no leave: so it waits for nobody, however much others hold. What is large is read only as far as there
//! is room for it.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How long is waited for room.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes that all connections may hold beyond what needs no leave.
#[derive(Clone, Debug)]
pub struct Budget {
    kib: Arc<Semaphore>,
    patience: Duration,
}

/// Some of them, for as long as it is kept.
#[derive(Debug)]
pub struct Share {
    _permit: OwnedSemaphorePermit,
}

impl Budget {
    /// So many.
    pub fn new(bytes: usize) -> Self {
        Self { kib: Arc::new(Semaphore::new(bytes >> 10)), patience: PATIENCE }
    }

    /// Waits for so many bytes. `None` when others hold them for too long.
    pub async fn share(&self, bytes: usize) -> Option<Share> {
        let kib = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX);
        let waiting = Arc::clone(&self.kib).acquire_many_owned(kib);
        // Nobody closes it.
        let permit = timeout(self.patience, waiting).await.ok()?.ok()?;
        Some(Share { _permit: permit })
    }
}

/// Counts what a connection reads. Without a budget it counts nothing.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<Option<Account>>>);

/// The messages of one connection that follow each other.
struct Account {
    budget: Budget,
    /// Bytes of the message that is being read.
    read: usize,
    /// Bytes that a message may have with what is held.
    granted: usize,
    /// What is held for each of them: buffers that have grown stay so for as long as the connection lives.
    weight: usize,
    shares: Vec<Share>,
    asking: Option<Pin<Box<dyn Future<Output = Option<Share>> + Send>>>,
    refused: bool,
}

impl Meter {
    /// From now on a message of more than `free` bytes is read only as far as there is room in `budget`, each of its bytes
    /// weighing `weight`. What was once needed is kept until the connection ends.
    pub fn limit(&self, budget: Budget, free: usize, weight: usize) {
        let (shares, asking) = (Vec::new(), None);
        *self.lock() = Some(Account { budget, read: 0, granted: free, weight, shares, asking, refused: false });
    }

    /// A message was read to its end.
    pub fn message(&self) {
        if let Some(account) = self.lock().as_mut() {
            account.read = 0;
        }
    }

    /// So many bytes were no part of a message.
    pub fn aside(&self, bytes: usize) {
        if let Some(account) = self.lock().as_mut() {
            account.read = account.read.saturating_sub(bytes);
        }
    }

    /// Bytes that a message may have with what is held now.
    pub fn granted(&self) -> usize {
        self.lock().as_ref().map_or(usize::MAX, |account| account.granted)
    }

    /// Whether there was no room for a message.
    pub fn refused(&self) -> bool {
        self.lock().as_ref().is_some_and(|account| account.refused)
    }

    /// Waits until one byte more may be read.
    fn poll_leave(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut account = self.lock();
        let Some(account) = account.as_mut() else { return Poll::Ready(Ok(())) };
        while account.read >= account.granted {
            if account.refused {
                return Poll::Ready(Err(io::ErrorKind::OutOfMemory.into()));
            }
            let (budget, more) = (&account.budget, account.granted * account.weight);
            let asking = account.asking.get_or_insert_with(|| {
                let budget = budget.clone();
                Box::pin(async move { budget.share(more).await })
            });
            let share = ready!(asking.as_mut().poll(cx));
            account.asking = None;
            account.refused = share.is_none();
            if let Some(share) = share {
                account.shares.push(share);
                account.granted *= 2;
            }
        }
        Poll::Ready(Ok(()))
    }

    fn count(&self, bytes: usize) {
        if let Some(account) = self.lock().as_mut() {
            account.read += bytes;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Account>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("read", &self.read).field("granted", &self.granted).finish_non_exhaustive()
    }
}

/// A stream whose reading is counted.
#[derive(Debug)]
pub(super) struct Metered<S> {
    pub(super) stream: S,
    pub(super) meter: Meter,
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        ready!(self.meter.poll_leave(cx))?;
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        self.meter.count(buffer.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    fn metered(budget: &Budget) -> (Metered<DuplexStream>, DuplexStream) {
        let (stream, other) = duplex(1 << 20);
        let meter = Meter::default();
        meter.limit(budget.clone(), 1 << 10, 2);
        (Metered { stream, meter }, other)
    }

    async fn read(from: &mut Metered<DuplexStream>, bytes: usize) -> io::Result<()> {
        let mut chunk = [0; 512];
        for _ in 0..bytes / chunk.len() {
            from.read_exact(&mut chunk).await?;
        }
        Ok(())
    }

    #[tokio::test]
    async fn what_is_large_waits_for_room_and_what_is_small_does_not() {
        let budget = Budget::new(6 << 10);
        let [(mut first, mut to_first), (mut second, mut to_second)] = [(); 2].map(|()| metered(&budget));
        to_first.write_all(&[0; 8 << 10]).await.unwrap();
        to_second.write_all(&[0; 8 << 10]).await.unwrap();
        // Two for the second KiB, four for the third and fourth.
        read(&mut first, 4 << 10).await.unwrap();
        assert_eq!((first.meter.granted(), budget.kib.available_permits()), (4 << 10, 0));
        // One message after the other: what was granted once is enough for the next.
        first.meter.message();
        read(&mut first, 4 << 10).await.unwrap();
        read(&mut second, 1 << 10).await.unwrap();
        assert!(read(&mut second, 512).now_or_never().is_none());
        second.meter.aside(512);
        read(&mut second, 512).await.unwrap();
        drop((first, to_first));
        read(&mut second, 3 << 10).await.unwrap();
        drop((second, to_second));
        assert_eq!(budget.kib.available_permits(), 6);
    }

    #[tokio::test]
    async fn who_gets_no_room_in_time_is_told_so() {
        let budget = Budget { patience: Duration::from_millis(10), ..Budget::new(1 << 10) };
        let (mut stream, mut other) = metered(&budget);
        other.write_all(&[0; 2 << 10]).await.unwrap();
        let error = read(&mut stream, 2 << 10).await.unwrap_err();
        assert_eq!((error.kind(), stream.meter.refused()), (io::ErrorKind::OutOfMemory, true));
        // Writing is another matter.
        stream.write_all(b"bye").await.unwrap();
    }
}
