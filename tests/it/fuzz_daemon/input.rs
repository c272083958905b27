//! What is sent: sentences of words that mean something, frames that are nearly right, homes, states.

use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Value, json};

use super::book::Asked;
use crate::load::{SENTENCES, villa};

/// A message on its way to the daemon.
pub struct Message {
    /// Below `zhiju/home/`.
    pub topic: String,
    pub payload: Vec<u8>,
    /// What it asks, and its rid.
    pub asked: Option<(String, Asked)>,
    pub response_topic: Option<String>,
}

/// Words that sentences are made of, besides the names of the home.
const WORDS: [&str; 48] = [
    "打开",
    "关闭",
    "关掉",
    "开",
    "关",
    "调到",
    "调高",
    "调低",
    "一点",
    "26度",
    "50%",
    "两百",
    "所有的",
    "全屋",
    "都",
    "别",
    "不要",
    "除了",
    "以外",
    "然后",
    "和",
    "，",
    "。",
    "的",
    "把",
    "如果",
    "就",
    "否则",
    "吗",
    "多少",
    "十分钟后",
    "它",
    "灯",
    "空调",
    "窗帘",
    "温度",
    "亮度",
    "客厅",
    "主卧",
    "二楼",
    "确认",
    "好的",
    "算了",
    "第二个",
    "小牛",
    "小爱",
    "昨天",
    "再来一次",
];

/// What leads to a question about something risky, or answers it.
const RISKY: [&str; 8] =
    ["打开大门锁", "打开燃气阀", "打开车库门", "打开所有的门锁", "确认", "好的", "取消", "锁上大门"];

/// Where answers may be asked to go; nothing must be heard of the daemon on most of them.
const RESPONSE_TOPICS: [&str; 7] = [
    "answers/app/1",
    "answers/kitchen",
    "elsewhere/x",
    "zhiju/home/instruct/lock-01",
    "zhiju/home/response/q1",
    "zhiju/home/registry/report",
    "$SYS/x",
];

const SATELLITES: [&str; 4] = ["kitchen", "bath", "客厅", "主卧"];
const PAGES: [&str; 5] = ["p1", "p2", "satellite-kitchen", "satellite-bath", "bath/satellite-bath"];

pub struct Input {
    random: TestRng,
    home: Value,
    names: Vec<String>,
    devices: Vec<String>,
    sent: usize,
}

impl Input {
    pub fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let home: Value = serde_json::from_str(&villa("villa")).unwrap();
        let devices = home["devices"].as_array().unwrap();
        let text = |key: &str| devices.iter().map(|d| d[key].as_str().unwrap().to_owned()).collect::<Vec<_>>();
        let (names, devices) = (text("name"), text("id"));
        Self { random: TestRng::from_seed(RngAlgorithm::ChaCha, &bytes), home, names, devices, sent: 0 }
    }

    fn below(&mut self, n: usize) -> usize {
        (self.random.next_u64() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    /// Now and then everything at once.
    pub fn is_flood(&mut self) -> bool {
        self.one_in(500)
    }

    pub fn first_home(&mut self) -> Message {
        plain("registry", villa("first").into_bytes())
    }

    /// As many messages.
    pub fn next(&mut self, many: usize) -> Vec<Message> {
        (0..many).flat_map(|_| self.message()).collect()
    }

    fn message(&mut self) -> Vec<Message> {
        match self.below(100) {
            0..50 => vec![self.request()],
            50..75 => vec![self.utterance()],
            75..80 => self.imitation(),
            80..88 => vec![self.broken()],
            88..99 => vec![self.state()],
            _ => vec![self.new_home()],
        }
    }

    fn sentence(&mut self) -> String {
        match self.below(10) {
            0..3 => self.pick(&RISKY).to_owned(),
            3..5 => self.pick(&SENTENCES).to_owned(),
            5 => {
                // Any text at all.
                let any = |c: u32| char::from_u32(c).unwrap_or('\u{202e}');
                (0..self.below(60)).map(|_| any((self.random.next_u32() >> self.below(24)) & 0x1f_ffff)).collect()
            }
            6 => {
                let (word, times) = (self.word(), self.below(40));
                word.repeat(times).chars().take(400).collect()
            }
            _ => (0..=self.below(8)).map(|_| self.word()).collect(),
        }
    }

    fn word(&mut self) -> String {
        if self.one_in(4) {
            let at = self.below(self.names.len());
            return self.names[at].clone();
        }
        self.pick(&WORDS).to_owned()
    }

    fn rid(&mut self) -> String {
        self.sent += 1;
        format!("q{}", self.sent)
    }

    fn response_topic(&mut self) -> Option<String> {
        self.one_in(8).then(|| self.pick(&RESPONSE_TOPICS).to_owned())
    }

    fn request(&mut self) -> Message {
        let (rid, page, question) = (self.rid(), self.pick(&PAGES).to_owned(), self.sentence());
        let (brought, instruct) = (self.one_in(10), !self.one_in(10));
        let mut payload = json!({"page_id": page, "question": question, "local": "客厅", "instruct": instruct});
        if brought {
            payload["home"] = self.variant();
        }
        let frame = json!({"topic": "llm/smarthome", "rid": rid, "payload": payload});
        let asked = Asked { from: None, page, question, brought, instruct, right: true, imitated: false };
        let response_topic = self.response_topic();
        Message { topic: "request".into(), payload: bytes(&frame), asked: Some((rid, asked)), response_topic }
    }

    fn utterance(&mut self) -> Message {
        let (rid, satellite) = (self.rid(), self.pick(&SATELLITES));
        let own = self.one_in(2);
        let page = if own { format!("satellite-{satellite}") } else { self.pick(&PAGES).to_owned() };
        let question = self.sentence();
        let mut said = json!({"text": question, "rid": rid});
        if !own {
            said["page_id"] = page.clone().into();
        }
        let from = Some(satellite.to_owned());
        let asked = Asked { from, page, question, brought: false, instruct: true, right: true, imitated: false };
        let response_topic = self.response_topic();
        let topic = format!("utterance/{satellite}");
        Message { topic, payload: bytes(&said), asked: Some((rid, asked)), response_topic }
    }

    /// An app asks, and a satellite uses the same rid, in a frame that is right or wrong.
    fn imitation(&mut self) -> Vec<Message> {
        let mut request = self.request();
        let rid = request.asked.as_mut().map(|(rid, asked)| {
            asked.imitated = true;
            rid.clone()
        });
        let text = if self.one_in(2) { json!("今天收益不错") } else { json!(7) };
        let said = json!({"text": text, "rid": rid, "page_id": "junk"});
        let satellite = self.pick(&SATELLITES);
        vec![request, plain(&format!("utterance/{satellite}"), bytes(&said))]
    }

    /// A frame that is nearly right, in a conversation of its own. Nothing is expected of it.
    fn broken(&mut self) -> Message {
        let (rid, said) = (format!("junk-{}", self.sent), self.pick(&SENTENCES));
        let payload = json!({"page_id": "junk", "question": said, "local": "客厅", "home": null});
        let (topic, frame) = if self.one_in(2) {
            ("request", json!({"topic": "llm/smarthome", "rid": rid, "payload": payload}))
        } else {
            ("utterance/junk", json!({"text": said, "rid": rid, "page_id": "junk"}))
        };
        let mut payload = bytes(&frame);
        for _ in 0..=self.below(4) {
            let at = self.below(payload.len().max(1));
            match self.below(5) {
                0 => payload.truncate(at),
                1 => payload.insert(at, self.random.next_u32() as u8),
                2 if !payload.is_empty() => payload[at] ^= 1 << self.below(8),
                3 => payload.extend_from_within(at.min(payload.len())..),
                _ => payload = payload.repeat(2),
            }
        }
        plain(topic, payload)
    }

    fn state(&mut self) -> Message {
        let at = self.below(self.devices.len());
        let device = if self.one_in(10) { "nobody".to_owned() } else { self.devices[at].clone() };
        let on = self.one_in(2);
        let state = match self.below(4) {
            0 => json!({"power": on}),
            1 => json!({"power": on, "level": self.below(120), "temperature": self.below(60)}),
            2 => json!({"locked": on, "open": on, "action": "close"}),
            _ => json!([on, {"power": "junk"}]),
        };
        plain(&format!("state/{device}"), bytes(&state))
    }

    fn new_home(&mut self) -> Message {
        let home = match self.below(6) {
            0 => json!([1, 2]),
            1 => json!({"layout": 5, "devices": {}}),
            _ => self.variant(),
        };
        plain("registry", bytes(&home))
    }

    /// The villa with other names here and there, and without some of its devices; what is risky stays what it is.
    fn variant(&mut self) -> Value {
        let mut home = self.home.clone();
        home["did"] = self.below(1_000).to_string().into();
        let mut kept = Vec::new();
        for mut device in home["devices"].as_array().cloned().unwrap_or_default() {
            if self.one_in(20) {
                continue;
            }
            let risky = ["lock", "valve", "garage"].iter().any(|model| device["device"]["model"] == *model);
            if !risky && self.one_in(20) {
                device["name"] = (0..=self.below(3)).map(|_| self.word()).collect::<String>().into();
            }
            kept.push(device);
        }
        home["devices"] = kept.into();
        home
    }
}

fn plain(topic: &str, payload: Vec<u8>) -> Message {
    Message { topic: topic.to_owned(), payload, asked: None, response_topic: None }
}

fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}
