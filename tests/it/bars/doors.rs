//! What the doors hold when many come at once.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::common::{Client, Mosquitto, free_port, request};
use crate::doors::clients::{Pipe, get, post};
use crate::doors::dial::Server;
use crate::process::{Process, configure_with_model};

/// Pipes at once, and requests on each.
const PIPES: usize = 200;
const EACH: usize = 20;

/// A daemon with the villa, and with HTTP on a port.
async fn served(folder: &std::path::Path, more: &str) -> (Mosquitto, Process, u16) {
    let (broker, http) = (Mosquitto::start().await, free_port().await);
    let doors = format!("http: {{listen: '127.0.0.1:{http}', connections: 400}}\n{more}");
    let yaml = format!("mqtt: {{port: {}}}\nlog: {{level: warn}}\n{doors}", broker.port);
    let mut client = Client::connect(broker.port, "hub").await;
    let daemon = Process::start(&configure_with_model(folder, &yaml));
    client.status("online").await;
    client.publish("registry", crate::load::villa("villa")).await;
    client.on("registry/report").await;
    (broker, daemon, http)
}

fn percentile(took: &mut [Duration], percent: usize) -> Duration {
    took.sort_unstable();
    took[(took.len() * percent / 100).min(took.len() - 1)]
}

/// Asks on every pipe, `apart` between two requests of one pipe; how long each took and how many were not served.
async fn ask_all(pipes: Vec<Pipe>, apart: Option<Duration>) -> (Vec<Pipe>, Vec<Duration>, usize) {
    let mut tasks = JoinSet::new();
    for (number, mut pipe) in pipes.into_iter().enumerate() {
        tasks.spawn(async move {
            let (mut sent, mut took, mut failed) = (Vec::new(), Vec::new(), 0);
            if let Some(apart) = apart {
                // Not all in the same moment.
                tokio::time::sleep(apart * u32::try_from(number).unwrap() / PIPES as u32).await;
            }
            for n in 0..EACH {
                sent.push(Instant::now());
                pipe.send(request(&n.to_string(), &format!("{number}-{n}"), "家里哪些灯开着").to_string()).await;
                if let Some(apart) = apart {
                    let (_, data) = pipe.finish().await;
                    failed += usize::from(data["ret"] != 0);
                    took.push(sent[n].elapsed());
                    tokio::time::sleep(apart.saturating_sub(sent[n].elapsed())).await;
                }
            }
            while took.len() < EACH {
                let (rid, data) = pipe.finish().await;
                failed += usize::from(data["ret"] != 0);
                took.push(sent[rid.parse::<usize>().unwrap()].elapsed());
            }
            (pipe, took, failed)
        });
    }
    let (mut pipes, mut all, mut failed) = (Vec::new(), Vec::new(), 0);
    while let Some(done) = tasks.join_next().await {
        let (pipe, took, lost) = done.unwrap();
        pipes.push(pipe);
        all.extend(took);
        failed += lost;
    }
    (pipes, all, failed)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn two_hundred_pipes_with_twenty_requests_each() {
    let folder = tempfile::tempdir().unwrap();
    let (_broker, daemon, http) = served(folder.path(), "").await;
    let before = daemon.resident_kb();
    let mut pipes = Vec::new();
    for _ in 0..PIPES {
        pipes.push(Pipe::open(http, &[]).await);
    }
    let open = daemon.resident_kb();
    // A second apart: two hundred requests a second, as many as a home is served at.
    let (pipes, mut took, failed) = ask_all(pipes, Some(Duration::from_secs(1))).await;
    let (p50, p99) = (percentile(&mut took, 50), percentile(&mut took, 99));
    println!(
        "{PIPES} pipes, {EACH} requests each, 200/s: {} answered, {failed} failed, p50 {p50:?}, p99 {p99:?}",
        took.len()
    );
    let start = Instant::now();
    // They are one client: what does not get one of its lanes within the deadline, on a slow machine, is told so.
    let (_pipes, mut at_once, lost) = ask_all(pipes, None).await;
    let (all, last) = (start.elapsed(), percentile(&mut at_once, 100));
    println!(
        "the same at once: {} answered, {lost} not served, all after {all:?}, the last {last:?}; resident {before} kB, with \
         the pipes {open} kB, at most {} kB",
        at_once.len(),
        daemon.peak_kb(),
    );
    assert_eq!((took.len(), failed, at_once.len()), (PIPES * EACH, 0, PIPES * EACH));
    assert!(p99 <= Duration::from_millis(100), "{p99:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn ten_thousand_idle_connections_and_one_that_never_reads() {
    let folder = tempfile::tempdir().unwrap();
    let (_broker, daemon, http) = served(folder.path(), "").await;
    let before = daemon.resident_kb();
    let mut held = Vec::new();
    let mut deaf = Pipe::open(http, &[]).await;
    let flood = async {
        for n in 0..100_000 {
            deaf.send(request(&n.to_string(), "p", &"灯".repeat(1_000)).to_string()).await;
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(3), flood).await;
    let (mut refused, mut answered, start) = (0, 0, Instant::now());
    for n in 0..10_000 {
        match TcpStream::connect(("127.0.0.1", http)).await {
            Ok(stream) if held.len() < 900 => held.push(stream),
            // More than this process may hold open.
            Ok(_) => {}
            Err(_) => refused += 1,
        }
        if n % 1_000 == 999 {
            held.clear();
            answered += usize::from(get(http, "/healthz", &[]).await.status == 200);
        }
    }
    let asked = Instant::now();
    let reply = post(http, "/v1/ask", &[], &json!({"text": "家里哪些灯开着"})).await;
    println!(
        "10000 connections in {:?}: {refused} refused, {answered} of 10 questions between them answered; a request beside a \
         client that never reads took {:?}; resident {before} kB, at most {} kB",
        start.elapsed(),
        asked.elapsed(),
        daemon.peak_kb(),
    );
    assert_eq!((reply.status, answered), (200, 10));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn an_endpoint_that_is_killed_fifty_times() {
    let folder = tempfile::tempdir().unwrap();
    let (server, address) = Server::at().await;
    let file = folder.path().join("toy");
    std::fs::write(&file, address).unwrap();
    let (_broker, _daemon, _) = served(folder.path(), "mcp: {endpoints: {toy: toy}}\n").await;
    let mut back = Vec::new();
    let mut killed = Instant::now();
    for time in 0..50 {
        let mut link = server.dialled().await;
        if time > 0 {
            back.push(killed.elapsed());
        }
        assert_eq!(link.greet().await.len(), 3);
        drop(link);
        killed = Instant::now();
    }
    // One that asks nothing before it dies is waited for longer, and not for ever.
    for _ in 0..10 {
        let link = server.dialled().await;
        back.push(killed.elapsed());
        drop(link);
        killed = Instant::now();
    }
    println!(
        "an endpoint killed 60 times: back after {:?}, at most {:?}",
        percentile(&mut back, 50),
        percentile(&mut back, 100)
    );
    assert!(percentile(&mut back, 100) <= Duration::from_secs(5));
}
