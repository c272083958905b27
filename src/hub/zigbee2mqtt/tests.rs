use serde_json::{Value, json};

use super::*;
use crate::frame::CommandCall;

/// What real models expose.
fn models() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/zigbee/models.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn listed(ieee: &str, name: &str, definition: &Value) -> Value {
    json!({"ieee_address": ieee, "friendly_name": name, "type": "Router", "supported": true, "disabled": false,
        "interview_completed": true, "interview_state": "SUCCESSFUL", "power_source": "Mains (single phase)",
        "definition": definition, "endpoints": {"1": {"bindings": [], "scenes": []}}})
}

fn hub(devices: &[Value]) -> Zigbee2Mqtt {
    let mut hub = Zigbee2Mqtt::new("zigbee2mqtt".into());
    let changes = hub.heard("zigbee2mqtt/bridge/devices", json!(devices).to_string().as_bytes(), true);
    assert_eq!(changes[0], Change::Registry);
    hub
}

fn light() -> Value {
    let feature = |name: &str, more: Value| {
        let mut feature = json!({"type": "numeric", "name": name, "property": name, "label": name, "access": 7});
        feature.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        feature
    };
    json!({"model": "L1", "vendor": "v", "description": "Bulb", "exposes": [{"type": "light", "features": [
        feature("state", json!({"type": "binary", "value_on": "ON", "value_off": "OFF", "value_toggle": "TOGGLE"})),
        feature("brightness", json!({"value_min": 0, "value_max": 254})),
        feature("color_temp", json!({"unit": "mired", "value_min": 153, "value_max": 500,
            "presets": [{"name": "coolest", "value": 153, "description": ""}]})),
        {"type": "composite", "name": "color_xy", "property": "color", "access": 7, "features": []},
        {"type": "composite", "name": "color_hs", "property": "color", "access": 7, "features": []},
    ]}, {"type": "numeric", "name": "linkquality", "property": "linkquality", "access": 1}]})
}

fn gangs() -> Value {
    let gang = |endpoint: &str| {
        json!({"type": "switch", "endpoint": endpoint, "features": [{"type": "binary", "name": "state", "access": 7,
            "property": format!("state_{endpoint}"), "endpoint": endpoint, "value_on": "ON", "value_off": "OFF"}]})
    };
    json!({"model": "S3", "vendor": "v", "description": "Wall switch", "exposes": [gang("left"), gang("center"), gang("right"),
        {"type": "binary", "name": "child_lock", "property": "child_lock", "access": 7, "value_on": "LOCK", "value_off": "UNLOCK"},
        {"type": "list", "name": "schedule", "property": "schedule", "access": 3}]})
}

fn set(state: Value) -> Instruct {
    let state = serde_json::from_value(state).unwrap();
    Instruct { id: String::new(), state: Some(state), command: None, summary: String::new(), noop: false }
}

/// Topic and payload of the only message that an instruct becomes.
fn sent(hub: &Zigbee2Mqtt, device: &str, state: Value) -> (String, Value) {
    let natives = hub.native(device, &set(state)).unwrap();
    let [Native { to: To::Topic { topic, payload }, .. }] = natives.as_slice() else { panic!("{natives:?}") };
    (topic.clone(), serde_json::from_slice(payload).unwrap())
}

fn device<'a>(brought: &'a Brought, id: &str) -> &'a Value {
    let devices = brought.document["devices"].as_array().unwrap();
    devices.iter().find(|d| d["id"] == id).unwrap_or_else(|| panic!("no {id} in {devices:?}"))
}

fn state_of(changes: &[Change], id: &str) -> Value {
    let found = changes.iter().find_map(|change| match change {
        Change::State { device, values } if device == id => Some(json!(values)),
        _ => None,
    });
    found.unwrap_or_default()
}

#[test]
fn three_hundred_real_models_are_one_home_and_none_of_it_is_rejected() {
    let models = models();
    assert!(models.len() >= 300);
    let devices = models.iter().enumerate();
    let devices: Vec<Value> = devices.map(|(i, m)| listed(&format!("0x{i:016x}"), &format!("设备{i}号"), m)).collect();
    let hub = hub(&devices);
    let brought = hub.home();
    let (home, report) = crate::home::parse(&brought.document).unwrap();
    assert_eq!(report.rejected, []);
    assert!(home.devices.len() >= 400, "{}", home.devices.len());
    let whole = brought.left_out.iter().filter(|left| !left.id.contains('#')).collect::<Vec<_>>();
    // Remote controls, which only ever tell that a button was pressed.
    assert!(whole.iter().all(|left| left.reason == "tells and takes nothing") && whole.len() <= 20, "{whole:?}");
    assert!(models.len() - whole.len() >= 300);
    let writable = home.devices.iter().flat_map(|d| d.properties.iter()).filter(|p| p.writable);
    let (named, all) = writable.fold((0, 0), |(named, all), p| (named + usize::from(!p.describe.is_ascii()), all + 1));
    assert!(named * 100 >= all * 75, "{named} of {all} have words of their own");
    // Whatever the document says can be set, the device is told.
    for device in &home.devices {
        for property in device.properties.iter().filter(|p| p.writable) {
            let value = match &property.domain {
                crate::home::Domain::Bool => json!(true),
                crate::home::Domain::Number { min, .. } => json!(min.unwrap_or(1.0)),
                crate::home::Domain::Enum(choices) => choices[0].value.clone(),
                crate::home::Domain::Text => json!("x"),
            };
            sent(&hub, &device.id, json!({property.id.clone(): value}));
        }
    }
}

#[test]
fn a_light_is_told_in_its_own_units_and_tells_in_ours() {
    let mut hub = hub(&[listed("0x01", "客厅/吸顶灯", &light())]);
    let brought = hub.home();
    let entry = device(&brought, "0x01");
    assert_eq!((entry["name"].as_str(), entry["local"].as_str()), (Some("吸顶灯"), Some("客厅")));
    let model = &brought.document["model"]["m0"]["property"];
    assert_eq!(model["color_temp"], json!({"describe": "色温", "type": "uint", "min": 2000, "max": 6536, "unit": "K"}));
    assert!(model.get("linkquality").is_none());
    let wanted = json!({"power": true, "brightness": 50, "color_temp": 4000, "color": "red"});
    let told = json!({"state": "ON", "brightness": 127, "color_temp": 250, "color": {"hue": 0, "saturation": 100}});
    assert_eq!(sent(&hub, "0x01", wanted), ("zigbee2mqtt/客厅/吸顶灯/set".to_owned(), told));
    let changes = hub.heard(
        "zigbee2mqtt/客厅/吸顶灯",
        br#"{"state":"ON","brightness":254,"color_temp":250,"color":{"hue":119,"saturation":90},"color_mode":"hs"}"#,
        false,
    );
    assert_eq!(
        state_of(&changes, "0x01"),
        json!({"power": true, "brightness": 100, "color_temp": 4000, "color": "green"})
    );
}

#[test]
fn the_gangs_of_a_switch_are_devices_and_what_belongs_to_none_of_them_is_one_too() {
    let mut hub = hub(&[listed("0x02", "玄关开关", &gangs())]);
    let brought = hub.home();
    let names: Vec<&str> = ["0x02", "0x02:left", "0x02:center", "0x02:right"]
        .map(|id| device(&brought, id)["name"].as_str().unwrap())
        .to_vec();
    assert_eq!(names, ["玄关开关面板", "玄关开关左键", "玄关开关中键", "玄关开关右键"]);
    assert_eq!(sent(&hub, "0x02:left", json!({"power": false})).1, json!({"state_left": "OFF"}));
    assert_eq!(sent(&hub, "0x02", json!({"childLock": true})).1, json!({"child_lock": "LOCK"}));
    let changes = hub.heard("zigbee2mqtt/玄关开关", br#"{"state_right":"ON","state_left":null}"#, false);
    assert_eq!(changes.len(), 1);
    assert_eq!(state_of(&changes, "0x02:right"), json!({"power": true}));
    assert!(brought.left_out.iter().any(|left| left.reason.contains("is a list")), "{:?}", brought.left_out);
}

#[test]
fn ids_stay_when_a_device_is_renamed_and_its_topics_follow() {
    let mut hub = hub(&[listed("0x01", "灯", &light())]);
    let renamed = json!([listed("0x01", "书房/灯", &light())]).to_string();
    assert_eq!(hub.heard("zigbee2mqtt/bridge/devices", renamed.as_bytes(), false), [Change::Registry]);
    assert!(hub.subscriptions().contains(&"zigbee2mqtt/书房/灯/availability".to_owned()));
    assert_eq!(hub.heard("zigbee2mqtt/灯", br#"{"state":"ON"}"#, false), []);
    assert_eq!(sent(&hub, "0x01", json!({"power": true})).0, "zigbee2mqtt/书房/灯/set");
    assert_eq!(hub.heard("zigbee2mqtt/bridge/devices", b"[]", false), [Change::Registry]);
    let gone = hub.native("0x01", &set(json!({"power": true})));
    assert_eq!(gone, Err(Unable::Gone { device: "0x01".into() }));
}

#[test]
fn what_is_not_ready_is_left_out_with_its_reason() {
    let mut disabled = listed("0x01", "a", &light());
    disabled["disabled"] = true.into();
    let mut interview = listed("0x02", "b", &light());
    interview["interview_state"] = "PENDING".into();
    let mut unsupported = listed("0x03", "c", &Value::Null);
    unsupported["supported"] = false.into();
    let twice = listed("0x04", "d", &light());
    let wild = listed("0x05", "d/#", &light());
    let broken = json!({"ieee_address": 5});
    let hub = hub(&[disabled, interview, unsupported, twice.clone(), twice, wild, broken]);
    let reasons: Vec<String> = hub.home().left_out.into_iter().map(|left| left.reason).collect();
    for reason in ["disabled", "interview", "supported model", "address is there", "no topic", "invalid type"] {
        assert!(reasons.iter().any(|r| r.contains(reason)), "{reason}: {reasons:?}");
    }
    assert_eq!(hub.home().document["devices"].as_array().unwrap().len(), 1);
}

#[test]
fn availability_is_read_in_both_forms() {
    let mut hub = hub(&[listed("0x01", "一楼/availability", &light())]);
    let changed = |online| vec![Change::Device { device: "0x01".into(), online }];
    assert_eq!(hub.heard("zigbee2mqtt/一楼/availability/availability", b"offline", true), changed(false));
    assert_eq!(device(&hub.home(), "0x01")["online"], false);
    assert_eq!(hub.heard("zigbee2mqtt/一楼/availability/availability", br#"{"state":"online"}"#, true), changed(true));
    assert_eq!(hub.heard("zigbee2mqtt/一楼/availability/availability", b"perhaps", true), []);
    assert_eq!(hub.heard("zigbee2mqtt/bridge/state", br#"{"state":"offline"}"#, true), [Change::Hub { online: false }]);
    assert_eq!(hub.heard("zigbee2mqtt/bridge/state", b"online", true), [Change::Hub { online: true }]);
}

#[test]
fn after_the_start_each_device_that_does_not_sleep_is_asked_once() {
    let mut asleep = listed("0x02", "遥控", &light());
    asleep["power_source"] = "Battery".into();
    let list = json!([listed("0x01", "灯", &light()), asleep]).to_string();
    let mut hub = Zigbee2Mqtt::new("zigbee2mqtt/".into());
    let changes = hub.heard("zigbee2mqtt/bridge/devices", list.as_bytes(), true);
    let [Change::Registry, Change::Say(Native { to: To::Topic { topic, payload }, .. })] = changes.as_slice() else {
        panic!("{changes:?}")
    };
    assert_eq!(topic, "zigbee2mqtt/灯/get");
    assert_eq!(
        serde_json::from_slice::<Value>(payload).unwrap(),
        json!({"state": "", "brightness": "", "color_temp": "", "color": ""})
    );
    assert_eq!(hub.heard("zigbee2mqtt/bridge/devices", list.as_bytes(), false), [Change::Registry]);
}

#[test]
fn what_is_off_in_one_of_its_modes_has_a_power_and_comes_back_to_its_mode() {
    let valve = json!({"model": "T", "description": "Radiator valve", "exposes": [{"type": "climate", "features": [
        {"type": "enum", "name": "system_mode", "property": "system_mode", "access": 7, "values": ["off", "heat", "auto"]}]}]});
    let mut hub = hub(&[listed("0x01", "卧室暖气", &valve)]);
    assert_eq!(sent(&hub, "0x01", json!({"power": true})).1, json!({"system_mode": "heat"}));
    let changes = hub.heard("zigbee2mqtt/卧室暖气", br#"{"system_mode":"auto"}"#, false);
    assert_eq!(state_of(&changes, "0x01"), json!({"power": true, "mode": "auto"}));
    let changes = hub.heard("zigbee2mqtt/卧室暖气", br#"{"system_mode":"off"}"#, false);
    assert_eq!(state_of(&changes, "0x01"), json!({"power": false}));
    assert_eq!(sent(&hub, "0x01", json!({"power": true})).1, json!({"system_mode": "auto"}));
    assert_eq!(sent(&hub, "0x01", json!({"power": true, "mode": "heat"})).1, json!({"system_mode": "heat"}));
}

#[test]
fn groups_have_their_members_and_scenes_can_be_recalled() {
    let mut switch = listed("0x02", "开关", &gangs());
    switch["endpoints"] =
        json!({"1": {"name": "left"}, "2": {"name": "center", "scenes": [{"id": 3, "name": "睡觉"}]}});
    let mut hub = hub(&[listed("0x01", "灯", &light()), switch]);
    let groups = json!([{"id": 7, "friendly_name": "客厅组", "scenes": [{"id": 1, "name": "观影"}], "members": [
        {"ieee_address": "0x01", "endpoint": 11}, {"ieee_address": "0x02", "endpoint": 1},
        {"ieee_address": "0x02", "endpoint": 9}, {"ieee_address": "0x99", "endpoint": 1}]},
        {"id": 8, "friendly_name": "空", "members": []}, {"id": "nine"}]);
    assert_eq!(hub.heard("zigbee2mqtt/bridge/groups", groups.to_string().as_bytes(), true), [Change::Registry]);
    let brought = hub.home();
    let group = json!([{"id": "group:7", "name": "客厅组", "members": ["0x01", "0x02:left"]}]);
    assert_eq!(brought.document["groups"], group);
    assert!(brought.left_out.iter().any(|left| left.id == "group:8"));
    let (home, report) = crate::home::parse(&brought.document).unwrap();
    assert_eq!((report.rejected.len(), home.scenes.len()), (0, 2));
    let (topic, told) = sent(&hub, "group:7:scenes", json!({"scene_recall": 1}));
    assert_eq!((topic.as_str(), told), ("zigbee2mqtt/客厅组/set", json!({"scene_recall": 1})));
    assert_eq!(sent(&hub, "0x02:center", json!({"scene_recall": 3})).1, json!({"scene_recall_center": 3}));
}

#[test]
fn a_scene_of_a_group_that_holds_a_lock_wants_a_yes() {
    let lock = json!({"model": "K", "vendor": "v", "description": "Door lock", "exposes": [{"type": "lock", "features": [
        {"type": "binary", "name": "state", "property": "state", "access": 7, "value_on": "LOCK", "value_off": "UNLOCK"}]}]});
    let mut hub = hub(&[listed("0x01", "灯", &light()), listed("0x02", "门锁", &lock)]);
    let group = |id: u8, members: &[&str]| {
        let members: Vec<Value> = members.iter().map(|ieee| json!({"ieee_address": ieee, "endpoint": 1})).collect();
        json!({"id": id, "friendly_name": format!("组{id}"), "scenes": [{"id": 1, "name": "出门"}], "members": members})
    };
    let groups = json!([group(1, &["0x01"]), group(2, &["0x01", "0x02"])]).to_string();
    hub.heard("zigbee2mqtt/bridge/groups", groups.as_bytes(), true);
    let brought = hub.home();
    let risk = |id: &str| device(&brought, id)["risk"].clone();
    assert_eq!((risk("group:1:scenes"), risk("group:2:scenes")), (Value::Null, json!("high")));
}

#[test]
fn what_a_device_does_not_take_is_refused_by_name() {
    let hub = hub(&[listed("0x01", "灯", &light())]);
    for (state, what) in [
        (json!({"nothing": 1}), "nothing"),
        (json!({"power": "ON"}), "power"),
        (json!({"brightness": 900}), "brightness"),
        (json!({"color": "plaid"}), "color"),
    ] {
        let refused = hub.native("0x01", &set(state));
        assert_eq!(refused, Err(Unable::Foreign { device: "0x01".into(), what: what.into() }));
    }
    let command = Some(CommandCall { id: "reset".into(), argument: None });
    let mut instruct = set(json!({}));
    (instruct.state, instruct.command) = (None, command);
    assert!(hub.native("0x01", &instruct).is_err());
}

#[test]
fn hostile_messages_change_nothing() {
    let mut hub = hub(&[listed("0x01", "灯", &light())]);
    let before = hub.home();
    let deep = "[".repeat(100_000);
    let long = format!(r#"{{"state":"{}"}}"#, "x".repeat(1 << 20));
    // What is too large is named, and changes nothing either.
    let heard = hub.heard("zigbee2mqtt/灯", long.as_bytes(), false);
    assert!(matches!(&*heard, [Change::Unread(LeftOut { id, name, .. })] if id == "0x01" && name == "灯"), "{heard:?}");
    for payload in ["", "null", "[1]", "{\"state\":{}}", "{\"brightness\":\"x\"}", "\u{0}", deep.as_str()] {
        assert_eq!(hub.heard("zigbee2mqtt/灯", payload.as_bytes(), false), [], "{payload:.20}");
        assert!(hub.heard("zigbee2mqtt/bridge/groups", payload.as_bytes(), false).len() <= 1);
        for topic in ["", "zigbee2mqtt", "zigbee2mqtt/", "zigbee2mqttx/灯", "other/灯", "zigbee2mqtt/灯/set"] {
            assert_eq!(hub.heard(topic, payload.as_bytes(), false), [], "{topic}");
        }
    }
    assert_eq!(hub.heard("zigbee2mqtt/bridge/devices", b"{}", false), []);
    assert_eq!(hub.heard("zigbee2mqtt/灯", &[0xff, 0xfe], false), []);
    assert_eq!(hub.home(), before);
}

proptest::proptest! {
    #[test]
    fn no_message_makes_it_panic(topic in "(zigbee2mqtt/)?(bridge/(devices|groups|state)|灯|灯/availability|.{0,12})",
                                 payload in proptest::collection::vec(proptest::num::u8::ANY, 0..200), text in ".{0,200}") {
        let mut hub = hub(&[listed("0x01", "灯", &light())]);
        hub.heard(&topic, &payload, true);
        hub.heard(&topic, text.as_bytes(), false);
        hub.home();
    }
}
