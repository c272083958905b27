//! The answer of a language model, which was asked for an array and nothing else, and may have answered anything.

use super::{ProtocolProblem, Reading, parse_array};

/// Bytes beyond which an answer is not read: the longest array of commands is shorter.
pub const MAX_ANSWER_BYTES: usize = 64 << 10;

/// What a code fence begins and ends with.
const FENCE: &str = "```";

/// Reads the answer of a model: the array and nothing around it.
///
/// `fence`: a code fence around all of it is taken off, and [`ProtocolProblem::Salvaged`] says so.
pub fn read_answer(text: &str, fence: bool) -> Reading {
    if text.len() > MAX_ANSWER_BYTES {
        return Reading::unknown(ProtocolProblem::TooLong);
    }
    let text = text.trim();
    let Some(inside) = fenced(text).filter(|_| fence) else { return parse_array(text) };
    let mut reading = parse_array(inside);
    reading.problems.insert(0, ProtocolProblem::Salvaged);
    reading
}

/// What stands in a code fence, if that is all there is; the word behind its beginning names a format.
fn fenced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix(FENCE)?.strip_suffix(FENCE)?;
    let start = inside.find(|c: char| !c.is_ascii_alphabetic())?;
    Some(inside[start..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<&'static str>) {
        let reading = read_answer(text, false);
        let commands = reading.commands.iter().map(ToString::to_string).collect();
        (commands, reading.problems.iter().map(ProtocolProblem::reason).collect())
    }

    const LAMP: &str = "打开-客厅-*#Light#all";
    const UNKNOWN: &str = "UNKNOWN-*-*#Unknown#one";

    fn is(text: &str, commands: &[&str], problems: &[&str]) {
        assert_eq!(
            read(text),
            (commands.iter().map(|c| (*c).to_owned()).collect(), problems.to_vec()),
            "{}",
            text.chars().take(80).collect::<String>()
        );
    }

    #[test]
    fn an_array_and_nothing_else_is_in_order() {
        is(&format!(" [\"{LAMP}\"]\n"), &[LAMP], &[]);
        is(&format!("[\"{UNKNOWN}\"]"), &[UNKNOWN], &[]);
    }

    #[test]
    fn text_around_the_array_makes_it_unknown() {
        for text in [
            format!("好的！结果如下：[\"{LAMP}\"] 希望有帮助[1]。"),
            format!("<think>或者 [\"{UNKNOWN}\"]？</think>[\"{LAMP}\"]"),
            format!("[\"{LAMP}\"] 或者 [\"{LAMP}\"]"),
            format!("```json\n[\"{LAMP}\"]\n```"),
        ] {
            is(&text, &[UNKNOWN], &["not_array"]);
        }
    }

    #[test]
    fn a_code_fence_is_taken_off_where_the_owner_wants_that() {
        let read = |text: &str| {
            let reading = read_answer(text, true);
            let commands: Vec<String> = reading.commands.iter().map(ToString::to_string).collect();
            (commands, reading.problems.iter().map(ProtocolProblem::reason).collect::<Vec<_>>())
        };
        for text in [format!("```json\n[\"{LAMP}\"]\n```\n"), format!("```[\"{LAMP}\"]```")] {
            assert_eq!(read(&text), (vec![LAMP.to_owned()], vec!["salvaged"]), "{text}");
        }
        assert_eq!(read(&format!("[\"{LAMP}\"]")), (vec![LAMP.to_owned()], vec![]));
        for text in [format!("好的：```json\n[\"{LAMP}\"]\n```"), "```".into(), "``````".into()] {
            assert_eq!(read(&text).0, [UNKNOWN], "{text}");
        }
    }

    #[test]
    fn half_an_array_is_none() {
        is(&format!("[\"{LAMP}\", \"关闭-卧"), &[UNKNOWN], &["not_array"]);
        is("", &[UNKNOWN], &["not_array"]);
    }

    #[test]
    fn what_is_no_string_is_dropped() {
        is(&format!("[1, \"{LAMP}\", null, {{\"a\": []}}]"), &[LAMP], &["invalid", "invalid", "invalid"]);
        is("[1, 2]", &[UNKNOWN], &["invalid", "invalid"]);
        is("[]", &[UNKNOWN], &["empty"]);
    }

    #[test]
    fn control_and_direction_characters_make_a_command_invalid() {
        is(&format!("[\"打开-客厅-灯\\u202e#Light#one\", \"{LAMP}\"]"), &[LAMP], &["invalid"]);
        is("[\"打开-客厅-灯\\u0007#Light#one\"]", &[UNKNOWN], &["invalid"]);
    }

    #[test]
    fn a_million_brackets_and_ten_megabytes_are_no_array() {
        is(&"[".repeat(1_000_000), &[UNKNOWN], &["too_long"]);
        is(&"[".repeat(MAX_ANSWER_BYTES), &[UNKNOWN], &["not_array"]);
        is(&"[\"".repeat(MAX_ANSWER_BYTES / 2), &[UNKNOWN], &["not_array"]);
        is(&"废话".repeat(2_000_000), &[UNKNOWN], &["too_long"]);
    }

    #[test]
    fn two_hundred_commands_are_cut_and_reported() {
        let text = serde_json::to_string(&vec![LAMP; 200]).unwrap();
        let reading = read_answer(&text, false);
        assert_eq!(reading.commands.len(), super::super::MAX_COMMANDS);
        assert!(reading.problems.contains(&ProtocolProblem::TooMany));
    }
}
