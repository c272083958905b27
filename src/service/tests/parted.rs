//! Several commands in a row, without a pause between them.

use serde_json::{Value, json};

use super::*;
use crate::ranker::Ranker;

fn bathroom() -> Value {
    let switch = |describe: &str| json!({"type": "bool", "describe": describe});
    json!({
        "layout": ["卫生间"],
        "model": {
            "bath": {"describe": "浴霸", "property": {"warm": switch("取暖"), "vent": switch("换气"), "blow": switch("吹风")}},
            "heater": {"describe": "热水器", "property": {
                "power": {"type": "bool"}, "temp": {"type": "uint", "min": 30, "max": 75, "unit": "C", "describe": "水温"}}}
        },
        "devices": [
            {"id": "bath", "name": "浴霸", "local": "卫生间", "device": {"model": "bath", "state": {"warm": false, "vent": true, "blow": false}}},
            {"id": "wh", "name": "热水器", "local": "卫生间", "device": {"model": "heater", "state": {"power": true, "temp": 45}}}
        ]
    })
}

async fn moved(sentence: &str, ranked: bool) -> Value {
    let ranker = ranked.then(|| Arc::new(Ranker::shipped().unwrap()));
    let (moved, _) = speech::told_by(ranker, &bathroom(), "卫生间", &[sentence]).await;
    moved.into_iter().map(|(id, state)| (id, Value::Object(state.into_iter().collect()))).collect()
}

#[tokio::test]
async fn a_sentence_is_cut_where_all_of_it_can_be_done() {
    let sentence = "取暖打开换气关掉热水器调到五十";
    let whole = json!({"bath": {"warm": true, "vent": false}, "wh": {"temp": 50}});
    assert_ne!(moved(sentence, false).await, whole, "the grammar needs no help for this");
    assert_eq!(moved(sentence, true).await, whole);
}

#[tokio::test]
async fn what_a_home_does_not_have_is_not_said_of_what_was_named_before() {
    assert_eq!(moved("热水器关掉 香薰机开一下", true).await, json!({"wh": {"power": false}}));
}

#[tokio::test]
async fn a_member_that_stays_is_left_out_of_its_group() {
    let switch = json!({"power": {"type": "bool"}});
    let device = |id: &str, name: &str| json!({"id": id, "name": name, "local": "堂屋", "device": {"model": "heat", "state": {"power": true}}});
    let home = json!({
        "layout": ["堂屋"],
        "model": {"heat": {"describe": "取暖器", "property": switch}},
        "devices": [device("a", "电暖气"), device("b", "小太阳"), device("c", "油汀")],
        "groups": [{"id": "g", "name": "取暖的家什", "members": ["a", "b", "c"]}]
    });
    for sentence in ["取暖的家什全关了电暖气留着", "取暖的家什全关了电暖气除外", "除了电暖气取暖的家什全关了"]
    {
        let (moved, _) = speech::told_by(None, &home, "堂屋", &[sentence]).await;
        assert_eq!(moved.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["b", "c"], "{sentence}");
    }
}
