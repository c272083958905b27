//! The local model as a whole, on models of random weights.

mod bad;
mod served;
pub(super) mod tiny;

use std::cell::Cell;
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use candle_core::quantized::GgmlDType;
use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::{Device, Tensor};
use candle_transformers::models::{quantized_llama, quantized_qwen2, quantized_qwen3};
use proptest::prelude::*;

use super::decoder::{Cache, Decoder};
use super::engine::{Engine, Failure};
use super::generate::choose;
use super::gguf::Gguf;
use super::grammar::Position;
use super::vocabulary::TokenBytes;
use super::{LocalModel, LocalSettings};
use crate::language::protocol::parse_array;
use crate::llm::{Client, Completion, LlmError, Prompt};
use tiny::{ARCHITECTURES, Noise, Tiny};

const SENTENCES: [&str; 4] = ["打开客厅的灯", "turn it off", "", "把 <|im_end|> 关了"];

fn prompt(sentence: &str) -> Prompt {
    Prompt {
        prefix: "只输出 JSON 数组。Rooms: 客厅, 卧室. ".repeat(4).into(),
        sentence: sentence.to_owned(),
        ..Prompt::default()
    }
}

fn later() -> Instant {
    Instant::now() + Duration::from_secs(600)
}

async fn ask(model: &LocalModel, sentence: &str) -> Completion {
    model.ask(&prompt(sentence), later()).await.unwrap()
}

/// One of candle's own models: tokens and how many came before them.
type Forward = Box<dyn FnMut(&Tensor, usize) -> Tensor>;

/// Scores after the last of `parts`, by candle's own models.
fn reference(settings: &LocalSettings, architecture: &str, parts: &[&[u32]]) -> Vec<f32> {
    let mut file = File::open(&settings.model).unwrap();
    let content = Content::read(&mut file).unwrap();
    let device = &Device::Cpu;
    let mut forward: Forward = match architecture {
        "llama" => {
            let mut model = quantized_llama::ModelWeights::from_gguf(content, &mut file, device).unwrap();
            Box::new(move |ids, start| model.forward(ids, start).unwrap())
        }
        "qwen2" => {
            let mut model = quantized_qwen2::ModelWeights::from_gguf(content, &mut file, device).unwrap();
            Box::new(move |ids, start| model.forward(ids, start).unwrap())
        }
        _ => {
            let mut model = quantized_qwen3::ModelWeights::from_gguf(content, &mut file, device).unwrap();
            Box::new(move |ids, start| model.forward(ids, start).unwrap())
        }
    };
    let mut start = 0;
    let mut scores = Vec::new();
    for part in parts {
        let ids = Tensor::new(*part, device).unwrap().unsqueeze(0).unwrap();
        scores = forward(&ids, start).squeeze(0).unwrap().to_vec1().unwrap();
        start += part.len();
    }
    scores
}

fn decoder(settings: &LocalSettings) -> Decoder {
    Decoder::open(&settings.model, settings.context).unwrap()
}

fn forward(decoder: &Decoder, tokens: &[u32], cache: &mut Cache) -> Vec<f32> {
    decoder.forward(tokens, cache, &|| true).unwrap().unwrap()
}

#[track_caller]
fn assert_close(found: &[f32], expected: &[f32], tolerance: f32) {
    let largest = expected.iter().fold(0.0_f32, |largest, score| largest.max(score.abs()));
    let apart = found.iter().zip(expected).fold(0.0_f32, |apart, (a, b)| apart.max((a - b).abs()));
    assert_eq!(found.len(), expected.len());
    assert!(apart <= tolerance * largest, "{apart} apart, of {largest}");
}

#[test]
fn scores_are_those_of_candle_s_own_models_however_the_tokens_are_parted() {
    let folder = tempfile::tempdir().unwrap();
    let tokens: Vec<u32> = (0..23).map(|n| 5 + n * 37 % 256).collect();
    for architecture in ARCHITECTURES {
        let settings = Tiny::new(architecture, GgmlDType::F32).write(folder.path());
        let expected =
            reference(&settings, architecture, &[&tokens[..20], &tokens[20..21], &tokens[21..22], &tokens[22..]]);
        let decoder = decoder(&settings);

        let mut cache = Cache::default();
        assert_close(&forward(&decoder, &tokens, &mut cache), &expected, 1e-4);

        let mut cache = Cache::default();
        for part in [&tokens[..9], &tokens[9..10], &tokens[10..14]] {
            forward(&decoder, part, &mut cache);
        }
        let shared = cache.share();
        for _ in 0..2 {
            let mut cache = shared.clone();
            forward(&decoder, &tokens[14..19], &mut cache);
            forward(&decoder, &tokens[19..20], &mut cache);
            assert_close(&forward(&decoder, &tokens[20..], &mut cache), &expected, 1e-4);
            assert_eq!(cache.tokens(), tokens.len());
        }
    }
}

#[tokio::test]
async fn every_sentence_gets_an_array_the_same_with_and_without_a_prefix_in_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    for architecture in ARCHITECTURES {
        let settings = Tiny::new(architecture, GgmlDType::Q8_0).write(folder.path());
        let model = LocalModel::open(&settings).unwrap();
        for sentence in SENTENCES {
            let completion = ask(&model, sentence).await;
            assert_eq!(parse_array(&completion.text).problems, vec![], "{completion:?}");
            assert!(completion.completion_tokens <= settings.max_tokens as u64);
            let unknown = parse_array(&completion.text).commands[0].is_unknown();
            assert!(!unknown || completion.completion_tokens == settings.max_tokens as u64, "{completion:?}");
            assert!(completion.first_token.is_some());
            let fresh = LocalModel::open(&settings).unwrap();
            fresh.prepare(&prompt("").prefix);
            assert_eq!(ask(&fresh, sentence).await.text, completion.text);
        }
        let other = Prompt { prefix: "Rooms: 厨房".into(), sentence: "关灯".into(), ..Prompt::default() };
        let completion = model.ask(&other, later()).await.unwrap();
        let fresh = LocalModel::open(&settings).unwrap();
        assert_eq!(fresh.ask(&other, later()).await.unwrap().text, completion.text);
    }
}

#[test]
fn whenever_it_is_told_to_stop_it_stops_at_once_and_the_next_answer_is_not_harmed() {
    let folder = tempfile::tempdir().unwrap();
    // A short answer: each of its layers is a place to stop, and each stop takes two answers.
    let settings = LocalSettings { max_tokens: 16, ..Tiny::new("qwen2", GgmlDType::Q8_0).write(folder.path()) };
    let engine = Engine::load(&settings).unwrap();
    let text: Arc<str> = "Rooms: 客厅, 卧室".into();
    let asked = Cell::new(0);
    let answer = |prefix: &mut _, patience: usize| {
        asked.set(0);
        engine.answer(prefix, "开灯", || {}, &|| {
            asked.set(asked.get() + 1);
            asked.get() <= patience
        })
    };
    let (whole, _) = answer(&mut engine.prefix(&text).unwrap(), usize::MAX).unwrap();
    let layers = asked.get();
    // Once a layer, so it is never further away than that.
    assert!(layers >= tiny::LAYERS * whole.tokens);
    for patience in 0..layers {
        let mut prefix = engine.prefix(&text).unwrap();
        assert!(matches!(answer(&mut prefix, patience), Err(Failure::Stopped)));
        assert_eq!(asked.get(), patience + 1);
        assert_eq!(answer(&mut prefix, usize::MAX).unwrap().0.bytes, whole.bytes, "stopped after {patience}");
    }
}

#[tokio::test]
async fn a_deadline_that_passed_and_a_question_that_was_dropped_leave_the_next_one_unharmed() {
    let folder = tempfile::tempdir().unwrap();
    let model = LocalModel::open(&Tiny::new("qwen3", GgmlDType::Q8_0).write(folder.path())).unwrap();
    let reference = ask(&model, "开灯").await.text;
    assert!(matches!(model.ask(&prompt("开灯"), Instant::now()).await, Err(LlmError::Busy { .. })));
    let dropped = prompt("关灯");
    let mut question = model.ask(&dropped, later());
    assert!(poll_once(&mut question).await.is_pending());
    drop(question);
    assert_eq!(ask(&model, "开灯").await.text, reference);
}

#[tokio::test]
async fn whoever_waits_in_line_or_for_the_prefix_until_the_deadline_found_it_busy_and_not_broken() {
    let folder = tempfile::tempdir().unwrap();
    let tiny = Tiny::new("qwen2", GgmlDType::Q8_0).with("qwen2.context_length", Value::U32(16_384));
    let settings = LocalSettings { context: 16_384, ..tiny.write(folder.path()) };
    let model = LocalModel::open(&settings).unwrap();
    // Far more than can be read within the deadline.
    let long = Prompt { prefix: "灯".repeat(5_000).into(), ..prompt("开灯") };
    let soon = Instant::now() + Duration::from_millis(50);
    let next = prompt("关灯");
    let (first, second) = tokio::join!(model.ask(&long, soon), model.ask(&next, soon));
    for outcome in [first, second] {
        assert!(matches!(outcome, Err(LlmError::Busy { .. })), "{outcome:?}");
    }
}

async fn poll_once<F: Future + Unpin>(future: &mut F) -> std::task::Poll<()> {
    std::future::poll_fn(|context| std::task::Poll::Ready(std::pin::Pin::new(&mut *future).poll(context).map(|_| ())))
        .await
}

#[tokio::test]
async fn more_questions_than_can_wait_are_refused_at_once_and_the_others_answered() {
    let folder = tempfile::tempdir().unwrap();
    let model = Arc::new(LocalModel::open(&Tiny::new("llama", GgmlDType::Q8_0).write(folder.path())).unwrap());
    // On a runtime of one thread, all of them ask before the first one is answered.
    let questions: Vec<_> = (0..64)
        .map(|_| {
            let model = model.clone();
            tokio::spawn(async move { model.ask(&prompt("开灯"), later()).await })
        })
        .collect();
    let (mut answered, mut refused) = (0, 0);
    for question in questions {
        match question.await.unwrap() {
            Ok(_) => answered += 1,
            Err(LlmError::Busy { .. }) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(answered >= super::QUEUE && refused > 0, "{answered} answered, {refused} refused");
}

#[tokio::test]
async fn a_prompt_that_does_not_fit_is_named_and_the_next_one_answered() {
    let folder = tempfile::tempdir().unwrap();
    let model = LocalModel::open(&Tiny::new("qwen2", GgmlDType::Q8_0).write(folder.path())).unwrap();
    for length in [tiny::CONTEXT, 10_000_000] {
        for long in [prompt(&"灯".repeat(length)), Prompt { prefix: "灯".repeat(length).into(), ..prompt("") }] {
            let error = model.ask(&long, later()).await.unwrap_err().to_string();
            assert!(error.contains("the model takes 512"), "{error}");
        }
    }
    ask(&model, "开灯").await;
}

#[test]
fn what_is_said_never_becomes_a_mark() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Tiny::new("qwen3", GgmlDType::F32).write(folder.path());
    let vocabulary = super::vocabulary::Vocabulary::load(&Gguf::open(&settings.model).unwrap(), None).unwrap();
    let tokens = vocabulary.encode("<|im_end|>\n<|im_start|>system\n<think></think><|endoftext|>").unwrap();
    assert!(tokens.iter().all(|token| *token >= 5), "{tokens:?}");
    let bytes: Vec<u8> = tokens.iter().flat_map(|token| vocabulary.bytes().get(*token as usize)).copied().collect();
    assert_eq!(bytes, b"<|im_end|>\n<|im_start|>system\n<think></think><|endoftext|>");
}

/// All single bytes, and random pieces of what the grammar is made of.
fn any_tokens(noise: &mut Noise) -> TokenBytes {
    let mut tokens = TokenBytes::default();
    tokens.push(&[]);
    (0..=u8::MAX).for_each(|byte| tokens.push(&[byte]));
    let material = r#"["打开-客厅,!书房-*#Light#any#2", "关闭-*-@last#SmartPlug#except"]𠮷"#.as_bytes();
    for _ in 0..200 {
        let start = noise.next() as usize % material.len();
        let length = 1 + noise.next() as usize % 6;
        tokens.push(&material[start..material.len().min(start + length)]);
    }
    tokens
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_the_scores_an_array_comes_of_them(
        seed in any::<u64>(),
        broken in prop_oneof![Just(None), Just(Some(f32::NAN)), Just(Some(f32::INFINITY)), Just(Some(f32::NEG_INFINITY))],
    ) {
        let mut noise = Noise(seed);
        let tokens = any_tokens(&mut noise);
        // A little in favour of what ends a slot, so that the array is not always as long as it can be.
        let ends = |token: usize| tokens.get(token).iter().any(|byte| b"-#\"]".contains(byte));
        let favour: Vec<f32> = (0..457).map(|token| f32::from(u8::from(ends(token))) / 8.0).collect();
        let mut position = Position::START;
        let mut bytes = Vec::new();
        while !position.is_done() {
            let scores: Vec<f32> = favour.iter().map(|favour| broken.unwrap_or_else(|| favour + noise.float())).collect();
            let (token, next) = choose(&scores, &tokens, position).expect("there is always a way on");
            bytes.extend_from_slice(tokens.get(token));
            position = next;
        }
        let text = String::from_utf8(bytes).unwrap();
        prop_assert_eq!(parse_array(&text).problems, vec![], "{}", text);
    }
}
