//! Opens the doors that the configuration names, besides MQTT.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::settings::DaemonSettings;
use crate::door::http::{self, Guard, House};
use crate::door::mcp::{McpServer, dial};
use crate::door::{Desk, wyoming};
use crate::home::Registry;

/// Opens them; they close with what is returned.
pub(super) fn open(
    settings: &DaemonSettings,
    desk: &Arc<Desk>,
    registry: Arc<Registry>,
    numbers: Arc<dyn Fn() -> String + Send + Sync>,
) -> JoinSet<()> {
    let mut doors = JoinSet::new();
    for endpoint in settings.mcp_endpoints.clone() {
        let server = McpServer { desk: Arc::clone(desk), registry: Arc::clone(&registry), limits: settings.limits };
        doors.spawn(dial(endpoint, server));
    }
    if let Some(http) = settings.http.clone() {
        let house = House {
            desk: Arc::clone(desk),
            registry,
            limits: settings.limits,
            guard: Guard::new(http.tokens.clone(), http.hosts.clone(), http.origins.clone()),
            metrics: numbers,
            idle: http.idle,
        };
        let deadline = settings.deadline;
        doors.spawn(async move { http::serve(&http, house, deadline).await });
    }
    if let Some(settled) = settings.wyoming.clone() {
        let (desk, limits) = (Arc::clone(desk), settings.limits);
        doors.spawn(async move { wyoming::serve(&settled, desk, limits).await });
    }
    doors
}
