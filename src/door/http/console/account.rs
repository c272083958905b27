//! An account as the console shows it.

use std::collections::HashSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::frame::{Door, Finish, clean};
use crate::ledger::{Account, Entry};
use crate::retrieval::EPSILON;

/// An account with what became of it, as JSON.
pub fn shown(entry: &Entry, zone: &TimeZone) -> Value {
    let mut value = account(&entry.account, zone);
    value["outcomes"] = entry.outcomes.iter().map(|outcome| told(outcome)).collect();
    value
}

/// An account of which nothing came yet.
pub(in crate::door::http) fn account(account: &Account, zone: &TimeZone) -> Value {
    let none = Value::Null;
    let found = account.found.as_deref().unwrap_or(&none);
    let took = &found["timing_us"];
    let mut value = json!({
        "seq": account.seq, "rid": account.rid, "at": at(account.wall_ms, zone), "door": door(account.origin.door),
        "who": account.origin.client, "room": account.room, "said": account.said,
        "intent": "none", "reply": "", "aloud": null,
        "parser": found["parser"].as_str().unwrap_or("none"), "hint": found["hint"],
        "dry": account.dry, "brought": account.brought,
        "commands": list(&found["commands"]), "candidates": candidates(account, found), "trace": list(&found["trace"]),
        "instructs": [], "outcomes": [], "jobs": [],
        "took": {
            "parse_us": took["parse"], "recall_us": took["recall"], "score_us": took["score"],
            "resolve_us": took["resolve"], "total_us": took["total"],
        },
        "error": null,
    });
    match &account.finish {
        Finish::Done { intent, result, speech, instructs, jobs, .. } => {
            value["intent"] = intent.as_str().into();
            value["reply"] = clean(result).into();
            value["aloud"] = if speech.text.is_empty() { Value::Null } else { clean(&speech.text).into() };
            value["instructs"] = json!(instructs);
            value["jobs"] = json!(jobs);
        }
        Finish::Failed { code, message } => value["error"] = json!({"code": code.code(), "message": clean(message)}),
    }
    value
}

/// What became of an instruct.
pub(super) fn told(outcome: &Value) -> Value {
    let mut told =
        json!({"rid": outcome["rid"], "id": outcome["id"], "outcome": outcome["result"], "ms": outcome["ms"]});
    if let Some(reason) = outcome.get("reason") {
        told["reason"] = reason.clone();
    }
    told
}

/// A time, in milliseconds since the Unix epoch, as it is shown.
pub fn at(wall_ms: u64, zone: &TimeZone) -> String {
    let at = i64::try_from(wall_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()).unwrap_or_default();
    at.to_zoned(zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
}

fn door(door: Door) -> &'static str {
    match door {
        Door::Request => "mqtt",
        other => other.as_str(),
    }
}

fn list(value: &Value) -> Value {
    if value.is_array() { value.clone() } else { json!([]) }
}

/// The candidates, each with whether it was chosen, and if not, a word for why.
fn candidates(account: &Account, found: &Value) -> Value {
    let moved: HashSet<&str> = match &account.finish {
        Finish::Done { instructs, .. } => instructs.iter().map(|instruct| instruct.id.as_str()).collect(),
        Finish::Failed { .. } => HashSet::new(),
    };
    let all = found["candidates"].as_array().map_or(&[][..], Vec::as_slice);
    let score = |candidate: &Value| candidate["score"].as_f64().unwrap_or_default();
    let best = |command: &Value| all.iter().filter(|other| other["command"] == *command).map(score).fold(0.0, f64::max);
    let shown = all.iter().map(|candidate| {
        let mut shown = candidate.clone();
        let near_best = score(candidate) + f64::from(EPSILON) > best(&candidate["command"]);
        // A group or a scene moves others than itself.
        let is_set = candidate["kind"] != "device";
        let chosen =
            moved.contains(candidate["id"].as_str().unwrap_or_default()) || (is_set && near_best && !moved.is_empty());
        let lacks = |signal: &str| candidate["signals"][signal].as_f64() == Some(0.0);
        let why = match () {
            () if chosen => None,
            () if lacks("capability") => Some("unable"),
            () if lacks("online") => Some("offline"),
            () if !near_best => Some("outscored"),
            () => Some("undecided"),
        };
        shown["chosen"] = chosen.into();
        shown["why"] = why.into();
        shown
    });
    shown.collect()
}
