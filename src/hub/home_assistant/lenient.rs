//! Long answers, read entry by entry: one that has not the published form is left out by itself, and no answer becomes
//! more entries than any home has.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Most entries of one answer that are kept.
const MAX_ENTRIES: usize = 20_000;

/// A list.
#[derive(Clone, Debug)]
pub(super) struct List<T>(pub(super) Vec<T>);

/// Entries by their key.
#[derive(Clone, Debug)]
pub(super) struct Keyed<T>(pub(super) BTreeMap<String, T>);

/// An entry, if it is one.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Entry<T> {
    Good(T),
    Bad(IgnoredAny),
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<List<T>> {
    type Value = List<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while list.len() < MAX_ENTRIES
            && let Some(entry) = from.next_element()?
        {
            if let Entry::Good(entry) = entry {
                list.push(entry);
            }
        }
        while from.next_element::<IgnoredAny>()?.is_some() {}
        Ok(List(list))
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<Keyed<T>> {
    type Value = Keyed<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut entries = BTreeMap::new();
        while entries.len() < MAX_ENTRIES
            && let Some((key, entry)) = from.next_entry()?
        {
            if let Entry::Good(entry) = entry {
                entries.insert(key, entry);
            }
        }
        while from.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Keyed(entries))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Entries::<Self>(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Keyed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries::<Self>(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_another_form_takes_no_other_with_it() {
        let list: List<u8> = serde_json::from_str(r#"[1, "two", null, {"a": [1]}, 300, 3]"#).unwrap();
        assert_eq!(list.0, [1, 3]);
        let keyed: Keyed<bool> = serde_json::from_str(r#"{"a": true, "b": null, "c": {"d": 1}, "e": false}"#).unwrap();
        assert_eq!(keyed.0.into_iter().collect::<Vec<_>>(), [("a".to_owned(), true), ("e".to_owned(), false)]);
        assert!(serde_json::from_str::<List<u8>>("{}").is_err());
    }

    #[test]
    fn no_answer_becomes_more_entries_than_any_home_has() {
        let text = format!("[{}1]", "1,".repeat(MAX_ENTRIES * 2));
        assert_eq!(serde_json::from_str::<List<u8>>(&text).unwrap().0.len(), MAX_ENTRIES);
    }
}
