//! `zhiju check-config`: every problem with its key, or a summary.

use super::{CliError, ConfigFlag, load_config, print};
use crate::config::{Config, ConfigError, Flags, Problem};
use crate::llm::cascade::{Cascade, Unusable};
use crate::llm::metrics::ParserMetrics;
use crate::llm::settings::Step;
use crate::service::Language;

/// Prints a summary of a good configuration; a bad one is the error, problem by problem.
pub(super) fn run(flag: ConfigFlag) -> Result<(), CliError> {
    let config = load_config(&Flags { config: flag.config, ..Flags::default() })?;
    if let Some(problem) = language_problem(&config) {
        return Err(ConfigError { problems: vec![problem] }.into());
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

/// What is wrong with the files of the language, if anything.
pub(super) fn language_problem(config: &Config) -> Option<Problem> {
    let files = &config.language;
    let language = Language::load(files.lexicon.as_deref()).and_then(|l| l.with_replies(files.replies.as_deref()));
    let error = language.err()?;
    let key = if error.is_about_replies() { "language.replies" } else { "language.lexicon" };
    Some(Problem { key: key.into(), text: error.to_string(), source: None })
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
