//! What was asked and what came of it, held against what must hold.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// After so long an instruct is too old to arrive, in milliseconds: what the configuration says by default.
const TTL_MS: u64 = 10_000;

/// Who asks what.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The satellite, or the app.
    pub from: Option<String>,
    pub page: String,
    pub question: String,
    /// Whether it brought a home of its own.
    pub brought: bool,
    pub instruct: bool,
    /// Whether its frame is right, so that it has to be answered.
    pub right: bool,
    /// Whether somebody else uses its rid: then only the first answer, while it is under way, has to be its own.
    pub imitated: bool,
}

impl Asked {
    /// The conversation as whoever asked knows it.
    fn conversation(&self) -> Conversation {
        (self.from.clone(), self.page.clone(), self.brought)
    }
}

/// Who, on which page, about which home.
type Conversation = (Option<String>, String, bool);

/// What the daemon asked; `None` where nobody heard how far it came.
type Question = Option<String>;

#[derive(Debug, Default)]
pub struct Book {
    asked: HashMap<String, Asked>,
    open: HashSet<String>,
    finished: HashSet<String>,
    /// Conversations in which the daemon asked last, and what.
    asking: HashMap<Conversation, Question>,
    /// Requests that came after a question in their conversation.
    after_question: HashMap<String, Question>,
    /// What was said in each conversation, for the report of a breach.
    said: HashMap<Conversation, Vec<String>>,
    failed: BTreeMap<String, usize>,
    /// Every breach of what must hold.
    wrong: Vec<String>,
    pub served: usize,
    pub homes: usize,
    pub online: bool,
    /// Risky devices that were opened after a question.
    pub opened: usize,
    instructs: usize,
}

impl Book {
    pub fn ask(&mut self, rid: String, asked: Asked) {
        if asked.right {
            self.open.insert(rid.clone());
        }
        self.asked.insert(rid, asked);
    }

    /// Requests that have to be answered and are not yet.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Fails with every breach.
    pub fn must_hold(&self) {
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
    }

    pub fn figures(&self) -> String {
        let Self { served, homes, opened, instructs, .. } = self;
        format!(
            "{} asked, {served} served, {instructs} instructs, {opened} risky ones, {homes} homes, failed {:?}",
            self.asked.len(),
            self.failed
        )
    }

    /// Looks at a message, whoever it is from.
    pub fn enter(&mut self, topic: &str, payload: &[u8]) {
        let Some(below) = topic.strip_prefix("zhiju/home/") else {
            if !topic.starts_with("answers/") {
                self.wrong.push(format!("said on {topic}"));
            }
            return;
        };
        let (kind, rest) = below.split_once('/').unwrap_or((below, ""));
        // Our own words come back as well.
        let theirs =
            matches!(kind, "response" | "candidates" | "instruct" | "reply" | "status") || below == "registry/report";
        if !theirs {
            return;
        }
        let Ok(value) = serde_json::from_slice::<Value>(payload) else {
            return self.wrong.push(format!("no JSON on {topic}"));
        };
        match kind {
            "response" => self.frame(rest, &value),
            "instruct" => self.instruct(rest, &value),
            "registry" => self.homes += usize::from(value["ok"] == true),
            "status" => self.online = value["state"] == "online",
            _ => {}
        }
    }

    fn frame(&mut self, rid: &str, frame: &Value) {
        if frame["rid"] != rid || frame["topic"] != "llm/smarthome" || !frame["payload"]["finish"].is_boolean() {
            self.wrong.push(format!("no frame of {rid}: {frame}"));
        }
        let Some(asked) = self.asked.get(rid).cloned() else {
            // What could not be read is answered as `unknown`, or as the rid that was left of it.
            if is_ours(rid) {
                self.wrong.push(format!("nobody asked {rid}"));
            }
            return;
        };
        if frame["payload"]["finish"] != true {
            if self.finished.contains(rid) && !asked.imitated {
                self.wrong.push(format!("a stream frame of {rid} after its end"));
            }
            return;
        }
        self.open.remove(rid);
        if !self.finished.insert(rid.to_owned()) {
            if !asked.imitated {
                self.wrong.push(format!("a second end of {rid}: {frame}"));
            }
            return;
        }
        let data = &frame["payload"]["data"];
        let turn = format!("{rid} {:?}: {} {}", asked.question, data["active"]["intent"], data["error"]);
        self.said.entry(asked.conversation()).or_default().push(turn);
        let mine = data["question"] == asked.question && data["page_id"] == asked.page;
        if asked.right && !mine {
            self.wrong.push(format!("{rid} asked {asked:?} and was answered {data}"));
        }
        match data["error"]["code"].as_str() {
            Some(code) => {
                *self.failed.entry(code.to_owned()).or_default() += 1;
                let fair = match code {
                    "overloaded" | "bad_home" => true,
                    "bad_frame" => !asked.right,
                    "timeout" => {
                        // How far it came is not known.
                        self.asking.insert(asked.conversation(), None);
                        true
                    }
                    _ => false,
                };
                if !fair {
                    self.wrong.push(format!("{asked:?} failed: {data}"));
                }
            }
            None => self.served(rid, &asked, &data["active"]),
        }
    }

    fn served(&mut self, rid: &str, asked: &Asked, active: &Value) {
        self.served += 1;
        let question = self.asking.remove(&asked.conversation());
        let instructs = active["instructs"].as_array().cloned().unwrap_or_default();
        self.opened += usize::from(instructs.iter().any(opens));
        if !instructs.iter().all(|instruct| may_follow(question.as_ref(), instruct)) {
            self.wrong.push(format!("{rid} opens what was not asked about in {question:?}: {asked:?} {active}"));
        }
        if let Some(question) = question {
            self.after_question.insert(rid.to_owned(), question);
        }
        if !asked.instruct && !instructs.is_empty() {
            self.wrong.push(format!("{rid} wanted no instructs: {active}"));
        }
        // What moves part of what was said may ask about the rest.
        let text = active["intent"]["result"].as_str().unwrap_or_default();
        if text.contains('？') || active["intent"]["type"] == "question" {
            self.asking.insert(asked.conversation(), Some(text.to_owned()));
        }
    }

    fn instruct(&mut self, device: &str, instruct: &Value) {
        self.instructs += 1;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
        let age = instruct["ts"].as_u64().map(|ts| now.saturating_sub(ts));
        if instruct["id"] != device || age.is_none_or(|age| age >= TTL_MS) {
            self.wrong.push(format!("no instruct for {device}, or a late one ({age:?} ms): {instruct}"));
        }
        let rid = instruct["rid"].as_str().unwrap_or_default();
        let allowed = match self.asked.get(rid) {
            // What is left of a broken frame; nothing risky is said in those.
            None => !is_ours(rid) && !opens(instruct),
            Some(asked) => {
                // It may come before the frame that tells of it, or after it: each device has its own order.
                let question = match self.finished.contains(rid) {
                    true => self.after_question.get(rid),
                    false => self.asking.get(&asked.conversation()),
                };
                asked.instruct && !asked.brought && may_follow(question, instruct)
            }
        };
        if !allowed {
            let asked = self.asked.get(rid);
            let said = asked.and_then(|asked| self.said.get(&asked.conversation()));
            let before = said.map(|said| &said[said.len().saturating_sub(3)..]);
            self.wrong.push(format!("{instruct} for {asked:?} after {before:#?}"));
        }
    }
}

/// Whether a rid is one that [`super::input`] gives: a broken one (`junk-7`) may become `qjunk-7` by chance.
fn is_ours(rid: &str) -> bool {
    rid.strip_prefix('q').is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What the home calls what opens, and what the daemon asks about by this name.
const RISKY: [(&str, &str); 4] =
    [("lock-01", "大门锁"), ("lock-02", "书房门锁"), ("valve-01", "燃气阀"), ("garage-01", "车库门")];

/// Whether an instruct may come after this question: what opens was asked about by its name, and whether really.
fn may_follow(question: Option<&Question>, instruct: &Value) -> bool {
    let names = |text: &str| RISKY.iter().any(|(id, name)| instruct["id"] == *id && text.contains(name));
    let asked = |question: &Question| question.as_ref().is_none_or(|text| text.contains("确认") && names(text));
    !opens(instruct) || question.is_some_and(asked)
}

/// Whether an instruct opens a lock, a valve or a garage of the home.
fn opens(instruct: &Value) -> bool {
    let id = instruct["id"].as_str().unwrap_or_default();
    let state = &instruct["state"];
    id.starts_with("lock-") && state["locked"] == false
        || id.starts_with("valve-") && state["open"] == true
        || id.starts_with("garage-") && state["action"] == json!("open")
}
