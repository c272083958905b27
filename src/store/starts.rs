//! Starts in a row that ended before the home was served: a home that ends the daemon would otherwise end it for ever.

use std::fs;
use std::io::ErrorKind;

use serde::{Deserialize, Serialize};

use super::{Store, StoreError, files, guard};

/// How many starts may end so before the home is set aside. Whoever kills a starting daemon by hand does so less often.
pub const MAX_STARTS: u32 = 8;

/// What is written down while the daemon starts.
#[derive(Serialize, Deserialize)]
struct Starting {
    /// The registry revision that it starts with.
    revision: u64,
    /// Starts with it, this one included.
    starts: u32,
}

impl Starting {
    const FILE: &str = "starting.json";
}

impl Store {
    /// Writes down that the daemon starts with the home that is stored, and returns how many starts with it in a row have
    /// not come to [`Store::started`].
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn starting(&self) -> Result<u32, StoreError> {
        let path = self.dir.join(Starting::FILE);
        let revision = guard(&self.progress).sentinel.revision;
        // A damaged one counts as none: it is written anew.
        let before: Option<Starting> = files::read(&path).ok().flatten();
        let ended = before.filter(|before| before.revision == revision).map_or(0, |before| before.starts);
        files::write(&path, &Starting { revision, starts: ended.saturating_add(1) })?;
        Ok(ended)
    }

    /// Takes note that the home that is stored is served, or may be tried once more.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn started(&self) -> Result<(), StoreError> {
        let path = self.dir.join(Starting::FILE);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::io(&path, "remove")(error)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_that_end_early_are_counted_for_each_home() {
        let dir = tempfile::tempdir().unwrap();
        let open = || Store::open(dir.path()).unwrap().0;
        open().save_registry("one").unwrap();
        for ended in 0..3 {
            assert_eq!(open().starting().unwrap(), ended);
        }
        open().save_registry("two").unwrap();
        assert_eq!(open().starting().unwrap(), 0);
        assert_eq!(open().starting().unwrap(), 1);
        open().started().unwrap();
        open().started().unwrap();
        assert_eq!(open().starting().unwrap(), 0);
        fs::write(dir.path().join(Starting::FILE), b"{").unwrap();
        assert_eq!(open().starting().unwrap(), 0);
    }
}
