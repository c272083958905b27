//! What a JSON text weighs once it is read: a few bytes of text can become hundreds in memory.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Bytes of a value.
const VALUE: usize = 80;

/// Bytes of an object besides its entries; it has room for a few from the start.
const OBJECT: usize = 500;

/// Bytes of an entry of an object besides its value.
const ENTRY: usize = 80;

/// Checks that a JSON text takes at most `limit` bytes once it is read, without reading more of it than that.
///
/// # Errors
/// When it takes more, or is no JSON.
pub fn check(text: &str, limit: usize) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    Scale { left: limit, limit }.deserialize(&mut json)?;
    json.end()
}

/// What is left of the limit.
struct Scale {
    left: usize,
    limit: usize,
}

impl Scale {
    fn take<E: Error>(&mut self, bytes: usize) -> Result<(), E> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            E::custom(format_args!("its values take more than {} KiB of memory, which is the most", self.limit >> 10))
        })?;
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for &mut Scale {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Scale {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.take(VALUE)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.take(VALUE)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.take(VALUE)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.take(VALUE)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.take(VALUE)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.take(VALUE + text.len())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.take(VALUE)?;
        while items.next_element_seed(&mut *self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        self.take(VALUE + OBJECT)?;
        while entries.next_key_seed(&mut *self)?.is_some() {
            self.take(ENTRY)?;
            entries.next_value_seed(&mut *self)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_as_text_and_large_in_memory_is_refused_before_it_is_read() {
        for bomb in ["[],".repeat(500_000), "{\"a\":0},".repeat(100_000), "0,".repeat(400_000)] {
            let text = format!("[{}0]", bomb);
            let error = check(&text, 24 << 20).unwrap_err();
            assert!(error.to_string().contains("its values take more than 24576 KiB"), "{error}");
        }
        check(&format!("[{}0]", "0,".repeat(200_000)), 24 << 20).unwrap();
    }

    #[test]
    fn what_is_no_json_is_named() {
        for text in ["", "{", "[1,]", "nul", "{} {}"] {
            assert!(check(text, 1 << 20).is_err(), "{text}");
        }
        check(r#"{"a": [1, -1, 0.5, "灯", null, true, {}]}"#, 1 << 20).unwrap();
    }
}
