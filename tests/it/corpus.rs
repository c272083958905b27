//! What `tests/corpus/README.md` says of the corpus: parts that share neither writers nor homes, and how much there is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// Rows of the card's table that begins with this heading, cell by cell.
fn table(first: &str, columns: usize) -> Vec<Vec<String>> {
    let card = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let cells = |line: &str| -> Vec<String> { line.split('|').map(|cell| cell.trim().to_owned()).collect() };
    let rows = card.lines().skip_while(|line| {
        let cells = cells(line);
        cells.len() != columns + 2 || cells[1] != first
    });
    let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|line| cells(line)[1..=columns].to_vec()).collect()
}

/// The part of each writer.
fn parts() -> BTreeMap<String, String> {
    let mut parts = BTreeMap::new();
    for row in table("part", 3) {
        for writer in row[1].split('`').filter(|text| text.starts_with('w')) {
            let before = parts.insert(writer.to_owned(), row[0].clone());
            assert_eq!(before, None, "{writer} is in two parts");
        }
    }
    parts
}

/// File names without their ends.
fn names(folder: &Path, end: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| Some(name.strip_suffix(end)?.to_owned())).collect()
}

fn cases(writer: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder().join("cases").join(format!("{writer}.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn writer_of(home: &str) -> &str {
    home.split('-').next().unwrap()
}

#[test]
fn no_writer_and_no_home_of_the_corpus_is_in_two_parts() {
    let parts = parts();
    assert_eq!(parts.keys().cloned().collect::<BTreeSet<_>>(), names(&folder().join("cases"), ".jsonl"));
    assert_eq!(parts.values().collect::<BTreeSet<_>>().len(), 3);
    // Who serves in a home is its writer alone, so a home is in the part of its writer.
    for writer in parts.keys() {
        for case in cases(writer) {
            let home = case["home"].as_str().expect("homes of the corpus are named");
            assert_eq!(writer_of(home), writer, "{}", case["id"]);
        }
    }
    // Nor is a home there twice under two names.
    let mut devices: BTreeMap<String, String> = BTreeMap::new();
    for home in names(&folder().join("homes"), ".json") {
        let text = std::fs::read_to_string(folder().join("homes").join(format!("{home}.json"))).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        assert!(parts.contains_key(writer_of(&home)), "{home}");
        if let Some(other) = devices.insert(document["devices"].to_string(), home.clone()) {
            assert_eq!(other, home);
        }
    }
}

/// What the reader learns from is written over homes that nothing is measured in.
#[test]
fn marked_lines_are_of_no_home_that_is_measured_in() {
    let parts = parts();
    let spans = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/recipe/reader/spans");
    let homes = names(&spans, ".txt");
    assert!(homes.len() > 40, "{homes:?}");
    let measured = homes.iter().filter(|home| parts.get(writer_of(home)).is_some_and(|part| part != "train"));
    assert_eq!(measured.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn the_card_of_the_corpus_counts_what_is_there() {
    let counts = |writers: &[&String]| -> Vec<String> {
        // Homes, conversations, those that move, are told or asked, stay still, are not for us, and utterances.
        let mut counts = [0; 7];
        for writer in writers {
            let cases = cases(writer);
            counts[0] += cases.iter().map(|case| case["home"].as_str()).collect::<BTreeSet<_>>().len();
            for case in cases {
                let turns = case["turns"].as_array().unwrap();
                let any = |intents: &[&str]| {
                    turns.iter().any(|turn| turn["expect"]["intent"].as_str().is_some_and(|i| intents.contains(&i)))
                };
                let sort = match () {
                    () if any(&["instruct"]) => 2,
                    () if any(&["answer", "question"]) => 3,
                    () if any(&["reject", "no_action"]) => 4,
                    () => 5,
                };
                counts[1] += 1;
                counts[sort] += 1;
                counts[6] += turns.len();
            }
        }
        counts.iter().map(ToString::to_string).collect()
    };
    let parts = parts();
    let rows: Vec<Vec<String>> = table("part", 8).into_iter().chain(table("writer", 8)).collect();
    assert_eq!(rows.len(), 4 + parts.len());
    for row in rows {
        let name = row[0].trim_matches('`');
        let is_of = |(writer, part): &(&String, &String)| name == "all" || name == *writer || name == *part;
        let writers: Vec<&String> = parts.iter().filter(is_of).map(|(writer, _)| writer).collect();
        let written: Vec<String> = row[1..].iter().map(|cell| cell.replace(',', "")).collect();
        assert_eq!(written, counts(&writers), "{name}");
    }
}
