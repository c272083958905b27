//! A page as a row of the store: with the start of the machine that its times count from, and never larger than a row.

use serde::{Deserialize, Serialize};

use super::page::Page;
use crate::store::MAX_ROW_BYTES;

/// What is kept of a text of a page that does not fit, in characters.
const CUT_CHARS: usize = 200;

#[derive(Serialize)]
struct Written<'a> {
    boot: &'a str,
    #[serde(flatten)]
    page: &'a Page,
}

/// Reads a row; `None` when it is of another start of the machine, or of another version.
pub(super) fn read(bytes: &[u8], boot: &str) -> Option<Page> {
    #[derive(Deserialize)]
    struct Started {
        boot: String,
    }
    let started: Started = serde_json::from_slice(bytes).ok()?;
    Page::read(bytes).filter(|_| started.boot == boot)
}

/// The row of a page, which is cut until it fits: the oldest turns first, then long texts, then what was mentioned. What
/// the daemon asked stays whole, or nothing is kept: `None`.
pub(super) fn fit(id: &str, boot: &str, page: &mut Page) -> Option<Vec<u8>> {
    let room = MAX_ROW_BYTES.checked_sub(id.len())?;
    loop {
        let bytes = serde_json::to_vec(&Written { boot, page }).ok()?;
        if bytes.len() <= room {
            return Some(bytes);
        }
        if !cut(page, bytes.len() - room) {
            return None;
        }
    }
}

/// Takes about `excess` bytes off; `false` when there is nothing left to take.
fn cut(page: &mut Page, excess: usize) -> bool {
    if page.turns.len() > 1 {
        let mut bytes = 0;
        let oldest = page.turns[..page.turns.len() - 1].iter().take_while(|turn| {
            let goes = bytes < excess;
            bytes += turn.question.len() + turn.reply.len();
            goes
        });
        let many = oldest.count();
        page.turns.drain(..many);
        return true;
    }
    let texts = page.turns.iter_mut().flat_map(|turn| [&mut turn.question, &mut turn.reply]);
    let mut shorter = false;
    for text in texts {
        if let Some((end, _)) = text.char_indices().nth(CUT_CHARS) {
            text.truncate(end);
            shorter = true;
        }
    }
    shorter
        || !std::mem::take(&mut page.was).is_empty()
        || !std::mem::take(&mut page.row).is_empty()
        || page.last.pop().is_some()
        || !std::mem::take(&mut page.orders).is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::page::{Asks, Mention, PendingRecord, Turn};
    use super::*;

    fn turn(question: &str, reply: &str) -> Turn {
        Turn { question: question.into(), reply: reply.into() }
    }

    #[test]
    fn the_oldest_turns_go_first_and_what_was_asked_stays() {
        let pending = PendingRecord {
            asks: Asks::Confirm,
            orders: Vec::new(),
            devices: vec!["lock".into()],
            rooms: Vec::new(),
            expires_ms: 7,
        };
        let long = "灯".repeat(1_990);
        let turns = vec![turn(&long, "1"), turn(&long, "2"), turn(&long, "3"), turn("打开大门锁", "确认吗？")];
        let mut page = Page { turns, pending: Some(pending), ..Page::default() };
        let bytes = fit("page", "boot", &mut page).unwrap();
        assert_eq!(page.turns.iter().map(|t| &t.reply[..]).collect::<Vec<_>>(), ["2", "3", "确认吗？"]);
        assert_eq!(read(&bytes, "boot"), Some(page));
        assert_eq!(read(&bytes, "another"), None);
    }

    #[test]
    fn a_row_of_this_start_but_of_another_version_is_no_page() {
        let written = fit("page", "boot", &mut Page::default()).unwrap();
        assert_eq!(read(&written, "boot"), Some(Page::default()));
        let mut row: serde_json::Value = serde_json::from_slice(&written).unwrap();
        let version = row["version"].as_u64().unwrap();
        for other in [version.checked_sub(1), version.checked_add(1), None] {
            row["version"] = other.into();
            assert_eq!(read(&serde_json::to_vec(&row).unwrap(), "boot"), None, "{other:?}");
        }
    }

    proptest! {
        #[test]
        fn a_page_fits_whatever_was_said(
            turns in prop::collection::vec((0usize..6_000, 0usize..6_000), 0..25),
            mentioned in 0usize..65,
        ) {
            let turns = turns.into_iter().map(|(q, r)| turn(&"\u{1}".repeat(q), &"灯".repeat(r))).collect();
            let last: Vec<Mention> = (0..mentioned).map(|_| Mention::Device("灯".repeat(128))).collect();
            let mut page = Page { turns, row: last.clone(), last, ..Page::default() };
            let bytes = fit("page", "boot", &mut page);
            prop_assert!(bytes.is_some_and(|bytes| bytes.len() <= MAX_ROW_BYTES - 4 && read(&bytes, "boot") == Some(page)));
        }
    }
}
