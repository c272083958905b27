//! Says the same thing once a minute, however often it happens.

use std::collections::HashMap;
use std::time::{Duration, Instant};

const PERIOD: Duration = Duration::from_secs(60);

/// Keys remembered; whoever can choose the key must not fill the memory.
const MAX_KEYS: usize = 256;

/// Decides what is logged, key by key.
#[derive(Debug, Default)]
pub struct Throttle {
    seen: HashMap<String, Seen>,
}

#[derive(Debug)]
struct Seen {
    since: Instant,
    suppressed: u64,
}

impl Throttle {
    /// Whether to speak about `key` now: the number of times it was kept silent about since it was last spoken of, or
    /// `None` to keep silent.
    pub fn pass(&mut self, key: &str, now: Instant) -> Option<u64> {
        if let Some(seen) = self.seen.get_mut(key) {
            if now.saturating_duration_since(seen.since) < PERIOD {
                seen.suppressed += 1;
                return None;
            }
            let suppressed = seen.suppressed;
            *seen = Seen { since: now, suppressed: 0 };
            return Some(suppressed);
        }
        if self.seen.len() >= MAX_KEYS {
            self.seen.retain(|_, seen| now.saturating_duration_since(seen.since) < PERIOD);
        }
        if self.seen.len() >= MAX_KEYS {
            return None;
        }
        self.seen.insert(key.to_owned(), Seen { since: now, suppressed: 0 });
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_key_passes_once_a_minute_and_tells_what_was_kept_silent() {
        let (mut throttle, start) = (Throttle::default(), Instant::now());
        assert_eq!(throttle.pass("a", start), Some(0));
        assert_eq!(throttle.pass("a", start), None);
        assert_eq!(throttle.pass("a", start + PERIOD / 2), None);
        assert_eq!(throttle.pass("b", start), Some(0));
        assert_eq!(throttle.pass("a", start + PERIOD), Some(2));
    }

    #[test]
    fn a_flood_of_keys_is_bounded() {
        let (mut throttle, start) = (Throttle::default(), Instant::now());
        for key in 0..10_000 {
            throttle.pass(&key.to_string(), start);
        }
        assert_eq!(throttle.seen.len(), MAX_KEYS);
        assert_eq!(throttle.pass("later", start + PERIOD), Some(0));
    }
}
