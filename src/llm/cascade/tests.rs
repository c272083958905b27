//! The cascade over clients that do as they are told.

use std::collections::VecDeque;
use std::sync::Arc;

use super::*;
use crate::home::Home;
use crate::llm::Answering;
use crate::llm::breaker::{FAILURES, FIRST_PAUSE};
use crate::llm::metrics::Hindrance;

const LAMP: &str = r#"["打开-客厅-*#Light#all"]"#;
const UNKNOWN: &str = r#"["UNKNOWN-*-*#Unknown#one"]"#;

#[derive(Clone, Debug)]
enum Does {
    Say(&'static str),
    BreakOff(&'static str),
    Hang,
    Fail,
    NotConnect,
    BeBusy,
    Refuse(Option<Duration>),
}

#[derive(Clone, Debug)]
struct Scripted {
    name: &'static str,
    script: Arc<Mutex<VecDeque<Does>>>,
    prompts: Arc<Mutex<Vec<Prompt>>>,
    prepared: Arc<Mutex<Vec<Arc<str>>>>,
    deadlines: Arc<Mutex<Vec<Instant>>>,
}

impl Client for Scripted {
    fn name(&self) -> &str {
        self.name
    }

    fn prepare(&self, prefix: &Arc<str>) {
        lock(&self.prepared).push(Arc::clone(prefix));
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt, deadline: Instant) -> Answering<'a> {
        Box::pin(async move {
            lock(&self.prompts).push(prompt.clone());
            lock(&self.deadlines).push(deadline);
            let does = lock(&self.script).pop_front().unwrap_or(Does::Hang);
            let client = self.name.to_owned();
            match does {
                Does::Say(text) => Ok(Completion { text: text.into(), ..Completion::default() }),
                Does::BreakOff(text) => Ok(Completion { text: text.into(), cut_off: true, ..Completion::default() }),
                Does::Hang => std::future::pending().await,
                Does::Fail => Err(LlmError::Unreachable { client, reason: "refused".into(), again: true }),
                Does::NotConnect => Err(LlmError::Unreachable { client, reason: "too late".into(), again: false }),
                Does::BeBusy => Err(LlmError::Busy { client }),
                Does::Refuse(retry_after) => Err(LlmError::Refused { client, status: 429, retry_after }),
            }
        })
    }
}

struct Bench {
    cascade: Cascade,
    clients: Vec<Scripted>,
}

/// Long enough for whatever answers at once, on any machine.
const AMPLE: Duration = Duration::from_secs(3);

/// For those who never answer.
const SHORT: Duration = Duration::from_millis(60);

fn bench(members: &[(&'static str, Site, &[Does])], cloud_per_hour: u32) -> Bench {
    bench_within(AMPLE, members, cloud_per_hour)
}

fn bench_within(deadline: Duration, members: &[(&'static str, Site, &[Does])], cloud_per_hour: u32) -> Bench {
    let clients: Vec<Scripted> = members
        .iter()
        .map(|(name, _, script)| Scripted {
            name,
            script: Arc::new(Mutex::new(script.iter().cloned().collect())),
            prompts: Arc::default(),
            prepared: Arc::default(),
            deadlines: Arc::default(),
        })
        .collect();
    let metrics = ParserMetrics::new(members.iter().map(|(name, _, _)| (*name, None)));
    let members = members.iter().zip(&clients).map(|((_, place, _), client)| Member {
        client: Box::new(client.clone()),
        place: *place,
        device_names: *place != Site::Cloud,
        breaker: Mutex::default(),
    });
    let cascade = Cascade {
        members: members.collect(),
        unusable: Vec::new(),
        deadline,
        fence: false,
        permits: Shares::of(1),
        budget: Mutex::new(Budget::per_hour(cloud_per_hour)),
        metrics,
    };
    Bench { cascade, clients }
}

impl Bench {
    async fn ask(&self) -> Asked {
        self.ask_for("somebody").await
    }

    async fn ask_for(&self, satellite: &str) -> Asked {
        self.cascade
            .ask(
                &Origin::satellite(satellite),
                &Prefixes::of(&Home::default(), &crate::zh::Texts::default()),
                "有点暗",
                &Ok,
            )
            .await
    }

    fn calls(&self) -> Vec<usize> {
        self.clients.iter().map(|client| lock(&client.prompts).len()).collect()
    }
}

fn ends(asked: &Asked) -> Vec<End> {
    asked.tries.iter().map(|t| t.end).collect()
}

#[tokio::test]
async fn the_first_that_knows_answers_and_the_others_are_not_asked() {
    let bench = bench(&[("lan", Site::Lan, &[Does::Say(LAMP)]), ("cloud", Site::Cloud, &[])], 9);
    let asked = bench.ask().await;
    assert_eq!(asked.answer.unwrap().parser, "local");
    assert_eq!(bench.calls(), [1, 0]);
}

#[tokio::test]
async fn what_is_prepared_is_what_is_asked_later() {
    let bench = bench(&[("lan", Site::Lan, &[Does::Say(LAMP)])], 9);
    bench.cascade.prepare(&Prefixes::of(&Home::default(), &crate::zh::Texts::default()));
    bench.ask().await;
    let client = &bench.clients[0];
    assert_eq!(*lock(&client.prepared), [Arc::clone(&lock(&client.prompts)[0].prefix)]);
}

#[tokio::test]
async fn who_does_not_know_or_cannot_be_read_hands_on() {
    for first in [UNKNOWN, "好的", "[]", r#"["打开-客厅"]"#] {
        let bench = bench(&[("lan", Site::Lan, &[Does::Say(first)]), ("cloud", Site::Cloud, &[Does::Say(LAMP)])], 9);
        let asked = bench.ask().await;
        assert_eq!(asked.answer.unwrap().parser, "cloud", "{first}");
    }
}

#[tokio::test]
async fn the_deadline_is_shared_and_a_hanging_step_leaves_time_for_the_next() {
    let bench = bench(&[("lan", Site::Lan, &[Does::Hang]), ("cloud", Site::Cloud, &[Does::Say(LAMP)])], 9);
    let asked = bench.ask().await;
    assert!(asked.answer.is_some());
    assert_eq!(ends(&asked), [End::Failed, End::Sure]);
}

#[tokio::test]
async fn when_all_hang_the_deadline_ends_it() {
    let bench = bench_within(SHORT, &[("a", Site::Lan, &[]), ("b", Site::Lan, &[]), ("c", Site::Lan, &[])], 9);
    let asked = bench.ask().await;
    assert!(asked.is_unanswered() && asked.answer.is_none());
    assert_eq!(asked.tries.len(), 3);
}

#[tokio::test]
async fn it_is_asked_again_only_where_that_helps() {
    let quick = Some(Duration::from_millis(20));
    for (first, calls) in [
        (Does::Fail, 2),
        (Does::Refuse(quick), 2),
        (Does::Refuse(None), 1),
        (Does::Refuse(Some(Duration::from_secs(60))), 1),
        (Does::Refuse(Some(Duration::MAX)), 1),
        (Does::NotConnect, 1),
        (Does::BeBusy, 1),
        (Does::Say("好的"), 1),
    ] {
        let bench = bench(&[("lan", Site::Lan, &[first.clone(), Does::Say(LAMP)])], 9);
        let asked = bench.ask().await;
        assert_eq!((bench.calls(), asked.answer.is_some()), (vec![calls], calls == 2), "{first:?}");
    }
}

#[tokio::test]
async fn who_fails_again_and_again_is_left_alone() {
    let bench = bench_within(SHORT, &[("lan", Site::Lan, &[])], 9);
    for _ in 0..FAILURES {
        assert_eq!(ends(&bench.ask().await), [End::Failed]);
    }
    let asked = bench.ask().await;
    assert_eq!((ends(&asked), asked.tries[0].reasons.clone()), (vec![End::Skipped], vec!["breaker"]));
    assert_eq!(bench.calls(), [FAILURES as usize]);
}

#[tokio::test]
async fn who_asks_for_a_long_pause_gets_it() {
    let bench = bench(&[("lan", Site::Lan, &[Does::Refuse(Some(Duration::from_secs(60))), Does::Say(LAMP)])], 9);
    bench.ask().await;
    assert_eq!(bench.ask().await.tries[0].reasons, ["breaker"]);
}

#[tokio::test]
async fn a_spent_budget_keeps_sentences_at_home() {
    let say = [Does::Say(LAMP), Does::Say(LAMP), Does::Say(LAMP)];
    let spent = bench(&[("cloud", Site::Cloud, &say)], 2);
    for (satellite, known) in [("a", true), ("b", true), ("c", false)] {
        assert_eq!(spent.ask_for(satellite).await.answer.is_some(), known);
    }
    assert_eq!(spent.calls(), [2]);
    let local = bench(&[("lan", Site::Lan, &say)], 0);
    assert!(local.ask().await.answer.is_some(), "the budget is the cloud's alone");
}

#[tokio::test]
async fn whoever_asks_most_leaves_half_of_the_models_and_of_the_hour_to_others() {
    let say = [(); 9].map(|()| Does::Say(LAMP));
    let bench = bench(&[("cloud", Site::Cloud, &say)], 8);
    let mut known = Vec::new();
    for satellite in ["flood"; 6].into_iter().chain(["bath"; 3]) {
        known.push(bench.ask_for(satellite).await.answer.is_some());
    }
    assert_eq!(known, [true, true, true, true, false, false, true, true, false]);
    let busy = Bench {
        cascade: Cascade { permits: Shares::of(2), ..bench_within(SHORT, &[("lan", Site::Lan, &[])], 9).cascade },
        clients: Vec::new(),
    };
    let reasons = |asked: &Asked| asked.tries[0].reasons.clone();
    let (first, second, third) = tokio::join!(busy.ask_for("flood"), busy.ask_for("flood"), busy.ask_for("bath"));
    assert_eq!(
        [reasons(&first) == ["busy"], reasons(&second) == ["busy"], reasons(&third) == ["busy"]],
        [false, true, false]
    );
}

#[tokio::test]
async fn who_cannot_be_asked_any_more_gets_no_share_of_the_time() {
    let bench = bench(&[("lan", Site::Lan, &[Does::Say(UNKNOWN)]), ("cloud", Site::Cloud, &[])], 0);
    let start = Instant::now();
    bench.ask().await;
    assert!(lock(&bench.clients[0].deadlines)[0] >= start + AMPLE, "the cloud's budget is spent");
    assert_eq!(bench.calls(), [1, 0]);
}

#[tokio::test]
async fn who_is_busy_is_not_broken_and_a_busy_probe_leaves_its_turn_to_the_next_sentence() {
    let bench = bench(&[("lan", Site::Lan, &[Does::BeBusy, Does::BeBusy, Does::Say(LAMP)])], 9);
    // Its pause is over.
    let then = Instant::now() - FIRST_PAUSE;
    (0..FAILURES).for_each(|_| lock(&bench.cascade.members[0].breaker).failed(then));
    for _ in 0..2 {
        assert_eq!(bench.ask().await.tries[0].reasons, ["busy"]);
    }
    assert!(bench.ask().await.answer.is_some());
    assert!(lock(&bench.cascade.members[0].breaker).is_closed());
}

#[tokio::test]
async fn what_keeps_a_step_from_being_asked_is_told() {
    let mut bench = bench_within(SHORT, &[("lan", Site::Lan, &[]), ("gone", Site::Lan, &[])], 9);
    let member = bench.cascade.members.pop().unwrap();
    let reason = format!("no such file\n\u{202e}{}", "long ".repeat(1_000));
    bench.cascade.unusable.push(Unusable { name: member.client.name().to_owned(), reason });
    for _ in 0..FAILURES {
        bench.ask().await;
    }
    let [lan, gone] = &bench.cascade.tallies()[..] else { panic!() };
    assert_eq!(lan.hindrance, Some(Hindrance::Breaker("open")));
    let Some(Hindrance::Unusable(reason)) = &gone.hindrance else { panic!("{gone:?}") };
    assert!(reason.starts_with("no such file long") && reason.chars().count() <= 201, "{reason}");
}

#[tokio::test]
async fn one_sentence_too_many_does_not_wait() {
    let bench = bench_within(SHORT, &[("lan", Site::Lan, &[Does::Hang, Does::Say(LAMP)])], 9);
    let (first, second) = tokio::join!(biased; bench.ask(), bench.ask());
    assert_eq!((ends(&first), ends(&second)), (vec![End::Failed], vec![End::Skipped]));
    assert_eq!(second.tries[0].reasons, ["busy"]);
}

#[tokio::test]
async fn what_is_refused_or_runs_on_is_no_answer() {
    let many: &'static str = Box::leak(serde_json::to_string(&vec!["打开-客厅-*#Light#all"; 200]).unwrap().into());
    let bench = bench(&[("lan", Site::Lan, &[Does::Say(many), Does::Say(LAMP)])], 9);
    assert_eq!(ends(&bench.ask().await), [End::Invalid]);
    let prefixes = Prefixes::of(&Home::default(), &crate::zh::Texts::default());
    let asked = bench.cascade.ask(&Origin::request(), &prefixes, "有点暗", &|_| Err("opposite")).await;
    assert_eq!((ends(&asked), asked.tries[0].reasons.clone()), (vec![End::Invalid], vec!["opposite"]));
}

#[tokio::test]
async fn an_answer_that_was_cut_off_or_means_more_than_it_says_hands_on() {
    for (first, reason) in [
        (Does::BreakOff(LAMP), "cut_off"),
        (Does::Say(r#"["关闭-客厅-*#Lamp#all"]"#), "widened"),
        (Does::Say(r#"["打开-客厅-*#Light#any#两"]"#), "widened"),
        (Does::Say(r#"["如果气温高，客厅", "打开-客厅-*#Light#all"]"#), "condition"),
    ] {
        let bench =
            bench(&[("lan", Site::Lan, std::slice::from_ref(&first)), ("cloud", Site::Cloud, &[Does::Say(LAMP)])], 9);
        let asked = bench.ask().await;
        assert_eq!((ends(&asked), asked.tries[0].reasons.as_slice()), (vec![End::Invalid, End::Sure], &[reason][..]));
    }
}

#[tokio::test]
async fn a_reason_counts_once_an_answer() {
    let mixed = r#"["打开-客厅", "打开-客厅-灯#Light#every", "打开-厨房", "打开-客厅-灯#Light#lots"]"#;
    let bench = bench(&[("lan", Site::Lan, &[Does::Say(mixed)])], 9);
    let asked = bench
        .cascade
        .ask(&Origin::request(), &Prefixes::of(&Home::default(), &crate::zh::Texts::default()), "有点暗", &|_| {
            Err("invalid")
        })
        .await;
    assert_eq!(asked.tries[0].reasons, ["invalid", "mended"]);
}

#[tokio::test]
async fn the_cloud_is_told_no_names_of_devices() {
    let document = serde_json::json!({
        "layout": ["客厅"], "model": {"m": {"property": {"power": {"type": "bool"}}}},
        "devices": [{"id": "a", "name": "老伙计", "local": "客厅", "device": {"model": "m"}}],
    });
    let (home, _) = crate::home::parse(&document).unwrap();
    let bench = bench(&[("lan", Site::Lan, &[Does::Say(UNKNOWN)]), ("cloud", Site::Cloud, &[Does::Say(LAMP)])], 9);
    bench.cascade.ask(&Origin::request(), &Prefixes::of(&home, &crate::zh::Texts::default()), "有点暗", &Ok).await;
    let told = |at: usize| lock(&bench.clients[at].prompts)[0].prefix.contains("老伙计");
    assert!(told(0) && !told(1));
}
