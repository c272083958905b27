//! The configuration: `zhiju.yaml`, `ZHIJU_…` variables and flags, checked as a whole.
//!
//! ```text
//! file ─┐
//! env  ─┼─► overlay (one YAML tree) ─► raw (typed, every leaf on its own) ─► validate ─► Config
//! flags─┘
//! ```
//!
//! Flags win over variables, those over the file, those over the defaults. Nothing stops at the first mistake: a
//! [`ConfigError`] holds every problem there is, each with the path of its key and where the value came from.

mod doors;
mod environment;
mod hubs;
mod llm;
mod mqtt;
mod overlay;
mod raw;
mod tls;
mod validate;

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use environment::Environment;

use crate::dial::TlsSettings;
use crate::door::http::HttpSettings;
use crate::door::mcp::Endpoint;
use crate::door::wyoming::WyomingSettings;
use crate::hub::HubSettings;
use crate::job::JobSettings;
use crate::llm::settings::LlmSettings;
pub use crate::observe::{Log, LogFormat};
use crate::service::Learning;
use crate::store::MAX_PAGES;
pub use crate::transport::Credentials;
use crate::zh::{OwnFiles, assistant};

/// The configuration file of an installed daemon, read if it exists and no other is named.
pub const SYSTEM_FILE: &str = "/etc/zhiju/zhiju.yaml";

/// A checked configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The `{home}` of every topic.
    pub home_id: String,
    /// The broker and how to speak to it.
    pub mqtt: Mqtt,
    /// Folder of the database, the outbox and the audit trail.
    pub store_dir: PathBuf,
    /// Folder of the embedding model; `None` when none is configured and none is installed.
    pub model_dir: Option<PathBuf>,
    /// Whom the daemon is and whom it is not.
    pub assistant: Assistant,
    /// The room each satellite stands in, by satellite name.
    pub satellites: BTreeMap<String, String>,
    /// How long conversations live.
    pub dialogue: Dialogue,
    /// How commands become instructs.
    pub resolve: Resolve,
    /// How old an instruct may be when it leaves; older ones are dropped and reported.
    pub instruct_ttl: Duration,
    /// How long a device has to say that it did what it was told; 0 waits for none.
    pub confirm_within: Duration,
    /// How many utterances at a time.
    pub service: Service,
    /// Files that replace what is understood and said.
    pub language: OwnFiles,
    /// Which language models are asked what the grammar is not sure of.
    pub llm: LlmSettings,
    /// What is logged.
    pub log: Log,
    /// Bounds of what is to be done later, and the zone of the home.
    pub jobs: JobSettings,
    /// What is learned from the people of the home; `None` learns nothing.
    pub learning: Option<Learning>,
    /// Where the metrics are told; `None` tells nobody.
    pub metrics_listen: Option<SocketAddr>,
    /// How HTTP is served; `None` serves nobody.
    pub http: Option<HttpSettings>,
    /// How Wyoming is served; `None` serves nobody.
    pub wyoming: Option<WyomingSettings>,
    /// MCP endpoints that are dialled.
    pub mcp_endpoints: Vec<Endpoint>,
    /// Hubs that bring devices.
    pub hubs: Vec<HubSettings>,
    /// The owner's file about devices; `None` for the one in the store's folder.
    pub overrides: Option<PathBuf>,
    /// Things that work but should not stay so, such as a password that everyone can read.
    pub warnings: Vec<String>,
}

/// The broker and how to speak to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mqtt {
    /// Name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// User name and password; `None` for an anonymous connection.
    pub credentials: Option<Credentials>,
    /// How TLS is spoken; `None` for plain TCP.
    pub tls: Option<TlsSettings>,
    /// MQTT client identifier. It has to stay the same, or the broker forgets the session.
    pub client_id: String,
    /// Largest packet in either direction, in bytes.
    pub max_packet_bytes: u32,
    /// What the topics begin with on which requests may be answered besides their own.
    pub response_topics: Vec<String>,
}

/// Whom the daemon is and whom it is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assistant {
    /// Names it answers to.
    pub names: Vec<String>,
    /// Names of other assistants, in addition to those of the lexicon: speech to them is none of its business.
    pub other_assistants: Vec<String>,
}

/// How long conversations live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialogue {
    /// A page without a turn for this long is forgotten.
    pub page_idle: Duration,
    /// Most pages kept; of whoever has most of them, the one idle longest goes first.
    pub max_pages: usize,
    /// Most turns kept of one page.
    pub max_turns: usize,
    /// How long a question about a risky step waits for its yes.
    pub confirm_within: Duration,
}

/// How commands become instructs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolve {
    /// More devices than this move only after a yes, when nobody said where.
    pub handful: usize,
    /// A state older than this is asked for again before a condition or an answer rests on it.
    pub state_max_age: Duration,
}

/// How many utterances at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Utterances of one asker that are served in parallel; one page is always served in order.
    pub workers: usize,
    /// Utterances that wait; one more is refused as `overloaded`.
    pub queue: usize,
    /// An utterance not served by then ends in `timeout`.
    pub deadline: Duration,
    /// How long a sentence waits for its vector; a late one is done without, and 0 waits for none.
    pub vector_wait: Duration,
}

impl Default for Assistant {
    fn default() -> Self {
        Self { names: vec![assistant()], other_assistants: Vec::new() }
    }
}

impl Default for Dialogue {
    fn default() -> Self {
        Self {
            page_idle: Duration::from_secs(300),
            max_pages: MAX_PAGES,
            max_turns: 20,
            confirm_within: Duration::from_secs(30),
        }
    }
}

impl Default for Resolve {
    fn default() -> Self {
        Self { handful: 4, state_max_age: Duration::from_secs(300) }
    }
}

impl Default for Service {
    fn default() -> Self {
        Self { workers: 32, queue: 64, deadline: Duration::from_secs(10), vector_wait: Duration::from_millis(30) }
    }
}

/// What the command line says about the configuration; `None` where it is silent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// The file to read.
    pub config: Option<PathBuf>,
    /// `HOST:PORT` of the broker.
    pub broker: Option<String>,
    /// The home's identifier.
    pub home_id: Option<String>,
    /// The store's folder.
    pub store: Option<PathBuf>,
    /// The model's folder.
    pub model: Option<PathBuf>,
}

/// One thing that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Path of the key, e.g. `mqtt.port`, or the file's path when it cannot be read at all.
    pub key: String,
    /// What is wrong.
    pub text: String,
    /// The variable or flag that set the value; `None` for the file.
    pub source: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.text)?;
        self.source.iter().try_for_each(|source| write!(f, " (from {source})"))
    }
}

/// A configuration that cannot be used, with everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n"))]
pub struct ConfigError {
    /// Every problem, never empty.
    pub problems: Vec<Problem>,
}

/// Whether a running daemon takes over all of a new section of a door.
fn taken_over<T: PartialEq>(door: Option<&T>, new: Option<&T>, can_become: impl Fn(&T, &T) -> bool) -> bool {
    match (door, new) {
        (Some(door), Some(new)) => can_become(door, new),
        (door, new) => door == new,
    }
}

impl Config {
    /// The keys in which `new` differs and which a running daemon cannot take over: they count from its next start.
    pub fn needs_restart(&self, new: &Self) -> Vec<&'static str> {
        // These two are the service's, which is made anew.
        let llm = LlmSettings { chatter: new.llm.chatter, keep_hard: new.llm.keep_hard, ..self.llm.clone() };
        let keys = [
            ("home_id", self.home_id != new.home_id),
            ("mqtt", self.mqtt != new.mqtt),
            ("store.dir", self.store_dir != new.store_dir),
            ("model.dir", self.model_dir != new.model_dir),
            ("delivery.ttl_seconds", self.instruct_ttl != new.instruct_ttl),
            ("delivery.confirm_seconds", self.confirm_within != new.confirm_within),
            ("service", self.service != new.service),
            ("language", self.language != new.language),
            ("llm", llm != new.llm),
            ("log.format", self.log.format != new.log.format),
            ("metrics", self.metrics_listen != new.metrics_listen),
            ("http", !taken_over(self.http.as_ref(), new.http.as_ref(), HttpSettings::can_become)),
            ("wyoming", !taken_over(self.wyoming.as_ref(), new.wyoming.as_ref(), WyomingSettings::can_become)),
            ("hubs", self.hubs != new.hubs || self.overrides != new.overrides),
            ("time.zone", self.jobs.zone != new.jobs.zone),
            ("jobs", JobSettings { zone: new.jobs.zone.clone(), ..self.jobs.clone() } != new.jobs),
        ];
        keys.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
    }

    /// Reads and checks the configuration.
    ///
    /// The file is `flags.config`, else the variable `ZHIJU_CONFIG`, else [`SYSTEM_FILE`] if it exists, else none.
    ///
    /// # Errors
    /// When anything is wrong: every problem is named, not only the first.
    pub fn load(environment: &Environment, flags: &Flags) -> Result<Self, ConfigError> {
        let file = Self::file(environment, flags);
        let text = file.as_deref().map(overlay::read).transpose()?.unwrap_or_default();
        let folder = file.as_deref().and_then(Path::parent);
        Self::from_text(&text, folder, environment, flags)
    }

    /// The file that [`Config::load`] reads, if there is one.
    pub fn file(environment: &Environment, flags: &Flags) -> Option<PathBuf> {
        let named = flags.config.clone().or_else(|| environment.get("ZHIJU_CONFIG").map(PathBuf::from));
        named.or_else(|| Some(PathBuf::from(SYSTEM_FILE)).filter(|path| path.exists()))
    }

    /// Checks `text` as [`Config::load`] would check a file of that content in `folder`.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn from_text(
        text: &str,
        folder: Option<&Path>,
        environment: &Environment,
        flags: &Flags,
    ) -> Result<Self, ConfigError> {
        let (tree, sources) = overlay::merge(text, environment, flags)?;
        validate::validate(raw::RawConfig::from_tree(tree), folder, environment, sources)
    }
}

#[cfg(test)]
mod tests;
