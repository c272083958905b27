//! The life of one utterance, with a hub that answers, and one that does not.

mod apart;
mod appliances;
mod asked;
mod by_part;
mod comments;
mod everyday;
mod features;
mod fresh;
mod guessed;
mod named;
mod parted;
mod plain;
mod several;
mod speech;
mod turns;
mod wording;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc;

use super::{Carried, Language, Service, ServiceSettings};
use crate::frame::{ErrorCode, Event, Finish, Intent, Request};
use crate::home::{Registry, State};
use crate::job::Job;

fn document() -> serde_json::Value {
    json!({
        "layout": ["客厅"],
        "model": {
            "th": {"describe": "温湿度传感器", "property": {"temperature": {"type": "float", "unit": "C", "access": "read"}}},
            "ac": {"describe": "空调", "property": {"power": {"type": "bool"}}},
            "lamp": {"describe": "台灯，用于照明", "property": {
                "power": {"type": "bool"}, "brightness": {"type": "uint", "min": 1, "max": 100}
            }},
            "lock": {"describe": "智能门锁", "property": {"locked": {"type": "bool"}}}
        },
        "devices": [
            {"id": "th", "name": "温度计", "local": "客厅", "device": {"model": "th", "state": {"temperature": 20.0}}},
            {"id": "ac", "name": "空调", "local": "客厅", "device": {"model": "ac", "state": {"power": false}}},
            {"id": "lamp", "name": "台灯", "local": "客厅", "device": {"model": "lamp", "state": {"brightness": 50}}},
            {"id": "lock", "name": "大门锁", "local": "客厅", "device": {"model": "lock", "state": {"locked": true}}}
        ]
    })
}

fn service(state_wait: Duration) -> (Arc<Registry>, Service) {
    let (home, _) = crate::home::parse(&document()).unwrap();
    let registry = Arc::new(Registry::in_memory(home));
    let settings =
        ServiceSettings { state_max_age: Some(Duration::from_secs(60)), state_wait, ..ServiceSettings::default() };
    (Arc::clone(&registry), Service::new(registry, None, settings, Language::load(None).unwrap()))
}

fn request(question: &str) -> Request {
    Request {
        rid: "r".into(),
        page_id: "p".into(),
        question: question.into(),
        local: Some("客厅".into()),
        instruct: true,
        ..Request::default()
    }
}

/// Serves a sentence; `report` is what the hub says when it is asked for the thermometer.
async fn say(registry: &Registry, service: &Service, question: &str, report: Option<f64>) -> (Vec<String>, Finish) {
    let (events, mut heard) = mpsc::channel(16);
    let listen = async {
        let (mut asked, mut finish) = (Vec::new(), None);
        while let Some(event) = heard.recv().await {
            match event {
                Event::AskState { device } => {
                    if let Some(value) = report.filter(|_| device == "th") {
                        let state = State::from([("temperature".to_owned(), json!(value))]);
                        registry.merge_state(&device, &state, registry.clock().now_ms()).unwrap();
                    }
                    asked.push(device);
                }
                Event::Finish(end) => finish = Some(end),
                Event::Stream { .. } | Event::Candidates(_) => {}
            }
        }
        (asked, finish.unwrap())
    };
    tokio::join!(service.serve(request(question), events), listen).1
}

fn done(finish: Finish) -> (Intent, usize) {
    match finish {
        Finish::Done { intent, instructs, .. } => (intent, instructs.len()),
        Finish::Failed { message, .. } => panic!("{message}"),
    }
}

#[tokio::test]
async fn a_condition_is_decided_by_the_state_that_the_hub_reports_afresh() {
    let (registry, service) = service(Duration::from_secs(30));
    let (asked, finish) = say(&registry, &service, "如果温度超过26度就打开空调", Some(28.0)).await;
    assert_eq!(asked, ["th"]);
    assert_eq!(done(finish), (Intent::Instruct, 1));
    // What was just reported is not asked for again.
    let (asked, finish) = say(&registry, &service, "如果温度低于26度就打开空调", None).await;
    assert!(asked.is_empty());
    assert_eq!(done(finish), (Intent::Answer, 0));
}

#[tokio::test]
async fn a_hub_that_does_not_answer_is_not_waited_for_again() {
    let (registry, service) = service(Duration::from_millis(20));
    let (asked, finish) = say(&registry, &service, "客厅几度", None).await;
    assert_eq!((asked.len(), done(finish).0), (1, Intent::Answer));
    assert!(service.silent_until_ms.load(Ordering::Relaxed) > registry.clock().now_ms());
}

#[tokio::test]
async fn a_hub_is_asked_once_however_many_want_to_know_at_once() {
    let (registry, service) = service(Duration::from_secs(30));
    // From here on the home is known and nothing else is waited for.
    say(&registry, &service, "打开台灯", None).await;
    let (events, mut heard) = mpsc::channel(16);
    let hub = async {
        let (mut asked, mut answered) = (0, 0);
        while let Some(event) = heard.recv().await {
            if let Event::AskState { device } = &event {
                // Until the other one has come as far.
                for _ in 0..100 {
                    tokio::task::yield_now().await;
                }
                let state = State::from([("temperature".to_owned(), json!(20.0))]);
                registry.merge_state(device, &state, registry.clock().now_ms()).unwrap();
                asked += 1;
            }
            answered += usize::from(matches!(event, Event::Finish(Finish::Done { intent: Intent::Answer, .. })));
        }
        (asked, answered)
    };
    let ask = |page: &str| Request { page_id: page.into(), ..request("客厅几度") };
    let (first, second) = (service.serve(ask("p"), events.clone()), service.serve(ask("q"), events));
    assert_eq!(tokio::join!(first, second, hub).2, (1, 2));
}

#[tokio::test]
async fn a_confirmation_holds_for_its_page_only() {
    let (registry, service) = service(Duration::from_millis(20));
    let (_, finish) = say(&registry, &service, "打开大门锁", None).await;
    assert_eq!(done(finish), (Intent::Question, 0));
    let (events, mut heard) = mpsc::channel(16);
    service.serve(Request { page_id: "other".into(), ..request("确认") }, events).await;
    while let Some(event) = heard.recv().await {
        if let Event::Finish(finish) = event {
            assert_eq!(done(finish).1, 0);
        }
    }
    let (_, finish) = say(&registry, &service, "确认", None).await;
    assert_eq!(done(finish), (Intent::Instruct, 1));
    let (_, finish) = say(&registry, &service, "确认", None).await;
    assert_eq!(done(finish).1, 0, "a confirmation is used up");
}

#[tokio::test]
async fn a_yes_may_name_the_action_once_more() {
    let (registry, service) = service(Duration::from_secs(5));
    for (answer, instructs) in [("确定打开", 1), ("好的打开吧", 1), ("确定关闭", 0)] {
        let (_, finish) = say(&registry, &service, "打开大门锁", None).await;
        assert_eq!(done(finish), (Intent::Question, 0));
        let (_, finish) = say(&registry, &service, answer, None).await;
        assert_eq!(done(finish).1, instructs, "{answer}");
    }
}

#[tokio::test]
async fn another_command_drops_the_question() {
    let (registry, service) = service(Duration::from_millis(20));
    say(&registry, &service, "打开大门锁", None).await;
    assert_eq!(done(say(&registry, &service, "打开空调", None).await.1), (Intent::Instruct, 1));
    assert_eq!(done(say(&registry, &service, "确认", None).await.1).1, 0);
}

/// What stands behind the bound is not read, and may take all of it back.
#[tokio::test]
async fn what_is_too_long_to_be_read_to_its_end_moves_nothing() {
    let (registry, service) = service(Duration::from_millis(20));
    let long = |start: &str| format!("{start}{}，算了，不要打开", "，好的".repeat(100));
    let moved = async |sentence: &str| done(say(&registry, &service, sentence, None).await.1).1;
    assert_eq!(moved(&long("打开空调")).await, 0);
    assert_eq!(moved("打开大门锁").await, 0);
    assert_eq!(moved(&long("好的")).await, 0);
    assert_eq!(moved("好的").await, 0, "the question is dropped");
    assert_eq!(moved("打开空调").await, 1);
    assert_eq!(moved(&long("再来一次")).await, 0);
}

#[tokio::test]
async fn a_home_that_comes_with_the_request_has_to_be_whole() {
    let (_, service) = service(Duration::from_millis(20));
    let mut home = document();
    home["devices"][1]["device"]["model"] = json!("nothing");
    let (events, mut heard) = mpsc::channel(16);
    service.serve(Request { home: Some(home.to_string()), ..request("打开空调") }, events).await;
    match heard.recv().await {
        Some(Event::Finish(Finish::Failed { code: ErrorCode::BadHome, message })) => {
            assert!(message.contains("devices[1].device.model"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_answer_about_a_later_time_moves_nothing_now() {
    let (registry, service) = service(Duration::from_millis(1));
    let (_, asked) = say(&registry, &service, "十分钟后台灯亮度调到200", None).await;
    let Finish::Done { intent: Intent::Question, .. } = asked else { panic!("{asked:?}") };
    let (_, made) = say(&registry, &service, "调到80", None).await;
    let Finish::Done { instructs, jobs, .. } = made else { panic!("{made:?}") };
    assert_eq!((instructs.len(), jobs.len()), (0, 1), "{jobs:?}");
    assert_eq!(jobs[0]["instructs"][0]["state"]["brightness"], 80);
}

#[tokio::test]
async fn a_lock_is_closed_by_a_job_and_never_opened() {
    let (registry, service) = service(Duration::from_millis(1));
    let (_, refused) = say(&registry, &service, "十分钟后打开大门锁", None).await;
    let Finish::Done { result, instructs, jobs, .. } = refused else { panic!("{refused:?}") };
    assert!(result.contains("不能定时打开") && instructs.is_empty() && jobs.is_empty(), "{result}");
    // Nor by a yes that follows.
    assert_eq!(done(say(&registry, &service, "确认", None).await.1).1, 0);
    let (_, made) = say(&registry, &service, "十分钟后锁上大门锁", None).await;
    let Finish::Done { instructs, jobs, .. } = made else { panic!("{made:?}") };
    assert_eq!((instructs.len(), jobs.len()), (0, 1));
}

#[tokio::test]
async fn a_condition_of_a_job_is_looked_at_when_it_is_due() {
    let (_, service) = service(Duration::from_secs(30));
    let registry = Arc::clone(&service.registry);
    let (asked, made) = say(&registry, &service, "十分钟后如果温度超过26度就打开空调", None).await;
    assert!(asked.is_empty());
    assert_eq!(done(made), (Intent::Answer, 0));
    let job = service.jobs.pending().remove(0);
    assert!(carried(&registry, &service, &job, Some(22.0)).await.instructs.is_empty(), "22 degrees");
    let warm = State::from([("temperature".to_owned(), json!(28.0))]);
    registry.merge_state("th", &warm, registry.clock().now_ms()).unwrap();
    assert_eq!(carried(&registry, &service, &job, None).await.instructs.len(), 1);
}

#[tokio::test]
async fn a_job_whose_condition_nobody_can_read_moves_nothing_and_is_reported() {
    let (registry, service) = service(Duration::from_millis(20));
    say(&registry, &service, "十分钟后如果温度低于26度就打开空调", None).await;
    let job = service.jobs.pending().remove(0);
    let carried = carried(&registry, &service, &job, None).await;
    assert!(carried.instructs.is_empty(), "{carried:?}");
    assert!(carried.trouble.is_some_and(|why| why.contains("没有读到最新的状态")));
}

/// Carries a job out; `report` is what the hub says when it is asked for the thermometer.
async fn carried(registry: &Registry, service: &Service, job: &Job, report: Option<f64>) -> Carried {
    let (events, mut asked) = mpsc::channel(1);
    let look = async move { service.carry_out(job, &events).await };
    let answer = async {
        while let Some(Event::AskState { device }) = asked.recv().await {
            if let Some(value) = report {
                let state = State::from([("temperature".to_owned(), json!(value))]);
                registry.merge_state(&device, &state, registry.clock().now_ms()).unwrap();
            }
        }
    };
    tokio::join!(look, answer).0
}

#[tokio::test]
async fn a_day_without_an_hour_is_asked_about_and_the_answer_completes_it() {
    for (answer, hour) in [("八点吧", "T20:00"), ("晚上九点半", "T21:30")] {
        let (registry, service) = service(Duration::from_millis(1));
        let (_, asked) = say(&registry, &service, "明天晚上打开空调", None).await;
        let Finish::Done { intent: Intent::Question, jobs, .. } = asked else { panic!("{asked:?}") };
        assert!(jobs.is_empty());
        let (_, made) = say(&registry, &service, answer, None).await;
        let Finish::Done { instructs, jobs, .. } = made else { panic!("{made:?}") };
        assert!(instructs.is_empty() && jobs.len() == 1, "{answer}: {jobs:?}");
        assert!(jobs[0]["due"].as_str().unwrap().contains(hour), "{answer}: {jobs:?}");
    }
    let (registry, service) = service(Duration::from_millis(1));
    say(&registry, &service, "明天晚上打开空调", None).await;
    let (_, other) = say(&registry, &service, "现在几点了", None).await;
    let Finish::Done { instructs, jobs, .. } = other else { panic!("{other:?}") };
    assert!(instructs.is_empty() && jobs.is_empty(), "a question is no answer");
}

#[tokio::test]
async fn a_timer_that_a_device_has_is_set_and_makes_no_job() {
    let (registry, service) = service(Duration::from_millis(1));
    let mut home = document();
    home["model"]["fan"] = json!({"describe": "落地风扇", "property": {
        "power": {"type": "bool"}, "timer": {"type": "uint", "min": 0, "max": 480, "unit": "min", "describe": "定时时间"}
    }});
    home["model"]["oven"] = json!({"describe": "电暖器", "property": {
        "power": {"type": "bool"}, "countdown": {"type": "float", "min": 0, "max": 24, "step": 0.5, "unit": "h"}
    }});
    let device = |id: &str, name: &str, model: &str| json!({"id": id, "name": name, "local": "客厅", "device": {"model": model}});
    home["devices"].as_array_mut().unwrap().extend([device("fan", "风扇", "fan"), device("heater", "电暖器", "oven")]);
    registry.replace(&home.to_string()).unwrap();
    for (question, wanted) in [
        ("风扇定时两小时", Some(json!({"timer": 120}))),
        ("把风扇的定时时间设为半小时", Some(json!({"timer": 30}))),
        ("电暖器定时一个半小时", Some(json!({"countdown": 1.5}))),
        ("电暖器定时20分钟", None),
        ("台灯定时半小时", None),
    ] {
        let (_, finish) = say(&registry, &service, question, None).await;
        let Finish::Done { instructs, jobs, .. } = finish else { panic!("{finish:?}") };
        let states: Vec<_> = instructs.iter().map(|instruct| json!(instruct.state)).collect();
        assert_eq!(states, Vec::from_iter(wanted), "{question}");
        assert!(jobs.is_empty(), "{question}: {jobs:?}");
    }
    let (_, made) = say(&registry, &service, "风扇定时两小时后关", None).await;
    let Finish::Done { instructs, jobs, .. } = made else { panic!("{made:?}") };
    assert_eq!((instructs.len(), jobs.len()), (0, 1), "a time for an action is a job");
}

/// What is told on `candidates` of a sentence.
async fn told(service: &Service, question: &str) -> serde_json::Value {
    let (events, mut heard) = mpsc::channel(16);
    service.serve(request(question), events).await;
    while let Some(event) = heard.recv().await {
        if let Event::Candidates(found) = event {
            return (*found).clone();
        }
    }
    panic!("nothing was told of {question}")
}

#[tokio::test]
async fn candidates_say_how_sure_every_slot_is() {
    let (_, service) = service(Duration::ZERO);
    let found = told(&service, "打开客厅的台灯").await;
    let slots = json!({"action": 1.0, "scope": 1.0, "target": 1.0, "quantity": 1.0});
    assert_eq!(found["confidence"], json!({"overall": 1.0, "commands": [slots]}));
    let found = told(&service, "打开灯").await;
    let slots = &found["confidence"]["commands"][0];
    assert!(slots["scope"].as_f64() < Some(1.0) && slots["target"].as_f64() < Some(1.0), "{found}");
    assert_eq!((&slots["action"], &found["confidence"]["overall"]), (&json!(1.0), &slots["target"]));
    assert_eq!(told(&service, "打开跑步机和台灯的那个啥玩意").await["confidence"]["overall"], 0.0);
}

#[tokio::test]
async fn a_condition_that_nobody_can_read_afresh_moves_nothing_and_says_so() {
    let (registry, service) = service(Duration::from_millis(20));
    let text = |finish: Finish| match finish {
        Finish::Done { intent, result, instructs, .. } => (intent, result, instructs.len()),
        Finish::Failed { message, .. } => panic!("{message}"),
    };
    for _ in 0..2 {
        // However long the hub was silent, what decides is asked for again.
        let (_, finish) = say(&registry, &service, "如果温度低于26度就打开空调", None).await;
        assert_eq!(
            text(finish),
            (Intent::Answer, "没有读到最新的状态，不知道是不是温度低于26度，没有执行。".into(), 0)
        );
    }
    let (_, finish) = say(&registry, &service, "如果温度低于26度就打开空调", Some(20.0)).await;
    assert_eq!(done(finish), (Intent::Instruct, 1));
}

#[tokio::test]
async fn a_condition_on_several_moves_nothing_while_one_of_them_is_not_read() {
    let (registry, service) = service(Duration::from_millis(20));
    let off = State::from([("power".to_owned(), json!(false))]);
    registry.merge_state("lamp", &off, registry.clock().now_ms()).unwrap();
    let (_, finish) = say(&registry, &service, "如果空调关着就打开台灯", None).await;
    assert_eq!(done(finish), (Intent::Answer, 0));
    registry.merge_state("ac", &off, registry.clock().now_ms()).unwrap();
    let (_, finish) = say(&registry, &service, "如果空调关着就打开台灯", None).await;
    assert_eq!(done(finish), (Intent::Instruct, 1));
}
