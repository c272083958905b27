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
        "model": {"vacuum": {"describe": "扫地机器人", "property": {"run": {"type": "enum", "range": run}}}},
        "devices": [
            {"id": "ac", "name": "空调", "room": "客厅", "type": "air-conditioner", "commands": [
                command("on", "打开设备"), command("off", "关闭设备"), command("cool", "切换到制冷模式"),
                command("heat", "切换到制热模式"), command("eco", "开启节能模式")]},
            {"id": "tv", "name": "电视", "room": "客厅", "type": "television", "commands": [
                command("up", "增大音量"), command("down", "减小音量"),
                {"id": "volume", "description": "设置音量", "type": "integer",
                    "value_range": {"minimum": 0, "maximum": 100, "unit": "%"}}]},
            {"id": "vac", "name": "扫地机", "local": "客厅", "device": {"model": "vacuum", "state": {"run": "clean"}}},
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
