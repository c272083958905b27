//! What things have by the names that homes give it, however these are spaced, marked and counted.

use serde_json::{Map, Value, json};

use super::speech;

/// A home with an air conditioner, a purifier, three lamps in a row and a speaker that is called after another assistant.
fn home() -> Value {
    let flag = |describe: &str| json!({"type": "bool", "range": [true, false], "describe": describe});
    let number = |describe: &str| json!({"type": "uint", "min": 0, "max": 100, "describe": describe});
    let device = |id: &str, name: &str, model: &str, state: Value| json!({"id": id, "name": name, "local": "客厅", "device": {"model": model, "state": state}});
    json!({
        "layout": ["客厅"],
        "model": {
            "ac": {"describe": "空调", "property": {"power": flag("开关"), "eco": flag("ECO 节能"), "display": flag("屏显"), "purify": flag("净化")}},
            "pure": {"describe": "净化器", "property": {
                "power": flag("电源"), "usb": flag("USB 端口"), "latch": flag("闩锁 6"), "auto": flag("自动开/关"), "beep": flag("嘟"),
                "sound": flag("声音"), "event": flag("事件响应"), "timer": number("屏幕关闭定时器"),
                "away": number("送风温度（离家）"), "strong": number("送风温度（强劲）"), "rain": number("下雨暂停"),
            }},
            "lamp": {"describe": "灯", "property": {"power": flag("开关")}},
            "speaker": {"describe": "音箱", "property": {"power": flag("开关"), "volume": {"type": "uint", "min": 0, "max": 100, "describe": "音量"}}},
        },
        "devices": [
            device("ac", "空调", "ac", json!({"power": true, "eco": false, "display": true, "purify": false})),
            device("pure", "净化器", "pure", json!({
                "power": true, "usb": false, "latch": true, "auto": false, "beep": false, "sound": false, "event": false,
                "timer": 10, "away": 20, "strong": 21, "rain": 3,
            })),
            device("t1", "筒灯1", "lamp", json!({"power": false})),
            device("t2", "筒灯2", "lamp", json!({"power": false})),
            device("t3", "筒灯3", "lamp", json!({"power": false})),
            device("xa", "小爱音箱 Pro", "speaker", json!({"power": true, "volume": 30})),
        ]
    })
}

async fn told(sentence: &str) -> (Value, String) {
    speech::told_at(&home(), "客厅", sentence).await
}

async fn moves(cases: &[(&str, Value)]) {
    speech::moves_at(&home(), "客厅", cases).await;
}

async fn answers(cases: &[(&str, &str)]) {
    for (sentence, wanted) in cases {
        let (moved, said) = told(sentence).await;
        assert_eq!(moved, json!({}), "{sentence}: {said}");
        assert!(said.contains(wanted), "{sentence}: {said}");
    }
}

#[tokio::test]
async fn a_name_is_one_word_however_it_is_spaced() {
    answers(&[
        ("空调的ECO 节能开着吗", "没有"),
        ("空调的 ECO  节能 开着吗", "没有"),
        ("空调ECO节能开着吗", "没有"),
        ("净化器的USB 端口开着吗", "没有"),
        ("净化器的闩锁6开着吗", "是的"),
        ("净化器的闩锁 6 开着吗", "是的"),
        ("小爱音箱 Pro 开着吗", "是的"),
        ("小爱音箱Pro开着吗", "是的"),
    ])
    .await;
    moves(&[
        ("打开空调的ECO 节能", json!({"ac": {"eco": true}})),
        ("打开净化器 USB 端口", json!({"pure": {"usb": true}})),
        ("把净化器的闩锁6关掉", json!({"pure": {"latch": false}})),
        ("把净化器的闩锁 6关掉", json!({"pure": {"latch": false}})),
    ])
    .await;
}

#[tokio::test]
async fn what_nobody_knows_of_a_thing_is_never_the_thing() {
    for sentence in [
        "把净化器的闩锁 9关掉",
        "把净化器的闩锁A关掉",
        "净化器的闩锁 A开着吗",
        "把净化器的阻止 eBay关掉",
        "把净化器的灯光关掉",
        "把净化器的启动关掉",
        "把空调的自动开/关关掉",
        "把空调的蓝牙关掉",
        "打开空调的跟随运动",
    ] {
        let (moved, said) = told(sentence).await;
        assert_eq!(moved, json!({}), "{sentence}: {said}");
    }
    // By these words everybody means the thing.
    moves(&[
        ("把净化器的电源关掉", json!({"pure": {"power": false}})),
        ("把净化器的开关关掉", json!({"pure": {"power": false}})),
    ])
    .await;
}

#[tokio::test]
async fn behind_its_thing_a_name_comes_before_what_its_characters_say() {
    moves(&[
        ("打开净化器的自动开/关", json!({"pure": {"auto": true}})),
        ("打开净化器的自动开关", json!({"pure": {"auto": true}})),
        ("打开净化器的嘟", json!({"pure": {"beep": true}})),
        ("打开净化器的声音", json!({"pure": {"sound": true}})),
        ("打开净化器的事件响应", json!({"pure": {"event": true}})),
        ("把净化器的屏幕关闭定时器调到37", json!({"pure": {"timer": 37}})),
        ("把净化器的送风温度（强劲）调到37", json!({"pure": {"strong": 37}})),
        ("把净化器的送风温度离家调到37", json!({"pure": {"away": 37}})),
        ("打开空调节能", json!({"ac": {"eco": true}})),
    ])
    .await;
    answers(&[
        ("净化器的声音开着吗", "没有"),
        ("净化器的下雨暂停是多少", "3"),
        ("空调净化开着吗", "净化没开"),
        ("空调节能开着吗", "没有"),
    ])
    .await;
}

#[tokio::test]
async fn behind_a_pause_a_feature_is_still_of_its_thing() {
    moves(&[
        ("关掉空调 屏显", json!({"ac": {"display": false}})),
        ("空调 屏显 关掉", json!({"ac": {"display": false}})),
    ])
    .await;
    answers(&[("空调 屏显 开着吗", "屏显")]).await;
}

#[tokio::test]
async fn all_of_a_row_are_told_and_none_is_left_out_without_a_word() {
    let both = json!({"t2": {"power": true}, "t3": {"power": true}});
    moves(&[
        ("打开筒灯二和三", both.clone()),
        ("筒灯二三打开", both),
        // There is no fifth.
        ("打开筒灯二和五", json!({})),
    ])
    .await;
}

#[tokio::test]
async fn a_speaker_that_is_called_after_another_assistant_is_told_by_what_it_has() {
    moves(&[
        ("小爱音量调小", json!({"xa": {"volume": 20}})),
        ("小爱同学，音量调小", json!({})),
        ("小爱打开筒灯1", json!({})),
    ])
    .await;
}

/// 5,000 properties are more than one device may have, and no more than a home may.
#[tokio::test]
async fn a_home_of_thousands_of_properties_knows_them_by_name_as_far_as_there_is_room() {
    let (models, each) = (50, 100);
    let flag = |name: String| json!({"type": "bool", "range": [true, false], "describe": name});
    let model = |at: usize| {
        let own = (0..each).map(|n| (format!("p{n}"), flag(format!("机能{}号", at * each + n))));
        (format!("m{at}"), json!({"describe": "机器", "property": own.collect::<Map<_, _>>()}))
    };
    let device = |at: usize| json!({"id": format!("d{at}"), "name": format!("怪机{at}"), "local": "客厅", "device": {"model": format!("m{at}")}});
    let home = json!({
        "layout": ["客厅"],
        "model": (0..models).map(model).collect::<Map<_, _>>(),
        "devices": (0..models).map(device).collect::<Vec<_>>(),
    });
    for (sentence, device, property) in [("怪机3的机能305号打开", "d3", "p5"), ("打开怪机9的机能999号", "d9", "p99")]
    {
        let (moved, said) = speech::told_by(None, &home, "客厅", &[sentence]).await;
        let [(id, state)] = &moved[..] else { panic!("{sentence}: {moved:?} {said}") };
        assert_eq!(id, device, "{sentence}");
        assert_eq!(Value::Object(state.clone().into_iter().collect()), json!({property: true}), "{sentence}");
    }
    // A home adds so many names to the language; of those beyond nothing is guessed.
    let (moved, said) = speech::told_by(None, &home, "客厅", &["打开怪机49的机能4999号"]).await;
    assert!(moved.is_empty() && !said.is_empty(), "{moved:?} {said}");
    // A model that has them all is refused, and its device with it.
    let all = (0..models * each).map(|n| (format!("p{n}"), flag(format!("机能{n}号"))));
    let home = json!({
        "layout": ["客厅"],
        "model": {"m": {"describe": "机器", "property": all.collect::<Map<_, _>>()}},
        "devices": [{"id": "d", "name": "怪机", "local": "客厅", "device": {"model": "m"}}],
    });
    let (home, report) = crate::home::parse(&home).unwrap();
    assert!(home.devices.is_empty() && report.rejected.len() == 2, "{report:?}");
}
