//! `zhiju doctor`: looks at everything the daemon needs, and says what to do about what is wrong.

mod broker;
mod endpoints;
mod files;
mod hubs;
mod machine;
mod models;
mod report;

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::check_config::language_problems;
use super::{CliError, local_runtime, print};
use crate::config::{Config, Environment, Flags};

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Configuration file [default: $ZHIJU_CONFIG, else /etc/zhiju/zhiju.yaml if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the findings as one JSON array
    #[arg(long)]
    json: bool,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// Nothing to do.
    Good,
    /// The daemon works, but something should be done.
    Remark,
    /// The daemon does not work, or not as it should.
    Bad,
}

/// What was looked at and found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Finding {
    what: &'static str,
    verdict: Verdict,
    found: String,
    /// What to do about it; empty when nothing.
    advice: String,
}

impl Finding {
    fn good(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, verdict: Verdict::Good, found: found.into(), advice: String::new() }
    }

    fn remark(what: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what, verdict: Verdict::Remark, found: found.into(), advice: advice.into() }
    }

    fn bad(what: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what, verdict: Verdict::Bad, found: found.into(), advice: advice.into() }
    }
}

/// Looks at everything. What depends on a configuration that is wrong is left out.
pub(super) fn run(args: DoctorArgs) -> Result<(), CliError> {
    let environment = Environment::of_process();
    let flags = Flags { config: args.config, ..Flags::default() };
    let mut findings = Vec::new();
    match Config::load(&environment, &flags) {
        Ok(config) => {
            findings.push(configuration(&config));
            findings.extend(files::permissions(&config, Config::file(&environment, &flags).as_deref()));
            findings.push(files::store(&config.store_dir));
            findings.push(files::model(config.model_dir.as_deref()));
            findings.extend(local_runtime()?.block_on(broker::check(&config)));
            findings.extend(local_runtime()?.block_on(models::check(&config.llm.steps)));
            findings.extend(local_runtime()?.block_on(endpoints::check(&config.mcp_endpoints)));
            findings.extend(local_runtime()?.block_on(hubs::check(&config)));
            findings.push(machine::disk(&config.store_dir));
        }
        Err(error) => findings.extend(
            error.problems.iter().map(|problem| Finding::bad("configuration", problem.to_string(), "correct the key")),
        ),
    }
    findings.extend([machine::processor(), machine::memory(), machine::clock()]);
    print(&if args.json { report::json(&findings) } else { report::table(&findings) })?;
    match findings.iter().filter(|finding| finding.verdict == Verdict::Bad).count() {
        0 => Ok(()),
        bad => Err(CliError::Failed(format!("{bad} of {} checks failed", findings.len()))),
    }
}

fn configuration(config: &Config) -> Finding {
    let problems: Vec<String> = language_problems(config).iter().map(ToString::to_string).collect();
    match problems.is_empty() {
        true => Finding::good("configuration", format!("home {}", config.home_id)),
        false => Finding::bad("configuration", problems.join("; "), "correct the file"),
    }
}
