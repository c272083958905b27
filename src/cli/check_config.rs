//! `zhiju check-config`: every problem with its key, or a summary.

use std::path::PathBuf;

use super::{CliError, ConfigFlag, load_config, print};
use crate::config::{Config, ConfigError, Flags, Problem};
use crate::llm::cascade::{Cascade, Unusable};
use crate::llm::metrics::ParserMetrics;
use crate::llm::settings::Step;
use crate::service::Language;
use crate::zh::{DataError, Fault};

/// Prints a summary of a good configuration; a bad one is the error, problem by problem.
pub(super) fn run(flag: ConfigFlag) -> Result<(), CliError> {
    let config = load_config(&Flags { config: flag.config, ..Flags::default() })?;
    let problems = language_problems(&config);
    if !problems.is_empty() {
        return Err(ConfigError { problems }.into());
    }
    let cascade = Cascade::open(&config.llm, 1, ParserMetrics::from(&config.llm));
    if !cascade.unusable().is_empty() {
        let problem = |step: &Unusable| Problem {
            key: if step.name == "local" { "llm.local".into() } else { format!("llm.endpoints.{}", step.name) },
            text: step.reason.clone(),
            source: None,
        };
        return Err(ConfigError { problems: cascade.unusable().iter().map(problem).collect() }.into());
    }
    for warning in &config.warnings {
        eprintln!("warning: {warning}");
    }
    print(&summary(&config))
}

/// What is wrong with the owner's files of the language.
pub(super) fn language_problems(config: &Config) -> Vec<Problem> {
    let own = &config.language;
    let faults = Language::load(Some(own)).err().map(|DataError(faults)| faults).unwrap_or_default();
    let is =
        |named: &Option<PathBuf>, fault: &Fault| named.as_ref().is_some_and(|p| p.display().to_string() == fault.file);
    let problem = |fault: Fault| {
        let key = match &fault {
            fault if is(&own.lexicon, fault) => "language.lexicon",
            fault if is(&own.replies, fault) => "language.replies",
            _ => "language.folder",
        };
        Problem { key: key.into(), text: fault.to_string(), source: None }
    };
    faults.into_iter().map(problem).collect()
}

fn summary(config: &Config) -> String {
    let mqtt = &config.mqtt;
    let user = mqtt.credentials.as_ref().map_or("anonymous", |credentials| credentials.username.as_str());
    let model = config.model_dir.as_ref().map_or("none".to_owned(), |dir| dir.display().to_string());
    format!(
        "configuration ok\nhome       {}\nbroker     {}:{} as {} ({user})\nstore      {}\nmodel      {model}\n\
         names      {}\nsatellites {}\nllm        {}\n",
        config.home_id,
        mqtt.host,
        mqtt.port,
        mqtt.client_id,
        config.store_dir.display(),
        config.assistant.names.join(" "),
        config.satellites.len(),
        if config.llm.steps.is_empty() { "none".to_owned() } else { steps(&config.llm.steps) },
    )
}

/// Whom the cascade asks, in order, and where they are.
fn steps(steps: &[Step]) -> String {
    let one = |step: &Step| match step {
        Step::Local(files) => format!("local ({})", files.model.display()),
        Step::Http(http) => format!("{} ({:?}, {})", http.name, http.place, http.base_url),
    };
    steps.iter().map(one).collect::<Vec<_>>().join(", ")
}
