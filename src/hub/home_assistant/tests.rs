//! What Home Assistant says becomes a home, and what the home is told becomes services. The messages have the published form,
//! as versions of 2024 and of 2026 write it.

mod domains;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::registry::Part;
use super::*;
use crate::frame::CommandCall;
use crate::home::{self, Device, Risk};
use crate::hub::To;

/// A Home Assistant that was told this; entities as `id: [state, attributes]`.
fn told(parts: &[(Part, Value)], entities: Value, exposure: Exposure) -> HomeAssistant {
    let mut hub = HomeAssistant::new(exposure);
    let mut fetched = Fetched::default();
    for (part, answer) in parts {
        fetched.take(*part, &answer.to_string()).unwrap();
    }
    hub.learn(&fetched);
    hub.heard(&states(entities), true);
    hub
}

fn states(entities: Value) -> Value {
    let state = |(id, told): (&String, &Value)| (id.clone(), json!({"s": told[0], "a": told[1], "lc": 1.5, "c": "x"}));
    json!({"a": entities.as_object().unwrap().iter().map(state).collect::<Map<String, Value>>()})
}

/// One that exposes all of these, and nothing else is known of them.
fn bare(entities: Value) -> HomeAssistant {
    told(&[], entities, Exposure::Everything)
}

fn home_of(hub: &HomeAssistant) -> home::Home {
    let (home, report) = home::parse(&hub.home().document).unwrap();
    assert_eq!((&report.rejected, &report.notes), (&vec![], &vec![]));
    home
}

fn only(hub: &HomeAssistant) -> Device {
    home_of(hub).devices.remove(0)
}

fn instruct(state: Value) -> Instruct {
    let state = Some(serde_json::from_value(state).unwrap());
    Instruct { id: String::new(), state, command: None, summary: String::new(), noop: false }
}

/// What is said for a state, each as service, data and whether it is said only once.
fn said(hub: &HomeAssistant, id: &str, state: Value) -> Vec<(String, Value, bool)> {
    let natives = hub.native(id, &instruct(state)).unwrap();
    let said = natives.into_iter().map(|native| {
        let To::Connection(message) = native.to else { panic!("{:?}", native.to) };
        assert_eq!(message["target"], json!({"entity_id": [id]}));
        let service = format!("{}.{}", message["domain"].as_str().unwrap(), message["service"].as_str().unwrap());
        (service, message["service_data"].clone(), native.once)
    });
    said.collect()
}

fn house(exposed: Value) -> HomeAssistant {
    let listed = json!([
        {"entity_id": "light.sofa", "device_id": "d1", "area_id": null, "name": null, "original_name": null,
         "has_entity_name": true, "disabled_by": null, "hidden_by": null, "entity_category": null, "labels": ["cosy"],
         "options": {}},
        {"entity_id": "sensor.sofa_power", "device_id": "d1", "entity_category": "diagnostic", "original_name": "功率",
         "has_entity_name": true},
        {"entity_id": "sensor.th_humidity", "device_id": "d2", "original_name": "湿度", "has_entity_name": true},
        {"entity_id": "switch.old", "disabled_by": "user", "name": "旧插座"},
        {"entity_id": "update.firmware", "name": "固件"},
        {"entity_id": "alarm_control_panel.house", "name": "安防"},
        {"entity_id": 7}, "nonsense", null,
    ]);
    let entries = json!({"light.sofa": {"entity_id": "light.sofa", "device_id": "d1", "has_entity_name": true,
        "aliases": [null, "大灯", " "], "labels": ["cosy"]}, "gone": null});
    let parts = [
        (Part::Floors, json!([{"floor_id": "f1", "name": "一楼", "level": 0, "aliases": []}])),
        (Part::Labels, json!([{"label_id": "cosy", "name": "氛围", "color": null}])),
        (
            Part::Areas,
            json!([
                {"area_id": "ke_ting", "name": "客厅", "aliases": ["大厅"], "floor_id": "f1", "labels": []},
                {"area_id": "ci_wo", "name": "次卧", "aliases": [], "picture": null},
            ]),
        ),
        (
            Part::Devices,
            json!([
                {"id": "d1", "name": "Lamp 2000", "name_by_user": "沙发灯", "area_id": "ke_ting"},
                {"id": "d2", "name": "温湿度计", "name_by_user": null, "area_id": "ci_wo"},
            ]),
        ),
        (Part::Entities, listed),
        (Part::Entries, entries),
        (Part::Exposed, exposed),
    ];
    let entities = json!({
        "light.sofa": ["on", {"supported_color_modes": ["brightness"], "brightness": 128, "friendly_name": "沙发灯"}],
        "sensor.th_humidity": ["54.5", {"unit_of_measurement": "%", "device_class": "humidity",
            "friendly_name": "温湿度计 湿度"}],
    });
    told(&parts, entities, Exposure::Assist)
}

#[test]
fn names_rooms_aliases_and_labels_are_those_of_the_owner() {
    let hub = house(json!({"exposed_entities": {
        "light.sofa": {"conversation": true}, "sensor.th_humidity": {"conversation": true, "cloud.alexa": false},
        "sensor.sofa_power": {"cloud.alexa": true}, "switch.old": {"conversation": true},
        "update.firmware": {"conversation": true}, "alarm_control_panel.house": {"conversation": true},
        "switch.ghost": {"conversation": true},
    }}));
    let home = home_of(&hub);
    let rooms: Vec<_> = home.rooms.iter().map(|r| (r.name.as_str(), r.floor.as_deref(), r.aliases.clone())).collect();
    assert_eq!(rooms, [("客厅", Some("一楼"), vec!["大厅".to_owned()]), ("次卧", None, vec![])]);
    let lamp = &home.devices[0];
    assert_eq!((lamp.id.as_str(), lamp.name.as_str(), home.room_name(lamp)), ("light.sofa", "沙发灯", "客厅"));
    assert_eq!((lamp.aliases.clone(), lamp.tags.clone()), (vec!["大灯".to_owned()], vec!["氛围".to_owned()]));
    assert_eq!(lamp.initial, serde_json::from_value(json!({"power": true, "brightness": 50})).unwrap());
    let sensor = &home.devices[1];
    assert_eq!((sensor.name.as_str(), sensor.aliases.clone()), ("温湿度计 湿度", vec!["温湿度计".to_owned()]));
    let left: Vec<_> =
        hub.home().left_out.into_iter().map(|left| format!("{} {}: {}", left.id, left.name, left.reason)).collect();
    assert_eq!(
        left,
        [
            "alarm_control_panel.house 安防: alarm systems are never moved by what is said",
            "sensor.sofa_power 沙发灯 功率: is not exposed to Assist: nobody has decided yet",
            "switch.ghost ghost: has no state",
            "switch.old 旧插座: is switched off in Home Assistant",
            "update.firmware 固件: things of the domain update cannot be spoken to",
        ]
    );
    assert_eq!(hub.wanted().unwrap(), ["light.sofa", "sensor.th_humidity", "switch.ghost"]);
}

#[test]
fn what_is_not_exposed_is_neither_brought_nor_moved() {
    let hub = house(json!({"exposed_entities": {"light.sofa": {"conversation": false}}}));
    assert_eq!(home_of(&hub).devices, []);
    assert_eq!(
        hub.native("light.sofa", &instruct(json!({"power": true}))),
        Err(Unable::Gone { device: "light.sofa".into() })
    );
}

#[test]
fn without_the_right_to_see_what_is_exposed_nothing_is() {
    let mut hub = HomeAssistant::new(Exposure::Assist);
    let mut fetched = Fetched::default();
    fetched.take(Part::Entities, &json!([{"entity_id": "light.a"}]).to_string()).unwrap();
    hub.learn(&fetched);
    assert_eq!(hub.wanted().unwrap(), Vec::<String>::new());
    assert!(hub.home().left_out[0].reason.contains("administrator"));
}

#[test]
fn everything_leaves_out_what_is_hidden_or_configures_things() {
    let entities = json!([{"entity_id": "light.a", "hidden_by": "user"}, {"entity_id": "switch.b", "entity_category": "config"},
        {"entity_id": "switch.c"}]);
    let on = json!(["on", {}]);
    let states = json!({"light.a": on, "switch.b": on, "switch.c": on, "switch.d": on, "alarm_control_panel.e": on});
    let hub = told(&[(Part::Entities, entities)], states, Exposure::Everything);
    let ids: Vec<String> = home_of(&hub).devices.into_iter().map(|device| device.id).collect();
    assert_eq!(ids, ["switch.c", "switch.d"]);
    assert_eq!(hub.wanted(), None);
}

#[test]
fn what_guards_is_risky_and_what_heats_water_is_not() {
    let risky = |id: &str, class: &str, features: u64| {
        let hub = bare(
            json!({id: ["off", {"device_class": class, "supported_features": features, "operation_list": ["off", "eco"]}]}),
        );
        only(&hub).risk == Some(Risk::High)
    };
    for (id, class, features) in [
        ("lock.a", "", 0),
        ("cover.a", "garage", 3),
        ("cover.a", "gate", 3),
        ("cover.a", "door", 3),
        ("valve.a", "gas", 3),
        ("valve.a", "", 3),
    ] {
        assert!(risky(id, class, features), "{id} {class}");
    }
    for (id, class, features) in
        [("light.a", "", 0), ("cover.a", "curtain", 3), ("switch.a", "outlet", 0), ("water_heater.a", "", 11)]
    {
        assert!(!risky(id, class, features), "{id} {class}");
    }
}

/// State and attributes, what that tells, and for each wish the services in order.

#[test]
fn commands_are_services_and_what_steps_is_said_once() {
    let run = |hub: &HomeAssistant, id: &str, command: &str| {
        let command = Some(CommandCall { id: command.into(), argument: None });
        hub.native(id, &Instruct { state: None, command, ..instruct(json!({})) })
    };
    let hub = bare(json!({"button.a": ["unknown", {}], "media_player.a": ["on", {"supported_features": 1024 + 128}]}));
    let once = |native: &[Native]| native.iter().map(|n| n.once).collect::<Vec<_>>();
    assert_eq!(once(&run(&hub, "button.a", "press").unwrap()), [true]);
    assert_eq!(once(&run(&hub, "media_player.a", "volume_up").unwrap()), [true]);
    assert_eq!(once(&run(&hub, "media_player.a", "turn_on").unwrap()), [false]);
    for (id, command) in [("button.a", "turn_on"), ("media_player.a", "turn_off"), ("media_player.a", "reload")] {
        assert!(matches!(run(&hub, id, command), Err(Unable::Foreign { .. })), "{id} {command}");
    }
}

#[test]
fn what_a_thing_cannot_do_is_refused_and_not_tried() {
    let hub = bare(json!({
        "light.a": ["on", {"supported_color_modes": ["rgb"], "rgb_color": [1, 2, 3]}],
        "sensor.a": ["1", {"unit_of_measurement": "%"}],
        "vacuum.a": ["docked", {"supported_features": 24576}],
    }));
    for (id, state) in [
        ("light.a", json!({"color_temperature": 3000})),
        ("light.a", json!({"color": "other"})),
        ("light.a", json!({"power": "on"})),
        ("light.a", json!({"color": 7})),
        ("light.a", json!({"brightness": "x"})),
        ("light.a", json!({"service": "homeassistant.restart"})),
        ("sensor.a", json!({"state": 2})),
        ("vacuum.a", json!({"room": "kitchen"})),
        ("vacuum.a", json!({"run": "fly"})),
    ] {
        assert!(matches!(hub.native(id, &instruct(state.clone())), Err(Unable::Foreign { .. })), "{id} {state}");
    }
    assert!(matches!(hub.native("light.b", &instruct(json!({"power": true}))), Err(Unable::Gone { .. })));
}

#[test]
fn a_robot_is_sent_to_the_areas_that_are_mapped_to_its_own() {
    let entity = json!([{"entity_id": "vacuum.a", "options": {"vacuum": {"area_mapping": {"ke_ting": ["1"], "gone": ["2"], "ci_wo": []}}}}]);
    let areas = json!([{"area_id": "ke_ting", "name": "客厅"}, {"area_id": "ci_wo", "name": "次卧"}]);
    let states = json!({"vacuum.a": ["docked", {"supported_features": 16384 + 8192}]});
    let hub = told(&[(Part::Entities, entity), (Part::Areas, areas)], states, Exposure::Everything);
    let device = only(&hub);
    assert!(device.property("room").unwrap().domain.accepts(&json!("ke_ting")));
    let sent = said(&hub, "vacuum.a", json!({"run": "clean", "room": "ci_wo"}));
    assert_eq!(sent, [("vacuum.clean_area".into(), json!({"cleaning_area_id": ["ci_wo"]}), false)]);
}

#[test]
fn scenes_and_scripts_are_scenes_that_run_by_their_name() {
    let hub = bare(
        json!({"scene.a": ["unknown", {"friendly_name": "观影模式"}], "script.b": ["off", {"friendly_name": "早安"}]}),
    );
    let home = home_of(&hub);
    let scenes: Vec<_> =
        home.scenes.iter().map(|s| (s.name.as_str(), home.devices[s.actions[0].device].id.as_str())).collect();
    assert_eq!(scenes, [("观影模式", "scene.a"), ("早安", "script.b")]);
    assert!(home.devices.iter().all(|device| home.scenes.iter().all(|scene| scene.name != device.name)));
}

#[test]
fn only_what_makes_another_home_is_told_as_one() {
    let mut hub = bare(
        json!({"light.a": ["on", {"supported_color_modes": ["brightness"], "brightness": 10, "friendly_name": "灯"}]}),
    );
    let device = || "light.a".to_owned();
    let state = |told: Value| Change::State { device: device(), values: serde_json::from_value(told).unwrap() };
    let event =
        json!({"c": {"light.a": {"+": {"a": {"brightness": 255}, "lu": 2.0}}, "light.unknown": {"+": {"s": "on"}}}});
    let online = |online| Change::Device { device: device(), online };
    assert_eq!(hub.heard(&event, false), [state(json!({"power": true, "brightness": 100}))]);
    let renamed = json!({"c": {"light.a": {"+": {"a": {"friendly_name": "大灯"}}}}});
    assert_eq!(hub.heard(&renamed, false)[0], Change::Registry);
    let away = json!({"c": {"light.a": {"+": {"s": "unavailable"}, "-": {"a": ["brightness"]}}}});
    assert_eq!(hub.heard(&away, false), [online(false)]);
    assert_eq!(hub.heard(&json!({"r": ["light.a"]}), false), [Change::Registry]);
    assert_eq!(home_of(&hub).devices, []);
}

#[test]
fn a_new_subscription_brings_no_new_home_if_nothing_changed() {
    let all = json!({"light.a": ["on", {"friendly_name": "灯"}], "media_player.b": ["on", {"supported_features": 4}]});
    let mut hub = bare(all.clone());
    let later = json!({"light.a": ["unavailable", {"friendly_name": "灯", "restored": true}], "media_player.b": ["off", {"supported_features": 0}]});
    assert!(!hub.heard(&states(later), true).contains(&Change::Registry));
    assert!(!hub.heard(&states(all), true).contains(&Change::Registry));
    assert_eq!(home_of(&hub).devices.len(), 2);
}

#[test]
fn names_and_values_of_any_kind_make_no_document_that_is_refused() {
    let nasty = "<b>\u{202e}灯\u{0}\"; DROP\n/+#".to_owned() + &"长".repeat(60);
    let hub = bare(json!({
        "light.a": ["on", {"friendly_name": nasty, "supported_color_modes": ["brightness", "\u{0}", 9], "brightness": 1e300}],
        "select.b": [nasty, {"options": [nasty, nasty, "", "x".repeat(9_999)]}],
        "climate.c": [nasty, {"min_temp": 30, "max_temp": 16, "supported_features": 4095, "hvac_modes": "cool", "temperature": "hot"}],
        "fan.d": ["on", {"percentage_step": 0, "percentage": -5, "supported_features": u64::MAX}],
        "number.e": ["NaN", {"min": 1e308, "max": -1e308, "step": -1}],
        "number.f": ["inf", {"min": 0, "max": 1, "step": 0}],
        "cover.g": ["open", {"supported_features": -3, "current_position": 1e20}],
        "scene.h": ["x", {"friendly_name": "  "}],
        "": ["on", {}], ".": ["on", {}], "light": ["on", {}], "light.": ["on", {}],
    }));
    let home = home_of(&hub);
    assert!(home.devices.iter().any(|device| device.id == "light.a" && device.name == nasty.trim()));
    // An id that is no topic level is made one by whoever merges homes; here it only must not break anything.
    assert!(hub.home().left_out.iter().all(|left| !left.reason.is_empty()));
}

fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("on"),
        Just("off"),
        Just("light.a"),
        Just("climate.b"),
        Just("cover.c"),
        Just("a"),
        Just("s"),
        Just("c"),
        Just("r"),
        Just("+"),
        Just("-"),
        Just("supported_features"),
        Just("brightness"),
        Just("hvac_modes"),
        Just("cool"),
        Just("min_temp"),
        Just("max_temp"),
        Just("options"),
        Just("entity_id"),
        Just("area_id"),
        Just("name"),
        Just("exposed_entities"),
        Just("conversation"),
        Just("power"),
        Just("mode"),
        Just("position"),
        Just("\u{0}")
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from)
    ];
    leaf.prop_recursive(5, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6)
                .prop_map(|entries| entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn nothing_that_it_says_ends_the_daemon(
        answers in prop::collection::vec(any_json(), 7), events in prop::collection::vec(any_json(), 1..4), state in any_json()
    ) {
        for exposure in [Exposure::Assist, Exposure::Everything] {
            let mut hub = HomeAssistant::new(exposure);
            let mut fetched = Fetched::default();
            for (part, answer) in Part::LISTS.into_iter().chain([Part::Entries]).zip(&answers) {
                let _ = fetched.take(part, &answer.to_string());
            }
            hub.learn(&fetched);
            for (at, event) in events.iter().enumerate() {
                hub.heard(event, at == 0);
                hub.heard(&json!({"a": {"light.a": event, "climate.b": {"s": "cool", "a": event}}}), false);
            }
            hub.changed();
            let brought = hub.home();
            prop_assert!(home::parse(&brought.document).is_ok());
            for id in ["light.a", "climate.b", "cover.c", ""] {
                let wanted = State::from_iter(state.as_object().cloned().unwrap_or_default());
                let _ = hub.native(id, &Instruct { state: Some(wanted), ..instruct(json!({})) });
            }
        }
    }
}
