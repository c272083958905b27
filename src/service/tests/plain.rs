//! What people say in plain words of what a home has: its scenes, what is not to be done, what is corrected, what is made.

use serde_json::{Value, json};

use super::speech;

/// A kitchen with a soy milk machine, a sitting room, a bathroom and two bedrooms with radiators.
fn home() -> Value {
    let flag = |describe: &str| json!({"type": "bool", "range": [true, false], "describe": describe});
    let number = |describe: &str, min: u32, max: u32, unit: &str| json!({"type": "uint", "min": min, "max": max, "describe": describe, "unit": unit});
    let choices = |describe: &str, values: &[&str]| {
        let range: Vec<Value> = values.iter().map(|v| json!({"value": v, "describe": v})).collect();
        json!({"type": "enum", "range": range, "describe": describe})
    };
    let read =
        |describe: &str, unit: &str| json!({"type": "float", "describe": describe, "unit": unit, "access": "read"});
    let run = || choices("运行", &["启动", "停止"]);
    let device = |id: &str, name: &str, local: &str, model: &str, state: Value| json!({"id": id, "name": name, "local": local, "device": {"model": model, "state": state}});
    json!({
        "layout": ["客厅", "厨房", "卫生间", "主卧", "小屋", "小胡房"],
        "model": {
            "lamp": {"describe": "吸顶灯", "property": {"power": flag("电源"), "level": number("亮度", 0, 100, "%")}},
            "blind": {"describe": "窗帘", "property": {"position": number("开合度", 0, 100, "%")}},
            "washer": {"describe": "洗衣机", "property": {"run": choices("运行", &["启动", "暂停", "停止"]), "left": read("剩余时间", "min")}},
            "soy": {"describe": "豆浆机", "property": {"run": run(), "program": choices("功能", &["豆浆", "米糊"])}},
            "pot": {"describe": "养生壶", "property": {"run": run(), "mode": choices("功能", &["花茶", "银耳羹"])}},
            "bath": {"describe": "浴霸", "property": {"light": flag("照明"), "vent": flag("换气"), "warm": flag("暖风")}},
            "radiator": {"describe": "暖气片温控阀", "property": {"target": number("设定温度", 5, 30, "C"), "room": read("室温", "C")}},
            "fridge": {"describe": "冰箱", "property": {"chill": number("冷藏温度", 2, 8, "C"), "freeze": {"type": "int", "min": -24, "max": -16, "unit": "C", "describe": "冷冻温度"}}},
            "card": {"describe": "声卡", "property": {"mic": number("麦克风音量", 0, 100, "%"), "echo": number("混响", 0, 100, "%")}},
        },
        "devices": [
            device("lamp", "客厅灯", "客厅", "lamp", json!({"power": true, "level": 40})),
            device("small", "小屋灯", "小屋", "lamp", json!({"power": true, "level": 40})),
            device("blind", "客厅窗帘", "客厅", "blind", json!({"position": 0})),
            device("washer", "洗衣机", "客厅", "washer", json!({"run": "启动", "left": 22})),
            device("soy", "豆浆机", "厨房", "soy", json!({"run": "停止", "program": "豆浆"})),
            device("pot", "养生壶", "厨房", "pot", json!({"run": "停止", "mode": "花茶"})),
            device("bath", "浴霸", "卫生间", "bath", json!({"light": false, "vent": false, "warm": false})),
            device("r1", "主卧暖气", "主卧", "radiator", json!({"target": 20, "room": 19.5})),
            device("r2", "小屋暖气", "小屋", "radiator", json!({"target": 21, "room": 17.5})),
            device("hu", "书桌灯", "小胡房", "lamp", json!({"power": true, "level": 40})),
            device("fridge", "冰箱", "厨房", "fridge", json!({"chill": 5, "freeze": -18})),
            device("card", "声卡", "客厅", "card", json!({"mic": 50, "echo": 30})),
        ],
        "scenes": [
            {"id": "guests", "name": "来客", "actions": [{"id": "lamp", "state": {"level": 100}}]},
            {"id": "out", "name": "出门", "actions": [{"id": "lamp", "state": {"power": false}}]},
        ]
    })
}

async fn moves(local: &str, cases: &[(&str, Value)]) {
    speech::moves_at(&home(), local, cases).await;
}

#[tokio::test]
async fn a_scene_is_called_by_its_name_and_the_word_for_what_it_is() {
    let guests = || json!({"lamp": {"level": 100}});
    moves(
        "客厅",
        &[
            ("来客模式", guests()),
            ("来一个来客模式", guests()),
            ("走来客模式", guests()),
            ("把来客那个场景打开", guests()),
            ("走了走了，出门模式", json!({"lamp": {"power": false}})),
            ("别开来客模式", json!({})),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_told_not_to_be_done_is_not_done() {
    for sentence in ["洗衣机不暂停", "不暂停洗衣机", "不打开客厅窗帘", "洗衣机不停了", "不关客厅灯"]
    {
        moves("客厅", &[(sentence, json!({}))]).await;
    }
    let two = json!({"bath": {"light": true, "vent": true, "warm": false}});
    for refused in ["别开", "莫开", "嫑开", "甭开"] {
        moves("卫生间", &[(&format!("浴霸的照明和换气打开暖风{refused}"), two.clone())]).await;
    }
}

#[tokio::test]
async fn what_is_refused_behind_other_commands_is_not_done() {
    let blind = || json!({"blind": {"position": 100}});
    moves(
        "客厅",
        &[
            ("关灯，开窗帘，灯别关", blind()),
            ("关灯，开窗帘，灯先不要", blind()),
            ("关灯，不对，开窗帘，灯先不要", blind()),
            ("关灯，别关灯", json!({})),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_number_or_a_place_that_is_corrected_counts_as_it_is_said_last() {
    moves(
        "客厅",
        &[
            ("声卡麦克风音量八十，不对，六十五", json!({"card": {"mic": 65}})),
            ("声卡麦克风音量八十啊不是六十五然后混响二十五", json!({"card": {"mic": 65, "echo": 25}})),
            ("客厅灯调到八十呃不对八十太刺眼五十", json!({"lamp": {"level": 50}})),
            ("客厅灯调到八十别八十了五十", json!({"lamp": {"level": 50}})),
            ("灯关了哎不是客厅的是小屋的", json!({"small": {"power": false}})),
            ("关掉客厅的灯，不是客厅的，是小屋的", json!({"small": {"power": false}})),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_radiator_is_set_to_degrees_without_a_word_for_them() {
    moves(
        "主卧",
        &[
            ("把暖气调到二十二", json!({"r1": {"target": 22}})),
            ("暖气弄高些", json!({"r1": {"target": 21}})),
            ("暖气往高里拧一拧", json!({"r1": {"target": 21}})),
        ],
    )
    .await;
}

#[tokio::test]
async fn the_coldest_room_is_named() {
    for sentence in ["哪个屋最冷", "最冷的是哪屋"] {
        let (moved, said) = speech::told_at(&home(), "客厅", sentence).await;
        assert_eq!(moved, json!({}), "{sentence}");
        assert!(said.contains("小屋") && said.contains("17.5"), "{sentence}: {said}");
    }
}

#[tokio::test]
async fn what_is_pointed_to_by_an_unknown_name_is_nothing_that_was_told_before() {
    moves(
        "客厅",
        &[("关灯，开窗帘，还有那个星空投影也开", json!({"lamp": {"power": false}, "blind": {"position": 100}}))],
    )
    .await;
}

#[tokio::test]
async fn a_machine_makes_what_it_has_a_program_for() {
    moves(
        "厨房",
        &[
            ("豆浆机打个米糊", json!({"soy": {"program": "米糊", "run": "启动"}})),
            ("打个米糊", json!({"soy": {"program": "米糊", "run": "启动"}})),
            ("养生壶里给我熬上银耳", json!({"pot": {"mode": "银耳羹", "run": "启动"}})),
            ("我在打米糊", json!({})),
            ("熬银耳羹", json!({})),
        ],
    )
    .await;
}

#[tokio::test]
async fn today_is_now_and_the_weather_is_not_ours() {
    moves("客厅", &[("今天客厅灯暗一点", json!({"lamp": {"level": 30}})), ("今天几度", json!({}))]).await;
}

#[tokio::test]
async fn work_that_was_asked_about_ends_when_nobody_wants_it_any_more() {
    for last in ["不洗了", "停了吧不洗了", "别洗了"] {
        let (moved, said) = speech::told_by(None, &home(), "客厅", &["洗衣机还有多久", last]).await;
        assert_eq!(moved.len(), 1, "{last}: {said}");
        assert_eq!(moved[0].1.get("run"), Some(&json!("停止")), "{last}: {said}");
    }
}

#[tokio::test]
async fn what_stays_on_is_left_out_of_all_that_goes_off_whatever_is_named_between() {
    let rest = || json!({"lamp": {"power": false}, "small": {"power": false}});
    moves(
        "客厅",
        &[
            ("全屋灯都灭了就小胡那盏留着", rest()),
            ("全屋灯都灭了小屋灯也关，就小胡那盏留着", rest()),
            // 留到 may say that it stays: nothing goes off.
            ("全屋灯都关就小胡房那盏留到", json!({})),
        ],
    )
    .await;
}

#[tokio::test]
async fn colder_food_is_fewer_degrees() {
    moves(
        "厨房",
        &[
            ("冰箱冷藏再冷点", json!({"fridge": {"chill": 4}})),
            ("冰箱冷藏冻一点", json!({"fridge": {"chill": 4}})),
            ("冰箱冷冻冷一点", json!({"fridge": {"freeze": -19}})),
            ("冰箱冷藏热一点", json!({"fridge": {"chill": 6}})),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_is_said_of_another_room_is_of_the_like_of_what_was_told() {
    let home = home();
    for (turns, device, level) in
        [(["书桌灯暗一点", "客厅的调到五十"], "lamp", 50), (["客厅灯调到六十", "小胡房的调到七十"], "hu", 70)]
    {
        let (moved, said) = speech::told_by(None, &home, "小胡房", &turns).await;
        assert_eq!(moved.len(), 1, "{turns:?}: {said}");
        assert_eq!((moved[0].0.as_str(), moved[0].1.get("level")), (device, Some(&json!(level))), "{turns:?}: {said}");
    }
}
