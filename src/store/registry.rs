//! The home document in the database: pieces under its revision, and one row that says which revision counts.

use super::StoreError;
use super::database::{Database, decode};

/// Bytes of one piece: small, so that the nodes they stand in, up to 16 to one, stay in sled's log.
const PIECE_BYTES: usize = 4 * 1024;

/// The row of `meta` with the current revision and the length of its text in bytes, each eight bytes long.
const CURRENT: &str = "registry";

/// The revision of the home: that of its document, or a later one of what hubs brought. 0 when there is none.
pub(super) fn revision(database: &Database) -> Result<u64, StoreError> {
    let document = current(database)?.map_or(0, |(revision, _)| revision);
    Ok(document.max(database.number(super::parts::REVISION)?))
}

/// The revision that counts and its text.
pub(super) fn get(database: &Database) -> Result<Option<(u64, String)>, StoreError> {
    let Some((revision, len)) = current(database)? else { return Ok(None) };
    let mut text = Vec::new();
    for row in database.registry.scan_prefix(revision.to_be_bytes()) {
        text.extend_from_slice(&row.map_err(database.failed("read"))?.1);
    }
    match String::from_utf8(text) {
        Ok(text) if text.len() as u64 == len => Ok(Some((revision, text))),
        _ => Err(database.damaged(format!("the text of registry revision {revision} is not whole"))),
    }
}

/// Writes a revision and makes it the one that counts, as a whole, once the database is flushed.
pub(super) fn put(database: &Database, revision: u64, text: &str) -> Result<(), StoreError> {
    // Pieces that a failed attempt at the same revision left.
    remove(database, |r| r >= revision)?;
    for (i, piece) in (0_u32..).zip(text.as_bytes().chunks(PIECE_BYTES)) {
        let key = [&revision.to_be_bytes()[..], &i.to_be_bytes()].concat();
        database.registry.insert(key, piece).map_err(database.failed("write"))?;
    }
    // A disk that fills up does so here, before anything points to the new text.
    database.flush()?;
    let len = text.len() as u64;
    database.set(CURRENT, &[revision.to_be_bytes(), len.to_be_bytes()].concat())
}

/// Removes the pieces of the revisions that `unwanted` names.
pub(super) fn remove(database: &Database, unwanted: impl Fn(u64) -> bool) -> Result<(), StoreError> {
    for row in database.registry.iter().keys() {
        let key = row.map_err(database.failed("read"))?;
        if key.get(..8).and_then(decode).is_none_or(&unwanted) {
            database.registry.remove(key).map_err(database.failed("remove"))?;
        }
    }
    Ok(())
}

/// Removes a text of which pieces are missing.
pub(super) fn drop_unless_whole(database: &Database) -> Result<(), StoreError> {
    if get(database).is_err() {
        database.unset(CURRENT)?;
        remove(database, |_| true)?;
    }
    Ok(())
}

fn current(database: &Database) -> Result<Option<(u64, u64)>, StoreError> {
    let Some(row) = database.note(CURRENT)? else { return Ok(None) };
    let parts = row.split_at_checked(8).and_then(|(revision, len)| Some((decode(revision)?, decode(len)?)));
    parts.map(Some).ok_or_else(|| database.damaged("the row of the current registry is no pair of numbers"))
}
