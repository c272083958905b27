//! Pages: bounded in number, turns and age, in memory and in the store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::warn;

use super::page::Page;
use crate::store::Store;

/// Bounds of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLimits {
    /// A page that was not used for so long is forgotten.
    pub idle: Duration,
    /// Pages; the one unused for longest makes room.
    pub pages: usize,
    /// Turns a page remembers.
    pub turns: usize,
}

/// All pages.
#[derive(Debug)]
pub struct Pages {
    store: Option<Arc<Store>>,
    // A std mutex: no await happens while it is held.
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    limits: PageLimits,
    pages: HashMap<String, Page>,
}

impl Pages {
    /// The pages a store has kept; pages it cannot give are forgotten with a warning.
    pub fn open(limits: PageLimits, store: Option<Arc<Store>>) -> Self {
        let mut pages = HashMap::new();
        if let Some(store) = &store {
            match store.pages() {
                Ok(kept) => pages.extend(
                    kept.into_iter()
                        .filter_map(|(id, bytes)| serde_json::from_slice::<Page>(&bytes).ok().map(|page| (id, page))),
                ),
                Err(error) => warn!(%error, "conversations could not be read and are forgotten"),
            }
        }
        Self { store, kept: Mutex::new(Kept { limits, pages }) }
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
        let fresh = |page: &&Page| now_ms.saturating_sub(page.used_ms) <= idle;
        kept.pages.get(id).filter(fresh).cloned().unwrap_or_default()
    }

    /// Keeps a page. It is safe on disk after the store's next commit.
    pub fn put(&self, id: &str, mut page: Page, now_ms: u64) {
        page.used_ms = now_ms;
        let (bytes, evicted) = {
            let mut kept = self.kept();
            let Kept { limits, pages } = &mut *kept;
            let excess = page.turns.len().saturating_sub(limits.turns);
            page.turns.drain(..excess);
            let bytes = serde_json::to_vec(&page);
            pages.insert(id.to_owned(), page);
            let mut evicted = Vec::new();
            while pages.len() > limits.pages.max(1) {
                let oldest = pages.iter().min_by_key(|(_, p)| p.used_ms).map(|(id, _)| id.clone());
                let Some(oldest) = oldest else { break };
                pages.remove(&oldest);
                evicted.push(oldest);
            }
            (bytes, evicted)
        };
        let Some(store) = &self.store else { return };
        let written = match bytes {
            Ok(bytes) => store.put_page(id, &bytes),
            Err(error) => {
                warn!(%error, "a conversation could not be written");
                return;
            }
        };
        let removed = evicted.iter().try_for_each(|id| store.delete_page(id));
        if let Err(error) = written.and(removed) {
            warn!(%error, "a conversation lives in memory only");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::page::Turn;
    use super::*;

    fn pages(limits: PageLimits) -> Pages {
        Pages::open(limits, None)
    }

    fn said(text: &str) -> Page {
        Page { turns: vec![Turn { question: text.into(), reply: String::new() }], ..Page::default() }
    }

    const LIMITS: PageLimits = PageLimits { idle: Duration::from_secs(60), pages: 2, turns: 3 };

    #[test]
    fn a_page_idle_for_too_long_is_new_again() {
        let pages = pages(LIMITS);
        pages.put("a", said("开灯"), 1_000);
        assert_eq!(pages.get("a", 61_000).turns.len(), 1);
        assert_eq!(pages.get("a", 61_001), Page::default());
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
