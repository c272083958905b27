//! `layout`: the rooms, and those that only devices name.

use std::collections::HashMap;

use super::entry::{Entry, bounded, quote, rejection};
use super::{DocumentError, MAX_NAME_CHARS, MAX_ROOMS, Rejection, Report, within};
use crate::home::{Room, RoomIndex};

/// The rooms read so far, findable by name and alias.
#[derive(Default)]
pub(super) struct Rooms {
    list: Vec<Room>,
    by_name: HashMap<String, RoomIndex>,
    by_alias: HashMap<String, RoomIndex>,
}

impl Rooms {
    pub(super) fn into_list(self) -> Vec<Room> {
        self.list
    }

    /// The room a device names, by its name or else by an alias.
    fn find(&self, name: &str) -> Option<RoomIndex> {
        self.by_name.get(name).or_else(|| self.by_alias.get(name)).copied()
    }

    /// The room a device names; one that the layout does not list is added.
    pub(super) fn find_or_add(
        &mut self,
        name: &str,
        path: &str,
        report: &mut Report,
    ) -> Result<RoomIndex, DocumentError> {
        if let Some(index) = self.find(name) {
            return Ok(index);
        }
        within(path, self.list.len() + 1, MAX_ROOMS)?;
        report.note(rejection(path, format!("room {} is not in the layout and was added", quote(name))));
        Ok(self.add(Room { name: name.to_owned(), ..Room::default() }))
    }

    fn add(&mut self, room: Room) -> RoomIndex {
        let index = self.list.len();
        self.by_name.insert(room.name.clone(), index);
        for alias in &room.aliases {
            self.by_alias.entry(alias.clone()).or_insert(index);
        }
        self.list.push(room);
        index
    }
}

/// Reads `layout`, which may be absent.
pub(super) fn read(top: &Entry, report: &mut Report) -> Result<Rooms, DocumentError> {
    let layout = report.keep(top.list("layout")).unwrap_or_default();
    within("layout", layout.len(), MAX_ROOMS)?;
    let mut rooms = Rooms::default();
    for (i, value) in layout.iter().enumerate() {
        let path = format!("layout[{i}]");
        let room = if value.is_string() {
            bounded(path.clone(), value, MAX_NAME_CHARS).map(|name| Room { name: name.to_owned(), ..Room::default() })
        } else {
            Entry::new(path.clone(), value).and_then(|entry| object(&entry, report))
        };
        let room = room.and_then(|room| match &room.name {
            name if name.trim().is_empty() => Err(rejection(path.as_str(), "the name is empty")),
            name if rooms.by_name.contains_key(name) => {
                Err(rejection(path.as_str(), format!("room {} is there already", quote(name))))
            }
            _ => Ok(room),
        });
        if let Some(room) = report.keep(room) {
            rooms.add(room);
        }
    }
    Ok(rooms)
}

/// As the family says it (`一楼`), or its number.
fn floor(entry: &Entry) -> Result<Option<String>, Rejection> {
    if let Some(number) = entry.get("floor").and_then(serde_json::Value::as_i64) {
        return Ok(Some(number.to_string()));
    }
    Ok(entry.text("floor", MAX_NAME_CHARS)?.filter(|f| !f.trim().is_empty()).map(str::to_owned))
}

fn object(entry: &Entry, report: &mut Report) -> Result<Room, Rejection> {
    Ok(Room { name: entry.name()?, floor: floor(entry)?, aliases: entry.words("aliases", report)? })
}
