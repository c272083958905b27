//! The command line: one file a command, one error type, and the exit codes of the contract.

// The command line is the one place that may print: its output is its work. Results go through `print`, which can
// fail; remarks go to stderr.
#![allow(clippy::print_stderr)]

mod ask;
mod audit;
mod check_config;
mod demo;
mod doctor;
mod eval;
mod hard;
mod home;
mod hubs;
mod jobs;
mod present;
mod run;
mod session;
mod style;
mod words;

use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};

use crate::config::{Config, ConfigError, Environment, Flags};
use crate::daemon::DaemonError;
use crate::store::{Store, StoreError};

/// Largest file a command reads whole.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// 智居: turns what is said at home into exact instructs, on the gateway itself.
#[derive(Debug, Parser)]
#[command(name = "zhiju", version, about, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the home over MQTT until told to stop
    Run(run::RunArgs),
    /// Show the daemon at work: embedded broker, example homes, real MQTT
    Demo(demo::DemoArgs),
    /// Understand what is said in this process: one utterance, several, or a conversation line by line
    Ask(ask::AskArgs),
    /// Measure accuracy and misfires over files of cases
    Eval(eval::EvalArgs),
    /// Import, show or export the home in the store
    #[command(subcommand)]
    Home(home::HomeCommand),
    /// Show what each hub brought, what it left out and why, and names that nobody can tell apart
    Hubs(hubs::HubsArgs),
    /// Look at everything the daemon needs, and say what to do about what is wrong
    Doctor(doctor::DoctorArgs),
    /// Print what was not understood (learning.enabled), the most frequent first
    Hard(hard::HardArgs),
    /// Show what was asked and moved of locks, valves, ovens and their like
    Audit(audit::AuditArgs),
    /// Print what a speech recogniser should expect to hear in this home
    Words(words::WordsArgs),
    /// Show what is to be done later
    Jobs(jobs::JobsArgs),
    /// Name everything that is wrong with the configuration
    CheckConfig(ConfigFlag),
}

/// `--config`, alone.
#[derive(Debug, Args)]
struct ConfigFlag {
    /// Configuration file [default: $ZHIJU_CONFIG, else /etc/zhiju/zhiju.yaml if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Why a command did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// It failed.
    #[error("{0}")]
    Failed(String),
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// What it was given cannot be used by this version, however often it is tried.
    #[error("{0}")]
    Unusable(String),
}

impl CliError {
    /// The process's exit code: 1 failed, 78 configuration (`EX_CONFIG` of sysexits), which no supervisor tries again. Wrong usage is 2, from clap.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Failed(_) => 1,
            Self::Config(_) | Self::Unusable(_) => 78,
        }
    }
}

impl From<DaemonError> for CliError {
    fn from(error: DaemonError) -> Self {
        match error {
            DaemonError::Store(error) => error.into(),
            DaemonError::Language(_) | DaemonError::Setting { .. } => Self::Unusable(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NewerSchema { .. } => Self::Unusable(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

/// Runs a command to its end.
///
/// # Errors
/// When the command did not do its work.
pub fn run(cli: Cli) -> Result<(), CliError> {
    match cli.command {
        Command::Run(args) => run::run(args),
        Command::Demo(args) => demo::run(args),
        Command::Ask(args) => ask::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Home(command) => home::run(command),
        Command::Hubs(args) => hubs::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Hard(args) => hard::run(args),
        Command::Jobs(args) => jobs::run(args),
        Command::Audit(args) => audit::run(args),
        Command::Words(args) => words::run(args),
        Command::CheckConfig(flag) => check_config::run(flag),
    }
}

/// Prints a result. A reader that has seen enough (`zhiju eval … | head`) is no failure.
fn print(text: &str) -> Result<(), CliError> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(CliError::Failed(format!("stdout: {error}"))),
        _ => Ok(()),
    }
}

/// The configuration as the environment, the file and `flags` give it.
fn load_config(flags: &Flags) -> Result<Config, CliError> {
    Ok(Config::load(&Environment::of_process(), flags)?)
}

/// Refuses a store whose folder belongs to another user: files that this one, root above all, left there could not be
/// used by the daemon any more.
fn must_own(store: &Path) -> Result<(), CliError> {
    match std::fs::metadata(store) {
        Ok(folder) if folder.uid() != rustix::process::geteuid().as_raw() => Err(CliError::Failed(format!(
            "{}: belongs to another user (number {}), whose daemon could not use what this one leaves there: run this as \
             that user (sudo -u zhiju zhiju …), or use sudo zhiju-store",
            store.display(),
            folder.uid(),
        ))),
        _ => Ok(()),
    }
}

/// Refuses a folder of a database that is not there, or not this user's.
fn must_be_ours(dir: &Path) -> Result<(), CliError> {
    if !dir.is_dir() {
        return Err(CliError::Failed(format!("{}: no such folder", dir.display())));
    }
    must_own(dir)
}

/// The database of a stopped daemon, to be looked at; `None` while a daemon holds it.
fn stopped_store(dir: &Path) -> Result<Option<Store>, CliError> {
    must_be_ours(dir)?;
    match Store::open(dir) {
        Ok((store, _)) => Ok(Some(store)),
        Err(StoreError::Locked { .. }) => Ok(None),
        Err(error) => Err(CliError::Failed(error.to_string())),
    }
}

/// A whole file as text, with its path in the error.
fn read_file(path: &Path) -> Result<String, CliError> {
    let failed = |reason: String| CliError::Failed(format!("{}: {reason}", path.display()));
    let size = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
    if size > MAX_FILE_BYTES {
        return Err(failed(format!("is {size} bytes large, more than {MAX_FILE_BYTES}")));
    }
    std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))
}

/// A runtime for a command that works in this process alone.
fn local_runtime() -> Result<tokio::runtime::Runtime, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| CliError::Failed(format!("cannot start the runtime: {error}")))
}
