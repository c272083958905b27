//! `zhiju check-config`: every problem with its key, or a summary.

use super::{CliError, ConfigFlag, load_config, print};
use crate::config::{Config, ConfigError, Flags, Problem};
use crate::service::Language;

/// Prints a summary of a good configuration; a bad one is the error, problem by problem.
pub(super) fn run(flag: ConfigFlag) -> Result<(), CliError> {
    let config = load_config(&Flags { config: flag.config, ..Flags::default() })?;
    let files = &config.language;
    let language = Language::load(files.lexicon.as_deref()).and_then(|l| l.with_replies(files.replies.as_deref()));
    if let Err(error) = language {
        let key = if error.is_about_replies() { "language.replies" } else { "language.lexicon" };
        let problem = Problem { key: key.into(), text: error.to_string(), source: None };
        return Err(ConfigError { problems: vec![problem] }.into());
    }
    for warning in &config.warnings {
        eprintln!("warning: {warning}");
    }
    print(&summary(&config))
}

fn summary(config: &Config) -> String {
    let mqtt = &config.mqtt;
    let user = mqtt.credentials.as_ref().map_or("anonymous", |credentials| credentials.username.as_str());
    let model = config.model_dir.as_ref().map_or("none".to_owned(), |dir| dir.display().to_string());
    format!(
        "configuration ok\nhome       {}\nbroker     {}:{} as {} ({user})\nstore      {}\nmodel      {model}\n\
         names      {}\nsatellites {}\n",
        config.home_id,
        mqtt.host,
        mqtt.port,
        mqtt.client_id,
        config.store_dir.display(),
        config.assistant.names.join(" "),
        config.satellites.len(),
    )
}
