//! The figures of docs/operations.md, measured on a release binary and held to their bars: `make bars`.

#![allow(clippy::print_stdout, reason = "the figures are the result")]

mod doors;
mod flood;
mod house;
mod jobs;
mod sentences;
mod unanswered;

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::{AsyncClient, EventLoop, MqttOptions};
use serde_json::{Value, json};
use tokio::net::UnixDatagram;

use crate::common::{Mosquitto, within};
use crate::load::{Load, switches, villa};
use crate::process::{Process, configure_with_model};
use crate::runner::{stdout, zhiju};

/// Conversations at the same time.
const PAGES: usize = 100;

fn yaml(port: u16) -> String {
    format!("mqtt: {{port: {port}}}\nlog: {{level: 'warn,zhiju::gist=info', format: journald}}\n")
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Starts the daemon and waits for READY; returns how long that took.
async fn started(folder: &Path, port: u16) -> (Process, Duration) {
    started_by(folder, &configure_with_model(folder, &yaml(port))).await
}

/// As [`started`], by this configuration file.
async fn started_by(folder: &Path, config: &Path) -> (Process, Duration) {
    let socket = folder.join("notify");
    let _ = std::fs::remove_file(&socket);
    let manager = UnixDatagram::bind(&socket).unwrap();
    let mut command = zhiju();
    // With a single heap, as in the unit.
    command.env("MALLOC_ARENA_MAX", "1").env("MALLOC_MMAP_THRESHOLD_", "131072").env("NOTIFY_SOCKET", &socket);
    command.args(["run", "--config"]).arg(config);
    let start = Instant::now();
    let daemon = Process::of(command);
    let mut bytes = [0; 4096];
    let ready = async {
        loop {
            let len = manager.recv(&mut bytes).await.unwrap();
            if bytes[..len].starts_with(b"READY=1") {
                return;
            }
        }
    };
    within("READY", ready).await;
    (daemon, start.elapsed())
}

/// A daemon that serves the villa, vectors and all.
async fn villa_served(folder: &Path, port: u16, load: &mut Load) -> Process {
    let (mut daemon, _) = started(folder, port).await;
    load.online().await;
    load.send("registry", true, villa("villa"));
    load.until("the report", |book| book.revision > 0).await;
    // Of the situations and of the home.
    for _ in 0..2 {
        daemon.says("vectors are ready").await;
    }
    daemon
}

/// Processor time used so far, in seconds.
fn processor_seconds(id: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    ticks / 100.0
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn start_memory_and_idling() {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let mut load = Load::connect(broker.port, "bars");
    let daemon = villa_served(folder.path(), broker.port, &mut load).await;
    daemon.signal("TERM");
    daemon.end().await;
    let mut starts = Vec::new();
    for _ in 0..5 {
        let (daemon, took) = started(folder.path(), broker.port).await;
        starts.push(took);
        daemon.signal("TERM");
        daemon.end().await;
    }
    let (mut daemon, _) = started(folder.path(), broker.port).await;
    for _ in 0..2 {
        daemon.says("vectors are ready").await;
    }
    load.online().await;
    for _ in 0..200 {
        load.ask(20);
        load.until("an answer", |book| book.open() == 0).await;
    }
    let resident = daemon.resident_kb();
    let seconds = setting("BARS_IDLE_SECONDS", 60);
    let before = processor_seconds(daemon.id());
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let idle = (processor_seconds(daemon.id()) - before) / seconds as f64 * 100.0;
    let (resident_mib, resident_idle) = (resident as f64 / 1024.0, daemon.resident_kb() as f64 / 1024.0);
    println!(
        "start to READY, warm: {starts:?}; resident {resident_mib:.1} MiB, idle {resident_idle:.1} MiB; idle {idle:.3} % CPU"
    );
    assert!(starts.iter().all(|took| *took <= Duration::from_secs(1)), "{starts:?}");
    assert!(resident_mib <= 96.0 && idle <= 0.2);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn killed_a_hundred_times() {
    let rounds = setting("BARS_ROUNDS", 100);
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let mut load = Load::connect(broker.port, "bars");
    let devices = switches();
    let (mut acknowledged, mut unarrived) = (0, 0);
    for round in 0..rounds {
        let (daemon, _) = started(folder.path(), broker.port).await;
        load.online().await;
        // What was promised before the kill comes now, if it did not come then.
        let before = load.book().revision;
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos();
        let moment = Duration::from_millis(u64::from(nanos / 1_000) % 301);
        let start = Instant::now();
        for step in 0u64.. {
            if start.elapsed() >= moment {
                break;
            }
            load.send("registry", false, villa(&format!("{round}-{step}")));
            load.send(
                &format!("state/{}", devices[step as usize % devices.len()]),
                false,
                json!({"power": true}).to_string(),
            );
            load.ask(10);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        daemon.signal("KILL");
        daemon.end().await;
        acknowledged += load.book().revision - before;
        let told = load.book().revision;
        load.give_up();
        let shown = zhiju().args(["home", "show", "--store"]).arg(folder.path().join("store")).output().unwrap();
        let text = stdout(&shown);
        let there = text.split("revision ").nth(1).and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
        let there: u64 = there.and_then(|digits| digits.parse().ok()).unwrap_or(0);
        assert!(there >= told, "round {round}: revision {told} was acknowledged, {there} is there: {text}");
    }
    let (daemon, _) = started(folder.path(), broker.port).await;
    load.online().await;
    load.until("what was promised", |book| book.promised.is_subset(&book.arrived)).await;
    let book = load.book();
    unarrived += book.promised.difference(&book.arrived).count();
    println!(
        "{rounds} kills: {acknowledged} homes acknowledged, none lost; {} instructs promised, {unarrived} lost; no start failed",
        book.promised.len(),
    );
    assert!(acknowledged > 0);
    drop(book);
    drop(daemon);
}

/// Sends what has queued up in a client.
async fn flood(mut events: EventLoop) {
    while events.poll().await.is_ok() {}
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn a_broker_away() {
    let away = setting("BARS_AWAY_SECONDS", 30);
    let (mut broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let mut load = Load::connect(broker.port, "bars");
    let mut daemon = villa_served(folder.path(), broker.port, &mut load).await;
    // These reach the daemon, which has no time to answer before the broker is gone.
    daemon.signal("STOP");
    for _ in 0..9 {
        load.ask(9);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    broker.kill();
    daemon.signal("CONT");
    load.broker_is_gone().await;
    load.give_up();
    let before = daemon.resident_kb();
    let mut most = before;
    // Meanwhile this queues up in the hub, which comes back after the daemon: whoever publishes before anybody has
    // subscribed is not heard, whatever the daemon does.
    let (hub, hub_events) = AsyncClient::new(MqttOptions::new("hub", "127.0.0.1", broker.port), 2_000);
    let queue = |topic: &str, retain: bool, payload: String| {
        hub.try_publish(format!("zhiju/home/{topic}"), QoS::AtLeastOnce, retain, payload).unwrap();
    };
    let (devices, mut asked) = (switches(), Vec::new());
    for n in 0..1_000 {
        let state = json!({"power": (n / devices.len()).is_multiple_of(2)});
        queue(&format!("state/{}", devices[n % devices.len()]), true, state.to_string());
        if n % 20 == 19 {
            let (rid, frame) = load.next(50);
            queue("request", false, frame);
            asked.push(rid);
        }
    }
    for _ in 0..away {
        tokio::time::sleep(Duration::from_secs(1)).await;
        most = most.max(daemon.resident_kb());
    }
    broker.restart().await;
    load.online().await;
    let hub = tokio::spawn(flood(hub_events));
    load.until("all answers", |book| book.open() == 0).await;
    // What comes twice comes before the answer to this.
    let last = load.ask(50);
    load.until("one more answer", |book| !book.waits_for(&last)).await;
    hub.abort();
    most = most.max(daemon.resident_kb());
    let said = daemon.said();
    let stale = said.iter().filter(|line| line.contains("instruct too old, dropped")).count();
    daemon.signal("TERM");
    daemon.end().await;
    let export = zhiju().args(["home", "export", "--store"]).arg(folder.path().join("store")).output().unwrap();
    let document: Value = serde_json::from_slice(&export.stdout).unwrap();
    let wrong = devices.iter().enumerate().filter(|(i, id)| {
        let last =
            (0..1_000).rev().find(|n| n % devices.len() == *i).is_some_and(|n| (n / devices.len()).is_multiple_of(2));
        let device = document["devices"].as_array().unwrap().iter().find(|d| d["id"] == **id).unwrap();
        device["device"]["state"]["power"] != json!(last)
    });
    let (wrong, book) = (wrong.count(), load.book());
    println!(
        "broker away {away} s: {stale} stale instructs dropped and reported, 1000 states in order ({wrong} wrong), {} requests \
         answered once, {:?} failed, resident {before} kB, at most {most} kB",
        asked.iter().filter(|rid| book.finished.get(*rid) == Some(&1)).count(),
        book.failed,
    );
    assert!(stale > 0 && wrong == 0 && most <= 96 * 1024);
    assert!(book.failed.is_empty(), "{:?}", book.failed);
    for rid in &asked {
        assert_eq!((book.finished.get(rid), book.described.get(rid)), (Some(&1), Some(&1)), "{rid}");
    }
    assert!(most as f64 <= before as f64 * 1.25);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn many_at_once() {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let mut load = Load::connect(broker.port, "bars");
    let daemon = villa_served(folder.path(), broker.port, &mut load).await;
    let seconds = setting("BARS_LOAD_SECONDS", 30);
    at_rate(&mut load, 200, seconds).await;
    load.until("all answers", |book| book.open() == 0).await;
    let (served, failed, p50, p99) = {
        let mut book = load.book();
        (book.served.len(), std::mem::take(&mut book.failed), book.percentile(50), book.percentile(99))
    };
    let resident = daemon.resident_kb();
    println!(
        "200/s for {seconds} s: {served} served, {failed:?} failed, p50 {p50:?}, p99 {p99:?}, resident {resident} kB"
    );
    load.book().served.clear();
    at_rate(&mut load, 2_000, 10).await;
    // What is asked once it is over is answered behind what still waits: on every page in turn, so that whatever has no
    // answer then has none for ever.
    let start = Instant::now();
    let mut recovered = Duration::ZERO;
    for page in 0..PAGES {
        let rid = load.ask(PAGES);
        load.until("an answer to the last question", |book| !book.waits_for(&rid)).await;
        if page == 0 {
            recovered = start.elapsed();
        }
    }
    let (unanswered, most) = (load.give_up(), daemon.resident_kb());
    let book = load.book();
    println!(
        "2000/s for 10 s: {} served, {:?} failed, {unanswered} without an answer; the next question answered {recovered:?} \
         after the end; resident {most} kB",
        book.served.len(),
        book.failed,
    );
    assert_eq!(served as u64, 200 * seconds);
    assert!(p99 <= Duration::from_millis(50), "{p99:?}");
    assert!(book.failed.keys().all(|code| code == "overloaded"));
    assert!(recovered <= Duration::from_secs(2) && most <= 128 * 1024);
}

/// Asks so many a second.
async fn at_rate(load: &mut Load, rate: u64, seconds: u64) {
    let start = Instant::now();
    let mut ticks = tokio::time::interval(Duration::from_millis(5));
    let mut asked = 0;
    while asked < rate * seconds {
        ticks.tick().await;
        let due = (start.elapsed().as_micros() as u64 * rate / 1_000_000).min(rate * seconds);
        for _ in asked..due {
            load.ask(PAGES);
        }
        asked = due.max(asked);
    }
}
