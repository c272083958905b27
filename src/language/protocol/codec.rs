//! Orders as text of the protocol, and back.
//!
//! A word is what the home calls so, if it calls anything so; `～` before it says that the language's word is meant all the
//! same.
//!
//! The text holds the action, the places, what is left out of them, the target, the quantifier and the count. That a thing which
//! is left out is the one of some room is held by the room's name before its own: of a room and a thing whose names together
//! read as something else it is not, and `OrderRecord` keeps none of those. The protocol has no slot for [`Order::everywhere`],
//! [`Order::each`], [`Order::ordinal`], [`Order::filter`] and [`Order::when`]: whoever keeps an order keeps these beside the text
//! (`OrderRecord` of `dialogue/page`).
//! Words that nobody understood (`Action::Unclear`) are written as `UNKNOWN`, which is no order and is not kept.

use super::super::action::Condition;
use super::super::command::{self, Command, Name};
use super::super::lexicon::Sense;
use super::super::order::{Excluded, Order, Place, Scope, Target};
use super::super::vocabulary::Vocabulary;
use super::action_text::{read_action, read_condition, write_action, write_condition};
use crate::home::Entity;
use crate::text::normalize;

/// A command that is no order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The degradation of what was not understood.
    #[error("the command is UNKNOWN")]
    Unknown,
    /// Its ACTION means nothing.
    #[error("the action `{0}` means nothing")]
    Action(String),
}

/// Writes an order.
pub fn encode(order: &Order, vocabulary: &Vocabulary) -> Command {
    let action = write_action(&order.action, &vocabulary.lexicon);
    let include: Vec<String> = order.scope.include.iter().map(|place| place_text(place, vocabulary)).collect();
    let exclude: Vec<String> = order.scope.exclude.iter().map(|excluded| excluded_text(excluded, vocabulary)).collect();
    let scope = command::Scope::new(include.iter().map(String::as_str), exclude.iter().map(String::as_str));
    let name = match &order.target {
        Target::Type(_) | Target::Anything => Name::Any,
        Target::Reference(_) => Name::Last,
        target => Name::named(&target_text(target, vocabulary)),
    };
    let kind = order.target.kind(vocabulary);
    let target = command::Target { name, kind, quantifier: order.quantifier, count: order.count };
    Command::new(&action, scope, target)
}

/// Reads a command as an order in a home.
///
/// # Errors
/// When it is `UNKNOWN`, or its ACTION means nothing.
pub fn decode(command: &Command, vocabulary: &Vocabulary) -> Result<Order, DecodeError> {
    if command.is_unknown() {
        return Err(DecodeError::Unknown);
    }
    let action = read_action(&command.action, &vocabulary.lexicon);
    let action = action.ok_or_else(|| DecodeError::Action(command.action.clone()))?;
    let scope = Scope {
        include: command.scope.include.iter().map(|text| place(text, vocabulary)).collect(),
        exclude: command.scope.exclude.iter().map(|text| excluded(text, vocabulary)).collect(),
    };
    let kind = command.target.kind;
    let target = match &command.target.name {
        Name::Any if kind == command::Type::Unknown => Target::Anything,
        Name::Any => Target::Type(kind),
        Name::Last => Target::Reference(kind),
        Name::Named(text) => match text.strip_prefix(vocabulary.lexicon.protocol.general) {
            Some(word) if !word.is_empty() => Target::general(word, kind, vocabulary),
            _ => Target::called(text, kind, vocabulary),
        },
    };
    let command::Target { quantifier, count, .. } = command.target;
    Ok(Order { scope, quantifier, count, ..Order::about(action, target) })
}

/// Reads the name of a place.
pub fn place(text: &str, vocabulary: &Vocabulary) -> Place {
    if let Some(word) = text.strip_prefix(vocabulary.lexicon.protocol.general).filter(|word| !word.is_empty()) {
        return Place::general(word, vocabulary);
    }
    match Place::called(text, vocabulary) {
        Place::Unknown(_) => described(text, vocabulary).unwrap_or_else(|| Place::Unknown(text.to_owned())),
        known => known,
    }
}

/// Reads `温度=最大的房间`.
fn described(text: &str, vocabulary: &Vocabulary) -> Option<Place> {
    let words = &vocabulary.lexicon.protocol;
    // A name may hold the word itself.
    let cuts = text.rmatch_indices(words.of).map(|(at, of)| (&text[..at], &text[at + of.len()..]));
    let read = |(condition, word)| Some((read_condition(condition, &vocabulary.lexicon)?, among(word, vocabulary)));
    let mut read: Vec<(Condition, Place)> = cuts.filter_map(read).collect();
    // 所有的房间 of a home that calls a room so is that room.
    let own = |(_, among): &(Condition, Place)| matches!(among, Place::Room(_) | Place::Group(_) | Place::Floor(..));
    let known = |(_, among): &(Condition, Place)| !matches!(among, Place::Unknown(_));
    let known = read.iter().position(own).or_else(|| read.iter().position(known)).unwrap_or(0);
    (!read.is_empty())
        .then(|| read.swap_remove(known))
        .map(|(condition, among)| Place::Described(condition, Box::new(among)))
}

/// Reads the place of which one is described: what the home calls so, else rooms in general, else the language's word.
fn among(text: &str, vocabulary: &Vocabulary) -> Place {
    let general = text.strip_prefix(vocabulary.lexicon.protocol.general).filter(|word| !word.is_empty());
    let own = Place::called(text, vocabulary);
    let word = general.unwrap_or(text);
    // ～～房间: the class of rooms that the language calls so, and not any room.
    if let Some(class) = general.and_then(|word| word.strip_prefix(vocabulary.lexicon.protocol.general)) {
        return Place::general(class, vocabulary);
    }
    if general.is_none() && matches!(own, Place::Room(_) | Place::Group(_) | Place::Floor(..)) {
        return own;
    }
    let any = vocabulary.lexicon.any_room.contains(&normalize(word));
    if any { Place::Home } else { Place::general(word, vocabulary) }
}

fn among_text(place: &Place, vocabulary: &Vocabulary) -> String {
    let word = match place {
        Place::Home => vocabulary.lexicon.any_room.first().map_or("", String::as_str),
        place => place.word(vocabulary),
    };
    // A name that only separates is written in forms that do not, as it is by itself.
    let aliases = aliases(place, vocabulary).iter().map(String::as_str);
    let mut names = std::iter::once(word).chain(aliases).map(command::clean_place);
    let reads = |text: &String| among(text, vocabulary) == *place;
    let general = vocabulary.lexicon.protocol.general;
    let marked =
        || Some(format!("{general}{word}")).filter(&reads).unwrap_or_else(|| format!("{general}{general}{word}"));
    names.find(&reads).unwrap_or_else(marked)
}

/// The other names of a place of this home.
fn aliases<'v>(place: &Place, vocabulary: &'v Vocabulary) -> &'v [String] {
    match place {
        Place::Room(room) => &vocabulary.home.rooms[*room].aliases,
        Place::Group(group) => &vocabulary.home.groups[*group].aliases,
        _ => &[],
    }
}

fn place_text(place: &Place, vocabulary: &Vocabulary) -> String {
    let words = &vocabulary.lexicon.protocol;
    let word = match place {
        Place::Described(condition, among) => {
            format!("{}{}{}", write_condition(condition, &vocabulary.lexicon), words.of, among_text(among, vocabulary))
        }
        Place::Here => words.here.clone(),
        other => other.word(vocabulary).to_owned(),
    };
    let reads = |text: &&String| self::place(&command::clean_place(text), vocabulary) == *place;
    match std::iter::once(&word).chain(aliases(place, vocabulary)).find(reads) {
        Some(text) => text.clone(),
        None if matches!(place, Place::Room(_) | Place::Group(_) | Place::Described(..)) => word,
        None => format!("{}{word}", words.general),
    }
}

fn target_text(target: &Target, vocabulary: &Vocabulary) -> String {
    let word = target.word(vocabulary).unwrap_or_default();
    let Target::Named { entities, .. } = target else {
        let plain = Target::called(word, target.kind(vocabulary), vocabulary) == *target;
        return if plain { word.to_owned() } else { format!("{}{word}", vocabulary.lexicon.protocol.general) };
    };
    let home = &vocabulary.home;
    let (name, aliases) = match entities[..] {
        [Entity::Device(i)] => (home.devices[i].name.as_str(), &home.devices[i].aliases[..]),
        [Entity::Group(i)] => (home.groups[i].name.as_str(), &home.groups[i].aliases[..]),
        [Entity::Scene(i)] => (home.scenes[i].name.as_str(), &home.scenes[i].aliases[..]),
        _ => (word, &[][..]),
    };
    let means = |text: &str| match Target::called(text, command::Type::Unknown, vocabulary) {
        Target::Named { entities: found, .. } => found == *entities,
        _ => false,
    };
    let mut names = [word, name].into_iter().chain(aliases.iter().map(String::as_str));
    names.find(|name| means(name)).unwrap_or(word).to_owned()
}

/// Reads what is left out: what the home calls so, a place, or a thing and before it its room.
fn excluded(text: &str, vocabulary: &Vocabulary) -> Excluded {
    let general = vocabulary.lexicon.protocol.general;
    let own = if text.starts_with(general) { &[] } else { vocabulary.named(text) };
    let thing = own.iter().any(|s| matches!(s, Sense::Devices(_) | Sense::Scene(_)));
    let room = own.iter().any(|s| matches!(s, Sense::Room(_) | Sense::Floor(_)));
    let target = Target::called(text, command::Type::Unknown, vocabulary);
    if thing && !room && matches!(target, Target::Named { .. }) {
        return Excluded::Thing(target, None);
    }
    let place = place(text, vocabulary);
    if !matches!(place, Place::Unknown(_)) {
        return Excluded::Place(place);
    }
    if let Some(word) = text.strip_prefix(general).filter(|word| !word.is_empty()) {
        return Excluded::Thing(Target::general(word, command::Type::Unknown, vocabulary), None);
    }
    if !matches!(target, Target::Text(..)) {
        return Excluded::Thing(target, None);
    }
    let rooms = vocabulary.home.rooms.iter().enumerate();
    let within = rooms.filter_map(|(index, room)| {
        let rest = text.strip_prefix(command::clean_place(&room.name).as_str()).filter(|rest| !rest.is_empty())?;
        Some((room.name.len(), rest, index))
    });
    match within.max() {
        Some((_, rest, room)) => Excluded::Thing(Target::called(rest, command::Type::Unknown, vocabulary), Some(room)),
        None => Excluded::Thing(target, None),
    }
}

fn excluded_text(excluded: &Excluded, vocabulary: &Vocabulary) -> String {
    let plain = match excluded {
        Excluded::Place(place) => place_text(place, vocabulary),
        Excluded::Thing(target, None) => thing_text(target, vocabulary),
        Excluded::Thing(target, Some(room)) => {
            format!("{}{}", vocabulary.home.rooms[*room].name, thing_text(target, vocabulary))
        }
    };
    let general = vocabulary.lexicon.protocol.general;
    let marked = format!("{general}{}", plain.trim_start_matches(general));
    let reads = |text: &str| self::excluded(&command::clean_place(text), vocabulary) == *excluded;
    if !reads(&plain) && reads(&marked) { marked } else { plain }
}

/// A thing that is left out, by a word: every device of a type by the word for that.
fn thing_text(target: &Target, vocabulary: &Vocabulary) -> String {
    match target {
        Target::Type(kind) => {
            let kinds = &vocabulary.lexicon.kinds;
            kinds.iter().find(|k| k.kind == *kind).map_or_else(String::new, |k| k.words[0].clone())
        }
        other => target_text(other, vocabulary),
    }
}

#[cfg(test)]
mod tests;
