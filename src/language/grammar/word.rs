//! What a word is by itself: a thing, a place, a property, a verb, or nothing but politeness.

use super::super::lexicon::{KindId, PropertyId, RoomClassId, Sense, VerbId};
use super::super::order::Place;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use crate::home::Room;
use crate::text::normalize;

pub(super) fn kind(token: &Token) -> Option<KindId> {
    token.senses.iter().find_map(|s| if let Sense::Kind(kind) = s { Some(*kind) } else { None })
}

pub(super) fn sort(token: &Token) -> Option<KindId> {
    token.senses.iter().find_map(|s| if let Sense::Sort(kind) = s { Some(*kind) } else { None })
}

/// Whether a word names a device, a kind or a sort of them.
pub(super) fn is_thing(token: &Token) -> bool {
    token.is_entity() || kind(token).is_some() || sort(token).is_some()
}

/// Whether a word is one for people, and no name of this home.
pub(super) fn is_somebody(token: &Token, vocabulary: &Vocabulary) -> bool {
    let person = vocabulary.lexicon.kind("person");
    !token.is_entity() && kind(token).is_some_and(|kind| Some(kind) == person)
}

/// The place a token names.
pub fn place(token: &Token) -> Option<Place> {
    // A device called like a room (大门, 阳台) is a device when it stands alone; the home decided by naming it so.
    if token.is_entity() && !token.any(|s| matches!(s, Sense::Room(_))) {
        return None;
    }
    place_of(token)
}

pub(super) fn place_of(token: &Token) -> Option<Place> {
    let text = || token.text.clone();
    token.senses.iter().find_map(|sense| match sense {
        Sense::Room(room) => Some(Place::Room(*room)),
        Sense::Floor(floor) => Some(Place::Floor(*floor, text())),
        Sense::RoomClass(class) | Sense::RoomSort(class) => Some(Place::Class(*class, text())),
        Sense::Here => Some(Place::Here),
        Sense::WholeHome => Some(Place::Home),
        Sense::Storey { up } => Some(Place::Storey(*up, text())),
        Sense::NoSuchPlace => Some(Place::Unknown(text())),
        _ => None,
    })
}

/// Whether a word names a thing or a place, or points to one.
pub fn names_a_thing(token: &Token) -> bool {
    is_thing(token) || place(token).is_some() || token.has(&Sense::Reference)
}

/// The property that a token names.
pub(super) fn property(token: &Token) -> Option<PropertyId> {
    token.senses.iter().find_map(|s| if let Sense::Property(property) = s { Some(*property) } else { None })
}

/// Whether a token says whose a feature is, or stands between that and the feature.
pub(super) fn owns(token: &Token) -> bool {
    let named = kind(token).is_some() || sort(token).is_some() || token.is_entity();
    named
        || token.any(|s| {
            matches!(
                s,
                Sense::Of
                    | Sense::Measure
                    | Sense::Reference
                    | Sense::Filler
                    | Sense::Room(_)
                    | Sense::RoomClass(_)
                    | Sense::RoomSort(_)
                    | Sense::RoomSuffix
                    | Sense::All
            )
        })
}

/// The devices that a word names by a name or a kind.
pub(super) fn devices(token: &Token, vocabulary: &Vocabulary) -> Option<Vec<usize>> {
    let named =
        token.senses.iter().find_map(|s| if let Sense::Devices(devices) = s { Some(devices.clone()) } else { None });
    named.or_else(|| {
        let kind = kind(token).or_else(|| sort(token))?;
        Some((0..vocabulary.devices.len()).filter(|d| vocabulary.devices[*d].is(kind)).collect())
    })
}

pub(super) fn verb(token: &Token) -> Option<VerbId> {
    token.senses.iter().find_map(|s| if let Sense::Verb(verb) = s { Some(*verb) } else { None })
}

/// Characters of a word of the language for what a thing has; what is longer is a name.
const SHORT: usize = 2;

/// Whether a word is what a thing calls what it has, behind the thing and 的: 定时器 of 净化器的定时器 tells nothing for later.
pub(super) fn is_own_name(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> bool {
    let long = |at: usize| tokens[at].text.chars().count() > SHORT;
    let own = |s: &Sense| match s {
        Sense::Property(p) | Sense::Feature(p) => vocabulary.lexicon.properties[*p].own || long(at),
        _ => false,
    };
    let of = || at > 1 && tokens[at - 1].has(&Sense::Of) && is_thing(&tokens[at - 2]);
    tokens.get(at).is_some_and(|t| t.any(own) && !t.is_entity()) && of()
}

/// The words that carry meaning: fillers and particles at both ends are politeness.
pub(super) fn trim(tokens: &[Token]) -> &[Token] {
    let empty =
        |t: &Token| !t.is_entity() && (t.has(&Sense::Filler) || t.has(&Sense::Particle) || t.has(&Sense::Punctuation));
    let start = tokens.iter().position(|t| !empty(t)).unwrap_or(tokens.len());
    let end = tokens.iter().rposition(|t| !empty(t)).map_or(start, |e| e + 1);
    &tokens[start..end.max(start)]
}

/// The class of rooms that a sense is for.
pub(super) fn class_of(sense: &Sense) -> Option<RoomClassId> {
    if let Sense::RoomClass(class) | Sense::RoomSort(class) = sense { Some(*class) } else { None }
}

/// Whether a room is called by a word of a class.
pub(super) fn is_of_class(room: &Room, class: RoomClassId, vocabulary: &Vocabulary) -> bool {
    let is = |name: &str| vocabulary.senses(&normalize(name)).iter().any(|s| class_of(s) == Some(class));
    room.names().any(is)
}

/// Whether a word is for a class of rooms of which the home has none by that name.
pub(super) fn is_class_without_rooms(sense: &Sense, vocabulary: &Vocabulary) -> bool {
    let rooms = &vocabulary.home.rooms;
    class_of(sense).is_some_and(|class| !rooms.iter().any(|room| is_of_class(room, class, vocabulary)))
}

/// What is left of a name that begins with a room's, for each that it begins with: 空调 of 主卧空调.
pub(super) fn without_room<'n>(name: &'n str, vocabulary: &Vocabulary) -> impl Iterator<Item = &'n str> {
    let rooms = vocabulary.home.rooms.iter().flat_map(Room::names);
    rooms.filter_map(move |room| name.strip_prefix(normalize(room).as_str())).filter(|rest| !rest.is_empty())
}
