//! What the owner's file was before each change: one file a change, that a person can read and put back by hand.
//!
//! The first line of each is a comment that tells of the change; the rest is the owner's file as it was before it.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::write::replace;
use crate::home::MAX_OVERRIDES_BYTES;

/// The folder, below the state folder.
const FOLDER: &str = "overrides.history";

/// Changes that are kept.
const MAX_KEPT: usize = 50;

/// Bytes of the first line.
const MAX_HEAD: u64 = 4 << 10;

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Change {
    /// The revision that it made.
    pub(super) revision: String,
    /// When, in milliseconds since the Unix epoch.
    pub(super) at: u64,
    /// Who; empty where nobody knows.
    pub(super) who: String,
    /// What.
    pub(super) what: String,
    /// The change that it took back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) undid: Option<u64>,
}

/// The changes.
#[derive(Debug)]
pub(super) struct History {
    folder: PathBuf,
}

impl History {
    pub(super) fn new(state_dir: &Path) -> Self {
        Self { folder: state_dir.join(FOLDER) }
    }

    /// Writes down a change and what the file was before it, and lets go of the oldest.
    pub(super) fn push(&self, change: &Change, before: &str) -> io::Result<u64> {
        fs::create_dir_all(&self.folder)?;
        let numbers = self.numbers();
        let number = numbers.last().map_or(1, |last| last + 1);
        let head = serde_json::to_string(change).map_err(io::Error::from)?;
        replace(&self.file(number), &format!("# {head}\n{before}"))?;
        let over = (numbers.len() + 1).saturating_sub(MAX_KEPT);
        // What is left over now is let go of the next time.
        numbers.iter().take(over).for_each(|old| _ = fs::remove_file(self.file(*old)));
        Ok(number)
    }

    /// Takes a change back out that did not come to be.
    pub(super) fn forget(&self, number: u64) {
        let _ = fs::remove_file(self.file(number));
    }

    /// The changes that can be read, the oldest first.
    pub(super) fn changes(&self) -> Vec<(u64, Change)> {
        let change = |number: u64| {
            let mut head = String::new();
            let file = fs::File::open(self.file(number)).ok()?;
            BufReader::new(file.take(MAX_HEAD)).read_line(&mut head).ok()?;
            Some((number, serde_json::from_str(head.strip_prefix("# ")?).ok()?))
        };
        self.numbers().into_iter().filter_map(change).collect()
    }

    /// The newest change that was not taken back yet, and what the file was before it.
    pub(super) fn last(&self) -> Option<(u64, Change, String)> {
        let changes = self.changes();
        let undone: Vec<u64> = changes.iter().filter_map(|(_, change)| change.undid).collect();
        let open = |(number, change): &&(u64, Change)| change.undid.is_none() && !undone.contains(number);
        let (number, change) = changes.iter().rev().find(open)?;
        let mut text = String::new();
        let file = fs::File::open(self.file(*number)).ok()?;
        file.take(MAX_HEAD + MAX_OVERRIDES_BYTES).read_to_string(&mut text).ok()?;
        let (_, before) = text.split_once('\n')?;
        Some((*number, change.clone(), before.to_owned()))
    }

    fn numbers(&self) -> Vec<u64> {
        let names = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let number = |name: std::ffi::OsString| name.to_str()?.strip_suffix(".yaml")?.parse::<u64>().ok();
        let mut numbers: Vec<u64> = names.filter_map(number).collect();
        numbers.sort_unstable();
        numbers
    }

    fn file(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:08}.yaml"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(what: &str, undid: Option<u64>) -> Change {
        Change { revision: "r".into(), at: 1, who: "phone".into(), what: what.into(), undid }
    }

    #[test]
    fn so_many_are_kept_and_each_is_the_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let history = History::new(folder.path());
        assert!(history.changes().is_empty() && history.last().is_none());
        for n in 0..MAX_KEPT + 9 {
            history.push(&change(&format!("n{n}\n"), None), &format!("# {n}\ndevices:\n")).unwrap();
        }
        let changes = history.changes();
        assert_eq!((changes.len(), changes[0].1.what.as_str()), (MAX_KEPT, "n9\n"));
        assert_eq!(history.last().unwrap().2, "# 58\ndevices:\n");
        std::fs::write(folder.path().join(FOLDER).join("00000055.yaml"), [0xff; 9]).unwrap();
        std::fs::write(folder.path().join(FOLDER).join("notes.txt"), "mine").unwrap();
        assert_eq!(history.changes().len(), MAX_KEPT - 1);
    }

    #[test]
    fn what_was_taken_back_is_not_taken_back_again() {
        let folder = tempfile::tempdir().unwrap();
        let history = History::new(folder.path());
        let first = history.push(&change("a", None), "0").unwrap();
        let second = history.push(&change("b", None), "1").unwrap();
        history.push(&change("undo", Some(second)), "2").unwrap();
        assert_eq!(history.last().map(|(number, _, before)| (number, before)), Some((first, "0".to_owned())));
        let third = history.push(&change("c", None), "1").unwrap();
        assert_eq!(history.last().unwrap().0, third);
        history.forget(third);
        assert_eq!(history.last().unwrap().0, first);
    }
}
