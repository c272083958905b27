//! The model as a part of the daemon: from the configuration to the candidates, with the prompt as it is.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::tiny::Tiny;
use crate::config::{Config, Environment, Flags};
use crate::frame::{Event, Finish, Request};
use crate::home::{Home, Registry};
use crate::llm::cascade::Cascade;
use crate::llm::metrics::ParserMetrics;
use crate::llm::prompt::Prefixes;
use crate::service::{Language, Service, ServiceSettings};

/// A sentence that the grammar understands but for four characters.
const UNSURE: &str = "把客厅照明灯稀里糊涂打开";

fn home() -> Home {
    let lamp = |id: &str, room: &str| json!({"id": id, "name": "照明灯", "local": room, "device": {"model": "lamp", "state": {"power": false}}});
    let document = json!({
        "layout": ["客厅", "厨房"],
        "model": {"lamp": {"name": "lamp", "describe": "开关灯，用于照明。", "property": {"power": {"type": "bool"}}}},
        "devices": [lamp("lamp-1", "客厅"), lamp("lamp-2", "厨房")],
    });
    crate::home::parse(&document).unwrap().0
}

/// What a service says to a sentence: candidates, and the ids of what moves.
async fn say(service: &Service, question: &str) -> (Value, Vec<String>) {
    let (events, mut heard) = mpsc::channel(16);
    let request = Request {
        rid: "r".into(),
        page_id: "p".into(),
        question: question.into(),
        local: Some("客厅".into()),
        instruct: true,
        ..Request::default()
    };
    service.serve(request, events).await;
    let (mut candidates, mut moved) = (Value::Null, Vec::new());
    while let Some(event) = heard.recv().await {
        match event {
            Event::Candidates(found) => candidates = (*found).clone(),
            Event::Finish(Finish::Done { instructs, .. }) => moved = instructs.into_iter().map(|i| i.id).collect(),
            Event::Finish(failed) => panic!("{failed:?}"),
            _ => {}
        }
    }
    (candidates, moved)
}

#[tokio::test]
async fn a_local_step_of_the_configuration_answers_what_the_grammar_is_not_sure_of() {
    let folder = tempfile::tempdir().unwrap();
    let prefixes = Prefixes::of(&home(), &crate::zh::Texts::default());
    let known = prefixes.prompt(UNSURE, true);
    Tiny::saying(r#"["打开-客厅-照明灯#Light#one"]"#, &format!("{}{}", known.prefix, known.sentence))
        .write(folder.path());
    let text = "llm: {order: [grammar, local], deadline_ms: 9000, local: {model: qwen2.gguf}}";
    let config = Config::from_text(text, Some(folder.path()), &Environment::default(), &Flags::default()).unwrap();
    let parsers = ParserMetrics::from(&config.llm);
    let cascade = Arc::new(Cascade::open(&config.llm, 1, parsers.clone()));
    assert_eq!(cascade.unusable(), []);
    let registry = Arc::new(Registry::in_memory(home()));
    let service = Service::new(registry, None, ServiceSettings::default(), Language::load(None).unwrap());
    let service = service.with_parsers(parsers).with_models(Some(Arc::clone(&cascade)));
    service.prepare().await;

    let (candidates, moved) = say(&service, UNSURE).await;
    assert_eq!((&candidates["parser"], moved), (&json!("local"), vec!["lamp-1".to_owned()]), "{candidates}");
    assert_eq!(candidates["commands"], json!(["打开-客厅-照明灯#Light#one"]));
    let (candidates, moved) = say(&service, "打开厨房照明灯").await;
    assert_eq!((&candidates["parser"], moved), (&json!("grammar"), vec!["lamp-2".to_owned()]));

    let tallies = cascade.tallies();
    let local = tallies.iter().find(|tally| tally.parser == "local").unwrap();
    assert_eq!((local.calls, &local.ends, &local.hindrance), (1, &[("sure", 1)].into(), &None));
    // The rules were read, and not only the sentence.
    assert!(local.tokens > 500, "{}", local.tokens);
}
