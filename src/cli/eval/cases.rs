//! The case format: one JSON object a line, `{"id", "tag", "home", "local", "turns": [{"question", "expect"}]}`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Zoned;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;

use crate::cli::CliError;
use crate::frame::Intent;

/// Values by device and property.
pub type States = BTreeMap<String, BTreeMap<String, Wanted>>;

/// A short conversation and what must come of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Unique in its file.
    pub id: String,
    /// The kind of speech it stands for.
    pub tag: String,
    /// The home document.
    pub home: Value,
    /// The room of the speaker.
    pub local: Option<String>,
    /// When it is said; now, if that does not matter.
    pub now: Option<Zoned>,
    /// The turns, all on one page.
    pub turns: Vec<Turn>,
}

/// One utterance of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// What is said.
    pub question: String,
    /// What must come of it.
    pub expect: Expect,
    /// What the home must be afterwards.
    pub after: States,
    /// The same as written, for the report.
    pub written: Value,
}

/// What must come of an utterance.
#[derive(Clone, Debug, PartialEq)]
pub enum Expect {
    /// Devices move.
    Instruct {
        /// Whether nothing else may change.
        exact: bool,
        /// Values by device and property; with `commands` empty too, any instruct will do.
        instructs: States,
        /// Commands by device.
        commands: BTreeMap<String, Vec<String>>,
        /// Jobs that are made beside.
        jobs: Vec<Value>,
    },
    /// A scene's actions, and nothing else.
    Scene(String),
    /// A question or an answer that holds each of the words; nothing moves.
    Reply {
        /// Which of the two.
        intent: Intent,
        /// Words of the reply.
        contains: Vec<String>,
        /// Words that the reply must not have.
        lacks: Vec<String>,
        /// Jobs that are made, each by when it is due and what it does.
        jobs: Vec<Value>,
    },
    /// It is not for us: nothing moves and nothing is spoken. What is spoken all the same is counted apart.
    NotOurs,
    /// Nothing moves, whatever is said about it.
    Nothing,
    /// Nothing moves, now or later: of a case that says when it is.
    NothingEver,
}

/// A value that is wanted of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// This value.
    Is(Value),
    /// Any number above.
    Above(f64),
    /// Any number below.
    Below(f64),
}

impl Wanted {
    /// Whether `value` is what is wanted.
    pub fn fits(&self, value: &Value) -> bool {
        match self {
            Self::Is(wanted) => same(wanted, value),
            Self::Above(bound) => value.as_f64().is_some_and(|v| v > *bound),
            Self::Below(bound) => value.as_f64().is_some_and(|v| v < *bound),
        }
    }
}

/// Whether two values mean the same: `24` is `24.0`.
pub fn same(a: &Value, b: &Value) -> bool {
    a == b || a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a == b)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCase {
    id: String,
    tag: String,
    home: Value,
    local: Option<String>,
    /// When it is said, RFC 3339.
    now: Option<String>,
    turns: Vec<RawTurn>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTurn {
    question: String,
    expect: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawExpect {
    intent: RawIntent,
    #[serde(default)]
    r#match: RawMatch,
    #[serde(default)]
    instructs: BTreeMap<String, BTreeMap<String, Value>>,
    #[serde(default)]
    commands: BTreeMap<String, Vec<String>>,
    scene: Option<String>,
    #[serde(default)]
    contains: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
    #[serde(default)]
    jobs: Vec<Value>,
    #[serde(default)]
    after: BTreeMap<String, BTreeMap<String, Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum RawIntent {
    Instruct,
    Answer,
    Question,
    None,
    Reject,
    NoAction,
}

#[derive(Default, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum RawMatch {
    #[default]
    Exact,
    Superset,
}

/// The home of a name, looked up as one that a case in `file` names.
pub fn named_home(name: &str, file: &Path) -> Result<Value, CliError> {
    let mut homes = Homes { file, by_name: BTreeMap::new() };
    homes.find(name).map_err(|reason| CliError::Failed(format!("{}: {reason}", file.display())))
}

/// Reads a file of cases; homes that are named are looked up beside it.
///
/// # Errors
/// When the file or a home cannot be read or a line is no case; the message names file and line.
pub fn read(file: &Path) -> Result<Vec<Case>, CliError> {
    let text = crate::cli::read_file(file)?;
    let mut homes = Homes { file, by_name: BTreeMap::new() };
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            parse(line, &mut homes)
                .map_err(|reason| CliError::Failed(format!("{}:{}: {reason}", file.display(), at + 1)))
        })
        .collect()
}

fn parse(line: &str, homes: &mut Homes<'_>) -> Result<Case, String> {
    let raw: RawCase = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let home = match raw.home {
        Value::String(name) => homes.find(&name)?,
        document => document,
    };
    // RFC 3339 has an offset and no zone; it is the zone then.
    let now = raw.now.map(|now| {
        let bad = |error: jiff::Error| format!("now: {error}");
        let pieces = jiff::fmt::temporal::DateTimeParser::new().parse_pieces(&now).map_err(bad)?;
        let offset = pieces.to_numeric_offset().unwrap_or(jiff::tz::Offset::UTC);
        let time = pieces.time().ok_or("now: there is no hour")?;
        pieces.date().to_datetime(time).to_zoned(TimeZone::fixed(offset)).map_err(bad)
    });
    let now = now.transpose()?;
    let turns = raw.turns.into_iter().map(|turn| {
        let (expect, after) = match expectation(turn.expect.clone())? {
            (Expect::Nothing, after) if now.is_some() => (Expect::NothingEver, after),
            both => both,
        };
        Ok(Turn { question: turn.question, expect, after, written: turn.expect })
    });
    let turns = turns.collect::<Result<_, String>>()?;
    Ok(Case { id: raw.id, tag: raw.tag, home, local: raw.local, now, turns })
}

fn expectation(written: Value) -> Result<(Expect, States), String> {
    let mut raw: RawExpect = serde_json::from_value(written).map_err(|error| format!("expect: {error}"))?;
    let after = states(std::mem::take(&mut raw.after))?;
    let expect = match raw.intent {
        RawIntent::Instruct => match raw.scene {
            Some(scene) => Expect::Scene(scene),
            None => Expect::Instruct {
                exact: raw.r#match == RawMatch::Exact,
                instructs: states(raw.instructs)?,
                commands: raw.commands,
                jobs: raw.jobs,
            },
        },
        RawIntent::Answer => reply(Intent::Answer, raw),
        RawIntent::Question => reply(Intent::Question, raw),
        RawIntent::None => Expect::NotOurs,
        RawIntent::Reject | RawIntent::NoAction => Expect::Nothing,
    };
    Ok((expect, after))
}

fn states(written: BTreeMap<String, BTreeMap<String, Value>>) -> Result<States, String> {
    let states = written.into_iter().map(|(device, state)| {
        let state = state.into_iter().map(|(property, value)| Ok((property, wanted(value)?)));
        Ok((device, state.collect::<Result<_, String>>()?))
    });
    states.collect()
}

fn reply(intent: Intent, raw: RawExpect) -> Expect {
    Expect::Reply { intent, contains: raw.contains, lacks: raw.lacks, jobs: raw.jobs }
}

fn wanted(value: Value) -> Result<Wanted, String> {
    let Value::Object(bound) = &value else { return Ok(Wanted::Is(value)) };
    let number = |key: &str| bound.get(key).and_then(Value::as_f64).filter(|_| bound.len() == 1);
    number(">")
        .map(Wanted::Above)
        .or_else(|| number("<").map(Wanted::Below))
        .ok_or_else(|| format!("expect: {value} is neither a value nor {{\">\": n}} nor {{\"<\": n}}"))
}

/// Homes that a file's cases name, each read once.
struct Homes<'a> {
    file: &'a Path,
    by_name: BTreeMap<String, Value>,
}

impl Homes<'_> {
    fn find(&mut self, name: &str) -> Result<Value, String> {
        if let Some(home) = self.by_name.get(name) {
            return Ok(home.clone());
        }
        let file_name = if name == "seed" { "seed-home.json".to_owned() } else { format!("{name}.json") };
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let tried = [folder.join("../homes"), PathBuf::from("tests/homes")].map(|folder| folder.join(&file_name));
        let path = tried.iter().find(|path| path.is_file());
        let path =
            path.ok_or_else(|| format!("no home {name}: neither {} nor {}", tried[0].display(), tried[1].display()))?;
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let home: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        self.by_name.insert(name.to_owned(), home.clone());
        Ok(home)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_case_is_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval");
        assert_eq!(read(&folder.join("cases.jsonl")).unwrap().len(), 72);
        assert_eq!(read(&folder.join("ha-zh-CN.jsonl")).unwrap().len(), 143);
        assert_eq!(read(&folder.join("time.jsonl")).unwrap().len(), 357);
    }

    #[test]
    fn a_line_that_is_no_case_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cases.jsonl");
        let expect = |expect: &str| {
            std::fs::write(
                &file,
                format!(
                    "\n{{\"id\": \"a\", \"tag\": \"t\", \"home\": {{}}, \"local\": null, \
                     \"turns\": [{{\"question\": \"开灯\", \"expect\": {expect}}}]}}\n"
                ),
            )
            .unwrap();
            read(&file).map(|cases| cases[0].turns[0].expect.clone()).map_err(|error| error.to_string())
        };
        assert_eq!(expect(r#"{"intent": "no_action"}"#), Ok(Expect::Nothing));
        assert_eq!(expect(r#"{"intent": "reject"}"#), Ok(Expect::Nothing));
        for wrong in [
            r#"{"intent": "other"}"#,
            r#"{"intent": "none", "x": 1}"#,
            r#"{"intent": "instruct", "instructs": {"a": {"b": {"=": 1}}}}"#,
        ] {
            let error = expect(wrong).expect_err(wrong);
            assert!(error.contains("cases.jsonl:2: expect: "), "{error}");
        }
    }

    #[test]
    fn bounds_and_numbers_are_compared_by_value() {
        assert!(Wanted::Is(24.into()).fits(&Value::from(24.0)));
        assert!(!Wanted::Is(1.into()).fits(&Value::from(true)));
        assert!(wanted(serde_json::json!({">": 20})).unwrap().fits(&Value::from(21)));
        assert!(!wanted(serde_json::json!({"<": 20})).unwrap().fits(&Value::from(20)));
        assert!(!wanted(serde_json::json!({"<": 20})).unwrap().fits(&Value::from("1")));
    }
}
