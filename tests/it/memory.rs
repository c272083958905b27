//! The daemon under the memory that its unit allows: whatever is permitted to come in, it goes on, and a home that it
//! could not hold keeps it from no start.

#![allow(clippy::print_stdout, reason = "the figures are the result")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{SinkExt, StreamExt};
use rumqttc::v5::MqttOptions;
use serde_json::{Map, Value, json};
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use zhiju::door::http::PIPE;
use zhiju::frame::Limits;
use zhiju::home::{
    MAX_ABILITIES, MAX_ALIASES, MAX_DEVICES, MAX_DOCUMENT_BYTES, MAX_NAMES, MAX_PROPERTIES, MAX_SETS, MAX_VALUES,
};
use zhiju::store::{MAX_STARTS, Store};

use crate::common::{Client, Mosquitto, Pace, free_port, home, request};
use crate::doors::clients::{Pipe, connect_from};
use crate::process::{Process, configure, configure_with_model};
use crate::runner::zhiju;

/// The memory that the unit allows: a cgroup with its limit where one can be made, which ends with the test. Everywhere,
/// what was resident at most is held to the same limit: what a cgroup counts reaches it with files alone.
struct Unit {
    bytes: u64,
    cgroup: Option<PathBuf>,
}

impl Unit {
    /// Below the limit, above `MemoryHigh`, everything would only be slower.
    fn new() -> Self {
        let unit = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/systemd/zhiju.service")).unwrap();
        let limit = unit.lines().find_map(|line| line.strip_prefix("MemoryMax=")?.strip_suffix('M')).unwrap();
        let bytes = limit.parse::<u64>().unwrap() << 20;
        let name = format!("zhiju-test-{}", std::process::id());
        let roots = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];
        let cgroup = roots.iter().find_map(|(root, file)| {
            let folder = Path::new(root).join(&name);
            std::fs::create_dir(&folder).ok()?;
            let limited = std::fs::write(folder.join(file), bytes.to_string()).is_ok();
            if !limited {
                let _ = std::fs::remove_dir(&folder);
            }
            limited.then_some(folder)
        });
        if cgroup.is_none() {
            println!("no memory cgroup can be made here: the limit is measured, and nothing enforces it");
        }
        Self { bytes, cgroup }
    }

    /// A daemon that lives under it from its first instruction on, with a single heap that gives back what is large, as in the
    /// unit.
    fn daemon(&self, config: &Path) -> Process {
        let daemon = zhiju();
        let mut command = Command::new("sh");
        let procs = self.cgroup.as_ref().map_or("/dev/null".into(), |cgroup| cgroup.join("cgroup.procs"));
        command.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(procs);
        command.arg(daemon.get_program()).args(daemon.get_args()).args(["run", "--config"]).arg(config);
        let foreign = |name: &std::ffi::OsString| name.to_string_lossy().starts_with("ZHIJU_");
        std::env::vars_os().map(|(name, _)| name).filter(foreign).for_each(|name| _ = command.env_remove(name));
        command.env("MALLOC_ARENA_MAX", "1").env("MALLOC_MMAP_THRESHOLD_", "131072");
        Process::of(command)
    }

    /// Holds what the daemon took at most to the limit, and returns it in MiB.
    fn held_by(&self, daemon: &Process) -> u64 {
        let kb = daemon.peak_kb();
        assert!(kb << 10 <= self.bytes, "{kb} kB");
        kb >> 10
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        if let Some(cgroup) = &self.cgroup {
            let _ = std::fs::remove_dir(cgroup);
        }
    }
}

/// A home of so many devices, each of `make`.
fn devices(model: Value, many: usize, make: impl Fn(usize) -> Value) -> Value {
    json!({"did": "x", "layout": ["客厅"], "model": {"m": model}, "devices": (0..many).map(make).collect::<Vec<_>>()})
}

/// Words that differ in every character that they can.
fn word(n: usize, chars: usize) -> String {
    (0..chars)
        .map(|at| char::from_u32(0x4e00 + ((n * 7_919 + at * 104_729 + n / 3) % 20_000) as u32).unwrap())
        .collect()
}

fn properties(many: usize, each: impl Fn(usize) -> Value) -> Value {
    let all: Map<String, Value> = (0..many).map(|i| (format!("p{i}"), each(i))).collect();
    json!({"name": "lamp", "property": all})
}

/// Homes at the bounds, each of another sort.
fn heavy() -> Vec<(&'static str, Value)> {
    let plain = |i: usize| json!({"id": format!("d{i}"), "name": word(i, 4), "local": "客厅", "device": {"model": "m", "state": {"power": true}}});
    let lamp = properties(1, |_| json!({"type": "bool"}));
    let switches = properties(MAX_PROPERTIES, |i| json!({"type": "bool", "describe": word(i, 30)}));
    let choices = |n: usize| json!({"type": "enum", "range": (0..n).map(|i| json!({"value": i, "describe": word(i, 12)})).collect::<Vec<_>>()});
    let names = MAX_NAMES / (MAX_ALIASES + 1);
    let aliases =
        |i: usize| (0..MAX_ALIASES).map(|a| format!("行长乐重{}", word(i * MAX_ALIASES + a, 20))).collect::<Vec<_>>();
    let mut own = devices(json!({}), 0, |_| json!({}));
    // As many as the document may weigh.
    let models = MAX_ABILITIES * 3 / 5 / MAX_PROPERTIES;
    own["model"] = (0..models)
        .map(|m| {
            (
                format!("m{m}"),
                properties(MAX_PROPERTIES, |i| json!({"type": "bool", "describe": word(m * MAX_PROPERTIES + i, 12)})),
            )
        })
        .collect::<Map<_, _>>()
        .into();
    own["devices"] = (0..models)
        .map(|i| json!({"id": format!("d{i}"), "name": word(i, 4), "device": {"model": format!("m{i}")}}))
        .collect();
    let mut groups = devices(lamp.clone(), MAX_DEVICES, plain);
    let members: Vec<String> = (0..200).map(|i| format!("d{i}")).collect();
    groups["groups"] =
        (0..MAX_SETS).map(|i| json!({"id": format!("g{i}"), "name": word(i, 6), "members": members})).collect();
    vec![
        ("devices", devices(lamp, MAX_DEVICES, plain)),
        ("abilities", devices(switches, MAX_ABILITIES / MAX_PROPERTIES, plain)),
        ("abilities of their own", own),
        ("values", devices(properties(1, |_| choices(MAX_VALUES / 100)), 100, plain)),
        (
            "names",
            devices(properties(1, |_| json!({"type": "bool"})), names, |i| {
                let mut device = plain(i);
                device["aliases"] = aliases(i).into();
                device
            }),
        ),
        ("groups", groups),
        ("values of JSON", json!({"devices": [], "x": vec![json!({}); 40_000]})),
    ]
}

/// Waits until the vectors of so many indexes are there.
async fn computed(daemon: &mut Process, many: usize) {
    let mut ready = 0;
    while ready < many {
        // Progress is told all along.
        ready += usize::from(daemon.says("vectors").await.contains("vectors are ready"));
    }
}

/// Publishes a home as its hub does and returns what became of it.
async fn publish(client: &mut Client, document: &str) -> Value {
    assert!(document.len() <= 4 << 20);
    client.retain("registry", document).await;
    client.on("registry/report").await
}

async fn connect(port: u16) -> Client {
    let mut options = MqttOptions::new("client", "127.0.0.1", port);
    options.set_max_packet_size(Some(16 << 20));
    Client::with(options, &["zhiju/home/#"], Pace::default()).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes; see the Makefile"]
async fn no_home_within_the_bounds_ends_the_daemon() {
    for (sort, document) in heavy() {
        // Another broker each time: the one before would keep what was reported last.
        let broker = Mosquitto::start().await;
        let folder = tempfile::tempdir().unwrap();
        let config = configure_with_model(folder.path(), &format!("mqtt: {{port: {}}}\n", broker.port));
        let unit = Unit::new();
        let mut client = connect(broker.port).await;
        let document = document.to_string();
        let mut daemon = unit.daemon(&config);
        client.status("online").await;
        let report = publish(&mut client, &document).await;
        assert_eq!(report["ok"], true, "{sort}: {report}");
        // Of the situations, and of what the home can do, is and can be set to.
        let vectors = if sort == "values of JSON" { 1 } else { 4 };
        computed(&mut daemon, vectors).await;
        let first = unit.held_by(&daemon);
        // Once more from the store, and with another in its place.
        daemon.signal("TERM");
        assert!(daemon.end().await.0.success(), "{sort}");
        let mut daemon = unit.daemon(&config);
        client.status("online").await;
        computed(&mut daemon, vectors).await;
        let other = document.replace(r#""did":"x""#, r#""did":"y""#);
        publish(&mut client, &other).await;
        client.publish("request", request("r", "p", "打开灯").to_string()).await;
        client.finish("r").await;
        println!("{sort}: {} KiB, at most {} MiB", document.len() >> 10, first.max(unit.held_by(&daemon)));
        client.retain("registry", "").await;
        daemon.signal("TERM");
        assert!(daemon.end().await.0.success(), "{sort}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes; see the Makefile"]
async fn homes_that_come_with_requests_do_not_end_the_daemon() {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let config = configure_with_model(folder.path(), &format!("mqtt: {{port: {}}}\n", broker.port));
    let unit = Unit::new();
    let mut client = connect(broker.port).await;
    let daemon = unit.daemon(&config);
    client.status("online").await;
    let mut heavy = heavy();
    // Those that a request may bring.
    heavy.retain(|(_, document)| document.to_string().len() < Limits::default().payload_bytes - 1_000);
    publish(&mut client, &heavy[0].1.to_string()).await;
    let mut sent = 0;
    for round in 0..6 {
        for (_, document) in &heavy {
            let mut document = document.clone();
            document["did"] = format!("{round}").into();
            let mut frame = request(&format!("r{sent}"), &format!("p{sent}"), "打开灯");
            frame["payload"]["home"] = document;
            client.publish("request", frame.to_string()).await;
            sent += 1;
        }
    }
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    for n in 0..sent {
        let frame = client.finish(&format!("r{n}")).await;
        let data = &frame["payload"]["data"];
        let code = data["error"]["code"].as_str().unwrap_or("served");
        *ends.entry(code.to_owned()).or_default() += 1;
    }
    println!("{sent} requests with homes: {ends:?}, at most {} MiB", unit.held_by(&daemon));
    assert!(ends.get("served").is_some_and(|served| *served > 0));
    assert!(ends.keys().all(|code| ["served", "overloaded", "timeout"].contains(&&code[..])), "{ends:?}");
    client.publish("request", request("last", "p", "打开灯").to_string()).await;
    assert_eq!(client.finish("last").await["payload"]["data"]["ret"], 0);
    daemon.signal("TERM");
    assert!(daemon.end().await.0.success());
}

/// Requests with homes that may be served before somebody who only asks: the one in memory, and eight that wait for it.
const TURNS: usize = 9;

/// As many pipes as there are connections, each with homes as large as a frame may be, and one that only asks.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes; see the Makefile"]
async fn homes_that_come_by_pipes_do_not_end_the_daemon_and_keep_nobody_else_waiting() {
    let (broker, folder, http) = (Mosquitto::start().await, tempfile::tempdir().unwrap(), free_port().await);
    // What is looked at is whose turn it is: without optimisation two of these homes alone take seconds of both processors.
    let yaml = format!(
        "mqtt: {{port: {}}}\nhttp: {{listen: '127.0.0.1:{http}'}}\nservice: {{deadline_seconds: 60}}\n",
        broker.port
    );
    let config = configure_with_model(folder.path(), &yaml);
    let unit = Unit::new();
    let mut client = connect(broker.port).await;
    let daemon = unit.daemon(&config);
    client.status("online").await;
    let mut heavy = heavy();
    heavy.retain(|(_, document)| document.to_string().len() < Limits::default().payload_bytes - 1_000);
    publish(&mut client, &heavy[0].1.to_string()).await;
    let homes = Arc::new(heavy);
    let mut other = Pipe::over(connect_from(100, http).await, http, PIPE, &[]).await.unwrap();
    let mut floods = JoinSet::new();
    let served = Arc::new(AtomicUsize::new(0));
    for n in 0..60 {
        let (homes, served) = (Arc::clone(&homes), Arc::clone(&served));
        floods.spawn(async move {
            let mut pipe = Pipe::over(connect_from(n + 2, http).await, http, PIPE, &[]).await.unwrap();
            let mut ends = Vec::new();
            for round in 0..4 {
                let mut document = homes[(usize::from(n) + round) % homes.len()].1.clone();
                document["did"] = format!("{n}-{round}").into();
                // White space, up to what a frame may have.
                let mut frame = request(&round.to_string(), &round.to_string(), "打开灯");
                frame["payload"]["home"] = document;
                let mut frame = frame.to_string();
                frame.insert_str(1, &" ".repeat(Limits::default().payload_bytes - frame.len()));
                if pipe.socket.send(Message::Text(frame)).await.is_err() {
                    break;
                }
            }
            while let Some(Ok(message)) = pipe.socket.next().await {
                let Message::Text(text) = message else { continue };
                let frame: Value = serde_json::from_str(&text).unwrap();
                if frame["payload"]["finish"] == true {
                    let code = frame["payload"]["data"]["error"]["code"].as_str().unwrap_or("served");
                    ends.push(code.to_owned());
                    served.fetch_add(usize::from(code == "served"), Ordering::Relaxed);
                }
                if ends.len() == 4 {
                    return ends;
                }
            }
            ends.push("closed".into());
            ends
        });
    }
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    let (mut asked, mut most) = (0, 0);
    while let Some(told) = floods.join_next().await {
        told.unwrap().into_iter().for_each(|end| *ends.entry(end).or_default() += 1);
        asked += 1;
        let before = served.load(Ordering::Relaxed);
        assert_eq!(other.ask(&asked.to_string(), "p", "家里有哪些灯").await["ret"], 0);
        most = most.max(served.load(Ordering::Relaxed) - before);
    }
    println!("pipes with homes: {ends:?}, {most} served before another asker, at most {} MiB", unit.held_by(&daemon));
    assert!(most <= TURNS, "{most} homes were served before somebody who only asked");
    assert!(ends.get("served").is_some_and(|served| *served > 0));
    assert!(ends.keys().all(|end| ["served", "overloaded", "timeout", "closed"].contains(&&end[..])), "{ends:?}");
    daemon.signal("TERM");
    assert!(daemon.end().await.0.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_home_beyond_the_bounds_is_refused_with_a_report_and_the_one_before_stays() {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let config = configure(folder.path(), &format!("mqtt: {{port: {}}}\n", broker.port));
    let mut client = connect(broker.port).await;
    let _daemon = Process::of({
        let mut command = zhiju();
        command.args(["run", "--config"]).arg(&config);
        command
    });
    client.status("online").await;
    assert_eq!(publish(&mut client, &home().to_string()).await["ok"], true);
    let many = devices(json!({}), MAX_DEVICES + 1, |i| json!({"id": i.to_string(), "name": "灯", "commands": []}));
    let bomb = format!(r#"{{"devices": [], "x": [{}0]}}"#, r#"{"a":0},"#.repeat(MAX_DOCUMENT_BYTES / 8 - 10));
    for document in [many.to_string(), bomb] {
        let report = publish(&mut client, &document).await;
        assert_eq!((&report["ok"], &report["error"]["code"]), (&json!(false), &json!("bad_home")), "{report}");
    }
    client.publish("request", request("r", "p", "打开灯").to_string()).await;
    assert_eq!(client.finish("r").await["payload"]["data"]["ret"], 0);
}

/// A home that ends every start is served no more, and named; the daemon waits for another one.
#[tokio::test(flavor = "multi_thread")]
async fn a_home_that_ended_the_last_starts_keeps_the_daemon_from_no_more() {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let config = configure(folder.path(), &format!("mqtt: {{port: {}}}\n", broker.port));
    {
        let (store, _) = Store::open(&folder.path().join("store")).unwrap();
        store.save_registry(&home().to_string()).unwrap();
        // As many starts as were killed while they read the home.
        for ended in 0..MAX_STARTS {
            assert_eq!(store.starting().unwrap(), ended);
        }
    }
    let mut client = connect(broker.port).await;
    let start = || {
        let mut command = zhiju();
        command.args(["run", "--config"]).arg(&config);
        Process::of(command)
    };
    let daemon = start();
    let report = client.on("registry/report").await;
    assert!(report["ok"] == false && report["error"]["message"].as_str().unwrap().contains("set aside"), "{report}");
    assert_eq!(client.status("online").await["devices"], 0);
    assert_eq!(publish(&mut client, &home().to_string()).await["ok"], false, "the same home once more");
    let mut other = home();
    other["did"] = "smaller".into();
    let report = publish(&mut client, &other.to_string()).await;
    assert_eq!((&report["ok"], &report["revision"]), (&json!(true), &json!(2)));
    daemon.signal("TERM");
    assert!(daemon.end().await.0.success());
}
