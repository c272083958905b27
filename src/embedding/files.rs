//! The files of a model folder, read within limits and checked against the manifest.
//!
//! A manifest is optional: the shipped model has one, a folder that the owner points the configuration at need not.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::ModelError;

/// The newest manifest format this program reads.
pub const MANIFEST_FORMAT: u32 = 1;

const MANIFEST: &str = "manifest.json";
const CONFIG: &str = "config.json";
const TOKENIZER: &str = "tokenizer.json";
const SAFETENSORS: &str = "model.safetensors";

const MANIFEST_LIMIT: u64 = 64 << 10;
const CONFIG_LIMIT: u64 = 64 << 10;
/// A Unigram vocabulary of 250,000 pieces takes 17 MB.
const TOKENIZER_LIMIT: u64 = 64 << 20;
/// Several times the largest encoder that answers in time on a gateway.
const WEIGHTS_LIMIT: u64 = 512 << 20;

/// The manifest of a shipped model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    /// Changes when a program that reads the older format would misread this one.
    format: u32,
    /// For people.
    #[allow(dead_code, reason = "read by people and by the release scripts")]
    name: String,
    /// For people; the checksums are what identifies a model.
    #[allow(dead_code, reason = "read by people and by the release scripts")]
    version: String,
    /// What the configuration must say.
    pub(super) dimensions: ManifestDimensions,
    files: BTreeMap<String, ManifestFile>,
}

/// The dimensions a manifest promises.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ManifestDimensions {
    pub(super) vocabulary: usize,
    pub(super) positions: usize,
    pub(super) hidden: usize,
    pub(super) layers: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestFile {
    bytes: u64,
    sha256: String,
}

/// One file in memory.
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
}

/// The files of one model.
pub(super) struct Files {
    pub(super) manifest: Option<(PathBuf, Manifest)>,
    pub(super) config: File,
    pub(super) tokenizer: File,
    pub(super) weights: File,
    /// SHA-256 over all three: whatever changes a vector changes this.
    pub(super) checksum: [u8; 32],
}

impl Files {
    /// Reads the folder `dir`.
    ///
    /// # Errors
    /// A file is missing, too large, or not what the manifest says.
    pub(super) fn read(dir: &Path) -> Result<Self, ModelError> {
        let manifest = read_manifest(&dir.join(MANIFEST))?;
        let weights = weights_path(dir)?;
        let mut all = Sha256::new();
        let mut read = |path: PathBuf, limit| -> Result<File, ModelError> {
            let bytes = read_limited(&path, limit)?;
            let digest = Sha256::digest(&bytes);
            if let Some((manifest_path, manifest)) = &manifest {
                manifest.check(manifest_path, &path, &bytes, &hex(&digest))?;
            }
            all.update(digest);
            Ok(File { path, bytes })
        };
        let config = read(dir.join(CONFIG), CONFIG_LIMIT)?;
        let tokenizer = read(dir.join(TOKENIZER), TOKENIZER_LIMIT)?;
        let weights = read(weights, WEIGHTS_LIMIT)?;
        Ok(Self { manifest, config, tokenizer, weights, checksum: all.finalize().into() })
    }
}

impl Manifest {
    fn check(&self, manifest: &Path, path: &Path, bytes: &[u8], sha256: &str) -> Result<(), ModelError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(entry) = self.files.get(name.as_ref()) else {
            return Err(ModelError::malformed(manifest, format!("no entry for {name}")));
        };
        if entry.bytes == bytes.len() as u64 && entry.sha256.eq_ignore_ascii_case(sha256) {
            return Ok(());
        }
        Err(ModelError::Checksum {
            path: path.to_owned(),
            found: format!("{} bytes, sha256 {sha256}", bytes.len()),
            expected: format!("{} bytes, sha256 {}", entry.bytes, entry.sha256),
        })
    }
}

fn read_manifest(path: &Path) -> Result<Option<(PathBuf, Manifest)>, ModelError> {
    let bytes = match read_limited(path, MANIFEST_LIMIT) {
        Ok(bytes) => bytes,
        Err(ModelError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    /// Read first: a newer format may have fields that this program cannot know.
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let Format { format } = serde_json::from_slice(&bytes).map_err(|e| ModelError::malformed(path, e))?;
    if format > MANIFEST_FORMAT {
        return Err(ModelError::Newer { path: path.to_owned(), found: format, known: MANIFEST_FORMAT });
    }
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|e| ModelError::malformed(path, e))?;
    if manifest.format == 0 {
        return Err(ModelError::malformed(path, "format 0 does not exist"));
    }
    Ok(Some((path.to_owned(), manifest)))
}

/// `model.safetensors` if it is there, else the only `*.gguf`.
fn weights_path(dir: &Path) -> Result<PathBuf, ModelError> {
    let safetensors = dir.join(SAFETENSORS);
    if safetensors.exists() {
        return Ok(safetensors);
    }
    let entries = fs::read_dir(dir).map_err(|source| ModelError::Io { path: dir.to_owned(), source })?;
    let mut ggufs =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "gguf"));
    match (ggufs.next(), ggufs.next()) {
        (Some(path), None) => Ok(path),
        _ => Err(ModelError::NoWeights { path: dir.to_owned() }),
    }
}

fn read_limited(path: &Path, limit: u64) -> Result<Vec<u8>, ModelError> {
    let io = |source| ModelError::Io { path: path.to_owned(), source };
    let file = fs::File::open(path).map_err(io)?;
    let bytes = file.metadata().map_err(io)?.len();
    if bytes > limit {
        return Err(ModelError::TooLarge { path: path.to_owned(), bytes, limit });
    }
    let mut content = Vec::with_capacity(bytes as usize);
    // The limit holds even if the path is a device or grows while it is read.
    file.take(limit + 1).read_to_end(&mut content).map_err(io)?;
    if content.len() as u64 > limit {
        return Err(ModelError::TooLarge { path: path.to_owned(), bytes: content.len() as u64, limit });
    }
    Ok(content)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
