//! `POST /v1/ask`: one sentence, one answer, in words of our own.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request as HttpRequest, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::{Client, House, body};
use crate::door::Answer;
use crate::frame::{Door, ErrorCode, Finish, Origin, Request, Utterance, clean, instructs_of};

/// Answers a sentence.
pub(super) async fn ask(
    State(house): State<Arc<House>>,
    Extension(Client(client)): Extension<Client>,
    request: HttpRequest,
) -> Response {
    let (body, bytes) = match body::read(request).await {
        Ok(body) => body,
        Err((status, message)) => return body::error(status, ErrorCode::BadFrame.code(), &message),
    };
    let (utterance, instruct) = match utterance(&house, &body) {
        Ok(read) => read,
        Err(message) => return body::error(StatusCode::BAD_REQUEST, ErrorCode::BadFrame.code(), &message),
    };
    let rid = utterance.rid.unwrap_or_else(|| house.desk.made_up());
    let request = Request {
        page_id: utterance.page_id.unwrap_or_else(|| rid.clone()),
        rid,
        question: utterance.text,
        local: utterance.local,
        instruct,
        home: None,
        origin: Origin { door: Door::Http, client },
    };
    let answer = house.desk.answer(request.clone(), bytes).await;
    let seq = house.console.ledger.seq_of(&request.origin, &request.rid);
    told(&request, &answer, seq)
}

/// The utterance, in the form that satellites use, and whether devices may move.
fn utterance(house: &House, body: &Value) -> Result<(Utterance, bool), String> {
    if !body.is_object() {
        return Err("must be a JSON object".into());
    }
    let instruct = match &body["instruct"] {
        Value::Null => true,
        Value::Bool(instruct) => *instruct,
        _ => return Err("instruct: must be true or false".into()),
    };
    let utterance = Utterance::parse(body.to_string().as_bytes(), &house.limits).map_err(|bad| bad.message)?;
    Ok((utterance, instruct))
}

fn told(request: &Request, answer: &Answer, seq: Option<u64>) -> Response {
    match &answer.finish {
        Finish::Done { intent, result, speech, instructs, .. } => {
            let value = json!({
                "rid": request.rid, "page_id": request.page_id, "seq": seq, "intent": intent, "text": clean(result),
                "speech": clean(&speech.text), "feedback": speech.feedback, "hint": answer.hint,
                "instructs": instructs_of(request, instructs),
            });
            body::reply(StatusCode::OK, &value)
        }
        Finish::Failed { code, message } => {
            let error = json!({"code": code.code(), "message": clean(message)});
            let value = json!({"rid": request.rid, "page_id": request.page_id, "seq": seq, "error": error});
            body::reply(body::status(*code), &value)
        }
    }
}
