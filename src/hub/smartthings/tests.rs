mod kinds;

use serde_json::{Value, json};

use super::*;
use crate::frame::CommandCall;

/// An air conditioner as SmartThings tells it, with a component and capabilities that are not real.
fn air_conditioner() -> (Value, Value) {
    let capability = |id: &str| json!({"id": id, "version": 1});
    let all = [
        "ocf",
        "switch",
        "airConditionerMode",
        "airConditionerFanMode",
        "temperatureMeasurement",
        "thermostatCoolingSetpoint",
        "dustSensor",
        "custom.spiMode",
        "refresh",
    ];
    let component = |id: &str| {
        json!({"id": id, "label": id, "capabilities": all.map(capability),
        "categories": [{"name": if id == "main" { "AirConditioner" } else { "Other" }, "categoryType": "manufacturer"}]})
    };
    let device = json!({"deviceId": "ac-1", "name": "[room a/c]", "label": "卧室空调", "locationId": "l", "roomId": "r-1",
        "components": [component("main"), component("1")], "profile": {"id": "p-1"}, "type": "OCF"});
    let value = |value: Value| json!({"value": value, "timestamp": "2025-02-09T09:14:39.642Z"});
    let status = json!({"components": {"1": {"switch": {"switch": value(Value::Null)}}, "main": {
        "switch": {"switch": value(json!("off"))},
        "airConditionerMode": {"airConditionerMode": value(json!("heat")), "supportedAcModes": value(json!(["cool", "dry", "wind", "auto", "heat"]))},
        "airConditionerFanMode": {"fanMode": value(json!("low")), "supportedAcFanModes": value(json!(["auto", "low", "turbo"]))},
        "temperatureMeasurement": {"temperature": {"value": 25.5, "unit": "C"}},
        "thermostatCoolingSetpoint": {"coolingSetpoint": {"value": 25, "unit": "C"}},
        "custom.thermostatSetpointControl": {"minimumSetpoint": value(json!(18)), "maximumSetpoint": value(json!(28))},
        "custom.spiMode": {"spiMode": value(json!("on"))},
        "custom.disabledCapabilities": {"disabledCapabilities": value(json!(["dustSensor"]))},
        "custom.disabledComponents": {"disabledComponents": value(json!(["1"]))}}}});
    (device, status)
}

fn hub() -> SmartThings {
    let (device, status) = air_conditioner();
    let mut hub = SmartThings::new("st/home".into());
    hub.heard("st/home/rooms", br#"{"items": [{"roomId": "r-1", "name": "\u5367\u5ba4"}, {"roomId": 3}]}"#, true);
    hub.heard("st/home/devices", json!({"items": [device]}).to_string().as_bytes(), true);
    hub.heard("st/home/status/ac-1", status.to_string().as_bytes(), true);
    hub
}

fn instruct(state: Value) -> Instruct {
    let state = serde_json::from_value(state).unwrap();
    Instruct { id: String::new(), state: Some(state), command: None, summary: String::new(), noop: false }
}

fn sent(hub: &SmartThings, device: &str, instruct: &Instruct) -> (String, Value) {
    let natives = hub.native(device, instruct).unwrap();
    let [Native { to: To::Topic { topic, payload }, .. }] = natives.as_slice() else { panic!("{natives:?}") };
    (topic.clone(), serde_json::from_slice(payload).unwrap())
}

#[test]
fn a_device_has_what_its_status_says_and_nothing_that_is_disabled() {
    let brought = hub().home();
    let (home, report) = crate::home::parse(&brought.document).unwrap();
    assert_eq!(report.rejected, []);
    let device = &home.devices[0];
    assert_eq!((device.name.as_str(), home.room_name(device), device.describe.as_str()), ("卧室空调", "卧室", "空调"));
    let ids: Vec<&str> = device.properties.iter().map(|p| p.id.as_str()).collect();
    assert_eq!(ids, ["power", "mode", "fan_mode", "measured", "temperature", "spi"]);
    let model = &brought.document["model"]["m0"]["property"];
    assert_eq!((&model["temperature"]["min"], &model["temperature"]["max"]), (&json!(18), &json!(28)));
    assert_eq!(model["mode"]["range"][2], json!({"value": "wind", "describe": "送风"}));
    let left: Vec<&str> = brought.left_out.iter().map(|left| left.reason.as_str()).collect();
    assert_eq!(left, ["main/dustSensor is disabled", "1 is disabled"]);
}

#[test]
fn status_is_state_and_only_what_changes_a_device_is_news_of_the_registry() {
    let (_, mut status) = air_conditioner();
    let mut hub = hub();
    status["components"]["main"]["switch"]["switch"]["value"] = "on".into();
    let changes = hub.heard("st/home/status/ac-1", status.to_string().as_bytes(), false);
    let [Change::State { device, values }] = changes.as_slice() else { panic!("{changes:?}") };
    assert_eq!(device, "ac-1");
    let wanted =
        json!({"power": true, "mode": "heat", "fan_mode": "low", "measured": 25.5, "temperature": 25, "spi": true});
    assert_eq!(json!(values), wanted);
    status["components"]["main"]["airConditionerMode"]["supportedAcModes"]["value"] = json!(["cool"]);
    let changes = hub.heard("st/home/status/ac-1", status.to_string().as_bytes(), false);
    assert_eq!(changes[0], Change::Registry);
    let away = hub.heard("st/home/health/ac-1", br#"{"deviceId": "ac-1", "state": "OFFLINE"}"#, true);
    assert_eq!(away, [Change::Device { device: "ac-1".into(), online: false }]);
    assert_eq!(hub.home().document["devices"][0]["online"], false);
}

#[test]
fn instructs_are_commands_as_the_api_takes_them() {
    let hub = hub();
    let (topic, told) = sent(&hub, "ac-1", &instruct(json!({"mode": "cool", "power": true, "temperature": 24})));
    assert_eq!(topic, "st/home/commands/ac-1");
    let command = |capability: &str, command: &str, arguments: Value| json!({"component": "main", "capability": capability, "command": command, "arguments": arguments});
    let wanted = json!({"commands": [command("switch", "on", json!([])),
        command("airConditionerMode", "setAirConditionerMode", json!(["cool"])),
        command("thermostatCoolingSetpoint", "setCoolingSetpoint", json!([24]))]});
    assert_eq!(told, wanted);
    for (state, what) in
        [(json!({"measured": 3}), "measured"), (json!({"power": "on"}), "power"), (json!({"x": 1}), "x")]
    {
        let refused = hub.native("ac-1", &instruct(state));
        assert_eq!(refused, Err(Unable::Foreign { device: "ac-1".into(), what: what.into() }));
    }
    assert_eq!(hub.native("no", &instruct(json!({"power": true}))), Err(Unable::Gone { device: "no".into() }));
}

#[test]
fn devices_with_commands_of_their_own_pass_as_they_are() {
    let lamp = json!({"id": "lamp", "name": "大白", "room": "客厅", "type": "smartthings:light", "commands": [
        {"id": "main-switch-on", "description": "电源启用", "type": "string"},
        {"id": "main-switchLevel-setLevel", "description": "调光器", "type": "integer", "value_range": {"minimum": 0, "maximum": 100, "unit": "%"}}]});
    let mut hub = SmartThings::new("st".into());
    hub.heard("st/devices", json!({"items": [lamp]}).to_string().as_bytes(), true);
    assert_eq!(crate::home::parse(&hub.home().document).unwrap().1.rejected, []);
    let call = |id: &str, argument: Option<Value>| Instruct {
        state: None,
        command: Some(CommandCall { id: id.into(), argument }),
        ..instruct(json!({}))
    };
    let (_, told) = sent(&hub, "lamp", &call("main-switch-on", None));
    assert_eq!(
        told["commands"],
        json!([{"component": "main", "capability": "switch", "command": "on", "arguments": []}])
    );
    let (_, told) = sent(&hub, "lamp", &call("main-switchLevel-setLevel", Some(json!(30))));
    assert_eq!(told["commands"][0]["arguments"], json!([30]));
    assert!(hub.native("lamp", &call("main-switch-explode", None)).is_err());
}

#[test]
fn a_device_without_components_has_those_of_its_profile() {
    let mut hub = SmartThings::new("st".into());
    let device = json!({"deviceId": "d", "label": "灯", "profile": {"id": "p"}});
    hub.heard("st/devices", json!({"items": [device]}).to_string().as_bytes(), true);
    let profile = json!({"id": "p", "components": [{"id": "main", "capabilities": [{"id": "switch"}, {"id": "colorControl"}],
        "categories": [{"name": "Light"}]}]});
    assert_eq!(hub.heard("st/profiles", json!({"items": [profile]}).to_string().as_bytes(), true), [Change::Registry]);
    let (_, told) = sent(&hub, "d", &instruct(json!({"color": "green"})));
    assert_eq!(told["commands"][0]["arguments"], json!([{"hue": 33, "saturation": 100}]));
}

#[test]
fn what_all_statuses_say_together_is_bounded_and_what_found_no_room_is_named() {
    let (device, status) = air_conditioner();
    let named = |n: usize| {
        let mut device = device.clone();
        device["deviceId"] = format!("ac-{n}").into();
        device
    };
    let mut hub = SmartThings::new("st".into());
    let items: Vec<Value> = (0..100).map(named).collect();
    hub.heard("st/devices", json!({"items": items}).to_string().as_bytes(), true);
    let mut large = status;
    large["more"] = "x".repeat(200_000).into();
    let large = large.to_string();
    for n in (0..100).chain(0..100) {
        hub.heard(&format!("st/status/ac-{n}"), large.as_bytes(), true);
    }
    assert_eq!(hub.status.len(), MAX_KEPT_BYTES / large.len());
    let left = hub.home().left_out.iter().filter(|left| left.reason.contains("no room")).count();
    assert_eq!(left, 100 - hub.status.len());
}

#[test]
fn hostile_documents_change_nothing() {
    let mut hub = hub();
    let before = hub.home();
    let deep = "[".repeat(100_000);
    for payload in ["", "{", "null", "[]", r#"{"items": 3}"#, r#"{"components": []}"#, r#"{"state": 5}"#, deep.as_str()]
    {
        for topic in ["devices", "rooms", "profiles", "status/ac-1", "status/other", "health/ac-1", "commands/ac-1", ""]
        {
            assert_eq!(hub.heard(&format!("st/home/{topic}"), payload.as_bytes(), true), [], "{topic} {payload:.20}");
        }
    }
    // What is too large is named.
    for (topic, bytes, whose) in [("status/ac-1", MAX_STATUS_BYTES, "ac-1"), ("devices", MAX_BYTES, "devices")] {
        let heard = hub.heard(&format!("st/home/{topic}"), " ".repeat(bytes + 1).as_bytes(), true);
        assert!(matches!(&*heard, [Change::Unread(LeftOut { id, .. })] if id == whose), "{heard:?}");
    }
    assert_eq!(hub.home(), before);
    let odd = json!({"items": [{"deviceId": "a/b"}, {"deviceId": "c"}, {"deviceId": "c", "label": "x"}, {}, 3]});
    hub.heard("st/home/devices", odd.to_string().as_bytes(), true);
    assert_eq!(hub.home().left_out.len(), 5);
}

proptest::proptest! {
    #[test]
    fn no_message_makes_it_panic(topic in "st/home/(devices|rooms|profiles|status/ac-1|health/ac-1|.{0,8})", text in ".{0,200}",
                                 number in proptest::num::f64::ANY) {
        let mut hub = hub();
        hub.heard(&topic, text.as_bytes(), true);
        let status = json!({"components": {"main": {"thermostatCoolingSetpoint": {"coolingSetpoint": {"value": number}},
            "custom.thermostatSetpointControl": {"minimumSetpoint": {"value": number}, "maximumSetpoint": {"value": 1e300}}}}});
        hub.heard("st/home/status/ac-1", status.to_string().as_bytes(), true);
        proptest::prop_assert!(crate::home::parse(&hub.home().document).is_ok());
    }
}

#[test]
fn what_guards_burns_or_howls_is_risky_and_what_heats_water_is_not() {
    let risk = |category: &str, capability: &str| {
        let components =
            json!([{"id": "main", "capabilities": [{"id": capability}], "categories": [{"name": category}]}]);
        let device = json!({"deviceId": "d", "label": "x", "components": components});
        let mut hub = SmartThings::new("st".into());
        hub.heard("st/devices", json!({"items": [device]}).to_string().as_bytes(), true);
        let status = json!({"components": {"main": {}}});
        hub.heard("st/status/d", status.to_string().as_bytes(), true);
        hub.home().document["devices"][0]["risk"].clone()
    };
    for (category, capability) in [
        ("SmartLock", "lock"),
        ("GarageDoor", "doorControl"),
        ("WaterValve", "valve"),
        ("Oven", "switch"),
        ("Microwave", "switch"),
        ("Cooktop", "switch"),
        ("Siren", "switch"),
        ("Other", "alarm"),
    ] {
        assert_eq!(risk(category, capability), "high", "{category} {capability}");
    }
    for category in ["WaterHeater", "AirConditioner", "Washer", "Light"] {
        assert_eq!(risk(category, "switch"), Value::Null, "{category}");
    }
}
