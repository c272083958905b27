//! What the doors hold when many come at once.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use zhiju::door::http::PIPE;

use super::processor_seconds;
use crate::common::{Client, Mosquitto, free_port, request};
use crate::doors::clients::{Pipe, get, post};
use crate::doors::dial::Server;
use crate::process::{Process, configure_with_model};

/// Pipes at once, and requests on each.
const PIPES: usize = 200;
const EACH: usize = 20;

/// What is asked.
const QUESTION: &str = "家里哪些灯开着";

/// Connections that the daemon takes, half of them of one address.
const CONNECTIONS: usize = 400;

/// A daemon with the villa, vectors and all, and with HTTP on a port.
async fn served(folder: &std::path::Path, more: &str) -> (Mosquitto, Process, u16) {
    let (broker, http) = (Mosquitto::start().await, free_port().await);
    let doors = format!("http: {{listen: '127.0.0.1:{http}', connections: {CONNECTIONS}}}\n{more}");
    let yaml =
        format!("mqtt: {{port: {}}}\nlog: {{level: 'warn,zhiju::gist=info', format: journald}}\n{doors}", broker.port);
    let mut client = Client::connect(broker.port, "hub").await;
    let mut daemon = Process::start(&configure_with_model(folder, &yaml));
    client.status("online").await;
    client.publish("registry", crate::load::villa("villa")).await;
    client.on("registry/report").await;
    // Of the situations and of the home.
    for _ in 0..2 {
        daemon.says("vectors are ready").await;
    }
    // How things are, as hubs say when they begin: nobody is asked for it.
    for id in crate::load::switches() {
        client.publish(&format!("state/{id}"), json!({"power": false}).to_string()).await;
    }
    post(http, "/v1/ask", &[], &json!({"text": QUESTION})).await;
    (broker, daemon, http)
}

fn percentile(took: &mut [Duration], percent: usize) -> Duration {
    took.sort_unstable();
    took[(took.len() * percent / 100).min(took.len() - 1)]
}

/// How requests follow each other on a pipe.
#[derive(Clone, Copy)]
enum Pace {
    /// Each as soon as the one before is answered.
    OneByOne,
    /// All in the same moment.
    AtOnce,
    /// So far apart, whatever has been answered; pipe by pipe in turns.
    Every(Duration),
}

/// What became of requests.
#[derive(Default)]
struct Told {
    took: Vec<Duration>,
    /// By their codes.
    failed: BTreeMap<String, usize>,
}

impl Told {
    fn take(&mut self, sent: Instant, data: &Value) {
        self.took.push(sent.elapsed());
        if data["ret"] != 0 {
            let code = data["error"]["code"].as_str().expect("an error of the protocol");
            *self.failed.entry(code.to_owned()).or_default() += 1;
        }
    }
}

/// Asks [`EACH`] times on one of the pipes, and hears what becomes of it. A request that is never answered ends the test.
async fn ask(pipe: &mut Pipe, number: usize, pace: Pace) -> Told {
    let (mut sent, mut told) = (Vec::new(), Told::default());
    let start = Instant::now();
    while told.took.len() < EACH {
        let due = match pace {
            Pace::OneByOne => (sent.len() == told.took.len()).then_some(start),
            Pace::AtOnce => Some(start),
            Pace::Every(apart) => {
                let turn = apart * u32::try_from(number).unwrap() / PIPES as u32;
                Some(start + turn + apart * u32::try_from(sent.len()).unwrap())
            }
        };
        let due = due.filter(|_| sent.len() < EACH);
        tokio::select! {
            biased;
            () = tokio::time::sleep_until(due.unwrap_or(start).into()), if due.is_some() => {
                let (rid, page) = (sent.len().to_string(), format!("{number}-{}", sent.len()));
                sent.push(Instant::now());
                pipe.send(request(&rid, &page, QUESTION).to_string()).await;
            }
            (rid, data) = pipe.finish() => told.take(sent[rid.parse::<usize>().unwrap()], &data),
        }
    }
    told
}

/// Asks on all pipes at once, prints what became of it, and returns how many failed by their codes, and the time within which
/// 99 of 100 were answered.
async fn ask_all(pipes: &mut Vec<Pipe>, name: &str, pace: Pace) -> (BTreeMap<String, usize>, Duration) {
    let (mut tasks, start) = (JoinSet::new(), Instant::now());
    for (number, mut pipe) in pipes.drain(..).enumerate() {
        tasks.spawn(async move {
            let told = ask(&mut pipe, number, pace).await;
            (pipe, told)
        });
    }
    let mut all = Told::default();
    while let Some(done) = tasks.join_next().await {
        let (pipe, told) = done.unwrap();
        pipes.push(pipe);
        all.took.extend(told.took);
        told.failed.into_iter().for_each(|(code, many)| *all.failed.entry(code).or_default() += many);
    }
    let took = start.elapsed();
    let [p50, p99, last] = [50, 99, 100].map(|percent| percentile(&mut all.took, percent));
    println!(
        "{PIPES} pipes, {EACH} requests each, {name}: {} answered, {} lost, failed {:?}; {:.0}/s, p50 {p50:?}, p99 {p99:?}, the last after {last:?}",
        all.took.len(),
        PIPES * EACH - all.took.len(),
        all.failed,
        all.took.len() as f64 / took.as_secs_f64(),
    );
    (all.failed, p99)
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
    let mut memory = vec![before, daemon.resident_kb()];
    let mut ends = Vec::new();
    // Half a second apart on each: four hundred a second.
    let every = Pace::Every(Duration::from_millis(500));
    for (name, pace) in [("400/s", every), ("one in flight on each pipe", Pace::OneByOne)] {
        let used = processor_seconds(daemon.id());
        ends.push(ask_all(&mut pipes, name, pace).await);
        let each = (processor_seconds(daemon.id()) - used) / (PIPES * EACH) as f64;
        memory.push(daemon.resident_kb());
        println!("  {:.2} ms of a processor for each", each * 1e3);
    }
    // One more pipe of the same client, and another client, that ask one thing after the other meanwhile; from another address,
    // since this one has all the connections that it may have.
    let mut pipe = Pipe::over(connected_from("127.0.0.2", http).await, http, PIPE, &[]).await.unwrap();
    let over = AtomicBool::new(false);
    let (neighbour, other) = (Mutex::<Vec<Duration>>::default(), Mutex::<Vec<Duration>>::default());
    let at_once = async {
        ends.push(ask_all(&mut pipes, "all at once", Pace::AtOnce).await);
        over.store(true, Ordering::Relaxed);
    };
    let beside = async {
        while !over.load(Ordering::Relaxed) {
            let asked = Instant::now();
            assert_eq!(pipe.ask("r", "p", QUESTION).await["ret"], 0);
            neighbour.lock().unwrap().push(asked.elapsed());
        }
    };
    let elsewhere = async {
        while !over.load(Ordering::Relaxed) {
            let asked = Instant::now();
            assert!(ask_from("127.0.0.2", http).await.starts_with("HTTP/1.1 200"));
            other.lock().unwrap().push(asked.elapsed());
        }
    };
    tokio::join!(at_once, beside, elsewhere);
    for (who, mut took) in
        [("another pipe", neighbour.into_inner().unwrap()), ("another client", other.into_inner().unwrap())]
    {
        let [p50, p99] = [50, 99].map(|percent| percentile(&mut took, percent));
        println!("  {who} meanwhile: {} questions one after the other, p50 {p50:?}, p99 {p99:?}", took.len());
    }
    memory.push(daemon.resident_kb());
    println!("resident before, with the pipes, and after each: {memory:?} kB; at most {} kB", daemon.peak_kb());
    // Nobody is refused who can be served: they wait for their turn.
    assert!(ends[..2].iter().all(|(failed, _)| failed.is_empty()));
    // On a slow machine, what is asked at once outlasts the deadline.
    assert!(ends[2].0.keys().all(|code| code == "overloaded" || code == "timeout"));
    for (_, p99) in &ends[..2] {
        assert!(*p99 <= Duration::from_millis(100), "{p99:?}");
    }
    assert!(daemon.peak_kb() <= 128 * 1024);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn ten_thousand_idle_connections_and_one_that_never_reads() {
    let folder = tempfile::tempdir().unwrap();
    let (_broker, daemon, http) = served(folder.path(), "").await;
    let (before, own) = (daemon.resident_kb(), open_files(daemon.id()));
    let mut deaf = Pipe::open(http, &[]).await;
    let flood = async {
        for n in 0..100_000 {
            deaf.send(request(&n.to_string(), "p", &"灯".repeat(1_000)).to_string()).await;
        }
    };
    let _ = tokio::time::timeout(Duration::from_secs(3), flood).await;
    // As many at once as this process may have files open.
    let room = std::fs::read_to_string("/proc/self/limits").unwrap();
    let room =
        room.lines().find_map(|line| line.strip_prefix("Max open files")?.split_whitespace().next()?.parse().ok());
    let most = 10_000.min(room.unwrap_or(1_024) - 200);
    let (mut idle, start) = (Vec::new(), Instant::now());
    for _ in 0..most {
        idle.push(TcpStream::connect(("127.0.0.1", http)).await.unwrap());
    }
    let connected = start.elapsed();
    // From another address, while they are there.
    let asked = Instant::now();
    let reply = ask_from("127.0.0.2", http).await;
    let (answered, files) = (asked.elapsed(), open_files(daemon.id()));
    let closed = idle.iter().filter(|stream| matches!(stream.try_read(&mut [0; 1]), Ok(0))).count();
    for mut stream in idle {
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
    println!(
        "{most} idle connections of one address at once, made in {connected:?}: {closed} closed at once, {} files open instead of \
         {own}, the others given up after {:?}; a request of another address meanwhile, beside a client that never reads, took \
         {answered:?}; resident {before} kB, at most {} kB",
        files,
        start.elapsed(),
        daemon.peak_kb(),
    );
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
    assert!(files <= own + CONNECTIONS && closed >= most - CONNECTIONS, "{files} {closed}");
    assert_eq!(get(http, "/healthz", &[]).await.status, 200);
}

/// How many files a process has open.
fn open_files(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// A connection from an address of this machine.
async fn connected_from(address: &str, http: u16) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(format!("{address}:0").parse().unwrap()).unwrap();
    socket.connect(([127, 0, 0, 1], http).into()).await.unwrap()
}

/// Asks from an address of this machine and returns the response.
async fn ask_from(address: &str, http: u16) -> String {
    let mut stream = connected_from(address, http).await;
    let body = json!({"text": QUESTION}).to_string();
    let head = "POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length:";
    stream.write_all(format!("{head} {}\r\n\r\n{body}", body.len()).as_bytes()).await.unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.unwrap();
    reply
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
