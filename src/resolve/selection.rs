//! What a command comes down to: the devices that it means, or why it means none.

use crate::home::{DeviceIndex, RoomIndex};
use crate::retrieval::Candidate;

/// What a command means.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    /// These devices, and what was found on the way.
    Devices(Vec<DeviceIndex>, Vec<Candidate>),
    /// A group.
    Group(usize, Vec<DeviceIndex>, Vec<Candidate>),
    /// A scene.
    Scene(usize),
    /// One of these, and nobody said which.
    Which(Vec<DeviceIndex>, Vec<Candidate>),
    /// A word for several rooms, one of which is meant.
    WhichPlace(Vec<RoomIndex>),
    /// More than a handful, and nobody said all.
    Many(Vec<DeviceIndex>, Vec<Candidate>),
    /// Nothing, and why.
    Missing(Missing),
}

/// Why a command means nothing here.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// No such place.
    Room(String),
    /// A device that moves about cannot be sent to this room.
    Unreached(DeviceIndex, String),
    /// No such device; in these rooms, if rooms were said.
    Device(String, Vec<RoomIndex>),
    /// The devices are there and cannot do it.
    Ability(Vec<DeviceIndex>),
    /// The devices are there and cannot be reached.
    Offline(Vec<DeviceIndex>),
    /// None is in that state: the state and what was meant, in words.
    State(String, String),
    /// What would decide is not known: the property, in words.
    Unread(String),
    /// Nothing was mentioned before.
    Reference,
    /// Nothing was named.
    Target,
}
