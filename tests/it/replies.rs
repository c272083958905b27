//! Replies as they are spoken: what a person says, and what is answered, word by word.

use std::sync::Arc;

use tokio::sync::mpsc;
use zhiju::frame::{Event, Finish, Request};
use zhiju::home::{Registry, parse};
use zhiju::service::{Language, Service, ServiceSettings};

const VILLA: &str = include_str!("../homes/villa.json");
const REPLIES: &str = include_str!("../eval/replies.txt");

/// What is answered to a sentence; or, later, of devices that did not say that they did what they were told
/// (`@silent id id`), and of others whose hubs would not (`@rejected id`).
async fn reply(service: &Service, page: &str, question: &str) -> String {
    if question.starts_with('@') {
        let (mut silent, mut rejected) = (Vec::new(), Vec::new());
        for word in question.split('@').filter(|part| !part.is_empty()) {
            let mut ids = word.split_whitespace().map(str::to_owned);
            match ids.next().as_deref() {
                Some("silent") => silent.extend(ids),
                Some("rejected") => rejected.extend(ids),
                other => panic!("{other:?}"),
            }
        }
        return service.failed_later(&silent, &rejected);
    }
    let request = Request {
        rid: "r".into(),
        page_id: page.into(),
        question: question.into(),
        local: Some("客厅".into()),
        instruct: true,
        ..Request::default()
    };
    let (events, mut heard) = mpsc::channel(16);
    let listen = async {
        let mut text = String::new();
        while let Some(event) = heard.recv().await {
            match event {
                Event::Finish(Finish::Done { result, .. }) => text = result,
                Event::Finish(failed) => panic!("{question}: {failed:?}"),
                _ => {}
            }
        }
        text
    };
    let ((), text) = tokio::join!(service.serve(request, events), listen);
    text
}

#[tokio::test]
async fn replies_are_what_a_person_would_say() {
    let home = || parse(&serde_json::from_str(VILLA).unwrap()).unwrap().0;
    let language = Language::load(None).unwrap();
    let lines = REPLIES.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>();
    let (mut outcomes, mut wrong) = (0, Vec::new());
    for (page, conversation) in lines.split(|line| line.is_empty()).enumerate() {
        let settings = ServiceSettings::default();
        let service = Service::new(Arc::new(Registry::in_memory(home())), None, settings, language.clone());
        for line in conversation {
            let (question, wanted) = line.split_once(" => ").unwrap_or_else(|| panic!("{line}"));
            let said = reply(&service, &page.to_string(), question).await;
            outcomes += 1;
            if said != wanted {
                wrong.push(format!("{question}: {said} instead of {wanted}"));
            }
        }
    }
    assert!(outcomes >= 60, "{outcomes}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
