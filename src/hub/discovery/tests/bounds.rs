//! What publishers may say, and how much of it.

use super::*;

#[test]
fn hostile_publishers_are_bounded() {
    let mut hub = Discovery::new("homeassistant".into());
    let component = |i: usize| (format!("c{i}"), json!({"p": "switch", "uniq_id": format!("u{i}"), "cmd_t": "x"}));
    let many: Map<String, Value> = (0..2_000).map(component).collect();
    let form = json!({"dev": {"ids": "d", "name": "d"}, "o": {"name": "x"}, "cmps": many}).to_string();
    hub.heard("homeassistant/device/d/config", form.as_bytes(), true);
    for i in 0..10_000 {
        let config = json!({"uniq_id": i.to_string(), "cmd_t": "x", "dev": {"ids": "one", "name": "一"}}).to_string();
        hub.heard(&format!("homeassistant/switch/{i}/config"), config.as_bytes(), true);
    }
    assert_eq!(accepted(&hub).devices.len(), MAX_OF_DEVICE);
    // A template that never ends costs nothing but its own value.
    let endless = "{% for a in value %}{% for b in value %}{% for c in value %}x{% endfor %}{% endfor %}{% endfor %}";
    let config =
        json!({"name": "温", "uniq_id": "e", "stat_t": "e", "unit_of_meas": "W", "val_tpl": endless}).to_string();
    hub.heard("homeassistant/sensor/e/config", config.as_bytes(), true);
    for (bytes, whose, why) in [(10_000, "sensor:e", "fuel"), (1 << 20, "e", "bytes")] {
        let heard = hub.heard("e", "x".repeat(bytes).as_bytes(), false);
        let [Change::Unread(LeftOut { id, reason, .. })] = &*heard else { panic!("{heard:?}") };
        assert!(id == whose && reason.contains(why), "{id}: {reason}");
    }
    let loops = json!({"~": "~", "stat_t": "~~", "uniq_id": "~", "name": "圈", "unit_of_meas": "W"}).to_string();
    hub.heard("homeassistant/sensor/loop/config", loops.as_bytes(), true);
    let deep = "[".repeat(200_000);
    let huge = json!({"name": "x".repeat(300_000)}).to_string();
    for payload in [deep.as_str(), huge.as_str(), "{", "null", "\u{0}", "{\"dev\":[1],\"cmd_t\":{}}"] {
        hub.heard("homeassistant/switch/bad/config", payload.as_bytes(), true);
    }
    accepted(&hub);
}

#[test]
fn what_a_thing_is_told_is_no_announcement_whatever_its_topic() {
    let made = json!({"name": "鬼灯", "cmd_t": "x", "uniq_id": "ghost"}).to_string();
    let mut hub = hub(&[
        (
            "switch/a",
            json!({"name": "甲", "uniq_id": "a", "cmd_t": "homeassistant/switch/ghost/config", "pl_on": made}),
        ),
        ("light/b", json!({"name": "乙", "uniq_id": "b", "~": "homeassistant/light/b", "cmd_t": "~/config"})),
        // What it is told it takes for what it is; that is no loop.
        ("switch/c", json!({"name": "丙", "uniq_id": "c", "cmd_t": "same", "stat_t": "same"})),
    ]);
    for (id, topic) in [("switch:a", "homeassistant/switch/ghost/config"), ("light:b", "homeassistant/light/b/config")]
    {
        let refused = hub.native(id, &set(json!({"power": true})));
        assert_eq!(refused, Err(Unable::Foreign { device: id.into(), what: topic.into() }));
    }
    assert_eq!(sent(&hub, "switch:c", json!({"power": true})), ["same ON"]);
    assert_eq!(states(&hub.heard("same", b"ON", false)), json!({"switch:c": {"power": true}}));
    // What is heard of its own announcement makes no other home.
    let config = json!({"name": "丙", "uniq_id": "c", "cmd_t": "same", "stat_t": "homeassistant/switch/c/config"});
    let config = config.to_string();
    for _ in 0..3 {
        hub.heard("homeassistant/switch/c/config", config.as_bytes(), true);
        assert_eq!(accepted(&hub).devices.len(), 3);
    }
}

#[test]
fn ids_that_differ_only_in_case_and_names_of_any_kind_are_things_of_their_own() {
    let names = [
        "打开",
        "老<b>伙计</b>",
        "${jndi:x}",
        "灯\u{202e}关",
        "'; DROP TABLE 灯; --",
        "🏮",
        "a/b+c#",
        "  ",
        "灯\n\"}, {",
    ];
    let mut all = vec![
        ("switch/x", json!({"name": "甲", "uniq_id": "lamp", "cmd_t": "1"})),
        ("switch/y", json!({"name": "乙", "uniq_id": "LAMP", "cmd_t": "2"})),
        ("switch/X", json!({"name": "丙", "uniq_id": "Lamp", "cmd_t": "3"})),
    ];
    let topics: Vec<String> = (0..names.len()).map(|at| format!("switch/n{at}")).collect();
    for (at, (topic, name)) in topics.iter().zip(names).enumerate() {
        all.push((topic, json!({"name": name, "uniq_id": format!("n{at}"), "cmd_t": "n"})));
    }
    let hub = hub(&all);
    let home = accepted(&hub);
    for (id, told) in [("switch:lamp", "1 ON"), ("switch:LAMP", "2 ON"), ("switch:Lamp", "3 ON")] {
        assert!(home.devices.iter().any(|device| device.id == id), "{id}");
        assert_eq!(sent(&hub, id, json!({"power": true})), [told]);
    }
    // What has no name is called by what it is.
    assert_eq!(home.devices.len(), 3 + names.len(), "{:?}", hub.home().left_out);
}

#[test]
fn what_publishers_say_of_thousands_of_things_is_bounded_all_together() {
    let mut hub = Discovery::new("homeassistant".into());
    let long = "长".repeat(60_000);
    for i in 0..300 {
        let config = json!({"uniq_id": format!("u{i}"), "name": long, "cmd_t": "x"}).to_string();
        hub.heard(&format!("homeassistant/switch/{i}/config"), config.as_bytes(), true);
    }
    assert!((100..200).contains(&hub.entities.len()), "{}", hub.entities.len());
    let left = hub.home().left_out;
    assert!(left.iter().all(|left| left.reason.contains("too much") && left.name.chars().count() <= 256));
    for i in 0..300 {
        hub.heard(&format!("homeassistant/switch/{i}/config"), b"", true);
    }
    assert_eq!((hub.weight, hub.entities.len(), hub.home().left_out.len()), (0, 0, 0));
    // What a device's components share is there for each of them.
    let component = |i: usize| (format!("c{i}"), json!({"p": "switch", "uniq_id": format!("u{i}"), "cmd_t": "x"}));
    let many: Map<String, Value> = (0..400).map(component).collect();
    let form = json!({"dev": {"ids": "d", "name": long}, "o": {"name": "x"}, "cmps": many}).to_string();
    hub.heard("homeassistant/device/d/config", form.as_bytes(), true);
    hub.heard(&format!("homeassistant/switch/{}/config", "x".repeat(60_000)), b"{}", true);
    let left = hub.home().left_out;
    assert!(hub.entities.is_empty() && left.len() == 1 && left[0].reason.contains("to share"), "{left:?}");
}
