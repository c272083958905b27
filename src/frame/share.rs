//! Room that askers share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Origin;

/// Room for so much, of which nobody takes more than is left for others: one that is alone gets about half of it, the next
/// one half of the rest.
#[derive(Debug)]
pub struct Shares {
    all: usize,
    // Not held across an await.
    taken: Mutex<HashMap<Origin, usize>>,
}

/// A part of the room, for as long as it is kept.
#[derive(Debug)]
pub struct Share {
    shares: Arc<Shares>,
    asker: Origin,
    many: usize,
}

impl Shares {
    /// Room for so much.
    pub fn of(all: usize) -> Arc<Self> {
        Arc::new(Self { all, taken: Mutex::default() })
    }

    /// So much of the room; `None` when its asker would have more than there was left.
    pub fn take(self: &Arc<Self>, asker: &Origin, many: usize) -> Option<Share> {
        let mut taken = self.taken();
        let left = self.all.saturating_sub(taken.values().sum());
        let own = taken.get(asker).copied().unwrap_or_default() + many;
        (own <= left).then(|| {
            taken.insert(asker.clone(), own);
            Share { shares: Arc::clone(self), asker: asker.clone(), many }
        })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<Origin, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.shares.taken();
        if let Some(own) = taken.get_mut(&self.asker) {
            *own -= self.many;
            if *own == 0 {
                taken.remove(&self.asker);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_one_asker_takes_some_is_left_for_the_next() {
        let shares = Shares::of(8);
        let take =
            |name: &str| -> Vec<Share> { (0..9).filter_map(|_| shares.take(&Origin::satellite(name), 1)).collect() };
        let (first, second, third) = (take("a"), take("b"), take("c"));
        assert_eq!((first.len(), second.len(), third.len()), (4, 2, 1));
        drop((first, second));
        assert_eq!(take("c").len(), 3, "with the one that it has");
        drop(third);
        assert!(shares.taken().is_empty());
        assert!(shares.take(&Origin::request(), 8).is_some(), "what is as large as the room fits into it");
        assert!(shares.take(&Origin::request(), 9).is_none());
    }
}
