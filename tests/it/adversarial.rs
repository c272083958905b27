//! Sentences and homes that are made to cost much, and what they cost. The benchmark `utterance` uses them as well.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use zhiju::embedding::cache::MemoryStore;
use zhiju::frame::{Event, Finish, Request};
use zhiju::gist::Gist;
use zhiju::home::{Registry, parse};
use zhiju::reader::Reader;
use zhiju::service::{Language, Service, ServiceSettings};

/// Said over and over: words, clauses, lists, conditions, descriptions, numbers, sounds, what no word explains.
pub const REPEATED: [&str; 26] = [
    "打开客厅的",
    "打开制冷的那个",
    "打开我家那个能吹风的东西",
    "客厅的灯和",
    "把所有的灯和空调都打开然后",
    "如果温度大于26度就打开灯否则",
    "除了客厅的灯以外所有的灯",
    "不要打开灯",
    "亮着的灯和关着的灯",
    "调高一点",
    "一二三四五六七八九十",
    "百分之",
    "打开老火计和",
    "空条和",
    "行长乐重",
    "的",
    "灯",
    "灯灯灯，",
    "二楼除了",
    "“打开灯”",
    "打开魑魅魍魉和",
    "打开书房吸顶灯然后关闭餐厅的空调",
    "什么时候",
    "再来一次",
    "1.",
    "a",
];

/// A text of so many characters.
pub fn repeated(unit: &str, chars: usize) -> String {
    unit.chars().cycle().take(chars).collect()
}

/// What the device of this number is called.
pub type Name = fn(usize) -> String;

/// How the devices of a home are called.
pub const NAMES: [(&str, Name); 4] = [
    ("all the same", |_| "灯".into()),
    ("parts of each other", |n| format!("{}灯{}", repeated("大小", n % 11), repeated("左右", n / 11 % 12))),
    ("of nearly the same sound", |n| {
        let sounds = ['灯', '等', '登', '邓', '凳', '蹬', '瞪', '噔'];
        (0..4).map(|at| sounds[n / 8_usize.pow(at) % 8]).collect()
    }),
    ("words of the language", |n| format!("{}{n}", ["灯和", "打开", "所有的灯", "不要", "二楼"][n % 5])),
];

/// A home of so many dimmers.
pub fn home(devices: usize, name: Name) -> Value {
    let level = json!({"type": "uint", "range": [0, 100], "unit": "%", "describe": "亮度"});
    let property = json!({"power": {"type": "bool"}, "level": level});
    let device = |n: usize| {
        let (room, state) = (["客厅", "主卧"][n % 2], json!({"power": n.is_multiple_of(3), "level": 10}));
        json!({"id": format!("d{n}"), "name": name(n), "local": room, "device": {"model": "m", "state": state}})
    };
    json!({
        "layout": ["客厅", "主卧"],
        "model": {"m": {"name": "lamp", "describe": "开关灯，用于照明。", "property": property}},
        "devices": (0..devices).map(device).collect::<Vec<_>>(),
    })
}

/// A home and its service, in this thread.
pub struct Bed {
    service: Service,
    runtime: Runtime,
}

impl Bed {
    pub fn new(document: &Value) -> Self {
        let (home, report) = parse(document).expect("a home document");
        assert!(report.rejected.is_empty(), "{:?}", report.rejected);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let language = Language::load(None).expect("the language that ships");
        let gist = Gist::new(&language.lexicon, None, Box::new(MemoryStore::default()));
        let registry = Arc::new(Registry::in_memory(home));
        let reader = Reader::shipped().expect("the weights that ship");
        let service = Service::new(registry, None, ServiceSettings::default(), language);
        let service = service.with_gist(Arc::new(gist)).with_reader(Some(Arc::new(reader)));
        runtime.block_on(service.prepare());
        Self { service, runtime }
    }

    pub fn say(&self, sentence: &str) -> Option<Finish> {
        let request = Request {
            rid: "r".into(),
            page_id: "p".into(),
            question: sentence.into(),
            local: Some("客厅".into()),
            instruct: true,
            ..Request::default()
        };
        self.runtime.block_on(served(&self.service, request))
    }
}

/// Serves a request to its end.
pub async fn served(service: &Service, request: Request) -> Option<Finish> {
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
    tokio::join!(service.serve(request, events), listen).1
}
