//! What one utterance costs in process: in the villa, and as a home grows.
//!
//! `cargo bench` measures the release profile. Bars: a median of 1 ms in the villa; 1,000 devices at most three times
//! what 100 cost.

use std::sync::Arc;

use divan::Bencher;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use zhiju::frame::{Event, Finish, Request};
use zhiju::home::{Registry, parse};
use zhiju::service::{Language, Service, ServiceSettings};

/// One of every kind of work: a name, a sound, a room, a floor, two orders, a value, a condition, a question, nothing.
const SENTENCES: [&str; 9] = [
    "打开老伙计",
    "打开老火计",
    "打开主卧的灯",
    "关掉三楼所有的空调",
    "打开书房吸顶灯然后关闭餐厅的空调",
    "电视音量调到35",
    "如果主卧湿度高于60就打开主卧风扇",
    "客厅空气怎么样",
    "今天收益不错，我很开心",
];

fn main() {
    divan::main();
}

/// The median over the sentences, in the villa.
#[divan::bench(args = SENTENCES)]
fn villa(bencher: Bencher, sentence: &str) {
    let home = Bed::new(&villa_document());
    bencher.bench_local(|| home.say(sentence));
}

/// The same room and device, in homes of more and more other rooms and devices.
#[divan::bench(args = [100, 1000])]
fn devices(bencher: Bencher, devices: usize) {
    let home = Bed::new(&grown(devices));
    bencher.bench_local(|| home.say("打开书房吸顶灯然后关闭餐厅的空调"));
}

/// A home and the service, in this thread.
struct Bed {
    service: Service,
    runtime: Runtime,
}

impl Bed {
    fn new(document: &Value) -> Self {
        let (home, report) = parse(document).expect("a home document");
        assert!(report.rejected.is_empty(), "{:?}", report.rejected);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let language = Language::load(None).expect("the language that ships");
        let registry = Arc::new(Registry::in_memory(home));
        Self { service: Service::new(registry, None, ServiceSettings::default(), language), runtime }
    }

    fn say(&self, sentence: &str) -> Option<Finish> {
        let request = Request {
            rid: "bench".into(),
            page_id: "bench".into(),
            question: sentence.into(),
            local: Some("客厅".into()),
            instruct: true,
            ..Request::default()
        };
        self.runtime.block_on(async {
            let (events, mut heard) = mpsc::channel(16);
            let listen = async {
                let mut finish = None;
                while let Some(event) = heard.recv().await {
                    if let Event::Finish(end) = event {
                        finish = Some(end);
                    }
                }
                finish
            };
            tokio::join!(self.service.serve(request, events), listen).1
        })
    }
}

fn villa_document() -> Value {
    serde_json::from_str(include_str!("../tests/homes/villa.json")).expect("the villa is JSON")
}

/// The villa cut or grown to so many devices: further ones are copies of its own in rooms and under ids of their own.
fn grown(devices: usize) -> Value {
    let mut document = villa_document();
    let originals = document["devices"].as_array().expect("devices").clone();
    let copies = originals.iter().cycle().take(devices).enumerate().map(|(at, original)| {
        let (wing, mut copy) = (at / originals.len(), original.clone());
        if wing > 0 {
            copy["id"] = json!(format!("{}-w{wing}", original["id"].as_str().unwrap_or_default()));
            copy["local"] = json!(format!("{wing}号楼{}", original["local"].as_str().unwrap_or_default()));
        }
        copy
    });
    let copies: Vec<Value> = copies.collect();
    let known = |id: &Value| copies.iter().any(|copy| copy["id"] == *id);
    for (sets, members) in [("groups", "members"), ("scenes", "actions")] {
        for set in document[sets].as_array_mut().into_iter().flatten() {
            let members = set[members].as_array_mut();
            members.into_iter().for_each(|list| list.retain(|entry| known(entry.get("id").unwrap_or(entry))));
        }
    }
    document["devices"] = Value::Array(copies);
    document
}
