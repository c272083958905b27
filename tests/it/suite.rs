//! A generated suite: thousands of sentences over homes that nobody wrote by hand. The generator has its own words and
//! its own idea of what must come of them; it knows nothing of the grammar.

mod homes;
mod independent;
mod lists;
mod nouns;
mod sentences;

use serde_json::{Value, json};

use crate::runner::{stderr, stdout, zhiju};
use homes::{Dice, Home};

const HOMES: usize = 24;
const CASES: usize = 260;

/// Phenomena, and the share of conversations in per cent that must come out right: as written, and misheard.
const FLOORS: [(&str, f64, f64); 13] = [
    ("single", 99.0, 85.0),
    ("multi", 97.0, 80.0),
    ("mixed", 95.0, 80.0),
    ("sets", 97.0, 85.0),
    ("exclusion", 97.0, 80.0),
    ("values", 97.0, 80.0),
    ("relative", 97.0, 80.0),
    ("dialogue", 95.0, 70.0),
    ("question", 97.0, 66.0),
    ("condition", 97.0, 75.0),
    ("no-command", 99.0, 97.0),
    ("clarify", 95.0, 80.0),
    ("risk", 97.0, 76.0),
];

/// Every case of the suite, one a line; every `nth` of them.
fn cases(nth: usize) -> String {
    let homes: Vec<Home> = (0..HOMES).map(Home::new).collect();
    let mut lines = String::new();
    for (at, (phenomenon, ..)) in FLOORS.iter().enumerate() {
        let mut dice = Dice::new(31 + at as u64);
        let mut made = 0;
        while made < CASES {
            let home = &homes[made % HOMES];
            let tried = (0..60).find_map(|_| sentences::sentence(phenomenon, home, &mut dice));
            made += 1;
            let Some((local, turns)) = tried.filter(|_| made % nth == 0) else { continue };
            let turns: Vec<Value> = turns.iter().map(|(q, e)| json!({"question": q, "expect": e})).collect();
            let id = format!("{phenomenon}-{made}");
            let case = json!({"id": id, "tag": phenomenon, "home": home.document, "local": local, "turns": turns});
            lines.push_str(&format!("{case}\n"));
        }
    }
    lines
}

/// Long lists, of which some parts name what is not there.
fn lists(count: usize) -> String {
    let homes: Vec<Home> = (0..HOMES).map(Home::new).collect();
    let mut dice = Dice::new(577);
    let mut lines = String::new();
    for made in 0..count {
        let home = &homes[made % HOMES];
        let (said, expect) = (0..60).find_map(|_| lists::list(home, &mut dice)).unwrap();
        let turns = [json!({"question": said, "expect": expect})];
        let case = json!({"id": format!("list-{made}"), "tag": "list", "home": home.document, "turns": turns});
        lines.push_str(&format!("{case}\n"));
    }
    lines
}

fn measure(nth: usize, flags: &[&str]) -> (Value, String) {
    measured(&format!("suite-{nth}"), &cases(nth), flags)
}

pub fn measured(name: &str, cases: &str, flags: &[&str]) -> (Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("suite.jsonl"), folder.path().join("out.json"));
    std::fs::write(&file, cases).unwrap();
    let command = &mut zhiju();
    let output = command.args(["eval", "--no-model"]).args(flags).arg(&file).arg("--json").arg(&out).output().unwrap();
    let text = stdout(&output);
    assert!(output.status.success(), "{text}{}", stderr(&output));
    if let Ok(kept) = std::env::var("SUITE_OUT") {
        std::fs::copy(&file, format!("{kept}/{name}.jsonl")).unwrap();
        std::fs::copy(&out, format!("{kept}/{name}.json")).unwrap();
    }
    (serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap(), text)
}

fn hold(report: &Value, text: &str, floor: impl Fn(&(&str, f64, f64)) -> f64, misfires: f64) {
    for floors in &FLOORS {
        let percent = report["tags"][floors.0]["percent"].as_f64().unwrap_or_default();
        assert!(percent >= floor(floors), "{} {percent:.1} % is below {} %\n{text}", floors.0, floor(floors));
    }
    let total = &report["total"];
    let share = 100.0 * total["misfires"].as_f64().unwrap() / total["cases"].as_f64().unwrap();
    assert!(share <= misfires, "misfires {share:.2} % above {misfires} %\n{text}");
}

#[test]
fn the_generated_suite_stays_above_its_floors() {
    let (report, text) = measure(1, &[]);
    assert!(report["total"]["cases"].as_u64().unwrap() >= 3000, "{text}");
    hold(&report, &text, |floors| floors.1, 0.3);
}

#[test]
fn its_noisy_twins_stay_above_their_floors() {
    let (report, text) = measure(4, &["--noise", "1"]);
    hold(&report, &text, |floors| floors.2, 0.5);
}

/// What is there moves, what is not is named, and nothing else moves, however long the list is.
#[test]
fn of_long_lists_what_is_there_moves_and_nothing_else() {
    let (report, text) = measured("lists", &lists(500), &[]);
    let list = &report["tags"]["list"];
    assert!(list["percent"].as_f64().unwrap() >= 97.0, "{text}");
    assert_eq!(report["total"]["misfires"], 0, "{text}");
}
