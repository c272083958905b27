//! Devices of one room that people cannot tell apart by what they call them.

use std::collections::BTreeMap;

use super::{DeviceIndex, Home, RoomIndex};
use crate::text::{normalize, pinyin};

/// Devices of one room with a name in common, or with names that sound the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    /// Where they stand.
    pub room: Option<RoomIndex>,
    /// The devices, each with the name.
    pub devices: Vec<(DeviceIndex, String)>,
    /// How much alike the names are.
    pub how: Likeness,
}

/// How much alike names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// They are the same.
    Same,
    /// They are read the same.
    Homophone,
    /// They are read nearly the same: recognisers and dialects confuse them.
    NearHomophone,
}

/// Devices with the name that they bear, by room and by what is the same of their names.
type Named = BTreeMap<(Option<RoomIndex>, String), Vec<(DeviceIndex, String)>>;

/// Finds them room by room; of each pair of names only how they are most alike.
pub fn alike(home: &Home) -> Vec<Alike> {
    let mut names = Named::new();
    for (at, device) in home.devices.iter().enumerate() {
        for name in device.names() {
            let normal = normalize(name);
            let holders = names.entry((device.room, normal.clone())).or_default();
            if !normal.is_empty() && holders.iter().all(|(known, _)| *known != at) {
                holders.push((at, name.to_owned()));
            }
        }
    }
    let mut found = Vec::new();
    let mut sounds = Named::new();
    for ((room, normal), holders) in names {
        // The usual reading: all of them would make half of a home alike.
        if let (Some(reading), Some(first)) = (pinyin::readings(&normal).into_iter().next(), holders.first()) {
            sounds.entry((room, pinyin::blur(&reading))).or_default().push(first.clone());
        }
        if holders.len() > 1 {
            found.push(Alike { room, devices: holders, how: Likeness::Same });
        }
    }
    for ((room, _), devices) in sounds {
        // One device may have names that sound alike.
        if devices.iter().any(|(device, _)| *device != devices[0].0) {
            let reading = |name: &str| pinyin::readings(&normalize(name)).into_iter().next();
            let same = devices.iter().all(|(_, name)| reading(name) == reading(&devices[0].1));
            let how = if same { Likeness::Homophone } else { Likeness::NearHomophone };
            found.push(Alike { room, devices, how });
        }
    }
    found.sort_by_key(|alike| (alike.how, alike.room));
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_that_nobody_can_tell_apart_are_found_within_a_room() {
        let device = |id: &str, room: &str, name: &str, aliases: &[&str]| json!({"id": id, "name": name, "aliases": aliases, "local": room, "commands": []});
        let document = json!({"layout": ["客厅", "主卧"], "devices": [
            device("a", "客厅", "台灯", &[]),
            device("b", "客厅", "落地灯", &["台 灯"]),
            device("c", "主卧", "台灯", &[]),
            device("d", "主卧", "石灯", &[]),
            device("e", "主卧", "时灯", &["十灯"]),
            device("f", "客厅", "四灯", &["饲灯"]),
            device("g", "客厅", "是灯", &[]),
            device("h", "客厅", "窗帘", &[]),
        ]});
        let (home, _) = crate::home::parse(&document).unwrap();
        let found = alike(&home);
        let told: Vec<(Likeness, Vec<&str>)> = found
            .iter()
            .map(|alike| (alike.how, alike.devices.iter().map(|(d, _)| home.devices[*d].id.as_str()).collect()))
            .collect();
        assert_eq!(
            told,
            [
                (Likeness::Same, vec!["a", "b"]),
                (Likeness::Homophone, vec!["e", "e", "d"]),
                (Likeness::NearHomophone, vec!["f", "g", "f"]),
            ]
        );
    }
}
