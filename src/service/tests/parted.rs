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
