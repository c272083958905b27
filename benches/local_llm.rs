//! What the local language model costs, and what it costs the others: `cargo bench --bench local_llm`.
//!
//! `ZHIJU_BENCH_LLM` names another GGUF file than the one that `make test-model` fetches. Bars: the second sentence's first
//! token in a fifth of the first's time; the median of an utterance that needs no language model at most 1.2 times as
//! long while one is at work.

#![allow(clippy::print_stdout, reason = "a measurement tells what it measured")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use zhiju::frame::Request;
use zhiju::home::{Home, Registry, parse};
use zhiju::llm::local::{LocalModel, LocalSettings, Position, TokenBytes, choose};
use zhiju::llm::prompt::Prefixes;
use zhiju::llm::{Client, Completion};
use zhiju::service::{Language, Service, ServiceSettings};

/// Utterances of each median.
const UTTERANCES: usize = 2000;

fn main() {
    let model = open();
    let prefixes = Prefixes::of(&villa(), &zhiju::zh::Texts::default());
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        first_tokens(&model, &prefixes).await;
        beside_others(&model, &prefixes).await;
    });
    choices();
}

fn open() -> LocalModel {
    let fetched = || {
        let folder = std::env::var_os("ZHIJU_TEST_MODELS").map(PathBuf::from);
        let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/zhiju/models"));
        folder.or_else(home).expect("a home").join("SmolLM2-135M-Instruct.Q4_1.gguf")
    };
    let path = std::env::var_os("ZHIJU_BENCH_LLM").map_or_else(fetched, PathBuf::from);
    let start = Instant::now();
    let model = LocalModel::open(&LocalSettings { max_tokens: 64, ..LocalSettings::new("bench", path) });
    let model = model.expect("a model: run `make test-model`");
    println!("loaded in {:?}", start.elapsed());
    model
}

/// What the grammar adds to a token, with a vocabulary as large as those in use: where nearly every token is allowed, and
/// where nearly none is, both when the best score is easily found and when each token scores more than the one before.
fn choices() {
    let mut tokens = TokenBytes::default();
    (0..=u8::MAX).for_each(|byte| tokens.push(&[byte]));
    for number in 256..150_000_u32 {
        let c = char::from_u32(0x4e00 + number % 20_000).expect("a character of Chinese");
        tokens.push(c.to_string().repeat(1 + number as usize % 3).as_bytes());
    }
    let scattered: Vec<f32> = (0..150_000_u32).map(|token| (token.wrapping_mul(2_654_435_761) >> 8) as f32).collect();
    let rising: Vec<f32> = (0..150_000).map(|token| token as f32).collect();
    for (place, text) in [("in a name", "[\"打开-客"), ("in a type", "[\"打开-客厅-*#")] {
        let position = Position::START.after(text.as_bytes()).expect("it is allowed");
        for (order, scores) in [("scattered", &scattered), ("rising", &rising)] {
            let start = Instant::now();
            let rounds = 20;
            for _ in 0..rounds {
                std::hint::black_box(choose(std::hint::black_box(scores), &tokens, position));
            }
            println!("choice {place}, scores {order}: {:?}", start.elapsed() / rounds);
        }
    }
}

fn villa() -> Home {
    let document = include_str!("../tests/homes/villa.json");
    parse(&serde_json::from_str(document).expect("the villa is JSON")).expect("a home document").0
}

/// As the daemon asks in the villa.
async fn ask(model: &LocalModel, villa: &Prefixes, sentence: &str) -> Completion {
    model.ask(&villa.prompt(sentence, true), Instant::now() + Duration::from_secs(3600)).await.expect("an answer")
}

async fn first_tokens(model: &LocalModel, villa: &Prefixes) {
    let mut firsts = Vec::new();
    for sentence in ["打开客厅的灯", "把书房的窗帘拉上", "有点热"] {
        let start = Instant::now();
        let completion = ask(model, villa, sentence).await;
        let first = completion.first_token.expect("it was measured");
        let rest = (start.elapsed() - first).as_secs_f64() / (completion.completion_tokens - 1) as f64;
        println!(
            "{sentence}: {} tokens of prompt, first token after {first:?}, then {:.1} ms each",
            completion.prompt_tokens,
            rest * 1e3
        );
        firsts.push(first);
    }
    println!("second to first: {:.3}", firsts[1].as_secs_f64() / firsts[0].as_secs_f64());
}

async fn beside_others(model: &LocalModel, prefixes: &Prefixes) {
    let language = Language::load(None).expect("the language that ships");
    let service = Service::new(Arc::new(Registry::in_memory(villa())), None, ServiceSettings::default(), language);
    // A round alone, a round beside, and again: what else the machine does falls on both.
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        alone.extend(utterances(&service).await);
        let enough = AtomicBool::new(false);
        let busy = async {
            while !enough.load(Ordering::Relaxed) {
                ask(model, prefixes, "把所有的灯都关了").await;
            }
        };
        let measured = async {
            let measured = utterances(&service).await;
            enough.store(true, Ordering::Relaxed);
            measured
        };
        beside.extend(tokio::join!(busy, measured).1);
    }
    let (alone, beside) = (quantiles(alone), quantiles(beside));
    println!("utterance alone:  p50 {:?} p99 {:?}", alone.0, alone.1);
    println!("utterance beside: p50 {:?} p99 {:?}", beside.0, beside.1);
    println!("ratio p50: {:.2}", beside.0.as_secs_f64() / alone.0.as_secs_f64());
}

async fn utterances(service: &Service) -> Vec<Duration> {
    let mut measured = Vec::new();
    for number in 0..UTTERANCES / 5 {
        // As in a home: with pauses between, in which the others get the processor.
        tokio::time::sleep(Duration::from_millis(2)).await;
        let request = Request {
            rid: format!("bench-{number}"),
            page_id: "bench".into(),
            question: "打开主卧的灯".into(),
            local: Some("客厅".into()),
            instruct: true,
            ..Request::default()
        };
        let start = Instant::now();
        let (events, mut heard) = mpsc::channel(16);
        let listen = async { while heard.recv().await.is_some() {} };
        tokio::join!(service.serve(request, events), listen);
        measured.push(start.elapsed());
    }
    measured
}

fn quantiles(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 99 / 100])
}
