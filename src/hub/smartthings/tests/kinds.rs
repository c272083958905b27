//! The kinds of devices that people have (`tests/fixtures/smartthings`).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    name: String,
    is: String,
    has: BTreeMap<String, BTreeMap<String, BTreeMap<String, Value>>>,
    #[serde(default)]
    off: Off,
    takes: Vec<String>,
    tells: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Off {
    components: Vec<String>,
    capabilities: Vec<String>,
}

impl Kind {
    /// Its entry of `GET /devices`, and its status.
    fn documents(&self, id: &str) -> (Value, Value) {
        let components = self.has.iter().map(|(component, capabilities)| {
            let capabilities: Vec<Value> = capabilities.keys().map(|id| json!({"id": id, "version": 1})).collect();
            let category = if component == "main" { &self.is } else { "Other" };
            json!({"id": component, "capabilities": capabilities, "categories": [{"name": category, "categoryType": "manufacturer"}]})
        });
        let components: Vec<Value> = components.collect();
        let told = |value: &Value| if value.get("value").is_some() { value.clone() } else { json!({"value": value}) };
        let mut status: Value = json!({"components": {}});
        for (component, capabilities) in &self.has {
            for (capability, attributes) in capabilities {
                let attributes: Map<String, Value> =
                    attributes.iter().map(|(a, value)| (a.clone(), told(value))).collect();
                status["components"][component][capability] = attributes.into();
            }
        }
        let main = &mut status["components"]["main"];
        main["custom.disabledComponents"] = json!({"disabledComponents": {"value": self.off.components}});
        main["custom.disabledCapabilities"] = json!({"disabledCapabilities": {"value": self.off.capabilities}});
        (json!({"deviceId": id, "name": "[device]", "label": self.name, "components": components}), status)
    }
}

#[test]
fn each_kind_of_device_has_what_it_takes_and_tells_and_nothing_of_it_is_rejected() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/smartthings/devices.yaml");
    let kinds: Vec<Kind> = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(kinds.len() >= 15);
    let id = |at: usize| format!("d{at:02}");
    let documents: Vec<(Value, Value)> = kinds.iter().enumerate().map(|(at, kind)| kind.documents(&id(at))).collect();
    let mut hub = SmartThings::new("st".into());
    let items: Vec<&Value> = documents.iter().map(|(device, _)| device).collect();
    hub.heard("st/devices", json!({"items": items}).to_string().as_bytes(), true);
    let mut told: BTreeMap<String, State> = BTreeMap::new();
    for (at, (_, status)) in documents.iter().enumerate() {
        for change in hub.heard(&format!("st/status/{}", id(at)), status.to_string().as_bytes(), true) {
            if let Change::State { device, values } = change {
                told.insert(device, values);
            }
        }
    }
    let brought = hub.home();
    let (home, report) = crate::home::parse(&brought.document).unwrap();
    assert_eq!((report.rejected, report.notes), (vec![], vec![]));
    assert!(brought.left_out.iter().all(|left| left.reason.ends_with("is disabled")), "{:?}", brought.left_out);
    for (at, kind) in kinds.iter().enumerate() {
        let device = home.devices.iter().find(|device| device.name == kind.name).unwrap();
        assert!(!device.describe.is_empty(), "{}: nobody says what it is", kind.name);
        let sorted = |mut ids: Vec<String>| {
            ids.sort();
            ids
        };
        let ids = |writable: bool| {
            let of = device.properties.iter().filter(|property| property.writable == writable);
            sorted(of.map(|property| property.id.clone()).collect())
        };
        assert_eq!(ids(true), sorted(kind.takes.clone()), "{}", kind.name);
        assert_eq!(ids(false), sorted(kind.tells.clone()), "{}", kind.name);
        // What it says of itself is what it may be.
        for (key, value) in told.get(&id(at)).into_iter().flatten() {
            let property = device.property(key).unwrap();
            assert!(property.domain.accepts(value), "{}: {key} is {value}", kind.name);
        }
        let model = &brought.document["model"][brought.document["devices"][at]["device"]["model"].as_str().unwrap()];
        for property in device.properties.iter().filter(|property| property.writable) {
            let domain = &model["property"][&property.id];
            let values = match domain["range"].as_array() {
                Some(range) => range.iter().map(|choice| choice["value"].clone()).collect(),
                None if domain["type"] == "bool" => vec![json!(true), json!(false)],
                None => vec![domain["min"].clone(), domain["max"].clone()],
            };
            for value in values {
                let (topic, said) = sent(&hub, &id(at), &instruct(json!({(&property.id): value})));
                let [command] = &said["commands"].as_array().unwrap()[..] else { panic!("{said}") };
                let (component, capability) = (&command["component"], &command["capability"]);
                let known =
                    kind.has.get(component.as_str().unwrap()).and_then(|of| of.get(capability.as_str().unwrap()));
                assert!(known.is_some() && command["command"].is_string(), "{}: {said}", kind.name);
                assert_eq!(topic, format!("st/commands/{}", id(at)));
            }
        }
    }
    // Bounds are the device's own, in its own unit.
    let bounds = |name: &str, property: &str| {
        let at = kinds.iter().position(|kind| kind.name == name).unwrap();
        let model = brought.document["devices"][at]["device"]["model"].as_str().unwrap();
        let told = &brought.document["model"][model]["property"][property];
        (told["min"].as_f64().unwrap(), told["max"].as_f64().unwrap(), told["unit"].as_str().unwrap().to_owned())
    };
    assert_eq!(bounds("玄关温控器", "temperature"), (61.0, 86.0, "F".to_owned()));
    assert_eq!(bounds("客厅彩灯", "color_temp"), (2000.0, 6535.0, "K".to_owned()));
    assert_eq!(bounds("厨房冰箱", "freezer.temperature"), (-23.0, -15.0, "C".to_owned()));
}
