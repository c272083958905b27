//! Whose rows of the audit trail make room for new ones.
//!
//! What was only asked makes room for what was asked, never what was done. Of either, the oldest row of the share with the
//! most rows goes. A share is an asker's, apart for what was done after a yes and for what needed none: who asks and locks
//! all day long pushes out nothing that others did, and nothing that was opened.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use serde::Deserialize;

use super::{MAX_ASKED, MAX_AUDIT};

/// What a row says of whose it is. A row that says nothing of it belongs to nobody's share, which is one of its own.
#[derive(Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
struct Share {
    door: String,
    satellite: Option<String>,
    client: Option<String>,
    confirmed: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Head {
    step: String,
    #[serde(flatten)]
    share: Share,
}

/// The numbers of all rows, by whose they are.
#[derive(Debug, Default)]
pub(super) struct Shares {
    asked: Pool,
    done: Pool,
}

#[derive(Debug, Default)]
struct Pool {
    rows: HashMap<Share, VecDeque<u64>>,
    len: usize,
}

impl Shares {
    /// Takes a row in, younger than all before.
    pub(super) fn add(&mut self, number: u64, row: &[u8]) {
        let Head { step, share } = serde_json::from_slice(row).unwrap_or_default();
        let pool = if step == "asked" { &mut self.asked } else { &mut self.done };
        pool.rows.entry(share).or_default().push_back(number);
        pool.len += 1;
    }

    /// A row that makes room, if there are too many.
    pub(super) fn pop_excess(&mut self) -> Option<u64> {
        self.asked.pop_over(MAX_ASKED).or_else(|| self.done.pop_over(MAX_AUDIT))
    }
}

impl Pool {
    fn pop_over(&mut self, limit: usize) -> Option<u64> {
        if self.len <= limit {
            return None;
        }
        // There are as many shares as askers, and of all of them together a few thousand rows.
        let largest = self.rows.values_mut().max_by_key(|rows| (rows.len(), Reverse(rows.front().copied())))?;
        let oldest = largest.pop_front()?;
        if largest.is_empty() {
            self.rows.retain(|_, rows| !rows.is_empty());
        }
        self.len -= 1;
        Some(oldest)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::Store;
    use super::*;

    fn row(satellite: &str, step: &str, confirmed: bool) -> String {
        json!({"door": "satellite", "satellite": satellite, "step": step, "confirmed": confirmed}).to_string()
    }

    /// What is there of a satellite, beside what it only asked or what needed no yes.
    fn opened(store: &Store, satellite: &str) -> Vec<String> {
        let rows = store.audit().unwrap();
        assert_eq!(rows.len(), MAX_AUDIT + MAX_ASKED);
        let rows = rows.iter().map(|(_, row)| serde_json::from_slice::<Value>(row).unwrap());
        let rows = rows.filter(|row| row["satellite"] == satellite && row["confirmed"] == true);
        rows.map(|row| row["step"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn neither_questions_nor_what_needs_no_yes_nor_another_asker_push_out_what_was_opened() {
        let dir = tempfile::tempdir().unwrap();
        let steps = ["ordered", "moved", "confirmed"].map(str::to_owned);
        let mut lines = Vec::new();
        for satellite in ["hall", "kitchen"] {
            lines.extend(steps.iter().map(|step| row(satellite, step, true)));
        }
        lines.push(row("hall", "asked", false));
        lines.extend((0..MAX_ASKED + 10).map(|_| row("kitchen", "asked", false)));
        lines.extend((0..MAX_AUDIT + 10).map(|_| row("kitchen", "moved", false)));
        // A start that has to begin with the copy, one that finds the database, and what comes while it is open.
        std::fs::write(dir.path().join("audit.jsonl"), lines.join("\n") + "\n").unwrap();
        let check = |store: &Store| {
            assert_eq!((opened(store, "hall"), opened(store, "kitchen")), (steps.to_vec(), steps.to_vec()));
            let asked = row("hall", "asked", false).into_bytes();
            assert!(store.audit().unwrap().iter().any(|(_, row)| *row == asked), "what others asked is there as well");
        };
        for _ in 0..2 {
            let (store, _) = Store::open(dir.path()).unwrap();
            check(&store);
            for _ in 0..10 {
                store.append_audit(row("kitchen", "asked", false).as_bytes()).unwrap();
                store.append_audit(row("kitchen", "moved", false).as_bytes()).unwrap();
            }
            check(&store);
        }
    }

    #[test]
    fn a_row_that_says_nothing_of_whose_it_is_has_a_share_as_well() {
        let mut shares = Shares::default();
        (0..MAX_AUDIT as u64).for_each(|n| shares.add(n, b"x"));
        shares.add(MAX_AUDIT as u64, row("hall", "moved", true).as_bytes());
        assert_eq!((shares.pop_excess(), shares.pop_excess()), (Some(0), None));
    }
}
