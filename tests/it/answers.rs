//! The same answers on every processor. The chain of readers counts in floating point, and what it counts decides what moves;
//! so the emulated Cortex-A53 has to say what x86-64 said: to sixty sentences of the open suites over three homes, read by
//! grammar, reader and words, and to nine in a small home that are read by vectors as well, which take the emulator two minutes.

use std::path::Path;

use serde_json::{Value, json};

use crate::runner::{stderr, stdout, zhiju};

/// Named, so that it is an error where it is not there.
const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/mini-zh");

fn golden(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Of each sentence what was understood, by whom, and what moves. How it is said is a matter of `replies.rs`.
fn answers(name: &str, flags: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.json");
    let mut eval = zhiju();
    eval.args(["eval", "--misses", "0"]).args(flags).arg("--json").arg(&out).arg(golden(&format!("{name}.jsonl")));
    let output = eval.output().unwrap();
    let text = format!("{}{}", stdout(&output), stderr(&output));
    assert!(output.status.success() && !text.contains("understanding"), "a reader is missing: {text}");
    let report: Value = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
    let turns = report["cases"].as_array().unwrap().iter().flat_map(|case| case["turns"].as_array().unwrap());
    let answer = |turn: &Value| {
        let got = &turn["got"];
        json!({
            "question": turn["question"], "parser": turn["parser"], "commands": turn["commands"],
            "intent": got["intent"], "instructs": got["instructs"],
        })
    };
    turns.map(answer).collect()
}

/// Holds answers to those that are kept. After a change of what is understood: `ANSWERS_WRITE=1 cargo test --test it answers::`,
/// and look at the difference.
fn hold(name: &str, flags: &[&str], read_by_numbers: usize) {
    let (file, answers) = (golden(&format!("{name}.json")), answers(name, flags));
    if std::env::var_os("ANSWERS_WRITE").is_some() {
        std::fs::write(&file, format!("{:#}\n", Value::from(answers.clone()))).unwrap();
    }
    let kept: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    for (answer, kept) in answers.iter().zip(&kept) {
        assert_eq!(answer, kept);
    }
    assert_eq!(answers.len(), kept.len());
    // What only the grammar read would say little of numbers.
    let by_numbers = answers.iter().filter(|answer| answer["parser"] == "model").count();
    assert!(by_numbers >= read_by_numbers, "{by_numbers}");
}

#[test]
fn every_processor_gives_the_same_answers() {
    hold("answers", &["--no-model"], 5);
}

#[test]
fn every_processor_gives_the_same_answers_by_vectors() {
    hold("answers-vectors", &["--model", MODEL], 4);
}
