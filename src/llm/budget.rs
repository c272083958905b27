//! How many sentences may leave the home within an hour, and how many of one asker. Pure: every call brings the time.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::frame::Origin;

/// The window.
const HOUR: Duration = Duration::from_secs(3_600);

/// A sliding hour of calls.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: usize,
    /// When calls were made and for whom, oldest first; never more than the limit.
    calls: VecDeque<(Instant, Origin)>,
}

impl Budget {
    /// So many calls within an hour.
    pub fn per_hour(limit: u32) -> Self {
        Self { limit: limit as usize, calls: VecDeque::new() }
    }

    /// Whether no call may be made now for this asker: nobody has more of them than are left for others.
    pub fn is_spent(&self, asker: &Origin, now: Instant) -> bool {
        let counts = |(at, _): &&(Instant, Origin)| now.saturating_duration_since(*at) < HOUR;
        let (mut all, mut own) = (0, 0);
        for (_, whose) in self.calls.iter().filter(counts) {
            all += 1;
            own += usize::from(whose == asker);
        }
        own >= self.limit - all
    }

    /// Takes a call out of the budget; `false` when it is spent.
    pub fn take(&mut self, asker: &Origin, now: Instant) -> bool {
        if self.is_spent(asker, now) {
            return false;
        }
        if self.calls.len() == self.limit {
            self.calls.pop_front();
        }
        self.calls.push_back((now, asker.clone()));
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
        let [a, b, c, d] = ["a", "b", "c", "d"].map(Origin::satellite);
        assert!(budget.take(&a, now) && budget.take(&b, now + HOUR / 2) && !budget.take(&c, now + HOUR / 2));
        assert!(budget.take(&c, now + HOUR) && !budget.take(&d, now + HOUR));
        assert!(!Budget::per_hour(0).take(&a, now));
    }

    #[test]
    fn nobody_has_more_calls_than_are_left_for_others() {
        let now = Instant::now();
        let mut budget = Budget::per_hour(10);
        let mut taken =
            |name: &str, now: Instant| (0..9).filter(|_| budget.take(&Origin::satellite(name), now)).count();
        assert_eq!([taken("a", now), taken("b", now), taken("c", now)], [5, 3, 1]);
        assert_eq!([taken("a", now), taken("a", now + HOUR)], [0, 5]);
    }

    proptest! {
        #[test]
        fn no_hour_holds_more_calls_than_the_limit(limit in 0..5u32, gaps in proptest::collection::vec(0..2_000u64, 0..100)) {
            let mut now = Instant::now();
            let mut budget = Budget::per_hour(limit);
            let mut taken: Vec<Instant> = Vec::new();
            for gap in gaps {
                now += Duration::from_secs(gap);
                // Each of somebody else.
                let asker = Origin::satellite(taken.len().to_string());
                let spent = budget.is_spent(&asker, now);
                prop_assert_eq!(budget.take(&asker, now), !spent);
                if !spent {
                    taken.push(now);
                }
                let within = taken.iter().filter(|t| now.duration_since(**t) < HOUR).count();
                prop_assert!(within <= limit as usize && (!spent || within == limit as usize));
            }
        }
    }
}
