//! What is written reads back the same, whatever a home calls its things.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::json;

use super::super::super::action::Action;
use super::super::super::command::Type;
use super::super::parse_command;
use super::super::tests::arbitrary::{LEXICON, WORDS, homes, vocabulary};
use super::*;

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same_whatever_the_home_calls_so((home, orders) in homes()) {
        for order in orders {
            let command = encode(&order, &home);
            // What the text has no slot for is kept beside it.
            let said = Order { everywhere: false, each: false, ordinal: None, filter: None, when: None, ..order };
            prop_assert_eq!(decode(&command, &home), Ok(said), "{}", command);
        }
    }

    /// Whatever of its names is written.
    #[test]
    fn a_device_or_a_scene_that_is_meant_by_itself_stays_that_one((home, _) in homes()) {
        let on = Action::Verb(LEXICON.verb("on").unwrap());
        let devices = (0..home.home.devices.len()).map(|device| Order::device(on.clone(), device, &home));
        for order in devices.chain(Order::run(0, &home)) {
            let things = |order: &Order| match &order.target {
                Target::Named { entities, .. } => entities.clone(),
                _ => Vec::new(),
            };
            let command = encode(&order, &home);
            let again = decode(&command, &home).unwrap();
            prop_assert_eq!((things(&again), again.scope), (things(&order), order.scope), "{}", command);
        }
    }
}

/// Homes whose devices are called by every word of the language, and have every other as an alias.
#[test]
fn a_device_that_is_called_by_any_word_of_the_language_is_found_again_by_it() {
    let mut seen = HashSet::new();
    let words: Vec<&String> = WORDS.iter().filter(|word| seen.insert(command::bare(word))).collect();
    let on = Action::Verb(LEXICON.verb("on").unwrap());
    for words in words.chunks(500) {
        let device = |(id, names): (usize, &[&String])| json!({"id": id.to_string(), "name": names[0], "aliases": names[1..], "device": {"model": "m"}});
        let home = vocabulary(&json!({
            "model": {"m": {"describe": "灯", "property": {"power": {"type": "bool"}}}},
            "devices": words.chunks(2).enumerate().map(device).collect::<Vec<_>>()
        }));
        for (at, word) in words.iter().enumerate() {
            let Name::Named(text) = Name::named(word) else { panic!("{word}") };
            let device = Order::device(on.clone(), at / 2, &home);
            let entities = |order: &Order| match &order.target {
                Target::Named { entities, .. } => entities.clone(),
                _ => Vec::new(),
            };
            let read = |order: &Order| decode(&encode(order, &home), &home).unwrap();
            assert_eq!(entities(&read(&device)), entities(&device), "{word}");
            for target in [Target::called(&text, Type::Unknown, &home), Target::general(&text, Type::Unknown, &home)] {
                let exclude = vec![Excluded::Thing(target.clone(), None)];
                let order = Order::about(on.clone(), target.clone());
                assert_eq!(read(&order), order, "{word}");
                let spared = Order { scope: Scope { exclude, ..Scope::default() }, ..order };
                let left_out = read(&spared).scope.exclude;
                if let Target::Named { entities, .. } = target {
                    assert!(
                        matches!(&left_out[..], [Excluded::Thing(Target::Named { entities: again, .. }, None)] if *again == entities),
                        "{word}: {left_out:?}"
                    );
                }
            }
        }
    }
}

/// A home with one device of each name, in rooms and with a group and a scene that hold separators as well.
fn separated() -> Vocabulary {
    let device =
        |id: &str, name: &str, room: &str| json!({"id": id, "name": name, "local": room, "device": {"model": "m"}});
    vocabulary(&json!({
        "layout": ["客厅", "客厅-南"],
        "model": {"m": {"describe": "灯", "property": {"power": {"type": "bool"}}}},
        "devices": [device("a", "灯-2", "客厅"), device("b", "A-1", "客厅"), device("c", "筒灯#1", "客厅-南"), device("d", "*", "客厅")],
        "groups": [{"id": "g", "name": "组-1", "members": ["a", "b"]}],
        "scenes": [{"id": "s", "name": "模式-A", "actions": [{"id": "a", "state": {"power": true}}]}]
    }))
}

#[test]
fn names_that_hold_separators_are_found_again() {
    let home = separated();
    for (name, entity) in [
        ("灯 2", Entity::Device(0)),
        ("A 1", Entity::Device(1)),
        ("筒灯 1", Entity::Device(2)),
        ("＊", Entity::Device(3)),
        ("组 1", Entity::Group(0)),
        ("模式 A", Entity::Scene(0)),
    ] {
        let text = format!("打开-客厅 南-{name}#Unknown#one");
        let order = decode(&parse_command(0, &text, &mut Vec::new()).unwrap(), &home).unwrap();
        assert!(matches!(&order.target, Target::Named { entities, .. } if *entities == [entity]), "{:?}", order.target);
        assert_eq!(order.scope.include, [Place::Room(1)]);
        let again = encode(&order, &home);
        assert_eq!((again.target.name, again.scope.to_string()), (Name::Named(name.into()), "客厅 南".into()));
    }
}

#[test]
fn a_thing_of_a_room_is_left_out_with_its_room() {
    let lamp = |id: &str, room: &str| json!({"id": id, "name": "落地灯", "local": room, "device": {"model": "m"}});
    let home = vocabulary(&json!({
        "layout": ["客厅", "主卧"],
        "model": {"m": {"describe": "灯", "property": {"power": {"type": "bool"}}}},
        "devices": [lamp("a", "客厅"), lamp("b", "主卧")]
    }));
    let off = LEXICON.verb("off").unwrap();
    let things = [
        Target::called("落地灯", Type::Unknown, &home),
        Target::called("筒灯", Type::Unknown, &home),
        Target::called("空调", Type::Unknown, &home),
    ];
    for (room, thing) in (0..2).flat_map(|room| things.iter().map(move |thing| (room, thing))) {
        let exclude = vec![Excluded::Thing(thing.clone(), Some(room))];
        let scope = Scope { exclude, ..Scope::default() };
        let order = Order { scope, ..Order::about(Action::Verb(off), Target::Type(Type::Light)) };
        let command = encode(&order, &home);
        assert_eq!(decode(&command, &home), Ok(order), "{command}");
    }
}

#[test]
fn words_that_nobody_understood_are_no_order() {
    let home = separated();
    let unclear = Order::about(Action::Unclear("跳个舞".into()), Target::Anything);
    assert_eq!(decode(&encode(&unclear, &home), &home), Err(DecodeError::Unknown));
}

#[test]
fn an_action_that_means_nothing_is_no_order() {
    let home = separated();
    let read = |text: &str| decode(&parse_command(0, text, &mut Vec::new()).unwrap(), &home);
    assert_eq!(read("UNKNOWN-*-*#Unknown#one"), Err(DecodeError::Unknown));
    assert_eq!(read("跳舞-*-*#Unknown#one"), Err(DecodeError::Action("跳舞".into())));
}
