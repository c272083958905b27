//! The tools: few that do the whole job, with short results.

use serde_json::{Map, Value, json};

use super::rpc::RpcError;
use super::{McpServer, Who};
use crate::frame::{Finish, Intent, Origin, Request, clean, spoken_failure};
use crate::home::{Device, Home, Snapshot};
use crate::text::{displayable, normalize};
use crate::zh::Tools;

/// Bytes of a list: whatever reads it pays for every word.
const MAX_TEXT: usize = 8 << 10;

/// Devices whose state is told at a time.
const MAX_STATES: usize = 20;

/// The name of what a client asks its user.
const ANSWER: &str = "answer";

/// The tools and the arguments that each needs and may have.
const TOOLS: [(&str, &[&str], &[&str]); 3] = [
    ("home_command", &["text"], &["room", "conversation"]),
    ("home_devices", &[], &[]),
    ("home_state", &["about"], &[]),
];

/// All tools, for a client that asks what there is.
pub(super) fn list(words: &Tools) -> Value {
    let tools = TOOLS.iter().map(|(name, needed, more)| {
        let told = words.tools.get(*name);
        let argument = |argument: &&str| {
            let description = told.and_then(|told| told.arguments.get(*argument));
            ((*argument).to_owned(), json!({"type": "string", "description": description}))
        };
        let properties: Map<String, Value> = needed.iter().chain(*more).map(argument).collect();
        json!({
            "name": name,
            "title": told.map(|told| &told.title),
            "description": told.map(|told| told.description.trim()),
            "inputSchema": {"type": "object", "properties": properties, "required": needed},
            "annotations": {"readOnlyHint": *name != "home_command"},
        })
    });
    json!({"tools": tools.collect::<Vec<_>>()})
}

/// Who calls.
pub(super) struct Caller<'a> {
    pub(super) server: &'a McpServer,
    pub(super) who: Who<'a>,
    /// Whether its user can be asked through it.
    pub(super) elicits: bool,
    pub(super) words: &'a Tools,
}

impl Caller<'_> {
    /// Calls a tool.
    pub(super) async fn call(&self, params: &Value, bytes: usize) -> Result<Value, RpcError> {
        let name = params["name"].as_str().unwrap_or_default();
        let Some((name, needed, more)) = TOOLS.iter().find(|(known, ..)| *known == name) else {
            return Err(RpcError::bad_params(&format!("no such tool: {}", displayable(name, 64))));
        };
        let arguments = match self.arguments(&params["arguments"], needed, more) {
            Ok(arguments) => arguments,
            Err(message) => return Ok(said(&message, true)),
        };
        if !(if *name == "home_command" { self.who.may_ask } else { self.who.may_see }) {
            return Ok(said("this token has another right", true));
        }
        Ok(match *name {
            "home_command" => self.command(&arguments, params, bytes).await,
            "home_devices" => said(&devices(&self.server.registry.snapshot().home), false),
            _ => said(&states(&self.server.registry.snapshot(), &arguments["about"]), false),
        })
    }

    /// The arguments, checked: texts within their bounds, and those that are needed.
    fn arguments(&self, given: &Value, needed: &[&str], more: &[&str]) -> Result<Arguments, String> {
        let mut arguments = Arguments::new();
        for key in needed.iter().chain(more) {
            let most = if *key == "text" { self.server.limits.question_chars } else { self.server.limits.id_chars };
            match &given[*key] {
                Value::Null => {}
                Value::String(text) if text.chars().count() > most => {
                    return Err(format!("{key}: longer than {most} characters"));
                }
                Value::String(text) => _ = arguments.insert((*key).to_owned(), text.clone()),
                _ => return Err(format!("{key}: must be a text")),
            }
            if needed.contains(key) && !arguments.contains_key(*key) {
                return Err(format!("{key}: is required"));
            }
        }
        Ok(arguments)
    }

    /// Says a sentence to the home. What it asks back is for the user: a client that can asks them, and calls again with
    /// what they said; any other gets the question as the result.
    async fn command(&self, arguments: &Arguments, params: &Value, bytes: usize) -> Value {
        let desk = &self.server.desk;
        let rid = desk.made_up();
        let optional = |key: &str| arguments.get(key).filter(|text| !text.is_empty()).cloned();
        // The state is the conversation and nothing more: this client could name it as well.
        let state =
            params["requestState"].as_str().filter(|state| state.chars().count() <= self.server.limits.id_chars);
        let (page, text) = match (state, &params["inputResponses"][ANSWER]) {
            (Some(page), response) if response.is_object() => {
                let answer = response["content"][ANSWER].as_str().unwrap_or_default();
                let accepted = response["action"] == "accept" && answer.chars().count() <= self.server.limits.id_chars;
                let text = if accepted { answer } else { self.words.declined.as_str() };
                (page.to_owned(), text.to_owned())
            }
            _ => (optional("conversation").unwrap_or_else(|| rid.clone()), arguments["text"].clone()),
        };
        let request = Request {
            rid,
            page_id: page.clone(),
            question: text,
            local: optional("room"),
            instruct: true,
            home: None,
            origin: Origin { door: self.who.door, client: self.who.client.to_owned() },
        };
        match desk.answer(request, bytes).await.finish {
            Finish::Done { intent: Intent::Question, result, .. } if self.elicits => self.elicit(&result, &page),
            Finish::Done { intent, result, instructs, .. } => {
                let done: Vec<String> = instructs.iter().map(|instruct| clean(&instruct.summary)).collect();
                let structured = json!({
                    "say": clean(&result), "intent": intent, "ask_user": intent == Intent::Question,
                    "conversation": page, "done": done,
                });
                let mut told = said(&structured.to_string(), false);
                told["structuredContent"] = structured;
                told
            }
            Finish::Failed { code, message } => {
                said(&format!("{} ({})", spoken_failure(code, &desk.texts().failures), clean(&message)), true)
            }
        }
    }

    /// Asks the user through the client.
    fn elicit(&self, question: &str, page: &str) -> Value {
        json!({
            "resultType": "input_required",
            "requestState": page,
            "inputRequests": {ANSWER: {"method": "elicitation/create", "params": {
                "mode": "form", "message": clean(question),
                "requestedSchema": {
                    "type": "object", "required": [ANSWER],
                    "properties": {ANSWER: {"type": "string", "title": self.words.answer}},
                },
            }}},
        })
    }
}

type Arguments = std::collections::BTreeMap<String, String>;

fn said(text: &str, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}

/// What there is, a room a line.
fn devices(home: &Home) -> String {
    let mut text = String::new();
    let rooms = home.rooms.iter().enumerate().map(|(index, room)| (Some(index), room.name.as_str()));
    for (room, name) in rooms.chain([(None, "-")]) {
        let here: Vec<String> = home.devices.iter().filter(|device| device.room == room).map(shown).collect();
        if !here.is_empty() {
            text.push_str(&format!("{}: {}\n", displayable(name, 64), here.join(", ")));
        }
    }
    shortened(text)
}

fn shown(device: &Device) -> String {
    displayable(&device.name, 64)
}

/// How things are that are called so: the devices of a room, or those of a name.
fn states(snapshot: &Snapshot, about: &str) -> String {
    let home = &snapshot.home;
    let about = normalize(about);
    let named = |names: &mut dyn Iterator<Item = &str>| {
        names.map(normalize).any(|name| !name.is_empty() && about.contains(&name))
    };
    let rooms: Vec<usize> = (0..home.rooms.len())
        .filter(|r| {
            named(
                &mut [home.rooms[*r].name.as_str()]
                    .into_iter()
                    .chain(home.rooms[*r].aliases.iter().map(String::as_str)),
            )
        })
        .collect();
    let in_room = |device: &Device| rooms.is_empty() || device.room.is_some_and(|room| rooms.contains(&room));
    let meant =
        |device: &Device| named(&mut device.names()) || device.names().any(|name| normalize(name).contains(&about));
    let mut found: Vec<usize> =
        (0..home.devices.len()).filter(|d| meant(&home.devices[*d]) && in_room(&home.devices[*d])).collect();
    if found.is_empty() && !rooms.is_empty() {
        found = (0..home.devices.len()).filter(|d| in_room(&home.devices[*d])).collect();
    }
    if about.is_empty() || found.is_empty() {
        return "nothing is called so".into();
    }
    let line = |d: &usize| {
        let device = &home.devices[*d];
        let state = serde_json::to_string(&snapshot.live.get(*d).values).unwrap_or_default();
        let offline = if snapshot.live.online(*d) { "" } else { " (offline)" };
        format!("{} {}{offline}: {}\n", displayable(home.room_name(device), 64), shown(device), clean(&state))
    };
    let mut text: String = found.iter().take(MAX_STATES).map(line).collect();
    if found.len() > MAX_STATES {
        text.push_str(&format!("… {} more\n", found.len() - MAX_STATES));
    }
    shortened(text)
}

/// The beginning of a text, in whole lines.
fn shortened(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        let end = text[..end].rfind('\n').map_or(end, |line| line + 1);
        text.truncate(end);
        text.push_str("…\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zh::Texts;

    #[test]
    fn every_tool_and_argument_is_explained() {
        let tools = list(&Texts::default().tools);
        for tool in tools["tools"].as_array().unwrap() {
            assert!(tool["description"].as_str().is_some_and(|text| !text.is_empty()), "{tool}");
            for (name, argument) in tool["inputSchema"]["properties"].as_object().unwrap() {
                assert!(argument["description"].is_string(), "{name}");
            }
        }
        assert_eq!(Texts::default().tools.tools.len(), TOOLS.len());
    }

    #[test]
    fn a_long_text_ends_with_a_line() {
        let text = shortened("客厅: 灯\n".repeat(2_000));
        assert!(text.len() <= MAX_TEXT + 4 && text.ends_with("灯\n…\n"));
    }
}
