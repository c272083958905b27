//! Vectors that outlive the process, by model and text: an unchanged home starts without computing one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::{Encoder, Kind, NoVector};

/// Passages between two reports of progress.
const REPORT: usize = 64;

/// A place for vectors. One that fails says so in the log and has nothing.
pub trait VectorStore: Send + Sync {
    /// The value of `key`, if there is one.
    fn get(&self, key: &[u8]) -> Option<Vec<u8>>;
    /// Keeps `value` under `key`. It may be lost: it can be computed again.
    fn put(&self, key: &[u8], value: &[u8]);
}

/// A store that forgets when it is dropped.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<HashMap<Vec<u8>, Vec<u8>>>);

impl VectorStore for MemoryStore {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn put(&self, key: &[u8], value: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_vec(), value.to_vec());
    }
}

/// The key of a vector: SHA-256 over the model's checksum, the kind and the text.
pub fn key(checksum: &[u8; 32], kind: Kind, text: &str) -> [u8; 32] {
    let kind = match kind {
        Kind::Query => b'q',
        Kind::Passage => b'p',
    };
    Sha256::new().chain_update(checksum).chain_update([kind]).chain_update(text).finalize().into()
}

/// A vector as stored: its components as little-endian f32.
pub fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The vector in `bytes`, if they are one of `dimensions` components and of unit length.
pub fn from_bytes(bytes: &[u8], dimensions: usize) -> Option<Arc<[f32]>> {
    let (components, rest) = bytes.as_chunks::<4>();
    let vector: Arc<[f32]> = components.iter().map(|x| f32::from_le_bytes(*x)).collect();
    let norm = vector.iter().map(|x| x * x).sum::<f32>();
    (rest.is_empty() && vector.len() == dimensions && (norm - 1.0).abs() < 1e-3).then_some(vector)
}

/// The vectors of `texts` as passages, in their order: from `store`, or computed and stored. `progress` is told how many
/// of how many are done, every now and then while it computes.
///
/// # Errors
/// The encoder stopped, or failed on one of the texts.
pub async fn passages(
    encoder: &Encoder,
    store: &dyn VectorStore,
    texts: &[String],
    mut progress: impl FnMut(usize, usize),
) -> Result<Vec<Arc<[f32]>>, NoVector> {
    let keys: Vec<_> = texts.iter().map(|text| key(encoder.checksum(), Kind::Passage, text)).collect();
    let mut vectors: Vec<Option<Arc<[f32]>>> =
        keys.iter().map(|key| from_bytes(&store.get(key)?, encoder.dimensions())).collect();
    let missing: Vec<usize> = (0..texts.len()).filter(|i| vectors[*i].is_none()).collect();
    let mut done = texts.len() - missing.len();
    for part in missing.chunks(REPORT) {
        let part_texts: Vec<&str> = part.iter().map(|i| texts[*i].as_str()).collect();
        for (i, vector) in part.iter().zip(encoder.embed_all(Kind::Passage, &part_texts).await?) {
            store.put(&keys[*i], &to_bytes(&vector));
            vectors[*i] = Some(vector);
        }
        done += part.len();
        progress(done, texts.len());
    }
    vectors.into_iter().map(|vector| vector.ok_or(NoVector)).collect()
}
