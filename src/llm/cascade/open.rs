//! A cascade out of its settings.

use std::sync::Mutex;

use super::{Cascade, Member, lock};
use crate::frame::Shares;
use crate::llm::Client;
use crate::llm::breaker::Breaker;
use crate::llm::budget::Budget;
use crate::llm::http::HttpClient;
use crate::llm::local::{LocalModel, LocalSettings};
use crate::llm::metrics::{Hindrance, ParserMetrics, Tally};
use crate::llm::settings::{LlmSettings, Site, Step};
use crate::text::displayable;

/// Characters of a reason in the status.
const MAX_REASON: usize = 200;

/// A step that cannot be used as it is configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {reason}")]
pub struct Unusable {
    /// The name of the step.
    pub name: String,
    /// Why.
    pub reason: String,
}

impl Cascade {
    /// The cascade of a configuration, for at most `sentences` at a time, and the steps that had to be left out. Reads
    /// files: call it where that may take a while.
    pub fn open(settings: &LlmSettings, sentences: usize, metrics: ParserMetrics) -> Self {
        let mut unusable = Vec::new();
        let mut members = Vec::new();
        for step in &settings.steps {
            match client(step) {
                Ok(client) => {
                    let (place, device_names) = match step {
                        Step::Local(_) => (Site::Hub, true),
                        Step::Http(http) => (http.place, http.device_names),
                    };
                    members.push(Member { client, place, device_names, breaker: Mutex::new(Breaker::default()) });
                }
                Err(reason) => unusable.push(Unusable { name: step.name().to_owned(), reason }),
            }
        }
        Self {
            members,
            unusable,
            deadline: settings.deadline,
            fence: settings.fence,
            permits: Shares::of(sentences.max(1)),
            budget: Mutex::new(Budget::per_hour(settings.cloud_per_hour)),
            metrics,
        }
    }

    /// The steps of the configuration that cannot be used.
    pub fn unusable(&self) -> &[Unusable] {
        &self.unusable
    }

    /// What the parsers did, and what keeps the steps from being asked.
    pub fn tallies(&self) -> Vec<Tally> {
        self.metrics.tallies(|name| self.hindrance(name))
    }

    fn hindrance(&self, name: &str) -> Option<Hindrance> {
        if let Some(step) = self.unusable.iter().find(|step| step.name == name) {
            return Some(Hindrance::Unusable(displayable(&step.reason, MAX_REASON)));
        }
        let member = self.members.iter().find(|member| member.client.name() == name)?;
        let breaker = lock(&member.breaker);
        (!breaker.is_closed()).then(|| Hindrance::Breaker(breaker.name()))
    }

    /// Whether there is nobody to ask.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

/// Counters of the grammar, of similarity and of the steps of a configuration.
impl From<&LlmSettings> for ParserMetrics {
    fn from(settings: &LlmSettings) -> Self {
        Self::new(settings.steps.iter().map(|step| match step {
            Step::Local(_) => (step.name(), None),
            Step::Http(http) => (step.name(), http.price),
        }))
    }
}

fn client(step: &Step) -> Result<Box<dyn Client>, String> {
    match step {
        Step::Local(files) => {
            let settings = LocalSettings::new(step.name(), files.model.clone());
            let settings = LocalSettings { tokenizer: files.tokenizer.clone(), ..settings };
            Ok(Box::new(LocalModel::open(&settings).map_err(|error| error.to_string())?))
        }
        Step::Http(http) => Ok(Box::new(HttpClient::new(http).map_err(|error| error.to_string())?)),
    }
}
