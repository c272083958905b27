//! `POST /api/conversation/process`: Home Assistant's conversation API, so that its clients work unchanged.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request as HttpRequest, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::{Client, House, body};
use crate::door::Answer;
use crate::frame::{Door, Finish, Instruct, Intent, Limits, Origin, Request, clean, spoken_failure};
use crate::home::Home;
use crate::zh::Failures;

/// The language that is spoken, where a client does not say which.
const LANGUAGE: &str = "zh-CN";

/// Answers a sentence.
pub(super) async fn process(
    State(house): State<Arc<House>>,
    Extension(Client(client)): Extension<Client>,
    request: HttpRequest,
) -> Response {
    let refused = |message: &str| body::reply(StatusCode::BAD_REQUEST, &json!({"message": clean(message)}));
    let (body, bytes) = match body::read(request).await {
        Ok(body) => body,
        Err((status, message)) => return body::reply(status, &json!({"message": clean(&message)})),
    };
    let asked = match Asked::read(&body, &house.limits) {
        Ok(asked) => asked,
        Err(message) => return refused(&format!("Message format incorrect: {message}")),
    };
    let rid = house.desk.made_up();
    let request = Request {
        page_id: asked.conversation_id.unwrap_or_else(|| rid.clone()),
        rid,
        question: asked.text,
        local: asked.device_id.and_then(|device| house.desk.room_of(&device)),
        instruct: true,
        home: None,
        origin: Origin { door: Door::Http, client },
    };
    let page = request.page_id.clone();
    let answer = house.desk.answer(request, bytes).await;
    let language = asked.language.unwrap_or_else(|| LANGUAGE.into());
    body::reply(
        StatusCode::OK,
        &told(&answer, &page, &language, &house.registry.snapshot().home, &house.desk.texts().failures),
    )
}

/// What a client asks.
#[derive(Debug)]
struct Asked {
    text: String,
    conversation_id: Option<String>,
    device_id: Option<String>,
    language: Option<String>,
}

impl Asked {
    fn read(body: &Value, limits: &Limits) -> Result<Self, String> {
        let text = |key: &str, chars: usize| match &body[key] {
            Value::Null => Ok(None),
            Value::String(text) if text.chars().count() <= chars => Ok(Some(text.clone())),
            _ => Err(format!("{key} must be a text of at most {chars} characters")),
        };
        let id = |key: &str| text(key, limits.id_chars).map(|id| id.filter(|id| !id.is_empty()));
        Ok(Self {
            text: text("text", limits.question_chars)?.ok_or("text is required")?,
            conversation_id: id("conversation_id")?,
            device_id: id("device_id")?,
            language: id("language")?,
        })
    }
}

/// The answer as Home Assistant gives it.
fn told(answer: &Answer, page: &str, language: &str, home: &Home, failures: &Failures) -> Value {
    let failed = |code: &str| ("error", json!({"code": code}));
    let (speech, asks, (kind, data)) = match &answer.finish {
        Finish::Failed { code, .. } => (spoken_failure(*code, failures).to_owned(), false, failed("failed_to_handle")),
        Finish::Done { speech, .. } if !answer.is_ours() => (clean(&speech.text), false, failed("no_intent_match")),
        Finish::Done { intent, speech, instructs, .. } => {
            let kind = if *intent == Intent::Instruct { "action_done" } else { "query_answer" };
            let success: Vec<Value> = instructs.iter().map(|instruct| target(instruct, home)).collect();
            let data = json!({"targets": [], "success": success, "failed": []});
            (clean(&speech.text), *intent == Intent::Question, (kind, data))
        }
    };
    json!({
        "continue_conversation": asks,
        "response": {
            "speech": {"plain": {"speech": speech, "extra_data": null}},
            "card": {},
            "language": clean(language),
            "response_type": kind,
            "data": data,
        },
        "conversation_id": page,
    })
}

fn target(instruct: &Instruct, home: &Home) -> Value {
    let name = home.device(&instruct.id).map_or(instruct.id.as_str(), |(_, device)| device.name.as_str());
    json!({"name": clean(name), "type": "entity", "id": instruct.id})
}
