//! Orders of generated homes, for tests: every form of every part of an order, in homes whose things are called like words of
//! the language, or by what separates the parts of a command.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::super::super::action::{Action, Amount, Ask, Condition, Status};
use super::super::super::command::{self, Name, Quantifier, Type};
use super::super::super::lexicon::{Comparison, Extreme, Lexicon, Sense, Unit};
use super::super::super::order::{Excluded, Order, Place, Scope, Target};
use super::super::super::time::{Day, End, Moment, Part, Repeat, Start, When};
use super::super::super::vocabulary::Vocabulary;
use crate::text::normalize;

/// The language that ships.
pub(crate) static LEXICON: LazyLock<Arc<Lexicon>> = LazyLock::new(|| Arc::new(Lexicon::built_in().unwrap()));

/// Every word of the language, and names that hold what separates the parts of a command.
pub(crate) static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut words: Vec<String> = LEXICON.senses.keys().cloned().collect();
    words.sort();
    let hostile =
        ["灯-2", "A-1", "筒灯#1", "组-1", "客厅-南", "a,b", "!灯", "*", "@last", "UNKNOWN", "温度>26C", "“灯”"];
    words.extend(hostile.map(str::to_owned));
    words
});

/// Names that a generated home has.
const NAMES: usize = 19;

fn word() -> impl Strategy<Value = String> {
    select(&WORDS[..])
}

/// The words of a home.
pub(crate) fn vocabulary(document: &Value) -> Vocabulary {
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
    let room = |n: usize, floor: &str| json!({"name": words[n], "floor": floor, "aliases": [words[14 + n]]});
    vocabulary(&json!({
        "layout": [room(0, "一楼"), room(1, "二楼"), room(2, "二楼")],
        "model": {"m": model},
        "devices": (0..4).map(|i| device(i, &words[i % 3])).collect::<Vec<_>>(),
        "groups": [{"id": "g", "name": words[11], "aliases": [words[17]], "members": ["0", "1"]}],
        "scenes": [{"id": "s", "name": words[12], "aliases": [words[18]], "actions": [{"id": "0", "state": {"power": true}}]}]
    }))
}

/// Words of which no two are the same name.
fn names() -> impl Strategy<Value = Vec<String>> {
    vec(word(), NAMES).prop_filter("two names are the same", |words| {
        let bare: BTreeSet<String> = words.iter().map(|w| command::bare(w)).collect();
        bare.len() == words.len()
    })
}

/// Units of plain numbers: a number of per cent is [`Amount::Percent`].
const UNITS: [Unit; 9] = [
    Unit::Celsius,
    Unit::Kelvin,
    Unit::Gear,
    Unit::Channel,
    Unit::Lux,
    Unit::Minute,
    Unit::Hour,
    Unit::Second,
    Unit::Portion,
];

fn unit() -> impl Strategy<Value = Option<Unit>> {
    of(select(&UNITS[..]))
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        (-9_999..99_999i32).prop_map(|n| f64::from(n) / 10.0),
        (-999_999..999_999i32).prop_map(|n| f64::from(n) / 1_000.0),
        (0..999_999_999u32).prop_map(f64::from),
    ]
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
    let unit = prop_oneof![unit(), Just(Some(Unit::Percent))];
    prop_oneof![
        (0..LEXICON.verbs.len()).prop_map(Status::Verb),
        (property(), any::<bool>()).prop_map(move |(p, flag)| Status::Flag(p.index(properties), flag)),
        word().prop_map(|word| Status::Word(normalize(&word))),
        (property(), comparison, number(), unit).prop_map(move |(p, comparison, value, unit)| Status::Compare {
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
    let at = move |p: Option<Index>| p.map(|p| p.index(properties));
    let ways = vec((of(property()), any::<bool>()), 1..4);
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
        Just(Ask::Lacking),
        Just(Ask::List),
        Just(Ask::Number),
    ];
    prop_oneof![
        (0..LEXICON.verbs.len()).prop_map(Action::Verb),
        (of(property()), amount()).prop_map(move |(p, to)| Action::Set { property: at(p), to }),
        (ways, of(amount())).prop_map(move |(ways, by)| Action::Step {
            ways: ways.into_iter().map(|(p, up)| (at(p), up)).collect(),
            by
        }),
        ask.prop_map(Action::Ask),
        condition(properties).prop_map(Action::When),
        condition(properties).prop_map(Action::OrWhen),
    ]
    .boxed()
}

/// A place that stands for itself.
fn plain_place(home: &Arc<Vocabulary>) -> BoxedStrategy<Place> {
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
    ]
    .boxed()
}

fn place(home: &Arc<Vocabulary>) -> BoxedStrategy<Place> {
    let named = plain_place(home).prop_filter("no word for it", |p| !matches!(p, Place::Here | Place::Unknown(_)));
    let among = prop_oneof![Just(Place::Home), named];
    let described = (condition(home.lexicon.properties.len()), among)
        .prop_map(|(condition, among)| Place::Described(condition, Box::new(among)));
    prop_oneof![4 => plain_place(home), 1 => described].boxed()
}

fn target(home: &Arc<Vocabulary>) -> BoxedStrategy<Target> {
    let (called, general) = (Arc::clone(home), Arc::clone(home));
    let clean = |word: &str| match Name::named(word) {
        Name::Named(text) => text,
        _ => String::new(),
    };
    prop_oneof![
        (word(), kind()).prop_map(move |(word, kind)| Target::called(&clean(&word), kind, &called)),
        (word(), kind()).prop_map(move |(word, kind)| Target::general(&clean(&word), kind, &general)),
        (0..Type::ALL.len() - 1).prop_map(|i| Target::Type(Type::ALL[i])),
        kind().prop_map(Target::Reference),
        Just(Target::Rooms),
        Just(Target::Scenes),
        Just(Target::Anything),
    ]
    .boxed()
}

fn kind() -> impl Strategy<Value = Type> {
    select(&Type::ALL[..])
}

/// What is left out. A thing goes by a word, and by one that names no place of this home.
fn excluded(home: &Arc<Vocabulary>) -> BoxedStrategy<Excluded> {
    let vocabulary = Arc::clone(home);
    let thing = target(home).prop_filter_map("no word for it", move |target| {
        let word = match &target {
            Target::Type(kind) => {
                let kind = vocabulary.lexicon.kinds.iter().find(|k| k.kind == *kind)?;
                kind.words[0].clone()
            }
            Target::Text(_, kind) if *kind != Type::Unknown => return None,
            target => target.word(&vocabulary)?.to_owned(),
        };
        let place = |place: Place| !matches!(place, Place::Unknown(_));
        let named = place(Place::general(&word, &vocabulary)) || place(Place::called(&word, &vocabulary));
        let whole = word == command::clean_place(&word);
        (whole && !named && !matches!(target, Target::Rooms | Target::Scenes | Target::Text(..)))
            .then_some(Excluded::Thing(target, None))
    });
    let place = place(home).prop_filter("no place", |place| !matches!(place, Place::Unknown(_)));
    prop_oneof![place.prop_map(Excluded::Place), thing].boxed()
}

fn moment() -> BoxedStrategy<Moment> {
    let day = prop_oneof![
        (0..400u32).prop_map(Day::In),
        (1..=7i8, of(0..2u8)).prop_map(|(day, week)| Day::Weekday(day, week)),
        any::<bool>().prop_map(Day::Weekend),
        (of(1..=12i8), 1..=31i8).prop_map(|(month, day)| Day::Date(month, day)),
        (1..=31i8).prop_map(Day::NextMonth),
    ];
    let part = (0..24u32, 0..32u32, of(0..32u32)).prop_map(|(from, to, alone)| Part { from, to, alone });
    let said = (of(day), of(part), of((0..25u32, 0..60u32)));
    let plain = said.prop_map(|(day, part, clock)| Moment { day, part, clock, following: None }).boxed();
    (plain.clone(), of(plain)).prop_map(|(said, before)| Moment { following: before.map(Box::new), ..said }).boxed()
}

fn when() -> BoxedStrategy<When> {
    let start = prop_oneof![any::<u64>().prop_map(Start::After), moment().prop_map(Start::At)];
    let repeat = prop_oneof![
        (1..99_999u64).prop_map(|minutes| Repeat::Every(minutes * 60)),
        (1..999u32).prop_map(Repeat::Days),
        (1..128u8).prop_map(Repeat::Week),
        (1..=31i8).prop_map(Repeat::Month),
    ];
    let end = prop_oneof![any::<u64>().prop_map(End::For), moment().prop_map(End::Until)];
    (of(start), of(repeat), of(end)).prop_map(|(start, repeat, end)| When { start, repeat, end }).boxed()
}

fn order(home: &Arc<Vocabulary>) -> BoxedStrategy<Order> {
    let quantifier = select(vec![Quantifier::One, Quantifier::All, Quantifier::Any, Quantifier::Except]);
    let properties = home.lexicon.properties.len();
    let scope =
        (vec(place(home), 0..3), vec(excluded(home), 0..2)).prop_map(|(include, exclude)| Scope { include, exclude });
    let number = || of(prop_oneof![1..99u32, 1..=u32::MAX]);
    let how_many = (quantifier, number(), any::<bool>(), any::<bool>(), number());
    (action(properties), scope, target(home), how_many, of(condition(properties)), of(when()))
        .prop_map(|(action, scope, target, (quantifier, count, everywhere, each, ordinal), filter, when)| Order {
            action,
            scope,
            target,
            quantifier,
            count,
            everywhere,
            each,
            ordinal,
            filter,
            when,
        })
        .boxed()
}

/// An order that leaves out the things of rooms: what the text cannot always say.
pub(crate) fn apart() -> impl Strategy<Value = (Arc<Vocabulary>, Order)> {
    let homes = names().prop_map(|names| Arc::new(home(&names)));
    homes.prop_flat_map(|home| {
        let thing = (target(&home), of(0..3usize)).prop_filter_map("no thing", |(target, room)| {
            let thing = matches!(target, Target::Named { .. } | Target::Kind(..) | Target::Sort(..) | Target::Text(..));
            thing.then_some(Excluded::Thing(target, room))
        });
        let order = (order(&home), vec(thing, 1..3))
            .prop_map(|(order, exclude)| Order { scope: Scope { exclude, ..order.scope }, ..order });
        (Just(home), order)
    })
}

/// A home, and orders in it.
pub(crate) fn homes() -> impl Strategy<Value = (Arc<Vocabulary>, Vec<Order>)> {
    names().prop_map(|names| Arc::new(home(&names))).prop_flat_map(|home| {
        let orders = vec(order(&home), 16);
        (Just(home), orders)
    })
}
