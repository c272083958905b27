//! The file as it is written: typed, but nothing checked yet.
//!
//! Two things differ from a plain derive, both so that one reading finds every mistake and not only the first: a
//! [`Leaf`] keeps a value of the wrong type instead of failing, and `unknown` collects the keys that
//! `deny_unknown_fields` would stop at. The check refuses both.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_yaml::Value;

use super::LogFormat;
use crate::llm::settings::JsonMode;

/// A value that may be absent or of the wrong type.
#[derive(Debug, Default)]
pub(super) enum Leaf<T> {
    /// Not there, or null.
    #[default]
    Absent,
    /// There and of its type.
    Is(T),
    /// There, but not of its type; why.
    Wrong(String),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Leaf<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.is_null() {
            return Ok(Self::Absent);
        }
        Ok(match serde_yaml::from_value(value.clone()) {
            Ok(typed) => Self::Is(typed),
            // Variables and flags are text: `1883` has to be read as YAML would read it.
            Err(error) => match value.as_str().map(serde_yaml::from_str) {
                Some(Ok(typed)) => Self::Is(typed),
                _ => Self::Wrong(error.to_string()),
            },
        })
    }
}

/// Defines a section: every key a [`Leaf`], every other key kept in `unknown`.
macro_rules! section {
    ($(#[$doc:meta])* $name:ident { $($key:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Default, Deserialize)]
        #[serde(default)]
        pub(super) struct $name {
            $(pub(super) $key: Leaf<$type>,)*
            #[serde(flatten)]
            pub(super) unknown: BTreeMap<String, Value>,
        }

        impl $name {
            /// The keys it knows, for the message about one it does not.
            pub(super) const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];
        }
    };
}

section!(
    /// The whole file.
    RawConfig {
        home_id: String,
        mqtt: RawMqtt,
        store: RawStore,
        model: RawModel,
        assistant: RawAssistant,
        satellites: BTreeMap<String, String>,
        dialogue: RawDialogue,
        resolve: RawResolve,
        delivery: RawDelivery,
        service: RawService,
        language: RawLanguage,
        llm: RawLlm,
        log: RawLog,
        metrics: RawMetrics,
        http: RawHttp,
        wyoming: RawWyoming,
        mcp: RawMcp,
        hubs: RawHubs,
        time: RawTime,
        jobs: RawJobs,
        learning: RawLearning,
    }
);
section!(
    /// `mqtt`.
    RawMqtt {
        host: String,
        port: i64,
        username: String,
        password_file: String,
        client_id: String,
        max_packet_bytes: i64,
        response_topics: Vec<String>,
        tls: RawTls,
    }
);
section!(
    /// `mqtt.tls`, `hubs.NAME.tls`.
    RawTls { ca_file: String, client_cert_file: String, client_key_file: String, server_name: String }
);
section!(
    /// `store`.
    RawStore { dir: String }
);
section!(
    /// `model`.
    RawModel { dir: String }
);
section!(
    /// `assistant`.
    RawAssistant { names: Vec<String>, other_assistants: Vec<String> }
);
section!(
    /// `dialogue`.
    RawDialogue { page_idle_seconds: i64, max_pages: i64, max_turns: i64, confirm_seconds: i64 }
);
section!(
    /// `resolve`.
    RawResolve { handful: i64, state_max_age_seconds: i64 }
);
section!(
    /// `delivery`.
    RawDelivery { ttl_seconds: i64, confirm_seconds: i64 }
);
section!(
    /// `service`.
    RawService { workers: i64, queue: i64, deadline_seconds: i64, vector_wait_ms: i64 }
);
section!(
    /// `language`.
    RawLanguage { folder: String, lexicon: String, replies: String }
);
section!(
    /// `llm`.
    RawLlm {
        order: Vec<String>,
        when: String,
        chatter: String,
        privacy: String,
        deadline_ms: i64,
        cloud_per_hour: i64,
        keep_hard: i64,
        fence: bool,
        local: RawLocal,
        endpoints: BTreeMap<String, Leaf<RawEndpoint>>,
    }
);
section!(
    /// `llm.local`.
    RawLocal { model: String, tokenizer: String }
);
section!(
    /// `llm.endpoints.NAME`.
    RawEndpoint {
        place: String,
        url: String,
        model: String,
        key_file: String,
        headers: BTreeMap<String, String>,
        json: JsonMode,
        body: serde_json::Map<String, serde_json::Value>,
        ca_file: String,
        proxy: String,
        connect_timeout_ms: i64,
        read_timeout_ms: i64,
        device_names: bool,
        price: RawPrice,
    }
);
section!(
    /// `llm.endpoints.NAME.price`.
    RawPrice { prompt: f64, completion: f64 }
);
section!(
    /// `log`.
    RawLog { level: String, format: LogFormat, sentences: bool }
);
section!(
    /// `metrics`.
    RawMetrics { listen: String, allow_remote: bool }
);
section!(
    /// `http`.
    RawHttp {
        listen: String,
        tls: RawHttpTls,
        tokens: String,
        hosts: Vec<String>,
        origins: Vec<String>,
        connections: i64,
        idle_seconds: i64,
    }
);
section!(
    /// `http.tls`.
    RawHttpTls { cert_file: String, key_file: String }
);
section!(
    /// `wyoming`.
    RawWyoming { listen: String, clients: Vec<String>, connections: i64, announce: bool }
);
section!(
    /// `mcp`.
    RawMcp { endpoints: BTreeMap<String, String> }
);

/// `hubs`; every other key is a hub.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RawHubs {
    pub(super) overrides: Leaf<String>,
    #[serde(flatten)]
    pub(super) hubs: BTreeMap<String, Value>,
}
section!(
    /// `hubs.NAME`.
    RawHub { kind: String, url: String, token_file: String, tls: RawTls, expose: String, base_topic: String, prefix: String, birth: bool, topic: String }
);
section!(
    /// `time`.
    RawTime { zone: String }
);
section!(
    /// `jobs`.
    RawJobs { late_seconds: i64, per_page: i64, total: i64 }
);

section!(
    /// `learning`.
    RawLearning { enabled: bool, keep: i64 }
);

impl RawConfig {
    /// The tree's typed form; what does not fit is kept for the check.
    pub(super) fn from_tree(tree: Value) -> Leaf<Self> {
        match serde_yaml::from_value(tree) {
            Ok(raw) => Leaf::Is(raw),
            Err(error) => Leaf::Wrong(error.to_string()),
        }
    }
}
