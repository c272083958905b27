//! Sentences through each of the doors, and what each makes of them.

use rumqttc::v5::mqttbytes::v5::Publish;
use serde_json::{Value, json};

use super::House;
use super::clients::{McpClient, Pipe, Reply, WyomingClient, get, post};
use super::mcp::stateless;
use crate::common::json_of;

/// What a door made of a sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// What is told in words, or said aloud where the door tells that.
    pub text: String,
    /// What is said aloud, where both are told.
    spoken: Option<String>,
    /// Whether the daemon asks back, where the door tells.
    pub asks: bool,
    /// Whether it was for us, where the door tells.
    pub ours: bool,
    /// What each device was told.
    pub told: Vec<(String, Value)>,
    /// What is to be done later, afterwards.
    pub jobs: Vec<Value>,
}

pub enum Door {
    Mqtt,
    Ask,
    Conversation,
    Pipe(Box<Pipe>),
    Wyoming,
    Mcp(McpClient),
    /// MCP without `initialize`.
    Stateless,
}

impl Heard {
    /// The same at another door than MQTT, which tells everything.
    pub fn at(&self, door: &Door) -> Self {
        let spoken = self.spoken.clone().unwrap_or_default();
        let heard = self.clone();
        match door {
            Door::Mqtt | Door::Ask => heard,
            // What is left to another agent keeps no conversation open.
            Door::Conversation => Self { text: spoken, spoken: None, asks: self.asks && self.ours, ..heard },
            // Whether anything is asked goes with what is not said.
            Door::Wyoming => Self { text: spoken, spoken: None, asks: false, ..heard },
            Door::Pipe(_) | Door::Mcp(_) | Door::Stateless => Self { spoken: None, ours: false, ..heard },
        }
    }
}

impl Door {
    /// Says a sentence; the number is the sentence's.
    pub async fn say(&mut self, house: &mut House, (page, question): (&str, &str), number: usize) -> Heard {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        match self {
            Self::Mqtt => {
                let rid = format!("m-{number}");
                let said = json!({"text": question, "rid": rid, "page_id": page});
                house.client.publish("utterance/客厅", said.to_string()).await;
                let finish = house.client.finish(&rid).await;
                let intent = &finish["payload"]["data"]["active"]["intent"];
                let result = text(&intent["result"]);
                // What was heard before the end is told again with it; what is no command is told once.
                let reply =
                    |publish: &Publish| publish.topic == "zhiju/home/reply/客厅" && json_of(publish)["rid"] == rid;
                let reply = json_of(&house.client.find("a reply", reply).await);
                assert_eq!(reply["intent"], intent["type"]);
                let silent = intent["type"] == "none" && reply["text"] == "";
                let topic = format!("zhiju/home/candidates/{rid}");
                let left = house
                    .client
                    .count(|publish| publish.topic == topic && json_of(publish)["hint"] == "needs_fallback");
                Heard {
                    text: result,
                    spoken: Some(text(&reply["text"])),
                    asks: intent["type"] == "question",
                    ours: !silent && left == 0,
                    ..Heard::default()
                }
            }
            Self::Ask => {
                let said = json!({"text": question, "page_id": page, "local": "客厅"});
                let Reply { status, body, .. } = post(house.http, "/v1/ask", &[], &said).await;
                assert_eq!((status, &body["page_id"]), (200, &json!(page)), "{body}");
                let silent = body["intent"] == "none" && body["speech"] == "";
                Heard {
                    text: text(&body["text"]),
                    spoken: Some(text(&body["speech"])),
                    asks: body["intent"] == "question",
                    ours: !silent && body["hint"] != "needs_fallback",
                    ..Heard::default()
                }
            }
            Self::Conversation => {
                let page = format!("ha-{page}");
                let said = json!({"text": question, "conversation_id": page, "device_id": "客厅", "agent_id": null});
                let Reply { status, body, .. } = post(house.http, "/api/conversation/process", &[], &said).await;
                assert_eq!((status, &body["conversation_id"]), (200, &json!(page)), "{body}");
                let asks = body["continue_conversation"].as_bool().unwrap();
                let ours = body["response"]["data"]["code"] != "no_intent_match";
                let text = text(&body["response"]["speech"]["plain"]["speech"]);
                Heard { text, asks, ours, ..Heard::default() }
            }
            Self::Pipe(pipe) => {
                let finish = pipe.ask(&format!("p-{number}"), page, question).await;
                let intent = &finish["active"]["intent"];
                Heard { text: text(&intent["result"]), asks: intent["type"] == "question", ..Heard::default() }
            }
            Self::Wyoming => {
                let context = json!({"conversation_id": page, "satellite_id": "客厅"});
                let mut client = WyomingClient::connect(house.wyoming).await;
                let (kind, data) = client.ask("transcript", json!({"text": question, "context": context})).await;
                assert!(["handled", "not-handled"].contains(&kind.as_str()), "{kind} {data}");
                Heard { text: text(&data["text"]), ours: kind == "handled", ..Heard::default() }
            }
            Self::Mcp(mcp) => by_mcp(&mcp.command(question, Some("客厅"), Some(page)).await),
            Self::Stateless => {
                let arguments = json!({"text": question, "room": "客厅", "conversation": format!("s-{page}")});
                let params = json!({"name": "home_command", "arguments": arguments});
                let Reply { status, body, .. } = stateless(house.http, "tools/call", params, json!({}), &[]).await;
                assert_eq!((status, &body["result"]["resultType"]), (200, &json!("complete")), "{body}");
                by_mcp(&body["result"])
            }
        }
    }
}

fn by_mcp(result: &Value) -> Heard {
    let told = &result["structuredContent"];
    let text = told["say"].as_str().unwrap().to_owned();
    Heard { text, asks: told["ask_user"].as_bool().unwrap(), ..Heard::default() }
}

/// Says all sentences; `expected` tells how many devices each of them moves.
pub async fn all(house: &mut House, door: &mut Door, said: &[(&str, &str)], expected: Option<&[Heard]>) -> Vec<Heard> {
    let mut all = Vec::new();
    for (at, (page, question)) in said.iter().enumerate() {
        let heard = door.say(house, (page, question), at).await;
        let wanted = expected.map(|expected| expected[at].told.len());
        let mut told = Vec::new();
        // The first time around the answer comes after the instructs on the same connection.
        while wanted.map_or_else(|| house.moved() > 0, |wanted| told.len() < wanted) {
            let is_instruct = |publish: &Publish| publish.topic.starts_with(b"zhiju/home/instruct/");
            let mut instruct = json_of(&house.client.find(question, is_instruct).await);
            let id = instruct["id"].as_str().unwrap().to_owned();
            instruct.as_object_mut().unwrap().retain(|key, _| !["rid", "ts"].contains(&key.as_str()));
            told.push((id, instruct));
        }
        assert_eq!(house.moved(), 0, "{question}");
        told.sort_by(|a, b| a.0.cmp(&b.0));
        all.push(Heard { told, jobs: jobs(house.http).await, ..heard });
    }
    all
}

/// What is to be done later, without when, since that is counted from now.
async fn jobs(port: u16) -> Vec<Value> {
    let mut jobs = get(port, "/v1/jobs", &[]).await.body["jobs"].as_array().unwrap().clone();
    for job in &mut jobs {
        job.as_object_mut().unwrap().retain(|key, _| ["repeat", "summary", "instructs"].contains(&key.as_str()));
    }
    jobs.sort_by_key(Value::to_string);
    jobs
}
