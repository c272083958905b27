mod bounds;
mod values;

use serde_json::{Value, json};

use super::*;

fn hub(configs: &[(&str, Value)]) -> Discovery {
    let mut hub = Discovery::new("homeassistant".into());
    for (topic, config) in configs {
        let changes = hub.heard(&format!("homeassistant/{topic}/config"), config.to_string().as_bytes(), true);
        assert_eq!(changes, [Change::Registry], "{topic}");
    }
    hub
}

fn set(state: Value) -> Instruct {
    let state = serde_json::from_value(state).unwrap();
    Instruct { id: String::new(), state: Some(state), command: None, summary: String::new(), noop: false }
}

/// What is published for an instruct, one `topic payload` each.
fn sent(hub: &Discovery, device: &str, state: Value) -> Vec<String> {
    let natives = hub.native(device, &set(state)).unwrap();
    let text = |native: &Native| match &native.to {
        To::Topic { topic, payload } => format!("{topic} {}", String::from_utf8_lossy(payload)),
        To::Connection(_) => panic!("{native:?}"),
    };
    natives.iter().map(text).collect()
}

fn states(changes: &[Change]) -> Value {
    let state = |change: &Change| match change {
        Change::State { device, values } => Some((device.clone(), json!(values))),
        _ => None,
    };
    changes.iter().filter_map(state).collect::<Map<_, _>>().into()
}

fn device(hub: &Discovery, id: &str) -> Value {
    let document = hub.home().document;
    let devices = document["devices"].as_array().unwrap();
    let mut device = devices.iter().find(|d| d["id"] == id).unwrap_or_else(|| panic!("{id} of {devices:?}")).clone();
    device["property"] = document["model"][device["device"]["model"].as_str().unwrap()]["property"].clone();
    device
}

fn accepted(hub: &Discovery) -> crate::home::Home {
    let (home, report) = crate::home::parse(&hub.home().document).unwrap();
    assert_eq!(report.rejected, []);
    home
}

#[test]
fn a_device_that_changes_is_read_as_it_is_now_and_nothing_is_kept_of_what_is_gone() {
    let lamp =
        json!({"name": null, "uniq_id": "l", "cmd_t": "x/set", "stat_t": "x/l", "dev": {"ids": ["x"], "name": "灯"}});
    let warmth = json!({"name": "温度", "uniq_id": "t", "dev_cla": "temperature", "stat_t": "x/t", "dev": {"ids": ["x"], "name": "灯"}});
    let mut hub = hub(&[("sensor/t", warmth), ("light/l", lamp)]);
    assert_eq!(states(&hub.heard("x/t", b"21", false)), json!({"light:l": {"temperature": 21.0}}));
    assert_eq!(states(&hub.heard("x/l", b"ON", false)), json!({"light:l": {"power": true}}));
    assert_eq!(hub.heard("homeassistant/light/l/config", b"", true), [Change::Registry]);
    assert_eq!(states(&hub.heard("x/t", b"22", false)), json!({"device:x": {"temperature": 22.0}}));
    assert_eq!(hub.heard("homeassistant/sensor/t/config", b"", true), [Change::Registry]);
    assert!(
        hub.layouts.is_empty() && hub.forms.counts() == (0, 0) && hub.listeners.is_empty() && hub.devices.is_empty()
    );
}

#[test]
fn lights_are_spoken_to_in_each_of_the_three_schemas() {
    let basic = json!({"name": "甲灯", "uniq_id": "a", "cmd_t": "a/set", "stat_t": "a", "bri_cmd_t": "a/b", "bri_stat_t": "a/bs",
        "clr_temp_cmd_t": "a/ct", "rgb_cmd_t": "a/rgb", "rgb_stat_t": "a/rgbs"});
    let by_json = json!({"name": "乙灯", "uniq_id": "b", "schema": "json", "cmd_t": "b/set", "stat_t": "b", "bri_scl": 100,
        "sup_clrm": ["color_temp", "hs"]});
    let by_template = json!({"name": "丙灯", "uniq_id": "c", "schema": "template", "cmd_t": "c/set", "stat_t": "c",
        "cmd_on_tpl": "on{% if brightness is defined %},{{ brightness }}{% endif %}", "cmd_off_tpl": "off",
        "stat_tpl": "{{ value.split(',')[0] }}", "bri_tpl": "{{ value.split(',')[1] }}"});
    let mut hub = hub(&[("light/a", basic), ("light/b", by_json), ("light/c", by_template)]);
    accepted(&hub);
    assert_eq!(
        sent(&hub, "light:a", json!({"power": true, "brightness": 40, "color_temp": 4000, "color": "red"})),
        ["a/b 102", "a/rgb 255,0,0", "a/ct 250", "a/set ON"]
    );
    assert_eq!(sent(&hub, "light:a", json!({"power": false, "brightness": 40})), ["a/set OFF"]);
    let told = sent(&hub, "light:b", json!({"brightness": 40, "color": "green"}));
    assert_eq!(told, [r#"b/set {"brightness":40,"color":{"h":120.0,"s":100.0},"state":"ON"}"#]);
    assert_eq!(sent(&hub, "light:c", json!({"power": true, "brightness": 100})), ["c/set on,255"]);
    assert_eq!(sent(&hub, "light:c", json!({"power": false})), ["c/set off"]);
    assert_eq!(states(&hub.heard("a", b"OFF", false)), json!({"light:a": {"power": false}}));
    assert_eq!(states(&hub.heard("a/rgbs", b"0,0,255", false)), json!({"light:a": {"color": "blue"}}));
    let heard = hub.heard("b", br#"{"state":"ON","brightness":50,"color_temp":250}"#, false);
    assert_eq!(states(&heard), json!({"light:b": {"power": true, "brightness": 50, "color_temp": 4000}}));
    assert_eq!(states(&hub.heard("c", b"on,128", false)), json!({"light:c": {"power": true, "brightness": 50}}));
}

#[test]
fn an_air_conditioner_has_power_by_its_mode_and_templates_are_run() {
    let config = json!({"name": "客厅空调", "uniq_id": "ac", "mode_cmd_t": "ac/mode", "mode_stat_t": "ac", "temp_cmd_t": "ac/t",
        "mode_stat_tpl": "{{ value_json.mode | lower }}", "temp_cmd_tpl": "{\"t\": {{ value }}}",
        "temp_stat_t": "ac", "temp_stat_tpl": "{{ value_json.t }}", "curr_temp_t": "ac", "curr_temp_tpl": "{{ value_json.now }}",
        "min_temp": 16, "max_temp": 30, "fan_mode_cmd_t": "ac/fan", "swing_mode_cmd_t": "ac/swing"});
    let mut hub = hub(&[("climate/ac", config)]);
    accepted(&hub);
    let shown = device(&hub, "climate:ac");
    assert_eq!(shown["local"], "客厅");
    assert_eq!(shown["property"]["temperature"]["max"], 30);
    assert_eq!(shown["property"]["swing"]["type"], "bool");
    assert_eq!(sent(&hub, "climate:ac", json!({"power": true})), ["ac/mode auto"]);
    assert_eq!(sent(&hub, "climate:ac", json!({"power": true, "mode": "cool", "temperature": 24})).len(), 2);
    let heard = hub.heard("ac", br#"{"mode":"HEAT","t":22,"now":19.5}"#, false);
    let wanted = json!({"mode": "heat", "power": true, "temperature": 22, "current_temperature": 19.5});
    assert_eq!(states(&heard), json!({"climate:ac": wanted}));
    hub.heard("ac", br#"{"mode":"off"}"#, false);
    assert_eq!(sent(&hub, "climate:ac", json!({"power": true})), ["ac/mode heat"]);
    assert_eq!(sent(&hub, "climate:ac", json!({"temperature": 24})), [r#"ac/t {"t": 24}"#]);
}

#[test]
fn each_platform_that_can_be_spoken_to_is_a_device_or_a_value_of_one() {
    let hub = hub(&[
        ("switch/s", json!({"name": "水泵", "cmd_t": "s", "uniq_id": "s", "dev_cla": "outlet"})),
        (
            "cover/c",
            json!({"name": "窗帘", "cmd_t": "c", "set_pos_t": "c/p", "pos_clsd": 100, "pos_open": 0, "uniq_id": "c", "pl_stop": null}),
        ),
        (
            "fan/f",
            json!({"name": "风扇", "cmd_t": "f", "pct_cmd_t": "f/p", "spd_rng_max": 4, "osc_cmd_t": "f/o", "uniq_id": "f"}),
        ),
        ("lock/l", json!({"name": "门锁", "cmd_t": "l", "uniq_id": "l"})),
        ("humidifier/h", json!({"name": "加湿器", "cmd_t": "h", "hum_cmd_t": "h/t", "uniq_id": "h"})),
        ("valve/v", json!({"name": "水阀", "cmd_t": "v", "uniq_id": "v"})),
        ("water_heater/w", json!({"name": "热水器", "mode_cmd_t": "w", "temp_cmd_t": "w/t", "uniq_id": "w"})),
        ("vacuum/r", json!({"name": "扫地机", "cmd_t": "r", "uniq_id": "r"})),
        (
            "lawn_mower/m",
            json!({"name": "割草机", "start_mowing_command_topic": "m", "dock_command_topic": "m/d", "uniq_id": "m"}),
        ),
        ("siren/a", json!({"name": "警报器", "cmd_t": "a", "uniq_id": "a"})),
        ("button/b", json!({"name": "喂食", "cmd_t": "b", "uniq_id": "b"})),
        ("scene/n", json!({"name": "观影", "cmd_t": "n", "pl_on": "GO", "uniq_id": "n"})),
        ("number/n", json!({"name": "音量", "cmd_t": "n/n", "max": 30, "uniq_id": "nn"})),
        (
            "select/o",
            json!({"name": "模式", "cmd_t": "o", "ops": ["eco", "turbo"], "options": ["eco", "turbo"], "uniq_id": "o"}),
        ),
        ("text/t", json!({"name": "留言", "cmd_t": "t", "stat_t": "t/s", "uniq_id": "t"})),
        (
            "sensor/e",
            json!({"name": "室外温度", "stat_t": "e", "dev_cla": "temperature", "unit_of_meas": "°C", "uniq_id": "e"}),
        ),
        ("binary_sensor/d", json!({"name": "大门", "stat_t": "d", "dev_cla": "door", "uniq_id": "d"})),
        ("alarm_control_panel/p", json!({"name": "布防", "cmd_t": "p", "uniq_id": "p"})),
    ]);
    assert_eq!(accepted(&hub).devices.len(), 18);
    assert_eq!(accepted(&hub).scenes.len(), 1);
    for (id, state, wanted) in [
        ("switch:s", json!({"power": true}), "s ON"),
        ("cover:c", json!({"action": "open"}), "c OPEN"),
        ("cover:c", json!({"position": 30}), "c/p 70"),
        ("fan:f", json!({"speed": 50}), "f/p 2"),
        ("fan:f", json!({"oscillation": true}), "f/o oscillate_on"),
        ("lock:l", json!({"locked": true}), "l LOCK"),
        ("humidifier:h", json!({"humidity": 55}), "h/t 55"),
        ("valve:v", json!({"action": "close"}), "v CLOSE"),
        ("water_heater:w", json!({"power": false}), "w off"),
        ("vacuum:r", json!({"run": "return"}), "r return_to_base"),
        ("lawn_mower:m", json!({"run": "dock"}), "m/d dock"),
        ("siren:a", json!({"power": true}), r#"a {"state":"ON"}"#),
        ("button:b", json!({"run": "start"}), "b PRESS"),
        ("scene:n", json!({"run": "start"}), "n GO"),
        ("number:nn", json!({"n": 12}), "n/n 12"),
        ("select:o", json!({"o": "eco"}), "o eco"),
        ("alarm_control_panel:p", json!({"armed": "arm_away"}), "p ARM_AWAY"),
    ] {
        assert_eq!(sent(&hub, id, state), [wanted], "{id}");
    }
    for risky in ["lock:l", "valve:v", "alarm_control_panel:p", "siren:a"] {
        assert_eq!(device(&hub, risky)["risk"], "high");
    }
    for plain in ["water_heater:w", "humidifier:h", "cover:c", "switch:s"] {
        assert!(device(&hub, plain)["risk"].is_null());
    }
    assert!(hub.native("button:b", &set(json!({"run": "start"}))).unwrap()[0].once);
    // What has no topic for its state never says what became of it.
    assert!(!hub.tells("button:b", "run") && !hub.tells("lock:l", "locked") && hub.tells("sensor:e", "e"));
    let stop = hub.native("cover:c", &set(json!({"action": "stop"})));
    assert_eq!(stop, Err(Unable::Foreign { device: "cover:c".into(), what: "action".into() }));
}

#[test]
fn a_text_is_told_and_not_dictated() {
    let mut hub = hub(&[
        ("text/t", json!({"name": "留言", "cmd_t": "t", "stat_t": "t/s", "uniq_id": "t"})),
        ("text/w", json!({"name": "口令", "cmd_t": "w", "uniq_id": "w"})),
    ]);
    accepted(&hub);
    assert_eq!(device(&hub, "text:t")["property"]["t"]["access"], "read");
    assert_eq!(states(&hub.heard("t/s", "别忘带钥匙".as_bytes(), false)), json!({"text:t": {"t": "别忘带钥匙"}}));
    let left: Vec<(String, String)> = hub.home().left_out.into_iter().map(|left| (left.name, left.reason)).collect();
    assert_eq!(left, [("口令".to_owned(), "a text is not set by what is said".to_owned())]);
}

#[test]
fn what_a_robot_is_about_is_told_beside_what_it_was_told_to_do() {
    let mut hub = hub(&[
        ("vacuum/r", json!({"name": "扫地机", "cmd_t": "r", "stat_t": "r/s", "uniq_id": "r"})),
        (
            "lawn_mower/m",
            json!({"name": "割草机", "dock_command_topic": "m/d", "activity_state_topic": "m/s", "uniq_id": "m"}),
        ),
    ]);
    accepted(&hub);
    let shown = device(&hub, "vacuum:r");
    let first = shown["property"].as_object().unwrap().keys().next().unwrap();
    assert_eq!((first.as_str(), &shown["property"]["activity"]["access"]), ("activity", &json!("read")));
    for (said, about) in [
        ("returning", json!({"activity": "returning", "run": "return"})),
        ("docked", json!({"activity": "docked", "run": "return"})),
        // It takes no such command, and is told all the same.
        ("paused", json!({"activity": "paused"})),
        ("error", json!({"activity": "error"})),
    ] {
        let heard = hub.heard("r/s", json!({"state": said}).to_string().as_bytes(), false);
        assert_eq!(states(&heard), json!({"vacuum:r": about}), "{said}");
        assert_eq!(states(&hub.heard("m/s", said.as_bytes(), false))["lawn_mower:m"]["activity"], said);
    }
}

#[test]
fn presets_have_words_and_can_be_left() {
    let modes = json!(["eco", "away", "sleep", "boost", "comfort", "home"]);
    let mut hub = hub(&[
        (
            "climate/a",
            json!({"name": "空调", "mode_cmd_t": "a/m", "pr_mode_cmd_t": "a/p", "pr_mode_stat_t": "a/s",
            "pr_modes": modes, "uniq_id": "a"}),
        ),
        ("fan/f", json!({"name": "风扇", "cmd_t": "f", "pr_mode_cmd_t": "f/p", "pr_modes": modes, "uniq_id": "f"})),
    ]);
    accepted(&hub);
    let words = |id: &str, property: &str| -> Vec<String> {
        let range = device(&hub, id)["property"][property]["range"].clone();
        range.as_array().unwrap().iter().map(|value| value["describe"].as_str().unwrap().to_owned()).collect()
    };
    let said = ["节能", "离家", "睡眠", "强劲", "舒适", "在家"];
    assert_eq!(words("fan:f", "mode"), said);
    assert_eq!(words("climate:a", "preset")[1..], said);
    assert_eq!(sent(&hub, "climate:a", json!({"preset": "away"})), ["a/p away"]);
    assert_eq!(sent(&hub, "climate:a", json!({"preset": "none"})), ["a/p none"]);
    assert_eq!(sent(&hub, "fan:f", json!({"mode": "sleep"})), ["f/p sleep"]);
    assert_eq!(states(&hub.heard("a/s", b"eco", false)), json!({"climate:a": {"preset": "eco"}}));
}

#[test]
fn the_values_of_a_device_stand_beside_the_thing_that_it_is_and_names_are_composed() {
    let of = |name: &str| json!({"ids": [name], "name": name, "sa": "书房"});
    let lamp = of("台灯");
    let socket = of("插排");
    let mut hub = hub(&[
        ("light/l", json!({"name": null, "cmd_t": "l", "uniq_id": "l", "dev": lamp})),
        ("switch/lk", json!({"name": "童锁", "cmd_t": "lk", "uniq_id": "lk", "ent_cat": "config", "dev": lamp})),
        (
            "sensor/p",
            json!({"name": "Power", "stat_t": "p", "uniq_id": "p", "dev_cla": "power", "unit_of_meas": "W", "dev": lamp}),
        ),
        ("switch/s1", json!({"name": "一号", "cmd_t": "s1", "uniq_id": "s1", "dev": socket})),
        ("switch/s2", json!({"name": "插排二号", "cmd_t": "s2", "uniq_id": "s2", "dev": socket})),
        ("sensor/v", json!({"name": "电压", "stat_t": "v", "uniq_id": "v", "unit_of_meas": "V", "dev": socket})),
    ]);
    accepted(&hub);
    let shown = device(&hub, "light:l");
    assert_eq!((shown["name"].as_str(), shown["local"].as_str()), (Some("台灯"), Some("书房")));
    assert_eq!(shown["property"]["lk"]["describe"], "童锁");
    assert_eq!(shown["property"]["power2"]["describe"], "功率");
    assert_eq!(sent(&hub, "light:l", json!({"lk": true})), ["lk ON"]);
    assert_eq!(states(&hub.heard("p", b"7.5", false)), json!({"light:l": {"power2": 7.5}}));
    assert_eq!(device(&hub, "switch:s1")["name"], "插排一号");
    assert_eq!(device(&hub, "switch:s2")["name"], "插排二号");
    assert_eq!(device(&hub, "device:插排")["property"]["v"]["describe"], "电压");
}

#[test]
fn the_device_form_brings_moves_and_removes_components() {
    let device = json!({"ids": ["d"], "name": "盒子"});
    let single = json!({"name": "灯", "cmd_t": "x", "uniq_id": "1", "dev": device});
    let mut hub = hub(&[("light/one", single.clone())]);
    let heard = hub.heard("homeassistant/light/one/config", br#"{"migrate_discovery": true}"#, false);
    assert_eq!(heard, []);
    assert_eq!(accepted(&hub).devices.len(), 1);
    let form = json!({"dev": device, "o": {"name": "x"}, "~": "y", "cmps": {
        "a": {"p": "light", "name": "灯", "uniq_id": "1", "cmd_t": "~/a"}, "b": {"p": "switch", "name": "泵", "uniq_id": "2", "cmd_t": "~/b"}}});
    hub.heard("homeassistant/device/d/config", form.to_string().as_bytes(), false);
    assert_eq!(sent(&hub, "light:1", json!({"power": true})), ["y/a ON"]);
    // What has moved is not removed with the place that it came from.
    hub.heard("homeassistant/light/one/config", b"", false);
    assert_eq!(accepted(&hub).devices.len(), 2);
    let less = json!({"dev": device, "o": {"name": "x"}, "cmps": {"a": {"p": "light"}, "b": {"p": "switch", "uniq_id": "2", "cmd_t": "b"}}});
    hub.heard("homeassistant/device/d/config", less.to_string().as_bytes(), false);
    assert_eq!(accepted(&hub).devices.len(), 1);
    assert_eq!(hub.heard("homeassistant/device/d/config", b"", false), [Change::Registry]);
    assert_eq!(accepted(&hub).devices.len(), 0);
    assert_eq!(hub.subscriptions().len(), 2);
}

#[test]
fn availability_is_a_topic_or_several_and_their_mode() {
    let sign = |topic: &str| json!({"t": topic, "val_tpl": "{{ value_json.state }}"});
    let all = json!({"name": "灯", "cmd_t": "x", "uniq_id": "1", "avty": [sign("a"), sign("b")], "avty_mode": "all"});
    let any = json!({"name": "泵", "cmd_t": "y", "uniq_id": "2", "avty": [{"t": "a"}, {"t": "c"}], "avty_mode": "any"});
    let mut hub = hub(&[("light/one", all), ("switch/two", any)]);
    let change = |id: &str, online| Change::Device { device: id.into(), online };
    assert_eq!(hub.heard("a", br#"{"state":"online"}"#, true), []);
    assert_eq!(hub.heard("b", br#"{"state":"offline"}"#, true), [change("light:1", false)]);
    assert_eq!(device(&hub, "light:1")["online"], false);
    assert_eq!(hub.heard("b", br#"{"state":"online"}"#, true), [change("light:1", true)]);
    assert_eq!(hub.heard("a", b"offline", true), [change("switch:2", false)]);
    assert_eq!(hub.heard("c", b"online", true), [change("switch:2", true)]);
    assert_eq!(hub.heard("a", b"perhaps", true), []);
}

#[test]
fn what_is_left_out_is_named_with_its_reason() {
    let hub = hub(&[
        ("camera/a", json!({"t": "x", "uniq_id": "a"})),
        ("lock/b", json!({"name": "锁", "cmd_t": "x", "code_format": ".*", "uniq_id": "b"})),
        ("switch/c", json!({"name": "关", "cmd_t": "x", "uniq_id": "c", "en": false})),
        ("number/d", json!({"name": "数", "cmd_t": "x", "cmd_tpl": "{{ value | wat }} {% bad %}", "uniq_id": "d"})),
        ("switch/e", json!({"name": "一", "cmd_t": "x", "uniq_id": "Same"})),
        ("switch/f", json!({"name": "二", "cmd_t": "y", "uniq_id": "Same"})),
        ("switch/g", json!({"name": "三", "cmd_t": "z", "uniq_id": "same"})),
        ("switch/h", json!({"name": "四", "cmd_t": "a/#"})),
        ("light/i", json!([1])),
    ]);
    let reasons: Vec<String> = hub.home().left_out.into_iter().map(|left| left.reason).collect();
    for reason in [
        "nothing to speak to",
        "wants a code",
        "not enable",
        "template",
        "is there already",
        "tells and takes",
        "no object",
    ] {
        assert!(reasons.iter().any(|r| r.contains(reason)), "{reason}: {reasons:?}");
    }
    // Ids that differ in case alone are two.
    assert_eq!(accepted(&hub).devices.len(), 2);
}

#[test]
fn the_birth_message_is_said_on_request_alone() {
    assert_eq!(Discovery::new("ha".into()).hello(), []);
    let hello = Discovery::new("ha".into()).announced().hello();
    assert_eq!(hello, [say("ha/status".into(), "online".into(), false)]);
}

proptest::proptest! {
    #[test]
    fn no_message_makes_it_panic(topic in "homeassistant/(light|switch|climate|device|cover|sensor)/a/config", key in "[a-z_]{1,12}",
                                 text in ".{0,120}", number in proptest::num::f64::ANY, said in proptest::collection::vec(proptest::num::u8::ANY, 0..80)) {
        let mut hub = Discovery::new("homeassistant".into());
        hub.heard(&topic, text.as_bytes(), true);
        let config = json!({"uniq_id": "a", "name": text, "cmd_t": "c", "stat_t": "s", "val_tpl": text, key: number,
            "min": number, "max": number, "min_temp": number, "bri_scl": number, "mode_cmd_t": "m", "temp_cmd_t": "t",
            "schema": "json", "brightness": true, "pos_t": "s", "set_pos_t": "p", "pos_open": number});
        hub.heard(&topic, config.to_string().as_bytes(), true);
        hub.heard("s", &said, false);
        hub.heard("s", text.as_bytes(), false);
        proptest::prop_assert!(crate::home::parse(&hub.home().document).is_ok());
    }
}
