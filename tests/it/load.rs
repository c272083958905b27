//! A hub and an app that ask a lot, and book what comes back.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use rumqttc::NetworkOptions;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Packet, Publish};
use rumqttc::v5::{AsyncClient, Event, MqttOptions};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::common::within;
use crate::heard::{Heard, heard};

/// One of every kind of work: a name, a sound, a room, a floor, two orders, a value, a question, a situation, nothing.
pub const SENTENCES: [&str; 9] = [
    "打开老伙计",
    "打开老火计",
    "打开主卧的灯",
    "关掉三楼所有的空调",
    "打开书房吸顶灯然后关闭餐厅的空调",
    "电视音量调到35",
    "客厅空气怎么样",
    "我觉得有点热",
    "今天收益不错，我很开心",
];

/// The villa of `tests/homes`, told apart by its `did`.
pub fn villa(did: &str) -> String {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/homes/villa.json")).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    document["did"] = did.into();
    document.to_string()
}

/// Ids of the villa's devices that can be switched.
pub fn switches() -> Vec<String> {
    let document: Value = serde_json::from_str(&villa("x")).unwrap();
    let models = &document["model"];
    let switchable = |device: &&Value| {
        models[device["device"]["model"].as_str().unwrap_or_default()]["property"]["power"].is_object()
    };
    let devices = document["devices"].as_array().unwrap().iter().filter(switchable);
    devices.map(|device| device["id"].as_str().unwrap().to_owned()).collect()
}

/// What came back.
#[derive(Debug, Default)]
pub struct Book {
    sent: HashMap<String, Instant>,
    /// From sending to the finish frame, of requests that were served.
    pub served: Vec<Duration>,
    /// Requests that failed, by code.
    pub failed: BTreeMap<String, usize>,
    /// How many finish frames came for each request.
    pub finished: HashMap<String, usize>,
    /// How many descriptions of candidates came for each request.
    pub described: HashMap<String, usize>,
    /// Instructs that a finish frame told of: rid and device.
    pub promised: HashSet<(String, String)>,
    /// Instructs that arrived.
    pub arrived: HashSet<(String, String)>,
    /// The revision of the last report.
    pub revision: u64,
}

impl Book {
    /// Requests without an answer.
    pub fn open(&self) -> usize {
        self.sent.len()
    }

    /// Whether this request has no answer yet.
    pub fn waits_for(&self, rid: &str) -> bool {
        self.sent.contains_key(rid)
    }

    /// The time that so many of 100 requests did not exceed.
    pub fn percentile(&mut self, percent: usize) -> Duration {
        self.served.sort_unstable();
        self.served.get((self.served.len() * percent / 100).min(self.served.len().saturating_sub(1))).copied().unwrap()
    }

    fn enter(&mut self, publish: &Publish) {
        let topic = String::from_utf8_lossy(&publish.topic).into_owned();
        let Some(rest) = topic.strip_prefix("zhiju/home/") else { return };
        let Ok(value) = serde_json::from_slice::<Value>(&publish.payload) else { return };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Some(rid) = rest.strip_prefix("response/") {
            if value["payload"]["finish"] != true {
                return;
            }
            *self.finished.entry(rid.to_owned()).or_default() += 1;
            let data = &value["payload"]["data"];
            let Some(sent) = self.sent.remove(rid) else { return };
            match data["error"]["code"].as_str() {
                Some(code) => *self.failed.entry(code.to_owned()).or_default() += 1,
                None => self.served.push(sent.elapsed()),
            }
            for instruct in data["active"]["instructs"].as_array().into_iter().flatten() {
                self.promised.insert((rid.to_owned(), text(&instruct["id"])));
            }
        } else if let Some(rid) = rest.strip_prefix("candidates/") {
            *self.described.entry(rid.to_owned()).or_default() += 1;
        } else if rest.starts_with("instruct/") {
            self.arrived.insert((text(&value["rid"]), text(&value["id"])));
        } else if rest == "registry/report" && value["ok"] == true {
            self.revision = value["revision"].as_u64().unwrap();
        }
    }
}

/// The hub and the app.
pub struct Load {
    pub client: AsyncClient,
    heard: Heard<Book>,
    /// What the daemon said of itself last.
    status: watch::Receiver<Value>,
    poll: JoinHandle<()>,
    asked: usize,
}

impl Load {
    pub fn connect(port: u16, id: &str) -> Self {
        let mut options = MqttOptions::new(id, "127.0.0.1", port);
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        options.set_network_options(network);
        options.set_max_packet_size(Some(16 << 20));
        let (client, mut events) = AsyncClient::new(options, 4_000);
        let (teller, heard) = heard::<Book>();
        let (status_tx, status) = watch::channel(Value::Null);
        let own = client.clone();
        let poll = tokio::spawn(async move {
            loop {
                match events.poll().await {
                    Ok(Event::Incoming(Packet::ConnAck(_))) => {
                        for kind in
                            ["response/+", "candidates/+", "instruct/+", "registry/report", "status", "state/+/get"]
                        {
                            let _ = own.try_subscribe(format!("zhiju/home/{kind}"), QoS::AtLeastOnce);
                        }
                    }
                    Ok(Event::Incoming(Packet::Publish(publish))) => {
                        if publish.topic == "zhiju/home/status" {
                            status_tx.send_replace(serde_json::from_slice(&publish.payload).unwrap_or_default());
                        }
                        // As a hub does, it tells a state when it is asked for one.
                        if let Some(state) = String::from_utf8_lossy(&publish.topic).strip_suffix("/get") {
                            let _ = own.try_publish(state, QoS::AtLeastOnce, false, r#"{"power": true}"#);
                        }
                        teller.tell(|book| book.enter(&publish));
                    }
                    Ok(_) => {}
                    Err(_) => {
                        status_tx.send_replace(Value::Null);
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                }
            }
        });
        Self { client, heard, status, poll, asked: 0 }
    }

    pub fn book(&self) -> MutexGuard<'_, Book> {
        self.heard.book()
    }

    /// Waits until the broker is known to be gone.
    pub async fn broker_is_gone(&mut self) {
        within("the end of the connection", self.status.wait_for(Value::is_null)).await.unwrap();
    }

    /// Waits until the daemon says that it is there.
    pub async fn online(&mut self) {
        within("online", self.status.wait_for(|status| status["state"] == "online")).await.unwrap();
    }

    /// Waits until the book satisfies `enough`.
    pub async fn until(&mut self, what: &str, enough: impl Fn(&Book) -> bool) {
        self.heard.until(what, enough).await;
    }

    /// Sends to a topic of the home; what finds no room is not sent.
    pub fn send(&self, topic: &str, retain: bool, payload: impl Into<Vec<u8>>) {
        let _ = self.client.try_publish(format!("zhiju/home/{topic}"), QoS::AtLeastOnce, retain, payload.into());
    }

    /// Asks the next sentence, on one of `pages` pages; returns its rid.
    pub fn ask(&mut self, pages: usize) -> String {
        let (rid, frame) = self.next(pages);
        self.send("request", false, frame);
        rid
    }

    /// Asks this on that page; returns its rid.
    pub fn ask_this(&mut self, page: &str, question: &str) -> String {
        let (rid, frame) = self.frame(page, question);
        self.send("request", false, frame);
        rid
    }

    /// The next sentence, on one of `pages` pages, as a frame that somebody else sends, and its rid.
    pub fn next(&mut self, pages: usize) -> (String, String) {
        let n = self.asked;
        self.frame(&format!("page-{}", n % pages), SENTENCES[n % SENTENCES.len()])
    }

    fn frame(&mut self, page: &str, question: &str) -> (String, String) {
        let rid = format!("q{}", self.asked);
        self.asked += 1;
        let payload = json!({"page_id": page, "question": question, "local": "客厅"});
        let frame = json!({"topic": "llm/smarthome", "rid": rid, "payload": payload});
        self.book().sent.insert(rid.clone(), Instant::now());
        (rid, frame.to_string())
    }

    /// Forgets questions that have no answer yet: they went to a broker that is gone.
    pub fn give_up(&self) -> usize {
        let mut book = self.book();
        let open = book.open();
        book.sent.clear();
        open
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.poll.abort();
    }
}
