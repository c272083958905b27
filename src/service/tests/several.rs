//! Several things, rooms and values in one breath.

use serde_json::{Value, json};

use super::speech;

/// Three bedrooms and a sitting room, each with a lamp and an air conditioner, and a curtain in two of them.
fn home() -> Value {
    let flag = || json!({"type": "bool", "range": [true, false]});
    let number = |describe: &str, min: u32, max: u32, unit: &str| json!({"type": "uint", "min": min, "max": max, "describe": describe, "unit": unit});
    let device = |id: &str, name: &str, local: &str, model: &str, state: Value| json!({"id": id, "name": name, "local": local, "device": {"model": model, "state": state}});
    let mut devices = vec![
        device("curtain", "客厅窗帘", "客厅", "curtain", json!({"position": 30})),
        device("curtain-m", "主卧窗帘", "主卧", "curtain", json!({"position": 70})),
    ];
    for (at, room) in ["客厅", "主卧", "次卧", "儿童房"].into_iter().enumerate() {
        let lamp = json!({"power": true, "level": 40});
        let ac = json!({"power": true, "temperature": 20 + at, "fan": 1});
        devices.push(device(&format!("lamp-{at}"), &format!("{room}灯"), room, "lamp", lamp));
        devices.push(device(&format!("ac-{at}"), &format!("{room}空调"), room, "ac", ac));
    }
    json!({
        "layout": ["客厅", "主卧", "次卧", "儿童房"],
        "model": {
            "lamp": {"describe": "灯", "property": {"power": flag(), "level": number("亮度", 0, 100, "%")}},
            "curtain": {"describe": "窗帘", "property": {"position": number("开合度", 0, 100, "%")}},
            "ac": {"describe": "空调", "property": {"power": flag(), "temperature": number("温度", 16, 30, "C"), "fan": number("风速", 1, 5, "")}},
        },
        "devices": devices
    })
}

async fn moves(cases: &[(&str, Value)]) {
    speech::moves_at(&home(), "客厅", cases).await;
}

async fn said(sentence: &str) -> String {
    speech::told_by(None, &home(), "客厅", &[sentence]).await.1
}

#[tokio::test]
async fn a_number_that_sums_up_what_was_named_adds_nothing() {
    let off = |at: &[usize]| at.iter().map(|at| (format!("lamp-{at}"), json!({"power": false}))).collect::<Value>();
    moves(&[
        ("客厅主卧次卧三个房间的灯都关了", off(&[0, 1, 2])),
        ("客厅、主卧，两处的灯都关了", off(&[0, 1])),
        ("主卧次卧两个卧室的灯都关了", off(&[1, 2])),
        ("客厅灯主卧灯这俩都关了", off(&[0, 1])),
        ("客厅灯、主卧灯、次卧灯 三样都关上", off(&[0, 1, 2])),
    ])
    .await;
}

#[tokio::test]
async fn of_more_rooms_than_are_counted_none_is_meant_for_sure() {
    moves(&[
        ("两个房间的灯都关了", json!({})),
        ("客厅和两个房间的灯都关了", json!({})),
        ("两间卧室的灯都关了", json!({})),
    ])
    .await;
}

#[tokio::test]
async fn each_of_several_gets_its_own_value() {
    let ac = |one: u32, two: u32| json!({"ac-0": {"temperature": one}, "ac-1": {"temperature": two}});
    moves(&[
        ("客厅和主卧的空调分别调到26度和24度", ac(26, 24)),
        ("客厅空调和主卧空调分别调到26和24", ac(26, 24)),
        ("客厅空调和主卧空调调到26和24度", ac(26, 24)),
        ("客厅灯和主卧灯分别打开和关闭", json!({"lamp-0": {"power": true}, "lamp-1": {"power": false}})),
        ("客厅灯和主卧灯分别关了", json!({"lamp-0": {"power": false}, "lamp-1": {"power": false}})),
        ("客厅空调和主卧空调和次卧空调分别调到26和24", json!({})),
        ("客厅空调调到26和24度", json!({})),
        ("客厅空调调到26度和3档", json!({"ac-0": {"temperature": 26, "fan": 3}})),
    ])
    .await;
}

#[tokio::test]
async fn what_stands_behind_the_value_is_what_is_told() {
    moves(&[
        ("降一度主卧空调", json!({"ac-1": {"temperature": 20}})),
        ("调高两度主卧空调，关主卧灯", json!({"ac-1": {"temperature": 23}, "lamp-1": {"power": false}})),
        ("调到26度主卧空调", json!({"ac-1": {"temperature": 26}})),
    ])
    .await;
}

#[tokio::test]
async fn what_is_said_again_after_a_pause_is_done_once() {
    moves(&[
        ("把主卧空调 呃降 降一度", json!({"ac-1": {"temperature": 20}})),
        ("主卧空调，空调降一度", json!({"ac-1": {"temperature": 20}})),
    ])
    .await;
}

#[tokio::test]
async fn each_of_several_is_told_of() {
    for (sentence, parts) in [
        ("客厅空调和主卧空调分别设了多少度", ["20度", "21度"]),
        ("客厅空调、主卧空调现在几度", ["20度", "21度"]),
        ("客厅窗帘和主卧窗帘开到多少了", ["30%", "70%"]),
    ] {
        let answer = said(sentence).await;
        assert!(parts.iter().all(|part| answer.contains(part)), "{sentence}: {answer}");
    }
}

#[tokio::test]
async fn what_is_refused_of_all_is_left_out_of_it() {
    let off = |at: &[usize]| at.iter().map(|at| (format!("lamp-{at}"), json!({"power": false}))).collect::<Value>();
    moves(&[
        ("关闭所有的灯，但是不要关主卧灯", off(&[0, 2, 3])),
        ("把所有灯都关了，但不要关主卧的灯", off(&[0, 2, 3])),
        ("关闭所有的灯，不要关主卧和次卧的", off(&[0, 3])),
        ("关客厅灯但是不要关空调", off(&[0])),
        ("关闭所有的灯，留一个主卧灯", off(&[0, 2, 3])),
    ])
    .await;
}

/// A bedroom with a ceiling lamp and two at the bed, another with one at the bed; a purifier with a mode that a scene is called after; and
/// a television that counts its channels.
fn bedrooms() -> Value {
    let flag = || json!({"type": "bool", "range": [true, false]});
    let number = |describe: &str, min: u32, max: u32, unit: &str| json!({"type": "uint", "min": min, "max": max, "describe": describe, "unit": unit});
    let modes = json!([{"value": "auto", "describe": "自动"}, {"value": "sleep", "describe": "睡眠"}]);
    let moves = json!([{"value": "open", "describe": "打开"}, {"value": "close", "describe": "关闭"}]);
    let device = |id: &str, name: &str, local: &str, model: &str, state: Value| json!({"id": id, "name": name, "local": local, "device": {"model": model, "state": state}});
    let on = || json!({"power": true, "level": 40});
    json!({
        "layout": ["主卧", "次卧"],
        "model": {
            "lamp": {"describe": "灯", "property": {"power": flag(), "level": number("亮度", 0, 100, "%")}},
            "air": {"describe": "空气净化器", "property": {"power": flag(), "mode": {"type": "enum", "range": modes, "describe": "模式"}}},
            "tv": {"describe": "电视", "property": {"power": flag(), "channel": number("频道", 1, 200, ""), "volume": number("音量", 0, 100, "%")}},
            "curtain": {"describe": "窗帘", "property": {"action": {"type": "enum", "range": moves, "describe": "动作"}, "position": number("开合度", 0, 100, "%")}},
        },
        "devices": [
            device("top", "顶灯", "主卧", "lamp", on()),
            device("left", "左床头灯", "主卧", "lamp", on()),
            device("right", "右床头灯", "主卧", "lamp", on()),
            device("guest", "床头灯", "次卧", "lamp", on()),
            device("air", "净化器", "主卧", "air", json!({"power": true, "mode": "auto"})),
            device("tv", "电视", "主卧", "tv", json!({"power": true, "channel": 1, "volume": 20})),
            device("curtain", "窗帘", "主卧", "curtain", json!({"action": "close", "position": 50})),
        ],
        "scenes": [{"id": "sleep", "name": "睡眠模式", "actions": [{"id": "top", "state": {"power": false}}]}]
    })
}

#[tokio::test]
async fn what_stands_left_and_right_of_the_bed_is_meant_before_one_elsewhere() {
    let (on, dim) = (json!({"power": false}), json!({"level": 60}));
    let cases = [
        ("床头灯都关了", json!({"left": on, "right": on})),
        ("左右床头灯都调到60", json!({"left": dim, "right": dim})),
        ("左边和右边的床头灯都关了", json!({"left": on, "right": on})),
        ("左右床头灯分别调到60和30", json!({"left": dim, "right": {"level": 30}})),
        ("次卧床头灯关了", json!({"guest": on})),
    ];
    speech::moves_at(&bedrooms(), "主卧", &cases).await;
}

#[tokio::test]
async fn the_others_of_what_was_named_are_those_of_its_room() {
    let off = json!({"power": false});
    let cases = [
        ("顶灯打开，其他的关掉", json!({"top": {"power": true}, "left": off, "right": off})),
        ("顶灯调到80，其他的都关了", json!({"top": {"level": 80}, "left": off, "right": off})),
    ];
    speech::moves_at(&bedrooms(), "主卧", &cases).await;
}

#[tokio::test]
async fn a_mode_of_a_thing_is_no_scene_of_that_name() {
    let cases =
        [("净化器开睡眠模式", json!({"air": {"mode": "sleep"}})), ("打开睡眠模式", json!({"top": {"power": false}}))];
    speech::moves_at(&bedrooms(), "主卧", &cases).await;
}

#[tokio::test]
async fn a_channel_is_said_by_its_place_in_the_row() {
    let cases = [
        ("电视调到第8台", json!({"tv": {"channel": 8}})),
        ("电视换到第五频道", json!({"tv": {"channel": 5}})),
        ("电视频道加一", json!({"tv": {"channel": 2}})),
    ];
    speech::moves_at(&bedrooms(), "主卧", &cases).await;
}

#[tokio::test]
async fn what_stands_half_way_is_not_closed_already() {
    let said = |sentence| async move { speech::told_by(None, &bedrooms(), "主卧", &[sentence]).await.1 };
    assert_eq!(said("关窗帘").await, "正在关闭主卧窗帘。");
}

#[tokio::test]
async fn a_room_that_is_asked_of_next_is_asked_the_same() {
    for (turns, parts) in [
        (["主卧空调多少度", "客厅的呢"], ["客厅空调", "20度"]),
        (["客厅灯开着吗", "主卧呢"], ["主卧灯", "开着"]),
        (["客厅灯开着吗", "那主卧灯呢"], ["主卧灯", "开着"]),
    ] {
        let answer = speech::told_by(None, &home(), "客厅", &turns).await.1;
        assert!(parts.iter().all(|part| answer.contains(part)), "{turns:?}: {answer}");
    }
}

#[tokio::test]
async fn the_second_of_two_is_asked_of_in_the_same_room() {
    let answer = said("主卧空调和窗帘开着吗").await;
    assert!(answer.contains("主卧空调") && answer.contains("主卧窗帘"), "{answer}");
}
