//! One account.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::frame::{Finish, Origin, Request, Speech};

/// Bytes of an account besides what it holds, about.
const EMPTY: usize = 512;

/// What was said, what was understood, what was found, what was answered and what moved.
#[derive(Clone, Debug)]
pub struct Account {
    /// Its number; they rise one by one.
    pub seq: u64,
    /// When, in milliseconds since the Unix epoch.
    pub wall_ms: u64,
    /// The request.
    pub rid: String,
    /// By which door, and who.
    pub origin: Origin,
    /// The room it was said in.
    pub room: Option<String>,
    /// What was said.
    pub said: String,
    /// Nothing was to move.
    pub dry: bool,
    /// The home came with the request: none of its names is here.
    pub brought: bool,
    /// The payload of `candidates/{rid}`, if it came to that.
    pub found: Option<Arc<Value>>,
    /// How it ended.
    pub finish: Finish,
    /// Bytes of all this, about.
    pub(super) bytes: usize,
}

impl Account {
    pub(super) fn of(request: &Request, found: Option<Arc<Value>>, finish: &Finish, wall_ms: u64) -> Self {
        let brought = request.home.is_some();
        let (found, finish) = if brought {
            (found.map(|found| Arc::new(nameless(&found))), without_names(finish))
        } else {
            (found, finish.clone())
        };
        let mut account = Self {
            seq: 0,
            wall_ms,
            rid: request.rid.clone(),
            origin: request.origin.clone(),
            room: request.local.clone().filter(|_| !brought),
            said: request.question.clone(),
            dry: !request.moves(),
            brought,
            found,
            finish,
            bytes: 0,
        };
        account.bytes = account.weigh();
        account
    }

    /// Lets go of what was found, as it is too much.
    pub(super) fn shorten(&mut self) {
        self.found = self.found.take().map(|found| Arc::new(nameless(&found)));
        if self.weigh() > self.bytes / 2
            && let Finish::Done { instructs, jobs, .. } = &mut self.finish
        {
            instructs.truncate(64);
            jobs.truncate(64);
        }
        self.bytes = self.weigh();
    }

    /// Microseconds of serving it, if it was served.
    pub fn total_us(&self) -> Option<u64> {
        self.found.as_ref()?["timing_us"]["total"].as_u64()
    }

    fn weigh(&self) -> usize {
        let room = self.room.as_ref().map_or(0, String::len);
        let ended = match &self.finish {
            Finish::Failed { message, .. } => message.len(),
            Finish::Done { result, speech, instructs, jobs, .. } => {
                let state = |(key, value): (&String, &Value)| 48 + key.len() + weight(value);
                let instructs = instructs.iter().map(|instruct| {
                    let states = instruct.state.iter().flatten().map(state).sum::<usize>();
                    128 + instruct.id.len() + instruct.summary.len() + states
                });
                result.len() + speech.text.len() + instructs.sum::<usize>() + jobs.iter().map(weight).sum::<usize>()
            }
        };
        let found = self.found.as_ref().map_or(0, |found| weight(found));
        EMPTY + self.rid.len() + self.origin.client.len() + self.said.len() + room + ended + found
    }
}

/// Of what was found that which names nothing of the home.
fn nameless(found: &Value) -> Value {
    json!({"parser": found["parser"], "hint": found["hint"], "timing_us": found["timing_us"]})
}

/// How it ended, without words about the home.
fn without_names(finish: &Finish) -> Finish {
    match finish {
        Finish::Done { intent, .. } => Finish::Done {
            intent: *intent,
            result: String::new(),
            speech: Speech::default(),
            instructs: Vec::new(),
            risky: Vec::new(),
            confirmed: false,
            jobs: Vec::new(),
        },
        Finish::Failed { code, .. } => Finish::Failed { code: *code, message: String::new() },
    }
}

/// Bytes of a value in memory, about.
pub(super) fn weight(value: &Value) -> usize {
    32 + match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(weight).sum(),
        Value::Object(values) => values.iter().map(|(key, value)| 48 + key.len() + weight(value)).sum(),
        _ => 0,
    }
}
