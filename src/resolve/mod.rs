//! From commands and candidates to instructs, questions and answers.
//!
//! Pure: everything it needs is in its arguments, and nothing moves here. What it returns says what should.

mod ability;
pub mod answer;
mod applying;
mod asking;
mod beyond;
mod bounds;
mod condition;
mod described;
mod errand;
mod feature;
mod inventory;
mod main_lamp;
mod named;
mod outcome;
mod parts;
pub mod plan;
pub mod reply;
mod resolver;
mod risk;
pub mod scope;
pub mod select;
mod selection;
mod situation;
mod state;
mod status;
mod step;
mod superlative;
mod telling;
#[cfg(test)]
mod tests;
mod value;
mod wording;

pub use described::resolve_described;
pub use outcome::{Outcome, resolve};
pub use resolver::{Found, Pending, Set};
pub use situation::{helps, resolve_situation};

use crate::home::{Device, DeviceIndex, Home, Live, RoomIndex, Usage};
use crate::retrieval::{Entity, World};
use reply::Replies;

/// What commands are resolved against.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The home and its words.
    pub world: &'a World,
    /// Its present state.
    pub live: &'a Live,
    /// The room of the speaker.
    pub local: Option<RoomIndex>,
    /// What was mentioned last on the page.
    pub last: &'a [Entity],
    /// Devices that move without asking when nobody said where.
    pub handful: usize,
    /// The wording.
    pub replies: &'a Replies,
    /// The command is a question: nothing moves, so nothing has to be certain.
    pub asking: bool,
    /// States reported before this moment (milliseconds since the Unix epoch) are too old to decide by; 0 accepts all.
    pub fresh_since_ms: u64,
    /// Once the hub was asked, so that what is still too old decides nothing: the devices of hubs that tell every change by
    /// themselves, whose states are believed however old they are.
    pub told: Option<&'a [DeviceIndex]>,
    /// The answer to a question of ours: of several candidates these are meant.
    pub chosen: Option<&'a [DeviceIndex]>,
    /// Risky moves were confirmed.
    pub confirmed: bool,
    /// How often devices were asked for, where that is counted: the choices of a question are named in that order.
    pub usage: Option<&'a Usage>,
}

/// A state that is too old to decide by.
#[derive(Clone, Debug, PartialEq)]
pub struct Stale {
    /// Whose.
    pub device: DeviceIndex,
    /// The property that would decide; `None` where it is not known which one does.
    pub property: Option<String>,
}

impl Context<'_> {
    /// Devices mentioned last, groups opened.
    pub fn last_devices(&self) -> Vec<DeviceIndex> {
        let home = self.world.home();
        let mut devices = Vec::new();
        for entity in self.last {
            match entity {
                Entity::Device(device) => devices.push(*device),
                Entity::Group(group) => devices.extend(&home.groups[*group].members),
                Entity::Scene(_) => {}
            }
        }
        devices.retain(|d| *d < home.devices.len());
        devices
    }

    /// Whether a device can be reached.
    pub fn online(&self, device: DeviceIndex) -> bool {
        self.live.online(device)
    }

    /// The name of a device as it is spoken: with its room, unless the name says it already.
    pub fn device_name(&self, device: DeviceIndex) -> String {
        let home = self.world.home();
        let (device, rooms_of) = (&home.devices[device], &self.world.lexicon().marks.rooms_of);
        // 朵朵吸顶灯 of 朵朵房间 says whose room it is.
        let owner = rooms_of.iter().filter_map(|of| home.room_name(device).strip_suffix(of.as_str()));
        let named = |owner: &str| owner.chars().count() > 1 && device.name.starts_with(owner);
        if owner.into_iter().any(named) { reply::spoken(&device.name) } else { device_name(home, device) }
    }
}

/// The name of a device of a home as it is spoken.
pub fn device_name(home: &Home, device: &Device) -> String {
    let (room, name) = (home.room_name(device), reply::spoken(&device.name));
    if room.is_empty() || name.starts_with(room) { name } else { format!("{room}{name}") }
}
