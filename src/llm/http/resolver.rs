//! Names looked up on a thread of their own, one at a time.
//!
//! The system's lookup cannot be cancelled, and where the nameserver is silent it takes half a minute. The runtime's
//! blocking threads are few, and commits and the outbox need them: two such lookups and the daemon would stand still.

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::thread;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::{Semaphore, oneshot};

/// What looks a name up, for as long as that takes.
type Lookup = dyn Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync;

/// The resolver of one client. What nobody waits for any more ends by itself; the process does not wait for it.
pub struct Resolver {
    lookup: Arc<Lookup>,
    /// One for the lookup that may be under way.
    turn: Arc<Semaphore>,
}

impl Resolver {
    fn new(lookup: impl Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static) -> Self {
        Self { lookup: Arc::new(lookup), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl Default for Resolver {
    /// The system's. The port is the client's to know.
    fn default() -> Self {
        Self::new(|name| Ok((name, 0).to_socket_addrs()?.collect()))
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").field("turn", &self.turn).finish_non_exhaustive()
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let Ok(turn) = Arc::clone(&self.turn).try_acquire_owned() else {
            let busy = io::Error::new(io::ErrorKind::ResourceBusy, "another lookup is under way");
            return Box::pin(std::future::ready(Err(busy.into())));
        };
        let (answer, answered) = oneshot::channel();
        let lookup = Arc::clone(&self.lookup);
        let started = thread::Builder::new().name("resolver".into()).spawn(move || {
            let found = lookup(name.as_str());
            drop(turn);
            let _ = answer.send(found);
        });
        Box::pin(async move {
            started?;
            let found = answered.await.map_err(|_| io::Error::other("the lookup ended without an answer"))??;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};

    use super::*;

    fn name(name: &str) -> Name {
        name.parse().unwrap()
    }

    async fn found(resolver: &Resolver, of: &str) -> Result<Vec<SocketAddr>, String> {
        resolver.resolve(name(of)).await.map(Iterator::collect).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn the_system_knows_this_machine() {
        let addresses = found(&Resolver::default(), "localhost").await.unwrap();
        assert!(addresses.iter().any(|address| address.ip().is_loopback()), "{addresses:?}");
    }

    #[tokio::test]
    async fn one_lookup_is_under_way_and_another_is_refused_until_it_has_ended_also_when_nobody_waits_for_it() {
        let address: SocketAddr = "192.0.2.1:0".parse().unwrap();
        let (go, gone) = mpsc::sync_channel::<()>(1);
        let (ended, mut end) = tokio::sync::mpsc::channel(8);
        let gone = Mutex::new(gone);
        let resolver = Resolver::new(move |_| {
            gone.lock().unwrap().recv().unwrap();
            ended.try_send(()).unwrap();
            Ok(vec![address])
        });
        // Given up, and still under way.
        drop(resolver.resolve(name("a.example")));
        assert_eq!(found(&resolver, "b.example").await.unwrap_err(), "another lookup is under way");
        go.send(()).unwrap();
        end.recv().await.unwrap();
        // The turn is given back a moment later.
        drop(resolver.turn.acquire().await.unwrap());
        go.send(()).unwrap();
        assert_eq!(found(&resolver, "c.example").await.unwrap(), [address]);
    }

    #[tokio::test]
    async fn a_name_that_nobody_has_and_a_lookup_that_panics_are_errors_and_leave_the_turn_to_the_next() {
        let resolver = Resolver::new(|name| match name {
            "panic" => panic!("as it is wanted"),
            _ => Err(io::Error::other("nobody")),
        });
        assert_eq!(found(&resolver, "a.example").await.unwrap_err(), "nobody");
        found(&resolver, "panic").await.unwrap_err();
        drop(resolver.turn.acquire().await.unwrap());
        assert_eq!(found(&resolver, "a.example").await.unwrap_err(), "nobody");
    }
}
