//! Numbers that say how many were named, or how many rooms are meant: `客厅、书房、主卧，三处的灯`, `空调电视灯这三样都关`,
//! `三间客房的电热毯`.

use super::super::lexicon::KindId;
use super::super::number;
use super::super::segment::Token;
use super::super::sense::Sense;
use super::super::vocabulary::Vocabulary;
use super::names::row_at_end;
use super::nominal::{is_thing, kind, sort};
use super::word::{class_of, is_class_without_rooms, is_of_class};

/// The sentence without the number that only sums up as many things or rooms as were just named.
pub(super) fn up(mut tokens: Vec<Token>) -> Vec<Token> {
    let mut at = 1;
    while at < tokens.len() {
        if let Some((start, end)) = sum(&tokens, at) {
            tokens.drain(start..end);
            at = start;
        }
        at += 1;
    }
    tokens
}

/// Where a number at `at` with all that belongs to it begins and ends, if it sums up what stands before.
fn sum(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    let count = count(&tokens[at])?;
    let pointed = usize::from(tokens[at - 1].has(&Sense::Reference) && !tokens[at - 1].is_entity());
    let start = at - pointed;
    let before = &tokens[..start];
    let paused = usize::from(before.last().is_some_and(|t| t.has(&Sense::Punctuation)));
    let named = row_at_end(&before[..before.len() - paused]).names.len();
    let counted = |t: &Token| {
        let counts = |s: &Sense| {
            matches!(s, Sense::Measure | Sense::RoomSuffix | Sense::AnyRoom | Sense::RoomClass(_) | Sense::RoomSort(_))
        };
        t.any(counts) && !t.any(|s| matches!(s, Sense::Room(_))) && !is_thing(t)
    };
    let counting = tokens[at + 1..].iter().take_while(|t| counted(t)).count();
    let end = at + 1 + counting;
    // 灯打开，三: a number alone sums up nothing, unless it is one that people are counted by (仨).
    let sums = counting > 0 || number::counts(&tokens[at].text.chars().collect::<Vec<_>>());
    let goes_on = tokens.get(end).is_none_or(|t| {
        let on = |s: &Sense| {
            matches!(s, Sense::Of | Sense::Each | Sense::Filler | Sense::Disposal | Sense::Verb(_) | Sense::Punctuation)
        };
        t.any(on) && !t.is_entity()
    });
    (sums && goes_on && named as f64 == count).then_some((start - paused, end))
}

/// `两屋的地暖`: all of them, where just so many rooms have one, and no room is called so. Where rooms are called so and there are more
/// or fewer of them (`三个房间的灯` in a home with four bedrooms), nobody knows which are meant.
pub(super) fn rooms(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    for at in 0..tokens.len() {
        let Some(count) = count(&tokens[at]) else { continue };
        let measured = usize::from(tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Measure)));
        let room = at + 1 + measured;
        let Some(class) = tokens.get(room).filter(|t| !t.is_entity()) else { continue };
        let links = tokens[room + 1..].iter().take_while(|t| t.has(&Sense::Of)).count();
        let what = tokens.get(room + 1 + links).and_then(|t| kind(t).or_else(|| sort(t)));
        let Some(kind) = what else { continue };
        let with = rooms_with(kind, vocabulary);
        let any = class.has(&Sense::AnyRoom) || class.any(|s| is_class_without_rooms(s, vocabulary));
        if any && with.len() as f64 == count && !with.contains(&None) {
            tokens.splice(at..room + 1 + links, [Token::unsaid(Sense::WholeHome)]);
            return tokens;
        }
        let of_class = class.senses.iter().find_map(class_of).map(|class| {
            let is = |room: &&Option<usize>| {
                room.is_some_and(|room| is_of_class(&vocabulary.home.rooms[room], class, vocabulary))
            };
            with.iter().filter(is).count()
        });
        if of_class.is_some_and(|rooms| rooms as f64 != count) {
            tokens[at].senses.clear();
        }
    }
    tokens
}

/// Rooms that have a device of a kind.
fn rooms_with(kind: KindId, vocabulary: &Vocabulary) -> Vec<Option<usize>> {
    let things = vocabulary.home.devices.iter().zip(&vocabulary.devices);
    let mut rooms: Vec<Option<usize>> =
        things.filter(|(_, sense)| sense.is(kind)).map(|(device, _)| device.room).collect();
    rooms.sort_unstable();
    rooms.dedup();
    rooms
}

/// Two or more of something.
pub(super) fn count(token: &Token) -> Option<f64> {
    let number = token.senses.iter().find_map(|s| if let Sense::Number(n) = s { Some(n.value) } else { None });
    number.or(token.has(&Sense::Both).then_some(2.0)).filter(|count| *count >= 2.0 && !token.is_entity())
}
