//! What hubs bring and what the owner says of it: whatever arrives, all together is a home in which every index holds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use zhiju::home::{Overrides, Registry, alike};
use zhiju::hub::{named, own_id};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // A document of a hub on each line, the owner's file below an empty one.
    let (documents, said) = text.split_once("\n\n").unwrap_or((text, ""));
    let overrides = Overrides::read(said).unwrap_or_default();
    let hubs = documents.lines().take(4).enumerate().filter_map(|(at, line)| {
        let hub = ["a", "b", "a-b", "z2m"][at];
        Some((hub.to_owned(), named(hub, serde_json::from_str::<Value>(line).ok()?).to_string()))
    });
    let registry = Registry::of_documents(None, hubs.collect(), overrides);
    registry.set_hub_online("a", false);
    let snapshot = registry.snapshot();
    let home = &snapshot.home;
    for (at, device) in home.devices.iter().enumerate() {
        assert!(device.room.is_none_or(|room| room < home.rooms.len()));
        assert!(own_id(snapshot.source(at), &device.id).is_some());
        assert!(snapshot.source(at) != "a" || !snapshot.live.online(at));
        snapshot.live.get(at);
    }
    for group in &home.groups {
        assert!(!group.members.is_empty() && group.members.iter().all(|member| *member < home.devices.len()));
    }
    for scene in &home.scenes {
        assert!(!scene.actions.is_empty() && scene.actions.iter().all(|action| action.device < home.devices.len()));
    }
    alike(home);
    registry.overridden();
});
