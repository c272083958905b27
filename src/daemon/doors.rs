//! Opens the doors that the configuration names, besides MQTT, and lets those in who may by the configuration of now.

use std::sync::Arc;

use tokio::task::{AbortHandle, JoinSet};
use tracing::{info, warn};

use super::settings::DaemonSettings;
use crate::door::Desk;
use crate::door::http::{self, Console, Guard, House};
use crate::door::mcp::{Endpoint, McpServer, dial};
use crate::door::wyoming::{self, Clients};
use crate::home::Registry;
use crate::job::Jobs;
use crate::listen::{ServeTls, TlsFiles};

/// The doors that are open; they close with it.
pub(super) struct Doors {
    tasks: JoinSet<()>,
    /// Of HTTP, if it is served.
    guard: Option<Arc<Guard>>,
    tls: Option<Arc<ServeTls>>,
    /// Of Wyoming, if it is served.
    clients: Option<Clients>,
    dialled: Vec<(Endpoint, AbortHandle)>,
    mcp: McpServer,
}

impl Doors {
    /// Opens them.
    pub(super) fn open(
        settings: &DaemonSettings,
        desk: &Arc<Desk>,
        registry: Arc<Registry>,
        jobs: Arc<Jobs>,
        numbers: Arc<dyn Fn() -> String + Send + Sync>,
        console: Console,
    ) -> Self {
        let mcp = McpServer { desk: Arc::clone(desk), registry: Arc::clone(&registry), limits: settings.limits };
        let mut doors = Self { tasks: JoinSet::new(), guard: None, tls: None, clients: None, dialled: Vec::new(), mcp };
        doors.dial(&settings.mcp_endpoints);
        if let Some(http) = settings.http.clone() {
            let guard = Arc::clone(doors.guard.insert(Arc::new(Guard::new(http.terms.clone()))));
            let house = House {
                desk: Arc::clone(desk),
                registry,
                jobs,
                limits: settings.limits,
                guard,
                metrics: numbers,
                console,
                idle: http.idle,
                budget: House::budget(),
            };
            let deadline = settings.deadline;
            // What was to be encrypted is never served as it is.
            match http.tls.as_ref().map(ServeTls::read).transpose() {
                Ok(tls) => {
                    doors.tls = tls.map(Arc::new);
                    let tls = doors.tls.clone();
                    doors.tasks.spawn(async move { http::serve(&http, house, tls, deadline).await });
                }
                Err(error) => warn!("http.tls.{error}: nobody can ask by HTTP"),
            }
        }
        if let Some(settled) = settings.wyoming.clone() {
            let (desk, limits) = (Arc::clone(desk), settings.limits);
            let clients = doors.clients.insert(Clients::new(settled.clients.clone())).clone();
            doors.tasks.spawn(async move { wyoming::serve(&settled, clients, desk, limits).await });
        }
        doors
    }

    /// Takes over who may come in, who is dialled, and the certificate. Where somebody may come in counts from the next
    /// start.
    pub(super) fn renew(&mut self, settings: &DaemonSettings) {
        if let (Some(guard), Some(http)) = (&self.guard, &settings.http) {
            guard.renew(http.terms.clone());
        }
        if let (Some(clients), Some(wyoming)) = (&self.clients, &settings.wyoming) {
            clients.renew(wyoming.clients.clone());
        }
        let files: Option<&TlsFiles> = settings.http.as_ref().and_then(|http| http.tls.as_ref());
        if let (Some(tls), Some(files)) = (&self.tls, files)
            && let Err(error) = tls.renew(files)
        {
            warn!("http.tls.{error}: the certificate of before stays");
        }
        self.dial(&settings.mcp_endpoints);
    }

    /// Closes them.
    pub(super) async fn close(mut self) {
        self.tasks.shutdown().await;
    }

    /// Dials those that are new, and leaves those that are gone.
    fn dial(&mut self, endpoints: &[Endpoint]) {
        self.dialled.retain(|(endpoint, task)| {
            let stays = endpoints.contains(endpoint);
            if !stays {
                info!(name = endpoint.name, "the MCP endpoint is left");
                task.abort();
            }
            stays
        });
        for endpoint in endpoints {
            if !self.dialled.iter().any(|(dialled, _)| dialled == endpoint) {
                let task = self.tasks.spawn(dial(endpoint.clone(), self.mcp.clone()));
                self.dialled.push((endpoint.clone(), task));
            }
        }
    }
}
