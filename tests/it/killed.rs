//! The daemon killed twenty times in the middle of four hundred commands to a Home Assistant: each that was promised is
//! done or told of, and none is done twice that must not be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

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
}

impl Peer {
    /// Serves one connection after the other.
    async fn serve(listener: TcpListener, calls: Calls) {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // Who was killed in the middle of a greeting is gone.
            if let Ok(socket) = accept_async(stream).await {
                let mut peer = Self { socket, scripts: scripts(), states: 0, calls: calls.clone() };
                while peer.turn().await.is_some() {}
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
                self.calls.send_modify(|calls| calls.push(call));
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

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_is_killed_twenty_times_loses_nothing_untold_and_runs_no_script_twice() {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (calls, mut called) = watch::channel(Vec::new());
    let peer = tokio::spawn(Peer::serve(listener, calls));
    let token = folder.path().join("token");
    std::fs::write(&token, "good\n").unwrap();
    std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let hub = format!("{{kind: home_assistant, url: 'http://{address}', token_file: '{}'}}", token.display());
    let yaml = format!(
        "mqtt: {{port: {}}}\nhubs: {{ha: {hub}}}\ndelivery: {{ttl_seconds: 60}}\nlog: {{level: warn, format: json}}\n",
        broker.port
    );
    let config = configure(folder.path(), &yaml);
    let mut client = Client::subscribed(broker.port, "person", &["zhiju/home/response/+"], Pace::default()).await;
    let names: Vec<(String, String)> = scripts().into_iter().collect();
    let (mut promised, mut told_of) = (BTreeSet::new(), 0);
    for round in 0..ROUNDS {
        let mut daemon = start(&config, broker.port).await;
        told_of += dropped(&daemon.said());
        let before = called.borrow().len();
        for n in round * EACH..(round + 1) * EACH {
            // Every other one is a script, of which each is asked for once.
            let said =
                if n % 2 == 0 { format!("池塘水位调到{}", n + 1) } else { format!("执行{}", names[n / 2].1) };
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
        promised.insert(if n % 2 == 0 { (n + 1).to_string() } else { names[n / 2].0.clone() });
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
