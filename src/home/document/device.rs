//! `devices`: described by a model and its properties (seed 003), by commands (seed 002), or by both.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::entry::{Entry, child, quote};
use super::model::{Kind, Model, check_key, choices, number, unit};
use super::room::Rooms;
use super::{DocumentError, MAX_ID_CHARS, MAX_NAME_CHARS, MAX_PROPERTIES, Rejection, Report};
use crate::home::{Device, DeviceCommand, DeviceIndex, Domain, State};

/// Device positions by id.
pub(super) type Index = HashMap<String, DeviceIndex>;

/// Reads the list of devices.
pub(super) fn read(
    list: &[Value],
    models: &HashMap<&str, Model>,
    rooms: &mut Rooms,
    report: &mut Report,
) -> Result<(Vec<Device>, Index), DocumentError> {
    let mut devices = Vec::with_capacity(list.len());
    let mut index = Index::with_capacity(list.len());
    for (i, value) in list.iter().enumerate() {
        let read = Entry::new(format!("devices[{i}]"), value).and_then(|entry| {
            let id = entry.id()?;
            if index.contains_key(id) {
                return Err(entry.wrong("id", format!("{} is there already", quote(id))));
            }
            let place = place(&entry)?;
            Ok((device(id, &entry, models, report)?, place))
        });
        let Some((mut device, place)) = report.keep(read) else { continue };
        if let Some((name, path)) = place {
            device.room = Some(rooms.find_or_add(name, &path, report)?);
        }
        index.insert(device.id.clone(), devices.len());
        devices.push(device);
    }
    Ok((devices, index))
}

/// The room's name and where it stands: `local` in seed 003, `room` in seed 002.
fn place<'a>(entry: &Entry<'a>) -> Result<Option<(&'a str, String)>, Rejection> {
    for field in ["local", "room"] {
        if let Some(name) = entry.text(field, MAX_NAME_CHARS)?.filter(|name| !name.trim().is_empty()) {
            return Ok(Some((name, entry.at(field))));
        }
    }
    Ok(None)
}

fn device(id: &str, entry: &Entry, models: &HashMap<&str, Model>, report: &mut Report) -> Result<Device, Rejection> {
    let mut device = Device {
        id: id.to_owned(),
        name: entry.name()?,
        aliases: entry.words("aliases", report)?,
        tags: entry.words("tags", report)?,
        room: None,
        category: String::new(),
        describe: String::new(),
        properties: Arc::default(),
        commands: Vec::new(),
        risk: entry.risk()?,
        online: entry.flag("online")?.unwrap_or(true),
        initial: State::new(),
    };
    if entry.get("device").is_none() && entry.get("commands").is_none() {
        return Err(entry.wrong("device", "is missing, and so is `commands`"));
    }
    if let Some(value) = entry.get("device") {
        let part = Entry::new(entry.at("device"), value)?;
        let key = part.text("model", usize::MAX)?.ok_or_else(|| part.wrong("model", "is missing"))?;
        let model = models.get(key).ok_or_else(|| part.wrong("model", format!("there is no model {}", quote(key))))?;
        device.category.clone_from(&model.category);
        device.describe.clone_from(&model.describe);
        device.properties = Arc::clone(&model.properties);
        device.risk = device.risk.or(model.risk);
        if let Some(value) = part.get("state") {
            let state = Entry::new(part.at("state"), value)?;
            let (values, dropped) = device.fitting(state.fields.iter());
            device.initial = values;
            for (key, reason) in dropped {
                report.note(state.wrong(&key, reason));
            }
        }
    }
    if let Some(category) = entry.text("type", MAX_NAME_CHARS)? {
        device.category = category.to_owned();
    }
    if entry.get("commands").is_some() {
        device.commands = commands(entry, report)?;
    }
    Ok(device)
}

fn commands(entry: &Entry, report: &mut Report) -> Result<Vec<DeviceCommand>, Rejection> {
    let list = entry.list("commands")?;
    if list.len() > MAX_PROPERTIES {
        return Err(entry.wrong("commands", format!("{} entries are more than {MAX_PROPERTIES}", list.len())));
    }
    let mut commands: Vec<DeviceCommand> = Vec::with_capacity(list.len());
    for (i, value) in list.iter().enumerate() {
        let read = Entry::new(format!("{}[{i}]", entry.at("commands")), value).and_then(|entry| {
            let command = command(&entry, report)?;
            if commands.iter().any(|c| c.id == command.id) {
                return Err(entry.wrong("id", format!("{} is there already", quote(&command.id))));
            }
            Ok(command)
        });
        commands.extend(report.keep(read));
    }
    Ok(commands)
}

/// Whether the last part of a command's id says that it takes a value: `main-tvChannel-setTvChannel`, not `setAmbientOn`.
fn sets(id: &str) -> bool {
    let tail = id.rsplit(['-', '.', '/']).next().unwrap_or(id);
    tail.starts_with("set") && !tail.ends_with("On") && !tail.ends_with("Off")
}

fn command(entry: &Entry, report: &mut Report) -> Result<DeviceCommand, Rejection> {
    let id = entry.text("id", MAX_ID_CHARS)?.ok_or_else(|| entry.wrong("id", "is missing"))?;
    check_key(&entry.at("id"), id)?;
    let range =
        entry.get("value_range").map(|value| Entry::new(child(&entry.path, "value_range"), value)).transpose()?;
    let kind = entry.text("type", usize::MAX)?;
    let bounds = range.as_ref().unwrap_or(entry);
    let argument = match kind {
        // The list says more than any type: it names every value.
        _ if entry.get("value_list").is_some() => Some(choices(entry, "value_list", report)?),
        Some("integer") => Some(number(bounds, "minimum", "maximum", Kind::Integer)?),
        Some("number" | "float") => Some(number(bounds, "minimum", "maximum", Kind::Float)?),
        Some("boolean" | "bool") => Some(Domain::Bool),
        // Hubs describe commands without an argument so, too; what takes a text says that it sets something.
        Some("string") => sets(id).then_some(Domain::Text),
        Some(other) => return Err(entry.wrong("type", format!("{} is no type of an argument", quote(other)))),
        None => range.as_ref().map(|range| number(range, "minimum", "maximum", Kind::Float)).transpose()?,
    };
    Ok(DeviceCommand {
        id: id.to_owned(),
        description: entry.describe("description", report)?,
        argument,
        unit: match &range {
            Some(range) => unit(range)?,
            None => unit(entry)?,
        },
    })
}
