//! Vectors of texts: a cache beside the rows that count. It is bounded, no sentinel misses it, and nothing waits for it to
//! reach the disk: sled's own flusher and the next commit take it along.

use std::sync::atomic::Ordering;

use super::{MAX_ROW_BYTES, Store, StoreError};

/// Most vectors. A home of 107 devices has about 700; when there are more than this, the cache starts anew.
pub const MAX_VECTORS: usize = 8_192;

impl Store {
    /// The vector of a key.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn vector(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|database| {
            let bytes = database.vectors.get(key).map_err(database.failed("read"))?;
            Ok(bytes.map(|bytes| bytes.to_vec()))
        })
    }

    /// Keeps a vector. It may be lost, also when this has returned.
    ///
    /// # Errors
    /// When it is larger than [`MAX_ROW_BYTES`], or the disk refuses.
    pub fn put_vector(&self, key: &[u8], vector: &[u8]) -> Result<(), StoreError> {
        let size = key.len() + vector.len();
        if size > MAX_ROW_BYTES {
            return Err(StoreError::TooLarge { what: "a vector", bytes: size, limit: MAX_ROW_BYTES });
        }
        self.write(|database| {
            if database.vector_count.load(Ordering::Relaxed) >= MAX_VECTORS {
                database.vectors.clear().map_err(database.failed("remove"))?;
                database.vector_count.store(0, Ordering::Relaxed);
            }
            let before = database.vectors.insert(key, vector).map_err(database.failed("write"))?;
            database.vector_count.fetch_add(usize::from(before.is_none()), Ordering::Relaxed);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_kept_over_a_restart_and_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let key = |n: usize| n.to_be_bytes();
        {
            let (store, _) = Store::open(dir.path()).unwrap();
            for n in 0..MAX_VECTORS {
                store.put_vector(&key(n), &[1, 2, 3]).unwrap();
            }
        }
        let (store, report) = Store::open(dir.path()).unwrap();
        assert_eq!(report.lost, None);
        assert_eq!(store.vector(&key(7)).unwrap(), Some(vec![1, 2, 3]));
        store.put_vector(&key(MAX_VECTORS), &[4]).unwrap();
        assert_eq!(store.vector(&key(7)).unwrap(), None);
        assert_eq!(store.vector(&key(MAX_VECTORS)).unwrap(), Some(vec![4]));
        assert!(store.put_vector(&key(0), &[0; MAX_ROW_BYTES]).is_err());
    }
}
