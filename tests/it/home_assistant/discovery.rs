//! What a real Home Assistant makes of announcements by MQTT discovery, and what we make of the same: which entities there
//! are, what they are called, how they are and whether they can be reached.

mod commanded;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rumqttc::v5::mqttbytes::QoS;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::sleep;
use zhiju::hub::discovery::Discovery;
use zhiju::hub::{Change, Hub, MqttHub};

use super::{Rest, settings};
use crate::common::{Client, Pace};

/// How long Home Assistant may take until it knows what it will know.
const SETTLES: Duration = Duration::from_secs(20);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Announcement {
    r#as: String,
    is: Map<String, Value>,
    said: BTreeMap<String, String>,
    /// Why the two may not agree.
    differs: Option<String>,
}

impl Announcement {
    /// All that are tried.
    fn all() -> Vec<Self> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/tests/discovery.yaml");
        serde_yaml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
    }

    /// Publishes all of them, and what they say then.
    async fn publish(all: &[Self], publisher: &Client) {
        for (n, announcement) in all.iter().enumerate() {
            let (topic, config) = announcement.config(n);
            publisher.client.publish(topic, QoS::AtLeastOnce, true, config).await.unwrap();
            for (topic, payload) in &announcement.said {
                publisher.client.publish(topic, QoS::AtLeastOnce, true, payload.clone()).await.unwrap();
            }
        }
    }

    /// What we make of all of them.
    fn heard(all: &[Self]) -> (Discovery, Vec<Change>) {
        let mut hub = Discovery::new("homeassistant".into());
        for (n, announcement) in all.iter().enumerate() {
            let (topic, config) = announcement.config(n);
            hub.heard(&topic, config.as_bytes(), true);
        }
        let said = all.iter().flat_map(|announcement| &announcement.said);
        let changes = said.flat_map(|(topic, payload)| hub.heard(topic, payload.as_bytes(), true)).collect();
        (hub, changes)
    }

    /// The one of this number, told apart from all others.
    fn config(&self, n: usize) -> (String, String) {
        let mut config = self.is.clone();
        config.insert("uniq_id".into(), format!("d{n}").into());
        config.insert("obj_id".into(), format!("d{n}").into());
        (format!("homeassistant/{}/d{n}/config", self.r#as), Value::Object(config).to_string())
    }
}

/// An entity as we know it: its name, its values, and whether it can be reached.
type Entity = (String, Map<String, Value>, bool);

/// What we make of the announcements, by platform and number.
fn ours(all: &[Announcement]) -> BTreeMap<String, Entity> {
    let (hub, changes) = Announcement::heard(all);
    let mut values: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for change in changes {
        if let Change::State { device, values: state } = change {
            values.entry(device).or_default().extend(state);
        }
    }
    let document = hub.home().document;
    let devices = document["devices"].as_array().unwrap();
    let of = |device: &Value| {
        let id = device["id"].as_str().unwrap().to_owned();
        let state = values.get(&id).cloned().unwrap_or_default();
        (id, (device["name"].as_str().unwrap().to_owned(), state, device["online"] != false))
    };
    devices.iter().map(of).collect()
}

/// What a state of Home Assistant is in our words, by the ids of our properties; an empty id is the only one.
fn theirs(platform: &str, state: &Value) -> Map<String, Value> {
    let (is, attribute) = (state["state"].as_str().unwrap_or_default(), |key: &str| state["attributes"][key].clone());
    let scaled = |key: &str, by: f64| attribute(key).as_f64().map_or(Value::Null, |n| json!(n * by));
    let one_of = |table: &[(&str, &str)]| {
        let found = table.iter().find(|(theirs, _)| *theirs == is);
        found.map_or(Value::Null, |(_, ours)| Value::from(*ours))
    };
    let moded = || if is == "off" { Value::Null } else { Value::from(is) };
    let said = match platform {
        "light" => vec![
            ("power", json!(is == "on")),
            ("brightness", scaled("brightness", 100.0 / 255.0)),
            ("color_temp", attribute("color_temp_kelvin")),
        ],
        "switch" | "siren" => vec![("power", json!(is == "on"))],
        "fan" => vec![
            ("power", json!(is == "on")),
            ("speed", attribute("percentage")),
            ("mode", attribute("preset_mode")),
            ("oscillation", attribute("oscillating")),
            ("direction", attribute("direction")),
        ],
        "climate" => vec![
            ("power", json!(is != "off")),
            ("mode", moded()),
            ("temperature", attribute("temperature")),
            ("temperature_low", attribute("target_temp_low")),
            ("temperature_high", attribute("target_temp_high")),
            ("current_temperature", attribute("current_temperature")),
            ("fan_mode", attribute("fan_mode")),
            ("preset", attribute("preset_mode")),
        ],
        "water_heater" => vec![
            ("power", json!(is != "off")),
            ("mode", moded()),
            ("temperature", attribute("temperature")),
            ("current_temperature", attribute("current_temperature")),
        ],
        "humidifier" => {
            vec![("power", json!(is == "on")), ("humidity", attribute("humidity")), ("mode", attribute("mode"))]
        }
        "cover" | "valve" => {
            let position = attribute("current_position");
            let moves = one_of(&[("open", "open"), ("closed", "close")]);
            let (action, position) = if position.is_null() { (moves, position) } else { (Value::Null, position) };
            vec![("action", action), ("position", position), ("tilt", attribute("current_tilt_position"))]
        }
        "lock" => vec![("locked", json!(is == "locked"))],
        "vacuum" => {
            let states = [("cleaning", "clean"), ("paused", "pause"), ("idle", "stop"), ("docked", "return")];
            vec![("activity", is.into()), ("run", one_of(&states)), ("fan_speed", attribute("fan_speed"))]
        }
        "lawn_mower" => {
            let states = [("mowing", "mow"), ("paused", "pause"), ("docked", "dock")];
            vec![("activity", is.into()), ("run", one_of(&states))]
        }
        "binary_sensor" => vec![("", json!(is == "on"))],
        "sensor" | "number" => vec![("", is.parse::<f64>().map_or(Value::Null, Value::from))],
        "select" | "text" => vec![("", is.into())],
        _ => Vec::new(),
    };
    said.into_iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.to_owned(), value)).collect()
}

fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours.as_f64(), theirs.as_f64()) {
        // They count in 255ths and in mired, we in per cent and in kelvin.
        (Some(ours), Some(theirs)) => (ours - theirs).abs() <= (theirs.abs() * 0.005).max(0.51),
        _ => ours == theirs,
    }
}

fn bare(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace()).collect()
}

/// In what an entity differs here and there.
fn compared(platform: &str, mine: Option<&Entity>, state: Option<&Value>) -> Vec<String> {
    let (Some((name, values, online)), Some(state)) = (mine, state) else {
        let differs = mine.is_some() != state.is_some();
        return differs.then(|| format!("here {}, there {}", mine.is_some(), state.is_some())).into_iter().collect();
    };
    let mut differences = Vec::new();
    let called = state["attributes"]["friendly_name"].as_str().unwrap_or_default();
    if bare(name) != bare(called) {
        differences.push(format!("is called {name} here and {called} there"));
    }
    let is = state["state"].as_str().unwrap_or_default();
    if *online == (is == "unavailable") {
        differences.push(format!("online here {online}, there {is}"));
    }
    if !["unavailable", "unknown"].contains(&is) {
        for (key, value) in theirs(platform, state) {
            let mine = if key.is_empty() { values.values().next() } else { values.get(&key) };
            if !mine.is_some_and(|mine| same(mine, &value)) {
                differences.push(format!("{key} is {mine:?} here and {value} there"));
            }
        }
    }
    differences
}

/// In what all of them differ once Home Assistant took them in, and how many of them are there.
async fn differences(all: &[Announcement], rest: &Rest) -> (Vec<String>, usize) {
    let ours = ours(all);
    let began = Instant::now();
    loop {
        let states = rest.ask("GET", "/api/states", "").await.unwrap();
        let states = states.as_array().unwrap().iter();
        let by_id: BTreeMap<&str, &Value> = states.map(|state| (state["entity_id"].as_str().unwrap(), state)).collect();
        let (mut differences, mut there) = (Vec::new(), 0);
        for (n, announcement) in all.iter().enumerate() {
            let platform = announcement.r#as.as_str();
            let (mine, state) = (ours.get(&format!("{platform}:d{n}")), by_id.get(format!("{platform}.d{n}").as_str()));
            there += usize::from(state.is_some());
            let found = compared(platform, mine, state.copied());
            // What is said to differ has to.
            if found.is_empty() == announcement.differs.is_some() {
                differences.push(format!("{n} {platform} {}: {found:?}", announcement.is["name"]));
            }
        }
        // It takes them one after the other, and tells nobody when it is through.
        if differences.is_empty() || began.elapsed() > SETTLES {
            return (differences, there);
        }
        sleep(Duration::from_millis(200)).await;
    }
}

/// Takes all of them back and waits until Home Assistant has none of them: what is announced again while the last one of
/// its name still goes would be there twice, or not at all.
async fn take_back(all: &[Announcement], publisher: &Client, rest: &Rest) {
    for (n, announcement) in all.iter().enumerate() {
        publisher.client.publish(announcement.config(n).0, QoS::AtLeastOnce, true, "").await.unwrap();
    }
    let began = Instant::now();
    loop {
        let states = rest.ask("GET", "/api/states", "").await.unwrap();
        let is_left = |n: usize, announcement: &Announcement| {
            let id = format!("{}.d{n}", announcement.r#as);
            states.as_array().unwrap().iter().any(|state| state["entity_id"] == *id)
        };
        let left: Vec<usize> = (0..all.len()).filter(|&n| is_left(n, &all[n])).collect();
        if left.is_empty() {
            return;
        }
        assert!(began.elapsed() < SETTLES, "{left:?} do not go");
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a real Home Assistant; see deploy/tests/home_assistant.sh"]
async fn announcements_become_what_home_assistant_makes_of_them() {
    let (_, rest) = settings();
    let port = std::env::var("ZHIJU_HA_MQTT_PORT").unwrap().parse().unwrap();
    let all = Announcement::all();
    let publisher = Client::subscribed(port, "publisher", &["zhiju/home/nothing"], Pace::default()).await;
    Announcement::publish(&all, &publisher).await;
    let (differences, there) = differences(&all, &rest).await;
    println!("{} announcements, {there} entities there, {} differences", all.len(), differences.len());
    // What is said to the house by the other tests is not about these.
    take_back(&all, &publisher, &rest).await;
    assert!(all.len() >= 60 && differences.is_empty(), "{differences:#?}");
}
