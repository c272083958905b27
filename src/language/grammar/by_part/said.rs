//! What the readings of parts have in common: the words beside a position, and the one thing in reach that may be meant.

use crate::home::{Choice, DeviceIndex, Domain, RoomIndex};
use crate::language::grammar::nominal::place;
use crate::language::grammar::recut::devices;
use crate::language::lexicon::{PropertyId, Sense};
use crate::language::meaning::Ability;
use crate::language::order::Place;
use crate::language::segment::Token;
use crate::language::vocabulary::Vocabulary;
use crate::text::{is_han, normalize};

/// Where the clause of a position begins and ends; a pause ends the one before it.
pub(super) fn clause(tokens: &[Token], at: usize) -> (usize, usize) {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let begin = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
    let end = tokens[at..].iter().position(pause).map_or(tokens.len(), |pause| at + pause);
    (begin, end)
}

/// What words say, one behind the other.
pub(super) fn text(tokens: &[Token]) -> String {
    tokens.iter().map(|t| t.text.as_str()).collect()
}

/// What is left of a text without the longest of some words that it begins with, if it does with any.
pub(super) fn without<'t>(said: &'t str, words: &[String]) -> Option<&'t str> {
    words.iter().filter_map(|word| said.strip_prefix(word.as_str())).min_by_key(|rest| rest.len())
}

/// Cuts the words so that one of them ends so many characters behind a position: within a word that nobody knows, but within no
/// other. Where that is, among the words.
pub(super) fn cut(tokens: &mut Vec<Token>, from: usize, length: usize) -> Option<usize> {
    let mut left = length;
    for at in from..tokens.len() {
        let chars = tokens[at].text.chars().count();
        if left == 0 {
            return Some(at);
        }
        if left < chars {
            let (end, _) = tokens[at].text.char_indices().nth(left).filter(|_| strange(&tokens[at]))?;
            let rest = tokens[at].text.split_off(end);
            tokens.insert(at + 1, Token { text: rest, heard: None, senses: Vec::new() });
            return Some(at + 1);
        }
        left -= chars;
    }
    (left == 0).then_some(tokens.len())
}

/// A word that nobody knows, in Chinese.
pub(super) fn strange(token: &Token) -> bool {
    token.is_residue() && token.text.chars().all(is_han)
}

/// Words that stand between what is told and of what, and say neither.
pub(super) fn small(token: &Token) -> bool {
    let small = |s: &Sense| {
        matches!(
            s,
            Sense::Filler | Sense::Also | Sense::Each | Sense::Disposal | Sense::Of | Sense::Reference | Sense::Again
        )
    };
    token.any(small) && !token.any(Sense::is_action) && !token.is_entity()
}

/// Whether a word switches something, and is no name.
pub(super) fn switches(token: &Token, vocabulary: &Vocabulary) -> bool {
    token.any(|s| vocabulary.lexicon.switches(s).is_some()) && !token.is_entity()
}

/// Whether a clause says that something is not to be done: that is left as it was said.
pub(super) fn refuses(words: &[Token]) -> bool {
    words.iter().any(|t| t.any(|s| matches!(s, Sense::Negation | Sense::Not)) && !t.is_entity())
}

/// Whether a value follows a word.
pub(super) fn sets(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare)) && !token.is_entity()
}

/// The last devices that are named among some words.
pub(super) fn named(tokens: &[Token], vocabulary: &Vocabulary) -> Option<Vec<DeviceIndex>> {
    tokens.iter().rev().find_map(|t| devices(t, vocabulary).filter(|of| !of.is_empty()))
}

/// Whose the only thing of its sort is, and that thing: of the devices that are named, else of the one in the room that is said
/// or that the speaker is in, else of the only one in the home.
pub(super) fn only<T: PartialEq>(
    words: &[Token],
    vocabulary: &Vocabulary,
    local: Option<RoomIndex>,
    found: impl Fn(DeviceIndex) -> Option<T>,
) -> Option<(Option<DeviceIndex>, T)> {
    if let Some(of) = named(words, vocabulary) {
        let mut things = of.into_iter().filter_map(found);
        let first = things.next()?;
        return things.all(|thing| thing == first).then_some((None, first));
    }
    let owners: Vec<(DeviceIndex, T)> = (0..vocabulary.devices.len()).filter_map(|d| Some((d, found(d)?))).collect();
    let said = words.iter().find_map(place);
    let room = match said {
        Some(Place::Room(room)) => Some(room),
        Some(Place::Here) | None => local,
        Some(_) => return None,
    };
    let there = |(d, _): &&(DeviceIndex, T)| vocabulary.home.devices[*d].room == room && room.is_some();
    let only_there = owners.iter().filter(there).count() == 1;
    // What is said of a room is nothing of another one.
    if !only_there && (said.is_some() || owners.len() != 1) {
        return None;
    }
    let at = owners.iter().position(|owner| !only_there || there(&owner))?;
    owners.into_iter().nth(at).map(|(device, thing)| (Some(device), thing))
}

/// The same where of other rooms than the one that is said or that the speaker is in nothing is told so.
pub(super) fn only_near<T: PartialEq>(
    words: &[Token],
    vocabulary: &Vocabulary,
    local: Option<RoomIndex>,
    found: impl Fn(DeviceIndex) -> Option<T>,
) -> Option<(Option<DeviceIndex>, T)> {
    let said = named(words, vocabulary).is_some() || words.iter().any(|t| place(t).is_some());
    let near = |d: DeviceIndex| said || local.is_some() && vocabulary.home.devices[d].room == local;
    only(words, vocabulary, local, |d| Some(d).filter(|d| near(*d)).and_then(&found))
}

/// Words for what a thing has, behind that thing where nobody named it.
pub(super) fn of_its_owner(
    owner: Option<DeviceIndex>,
    words: impl IntoIterator<Item = Token>,
    vocabulary: &Vocabulary,
) -> Vec<Token> {
    owner.map(|device| Token::of_device(device, &vocabulary.home)).into_iter().chain(words).collect()
}

/// The numbers of a device, by its names for them.
pub(super) fn numbers(
    device: DeviceIndex,
    writable: bool,
    vocabulary: &Vocabulary,
) -> impl Iterator<Item = (String, &Ability)> {
    let abilities = vocabulary.devices[device].abilities.iter();
    let number = move |a: &&Ability| a.writable == writable && matches!(a.domain, Some(Domain::Number { .. }));
    abilities.filter(number).map(move |a| (normalize(a.called(&vocabulary.home.devices[device])), a))
}

/// What each thing of a device that is set to one of several values has to choose from.
pub(super) fn choices(device: DeviceIndex, vocabulary: &Vocabulary) -> impl Iterator<Item = (&Ability, &[Choice])> {
    let settable = vocabulary.devices[device].abilities.iter().filter(|a| a.writable);
    settable.filter_map(|a| if let Some(Domain::Enum(of)) = &a.domain { Some((a, of.as_slice())) } else { None })
}

/// The word for what a thing has.
pub(super) fn of_property(name: String, property: PropertyId) -> Token {
    Token { text: name, heard: None, senses: vec![Sense::Property(property)] }
}
