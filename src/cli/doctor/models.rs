//! Language models: whether files can be used, and whether servers answer. No sentence is sent.

use std::time::Duration;

use super::Finding;
use crate::llm::LlmError;
use crate::llm::http::HttpClient;
use crate::llm::local::{LocalModel, LocalSettings};
use crate::llm::settings::{HttpSettings, LocalFiles, Step};

/// How long a server has to say which models it has.
const PATIENCE: Duration = Duration::from_secs(5);

const MODEL: &str = "language model";

/// Looks at every model of the cascade.
pub(super) async fn check(steps: &[Step]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for step in steps {
        findings.push(match step {
            Step::Local(files) => local(files),
            Step::Http(settings) => server(settings).await,
        });
    }
    findings
}

fn local(files: &LocalFiles) -> Finding {
    let settings = LocalSettings::new("local", files.model.clone());
    match LocalModel::open(&LocalSettings { tokenizer: files.tokenizer.clone(), ..settings }) {
        Ok(_) => Finding::good(MODEL, format!("local: {}", files.model.display())),
        Err(error) => Finding::bad(MODEL, format!("local: {error}"), "correct llm.local"),
    }
}

async fn server(settings: &HttpSettings) -> Finding {
    let (name, wanted) = (&settings.name, &settings.model);
    let client = match HttpClient::new(settings) {
        Ok(client) => client,
        Err(error) => return Finding::bad(MODEL, format!("{name}: {error}"), format!("correct llm.endpoints.{name}")),
    };
    match client.models(PATIENCE).await {
        Ok(models) if models.contains(wanted) => Finding::good(MODEL, format!("{name}: has {wanted}")),
        Ok(models) if models.is_empty() => {
            Finding::good(MODEL, format!("{name}: answers, and does not say what it has"))
        }
        Ok(_) => Finding::remark(
            MODEL,
            format!("{name}: answers, but does not list {wanted}"),
            format!("see llm.endpoints.{name}.model"),
        ),
        Err(LlmError::Refused { status: status @ (401 | 403), .. }) => Finding::bad(
            MODEL,
            format!("{name}: refuses us with status {status}"),
            format!("see llm.endpoints.{name}.key_file"),
        ),
        Err(LlmError::Refused { status: 404 | 405, .. }) => {
            Finding::good(MODEL, format!("{name}: answers, and does not say what it has"))
        }
        Err(error) => Finding::remark(MODEL, error.to_string(), "it is left alone until it answers"),
    }
}
