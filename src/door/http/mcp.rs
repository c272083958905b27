//! MCP over Streamable HTTP: stateless, as the revision of 2026-07-28 is, and for those who still begin with `initialize`.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request as HttpRequest, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::{Client, House, Right, body};
use crate::door::mcp::{Call, LEGACY, MODERN, McpServer, RpcError, Who};
use crate::frame::Door;

/// Where a request of the modern revision tells its version.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// Answers one message.
pub(super) async fn post(
    State(house): State<Arc<House>>,
    Extension(Client(client)): Extension<Client>,
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
    let may = |right| house.guard.may(&client, right);
    let who = Who { door: Door::Mcp, client: &client, may_ask: may(Right::Ask), may_see: may(Right::See) };
    let server =
        McpServer { desk: Arc::clone(&house.desk), registry: Arc::clone(&house.registry), limits: house.limits };
    match server.answer(who, &call, modern, bytes).await {
        Ok(result) => body::reply(StatusCode::OK, &json!({"jsonrpc": "2.0", "id": call.id, "result": result})),
        Err(error) if modern && error.is_no_method() => failed(StatusCode::NOT_FOUND, &call.id, &error),
        Err(error) => failed(StatusCode::OK, &call.id, &error),
    }
}

fn failed(status: StatusCode, id: &Value, error: &RpcError) -> Response {
    body::reply(status, &error.reply(id))
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
