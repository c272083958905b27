//! What goes out: stream and finish frames of seed 003, instructs, replies.

use serde_json::{Value, json};

use super::text::clean;
use super::{ErrorCode, Finish, Instruct, Intent, Request, Speech, TOPIC};
use crate::zh::Failures;

/// The `rid` of an answer to a frame whose own could not be read.
pub const UNKNOWN_RID: &str = "unknown";

/// A stream frame (seed 003, 4.2): the summary while the work goes on.
pub fn stream_frame(rid: &str, intent: Intent, text: &str) -> Value {
    json!({
        "topic": TOPIC,
        "rid": rid,
        "payload": {
            "finish": false,
            "data": {"ret": 0, "type": "token", "token": {"type": intent, "result": clean(text)}},
        },
    })
}

/// A finish frame (seed 003, 4.3). A failed request has a `ret` that is not zero and says why in `error`.
///
/// A request that wants no instructs gets none, whatever `finish` holds.
pub fn finish_frame(rid: &str, request: &Request, finish: &Finish) -> Value {
    let (page_id, question) = (&request.page_id, &request.question);
    let data = match finish {
        Finish::Done { intent, result, instructs, jobs, .. } => {
            let instructs = instructs_of(request, instructs);
            let mut data = json!({
                "ret": 0,
                "page_id": page_id,
                "question": question,
                "active": {
                    "intent": {"type": intent, "result": clean(result)},
                    "instructs": instructs,
                },
            });
            if !jobs.is_empty() {
                data["active"]["jobs"] = json!(jobs);
            }
            data
        }
        Finish::Failed { code, message } => json!({
            "ret": code.ret(),
            "page_id": page_id,
            "question": question,
            "error": {"code": code.code(), "message": clean(message)},
        }),
    };
    json!({"topic": TOPIC, "rid": rid, "payload": {"finish": true, "data": data}})
}

/// What is told of the instructs of a request: nothing, if it wants none.
pub fn instructs_of(request: &Request, instructs: &[Instruct]) -> Vec<Instruct> {
    let wanted: &[Instruct] = if request.instruct { instructs } else { &[] };
    wanted.iter().map(cleaned).collect()
}

/// The payload of `instruct/{device_id}`; `ts_ms` is when it was decided, in milliseconds since the Unix epoch.
///
/// The same `rid` and `id` again are a repeat of the same order.
pub fn instruct_payload(rid: &str, instruct: &Instruct, ts_ms: u64) -> Value {
    let mut payload = json!({"rid": rid});
    let order = serde_json::to_value(cleaned(instruct)).unwrap_or_default();
    if let (Some(payload), Value::Object(order)) = (payload.as_object_mut(), order) {
        payload.extend(order);
        payload.insert("ts".into(), ts_ms.into());
    }
    payload
}

/// The payload of `reply/{satellite}`: what to say aloud. An empty text says that it is over and nothing is said.
pub fn reply_payload(rid: &str, intent: Intent, speech: &Speech) -> Value {
    json!({"rid": rid, "intent": intent, "text": clean(&speech.text), "feedback": speech.feedback})
}

/// What a satellite says about a request that failed; the reason itself is for programs.
pub fn spoken_failure(code: ErrorCode, failures: &Failures) -> &str {
    match code {
        ErrorCode::BadFrame => &failures.bad_frame,
        ErrorCode::BadHome | ErrorCode::NoHome => &failures.no_home,
        ErrorCode::Overloaded => &failures.overloaded,
        ErrorCode::Timeout => &failures.timeout,
        ErrorCode::Internal => &failures.internal,
    }
}

fn cleaned(instruct: &Instruct) -> Instruct {
    Instruct { summary: clean(&instruct.summary), ..instruct.clone() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frame::CommandCall;

    fn request(instruct: bool) -> Request {
        Request { rid: "r".into(), page_id: "p".into(), question: "关灯".into(), instruct, ..Request::default() }
    }

    fn done() -> Finish {
        let state = [("power".to_owned(), json!(false))].into();
        let instruct = Instruct {
            id: "dev-1".into(),
            state: Some(state),
            command: None,
            summary: "关闭客厅照明灯".into(),
            noop: false,
        };
        Finish::Done {
            intent: Intent::Instruct,
            result: "正在关闭。".into(),
            speech: Speech::full("正在关闭。"),
            instructs: vec![instruct],
            risky: Vec::new(),
            confirmed: false,
            jobs: Vec::new(),
        }
    }

    #[test]
    fn a_stream_frame_has_the_seeds_fields_in_the_seeds_order() {
        assert_eq!(
            stream_frame("r", Intent::Instruct, "正在关闭所有房间的照明灯。").to_string(),
            r#"{"topic":"llm/smarthome","rid":"r","payload":{"finish":false,"data":{"ret":0,"type":"token","token":{"type":"instruct","result":"正在关闭所有房间的照明灯。"}}}}"#
        );
    }

    #[test]
    fn a_finish_frame_has_the_seeds_fields_in_the_seeds_order() {
        assert_eq!(
            finish_frame("r", &request(true), &done()).to_string(),
            r#"{"topic":"llm/smarthome","rid":"r","payload":{"finish":true,"data":{"ret":0,"page_id":"p","question":"关灯","active":{"intent":{"type":"instruct","result":"正在关闭。"},"instructs":[{"id":"dev-1","state":{"power":false},"summary":"关闭客厅照明灯","noop":false}]}}}}"#
        );
    }

    #[test]
    fn a_request_that_wants_no_instructs_gets_none() {
        let frame = finish_frame("r", &request(false), &done());
        assert_eq!(frame["payload"]["data"]["active"]["instructs"], json!([]));
    }

    #[test]
    fn a_failed_finish_says_why() {
        let failed = Finish::Failed { code: ErrorCode::Timeout, message: "10 s".into() };
        assert_eq!(
            finish_frame("r", &request(true), &failed).to_string(),
            r#"{"topic":"llm/smarthome","rid":"r","payload":{"finish":true,"data":{"ret":5,"page_id":"p","question":"关灯","error":{"code":"timeout","message":"10 s"}}}}"#
        );
    }

    #[test]
    fn of_every_failure_something_is_said() {
        assert_eq!(
            spoken_failure(ErrorCode::Timeout, &crate::zh::Texts::default().failures),
            "没来得及处理，请再说一遍。"
        );
    }

    #[test]
    fn an_instruct_payload_is_the_contracts() {
        let instruct = Instruct {
            id: "plug".into(),
            state: None,
            command: Some(CommandCall { id: "main-switch-on".into(), argument: None }),
            summary: "打开\u{202E}插座".into(),
            noop: true,
        };
        assert_eq!(
            instruct_payload("r", &instruct, 1_700_000_000_000).to_string(),
            r#"{"rid":"r","id":"plug","command":{"id":"main-switch-on"},"summary":"打开插座","noop":true,"ts":1700000000000}"#
        );
    }

    proptest! {
        #[test]
        fn whatever_is_rendered_parses_again(rid in "\\PC{0,40}", text in any::<String>()) {
            let (result, speech) = (text.clone(), Speech::full(&text));
            let finish = Finish::Done {
                intent: Intent::Answer, result, speech, instructs: Vec::new(), risky: Vec::new(), confirmed: false,
                jobs: Vec::new()
            };
            for frame in [stream_frame(&rid, Intent::None, &text), finish_frame(&rid, &request(true), &finish)] {
                let again: Value = serde_json::from_str(&frame.to_string()).unwrap();
                let marked = again.to_string().contains('\u{202E}');
                prop_assert!(!marked);
                prop_assert_eq!(again, frame);
            }
        }
    }
}
