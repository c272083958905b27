//! What Home Assistant calls the switches, numbers and selections of its devices in Chinese, as features of one thing: each is set
//! and asked for by its name, however it is spaced, and where the thing has none of it nothing moves.

use serde_json::{Map, Value, json};

use crate::suite::measured;

/// Features of one thing.
const FEATURES: usize = 6;

/// The least share of sentences that must come out right, in per cent, by what is said.
const FLOORS: [(&str, f64); 8] = [
    ("on", 98.0),
    ("off", 98.0),
    ("ask", 98.0),
    ("number", 98.0),
    ("ask-number", 98.0),
    ("select", 98.0),
    ("spaced", 98.0),
    ("absent", 100.0),
];

fn names() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/home_assistant/names.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn strings(list: &Value) -> Vec<&str> {
    // What any purifier has already is no other switch of it.
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).filter(|name| *name != "电源").collect()
}

/// A purifier with so many features, and a lamp elsewhere.
fn home(features: Vec<(Value, Value)>) -> Value {
    let flag = json!({"type": "bool", "range": [true, false]});
    let (mut properties, mut state) = (Map::new(), Map::new());
    properties.insert("power".into(), json!({"type": "bool", "range": [true, false], "describe": "电源"}));
    state.insert("power".into(), true.into());
    for (at, (property, value)) in features.into_iter().enumerate() {
        properties.insert(format!("p{at}"), property);
        state.insert(format!("p{at}"), value);
    }
    json!({
        "did": "names", "layout": ["客厅", "卧室"],
        "model": {
            "m": {"name": "machine", "describe": "净化器，净化空气。", "property": properties},
            "l": {"name": "lamp", "describe": "灯，照明。", "property": {"power": flag}},
        },
        "devices": [
            {"id": "d", "name": "净化器", "local": "客厅", "device": {"model": "m", "state": state}},
            {"id": "l", "name": "台灯", "local": "卧室", "device": {"model": "l", "state": {"power": false}}},
        ],
    })
}

#[derive(Default)]
struct Suite {
    lines: String,
    count: usize,
}

impl Suite {
    fn case(&mut self, tag: &str, home: &Value, said: String, expect: Value) {
        self.count += 1;
        let turns = json!([{"question": said, "expect": expect}]);
        let case =
            json!({"id": format!("{tag}-{}", self.count), "tag": tag, "home": home, "local": "客厅", "turns": turns});
        self.lines.push_str(&format!("{case}\n"));
    }

    fn set(&mut self, tag: &str, home: &Value, said: String, at: usize, value: Value) {
        let instructs = json!({"d": {format!("p{at}"): value}});
        self.case(tag, home, said, json!({"intent": "instruct", "match": "exact", "instructs": instructs}));
    }
}

/// A name as a recogniser or somebody else spaces it.
fn spaced(name: &str) -> String {
    match name.contains(' ') {
        true => name.replace(' ', "  "),
        false => name.chars().map(|c| if c.is_ascii_uppercase() { format!(" {c}") } else { c.to_string() }).collect(),
    }
}

fn switches(suite: &mut Suite, names: &[&str]) {
    for names in names.chunks(FEATURES) {
        let flag = |name: &&str| json!({"type": "bool", "range": [true, false], "describe": name});
        let on = |at: usize| at.is_multiple_of(2);
        let home = home(names.iter().enumerate().map(|(at, name)| (flag(name), on(at).into())).collect());
        for (at, name) in names.iter().enumerate() {
            let told = |name: &str| match on(at) {
                true => format!("把净化器的{name}关掉"),
                false => format!("打开净化器的{name}"),
            };
            suite.set(if on(at) { "off" } else { "on" }, &home, told(name), at, (!on(at)).into());
            let answer = json!({"intent": "answer", "contains": [if on(at) { "是的" } else { "没有" }]});
            suite.case("ask", &home, format!("净化器的{name}开着吗"), answer.clone());
            let letters = name.contains(|c: char| c.is_ascii_alphanumeric());
            if letters {
                let bare = name.replace(' ', "");
                suite.set("spaced", &home, told(&bare), at, (!on(at)).into());
                suite.case("spaced", &home, format!("净化器的{bare}开着吗"), answer.clone());
                suite.set("spaced", &home, told(&spaced(name)), at, (!on(at)).into());
                suite.case("spaced", &home, format!("净化器的{} 开着吗", spaced(name)), answer);
            }
        }
    }
}

/// The same names where the thing has nothing but its power.
fn absent(suite: &mut Suite, names: &[&str]) {
    let home = home(Vec::new());
    // By 开关 everybody means the thing itself.
    for name in names.iter().filter(|name| **name != "开关") {
        for said in [format!("把净化器的{name}关掉"), format!("净化器的{name}开着吗")] {
            let nothing = json!({"intent": "no_action"});
            suite.case("absent", &home, said, nothing);
        }
    }
}

fn numbers(suite: &mut Suite, names: &[&str]) {
    for names in names.chunks(FEATURES) {
        let number = |name: &&str| json!({"type": "uint", "min": 0, "max": 100, "describe": name});
        let home = home(names.iter().enumerate().map(|(at, name)| (number(name), (20 + at).into())).collect());
        for (at, name) in names.iter().enumerate() {
            suite.set("number", &home, format!("把净化器的{name}调到37"), at, 37.into());
            let answer = json!({"intent": "answer", "contains": [(20 + at).to_string()]});
            suite.case("ask-number", &home, format!("净化器的{name}是多少"), answer);
        }
    }
}

fn selections(suite: &mut Suite, selections: &Value) {
    for (name, values) in selections.as_object().unwrap() {
        let values: Vec<(&String, &Value)> = values.as_object().unwrap().iter().collect();
        let range: Vec<Value> = values.iter().map(|(id, word)| json!({"value": id, "describe": word})).collect();
        let property = json!({"type": "enum", "describe": name, "range": range});
        let (first, last) = (values[0], values[values.len() - 1]);
        let home = home(vec![(property, json!(last.0))]);
        let said = format!("把净化器的{name}调成{}", first.1.as_str().unwrap());
        suite.set("select", &home, said, 0, json!(first.0));
    }
}

#[test]
fn what_home_assistant_calls_features_is_set_and_asked_for_by_these_names() {
    let names = names();
    let (of_switches, of_numbers) = (strings(&names["switch"]), strings(&names["number"]));
    let mut suite = Suite::default();
    switches(&mut suite, &of_switches);
    absent(&mut suite, &of_switches);
    numbers(&mut suite, &of_numbers);
    selections(&mut suite, &names["select"]);
    assert!(suite.count >= 1200, "{}", suite.count);
    let (report, text) = measured("home-assistant-names", &suite.lines, &[]);
    for (tag, floor) in FLOORS {
        let percent = report["tags"][tag]["percent"].as_f64().unwrap_or_default();
        assert!(percent >= floor, "{tag} {percent:.1} % is below {floor} %\n{text}");
    }
    assert_eq!(report["total"]["misfires"], 0, "{text}");
}
