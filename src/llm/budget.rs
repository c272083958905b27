//! How many sentences may leave the home within an hour. Pure: every call brings the time.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The window.
const HOUR: Duration = Duration::from_secs(3_600);

/// A sliding hour of calls.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: usize,
    /// When calls were made, oldest first; never more than the limit.
    calls: VecDeque<Instant>,
}

impl Budget {
    /// So many calls within an hour.
    pub fn per_hour(limit: u32) -> Self {
        Self { limit: limit as usize, calls: VecDeque::new() }
    }

    /// Whether no call may be made now.
    pub fn is_spent(&self, now: Instant) -> bool {
        // As long as the oldest of so many calls counts, all of them do.
        let counts = |call: &Instant| now.saturating_duration_since(*call) < HOUR;
        self.calls.len() >= self.limit && self.calls.front().is_none_or(counts)
    }

    /// Takes a call out of the budget; `false` when it is spent.
    pub fn take(&mut self, now: Instant) -> bool {
        if self.is_spent(now) {
            return false;
        }
        if self.calls.len() == self.limit {
            self.calls.pop_front();
        }
        self.calls.push_back(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_spent_comes_back_after_an_hour() {
        let now = Instant::now();
        let mut budget = Budget::per_hour(2);
        assert!(budget.take(now) && budget.take(now + HOUR / 2) && !budget.take(now + HOUR / 2));
        assert!(budget.take(now + HOUR) && !budget.take(now + HOUR));
        assert!(!Budget::per_hour(0).take(now));
    }

    proptest! {
        #[test]
        fn no_hour_holds_more_calls_than_the_limit(limit in 0..5u32, gaps in proptest::collection::vec(0..2_000u64, 0..100)) {
            let mut now = Instant::now();
            let mut budget = Budget::per_hour(limit);
            let mut taken: Vec<Instant> = Vec::new();
            for gap in gaps {
                now += Duration::from_secs(gap);
                let spent = budget.is_spent(now);
                prop_assert_eq!(budget.take(now), !spent);
                if !spent {
                    taken.push(now);
                }
                let within = taken.iter().filter(|t| now.duration_since(**t) < HOUR).count();
                prop_assert!(within <= limit as usize && (!spent || within == limit as usize));
            }
        }
    }
}
