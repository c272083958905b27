//! Conversations of a family: what moves after the last of their turns.

use serde_json::{Value, json};

use super::*;
use crate::ranker::Ranker;

/// A home with a robot that can be sent to rooms, one that cannot, a heater with a lamp, curtains of two sides, and people
/// whose names are parts of names.
fn family() -> Value {
    let switch = json!({"type": "bool"});
    let number =
        |min: i64, max: i64, describe: &str| json!({"type": "uint", "min": min, "max": max, "describe": describe});
    let one_of = |values: &[(&str, &str)], describe: &str| {
        let range: Vec<Value> = values.iter().map(|(v, d)| json!({"value": v, "describe": d})).collect();
        json!({"type": "enum", "range": range, "describe": describe})
    };
    let run = one_of(&[("clean", "清扫"), ("pause", "暂停"), ("dock", "回充")], "运行");
    let area = one_of(&[("a0", "全屋"), ("a1", "客厅"), ("a2", "餐厅")], "清扫区域");
    let action = one_of(&[("open", "打开"), ("close", "关闭"), ("stop", "停止")], "动作");
    let device = |id: &str, name: &str, room: &str, model: &str, state: Value| json!({"id": id, "name": name, "local": room, "device": {"model": model, "state": state}});
    json!({
        "layout": ["客厅", "餐厅", "卧室", "卫生间", "妞妞房"],
        "model": {
            "lamp": {"describe": "调光灯", "property": {"power": switch, "level": {"type": "uint", "min": 0, "max": 100, "unit": "%"}}},
            "ac": {"describe": "空调", "property": {"power": switch, "temperature": {"type": "uint", "min": 16, "max": 30, "unit": "C"}}},
            "robot": {"describe": "扫地机器人", "property": {"run": run, "area": area}},
            "plain": {"describe": "扫地机器人", "property": {"run": run}},
            "blind": {"describe": "窗帘", "property": {"action": action}},
            "screen": {"describe": "幕布", "property": {"action": one_of(&[("up", "上升"), ("down", "下降"), ("stop", "停止")], "动作")}},
            "heater": {"describe": "浴霸", "property": {"heat": {"type": "bool", "describe": "取暖"}, "light": {"type": "bool", "describe": "照明"}, "ion": {"type": "bool", "describe": "负离子"}}},
            "mist": {"describe": "香薰机", "property": {"power": switch, "mist": number(1, 5, "雾量")}},
            "fridge": {"describe": "冰箱", "property": {"cool": {"type": "int", "min": 1, "max": 8, "unit": "C", "describe": "冷藏温度"}}},
            "kettle": {"describe": "水壶", "property": {"power": switch, "temperature": {"type": "uint", "min": 40, "max": 100, "unit": "C"}}}
        },
        "devices": [
            device("main", "主灯", "客厅", "lamp", json!({"power": true, "level": 40})),
            device("ac-1", "空调", "客厅", "ac", json!({"power": true, "temperature": 24})),
            device("ac-2", "空调", "卧室", "ac", json!({"power": true, "temperature": 27})),
            device("robot", "大圆", "客厅", "robot", json!({"run": "dock", "area": "a0"})),
            device("left", "左帘", "客厅", "blind", json!({"action": "open"})),
            device("right", "右帘", "客厅", "blind", json!({"action": "open"})),
            device("screen", "幕布", "客厅", "screen", json!({"action": "stop"})),
            device("bath", "浴霸", "卫生间", "heater", json!({"heat": false, "light": false})),
            device("mist", "大香薰机", "卧室", "mist", json!({"power": true, "mist": 2})),
            device("niuniu", "妞妞窗帘", "妞妞房", "blind", json!({"action": "close"})),
            device("bed", "小床灯", "妞妞房", "lamp", json!({"power": true, "level": 60})),
            device("fridge", "冰箱", "餐厅", "fridge", json!({"cool": 4})),
            device("kettle", "水壶", "餐厅", "kettle", json!({"power": true, "temperature": 60}))
        ]
    })
}

/// What moves after the last of some turns; the home reports what moved before.
async fn after(home: &Value, local: &str, turns: &[&str]) -> Vec<(String, State)> {
    told(home, local, turns).await.0
}

/// The same, and what is said.
async fn told(home: &Value, local: &str, turns: &[&str]) -> (Vec<(String, State)>, String) {
    told_by(None, home, local, turns).await
}

/// The same with a ranker.
pub(super) async fn told_by(
    ranker: Option<Arc<Ranker>>,
    home: &Value,
    local: &str,
    turns: &[&str],
) -> (Vec<(String, State)>, String) {
    let (home, report) = crate::home::parse(home).unwrap();
    assert_eq!(report.rejected, []);
    let registry = Arc::new(Registry::in_memory(home));
    let service = Service::new(Arc::clone(&registry), None, ServiceSettings::default(), Language::load(None).unwrap());
    let service = service.with_ranker(ranker);
    let (mut moved, mut said) = (Vec::new(), String::new());
    for turn in turns {
        let (events, mut heard) = mpsc::channel(16);
        let request = Request { local: Some(local.into()), ..request(turn) };
        let listen = async {
            let mut finish = None;
            while let Some(event) = heard.recv().await {
                if let Event::Finish(end) = event {
                    finish = Some(end);
                }
            }
            finish.unwrap()
        };
        let Finish::Done { instructs, result, .. } = tokio::join!(service.serve(request, events), listen).1 else {
            panic!("{turn}")
        };
        said = result;
        moved = instructs.into_iter().map(|i| (i.id, i.state.unwrap_or_default())).collect();
        for (device, state) in &moved {
            registry.merge_state(device, state, registry.clock().now_ms()).unwrap();
        }
    }
    (moved, said)
}

/// What one sentence moves in a home, by device, and what is said.
pub(super) async fn told_at(home: &Value, local: &str, sentence: &str) -> (Value, String) {
    let (moved, said) = told_by(None, home, local, &[sentence]).await;
    (moved.into_iter().map(|(id, state)| (id, Value::Object(state.into_iter().collect()))).collect(), said)
}

/// What each sentence moves in a home.
pub(super) async fn moves_at(home: &Value, local: &str, cases: &[(&str, Value)]) {
    for (sentence, wanted) in cases {
        let (moved, said) = told_at(home, local, sentence).await;
        assert_eq!(&moved, wanted, "{sentence}: {said}");
    }
}

async fn held(cases: &[(&str, &[&str], Value)]) {
    let home = family();
    for (local, turns, wanted) in cases {
        let moved = after(&home, local, turns).await;
        let moved: Value =
            moved.into_iter().map(|(id, state)| (id, Value::Object(state.into_iter().collect()))).collect();
        assert_eq!(&moved, wanted, "{turns:?}");
    }
}

#[tokio::test]
async fn a_robot_goes_to_the_room_that_is_said() {
    held(&[
        ("卧室", &["去把餐厅打扫一下"], json!({"robot": {"run": "clean", "area": "a2"}})),
        ("卧室", &["大圆扫一扫", "再去扫客厅"], json!({"robot": {"run": "clean", "area": "a1"}})),
        ("客厅", &["打扫卫生间"], json!({})),
        ("客厅", &["大圆出来扫地"], json!({"robot": {"run": "clean"}})),
    ])
    .await;
    let mut plain = family();
    plain["devices"][3]["device"] = json!({"model": "plain", "state": {"run": "dock"}});
    assert_eq!(after(&plain, "卧室", &["打扫餐厅"]).await, []);
    assert_eq!(after(&plain, "卧室", &["打扫餐厅", "好"]).await.len(), 1);
}

#[tokio::test]
async fn the_turn_before_is_repeated_elsewhere_and_mended() {
    held(&[
        ("客厅", &["空调调到二十二度", "卧室也一样"], json!({"ac-2": {"temperature": 22}})),
        ("客厅", &["空调调到二十二度", "错了，二十三"], json!({"ac-1": {"temperature": 23}})),
        ("客厅", &["打开左帘", "不是左边，是右帘"], json!({"right": {"action": "open"}})),
        ("客厅", &["关闭左帘", "右边那扇也关"], json!({"right": {"action": "close"}})),
        ("客厅", &["主灯亮度五十，呃，三十"], json!({"main": {"level": 30}})),
        ("客厅", &["卧室也一样"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn the_part_of_what_was_mentioned_is_meant() {
    held(&[
        ("卫生间", &["浴霸取暖打开，灯也打开"], json!({"bath": {"heat": true, "light": true}})),
        ("客厅", &["把浴霸的取暖打开", "它的照明也打开"], json!({"bath": {"light": true}})),
        ("卧室", &["香薰打开", "雾大一点"], json!({"mist": {"mist": 3}})),
        ("餐厅", &["冷藏低一度"], json!({"fridge": {"cool": 3}})),
    ])
    .await;
}

#[tokio::test]
async fn what_stays_is_left_out_and_comments_are_none_of_it() {
    held(&[
        ("客厅", &["主灯别动，空调关了"], json!({"ac-1": {"power": false}})),
        ("卧室", &["空调升一度 脚底板冰凉的"], json!({"ac-2": {"temperature": 28}})),
        ("客厅", &["作业都写完了把主灯关掉"], json!({"main": {"power": false}})),
        ("客厅", &["左右窗帘都合上"], json!({"left": {"action": "close"}, "right": {"action": "close"}})),
        ("客厅", &["空调湿度六十五主灯三十"], json!({"main": {"level": 30}})),
    ])
    .await;
}

#[tokio::test]
async fn names_of_people_and_songs_move_nothing() {
    for sentence in [
        "妞妞你把门关上",
        "妞妞屋里乱糟糟的",
        "播放会飞的窗帘布娃娃",
        "他开灯了小心台阶",
        "空调开得真大",
        "热水器灯罩打开",
        "外头热得要命",
        "那集里头老太太把主灯一盏一盏关了 我看着难受",
        "空调开着不制冷是吧",
    ] {
        assert_eq!(after(&family(), "客厅", &[sentence]).await, [], "{sentence}");
    }
}

#[tokio::test]
async fn a_day_in_a_comment_is_no_time_and_a_day_for_a_command_is_never_now() {
    held(&[
        ("客厅", &["把主灯关掉 今晚看球"], json!({"main": {"power": false}})),
        ("客厅", &["打开左帘 我们三天没见太阳了"], json!({"left": {"action": "open"}})),
        ("客厅", &["下个礼拜天中午，把主灯关掉"], json!({})),
        ("客厅", &["主灯关掉，午夜"], json!({})),
        ("客厅", &["明天，主灯关掉"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn what_is_said_beside_a_command_silences_itself_alone() {
    held(&[
        ("客厅", &["主灯关掉 有人说太晃"], json!({"main": {"power": false}})),
        ("客厅", &["主灯调到二十我看报纸"], json!({"main": {"level": 20}})),
        ("客厅", &["主灯太刺眼调到二十"], json!({"main": {"level": 20}})),
        ("客厅", &["空调关了 地已经扫干净了"], json!({"ac-1": {"power": false}})),
        ("客厅", &["奶奶要看秦腔呢 主灯关了"], json!({"main": {"power": false}})),
    ])
    .await;
    for sentence in ["空调不急着开 先看看", "主灯升上去会晃 我都不敢弄", "主灯开久了长不长虫", "你那边大点声 我听不着"]
    {
        assert_eq!(after(&family(), "客厅", &[sentence]).await, [], "{sentence}");
    }
}

#[tokio::test]
async fn a_thing_stays_on_or_gets_a_feature_where_somebody_wants_it() {
    held(&[
        ("卫生间", &["给浴霸来个取暖"], json!({"bath": {"heat": true}})),
        ("卫生间", &["浴霸照明也给我开着"], json!({"bath": {"light": true}})),
        ("卫生间", &["浴霸取暖和负离子都打开"], json!({"bath": {"heat": true, "ion": true}})),
        ("客厅", &["主灯甭开着了"], json!({"main": {"power": false}})),
        ("客厅", &["空调开着"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn a_value_said_once_more_is_of_what_was_set_last() {
    held(&[
        ("客厅", &["空调调到二十六度", "太热了 二十四"], json!({"ac-1": {"temperature": 24}})),
        ("客厅", &["空调调到二十六度", "我今天走了五公里"], json!({})),
        ("客厅", &["主灯调到五十", "错了，要妞妞的那盏亮一点"], json!({"bed": {"level": 70}})),
    ])
    .await;
}

#[tokio::test]
async fn what_goes_on_is_of_the_turn_before_also_behind_a_remark() {
    held(&[
        ("客厅", &["主灯打开", "奶奶怕晃眼 还是关了吧"], json!({"main": {"power": false}})),
        ("客厅", &["主灯调到五十", "再加二十"], json!({"main": {"level": 70}})),
        ("客厅", &["主灯调到五十", "多了多了 三十"], json!({"main": {"level": 30}})),
        ("客厅", &["主灯开着没", "开着就关了"], json!({"main": {"power": false}})),
        ("客厅", &["主灯开着没", "没开就打开"], json!({})),
        // Who speaks of a time, of somebody's words or asks something does not go on.
        ("客厅", &["主灯打开", "等会儿吧 关了"], json!({})),
        ("客厅", &["主灯打开", "电视里说 关了吧"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn what_was_done_is_taken_back_as_it_was() {
    held(&[
        ("客厅", &["主灯调到五十", "换回去"], json!({"main": {"level": 40}})),
        ("客厅", &["主灯调到五十", "晃得慌 恢复刚才的亮度"], json!({"main": {"level": 40}})),
        ("客厅", &["主灯调到五十", "退回到最开始的亮度"], json!({"main": {"level": 40}})),
        ("客厅", &["主灯调到五十", "不行不行太晃还是调回先前那样吧"], json!({"main": {"level": 40}})),
        ("客厅", &["换回去"], json!({})),
        ("客厅", &["主灯调到五十", "把窗帘换回去"], json!({})),
    ])
    .await;
}

/// `启动` is said of none of the outlets, one of which another thing has as something else: nothing is told, and nothing hangs.
#[tokio::test]
async fn what_no_part_of_a_thing_can_be_told_is_told_to_none() {
    let choice = json!({"type": "enum", "range": [{"value": "x", "describe": "甲"}, {"value": "y", "describe": "乙"}, {"value": "z", "describe": "丙"}]});
    let named = |property: &Value, describe: &str| {
        let mut property = property.clone();
        property["describe"] = describe.into();
        property
    };
    let outlets = |property: &Value| json!({"o1": named(property, "1号插孔"), "o2": named(property, "2号插孔")});
    let device = |id: &str, name: &str, model: &str| json!({"id": id, "name": name, "local": "客厅", "device": {"model": model, "state": {}}});
    let home = json!({
        "layout": ["客厅"],
        "model": {
            "box": {"describe": "盒子", "property": outlets(&choice)},
            "strip": {"describe": "排插", "property": outlets(&json!({"type": "bool"}))}
        },
        "devices": [device("box", "盒子", "box"), device("strip", "排插", "strip")]
    });
    assert_eq!(after(&home, "客厅", &["启动排插"]).await, []);
    let [(id, state)] = &after(&home, "客厅", &["排插关了"]).await[..] else { panic!() };
    assert_eq!((id.as_str(), state.len()), ("strip", 2));
}

#[tokio::test]
async fn a_room_at_the_end_is_where_a_robot_is_sent_and_no_more() {
    held(&[
        (
            "客厅",
            &["大圆去打扫餐厅 主灯关了"],
            json!({"robot": {"run": "clean", "area": "a2"}, "main": {"power": false}}),
        ),
        ("客厅", &["左帘合上 上层的打开"], json!({"left": {"action": "close"}})),
    ])
    .await;
}

/// The home of the seed, as its samples take it.
fn seed() -> Value {
    serde_json::from_str(include_str!("../../../tests/homes/seed-home.json")).unwrap()
}

#[tokio::test]
async fn a_situation_tells_every_device_what_is_so_already_as_well() {
    let all = after(&seed(), "卧室", &["小牛，我要睡觉了。"]).await;
    let told: Vec<&str> = all.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(told, ["dev-1", "dev-2", "dev-3", "dev-4"]);
    assert!(all.iter().all(|(_, state)| state["power"] == false), "{all:?}");
}

#[tokio::test]
async fn who_is_hot_still_gets_more_of_what_was_switched_on() {
    let home = json!({
        "layout": ["客厅"],
        "model": {"fan": {"describe": "电风扇，支持开关和风速调节。", "property": {
            "power": {"type": "bool"}, "level": {"type": "uint", "min": 1, "max": 4}
        }}},
        "devices": [{"id": "fan", "name": "风扇", "local": "客厅", "device": {
            "model": "fan", "state": {"power": false, "level": 1}
        }}]
    });
    let first = after(&home, "客厅", &["小牛，好热！"]).await;
    assert_eq!(first, [("fan".to_owned(), State::from([("power".to_owned(), json!(true))]))]);
    let (again, said) = told(&home, "客厅", &["小牛，好热！", "还是好热！"]).await;
    assert_eq!(again, [("fan".to_owned(), State::from([("level".to_owned(), json!(2))]))]);
    assert_eq!(said, "正在把客厅风扇的风速调到2档。");
}

#[tokio::test]
async fn one_of_two_of_a_name_is_told_by_its_number_or_its_other_name() {
    let lamp = json!({"describe": "台灯，用于照明", "property": {"power": {"type": "bool"}}});
    let home = json!({
        "layout": ["书房"],
        "model": {"lamp": lamp},
        "devices": [
            {"id": "a", "name": "台灯", "aliases": ["老古董"], "local": "书房", "device": {"model": "lamp"}},
            {"id": "b", "name": "台灯", "local": "书房", "device": {"model": "lamp"}}
        ]
    });
    for (answer, meant) in [("老古董", "a"), ("第二个", "b"), ("第2个", "b"), ("第一个", "a")] {
        let moved = after(&home, "书房", &["打开台灯", answer]).await;
        assert_eq!(moved.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), [meant], "{answer}");
    }
}

#[tokio::test]
async fn a_value_alone_is_of_what_was_asked_about() {
    held(&[
        ("客厅", &["主灯亮度是多少", "那改成八十五"], json!({"main": {"level": 85}})),
        ("客厅", &["水壶现在多少度", "再高十度"], json!({"kettle": {"temperature": 70}})),
        ("客厅", &["水壶现在多少度", "空调调到二十度"], json!({"ac-1": {"temperature": 20}})),
    ])
    .await;
}
