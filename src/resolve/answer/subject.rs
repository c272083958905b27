//! What a question is about, in words.

use super::Context;
use crate::home::DeviceIndex;

/// What a question is about, in words.
pub struct What {
    /// The places that were said.
    pub place: String,
    /// The word for what was asked about.
    pub word: String,
    /// Rooms are asked about, not devices.
    pub rooms: bool,
    /// All of them are meant (`都`).
    pub every: bool,
}

impl What {
    pub(in crate::resolve) fn whole(&self) -> String {
        format!("{}{}", self.place, self.word)
    }
}

/// Names of devices, or of the rooms that they stand in.
pub(super) fn names_of(devices: &[DeviceIndex], rooms: bool, context: &Context) -> Vec<String> {
    let home = context.world.home();
    let mut names: Vec<String> = Vec::new();
    for device in devices {
        let room = home.room_name(&home.devices[*device]);
        let name = if rooms && !room.is_empty() { room.to_owned() } else { context.device_name(*device) };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

pub(super) fn only_reports(device: DeviceIndex, context: &Context) -> bool {
    context.world.vocabulary.devices[device].only_reports()
}
