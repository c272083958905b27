//! What things have besides being on, as it is asked for and told, and what is none of this home's.

use std::sync::Arc;

use serde_json::{Value, json};

use super::speech::told_by;
use crate::ranker::Ranker;

/// A home of which each thing has features of its own.
fn home() -> Value {
    let flag = |word: &str| json!({"type": "bool", "describe": word});
    json!({
        "layout": ["客厅", "书房", "儿童房"],
        "model": {
            "ac": {"describe": "空调", "property": {
                "power": {"type": "bool"}, "temperature": {"type": "uint", "min": 16, "max": 30, "describe": "设定温度", "unit": "C"},
                "wind": {"type": "enum", "describe": "风速", "range": [
                    {"value": "low", "describe": "低风"}, {"value": "mid", "describe": "中风"}, {"value": "high", "describe": "高风"}]},
                "swing_v": flag("上下摆风"), "swing_h": flag("左右摆风"), "display": flag("屏显"), "eco": flag("ECO 节能"),
                "room_temp": {"type": "float", "describe": "室内温度", "unit": "C", "access": "read"},
            }},
            "fan": {"describe": "风扇", "property": {"power": {"type": "bool"}, "shake": flag("摇头")}},
            "old": {"describe": "空调", "property": {"power": {"type": "bool"}, "swing": {"type": "enum", "describe": "摆风", "range": [
                {"value": "off", "describe": "固定"}, {"value": "v", "describe": "上下"}, {"value": "h", "describe": "左右"}]}}},
            "bed": {"describe": "护理床", "property": {
                "back": {"type": "uint", "min": 0, "max": 70, "describe": "背部角度"}, "lock": flag("手控器锁定"),
            }},
            "lamp": {"describe": "灯", "property": {
                "power": {"type": "bool"}, "brightness": {"type": "uint", "min": 1, "max": 100, "describe": "亮度"},
                "cct": {"type": "uint", "min": 2700, "max": 6500, "describe": "色温", "unit": "K"}}},
            "blind": {"describe": "窗帘", "property": {"position": {"type": "uint", "min": 0, "max": 100}}},
            "vac": {"describe": "扫地机器人", "property": {
                "power": {"type": "bool"}, "boost": flag("强力模式"),
                "room": {"type": "enum", "describe": "清扫区域", "range": [
                    {"value": "r1", "describe": "客厅"}, {"value": "r2", "describe": "儿童房"}]}}},
            "speaker": {"describe": "音箱", "property": {
                "power": {"type": "bool"}, "volume": {"type": "uint", "min": 0, "max": 100, "describe": "音量"},
                "play": {"type": "enum", "describe": "播放状态", "range": [
                    {"value": "play", "describe": "播放"}, {"value": "pause", "describe": "暂停"}]},
                "say": {"type": "enum", "describe": "执行指令", "range": [
                    {"value": "w", "describe": "今天天气怎么样"}, {"value": "j", "describe": "讲个笑话"}]}}},
            "tv": {"describe": "电视", "property": {"power": {"type": "bool"}, "key": {"type": "enum", "describe": "按键", "range": [
                {"value": "up", "describe": "频道加"}, {"value": "down", "describe": "频道减"}]}}},
            "th": {"describe": "温湿度计", "property": {"humidity": {"type": "float", "describe": "湿度", "unit": "%", "access": "read"}}},
        },
        "devices": [
            {"id": "ac", "name": "空调", "local": "客厅", "device": {"model": "ac", "state": {
                "power": true, "temperature": 24, "wind": "low", "swing_v": false, "swing_h": true, "display": false, "eco": false, "room_temp": 28.5}}},
            {"id": "old", "name": "空调", "local": "书房", "device": {"model": "old", "state": {"power": true, "swing": "v"}}},
            {"id": "fan", "name": "风扇", "local": "客厅", "device": {"model": "fan", "state": {"power": false, "shake": true}}},
            {"id": "bed", "name": "护理床", "local": "书房", "device": {"model": "bed", "state": {"back": 15, "lock": false}}},
            {"id": "lamp", "name": "大灯", "local": "客厅", "device": {"model": "lamp", "state": {"power": true, "brightness": 60, "cct": 4000}}},
            {"id": "desk", "name": "台灯", "local": "书房", "device": {"model": "lamp", "state": {"power": true, "brightness": 60, "cct": 4000}}},
            {"id": "blind", "name": "窗帘", "local": "客厅", "device": {"model": "blind", "state": {"position": 0}}},
            {"id": "vac", "name": "扫地机器人", "local": "客厅", "device": {"model": "vac", "state": {"power": false, "boost": true, "room": "r1"}}},
            {"id": "speaker", "name": "音箱", "local": "客厅", "device": {"model": "speaker", "state": {"power": true, "volume": 30, "play": "pause"}}},
            {"id": "tv", "name": "电视", "local": "客厅", "device": {"model": "tv", "state": {"power": true}}},
            {"id": "th", "name": "温湿度计", "local": "儿童房", "device": {"model": "th", "state": {"humidity": 41.0}}},
        ],
    })
}

/// What a sentence moves and what is said to it, with all that reads.
async fn told(local: &str, sentence: &str) -> (Value, String) {
    let ranker = Ranker::shipped().map(Arc::new).ok();
    assert!(ranker.is_some());
    let (moved, said) = told_by(ranker, &home(), local, &[sentence]).await;
    (moved.into_iter().map(|(id, state)| (id, Value::Object(state.into_iter().collect()))).collect(), said)
}

async fn answered(cases: &[(&str, &str, &str)]) {
    for (local, question, wanted) in cases {
        let (moved, said) = told(local, question).await;
        assert_eq!((moved, said.as_str()), (json!({}), *wanted), "{question}");
    }
}

async fn moves(cases: &[(&str, &str, Value)]) {
    for (local, sentence, wanted) in cases {
        let (moved, said) = told(local, sentence).await;
        assert_eq!(&moved, wanted, "{sentence}: {said}");
    }
}

#[tokio::test]
async fn what_a_question_names_of_a_thing_is_what_its_answer_is_of() {
    answered(&[
        ("客厅", "空调上下摆风开着吗", "没有，客厅空调上下摆风没开。"),
        ("客厅", "空调左右摆风关了吗", "没有，客厅空调左右摆风开着。"),
        ("客厅", "空调左右扫风功能开着吗", "是的，客厅空调左右摆风开着。"),
        ("客厅", "空调屏显开着吗", "没有，客厅空调屏显没开。"),
        ("客厅", "空调节能关了吗", "是的，客厅空调eco节能没开。"),
        ("客厅", "风扇摇头开着吗", "是的，客厅风扇摇头开着。"),
        ("客厅", "风扇在摇头吗", "是的，客厅风扇摇头开着。"),
        ("客厅", "风扇不摇头了吗", "没有，客厅风扇摇头开着。"),
        ("客厅", "风扇屏显开着吗", "客厅风扇没有屏显。"),
        ("书房", "护理床手控器锁定开着吗", "没有，书房护理床手控器锁定没开。"),
        ("客厅", "哪个风扇在摇头", "客厅风扇摇头开着。"),
        ("客厅", "空调上下摆风是什么状态", "客厅空调的上下摆风是关着。"),
        // Of the thing itself it is still asked whether that is on.
        ("客厅", "空调开着吗", "是的，客厅空调开着。"),
        ("客厅", "风扇开着吗", "没有，客厅风扇关着。"),
    ])
    .await;
}

#[tokio::test]
async fn of_a_word_for_several_features_each_is_told() {
    answered(&[
        ("客厅", "空调扫风开着吗", "是的，客厅空调左右摆风开着，上下摆风没开。"),
        ("书房", "空调扫风开着吗", "是的，书房空调摆风开着。"),
        ("书房", "空调上下扫风开着吗", "是的，书房空调摆风开着。"),
        ("书房", "空调左右扫风开着吗", "没有，书房空调摆风没开。"),
    ])
    .await;
}

#[tokio::test]
async fn rooms_are_told_where_rooms_are_asked_for() {
    answered(&[
        ("客厅", "哪几间还开着灯", "开着的灯在客厅和书房。"),
        ("客厅", "哪个房间的灯开着", "开着的灯在客厅和书房。"),
        ("客厅", "还开着的有哪几间", "客厅、书房是开着的。"),
        ("客厅", "哪个房间有空调", "空调在客厅和书房。"),
    ])
    .await;
}

#[tokio::test]
async fn how_far_a_thing_is_turned_up_is_what_it_is_set_to() {
    answered(&[
        ("客厅", "空调开到几度了", "客厅空调的设定温度是24度。"),
        ("客厅", "客厅温度是多少", "客厅的温度是28.5度。"),
    ])
    .await;
}

#[tokio::test]
async fn more_of_the_cold_is_fewer_degrees_and_more_of_the_warm_is_more_of_them() {
    let to = |degrees: i64| json!({"ac": {"temperature": degrees}});
    moves(&[
        ("客厅", "冷气开大", to(23)),
        ("客厅", "把冷气开大", to(23)),
        ("客厅", "冷气开强一点", to(23)),
        ("客厅", "冷气加大", to(23)),
        ("客厅", "空调冷气开大点", to(23)),
        ("客厅", "冷气调小", to(25)),
        ("客厅", "热风开大点", to(25)),
        ("客厅", "暖风调小", to(23)),
        // How it is tells nothing.
        ("客厅", "冷气大", json!({})),
        ("客厅", "空调开强一点", json!({"ac": {"wind": "mid"}})),
    ])
    .await;
}

#[tokio::test]
async fn a_learned_reading_never_goes_against_a_direction_of_the_words() {
    moves(&[
        ("客厅", "灯亮", json!({})),
        ("客厅", "灯亮一点", json!({"lamp": {"brightness": 70}})),
        ("客厅", "大灯亮亮", json!({"lamp": {"power": true}})),
    ])
    .await;
}

#[tokio::test]
async fn what_a_thing_does_is_begun_and_ended_by_the_word_for_it() {
    moves(&[
        ("客厅", "让风扇转", json!({"fan": {"power": true}})),
        ("客厅", "风扇呼呼转起来", json!({"fan": {"power": true}})),
        ("客厅", "别让风扇摇头", json!({"fan": {"shake": false}})),
        ("客厅", "扫地机强力关了", json!({"vac": {"boost": false}})),
        ("客厅", "打开空调节能", json!({"ac": {"eco": true}})),
        ("客厅", "电视换台", json!({"tv": {"key": "up"}})),
        ("客厅", "上一个台", json!({"tv": {"key": "down"}})),
    ])
    .await;
}

#[tokio::test]
async fn what_is_none_of_this_home_moves_nothing_and_is_not_answered() {
    for sentence in [
        "播放打开窗帘",
        "播放儿童房",
        "播放电视",
        "唱首歌声音大一点的",
        "上海湿度多少",
        "今天天气怎么样",
        "现在声音小",
        "车库门我昨天叫人上过油了 现在声音小",
        "灯换了暖光",
        "灯黄一点看着显脏 不如现在这样",
    ] {
        let (moved, said) = told("客厅", sentence).await;
        assert_eq!((moved, said.as_str()), (json!({}), "无关会话"), "{sentence}");
    }
    moves(&[
        ("客厅", "播放音箱", json!({"speaker": {"play": "play"}})),
        ("客厅", "音箱今天天气怎么样", json!({"speaker": {"say": "w"}})),
        ("客厅", "把灯换了暖光", json!({"lamp": {"cct": 2700}})),
    ])
    .await;
}

#[tokio::test]
async fn a_room_that_a_robot_does_not_know_is_said_to_be_out_of_its_way() {
    answered(&[("客厅", "打扫书房", "客厅扫地机器人去不了书房。")]).await;
}
