//! What decides is as young as it has to be.

use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc;

use super::{document, done, request, service};
use crate::frame::{Event, Finish, Intent};
use crate::home::State;

/// A thermometer that tells of the humidity a minute later decides nothing about the temperature.
#[tokio::test]
async fn a_condition_is_not_decided_by_an_old_value_because_the_device_told_something_else() {
    let mut home = document();
    home["model"]["th"]["property"]["humidity"] = json!({"type": "float", "unit": "%", "access": "read"});
    home["devices"][0]["device"]["state"]["humidity"] = json!(40);
    let (registry, service) = service(Duration::from_millis(20));
    registry.replace(&home.to_string()).unwrap();
    let report = |property: &str, value: f64| {
        let state = State::from([(property.to_owned(), json!(value))]);
        registry.merge_state("th", &state, registry.clock().now_ms()).unwrap();
    };
    let tell = async |question: &str, reported: &str| {
        let (events, mut heard) = mpsc::channel(16);
        let hub = async {
            let mut finish = None;
            while let Some(event) = heard.recv().await {
                match event {
                    Event::AskState { .. } => report(reported, 28.0),
                    Event::Finish(end) => finish = Some(end),
                    Event::Stream { .. } | Event::Candidates(_) => {}
                }
            }
            finish.unwrap()
        };
        tokio::join!(service.serve(request(question), events), hub).1
    };
    // The old value says 20 degrees.
    for question in ["如果温度低于26度就打开空调", "温度低于26度的话把空调打开"] {
        let Finish::Done { instructs, result, .. } = tell(question, "humidity").await else { panic!("{question}") };
        assert!(instructs.is_empty() && result.contains("没有读到最新的状态"), "{question}: {result}");
    }
    assert_eq!(done(tell("如果温度超过26度就打开空调", "temperature").await), (Intent::Instruct, 1));
}
