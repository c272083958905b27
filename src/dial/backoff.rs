//! How long to wait before the next attempt to reach the broker.

use std::time::Duration;

/// Wait before the first repetition, before jitter.
const FIRST: Duration = Duration::from_millis(200);

/// Longest wait. Well below the time to live of an instruct, so that a broker that comes back finds it still fresh.
const LONGEST: Duration = Duration::from_secs(4);

/// Doubles with every failed `attempt` (from 0), up to [`LONGEST`], and is spread over the upper half of that time, so
/// that a house full of clients does not come back in step. `seed` differs between clients.
pub fn backoff(attempt: u32, seed: u64) -> Duration {
    let full = FIRST.saturating_mul(1 << attempt.min(16)).min(LONGEST);
    let half = full / 2;
    let spread = u64::try_from(half.as_nanos()).unwrap_or(u64::MAX).max(1);
    half + Duration::from_nanos(mix(seed.wrapping_add(u64::from(attempt))) % spread)
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): neighbouring inputs give unrelated outputs.
pub fn mix(value: u64) -> u64 {
    let z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_lies_in_the_upper_half_of_a_doubling_bounded_time(attempt in any::<u32>(), seed in any::<u64>()) {
            let wait = backoff(attempt, seed);
            let full = FIRST.saturating_mul(1 << attempt.min(10)).min(LONGEST);
            prop_assert!(wait >= full / 2 && wait < full);
        }
    }

    #[test]
    fn clients_do_not_come_back_in_step() {
        let waits: std::collections::BTreeSet<_> = (0..100).map(|seed| backoff(3, seed)).collect();
        assert!(waits.len() > 95);
    }
}
