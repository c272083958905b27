//! Which rids belong to requests that are under way.
//!
//! `response/{rid}` is one topic for all who ask. A client there knows its answer by the rid and nothing else, and must not
//! take for it what a satellite made the daemon say.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The rids of requests under way that came in on `request`.
#[derive(Debug, Default)]
pub(super) struct Claims {
    // Not held across an await.
    rids: Mutex<HashMap<String, usize>>,
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

    fn rids(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.rids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut rids = self.claims.rids();
        if let Some(claims) = rids.get_mut(&self.rid) {
            *claims -= 1;
            if *claims == 0 {
                rids.remove(&self.rid);
            }
        }
    }
}
