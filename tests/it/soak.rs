//! Everything at once for a while: traffic, new homes, poison and a broker that is killed. `make soak`.

#![allow(clippy::print_stdout, reason = "the figures are the result")]

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::Mosquitto;
use crate::load::{Load, switches, villa};
use crate::process::{Process, configure_with_model};
use crate::runner::zhiju;

/// What is thrown at the daemon, and what it may say about that and nothing else.
const INJECTED: [&str; 6] = [
    "a frame is refused",
    "a report of state is not (wholly) taken",
    "the home document is refused",
    "no connection to the broker",
    "no fresh state came in time",
    "the deadline passed",
];

/// Time in which caches fill, before anything is measured.
const WARM_UP: Duration = Duration::from_secs(20);

/// Most that the store's folder may take, in bytes.
const STORE_BYTES: u64 = 64 << 20;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes SOAK_SECONDS; see the Makefile"]
async fn soak() {
    let seconds = std::env::var("SOAK_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let folder = tempfile::tempdir().unwrap();
    let mut broker = Mosquitto::start().await;
    let yaml = format!("mqtt: {{port: {}}}\nlog: {{level: warn, format: journald}}\n", broker.port);
    let mut command = zhiju();
    // As the unit does: with a heap for each thread, glibc's fragments grow for hours before they settle.
    command.env("MALLOC_ARENA_MAX", "1").args(["run", "--config"]).arg(configure_with_model(folder.path(), &yaml));
    let mut daemon = Process::of(command);
    let mut load = Load::connect(broker.port, "soak");
    load.online().await;
    let devices = switches();
    let (mut resident, mut said, mut reconnects, mut given_up) = (Vec::new(), Vec::new(), 0, 0);
    let start = Instant::now();
    let mut ticks = tokio::time::interval(Duration::from_millis(20));
    for tick in 0u32.. {
        ticks.tick().await;
        let elapsed = start.elapsed();
        if elapsed >= WARM_UP + Duration::from_secs(seconds) {
            break;
        }
        load.ask(50);
        let device = &devices[tick as usize % devices.len()];
        load.send(&format!("state/{device}"), true, json!({"power": tick % 2 == 0}).to_string());
        if tick % 250 == 0 {
            load.send("registry", true, villa(&format!("villa-{}", tick / 250 % 7)));
        }
        if tick % 50 == 25 {
            poison(&load, tick / 50);
        }
        if tick % 750 == 700 {
            broker.kill();
            broker.restart().await;
            load.online().await;
            given_up += load.give_up();
            reconnects += 1;
        }
        if elapsed >= WARM_UP && tick % 10 == 0 {
            resident.push(daemon.resident_kb());
        }
        said.extend(daemon.said());
    }
    load.until("all answers", |book| book.open() == 0).await;
    let store = size(&folder.path().join("store"));
    daemon.signal("TERM");
    let (status, rest) = daemon.end().await;
    said.extend(rest);

    let third = resident.len() / 3;
    let (first, last) = (median(&resident[..third]), median(&resident[resident.len() - third..]));
    let book = load.book();
    println!(
        "soak {seconds} s: {} served, {:?} failed, {given_up} lost with the broker in {reconnects} restarts, revision {}, \
         resident {first} kB then {last} kB, store {store} bytes",
        book.served.len(),
        book.failed,
        book.revision,
    );
    assert!(status.success());
    assert!(book.served.len() > 10 * seconds as usize);
    assert!(last as f64 <= first as f64 * 1.05, "resident memory grew from {first} to {last} kB");
    assert!(store <= STORE_BYTES, "the store takes {store} bytes");
    let others: Vec<_> = said.iter().filter(|line| !INJECTED.iter().any(|known| line.contains(known))).collect();
    assert!(others.is_empty(), "{others:#?}");
}

/// Something that must do no harm.
fn poison(load: &Load, n: u32) {
    let deep = "[".repeat(10_000);
    match n % 8 {
        0 => load.send("request", false, "no json"),
        1 => load.send("request", false, deep),
        2 => load.send("utterance/poison", false, vec![0xff, 0xfe, 0x00]),
        3 => load.send("state/nobody", false, r#"{"power": true}"#),
        4 => load.send("state/nobody", false, vec![b'x'; 1 << 20]),
        5 => load.send("registry", false, "[1, 2]"),
        6 => load.send("registry", false, r#"{"layout": 5}"#),
        _ => {
            let home = json!({"layout": ["客厅"], "model": {}, "devices": [{"id": "a/b"}]});
            let payload = json!({"page_id": "p", "question": "开灯", "home": home});
            let frame = json!({"topic": "llm/smarthome", "rid": "poison", "payload": payload});
            load.send("request", false, frame.to_string());
        }
    }
}

fn median(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

/// Bytes of all files below a folder.
pub fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size(&entry.path()),
            Ok(metadata) => metadata.len(),
            // Removed a moment ago.
            Err(_) => 0,
        })
        .sum()
}
