//! What was asked a moment ago, should the broker repeat it.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};

use crate::frame::Origin;

/// Requests remembered: as many as may wait for us to look at them.
const REMEMBERED: usize = 2_048;

/// Requests that were heard lately, by whose they are: whoever asks most makes room, so that nobody has others' requests
/// served twice.
#[derive(Debug, Default)]
pub(super) struct Recent {
    of: HashMap<Origin, VecDeque<u64>>,
    len: usize,
    // Nobody can choose what has the same hash.
    hashes: RandomState,
}

impl Recent {
    /// Whether this was heard of an asker.
    pub(super) fn knows(&self, asker: &Origin, heard: &str) -> bool {
        self.of.get(asker).is_some_and(|requests| requests.contains(&self.hashes.hash_one(heard)))
    }

    /// Remembers it.
    pub(super) fn note(&mut self, asker: &Origin, heard: &str) {
        let hash = self.hashes.hash_one(heard);
        self.of.entry(asker.clone()).or_default().push_back(hash);
        self.len += 1;
        if self.len <= REMEMBERED {
            return;
        }
        if let Some(most) = self.of.values_mut().max_by_key(|requests| requests.len()) {
            most.pop_front();
            self.len -= 1;
        }
        self.of.retain(|_, requests| !requests.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_one_asker_takes_nothing_from_the_memory_of_others() {
        let mut recent = Recent::default();
        let (bath, kitchen) = (Origin::satellite("bath"), Origin::satellite("kitchen"));
        (0..10).for_each(|n| recent.note(&bath, &n.to_string()));
        (0..2 * REMEMBERED).for_each(|n| recent.note(&kitchen, &n.to_string()));
        assert!((0..10).all(|n| recent.knows(&bath, &n.to_string())));
        assert!(!recent.knows(&bath, "10") && !recent.knows(&kitchen, "10"));
        assert!(recent.knows(&kitchen, &(2 * REMEMBERED - 1).to_string()));
        assert_eq!(recent.of.values().map(VecDeque::len).sum::<usize>(), REMEMBERED);
    }
}
