//! What came of an utterance, for a person: one form for `ask` and `demo`.

use std::fmt::Write;

use serde_json::Value;

use super::style::{Style, pad};

/// Candidates and instructs shown of each utterance; the rest is counted.
const SHOWN: usize = 4;

/// All that was answered to one utterance.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The payload of `candidates/{rid}`.
    pub(super) candidates: Value,
    /// The payloads of `instruct/{device}`, or the instructs of the finish frame.
    pub(super) instructs: Vec<Value>,
    /// The finish frame.
    pub(super) finish: Value,
    /// What is said aloud.
    pub(super) reply: String,
}

impl Answer {
    /// Of a finish frame that nothing was published beside.
    pub(super) fn of_frame(finish: Value, candidates: Option<Value>) -> Self {
        let instructs = finish.pointer("/payload/data/active/instructs").map(list).unwrap_or_default();
        let reply = words(&finish).to_owned();
        Self { candidates: candidates.unwrap_or_default(), instructs, finish, reply }
    }

    /// `data` of the finish frame.
    pub(super) fn data(&self) -> &Value {
        &self.finish["payload"]["data"]
    }
}

/// The words of a finish frame.
pub(super) fn words(finish: &Value) -> &str {
    finish.pointer("/payload/data/active/intent/result").and_then(Value::as_str).unwrap_or_default()
}

/// An utterance, before its answer; `way` says how it came.
pub(super) fn heard(way: &str, room: Option<&str>, text: &str, style: Style) -> String {
    let place = room.map(|room| format!(" in {room}")).unwrap_or_default();
    format!("\n{} {}\n", style.dim(&format!("{way}{place}:")), style.bold(text))
}

/// What came of it; `told` names what became of the instructs.
pub(super) fn told(answer: &Answer, told: &str, style: Style) -> String {
    let mut text = String::new();
    let mut line = |label: &str, what: &str| {
        let _ = writeln!(text, "  {} {what}", style.dim(&pad(label, 10)));
    };
    let commands = list(&answer.candidates["commands"]);
    let commands: Vec<&str> = commands.iter().filter_map(Value::as_str).collect();
    if !commands.is_empty() {
        let parser = answer.candidates["parser"].as_str().unwrap_or_default();
        line("understood", &format!("{} {}", style.cyan(&commands.join("  ")), style.dim(parser)));
    }
    let found: Vec<String> = list(&answer.candidates["candidates"]).iter().map(candidate_line).collect();
    let instructed: Vec<String> = answer.instructs.iter().map(|instruct| instruct_line(instruct, style)).collect();
    for (label, lines) in [("found", found), (told, instructed)] {
        for (at, what) in lines.iter().take(SHOWN).enumerate() {
            line(if at == 0 { label } else { "" }, what);
        }
        if lines.len() > SHOWN {
            line("", &style.dim(&format!("… {} more", lines.len() - SHOWN)));
        }
    }
    let error = &answer.data()["error"];
    if let (Some(code), Some(message)) = (error["code"].as_str(), error["message"].as_str()) {
        line("failed", &style.red(&format!("{code}: {message}")));
    } else if answer.reply.is_empty() {
        line("replied", &style.dim("(nothing)"));
    } else {
        line("replied", &answer.reply);
    }
    text
}

/// A candidate on one line: score, kind, id, room and name, signals.
pub(super) fn candidate_line(candidate: &Value) -> String {
    let text = |key: &str| candidate[key].as_str().unwrap_or_default().to_owned();
    let signals = candidate["signals"].as_object().into_iter().flatten();
    let signals: Vec<String> = signals
        .filter(|(_, value)| value.as_f64().is_some_and(|value| value != 0.0))
        .map(|(name, value)| format!("{name} {:.2}", value.as_f64().unwrap_or_default()))
        .collect();
    format!(
        "{:.2} {} {} {}{} ({})",
        candidate["score"].as_f64().unwrap_or_default(),
        text("kind"),
        text("id"),
        text("room"),
        text("name"),
        signals.join(", ")
    )
}

/// An instruct on one line: device, order, summary.
fn instruct_line(instruct: &Value, style: Style) -> String {
    let order = instruct.get("state").or_else(|| instruct.get("command")).cloned().unwrap_or_default();
    let noop = if instruct["noop"] == true { style.dim(" (already so)") } else { String::new() };
    let id = instruct["id"].as_str().unwrap_or_default();
    format!("{} {order} {}{noop}", style.green(id), instruct["summary"].as_str().unwrap_or_default())
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plain() -> Style {
        Style::of(&std::fs::File::open("/dev/null").unwrap())
    }

    #[test]
    fn an_answer_is_shown_from_what_was_understood_to_what_is_said() {
        let instructs: Vec<Value> = (0..6)
            .map(|n| json!({"id": format!("d{n}"), "state": {"power": true}, "summary": "打开灯", "noop": n == 0}))
            .collect();
        let active = json!({"intent": {"type": "instruct", "result": "正在打开。"}, "instructs": instructs});
        let finish = json!({"payload": {"data": {"active": active}}});
        let candidates = json!({"commands": ["打开-*-灯#Light#all"], "parser": "grammar", "candidates": []});
        let text = told(&Answer::of_frame(finish, Some(candidates)), "would do", plain());
        let expected = "  understood 打开-*-灯#Light#all grammar
  would do   d0 {\"power\":true} 打开灯 (already so)
             d1 {\"power\":true} 打开灯
             d2 {\"power\":true} 打开灯
             d3 {\"power\":true} 打开灯
             … 2 more
  replied    正在打开。
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_failure_and_an_answer_without_words_are_said_so() {
        let failed = json!({"payload": {"data": {"error": {"code": "timeout", "message": "10 s"}}}});
        assert_eq!(told(&Answer::of_frame(failed, None), "would do", plain()), "  failed     timeout: 10 s\n");
        assert_eq!(told(&Answer::default(), "would do", plain()), "  replied    (nothing)\n");
    }

    #[test]
    fn the_room_is_named_where_it_is_known() {
        assert_eq!(heard("heard", Some("客厅"), "关灯", plain()), "\nheard in 客厅: 关灯\n");
        assert_eq!(heard("heard", None, "关灯", plain()), "\nheard: 关灯\n");
    }
}
