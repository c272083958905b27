//! MCP endpoints: whether each of them takes us, by a connection of its own beside that of a running daemon. Nothing is
//! answered; whether the daemon's is there stands in its numbers.

use super::Finding;
use crate::dial::websocket::WebSocketError;
use crate::door::mcp::{DialError, Endpoint, reach};

const ENDPOINT: &str = "MCP endpoint";

/// Dials every endpoint.
pub(super) async fn check(endpoints: &[Endpoint]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for endpoint in endpoints {
        let name = &endpoint.name;
        findings.push(match reach(endpoint).await {
            Ok(()) => Finding::good(
                ENDPOINT,
                format!(
                    "{name}: takes a second connection; the daemon's is zhiju_mcp_endpoint_connected in its metrics"
                ),
            ),
            Err(error @ DialError::Socket(WebSocketError::Refused(_))) => Finding::bad(
                ENDPOINT,
                format!("{name}: {error}"),
                format!("get a new address and put it into the file of mcp.endpoints.{name}"),
            ),
            Err(error) => Finding::remark(ENDPOINT, format!("{name}: {error}"), "it is dialled until it is there"),
        });
    }
    findings
}
