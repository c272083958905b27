//! Entries of the audit trail that are larger than a row: split, so that none is dropped.

use serde_json::{Map, Value, json};

/// What is kept of a text, in bytes, in an entry that does not fit.
const CUT_BYTES: usize = 1_024;

/// An entry as rows of at most `limit` bytes; `None` when it is no JSON object, or nothing of it can be left out.
///
/// Long texts are cut, and the longest list is divided among the rows, each of which tells with `part` which of how many it
/// is; everything else stands in all of them.
pub(super) fn split(entry: &[u8], limit: usize) -> Option<Vec<Vec<u8>>> {
    if entry.len() <= limit {
        return Some(vec![entry.to_vec()]);
    }
    let mut whole: Map<String, Value> = serde_json::from_slice(entry).ok()?;
    whole.values_mut().for_each(shorten);
    let row = json!(whole).to_string().into_bytes();
    if row.len() <= limit {
        return Some(vec![row]);
    }
    let (key, items) = whole
        .iter()
        .filter_map(|(key, value)| Some((key.clone(), value.as_array()?.clone())))
        .max_by_key(|(_, items)| items.len())?;
    whole.insert(key.clone(), json!([]));
    // Room for the longest `part` there can be.
    whole.insert("part".into(), json!([u32::MAX, u32::MAX]));
    let room = limit.checked_sub(json!(whole).to_string().len())?;
    let mut parts: Vec<Vec<Value>> = vec![Vec::new()];
    let mut used = 0;
    for item in items {
        let bytes = item.to_string().len() + 1;
        if bytes > room {
            return None;
        }
        if used + bytes > room {
            parts.push(Vec::new());
            used = 0;
        }
        used += bytes;
        parts.last_mut()?.push(item);
    }
    let many = parts.len();
    let rows = parts.into_iter().enumerate().map(|(at, part)| {
        whole.insert(key.clone(), Value::Array(part));
        whole.insert("part".into(), json!([at + 1, many]));
        json!(whole).to_string().into_bytes()
    });
    Some(rows.collect())
}

/// Cuts the texts in a value.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > CUT_BYTES => {
            let end = (0..=CUT_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            text.truncate(end);
            text.push('…');
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMIT: usize = 16 * 1024 - 8;

    fn read(rows: &[Vec<u8>]) -> Vec<Value> {
        rows.iter().map(|row| serde_json::from_slice(row).unwrap()).collect()
    }

    #[test]
    fn a_hundred_and_fifty_locks_with_long_ids_stand_in_the_trail() {
        let ids: Vec<String> = (0..150).map(|n| format!("{n:0>128}")).collect();
        let entry = json!({"ts": 7, "step": "moved", "devices": ids, "question": "打开所有的门锁", "reply": "锁".repeat(40_000)});
        let rows = split(entry.to_string().as_bytes(), LIMIT).unwrap();
        assert!(rows.len() > 1 && rows.iter().all(|row| row.len() <= LIMIT));
        let (mut told, many) = (Vec::new(), rows.len());
        for (at, row) in read(&rows).into_iter().enumerate() {
            assert_eq!((&row["ts"], &row["step"], &row["part"]), (&json!(7), &json!("moved"), &json!([at + 1, many])));
            assert_eq!(row["question"], "打开所有的门锁");
            told.extend(row["devices"].as_array().unwrap().clone());
        }
        assert_eq!(json!(told), json!(ids));
    }

    #[test]
    fn what_fits_stays_as_it_is_and_what_is_no_entry_is_refused() {
        assert_eq!(split(b"anything", 8), Some(vec![b"anything".to_vec()]));
        assert_eq!(split(b"anything", 7), None);
        assert_eq!(split(br#"{"devices":["0123456789"]}"#, 20), None);
    }

    #[test]
    fn an_entry_without_a_list_loses_only_the_ends_of_its_texts() {
        let entry = json!({"step": "asked", "reply": "\u{1}".repeat(9_000)}).to_string();
        let rows = split(entry.as_bytes(), LIMIT).unwrap();
        assert_eq!(read(&rows)[0]["step"], "asked");
    }

    proptest! {
        #[test]
        fn no_device_is_lost_and_no_row_too_large(ids in prop::collection::vec("\\PC{1,128}", 1..400), reply in 0usize..20_000) {
            let entry = json!({"devices": ids, "reply": "\u{2}".repeat(reply)}).to_string();
            let rows = split(entry.as_bytes(), LIMIT).unwrap();
            prop_assert!(rows.iter().all(|row| row.len() <= LIMIT));
            let told: Vec<Value> = read(&rows).iter().flat_map(|row| row["devices"].as_array().unwrap().clone()).collect();
            prop_assert_eq!(json!(told), json!(ids));
        }
    }
}
