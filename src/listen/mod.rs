//! Sockets that others connect to: bounded in number, by client and in time.

mod http;
mod meter;
mod tls;

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{debug, warn};

pub use http::serve_http;
pub use meter::{Budget, Meter};
pub use tls::{ServeTls, TlsFiles, TlsFilesError};

/// What clients may take up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenLimits {
    /// Connections at once; one more waits to be accepted.
    pub connections: usize,
    /// Connections of one address at once; one more is closed.
    pub per_address: usize,
    /// From the connection to the end of the request's head.
    pub head: Duration,
    /// From the connection to its end, unless it is put off ([`Patience`]).
    pub whole: Duration,
    /// After the system refused a connection, because there are too many files open for example.
    pub pause: Duration,
}

/// Who is at the other end of a connection, and its place among all of them. It is kept for as long as the connection is.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The address it comes from.
    pub address: IpAddr,
    /// Ends with the listener.
    pub closing: watch::Receiver<()>,
    /// How long the connection may still take.
    pub patience: Patience,
    _place: Arc<Slot>,
}

/// Until when a connection is kept. Who answers for as long as the other side listens puts it off, each time that side took
/// something.
#[derive(Clone, Debug)]
pub struct Patience(Arc<Mutex<Instant>>);

impl Patience {
    fn new(whole: Duration) -> Self {
        Self(Arc::new(Mutex::new(Instant::now() + whole)))
    }

    /// The connection is kept for so long from now, at least.
    pub fn extend(&self, by: Duration) {
        let mut until = self.lock();
        *until = (*until).max(Instant::now() + by);
    }

    /// Polls a connection until it ends, or its time does.
    async fn keep(&self, connection: impl Future) {
        let mut connection = std::pin::pin!(connection);
        let mut until = self.until();
        while tokio::time::timeout_at(until, connection.as_mut()).await.is_err() {
            let put_off = self.until();
            if put_off <= until {
                return;
            }
            until = put_off;
        }
    }

    fn until(&self) -> Instant {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Instant> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves every connection by `serve`, for as long as it is polled.
pub async fn listen<S, F>(listener: TcpListener, limits: ListenLimits, serve: S)
where
    S: Fn(TcpStream, Peer) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    let room = Arc::new(Semaphore::new(limits.connections));
    let crowd = Arc::new(Crowd::default());
    let (_open, closing) = watch::channel(());
    // They end with this task.
    let mut connections = JoinSet::new();
    while let Ok(permit) = Arc::clone(&room).acquire_owned().await {
        while connections.try_join_next().is_some() {}
        let (stream, from) = match listener.accept().await {
            Ok((stream, from)) => (stream, canonical(from)),
            Err(error) => {
                warn!(%error, "a connection is not accepted");
                tokio::time::sleep(limits.pause).await;
                continue;
            }
        };
        let Some(place) = crowd.place(from, limits.per_address, permit) else {
            debug!(%from, "too many connections of one address");
            continue;
        };
        // What is said here is short, and somebody waits for it.
        let _ = stream.set_nodelay(true);
        let (closing, patience) = (closing.clone(), Patience::new(limits.whole));
        connections.spawn(serve(stream, Peer { address: from, closing, patience, _place: Arc::new(place) }));
    }
}

fn canonical(address: SocketAddr) -> IpAddr {
    address.ip().to_canonical()
}

/// How many connections each address has.
#[derive(Debug, Default)]
struct Crowd {
    // Not held across an await.
    by_address: Mutex<HashMap<IpAddr, usize>>,
}

impl Crowd {
    fn place(self: &Arc<Self>, address: IpAddr, most: usize, permit: OwnedSemaphorePermit) -> Option<Slot> {
        let mut by_address = self.by_address();
        let count = by_address.entry(address).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Slot { crowd: Arc::clone(self), address, _permit: permit })
    }

    fn by_address(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.by_address.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection's place.
#[derive(Debug)]
struct Slot {
    crowd: Arc<Crowd>,
    address: IpAddr,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut by_address = self.crowd.by_address();
        if let Some(count) = by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const LIMITS: ListenLimits = ListenLimits {
        connections: 8,
        per_address: 1,
        head: Duration::from_secs(5),
        whole: Duration::from_secs(5),
        pause: Duration::from_secs(1),
    };

    #[tokio::test]
    async fn one_address_has_so_many_connections_and_one_more_is_closed() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(listen(listener, LIMITS, |mut stream, peer| async move {
            let _ = stream.write_all(b"a").await;
            let _ = stream.read_u8().await;
            drop(peer);
            // Closed after its place is free.
        }));
        let mut first = TcpStream::connect(address).await.unwrap();
        assert_eq!(first.read_u8().await.unwrap(), b'a');
        let mut second = TcpStream::connect(address).await.unwrap();
        assert!(second.read_u8().await.is_err(), "closed at once");
        first.write_all(b"x").await.unwrap();
        assert!(first.read_u8().await.is_err());
        let mut third = TcpStream::connect(address).await.unwrap();
        assert_eq!(third.read_u8().await.unwrap(), b'a');
    }

    #[tokio::test]
    async fn a_connection_is_kept_for_as_long_as_it_is_put_off_and_no_longer() {
        let patience = Patience::new(Duration::from_millis(10));
        patience.keep(std::future::pending::<()>()).await;
        let (at_work, mut ended) = (patience.clone(), false);
        at_work.extend(Duration::from_millis(10));
        let connection = async {
            at_work.extend(Duration::from_secs(60));
            tokio::time::sleep(Duration::from_millis(50)).await;
            ended = true;
        };
        patience.keep(connection).await;
        assert!(ended, "it was cut off although it was put off");
    }
}
