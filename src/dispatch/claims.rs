//! Which rids belong to requests that are under way.
//!
//! `response/{rid}` is one topic for all who ask. A client there knows its answer by the rid and nothing else, and must not
//! take for it what a satellite made the daemon say.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Requests remembered after their end.
const MAX_ENDED: usize = 1024;

/// The rids of requests under way that came in on `request`, and of those that ended a moment ago: what became of their
/// instructs is still to be told.
#[derive(Debug, Default)]
pub(super) struct Claims {
    // Neither is held across an await, nor together with the other.
    rids: Mutex<HashMap<String, usize>>,
    ended: Mutex<VecDeque<(Instant, String)>>,
}

/// One of them, for as long as it is kept.
#[derive(Debug)]
pub(super) struct Claim {
    claims: Arc<Claims>,
    rid: String,
}

impl Claims {
    /// Claims a rid.
    pub(super) fn claim(self: &Arc<Self>, rid: &str) -> Claim {
        *self.rids().entry(rid.to_owned()).or_default() += 1;
        Claim { claims: Arc::clone(self), rid: rid.to_owned() }
    }

    /// Whether a rid is claimed.
    pub(super) fn holds(&self, rid: &str) -> bool {
        self.rids().contains_key(rid)
    }

    /// Whether a rid is claimed, or was within the time given.
    pub(super) fn held_within(&self, rid: &str, time: Duration) -> bool {
        let lately = |(at, ended): &(Instant, String)| ended == rid && at.elapsed() <= time;
        self.holds(rid) || self.ended().iter().any(lately)
    }

    fn ended(&self) -> MutexGuard<'_, VecDeque<(Instant, String)>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rids(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.rids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut ended = self.claims.ended();
        if ended.len() == MAX_ENDED {
            ended.pop_front();
        }
        ended.push_back((Instant::now(), self.rid.clone()));
        drop(ended);
        let mut rids = self.claims.rids();
        if let Some(claims) = rids.get_mut(&self.rid) {
            *claims -= 1;
            if *claims == 0 {
                rids.remove(&self.rid);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rid_is_remembered_for_a_while_after_its_request_and_not_without_bound() {
        let claims = Arc::new(Claims::default());
        let hour = Duration::from_secs(3_600);
        let claim = claims.claim("r");
        assert!(claims.held_within("r", Duration::ZERO));
        drop(claim);
        assert!(!claims.holds("r") && claims.held_within("r", hour) && !claims.held_within("other", hour));
        for n in 0..MAX_ENDED {
            drop(claims.claim(&n.to_string()));
        }
        assert!(!claims.held_within("r", hour));
        assert_eq!(claims.ended().len(), MAX_ENDED);
    }
}
