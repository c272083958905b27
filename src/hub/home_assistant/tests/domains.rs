//! Each domain in its own words.

use super::*;

#[test]
fn each_domain_is_told_and_moved_in_its_own_words() {
    let color_lamp = json!({"supported_color_modes": ["color_temp", "rgbw"], "min_color_temp_kelvin": 2202,
        "max_color_temp_kelvin": 6535, "effect_list": ["none", "rainbow"], "supported_features": 44, "brightness": 1,
        "color_mode": "rgbw", "rgb_color": [250, 10, 0], "effect": "none"});
    let climate = json!({"hvac_modes": ["off", "cool", "heat"], "min_temp": 16, "max_temp": 30, "target_temp_step": 1,
        "supported_features": 443, "fan_modes": ["low", "high"], "swing_modes": ["off", "vertical", "horizontal", "both"],
        "preset_modes": ["none", "eco"], "temperature": 26, "current_temperature": 27.3, "fan_mode": "low",
        "swing_mode": "vertical", "preset_mode": "none", "target_temp_low": 20, "target_temp_high": 24});
    let old_climate = json!({"hvac_modes": ["off", "heat"], "min_temp": 5, "max_temp": 30, "supported_features": 1});
    let fan = json!({"percentage_step": 33.333333333333336, "percentage": 66, "supported_features": 15,
        "preset_modes": ["auto"], "oscillating": false, "direction": "forward"});
    let player = json!({"supported_features": 317885, "volume_level": 0.29, "is_volume_muted": false,
        "source_list": ["HDMI", "电视"], "source": "HDMI", "shuffle": false, "repeat": "all"});
    let robot = json!({"supported_features": 16380, "fan_speed_list": ["quiet", "max"], "fan_speed": "quiet", "battery_level": 88});
    let heater = json!({"supported_features": 15, "min_temp": 30, "max_temp": 60, "operation_list": ["off", "eco", "gas"],
        "temperature": 45, "away_mode": "off"});
    let cases = [
        (
            "light.a",
            "on",
            color_lamp,
            json!({"power": true, "brightness": 1, "color": "red", "effect": "none"}),
            json!([
                [{"power": true}, ["light.turn_on", null]],
                [{"power": false}, ["light.turn_off", null]],
                [{"power": true, "brightness": 50}, ["light.turn_on", {"brightness_pct": 50}]],
                [{"color_temperature": 4000}, ["light.turn_on", {"color_temp_kelvin": 4000}]],
                [{"color": "blue", "brightness": 10}, ["light.turn_on", {"brightness_pct": 10, "rgb_color": [0, 0, 255]}]],
                [{"effect": "rainbow"}, ["light.turn_on", {"effect": "rainbow"}]],
            ]),
        ),
        (
            "climate.a",
            "cool",
            climate,
            json!({"power": true, "mode": "cool", "temperature": 26, "temperature_low": 20,
            "temperature_high": 24, "fan": "low", "preset": "none", "current_temperature": 27.3, "swing_vertical": true,
            "swing_horizontal": false}),
            json!([
                [{"power": true}, ["climate.turn_on", null]],
                [{"power": false}, ["climate.turn_off", null]],
                [{"mode": "heat", "power": true, "temperature": 22}, ["climate.set_hvac_mode", {"hvac_mode": "heat"}],
                    ["climate.set_temperature", {"temperature": 22}]],
                [{"temperature_high": 25}, ["climate.set_temperature", {"target_temp_low": 20, "target_temp_high": 25}]],
                [{"fan": "high"}, ["climate.set_fan_mode", {"fan_mode": "high"}]],
                [{"preset": "eco"}, ["climate.set_preset_mode", {"preset_mode": "eco"}]],
                [{"swing_horizontal": true}, ["climate.set_swing_mode", {"swing_mode": "both"}]],
                [{"swing_horizontal": false, "swing_vertical": false}, ["climate.set_swing_mode", {"swing_mode": "off"}]],
            ]),
        ),
        (
            "climate.b",
            "off",
            old_climate,
            json!({"power": false}),
            json!([
                [{"power": true}, ["climate.set_hvac_mode", {"hvac_mode": "heat"}]],
                [{"power": false}, ["climate.set_hvac_mode", {"hvac_mode": "off"}]],
            ]),
        ),
        (
            "cover.a",
            "open",
            json!({"supported_features": 255, "current_position": 70, "current_tilt_position": 50}),
            json!({"action": "stop", "position": 70, "tilt": 50}),
            json!([
                [{"action": "open"}, ["cover.open_cover", null]],
                [{"action": "stop"}, ["cover.stop_cover", null]],
                [{"position": 30}, ["cover.set_cover_position", {"position": 30}]],
                [{"tilt": 0}, ["cover.set_cover_tilt_position", {"tilt_position": 0}]],
            ]),
        ),
        (
            "cover.b",
            "closed",
            json!({"supported_features": 240, "current_tilt_position": 0}),
            json!({"action": "close", "tilt": 0}),
            json!([[{"action": "open"}, ["cover.open_cover_tilt", null]]]),
        ),
        (
            "cover.c",
            "open",
            json!({"supported_features": 63, "current_position": 100}),
            json!({"action": "open", "position": 100}),
            json!([
                [{"action": "close"}, ["cover.close_cover", null]],
                [{"tilt": 100}, ["cover.open_cover_tilt", null]],
                [{"tilt": 0}, ["cover.close_cover_tilt", null]],
            ]),
        ),
        (
            "fan.a",
            "on",
            fan,
            json!({"power": true, "speed": 2, "oscillating": false, "direction": "forward"}),
            json!([
                [{"power": true}, ["fan.turn_on", null]],
                [{"power": true, "speed": 3}, ["fan.set_percentage", {"percentage": 100}]],
                [{"speed": 1}, ["fan.set_percentage", {"percentage": 33}]],
                [{"mode": "auto"}, ["fan.set_preset_mode", {"preset_mode": "auto"}]],
                [{"oscillating": true}, ["fan.oscillate", {"oscillating": true}]],
                [{"direction": "reverse"}, ["fan.set_direction", {"direction": "reverse"}]],
            ]),
        ),
        (
            "lock.a",
            "unlocked",
            json!({}),
            json!({"locked": false}),
            json!([
                [{"locked": true}, ["lock.lock", null]], [{"locked": false}, ["lock.unlock", null]],
            ]),
        ),
        (
            "media_player.a",
            "playing",
            player,
            json!({"power": true, "playback": "play", "volume": 29, "mute": false,
            "source": "HDMI", "shuffle": false, "repeat": "all"}),
            json!([
                [{"volume": 30}, ["media_player.volume_set", {"volume_level": 0.3}]],
                [{"mute": true}, ["media_player.volume_mute", {"is_volume_muted": true}]],
                [{"playback": "pause"}, ["media_player.media_pause", null]],
                [{"playback": "next"}, ["media_player.media_next_track", null, "once"]],
                [{"power": true, "source": "电视"}, ["media_player.turn_on", null], ["media_player.select_source", {"source": "电视"}]],
                [{"shuffle": true}, ["media_player.shuffle_set", {"shuffle": true}]],
                [{"repeat": "off"}, ["media_player.repeat_set", {"repeat": "off"}]],
            ]),
        ),
        (
            "vacuum.a",
            "returning",
            robot,
            json!({"activity": "returning", "run": "dock", "suction": "quiet", "battery": 88}),
            json!([
                [{"run": "clean"}, ["vacuum.start", null]], [{"run": "dock"}, ["vacuum.return_to_base", null]],
                [{"run": "clean", "suction": "max"}, ["vacuum.set_fan_speed", {"fan_speed": "max"}], ["vacuum.start", null]],
            ]),
        ),
        (
            "lawn_mower.a",
            "mowing",
            json!({"supported_features": 7}),
            json!({"activity": "mowing", "run": "mow"}),
            json!([
                [{"run": "mow"}, ["lawn_mower.start_mowing", null]], [{"run": "dock"}, ["lawn_mower.dock", null]],
            ]),
        ),
        (
            "humidifier.a",
            "on",
            json!({"supported_features": 1, "min_humidity": 30, "max_humidity": 80, "humidity": 45,
            "available_modes": ["auto"], "current_humidity": 50}),
            json!({"power": true, "humidity": 45, "current_humidity": 50.0}),
            json!([[{"power": true, "humidity": 60}, ["humidifier.turn_on", null], ["humidifier.set_humidity", {"humidity": 60}]],
                [{"mode": "auto"}, ["humidifier.set_mode", {"mode": "auto"}]]]),
        ),
        (
            "water_heater.a",
            "eco",
            heater,
            json!({"power": true, "mode": "eco", "water_temperature": 45, "away": false}),
            json!([
                [{"water_temperature": 50}, ["water_heater.set_temperature", {"temperature": 50}]],
                [{"power": false}, ["water_heater.turn_off", null]],
                [{"mode": "gas"}, ["water_heater.set_operation_mode", {"operation_mode": "gas"}]],
                [{"away": true}, ["water_heater.set_away_mode", {"away_mode": true}]],
            ]),
        ),
        (
            "valve.a",
            "opening",
            json!({"supported_features": 15, "current_position": 10}),
            json!({"open": true, "position": 10}),
            json!([
                [{"open": false}, ["valve.close_valve", null]], [{"position": 20}, ["valve.set_valve_position", {"position": 20}]],
            ]),
        ),
        (
            "number.a",
            "22.5",
            json!({"min": 15, "max": 35, "step": 0.5, "unit_of_measurement": "°C", "device_class": "temperature"}),
            json!({"temperature": 22.5}),
            json!([[{"temperature": 23}, ["number.set_value", {"value": 23}]]]),
        ),
        (
            "input_number.a",
            "7",
            json!({"min": 0, "max": 10, "step": 1}),
            json!({"value": 7}),
            json!([[{"value": 8}, ["input_number.set_value", {"value": 8}]]]),
        ),
        (
            "select.a",
            "eco",
            json!({"options": ["eco", "turbo"]}),
            json!({"option": "eco"}),
            json!([[{"option": "turbo"}, ["select.select_option", {"option": "turbo"}]]]),
        ),
        (
            "scene.a",
            "2026-01-01T00:00:00+00:00",
            json!({"friendly_name": "观影模式"}),
            json!({}),
            json!([[{"run": "start"}, ["scene.turn_on", null]]]),
        ),
        (
            "script.a",
            "off",
            json!({"friendly_name": "早安"}),
            json!({}),
            json!([[{"run": "start"}, ["script.turn_on", null, "once"]]]),
        ),
        (
            "input_boolean.a",
            "off",
            json!({}),
            json!({"power": false}),
            json!([[{"power": true}, ["input_boolean.turn_on", null]]]),
        ),
        ("binary_sensor.a", "on", json!({"device_class": "lock"}), json!({"locked": false}), json!([])),
        ("binary_sensor.b", "on", json!({"device_class": "motion"}), json!({"occupied": true}), json!([])),
        (
            "sensor.a",
            "21.5",
            json!({"unit_of_measurement": "°C", "device_class": "temperature"}),
            json!({"temperature": 21.5}),
            json!([]),
        ),
        (
            "sensor.b",
            "away",
            json!({"options": ["away", "home"], "device_class": "enum"}),
            json!({"state": "away"}),
            json!([]),
        ),
        ("sensor.c", "雨", json!({}), json!({"state": "雨"}), json!([])),
        ("input_text.a", "记得浇花", json!({"mode": "text"}), json!({"state": "记得浇花"}), json!([])),
        ("input_datetime.a", "07:30:00", json!({"has_time": true}), json!({"state": "07:30:00"}), json!([])),
    ];
    for (id, state, attributes, tells, wishes) in cases {
        let hub = bare(json!({id: [state, attributes]}));
        let device = only(&hub);
        assert_eq!(json!(device.initial), tells, "{id}");
        for wish in wishes.as_array().unwrap() {
            let wanted: Vec<(String, Value, bool)> = wish.as_array().unwrap()[1..]
                .iter()
                .map(|call| (call[0].as_str().unwrap().to_owned(), call[1].clone(), call[2] == "once"))
                .collect();
            for (key, value) in wish[0].as_object().unwrap() {
                let property = device.property(key).unwrap_or_else(|| panic!("{id} has no {key}"));
                assert!(property.writable && property.domain.accepts(value), "{id} {key}");
            }
            assert_eq!(said(&hub, id, wish[0].clone()), wanted, "{id} {}", wish[0]);
        }
    }
}

#[test]
fn scenes_and_scripts_never_say_that_they_were_run() {
    let hub = bare(json!({"scene.a": ["x", {}], "script.a": ["off", {}], "light.a": ["on", {}]}));
    assert!(!hub.tells("scene.a", "run") && !hub.tells("script.a", "run") && hub.tells("light.a", "power"));
    // Nor do slats without a position.
    let position = json!(["open", {"supported_features": 63, "current_tilt_position": 0}]);
    let hub = bare(json!({"cover.a": ["open", {"supported_features": 63}], "cover.b": position}));
    assert!(!hub.tells("cover.a", "tilt") && hub.tells("cover.a", "action") && hub.tells("cover.b", "tilt"));
}

#[test]
fn a_scene_that_opens_a_lock_wants_a_yes_and_one_that_does_not_tell_is_named() {
    let scene = |members: Value| json!(["x", {"friendly_name": "场景", "entity_id": members}]);
    let hub = bare(json!({
        "scene.lamps": scene(json!(["light.a", "cover.curtain"])), "scene.out": scene(json!(["light.a", "lock.front"])),
        "scene.garage": scene(json!(["cover.garage"])), "scene.hidden": scene(json!(["cover.of_nobody"])),
        "scene.alarm": scene(json!(["alarm_control_panel.house"])), "scene.hue": ["x", {"friendly_name": "晚霞"}],
        "script.s": ["off", {"friendly_name": "早安"}], "light.a": ["on", {"supported_color_modes": ["onoff"]}],
        "cover.curtain": ["open", {"supported_features": 3, "device_class": "curtain"}],
        "cover.garage": ["open", {"supported_features": 3, "device_class": "garage"}], "lock.front": ["locked", {}],
    }));
    let home = home_of(&hub);
    let risky = home.devices.iter().filter(|d| d.id.starts_with('s') && d.risk == Some(Risk::High));
    let risky: Vec<&str> = risky.map(|device| device.id.as_str()).collect();
    assert_eq!(risky, ["scene.alarm", "scene.garage", "scene.hidden", "scene.out"]);
    let unseen: Vec<(String, String)> = hub.home().unseen.into_iter().map(|of| (of.id, of.name)).collect();
    let named = [("scene.hue", "晚霞"), ("script.s", "早安")].map(|(id, name)| (id.to_owned(), name.to_owned()));
    assert_eq!(unseen, named);
}

#[test]
fn values_have_the_words_of_their_integration_where_there_are_no_others() {
    let entities = json!([
        {"entity_id": "select.mop", "platform": "roborock", "translation_key": "mop_intensity"},
        {"entity_id": "sensor.washer", "platform": "lg_thinq", "translation_key": "current_state"},
        {"entity_id": "climate.ac", "platform": "daikin", "translation_key": "air"},
        {"entity_id": "select.plain", "platform": "roborock", "translation_key": null},
    ]);
    let of = |entity: &str| format!("component.{entity}");
    let resources = json!({
        of("roborock.entity.select.mop_intensity.name"): "拖地强度",
        of("roborock.entity.select.mop_intensity.state.mild"): "柔和拖",
        of("roborock.entity.select.mop_intensity.state.custom"): "自定义",
        of("roborock.entity.select.mop_intensity_two.state.mild"): "别的",
        of("lg_thinq.entity.sensor.current_state.state.rinsing"): "漂洗中",
        of("daikin.entity.climate.air.state_attributes.preset_mode.state.powerful"): "强力送风",
        of("daikin.entity.climate.air.state_attributes.preset_mode.state.eco"): "不用这个",
        "nonsense": 7,
    });
    let parts = [(Part::Entities, entities), (Part::Translations, json!({"resources": resources}))];
    let states = json!({
        "select.mop": ["mild", {"options": ["mild", "custom", "odd"]}],
        "sensor.washer": ["rinsing", {"device_class": "enum", "options": ["rinsing", "end"]}],
        "climate.ac": ["cool", {"supported_features": 16, "hvac_modes": ["cool"], "preset_modes": ["none", "eco", "powerful"]}],
        "select.plain": ["mild", {"options": ["mild"]}],
    });
    let hub = told(&parts, states, Exposure::Everything);
    let document = hub.home().document;
    let words = |id: &str, property: &str| -> Vec<String> {
        let device = document["devices"].as_array().unwrap().iter().find(|device| device["id"] == id).unwrap();
        let model = device["device"]["model"].as_str().unwrap();
        let range = document["model"][model]["property"][property]["range"].as_array().unwrap();
        range.iter().map(|value| value["describe"].as_str().or(value.as_str()).unwrap().to_owned()).collect()
    };
    assert_eq!(words("select.mop", "option"), ["柔和拖", "自定义", "odd"]);
    assert_eq!(words("sensor.washer", "state"), ["漂洗中", "end"]);
    assert_eq!(words("climate.ac", "preset"), ["无", "节能", "强力送风"]);
    assert_eq!(words("select.plain", "option"), ["mild"]);
}

#[test]
fn entities_are_called_as_their_integrations_call_them_in_chinese_where_their_owner_does_not() {
    let entity = |id: &str, device: &str, key: &str, name: Option<&str>| {
        json!({"entity_id": id, "device_id": device, "platform": "roborock", "translation_key": key, "name": name,
            "has_entity_name": true, "original_name": "Mop intensity"})
    };
    let entities = json!([
        entity("select.mop", "d1", "mop_intensity", None),
        entity("switch.lock", "d1", "child_lock", None),
        entity("switch.other_lock", "d2", "child_lock", None),
        entity("switch.own", "d2", "dnd", Some("夜里别吵")),
        entity("switch.gap", "d2", "gap", None),
        entity("switch.chinese", "d2", "status", None),
    ]);
    let devices = json!([{"id": "d1", "name": "S7", "name_by_user": "扫地机"}, {"id": "d2", "name": "洗衣机"}]);
    let of = |entity: &str| format!("component.roborock.entity.{entity}.name");
    let resources = json!({
        of("select.mop_intensity"): "拖地强度", of("switch.child_lock"): "童锁面板", of("switch.dnd"): "勿扰模式",
        of("switch.gap"): "第 {number} 档", of("switch.status"): "状态灯",
    });
    let parts =
        [(Part::Entities, entities), (Part::Devices, devices), (Part::Translations, json!({"resources": resources}))];
    let named = |name: &str| json!(["off", {"friendly_name": name}]);
    let states = json!({"select.mop": ["a", {"friendly_name": "S7 Mop intensity", "options": ["a", "b"]}],
        "switch.lock": named("S7 Child lock"), "switch.other_lock": named("洗衣机 Child lock"),
        "switch.own": named("夜里别吵"), "switch.gap": named("Gap"), "switch.chinese": named("洗衣机 状态灯")});
    let home = home_of(&told(&parts, states, Exposure::Everything));
    let aliases = |id: &str| home.devices.iter().find(|device| device.id == id).unwrap().aliases.clone();
    assert_eq!(aliases("select.mop"), ["扫地机拖地强度", "拖地强度"]);
    assert_eq!(
        (aliases("switch.lock"), aliases("switch.other_lock")),
        (vec!["扫地机童锁面板".to_owned()], vec!["洗衣机童锁面板".to_owned()])
    );
    assert_eq!((aliases("switch.own"), aliases("switch.gap")), (vec![], vec![]));
    assert_eq!(aliases("switch.chinese"), ["状态灯"]);
}
