//! Homes whose hubs describe more than people usually name: thresholds, ways to swing, commands with the device in their name.

use serde_json::json;

use super::*;

fn said(sentence: &str, devices: Value, models: Value) -> Outcome {
    let document = json!({"layout": ["客厅"], "model": models, "devices": devices});
    let (home, report) = crate::home::parse(&document).unwrap();
    assert_eq!(report.rejected, []);
    let world = World::new(Arc::clone(&LEXICON), Arc::new(home));
    let live = Live::initial(world.home());
    let speaker = SpeakerContext { local: Some(0), ..SpeakerContext::default() };
    let Parse::Orders(orders) = parse(sentence, &world.vocabulary, &speaker) else { panic!("{sentence}") };
    resolve(&orders, &context(&world, &live, Some(0), &[]))
}

/// What a sentence sets of a device with these properties, or the command that it runs.
fn done(sentence: &str, name: &str, properties: Value) -> Value {
    let devices = json!([{"id": "d", "name": name, "local": "客厅", "device": {"model": "m"}}]);
    let outcome = said(sentence, devices, json!({"m": {"describe": name, "property": properties}}));
    moved(&outcome).first().map(|(_, state)| state.clone()).unwrap_or_default()
}

fn run(sentence: &str, name: &str, commands: Value) -> (String, Value) {
    let devices = json!([{"id": "d", "name": name, "room": "客厅", "type": "x", "commands": commands}]);
    let outcome = said(sentence, devices, json!({}));
    let call = outcome.instructs.first().and_then(|instruct| instruct.command.clone());
    call.map(|call| (call.id, call.argument.unwrap_or_default())).unwrap_or_default()
}

fn percent(describe: &str) -> Value {
    json!({"type": "uint", "min": 0, "max": 100, "unit": "%", "describe": describe})
}

#[test]
fn a_threshold_is_not_what_it_is_a_threshold_of() {
    let lamp = json!({"level_min": percent("最低亮度"), "brightness": percent("亮度")});
    assert_eq!(done("灯的亮度调到40", "灯", lamp.clone()), json!({"brightness": 40}));
    assert_eq!(done("灯的最低亮度调到40", "灯", lamp), json!({"level_min": 40}));
    let valve = json!({"threshold": percent("阈值"), "position": {"type": "uint", "unit": "%", "access": "read", "describe": "开合度"}});
    assert_eq!(done("把窗帘开到40", "窗帘", valve), Value::Null);
}

#[test]
fn a_swing_that_is_one_of_several_ways_is_said_by_its_way() {
    let ways = json!([{"value": "fixed", "describe": "固定"}, {"value": "vertical", "describe": "上下"}, {"value": "horizontal", "describe": "左右"}]);
    let swing = json!([{"id": "main-fanOscillationMode-setFanOscillationMode", "description": "摆风模式", "type": "string", "value_list": ways}]);
    for (sentence, way) in [("空调上下摆风", "vertical"), ("打开空调的左右摆风", "horizontal")] {
        assert_eq!(run(sentence, "空调", swing.clone()).1, way, "{sentence}");
    }
}

#[test]
fn values_that_are_numbers_by_name_are_said_as_numbers() {
    let list = json!([{"value": "cold", "describe": "冷水"}, {"value": "a", "describe": "40度"}, {"value": "b", "describe": "60度"}]);
    let wash = json!([{"id": "main-x-setWasherWaterTemperature", "description": "洗涤水温", "type": "string", "value_list": list}]);
    assert_eq!(run("洗衣机水温调到四十度", "洗衣机", wash).1, "a");
}

#[test]
fn what_a_command_does_is_what_its_description_begins_with() {
    let robot = json!([{"id": "main-s-start", "description": "开始清扫", "type": "string"}, {"id": "main-s-pause", "description": "暂停清扫", "type": "string"}]);
    assert_eq!(run("扫地机暂停", "扫地机", robot).0, "main-s-pause");
}

#[test]
fn a_description_that_begins_with_its_device_is_said_without_it() {
    let list = json!([{"value": "low", "describe": "低"}, {"value": "high", "describe": "高"}]);
    let fan = json!([{"id": "main-f-setFanMode", "description": "净化器风速", "type": "string", "value_list": list}]);
    assert_eq!(run("净化器的风速调到高", "净化器", fan).1, "high");
}
