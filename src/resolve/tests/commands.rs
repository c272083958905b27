//! Devices that are driven by commands: one for each value, one for each step, one for a moment's halt.

use serde_json::json;

use super::*;

/// What a sentence makes of a home with such devices: id and command or state of each instruct.
fn given(sentence: &str) -> Vec<(String, Value)> {
    let command = |id: &str, description: &str| json!({"id": id, "description": description});
    let run = json!([{"value": "clean", "describe": "清扫"}, {"value": "pause", "describe": "暂停"},
        {"value": "dock", "describe": "回充"}]);
    let document = json!({
        "layout": ["客厅", "卧室"],
        "model": {
            "vacuum": {"describe": "扫地机器人", "property": {"run": {"type": "enum", "range": run}}},
            "curtain": {"describe": "电动窗帘", "property": {
                "position": {"type": "uint", "min": 0, "max": 100, "describe": "开合度", "unit": "%"},
                "action": {"type": "enum", "range": [{"value": "stop", "describe": "停住"}], "describe": "动作"}}},
            "oven": {"describe": "烤箱", "property": {
                "power": {"type": "bool"}, "light": {"type": "bool", "describe": "炉灯"},
                "temperature": {"type": "uint", "min": 50, "max": 250, "describe": "温度", "unit": "C"}}}
        },
        "devices": [
            {"id": "ac", "name": "空调", "room": "客厅", "type": "air-conditioner", "commands": [
                command("on", "打开设备"), command("off", "关闭设备"), command("cool", "切换到制冷模式"),
                command("heat", "切换到制热模式"), command("eco", "开启节能模式")]},
            {"id": "tv", "name": "电视", "room": "客厅", "type": "television", "commands": [
                command("up", "增大音量"), command("down", "减小音量"),
                {"id": "volume", "description": "设置音量", "type": "integer",
                    "value_range": {"minimum": 0, "maximum": 100, "unit": "%"}}]},
            {"id": "vac", "name": "扫地机", "local": "客厅", "device": {"model": "vacuum", "state": {"run": "clean"}}},
            {"id": "cur", "name": "窗帘", "local": "卧室", "device": {"model": "curtain", "state": {"position": 100}}},
            {"id": "oven", "name": "烤箱", "local": "客厅",
                "device": {"model": "oven", "state": {"power": false, "light": false, "temperature": 100}}},
            {"id": "ac2", "name": "空调", "room": "卧室", "type": "air-conditioner", "commands": [command("on", "打开设备")]}
        ]
    });
    let (home, report) = crate::home::parse(&document).unwrap();
    assert_eq!(report.rejected, []);
    let live = Live::initial(&home);
    let world = World::new(Arc::clone(&LEXICON), Arc::new(home));
    let speaker = SpeakerContext { local: Some(0), ..SpeakerContext::default() };
    let Parse::Orders(orders) = parse(sentence, &world.vocabulary, &speaker) else { panic!("{sentence}") };
    let outcome = resolve(&orders, &context(&world, &live, Some(0), &[]));
    let called = |i: &crate::frame::Instruct| match (&i.command, &i.state) {
        (Some(call), _) => json!([call.id, call.argument]),
        (None, state) => json!(state),
    };
    outcome.instructs.iter().map(|i| (i.id.clone(), called(i))).collect()
}

#[test]
fn a_command_that_sets_one_value_is_found_by_the_value() {
    for (sentence, command) in
        [("空调切到制热模式", "heat"), ("空调调成制冷", "cool"), ("把空调切换到节能模式", "eco"), ("打开空调", "on")]
    {
        assert_eq!(given(sentence), [("ac".to_owned(), json!([command, null]))], "{sentence}");
    }
    assert!(given("空调切到除湿模式").is_empty());
}

#[test]
fn a_command_for_a_step_needs_no_state_to_start_from() {
    for (sentence, called) in [
        ("电视声音大一点", json!(["up", null])),
        ("电视音量调低", json!(["down", null])),
        ("电视音量调到20", json!(["volume", 20])),
    ] {
        assert_eq!(given(sentence), [("tv".to_owned(), called)], "{sentence}");
    }
    assert!(given("电视音量调高5").is_empty(), "from where is not known");
}

#[test]
fn who_halts_for_a_moment_does_not_go_home() {
    assert_eq!(given("扫地机停一下"), [("vac".to_owned(), json!({"run": "pause"}))]);
    assert_eq!(given("扫地机停止"), [("vac".to_owned(), json!({"run": "dock"}))]);
}

#[test]
fn a_curtain_that_can_be_stopped_is_closed_by_its_position() {
    assert_eq!(given("卧室窗帘拉上"), [("cur".into(), json!({"position": 0}))]);
    assert_eq!(given("卧室窗帘停住"), [("cur".into(), json!({"action": "stop"}))]);
}

#[test]
fn an_oven_asks_before_it_starts_or_gets_hotter_and_not_for_its_lamp() {
    assert_eq!(given("烤箱的炉灯打开"), [("oven".into(), json!({"light": true}))]);
    assert_eq!(given("打开烤箱"), []);
    assert_eq!(given("烤箱调到200度"), []);
}
