//! What is written reads back the same, whatever a home calls its things.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::super::super::action::{Action, Amount, Ask, Condition, Status};
use super::super::super::command::{Quantifier, Type};
use super::super::super::lexicon::{Comparison, Extreme, Lexicon, Unit};
use super::super::parse_command;
use super::*;

static LEXICON: LazyLock<Arc<Lexicon>> = LazyLock::new(|| Arc::new(Lexicon::built_in().unwrap()));

/// Every word of the language, and names that hold what separates the parts of a command.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut words: Vec<String> = LEXICON.senses.keys().cloned().collect();
    words.sort();
    let hostile =
        ["灯-2", "A-1", "筒灯#1", "组-1", "客厅-南", "a,b", "!灯", "*", "@last", "UNKNOWN", "温度>26C", "“灯”"];
    words.extend(hostile.map(str::to_owned));
    words
});

fn word() -> impl Strategy<Value = String> {
    select(&WORDS[..])
}

fn vocabulary(document: &Value) -> Vocabulary {
    let (home, report) = crate::home::parse(document).unwrap();
    assert_eq!(report.rejected, []);
    Vocabulary::new(Arc::clone(&LEXICON), Arc::new(home))
}

/// A home that calls its rooms, devices, group, scene and a property by the words, in this order.
fn home(words: &[String]) -> Vocabulary {
    let device = |id: usize, room: &str| {
        json!({"id": id.to_string(), "name": words[3 + id], "aliases": [words[7 + id]],
        "local": room, "device": {"model": "m", "state": {}}})
    };
    let model = json!({"describe": "灯", "property": {
        "power": {"type": "bool"},
        "x": {"type": "uint", "min": 0, "max": 9, "describe": words[13]}
    }});
    let rooms = [&words[0], &words[1], &words[2]];
    vocabulary(&json!({
        "layout": [{"name": rooms[0], "floor": "一楼"}, {"name": rooms[1], "floor": "二楼"}, {"name": rooms[2], "floor": "二楼"}],
        "model": {"m": model},
        "devices": (0..4).map(|i| device(i, rooms[i % 3])).collect::<Vec<_>>(),
        "groups": [{"id": "g", "name": words[11], "members": ["0", "1"]}],
        "scenes": [{"id": "s", "name": words[12], "actions": [{"id": "0", "state": {"power": true}}]}]
    }))
}

/// Words of which no two are the same name.
fn names() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(word(), 14).prop_filter("two names are the same", |words| {
        let bare: std::collections::BTreeSet<String> = words.iter().map(|w| command::bare(w)).collect();
        bare.len() == words.len()
    })
}

fn unit() -> impl Strategy<Value = Option<Unit>> {
    select(vec![None, Some(Unit::Celsius), Some(Unit::Kelvin), Some(Unit::Gear), Some(Unit::Lux), Some(Unit::Minute)])
}

fn number() -> impl Strategy<Value = f64> {
    (-9_999..99_999i32).prop_map(|n| f64::from(n) / 10.0)
}

fn amount() -> impl Strategy<Value = Amount> {
    let kelvins: Vec<Amount> = LEXICON
        .kelvin
        .iter()
        .flat_map(|(_, words)| words)
        .filter_map(|word| {
            let kelvin = |s: &Sense| if let Sense::Kelvin(k) = s { Some(*k) } else { None };
            Some(Amount::Kelvin(LEXICON.senses(word).iter().find_map(kelvin)?, word.clone()))
        })
        .collect();
    prop_oneof![
        (number(), unit()).prop_map(|(n, unit)| Amount::Number(n, unit)),
        number().prop_map(Amount::Percent),
        extreme().prop_map(Amount::Extreme),
        word().prop_map(|word| Amount::Word(normalize(&word))),
        select(kelvins),
        Just(Amount::Little),
        Just(Amount::Lots),
    ]
}

fn extreme() -> impl Strategy<Value = Extreme> {
    select(vec![Extreme::Max, Extreme::Min, Extreme::Mid])
}

fn property() -> impl Strategy<Value = Index> {
    any::<Index>()
}

fn status(properties: usize) -> BoxedStrategy<Status> {
    let comparison = select(vec![
        Comparison::Greater,
        Comparison::Less,
        Comparison::Equal,
        Comparison::AtLeast,
        Comparison::AtMost,
        Comparison::NotEqual,
    ]);
    prop_oneof![
        (0..LEXICON.verbs.len()).prop_map(Status::Verb),
        (property(), any::<bool>()).prop_map(move |(p, flag)| Status::Flag(p.index(properties), flag)),
        word().prop_map(|word| Status::Word(normalize(&word))),
        (property(), comparison, number(), unit()).prop_map(move |(p, comparison, value, unit)| Status::Compare {
            property: p.index(properties),
            comparison,
            value,
            unit
        }),
    ]
    .boxed()
}

fn condition(properties: usize) -> BoxedStrategy<Condition> {
    prop_oneof![
        (status(properties), any::<bool>()).prop_map(|(status, holds)| Condition::Status { status, holds }),
        (property(), extreme())
            .prop_map(move |(p, extreme)| Condition::Extreme { property: p.index(properties), extreme }),
    ]
    .boxed()
}

fn action(properties: usize) -> BoxedStrategy<Action> {
    let of = move |p: Option<Index>| p.map(|p| p.index(properties));
    let ways = proptest::collection::vec((proptest::option::of(property()), any::<bool>()), 1..4);
    let ask = prop_oneof![
        Just(Ask::State),
        status(properties).prop_map(Ask::Is),
        status(properties).prop_map(Ask::Any),
        status(properties).prop_map(Ask::Which),
        status(properties).prop_map(Ask::Count),
        property().prop_map(move |p| Ask::Value(p.index(properties))),
        (property(), extreme()).prop_map(move |(p, extreme)| Ask::Most(p.index(properties), extreme)),
        property().prop_map(move |p| Ask::Range(p.index(properties))),
        (property(), any::<bool>()).prop_map(move |(p, up)| Ask::More(p.index(properties), up)),
        Just(Ask::Where),
        Just(Ask::List),
        Just(Ask::Number),
    ];
    prop_oneof![
        (0..LEXICON.verbs.len()).prop_map(Action::Verb),
        (proptest::option::of(property()), amount()).prop_map(move |(p, to)| Action::Set { property: of(p), to }),
        (ways, proptest::option::of(amount())).prop_map(move |(ways, by)| Action::Step {
            ways: ways.into_iter().map(|(p, up)| (of(p), up)).collect(),
            by
        }),
        ask.prop_map(Action::Ask),
        condition(properties).prop_map(Action::When),
        condition(properties).prop_map(Action::OrWhen),
    ]
    .boxed()
}

fn place(home: &Arc<Vocabulary>) -> BoxedStrategy<Place> {
    let (called, general) = (Arc::clone(home), Arc::clone(home));
    prop_oneof![
        (0..3usize).prop_map(Place::Room),
        Just(Place::Group(0)),
        Just(Place::Home),
        Just(Place::Here),
        word().prop_map(move |word| Place::called(&command::clean_place(&word), &called)),
        word().prop_map(move |word| match Place::general(&command::clean_place(&word), &general) {
            Place::Unknown(_) => Place::Home,
            place => place,
        }),
        condition(home.lexicon.properties.len())
            .prop_map(|condition| Place::Described(condition, Box::new(Place::Home))),
    ]
    .boxed()
}

fn target(home: &Arc<Vocabulary>) -> BoxedStrategy<Target> {
    let (called, general) = (Arc::clone(home), Arc::clone(home));
    let clean = |word: &str| match Name::named(word) {
        Name::Named(text) => text,
        _ => String::new(),
    };
    prop_oneof![
        word().prop_map(move |word| Target::called(&clean(&word), Type::Unknown, &called)),
        word().prop_map(move |word| Target::general(&clean(&word), Type::Unknown, &general)),
        (0..Type::ALL.len() - 1).prop_map(|i| Target::Type(Type::ALL[i])),
        (0..Type::ALL.len()).prop_map(|i| Target::Reference(Type::ALL[i])),
        Just(Target::Rooms),
        Just(Target::Scenes),
        Just(Target::Anything),
    ]
    .boxed()
}

fn order(home: &Arc<Vocabulary>) -> BoxedStrategy<Order> {
    let quantifier = select(vec![Quantifier::One, Quantifier::All, Quantifier::Any, Quantifier::Except]);
    let excluded =
        prop_oneof![place(home).prop_map(Excluded::Place), target(home).prop_map(|t| Excluded::Thing(t, None))];
    let vocabulary = Arc::clone(home);
    // A thing that is left out goes by a word, and by one that names no place of this home.
    let named = move |excluded: &Excluded| match excluded {
        Excluded::Thing(target, _) => {
            let word = thing_text(target, &vocabulary);
            let place = matches!(Place::general(&word, &vocabulary), Place::Unknown(_))
                && matches!(Place::called(&word, &vocabulary), Place::Unknown(_));
            place
                && !matches!(
                    target,
                    Target::Reference(_) | Target::Anything | Target::Rooms | Target::Scenes | Target::Text(..)
                )
        }
        Excluded::Place(Place::Unknown(_)) => false,
        Excluded::Place(_) => true,
    };
    let scope = (
        proptest::collection::vec(place(home), 0..3),
        proptest::collection::vec(excluded.prop_filter("no word for it", named), 0..2),
    );
    (action(home.lexicon.properties.len()), scope, target(home), quantifier, proptest::option::of(1..99u32))
        .prop_map(|(action, (include, exclude), target, quantifier, count)| Order {
            scope: Scope { include, exclude },
            quantifier,
            count,
            ..Order::about(action, target)
        })
        .boxed()
}

fn homes() -> impl Strategy<Value = (Arc<Vocabulary>, Vec<Order>)> {
    names().prop_map(|names| Arc::new(home(&names))).prop_flat_map(|home| {
        let orders = proptest::collection::vec(order(&home), 16);
        (Just(home), orders)
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same_whatever_the_home_calls_so((home, orders) in homes()) {
        for order in orders {
            let command = encode(&order, &home);
            prop_assert_eq!(decode(&command, &home), Ok(order), "{}", command);
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
