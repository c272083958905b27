//! The owner's file: read again when it changed, its last good content kept.

mod history;
mod owner;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde_json::{Value, json};
use tracing::{info, warn};

use crate::home::{Overrides, Registry};

pub(super) use owner::Owner;

/// The name of the file, where none is configured, and of the copy of its last good content.
const FILE: &str = "overrides.yaml";
const COPY: &str = "overrides.last.yaml";

/// The file.
#[derive(Debug)]
pub(super) struct OverridesFile {
    path: PathBuf,
    copy: PathBuf,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// When it was changed last, and its bytes.
    stamp: Option<(SystemTime, u64)>,
    /// What is wrong with it.
    problem: Option<String>,
}

impl OverridesFile {
    /// The file of this path, or the one in the state folder.
    pub(super) fn new(path: Option<PathBuf>, state_dir: &Path) -> Self {
        let path = path.unwrap_or_else(|| state_dir.join(FILE));
        Self { path, copy: state_dir.join(COPY), seen: Mutex::default() }
    }

    /// What it says at the start. Nothing that the owner hid comes to light because of a mistake in the file: then what it
    /// said the last time counts.
    pub(super) fn begin(&self) -> Overrides {
        match self.read() {
            Ok(overrides) => overrides,
            Err(problem) => {
                warn!(problem, "the owner's file is not taken; what it said before counts");
                Overrides::load(&self.copy).unwrap_or_default()
            }
        }
    }

    /// Takes what it says now, if it was changed; what is wrong is named, and what it said before counts.
    pub(super) fn refresh(&self, registry: &Registry) {
        if self.seen().stamp != stamp(&self.path) {
            self.take(registry);
        }
    }

    /// Takes what it says now.
    pub(super) fn take(&self, registry: &Registry) {
        let taken = self.read().and_then(|said| registry.set_overrides(said).map_err(|error| error.to_string()));
        match taken {
            Ok(()) => info!(path = %self.path.display(), "the owner's file is taken"),
            Err(problem) => {
                warn!(problem, "the owner's file is not taken; what it said before counts");
                self.seen().problem = Some(problem);
            }
        }
    }

    /// Where it is.
    fn path(&self) -> &Path {
        &self.path
    }

    fn read(&self) -> Result<Overrides, String> {
        // Before it is read: what is written meanwhile is read the next time.
        let stamp = stamp(&self.path);
        let read = Overrides::load(&self.path).map_err(|error| error.to_string());
        let kept = match &read {
            Ok(said) if said.is_empty() => std::fs::remove_file(&self.copy).or(Ok(())),
            Ok(_) => std::fs::copy(&self.path, &self.copy).map(drop),
            Err(_) => Ok(()),
        };
        if let Err(error) = kept {
            warn!(%error, path = %self.copy.display(), "the copy of the owner's file cannot be written");
        }
        *self.seen() = Seen { stamp, problem: read.as_ref().err().cloned() };
        read
    }

    /// What there is to say about it.
    pub(super) fn shown(&self, registry: &Registry) -> Value {
        let problem = self.seen().problem.clone();
        json!({"path": self.path, "problem": problem, "remarks": registry.overridden()})
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str =
        r#"{"devices": [{"id": "a", "name": "灯", "commands": []}, {"id": "b", "name": "灯", "commands": []}]}"#;

    #[test]
    fn a_file_is_taken_when_it_changes_and_a_bad_one_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.yaml");
        let file = OverridesFile::new(Some(path.clone()), folder.path());
        let registry = Registry::default();
        registry.replace(HOME).unwrap();
        registry.set_overrides(file.begin()).unwrap();
        let devices = || registry.snapshot().home.devices.len();
        file.refresh(&registry);
        assert_eq!((devices(), registry.snapshot().revision), (2, 1));
        std::fs::write(&path, "devices: {a: {hidden: true}}").unwrap();
        file.refresh(&registry);
        assert_eq!((devices(), registry.snapshot().revision), (1, 2));
        std::fs::write(&path, "devices: {a: {hiden: true}}  ").unwrap();
        file.refresh(&registry);
        assert_eq!((devices(), registry.snapshot().revision), (1, 2));
        assert!(file.shown(&registry)["problem"].as_str().unwrap().contains("mine.yaml"));
        let again = OverridesFile::new(Some(path.clone()), folder.path());
        assert!(!again.begin().is_empty(), "what was hidden stays so over a start with a bad file");
        std::fs::remove_file(&path).unwrap();
        file.refresh(&registry);
        assert_eq!(devices(), 2);
        assert!(again.begin().is_empty(), "a file that was removed says nothing");
    }
}
