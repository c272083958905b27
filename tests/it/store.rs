//! The store and the registry over it: bounded, damaged, killed, full.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod crash;
mod disk;
mod power;
mod salvage;

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use zhiju::home::{MAX_DOCUMENT_BYTES, State};
use zhiju::store::{
    MAX_AUDIT, MAX_OUTBOX, MAX_PAGES, MAX_ROW_BYTES, OpenReport, SCHEMA, Store, StoreError, StoredState, read_trail,
};

/// Devices of the home under test.
const DEVICES: u64 = 4;

fn open(dir: &Path) -> (Store, OpenReport) {
    Store::open(dir).expect("the store opens")
}

/// Opens a store that must have lost nothing.
fn open_whole(dir: &Path) -> Store {
    let (store, report) = open(dir);
    assert_eq!(report.lost, None);
    store
}

fn document(version: u64) -> String {
    let devices: Vec<Value> =
        (0..DEVICES).map(|i| json!({"id": format!("d{i}"), "name": "灯", "device": {"model": "m"}})).collect();
    json!({
        "did": version.to_string(),
        "model": {"m": {"property": {"level": {"type": "uint"}}}},
        "devices": devices,
    })
    .to_string()
}

fn level(n: u64) -> State {
    State::from([("level".to_owned(), json!(n))])
}

fn stored(n: u64) -> StoredState {
    StoredState { values: level(n), reported: [("level".to_owned(), n)].into(), boot: "boot".into() }
}

/// A store with something in each of its parts, closed.
fn filled(dir: &Path) {
    let store = open_whole(dir);
    store.save_registry(&document(1)).unwrap();
    store.save_registry(&document(2)).unwrap();
    for n in 0..200 {
        store.put_state(&format!("d{n}"), &stored(n)).unwrap();
        store.put_page(&format!("page-{n}"), &[7; 1_000]).unwrap();
        store.push_outbox(b"instruct").unwrap();
        store.append_audit(&audit_entry(n)).unwrap();
    }
    store.commit().unwrap();
}

/// As [`filled`], with a snapshot, which sled writes when it opens.
fn filled_and_reopened(dir: &Path) {
    filled(dir);
    drop(open_whole(dir));
}

/// Whether everything that [`filled`] wrote is there.
fn is_whole(store: &Store) -> bool {
    store.load_registry().unwrap() == Some((2, document(2)))
        && store.states().unwrap().len() == 200
        && store.pages().unwrap().len() == 200
        && store.outbox().unwrap().len() == 200
        && store.audit().unwrap().len() == 200
}

/// The files of the database whose names start so.
fn files(dir: &Path, start: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(dir.join("database")).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(start)).collect()
}

#[test]
fn what_was_committed_is_there_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path());
    let (store, report) = open(dir.path());
    assert_eq!(report, OpenReport { revision: 2, ..OpenReport::default() });
    assert!(is_whole(&store));
    assert_eq!(store.page("page-3").unwrap(), Some(vec![7; 1_000]));
    assert!(store.states().unwrap().contains(&("d9".to_owned(), stored(9))));
    assert_eq!(store.save_registry(&document(3)).unwrap(), 3);
}

#[test]
fn the_largest_document_comes_back_and_leaves_no_blob_behind() {
    let dir = tempfile::tempdir().unwrap();
    let text = "灯".repeat(MAX_DOCUMENT_BYTES / 3);
    let store = open_whole(dir.path());
    for revision in 1..=3 {
        assert_eq!(store.save_registry(&text).unwrap(), revision);
    }
    drop(store);
    assert_eq!(open_whole(dir.path()).load_registry().unwrap(), Some((3, text)));
    assert_eq!(fs::read_dir(dir.path().join("database/blobs")).unwrap().count(), 0);
}

#[test]
fn outbox_rows_leave_one_by_one_and_numbers_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_whole(dir.path());
    let numbers: Vec<u64> = (0..3_u8).map(|n| store.push_outbox(&[n]).unwrap()).collect();
    store.remove_outbox(numbers[0]).unwrap();
    store.remove_outbox(numbers[0]).unwrap();
    store.commit().unwrap();
    drop(store);
    let store = open_whole(dir.path());
    assert_eq!(store.outbox().unwrap(), [(numbers[1], vec![1]), (numbers[2], vec![2])]);
    assert!(store.push_outbox(b"x").unwrap() > numbers[2]);
}

#[test]
fn rows_are_bounded_in_size_and_number() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_whole(dir.path());
    assert!(matches!(store.put_page("p", &[0; MAX_ROW_BYTES]), Err(StoreError::TooLarge { .. })));
    for n in 0..MAX_PAGES {
        store.put_page(&n.to_string(), b"x").unwrap();
    }
    store.put_page("0", b"y").unwrap();
    assert!(matches!(store.put_page("new", b"x"), Err(StoreError::TooMany { .. })));
    store.delete_page("0").unwrap();
    store.put_page("new", b"x").unwrap();
    for _ in 0..MAX_OUTBOX {
        store.push_outbox(b"x").unwrap();
    }
    assert!(matches!(store.push_outbox(b"x"), Err(StoreError::TooMany { .. })));
    for _ in 0..MAX_AUDIT + 10 {
        store.append_audit(b"x").unwrap();
    }
    drop(store);
    let store = open_whole(dir.path());
    assert_eq!(store.audit().unwrap().len(), MAX_AUDIT);
    assert_eq!(store.audit().unwrap()[0].0, 10);
    assert!(matches!(store.push_outbox(b"x"), Err(StoreError::TooMany { .. })));
}

#[test]
fn a_second_process_is_told_that_the_store_is_in_use() {
    let dir = tempfile::tempdir().unwrap();
    let _store = open_whole(dir.path());
    assert!(matches!(Store::open(dir.path()), Err(StoreError::Locked { .. })));
}

#[test]
fn a_newer_schema_is_named_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path());
    let path = dir.path().join("sentinel.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace(&format!("\"schema\":{SCHEMA}"), "\"schema\":99")).unwrap();
    assert!(matches!(Store::open(dir.path()), Err(StoreError::NewerSchema { found: 99, .. })));
    fs::write(&path, text).unwrap();
    assert!(is_whole(&open_whole(dir.path())));
}

/// What must hold after damage: home and audit trail are there, and if anything else is not, the report says so.
fn assert_restored(dir: &Path) {
    let (store, report) = open(dir);
    let lost = report.lost.as_ref().expect("the damage is reported");
    assert_eq!((lost.had_revision, lost.restored_revision, report.revision), (2, Some(2), 2));
    assert!(lost.quarantine.join("db").exists());
    assert_trail(&store, dir);
    assert_eq!(lost.restored_audit, 200);
    assert_eq!(fs::read(lost.quarantine.join("audit.jsonl")).unwrap(), fs::read(dir.join("audit.jsonl")).unwrap());
    assert_eq!(store.load_registry().unwrap(), Some((2, document(2))));
    assert_eq!(store.save_registry(&document(3)).unwrap(), 3);
    drop(store);
    assert_eq!(open_whole(dir).load_registry().unwrap(), Some((3, document(3))));
}

/// Whether all entries that [`filled`] wrote are in the trail and in its copy.
fn assert_trail(store: &Store, dir: &Path) {
    let entries: Vec<_> = store.audit().unwrap().into_iter().map(|(_, entry)| entry).collect();
    assert_eq!(entries, (0..200).map(audit_entry).collect::<Vec<_>>());
    assert_eq!(read_trail(dir).unwrap(), entries);
}

fn audit_entry(n: u64) -> Vec<u8> {
    json!({"ts": n, "step": "moved", "devices": ["lock"]}).to_string().into_bytes()
}

#[test]
fn a_missing_snapshot_is_noticed_and_the_home_restored() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path());
    // Until sled uses the beginning of its log again, it finds everything without a snapshot.
    let store = open_whole(dir.path());
    for n in 0..1_000 {
        store.put_state("d0", &stored(n)).unwrap();
        store.commit().unwrap();
    }
    drop(store);
    drop(open_whole(dir.path()));
    for snapshot in files(dir.path(), "snap.") {
        fs::remove_file(snapshot).unwrap();
    }
    assert_restored(dir.path());
}

#[test]
fn a_damaged_snapshot_is_noticed_and_the_home_restored() {
    let dir = tempfile::tempdir().unwrap();
    filled_and_reopened(dir.path());
    for snapshot in files(dir.path(), "snap.") {
        let mut bytes = fs::read(&snapshot).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        fs::write(&snapshot, bytes).unwrap();
    }
    assert_restored(dir.path());
}

#[test]
fn a_snapshot_that_was_being_written_is_no_damage() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path());
    fs::write(dir.path().join("database/snap.FFFFFFFFFFFFFFFF.generating"), b"half").unwrap();
    assert!(is_whole(&open_whole(dir.path())));
}

#[test]
fn a_truncated_or_removed_database_is_noticed_and_the_home_restored() {
    for keep in [0, 1_000, 200_000] {
        let dir = tempfile::tempdir().unwrap();
        filled(dir.path());
        OpenOptions::new().write(true).open(dir.path().join("database/db")).unwrap().set_len(keep).unwrap();
        assert_restored(dir.path());
    }
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path());
    fs::remove_file(dir.path().join("database/db")).unwrap();
    assert_restored(dir.path());
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy(&path, &target) } else { fs::copy(&path, &target).map(drop).unwrap() }
    }
}

#[test]
fn whatever_bytes_of_the_database_are_damaged_nothing_is_lost_in_silence() {
    let original = tempfile::tempdir().unwrap();
    filled_and_reopened(original.path());
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    let damage = (any::<Index>(), any::<Index>(), prop::collection::vec((any::<Index>(), 1_u8..), 0..8));
    let outcome = runner.run(&damage, |(file, len, flips)| {
        let dir = tempfile::tempdir().unwrap();
        copy(original.path(), dir.path());
        let files: Vec<PathBuf> = files(dir.path(), "").into_iter().filter(|path| path.is_file()).collect();
        let path = file.get(&files);
        let mut bytes = fs::read(path).unwrap();
        if flips.is_empty() {
            bytes.truncate(len.index(bytes.len()));
        }
        for (at, flip) in flips {
            *at.get_mut(&mut bytes) ^= flip;
        }
        fs::write(path, bytes).unwrap();
        let (store, report) = open(dir.path());
        prop_assert_eq!(store.load_registry().unwrap(), Some((2, document(2))));
        prop_assert!(report.lost.is_some() || is_whole(&store), "{:?}", path);
        assert_trail(&store, dir.path());
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn the_trail_outlives_a_database_and_all_that_tells_of_it() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path());
    fs::remove_dir_all(dir.path().join("database")).unwrap();
    for file in ["sentinel.json", "registry.json"] {
        fs::remove_file(dir.path().join(file)).unwrap();
    }
    let (store, report) = open(dir.path());
    assert_eq!((report.lost, report.notes.len()), (None, 1));
    assert_trail(&store, dir.path());
    store.append_audit(b"{}").unwrap();
    assert_eq!(store.audit().unwrap().last().unwrap(), &(200, b"{}".to_vec()));
}

#[test]
fn what_is_readable_of_a_damaged_copy_of_the_trail_is_restored_and_all_of_it_kept_beside() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path());
    fs::remove_file(dir.path().join("database/db")).unwrap();
    let mut copy = fs::read(dir.path().join("audit.jsonl")).unwrap();
    copy[0] = 0;
    copy.extend_from_slice(b"{\"ts\": 20");
    fs::write(dir.path().join("audit.jsonl"), &copy).unwrap();
    let (store, report) = open(dir.path());
    let lost = report.lost.unwrap();
    assert_eq!((lost.restored_audit, store.audit().unwrap().len()), (199, 199));
    assert_eq!(fs::read(lost.quarantine.join("audit.jsonl")).unwrap(), copy);
}

#[test]
fn the_newest_quarantine_stays_though_the_wall_clock_was_set_back() {
    let dir = tempfile::tempdir().unwrap();
    // By a clock that stood in the future.
    for n in 0..3 {
        fs::create_dir_all(dir.path().join(format!("quarantine-{}", 9_000_000_000_000_000_u64 + n))).unwrap();
    }
    filled(dir.path());
    fs::remove_file(dir.path().join("database/db")).unwrap();
    let quarantine = open(dir.path()).1.lost.unwrap().quarantine;
    assert!(quarantine.join("audit.jsonl").exists(), "{quarantine:?}");
    assert!(!dir.path().join("quarantine-9000000000000000").exists());
}

#[test]
fn a_lost_home_without_a_copy_is_reported_as_lost() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path());
    fs::remove_file(dir.path().join("database/db")).unwrap();
    fs::remove_file(dir.path().join("registry.json")).unwrap();
    let (store, report) = open(dir.path());
    let lost = report.lost.unwrap();
    assert_eq!((lost.had_revision, lost.restored_revision, report.revision), (2, None, 0));
    assert_eq!(store.load_registry().unwrap(), None);
}

#[test]
fn missing_or_damaged_files_beside_a_whole_database_are_written_anew() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path());
    fs::write(dir.path().join("sentinel.json"), b"{").unwrap();
    fs::remove_file(dir.path().join("registry.json")).unwrap();
    let (store, report) = open(dir.path());
    assert!(is_whole(&store));
    assert_eq!((report.lost, report.notes.len()), (None, 2));
    drop(store);
    assert_eq!(open(dir.path()).1, OpenReport { revision: 2, ..OpenReport::default() });
}

#[test]
fn only_the_last_quarantines_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    for _ in 0..5 {
        open(dir.path()).0.save_registry(&document(1)).unwrap();
        fs::remove_file(dir.path().join("database/db")).unwrap();
    }
    open(dir.path());
    let names = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.filter(|name| name.to_str().unwrap().starts_with("quarantine-")).count(), 3);
}
