//! Changes of the owner's file from outside: checked as a whole before anything is written, and kept so that they can be
//! taken back.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tracing::{info, warn};

use super::OverridesFile;
use super::history::{Change, History};
use super::write::replace;
use crate::clock::Clock;
use crate::daemon::home_lane::HomeLane;
use crate::door::http::EditError;
use crate::home::{Edit, MAX_OVERRIDES_BYTES, Overrides, Registry};
use crate::service::NameBook;

/// What is said of a change that was made without us.
const BY_HAND: &str = "by hand";

/// The owner's file, for those who change it by the daemon.
#[derive(Debug)]
pub(in crate::daemon) struct Owner {
    file: Arc<OverridesFile>,
    lane: Arc<HomeLane>,
    registry: Arc<Registry>,
    history: History,
    clock: Clock,
    /// The text as we saw it last; held while it is changed.
    seen: Mutex<Option<String>>,
}

impl Owner {
    /// Changes come to be by `lane`.
    pub(in crate::daemon) fn new(
        file: Arc<OverridesFile>,
        lane: Arc<HomeLane>,
        registry: Arc<Registry>,
        state_dir: &Path,
        clock: Clock,
    ) -> Self {
        let seen = Mutex::new(read(file.path()).ok());
        Self { file, lane, registry, history: History::new(state_dir), clock, seen }
    }

    /// The file and its history, the newest change first.
    pub(in crate::daemon) fn shown(&self, at: impl Fn(u64) -> String) -> Result<Value, EditError> {
        let text = self.noticed(&mut self.seen())?;
        let (devices, problem) = match Overrides::read(&text) {
            Ok(said) => (said.shown(), None),
            Err(problem) => (json!({}), Some(problem)),
        };
        let history = self.history.changes().into_iter().rev().map(|(_, change)| {
            json!({"revision": change.revision, "at": at(change.at), "who": change.who, "what": change.what})
        });
        let undo = self.history.last().is_some();
        Ok(json!({
            "revision": revision(&text), "devices": devices, "problem": problem, "undo": undo,
            "history": history.collect::<Vec<_>>(),
        }))
    }

    /// Changes what is said of one device.
    pub(in crate::daemon) fn edit(&self, base: &str, edit: &Edit, who: &str) -> Result<(), EditError> {
        let mut seen = self.seen();
        let before = self.noticed(&mut seen)?;
        ours(base, &before)?;
        let after = edit.apply(&before).map_err(EditError::Refused)?;
        let plain = self.registry.plain().map_err(|error| EditError::Refused(error.to_string()))?;
        let is_named = |said: &Overrides| !said.fields(&edit.device).is_empty();
        // What is said of a device that is gone may still be taken back.
        if plain.home.device(&edit.device).is_none() && Overrides::read(&after).is_ok_and(|said| is_named(&said)) {
            return Err(EditError::Refused("there is no such device now".into()));
        }
        let change = self.change(&after, who, edit.what(), None);
        self.put(&mut seen, &before, after, &change)
    }

    /// Gives a device one more name.
    pub(in crate::daemon) fn call(&self, device: &str, name: &str, who: &str) -> Result<(), EditError> {
        let base = revision(&self.noticed(&mut self.seen())?);
        let home = Arc::clone(&self.registry.snapshot().home);
        let known = home.device(device).map(|(_, device)| &device.aliases);
        let known = known.ok_or_else(|| EditError::Refused("there is no such device now".into()))?;
        // The file's names stand in place of those that the hub knows.
        let names: Vec<&str> = known.iter().map(String::as_str).chain([name]).collect();
        let edit = Edit::read(&json!({"device": device, "set": {"aliases": names}})).map_err(EditError::Refused)?;
        self.edit(&base, &edit, who)
    }

    /// Makes the file what it was before its last change that was not taken back yet.
    pub(in crate::daemon) fn undo(&self, base: &str, who: &str) -> Result<(), EditError> {
        let mut seen = self.seen();
        let before = self.noticed(&mut seen)?;
        ours(base, &before)?;
        let (number, undone, after) =
            self.history.last().ok_or_else(|| EditError::Refused("there is nothing to take back".into()))?;
        let change = self.change(&after, who, format!("undo {}", undone.what), Some(number));
        self.put(&mut seen, &before, after, &change)
    }

    fn change(&self, after: &str, who: &str, what: String, undid: Option<u64>) -> Change {
        Change { revision: revision(after), at: self.clock.wall_ms(), who: who.to_owned(), what, undid }
    }

    /// Writes the file, once it is sure that the home will take it.
    fn put(&self, seen: &mut Option<String>, before: &str, after: String, change: &Change) -> Result<(), EditError> {
        if after == before && change.undid.is_none() {
            return Ok(());
        }
        let said = Overrides::read(&after).map_err(EditError::Refused)?;
        self.registry.would_take(&said).map_err(|error| EditError::Refused(error.to_string()))?;
        let unwritable = |error: io::Error| {
            warn!(%error, path = %self.file.path().display(), "the owner's file cannot be written");
            EditError::Unwritable(error.to_string())
        };
        let number = self.history.push(change, before).map_err(unwritable)?;
        if let Err(error) = replace(self.file.path(), &after) {
            self.history.forget(number);
            return Err(unwritable(error));
        }
        *seen = Some(after);
        self.lane.retake();
        if self.registry.overrides() != said {
            // The store did not take the new home: then the file does not say so either.
            replace(self.file.path(), before).map_err(unwritable)?;
            *seen = Some(before.to_owned());
            self.history.forget(number);
            self.lane.retake();
            return Err(EditError::Unwritable("the new home cannot be kept".into()));
        }
        info!(who = change.who, what = change.what, "the owner's file is changed");
        Ok(())
    }

    /// The text as it is now; what somebody changed without us is a change like any other.
    fn noticed(&self, seen: &mut Option<String>) -> Result<String, EditError> {
        let text = read(self.file.path()).map_err(|error| EditError::Unwritable(error.to_string()))?;
        if let Some(former) = seen.as_ref().filter(|former| **former != text) {
            let change = self.change(&text, "", BY_HAND.to_owned(), None);
            if let Err(error) = self.history.push(&change, former) {
                warn!(%error, "what the owner's file was before it was changed by hand is not kept");
            }
            self.lane.retake();
        }
        *seen = Some(text.clone());
        Ok(text)
    }

    fn seen(&self) -> MutexGuard<'_, Option<String>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The text of the file; one that is not there is empty.
fn read(path: &Path) -> io::Result<String> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Ok(found) if found.len() > MAX_OVERRIDES_BYTES => {
            return Err(io::Error::other(format!("the file is larger than {MAX_OVERRIDES_BYTES} bytes")));
        }
        other => other?,
    };
    std::fs::read_to_string(path)
}

impl NameBook for Owner {
    fn call(&self, device: &str, name: &str, who: &str) -> Result<(), String> {
        Self::call(self, device, name, who).map_err(|error| error.to_string())
    }
}

/// What a text is known by.
fn revision(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn ours(base: &str, text: &str) -> Result<(), EditError> {
    let revision = revision(text);
    if base == revision { Ok(()) } else { Err(EditError::Conflict { revision }) }
}

#[cfg(test)]
mod tests;
