//! What an owner lets the daemon learn from: sentences that were not understood, and which names were asked about. Both are
//! bounded, and nothing waits for them to reach the disk before the next commit.

use serde::{Deserialize, Serialize};
use sled::Tree;

use super::database::Database;
use super::{MAX_ROW_BYTES, Store, StoreError};

/// Names that were asked about; the one asked about longest ago goes.
const MAX_ASKED: usize = 1_000;

/// A sentence that was told to the home and not understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// What was said.
    pub sentence: String,
    /// Why nothing came of it.
    pub reason: String,
    /// The words that nothing explains.
    pub words: Vec<String>,
    /// The room it was said in last.
    pub room: Option<String>,
    /// How often.
    pub times: u64,
    /// When first and last, in milliseconds since the Unix epoch.
    pub first_ms: u64,
    /// See `first_ms`.
    pub last_ms: u64,
}

impl Store {
    /// Counts a sentence that was not understood, and keeps the `keep` that were said last. It may be lost until the next
    /// commit.
    ///
    /// # Errors
    /// When it is larger than [`MAX_ROW_BYTES`], or the disk refuses.
    pub fn note_refused(&self, mut refused: Refused, keep: usize) -> Result<(), StoreError> {
        let before = self.read(|database| database.refused.get(&refused.sentence).map_err(database.failed("read")))?;
        if let Some(before) = before.and_then(|row| serde_json::from_slice::<Refused>(&row).ok()) {
            refused.times = refused.times.saturating_add(before.times);
            refused.first_ms = before.first_ms.min(refused.first_ms);
        }
        let row = serde_json::to_vec(&refused).unwrap_or_default();
        let bytes = refused.sentence.len() + row.len();
        if bytes > MAX_ROW_BYTES {
            return Err(StoreError::TooLarge { what: "a refused sentence", bytes, limit: MAX_ROW_BYTES });
        }
        self.write(|database| {
            database.refused.insert(&refused.sentence, row).map_err(database.failed("write"))?;
            let last = |row: &[u8]| serde_json::from_slice::<Refused>(row).map_or(0, |refused| refused.last_ms);
            trim(database, &database.refused, keep, last)
        })
    }

    /// The sentences that were not understood, the most frequent first, of those the latest.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn refused(&self) -> Result<Vec<Refused>, StoreError> {
        let mut all: Vec<Refused> = self.read(|database| {
            let rows = database.refused.iter().values();
            let read =
                |row: sled::Result<sled::IVec>| Ok(serde_json::from_slice(&row.map_err(database.failed("read"))?).ok());
            rows.filter_map(|row| read(row).transpose()).collect()
        })?;
        all.sort_by_key(|b| std::cmp::Reverse((b.times, b.last_ms)));
        Ok(all)
    }

    /// Forgets the sentences that were not understood for this name alone: now it is known.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn forget_refused_for(&self, name: &str) -> Result<(), StoreError> {
        let explained = |refused: &Refused| refused.sentence.contains(name);
        let gone: Vec<Refused> = self.refused()?.into_iter().filter(explained).collect();
        self.write(|database| {
            let remove = |refused: &Refused| database.refused.remove(refused.sentence.as_bytes()).map(drop);
            gone.iter().try_for_each(remove).map_err(database.failed("remove"))
        })
    }

    /// Forgets all sentences that were not understood.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn clear_refused(&self) -> Result<(), StoreError> {
        self.write(|database| database.refused.clear().map_err(database.failed("remove")))
    }

    /// Writes down that it was asked whether a device is called so; `false` when that was asked before.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn ask_once(&self, name: &str, device: &str, now_ms: u64) -> Result<bool, StoreError> {
        let key = format!("{name}\0{device}");
        let asked = self.read(|database| database.asked.contains_key(&key).map_err(database.failed("read")))?;
        if asked {
            return Ok(false);
        }
        self.write(|database| {
            database.asked.insert(&key, &now_ms.to_be_bytes()).map_err(database.failed("write"))?;
            let when = |row: &[u8]| super::database::decode(row).unwrap_or(0);
            trim(database, &database.asked, MAX_ASKED, when)
        })?;
        Ok(true)
    }
}

/// Lets go of the oldest rows while there are more than `keep`.
fn trim(database: &Database, tree: &Tree, keep: usize, when: impl Fn(&[u8]) -> u64) -> Result<(), StoreError> {
    let over = tree.len().saturating_sub(keep);
    if over == 0 {
        return Ok(());
    }
    let rows = tree.iter().map(|row| row.map(|(key, row)| (when(&row), key)));
    let mut rows = rows.collect::<Result<Vec<_>, _>>().map_err(database.failed("read"))?;
    rows.sort();
    rows.iter().take(over).try_for_each(|(_, key)| tree.remove(key).map(drop)).map_err(database.failed("remove"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(sentence: &str, at: u64) -> Refused {
        let (reason, words) = ("unsure".to_owned(), vec!["老伙计".to_owned()]);
        Refused { sentence: sentence.into(), reason, words, room: None, times: 1, first_ms: at, last_ms: at }
    }

    #[test]
    fn the_most_frequent_come_first_and_the_newest_are_kept_over_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        {
            let (store, _) = Store::open(folder.path()).unwrap();
            for (at, sentence) in ["打开甲", "打开乙", "打开乙", "打开丙", "打开丁"].iter().enumerate() {
                store.note_refused(said(sentence, at as u64 + 1), 3).unwrap();
            }
        }
        let (store, _) = Store::open(folder.path()).unwrap();
        let shown = |store: &Store| {
            let rows = store.refused().unwrap().into_iter();
            rows.map(|row| (row.sentence, row.times, row.first_ms)).collect::<Vec<_>>()
        };
        assert_eq!(shown(&store), [("打开乙".into(), 2, 2), ("打开丁".into(), 1, 5), ("打开丙".into(), 1, 4)]);
        store.forget_refused_for("乙").unwrap();
        assert_eq!(shown(&store).len(), 2);
        store.clear_refused().unwrap();
        assert!(shown(&store).is_empty());
        store.note_refused(said("打开甲", 9), 0).unwrap();
        assert!(shown(&store).is_empty(), "nothing is kept where nothing is to be kept");
        assert!(store.note_refused(said(&"长".repeat(MAX_ROW_BYTES), 9), 3).is_err());
    }

    #[test]
    fn a_name_is_asked_about_once_and_there_is_an_end_to_what_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        {
            let (store, _) = Store::open(folder.path()).unwrap();
            assert!(store.ask_once("老伙计", "heater", 1).unwrap());
            assert!(store.ask_once("老伙计", "lamp", 2).unwrap());
        }
        let (store, _) = Store::open(folder.path()).unwrap();
        assert!(!store.ask_once("老伙计", "heater", 3).unwrap());
        for n in 0..MAX_ASKED as u64 {
            assert!(store.ask_once(&format!("n{n}"), "heater", n + 10).unwrap());
        }
        assert!(store.ask_once("老伙计", "heater", 9_999).unwrap(), "the oldest are forgotten");
        assert!(!store.ask_once("n999", "heater", 9_999).unwrap());
    }
}
