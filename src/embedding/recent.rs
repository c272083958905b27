//! The vectors of the phrases heard last.

use std::collections::HashMap;
use std::sync::Arc;

use super::Kind;

/// Longer texts are not kept: nobody says them twice.
const LONGEST: usize = 256;

/// A map that forgets what was not asked for longest.
#[derive(Debug)]
pub(super) struct Recent {
    capacity: usize,
    clock: u64,
    vectors: HashMap<(Kind, Box<str>), Kept>,
}

#[derive(Debug)]
struct Kept {
    used: u64,
    vector: Arc<[f32]>,
}

impl Recent {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, clock: 0, vectors: HashMap::with_capacity(capacity) }
    }

    pub(super) fn get(&mut self, kind: Kind, text: &str) -> Option<Arc<[f32]>> {
        if text.len() > LONGEST {
            return None;
        }
        self.clock += 1;
        let kept = self.vectors.get_mut(&(kind, text.into()))?;
        kept.used = self.clock;
        Some(kept.vector.clone())
    }

    pub(super) fn put(&mut self, kind: Kind, text: &str, vector: Arc<[f32]>) {
        if text.len() > LONGEST {
            return;
        }
        if self.vectors.len() >= self.capacity {
            // Among a few hundred, looking for the oldest costs less than keeping them in order.
            let oldest = self.vectors.iter().min_by_key(|(_, kept)| kept.used).map(|(key, _)| key.clone());
            oldest.and_then(|key| self.vectors.remove(&key));
        }
        self.clock += 1;
        self.vectors.insert((kind, text.into()), Kept { used: self.clock, vector });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_for_longest_goes_first() {
        let mut recent = Recent::new(2);
        let vector: Arc<[f32]> = Arc::from([1.0]);
        recent.put(Kind::Query, "a", vector.clone());
        recent.put(Kind::Query, "b", vector.clone());
        assert!(recent.get(Kind::Query, "a").is_some());
        recent.put(Kind::Query, "c", vector);
        assert!(recent.get(Kind::Query, "a").is_some());
        assert!(recent.get(Kind::Query, "b").is_none());
        assert!(recent.get(Kind::Passage, "c").is_none());
    }
}
