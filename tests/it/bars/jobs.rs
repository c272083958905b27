//! Jobs: how late they are, and what ten thousand of them cost.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use zhiju::clock::Clock;
use zhiju::job::{Asked, DateTimeText, Job, JobSettings, Jobs, When, now};
use zhiju::store::Store;

use super::{setting, started, villa_served};
use crate::common::{Client, Mosquitto, Pace, json_of, request};
use crate::load::Load;

/// Jobs of a far future, put into the store of a stopped daemon.
fn far(folder: &Path, many: usize) {
    let clock = Clock::of_machine();
    let settings = JobSettings { per_page: many, total: many, ..JobSettings::default() };
    let (store, _) = Store::open(&folder.join("store")).unwrap();
    let jobs = Jobs::open(Arc::new(store), clock.clone(), settings.clone(), &Default::default()).unwrap();
    let today = now(&clock, &settings.zone).unwrap().datetime();
    let due = |n: usize| today.checked_add(jiff::ToSpan::minutes(60 * 24 + i64::try_from(n).unwrap())).unwrap();
    let job = |n: usize| Job {
        id: String::new(),
        due: When::Wall(DateTimeText(due(n))),
        repeat: None,
        summary: "打开书房吸顶灯".into(),
        steps: Vec::new(),
        instructs: Vec::new(),
        asker: Asked { page: "somebody".into(), ..Asked::default() },
        created_ms: 0,
    };
    jobs.add((0..many).map(job).collect()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn ten_thousand_jobs_cost_little() {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let mut load = Load::connect(broker.port, "bars");
    let daemon = villa_served(folder.path(), broker.port, &mut load).await;
    daemon.signal("TERM");
    daemon.end().await;
    let mut figures = Vec::new();
    for many in [0, 10_000] {
        if many > 0 {
            far(folder.path(), many);
        }
        let (mut daemon, took) = started(folder.path(), broker.port).await;
        for _ in 0..2 {
            daemon.says("vectors are ready").await;
        }
        load.online().await;
        load.book().served.clear();
        for _ in 0..500 {
            load.ask(20);
            load.until("an answer", |book| book.open() == 0).await;
        }
        let p50 = load.book().percentile(50);
        figures.push((took, daemon.resident_kb(), p50));
        daemon.signal("TERM");
        daemon.end().await;
    }
    let [(start, resident, p50), (start_many, resident_many, p50_many)] = figures[..] else { unreachable!() };
    println!(
        "jobs 0 / 10000: start {start:?} / {start_many:?}, resident {resident} / {resident_many} kB, p50 {p50:?} / {p50_many:?}"
    );
    assert!(start_many <= Duration::from_secs(1), "{start_many:?}");
    assert!(resident_many <= resident + 32 * 1024);
    assert!(p50_many.as_secs_f64() <= p50.as_secs_f64() * 1.25);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn two_hundred_jobs_within_a_minute_are_on_time() {
    let many = usize::try_from(setting("BARS_JOBS", 200)).unwrap();
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let mut load = Load::connect(broker.port, "bars");
    let _daemon = villa_served(folder.path(), broker.port, &mut load).await;
    let mut client = Client::subscribed(broker.port, "asker", &["zhiju/home/#"], Pace::default()).await;
    let mut due: BTreeMap<String, i64> = BTreeMap::new();
    for n in 0..many {
        let (rid, seconds) = (format!("late-{n}"), 20 + n * 40 / many);
        let page = format!("page-{}", n / 50);
        client.publish("request", request(&rid, &page, &format!("{seconds}秒后打开书房吸顶灯")).to_string()).await;
        let job = &client.finish(&rid).await["payload"]["data"]["active"]["jobs"][0];
        let at: jiff::Timestamp = job["due"].as_str().unwrap().parse().unwrap();
        due.insert(job["id"].as_str().unwrap().to_owned(), at.as_millisecond());
    }
    let mut late = Vec::new();
    while late.len() < many {
        let heard = client.find("an instruct of a job", |p| {
            p.topic.starts_with(b"zhiju/home/instruct/")
                && json_of(p)["rid"].as_str().is_some_and(|r| r.starts_with("job-"))
        });
        let instruct: Value = json_of(&heard.await);
        let id = instruct["rid"].as_str().unwrap().split('-').nth(1).unwrap();
        late.push(instruct["ts"].as_i64().unwrap() - due[id]);
    }
    late.sort_unstable();
    // What is shown is rounded to the second.
    println!(
        "{many} jobs: {} to {} ms after the second that was told, half of them {}",
        late[0],
        late[many - 1],
        late[many / 2]
    );
    assert!(late[many - 1] <= 1_500 && late[0] >= -500, "{late:?}");
}
