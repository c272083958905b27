//! The Model Context Protocol over Streamable HTTP: stateless, as its revision of 2026-07-28 is, and for those who still
//! begin with `initialize`.

mod rpc;
mod tools;
mod words;

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request as HttpRequest, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::{Client, House, body};
use rpc::{Call, RpcError};
use tools::Caller;
use words::Words;

/// The revision without sessions.
const MODERN: &str = "2026-07-28";

/// Those that begin with `initialize`, the newest first.
const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// How long a client may keep what it was told of us.
const TTL_MS: u64 = 300_000;

/// Where a request of the modern revision tells its version and what its client can do.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// Answers one message.
pub(super) async fn post(
    State(house): State<Arc<House>>,
    Extension(client): Extension<Client>,
    request: HttpRequest,
) -> Response {
    let headers = request.headers().clone();
    let (body, bytes) = match body::read(request).await {
        Ok(body) => body,
        Err((status, message)) => return failed(status, &Value::Null, &RpcError::parse(message)),
    };
    let call = match Call::read(body) {
        Ok(Some(call)) => call,
        // Notifications, and responses to what was never asked, change nothing here.
        Ok(None) => return StatusCode::ACCEPTED.into_response(),
        Err((id, error)) => return failed(StatusCode::BAD_REQUEST, &id, &error),
    };
    let modern = match era(&call, &headers) {
        Ok(modern) => modern,
        Err(error) => return failed(StatusCode::BAD_REQUEST, &call.id, &error),
    };
    let words = Words::get();
    let outcome = match call.method.as_str() {
        "initialize" if !modern => Ok(initialize(&call.params, words)),
        "server/discover" if modern => Ok(discover(words)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(tools::list(words)),
        "tools/call" => {
            let elicits = modern && call.params["_meta"][CAPABILITIES_KEY]["elicitation"].is_object();
            let caller = Caller { house: &house, client: &client.0, elicits, words };
            caller.call(&call.params, bytes).await
        }
        _ => Err(RpcError::no_method(&call.method)),
    };
    match outcome {
        Ok(result) => {
            let result = if modern { modernised(result, &call.method) } else { result };
            body::reply(StatusCode::OK, &json!({"jsonrpc": "2.0", "id": call.id, "result": result}))
        }
        Err(error) if modern && error.is_no_method() => failed(StatusCode::NOT_FOUND, &call.id, &error),
        Err(error) => failed(StatusCode::OK, &call.id, &error),
    }
}

fn failed(status: StatusCode, id: &Value, error: &RpcError) -> Response {
    body::reply(status, &json!({"jsonrpc": "2.0", "id": id, "error": error.shown()}))
}

/// Whether a request is of the revision without sessions. What its headers say has to be what it says itself: others on the
/// way decide by them.
fn era(call: &Call, headers: &HeaderMap) -> Result<bool, RpcError> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let shown = header("mcp-protocol-version");
    let said = call.params["_meta"][VERSION_KEY].as_str();
    let Some(said) = said else {
        return match shown {
            None => Ok(false),
            Some(version) if LEGACY.contains(&version) => Ok(false),
            Some(MODERN) => Err(RpcError::mismatch("the request does not tell its protocol version in _meta")),
            Some(other) => Err(RpcError::unsupported(other)),
        };
    };
    if shown != Some(said) {
        return Err(RpcError::mismatch("MCP-Protocol-Version"));
    }
    if said != MODERN {
        return Err(RpcError::unsupported(said));
    }
    if header("mcp-method") != Some(&call.method) {
        return Err(RpcError::mismatch("Mcp-Method"));
    }
    if call.method == "tools/call" && header("mcp-name") != call.params["name"].as_str() {
        return Err(RpcError::mismatch("Mcp-Name"));
    }
    Ok(true)
}

fn initialize(params: &Value, words: &Words) -> Value {
    let wanted = params["protocolVersion"].as_str().unwrap_or_default();
    let version = if LEGACY.contains(&wanted) { wanted } else { LEGACY[0] };
    json!({
        "protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server(),
        "instructions": words.instructions,
    })
}

fn discover(words: &Words) -> Value {
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
