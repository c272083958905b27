//! `zhiju hubs`: what each hub brought, what was left out and why, and names that nobody can tell apart.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::Args;
use serde_json::{Value, json};

use super::home::StoreArgs;
use super::{CliError, must_be_ours, print};
use crate::clock::Clock;
use crate::config::Config;
use crate::home::{Alike, Home, Likeness, Opening, Overrides, Registry, Snapshot, alike};
use crate::store::{Store, StoreError, read_home, read_hubs, read_parts};
use crate::text::displayable;

/// Characters of a foreign text on a line.
const MAX_TEXT: usize = 64;

/// Arguments of `hubs`.
#[derive(Debug, Args)]
pub(super) struct HubsArgs {
    /// One JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: StoreArgs,
}

/// Prints how the hubs are.
pub(super) fn run(args: HubsArgs) -> Result<(), CliError> {
    let config = args.place.config()?;
    let dir = &config.store_dir;
    must_be_ours(dir)?;
    let told = read_hubs(dir)?;
    let registry = registry_of(&config)?;
    let told = told.unwrap_or_else(|| json!({"hubs": [], "overrides": {}}));
    let snapshot = registry.snapshot();
    let shown =
        if args.json { as_json(&config, &told, &snapshot) } else { as_text(&config, &told, &registry, &snapshot) };
    print(&shown)
}

/// The home with what hubs brought: from the store, or from its copies while a daemon holds it.
pub(super) fn registry_of(config: &Config) -> Result<Registry, CliError> {
    match Store::open(&config.store_dir) {
        Ok((store, _)) => {
            let opening = Opening { overrides: overrides(config), ..Opening::default() };
            Registry::open_as(store.into(), Clock::of_machine(), opening)
                .map_err(|error| CliError::Failed(error.to_string()))
        }
        // The daemon holds the database: its copies say the same.
        Err(StoreError::Locked { .. }) => copies_of(config),
        Err(error) => Err(error.into()),
    }
}

/// The home with what hubs brought, from the copies that a store keeps.
pub(super) fn copies_of(config: &Config) -> Result<Registry, CliError> {
    let dir = &config.store_dir;
    Ok(Registry::of_documents(read_home(dir)?, read_parts(dir)?, overrides(config)))
}

/// What the owner says of devices; a file that cannot be used says nothing here.
fn overrides(config: &Config) -> Overrides {
    let file = config.overrides.clone().unwrap_or_else(|| config.store_dir.join("overrides.yaml"));
    Overrides::load(&file).unwrap_or_else(|error| {
        eprintln!("{error}");
        Overrides::default()
    })
}

/// How many devices of a home each hub brought, and in how many rooms.
fn brought(snapshot: &Snapshot) -> BTreeMap<&str, usize> {
    let mut brought = BTreeMap::new();
    for device in 0..snapshot.home.devices.len() {
        *brought.entry(snapshot.source(device)).or_default() += 1;
    }
    brought
}

fn as_json(config: &Config, told: &Value, snapshot: &Snapshot) -> String {
    let configured: Vec<Value> =
        config.hubs.iter().map(|hub| json!({"name": hub.name, "kind": hub.kind.as_str()})).collect();
    let alike: Vec<Value> = alike(&snapshot.home).iter().map(|found| clash(found, &snapshot.home)).collect();
    let mut all = told.clone();
    all["configured"] = configured.into();
    all["brought"] = json!(brought(snapshot));
    all["alike"] = alike.into();
    format!("{all}\n")
}

fn clash(found: &Alike, home: &Home) -> Value {
    let devices = found.devices.iter().map(|(at, name)| json!({"id": home.devices[*at].id, "name": name}));
    json!({
        "room": found.room.map(|room| &home.rooms[room].name),
        "how": how(found.how),
        "devices": devices.collect::<Vec<_>>(),
    })
}

fn how(likeness: Likeness) -> &'static str {
    match likeness {
        Likeness::Same => "the same name",
        Likeness::Homophone => "names that sound the same",
        Likeness::NearHomophone => "names that sound nearly the same",
    }
}

fn as_text(config: &Config, told: &Value, registry: &Registry, snapshot: &Snapshot) -> String {
    let mut text = String::new();
    let brought = brought(snapshot);
    if let Some(devices) = brought.get("") {
        let _ = writeln!(text, "home document: {devices} devices");
    }
    let hubs = told["hubs"].as_array().map_or(&[][..], Vec::as_slice);
    for hub in hubs {
        one(&mut text, hub);
    }
    let is_told = |name: &str| hubs.iter().any(|hub| hub["name"] == name);
    for hub in config.hubs.iter().filter(|hub| !is_told(&hub.name)) {
        let devices = brought.get(hub.name.as_str()).copied().unwrap_or_default();
        let kind = hub.kind.as_str();
        let _ = writeln!(text, "{} ({kind}): {devices} devices; no daemon has told of it yet", hub.name);
    }
    if text.is_empty() {
        text.push_str("no hubs: name some in the section hubs of the configuration\n");
    }
    if let Some(problem) = told["overrides"]["problem"].as_str() {
        let _ = writeln!(text, "overrides: {}; what the file said before counts", displayable(problem, 400));
    }
    for remark in registry.overridden() {
        let _ = writeln!(text, "overrides: {}: {}", displayable(&remark.path, 200), remark.reason);
    }
    for found in alike(&snapshot.home) {
        let _ = writeln!(text, "{}", alike_line(&found, &snapshot.home));
    }
    text
}

/// One hub: a line for it, and one for each thing that is not in the home.
fn one(text: &mut String, hub: &Value) {
    let word = |value: &Value| displayable(value.as_str().unwrap_or_default(), 200);
    let number = |key: &str| hub[key].as_u64().unwrap_or_default();
    let reach = if hub["online"] == true { "online" } else { "offline" };
    let _ = writeln!(
        text,
        "{} ({}): {reach}, {} devices in {} rooms, {} of them can be reached",
        word(&hub["name"]),
        word(&hub["kind"]),
        number("devices"),
        number("rooms"),
        number("devices_online"),
    );
    let lists = |key: &str| hub[key].as_array().map_or(&[][..], Vec::as_slice).to_vec();
    if let Some(problem) = hub["problem"].as_str() {
        let _ = writeln!(text, "  PROBLEM: {}", displayable(problem, 400));
    }
    for entry in lists("left_out") {
        let _ =
            writeln!(text, "  left out: {} {}: {}", word(&entry["id"]), word(&entry["name"]), word(&entry["reason"]));
    }
    for entry in lists("rejected") {
        let _ = writeln!(text, "  left out: {}: {}", word(&entry["path"]), word(&entry["reason"]));
    }
    for filter in lists("refused") {
        let _ = writeln!(text, "  not listened to: {}", word(&filter));
    }
    for entry in lists("unseen") {
        let _ = writeln!(text, "  {} {}: {}", word(&entry["id"]), word(&entry["name"]), word(&entry["reason"]));
    }
    for entry in lists("unread") {
        let (id, name, reason) = (word(&entry["id"]), word(&entry["name"]), word(&entry["reason"]));
        let _ = writeln!(text, "  not read: {id} {name}: {reason} ({} times)", entry["count"].as_u64().unwrap_or(1));
    }
    if number("unlisted") > 0 {
        let _ = writeln!(text, "  … and {} more left out", number("unlisted"));
    }
    if number("dropped") > 0 {
        let _ = writeln!(text, "  {} messages found no room: it says more than can be worked on", number("dropped"));
    }
}

/// Devices that nobody can tell apart, on one line.
pub(super) fn alike_line(found: &Alike, home: &Home) -> String {
    let room = found.room.map_or("no room", |room| home.rooms[room].name.as_str());
    let devices = found.devices.iter().map(|(at, name)| {
        format!("{} ({})", displayable(name, MAX_TEXT), displayable(&home.devices[*at].id, MAX_TEXT))
    });
    let devices: Vec<String> = devices.take(8).collect();
    format!("{}: {}: {}", displayable(room, MAX_TEXT), how(found.how), devices.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Flags;

    #[test]
    fn a_hub_is_told_with_what_it_did_not_bring_and_no_control_characters() {
        let hub = json!({
            "name": "z2m", "kind": "zigbee2mqtt", "online": true, "devices": 3, "rooms": 2, "devices_online": 1,
            "left_out": [{"id": "0x1", "name": "灯\u{1b}[31m\n", "reason": "not supported"}],
            "rejected": [{"path": "devices[3].id", "reason": "is empty"}], "unlisted": 7, "dropped": 2,
            "problem": null, "refused": ["#"],
            "unread": [{"id": "0x2", "name": "灯", "reason": "too large", "count": 3}],
        });
        let mut text = String::new();
        one(&mut text, &hub);
        assert!(
            text.starts_with("z2m (zigbee2mqtt): online, 3 devices in 2 rooms, 1 of them can be reached\n"),
            "{text}"
        );
        for words in
            ["0x1 灯", "devices[3].id", "7 more", "2 messages", "not listened to: #", "0x2 灯: too large (3 times)"]
        {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(!text.contains('\u{1b}') && text.lines().count() == 7, "{text}");
    }

    #[test]
    fn what_is_told_in_another_form_is_shown_as_far_as_it_is_there() {
        for told in [json!(null), json!({"hubs": 7}), json!({"hubs": [[], 1, {"name": 2}], "overrides": []})] {
            let config = Config::from_text("", None, &Default::default(), &Flags::default()).unwrap();
            let registry = Registry::default();
            assert!(!as_text(&config, &told, &registry, &registry.snapshot()).is_empty());
        }
    }
}
