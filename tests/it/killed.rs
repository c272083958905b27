//! The daemon, or its Home Assistant, killed twenty times in the middle of four hundred commands: each that was promised is
//! done or told of, and none is done twice that must not be.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, accept_async};

use crate::common::{Client, Mosquitto, Pace, json_of, request, within};
use crate::process::{Process, configure};

const ROUNDS: usize = 20;
const EACH: usize = 20;

/// What a Home Assistant was called for: a script, or the value of its number.
type Calls = watch::Sender<Vec<String>>;

/// The scripts of the house, by their ids.
fn scripts() -> BTreeMap<String, String> {
    let (first, last) = ("红黄蓝绿黑白紫铜木花", "牛马羊狗猫鸡鸭虎兔龙蛇猴鼠鱼鹰豹熊狼象鹿");
    let names = first.chars().flat_map(|first| last.chars().map(move |last| format!("{first}{last}流程")));
    names.enumerate().map(|(n, name)| (format!("script.s{n:03}"), name)).collect()
}

/// A side of the protocol that is Home Assistant's: it does what it is called for and says so.
struct Peer {
    socket: WebSocketStream<TcpStream>,
    scripts: BTreeMap<String, String>,
    states: u64,
    calls: Calls,
    /// Whether a connection is there, its house told.
    up: watch::Sender<bool>,
    /// After how many calls of this connection it breaks, in the middle of the last: done, and never answered.
    breaks: Option<usize>,
}

impl Peer {
    /// Serves one connection after the other.
    async fn serve(
        listener: TcpListener,
        calls: Calls,
        up: watch::Sender<bool>,
        breaks: impl Fn(usize) -> Option<usize>,
    ) {
        for connection in 0.. {
            let (stream, _) = listener.accept().await.unwrap();
            // Who was killed in the middle of a greeting is gone.
            if let Ok(socket) = accept_async(stream).await {
                let (calls, breaks, told) = (calls.clone(), breaks(connection), up.clone());
                let mut peer = Self { socket, scripts: scripts(), states: 0, calls, up: told, breaks };
                while peer.turn().await.is_some() {
                    up.send_replace(peer.states > 1);
                }
                up.send_replace(false);
            }
        }
    }

    async fn say(&mut self, message: Value) -> Option<()> {
        self.socket.send(Message::Text(message.to_string())).await.ok()
    }

    async fn turn(&mut self) -> Option<()> {
        if self.states == 0 {
            self.say(json!({"type": "auth_required", "ha_version": "2024.3.3"})).await?;
            self.states = 1;
        }
        let Message::Text(text) = self.socket.next().await?.ok()? else { return Some(()) };
        let asked: Value = serde_json::from_str(&text).ok()?;
        let ids = || self.scripts.keys().map(String::as_str).chain(["input_number.pond"]);
        let mut event = None;
        let result = match asked["type"].as_str()? {
            "auth" => return self.say(json!({"type": "auth_ok", "ha_version": "2024.3.3"})).await,
            "ping" => return self.say(json!({"id": asked["id"], "type": "pong"})).await,
            "get_config" => json!({"state": "RUNNING"}),
            "homeassistant/expose_entity/list" => {
                json!({"exposed_entities": ids().map(|id| (id, json!({"conversation": true}))).collect::<BTreeMap<_, _>>()})
            }
            "subscribe_entities" => {
                self.states = asked["id"].as_u64()?;
                let named = |name: &str| json!({"s": "off", "a": {"friendly_name": name}});
                let mut all: BTreeMap<&str, Value> =
                    self.scripts.iter().map(|(id, name)| (id.as_str(), named(name))).collect();
                let attributes = json!({"friendly_name": "池塘水位", "min": 0, "max": 1000, "step": 1});
                all.insert("input_number.pond", json!({"s": "0", "a": attributes}));
                event = Some(json!({"a": all}));
                Value::Null
            }
            "call_service" => {
                let id = asked["target"]["entity_id"].as_str().or(asked["target"]["entity_id"][0].as_str())?;
                let value = &asked["service_data"]["value"];
                let call = if value.is_null() { id.to_owned() } else { value.to_string() };
                if !value.is_null() {
                    event = Some(json!({"c": {id: {"+": {"s": value.to_string()}}}}));
                }
                let left = self.breaks.map(|more| more.checked_sub(1));
                // Whoever hears of the call knows whether the connection outlived it.
                if left == Some(None) {
                    self.up.send_replace(false);
                }
                self.calls.send_modify(|calls| calls.push(call));
                self.breaks = left.flatten();
                if left == Some(None) {
                    return None;
                }
                Value::Null
            }
            list if list.ends_with("/list") => json!([]),
            _ => Value::Null,
        };
        self.say(json!({"id": asked["id"], "type": "result", "success": true, "result": result})).await?;
        match event {
            Some(event) => self.say(json!({"id": self.states, "type": "event", "event": event})).await,
            None => Some(()),
        }
    }
}

/// Starts the daemon; it can be spoken to when its hub is there.
async fn start(config: &Path, port: u16) -> Process {
    let daemon = Process::start(config);
    let pid = daemon.id();
    let mut client = Client::subscribed(port, "ear", &["zhiju/home/status", "zhiju/home/hubs"], Pace::default()).await;
    // What the broker keeps of the run before is not what this one says.
    client
        .find("the new daemon", |p| p.topic == "zhiju/home/status" && !p.retain && json_of(p)["state"] == "online")
        .await;
    let there = |p: &rumqttc::v5::mqttbytes::v5::Publish| {
        p.topic == "zhiju/home/hubs" && !p.retain && json_of(p)["hubs"][0]["online"] == true
    };
    client.find(&format!("the hub of {pid}"), there).await;
    daemon
}

/// How many orders a daemon said that it dropped: nobody knows whether they were done.
fn dropped(lines: &[String]) -> usize {
    let counts = lines.iter().filter_map(|line| {
        let fields: Value = serde_json::from_str(line).ok()?;
        let unsure = fields.pointer("/fields/unsure").or(fields.get("unsure"))?.as_u64()?;
        usize::try_from(unsure).ok()
    });
    counts.sum()
}

/// The configuration file of a daemon with such a Home Assistant.
fn config(folder: &Path, port: u16, address: &SocketAddr) -> PathBuf {
    let token = folder.join("token");
    std::fs::write(&token, "good\n").unwrap();
    std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let hub = format!("{{kind: home_assistant, url: 'http://{address}', token_file: '{}'}}", token.display());
    let yaml = format!(
        "mqtt: {{port: {port}}}\nhubs: {{ha: {hub}}}\ndelivery: {{ttl_seconds: 60}}\nlog: {{level: warn, format: json}}\n"
    );
    configure(folder, &yaml)
}

/// What is said, and what Home Assistant is called for by it: every other one is a script, of which each is asked for once.
fn order(n: usize, names: &[(String, String)]) -> (String, String) {
    if n.is_multiple_of(2) {
        (format!("池塘水位调到{}", n + 1), (n + 1).to_string())
    } else {
        (format!("执行{}", names[n / 2].1), names[n / 2].0.clone())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_home_assistant_that_breaks_twenty_times_does_or_is_told_of_everything_and_no_script_twice() {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = config(folder.path(), broker.port, &listener.local_addr().unwrap());
    let (calls, mut called) = watch::channel(Vec::new());
    // Another moment each time, in the second half of a round: what comes while it is away is refused.
    let breaks = |connection: usize| (connection < ROUNDS).then_some(EACH / 2 + connection * 5 % 9);
    let (up, mut there) = watch::channel(false);
    let peer = tokio::spawn(Peer::serve(listener, calls, up, breaks));
    let heard: &[&str] = &["zhiju/home/response/+", "zhiju/home/outcome/+"];
    let mut client = Client::subscribed(broker.port, "person", heard, Pace::default()).await;
    let daemon = start(&config, broker.port).await;
    let names: Vec<(String, String)> = scripts().into_iter().collect();
    let (mut promised, mut refused) = (BTreeSet::new(), 0);
    for round in 0..ROUNDS {
        // What was said last of the hub may be of the connection that has just broken.
        within("a connection", there.wait_for(|there| *there)).await.unwrap();
        let mut ear = Client::subscribed(broker.port, "ear", &["zhiju/home/hubs"], Pace::default()).await;
        ear.find("the hub", |p| json_of(p)["hubs"][0]["online"] == true).await;
        for n in round * EACH..(round + 1) * EACH {
            let said = order(n, &names).0;
            client.publish("request", request(&format!("r{n}"), &format!("p{n}"), &said).to_string()).await;
        }
        for n in round * EACH..(round + 1) * EACH {
            let active = client.finish(&format!("r{n}")).await["payload"]["data"]["active"].clone();
            match active["instructs"].as_array().map_or(0, Vec::len) {
                // It was away, and the reply says so.
                0 => refused += usize::from(!active["intent"]["result"].as_str().unwrap().contains("正在")),
                _ => _ = promised.insert(order(n, &names).1),
            }
        }
        // A value is said again until it is answered. What was asked for at once by several may be done in any order.
        let values = (round * EACH..(round + 1) * EACH).step_by(2).map(|n| order(n, &names).1);
        let values: Vec<String> = values.filter(|value| promised.contains(value)).collect();
        let done = |calls: &Vec<String>| values.iter().all(|value| calls.contains(value));
        within("all values", called.wait_for(done)).await.unwrap();
    }
    assert_eq!(promised.len() + refused, ROUNDS * EACH);
    assert!(promised.len() >= ROUNDS * EACH / 2, "{} of {}", promised.len(), ROUNDS * EACH);
    // A script that was on its way when the connection broke is not said again, and whoever asked for it is told. The last one may still be
    // on its way.
    let calls = called.borrow().clone();
    let lost: Vec<usize> = (0..ROUNDS * EACH)
        .filter(|n| promised.contains(&order(*n, &names).1) && !calls.contains(&order(*n, &names).1))
        .collect();
    assert!(lost.iter().all(|n| n % 2 == 1), "{lost:?}");
    for n in lost {
        let script = order(n, &names).1;
        let outcome = format!("outcome/r{n}");
        tokio::select! {
            told = client.on(&outcome) => assert_eq!(told["result"], "silent", "{n}"),
            run = called.wait_for(|calls| calls.contains(&script)) => drop(run.unwrap()),
        }
    }
    let calls = called.borrow().clone();
    let twice = |call: &&String| calls.iter().filter(|other| other == call).count() > 1;
    let twice: Vec<&String> = calls.iter().filter(|call| call.starts_with("script.")).filter(twice).collect();
    assert!(twice.is_empty(), "{twice:?}");
    drop(daemon);
    peer.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_is_killed_twenty_times_loses_nothing_untold_and_runs_no_script_twice() {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (calls, mut called) = watch::channel(Vec::new());
    let peer = tokio::spawn(Peer::serve(listener, calls, watch::channel(false).0, |_| None));
    let config = config(folder.path(), broker.port, &address);
    let mut client = Client::subscribed(broker.port, "person", &["zhiju/home/response/+"], Pace::default()).await;
    let names: Vec<(String, String)> = scripts().into_iter().collect();
    let (mut promised, mut told_of) = (BTreeSet::new(), 0);
    for round in 0..ROUNDS {
        let mut daemon = start(&config, broker.port).await;
        told_of += dropped(&daemon.said());
        let before = called.borrow().len();
        for n in round * EACH..(round + 1) * EACH {
            let said = order(n, &names).0;
            client.publish("request", request(&format!("r{n}"), &format!("p{n}"), &said).to_string()).await;
        }
        // Another moment each time: after the first of them, or after nearly all.
        let enough = before + 1 + round * 7 % (EACH - 2);
        within("some calls", called.wait_for(|calls| calls.len() >= enough)).await.unwrap();
        daemon.signal("KILL");
        let (_, rest) = daemon.end().await;
        told_of += dropped(&rest);
    }
    let daemon = start(&config, broker.port).await;
    client.publish("request", request("last", "last", "池塘水位调到999").to_string()).await;
    within("the last call", called.wait_for(|calls| calls.iter().any(|call| call == "999"))).await.unwrap();
    client.finish("last").await;
    daemon.signal("TERM");
    let (_, rest) = daemon.end().await;
    told_of += dropped(&rest);
    for n in 0..ROUNDS * EACH {
        let topic = format!("zhiju/home/response/r{n}");
        if client.count(|p| p.topic == topic && json_of(p)["payload"]["finish"] == true) == 0 {
            continue;
        }
        let active = client.finish(&format!("r{n}")).await["payload"]["data"]["active"].clone();
        let instructs = active["instructs"].as_array().map_or(0, Vec::len);
        assert_eq!(instructs, 1, "{n}: {active}");
        promised.insert(order(n, &names).1);
    }
    let calls = called.borrow().clone();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    calls.iter().for_each(|call| *times.entry(call).or_default() += 1);
    let twice: Vec<_> = times.iter().filter(|(call, n)| call.starts_with("script.") && **n > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let lost: Vec<_> = promised.iter().filter(|call| !times.contains_key(call.as_str())).collect();
    let (scripts, values): (Vec<_>, Vec<_>) = lost.into_iter().partition(|call| call.starts_with("script."));
    assert!(values.is_empty() && scripts.len() <= told_of, "{values:?}; {scripts:?}, {told_of} were told of");
    assert!(promised.len() >= ROUNDS, "{} of {} were promised", promised.len(), ROUNDS * EACH);
    peer.abort();
}
