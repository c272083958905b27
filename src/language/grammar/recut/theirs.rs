//! `她那屋`, `他那边`: the room of whoever was spoken of.

use super::super::super::lexicon::Sense;
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{Place, kind, place, sort};
use crate::text::normalize;

/// Everything that says whose room is meant, and what nobody knows of it.
pub(in super::super) fn of_others(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let tokens = super::owners::of_owners(theirs(tokens, vocabulary), vocabulary);
    nobodys(for_somebody(tokens, vocabulary), vocabulary)
}

/// `我房间的灯`, said in a room that is nobody's, and `左边的灯`, said where nothing is called so: nobody knows which.
pub(in super::super) fn of_speaker(
    mut tokens: Vec<Token>,
    vocabulary: &Vocabulary,
    local: Option<usize>,
) -> Vec<Token> {
    let Some(local) = local else { return tokens };
    let lexicon = &vocabulary.lexicon;
    let room = vocabulary.senses(&normalize(&vocabulary.home.rooms[local].name));
    let shared = room.iter().any(|s| matches!(s, Sense::RoomClass(class) if !lexicon.rooms[*class].private));
    // 我这边 is here.
    let mine = |t: &Token| {
        let room = t.text.strip_prefix(lexicon.marks.speaker.as_str()).filter(|_| t.has(&Sense::Here));
        room.is_some_and(|room| lexicon.marks.rooms_of.iter().any(|word| room.starts_with(word.as_str())))
    };
    // 左边的灯 is the name of one elsewhere.
    let sides = [true, false].map(|left| lexicon.side_words(&Sense::Side { left }));
    let elsewhere = |t: &Token| {
        let devices = t.senses.iter().find_map(|s| if let Sense::Devices(d) = s { Some(&d[..]) } else { None });
        let general = |word: &String| {
            let rest = t.text.strip_prefix(word.as_str()).and_then(|rest| rest.strip_prefix(lexicon.marks.of.as_str()));
            rest.is_some_and(|rest| lexicon.kinds.iter().any(|kind| kind.words.iter().any(|word| word == rest)))
        };
        let sided = sides.iter().any(|words| words.iter().any(general));
        sided && devices.is_some_and(|d| d.iter().all(|d| vocabulary.home.devices[*d].room != Some(local)))
    };
    tokens.iter_mut().filter(|t| shared && mine(t) || elsewhere(t)).for_each(|t| t.senses.clear());
    tokens
}

/// `床头灯`, said where a left and a right one stand: those, and none of another room that is called just so.
pub(in super::super) fn alike_here(
    mut tokens: Vec<Token>,
    vocabulary: &Vocabulary,
    local: Option<usize>,
) -> Vec<Token> {
    let home = &vocabulary.home;
    for at in 0..tokens.len() {
        let room = room_before(&tokens[..at], local);
        let Some(Sense::Devices(named)) = tokens[at].senses.iter().find(|s| matches!(s, Sense::Devices(_))) else {
            continue;
        };
        let sort = sort(&tokens[at]).filter(|_| !named.iter().any(|d| home.devices[*d].room == room));
        let (Some(room), Some(sort)) = (room, sort) else { continue };
        // 阳台灯 is no 台灯 of the balcony, but its lamp.
        let called = |d: &usize| {
            let name = normalize(&home.devices[*d].name);
            let placed = home.rooms[room].names().filter_map(|room| name.strip_prefix(normalize(room).as_str()));
            placed.min_by_key(|rest| rest.len()).unwrap_or(&name).ends_with(&tokens[at].text)
        };
        let here = |d: &usize| home.devices[*d].room == Some(room) && vocabulary.devices[*d].is(sort);
        let alike: Vec<usize> = (0..home.devices.len()).filter(here).filter(called).collect();
        if !alike.is_empty() {
            let named = tokens[at].senses.iter_mut().filter(|s| matches!(s, Sense::Devices(_)));
            named.for_each(|s| *s = Sense::Devices(alike.clone()));
        }
    }
    tokens
}

/// The one room that a clause said before, else the speaker's.
fn room_before(tokens: &[Token], local: Option<usize>) -> Option<usize> {
    let clause = tokens.rsplit(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
    match clause.iter().rev().find_map(place) {
        Some(Place::Room(room)) => Some(room),
        Some(_) => None,
        None => local,
    }
}

/// `两个灯泡`, said where two are called so and other lamps stand beside them: those.
pub(in super::super) fn as_many_as_called(
    mut tokens: Vec<Token>,
    vocabulary: &Vocabulary,
    local: Option<usize>,
) -> Vec<Token> {
    let home = &vocabulary.home;
    for at in 1..tokens.len() {
        let Some(kind) = super::kind(&tokens[at]).filter(|_| !tokens[at].is_entity()) else { continue };
        let measured = at > 1 && tokens[at - 1].has(&Sense::Measure);
        let counts = &tokens[at - 1 - usize::from(measured)];
        let Some(count) = super::super::summed::count(counts).filter(|_| measured || counts.has(&Sense::Both)) else {
            continue;
        };
        let room = room_before(&tokens[..at], local);
        let here = |d: &usize| room.is_some() && home.devices[*d].room == room && vocabulary.devices[*d].is(kind);
        let of_kind: Vec<usize> = (0..home.devices.len()).filter(here).collect();
        let named = |d: &usize| normalize(&home.devices[*d].name).contains(&tokens[at].text);
        let called: Vec<usize> = of_kind.iter().copied().filter(named).collect();
        if called.len() as f64 == count && called.len() < of_kind.len() {
            tokens[at].senses = vec![Sense::Devices(called)];
        }
    }
    tokens
}

/// The room that was named last, or that of the person who was, in place of words that only point to it.
pub(in super::super) fn theirs(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    placed(tokens, vocabulary, |before, _| room_of(before, vocabulary))
}

/// `给奶奶把空调调高点`: in the room of whoever it is done for, where that has such a thing.
fn for_somebody(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    // 让奶奶把灯打开 is told to her.
    let helps = |t: &Token| vocabulary.lexicon.marks.helps.contains(&t.text) && !t.is_entity();
    let of = |at: usize| if helps(&tokens[at]) { owned(&tokens[at + 1], vocabulary) } else { None };
    let found = (0..tokens.len().saturating_sub(1)).find_map(|at| Some((at, of(at)?)));
    let Some((at, (room, token))) = found else { return tokens };
    let pause = |t: &&Token| !t.has(&Sense::Punctuation);
    let rest = &tokens[at + 2..];
    let clause = &rest[..rest.iter().take_while(pause).count()];
    let Some(what) = clause.iter().position(|t| kind(t).is_some() && !t.is_entity()) else { return tokens };
    let stands = |d: usize| vocabulary.home.devices[d].room == Some(room);
    let has = kind(&clause[what])
        .is_some_and(|kind| (0..vocabulary.devices.len()).any(|d| stands(d) && vocabulary.devices[d].is(kind)));
    if has && !clause.iter().any(|t| place(t).is_some()) {
        tokens.insert(at + 2 + what, token);
        tokens.drain(at..at + 2);
    }
    tokens
}

/// The room that is called after somebody.
fn owned(person: &Token, vocabulary: &Vocabulary) -> Option<(usize, Token)> {
    let suffixes = vocabulary.lexicon.marks.rooms_of.iter();
    let mut rooms = suffixes.filter_map(|suffix| {
        let text = format!("{}{suffix}", person.text);
        let senses = vocabulary.senses(&text);
        let room = senses.iter().find_map(|s| if let Sense::Room(room) = s { Some(*room) } else { None })?;
        Some((room, Token { text, heard: None, senses }))
    });
    // 给我们把灯关了 is for whoever speaks.
    let speaker = person.any(|s| matches!(s, Sense::Speaker | Sense::Filler));
    rooms.next().filter(|_| !person.is_entity() && !speaker && place(person).is_none())
}

/// What points to the room of somebody whom nothing names is a word that nobody knows: it is never the speaker's.
fn nobodys(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    placed(tokens, vocabulary, |_, text| Some(Token { text, heard: None, senses: Vec::new() }))
}

fn placed(
    mut tokens: Vec<Token>,
    vocabulary: &Vocabulary,
    place: impl Fn(&[Token], String) -> Option<Token>,
) -> Vec<Token> {
    let mut at = 0;
    while at < tokens.len() {
        let length = points(&tokens, at, vocabulary);
        if length > 0 {
            let text: String = tokens[at..=at + length].iter().map(|t| t.text.as_str()).collect();
            if let Some(place) = place(&tokens[..at], text) {
                tokens.splice(at..=at + length, [place]);
            }
        }
        at += 1;
    }
    tokens
}

/// How many words behind a pronoun make somebody's room of it.
fn points(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> usize {
    let somebody =
        |at: usize| vocabulary.lexicon.pronouns.contains(&tokens[at].text) && tokens[at].has(&Sense::Reference);
    if somebody(at) { place_words(&tokens[at + 1..]) } else { 0 }
}

/// Whether words point to somebody's room of which nothing says whose it is.
pub fn points_to_a_room(words: &[Token], vocabulary: &Vocabulary) -> bool {
    (0..words.len()).any(|at| points(words, at, vocabulary) > 0 && room_of(&words[..at], vocabulary).is_none())
}

/// How many words say that it is a place: `那边`, `那屋`, `房间里`.
pub(super) fn place_words(tokens: &[Token]) -> usize {
    let place = |t: &Token| t.any(|s| matches!(s, Sense::RoomSuffix | Sense::AnyRoom | Sense::Here));
    let small = |t: &Token| place(t) || t.any(|s| matches!(s, Sense::Reference | Sense::Measure));
    let length = tokens.iter().take_while(|t| small(t) && !t.is_entity()).count();
    tokens[..length].iter().rposition(place).map_or(0, |last| last + 1)
}

/// The room that words name last, or that is called after somebody whom they name.
fn room_of(tokens: &[Token], vocabulary: &Vocabulary) -> Option<Token> {
    // 客厅 is nobody's; of 卧室 that stands by itself somebody sleeps there.
    let shared = |s: &Sense| matches!(s, Sense::RoomClass(class) if !vocabulary.lexicon.rooms[*class].private);
    let room = |t: &Token| t.any(|s| matches!(s, Sense::Room(_))) && !t.any(shared);
    (0..tokens.len()).rev().find_map(|at| {
        let t = &tokens[at];
        if room(t) {
            return Some(t.clone());
        }
        let devices =
            t.senses.iter().find_map(|s| if let Sense::Devices(devices) = s { Some(&devices[..]) } else { None });
        if let Some([device]) = devices {
            let home = &vocabulary.home;
            let text = normalize(&home.rooms[home.devices[*device].room?].name);
            return Some(Token { senses: vocabulary.senses(&text), text, heard: None })
                .filter(|t| room(t) && !t.any(|s| matches!(s, Sense::RoomClass(_))));
        }
        // 吴姐 is two words.
        let before = if at > 0 { tokens[at - 1].text.as_str() } else { "" };
        let names = [t.text.clone(), format!("{before}{}", t.text)];
        let suffixes = &vocabulary.lexicon.marks.rooms_of;
        let called = names.iter().flat_map(|name| suffixes.iter().map(move |suffix| format!("{name}{suffix}")));
        let mut known = called.map(|text| Token { senses: vocabulary.senses(&text), text, heard: None });
        known.find(room)
    })
}
