//! Clauses beside what is not there, what is for another time, and what only says how it is.

use serde_json::{Value, json};

use super::everyday::{held, home_of};
use super::speech::told_by;

/// What lights the study of the villa.
fn study() -> Value {
    json!({"cct-05": {"power": true}, "dimmer-12": {"power": true}})
}

#[tokio::test]
async fn a_clause_of_what_is_not_there_moves_nothing_of_its_room() {
    for thing in ["火箭", "吉他", "日历", "鞋子", "外套", "毛巾", "镜子", "健身车", "电话", "扳手", "电热扇"]
    {
        let said = format!("打开书房的灯，打开厨房的{thing}");
        let (moved, reply) = told_by(None, &home_of("villa"), "客厅", &[&said]).await;
        let moved: Value =
            moved.into_iter().map(|(id, state)| (id, Value::Object(state.into_iter().collect()))).collect();
        assert_eq!(moved, study(), "{said}: {reply}");
    }
}

#[tokio::test]
async fn what_is_heard_neither_breaks_nor_undoes_a_verb_that_is_written() {
    held(&[
        ("villa", "客厅", &["把担架打开，关掉书房的空调"], json!({"ac-06": {"power": false}})),
        (
            "villa",
            "客厅",
            &["关掉电热扇和书房的灯"],
            json!({"cct-05": {"power": false}, "dimmer-12": {"power": false}}),
        ),
    ])
    .await;
}

#[tokio::test]
async fn what_is_for_another_time_or_case_keeps_nothing_else_from_being_done() {
    held(&[
        ("villa", "客厅", &["打开书房的灯，设个闹钟"], study()),
        ("villa", "客厅", &["打开书房的灯，打开厨房的闹钟"], study()),
        ("villa", "客厅", &["打开书房的灯，每当有人就打开走廊灯"], study()),
        ("villa", "客厅", &["打开书房的灯，十分钟后打开跑步机"], study()),
        // The time may be of both.
        ("villa", "客厅", &["十分钟后打开跑步机，打开书房的灯"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn what_is_refused_in_one_room_binds_nothing_in_another() {
    let brighter = json!({"cct-05": {"level": 11, "power": true}, "dimmer-12": {"level": 26, "power": true}});
    held(&[
        ("villa", "客厅", &["把书房的灯调亮一点，别关客卫的灯"], brighter.clone()),
        ("villa", "客厅", &["别关客卫的灯，把书房的灯调亮一点"], brighter),
        ("villa", "客厅", &["把书房的灯调亮一点，别关书房的灯"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn what_goes_beyond_a_value_is_a_condition_or_a_report_and_sets_nothing() {
    held(&[
        ("family", "客厅", &["空调过了28度"], json!({})),
        ("family", "客厅", &["客厅过了28度"], json!({})),
        ("family", "客厅", &["空调超过28度"], json!({})),
        ("family", "客厅", &["过了28度再关灯泡1"], json!({})),
        ("family", "客厅", &["温度过了80度关掉灯泡1"], json!({})),
        ("family", "客厅", &["温度过了10度打开灯泡1"], json!({"bulb-1": {"power": true}})),
        ("family", "客厅", &["客厅温度过10度打开灯泡1"], json!({"bulb-1": {"power": true}})),
        ("family", "客厅", &["打开灯泡1，温度超过80度的话"], json!({})),
        ("family", "客厅", &["打开灯泡1，温度超过10度的话"], json!({"bulb-1": {"power": true}})),
    ])
    .await;
}

/// Of a blind that has only a position it is known whether it is closed.
#[tokio::test]
async fn a_blind_is_open_or_closed_by_its_position() {
    let mut home = home_of("family");
    home["model"]["plain"] = json!({"name": "curtain", "describe": "窗帘", "property": {"position": {"type": "uint", "min": 0, "max": 100, "unit": "%"}}});
    let state = json!({"model": "plain", "state": {"position": 0}});
    home["devices"]
        .as_array_mut()
        .unwrap()
        .push(json!({"id": "loft", "name": "飘窗帘", "local": "儿童房", "device": state}));
    let (moved, said) = told_by(None, &home, "儿童房", &["飘窗帘关着吗"]).await;
    assert!(moved.is_empty() && said.contains("是的"), "{said}");
    let (moved, said) = told_by(None, &home, "儿童房", &["飘窗帘还关着的话拉开"]).await;
    assert_eq!(moved.len(), 1, "{said}");
}

/// What is kept of all is kept as well where another room has one that is called just 灯.
#[tokio::test]
async fn what_stays_stays_though_a_lamp_elsewhere_has_the_bare_name() {
    let mut home = home_of("family");
    let lamp = home["devices"].as_array().unwrap().iter().find(|d| d["id"] == "kit-light").unwrap().clone();
    let mut bare = lamp;
    bare["id"] = json!("bare");
    bare["name"] = json!("灯");
    home["devices"].as_array_mut().unwrap().push(bare);
    for said in [
        "客厅的灯都关了，大灯留着",
        "客厅的灯都关了，大灯不动",
        "客厅的灯都关了，大灯不算",
        "客厅的灯都关了，客厅大灯别关",
    ] {
        let (moved, reply) = told_by(None, &home, "客厅", &[said]).await;
        let moved: Vec<String> = moved.into_iter().map(|(id, _)| id).collect();
        assert!(!moved.is_empty() && !moved.contains(&"led-main".to_owned()), "{said}: {moved:?} {reply}");
    }
}
