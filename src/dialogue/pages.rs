//! Pages: bounded in number, turns and age, in memory and in the store.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::warn;

use super::page::Page;
use super::row;
use crate::clock::Clock;
use crate::frame::Origin;
use crate::store::Store;

/// Bounds of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimits {
    /// A page that was not used for so long is forgotten.
    pub idle: Duration,
    /// Pages; of whoever has most of them, the one unused for longest makes room.
    pub pages: usize,
    /// Turns a page remembers.
    pub turns: usize,
}

/// All pages.
#[derive(Debug)]
pub struct Pages {
    store: Option<Arc<Store>>,
    /// The start of the machine that times count from.
    boot: String,
    // A std mutex: no await happens while it is held.
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    limits: PageLimits,
    pages: HashMap<String, Page>,
}

impl Pages {
    /// The pages a store has kept. Pages it cannot give are forgotten with a warning, and so are those of another start
    /// of the machine: nothing tells how old they and their questions are.
    pub fn open(limits: PageLimits, store: Option<Arc<Store>>, clock: &Clock) -> Self {
        let pages = store.as_deref().map(|store| kept(store, clock)).unwrap_or_default();
        Self { store, boot: clock.boot().to_owned(), kept: Mutex::new(Kept { limits, pages }) }
    }

    /// Keeps to other limits from now on.
    pub fn keep_to(&self, limits: PageLimits) {
        self.kept().limits = limits;
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The page of this id as it is now: empty when it is new or idle for too long.
    pub fn get(&self, id: &str, now_ms: u64) -> Page {
        let kept = self.kept();
        let idle = u64::try_from(kept.limits.idle.as_millis()).unwrap_or(u64::MAX);
        let fresh = |page: &&Page| now_ms.checked_sub(page.used_ms).is_some_and(|age| age <= idle);
        kept.pages.get(id).filter(fresh).cloned().unwrap_or_default()
    }

    /// Keeps a page. It is safe on disk after the store's next commit. One that is too large for a row loses what was said
    /// longest ago; one that still cannot be written takes its older row with it, which would ask or answer for it.
    pub fn put(&self, id: &str, mut page: Page, now_ms: u64) {
        page.used_ms = now_ms;
        let (bytes, evicted) = {
            let mut kept = self.kept();
            let Kept { limits, pages } = &mut *kept;
            let excess = page.turns.len().saturating_sub(limits.turns);
            page.turns.drain(..excess);
            let bytes = row::fit(id, &self.boot, &mut page);
            pages.insert(id.to_owned(), page);
            let mut evicted = Vec::new();
            while pages.len() > limits.pages.max(1) {
                let Some(oldest) = oldest(pages) else { break };
                pages.remove(&oldest);
                evicted.push(oldest);
            }
            (bytes, evicted)
        };
        let Some(store) = &self.store else { return };
        evicted.iter().for_each(|id| store.withdraw_page(id));
        let Some(bytes) = bytes else {
            warn!("a conversation is too large for the store and lives in memory only");
            return store.withdraw_page(id);
        };
        if let Err(error) = store.put_page(id, &bytes) {
            warn!(%error, "a conversation lives in memory only");
            store.withdraw_page(id);
        }
    }
}

/// The page that makes room: whoever begins many conversations pushes out none of others.
fn oldest(pages: &HashMap<String, Page>) -> Option<String> {
    let mut of_asker: HashMap<&str, usize> = HashMap::new();
    pages.keys().for_each(|key| *of_asker.entry(Origin::asker_of(key)).or_default() += 1);
    let many = |key: &str| of_asker.get(Origin::asker_of(key)).copied();
    pages.iter().max_by_key(|(key, page)| (many(key), Reverse(page.used_ms))).map(|(key, _)| key.clone())
}

/// The pages of this start of the machine; the others are removed.
fn kept(store: &Store, clock: &Clock) -> HashMap<String, Page> {
    let rows = match store.pages() {
        Ok(rows) => rows,
        Err(error) => {
            warn!(%error, "conversations could not be read and are forgotten");
            return HashMap::new();
        }
    };
    let now_ms = clock.now_ms();
    let (mut pages, mut forgotten) = (HashMap::new(), 0);
    for (id, bytes) in rows {
        match row::read(&bytes, clock.boot()).filter(|page| page.used_ms <= now_ms) {
            Some(page) => _ = pages.insert(id, page),
            None => {
                forgotten += 1;
                store.withdraw_page(&id);
            }
        }
    }
    if forgotten > 0 {
        warn!(
            forgotten,
            "conversations from before the machine was started anew, or of an older version, are forgotten"
        );
    }
    pages
}

#[cfg(test)]
mod tests {
    use super::super::page::{Asks, PendingRecord, Turn};
    use super::*;
    use crate::store::MAX_ROW_BYTES;

    fn pages(limits: PageLimits) -> Pages {
        Pages::open(limits, None, &Clock::by_hand("boot", 0, 0))
    }

    fn said(text: &str) -> Page {
        Page { turns: vec![Turn { question: text.into(), reply: String::new() }], ..Page::default() }
    }

    const LIMITS: PageLimits = PageLimits { idle: Duration::from_secs(60), pages: 2, turns: 3 };

    #[test]
    fn a_page_of_another_version_is_forgotten() {
        let kept = serde_json::to_vec(&said("开灯")).unwrap();
        assert_eq!(Page::read(&kept), Some(said("开灯")));
        let other = |change: fn(&mut serde_json::Map<String, serde_json::Value>)| {
            let mut page: serde_json::Value = serde_json::from_slice(&kept).unwrap();
            change(page.as_object_mut().unwrap());
            Page::read(&serde_json::to_vec(&page).unwrap())
        };
        assert_eq!(other(|page| drop(page.remove("version"))), None);
        assert_eq!(other(|page| drop(page.insert("version".into(), 3.into()))), None);
        assert_eq!(Page::read(b"[]"), None);
    }

    #[test]
    fn a_page_idle_for_too_long_is_new_again() {
        let pages = pages(LIMITS);
        pages.put("a", said("开灯"), 1_000);
        assert_eq!(pages.get("a", 61_000).turns.len(), 1);
        assert_eq!(pages.get("a", 61_001), Page::default());
        assert_eq!(pages.get("a", 999), Page::default(), "a page of the future has no age");
    }

    fn stored(folder: &tempfile::TempDir) -> Arc<Store> {
        Arc::new(Store::open(folder.path()).unwrap().0)
    }

    #[test]
    fn pages_of_another_start_of_the_machine_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        Pages::open(LIMITS, Some(stored(&folder)), &Clock::by_hand("one", 0, 0)).put("a", said("开灯"), 1_000);
        stored(&folder).put_page("of the version before", br#"{"used_ms":1000,"turns":[]}"#).unwrap();
        for (boot, now_ms, turns, rows) in [("one", 2_000, 1, 1), ("another", 2_000, 0, 0)] {
            let store = stored(&folder);
            let pages = Pages::open(LIMITS, Some(Arc::clone(&store)), &Clock::by_hand(boot, now_ms, 0));
            assert_eq!((pages.get("a", now_ms).turns.len(), store.pages().unwrap().len()), (turns, rows), "{boot}");
        }
    }

    #[test]
    fn no_older_row_outlives_a_page_that_cannot_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = stored(&folder);
        let pages = Pages::open(LIMITS, Some(Arc::clone(&store)), &Clock::by_hand("one", 0, 0));
        let large = PendingRecord {
            asks: Asks::Confirm,
            orders: Vec::new(),
            devices: vec!["锁".repeat(MAX_ROW_BYTES)],
            rooms: Vec::new(),
            expires_ms: 9,
        };
        pages.put("a", said("打开大门锁"), 1);
        assert!(store.page("a").unwrap().is_some());
        pages.put("a", Page { pending: Some(large), ..said("取消") }, 2);
        assert_eq!(store.page("a").unwrap(), None);
        assert!(pages.get("a", 2).pending.is_some());
    }

    #[test]
    fn the_page_unused_for_longest_makes_room() {
        let pages = pages(LIMITS);
        for (at, id) in ["a", "b", "c"].iter().enumerate() {
            pages.put(id, said("开灯"), at as u64);
        }
        assert_eq!(pages.get("a", 3), Page::default());
        assert_eq!(pages.get("c", 3).turns.len(), 1);
    }

    #[test]
    fn whoever_begins_many_conversations_pushes_out_none_of_others() {
        let pages = pages(PageLimits { pages: 10, ..LIMITS });
        let (bath, kitchen) = (Origin::satellite("bath"), Origin::satellite("kitchen"));
        (0..3).for_each(|n| pages.put(&bath.page_key(&n.to_string()), said("开灯"), 1));
        (0..100).for_each(|n| pages.put(&kitchen.page_key(&n.to_string()), said("开灯"), 2 + n));
        assert!((0..3).all(|n| pages.get(&bath.page_key(&n.to_string()), 200).turns.len() == 1));
        let there = |n: &u64| pages.get(&kitchen.page_key(&n.to_string()), 200) != Page::default();
        assert_eq!((0..100).filter(there).collect::<Vec<_>>(), [93, 94, 95, 96, 97, 98, 99]);
    }

    #[test]
    fn new_limits_count_for_pages_that_are_there() {
        let pages = pages(LIMITS);
        pages.put("a", said("开灯"), 1);
        pages.put("b", said("开灯"), 2);
        pages.keep_to(PageLimits { idle: Duration::from_millis(10), pages: 1, ..LIMITS });
        assert_eq!(pages.get("a", 12), Page::default());
        pages.put("c", said("开灯"), 12);
        assert_eq!(pages.get("b", 12), Page::default());
    }

    #[test]
    fn only_the_last_turns_are_remembered() {
        let pages = pages(LIMITS);
        let turns = (0..9).map(|i| Turn { question: i.to_string(), reply: String::new() }).collect();
        pages.put("a", Page { turns, ..Page::default() }, 1);
        assert_eq!(pages.get("a", 1).turns[0].question, "6");
    }
}
