//! Says the same thing once a minute, however often it happens.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::{Duration, Instant};

const PERIOD: Duration = Duration::from_secs(60);

/// Keys remembered of a class; whoever can choose the key must not fill the memory.
const MAX_KEYS: usize = 256;

/// Decides what is logged, class by class and key by key.
#[derive(Debug, Default)]
pub struct Throttle {
    seen: HashMap<&'static str, HashMap<String, Seen>>,
}

#[derive(Debug)]
struct Seen {
    since: Instant,
    suppressed: u64,
}

impl Throttle {
    /// Whether to speak of something now: the number of times it was kept silent about since it was last spoken of, or
    /// `None` to keep silent.
    pub fn pass(&mut self, class: &'static str, now: Instant) -> Option<u64> {
        self.pass_of(class, "", now)
    }

    /// The same for each `key` of a class. Those for which there is no room are one: whoever chooses many keys silences
    /// neither another class nor this one.
    pub fn pass_of(&mut self, class: &'static str, key: &str, now: Instant) -> Option<u64> {
        let seen = self.seen.entry(class).or_default();
        let is_over = |seen: &Seen| now.saturating_duration_since(seen.since) >= PERIOD;
        if !seen.contains_key(key) && seen.len() >= MAX_KEYS - 1 {
            seen.retain(|key, seen| key.is_empty() || !is_over(seen));
        }
        let room = seen.contains_key(key) || seen.len() < MAX_KEYS - 1;
        match seen.entry(if room { key } else { "" }.to_owned()) {
            Entry::Vacant(new) => {
                new.insert(Seen { since: now, suppressed: 0 });
                Some(0)
            }
            Entry::Occupied(known) if !is_over(known.get()) => {
                known.into_mut().suppressed += 1;
                None
            }
            Entry::Occupied(mut known) => Some(known.insert(Seen { since: now, suppressed: 0 }).suppressed),
        }
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
    fn a_flood_of_keys_is_bounded_and_silences_nothing_else() {
        let (mut throttle, start) = (Throttle::default(), Instant::now());
        throttle.pass_of("client", "known", start);
        let spoken = (0..10_000).filter(|key| throttle.pass_of("client", &key.to_string(), start).is_some()).count();
        assert_eq!((throttle.seen["client"].len(), spoken), (MAX_KEYS, MAX_KEYS - 1));
        assert_eq!(throttle.pass_of("topic", "other", start), Some(0));
        let later = start + PERIOD;
        let mut others = throttle.pass_of("client", "0", later).unwrap();
        for key in 10_000..10_400 {
            others += throttle.pass_of("client", &key.to_string(), later).unwrap_or_default();
        }
        assert_eq!(others, 10_000 - (MAX_KEYS as u64 - 1), "of those that had no room the number is told");
        assert_eq!(throttle.pass_of("client", "later", later + PERIOD), Some(0));
    }
}
