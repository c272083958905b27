//! Power cuts: nothing that was acknowledged is lost, and nothing is there by half.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::json;
use zhiju::store::{Store, StoredState};

use super::disk::{Dice, Disk};
use super::{document, open_whole};

/// What was acknowledged so far.
#[derive(Clone, Debug, Default)]
struct Acknowledged {
    revision: u64,
    pages: BTreeMap<String, u64>,
    states: BTreeMap<String, u64>,
    /// Rows of the outbox that are there, and were removed.
    given: BTreeMap<u64, u64>,
    audit: u64,
}

type Book = Arc<Mutex<Acknowledged>>;

fn page(n: u64) -> Vec<u8> {
    // Some larger than a page of the disk.
    format!("{n} ").repeat(1 + (n % 700) as usize).into_bytes()
}

fn number(bytes: &[u8]) -> u64 {
    let text = std::str::from_utf8(bytes).unwrap();
    let n = text.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(bytes, page(n), "half of a row");
    n
}

/// Writes until the power is cut, and books what was acknowledged.
fn work(store: &Store, book: &Book, disk: &Disk<Acknowledged>, dice: &Dice) {
    thread::scope(|scope| {
        for writer in 0..3_u64 {
            let mut dice = Dice(dice.0.wrapping_mul(writer * 2 + 3) | 1);
            scope.spawn(move || {
                while !disk.is_cut() {
                    step(store, book, writer, &mut dice);
                }
            });
        }
    });
}

fn step(store: &Store, book: &Book, writer: u64, dice: &mut Dice) {
    match dice.roll(if writer == 0 { 12 } else { 10 }) {
        0..4 => {
            let id = format!("{writer}-{}", dice.roll(40));
            let n = book.lock().unwrap().pages.get(&id).map_or(1, |n| n + 1);
            store.put_page(&id, &page(n)).unwrap();
            store.commit().unwrap();
            book.lock().unwrap().pages.insert(id, n);
        }
        4..6 => {
            let id = format!("{writer}-{}", dice.roll(40));
            let n = book.lock().unwrap().states.get(&id).map_or(1, |n| n + 1);
            let values = [("level".to_owned(), json!(n)), ("text".to_owned(), json!("灯".repeat((n % 300) as usize)))];
            let state = StoredState { values: values.into(), ..StoredState::default() };
            store.put_state(&id, &state).unwrap();
            store.commit().unwrap();
            book.lock().unwrap().states.insert(id, n);
        }
        6..8 => {
            let n = dice.roll(1_000);
            let seq = store.push_outbox(&page(n)).unwrap();
            store.commit().unwrap();
            book.lock().unwrap().given.insert(seq, n);
        }
        8 => {
            let oldest = book.lock().unwrap().given.keys().next().copied();
            if let Some(seq) = oldest {
                // From now on it may be there or not.
                book.lock().unwrap().given.remove(&seq);
                store.remove_outbox(seq).unwrap();
            }
        }
        // One writer alone, so that entries are in the order of their numbers.
        10 => {
            let n = book.lock().unwrap().audit;
            store.append_audit(json!({"n": n}).to_string().as_bytes()).unwrap();
            store.commit().unwrap();
            book.lock().unwrap().audit = n + 1;
        }
        11 => {
            // Not while the book is held: the disk looks into it.
            let next = book.lock().unwrap().revision + 1;
            let revision = store.save_registry(&document(next)).unwrap();
            book.lock().unwrap().revision = revision;
        }
        _ => {
            store.put_vector(&dice.roll(5_000).to_be_bytes(), &[7; 1_024]).unwrap();
        }
    }
}

/// Compares what is there with what was acknowledged, and returns what is there.
fn compare(store: &Store, before: &Acknowledged, round: u64) -> Acknowledged {
    let mut there = Acknowledged::default();
    if let Some((revision, text)) = store.load_registry().unwrap() {
        assert_eq!(text, document(revision), "round {round}");
        there.revision = revision;
    }
    assert!(there.revision >= before.revision, "round {round}: revision {} of {}", there.revision, before.revision);
    there.pages = store.pages().unwrap().into_iter().map(|(id, bytes)| (id, number(&bytes))).collect();
    let level = |state: &StoredState| state.values["level"].as_u64().unwrap();
    there.states = store.states().unwrap().into_iter().map(|(id, state)| (id, level(&state))).collect();
    for (now, acknowledged) in [(&there.pages, &before.pages), (&there.states, &before.states)] {
        for (id, n) in acknowledged {
            assert!(now.get(id) >= Some(n), "round {round}: {id}: {:?} of {n}", now.get(id));
        }
    }
    let outbox: BTreeMap<u64, u64> = store.outbox().unwrap().into_iter().map(|(s, row)| (s, number(&row))).collect();
    for (seq, n) in &before.given {
        assert_eq!(outbox.get(seq), Some(n), "round {round}: instruct {seq}");
    }
    there.given = outbox;
    // The oldest go when there are too many.
    let audit = store.audit().unwrap();
    for (n, entry) in &audit {
        assert_eq!(*entry, json!({"n": n}).to_string().into_bytes(), "round {round}");
    }
    there.audit = audit.last().map_or(0, |(n, _)| n + 1);
    assert!(audit.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0), "round {round}: a gap in the trail");
    assert!(there.audit >= before.audit, "round {round}: {} of {} entries", there.audit, before.audit);
    there
}

fn rounds(many: u64, seed: u64, honest: bool) {
    let mount = tempfile::tempdir().unwrap();
    let book = Book::default();
    let witness = Arc::clone(&book);
    let disk = Disk::mount(mount.path(), move || witness.lock().unwrap().clone());
    let disk = disk.expect("a file system of one's own (FUSE): /dev/fuse, and root or the package fuse3");
    if !honest {
        disk.lie();
    }
    let mut dice = Dice(seed);
    for round in 0..many {
        let writes = 1 + dice.roll([20, 200, 2_000][dice.clone().roll(3) as usize]);
        // While it opens as well.
        disk.cut_after(writes, Dice(dice.roll(u64::MAX) | 1));
        let store = open_whole(mount.path());
        work(&store, &book, &disk, &dice);
        drop(store);
        let (image, acknowledged) = disk.take_cut().unwrap();
        disk.load(image.renumbered());
        let store = open_whole(mount.path());
        let there = compare(&store, &acknowledged, round);
        drop(store);
        *book.lock().unwrap() = there;
    }
}

/// Whether this machine lets tests have a file system of their own.
fn may_mount() -> bool {
    let mount = tempfile::tempdir().unwrap();
    Disk::mount(mount.path(), || ()).is_ok()
}

#[test]
fn what_was_acknowledged_outlives_power_cuts() {
    // Without FUSE it is not tried here; the long test, below, says so.
    if !may_mount() {
        return;
    }
    rounds(12, 0x9e37_79b9_7f4a_7c15, true);
    // And what is lost is seen.
    assert!(thread::spawn(|| rounds(12, 0x9e37_79b9_7f4a_7c15, false)).join().is_err());
}

#[test]
#[ignore = "takes FUSE and minutes; see the Makefile"]
fn what_was_acknowledged_outlives_five_hundred_power_cuts() {
    let seed = std::env::var("POWER_SEED").ok().and_then(|seed| seed.parse().ok());
    let many = std::env::var("POWER_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    rounds(many.unwrap_or(500), seed.unwrap_or(0x2545_f491_4f6c_dd1d), true);
}
