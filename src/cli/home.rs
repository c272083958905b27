//! `zhiju home`: the home in the store, while no daemon runs on it.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::Value;

use super::{CliError, load_config, must_own, print, read_file};
use crate::clock::Clock;
use crate::config::{Config, Flags};
use crate::home::{Device, Home, Live, Registry, Report};
use crate::store::{Store, StoreError};

/// What to do with the home.
#[derive(Debug, Subcommand)]
pub(super) enum HomeCommand {
    /// Replace the home by a document, and name what is left out of it
    Import {
        /// Home document
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        place: StoreArgs,
    },
    /// Rooms, devices and their state, for a person
    Show {
        #[command(flatten)]
        place: StoreArgs,
    },
    /// The home document with its present state
    Export {
        #[command(flatten)]
        place: StoreArgs,
    },
}

/// Which store.
#[derive(Debug, Args)]
pub(super) struct StoreArgs {
    /// Configuration file [default: $ZHIJU_CONFIG, else /etc/zhiju/zhiju.yaml if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder of the database [default: $STATE_DIRECTORY, the service's /var/lib/zhiju or the user's state folder]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

impl StoreArgs {
    /// The configuration with that in place.
    pub(super) fn config(self) -> Result<Config, CliError> {
        load_config(&Flags { config: self.config, store: self.store, ..Flags::default() })
    }
}

/// Imports, shows or exports.
pub(super) fn run(command: HomeCommand) -> Result<(), CliError> {
    match command {
        HomeCommand::Import { file, place } => {
            let document = read_file(&file)?;
            let store = Arc::new(open_store(place)?);
            // Whoever imports a home wants it tried, whatever came of it before.
            store.started()?;
            let report = registry(store)?.replace(&document);
            let report = report.map_err(|error| CliError::Failed(format!("{}: {error}", file.display())))?;
            print(&imported(&report))
        }
        HomeCommand::Show { place } => {
            let registry = registry(Arc::new(open_store(place)?))?;
            let snapshot = registry.snapshot();
            if let Some(reason) = registry.set_aside() {
                print(&format!("the home is set aside: {reason}\n"))
            } else if snapshot.revision == 0 {
                print("no home yet: zhiju home import FILE, or publish one on zhiju/HOME_ID/registry\n")
            } else {
                print(&shown(snapshot.revision, &snapshot.home, &snapshot.live))
            }
        }
        HomeCommand::Export { place } => match registry(Arc::new(open_store(place)?))?.export() {
            Some(document) => print(&format!("{document}\n")),
            None => Err(CliError::Failed("there is no home in the store".into())),
        },
    }
}

/// The registry of a store.
fn registry(store: Arc<Store>) -> Result<Registry, CliError> {
    Registry::open(store, Clock::of_machine()).map_err(|error| CliError::Failed(error.to_string()))
}

/// A store that no other process holds.
pub(super) fn open_store(place: StoreArgs) -> Result<Store, CliError> {
    let config = place.config()?;
    must_own(&config.store_dir)?;
    let opened = Store::open(&config.store_dir).map_err(|error| refused(error, &config))?;
    let (store, report) = opened;
    for note in &report.notes {
        eprintln!("store: {note}");
    }
    if let Some(lost) = &report.lost {
        eprintln!("store: set aside as {}: {}", lost.quarantine.display(), lost.reason);
        match &lost.kept {
            Some(kept) => eprintln!("store: {} rows were taken over; damaged: {}", kept.rows, kept.damaged.join(", ")),
            None => eprintln!("store: nothing could be taken over"),
        }
    }
    Ok(store)
}

fn refused(error: StoreError, config: &Config) -> CliError {
    match error {
        StoreError::Locked { path } => CliError::Failed(format!(
            "{}: the daemon is running on this store; stop it, or publish a home to it:\n  mosquitto_pub -h {} -p {} -q 1 -r -t \
             zhiju/{}/registry -f FILE",
            path.display(),
            config.mqtt.host,
            config.mqtt.port,
            config.home_id,
        )),
        other => other.into(),
    }
}

fn imported(report: &Report) -> String {
    let mut text = String::new();
    for (kind, entries) in [("left out", &report.rejected), ("note", &report.notes)] {
        for entry in entries {
            text.push_str(&format!("{kind}: {}: {}\n", entry.path, entry.reason));
        }
    }
    if report.unlisted > 0 {
        text.push_str(&format!("… and {} more\n", report.unlisted));
    }
    let Report { revision, devices, rooms, groups, scenes, rejected, .. } = report;
    text.push_str(&format!(
        "revision {revision}: {devices} devices, {rooms} rooms, {groups} groups, {scenes} scenes, {} left out\n",
        rejected.len()
    ));
    text
}

fn shown(revision: u64, home: &Home, live: &Live) -> String {
    let mut text = format!("home {} revision {revision}, {} devices\n", home.id, home.devices.len());
    let places = home.rooms.iter().enumerate().map(|(at, room)| (Some(at), room.name.as_str()));
    for (place, name) in places.chain([(None, "(no room)")]) {
        let mut devices = home.devices.iter().enumerate().filter(|(_, device)| device.room == place).peekable();
        if devices.peek().is_none() {
            continue;
        }
        let floor = place.and_then(|at| home.rooms[at].floor.as_deref()).unwrap_or_default();
        text.push_str(&format!("\n{name} {floor}\n"));
        for (at, device) in devices {
            text.push_str(&device_line(device, live.online(at), serde_json::json!(live.get(at).values)));
        }
    }
    let sets = home.groups.iter().map(|group| ("group", &group.id, &group.name, group.members.len()));
    let sets = sets.chain(home.scenes.iter().map(|scene| ("scene", &scene.id, &scene.name, scene.actions.len())));
    for (kind, id, name, size) in sets {
        text.push_str(&format!("\n{kind} {id} {name} ({size})"));
    }
    text.trim_end().to_owned() + "\n"
}

fn device_line(device: &Device, online: bool, state: Value) -> String {
    let offline = if online { "" } else { " offline" };
    let names: Vec<&str> = device.names().collect();
    format!("  {} {}{offline} {state}\n", device.id, names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_shown_room_by_room() {
        let (home, _) = crate::home::parse_text(crate::cli::ask::EXAMPLE_HOME).unwrap();
        let text = shown(3, &home, &Live::initial(&home));
        assert!(text.starts_with("home did-3768 revision 3, 8 devices\n\n客厅 \n  dev-1 可调光照明灯 {"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("  dev-")).count(), 8);
    }
}
