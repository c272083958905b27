//! Child processes that are killed or run out of disk while they write.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use zhiju::clock::Clock;
use zhiju::home::{Registry, RegistryError};

use super::{DEVICES, document, level, open_whole};

/// Tells a child process which state directory to write to.
const CHILD: &str = "ZHIJU_TEST_STATE";

/// This test binary, started again for one of the `child_…` entries, through `ZHIJU_TEST_RUNNER` if that is set.
fn child(entry: &str, dir: &Path, shell: &[&str]) -> Child {
    let runner = std::env::var("ZHIJU_TEST_RUNNER").unwrap_or_default();
    let mut words: Vec<String> = shell.iter().map(ToString::to_string).collect();
    words.extend(runner.split_whitespace().map(str::to_owned));
    words.push(std::env::current_exe().expect("a path").to_str().expect("a text").to_owned());
    words.extend(["--exact", entry, "--ignored", "--nocapture"].map(str::to_owned));
    Command::new(&words[0])
        .args(&words[1..])
        .env(CHILD, dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("the test binary starts again")
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("the parent reads");
}

/// Every device is written to by a thread of its own; one more replaces the home. Each line tells of one update that
/// was acknowledged: `device number` or `home revision`.
#[test]
#[ignore = "an entry for child processes"]
fn child_updates() {
    let Some(dir) = std::env::var_os(CHILD) else { return };
    let store = Arc::new(open_whole(Path::new(&dir)));
    let registry = Registry::open(store, Clock::of_machine()).unwrap();
    let first = registry.snapshot();
    thread::scope(|scope| {
        for device in 0..DEVICES {
            let (registry, first) = (&registry, &first);
            scope.spawn(move || {
                let start = match first.home.devices.len() {
                    0 => 0,
                    _ => first.live.get(device as usize).values.get("level").and_then(Value::as_u64).unwrap_or(0),
                };
                for n in start + 1.. {
                    match registry.merge_state(&format!("d{device}"), &level(n), n) {
                        // The first home is not there yet.
                        Err(RegistryError::UnknownDevice { .. }) => thread::yield_now(),
                        other => assert_eq!(other.unwrap(), [""; 0]),
                    }
                    registry.commit().unwrap();
                    say(&format!("{device} {n}"));
                }
            });
        }
        scope.spawn(|| {
            loop {
                let report = registry.replace(&document(registry.snapshot().revision + 1)).unwrap();
                say(&format!("home {}", report.revision));
            }
        });
    });
}

#[test]
fn every_acknowledged_update_outlives_kill_nine() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Registry::open(Arc::new(open_whole(dir.path())), Clock::of_machine()).unwrap();
    store.replace(&document(1)).unwrap();
    for round in 0..20 {
        drop(store);
        let mut child = child("store::crash::child_updates", dir.path(), &[]);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos();
        // Another moment each time: up to the 200th acknowledgement, and in every fourth round while the store opens.
        let moment = if round % 4 == 3 { 0 } else { 1 + nanos as usize % 200 };
        lines.by_ref().find(|line| line.starts_with("running")).unwrap();
        let mut acknowledged: Vec<String> = lines.by_ref().filter(|line| is_update(line)).take(moment).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged.extend(lines.filter(|line| is_update(line)));
        assert!(acknowledged.len() >= moment, "round {round}: {acknowledged:?}");

        store = Registry::open(Arc::new(open_whole(dir.path())), Clock::of_machine()).unwrap();
        let snapshot = store.snapshot();
        assert_eq!(snapshot.home.id, snapshot.revision.to_string());
        for line in acknowledged {
            let (what, n) = line.split_once(' ').unwrap();
            let n: u64 = n.parse().unwrap();
            let there = match what.parse::<usize>() {
                Ok(device) => snapshot.live.get(device).values["level"].as_u64().unwrap(),
                Err(_) => snapshot.revision,
            };
            assert!(there >= n, "round {round}: {line} was acknowledged, {there} is there");
        }
    }
}

/// Whether a line of a child is an acknowledgement; a line that was cut off by the kill is none.
fn is_update(line: &str) -> bool {
    line.split_once(' ')
        .is_some_and(|(what, n)| (what == "home" || what.parse::<u64>().is_ok()) && n.parse::<u64>().is_ok())
}

/// Replaces the home by ever larger ones until the disk is full, shows that the last one is still served, and then makes
/// space. Each line tells of a home that was acknowledged.
#[test]
#[ignore = "an entry for child processes"]
fn child_fills_the_disk() {
    let Some(dir) = std::env::var_os(CHILD) else { return };
    let store = Arc::new(open_whole(Path::new(&dir)));
    let registry = Registry::open(Arc::clone(&store), Clock::of_machine()).unwrap();
    let error = loop {
        let version = registry.snapshot().revision + 1;
        // One more write each time that is under way when the disk turns out to be full.
        store.append_audit(version.to_string().as_bytes()).unwrap();
        let mut large: Value = serde_json::from_str(&document(version)).unwrap();
        large["padding"] = "x".repeat(version as usize * 100_000).into();
        // And an instruct that is taken back as soon as it turns out that it cannot be kept.
        let instruct = store.push_outbox(b"{}").unwrap();
        let replaced = registry.replace(&large.to_string());
        store.withdraw_outbox(&[instruct]);
        match replaced {
            Ok(report) => say(&format!("home {}", report.revision)),
            Err(RegistryError::Store(error)) => break error,
            Err(other) => panic!("{other}"),
        }
    };
    assert!(error.is_disk_full(), "{error}");
    assert!(error.to_string().starts_with(Path::new(&dir).to_str().unwrap()), "{error}");
    let snapshot = registry.snapshot();
    assert_eq!(snapshot.home.id, snapshot.revision.to_string());
    // Live state goes on in memory; only keeping it fails.
    assert!(registry.merge_state("d0", &level(42), 1).is_err());
    assert_eq!(registry.snapshot().live.get(0).values["level"], json!(42));
    assert!(registry.commit().is_err());
    say("full 1");

    let me = std::process::id().to_string();
    let limit = Command::new("prlimit").args(["--pid", &me, "--fsize=unlimited:"]).status();
    assert!(limit.unwrap().success());
    let started = Instant::now();
    while registry.commit().is_err() {
        assert!(started.elapsed() < Duration::from_secs(60), "the store goes on once there is space");
        thread::yield_now();
    }
    registry.merge_state("d0", &level(42), 1).unwrap();
    let next = document(registry.snapshot().revision + 1);
    say(&format!("home {}", registry.replace(&next).unwrap().revision));
}

#[test]
fn a_full_disk_is_an_error_loses_nothing_and_is_over_once_there_is_space() {
    let dir = tempfile::tempdir().unwrap();
    let registry = Registry::open(Arc::new(open_whole(dir.path())), Clock::of_machine()).unwrap();
    registry.replace(&document(1)).unwrap();
    drop(registry);
    // No file may grow beyond 4 MiB (8192 blocks of 512 bytes): to a writer that looks like a disk that is full.
    let limited = ["sh", "-c", "trap '' XFSZ; ulimit -S -f 8192; exec \"$@\"", "sh"];
    let mut child = child("store::crash::child_fills_the_disk", dir.path(), &limited);
    let lines: Vec<String> = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).collect();
    assert!(child.wait().unwrap().success(), "{lines:?}");
    assert!(lines.iter().any(|line| line == "full 1"), "{lines:?}");
    let last = lines.iter().filter_map(|line| line.strip_prefix("home ")?.parse::<u64>().ok()).max();

    let store = Arc::new(open_whole(dir.path()));
    let registry = Registry::open(Arc::clone(&store), Clock::of_machine()).unwrap();
    let snapshot = registry.snapshot();
    assert_eq!(snapshot.home.id, snapshot.revision.to_string());
    assert_eq!(Some(snapshot.revision), last);
    assert_eq!(snapshot.live.get(0).values["level"], json!(42));
    assert!(store.outbox().unwrap().is_empty(), "no device moves later for what was refused");
    // One for each home but the first, which the parent wrote.
    assert_eq!(store.audit().unwrap().len() as u64, snapshot.revision - 1);
}
