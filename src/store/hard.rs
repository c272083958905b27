//! Sentences that were hard to understand, with what language models made of them: kept to improve the grammar, if the
//! owner wants that. No sentinel misses them, and nothing waits for them to reach the disk.

use super::database::decode;
use super::{MAX_ROW_BYTES, Store, StoreError};

impl Store {
    /// Keeps a sentence, and of all of them the newest `keep`. It may be lost, also when this has returned.
    ///
    /// # Errors
    /// When it is larger than [`MAX_ROW_BYTES`], or the disk refuses.
    pub fn append_hard(&self, bytes: &[u8], keep: usize) -> Result<(), StoreError> {
        if bytes.len() > MAX_ROW_BYTES {
            return Err(StoreError::TooLarge { what: "a hard sentence", bytes: bytes.len(), limit: MAX_ROW_BYTES });
        }
        self.write(|database| {
            let number = |row: Option<(sled::IVec, sled::IVec)>| row.and_then(|(key, _)| decode(&key));
            let last = number(database.hard.last().map_err(database.failed("read"))?);
            let next = last.map_or(0, |last| last + 1);
            database.hard.insert(next.to_be_bytes(), bytes).map_err(database.failed("write"))?;
            while let Some(oldest) = number(database.hard.first().map_err(database.failed("read"))?)
                && next - oldest >= keep as u64
            {
                database.hard.remove(oldest.to_be_bytes()).map_err(database.failed("remove"))?;
            }
            Ok(())
        })
    }

    /// The hard sentences, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn hard(&self) -> Result<Vec<Vec<u8>>, StoreError> {
        self.read(|database| {
            let rows = database.hard.iter().values();
            rows.map(|row| Ok(row.map_err(database.failed("read"))?.to_vec())).collect()
        })
    }

    /// Forgets all hard sentences.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn clear_hard(&self) -> Result<(), StoreError> {
        self.write(|database| database.hard.clear().map_err(database.failed("remove")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept_over_a_restart_and_can_be_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        {
            let (store, _) = Store::open(dir.path()).unwrap();
            (0..10u8).for_each(|n| store.append_hard(&[n], 3).unwrap());
        }
        let (store, report) = Store::open(dir.path()).unwrap();
        assert_eq!(report.lost, None);
        assert_eq!(store.hard().unwrap(), [[7], [8], [9]]);
        store.append_hard(&[10], 3).unwrap();
        assert_eq!(store.hard().unwrap(), [[8], [9], [10]]);
        store.clear_hard().unwrap();
        assert!(store.hard().unwrap().is_empty());
        store.append_hard(&[11], 0).unwrap();
        assert!(store.hard().unwrap().is_empty());
        assert!(store.append_hard(&vec![0; MAX_ROW_BYTES + 1], 3).is_err());
    }
}
