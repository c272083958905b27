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
    let (home, report) = crate::home::parse(&bathroom()).unwrap();
    assert_eq!(report.rejected, []);
    let registry = Arc::new(Registry::in_memory(home));
    let service = Service::new(Arc::clone(&registry), None, ServiceSettings::default(), Language::load(None).unwrap());
    let service = service.with_ranker(ranked.then(|| Arc::new(Ranker::shipped().unwrap())));
    let (events, mut heard) = mpsc::channel(16);
    let request = Request { local: Some("卫生间".into()), ..request(sentence) };
    let listen = async {
        let mut finish = None;
        while let Some(event) = heard.recv().await {
            if let Event::Finish(end) = event {
                finish = Some(end);
            }
        }
        finish.unwrap()
    };
    let Finish::Done { instructs, .. } = tokio::join!(service.serve(request, events), listen).1 else {
        panic!("{sentence}")
    };
    instructs.into_iter().map(|i| (i.id, Value::Object(i.state.unwrap_or_default().into_iter().collect()))).collect()
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
