//! What the daemon needs to know before it starts.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::DaemonError;
use crate::clock::Clock;
use crate::door::http::HttpSettings;
use crate::door::mcp::Endpoint;
use crate::door::wyoming::WyomingSettings;
use crate::frame::Limits;
use crate::hub::HubSettings;
use crate::job::JobSettings;
use crate::llm::settings::LlmSettings;
use crate::observe::Troubles;
use crate::service::ServiceSettings;
use crate::store::MAX_OUTBOX;
use crate::transport::BrokerSettings;
use crate::zh::OwnFiles;

/// Everything the daemon needs to know before it starts, already validated.
#[derive(Clone, Debug, PartialEq)]
pub struct DaemonSettings {
    /// The `{home}` of every topic `zhiju/{home}/…`; one topic level.
    pub home_id: String,
    /// Where the broker is and how to speak with it.
    pub broker: BrokerSettings,
    /// Folder of the registry, pages and outbox.
    pub state_dir: PathBuf,
    /// Bounds of what is read from outside.
    pub limits: Limits,
    /// Room of each satellite, by the satellite's name; a satellite not listed stands in the room of its own name, if
    /// there is one.
    pub satellites: BTreeMap<String, String>,
    /// How utterances are understood.
    pub service: ServiceSettings,
    /// What the owner lays over the language that ships.
    pub language: OwnFiles,
    /// Folder of the embedding model; without one, sentences are understood by words alone.
    pub model_dir: Option<PathBuf>,
    /// Which language models are asked what neither grammar nor similarity is sure of.
    pub llm: LlmSettings,
    /// An instruct older than this is dropped, never published late.
    pub outbox_ttl: Duration,
    /// How long a device has to say that it did what it was told; 0 waits for none.
    pub confirm_within: Duration,
    /// Instructs that may wait for the broker's acknowledgement at once.
    pub outbox_capacity: usize,
    /// Requests of one satellite, or of all who publish on `request`, that are served at the same time, each of another page;
    /// as many more workers are there for others.
    pub workers: usize,
    /// Requests that may wait, all pages together; one more is answered `overloaded`.
    pub queue_capacity: usize,
    /// Bytes of payload that may wait, all pages together.
    pub queue_bytes: usize,
    /// A request that takes longer is answered `timeout` and dropped.
    pub deadline: Duration,
    /// How long a stopping daemon works on what is under way.
    pub stop_grace: Duration,
    /// Where the metrics are told; `None` tells nobody.
    pub metrics: Option<SocketAddr>,
    /// How HTTP is served; `None` serves nobody.
    pub http: Option<HttpSettings>,
    /// How Wyoming is served; `None` serves nobody.
    pub wyoming: Option<WyomingSettings>,
    /// MCP endpoints that are dialled.
    pub mcp_endpoints: Vec<Endpoint>,
    /// Hubs that bring devices.
    pub hubs: Vec<HubSettings>,
    /// The owner's file about devices; without one, `overrides.yaml` in the state folder.
    pub overrides: Option<PathBuf>,
    /// Bounds of what is to be done later, and the zone of the home.
    pub jobs: JobSettings,
    /// The last warnings and errors of the log, for the console.
    pub troubles: Troubles,
    /// Tells the time.
    pub clock: Clock,
}

impl DaemonSettings {
    /// Whether the daemon can work with these numbers; other limits are the configuration's business.
    pub(super) fn check(&self) -> Result<(), DaemonError> {
        let capacities = [
            ("workers", self.workers),
            ("queue_capacity", self.queue_capacity),
            ("outbox_capacity", self.outbox_capacity),
            ("broker.max_packet_bytes", self.broker.max_packet_bytes as usize),
        ];
        for (key, value) in capacities {
            if value == 0 {
                return Err(DaemonError::Setting { key, reason: "must not be 0".into() });
            }
        }
        if self.outbox_capacity > MAX_OUTBOX {
            let reason = format!("must not be more than {MAX_OUTBOX}");
            return Err(DaemonError::Setting { key: "outbox_capacity", reason });
        }
        Ok(())
    }
}

impl Default for DaemonSettings {
    fn default() -> Self {
        Self {
            home_id: "home".into(),
            broker: BrokerSettings::default(),
            state_dir: PathBuf::from("state"),
            limits: Limits::default(),
            satellites: BTreeMap::new(),
            service: ServiceSettings { state_max_age: Some(Duration::from_secs(60)), ..ServiceSettings::default() },
            language: OwnFiles::default(),
            model_dir: None,
            llm: LlmSettings::default(),
            outbox_ttl: Duration::from_secs(10),
            confirm_within: Duration::from_secs(3),
            outbox_capacity: 4096,
            workers: 32,
            queue_capacity: 64,
            queue_bytes: 4 << 20,
            deadline: Duration::from_secs(10),
            stop_grace: Duration::from_secs(5),
            metrics: None,
            http: None,
            wyoming: None,
            mcp_endpoints: Vec::new(),
            hubs: Vec::new(),
            overrides: None,
            jobs: JobSettings::default(),
            troubles: Troubles::default(),
            clock: Clock::of_machine(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_can_work() {
        DaemonSettings::default().check().unwrap();
    }

    #[test]
    fn what_cannot_work_is_named() {
        let settings = DaemonSettings { outbox_capacity: MAX_OUTBOX + 1, ..DaemonSettings::default() };
        assert!(settings.check().unwrap_err().to_string().starts_with("outbox_capacity: "));
        let settings = DaemonSettings { workers: 0, ..DaemonSettings::default() };
        assert_eq!(settings.check().unwrap_err().to_string(), "workers: must not be 0");
    }
}
