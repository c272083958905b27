//! Everything at once for a while: traffic, new homes, poison, a broker that is killed and a language model that fails.
//! `make soak`.

#![allow(clippy::print_stdout, reason = "the figures are the result")]

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::Mosquitto;
use crate::llm::server::{Say, Server};
use crate::load::{Load, switches, villa};
use crate::process::{Process, configure_with_model};
use crate::runner::zhiju;

/// What the daemon says about what is thrown at it.
const INJECTED: [&str; 5] = [
    "a frame is refused",
    "a report of state is not (wholly) taken",
    "the home document is refused",
    "no connection to the broker",
    "a language model is left alone for a while",
];

/// What it may say besides, and nothing else: a hub's report goes with the broker that is killed, and a new home comes while
/// the language model is silent or a sentence is read.
const COINCIDENCES: [&str; 2] = ["no fresh state came in time", "the home was replaced while a sentence was read"];

/// A sentence for the language model: the grammar understands it but for two characters.
const UNSURE: &str = "把书房吸顶灯七上八下打开";

/// What the language model answers, over and over: well now and then, no answer, and three failures in a row.
fn answers() -> [Say; 12] {
    let good = || Say::Content(r#"["打开-书房-吸顶灯#Light#one"]"#.into());
    [
        good(),
        Say::Reset,
        good(),
        Say::Status(429, "retry-after: 0"),
        good(),
        Say::Content("[[[".into()),
        good(),
        Say::Never,
        good(),
        Say::Status(500, ""),
        Say::Status(500, ""),
        Say::Body("<html>".into()),
    ]
}

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
    let model = Server::start().await;
    let yaml = format!(
        "mqtt: {{port: {}}}\nlog: {{level: warn, format: journald}}\nllm:\n  order: [grammar, model, box]\n  endpoints:\n    \
         box: {{place: lan, url: 'http://127.0.0.1:{}/v1', model: m}}\n",
        broker.port, model.port
    );
    let mut command = zhiju();
    // As the unit does: with a heap for each thread, glibc's fragments grow for hours before they settle.
    command
        .env("MALLOC_ARENA_MAX", "1")
        .env("MALLOC_MMAP_THRESHOLD_", "131072")
        .args(["run", "--config"])
        .arg(configure_with_model(folder.path(), &yaml));
    let mut daemon = Process::of(command);
    let mut load = Load::connect(broker.port, "soak");
    load.online().await;
    load.send("registry", true, villa("villa"));
    load.until("a home", |book| book.revision > 0).await;
    let devices = switches();
    let (mut resident, mut said, mut reconnects, mut given_up) = (Vec::new(), Vec::new(), 0, 0);
    let mut unsure = HashSet::new();
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
        if model.left() < answers().len() {
            answers().into_iter().for_each(|say| model.then(say));
        }
        // On pages of their own, so that who waits for the model holds up nobody else.
        if tick % 50 == 10 {
            unsure.insert(load.ask_this(&format!("unsure-{}", tick / 50 % 10), UNSURE));
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
    let understood = book.promised.iter().filter(|(rid, _)| unsure.contains(rid)).count();
    let times = |words: &str| said.iter().filter(|line| line.contains(words)).count();
    println!(
        "soak {seconds} s: {} served, {:?} failed, {given_up} lost with the broker in {reconnects} restarts, revision {}, \
         language model asked {} times about {} sentences, {understood} understood, resident {first} kB then {last} kB, \
         store {store} bytes, said {:?}",
        book.served.len(),
        book.failed,
        book.revision,
        model.asked().len(),
        unsure.len(),
        INJECTED.map(|words| (words, times(words))),
    );
    assert!(status.success());
    assert!(book.served.len() > 10 * seconds as usize);
    assert!(book.failed.is_empty(), "nothing that was injected fails a good request: {:?}", book.failed);
    assert!(understood > 0 && understood < model.asked().len(), "the language model answers well now and then");
    assert!(last as f64 <= first as f64 * 1.05, "resident memory grew from {first} to {last} kB");
    assert!(store <= STORE_BYTES, "the store takes {store} bytes");
    for words in INJECTED {
        assert!(times(words) > 0, "not a word of this: {words}");
    }
    let known = |line: &&String| INJECTED.iter().chain(&COINCIDENCES).any(|known| line.contains(known));
    let others: Vec<_> = said.iter().filter(|line| !known(line)).collect();
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
