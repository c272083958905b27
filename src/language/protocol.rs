//! The strict, degradable parser of the command protocol (seed 000, "实现侧解析与校验"; seed 001).

mod action_text;
mod answer;
mod codec;
mod words;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::command::{Command, Name, Quantifier, Scope, Target, Type};
use crate::text::{COMMAS, is_invisible, normalize};

pub use action_text::{read_action, read_condition, write_action, write_amount, write_condition};
pub use answer::{MAX_ANSWER_BYTES, read_answer};
pub use codec::{DecodeError, decode, encode, place};
pub use words::ProtocolWords;

/// Commands that one answer may hold; the rest is dropped and reported.
pub const MAX_COMMANDS: usize = 32;

/// Characters that one command may have.
pub const MAX_COMMAND_CHARS: usize = 200;

/// What was wrong with an answer, or mended in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolProblem {
    /// The answer is not a JSON array of strings.
    #[error("not a JSON array of strings: {0}")]
    NotAnArray(String),
    /// The array is empty.
    #[error("the array is empty")]
    Empty,
    /// An element is dropped.
    #[error("command {index} is invalid: {reason}")]
    Invalid {
        /// Its position.
        index: usize,
        /// Why.
        reason: &'static str,
    },
    /// A slot of an element was mended.
    #[error("command {index}: {what} was replaced")]
    Mended {
        /// Its position.
        index: usize,
        /// Which slot.
        what: &'static str,
    },
    /// A slot was mended that had bounded what is meant: the command now means more than was written.
    #[error("command {index}: without its {what} it means more than was written")]
    Widened {
        /// Its position.
        index: usize,
        /// Which slot.
        what: &'static str,
    },
    /// An element is dropped that said when those after it hold.
    #[error("command {index} is a condition that cannot be read; what it guards would be free")]
    Condition {
        /// Its position.
        index: usize,
    },
    /// There are more commands than one sentence can hold.
    #[error("more than {MAX_COMMANDS} commands; the rest is dropped")]
    TooMany,
    /// The array stood in a code fence.
    #[error("a code fence around the array")]
    Salvaged,
    /// The answer is longer than any array of commands.
    #[error("longer than {MAX_ANSWER_BYTES} bytes")]
    TooLong,
}

impl ProtocolProblem {
    /// A short name for counters.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NotAnArray(_) => "not_array",
            Self::Empty => "empty",
            Self::Invalid { .. } => "invalid",
            Self::Mended { .. } => "mended",
            Self::Widened { .. } => "widened",
            Self::Condition { .. } => "condition",
            Self::TooMany => "too_many",
            Self::Salvaged => "salvaged",
            Self::TooLong => "too_long",
        }
    }

    /// Whether no part of the answer may be acted on: it runs on and on, or what is left of it does more than it said.
    pub fn is_fatal(&self) -> bool {
        matches!(self, Self::TooMany | Self::Widened { .. } | Self::Condition { .. })
    }
}

/// Whether an element, readable or not, says when others hold.
pub fn begins_as_condition(element: &str) -> bool {
    let text = normalize(element);
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    ProtocolWords::conditions().iter().any(|word| text.starts_with(word.as_str()))
}

/// An element of the array; what is no string is invalid.
#[derive(Deserialize)]
#[serde(untagged)]
enum Element {
    Text(String),
    Other(IgnoredAny),
}

/// Commands read from an answer, and everything that was not in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// At least one; `UNKNOWN` when nothing valid was there.
    pub commands: Vec<Command>,
    /// What was wrong or mended.
    pub problems: Vec<ProtocolProblem>,
}

/// Reads an answer: JSON first, then each command; whatever is invalid is dropped, and when nothing is left the result
/// is `UNKNOWN`.
pub fn parse_array(text: &str) -> Reading {
    match serde_json::from_str(text) {
        Ok(elements) => read_elements(elements),
        Err(error) => Reading::unknown(ProtocolProblem::NotAnArray(error.to_string())),
    }
}

impl Reading {
    /// Nothing could be read.
    fn unknown(problem: ProtocolProblem) -> Self {
        Self { commands: vec![Command::unknown()], problems: vec![problem] }
    }

    /// Whether nothing was understood.
    pub fn is_unknown(&self) -> bool {
        self.commands.iter().all(Command::is_unknown)
    }
}

/// Reads the elements of an array.
fn read_elements(elements: Vec<Element>) -> Reading {
    let mut problems = Vec::new();
    if elements.is_empty() {
        problems.push(ProtocolProblem::Empty);
    }
    if elements.len() > MAX_COMMANDS {
        problems.push(ProtocolProblem::TooMany);
    }
    let mut commands: Vec<Command> = elements
        .iter()
        .take(MAX_COMMANDS)
        .enumerate()
        .filter_map(|(index, element)| match element {
            Element::Text(text) => parse_command(index, text, &mut problems),
            Element::Other(_) => {
                problems.push(ProtocolProblem::Invalid { index, reason: "not a string" });
                None
            }
        })
        .collect();
    if commands.is_empty() {
        commands.push(Command::unknown());
    }
    Reading { commands, problems }
}

/// Prints commands as the JSON array of the protocol.
pub fn print_array(commands: &[Command]) -> String {
    let strings: Vec<String> = commands.iter().map(Command::to_string).collect();
    serde_json::to_string(&strings).expect("strings always serialise")
}

/// Reads one command; `None` when it is invalid.
pub fn parse_command(index: usize, text: &str, problems: &mut Vec<ProtocolProblem>) -> Option<Command> {
    let mut invalid = |reason| {
        problems.push(match begins_as_condition(text) {
            true => ProtocolProblem::Condition { index },
            false => ProtocolProblem::Invalid { index, reason },
        });
        None
    };
    if text.chars().count() > MAX_COMMAND_CHARS {
        return invalid("too long");
    }
    if text.chars().any(is_invisible) {
        return invalid("control or direction characters");
    }
    let parts: Vec<&str> = text.split('-').map(str::trim).collect();
    let [action, scope, target] = parts[..] else {
        return invalid("not ACTION-SCOPE-TARGET");
    };
    if action.is_empty() {
        return invalid("no action");
    }
    let mut slots: Vec<&str> = target.split('#').map(str::trim).collect();
    // A name alone is one thing of whatever type.
    let alone = slots.len() == 1;
    if alone {
        slots.extend([Type::Unknown.as_str(), Quantifier::One.as_str()]);
    }
    let [name, kind, quantifier, ref rest @ ..] = slots[..] else {
        return invalid("not NAME#TYPE#Q");
    };
    if name.is_empty() {
        return invalid("no name");
    }
    if alone {
        problems.push(ProtocolProblem::Mended { index, what: "TARGET" });
    }
    let kind = Type::from_name(kind).unwrap_or_else(|| {
        let what = "TYPE";
        // 关闭-客厅-*#Lamp#all is no longer about lamps; a name still says what is meant.
        problems.push(match name {
            "*" | "@last" => ProtocolProblem::Widened { index, what },
            _ => ProtocolProblem::Mended { index, what },
        });
        Type::Unknown
    });
    let quantifier = Quantifier::from_name(quantifier).unwrap_or_else(|| {
        problems.push(ProtocolProblem::Mended { index, what: "Q" });
        Quantifier::One
    });
    let count = rest.first().and_then(|n| {
        let count = n.parse::<u32>().ok().filter(|n| *n > 0);
        if count.is_none() {
            problems.push(ProtocolProblem::Widened { index, what: "N" });
        }
        count
    });
    let name = match name {
        "*" => Name::Any,
        "@last" => Name::Last,
        other => Name::named(other),
    };
    Some(Command::new(action, parse_scope(scope), Target { name, kind, quantifier, count }))
}

/// Reads a scope: names by comma, `!` excludes, `*` or nothing included means everywhere.
fn parse_scope(text: &str) -> Scope {
    let names = || text.split(COMMAS).map(str::trim);
    let everywhere = names().any(|n| n == "*");
    let include = names().filter(|n| !n.starts_with('!') && !everywhere);
    let exclude = names().filter_map(|n| n.strip_prefix('!'));
    Scope::new(include, exclude)
}

#[cfg(test)]
pub(crate) mod tests;
