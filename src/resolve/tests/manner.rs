//! Ways of saying what is wanted: parts of degrees, a bit more open, what goes up, what a value or a feature is also called.

use serde_json::json;

use super::*;

fn enumeration(describe: &str, values: &[(&str, &str)]) -> Value {
    let range: Vec<Value> = values.iter().map(|(v, d)| json!({"value": v, "describe": d})).collect();
    json!({"type": "enum", "range": range, "describe": describe})
}

fn document() -> Value {
    let moves = enumeration("动作", &[("open", "打开"), ("close", "关闭"), ("stop", "停止")]);
    let position = json!({"type": "uint", "min": 0, "max": 100, "unit": "%", "describe": "开合度"});
    json!({
        "layout": ["暖房", "茶室", "阳台"],
        "model": {
            "ac": {"describe": "空调", "property": {
                "power": {"type": "bool"},
                "temperature": {"type": "float", "min": 16, "max": 30, "step": 0.5, "unit": "C", "describe": "温度"},
                "eco": {"type": "bool", "describe": "节能"},
                "display": {"type": "bool", "describe": "屏显"}}},
            "cover": {"describe": "电动帘", "property": {"action": moves, "position": position}},
            "lamp": {"describe": "调光灯", "property": {"power": {"type": "bool"}}},
            "stove": {"describe": "温控器", "property": {
                "target": {"type": "uint", "min": 5, "max": 35, "unit": "C", "describe": "目标温度"},
                "now": {"type": "float", "unit": "C", "describe": "当前温度", "access": "read"}}},
            "robot": {"describe": "扫地机器人", "property": {
                "run": enumeration("清扫", &[("clean", "清扫"), ("dock", "回充"), ("stop", "停止")]),
                "suction": enumeration("吸力", &[("soft", "轻柔"), ("max", "最大")])}},
            "fan": {"describe": "换风机", "property": {
                "power": {"type": "bool"},
                "speed": enumeration("风速", &[("low", "低"), ("high", "高")])}},
            "tv": {"describe": "电视", "property": {
                "power": {"type": "bool"},
                "source": enumeration("信号源", &[("a", "HDMI1"), ("b", "HDMI2")])}}
        },
        "devices": [
            {"id": "ac", "name": "空调", "local": "茶室", "device": {"model": "ac", "state": {"power": true, "temperature": 24.0}}},
            {"id": "curtain", "name": "布帘", "local": "茶室", "device": {"model": "cover", "state": {"position": 40}}},
            {"id": "shutter", "name": "百叶帘", "local": "暖房", "device": {"model": "cover", "state": {"position": 40}}},
            {"id": "front", "name": "前卷帘", "local": "暖房", "device": {"model": "cover", "state": {"position": 40}}},
            {"id": "k1", "name": "一号苗灯", "local": "暖房", "device": {"model": "lamp", "state": {"power": true}}},
            {"id": "k2", "name": "二号苗灯", "local": "暖房", "device": {"model": "lamp", "state": {"power": true}}},
            {"id": "top", "name": "顶灯", "local": "暖房", "device": {"model": "lamp", "state": {"power": true}}},
            {"id": "hall", "name": "竹节灯", "local": "阳台", "device": {"model": "lamp", "state": {"power": false}}},
            {"id": "tea", "name": "主灯", "local": "茶室", "device": {"model": "lamp", "state": {"power": false}}},
            {"id": "heat", "name": "温控器", "local": "阳台", "device": {"model": "stove", "state": {"target": 21, "now": 18.5}}},
            {"id": "robot", "name": "圆圆", "local": "茶室", "device": {"model": "robot", "state": {"run": "clean"}}},
            {"id": "fan", "name": "换风机", "local": "茶室", "device": {"model": "fan", "state": {"power": true, "speed": "low"}}},
            {"id": "tv", "name": "Wall TV", "local": "茶室", "device": {"model": "tv", "state": {"power": true, "source": "a"}}}
        ]
    })
}

static HOME: LazyLock<(World, Live)> = LazyLock::new(|| {
    let (home, report) = crate::home::parse(&document()).unwrap();
    assert_eq!(report.rejected, []);
    let live = Live::initial(&home);
    (World::new(Arc::clone(&LEXICON), Arc::new(home)), live)
});

const WARM: usize = 0;
const TEA: usize = 1;

fn said(sentence: &str, local: usize) -> Outcome {
    let (world, live) = &*HOME;
    let speaker = SpeakerContext { local: Some(local), ..SpeakerContext::default() };
    let Parse::Orders(orders) = parse(sentence, &world.vocabulary, &speaker) else { panic!("{sentence}") };
    resolve(&orders, &context(world, live, Some(local), &[]))
}

fn set(sentence: &str, local: usize) -> Vec<(String, Value)> {
    let outcome = said(sentence, local);
    let one = |i: &crate::frame::Instruct| (i.id.clone(), json!(i.state.clone().unwrap_or_default()));
    outcome.instructs.iter().map(one).collect()
}

fn one(id: &str, state: Value) -> Vec<(String, Value)> {
    vec![(id.to_owned(), state)]
}

#[test]
fn a_degree_has_halves_and_tenths() {
    for (sentence, degrees) in
        [("空调调到二十三度半", 23.5), ("空调二十五度五", 25.5), ("空调升高半度", 24.5), ("空调温度减半度", 23.5)]
    {
        assert_eq!(set(sentence, TEA), one("ac", json!({"temperature": degrees})), "{sentence}");
    }
}

#[test]
fn what_is_opened_a_bit_more_is_not_opened_to_the_end() {
    assert_eq!(set("布帘再打开一点", TEA), one("curtain", json!({"position": 50})));
    assert_eq!(set("布帘关上一些", TEA), one("curtain", json!({"position": 30})));
}

#[test]
fn half_of_what_it_is_now_is_left() {
    assert_eq!(set("布帘开合度减半", TEA), one("curtain", json!({"position": 20})));
    assert_eq!(set("布帘开合度降低百分之二十", TEA), one("curtain", json!({"position": 20})));
}

#[test]
fn a_shutter_is_drawn_up_and_a_curtain_is_drawn_to() {
    assert_eq!(set("百叶帘拉起来", WARM), one("shutter", json!({"action": "open"})));
    assert_eq!(set("布帘拉起来", TEA), one("curtain", json!({"action": "close"})));
    assert_eq!(set("前面的卷帘卷上去", WARM), one("front", json!({"action": "open"})));
}

#[test]
fn a_feature_is_known_by_what_people_take_for_its_name() {
    assert_eq!(set("空调屏幕灯关掉", TEA), one("ac", json!({"display": false})));
    assert_eq!(set("空调调成省电的", TEA), one("ac", json!({"eco": true})));
}

#[test]
fn what_shall_be_and_what_is_are_asked_for_apart() {
    let told = |sentence: &str| said(sentence, 2).text;
    assert!(told("温控器目标温度是多少").contains("21"), "{}", told("温控器目标温度是多少"));
    assert!(told("温控器温度是多少").contains("18.5"), "{}", told("温控器温度是多少"));
}

#[test]
fn a_power_of_suction_is_the_robots_and_not_that_of_whatever_blows() {
    assert_eq!(set("吸力调到最大", TEA), one("robot", json!({"suction": "max"})));
}

#[test]
fn only_what_can_go_back_to_charge_is_sent_there() {
    assert_eq!(set("回去充电吧", TEA), one("robot", json!({"run": "dock"})));
}

#[test]
fn others_are_of_the_kind_of_what_is_left_out() {
    let ids = |sentence: &str| set(sentence, WARM).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!(ids("除了顶灯其它的都关掉"), ["k1", "k2", "hall", "tea"]);
    assert_eq!(ids("所有苗灯关掉"), ["k1", "k2"]);
}

#[test]
fn what_stands_elsewhere_is_not_of_the_room_of_its_neighbour_and_what_is_general_stays_there() {
    let ids = |sentence: &str, local| set(sentence, local).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!(ids("暖房顶灯和竹节灯打开", TEA), ["top", "hall"]);
    assert_eq!(ids("茶室的空调关了，灯打开", WARM), ["ac", "tea"]);
}

#[test]
fn a_value_with_a_number_is_said_in_words_and_a_latin_name_with_its_kind() {
    assert_eq!(set("wall电视切到HDMI二", TEA), one("tv", json!({"source": "b"})));
    assert_eq!(set("把wall tv关掉", TEA), one("tv", json!({"power": false})));
}
