//! The encoder against reference vectors of an independent implementation, and its thread, cache and evaluation.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod damaged;
pub mod deadline;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use zhiju::embedding::actions::{self, Mode};
use zhiju::embedding::cache::{self, MemoryStore, VectorStore};
use zhiju::embedding::{Encoder, Kind, Model};

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    kind: String,
    text: String,
    ids: Vec<u32>,
    vector: Vec<f32>,
}

impl Case {
    fn kind(&self) -> Kind {
        if self.kind == "query" { Kind::Query } else { Kind::Passage }
    }
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../golden/mini-zh.json")).unwrap()
}

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models/mini-zh")
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    (dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()) as f32
}

#[test]
fn token_ids_and_vectors_are_those_of_the_reference() {
    let model = Model::load(&shipped()).unwrap();
    for case in golden().cases {
        assert_eq!(model.token_ids(case.kind(), &case.text).unwrap(), case.ids, "{}", case.text);
        let vector = &model.encode(&[(case.kind(), &case.text)]).unwrap()[0];
        let cosine = cosine(vector, &case.vector);
        assert!(cosine >= 0.9999, "{}: {cosine}", case.text);
        assert!((vector.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn a_batch_gives_what_single_texts_give() {
    let model = Model::load(&shipped()).unwrap();
    let cases = golden().cases;
    let texts: Vec<_> = cases.iter().cycle().take(40).map(|case| (case.kind(), case.text.as_str())).collect();
    for (text, batched) in texts.iter().zip(model.encode(&texts).unwrap()) {
        let single = &model.encode(&[*text]).unwrap()[0];
        let off = single.iter().zip(&batched).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off <= 1e-5, "{}: off by {off}", text.1);
    }
}

#[test]
fn colloquial_phrases_find_their_command() {
    let model = Model::load(&shipped()).unwrap();
    let eval = |file: &str, mode| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval").join(file);
        actions::evaluate(&path, Some(&model), mode).unwrap()
    };
    for mode in [Mode::Words, Mode::Vectors] {
        eval("actions.jsonl", mode);
        eval("actions-second.jsonl", mode);
    }
    let first = eval("actions.jsonl", Mode::Full);
    assert!(first.actions.top1 >= 0.93 && first.actions.top3 >= 0.99, "{first}");
    assert!(first.descriptions.top1 >= 0.65, "{first}");
    let second = eval("actions-second.jsonl", Mode::Full);
    assert!(second.actions.top1 >= 0.70 && second.actions.top3 >= 0.85, "{second}");
}

/// Long enough for an emulated processor with other work: what is looked at is the answer.
fn soon() -> Instant {
    Instant::now() + Duration::from_secs(120)
}

#[tokio::test]
async fn the_encoder_answers_by_the_deadline_or_not_at_all() {
    let encoder = Encoder::load(&shipped()).unwrap();
    assert!(encoder.embed(Kind::Query, "太闷了", Instant::now()).await.is_none());
    let vector = encoder.embed(Kind::Query, "太闷了", soon()).await.unwrap();
    assert!(cosine(&vector, &golden().cases[1].vector) >= 0.9999);
    // Kept from the first time, so even a deadline that has passed is met.
    assert_eq!(encoder.embed(Kind::Query, "太闷了", Instant::now()).await.unwrap(), vector);
}

#[tokio::test]
async fn a_query_goes_before_the_rest_of_the_bulk() {
    let encoder = Arc::new(Encoder::load(&shipped()).unwrap());
    let texts: Vec<String> = (0..300).map(|n| format!("第{n}句话")).collect();
    let bulk = tokio::spawn({
        let encoder = encoder.clone();
        async move { encoder.embed_all(Kind::Passage, &texts.iter().map(String::as_str).collect::<Vec<_>>()).await }
    });
    tokio::task::yield_now().await;
    assert!(encoder.embed(Kind::Query, "开灯", soon()).await.is_some());
    assert!(!bulk.is_finished());
    assert_eq!(bulk.await.unwrap().unwrap().len(), 300);
}

#[tokio::test]
async fn many_queries_at_once_get_what_each_gets_alone() {
    let encoder = Arc::new(Encoder::load(&shipped()).unwrap());
    let asked: Vec<_> = golden()
        .cases
        .into_iter()
        .map(|case| {
            let encoder = encoder.clone();
            tokio::spawn(async move { (encoder.embed(case.kind(), &case.text, soon()).await, case.vector) })
        })
        .collect();
    for one in asked {
        let (vector, expected) = one.await.unwrap();
        assert!(cosine(&vector.unwrap(), &expected) >= 0.9999);
    }
}

#[tokio::test]
async fn vectors_are_computed_once_a_model_and_text() {
    let encoder = Encoder::load(&shipped()).unwrap();
    let store = MemoryStore::default();
    let texts = vec!["调亮度".to_owned(), "亮一点".to_owned()];
    let mut reports = Vec::new();
    let cold = cache::passages(&encoder, &store, &texts, |done, all| reports.push((done, all))).await.unwrap();
    assert_eq!(reports, [(2, 2)]);
    let damaged = cache::key(encoder.checksum(), Kind::Passage, "亮一点");
    store.put(&damaged, b"not a vector");
    reports.clear();
    let warm = cache::passages(&encoder, &store, &texts, |done, all| reports.push((done, all))).await.unwrap();
    assert_eq!(reports, [(2, 2)], "only the damaged one is computed again");
    assert_eq!(warm[0], cold[0]);
    assert!(cosine(&warm[1], &cold[1]) > 0.999_99);
    let again = cache::passages(&encoder, &store, &texts, |_, _| panic!("nothing is left to compute")).await.unwrap();
    assert_eq!(again, warm);
}

#[test]
fn any_text_has_a_bounded_answer() {
    let model = Model::load(&shipped()).unwrap();
    let long = "灯".repeat(100_000);
    let emoji = "👩‍👩‍👧‍👦".repeat(500);
    for text in ["", " ", "\0", "\u{feff}\u{200d}", "\n\t", &long, &emoji, "a b c d e f".repeat(9_999).as_str()] {
        assert!(model.token_ids(Kind::Query, text).unwrap().len() <= model.positions());
        assert_eq!(model.encode(&[(Kind::Query, text)]).unwrap()[0].len(), model.dimensions());
    }
}
