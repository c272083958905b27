//! What the configuration says about language models, already validated.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

/// Everything about language models. The default asks none.
#[derive(Clone, Debug, PartialEq)]
pub struct LlmSettings {
    /// Whom the cascade asks, in this order.
    pub steps: Vec<Step>,
    /// Whether understanding by similarity comes before them.
    pub similarity: bool,
    /// From the moment a sentence is handed to the cascade to its answer; all steps share it.
    pub deadline: Duration,
    /// Whether what sounds like chatter is asked about too, if it calls the assistant by name.
    pub chatter: bool,
    /// Sentences that may leave the home within an hour.
    pub cloud_per_hour: u32,
    /// Sentences with their answers that are kept to improve the grammar; 0 keeps none.
    pub keep_hard: usize,
    /// Whether a code fence around an answer is taken off. Any other text around it makes it no answer.
    pub fence: bool,
    /// How often the status tells what the parsers did, when that has changed.
    pub report_every: Duration,
}

/// One language model of the cascade.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a handful of them, read once at the start")]
pub enum Step {
    /// On the gateway itself, in this process.
    Local(LocalFiles),
    /// Behind an OpenAI-compatible interface.
    Http(HttpSettings),
}

/// The files of a model that runs in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalFiles {
    /// Weights, GGUF.
    pub model: PathBuf,
    /// Its tokenizer, `tokenizer.json`; looked for beside the model when it is not said.
    pub tokenizer: Option<PathBuf>,
}

/// Where a language model runs, seen from the home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// On the gateway.
    Hub,
    /// In the home's own network.
    Lan,
    /// Outside: what it is asked leaves the home.
    Cloud,
}

impl Site {
    /// The `parser` of the candidates: as the contract has only these two.
    pub fn parser(self) -> &'static str {
        match self {
            Self::Hub | Self::Lan => "local",
            Self::Cloud => "cloud",
        }
    }
}

/// An OpenAI-compatible endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpSettings {
    /// Its name in the configuration, in counters and in the log.
    pub name: String,
    /// Where it runs.
    pub place: Site,
    /// `http://…` or `https://…`, up to and without `/chat/completions`.
    pub base_url: String,
    /// The model it is asked for.
    pub model: String,
    /// The bearer token, if it wants one.
    pub key: Option<Secret>,
    /// More headers.
    pub headers: BTreeMap<String, Secret>,
    /// How it is held to JSON.
    pub json: JsonMode,
    /// More members of the request's body, such as `enable_thinking: false`.
    pub body: Map<String, Value>,
    /// A PEM file of certificates that are trusted besides the system's.
    pub ca_file: Option<PathBuf>,
    /// `http://…` of a proxy.
    pub proxy: Option<String>,
    /// Longest wait for a connection.
    pub connect_timeout: Duration,
    /// Longest silence on a connection.
    pub read_timeout: Duration,
    /// Whether it is told names of devices, groups and scenes.
    pub device_names: bool,
    /// What tokens cost.
    pub price: Option<Price>,
}

/// How an endpoint is held to JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JsonMode {
    /// By the prompt alone.
    #[default]
    None,
    /// `response_format: {"type": "json_object"}`.
    Object,
    /// `response_format: {"type": "json_schema", …}`.
    Schema,
}

/// What a million tokens cost, in whatever currency the owner thinks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Of the question.
    pub prompt: f64,
    /// Of the answer.
    pub completion: f64,
}

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Hides a text.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The text.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

impl Default for LlmSettings {
    fn default() -> Self {
        Self {
            steps: Vec::new(),
            similarity: true,
            deadline: Duration::from_secs(4),
            chatter: false,
            cloud_per_hour: 60,
            keep_hard: 0,
            fence: false,
            report_every: Duration::from_secs(60),
        }
    }
}

impl HttpSettings {
    /// An endpoint of which only name, place, address and model are known.
    pub fn new(name: &str, place: Site, base_url: &str, model: &str) -> Self {
        Self {
            name: name.to_owned(),
            place,
            base_url: base_url.to_owned(),
            model: model.to_owned(),
            key: None,
            headers: BTreeMap::new(),
            json: JsonMode::None,
            body: Map::new(),
            ca_file: None,
            proxy: None,
            connect_timeout: Duration::from_secs(1),
            read_timeout: Duration::from_secs(10),
            device_names: place != Site::Cloud,
            price: None,
        }
    }
}

impl Step {
    /// The name in the configuration, in counters and in the log.
    pub fn name(&self) -> &str {
        match self {
            Self::Local(_) => "local",
            Self::Http(http) => &http.name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_never_printed() {
        let mut settings = HttpSettings::new("a", Site::Cloud, "https://a.example/v1", "m");
        settings.key = Some(Secret::new("sk-1234".into()));
        settings.headers.insert("api-key".into(), Secret::new("k-5678".into()));
        let printed = format!("{settings:?}");
        assert!(!printed.contains("1234") && !printed.contains("5678"), "{printed}");
    }
}
