//! How long one sentence takes in the process itself, from request to end: all readers, and what is not for us as well.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::runner::{stderr, stdout, zhiju};

/// Named, so that it is an error where it is not there.
const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/mini-zh");

/// The bars, in microseconds: of the median and of the 99th percentile.
const MEDIAN: u64 = 1_000;
const SLOW: u64 = 10_000;

/// Suites whose misses anybody may read, and the corpus' train and dev parts; of the latter what is not for us is told apart.
fn suites() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = |folder: &str, test: fn(&str) -> bool| {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        files.retain(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(test));
        files.sort();
        files
    };
    let lists = |name: &str| {
        let other = ["actions", "mentions"].iter().any(|kind| name.starts_with(kind));
        name.ends_with(".jsonl") && !other && !name.contains("sealed")
    };
    let corpus = |name: &str| !["w07", "w09", "w10"].iter().any(|writer| name.starts_with(writer));
    let mut suites = files("tests/eval", lists);
    suites.extend(files("tests/corpus/cases", corpus));
    // More files of cases, as those that are measured beside the project.
    let more = std::env::var_os("BARS_SUITES").unwrap_or_default();
    suites.extend(std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()));
    suites
}

/// How often each suite is served: of each utterance the least counts, which is what it costs and not what the machine does besides.
const ROUNDS: usize = 3;

/// What each utterance took, and whether it is for us.
fn measure(suite: &Path, out: &Path) -> Vec<(u64, bool)> {
    let mut least: Vec<(u64, bool)> = Vec::new();
    for _ in 0..ROUNDS {
        let output =
            zhiju().args(["eval", "--misses", "0", "--model", MODEL, "--json"]).arg(out).arg(suite).output().unwrap();
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
        let report: Value = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
        let turns = report["cases"].as_array().unwrap().iter().flat_map(|case| case["turns"].as_array().unwrap());
        let took = turns.map(|turn| (turn["took_us"].as_u64().unwrap(), turn["expect"]["intent"] != "none"));
        let took: Vec<_> = took.collect();
        let fewer = |(a, b): (&(u64, bool), &(u64, bool))| (a.0.min(b.0), a.1);
        least = if least.is_empty() { took } else { least.iter().zip(&took).map(fewer).collect() };
    }
    least
}

/// The median, the 99th percentile and the longest.
fn spread(took: &mut [u64]) -> [u64; 3] {
    took.sort_unstable();
    let at = |percent: usize| took[(took.len() * percent / 100).min(took.len() - 1)];
    [at(50), at(99), at(100)]
}

#[test]
#[ignore = "measures a release binary; see the Makefile"]
fn one_sentence_in_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.json");
    let mut sorts: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    println!("{:<24} {:>6} {:>8} {:>8} {:>8}", "suite, in µs", "turns", "p50", "p99", "longest");
    let row = |name: &str, took: &mut [u64]| {
        let [median, slow, longest] = spread(took);
        println!("{name:<24} {:>6} {median:>8} {slow:>8} {longest:>8}", took.len());
        (median, slow)
    };
    for suite in suites() {
        let took = measure(&suite, &out);
        let name = suite.file_stem().unwrap().to_string_lossy();
        row(&name, &mut took.iter().map(|(took, _)| *took).collect::<Vec<_>>());
        for (took, ours) in took {
            sorts.entry(if ours { "for us" } else { "not for us" }).or_default().push(took);
        }
    }
    for (name, mut took) in sorts {
        let (median, slow) = row(name, &mut took);
        assert!(median <= MEDIAN && slow <= SLOW, "{name}: p50 {median} µs, p99 {slow} µs");
    }
}
