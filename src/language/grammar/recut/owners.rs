//! Rooms and things by whose they are: `奶奶那屋`, `轩轩屋`, `奶奶的灯` where there is a 奶奶的吸顶灯.

use super::super::super::lexicon::{KindId, Sense};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{kind, place};
use super::theirs::place_words;
use crate::home::Device;
use crate::text::normalize;

/// The sentence with such rooms and things by names that the home knows.
pub(in super::super) fn of_owners(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let mut tokens = joined(tokens, vocabulary);
    let mut at = 0;
    while at < tokens.len() {
        if may_own(&tokens[at], vocabulary)
            && let Some((end, known)) = owned(&tokens, at, vocabulary)
        {
            tokens.splice(at..end, known);
        }
        at += 1;
    }
    tokens
}

/// `小宇屋` is cut as 小, 宇 and 屋: who has a room here is one word.
fn joined(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    for at in (0..tokens.len().saturating_sub(1)).rev() {
        let pair = &tokens[at..at + 2];
        let text = format!("{}{}", pair[0].text, pair[1].text);
        let strange = pair[1].is_residue() && !pair[0].is_entity() && !pair[0].has(&Sense::Punctuation);
        if strange && text.chars().count() == 2 && room_of(&text, vocabulary).is_some() {
            tokens.splice(at..at + 2, [Token { text, heard: None, senses: Vec::new() }]);
        }
    }
    tokens
}

/// Somebody, or a word that nobody knows.
fn may_own(token: &Token, vocabulary: &Vocabulary) -> bool {
    let somebody = token.is_residue() || token.has(&Sense::Person) && !token.is_entity();
    somebody && place(token).is_none() && !vocabulary.lexicon.pronouns.contains(&token.text)
}

/// What words are the home's own name for, and where they end.
fn owned(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(usize, Vec<Token>)> {
    let owner = tokens[at].text.as_str();
    // 轩轩屋 is one strange word.
    let suffixes = vocabulary.lexicon.marks.rooms_of.iter();
    let stem = suffixes.filter_map(|suffix| owner.strip_suffix(suffix.as_str())).min_by_key(|stem| stem.len());
    if let Some(room) =
        stem.filter(|stem| tokens[at].is_residue() && !stem.is_empty()).and_then(|s| room_of(s, vocabulary))
    {
        return Some((at + 1, vec![named(room, vocabulary)]));
    }
    // 奶奶那边, 奶奶屋里; 柜子里 is no room.
    let words = place_words(&tokens[at + 1..]);
    let points = tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Reference));
    // 妞妞屋里: the room that is called so, and not the speaker's.
    let inside = |t: &Token| t.has(&Sense::Here) && vocabulary.lexicon.any_room.iter().any(|w| t.text.starts_with(w));
    let room = tokens[at + 1..at + 1 + words].iter().any(|t| t.has(&Sense::AnyRoom) || inside(t));
    if points && words > 0 || room {
        let room = room_of(owner, vocabulary)?;
        return Some((at + 1 + words, vec![named(room, vocabulary)]));
    }
    // 小胡那盏: the one in that room, where nothing is called after its owner.
    let begins = |name: &str| normalize(name).starts_with(owner);
    let called = |d: &Device| d.names().any(&begins);
    if points
        && !tokens[at].is_entity()
        && !vocabulary.home.devices.iter().any(called)
        && let Some(room) = room_of(owner, vocabulary)
    {
        return Some((at + 1, vec![named(room, vocabulary)]));
    }
    let [of, what] = tokens.get(at + 1..at + 3)? else { return None };
    let kind = kind(what).filter(|_| of.has(&Sense::Of) && !what.is_entity() && !tokens[at].is_entity())?;
    let things = things_of(owner, kind, vocabulary);
    if let [thing] = things[..] {
        return Some((at + 3, vec![Token::of_device(thing, &vocabulary.home)]));
    }
    let room = room_of(owner, vocabulary).filter(|_| things.is_empty())?;
    let stands = |d: &usize| vocabulary.home.devices[*d].room == Some(room) && vocabulary.devices[*d].is(kind);
    (0..vocabulary.devices.len()).any(|d| stands(&d)).then(|| (at + 1, vec![named(room, vocabulary)]))
}

fn named(room: usize, vocabulary: &Vocabulary) -> Token {
    let text = normalize(&vocabulary.home.rooms[room].name);
    Token { text, heard: None, senses: vec![Sense::Room(room)] }
}

/// The things of a kind whose names begin with whose they are.
fn things_of(owner: &str, kind: KindId, vocabulary: &Vocabulary) -> Vec<usize> {
    let begins = |d: &usize| normalize(&vocabulary.home.devices[*d].name).starts_with(owner);
    let several = owner.chars().count() > 1;
    (0..vocabulary.devices.len()).filter(|d| several && begins(d) && vocabulary.devices[*d].is(kind)).collect()
}

/// The rooms that are called after somebody (`爷爷奶奶房` is both's).
pub(in super::super) fn rooms_of(owner: &str, vocabulary: &Vocabulary) -> impl Iterator<Item = usize> {
    let rooms = &vocabulary.home.rooms;
    let suffixes = &vocabulary.lexicon.marks.rooms_of;
    let called = move |name: &String| {
        let name = normalize(name);
        let whose = suffixes.iter().filter_map(|suffix| name.strip_suffix(suffix.as_str())).min_by_key(|w| w.len());
        whose.is_some_and(|whose| whose == owner || whose.len() > owner.len() && whose.contains(owner))
    };
    (0..rooms.len()).filter(move |room| std::iter::once(&rooms[*room].name).chain(&rooms[*room].aliases).any(called))
}

/// The one room that is called after somebody, or in which all that is called so stands.
fn room_of(owner: &str, vocabulary: &Vocabulary) -> Option<usize> {
    if owner.chars().count() < 2 {
        return None;
    }
    let mut found = rooms_of(owner, vocabulary);
    if let Some(room) = found.next() {
        return Some(room).filter(|_| found.next().is_none());
    }
    let devices = &vocabulary.home.devices;
    let mut stand = devices.iter().filter(|d| normalize(&d.name).starts_with(owner)).map(|d| d.room);
    let room = stand.next().flatten()?;
    stand.all(|other| other == Some(room)).then_some(room)
}
