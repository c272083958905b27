//! `groups` and `scenes`: devices under one name.

use std::collections::HashSet;

use serde_json::Value;

use super::device::Index;
use super::entry::{Entry, quote, rejection};
use super::{DocumentError, MAX_SETS, Rejection, Report, within};
use crate::home::{Device, DeviceIndex, Group, Scene, SceneAction};

/// Reads `groups` and `scenes`, which may be absent.
pub(super) fn read(
    top: &Entry,
    devices: &[Device],
    index: &Index,
    report: &mut Report,
) -> Result<(Vec<Group>, Vec<Scene>), DocumentError> {
    let mut ids = HashSet::new();
    let groups = list(top, "groups", &mut ids, report, |entry, id, report| group(entry, id, index, report))?;
    let scenes = list(top, "scenes", &mut ids, report, |entry, id, report| scene(entry, id, devices, index, report))?;
    Ok((groups, scenes))
}

/// Reads one list; ids are unique among groups and scenes together, because both answer to them.
fn list<'a, T>(
    top: &Entry<'a>,
    field: &str,
    ids: &mut HashSet<&'a str>,
    report: &mut Report,
    read: impl Fn(&Entry<'a>, &'a str, &mut Report) -> Result<T, Rejection>,
) -> Result<Vec<T>, DocumentError> {
    let values = report.keep(top.list(field)).unwrap_or_default();
    within(field, values.len(), MAX_SETS)?;
    let mut list = Vec::with_capacity(values.len());
    for (i, value) in values.iter().enumerate() {
        let one = Entry::new(format!("{field}[{i}]"), value).and_then(|entry| {
            let id = entry.id()?;
            if ids.contains(id) {
                return Err(entry.wrong("id", format!("{} is there already", quote(id))));
            }
            let one = read(&entry, id, report)?;
            ids.insert(id);
            Ok(one)
        });
        list.extend(report.keep(one));
    }
    Ok(list)
}

fn group(entry: &Entry, id: &str, index: &Index, report: &mut Report) -> Result<Group, Rejection> {
    let mut members: Vec<DeviceIndex> = Vec::new();
    let mut seen = HashSet::new();
    for (i, value) in entry.list("members")?.iter().enumerate() {
        let path = format!("{}[{i}]", entry.at("members"));
        let Some(device) = report.keep(find(&path, Some(value), index)) else { continue };
        if seen.insert(device) {
            members.push(device);
        } else {
            report.note(rejection(path, "is a member already"));
        }
    }
    if members.is_empty() {
        return Err(entry.wrong("members", "names no device of this home"));
    }
    Ok(Group { id: id.to_owned(), name: entry.name()?, aliases: entry.words("aliases", report)?, members })
}

fn scene(entry: &Entry, id: &str, devices: &[Device], index: &Index, report: &mut Report) -> Result<Scene, Rejection> {
    let mut actions = Vec::new();
    for (i, value) in entry.list("actions")?.iter().enumerate() {
        let path = format!("{}[{i}]", entry.at("actions"));
        let read = Entry::new(path, value).and_then(|entry| action(&entry, devices, index, report));
        actions.extend(report.keep(read));
    }
    if actions.is_empty() {
        return Err(entry.wrong("actions", "sets nothing in this home"));
    }
    Ok(Scene { id: id.to_owned(), name: entry.name()?, aliases: entry.words("aliases", report)?, actions })
}

fn action(entry: &Entry, devices: &[Device], index: &Index, report: &mut Report) -> Result<SceneAction, Rejection> {
    let device = find(&entry.at("id"), entry.get("id"), index)?;
    let wanted = entry.get("state").ok_or_else(|| entry.wrong("state", "is missing"))?;
    let wanted = Entry::new(entry.at("state"), wanted)?;
    let (mut state, misfits) = devices[device].fitting(wanted.fields.iter());
    for (key, reason) in misfits {
        report.reject(wanted.wrong(&key, reason));
    }
    state.retain(|key, _| {
        let writable = devices[device].property(key).is_some_and(|p| p.writable);
        if !writable {
            report.reject(wanted.wrong(key, "can be read only"));
        }
        writable
    });
    if state.is_empty() { Err(entry.wrong("state", "sets nothing")) } else { Ok(SceneAction { device, state }) }
}

fn find(path: &str, id: Option<&Value>, index: &Index) -> Result<DeviceIndex, Rejection> {
    let id = id.and_then(Value::as_str).ok_or_else(|| rejection(path, "is not a device id"))?;
    index.get(id).copied().ok_or_else(|| rejection(path, format!("there is no device {}", quote(id))))
}
