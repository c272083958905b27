//! Questions and their answers while the wall clock jumps, and over kills and power cuts.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use tokio::sync::mpsc;
use zhiju::clock::Clock;
use zhiju::frame::{Event, Finish, Request};
use zhiju::home::Registry;
use zhiju::service::{Language, Service, ServiceSettings};
use zhiju::store::Store;

/// Some wall clock time.
const NOON: u64 = 1_800_000_000_000;

const HOUR: u64 = 3_600_000;

/// A service over a store, as after a start.
struct Started {
    service: Service,
    store: Arc<Store>,
}

impl Started {
    fn on(folder: &Path, clock: &Clock) -> Self {
        let store = Arc::new(Store::open(folder).unwrap().0);
        let registry = Arc::new(Registry::open(Arc::clone(&store), clock.clone()).unwrap());
        if registry.snapshot().revision == 0 {
            registry.replace(&home()).unwrap();
        }
        let settings = ServiceSettings::default();
        let language = Language::load(None).unwrap();
        Self { service: Service::new(registry, Some(Arc::clone(&store)), settings, language), store }
    }

    /// Says something, and returns how many instructs that gives.
    async fn say(&self, question: &str) -> usize {
        let request = Request {
            rid: "r".into(),
            page_id: "p".into(),
            question: question.into(),
            instruct: true,
            ..Request::default()
        };
        let (events, mut heard) = mpsc::channel(16);
        let listen = async {
            while let Some(event) = heard.recv().await {
                if let Event::Finish(finish) = event {
                    return finish;
                }
            }
            panic!("no finish");
        };
        let ((), finish) = tokio::join!(self.service.serve(request, events), listen);
        match finish {
            Finish::Done { instructs, .. } => instructs.len(),
            Finish::Failed { message, .. } => panic!("{message}"),
        }
    }

    /// As `kill -9` after the last commit leaves it.
    fn killed(self, folder: TempDir) -> TempDir {
        self.store.commit().unwrap();
        let left = tempfile::tempdir().unwrap();
        super::store::copy(folder.path(), left.path());
        left
    }
}

fn home() -> String {
    json!({
        "layout": ["玄关"],
        "model": {"lock": {"describe": "智能门锁", "property": {"locked": {"type": "bool"}}}},
        "devices": [{"id": "lock", "name": "大门锁", "local": "玄关", "device": {"model": "lock", "state": {"locked": true}}}],
    })
    .to_string()
}

/// A lock was asked about on a machine that has run for a minute; then `meanwhile` happens.
async fn asked(meanwhile: impl FnOnce(&Clock)) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::by_hand("boot", 60_000, NOON);
    let started = Started::on(folder.path(), &clock);
    assert_eq!(started.say("打开大门锁").await, 0);
    meanwhile(&clock);
    started.say("好的").await
}

#[tokio::test]
async fn a_yes_comes_too_late_wherever_the_wall_clock_stands() {
    for back in [0, HOUR, 10 * 365 * 24 * HOUR, NOON] {
        let after = |seconds| {
            move |clock: &Clock| {
                clock.set_wall(NOON - back);
                clock.advance(Duration::from_secs(seconds));
            }
        };
        assert_eq!(asked(after(20)).await, 1, "in time, the clock {back} ms back");
        assert_eq!(asked(after(35)).await, 0, "too late, the clock {back} ms back");
    }
    assert_eq!(asked(|clock| clock.set_wall(NOON + 10 * 365 * 24 * HOUR)).await, 1, "forward");
}

#[tokio::test]
async fn a_question_outlives_a_kill_and_is_as_old_as_it_is() {
    for (seconds, moves) in [(20, 1), (33, 0)] {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::by_hand("boot", 60_000, NOON);
        let before = Started::on(folder.path(), &clock);
        assert_eq!(before.say("打开大门锁").await, 0);
        let left = before.killed(folder);
        clock.set_wall(0);
        clock.advance(Duration::from_secs(seconds));
        assert_eq!(Started::on(left.path(), &clock).say("好的").await, moves, "{seconds} s");
    }
}

#[tokio::test]
async fn a_question_does_not_outlive_a_power_cut() {
    for (now_ms, wall_ms) in [(60_500, NOON), (500, 0), (90_000, NOON + HOUR)] {
        let folder = tempfile::tempdir().unwrap();
        let before = Started::on(folder.path(), &Clock::by_hand("before", 60_000, NOON));
        assert_eq!(before.say("打开大门锁").await, 0);
        let left = before.killed(folder);
        let after = Clock::by_hand("after", now_ms, wall_ms);
        assert_eq!(Started::on(left.path(), &after).say("好的").await, 0, "{now_ms} {wall_ms}");
    }
}

/// What was taken back in words too long for a row stays taken back.
#[tokio::test]
async fn no_older_question_comes_back_when_a_page_outgrows_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::by_hand("boot", 60_000, NOON);
    let before = Started::on(folder.path(), &clock);
    for start in ["天", "地"] {
        before.say(&format!("{start}{}", "啊".repeat(1_989))).await;
    }
    assert_eq!(before.say("打开大门锁").await, 0);
    assert_eq!(before.say(&format!("不要，{}", "啊".repeat(1_900))).await, 0);
    assert_eq!(before.say("取消").await, 0);
    let left = before.killed(folder);
    assert_eq!(Started::on(left.path(), &clock).say("好的").await, 0);
}

/// What a device says of one thing makes nothing else that it said younger.
#[tokio::test]
async fn a_property_is_asked_for_by_its_own_age() {
    let document = json!({
        "layout": ["客厅"],
        "model": {"th": {"describe": "温湿度传感器", "property": {
            "temperature": {"type": "float", "unit": "C", "access": "read"},
            "humidity": {"type": "float", "unit": "%", "access": "read"},
        }}},
        "devices": [{"id": "th", "name": "温度计", "local": "客厅", "device": {"model": "th"}}],
    });
    let clock = Clock::by_hand("boot", 1_000_000, NOON);
    let (home, _) = zhiju::home::parse(&document).unwrap();
    let registry = Arc::new(Registry::in_memory(home).with_clock(clock.clone()));
    let settings = ServiceSettings {
        state_max_age: Some(Duration::from_secs(60)),
        state_wait: Duration::from_millis(1),
        ..ServiceSettings::default()
    };
    let service = Service::new(Arc::clone(&registry), None, settings, Language::load(None).unwrap());
    let report = |property: &str| {
        let state = [(property.to_owned(), json!(20.0))].into();
        registry.merge_state("th", &state, clock.now_ms()).unwrap();
    };
    report("temperature");
    clock.advance(Duration::from_secs(120));
    report("humidity");
    for (question, asked) in [("客厅湿度多少", 0), ("客厅几度", 1)] {
        let request = Request {
            rid: "r".into(),
            page_id: question.into(),
            question: question.into(),
            local: Some("客厅".into()),
            ..Request::default()
        };
        let (events, mut heard) = mpsc::channel(16);
        let listen = async {
            let mut asks = 0;
            while let Some(event) = heard.recv().await {
                asks += usize::from(matches!(event, Event::AskState { .. }));
            }
            asks
        };
        let ((), asks) = tokio::join!(service.serve(request, events), listen);
        assert_eq!(asks, asked, "{question}");
    }
}
