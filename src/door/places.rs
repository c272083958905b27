//! Where satellites stand.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::home::Registry;

/// The room of each satellite: as configured, or the room of its own name.
#[derive(Debug)]
pub struct Places {
    satellites: ArcSwap<BTreeMap<String, String>>,
    registry: Arc<Registry>,
}

impl Places {
    /// The rooms of these satellites, and of those who are called like a room of the registry's home.
    pub fn new(satellites: BTreeMap<String, String>, registry: Arc<Registry>) -> Self {
        Self { satellites: ArcSwap::from_pointee(satellites), registry }
    }

    /// Puts satellites where they stand from now on.
    pub fn put(&self, satellites: BTreeMap<String, String>) {
        self.satellites.store(Arc::new(satellites));
    }

    /// The room that a satellite stands in.
    pub fn room_of(&self, satellite: &str) -> Option<String> {
        if let Some(room) = self.satellites.load().get(satellite) {
            return Some(room.clone());
        }
        let snapshot = self.registry.snapshot();
        let is_room =
            |name: &str| snapshot.home.rooms.iter().any(|r| r.name == name || r.aliases.iter().any(|a| a == name));
        is_room(satellite).then(|| satellite.to_owned())
    }
}
