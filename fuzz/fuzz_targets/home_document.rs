//! Home documents: whatever arrives is a home in which every index holds, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zhiju::home::{Live, parse};

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = serde_json::from_slice(bytes) else { return };
    let Ok((home, _report)) = parse(&document) else { return };
    for device in &home.devices {
        assert!(device.room.is_none_or(|room| room < home.rooms.len()));
    }
    for group in &home.groups {
        assert!(!group.members.is_empty() && group.members.iter().all(|member| *member < home.devices.len()));
    }
    for scene in &home.scenes {
        assert!(scene.actions.iter().all(|action| action.device < home.devices.len()));
    }
    let live = Live::initial(&home);
    for index in 0..home.devices.len() {
        live.get(index);
    }
});
