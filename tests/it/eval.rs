//! The accuracy that must not be lost: `zhiju eval` over the cases in `tests/eval/`, with floors.

use std::path::PathBuf;

use serde_json::Value;

use crate::runner::{stderr, stdout, zhiju};

/// What `zhiju eval` found over one file.
struct Eval {
    report: Value,
    closing: String,
    text: String,
}

fn eval(file: &str) -> Eval {
    eval_with(file, &[])
}

fn eval_with(file: &str, flags: &[&str]) -> Eval {
    evaluate(&[&format!("tests/eval/{file}")], flags)
}

/// Measured as a total: its misses are for nobody to read, also when a floor is missed.
fn eval_total(files: &[&str]) -> Eval {
    evaluate(files, &["--no-model", "--misses", "0"])
}

fn evaluate(files: &[&str], flags: &[&str]) -> Eval {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.json");
    let cases = files.iter().map(|file| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file));
    let output = zhiju().arg("eval").args(flags).args(cases).arg("--json").arg(&out).output().unwrap();
    let text = stdout(&output);
    assert!(output.status.success(), "{text}{}", stderr(&output));
    let report = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
    Eval { report, closing: text.lines().last().unwrap_or_default().to_owned(), text }
}

impl Eval {
    fn at_least(&self, pointer: &str, floor: f64) {
        let percent = self.report.pointer(pointer).and_then(|tally| tally["percent"].as_f64());
        assert!(percent.is_some_and(|percent| percent >= floor), "{pointer} below {floor} %\n{}", self.text);
    }

    fn misfires_at_most(&self, percent: f64) {
        let total = &self.report["total"];
        let misfires = 100.0 * total["misfires"].as_f64().unwrap() / total["cases"].as_f64().unwrap();
        assert!(misfires <= percent, "misfires {misfires:.2} % above {percent} %\n{}", self.text);
    }
}

#[test]
fn the_projects_own_cases_stay_above_their_floors() {
    let eval = eval("cases.jsonl");
    eval.at_least("/tags/seed-examples", 100.0);
    eval.at_least("/total", 97.0);
    eval.misfires_at_most(0.0);
}

#[test]
fn home_assistants_sentences_stay_above_their_floors() {
    let eval = eval("ha-zh-CN.jsonl");
    eval.at_least("/total", 97.0);
    eval.misfires_at_most(0.0);
}

/// Homes whose devices list commands, as SmartThings' do: those without an argument are of type `string`.
#[test]
fn homes_of_smartthings_commands_stay_above_their_floor() {
    let eval = eval_with("smartthings.jsonl", &["--no-model"]);
    eval.at_least("/total", 96.8);
    eval.misfires_at_most(0.0);
}

/// What the home is afterwards, by what its devices reported.
#[test]
fn homes_are_what_they_were_told_to_be() {
    let eval = eval_with("after.jsonl", &["--no-model"]);
    eval.at_least("/total", 100.0);
}

#[test]
fn a_home_as_a_family_names_it_stays_above_its_floor() {
    let eval = eval_with("family.jsonl", &["--no-model"]);
    eval.at_least("/total", 91.0);
    eval.misfires_at_most(0.0);
}

/// The parts of `tests/corpus` that nothing is made from: to choose by, and only to measure.
#[test]
fn the_corpus_stays_above_its_floors() {
    let eval = evaluate(&["tests/corpus/cases/w05.jsonl"], &["--no-model"]);
    eval.at_least("/total", 92.2);
    eval.misfires_at_most(0.3);
    let test = ["w07", "w09", "w10"].map(|writer| format!("tests/corpus/cases/{writer}.jsonl"));
    let eval = eval_total(&test.each_ref().map(String::as_str));
    eval.at_least("/total", 91.5);
    eval.misfires_at_most(0.8);
}

/// Speech of writers who had seen nothing of the program, but for `speech-own`; of the sealed halves nobody has read the misses,
/// and no test prints them. `unseen-e` is half traps, `unseen-f` a third commands amid talk, `unseen-g` to `unseen-i` everyday speech
/// with a sixth of them, `unseen-j` to more than a third lists, `unseen-k` half conversations and lists,
/// `unseen-l` what a recogniser writes, near-commands, short and long-winded speech, `unseen-m` and `unseen-n` a week of a family, `unseen-o` six households,
/// `unseen-p` four, `unseen-q` to `unseen-u` six each with no two cases alike, `unseen-v` four homes.
#[test]
fn unseen_speech_stays_above_its_floors() {
    for (file, floor, misfires) in [
        ("speech-own.jsonl", 97.0, 0.0),
        ("unseen-a.jsonl", 90.8, 0.7),
        ("unseen-a2.jsonl", 86.4, 0.9),
        ("unseen-b.jsonl", 92.4, 1.9),
        ("unseen-b2.jsonl", 95.0, 1.0),
        ("unseen-c.jsonl", 88.0, 1.2),
        ("unseen-c-sealed.jsonl", 81.0, 1.2),
        ("unseen-d.jsonl", 81.0, 1.2),
        ("unseen-d-sealed.jsonl", 73.0, 1.2),
        ("unseen-e.jsonl", 74.0, 2.7),
        ("unseen-e-sealed.jsonl", 73.0, 2.7),
        ("unseen-f.jsonl", 65.0, 1.2),
        ("unseen-f-sealed.jsonl", 58.0, 2.8),
        ("unseen-g.jsonl", 85.0, 1.0),
        ("unseen-g-sealed.jsonl", 69.0, 1.0),
        ("unseen-h.jsonl", 83.0, 0.7),
        ("unseen-h-sealed.jsonl", 76.0, 1.4),
        ("unseen-i.jsonl", 80.0, 1.0),
        ("unseen-i-sealed.jsonl", 82.0, 1.0),
        ("unseen-j.jsonl", 79.0, 0.5),
        ("unseen-j-sealed.jsonl", 85.0, 0.9),
        ("unseen-k.jsonl", 82.0, 0.5),
        ("unseen-k-sealed.jsonl", 83.0, 1.7),
        ("unseen-l.jsonl", 73.0, 0.5),
        ("unseen-l-sealed.jsonl", 78.0, 0.7),
        ("unseen-m.jsonl", 90.0, 0.7),
        ("unseen-m-sealed.jsonl", 86.0, 1.4),
        ("unseen-n.jsonl", 90.0, 0.8),
        ("unseen-n-sealed.jsonl", 77.0, 0.8),
        ("unseen-o.jsonl", 90.0, 0.7),
        ("unseen-o-sealed.jsonl", 90.0, 0.7),
        ("unseen-p.jsonl", 90.0, 0.7),
        ("unseen-p-sealed.jsonl", 86.0, 0.7),
        ("unseen-q.jsonl", 66.0, 0.9),
        ("unseen-q-sealed.jsonl", 65.0, 0.9),
        ("unseen-r.jsonl", 70.0, 0.9),
        ("unseen-r-sealed.jsonl", 79.0, 0.9),
        ("unseen-s.jsonl", 83.0, 0.5),
        ("unseen-s-sealed.jsonl", 80.0, 0.9),
        ("unseen-t.jsonl", 70.0, 0.9),
        ("unseen-t-sealed.jsonl", 75.0, 1.7),
        ("unseen-u-sealed.jsonl", 81.0, 1.2),
        ("unseen-v.jsonl", 84.0, 0.7),
        ("unseen-v-sealed.jsonl", 78.0, 0.7),
    ] {
        let eval = eval_total(&[&format!("tests/eval/{file}")]);
        eval.at_least("/total", floor);
        eval.misfires_at_most(misfires);
    }
}

/// Sentences in which a careless reader moves the wrong thing, and commands of the same shapes.
#[test]
fn traps_move_nothing() {
    let eval = eval_with("traps.jsonl", &["--no-model"]);
    eval.at_least("/total", 89.0);
    eval.misfires_at_most(1.5);
}

#[test]
fn times_are_understood() {
    let eval = eval_with("time.jsonl", &["--no-model"]);
    eval.at_least("/total", 98.0);
    eval.misfires_at_most(0.6);
}

#[test]
fn noisy_twins_stay_above_their_floors() {
    for (file, floor) in [("cases.jsonl", 88.0), ("ha-zh-CN.jsonl", 88.0)] {
        let eval = eval_with(file, &["--noise", "1"]);
        eval.at_least("/total", floor);
        eval.misfires_at_most(0.3);
    }
}

#[test]
fn the_closing_line_says_the_total() {
    let eval = eval("cases.jsonl");
    let total = &eval.report["total"];
    let percent = total["percent"].as_f64().unwrap();
    let (passed, cases) = (&total["passed"], &total["cases"]);
    let (misfires, spoken) = (&total["misfires"], &total["spoken"]);
    let expected = format!("total {passed}/{cases} {percent:.1}% misfires {misfires} spoken {spoken}");
    assert_eq!(eval.closing, expected);
}
