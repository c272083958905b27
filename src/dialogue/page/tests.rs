//! What is kept of an order is that order, or nothing.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::language::action::{Action, Amount};
use crate::language::order::Target;
use crate::language::protocol::tests::arbitrary::{apart, homes, vocabulary};

/// What comes of a record as it stands in the store.
fn read(kept: Value, vocabulary: &Vocabulary) -> Option<Order> {
    serde_json::from_value::<OrderRecord>(kept).ok()?.order(vocabulary)
}

proptest! {
    #[test]
    fn what_is_kept_of_an_order_is_the_same_order((home, orders) in homes()) {
        for order in orders {
            let kept = serde_json::to_value(OrderRecord::keep(&order, &home)).unwrap();
            prop_assert_eq!(read(kept.clone(), &home), Some(order), "{}", kept);
        }
    }

    #[test]
    fn what_is_left_out_is_left_out_or_nothing_is_kept((home, order) in apart()) {
        let kept = serde_json::to_value(OrderRecord::keep(&order, &home)).unwrap();
        if let Some(again) = read(kept.clone(), &home) {
            prop_assert!(leave_out_the_same(&again.scope.exclude, &order.scope.exclude, &home), "{}", kept);
            let scope = order.scope.clone();
            prop_assert_eq!(Order { scope, ..again }, order, "{}", kept);
        }
    }

    #[test]
    fn a_record_without_one_of_its_parts_or_with_another_one_is_none((home, orders) in homes()) {
        for order in orders {
            let kept = serde_json::to_value(OrderRecord::keep(&order, &home)).unwrap();
            for key in ["command", "everywhere", "each", "ordinal", "only"] {
                let mut less = kept.clone();
                less.as_object_mut().unwrap().remove(key);
                prop_assert_eq!(read(less, &home), None, "{} without {}", kept, key);
            }
            for (key, value) in [("but", json!(["a"])), ("everywhere", json!(1)), ("ordinal", json!(0)), ("ordinal", json!(-1)),
                ("only", json!("")), ("only", json!("跳舞")), ("when", json!("later")), ("when", json!({"start": {"soon": 1}})),
                ("when", json!({"begin": {"after": 1}})), ("when", json!({"repeat": "FREQ=YEARLY"}))] {
                let mut other = kept.clone();
                other[key] = value.clone();
                prop_assert_eq!(read(other, &home), None, "{} with {} {}", kept, key, value);
            }
        }
    }
}

#[test]
fn a_step_is_kept_as_one_where_something_is_called_like_the_end_of_its_word() {
    let number = json!({"type": "uint", "min": 0, "max": 9, "describe": "低"});
    let model = json!({"m": {"describe": "灯", "property": {"power": {"type": "bool"}, "low": number}}});
    let lamp = json!({"id": "a", "name": "筒灯", "local": "客厅", "device": {"model": "m"}});
    let home = vocabulary(&json!({"layout": ["客厅"], "model": model, "devices": [lamp]}));
    let low = home.lexicon.properties.iter().position(|p| p.own && p.words[0] == "低").unwrap();
    for action in [
        Action::Step { ways: vec![(None, false)], by: Some(Amount::Percent(10.0)) },
        Action::Set { property: Some(low), to: Amount::Number(3.0, None) },
    ] {
        let order = Order::about(action, Target::Anything);
        assert_eq!(read(serde_json::to_value(OrderRecord::keep(&order, &home)).unwrap(), &home), Some(order));
    }
}

#[test]
fn a_command_that_would_have_to_be_mended_is_none() {
    let model = json!({"m": {"describe": "灯", "property": {"power": {"type": "bool"}}}});
    let lamp = json!({"id": "a", "name": "筒灯", "local": "客厅", "device": {"model": "m"}});
    let home = vocabulary(&json!({"layout": ["客厅"], "model": model, "devices": [lamp]}));
    let kept = |command: &str| {
        let kept = json!({"command": command, "everywhere": false, "each": false, "ordinal": null, "only": null});
        read(kept, &home).is_some()
    };
    assert!(kept("关闭-客厅-*#Light#all") && kept("关闭-客厅-筒灯#Light#any#2"));
    for command in [
        "关闭-客厅-*#Lamp#all",
        "关闭-客厅-*#Light#each",
        "关闭-客厅-*#Light#any#0",
        "关闭-客厅-*#Light#any#two",
        "关闭-客厅-*#Light#all#1#2",
        "关闭-客厅-筒灯",
        "关闭-客厅",
        "UNKNOWN-*-*#Unknown#one",
        "跳舞-*-*#Unknown#one",
        "",
    ] {
        assert!(!kept(command), "{command}");
    }
}
