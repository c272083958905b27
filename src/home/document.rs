//! The home document: checked as a whole, every rejected entry with its path and reason.
//!
//! The document is seed 003 §4.4 with optional additions (floors, aliases, tags, risk, units, groups, scenes); devices
//! in the form of seed 002 stand in the same list. One bad entry never takes the others with it: it is left out and
//! reported. Names are data and pass unchanged, whatever they contain; where they are shown they are made safe.

mod device;
mod entry;
mod model;
mod room;
mod sets;
#[cfg(test)]
mod tests;
pub(super) mod weight;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::error::Category;

use self::entry::Entry;
pub(super) use self::entry::{child, quote};
use super::{Device, Domain, Home};

/// Largest document text in bytes (2 MiB).
pub const MAX_DOCUMENT_BYTES: usize = 2 * 1024 * 1024;
/// Most memory that the values of a document may take while it is read, in bytes.
const MAX_DOCUMENT_WEIGHT: usize = 24 * 1024 * 1024;
/// Most devices of one home document. The bounds of a whole home are such that the daemon stays below the memory that its unit
/// allows it, whatever is in the document.
pub const MAX_DEVICES: usize = 2_000;
/// Most properties and commands of all devices together.
pub const MAX_ABILITIES: usize = 20_000;
/// Most values of enumerations of all devices together.
pub const MAX_VALUES: usize = 40_000;
/// Most names and aliases of devices, groups and scenes together.
pub const MAX_NAMES: usize = 3_000;
/// Most rooms of one home.
pub const MAX_ROOMS: usize = 1_000;
/// Most models of one document.
pub const MAX_MODELS: usize = 2_000;
/// Most groups and scenes of one document, each.
pub const MAX_SETS: usize = 1_000;
/// Longest name, alias, tag, unit or enumeration value, in characters.
pub const MAX_NAME_CHARS: usize = 256;
/// Longest description, in characters.
pub const MAX_DESCRIBE_CHARS: usize = 1_024;
/// Longest id, in characters; none is shorter than one.
pub const MAX_ID_CHARS: usize = 128;
/// Most aliases, and most tags, of one entry.
pub const MAX_ALIASES: usize = 64;
/// Most properties of one model, and most commands of one device. Nobody tells more of them apart by words, the largest of the
/// homes of the tests has 18, and each is compared with what is said; a device of more is left out and reported, the others stay.
pub const MAX_PROPERTIES: usize = 128;
/// Most values of one enumeration.
pub const MAX_CHOICES: usize = 1_024;
/// Most rejections, and most notes, that a report lists; the rest is counted.
pub const MAX_LISTED: usize = 500;

/// Most devices of a home that hubs brought together.
pub const MAX_ALL_DEVICES: usize = 5_000;
/// Most names and aliases of such a home.
pub const MAX_ALL_NAMES: usize = 7_000;

/// Bounds of a home, besides those that are the same for all.
struct Bounds {
    /// Bytes of its text.
    bytes: usize,
    /// Bytes of its values in memory.
    weight: usize,
    devices: usize,
    names: usize,
}

/// Those of a home document, which anybody may send.
const OF_DOCUMENT: Bounds =
    Bounds { bytes: MAX_DOCUMENT_BYTES, weight: MAX_DOCUMENT_WEIGHT, devices: MAX_DEVICES, names: MAX_NAMES };

/// Those of what hubs bring, each and all together.
const OF_HUBS: Bounds = Bounds {
    bytes: 2 * MAX_DOCUMENT_BYTES,
    weight: 2 * MAX_DOCUMENT_WEIGHT,
    devices: MAX_ALL_DEVICES,
    names: MAX_ALL_NAMES,
};

/// An entry of the document that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// Where it stands, e.g. `devices[3].device.model`.
    pub path: String,
    /// Why it was left out.
    pub reason: String,
}

/// What became of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The registry revision the document became; 0 for a document that was only read.
    pub revision: u64,
    /// Devices of the home.
    pub devices: usize,
    /// Rooms of the home.
    pub rooms: usize,
    /// Groups of the home.
    pub groups: usize,
    /// Scenes of the home.
    pub scenes: usize,
    /// Entries left out.
    pub rejected: Vec<Rejection>,
    /// Things repaired or guessed, e.g. a room that the layout does not list.
    pub notes: Vec<Rejection>,
    /// Rejections and notes beyond [`MAX_LISTED`], counted only.
    pub unlisted: usize,
}

impl Report {
    /// Adds something that was left out.
    pub(super) fn reject(&mut self, rejection: Rejection) {
        if self.rejected.len() < MAX_LISTED {
            self.rejected.push(rejection);
        } else {
            self.unlisted += 1;
        }
    }

    /// Adds something that is worth knowing of what was taken.
    pub fn note(&mut self, note: Rejection) {
        if self.notes.len() < MAX_LISTED {
            self.notes.push(note);
        } else {
            self.unlisted += 1;
        }
    }

    /// The good outcome of `result`; a bad one is listed.
    fn keep<T>(&mut self, result: Result<T, Rejection>) -> Option<T> {
        result.map_err(|rejection| self.reject(rejection)).ok()
    }
}

/// A document that is no home at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct DocumentError {
    /// Where it is wrong; `document` for the whole.
    pub path: String,
    /// What is wrong.
    pub reason: String,
}

impl DocumentError {
    fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }
}

/// Reads a home document from its JSON text.
///
/// # Errors
/// As [`parse`], and when the text is longer than [`MAX_DOCUMENT_BYTES`] or is not JSON.
pub fn parse_text(text: &str) -> Result<(Home, Report), DocumentError> {
    read_text(text, &OF_DOCUMENT)
}

/// Reads what a hub brought from its JSON text; it may be larger.
///
/// # Errors
/// As [`parse_text`].
pub(super) fn parse_part(text: &str) -> Result<(Home, Report), DocumentError> {
    read_text(text, &OF_HUBS)
}

fn read_text(text: &str, bounds: &Bounds) -> Result<(Home, Report), DocumentError> {
    if text.len() > bounds.bytes {
        let reason = format!("{} bytes are more than {}", text.len(), bounds.bytes);
        return Err(DocumentError::new("document", reason));
    }
    let unread = |e: serde_json::Error| {
        let what = if e.classify() == Category::Data { "" } else { "not JSON: " };
        DocumentError::new("document", format!("{what}{e}"))
    };
    weight::check(text, bounds.weight).map_err(unread)?;
    read(&serde_json::from_str(text).map_err(unread)?, bounds)
}

/// Reads a home document.
///
/// # Errors
/// When the document is not an object, has no `devices` array, or passes a limit of the whole ([`MAX_DEVICES`],
/// [`MAX_ABILITIES`], [`MAX_VALUES`], [`MAX_NAMES`], [`MAX_ROOMS`], [`MAX_MODELS`], [`MAX_SETS`]). Single entries that are wrong are left out and reported instead.
pub fn parse(document: &Value) -> Result<(Home, Report), DocumentError> {
    read(document, &OF_DOCUMENT)
}

fn read(document: &Value, bounds: &Bounds) -> Result<(Home, Report), DocumentError> {
    let top = Entry::new(String::new(), document)
        .map_err(|_| DocumentError::new("document", "a home document is a JSON object"))?;
    let devices = match top.get("devices") {
        Some(Value::Array(devices)) => devices,
        Some(_) => return Err(DocumentError::new("devices", "is not an array")),
        None => return Err(DocumentError::new("devices", "is missing")),
    };
    within("devices", devices.len(), bounds.devices)?;

    let mut report = Report::default();
    let id = report.keep(top.text("did", MAX_ID_CHARS)).flatten().unwrap_or_default().to_owned();
    let mut rooms = room::read(&top, &mut report)?;
    let models = model::read(&top, &mut report)?;
    let (devices, index) = device::read(devices, &models, &mut rooms, &mut report)?;
    let (groups, scenes) = sets::read(&top, &devices, &index, &mut report)?;
    let home = Home { id, rooms: rooms.into_list(), devices, groups, scenes };
    bounded(&home, bounds)?;
    report.devices = home.devices.len();
    report.rooms = home.rooms.len();
    report.groups = home.groups.len();
    report.scenes = home.scenes.len();
    Ok((home, report))
}

/// Refuses a home that hubs brought together and that passes a limit of the whole.
pub(super) fn bounds(home: &Home) -> Result<(), DocumentError> {
    bounded(home, &OF_HUBS)
}

fn bounded(home: &Home, bounds: &Bounds) -> Result<(), DocumentError> {
    let Home { rooms, devices, groups, scenes, .. } = home;
    within("devices", devices.len(), bounds.devices)?;
    within("rooms", rooms.len(), MAX_ROOMS)?;
    within("groups", groups.len(), MAX_SETS)?;
    within("scenes", scenes.len(), MAX_SETS)?;
    let abilities = devices.iter().map(|d| d.properties.len() + d.commands.len()).sum();
    within("devices: properties and commands", abilities, MAX_ABILITIES)?;
    within("devices: values of enumerations", devices.iter().map(values).sum(), MAX_VALUES)?;
    let names = devices.iter().map(|d| d.aliases.len() + 1).sum::<usize>()
        + groups.iter().map(|g| g.aliases.len() + 1).sum::<usize>()
        + scenes.iter().map(|s| s.aliases.len() + 1).sum::<usize>();
    within("devices, groups and scenes: names", names, bounds.names)
}

/// How many values the enumerations of a device list.
fn values(device: &Device) -> usize {
    let domains = device.properties.iter().map(|p| Some(&p.domain));
    let domains = domains.chain(device.commands.iter().map(|c| c.argument.as_ref())).flatten();
    domains.map(|domain| if let Domain::Enum(choices) = domain { choices.len() } else { 0 }).sum()
}

/// Refuses a list of the whole document that is longer than its limit.
fn within(path: &str, len: usize, limit: usize) -> Result<(), DocumentError> {
    if len > limit { Err(DocumentError::new(path, format!("{len} entries are more than {limit}"))) } else { Ok(()) }
}
