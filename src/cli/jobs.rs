//! `zhiju jobs`: what is to be done later.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;

use super::{CliError, load_config, must_own, print};
use crate::clock::Clock;
use crate::config::Flags;
use crate::job::{Jobs, read_copy};
use crate::store::{Store, StoreError};

/// Arguments of `jobs`.
#[derive(Debug, Args)]
pub(super) struct JobsArgs {
    /// One line of JSON a job
    #[arg(long)]
    json: bool,
    /// Configuration file [default: $ZHIJU_CONFIG, else /etc/zhiju/zhiju.yaml if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the database [default: $STATE_DIRECTORY, the service's /var/lib/zhiju or the user's state folder]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

/// Prints the jobs, the soonest first.
pub(super) fn run(args: JobsArgs) -> Result<(), CliError> {
    let config = load_config(&Flags { config: args.config, store: args.store, ..Flags::default() })?;
    let dir = &config.store_dir;
    if !dir.is_dir() {
        return Err(CliError::Failed(format!("{}: no such folder", dir.display())));
    }
    must_own(dir)?;
    let jobs: Vec<Value> = match Store::open(dir) {
        Ok((store, _)) => {
            let (clock, zone) = (Clock::of_machine(), config.jobs.zone.clone());
            let jobs = Jobs::open(store.into(), clock.clone(), config.jobs, &Default::default());
            let jobs = jobs.map_err(|error| CliError::Failed(error.to_string()))?;
            jobs.pending().iter().map(|job| job.shown(&clock, &zone)).collect()
        }
        // The daemon holds the database: its copy says the same.
        Err(StoreError::Locked { .. }) => {
            read_copy(dir).map_err(|error| CliError::Failed(format!("{}: {error}", dir.display())))?
        }
        Err(error) => return Err(CliError::Failed(error.to_string())),
    };
    let mut text = String::new();
    for job in jobs {
        let said = |key: &str| job[key].as_str().unwrap_or_default();
        let _ = match args.json {
            true => writeln!(text, "{job}"),
            false => writeln!(text, "{} {} {} {}", said("id"), said("due"), said("summary"), said("repeat")),
        };
    }
    print(&text)
}
