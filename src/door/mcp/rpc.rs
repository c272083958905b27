//! JSON-RPC, as far as the protocol uses it: one message a body.

use serde_json::{Value, json};

use super::{LEGACY, MODERN};
use crate::frame::clean;

/// A request.
#[derive(Debug)]
pub(in crate::door) struct Call {
    pub(in crate::door) id: Value,
    pub(in crate::door) method: String,
    pub(in crate::door) params: Value,
}

/// What went wrong with a request.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::door) struct RpcError {
    code: i64,
    message: String,
    /// Boxed: few errors have any.
    data: Option<Box<Value>>,
}

impl Call {
    /// A request; `None` for what wants no answer. What cannot be read is told with its id, as far as there is one.
    pub(in crate::door) fn read(body: Value) -> Result<Option<Self>, (Value, RpcError)> {
        let id = body["id"].clone();
        let known = if id.is_string() || id.is_number() { id.clone() } else { Value::Null };
        let bad = |message: &str| Err((known.clone(), RpcError::bad_request(message)));
        if !body.is_object() {
            return bad("must be one JSON-RPC message: batches are not read");
        }
        if body["jsonrpc"] != "2.0" {
            return bad("jsonrpc must be \"2.0\"");
        }
        if body.get("method").is_none() && (body.get("result").is_some() || body.get("error").is_some()) {
            return Ok(None);
        }
        let Some(method) = body["method"].as_str() else { return bad("method must be a text") };
        if body.get("id").is_none() {
            return Ok(None);
        }
        if known.is_null() {
            return bad("id must be a text or a number");
        }
        let params = match &body["params"] {
            Value::Null => json!({}),
            Value::Object(_) => body["params"].clone(),
            _ => return bad("params must be an object"),
        };
        Ok(Some(Self { method: method.to_owned(), params, id }))
    }
}

impl RpcError {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(in crate::door) fn parse(message: String) -> Self {
        Self::new(-32700, message)
    }

    pub(in crate::door) fn bad_request(message: &str) -> Self {
        Self::new(-32600, message)
    }

    pub(in crate::door) fn no_method(method: &str) -> Self {
        Self::new(-32601, format!("Method not found: {}", crate::text::displayable(method, 64)))
    }

    pub(in crate::door) fn bad_params(message: &str) -> Self {
        Self::new(-32602, message)
    }

    /// A header that says something else than the request.
    pub(in crate::door) fn mismatch(what: &str) -> Self {
        Self::new(-32020, format!("Header mismatch: {what}"))
    }

    pub(in crate::door) fn unsupported(version: &str) -> Self {
        let supported: Vec<&str> = [MODERN].into_iter().chain(LEGACY).collect();
        let data = json!({"supported": supported, "requested": crate::text::displayable(version, 64)});
        Self { data: Some(Box::new(data)), ..Self::new(-32022, "Unsupported protocol version") }
    }

    pub(in crate::door) fn is_no_method(&self) -> bool {
        self.code == -32601
    }

    /// The message that tells it.
    pub(in crate::door) fn reply(&self, id: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "error": self.shown()})
    }

    fn shown(&self) -> Value {
        let mut error = json!({"code": self.code, "message": clean(&self.message)});
        if let Some(data) = &self.data {
            error["data"] = (**data).clone();
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_message_is_read_and_what_is_none_is_told_with_its_id() {
        let call = Call::read(json!({"jsonrpc": "2.0", "id": 7, "method": "ping"})).unwrap().unwrap();
        assert_eq!((call.id, call.method.as_str(), call.params), (json!(7), "ping", json!({})));
        for silent in [
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        ] {
            assert!(Call::read(silent).unwrap().is_none());
        }
        for (bad, id) in [
            (json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]), json!(null)),
            (json!({"id": 1, "method": "ping"}), json!(1)),
            (json!({"jsonrpc": "2.0", "id": "a", "method": 1}), json!("a")),
            (json!({"jsonrpc": "2.0", "id": null, "method": "ping"}), json!(null)),
            (json!({"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}), json!(null)),
            (json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}), json!(1)),
            (json!("ping"), json!(null)),
        ] {
            let (told, error) = Call::read(bad).unwrap_err();
            assert_eq!((told, error.code), (id, -32600));
        }
    }
}
