//! `大灯`, `主灯`: the one lamp of a room that lights all of it, whatever it is called there.

use super::select::Picker;
use super::selection::{Missing, Selection};
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::lexicon::Kind;
use crate::retrieval::{Candidate, Entity, leaders};
use crate::text::normalize;

impl Picker<'_> {
    /// What is meant by such a word where nothing in the room is called so. Said in one room, it is of no other that has its own
    /// in its name (`客厅大灯`).
    pub(super) fn main_of_room(&self, name: &str, found: &[Candidate]) -> Option<Selection> {
        let name = normalize(name);
        let kind = self.context.world.lexicon().kinds.iter().position(|kind| kind.main.contains(&name))?;
        let room = match self.scope.rooms.as_deref() {
            Some([room]) => *room,
            None if !self.order.everywhere => self.context.local?,
            _ => return None,
        };
        let home = self.context.world.home();
        let elsewhere = |c: &Candidate| match c.entity {
            Entity::Device(d) => {
                home.devices[d].room != Some(room) && home.devices[d].room.is_some_and(|of| self.holds_room(d, of))
            }
            _ => false,
        };
        if !leaders(found).iter().all(elsewhere) {
            return None;
        }
        let stands =
            |d: &DeviceIndex| home.devices[*d].room == Some(room) && self.context.world.vocabulary.devices[*d].is(kind);
        let lamps: Vec<DeviceIndex> = (0..home.devices.len()).filter(stands).collect();
        let kind = &self.context.world.lexicon().kinds[kind];
        let main: Vec<DeviceIndex> = lamps.iter().copied().filter(|d| self.lights_all(*d, room, kind)).collect();
        match main[..] {
            [_] => Some(self.take_able(main, false)),
            // Of a room without a lamp of its own nobody speaks.
            _ if lamps.is_empty() => None,
            _ => Some(Selection::Missing(Missing::Device(name, vec![room]))),
        }
    }

    /// Whether the name of a device begins with that of its room.
    fn holds_room(&self, device: DeviceIndex, room: RoomIndex) -> bool {
        self.context.world.home().devices[device].names().any(|name| self.without_room(name, room) != normalize(name))
    }

    /// Whether a lamp is called no more than a lamp, or of a sort that hangs from the ceiling.
    fn lights_all(&self, device: DeviceIndex, room: RoomIndex, kind: &Kind) -> bool {
        self.context.world.home().devices[device].names().any(|name| {
            let bare = self.without_room(name, room);
            kind.words.contains(&bare)
                || kind.overhead.iter().chain(&kind.main).any(|sort| bare.ends_with(sort.as_str()))
        })
    }

    fn without_room(&self, name: &str, room: RoomIndex) -> String {
        let room = &self.context.world.home().rooms[room];
        let name = normalize(name);
        let called = std::iter::once(&room.name).chain(&room.aliases).map(|room| normalize(room));
        let rests =
            called.filter_map(|room| name.strip_prefix(room.as_str()).map(str::to_owned)).min_by_key(String::len);
        rests.unwrap_or(name)
    }
}
