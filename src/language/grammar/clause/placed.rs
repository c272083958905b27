//! Where the things of a list stand.

use super::super::super::lexicon::Sense;
use super::super::nominal::Place;
use super::*;

impl Clause {
    /// `主卧的灯，空调，窗帘都关了`: in a list what is only called what it is stands where the one before it does, if there is any.
    pub(super) fn stand_in_row(&mut self, vocabulary: &Vocabulary) {
        for at in 1..self.nominals.len() {
            let (before, after) = self.nominals.split_at_mut(at);
            let (last, next) = (&before[at - 1], &mut after[0]);
            let room = match (&last.places[..], &last.head) {
                ([Place::Room(room)], Some(_)) => Some(*room),
                ([Place::Class(class, _)], Some(_)) => only_of_class(*class, vocabulary, None),
                ([], Some(Head::Named { text, devices, scene: false, .. })) => room_in_name(text, devices, vocabulary),
                _ => None,
            };
            let Some(Head::Kind(kind, _)) = next.head else { continue };
            let free =
                next.places.is_empty() && next.except_is_empty() && !next.all && !next.other && last.except_is_empty();
            if let Some(room) = room.filter(|room| free && has_kind(*room, kind, vocabulary)) {
                next.places.push(Place::Room(room));
            }
        }
    }

    /// `主卧 空调和灯关了`: a place that is said before its things, with a pause, is theirs.
    pub(super) fn stand_together(&mut self) {
        let placed = |n: &Nominal| n.head.is_none() && !n.places.is_empty() && n.except_is_empty() && !n.all;
        let headed = |n: &Nominal| n.head.is_some() && n.places.is_empty();
        let Some(at) = (1..self.nominals.len()).find(|at| {
            placed(&self.nominals[at - 1]) && headed(&self.nominals[*at]) && !self.nominals[*at].shares_place
        }) else {
            return;
        };
        let places = self.nominals.remove(at - 1).places;
        for (more, nominal) in self.nominals[at - 1..].iter_mut().take_while(|n| headed(n)).enumerate() {
            nominal.places.clone_from(&places);
            nominal.shares_place |= more > 0;
        }
    }

    /// `书房灯和镜前灯打开`: what has a name and stands elsewhere is not of the room that was said with its neighbour.
    pub(super) fn stand_apart(&mut self, vocabulary: &Vocabulary) {
        for at in 1..self.nominals.len() {
            let shared = self.nominals[at].shares_place && !self.nominals[at].places.is_empty();
            // What is only called what it is would be looked for there: 主卧的空调和净化器 means no other room's.
            let Some(Head::Named { devices, kind: None, scene: false, .. }) = &self.nominals[at].head else { continue };
            let there =
                |place: &Place| matches!(place, Place::Here) || devices.iter().any(|d| stands(*d, place, vocabulary));
            if shared && !devices.is_empty() && !self.nominals[at].places.iter().any(there) {
                self.nominals[at].places.clear();
            }
        }
    }
}

/// The room of the one thing that is called by a name that begins with its room's: `洱海房空调`.
pub(in super::super) fn room_in_name(text: &str, devices: &[usize], vocabulary: &Vocabulary) -> Option<usize> {
    let [device] = devices else { return None };
    let home = &vocabulary.home;
    let room = home.devices[*device].room?;
    let begins = |name: &str| text.starts_with(crate::text::normalize(name).as_str());
    home.rooms[room].names().any(begins).then_some(room)
}

/// Whether a thing of a kind stands in a room.
fn has_kind(room: usize, kind: usize, vocabulary: &Vocabulary) -> bool {
    let home = &vocabulary.home.devices;
    (0..home.len()).any(|d| home[d].room == Some(room) && vocabulary.devices[d].is(kind))
}

/// Whether a device stands in a place.
pub(super) fn stands(device: usize, place: &Place, vocabulary: &Vocabulary) -> bool {
    let room = vocabulary.home.devices[device].room;
    match place {
        Place::Room(there) => room == Some(*there),
        Place::Class(class, _) => room.is_some_and(|room| {
            let senses = vocabulary.senses(&crate::text::normalize(&vocabulary.home.rooms[room].name));
            senses.iter().any(|s| matches!(s, Sense::RoomClass(c) | Sense::RoomSort(c) if c == class))
        }),
        Place::Here => false,
        _ => true,
    }
}

/// The room of a class that is meant: the speaker's, else the only one there is.
pub(in super::super) fn only_of_class(class: usize, vocabulary: &Vocabulary, local: Option<usize>) -> Option<usize> {
    let rooms = &vocabulary.home.rooms;
    let is = |room: &usize| {
        let senses = vocabulary.senses(&crate::text::normalize(&rooms[*room].name));
        senses.iter().any(|s| matches!(s, Sense::RoomClass(c) | Sense::RoomSort(c) if *c == class))
    };
    let mut found = (0..rooms.len()).filter(is);
    let first = found.next();
    local.filter(is).or(first.filter(|_| found.next().is_none()))
}
