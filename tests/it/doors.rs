//! The doors besides MQTT, over real sockets.

pub mod clients;
pub mod dial;
mod http;
mod mcp;
mod names;
mod pipe;
pub mod renewed;
mod said;
mod trail;
mod wyoming;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use zhiju::daemon::DaemonSettings;
use zhiju::door::http::{HttpSettings, Terms, Tokens};
use zhiju::door::wyoming::WyomingSettings;

use crate::common::{Broker, Client, Daemon, free_port, within};
use crate::process::{Process, configure};
use clients::{McpClient, Pipe, Reply, WyomingClient, get, post};
use said::{Door, Heard, all};

/// What the tests show as a token.
pub const SECRET: &str = "a-secret-of-the-tests";

/// A daemon with all its doors open, and the villa.
pub struct House {
    pub broker: Broker,
    pub client: Client,
    pub daemon: Daemon,
    pub http: u16,
    pub wyoming: u16,
}

impl House {
    pub async fn open() -> Self {
        Self::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut DaemonSettings)) -> Self {
        let broker = Broker::embedded().await;
        let mut client = Client::connect(broker.port(), "client").await;
        let (http, wyoming) = (free_port().await, free_port().await);
        let daemon = Daemon::start(broker.port(), |settings| {
            settings.http = Some(http_settings(http));
            let listen = SocketAddr::from(([127, 0, 0, 1], wyoming));
            settings.wyoming = Some(WyomingSettings { listen, clients: Vec::new(), connections: 32, announce: false });
            change(settings);
        });
        client.status("online").await;
        client.publish("registry", crate::load::villa("villa")).await;
        assert_eq!(client.on("registry/report").await["ok"], true);
        Self { broker, client, daemon, http, wyoming }
    }

    /// How many instructs have gone out so far.
    pub fn moved(&mut self) -> usize {
        self.client.count(|publish| publish.topic.starts_with(b"zhiju/home/instruct/"))
    }
}

pub fn http_settings(port: u16) -> HttpSettings {
    HttpSettings {
        listen: SocketAddr::from(([127, 0, 0, 1], port)),
        terms: Terms::default(),
        tls: None,
        connections: 64,
        idle: Duration::from_secs(300),
    }
}

pub fn tokens() -> Tokens {
    Tokens::read(&format!("phone ask,see {SECRET}\npanel see {SECRET}-2\nvoice ask {SECRET}-3\n")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_sentences_mean_the_same_through_every_door() {
    let text = include_str!("doors/sentences.yaml");
    let pages: BTreeMap<String, Vec<String>> = serde_yaml::from_str(text).unwrap();
    let said: Vec<(&str, &str)> =
        pages.iter().flat_map(|(page, said)| said.iter().map(|text| (page.as_str(), text.as_str()))).collect();
    assert!(said.len() >= 100);
    // Nobody is there to be asked how a device is by now.
    let mut house = House::with(|settings| settings.service.state_max_age = None).await;
    let expected = all(&mut house, &mut Door::Mqtt, &said, None).await;
    let told = |question: (&str, &str)| &expected[said.iter().position(|said| *said == question).unwrap()].told;
    assert_eq!(told(("lock", "确认"))[0].0, "lock-01");
    assert_eq!(told(("refused-lock", "确认")), &[], "what was called off is not confirmed");
    for page in ["late-yes", "chatter", "not-now", "others", "asks", "risky-job", "hostile-words"] {
        let moved = said.iter().zip(&expected).find(|((of, _), heard)| *of == page && !heard.told.is_empty());
        assert_eq!(moved, None);
    }
    assert!(expected.iter().filter(|heard| !heard.told.is_empty()).count() >= 40);
    for wanted in
        [|heard: &Heard| heard.asks, |heard: &Heard| !heard.ours, |heard: &Heard| heard.told.is_empty() && heard.ours]
    {
        assert!(expected.iter().filter(|heard| wanted(heard)).count() >= 5);
    }
    assert!(expected.iter().filter(|heard| !heard.jobs.is_empty()).count() >= 5);
    assert_eq!(expected.last().unwrap().jobs, [] as [Value; 0], "every door begins with the same book");
    let doors = [
        Door::Ask,
        Door::Conversation,
        Door::Pipe(Box::new(Pipe::open(house.http, &[]).await)),
        Door::Wyoming,
        Door::Mcp(McpClient::new(house.http)),
        Door::Stateless,
    ];
    for (number, mut door) in doors.into_iter().enumerate() {
        let heard = all(&mut house, &mut door, &said, Some(&expected)).await;
        for ((expected, heard), question) in expected.iter().zip(&heard).zip(&said) {
            assert_eq!(&expected.at(&door), heard, "door {number}: {question:?}");
        }
    }
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_only_by_whoever_was_asked() {
    let folder = tempfile::tempdir().unwrap();
    let mut house = House::with(|settings| {
        settings.http.as_mut().unwrap().terms.tokens = Some(tokens());
        settings.state_dir = folder.path().to_owned();
    })
    .await;
    let bearer = |secret: &str| format!("Bearer {secret}");
    let (phone, voice) = (bearer(SECRET), bearer(&format!("{SECRET}-3")));
    let http = house.http;
    let say = |token: String, text: &'static str| async move {
        let said = json!({"text": text, "page_id": "p"});
        post(http, "/v1/ask", &[("Authorization", &token)], &said).await.body
    };
    assert_eq!(say(phone.clone(), "打开大门锁").await["intent"], "question");
    // Neither another token, nor the same one by another door, nor MQTT: whatever they call the page.
    assert_eq!(say(voice, "确认").await["instructs"], json!([]));
    let mut pipe = Pipe::open(house.http, &[("Authorization", &phone)]).await;
    assert_eq!(pipe.ask("r", "p", "确认").await["active"]["instructs"], json!([]));
    let frame = crate::common::request("m", "p", "确认").to_string();
    house.client.publish("request", frame).await;
    assert_eq!(house.client.finish("m").await["payload"]["data"]["active"]["instructs"], json!([]));
    let (_, data) = WyomingClient::connect(house.wyoming)
        .await
        .ask("transcript", json!({"text": "确认", "context": {"conversation_id": "p"}}))
        .await;
    assert!(data["text"].is_string());
    assert_eq!(house.moved(), 0);
    assert_eq!(say(phone, "确认").await["instructs"][0]["id"], "lock-01");
    house.client.on("instruct/lock-01").await;
    house.daemon.stop().await;
    let trail = zhiju::store::read_trail(folder.path()).unwrap();
    let trail: Vec<Value> = trail.iter().map(|entry| serde_json::from_slice(entry).unwrap()).collect();
    let steps: Vec<&str> = trail.iter().filter_map(|entry| entry["step"].as_str()).collect();
    assert_eq!(steps, ["asked", "ordered", "moved"]);
    assert!(trail.iter().all(|entry| entry["door"] == "http" && entry["client"] == "phone"), "{trail:?}");
}

/// The ports that a process listens on.
fn listening(pid: u32) -> Vec<u16> {
    let links = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let links = links.filter_map(|link| std::fs::read_link(link.ok()?.path()).ok());
    let own: Vec<String> = links.map(|link| link.display().to_string()).collect();
    let mut ports = Vec::new();
    for table in ["tcp", "tcp6"] {
        let table = std::fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
        for line in table.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let port = fields[1].rsplit(':').next().and_then(|port| u16::from_str_radix(port, 16).ok()).unwrap();
            // 0A is a socket that listens.
            if fields[3] == "0A" && own.contains(&format!("socket:[{}]", fields[9])) {
                ports.push(port);
            }
        }
    }
    ports.sort_unstable();
    ports
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_listens_but_what_is_named() {
    let broker = Broker::embedded().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let mut named = [free_port().await, free_port().await];
    named.sort_unstable();
    let [http, wyoming] = named;
    let doors = format!("http: {{listen: '127.0.0.1:{http}'}}\nwyoming: {{listen: '127.0.0.1:{wyoming}'}}\n");
    for (doors, expected) in [(String::new(), &[][..]), (doors, &named)] {
        let folder = tempfile::tempdir().unwrap();
        let yaml = format!("mqtt: {{port: {}}}\n{doors}", broker.port());
        let daemon = Process::start(&configure(folder.path(), &yaml));
        client.status("online").await;
        for port in expected {
            drop(clients::connect(*port).await);
        }
        assert_eq!(listening(daemon.id()), expected);
        drop(daemon);
        client.status("offline").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_broker_is_away_nobody_is_told_of_a_success() {
    let mut house = House::open().await;
    let Broker::Embedded(_) = house.broker else { unreachable!() };
    house.broker = Broker::embedded().await;
    let gone = async {
        loop {
            let metrics = get(house.http, "/metrics", &[]).await;
            if metrics.text.contains("zhiju_broker_connected 0") {
                return;
            }
        }
    };
    within("the broker to be gone", gone).await;
    let said = json!({"text": "打开书房吸顶灯"});
    let Reply { status, body, .. } = post(house.http, "/v1/ask", &[], &said).await;
    assert_eq!((status, &body["error"]["code"]), (504, &json!("timeout")), "{body}");
    // What moves nothing is answered all the same.
    let Reply { status, body, .. } = post(house.http, "/v1/ask", &[], &json!({"text": "家里哪些灯开着"})).await;
    assert_eq!((status, &body["intent"]), (200, &json!("answer")), "{body}");
}
