//! Counts what was asked for, in memory and in the store.

use std::sync::{Arc, PoisonError};

use super::parts::Parts;
use super::{Registry, Snapshot};
use crate::home::{MAX_ALL_DEVICES, Usage};
use crate::store::{Store, StoreError};

impl Registry {
    /// Counts that these devices were asked for and told to move. It is safe after the store's next commit.
    pub fn used(&self, ids: &[&str], wall_ms: u64) {
        // Held until the store has it, so that no older count is written over a newer one.
        let _turn = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        let (rows, gone) = {
            let _heard = self.heard();
            let current = self.current.load_full();
            let mut usage = Usage::clone(&current.usage);
            let there = ids.iter().filter(|id| current.home.device(id).is_some());
            let rows: Vec<_> = there.map(|id| (*id, usage.count(id, wall_ms))).collect();
            if rows.is_empty() {
                return;
            }
            let gone = usage.trim(MAX_ALL_DEVICES);
            // Nothing of the home is another: who waits for that is told nothing.
            self.current.store(Arc::new(Snapshot { usage: Arc::new(usage), ..(*current).clone() }));
            (rows, gone)
        };
        let Some(store) = &self.store else { return };
        for (id, uses) in rows {
            if let Err(error) = store.put_uses(id, uses.times, uses.last_ms) {
                tracing::warn!(%error, device = id, "that a device was used is not kept");
            }
        }
        forget(store, &gone);
    }

    /// Lets go of devices that are in none of the home's parts. While a part is set aside, its devices may come again.
    pub(super) fn forget_unused(&self, parts: &Parts) {
        if !parts.is_complete() {
            return;
        }
        let _turn = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = {
            let _heard = self.heard();
            let current = self.current.load_full();
            let mut usage = Usage::clone(&current.usage);
            let gone = usage.keep_to(&current.home);
            if !gone.is_empty() {
                self.current.store(Arc::new(Snapshot { usage: Arc::new(usage), ..(*current).clone() }));
            }
            gone
        };
        self.store.iter().for_each(|store| forget(store, &gone));
    }
}

/// What the store has counted. Rows that are none are dropped and named.
pub(super) fn counted(store: &Store) -> Result<Usage, StoreError> {
    let (rows, broken) = store.uses()?;
    for key in broken {
        let device = String::from_utf8_lossy(&key);
        tracing::warn!(
            device = crate::text::displayable(&device, 128),
            "how often a device was used does not read, and is forgotten"
        );
        if let Err(error) = store.delete_uses(&key) {
            tracing::warn!(%error, "it is still in the store");
        }
    }
    let rows = rows.into_iter().map(|(id, times, last_ms)| (id, crate::home::Uses { times, last_ms }));
    let (usage, over) = Usage::of(rows);
    forget(store, &over);
    Ok(usage)
}

fn forget(store: &Store, ids: &[Arc<str>]) {
    for id in ids {
        if let Err(error) = store.delete_uses(id.as_bytes()) {
            tracing::warn!(%error, device = &**id, "how often a device was used that is gone could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clock::Clock;
    use crate::home::Uses;

    fn document(ids: &[&str]) -> String {
        let device = |id: &&str| json!({"id": id, "name": "台灯", "device": {"model": "m"}});
        let devices: Vec<_> = ids.iter().map(device).collect();
        json!({"model": {"m": {"property": {"power": {"type": "bool"}}}}, "devices": devices}).to_string()
    }

    fn open(folder: &tempfile::TempDir) -> (Arc<Store>, Registry) {
        let store = Arc::new(Store::open(folder.path()).unwrap().0);
        (Arc::clone(&store), Registry::open(store, Clock::by_hand("boot", 0, 0)).unwrap())
    }

    fn times(registry: &Registry, ids: &[&str]) -> Vec<u64> {
        ids.iter().map(|id| registry.snapshot().usage.uses(id).times).collect()
    }

    #[test]
    fn counts_outlive_a_restart_and_go_with_their_devices() {
        let folder = tempfile::tempdir().unwrap();
        {
            let (_, registry) = open(&folder);
            registry.replace(&document(&["a", "b"])).unwrap();
            let changes = registry.changes();
            registry.used(&["a", "b", "gone"], 5);
            registry.used(&["a"], 9);
            assert!(!changes.has_changed().unwrap(), "the home is as it was");
        }
        let (store, registry) = open(&folder);
        assert_eq!(registry.snapshot().usage.uses("a"), Uses { times: 2, last_ms: 9 });
        assert_eq!(times(&registry, &["a", "b", "gone"]), [2, 1, 0]);
        registry.replace(&document(&["a", "c"])).unwrap();
        assert_eq!(store.uses().unwrap(), (vec![("a".to_owned(), 2, 9)], vec![]));
        registry.replace(&document(&["a", "b"])).unwrap();
        assert_eq!(times(&registry, &["a", "b"]), [2, 0]);
    }

    #[test]
    fn counts_that_do_not_read_are_dropped_and_the_others_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        {
            let (store, registry) = open(&folder);
            registry.replace(&document(&["a", "b"])).unwrap();
            registry.used(&["a"], 5);
            // A count of nothing, and of a device that no part of the home has.
            store.put_uses("b", 0, 5).unwrap();
            store.put_uses("x", 7, 5).unwrap();
        }
        let (store, registry) = open(&folder);
        assert_eq!(times(&registry, &["a", "b", "x"]), [1, 0, 0]);
        assert_eq!(store.uses().unwrap(), (vec![("a".to_owned(), 1, 5)], vec![]));
    }
}
