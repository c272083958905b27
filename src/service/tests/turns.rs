//! How plain conversations go on.

use serde_json::{Value, json};

use super::speech;

/// Three rooms with a lamp, an air conditioner and a curtain each, a thermometer in one of them, and a cooker with programs.
fn home() -> Value {
    let flag = || json!({"type": "bool", "range": [true, false]});
    let number = |describe: &str, min: u32, max: u32, unit: &str| json!({"type": "uint", "min": min, "max": max, "describe": describe, "unit": unit});
    let one_of = |describe: &str, values: &[(&str, &str)]| {
        let range: Vec<Value> = values.iter().map(|(v, d)| json!({"value": v, "describe": d})).collect();
        json!({"type": "enum", "range": range, "describe": describe})
    };
    let device = |id: &str, name: &str, local: &str, model: &str, state: Value| json!({"id": id, "name": name, "local": local, "device": {"model": model, "state": state}});
    let mut devices = vec![
        device("th", "主卧温度计", "主卧", "thermometer", json!({"temperature": 25.0})),
        device("floor", "客厅落地灯", "客厅", "lamp", json!({"power": true, "level": 40, "cct": 4000})),
        device("dual", "书房台灯", "书房", "lamp", json!({"power": true, "level": 40, "cct": 4000})),
        device("lock", "书房门锁", "书房", "lock", json!({"locked": false})),
        device("door", "主卧门磁", "主卧", "door", json!({"open": false})),
        device("cooker", "电饭煲", "餐厅", "cooker", json!({"run": "cancel", "program": "porridge"})),
        device("box", "客厅音箱", "客厅", "box", json!({"playback": "pause", "volume": 30})),
    ];
    for (at, room) in ["客厅", "主卧", "书房"].into_iter().enumerate() {
        let lamp = json!({"power": false, "level": 40, "cct": 4000});
        devices.push(device(&format!("lamp-{at}"), &format!("{room}灯"), room, "lamp", lamp));
        let ac = json!({"power": true, "temperature": 27});
        devices.push(device(&format!("ac-{at}"), &format!("{room}空调"), room, "ac", ac));
        let curtain = json!({"position": 50});
        devices.push(device(&format!("curtain-{at}"), &format!("{room}窗帘"), room, "curtain", curtain));
    }
    json!({
        "layout": ["客厅", "主卧", "书房", "餐厅"],
        "model": {
            "lamp": {"describe": "灯", "property": {"power": flag(), "level": number("亮度", 0, 100, "%"), "cct": number("色温", 2700, 6500, "K")}},
            "curtain": {"describe": "窗帘", "property": {"position": number("开合度", 0, 100, "%")}},
            "ac": {"describe": "空调", "property": {"power": flag(), "temperature": number("温度", 16, 30, "C")}},
            "lock": {"describe": "门锁", "property": {"locked": flag()}},
            "door": {"describe": "门磁", "property": {"open": {"type": "bool", "range": [true, false], "access": "read"}}},
            "thermometer": {"describe": "温度计", "property": {"temperature": {"type": "float", "describe": "温度", "unit": "C", "access": "read"}}},
            "box": {"describe": "音箱", "property": {"playback": one_of("播放", &[("play", "播放"), ("pause", "暂停")]), "volume": number("音量", 0, 100, "%")}},
            "cooker": {"describe": "电饭煲", "property": {
                "run": one_of("运行", &[("start", "启动"), ("cancel", "取消")]),
                "program": one_of("程序", &[("rice", "煮饭"), ("porridge", "煮粥")])
            }}
        },
        "devices": devices
    })
}

/// What the last of some turns moves, and what is said to it.
async fn after(turns: &[&str]) -> (Value, String) {
    let (moved, said) = speech::told_by(None, &home(), "客厅", turns).await;
    (moved.into_iter().map(|(id, state)| (id, Value::Object(state.into_iter().collect()))).collect(), said)
}

async fn moves(cases: &[(&[&str], Value)]) {
    for (turns, wanted) in cases {
        let (moved, said) = after(turns).await;
        assert_eq!(moved, *wanted, "{turns:?}: {said}");
    }
}

#[tokio::test]
async fn all_of_what_was_done_one_after_the_other_is_meant_by_all_of_it() {
    let off = |what: &str, at: &[usize]| {
        at.iter().map(|at| (format!("{what}-{at}"), json!({"power": false}))).collect::<Value>()
    };
    let warm = |at: &[usize]| at.iter().map(|at| (format!("ac-{at}"), json!({"temperature": 25}))).collect::<Value>();
    moves(&[
        (&["打开客厅灯", "打开主卧灯", "打开书房灯", "都关了"], off("lamp", &[0, 1, 2])),
        (&["打开客厅灯", "打开主卧灯", "关了"], off("lamp", &[1])),
        (&["打开客厅空调", "打开主卧空调", "两台都关了"], off("ac", &[0, 1])),
        (&["打开客厅空调", "主卧也开", "都调到25度"], warm(&[0, 1])),
        (&["打开客厅空调", "主卧空调26度", "都关了"], off("ac", &[0, 1])),
        (&["打开书房灯", "客厅多少度", "打开主卧灯", "都关了"], off("lamp", &[1])),
    ])
    .await;
}

#[tokio::test]
async fn what_was_done_to_several_things_goes_on_with_one_of_them_where_they_stand() {
    let study = |one: Value| json!({"ac-2": one});
    moves(&[
        (&["打开主卧的灯和空调", "把灯关了"], json!({"lamp-1": {"power": false}})),
        (&["打开主卧的灯和空调", "空调25度", "灯关了"], json!({"lamp-1": {"power": false}})),
        (&["打开主卧的灯和空调", "空调25度", "都关了"], json!({"lamp-1": {"power": false}, "ac-1": {"power": false}})),
        (&["书房空调打开", "26度", "窗帘也拉开"], json!({"curtain-2": {"position": 100}})),
        (&["书房空调打开", "25度"], study(json!({"temperature": 25}))),
        (&["打开主卧灯和主卧窗帘", "主卧灯关了", "另一个关上"], json!({"curtain-1": {"position": 0}})),
    ])
    .await;
}

#[tokio::test]
async fn what_alone_remains_is_not_what_ends() {
    let others = json!({"lamp-0": {"power": false}});
    moves(&[
        (&["只留落地灯"], others.clone()),
        (&["打开客厅灯", "只留落地灯"], others.clone()),
        (&["只留落地灯，其他灯都关了"], others.clone()),
        (&["客厅只留落地灯"], others),
    ])
    .await;
}

#[tokio::test]
async fn who_asks_politely_is_served_and_who_asks_how_many_is_answered() {
    moves(&[
        (&["你能帮我打开落地灯吗"], json!({"floor": {"power": true}})),
        (&["现在开了几盏灯"], json!({})),
        (&["家里开了几个空调"], json!({})),
        (&["落地灯开了就行，别的不要开"], json!({"floor": {"power": true}})),
    ])
    .await;
}

#[tokio::test]
async fn one_of_what_was_switched_on_may_not_be_wanted() {
    let off = json!({"lamp-0": {"power": false}});
    moves(&[
        (&["打开客厅灯和主卧灯", "客厅灯不要"], off.clone()),
        (&["打开客厅灯和主卧灯", "不要客厅灯"], off),
        (&["客厅灯不要"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn what_is_said_beside_an_order_is_no_part_of_it() {
    moves(&[
        (&["外面风大，把客厅窗帘拉上"], json!({"curtain-0": {"position": 0}})),
        (&["主卧空调比书房空调低两度"], json!({})),
        (&["不要客厅灯，要落地灯"], json!({"floor": {"power": true}, "lamp-0": {"power": false}})),
        (&["把客厅空调关了，书房空调开二十分钟"], json!({"ac-0": {"power": false}, "ac-2": {"power": true}})),
        (&["明天八点，不对，九点打开落地灯"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn who_is_asked_to_speak_low_is_no_thing() {
    moves(&[
        (&["打开客厅音箱", "主卧的灯打开，小声点，她睡着了"], json!({"lamp-1": {"power": true}})),
        (&["开会呢，小声点"], json!({})),
        (&["小声点"], json!({"box": {"volume": 20}})),
    ])
    .await;
}

#[tokio::test]
async fn rooms_that_were_said_hold_for_the_next_clause() {
    moves(&[(
        &["主卧和书房的空调关掉，窗帘拉上"],
        json!({
            "ac-1": {"power": false}, "ac-2": {"power": false},
            "curtain-1": {"position": 0}, "curtain-2": {"position": 0}
        }),
    )])
    .await;
}

#[tokio::test]
async fn a_value_of_the_next_room_is_of_what_was_set_in_the_last() {
    moves(&[
        (&["客厅空调调到26度", "书房的24"], json!({"ac-2": {"temperature": 24}})),
        (&["客厅窗帘调到80", "主卧的30"], json!({"curtain-1": {"position": 30}})),
        (&["书房的24"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn a_curtain_goes_further_by_what_is_said() {
    moves(&[
        (&["客厅窗帘开30", "再开20"], json!({"curtain-0": {"position": 50}})),
        (&["客厅窗帘开60", "再关20"], json!({"curtain-0": {"position": 40}})),
    ])
    .await;
}

#[tokio::test]
async fn what_changed_nothing_has_nothing_to_take_back() {
    moves(&[(&["关客厅灯", "恢复"], json!({})), (&["开客厅灯", "恢复"], json!({"lamp-0": {"power": false}}))]).await;
}

#[tokio::test]
async fn what_is_set_now_and_what_is_set_later_are_two_things() {
    for sentence in ["先把客厅空调调到20度，半小时后调到26度", "客厅空调20度，半小时后26度"]
    {
        let (moved, said) = after(&[sentence]).await;
        assert_eq!(moved, json!({"ac-0": {"temperature": 20}}), "{sentence}: {said}");
    }
}

#[tokio::test]
async fn a_thing_begins_with_the_program_that_is_named() {
    let rice = json!({"cooker": {"run": "start", "program": "rice"}});
    moves(&[(&["电饭煲开始煮饭"], rice), (&["电饭煲开始"], json!({"cooker": {"run": "start"}}))]).await;
}

#[tokio::test]
async fn what_is_set_in_a_room_is_not_how_warm_it_is() {
    assert_eq!(after(&["书房多少度"]).await.1, "书房没有能测温度的设备，书房空调设的是27度。");
    assert_eq!(after(&["主卧多少度"]).await.1, "主卧的温度是25度。");
    assert_eq!(after(&["主卧到26度了吗"]).await.1, "没有，主卧的温度是25度。");
}

#[tokio::test]
async fn whether_doors_are_locked_their_locks_tell() {
    assert_eq!(after(&["有没有门没锁"]).await.1, "有，书房门锁没上锁。");
    assert_eq!(after(&["书房门锁上"]).await.0, json!({"lock": {"locked": true}}));
}

#[tokio::test]
async fn what_waits_for_a_value_is_not_done_at_once() {
    for sentence in ["空调到24度就关", "打开空调，到26度就关掉"] {
        let (moved, said) = after(&[sentence]).await;
        assert_eq!(moved, json!({}), "{sentence}: {said}");
    }
}

#[tokio::test]
async fn rooms_are_counted_and_those_that_lack_something_are_named() {
    assert_eq!(after(&["家里有几个房间"]).await.1, "有4个房间。");
    assert_eq!(after(&["哪个房间没有空调"]).await.1, "餐厅没有空调。");
    assert_eq!(after(&["谁开的灯"]).await.0, json!({}));
}
