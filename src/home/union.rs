//! One home of several: that of the document, and those that hubs brought.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::document::{Rejection, Report, bounds, quote};
use super::{DeviceIndex, DocumentError, Group, Home, MAX_ALIASES, Room, RoomIndex, Scene, SceneAction};
use crate::text::normalize;

/// What several parts come to.
#[derive(Debug)]
pub(super) struct Union {
    /// The home.
    pub(super) home: Arc<Home>,
    /// Of each device, the part that it is of, by position.
    pub(super) parts: Arc<[u8]>,
    /// What is there already under the same id, and so was left out.
    pub(super) rejected: Vec<Rejection>,
}

/// Joins homes under their names, in this order. Ids are as they are: what comes later under an id that is taken is left
/// out. Rooms of the same name, or of which one is another name of the other, are the same room.
///
/// # Errors
/// When all together pass a limit of a home.
pub(super) fn union(parts: &[(&str, &Arc<Home>)]) -> Result<Union, DocumentError> {
    if let [(_, home)] = parts {
        return Ok(Union { home: Arc::clone(home), parts: vec![0; home.devices.len()].into(), rejected: Vec::new() });
    }
    let mut all = Joining::default();
    for (at, (name, home)) in parts.iter().enumerate() {
        if all.home.id.is_empty() {
            all.home.id.clone_from(&home.id);
        }
        all.join(u8::try_from(at).unwrap_or(u8::MAX), name, home);
    }
    bounds(&all.home)?;
    Ok(Union { home: Arc::new(all.home), parts: all.parts.into(), rejected: all.rejected })
}

#[derive(Default)]
struct Joining {
    home: Home,
    parts: Vec<u8>,
    rejected: Vec<Rejection>,
    /// Rooms by their names, normalised; other names do not take one that is there.
    rooms: HashMap<String, RoomIndex>,
    devices: HashSet<String>,
    sets: HashSet<String>,
}

impl Joining {
    fn join(&mut self, part: u8, name: &str, home: &Home) {
        // Two rooms of one part are two rooms, however alike.
        let rooms: Vec<RoomIndex> = if self.home.rooms.is_empty() {
            home.rooms.iter().map(|room| self.add_room(room)).collect()
        } else {
            home.rooms.iter().map(|room| self.find_or_add_room(room)).collect()
        };
        let mut places: Vec<Option<DeviceIndex>> = Vec::with_capacity(home.devices.len());
        for device in &home.devices {
            if !self.devices.insert(device.id.clone()) {
                self.taken(name, "device", &device.id);
                places.push(None);
                continue;
            }
            places.push(Some(self.home.devices.len()));
            let mut device = device.clone();
            device.room = device.room.map(|room| rooms[room]);
            self.home.devices.push(device);
            self.parts.push(part);
        }
        let place = |device: DeviceIndex| places[device];
        for group in &home.groups {
            let members: Vec<DeviceIndex> = group.members.iter().filter_map(|member| place(*member)).collect();
            if !self.sets.insert(group.id.clone()) {
                self.taken(name, "group", &group.id);
            } else if !members.is_empty() {
                self.home.groups.push(Group { members, ..group.clone() });
            }
        }
        for scene in &home.scenes {
            let action = |action: &SceneAction| Some(SceneAction { device: place(action.device)?, ..action.clone() });
            let actions: Vec<SceneAction> = scene.actions.iter().filter_map(action).collect();
            if !self.sets.insert(scene.id.clone()) {
                self.taken(name, "scene", &scene.id);
            } else if !actions.is_empty() {
                self.home.scenes.push(Scene { actions, ..scene.clone() });
            }
        }
    }

    fn taken(&mut self, part: &str, what: &str, id: &str) {
        let reason = format!("another {what} of this home has this id");
        self.rejected.push(Rejection { path: format!("{part}: {what} {}", quote(id)), reason });
    }

    fn add_room(&mut self, room: &Room) -> RoomIndex {
        let at = self.home.rooms.len();
        self.home.rooms.push(room.clone());
        for name in std::iter::once(&room.name).chain(&room.aliases) {
            self.rooms.entry(normalize(name)).or_insert(at);
        }
        at
    }

    fn find_or_add_room(&mut self, room: &Room) -> RoomIndex {
        let names = || std::iter::once(&room.name).chain(&room.aliases);
        let Some(at) = names().find_map(|name| self.rooms.get(&normalize(name)).copied()) else {
            return self.add_room(room);
        };
        let known = &mut self.home.rooms[at];
        if known.floor.is_none() {
            known.floor.clone_from(&room.floor);
        }
        for name in names() {
            let normal = normalize(name);
            if known.aliases.len() < MAX_ALIASES && !self.rooms.contains_key(&normal) {
                known.aliases.push(name.clone());
                self.rooms.insert(normal, at);
            }
        }
        at
    }
}

/// Says in a report what a part lost to others.
pub(super) fn report(union: &Union, part: &str, report: &mut Report) {
    let own = format!("{part}: ");
    for rejection in union.rejected.iter().filter(|rejection| rejection.path.starts_with(&own)) {
        report.reject(rejection.clone());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::home::{MAX_ALL_DEVICES, parse};

    fn home(document: Value) -> Arc<Home> {
        let (home, report) = parse(&document).unwrap();
        assert!(report.rejected.is_empty(), "{report:?}");
        Arc::new(home)
    }

    fn lamp(id: &str, room: &str) -> Value {
        json!({"id": id, "name": "灯", "local": room, "device": {"model": "m"}})
    }

    fn of(layout: Value, devices: Vec<Value>, more: Value) -> Arc<Home> {
        let mut document =
            json!({"layout": layout, "model": {"m": {"property": {"p": {"type": "bool"}}}}, "devices": devices});
        for (key, value) in more.as_object().into_iter().flatten() {
            document[key] = value.clone();
        }
        home(document)
    }

    #[test]
    fn one_part_is_what_it_is() {
        let one = of(json!(["客厅", "客厅 "]), vec![lamp("a", "客厅 ")], json!({"did": "x"}));
        assert!(Arc::ptr_eq(&union(&[("", &one)]).unwrap().home, &one));
    }

    #[test]
    fn rooms_of_one_name_are_one_room_and_what_each_part_knows_of_it_is_kept() {
        let first = of(json!(["客厅", {"name": "主卧", "aliases": ["大卧室"]}]), vec![lamp("a", "客厅")], json!(null));
        let second = of(
            json!([{"name": "Ｌiving", "aliases": ["客厅", "起居室"], "floor": "一楼"}, "大卧室", "阳台"]),
            vec![lamp("h:a", "大卧室"), lamp("h:b", "阳台"), lamp("h:c", "起居室")],
            json!({"groups": [{"id": "h:g", "name": "都", "members": ["h:b", "h:c"]}],
                   "scenes": [{"id": "h:s", "name": "看", "actions": [{"id": "h:c", "state": {"p": true}}]}]}),
        );
        let union = union(&[("", &first), ("h", &second)]).unwrap();
        let home = &union.home;
        let rooms: Vec<&str> = home.rooms.iter().map(|room| room.name.as_str()).collect();
        assert_eq!(rooms, ["客厅", "主卧", "阳台"]);
        assert_eq!((home.rooms[0].floor.as_deref(), home.rooms[0].aliases.len()), (Some("一楼"), 2));
        let places: Vec<&str> = home.devices.iter().map(|device| home.room_name(device)).collect();
        assert_eq!(places, ["客厅", "主卧", "阳台", "客厅"]);
        assert_eq!((home.groups[0].members.clone(), home.scenes[0].actions[0].device), (vec![2, 3], 3));
        assert_eq!(*union.parts, [0, 1, 1, 1]);
    }

    #[test]
    fn an_id_that_is_taken_is_left_out_and_named() {
        let sets = |id: &str| json!({"groups": [{"id": id, "name": "组", "members": ["h:a"]}]});
        let first = of(json!([]), vec![lamp("h:a", "")], sets("h:g"));
        let second = of(json!([]), vec![lamp("h:a", ""), lamp("h:A", "")], sets("h:g"));
        let union = union(&[("", &first), ("h", &second)]).unwrap();
        let ids: Vec<&str> = union.home.devices.iter().map(|device| device.id.as_str()).collect();
        assert_eq!((ids, union.home.groups.len()), (vec!["h:a", "h:A"], 1));
        let paths: Vec<&str> = union.rejected.iter().map(|rejection| rejection.path.as_str()).collect();
        assert_eq!(paths, ["h: device \"h:a\"", "h: group \"h:g\""]);
    }

    #[test]
    fn what_is_too_much_together_is_an_error() {
        let many = |prefix: &str| {
            let devices = (0..MAX_ALL_DEVICES / 3 + 1).map(|i| lamp(&format!("{prefix}{i}"), "")).collect();
            of(json!([]), devices, json!(null))
        };
        let error = union(&[("", &many("a")), ("b", &many("b")), ("c", &many("c"))]).unwrap_err();
        assert_eq!(error.path, "devices");
    }
}
