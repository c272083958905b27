//! Documents of any shape.

use super::*;

/// Arbitrary JSON that often looks like a home document.
fn document() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("d".to_owned()),
        Just("m".to_owned()),
        Just("uint".to_owned()),
        Just("enum".to_owned()),
        Just("high".to_owned()),
        any::<String>(),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.prop_map(Value::from),
    ];
    let key = prop_oneof![
        prop::sample::select(vec![
            "did",
            "layout",
            "model",
            "devices",
            "groups",
            "scenes",
            "name",
            "id",
            "floor",
            "aliases",
            "tags",
            "risk",
            "property",
            "p",
            "m",
            "type",
            "min",
            "max",
            "step",
            "range",
            "value",
            "describe",
            "unit",
            "access",
            "device",
            "state",
            "local",
            "room",
            "commands",
            "value_range",
            "value_list",
            "minimum",
            "maximum",
            "members",
            "actions",
            "online",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ];
    let tree = leaf.prop_recursive(6, 128, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..8)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    });
    (tree.clone(), tree).prop_map(|(mut whole, devices)| {
        if let Some(fields) = whole.as_object_mut() {
            fields.insert("devices".into(), json!([devices]));
        }
        whole
    })
}

proptest! {
    #[test]
    fn arbitrary_json_never_panics(document in document()) {
        let _ = parse(&document);
    }

    #[test]
    fn what_is_kept_keeps_its_promises(document in document()) {
        if let Ok((home, _)) = parse(&document) {
            for device in &home.devices {
                prop_assert!(device.room.is_none_or(|room| room < home.rooms.len()));
                prop_assert!(device.initial.iter().all(|(k, v)| device.property(k).unwrap().domain.accepts(v)));
            }
            prop_assert!(home.groups.iter().all(|g| !g.members.is_empty()));
            prop_assert!(home.scenes.iter().all(|s| !s.actions.is_empty()));
        }
    }
}
