//! What comes in: request frames and utterances, checked against [`Limits`].

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::{Limits, Origin, Request, TOPIC};

/// A frame that is none: answered with [`super::ErrorCode::BadFrame`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadFrame {
    /// What is wrong, with the path of the field.
    pub message: String,
    /// The frame's `rid`, if that much could be read: the answer goes there.
    pub rid: Option<String>,
}

/// What a satellite heard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Utterance {
    /// The transcript.
    pub text: String,
    /// Answers carry it back; the daemon makes one up if absent.
    pub rid: Option<String>,
    /// The dialogue it belongs to; the satellite's own if absent.
    pub page_id: Option<String>,
    /// The room it was said in; the satellite's if absent.
    pub local: Option<String>,
}

impl Request {
    /// Reads a request frame (seed 003, 4.1).
    ///
    /// `instruct` is true unless the frame says otherwise; `local` and `home` may be absent.
    ///
    /// # Errors
    /// When the bytes are not such a frame or exceed `limits`.
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Self, BadFrame> {
        read_request(bytes, limits).map_err(|message| BadFrame { message, rid: readable_rid(bytes, limits) })
    }
}

impl Utterance {
    /// Reads an utterance: plain text, or `{"text", "rid"?, "page_id"?, "local"?}`.
    ///
    /// # Errors
    /// When the bytes are neither or exceed `limits`.
    pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Self, BadFrame> {
        read_utterance(bytes, limits).map_err(|message| BadFrame { message, rid: readable_rid(bytes, limits) })
    }
}

fn read_request(bytes: &[u8], limits: &Limits) -> Result<Request, String> {
    let frame = read_object(read_text(bytes, limits.payload_bytes)?)?;
    if frame.get("topic").and_then(|topic| serde_json::from_str::<&str>(topic.get()).ok()) != Some(TOPIC) {
        return Err(format!("topic: must be \"{TOPIC}\""));
    }
    let rid = read_rid(&frame, limits)?.ok_or("rid: missing")?;
    let payload = frame.get("payload").ok_or("payload: must be an object")?;
    let payload = read_object(payload.get()).map_err(|_| "payload: must be an object")?;
    let at = "payload.";
    Ok(Request {
        rid,
        page_id: read_string(&payload, at, "page_id", limits.id_chars)?
            .filter(|id| !id.is_empty())
            .ok_or("payload.page_id: missing")?,
        question: read_string(&payload, at, "question", limits.question_chars)?.ok_or("payload.question: missing")?,
        local: read_string(&payload, at, "local", limits.id_chars)?.filter(|room| !room.is_empty()),
        instruct: match payload.get("instruct").map(|instruct| instruct.get()) {
            None | Some("null" | "true") => true,
            Some("false") => false,
            Some(_) => return Err("payload.instruct: must be true or false".into()),
        },
        home: match payload.get("home").map(|home| home.get()) {
            None | Some("null") => None,
            Some(home) if home.starts_with('{') => Some(home.to_owned()),
            Some(_) => return Err("payload.home: must be an object".into()),
        },
        origin: Origin::default(),
    })
}

/// Bytes of the largest utterance, however its text is written: no home comes with it.
const MAX_UTTERANCE_BYTES: usize = 64 << 10;

fn read_utterance(bytes: &[u8], limits: &Limits) -> Result<Utterance, String> {
    let text = read_text(bytes, limits.payload_bytes.min(MAX_UTTERANCE_BYTES))?;
    if !text.trim_start().starts_with('{') {
        check_length("text", text, limits.question_chars)?;
        return Ok(Utterance { text: text.to_owned(), ..Utterance::default() });
    }
    let object = read_object(text)?;
    Ok(Utterance {
        text: read_string(&object, "", "text", limits.question_chars)?.ok_or("text: missing")?,
        rid: read_rid(&object, limits)?,
        page_id: read_string(&object, "", "page_id", limits.id_chars)?.filter(|id| !id.is_empty()),
        local: read_string(&object, "", "local", limits.id_chars)?.filter(|room| !room.is_empty()),
    })
}

fn read_text(bytes: &[u8], most: usize) -> Result<&str, String> {
    if bytes.len() > most {
        return Err(format!("{} bytes, at most {most} are read", bytes.len()));
    }
    std::str::from_utf8(bytes).map_err(|e| format!("not UTF-8: {e}"))
}

/// An object whose values are not read yet.
type Object<'a> = HashMap<String, &'a RawValue>;

fn read_object(text: &str) -> Result<Object<'_>, String> {
    serde_json::from_str(text).map_err(|e| match e.classify() {
        Category::Data => "must be a JSON object".into(),
        _ => format!("not JSON: {e}"),
    })
}

fn read_rid(object: &Object, limits: &Limits) -> Result<Option<String>, String> {
    let rid = read_string(object, "", "rid", limits.id_chars)?;
    match rid {
        Some(rid) if !is_topic_level(&rid) => Err("rid: must be usable as a topic level".into()),
        rid => Ok(rid),
    }
}

fn read_string(object: &Object, at: &str, key: &str, chars: usize) -> Result<Option<String>, String> {
    let Some(value) = object.get(key) else { return Ok(None) };
    let text: Option<String> = serde_json::from_str(value.get()).map_err(|_| format!("{at}{key}: must be a string"))?;
    if let Some(text) = &text {
        check_length(format_args!("{at}{key}"), text, chars)?;
    }
    Ok(text)
}

fn check_length(path: impl fmt::Display, text: &str, chars: usize) -> Result<(), String> {
    // Bytes bound characters from above, so that the count is only taken where it can matter.
    if text.len() > chars && text.chars().count() > chars {
        return Err(format!("{path}: longer than {chars} characters"));
    }
    Ok(())
}

/// Whether `text` can be one level of a topic that any broker takes.
///
/// Beyond separators and wildcards, MQTT 5 (1.5.4) lets a broker close the connection over control characters and
/// non-characters, and Mosquitto does.
pub fn is_topic_level(text: &str) -> bool {
    let bad = |c: char| {
        let code = u32::from(c);
        matches!(c, '/' | '+' | '#') || c.is_control() || (0xFDD0..=0xFDEF).contains(&code) || code & 0xFFFE == 0xFFFE
    };
    !text.is_empty() && text.len() <= 1024 && !text.contains(bad)
}

/// The `rid` of a frame that is otherwise unreadable: too large, cut off, not UTF-8 in another field.
fn readable_rid(bytes: &[u8], limits: &Limits) -> Option<String> {
    let mut rid = None;
    let mut json = serde_json::Deserializer::from_slice(bytes);
    // What is wrong with the frame is known already; here only what was read before the error counts.
    let _ = RidSeed(&mut rid).deserialize(&mut json);
    rid.filter(|rid| rid.chars().count() <= limits.id_chars && is_topic_level(rid))
}

/// Reads an object's `rid` and skips everything else without keeping it.
struct RidSeed<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for RidSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RidSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(is_rid)) = map.next_key()? {
            if is_rid {
                *self.0 = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Whether a key is `rid`.
struct Key(bool);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|key| Self(key == "rid"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn parse(value: &Value) -> Result<Request, BadFrame> {
        Request::parse(value.to_string().as_bytes(), &Limits::default())
    }

    fn frame(payload: Value) -> Value {
        json!({"topic": TOPIC, "rid": "r1", "payload": payload})
    }

    #[test]
    fn the_seeds_request_frame_is_read() {
        let request = parse(&json!({
            "topic": "llm/smarthome",
            "rid": "f6668d01-1e2a-42ce-bea6-2a4f57237679",
            "payload": {
                "page_id": "a5b97cbe-90eb-4f47-934e-e5f5ed46930e",
                "question": "小牛，关所有房间的灯",
                "local": "客厅",
                "instruct": false,
                "home": {"model": {}, "devices": [], "layout": []}
            }
        }))
        .unwrap();
        assert_eq!(
            request,
            Request {
                rid: "f6668d01-1e2a-42ce-bea6-2a4f57237679".into(),
                page_id: "a5b97cbe-90eb-4f47-934e-e5f5ed46930e".into(),
                question: "小牛，关所有房间的灯".into(),
                local: Some("客厅".into()),
                instruct: false,
                home: Some(r#"{"model":{},"devices":[],"layout":[]}"#.into()),
                origin: Origin::default(),
            }
        );
    }

    #[test]
    fn what_may_be_absent_has_its_default() {
        let request = parse(&frame(json!({"page_id": "p", "question": "开灯"}))).unwrap();
        assert!(request.instruct);
        assert_eq!((request.local, request.home), (None, None));
    }

    #[test]
    fn every_wrong_shape_names_its_path_and_keeps_the_rid() {
        let cases = [
            (json!({"topic": "other", "rid": "r1", "payload": {}}), "topic"),
            (json!({"rid": "r1", "payload": {}}), "topic"),
            (json!({"topic": TOPIC, "rid": "r1"}), "payload: must be an object"),
            (json!({"topic": TOPIC, "rid": "r1", "payload": []}), "payload: must be an object"),
            (frame(json!({"question": "开灯"})), "payload.page_id"),
            (frame(json!({"page_id": "", "question": "开灯"})), "payload.page_id"),
            (frame(json!({"page_id": 7, "question": "开灯"})), "payload.page_id"),
            (frame(json!({"page_id": "x".repeat(129), "question": "开灯"})), "payload.page_id"),
            (frame(json!({"page_id": "p"})), "payload.question"),
            (frame(json!({"page_id": "p", "question": ["开灯"]})), "payload.question"),
            (frame(json!({"page_id": "p", "question": "灯".repeat(2_001)})), "payload.question"),
            (frame(json!({"page_id": "p", "question": "", "local": 1})), "payload.local"),
            (frame(json!({"page_id": "p", "question": "", "instruct": "yes"})), "payload.instruct"),
            (frame(json!({"page_id": "p", "question": "", "home": "h"})), "payload.home"),
        ];
        for (value, path) in cases {
            let bad = parse(&value).unwrap_err();
            assert!(bad.message.starts_with(path), "{} for {path}", bad.message);
            assert_eq!(bad.rid.as_deref(), Some("r1"), "{path}");
        }
    }

    #[test]
    fn a_rid_that_is_no_topic_level_is_refused_and_not_answered_to() {
        for rid in ["", "a/b", "a+", "#", "a\u{0}", "a\u{7f}", "a\u{FFFE}", &"x".repeat(129)] {
            let bad = parse(&json!({"topic": TOPIC, "rid": rid, "payload": {"page_id": "p", "question": ""}}));
            assert_eq!(bad.unwrap_err().rid, None, "{rid:?}");
        }
    }

    #[test]
    fn the_rid_of_an_unreadable_frame_is_still_found() {
        let limits = Limits { payload_bytes: 100, ..Limits::default() };
        let large = json!({"rid": "r9", "payload": "x".repeat(200)}).to_string();
        assert_eq!(Request::parse(large.as_bytes(), &limits).unwrap_err().rid.as_deref(), Some("r9"));
        let cut = br#"{"topic":"llm/smarthome","rid":"r9","payload":{"que"#;
        assert_eq!(Request::parse(cut, &limits).unwrap_err().rid.as_deref(), Some("r9"));
        let not_utf8 = b"{\"question\":\"\xff\xfe\",\"rid\":\"r9\"}";
        let bad = Request::parse(not_utf8, &limits).unwrap_err();
        assert!(bad.message.starts_with("not UTF-8"));
        assert_eq!(bad.rid.as_deref(), Some("r9"));
    }

    #[test]
    fn nesting_without_end_is_refused() {
        let deep = "[".repeat(100_000);
        assert!(Request::parse(deep.as_bytes(), &Limits::default()).is_err());
        let deep = format!("{{\"rid\":\"r\",\"payload\":{deep}");
        assert_eq!(Request::parse(deep.as_bytes(), &Limits::default()).unwrap_err().rid.as_deref(), Some("r"));
    }

    #[test]
    fn an_utterance_is_text_or_an_object() {
        let limits = Limits::default();
        let plain = Utterance::parse("打开客厅灯".as_bytes(), &limits).unwrap();
        assert_eq!(plain, Utterance { text: "打开客厅灯".into(), ..Utterance::default() });
        let object = br#"{"text":"on","rid":"r","page_id":"p","local":"hall"}"#;
        let object = Utterance::parse(object, &limits).unwrap();
        assert_eq!(object.rid.as_deref(), Some("r"));
        assert_eq!(object.page_id.as_deref(), Some("p"));
        assert_eq!(object.local.as_deref(), Some("hall"));
        assert!(Utterance::parse(b"\xff\xfe", &limits).unwrap_err().message.starts_with("not UTF-8"));
        assert!(Utterance::parse(b"{\"text\":", &limits).is_err());
        assert!(Utterance::parse("灯".repeat(2_001).as_bytes(), &limits).is_err());
    }

    #[test]
    fn an_utterance_is_small_however_it_is_written() {
        let padded = |bytes: usize| {
            let utterance = json!({"text": "开灯", "rid": "r", "padding": "x".repeat(bytes)}).to_string();
            Utterance::parse(utterance.as_bytes(), &Limits::default())
        };
        assert_eq!(padded(MAX_UTTERANCE_BYTES - 100).unwrap().text, "开灯");
        let refused = padded(MAX_UTTERANCE_BYTES).unwrap_err();
        assert_eq!(refused.rid.as_deref(), Some("r"), "{refused}");
        // The longest text there may be, each of its characters written as two escapes.
        let longest = format!(r#"{{"text": "{}"}}"#, r"\ud83d\ude00".repeat(Limits::default().question_chars));
        assert!(Utterance::parse(longest.as_bytes(), &Limits::default()).is_ok());
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Request::parse(&bytes, &Limits::default());
            let _ = Utterance::parse(&bytes, &Limits::default());
        }

        #[test]
        fn a_frame_cut_anywhere_never_panics(cut in 0usize..200) {
            let text = frame(json!({"page_id": "p", "question": "打开客厅的灯", "home": {"devices": [1, null]}})).to_string();
            let end = cut.min(text.len());
            let result = Request::parse(&text.as_bytes()[..end], &Limits::default());
            prop_assert_eq!(result.is_ok(), end == text.len());
        }

        #[test]
        fn every_valid_frame_is_read_as_written(
            rid in "[a-zA-Z0-9_.-]{1,128}",
            page_id in "\\PC{1,32}",
            question in "\\PC{0,200}",
            local in prop::option::of("\\PC{1,16}"),
            instruct in any::<bool>(),
        ) {
            let value = json!({"topic": TOPIC, "rid": rid, "payload": {
                "page_id": page_id, "question": question, "local": local, "instruct": instruct}});
            let request = parse(&value).unwrap();
            prop_assert_eq!(request, Request { rid, page_id, question, local, instruct, ..Request::default() });
        }
    }
}
