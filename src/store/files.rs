//! The small files beside the database: a sentinel that tells when it lost something, and the last home as a copy.
//!
//! sled opens an empty database without a word when its snapshot file is gone. The sentinel remembers what must be
//! there at least; the copy brings the home back when it is not.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::StoreError;

/// What the database held when this was written; it never holds less.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sentinel {
    /// The layout of the database.
    pub(super) schema: u64,
    /// The database's own name, so that an empty or foreign one is told from it.
    pub(super) database: String,
    /// The registry revision.
    pub(super) revision: u64,
    /// How many commits it has seen.
    pub(super) commits: u64,
}

impl Sentinel {
    pub(super) const FILE: &'static str = "sentinel.json";
}

/// A copy of the last home document that was stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Copy {
    /// Its registry revision.
    pub(super) revision: u64,
    /// Its text.
    pub(super) document: String,
}

impl Copy {
    pub(super) const FILE: &'static str = "registry.json";
}

/// The home document that a store keeps a copy of, also while a daemon holds the store.
///
/// # Errors
/// When the copy cannot be read or is damaged.
pub fn read_home(dir: &Path) -> Result<Option<String>, StoreError> {
    Ok(read::<Copy>(&dir.join(Copy::FILE))?.map(|copy| copy.document))
}

/// How hubs are, as a daemon leaves it for readers beside it.
const HUBS: &str = "hubs.json";

/// Leaves for readers beside the daemon how hubs are. It is told again at the next start: nothing waits for the disk.
///
/// # Errors
/// When the file cannot be written.
pub fn write_hubs(dir: &Path, shown: &Value) -> io::Result<()> {
    let draft = dir.join(format!("{HUBS}.draft"));
    fs::write(&draft, shown.to_string())?;
    fs::rename(draft, dir.join(HUBS))
}

/// How hubs are, as the daemon told last; `None` if it never did.
///
/// # Errors
/// When the file cannot be read or is damaged.
pub fn read_hubs(dir: &Path) -> Result<Option<Value>, StoreError> {
    read(&dir.join(HUBS))
}

/// Reads one of the files; `Ok(None)` when it is not there, an `InvalidData` error when it is damaged.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StoreError> {
    let bytes = match fs::read(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(StoreError::io(path, "read"))?,
    };
    let content = serde_json::from_slice(&bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e));
    content.map(Some).map_err(StoreError::io(path, "understand"))
}

/// Replaces one of the files as a whole: after a power cut it is the old one or the new one.
pub(super) fn write<T: Serialize>(path: &Path, content: &T) -> Result<(), StoreError> {
    let bytes = serde_json::to_vec(content).map_err(|e| StoreError::io(path, "encode")(io::Error::from(e)))?;
    let draft = path.with_extension("tmp");
    let written = File::create(&draft).and_then(|mut file| {
        file.write_all(&bytes)?;
        file.sync_all()
    });
    written.map_err(StoreError::io(&draft, "write"))?;
    fs::rename(&draft, path).map_err(StoreError::io(path, "replace"))?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes the names in a folder durable.
pub(super) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(StoreError::io(path, "sync"))
}
