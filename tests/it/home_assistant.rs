//! What is said is done by a real Home Assistant, as it reports itself: `deploy/tests/home_assistant.sh` starts one.

#![allow(clippy::print_stdout, reason = "the figures are the result")]

mod discovery;
mod killed;
mod secured;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Message;
use zhiju::dial::TlsSettings;
use zhiju::hub::home_assistant::Settings;

use crate::common::{Client, Mosquitto, Pace, json_of, request, within};
use crate::process::{Process, configure};

/// How many of the sentences must end in the right state, in per cent.
const FLOOR: f64 = 95.0;

/// How long a thing may take to get where it was sent: the demo's covers move a tenth of their way a second.
const ARRIVES: Duration = Duration::from_secs(14);

#[derive(Deserialize)]
struct House {
    sentences: Vec<Sentence>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentence {
    say: String,
    then: Option<String>,
    room: Option<String>,
    #[serde(default)]
    want: BTreeMap<String, BTreeMap<String, Value>>,
    #[serde(default)]
    told: Vec<String>,
    /// An entity whose state is when it was last pressed.
    changed: Option<String>,
}

/// A Home Assistant as its own REST interface shows it.
#[derive(Clone)]
struct Rest {
    address: String,
    token: String,
}

impl Rest {
    async fn ask(&self, method: &str, path: &str, body: &str) -> std::io::Result<Value> {
        let mut stream = TcpStream::connect(&self.address).await?;
        let (token, length) = (&self.token, body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n{body}",
            self.address
        );
        stream.write_all(head.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        let text = String::from_utf8_lossy(&answer);
        let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        serde_json::from_str(body).map_err(|error| std::io::Error::other(format!("{error}: {text}")))
    }

    async fn state(&self, entity: &str) -> Value {
        self.ask("GET", &format!("/api/states/{entity}"), "").await.unwrap_or_default()
    }

    /// Waits until all is as wanted: nothing tells when it changes.
    async fn until(&self, wanted: &BTreeMap<String, BTreeMap<String, Value>>, what: &str) {
        let asking = async {
            while !self.misses(wanted).await.is_empty() {
                sleep(Duration::from_millis(50)).await;
            }
        };
        within(what, asking).await;
    }

    /// What is not yet so, of what is wanted.
    async fn misses(&self, wanted: &BTreeMap<String, BTreeMap<String, Value>>) -> Vec<String> {
        let mut misses = Vec::new();
        for (entity, values) in wanted {
            let state = self.state(entity).await;
            for (key, value) in values {
                let is = if key == "state" { &state["state"] } else { &state["attributes"][key] };
                if !fits(value, is) {
                    misses.push(format!("{entity} {key}: {is} instead of {value}"));
                }
            }
        }
        misses
    }
}

fn fits(wanted: &Value, is: &Value) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() < 0.011;
    match (wanted, is.as_f64()) {
        (Value::Array(range), Some(is)) if range.len() == 2 => {
            range[0].as_f64().is_some_and(|low| is >= low - 0.01)
                && range[1].as_f64().is_some_and(|high| is <= high + 0.01)
        }
        (Value::Array(any), None) if any.iter().all(Value::is_string) => any.contains(is),
        (Value::Number(wanted), Some(is)) => wanted.as_f64().is_some_and(|wanted| close(wanted, is)),
        _ => wanted == is,
    }
}

/// A daemon in a process of its own that was told of the Home Assistant by its configuration file, and who speaks to it.
struct Trial {
    broker: Mosquitto,
    client: Client,
    _daemon: Process,
    _folder: tempfile::TempDir,
    asked: usize,
}

impl Trial {
    async fn start(settings: &Settings) -> Self {
        let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
        let (url, token) = (&settings.url, settings.token_file.display());
        let hub = format!("home: {{kind: home_assistant, url: '{url}', token_file: '{token}'}}");
        let yaml = format!("mqtt: {{port: {}}}\nhubs: {{{hub}}}\nlog: {{level: warn}}\n", broker.port);
        let config = configure(folder.path(), &yaml);
        let topics: &[&str] = &["zhiju/home/response/#", "zhiju/home/outcome/#"];
        let client = Client::subscribed(broker.port, "person", topics, Pace::default()).await;
        let trial = Self { broker, client, _daemon: Process::start(&config), _folder: folder, asked: 0 };
        trial.until_online(true).await;
        trial
    }

    /// What the daemon says of the hub, once that is as wanted: the last that it said, or what it says next.
    async fn told(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut client = Client::subscribed(self.broker.port, "ear", &["zhiju/home/hubs"], Pace::default()).await;
        json_of(&client.find(what, |publish| wanted(&json_of(publish))).await)
    }

    async fn until_online(&self, online: bool) {
        self.told("the hub", |told| told["hubs"][0]["online"] == online && told["hubs"][0]["devices"] != 0).await;
    }

    /// How many homes there were until now.
    async fn revision(&self) -> u64 {
        self.told("a revision", |_| true).await["revision"].as_u64().unwrap()
    }

    /// Asks in a room; the rid.
    async fn ask(&mut self, question: &str, room: &str, page: &str) -> String {
        self.asked += 1;
        let rid = format!("t{}", self.asked);
        let mut frame = request(&rid, page, question);
        frame["payload"]["local"] = room.into();
        self.client.publish("request/trial", frame.to_string()).await;
        rid
    }

    /// The answer: what is said, what sort of answer that is, and how many devices are told something.
    async fn answer(&mut self, rid: &str) -> (String, String, usize) {
        let frame = self.client.finish(&format!("trial/{rid}")).await;
        let active = &frame["payload"]["data"]["active"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let told = active["instructs"].as_array().map_or(0, Vec::len);
        (text(&active["intent"]["result"]), text(&active["intent"]["type"]), told)
    }

    async fn say(&mut self, question: &str, room: &str, page: &str) -> (String, String) {
        let rid = self.ask(question, room, page).await;
        let (reply, sort, _) = self.answer(&rid).await;
        (reply, sort)
    }
}

fn settings() -> (Settings, Rest) {
    let url = std::env::var("ZHIJU_HA_URL").expect("deploy/tests/home_assistant.sh names it");
    let token_file = PathBuf::from(std::env::var("ZHIJU_HA_TOKEN_FILE").unwrap());
    let token = std::fs::read_to_string(&token_file).unwrap().trim().to_owned();
    let rest = Rest { address: url.trim_start_matches("http://").to_owned(), token };
    (Settings { name: "home".into(), url, token_file, tls: TlsSettings::default() }, rest)
}

/// Ends the Home Assistant at once, as a power cut does.
fn kill() {
    let file = std::env::var("ZHIJU_HA_PID").unwrap();
    let pid = std::fs::read_to_string(file).unwrap();
    assert!(Command::new("kill").args(["-9", pid.trim()]).status().unwrap().success());
}

/// Starts it again; it answers when this is over.
fn start() {
    assert!(Command::new(std::env::var("ZHIJU_HA_START").unwrap()).status().unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a real Home Assistant; see deploy/tests/home_assistant.sh"]
async fn what_is_said_is_done_as_home_assistant_itself_reports_it() {
    let (settings, rest) = settings();
    let began = Instant::now();
    let mut trial = Trial::start(&settings).await;
    let told = trial.told("the hub", |_| true).await["hubs"][0].clone();
    println!("{} devices in {} rooms after {:?}", told["devices"], told["rooms"], began.elapsed());
    if std::env::var_os("ZHIJU_HA_PRINT").is_some() {
        println!("{told:#}");
    }

    let house = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/tests/home_assistant.yaml");
    let house: House = serde_yaml::from_str(&std::fs::read_to_string(house).unwrap()).unwrap();
    let mut missed = Vec::new();
    for (at, sentence) in house.sentences.iter().enumerate() {
        let (room, page) = (sentence.room.as_deref().unwrap_or("客厅"), format!("page-{at}"));
        let before = match &sentence.changed {
            Some(entity) => rest.state(entity).await["state"].clone(),
            None => Value::Null,
        };
        let mut said = trial.say(&sentence.say, room, &page).await;
        if let Some(then) = &sentence.then {
            assert_eq!(said.1, "question", "{}: {}", sentence.say, said.0);
            said = trial.say(then, room, &page).await;
        }
        let (reply, _) = said;
        let deadline = Instant::now() + ARRIVES;
        let misses = loop {
            let mut misses = rest.misses(&sentence.want).await;
            if let Some(entity) = &sentence.changed
                && rest.state(entity).await["state"] == before
            {
                misses.push(format!("{entity} did not change"));
            }
            misses.extend(sentence.told.iter().filter(|word| !reply.contains(*word)).map(|word| format!("no {word}")));
            let settled = misses.is_empty() || Instant::now() > deadline || !sentence.told.is_empty();
            if settled {
                break misses;
            }
            // Its own state is asked for: nothing tells when it changes.
            sleep(Duration::from_millis(50)).await;
        };
        if !misses.is_empty() {
            println!("MISS {} → {reply} {misses:?}", sentence.say);
            missed.push(&sentence.say);
        }
    }
    let all = house.sentences.len();
    let share = 100.0 * (all - missed.len()) as f64 / all as f64;
    println!("{} of {all} sentences end in the right state: {share:.1} %", all - missed.len());
    assert!(all >= 150 && share >= FLOOR, "{missed:?}");
}

/// Renames an entity as its owner does in Home Assistant.
async fn rename(settings: &Settings, entity: &str, name: &str) {
    let address = settings.address().unwrap();
    let (mut socket, _) = tokio_tungstenite::connect_async(&address).await.unwrap();
    let token = std::fs::read_to_string(&settings.token_file).unwrap();
    let update = json!({"id": 1, "type": "config/entity_registry/update", "entity_id": entity, "name": name});
    for message in [json!({"type": "auth", "access_token": token.trim()}), update] {
        socket.send(Message::Text(message.to_string())).await.unwrap();
    }
    while let Some(Ok(Message::Text(text))) = socket.next().await {
        let heard: Value = serde_json::from_str(&text).unwrap();
        if heard["id"] == 1 {
            assert_eq!(heard["success"], true, "{heard}");
            return;
        }
    }
    panic!("the connection ended");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a real Home Assistant; see deploy/tests/home_assistant.sh"]
async fn a_new_name_is_understood_at_once_and_a_restart_is_outlived() {
    let (settings, rest) = settings();
    let mut trial = Trial::start(&settings).await;
    let before = trial.revision().await;
    rename(&settings, "switch.decorative_lights", "圣诞树插座").await;
    let renamed = Instant::now();
    trial.told("the new name", |told| told["revision"].as_u64() > Some(before)).await;
    println!("a new name is told of after {:?}", renamed.elapsed());
    let wanted =
        |on: &str| BTreeMap::from([("switch.decorative_lights".to_owned(), [("state".to_owned(), on.into())].into())]);
    for (said, is) in [("关掉圣诞树插座", "off"), ("打开圣诞树插座", "on")] {
        let (reply, _) = trial.say(said, "客厅", "rename").await;
        rest.until(&wanted(is), &format!("{said} {reply}")).await;
    }

    let before = trial.revision().await;
    kill();
    trial.until_online(false).await;
    start();
    let restarted = Instant::now();
    trial.until_online(true).await;
    println!("it is there again {:?} after it answers", restarted.elapsed());
    // It writes its registry seconds later: the new name did not outlive the power cut, the others did.
    let (reply, _) = trial.say("打开鱼缸开关", "客厅", "restart").await;
    let wanted = [("switch.ac".to_owned(), [("state".to_owned(), "on".into())].into())].into();
    rest.until(&wanted, &reply).await;
    println!("homes made of the restart: {}", trial.revision().await - before);
    rename(&settings, "switch.decorative_lights", "彩灯插座").await;
}
