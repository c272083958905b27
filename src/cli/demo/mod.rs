//! `zhiju demo`: an embedded broker, the daemon and an example home, spoken to over real MQTT.

mod hub;
mod model;
mod report;
mod script;

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use self::hub::Hub;
use self::model::ScriptedModel;
use self::report::{Row, said, table, told, try_it};
use self::script::{Speaks, script};
use super::run::stop_signal;
use super::style::Style;
use super::{CliError, print};
use crate::config::Environment;
use crate::config::Log;
use crate::daemon::{self, DaemonError, DaemonSettings};
use crate::observe::start_log;
use crate::transport::BrokerSettings;
use crate::transport::embedded::EmbeddedBroker;

/// The `{home}` of the demonstration's topics.
const HOME_ID: &str = "demo";

/// Between two utterances: people breathe, and meanwhile the hub's report of what changed reaches the daemon.
const BREATH: Duration = Duration::from_millis(100);

/// A house of three floors and more than a hundred devices.
const VILLA: &str = include_str!("../../../tests/homes/villa.json");

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// Stay up afterwards and say how to talk to it
    #[arg(long)]
    keep: bool,
    /// Add a scene with a language model: a scripted one, in this process
    #[arg(long)]
    llm: bool,
}

/// Speaks the script and fails if an expected instruct or reply does not come.
pub(super) fn run(args: DemoArgs) -> Result<(), CliError> {
    // The embedded broker takes every probe and goodbye for an error.
    start_log(&Log { level: "warn,rumqttd=off".into(), ..Log::default() });
    let runtime = tokio::runtime::Runtime::new().map_err(|error| failed("cannot start the runtime", error))?;
    let state = StateDir::new().map_err(|error| failed("cannot make a folder for the state", error))?;
    let played = runtime.block_on(play(args, state.path()));
    // Whatever still holds the store ends with the runtime, and only then its folder goes.
    drop(runtime);
    played
}

async fn play(args: DemoArgs, state: &Path) -> Result<(), CliError> {
    let stop = stop_signal().map_err(|error| failed("cannot wait for signals", error))?;
    let broker = EmbeddedBroker::start().await.map_err(|error| failed("cannot start a broker", error))?;
    let model = if args.llm {
        Some(ScriptedModel::start().await.map_err(|error| failed("cannot start a scripted model", error))?)
    } else {
        None
    };
    let daemon = Daemon::start(broker.port(), state, model.as_ref());
    let mut hub = Hub::connect(broker.port(), HOME_ID, VILLA).await?;
    let played = tokio::select! {
        played = speak(&mut hub, broker.port(), &args) => played,
        () = stop => Ok(()),
    };
    let stopped = daemon.stop().await;
    played.and(stopped)
}

/// Registers the villa, says the script, and stays if it is to.
async fn speak(hub: &mut Hub, port: u16, args: &DemoArgs) -> Result<(), CliError> {
    let style = Style::of(&std::io::stdout());
    let devices = hub.register(VILLA).await?;
    print(&style.dim(&format!("broker on 127.0.0.1:{port}, daemon online, {devices} devices registered\n")))?;

    let seed: Value =
        serde_json::from_str(super::ask::EXAMPLE_HOME).map_err(|error| failed("the example home", error))?;
    let mut rows = Vec::new();
    let mut heading = None;
    let steps = script().into_iter().filter(|step| args.llm || step.speaks != Speaks::Model);
    for (at, step) in steps.enumerate() {
        if heading != Some(step.speaks) {
            heading = Some(step.speaks);
            print(&format!("\n{}\n", style.bold(step.speaks.heading())))?;
        }
        print(&said(&step, style))?;
        let rid = format!("demo-{at}");
        let heard = match step.speaks {
            Speaks::Request => hub.request(&rid, &step, &seed).await?,
            Speaks::Satellite | Speaks::Model => hub.utter(&rid, &step).await?,
        };
        let row = Row::new(&step, &heard);
        print(&told(&heard, &row, style))?;
        rows.push(row);
        tokio::time::sleep(BREATH).await;
    }
    print(&table(&rows, style))?;
    if args.keep {
        print(&try_it(port, HOME_ID))?;
        hub.serve().await?;
    }
    match rows.iter().filter(|row| !row.ok()).count() {
        0 => Ok(()),
        missed => {
            Err(CliError::Failed(format!("{missed} of {} utterances did not lead to what was expected", rows.len())))
        }
    }
}

fn failed(what: &str, error: impl std::fmt::Display) -> CliError {
    CliError::Failed(format!("{what}: {error}"))
}

/// The daemon, as a task of this process.
struct Daemon {
    task: JoinHandle<Result<(), DaemonError>>,
    stop: oneshot::Sender<()>,
}

impl Daemon {
    fn start(port: u16, state_dir: &Path, model: Option<&ScriptedModel>) -> Self {
        let (stop, stopped) = oneshot::channel();
        let mut settings = DaemonSettings {
            home_id: HOME_ID.into(),
            broker: BrokerSettings { port, ..BrokerSettings::default() },
            state_dir: state_dir.to_owned(),
            model_dir: Environment::of_process().default_model(),
            ..DaemonSettings::default()
        };
        if let Some(model) = model {
            settings.llm.steps = vec![model.step()];
            settings.llm.deadline = Duration::from_secs(2);
            settings.service.ask_about_chatter = true;
        }
        let stopped = async {
            let _ = stopped.await;
        };
        Self { task: tokio::spawn(daemon::run(settings, stopped)), stop }
    }

    async fn stop(self) -> Result<(), CliError> {
        // A daemon that ended by itself has nobody listening; its error says why.
        let _ = self.stop.send(());
        let ended = self.task.await.map_err(|panic| failed("the daemon", panic))?;
        ended.map_err(|error| failed("the daemon", error))
    }
}

/// A folder of its own for the state, gone when dropped.
struct StateDir(PathBuf);

impl StateDir {
    fn new() -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("zhiju-demo-{}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for StateDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
