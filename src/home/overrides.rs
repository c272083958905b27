//! What the owner says of devices, whoever brought them: `overrides.yaml`.
//!
//! ```yaml
//! devices:
//!   z2m:0x00158d0001a2b3c4:
//!     name: 落地灯
//!     room: 客厅
//!     aliases: [大灯]
//!     risk: low
//!     hidden: true
//! ```

mod edit;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_yaml::{Mapping, Value};

use super::document::{Rejection, bounds, child, quote};
use super::{
    DeviceIndex, DocumentError, Group, Home, MAX_ALIASES, MAX_ALL_DEVICES, MAX_ID_CHARS, MAX_NAME_CHARS, Risk, Room,
    Scene, SceneAction,
};
use crate::text::normalize;

pub use edit::Edit;

/// Largest file, in bytes.
pub const MAX_BYTES: u64 = 1 << 20;

/// Mistakes of a file that are named; the rest is counted.
const MAX_NAMED: usize = 20;

/// The key of the file.
const DEVICES: &str = "devices";

/// What the owner says of devices, by their ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    devices: BTreeMap<String, Override>,
}

/// What the owner says of one device; what is not there stays as its hub says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
struct Override {
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Where it stands; an empty one is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<String>,
    /// Its other names, in place of those that its hub knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    aliases: Option<Vec<String>>,
    /// How dangerous a wrong move is.
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<Risk>,
    /// Whether it is none of this home's.
    #[serde(skip_serializing_if = "is_false")]
    hidden: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", .path.display())]
pub struct OverridesError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

impl Overrides {
    /// Reads a file; one that is not there says nothing.
    ///
    /// # Errors
    /// When it cannot be read, or anything in it is wrong.
    pub fn load(path: &Path) -> Result<Self, OverridesError> {
        let failed = |reason: String| OverridesError { path: path.to_owned(), reason };
        let size = match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            other => other.map_err(|error| failed(error.to_string()))?.len(),
        };
        if size > MAX_BYTES {
            return Err(failed(format!("is {size} bytes large, more than {MAX_BYTES}")));
        }
        let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        Self::read(&text).map_err(failed)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// With everything that is wrong, by path.
    pub fn read(text: &str) -> Result<Self, String> {
        // A tree first: serde_yaml refuses duplicate keys there and lets the last one win in typed maps.
        let tree: Value = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
        let tree = match tree {
            Value::Null => return Ok(Self::default()),
            Value::Mapping(tree) => tree,
            _ => return Err(format!("must be a mapping with the key {DEVICES}")),
        };
        let mut wrong = Vec::new();
        let mut devices = BTreeMap::new();
        for (key, value) in tree {
            match (key.as_str(), value) {
                (Some(DEVICES), Value::Null) => {}
                (Some(DEVICES), Value::Mapping(entries)) => devices = read_devices(entries, &mut wrong),
                (Some(DEVICES), _) => {
                    wrong.push(format!("{DEVICES}: must be a mapping from ids to what is said of them"))
                }
                (key, _) => wrong.push(format!("{}: unknown key; known here: {DEVICES}", quote(key.unwrap_or("?")))),
            }
        }
        if devices.len() > MAX_ALL_DEVICES {
            wrong.push(format!("{DEVICES}: {} entries are more than {MAX_ALL_DEVICES}", devices.len()));
        }
        let more = wrong.len().saturating_sub(MAX_NAMED);
        wrong.truncate(MAX_NAMED);
        if more > 0 {
            wrong.push(format!("and {more} more"));
        }
        if wrong.is_empty() { Ok(Self { devices }) } else { Err(wrong.join("; ")) }
    }

    /// What is said of each device, by its id.
    pub fn shown(&self) -> serde_json::Value {
        // Structs of plain fields have no way to fail.
        serde_json::to_value(&self.devices).unwrap_or_default()
    }

    /// The fields of a device that are as the owner says.
    pub fn fields(&self, id: &str) -> Vec<&'static str> {
        let Some(said) = self.devices.get(id) else { return Vec::new() };
        let fields = [
            ("name", said.name.is_some()),
            ("aliases", said.aliases.is_some()),
            ("room", said.room.is_some()),
            ("exposed", said.hidden),
            ("risk", said.risk.is_some()),
        ];
        fields.into_iter().filter_map(|(field, said)| said.then_some(field)).collect()
    }

    /// Whether the owner says that a device is none of this home's.
    pub fn hides(&self, id: &str) -> bool {
        self.devices.get(id).is_some_and(|said| said.hidden)
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty()
    }

    /// The home as the owner wants it, and of each of its devices the place that it had before.
    ///
    /// # Errors
    /// When the home passes a limit by it.
    pub(super) fn apply(&self, home: &Home) -> Result<(Home, Vec<DeviceIndex>), DocumentError> {
        let mut rooms = home.rooms.clone();
        let mut devices = Vec::with_capacity(home.devices.len());
        let mut places = vec![None; home.devices.len()];
        let mut kept = Vec::with_capacity(home.devices.len());
        for (at, device) in home.devices.iter().enumerate() {
            let mut device = device.clone();
            if let Some(said) = self.devices.get(&device.id) {
                if said.hidden {
                    continue;
                }
                if let Some(name) = &said.name {
                    device.name.clone_from(name);
                }
                if let Some(aliases) = &said.aliases {
                    device.aliases.clone_from(aliases);
                }
                if let Some(room) = &said.room {
                    device.room = (!room.trim().is_empty()).then(|| room_called(&mut rooms, room));
                }
                device.risk = said.risk.or(device.risk);
            }
            places[at] = Some(devices.len());
            kept.push(at);
            devices.push(device);
        }
        let groups = home.groups.iter().map(|group| {
            let members = group.members.iter().filter_map(|member| places[*member]).collect();
            Group { members, ..group.clone() }
        });
        let scenes = home.scenes.iter().map(|scene| {
            let action = |action: &SceneAction| Some(SceneAction { device: places[action.device]?, ..action.clone() });
            Scene { actions: scene.actions.iter().filter_map(action).collect(), ..scene.clone() }
        });
        let groups = groups.filter(|group| !group.members.is_empty()).collect();
        let scenes = scenes.filter(|scene| !scene.actions.is_empty()).collect();
        let home = Home { id: home.id.clone(), rooms, devices, groups, scenes };
        bounds(&home)?;
        Ok((home, kept))
    }

    /// What is said of devices that are none of these: a mistake, or their hub has not brought them yet; and which of them
    /// are hidden.
    pub(super) fn remarks<'a>(&self, devices: impl Iterator<Item = &'a str>) -> Vec<Rejection> {
        let known: HashSet<&str> = devices.collect();
        let remark = |(id, said): (&String, &Override)| {
            let reason = match (known.contains(id.as_str()), said.hidden) {
                (false, _) => "there is no such device now",
                (true, true) => "hidden by the owner",
                (true, false) => return None,
            };
            Some(Rejection { path: child(DEVICES, id), reason: reason.to_owned() })
        };
        self.devices.iter().filter_map(remark).collect()
    }
}

/// The room of this name, or of which this is another name; added if it is not there.
fn room_called(rooms: &mut Vec<Room>, name: &str) -> usize {
    let wanted = normalize(name);
    let named = |room: &Room| normalize(&room.name) == wanted;
    let called = |room: &Room| room.aliases.iter().any(|alias| normalize(alias) == wanted);
    rooms.iter().position(named).or_else(|| rooms.iter().position(called)).unwrap_or_else(|| {
        rooms.push(Room { name: name.trim().to_owned(), ..Room::default() });
        rooms.len() - 1
    })
}

fn read_devices(entries: Mapping, wrong: &mut Vec<String>) -> BTreeMap<String, Override> {
    let mut devices = BTreeMap::new();
    for (id, value) in entries {
        // YAML reads an id such as 0x10 or 7 as a number.
        let Some(id) = id.as_str().filter(|id| !id.is_empty() && id.chars().count() <= MAX_ID_CHARS).map(str::to_owned)
        else {
            wrong.push(format!("{DEVICES}: an id is a text of 1 to {MAX_ID_CHARS} characters; put it in quotes"));
            continue;
        };
        let path = child(DEVICES, &id);
        let read = if value.is_null() { Ok(Override::default()) } else { serde_yaml::from_value::<Override>(value) };
        match read.map_err(|error| error.to_string()).and_then(|said| check(&said).map(|()| said)) {
            Ok(said) => _ = devices.insert(id, said),
            Err(reason) => wrong.push(format!("{path}: {reason}")),
        }
    }
    devices
}

fn check(said: &Override) -> Result<(), String> {
    let aliases = said.aliases.as_deref().unwrap_or_default();
    if aliases.len() > MAX_ALIASES {
        return Err(format!("aliases: {} entries are more than {MAX_ALIASES}", aliases.len()));
    }
    let long = |text: &String| text.chars().count() > MAX_NAME_CHARS;
    let empty = |text: &String| text.trim().is_empty();
    if said.name.iter().chain(aliases).any(|name| long(name) || empty(name)) || said.room.iter().any(long) {
        return Err(format!("a name has 1 to {MAX_NAME_CHARS} characters"));
    }
    Ok(())
}

/// A home as the owner wants it.
pub(super) fn applied(
    overrides: &Overrides,
    home: Arc<Home>,
    parts: Arc<[u8]>,
) -> Result<(Arc<Home>, Arc<[u8]>), DocumentError> {
    if overrides.is_empty() {
        return Ok((home, parts));
    }
    let (home, kept) = overrides.apply(&home)?;
    Ok((Arc::new(home), kept.into_iter().map(|at| parts[at]).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str = r#"{
        "layout": [{"name": "客厅", "aliases": ["大厅"]}],
        "model": {"m": {"property": {"p": {"type": "bool"}}}},
        "devices": [
            {"id": "a", "name": "灯", "aliases": ["旧"], "local": "客厅", "device": {"model": "m"}},
            {"id": "b", "name": "灯", "risk": "high", "device": {"model": "m"}},
            {"id": "c", "name": "灯", "device": {"model": "m"}}],
        "groups": [{"id": "g", "name": "组", "members": ["a", "b"]}, {"id": "h", "name": "另", "members": ["a"]}],
        "scenes": [{"id": "s", "name": "景", "actions": [{"id": "a", "state": {"p": true}}, {"id": "c", "state": {"p": true}}]}]
    }"#;

    fn applied(text: &str) -> (Home, Vec<DeviceIndex>) {
        let (home, _) = crate::home::parse_text(HOME).unwrap();
        Overrides::read(text).unwrap().apply(&home).unwrap()
    }

    #[test]
    fn what_the_owner_says_wins() {
        let (home, kept) = applied(
            "devices:\n  a: {hidden: true}\n  b: {name: 台灯, room: 大厅, aliases: [小灯], risk: low}\n  c: {room: 阁楼}\n",
        );
        assert_eq!(kept, [1, 2]);
        let [b, c] = &home.devices[..] else { panic!("two devices") };
        assert_eq!((b.name.as_str(), home.room_name(b), b.risk), ("台灯", "客厅", Some(Risk::Low)));
        assert_eq!((&b.aliases[..], home.room_name(c)), (&["小灯".to_owned()][..], "阁楼"));
        assert_eq!((home.groups.len(), home.groups[0].members.as_slice()), (1, &[0][..]));
        assert_eq!(home.scenes[0].actions.iter().map(|action| action.device).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn nothing_said_changes_nothing() {
        let (home, _) = crate::home::parse_text(HOME).unwrap();
        for text in ["", "devices:\n", "devices: {}\n", "devices: {x: {name: 灯}, a: }\n"] {
            assert_eq!(applied(text).0, home, "{text}");
        }
        let said = Overrides::read("devices: {x: {name: 灯}, a: {}, b: {hidden: true}}\n").unwrap();
        let remarks = said.remarks(["a", "b"].into_iter());
        let paths: Vec<&str> = remarks.iter().map(|remark| remark.path.as_str()).collect();
        assert_eq!(paths, ["devices.b", "devices.x"]);
    }

    #[test]
    fn a_bad_file_is_refused_with_everything_that_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("overrides.yaml");
        let text = "rooms: {}\ndevices:\n  a: {risk: none}\n  b: {nam: 灯}\n  c: {name: ' '}\n  7: {}\n  d: [1]\n";
        std::fs::write(&path, text).unwrap();
        let error = Overrides::load(&path).unwrap_err().to_string();
        for named in [path.to_str().unwrap(), "rooms", "devices.a", "devices.b", "devices.c", "quotes", "devices.d"] {
            assert!(error.contains(named), "{named}: {error}");
        }
        assert_eq!(Overrides::load(&folder.path().join("none.yaml")), Ok(Overrides::default()));
        assert!(Overrides::load(folder.path()).is_err(), "a folder is no file");
    }

    #[test]
    fn hostile_files_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("overrides.yaml");
        std::fs::write(&path, vec![b' '; MAX_BYTES as usize + 1]).unwrap();
        assert!(Overrides::load(&path).unwrap_err().reason.contains("bytes large"));
        let many: String = (0..=MAX_ALL_DEVICES).map(|i| format!("  d{i}: {{}}\n")).collect();
        assert!(Overrides::read(&format!("devices:\n{many}")).is_err());
        let wrong: String = (0..100).map(|i| format!("  d{i}: {{x: 1}}\n")).collect();
        assert!(Overrides::read(&format!("devices:\n{wrong}")).unwrap_err().ends_with("and 80 more"));
        // Each line holds the one before nine times.
        let bomb: String =
            (1..30).map(|i| format!("x{i}: &x{i} [{}]\n", vec![format!("*x{}", i - 1); 9].join(","))).collect();
        for text in
            [format!("x0: &x0 [1]\n{bomb}"), "a: &a [*a]\n".into(), "[".repeat(5_000), "devices: {a: {}, a: {}}".into()]
        {
            assert!(Overrides::read(&text).is_err());
        }
    }
}
