//! What a real Home Assistant publishes when a service of an announced entity is called, and what we publish for the same; and
//! what is left on either side when an announcement is taken back.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rumqttc::v5::mqttbytes::QoS;
use serde_json::{Map, Value, json};
use tokio::time::sleep;
use zhiju::hub::discovery::Discovery;
use zhiju::hub::{Hub, MqttHub, To};

use super::super::{Rest, settings};
use super::{Announcement, differences, take_back};
use crate::common::{Client, Pace};

/// How long Home Assistant may take until it published what it was asked for.
const PUBLISHES: Duration = Duration::from_secs(10);

/// A service with its data, and what that is in our words, by the ids of our properties; an empty id is the only one.
type Wish = (&'static str, Value, Value);

/// What is asked of an entity, by the properties that it has here.
fn wishes(platform: &str, properties: &Map<String, Value>) -> Vec<Wish> {
    let first = |id: &str| properties[id]["range"][0]["value"].clone();
    let middle = |id: &str| {
        let bound = |key: &str| properties[id][key].as_f64().unwrap_or_default();
        json!(((bound("min") + bound("max")) / 2.0).round() as i64)
    };
    let on_off = |on: Value| [("turn_on", json!({}), on), ("turn_off", json!({}), json!({"power": false}))];
    let mut wishes: Vec<Wish> = Vec::new();
    for id in properties.iter().filter(|(_, told)| told["access"] != "read").map(|(id, _)| id.as_str()) {
        wishes.extend(match (platform, id) {
            ("light" | "switch" | "siren" | "fan" | "humidifier", "power") => on_off(json!({"power": true})).to_vec(),
            ("light", "brightness") => {
                vec![("turn_on", json!({"brightness_pct": 40}), json!({"power": true, "brightness": 40}))]
            }
            ("light", "color_temp") => {
                vec![("turn_on", json!({"color_temp": 250}), json!({"power": true, "color_temp": 4000}))]
            }
            ("light", "color") => {
                vec![("turn_on", json!({"xy_color": [0.6401, 0.33]}), json!({"power": true, "color": "red"}))]
            }
            ("fan", "speed") => vec![("set_percentage", json!({"percentage": 50}), json!({"speed": 50}))],
            ("fan", "mode") => vec![("set_preset_mode", json!({"preset_mode": first(id)}), json!({"mode": first(id)}))],
            ("fan", "oscillation") => vec![("oscillate", json!({"oscillating": true}), json!({"oscillation": true}))],
            ("fan", "direction") => {
                vec![("set_direction", json!({"direction": "reverse"}), json!({"direction": "reverse"}))]
            }
            ("climate", "mode") => vec![("set_hvac_mode", json!({"hvac_mode": first(id)}), json!({"mode": first(id)}))],
            ("climate" | "water_heater", "temperature") => {
                vec![("set_temperature", json!({"temperature": middle(id)}), json!({"temperature": middle(id)}))]
            }
            ("climate", "temperature_low") => vec![(
                "set_temperature",
                json!({"target_temp_low": 19, "target_temp_high": 25}),
                json!({"temperature_low": 19, "temperature_high": 25}),
            )],
            ("climate", "fan_mode") => {
                vec![("set_fan_mode", json!({"fan_mode": first(id)}), json!({"fan_mode": first(id)}))]
            }
            ("climate", "preset") => vec![("set_preset_mode", json!({"preset_mode": "eco"}), json!({"preset": "eco"}))],
            ("water_heater", "mode") => {
                vec![("set_operation_mode", json!({"operation_mode": first(id)}), json!({"mode": first(id)}))]
            }
            ("humidifier", "humidity") => vec![("set_humidity", json!({"humidity": 50}), json!({"humidity": 50}))],
            ("humidifier", "mode") => vec![("set_mode", json!({"mode": first(id)}), json!({"mode": first(id)}))],
            ("cover", "action") => [("open_cover", "open"), ("close_cover", "close"), ("stop_cover", "stop")]
                .map(|(service, action)| (service, json!({}), json!({"action": action})))
                .to_vec(),
            ("valve", "action") => [("open_valve", "open"), ("close_valve", "close")]
                .map(|(service, action)| (service, json!({}), json!({"action": action})))
                .to_vec(),
            ("cover", "position") => vec![("set_cover_position", json!({"position": 30}), json!({"position": 30}))],
            ("valve", "position") => vec![("set_valve_position", json!({"position": 30}), json!({"position": 30}))],
            ("cover", "tilt") => vec![("set_cover_tilt_position", json!({"tilt_position": 40}), json!({"tilt": 40}))],
            ("lock", "locked") => [("lock", true), ("unlock", false)]
                .map(|(service, locked)| (service, json!({}), json!({"locked": locked})))
                .to_vec(),
            ("vacuum", "run") => [("start", "clean"), ("stop", "stop"), ("return_to_base", "return")]
                .map(|(service, run)| (service, json!({}), json!({"run": run})))
                .to_vec(),
            ("vacuum", "fan_speed") => {
                vec![("set_fan_speed", json!({"fan_speed": first(id)}), json!({"fan_speed": first(id)}))]
            }
            ("lawn_mower", "run") => [("start_mowing", "mow"), ("dock", "dock")]
                .map(|(service, run)| (service, json!({}), json!({"run": run})))
                .to_vec(),
            ("number", _) => vec![("set_value", json!({"value": middle(id)}), json!({"": middle(id)}))],
            ("select", _) => vec![("select_option", json!({"option": first(id)}), json!({"": first(id)}))],
            ("button", _) => vec![("press", json!({}), json!({"": "start"}))],
            ("scene", _) => vec![("turn_on", json!({}), json!({"": "start"}))],
            _ => Vec::new(),
        });
    }
    wishes
}

/// What we publish for a wish, each as topic and payload.
fn ours(hub: &Discovery, device: &str, wanted: &Value, only: &str) -> Option<BTreeSet<(String, String)>> {
    let wanted = wanted.as_object().unwrap().iter();
    let state: Map<String, Value> =
        wanted.map(|(id, value)| (if id.is_empty() { only } else { id }.to_owned(), value.clone())).collect();
    let instruct = serde_json::from_value(json!({"id": "", "state": state, "summary": ""})).unwrap();
    let natives = hub.native(device, &instruct).ok()?;
    let said = natives.into_iter().map(|native| match native.to {
        To::Topic { topic, payload } => (topic, normal(&payload)),
        To::Connection(_) => unreachable!("discovery has no connection"),
    });
    Some(said.collect())
}

/// A payload, JSON without regard to the order of its keys and to how its numbers are written.
fn normal(payload: &[u8]) -> String {
    fn rounded(value: Value) -> Value {
        match value {
            Value::Number(number) => json!((number.as_f64().unwrap() * 1e3).round() / 1e3),
            Value::Object(fields) => {
                let fields: BTreeMap<String, Value> =
                    fields.into_iter().map(|(key, value)| (key, rounded(value))).collect();
                json!(fields)
            }
            other => other,
        }
    }
    let text = String::from_utf8_lossy(payload).into_owned();
    serde_json::from_str(&text).map_or(text, |value: Value| rounded(value).to_string())
}

/// What Home Assistant publishes when it is asked: all that was told on topics that are commands of ours, or nothing in time.
async fn theirs(
    rest: &Rest,
    ear: &mut Client,
    entity: &str,
    (service, data, _): &Wish,
    wanted: &BTreeSet<(String, String)>,
) -> BTreeSet<(String, String)> {
    let domain = entity.split_once('.').unwrap().0;
    let mut data = data.clone();
    data["entity_id"] = entity.into();
    ear.count(|_| false);
    let seen = ear.said().len();
    let _ = rest.ask("POST", &format!("/api/services/{domain}/{service}"), &data.to_string()).await;
    let began = Instant::now();
    loop {
        ear.count(|_| false);
        // What the broker keeps is states.
        let said = ear.said()[seen..].iter().filter(|publish| !publish.retain);
        let said: BTreeSet<(String, String)> = said
            .map(|publish| (String::from_utf8_lossy(&publish.topic).into_owned(), normal(&publish.payload)))
            .filter(|(topic, _)| !topic.starts_with("homeassistant/"))
            .collect();
        // Nothing tells that it published all; what it should have is waited for.
        if said == *wanted || began.elapsed() > PUBLISHES {
            return said;
        }
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a real Home Assistant; see deploy/tests/home_assistant.sh"]
async fn commands_are_what_home_assistant_publishes_and_what_is_taken_back_is_gone_on_either_side() {
    let (_, rest) = settings();
    let port = std::env::var("ZHIJU_HA_MQTT_PORT").unwrap().parse().unwrap();
    let all = Announcement::all();
    let publisher = Client::subscribed(port, "publisher", &["zhiju/home/nothing"], Pace::default()).await;
    Announcement::publish(&all, &publisher).await;
    let (mut hub, _) = Announcement::heard(&all);
    let entity = |n: usize| format!("{}.d{n}", all[n].r#as);
    let (unsettled, _) = differences(&all, &rest).await;
    assert_eq!(unsettled, Vec::<String>::new(), "what is not there cannot be told anything");
    let mut ear = Client::subscribed(port, "ear", &["#"], Pace::default()).await;
    publisher.client.publish("all/said", QoS::AtLeastOnce, false, "").await.unwrap();
    ear.find("all that was announced", |publish| publish.topic == "all/said").await;
    let document = hub.home().document;
    let (mut asked, mut differing) = (0, Vec::new());
    for (n, announcement) in all.iter().enumerate().filter(|(_, announcement)| announcement.differs.is_none()) {
        let platform = announcement.r#as.as_str();
        let id = format!("{platform}:d{n}");
        let Some(device) = document["devices"].as_array().unwrap().iter().find(|device| device["id"] == *id) else {
            continue;
        };
        // What is away is told nothing there, and what is told nothing cannot be compared.
        if device["online"] == false {
            continue;
        }
        let model = &document["model"][device["device"]["model"].as_str().unwrap()]["property"];
        let properties = model.as_object().unwrap();
        let only = properties.keys().next().map_or("", String::as_str);
        for wish in wishes(platform, properties) {
            let Some(wanted) = ours(&hub, &id, &wish.2, only) else { continue };
            let said = theirs(&rest, &mut ear, &entity(n), &wish, &wanted).await;
            asked += 1;
            if said != wanted {
                differing.push(format!("{n} {platform} {}: {wanted:?} here, {said:?} there", wish.0));
            }
        }
    }
    println!("{asked} commands asked of both, {} differences", differing.len());
    take_back(&all, &publisher, &rest).await;
    for (n, announcement) in all.iter().enumerate() {
        hub.heard(&announcement.config(n).0, b"", true);
    }
    assert_eq!(hub.home().document["devices"], json!([]));
    assert!(asked >= 80 && differing.is_empty(), "{differing:#?}");
}
