//! Vectors in the daemon's database.

use std::sync::Arc;

use tracing::warn;

use crate::embedding::cache::VectorStore;
use crate::store::Store;

/// The database as a place for vectors.
#[derive(Debug)]
pub struct StoredVectors(pub Arc<Store>);

impl VectorStore for StoredVectors {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.0.vector(key).unwrap_or_else(|error| {
            warn!(%error, "a vector cannot be read");
            None
        })
    }

    fn put(&self, key: &[u8], value: &[u8]) {
        if let Err(error) = self.0.put_vector(key, value) {
            warn!(%error, "a vector is not kept");
        }
    }
}
