//! What the demonstration prints: each utterance as it goes, a table at the end, lines to try.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde::Deserialize;

use super::script::{Speaks, Step};
use crate::cli::present::{self, Answer, heard};
use crate::cli::style::{Style, pad};

/// One line of the table.
#[derive(Debug)]
pub(super) struct Row {
    room: String,
    text: String,
    intent: String,
    instructs: usize,
    /// Microseconds in the daemon. The way through the embedded broker, which fills packets before it sends them, says
    /// nothing about a real one.
    took_us: Option<u64>,
    /// Why it is not what was expected.
    miss: Option<String>,
}

impl Row {
    pub(super) fn new(step: &Step, answer: &Answer) -> Self {
        let data = answer.data();
        let intent = data["active"]["intent"]["type"].as_str().or_else(|| data["error"]["code"].as_str());
        let intent = intent.unwrap_or_default();
        Self {
            room: step.room.clone(),
            text: step.text.clone(),
            intent: intent.to_owned(),
            instructs: answer.instructs.len(),
            took_us: answer.candidates["timing_us"]["total"].as_u64(),
            miss: miss(step, answer, intent),
        }
    }

    pub(super) fn ok(&self) -> bool {
        self.miss.is_none()
    }
}

fn miss(step: &Step, answer: &Answer, intent: &str) -> Option<String> {
    let told: BTreeSet<&str> = answer.instructs.iter().filter_map(|instruct| instruct["id"].as_str()).collect();
    let moved = answer.instructs.iter().filter(|instruct| instruct["noop"] != true);
    let moved: BTreeSet<&str> = moved.filter_map(|instruct| instruct["id"].as_str()).collect();
    let wanted: BTreeSet<&str> = step.moves.iter().map(String::as_str).collect();
    if !wanted.is_empty() {
        let exact = wanted.is_subset(&told) && moved.is_subset(&wanted);
        return (!exact).then(|| format!("expected instructs for {wanted:?}"));
    }
    if !moved.is_empty() {
        return Some(format!("{moved:?} should not move"));
    }
    if step.says.is_empty() {
        return (intent != "none").then(|| format!("{intent} instead of none"));
    }
    let missing = step.says.iter().find(|word| !answer.reply.contains(word.as_str()));
    missing.map(|word| format!("the reply lacks {word}"))
}

/// An utterance, before its answer.
pub(super) fn said(step: &Step, style: Style) -> String {
    let way = match step.speaks {
        Speaks::Request => "app",
        Speaks::Satellite | Speaks::Model => "heard",
    };
    heard(way, Some(&step.room), &step.text, style)
}

/// What came of it.
pub(super) fn told(answer: &Answer, row: &Row, style: Style) -> String {
    let mut text = present::told(answer, "instructed", style);
    if let Some(miss) = &row.miss {
        let _ = writeln!(text, "             {}", style.red(&format!("✗ {miss}")));
    }
    text
}

/// The closing table.
pub(super) fn table(rows: &[Row], style: Style) -> String {
    let head = format!("\n     {} {} {} instructs      µs", pad("room", 8), pad("said", 36), pad("intent", 9));
    let mut text = style.bold(&head) + "\n";
    for row in rows {
        let mark = if row.ok() { style.green("ok  ") } else { style.red("miss") };
        let took = row.took_us.map_or("-".to_owned(), |micros| micros.to_string());
        let _ = writeln!(
            text,
            "{mark} {} {} {} {:>9} {took:>7}",
            pad(&row.room, 8),
            pad(&row.text, 36),
            pad(&row.intent, 9),
            row.instructs
        );
    }
    let _ = writeln!(text, "{} of {} as expected", rows.iter().filter(|row| row.ok()).count(), rows.len());
    text
}

/// What may be said afterwards.
const TRIES: &str = include_str!("tries.yaml");

/// Something that may be said, and where.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Try {
    room: String,
    text: String,
}

/// Lines to paste into another terminal.
pub(super) fn try_it(port: u16, home_id: &str) -> String {
    let client = format!("-V mqttv5 -p {port}");
    let mut text = format!("\nstill up; in other terminals:\n  mosquitto_sub {client} -t 'zhiju/{home_id}/#' -v\n");
    for Try { room, text: said } in serde_yaml::from_str::<Vec<Try>>(TRIES).expect("a test reads the data") {
        let _ = writeln!(text, "  mosquitto_pub {client} -q 1 -t zhiju/{home_id}/utterance/{room} -m '{said}'");
    }
    text + "Ctrl-C ends it.\n"
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn answer(instructs: Value, reply: &str) -> Answer {
        let instructs = instructs.as_array().cloned().unwrap_or_default();
        Answer { instructs, reply: reply.to_owned(), ..Answer::default() }
    }

    fn step(moves: &[&str], says: &[&str]) -> Step {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let (page, room, text) = Default::default();
        Step { speaks: Speaks::Satellite, page, room, text, moves: own(moves), says: own(says) }
    }

    #[test]
    fn all_that_is_expected_has_to_move_and_nothing_else() {
        let lamp = step(&["lamp"], &[]);
        assert_eq!(miss(&lamp, &answer(json!([{"id": "lamp", "noop": false}]), ""), "instruct"), None);
        assert_eq!(
            miss(&lamp, &answer(json!([{"id": "lamp", "noop": true}, {"id": "fan", "noop": true}]), ""), "instruct"),
            None
        );
        assert!(miss(&lamp, &answer(json!([]), ""), "instruct").is_some());
        assert!(miss(&lamp, &answer(json!([{"id": "lamp"}, {"id": "fan"}]), ""), "instruct").is_some());
    }

    #[test]
    fn a_reply_has_to_hold_its_words_and_nothing_moves() {
        let lamp = step(&[], &["灯"]);
        assert_eq!(miss(&lamp, &answer(json!([]), "灯开着"), "answer"), None);
        assert!(miss(&lamp, &answer(json!([]), "好的"), "answer").is_some());
        assert!(miss(&lamp, &answer(json!([{"id": "lamp"}]), "灯开着"), "answer").is_some());
    }

    #[test]
    fn what_is_to_be_ignored_gets_no_question() {
        let nothing = step(&[], &[]);
        assert_eq!(miss(&nothing, &answer(json!([]), "无关会话"), "none"), None);
        assert!(miss(&nothing, &answer(json!([]), "哪个？"), "question").is_some());
    }
}
