//! `zhiju jobs`: what is to be done later, and what is not to be done after all.

use std::fmt::Write;
use std::time::Duration;

use clap::Args;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Packet, PubAckReason};
use rumqttc::v5::{AsyncClient, Event};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::home::StoreArgs;
use super::{CliError, local_runtime, print, stopped_store};
use crate::clock::Clock;
use crate::config::Config;
use crate::job::{Jobs, read_copy};
use crate::store::Store;
use crate::text::displayable;
use crate::transport::{Topics, describe, mqtt_options};

/// How long the broker has to take a message.
const PATIENCE: Duration = Duration::from_secs(10);

/// Arguments of `jobs`.
#[derive(Debug, Args)]
pub(super) struct JobsArgs {
    /// Take this job back
    #[arg(long, value_name = "ID", conflicts_with = "cancel_all")]
    cancel: Option<String>,
    /// Take all jobs back
    #[arg(long)]
    cancel_all: bool,
    /// One line of JSON a job
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: StoreArgs,
}

/// Prints the jobs, the soonest first, or takes some back.
pub(super) fn run(args: JobsArgs) -> Result<(), CliError> {
    let config = args.place.config()?;
    let store = stopped_store(&config.store_dir)?;
    let unwanted = match (args.cancel, args.cancel_all) {
        (Some(id), _) => Some(json!({"id": id})),
        (None, true) => Some(json!({"all": true})),
        (None, false) => None,
    };
    match (store, unwanted) {
        (Some(store), None) => {
            let jobs = book(store, &config)?;
            list(&shown(&jobs, jobs.pending()), args.json)
        }
        (Some(store), Some(unwanted)) => {
            let jobs = book(store, &config)?;
            let ids = jobs.named(&unwanted).unwrap_or_default();
            let gone = jobs.cancel(&ids).map_err(|error| CliError::Failed(error.to_string()))?;
            if gone.is_empty() && !args.cancel_all {
                return Err(CliError::Failed(format!("there is no job {}", ids.join(" "))));
            }
            list(&shown(&jobs, gone), args.json)
        }
        // The daemon holds the database: its copy says the same, and it hears what is not wanted.
        (None, None) => {
            let dir = &config.store_dir;
            let jobs = read_copy(dir).map_err(|error| CliError::Failed(format!("{}: {error}", dir.display())))?;
            list(&jobs, args.json)
        }
        (None, Some(unwanted)) => local_runtime()?.block_on(tell(&config, &unwanted)),
    }
}

fn book(store: Store, config: &Config) -> Result<Jobs, CliError> {
    let jobs = Jobs::open(store.into(), Clock::of_machine(), config.jobs.clone(), &Default::default());
    jobs.map_err(|error| CliError::Failed(error.to_string()))
}

fn shown(book: &Jobs, jobs: Vec<crate::job::Job>) -> Vec<Value> {
    jobs.iter().map(|job| job.shown(book.clock(), &book.settings().zone)).collect()
}

fn list(jobs: &[Value], json: bool) -> Result<(), CliError> {
    let mut text = String::new();
    for job in jobs {
        let said = |key: &str| displayable(job[key].as_str().unwrap_or_default(), 200);
        let _ = match json {
            true => writeln!(text, "{job}"),
            false => writeln!(text, "{} {} {} {}", said("id"), said("due"), said("summary"), said("repeat")),
        };
    }
    print(&text)
}

/// Tells the running daemon, as any client may.
async fn tell(config: &Config, unwanted: &Value) -> Result<(), CliError> {
    let failed = |reason: String| CliError::Failed(format!("the daemon is running and was not reached: {reason}"));
    let topics = Topics::new(&config.home_id).ok_or_else(|| failed(format!("{:?} is no home id", config.home_id)))?;
    let broker = super::run::settings(config.clone()).broker;
    let mut options = mqtt_options(&broker, &format!("{}-jobs", config.mqtt.client_id))
        .map_err(|error| failed(format!("mqtt.tls.{error}")))?;
    options.set_clean_start(true);
    options.set_session_expiry_interval(None);
    let (client, mut events) = AsyncClient::new(options, 1);
    let taken = async {
        loop {
            match events.poll().await.map_err(|error| failed(describe(&error)))? {
                Event::Incoming(Packet::ConnAck(_)) => client
                    .try_publish(topics.cancel_jobs(), QoS::AtLeastOnce, false, unwanted.to_string())
                    .map_err(|error| failed(error.to_string()))?,
                Event::Incoming(Packet::PubAck(ack)) => return Ok(ack.reason),
                _ => {}
            }
        }
    };
    match timeout(PATIENCE, taken).await {
        Ok(Ok(PubAckReason::Success)) => print("the daemon was told\n"),
        Ok(Ok(PubAckReason::NoMatchingSubscribers)) => Err(failed("nobody listens on the broker".into())),
        Ok(Ok(reason)) => Err(failed(format!("the broker refuses it ({reason:?})"))),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(failed("the broker does not answer".into())),
    }
}
