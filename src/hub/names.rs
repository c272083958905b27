//! A hub's ids as those of the home, and back.

use serde_json::Value;

use super::device_id;

/// The hub's document with ids of the home: those of devices, groups and scenes, wherever they are named.
pub fn named(hub: &str, mut document: Value) -> Value {
    let rename = |entry: &mut Value| {
        if let Value::String(id) = entry {
            *id = device_id(hub, id);
        }
    };
    for device in list(&mut document, "devices") {
        device.get_mut("id").map(rename);
    }
    for group in list(&mut document, "groups") {
        group.get_mut("id").map(rename);
        list(group, "members").for_each(rename);
    }
    for scene in list(&mut document, "scenes") {
        scene.get_mut("id").map(rename);
        for action in list(scene, "actions") {
            action.get_mut("id").map(rename);
        }
    }
    document
}

/// The entries of a list; what is none has none.
fn list<'a>(entry: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    entry.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten()
}

/// The hub's own id of a device with this id in the home; `None` if it is none of this hub's.
pub fn own_id(hub: &str, id: &str) -> Option<String> {
    let escaped = id.strip_prefix(hub)?.strip_prefix(':')?;
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let hex = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_of_a_document_are_the_homes_wherever_they_stand() {
        let document = json!({
            "devices": [{"id": "a/b", "name": "a/b"}, {"id": 7}, 3],
            "groups": [{"id": "g", "members": ["a/b", 7]}],
            "scenes": [{"id": "s", "actions": [{"id": "a/b", "state": {"id": "a/b"}}]}],
        });
        let named = named("z", document);
        assert_eq!(
            named,
            json!({
                "devices": [{"id": "z:a%2Fb", "name": "a/b"}, {"id": 7}, 3],
                "groups": [{"id": "z:g", "members": ["z:a%2Fb", 7]}],
                "scenes": [{"id": "z:s", "actions": [{"id": "z:a%2Fb", "state": {"id": "a/b"}}]}],
            })
        );
        for document in [json!(null), json!([]), json!({"devices": {}, "groups": 1, "scenes": [[], {"actions": 2}]})] {
            assert_eq!(super::named("z", document.clone()), document);
        }
    }

    #[test]
    fn what_is_no_id_of_the_hub_has_none_there() {
        assert_eq!(own_id("z", "z:a%2Fb"), Some("a/b".into()));
        for other in ["y:a", "za", "z", "z2:a", "z:%", "z:%2", "z:%zz", "z:%ff"] {
            assert_eq!(own_id("z", other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn every_id_comes_back(own in any::<String>()) {
            prop_assert_eq!(own_id("z2m", &device_id("z2m", &own)), Some(own));
        }
    }
}
