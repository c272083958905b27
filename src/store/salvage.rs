//! What can still be read of a database that was set aside.
//!
//! Damage sits in pages, and a page belongs to one table: the others are whole, and so are the rows before and behind the
//! damage. They are taken over into the new database, unless the old one is older than what was acknowledged: then what it
//! holds is not what was.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::Ordering;

use sled::{IVec, Tree};

use super::database::{Database, Part};
use super::files::Sentinel;
use super::{StoreError, open, parts, registry};

/// Rows of `meta` that every database has of its own: its name, and how many commits it has seen.
const OWN: [&[u8]; 2] = [b"id", b"commits"];

/// What was taken over out of a damaged database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Rows of all tables.
    pub rows: usize,
    /// Tables of which something could not be read and is missing; what has a copy is restored from it.
    pub damaged: Vec<&'static str>,
}

/// Takes over what can be read of the database in `from`. `Ok(None)` when that is nothing that may be used.
///
/// # Errors
/// When `into` cannot be written.
pub(super) fn take_over(from: &Path, into: &Database, sentinel: Option<&Sentinel>) -> Result<Option<Kept>, StoreError> {
    let Some(old) = opened(from, sentinel) else { return Ok(None) };
    let mut kept = Kept::default();
    for ((name, old), (_, new)) in old.trees().into_iter().zip(into.trees()) {
        let whole = read(old, |key, value| {
            // The new one has no name before all of it is there: whoever is killed over this finds a database that is none.
            if name == "meta" && OWN.contains(&&*key) {
                return Ok(());
            }
            let before = new.insert(key, value).map_err(into.failed("write"))?;
            kept.rows += usize::from(before.is_none());
            Ok(())
        })?;
        if !whole {
            kept.damaged.push(name);
        }
    }
    into.vector_count.store(into.vectors.len(), Ordering::Relaxed);
    // Half a text is none, and of the trail there is a copy.
    registry::drop_unless_whole(into)?;
    parts::drop_unless_whole(into)?;
    if kept.damaged.contains(&"audit") {
        into.part(Part::Audit).clear().map_err(into.failed("remove"))?;
    }
    Ok(Some(kept))
}

/// The old database, if it is the one that it must be, and as new.
fn opened(from: &Path, sentinel: Option<&Sentinel>) -> Option<Database> {
    if !from.join("db").exists() {
        return None;
    }
    catch_unwind(|| {
        let old = Database::open_unread(from).ok()?;
        open::check_age(&old, sentinel).ok()?;
        read(&old.meta, |_, _| Ok(())).ok()?.then_some(old)
    })
    .ok()
    .flatten()
}

/// Takes the rows before the damage and those behind it; whether that is all of them.
fn read(tree: &Tree, mut take: impl FnMut(IVec, IVec) -> Result<(), StoreError>) -> Result<bool, StoreError> {
    // What it ended with would come for ever.
    let mut until_damage = |rows: &mut dyn Iterator<Item = sled::Result<(IVec, IVec)>>| {
        for row in rows {
            let Ok((key, value)) = row else { return Ok(false) };
            take(key, value)?;
        }
        Ok(true)
    };
    // sled panics on some kinds of damage that it could name.
    let mut guarded = |rows: &mut dyn Iterator<Item = sled::Result<(IVec, IVec)>>| {
        catch_unwind(AssertUnwindSafe(|| until_damage(rows))).unwrap_or(Ok(false))
    };
    let whole = guarded(&mut tree.iter())?;
    if !whole {
        guarded(&mut tree.iter().rev())?;
    }
    Ok(whole)
}
