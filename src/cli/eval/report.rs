//! The report of an evaluation: misses, a table by tag, the closing line; the same as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Outcome, commands};
use crate::cli::ask::explain;
use crate::cli::style::{Style, pad};
use crate::frame::Finish;

/// Cases, passes and misfires of one tag or of all.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    cases: usize,
    passed: usize,
    misfires: usize,
    /// Cases that are not for us and got something spoken.
    spoken: usize,
    /// Cases with a question that nobody needed.
    asked: usize,
    /// Cases of which nothing was expected but the intent.
    unchecked: usize,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome) {
        self.cases += 1;
        self.passed += usize::from(outcome.passed());
        self.misfires += usize::from(outcome.misfired());
        let any = |test: fn(&super::Verdict) -> bool| outcome.turns.iter().any(|turn| test(&turn.verdict));
        self.spoken += usize::from(any(|v| v.spoken));
        self.asked += usize::from(any(|v| v.asked));
        self.unchecked += usize::from(any(|v| v.unchecked && v.passed()));
    }

    fn percent(self) -> f64 {
        if self.cases == 0 { 0.0 } else { 100.0 * self.passed as f64 / self.cases as f64 }
    }

    fn line(self) -> String {
        let Self { cases, passed, misfires, spoken, .. } = self;
        format!("{passed}/{cases} {:.1}% misfires {misfires} spoken {spoken}", self.percent())
    }

    fn json(self) -> Value {
        json!({"cases": self.cases, "passed": self.passed, "percent": self.percent(), "misfires": self.misfires,
            "spoken": self.spoken, "asked": self.asked, "unchecked": self.unchecked})
    }
}

fn tally(outcomes: &[Outcome]) -> (Tally, BTreeMap<&str, Tally>) {
    let (mut total, mut tags) = (Tally::default(), BTreeMap::<&str, Tally>::new());
    for outcome in outcomes {
        total.add(outcome);
        tags.entry(&outcome.case.tag).or_default().add(outcome);
    }
    (total, tags)
}

/// The report for a person; its last line is the contract's. With `clean`, `outcomes` are those of the noisy twins, and
/// what the clean cases came to stands beside them.
pub(super) fn text(outcomes: &[Outcome], clean: Option<&[Outcome]>, most_misses: usize) -> String {
    let style = Style::of(&std::io::stdout());
    let mut text = String::new();
    let missed: Vec<&Outcome> = outcomes.iter().filter(|outcome| !outcome.passed()).collect();
    for outcome in missed.iter().take(most_misses) {
        text.push_str(&miss(outcome, style));
    }
    if missed.len() > most_misses {
        text.push_str(&format!("… {} more misses\n\n", missed.len() - most_misses));
    }
    let (total, tags) = tally(outcomes);
    let clean = clean.map(tally);
    let width = tags.keys().map(|tag| tag.len()).max().unwrap_or_default().max(3);
    let beside = clean.as_ref().map_or("", |_| "  clean  misfires");
    text.push_str(&style.bold(&format!("{} passed  cases  percent  misfires{beside}\n", pad("tag", width))));
    for (tag, tally) in &tags {
        let Tally { cases, passed, misfires, .. } = tally;
        let mut row = format!("{} {passed:>6} {cases:>6} {:>7.1}% {misfires:>9}", pad(tag, width), tally.percent());
        if let Some(clean) = clean.as_ref().and_then(|(_, tags)| tags.get(tag)) {
            let _ = write!(row, " {:>6} {:>9}", clean.passed, clean.misfires);
        }
        text.push_str(&if passed == cases { row } else { style.red(&row) });
        text.push('\n');
    }
    let [median, slow] = percentiles(outcomes);
    text.push_str(&format!("one utterance: p50 {} µs, p99 {} µs\n", median.as_micros(), slow.as_micros()));
    if let Some((clean, _)) = clean {
        text.push_str(&format!("clean {}\n", clean.line()));
    }
    let Tally { asked, unchecked, .. } = total;
    text.push_str(&format!("needless questions {asked}, replies held to nothing {unchecked}\n"));
    text.push_str(&format!("total {}\n", total.line()));
    text
}

/// A missed case: what was said, wanted, got, and how it came to that.
fn miss(outcome: &Outcome, style: Style) -> String {
    let case = &outcome.case;
    let place = case.local.as_deref().map_or(String::new(), |room| format!(" in {room}"));
    let mut text = format!("{} {}{place}\n", style.red(&case.id), style.dim(&case.tag));
    for (turn, came) in case.turns.iter().zip(&outcome.turns) {
        text.push_str(&explain(&turn.question, &came.heard, style));
        if came.verdict.passed() {
            continue;
        }
        let _ = writeln!(text, "  expected {}", turn.written);
        let _ = writeln!(text, "  got      {}", got(&came.heard.finish));
        for reason in &came.verdict.misses {
            let _ = writeln!(text, "  {}", style.red(reason));
        }
        for device in &came.verdict.misfires {
            let _ = writeln!(text, "  {}", style.red(&format!("MISFIRE {device}")));
        }
    }
    text.push('\n');
    text
}

fn got(finish: &Finish) -> Value {
    match finish {
        Finish::Done { intent, result, instructs, .. } => {
            let instructs: Vec<Value> = instructs
                .iter()
                .map(|instruct| match (&instruct.state, &instruct.command) {
                    (Some(state), _) => json!({&instruct.id: state}),
                    (None, command) => json!({&instruct.id: command}),
                })
                .collect();
            json!({"intent": intent, "reply": result, "instructs": instructs})
        }
        Finish::Failed { code, message } => json!({"error": code.code(), "message": message}),
    }
}

/// The median and the 99th percentile of the time an utterance took.
fn percentiles(outcomes: &[Outcome]) -> [Duration; 2] {
    let mut times: Vec<Duration> = outcomes.iter().flat_map(|o| &o.turns).map(|turn| turn.heard.took).collect();
    times.sort_unstable();
    [50, 99].map(|percent| {
        times.get((times.len() * percent / 100).min(times.len().saturating_sub(1))).copied().unwrap_or_default()
    })
}

/// Every outcome, for a program; `clean` as for [`text`].
pub(super) fn json(outcomes: &[Outcome], clean: Option<&[Outcome]>) -> Value {
    let (total, tags) = tally(outcomes);
    let by_tag = |tags: BTreeMap<&str, Tally>| -> serde_json::Map<String, Value> {
        tags.into_iter().map(|(tag, tally)| (tag.to_owned(), tally.json())).collect()
    };
    let cases: Vec<Value> = outcomes.iter().map(case_json).collect();
    let mut report = json!({"total": total.json(), "tags": by_tag(tags), "cases": cases});
    if let Some((total, tags)) = clean.map(tally) {
        report["clean"] = json!({"total": total.json(), "tags": by_tag(tags)});
    }
    report
}

fn case_json(outcome: &Outcome) -> Value {
    let turns = outcome.case.turns.iter().zip(&outcome.turns).map(|(turn, came)| {
        json!({
            "question": turn.question,
            "expect": turn.written,
            "got": got(&came.heard.finish),
            "commands": commands(&came.heard),
            "parser": came.heard.candidates.as_ref().map(|found| &found["parser"]),
            "took_us": came.heard.took.as_micros() as u64,
            "misses": came.verdict.misses,
            "misfires": came.verdict.misfires,
        })
    });
    json!({
        "id": outcome.case.id,
        "tag": outcome.case.tag,
        "passed": outcome.passed(),
        "misfire": outcome.misfired(),
        "turns": turns.collect::<Vec<Value>>(),
    })
}
