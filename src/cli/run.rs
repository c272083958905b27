//! `zhiju run`: the daemon, until SIGTERM or SIGINT; SIGHUP reads the configuration again.

use std::io;
use std::path::PathBuf;

use clap::Args;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, oneshot};
use tracing::{error, info, warn};

use super::{CliError, load_config, must_own};
use crate::config::{Config, Flags};
use crate::daemon::{self, DaemonSettings, Reload, Supervision};
use crate::dialogue::PageLimits;
use crate::observe::{LogControl, Notifier, start_log};
use crate::service::ServiceSettings;
use crate::transport::BrokerSettings;

/// Threads that wait for the disk. Commits that arrive together share one flush, so more would not be faster; and each
/// thread has a heap of its own, which grows for itself.
const BLOCKING_THREADS: usize = 4;

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
    /// Folder of the database [default: $STATE_DIRECTORY, the service's /var/lib/zhiju or the user's state folder]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Folder of the embedding model [default: the installed or in-tree one]
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
}

/// Serves until a signal says stop.
pub(super) fn run(args: RunArgs) -> Result<(), CliError> {
    let RunArgs { config, broker, home_id, store, model } = args;
    let flags = Flags { config, broker, home_id, store, model };
    let config = load_config(&flags)?;
    must_own(&config.store_dir)?;
    let log = start_log(&config.log);
    for warning in &config.warnings {
        warn!("{warning}");
    }
    let runtime = Builder::new_multi_thread().enable_all().max_blocking_threads(BLOCKING_THREADS).build();
    let runtime = runtime.map_err(|error| CliError::Failed(format!("cannot start the runtime: {error}")))?;
    runtime.block_on(async {
        let signals = |error| CliError::Failed(format!("cannot wait for signals: {error}"));
        let stop = stop_signal().map_err(signals)?;
        let hangups = signal(SignalKind::hangup()).map_err(signals)?;
        let notifier = Notifier::of_process();
        let (reloads_tx, reloads) = mpsc::channel(1);
        let supervision = Supervision { notifier: notifier.clone(), reloads };
        let troubles = log.troubles();
        let reloader = Reloader { flags, config: config.clone(), log, notifier, daemon: reloads_tx };
        let reloading = tokio::spawn(reloader.run(hangups));
        let ended = daemon::run_supervised(DaemonSettings { troubles, ..settings(config) }, supervision, stop).await;
        reloading.abort();
        Ok(ended?)
    })
}

/// Reads the configuration again when told to.
struct Reloader {
    flags: Flags,
    /// What the daemon was started with: only that tells what a restart would change.
    config: Config,
    log: LogControl,
    notifier: Notifier,
    daemon: mpsc::Sender<Reload>,
}

impl Reloader {
    async fn run(self, mut hangups: Signal) {
        while hangups.recv().await.is_some() {
            self.notifier.reloading();
            self.reload().await;
            self.notifier.ready();
        }
    }

    /// All of it is checked before any of it counts.
    async fn reload(&self) {
        let new = match load_config(&self.flags) {
            Ok(new) => new,
            Err(problems) => {
                let problems = problems.to_string().replace('\n', "; ");
                return error!(problems, "the configuration is not taken over: nothing changes");
            }
        };
        for warning in &new.warnings {
            warn!("{warning}");
        }
        let restart = self.config.needs_restart(&new).join(", ");
        if !restart.is_empty() {
            warn!(keys = restart, "these keys have changed and count from the next start");
        }
        self.log.set_level(&new.log.level);
        let mut settings = settings(new);
        // It is one of a section that counts from the next start.
        settings.service.vector_wait = self.config.service.vector_wait;
        let (done, taken) = oneshot::channel();
        let sent = self.daemon.send(Reload { settings, done }).await;
        if sent.is_ok() && taken.await.is_ok() {
            info!("the configuration is taken over");
        }
    }
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
            tls: config.mqtt.tls,
            client_id: Some(config.mqtt.client_id),
            max_packet_bytes: config.mqtt.max_packet_bytes,
            response_topics: config.mqtt.response_topics,
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
            ask_about_chatter: config.llm.chatter,
            keep_hard: config.llm.keep_hard,
            learning: config.learning,
            vector_wait: config.service.vector_wait,
            log_sentences: config.log.sentences,
            ..ServiceSettings::default()
        },
        language: config.language,
        model_dir: config.model_dir,
        llm: config.llm,
        outbox_ttl: config.instruct_ttl,
        confirm_within: config.confirm_within,
        workers: config.service.workers,
        queue_capacity: config.service.queue,
        deadline: config.service.deadline,
        metrics: config.metrics_listen,
        http: config.http,
        wyoming: config.wyoming,
        mcp_endpoints: config.mcp_endpoints,
        hubs: config.hubs,
        overrides: config.overrides,
        jobs: config.jobs,
        ..default
    }
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
