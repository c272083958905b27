//! The Model Context Protocol: what is asked and what is answered, whatever carries it.

mod dial;
mod rpc;
mod tools;

use std::sync::Arc;

use serde_json::{Value, json};

use super::Desk;
use crate::frame::{Door, Limits};
use crate::home::Registry;
use crate::zh::Tools;
pub use dial::{DialError, Endpoint, dial, reach};
pub(super) use rpc::{Call, RpcError};
use tools::Caller;

/// The revision without sessions.
pub(super) const MODERN: &str = "2026-07-28";

/// Those that begin with `initialize`, the newest first.
pub(super) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// How long a client may keep what it was told of us.
const TTL_MS: u64 = 300_000;

/// Where a request of the modern revision tells what its client can do.
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// Answers requests of the protocol.
#[derive(Clone, Debug)]
pub struct McpServer {
    /// Takes what is said to the home.
    pub desk: Arc<Desk>,
    /// What there is.
    pub registry: Arc<Registry>,
    /// Bounds of what is asked.
    pub limits: Limits,
}

/// Who asks, and what for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Who<'a> {
    pub(super) door: Door,
    pub(super) client: &'a str,
    pub(super) may_ask: bool,
    pub(super) may_see: bool,
}

impl McpServer {
    /// Answers a message of an endpoint that was dialled, which may ask and see; nothing to what wants no answer.
    pub async fn message(&self, client: &str, text: &str) -> Option<Value> {
        let body = serde_json::from_str(text).map_err(|error| RpcError::parse(format!("not JSON: {error}")));
        let call = match body.map_err(|error| (Value::Null, error)).and_then(Call::read) {
            Ok(call) => call?,
            Err((id, error)) => return Some(error.reply(&id)),
        };
        let who = Who { door: Door::Endpoint, client, may_ask: true, may_see: true };
        Some(match self.answer(who, &call, false, text.len()).await {
            Ok(result) => json!({"jsonrpc": "2.0", "id": call.id, "result": result}),
            Err(error) => error.reply(&call.id),
        })
    }

    /// The result of a request in a message of `bytes` bytes.
    pub(super) async fn answer(
        &self,
        who: Who<'_>,
        call: &Call,
        modern: bool,
        bytes: usize,
    ) -> Result<Value, RpcError> {
        let words = &self.desk.texts().tools;
        let result = match call.method.as_str() {
            "initialize" if !modern => initialize(&call.params, words),
            "server/discover" if modern => discover(words),
            "ping" => json!({}),
            "tools/list" => tools::list(words),
            "tools/call" => {
                let elicits = modern && call.params["_meta"][CAPABILITIES_KEY]["elicitation"].is_object();
                Caller { server: self, who, elicits, words }.call(&call.params, bytes).await?
            }
            _ => return Err(RpcError::no_method(&call.method)),
        };
        Ok(if modern { modernised(result, &call.method) } else { result })
    }
}

fn initialize(params: &Value, words: &Tools) -> Value {
    let wanted = params["protocolVersion"].as_str().unwrap_or_default();
    let version = if LEGACY.contains(&wanted) { wanted } else { LEGACY[0] };
    json!({
        "protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server(),
        "instructions": words.instructions,
    })
}

fn discover(words: &Tools) -> Value {
    let versions: Vec<&str> = [MODERN].into_iter().chain(LEGACY).collect();
    json!({
        "supportedVersions": versions, "capabilities": {"tools": {}}, "instructions": words.instructions,
        "_meta": {"io.modelcontextprotocol/serverInfo": server()},
    })
}

fn server() -> Value {
    json!({"name": "zhiju", "title": "zhiju", "version": env!("CARGO_PKG_VERSION")})
}

/// What every result of the revision without sessions tells besides.
fn modernised(mut result: Value, method: &str) -> Value {
    if result["resultType"].is_null() {
        result["resultType"] = "complete".into();
    }
    if ["server/discover", "tools/list"].contains(&method) {
        result["ttlMs"] = TTL_MS.into();
        result["cacheScope"] = "private".into();
    }
    result
}
