//! `zhiju run`: the daemon, until SIGTERM or SIGINT.

use std::io;
use std::path::PathBuf;

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

use super::{CliError, load_config};
use crate::config::{Config, Flags, Log, LogFormat};
use crate::daemon::{self, BrokerSettings, DaemonSettings};
use crate::dialogue::PageLimits;
use crate::service::ServiceSettings;

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// Configuration file [default: $ZHIJU_CONFIG, else /etc/zhiju/zhiju.yaml if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Broker [default: 127.0.0.1:1883]
    #[arg(long, value_name = "HOST:PORT")]
    broker: Option<String>,
    /// The level after zhiju/ in every topic [default: home]
    #[arg(long, value_name = "ID")]
    home_id: Option<String>,
    /// Folder of the database [default: $STATE_DIRECTORY, /var/lib/zhiju or the user's state folder]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Folder of the embedding model [default: the installed or in-tree one]
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
}

/// Serves until a signal says stop.
pub(super) fn run(args: RunArgs) -> Result<(), CliError> {
    let RunArgs { config, broker, home_id, store, model } = args;
    let config = load_config(&Flags { config, broker, home_id, store, model })?;
    start_log(&config.log);
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    let runtime = tokio::runtime::Runtime::new();
    let runtime = runtime.map_err(|error| CliError::Failed(format!("cannot start the runtime: {error}")))?;
    runtime.block_on(async {
        let stop = stop_signal().map_err(|error| CliError::Failed(format!("cannot wait for signals: {error}")))?;
        daemon::run(settings(config), stop).await.map_err(|error| CliError::Failed(error.to_string()))
    })
}

/// The daemon's settings of a configuration.
pub(super) fn settings(config: Config) -> DaemonSettings {
    let default = DaemonSettings::default();
    DaemonSettings {
        home_id: config.home_id,
        broker: BrokerSettings {
            host: config.mqtt.host,
            port: config.mqtt.port,
            credentials: config.mqtt.credentials,
            client_id: Some(config.mqtt.client_id),
            max_packet_bytes: config.mqtt.max_packet_bytes,
            ..default.broker
        },
        state_dir: config.store_dir,
        satellites: config.satellites,
        service: ServiceSettings {
            names: config.assistant.names,
            others: config.assistant.other_assistants,
            handful: config.resolve.handful,
            state_max_age: Some(config.resolve.state_max_age),
            pages: PageLimits {
                idle: config.dialogue.page_idle,
                pages: config.dialogue.max_pages,
                turns: config.dialogue.max_turns,
            },
            confirm_within: config.dialogue.confirm_within,
            log_sentences: config.log.sentences,
            ..ServiceSettings::default()
        },
        lexicon: config.language.lexicon,
        replies: config.language.replies,
        model_dir: config.model_dir,
        outbox_ttl: config.instruct_ttl,
        workers: config.service.workers,
        queue_capacity: config.service.queue,
        deadline: config.service.deadline,
        ..default
    }
}

/// Logs to stderr from here on; where a log is already set up (a test), that one stays.
pub(super) fn start_log(log: &Log) {
    let filter = EnvFilter::try_new(&log.level).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let _ = match log.format {
        LogFormat::Json => builder.json().try_init(),
        LogFormat::Text => builder.with_ansi(io::IsTerminal::is_terminal(&io::stderr())).try_init(),
    };
}

/// Completes on SIGTERM (systemd) or SIGINT (Ctrl-C). The handlers are in place on return.
pub(super) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
