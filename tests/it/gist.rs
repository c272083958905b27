//! Understanding by similarity, with the model that ships.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use zhiju::embedding::Encoder;
use zhiju::embedding::cache::{MemoryStore, VectorStore};
use zhiju::frame::{Event, Finish, Request};
use zhiju::gist::Gist;
use zhiju::home::{Registry, parse};
use zhiju::service::{Language, Service, ServiceSettings};

use crate::common::{Broker, Client, Daemon};

const VILLA: &str = include_str!("../homes/villa.json");
const SEED: &str = include_str!("../homes/seed-home.json");
const NO_COMMANDS: &str = include_str!("../eval/no-commands.txt");

fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models/mini-zh")
}

fn gist(language: &Language) -> Arc<Gist> {
    let encoder = Encoder::load(&model()).unwrap();
    Arc::new(Gist::new(&language.lexicon, Some(encoder), Box::new(MemoryStore::default())))
}

/// What came of a sentence: who understood it, and how it ended.
struct Heard {
    parser: String,
    candidates: Value,
    finish: Finish,
}

impl Heard {
    fn moves(&self) -> bool {
        matches!(&self.finish, Finish::Done { instructs, .. } if !instructs.is_empty())
    }
}

struct Bed(Service);

impl Bed {
    async fn new(home: &str, language: &Language, gist: &Arc<Gist>) -> Self {
        let (home, _) = parse(&serde_json::from_str(home).unwrap()).unwrap();
        let settings = ServiceSettings { vector_wait: Duration::from_secs(10), ..ServiceSettings::default() };
        let service = Service::new(Arc::new(Registry::in_memory(home)), None, settings, language.clone());
        let service = service.with_gist(Arc::clone(gist));
        service.prepare().await;
        Self(service)
    }

    async fn say(&self, page: &str, local: &str, question: &str) -> Heard {
        let request = Request {
            rid: "r".into(),
            page_id: page.into(),
            question: question.into(),
            local: Some(local.into()),
            instruct: true,
            home: None,
        };
        let (events, mut heard) = mpsc::channel(16);
        let listen = async {
            let (mut candidates, mut finish) = (Value::Null, None);
            while let Some(event) = heard.recv().await {
                match event {
                    Event::Candidates(found) => candidates = found,
                    Event::Finish(end) => finish = Some(end),
                    _ => {}
                }
            }
            (candidates, finish.unwrap())
        };
        let ((), (candidates, finish)) = tokio::join!(self.0.serve(request, events), listen);
        Heard { parser: candidates["parser"].as_str().unwrap().to_owned(), candidates, finish }
    }
}

#[tokio::test]
async fn what_is_no_command_moves_nothing() {
    let language = Language::load(None).unwrap();
    let gist = gist(&language);
    let phrases: Vec<&str> = NO_COMMANDS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(phrases.len() >= 200);
    let mut wrong = Vec::new();
    for (home, room) in [(VILLA, "客厅"), (VILLA, "次卧"), (VILLA, "厨房"), (SEED, "客厅")] {
        let bed = Bed::new(home, &language, &gist).await;
        for (page, phrase) in phrases.iter().enumerate() {
            let heard = bed.say(&page.to_string(), room, phrase).await;
            if heard.moves() {
                wrong.push(format!("{room}: {phrase} {} {:?}", heard.candidates["commands"], heard.finish));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_situation_in_other_words_is_understood() {
    let language = Language::load(None).unwrap();
    let bed = Bed::new(VILLA, &language, &gist(&language)).await;
    let heard = bed.say("p", "主卧", "我先睡了啊").await;
    let commands = &heard.candidates["commands"];
    assert_eq!((heard.parser.as_str(), commands), ("model", &json!(["执行-*-睡眠模式#Unknown#one"])));
    assert!(heard.moves());
}

#[tokio::test]
async fn a_wish_with_words_that_nothing_explains_is_understood_of_the_device_that_was_named() {
    let language = Language::load(None).unwrap();
    let bed = Bed::new(VILLA, &language, &gist(&language)).await;
    let heard = bed.say("p", "客厅", "小音箱吵死了小点声").await;
    assert_eq!(heard.parser, "model");
    let vector = heard.candidates["candidates"][0]["signals"]["vector"].as_f64().unwrap();
    assert!(vector > 0.5, "{vector}");
    let Finish::Done { instructs, .. } = heard.finish else { panic!("{:?}", heard.finish) };
    assert_eq!(instructs.len(), 1);
    assert_eq!(instructs[0].id, "speaker-02");
}

#[tokio::test]
async fn nothing_risky_is_opened_without_a_yes() {
    let language = Language::load(None).unwrap();
    let bed = Bed::new(VILLA, &language, &gist(&language)).await;
    for sentence in ["把大门锁给整开咯", "大门锁整解锁呗嘞", "燃气阀整开咯嘞", "车库门给我整开喽嘞"]
    {
        let heard = bed.say(sentence, "玄关", sentence).await;
        assert!(!heard.moves(), "{sentence}: {:?}", heard.finish);
    }
}

#[tokio::test]
async fn a_home_that_comes_with_the_request_is_understood_by_words() {
    let language = Language::load(None).unwrap();
    let bed = Bed::new(SEED, &language, &gist(&language)).await;
    let request = Request {
        rid: "r".into(),
        page_id: "p".into(),
        question: "我都快热化了".into(),
        local: Some("客厅".into()),
        instruct: true,
        home: Some(serde_json::from_str(VILLA).unwrap()),
    };
    let (events, mut heard) = mpsc::channel(16);
    bed.0.serve(request, events).await;
    let mut finished = false;
    while let Some(event) = heard.recv().await {
        finished |= matches!(event, Event::Finish(Finish::Done { .. }));
    }
    assert!(finished);
}

/// A store that counts what is computed.
#[derive(Clone, Default)]
struct Counting {
    kept: Arc<MemoryStore>,
    computed: Arc<AtomicUsize>,
}

impl VectorStore for Counting {
    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.kept.get(key)
    }

    fn put(&self, key: &[u8], value: &[u8]) {
        self.computed.fetch_add(1, Ordering::Relaxed);
        self.kept.put(key, value);
    }
}

#[tokio::test]
async fn an_unchanged_home_starts_without_computing_a_vector() {
    let language = Language::load(None).unwrap();
    let (home, _) = parse(&serde_json::from_str(SEED).unwrap()).unwrap();
    let store = Counting::default();
    for expected_new in [true, false] {
        let before = store.computed.load(Ordering::Relaxed);
        let encoder = Encoder::load(&model()).unwrap();
        let gist = Gist::new(&language.lexicon, Some(encoder), Box::new(store.clone()));
        let index = gist.index(&home);
        gist.prepare(&index).await;
        assert!(index.has_vectors());
        assert_eq!(store.computed.load(Ordering::Relaxed) > before, expected_new);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_says_what_became_of_the_model() {
    let broker = Broker::embedded().await;
    let mut client = Client::connect(broker.port(), "client").await;
    let broken = tempfile::tempdir().unwrap();
    std::fs::write(broken.path().join("config.json"), "{").unwrap();
    let folder = broken.path().to_owned();
    let daemon = Daemon::start(broker.port(), |settings| settings.model_dir = Some(folder));
    let status = client.status("online").await;
    assert!(status["model"]["error"].as_str().is_some_and(|error| error.contains("no weights")), "{status}");
    daemon.stop().await;
    client.status("offline").await;
    let daemon = Daemon::start(broker.port(), |settings| settings.model_dir = Some(model()));
    let status = client.status("online").await;
    assert_eq!(status["model"], json!({"name": "mini-zh"}));
    daemon.stop().await;
}
