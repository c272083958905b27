//! What accounts come to, as far as the daemon can tell by itself how well it understood.

use super::Account;
use crate::frame::{Finish, Intent};

/// Upper bounds of the buckets for how long serving took, in milliseconds; whatever takes longer has one of its own.
pub const BUCKETS_MS: [u64; 12] = [1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000, 5_000, 10_000];

/// Accounts since the start, by how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Something moves, is planned or is answered.
    pub sure: u64,
    /// Something was asked back.
    pub asked: u64,
    /// It was understood and cannot be done, or nothing of it is there.
    pub rejected: u64,
    /// It was not understood; another assistant may have it.
    pub fallback: u64,
    /// It was for nobody here.
    pub unknown: u64,
    /// It was not served.
    pub failed: u64,
    /// How long serving took, by [`BUCKETS_MS`].
    pub latency: [u64; BUCKETS_MS.len() + 1],
}

impl Counts {
    pub(super) fn add(&mut self, account: &Account) {
        let hint = account.found.as_ref().and_then(|found| found["hint"].as_str());
        let slot = match &account.finish {
            Finish::Failed { .. } => &mut self.failed,
            Finish::Done { .. } if hint == Some("needs_fallback") => &mut self.fallback,
            Finish::Done { intent: Intent::Question, .. } => &mut self.asked,
            Finish::Done { instructs, jobs, .. } if !instructs.is_empty() || !jobs.is_empty() => &mut self.sure,
            Finish::Done { .. } if hint.is_some() => &mut self.rejected,
            Finish::Done { intent: Intent::None, .. } => &mut self.unknown,
            Finish::Done { .. } => &mut self.sure,
        };
        *slot += 1;
        if let Some(us) = account.total_us() {
            let at = BUCKETS_MS.iter().position(|bound| us <= bound * 1_000);
            self.latency[at.unwrap_or(BUCKETS_MS.len())] += 1;
        }
    }
}
