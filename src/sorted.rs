//! A small map with texts as keys: a home keeps some for each of its thousands of devices, each of a few entries.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Index;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// Values by their keys, in the order of the keys: no larger than what is in it, where a tree takes room for eleven entries.
#[derive(Clone, PartialEq)]
pub struct Sorted<V>(Vec<(String, V)>);

impl<V> Sorted<V> {
    /// An empty one.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.place(key).ok().map(|at| &self.0[at].1)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.place(key).ok().map(|at| &mut self.0[at].1)
    }

    /// Whether there is a value of a key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.place(key).is_ok()
    }

    /// Puts a value under a key; returns the one before.
    pub fn insert(&mut self, key: String, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.reserve_exact(1);
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Takes the value of a key out.
    pub fn remove(&mut self, key: &str) -> Option<V> {
        self.place(key).ok().map(|at| self.0.remove(at).1)
    }

    /// Keeps those of which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&String, &mut V) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }

    /// The entries in the order of their keys.
    pub fn iter(&self) -> Entries<'_, V> {
        self.into_iter()
    }

    /// The keys in their order.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    fn place(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.as_str().cmp(key))
    }

    /// Brings entries into their order. What comes later under a key that is there takes its place.
    fn settle(&mut self) {
        self.0.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.0.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                std::mem::swap(later, earlier);
            }
            same
        });
        self.0.shrink_to_fit();
    }
}

/// The entries of a [`Sorted`].
pub type Entries<'a, V> = std::iter::Map<std::slice::Iter<'a, (String, V)>, fn(&'a (String, V)) -> (&'a String, &'a V)>;

impl<'a, V> IntoIterator for &'a Sorted<V> {
    type Item = (&'a String, &'a V);
    type IntoIter = Entries<'a, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(key, value)| (key, value))
    }
}

impl<V> IntoIterator for Sorted<V> {
    type Item = (String, V);
    type IntoIter = std::vec::IntoIter<(String, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<V> FromIterator<(String, V)> for Sorted<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(entries: I) -> Self {
        let mut all = Self(entries.into_iter().collect());
        all.settle();
        all
    }
}

impl<V> Extend<(String, V)> for Sorted<V> {
    fn extend<I: IntoIterator<Item = (String, V)>>(&mut self, entries: I) {
        self.0.extend(entries);
        self.settle();
    }
}

impl<V, const N: usize> From<[(String, V); N]> for Sorted<V> {
    fn from(entries: [(String, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<V> Index<&str> for Sorted<V> {
    type Output = V;

    /// # Panics
    /// When there is no such key.
    fn index(&self, key: &str) -> &V {
        self.get(key).expect("a key that is there")
    }
}

impl<V> Default for Sorted<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: fmt::Debug> fmt::Debug for Sorted<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<V: Serialize> Serialize for Sorted<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Sorted<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for Read<V> {
            type Value = Sorted<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(entries.into_iter().collect())
            }
        }

        deserializer.deserialize_map(Read(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn entries() -> impl Strategy<Value = Vec<(String, u8)>> {
        prop::collection::vec(("[a-d]{0,2}", any::<u8>()), 0..12)
    }

    fn same(sorted: &Sorted<u8>, tree: &BTreeMap<String, u8>) -> bool {
        sorted.iter().eq(tree.iter()) && sorted.keys().eq(tree.keys()) && sorted.values().eq(tree.values())
    }

    proptest! {
        #[test]
        fn it_is_what_a_tree_of_the_same_entries_is(first in entries(), more in entries(), gone in "[a-d]{0,2}") {
            let (mut sorted, mut tree): (Sorted<u8>, BTreeMap<String, u8>) =
                (first.iter().cloned().collect(), first.into_iter().collect());
            prop_assert!(same(&sorted, &tree));
            for (key, value) in more.iter().take(4) {
                prop_assert_eq!(sorted.insert(key.clone(), *value), tree.insert(key.clone(), *value));
            }
            prop_assert_eq!(sorted.remove(&gone), tree.remove(&gone));
            sorted.extend(more.clone());
            tree.extend(more);
            prop_assert!(same(&sorted, &tree));
            let text = serde_json::to_string(&sorted).unwrap();
            prop_assert_eq!(&text, &serde_json::to_string(&tree).unwrap());
            prop_assert_eq!(&serde_json::from_str::<Sorted<u8>>(&text).unwrap(), &sorted);
            prop_assert!(tree.keys().all(|key| sorted.get(key) == tree.get(key)) && sorted.get("e").is_none());
        }
    }

    #[test]
    fn of_a_key_that_is_written_twice_the_last_value_counts() {
        let read: Sorted<u8> = serde_json::from_str(r#"{"b": 1, "a": 2, "b": 3}"#).unwrap();
        assert_eq!(format!("{read:?}"), r#"{"a": 2, "b": 3}"#);
    }
}
