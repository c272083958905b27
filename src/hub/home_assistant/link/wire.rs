//! Messages of Home Assistant's WebSocket API, as far as we read them, and how they are heard and said.

use std::borrow::Cow;

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite;

use super::super::lenient::Keyed;
use super::{LinkError, PATIENCE};
use crate::dial::websocket::Socket;
use crate::frame::clean;
use crate::text::displayable;

/// A message; what it holds is read by whoever knows what it answers.
#[derive(Debug, Deserialize)]
pub(super) struct Message<'a> {
    #[serde(default)]
    pub(super) id: Option<u64>,
    #[serde(rename = "type", borrow)]
    pub(super) kind: Cow<'a, str>,
    #[serde(default)]
    pub(super) success: bool,
    #[serde(default, borrow)]
    pub(super) result: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) error: Option<Failure>,
    #[serde(default, borrow)]
    pub(super) event: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) ha_version: Option<String>,
}

/// What Home Assistant did not do, and why.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Failure {
    #[serde(deserialize_with = "code")]
    pub(super) code: String,
    pub(super) message: String,
}

/// Codes were numbers once.
fn code<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

impl Failure {
    /// In words that can be shown.
    pub(super) fn told(&self) -> String {
        clean(&format!("{}: {}", displayable(&self.code, 64), displayable(&self.message, 256)))
    }
}

/// A message, read from its text. Several at once are sent only to who asked for it.
pub(super) fn message(text: &str) -> Result<Message<'_>, serde_json::Error> {
    serde_json::from_str(text)
}

/// Of which entity an event is the state, the first if there are several; its values are not read.
pub(super) fn whose(event: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Entities {
        #[serde(default, alias = "c")]
        a: Option<Keyed<IgnoredAny>>,
    }
    let Entities { a: entities } = serde_json::from_str(event).ok()?;
    entities?.0.into_keys().next()
}

/// Sends a message.
pub(super) async fn send(socket: &mut Socket, message: &Value) -> Result<(), LinkError> {
    match timeout(PATIENCE, socket.send(tungstenite::Message::Text(message.to_string()))).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(broken(&error)),
        Err(_) => Err(LinkError::Ended("takes nothing any more")),
    }
}

/// The next message of a conversation that has only begun.
pub(super) async fn hear(socket: &mut Socket) -> Result<String, LinkError> {
    let next = async {
        loop {
            match socket.next().await {
                Some(Ok(tungstenite::Message::Text(text))) => return Ok(text),
                Some(Ok(tungstenite::Message::Close(_))) | None => {
                    return Err(LinkError::Ended("ended the connection"));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(broken(&error)),
            }
        }
    };
    timeout(PATIENCE, next).await.unwrap_or(Err(LinkError::Ended("does not answer in time")))
}

/// What a message of the greeting is, and the version that it tells.
pub(super) fn greeted(text: &str) -> Result<(String, String), LinkError> {
    let message = message(text).map_err(|error| foreign("a greeting", error))?;
    Ok((message.kind.into_owned(), message.ha_version.unwrap_or_default()))
}

/// The connection itself does not go on.
pub(super) fn broken(error: &tungstenite::Error) -> LinkError {
    foreign("the connection broke", error)
}

/// Something came that no Home Assistant says.
pub(super) fn foreign(what: &'static str, reason: impl std::fmt::Display) -> LinkError {
    LinkError::Foreign { what, reason: displayable(&reason.to_string(), 256) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_and_what_is_told_of_them_is_harmless() {
        let text = r#"{"id":1,"type":"result","success":false,"error":{"code":"not_found","message":"no\u001b[31m"}}"#;
        let read = message(text).unwrap();
        assert_eq!((read.id, read.success), (Some(1), false));
        let told = read.error.as_ref().unwrap().told();
        assert!(told.starts_with("not_found: no") && !told.contains('\u{1b}'), "{told}");
        assert_eq!(message(r#"{"type":"r\u0065sult","error":{"code":1}}"#).unwrap().kind, "result");
        for bad in ["", "[]x", "7", "{}", r#"{"type":1}"#, r#"{"id":-1,"type":"result"}"#, &text[..40]] {
            assert!(message(bad).is_err(), "{bad}");
        }
    }
}
