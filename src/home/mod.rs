//! What the home is: devices and what they can do, rooms, groups, scenes and live state.
//!
//! Everything else but [`crate::store`] stands on this module and it knows none of them. A [`Home`] is immutable; the [`Registry`] swaps
//! whole snapshots, so a reader never takes a lock and never sees half a home.

mod alike;
mod device;
mod document;
mod live;
mod overrides;
mod registry;
mod union;
mod usage;

pub use alike::{Alike, Likeness, alike};
pub use device::{
    Choice, Device, DeviceCommand, DeviceIndex, Domain, MAX_TEXT_CHARS, Property, Risk, RoomIndex, State,
};
pub use document::weight::check as check_weight;
pub use document::{
    DocumentError, MAX_ABILITIES, MAX_ALIASES, MAX_ALL_DEVICES, MAX_ALL_NAMES, MAX_CHOICES, MAX_DESCRIBE_CHARS,
    MAX_DEVICES, MAX_DOCUMENT_BYTES, MAX_ID_CHARS, MAX_LISTED, MAX_MODELS, MAX_NAME_CHARS, MAX_NAMES, MAX_PROPERTIES,
    MAX_ROOMS, MAX_SETS, MAX_VALUES, Rejection, Report, parse, parse_text,
};
pub use live::{DeviceState, Live};
pub use overrides::{Edit, MAX_BYTES as MAX_OVERRIDES_BYTES, Overrides, OverridesError};
pub use registry::{Opening, Plain, Registry, RegistryError, Snapshot};
pub use usage::{Usage, Uses};

/// A home as its document describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Home {
    /// The hub's own identifier (`did`).
    pub id: String,
    /// Rooms in the order of the layout; rooms that only devices name come last.
    pub rooms: Vec<Room>,
    /// Devices in the order of the document.
    pub devices: Vec<Device>,
    /// Groups, each at least one member strong.
    pub groups: Vec<Group>,
    /// Scenes, each at least one action long.
    pub scenes: Vec<Scene>,
}

/// Something of a home that can be meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entity {
    /// A device, by position.
    Device(DeviceIndex),
    /// A group, by position.
    Group(usize),
    /// A scene, by position.
    Scene(usize),
}

/// A room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Its name.
    pub name: String,
    /// The floor it is on, as the family says it (`一楼`).
    pub floor: Option<String>,
    /// Other names of the same room.
    pub aliases: Vec<String>,
}

impl Room {
    /// Name and aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }
}

/// Devices that are spoken of as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Unique among groups and scenes.
    pub id: String,
    /// What the family calls it.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Its devices.
    pub members: Vec<DeviceIndex>,
}

/// States that are set together under one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Unique among groups and scenes.
    pub id: String,
    /// What the family calls it.
    pub name: String,
    /// Other names, also whole sentences (`我回来了`).
    pub aliases: Vec<String>,
    /// What it sets, device by device.
    pub actions: Vec<SceneAction>,
}

/// One device's part of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneAction {
    /// The device.
    pub device: DeviceIndex,
    /// The values it gets.
    pub state: State,
}

impl Home {
    /// The device of this id.
    pub fn device(&self, id: &str) -> Option<(DeviceIndex, &Device)> {
        self.devices.iter().enumerate().find(|(_, d)| d.id == id)
    }

    /// The name of the room a device stands in; empty when it has none.
    pub fn room_name(&self, device: &Device) -> &str {
        device.room.map_or("", |r| self.rooms[r].name.as_str())
    }
}
