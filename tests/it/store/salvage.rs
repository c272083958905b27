//! Damage of one table leaves the others as they are.

use std::fs;
use std::path::Path;

use serde_json::json;
use zhiju::store::{Kept, Store, StoredState};

use super::{open, open_whole};

/// Rows of each table; some pages of the database.
const ROWS: usize = 200;

/// Pieces of the home and of what a hub brought.
const PIECES: usize = 8;

/// What stands in one row of a table, and nowhere else.
fn mark(table: &str, n: usize) -> String {
    format!("<{table}-{n:04}>")
}

/// A text of several pieces, each with its mark.
fn text(table: &str) -> String {
    (0..PIECES).map(|n| format!("{:.<4096}", mark(table, n))).collect()
}

fn row(table: &str, n: usize) -> Vec<u8> {
    format!("{{\"row\": \"{:.<400}\"}}", mark(table, n)).into_bytes()
}

/// A store with rows in all of its tables, closed after sled has written a snapshot.
fn filled(dir: &Path) {
    let store = open_whole(dir);
    store.save_registry(&text("registry")).unwrap();
    store.save_part("hub", &text("parts")).unwrap();
    for n in 0..ROWS {
        let name = n.to_string();
        let values = [("row".to_owned(), json!(format!("{:.<400}", mark("state", n))))].into();
        store.put_state(&name, &StoredState { values, ..StoredState::default() }).unwrap();
        store.put_page(&name, &row("pages", n)).unwrap();
        store.put_job(&name, &row("jobs", n)).unwrap();
        store.put_vector(name.as_bytes(), &row("vectors", n)).unwrap();
        store.push_outbox(&row("outbox", n)).unwrap();
        store.append_audit(&row("audit", n)).unwrap();
    }
    store.commit().unwrap();
    drop(store);
    drop(open_whole(dir));
}

/// Changes a byte in every place on the disk where this row of the table stands or ever stood.
fn damage(dir: &Path, table: &str, n: usize) {
    let path = dir.join("database/db");
    let (mut bytes, mark) = (fs::read(&path).unwrap(), mark(table, n));
    let places: Vec<usize> =
        (0..bytes.len() - mark.len()).filter(|at| bytes[*at..].starts_with(mark.as_bytes())).collect();
    assert!(!places.is_empty(), "{mark}");
    places.into_iter().for_each(|at| bytes[at] ^= 1);
    fs::write(&path, bytes).unwrap();
}

/// How many rows each table has.
fn rows(store: &Store) -> Vec<(&'static str, usize)> {
    let vectors = (0..ROWS).filter(|n| store.vector(n.to_string().as_bytes()).unwrap().is_some());
    vec![
        ("state", store.states().unwrap().len()),
        ("pages", store.pages().unwrap().len()),
        ("outbox", store.outbox().unwrap().len()),
        ("audit", store.audit().unwrap().len()),
        ("jobs", store.jobs().unwrap().len()),
        ("vectors", vectors.count()),
    ]
}

#[test]
fn damage_of_one_table_takes_nothing_from_the_others() {
    let original = tempfile::tempdir().unwrap();
    filled(original.path());
    for damaged in ["registry", "parts", "state", "pages", "outbox", "audit", "jobs", "vectors"] {
        let dir = tempfile::tempdir().unwrap();
        super::copy(original.path(), dir.path());
        damage(dir.path(), damaged, PIECES / 2);
        let (store, report) = open(dir.path());
        let lost = report.lost.expect("the damage is reported");
        let Some(Kept { rows: kept, damaged: named }) = lost.kept else { panic!("{damaged}: nothing was kept") };
        assert_eq!(named, [damaged]);
        assert!(kept > 4 * ROWS, "{damaged}: {kept}");
        for (table, rows) in rows(&store) {
            match table {
                // Of the trail there is a copy.
                _ if table != damaged || table == "audit" => assert_eq!(rows, ROWS, "{table}, with {damaged} damaged"),
                _ => assert!((ROWS / 2..ROWS).contains(&rows), "{rows} rows of {table} were kept"),
            }
        }
        // So there is of the home; what a hub brought, it brings again.
        assert_eq!((store.load_registry().unwrap(), report.revision), (Some((1, text("registry"))), 2));
        assert_eq!(store.load_parts().unwrap().len(), usize::from(damaged != "parts"), "{damaged}");
        // It goes on from there, and is whole from now on.
        assert_eq!(store.save_part("hub", "again").unwrap(), 3);
        store.put_page("new", b"page").unwrap();
        drop(store);
        assert_eq!(open_whole(dir.path()).load_parts().unwrap(), [("hub".to_owned(), "again".to_owned())]);
    }
}

#[test]
fn nothing_is_taken_over_of_a_database_that_is_older_than_what_was_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path());
    let earlier = tempfile::tempdir().unwrap();
    super::copy(&dir.path().join("database"), earlier.path());
    let store = open_whole(dir.path());
    store.remove_job("7").unwrap();
    store.commit().unwrap();
    drop(store);
    // The job was taken back; the database of before still has it.
    fs::remove_dir_all(dir.path().join("database")).unwrap();
    super::copy(earlier.path(), &dir.path().join("database"));
    let (store, report) = open(dir.path());
    assert_eq!((report.lost.unwrap().kept, store.jobs().unwrap().len()), (None, 0));
    assert_eq!(store.load_registry().unwrap(), Some((1, text("registry"))));
}

#[test]
fn a_start_that_was_killed_over_it_takes_nothing_with_it() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path());
    damage(dir.path(), "pages", PIECES / 2);
    // As a start leaves it that had just set the database aside: the new one has no name yet.
    fs::rename(dir.path().join("database"), dir.path().join("quarantine-7")).unwrap();
    let (store, report) = open(dir.path());
    let kept = report.lost.unwrap().kept.expect("it is taken over now");
    assert_eq!((kept.damaged, store.jobs().unwrap().len()), (vec!["pages"], ROWS));
}
