//! The answer of a language model, which was asked for an array and nothing else, and may have answered anything.

use serde_json::Deserializer;

use super::{Element, ProtocolProblem, Reading, parse_array, read_elements};

/// Bytes beyond which an answer is not read: the longest array of commands is shorter.
pub const MAX_ANSWER_BYTES: usize = 64 << 10;

/// Brackets at which an array is looked for.
const MAX_ATTEMPTS: usize = 16;

/// Where the thoughts of a model that thinks aloud begin and end.
const THOUGHTS: [(&str, &str); 3] = [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]")];

/// Reads the answer of a model.
///
/// Strictly first. When that fails, the one array of strings that stands in a code fence or among chatter is taken, and
/// [`ProtocolProblem::Salvaged`] says so; where there are several, nobody knows which is meant and the result is `UNKNOWN`.
/// So it is of a thought that never ended: an array in it was weighed and not yet chosen.
pub fn read_answer(text: &str) -> Reading {
    if text.len() > MAX_ANSWER_BYTES {
        return Reading::unknown(ProtocolProblem::TooLong);
    }
    let strict = parse_array(text.trim());
    let not_array = |p: &ProtocolProblem| matches!(p, ProtocolProblem::NotAnArray(_));
    if !strict.problems.iter().any(not_array) {
        return strict;
    }
    let Some(said) = after_thoughts(text) else { return strict };
    let mut found = None;
    let mut rest = said;
    for _ in 0..MAX_ATTEMPTS {
        let Some(at) = rest.find('[') else { break };
        rest = &rest[at..];
        let mut stream = Deserializer::from_str(rest).into_iter::<Vec<Element>>();
        match stream.next() {
            Some(Ok(elements)) if elements.iter().any(|e| matches!(e, Element::Text(_))) => {
                if found.is_some() {
                    return strict;
                }
                found = Some(elements);
                rest = &rest[stream.byte_offset()..];
            }
            _ => rest = &rest[1..],
        }
    }
    // What was not looked at may hold another array.
    if rest.contains('[') {
        return strict;
    }
    found.map_or(strict, |elements| read_elements(elements, vec![ProtocolProblem::Salvaged]))
}

/// What is said after the last thought; `None` when that did not come to its end.
fn after_thoughts(text: &str) -> Option<&str> {
    let ended = THOUGHTS.iter().filter_map(|(_, end)| Some(text.rfind(end)? + end.len())).max();
    let said = &text[ended.unwrap_or(0)..];
    (!THOUGHTS.iter().any(|(begin, _)| said.contains(begin))).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<&'static str>) {
        let reading = read_answer(text);
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
    fn a_fence_and_chatter_are_taken_off_and_counted() {
        is(&format!("```json\n[\"{LAMP}\"]\n```"), &[LAMP], &["salvaged"]);
        is(&format!("好的！结果如下：[\"{LAMP}\"] 希望有帮助[1]。"), &[LAMP], &["salvaged"]);
        is(&format!("<think>或者 [\"{UNKNOWN}\"]？</think>[\"{LAMP}\"]"), &[LAMP], &["salvaged"]);
    }

    #[test]
    fn an_array_in_a_thought_that_was_cut_off_is_none() {
        for text in [
            format!("<think>用户想开灯，应输出 [\"{LAMP}\"]，不过"),
            format!("<think>先想想</think><think>应输出 [\"{LAMP}\"]，不过"),
            format!("<thinking>应输出 [\"{LAMP}\"]，不过"),
            format!("[THINK]应输出 [\"{LAMP}\"]，不过"),
        ] {
            is(&text, &[UNKNOWN], &["not_array"]);
        }
        is(&format!("应输出 [\"{UNKNOWN}\"]</think>[\"{LAMP}\"]"), &[LAMP], &["salvaged"]);
    }

    #[test]
    fn of_two_arrays_none_is_taken() {
        is(&format!("[\"{LAMP}\"] 或者 [\"{LAMP}\"]"), &[UNKNOWN], &["not_array"]);
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
        let reading = read_answer(&text);
        assert_eq!(reading.commands.len(), super::super::MAX_COMMANDS);
        assert!(reading.problems.contains(&ProtocolProblem::TooMany));
    }
}
