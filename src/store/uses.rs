//! Rows of how often devices were used. How many there are is the business of whoever puts them.

use super::database::Part;
use super::{Store, StoreError};

/// Devices with how often they were used and when last, and the keys of rows that are none.
pub type UsesRows = (Vec<(String, u64, u64)>, Vec<Vec<u8>>);

impl Store {
    /// Sets how often a device was used, and when last.
    ///
    /// # Errors
    /// When its id is larger than [`super::MAX_ROW_BYTES`], or the disk refuses.
    pub fn put_uses(&self, device: &str, times: u64, last_ms: u64) -> Result<(), StoreError> {
        self.make_room()?;
        let row = [times.to_be_bytes(), last_ms.to_be_bytes()].concat();
        self.put(Part::Uses, device.as_bytes(), &row, "how often a device was used").map(drop)
    }

    /// Removes a row; one that is not there is fine.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn delete_uses(&self, key: &[u8]) -> Result<(), StoreError> {
        self.make_room()?;
        self.delete(Part::Uses, key).map(drop)
    }

    /// How often every device was used. A row of another form is no reason to refuse the others.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn uses(&self) -> Result<UsesRows, StoreError> {
        let rows = self.rows(Part::Uses, |key, row| Some((key.to_vec(), read(row))))?;
        let (mut uses, mut broken) = UsesRows::default();
        for (key, row) in rows {
            match (String::from_utf8(key), row) {
                (Ok(device), Some((times, last_ms))) => uses.push((device, times, last_ms)),
                (Ok(device), None) => broken.push(device.into_bytes()),
                (Err(key), _) => broken.push(key.into_bytes()),
            }
        }
        Ok((uses, broken))
    }
}

fn read(row: &[u8]) -> Option<(u64, u64)> {
    let (times, last_ms) = row.split_at_checked(8)?;
    let number = |bytes: &[u8]| bytes.try_into().ok().map(u64::from_be_bytes);
    Some((number(times).filter(|times| *times > 0)?, number(last_ms)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_count_is_named_and_leaves_the_others_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        {
            let (store, _) = Store::open(folder.path()).unwrap();
            store.put_uses("lamp", 2, 77).unwrap();
            store.put_uses("fan", 1, 5).unwrap();
            store.delete_uses(b"fan").unwrap();
            for (key, row) in [("a", &b"often"[..]), ("b", &[0; 16]), ("c", &[1; 17]), ("d", b"")] {
                store.put(Part::Uses, key.as_bytes(), row, "a row").unwrap();
            }
            store.put(Part::Uses, &[0xff], &[1; 16], "a row").unwrap();
        }
        let (store, report) = Store::open(folder.path()).unwrap();
        assert_eq!(report.lost, None);
        let broken: Vec<Vec<u8>> = [&b"a"[..], b"b", b"c", b"d", &[0xff]].map(<[u8]>::to_vec).into();
        assert_eq!(store.uses().unwrap(), (vec![("lamp".to_owned(), 2, 77)], broken));
    }
}
