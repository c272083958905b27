//! Wrong tokens, counted by address: who guesses is not told for a while that they are wrong, and fills no log.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Wrong tokens of one address that are told to be wrong.
const ALLOWED: u32 = 10;

/// How long they count, and how long no more are told of.
pub(super) const PERIOD: Duration = Duration::from_secs(60);

/// Addresses remembered.
const MAX_ADDRESSES: usize = 1024;

/// The wrong tokens of the last minute.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    // Not held across an await.
    seen: Mutex<HashMap<IpAddr, (Instant, u32)>>,
}

impl Attempts {
    /// Whether an address has shown so many wrong tokens that it is told nothing of one more.
    pub(super) fn is_shut_out(&self, address: IpAddr, now: Instant) -> bool {
        let seen = self.seen();
        seen.get(&household(address)).is_some_and(|(since, count)| young(*since, now) && *count >= ALLOWED)
    }

    /// Counts a wrong token.
    pub(super) fn count(&self, address: IpAddr, now: Instant) {
        let mut seen = self.seen();
        if seen.len() >= MAX_ADDRESSES {
            seen.retain(|_, (since, _)| young(*since, now));
        }
        if seen.len() >= MAX_ADDRESSES
            && let Some(oldest) = seen.iter().min_by_key(|(_, (since, _))| *since).map(|(address, _)| *address)
        {
            seen.remove(&oldest);
        }
        let entry = seen.entry(household(address)).or_insert((now, 0));
        if !young(entry.0, now) {
            *entry = (now, 0);
        }
        entry.1 += 1;
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<IpAddr, (Instant, u32)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn young(since: Instant, now: Instant) -> bool {
    now.saturating_duration_since(since) < PERIOD
}

/// One network of IPv6 is one address: a single machine has as many as it likes of it.
fn household(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_guesses_is_not_heard_for_a_minute() {
        let (attempts, start) = (Attempts::default(), Instant::now());
        let [guesser, other] = ["fd00::1", "192.168.1.9"].map(|address| address.parse().unwrap());
        for _ in 0..ALLOWED {
            assert!(!attempts.is_shut_out(guesser, start));
            attempts.count(guesser, start);
        }
        assert!(attempts.is_shut_out(guesser, start));
        assert!(attempts.is_shut_out("fd00::2".parse().unwrap(), start), "its neighbour in the same network");
        assert!(!attempts.is_shut_out(other, start));
        assert!(!attempts.is_shut_out(guesser, start + PERIOD));
        attempts.count(guesser, start + PERIOD);
        assert!(!attempts.is_shut_out(guesser, start + PERIOD), "it begins anew");
    }

    #[test]
    fn many_addresses_fill_no_memory() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        for n in 0..5_000_u32 {
            attempts.count(IpAddr::V4(n.into()), now);
        }
        assert_eq!(attempts.seen().len(), MAX_ADDRESSES);
    }
}
