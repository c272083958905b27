//! What people say for the long name of something that a thing has: `水压` for 冲洗水压, `雨感` for 雨感关窗. It is that where one thing is
//! spoken of, or where only one in the speaker's room has it; of other rooms nothing is told so.

use super::super::lexicon::{PropertyId, Sense};
use super::super::segment::{self, Token};
use super::super::vocabulary::Vocabulary;
use super::nominal::{Place, is_thing, kind, place, property};
use super::recut::{self, devices};
use super::uncounted;
use super::{by_part, denial};
use crate::home::{DeviceIndex, Domain, RoomIndex};
use crate::text::normalize;

/// The words of a text, with what is called by a part of its name by the whole of it, and what is told not to be done as refused.
pub(super) fn words(text: &str, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    denial::not_to_be_done(by_part::in_full(shared(text, vocabulary, local), vocabulary, local), vocabulary)
}

/// The same of long names alone. Where no part is meant so, they are words like any others.
fn shared(text: &str, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let share = |s: &Sense| matches!(s, Sense::Share(_));
    let tokens = segment::with_shares(text, vocabulary);
    if !tokens.iter().any(|t| t.any(share)) {
        return tokens;
    }
    let mut told = in_full(tokens.clone(), vocabulary, local);
    if told == tokens {
        return segment::plain(text, vocabulary);
    }
    told.iter_mut().for_each(|t| t.senses.retain(|s| !share(s)));
    told
}

/// The words of what was said, whose things they are and how many made out.
pub(super) fn as_written(said: &str, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    uncounted::uncounted(recut::theirs(words(said, vocabulary, local), vocabulary), vocabulary)
}

fn in_full(mut tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let mut at = 0;
    while at < tokens.len() {
        let share = !tokens[at].is_entity() && tokens[at].any(|s| matches!(s, Sense::Share(_)));
        let end = noun_of(&tokens, at);
        let share = share && is_told(&tokens, at, end);
        let other = property(&tokens[at]);
        let told = share.then(|| meant(&tokens, at, vocabulary, local)).flatten();
        if let Some((property, owner)) =
            told.filter(|_| other.is_none_or(|other| !is_near(other, &tokens[..at], vocabulary, local)))
        {
            tokens[at].senses = vec![Sense::Property(property)];
            tokens.drain(at + 1..end);
            if let Some(device) = owner {
                tokens.insert(at, Token::of_device(device, &vocabulary.home));
                at += 1;
            }
        }
        at += 1;
    }
    tokens
}

/// Whether a thing that is named, or one in the speaker's room where none is, has a property: 时长 of a foot bath is no 浇水时长.
fn is_near(property: PropertyId, before: &[Token], vocabulary: &Vocabulary, local: Option<RoomIndex>) -> bool {
    let has = |d: &DeviceIndex| vocabulary.devices[*d].abilities.iter().any(|a| a.property == Some(property));
    match before.iter().rev().find_map(|t| devices(t, vocabulary).filter(|of| !of.is_empty())) {
        Some(of) => of.iter().any(has),
        None => (0..vocabulary.devices.len()).any(|d| vocabulary.home.devices[d].room == local && has(&d)),
    }
}

/// Where what it is said to be ends: `打印机插座`, `打印机的插孔` of what is called 打印机插孔.
fn noun_of(tokens: &[Token], at: usize) -> usize {
    let of = tokens[at + 1..].iter().take_while(|t| t.has(&Sense::Of) && !t.is_entity()).count();
    let Some(noun) = tokens.get(at + 1 + of).filter(|t| !t.is_entity()) else { return at + 1 };
    let same = |s: &Sense| matches!(s, Sense::Share(_)) && tokens[at].has(s);
    let sort = of == 0 && kind(noun).is_some() && !noun.any(Sense::is_action);
    if noun.any(same) || sort { at + 2 + of } else { at + 1 }
}

/// Whether something is told or asked of what stands at a position: 地毯 of 上地毯的时候 is no 地毯增压.
fn is_told(tokens: &[Token], at: usize, end: usize) -> bool {
    let small = |t: &&Token| {
        let small =
            |s: &Sense| matches!(s, Sense::Filler | Sense::Also | Sense::Each | Sense::Disposal | Sense::Little);
        t.any(small) && !t.any(Sense::is_action) && !t.is_entity()
    };
    let says = |t: &Token| {
        let says = |s: &Sense| {
            use Sense::{Degree, Direction, Extreme, Make, Negation, Number, Question};
            matches!(s, Degree { .. } | Direction { .. } | Extreme(_) | Make | Negation | Number(_) | Question(_))
        };
        t.any(|s| says(s) || s.is_action()) && !t.is_entity()
    };
    let next = tokens[end..].iter().find(|t| !small(t)).is_some_and(says);
    let before =
        tokens[..at].iter().rev().find(|t| !small(t) && !t.has(&Sense::Of) && !t.any(|s| matches!(s, Sense::Measure)));
    next || before.is_some_and(|t| t.any(Sense::is_action) && !t.is_entity())
}

/// The one property that is meant, and whose it is where nothing says so.
fn meant(
    tokens: &[Token],
    at: usize,
    vocabulary: &Vocabulary,
    local: Option<RoomIndex>,
) -> Option<(PropertyId, Option<DeviceIndex>)> {
    let all = 0..vocabulary.devices.len();
    // 雨感 of a home that has a sensor of that name is the sensor.
    let sensor = |s: &Sense| matches!(s, Sense::Kind(kind) if all.clone().any(|d| vocabulary.devices[d].is(*kind)));
    if tokens[at].any(sensor) {
        return None;
    }
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let begin = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
    let clause = tokens[begin..].split(pause).next().unwrap_or_default();
    let named = |t: &&Token| is_thing(t) || t.is_entity();
    if let Some(thing) = tokens[..at].iter().rev().find(named) {
        let of = devices(thing, vocabulary).unwrap_or_default();
        if let Some(property) = only(&tokens[at], &of, vocabulary) {
            let here = tokens[begin..at].iter().any(|t| named(&t));
            let owner =
                if here { None } else { Some(of.into_iter().find(|d| has(*d, property, &tokens[at], vocabulary))?) };
            return Some((property, owner));
        }
        if tokens[begin..at].iter().any(|t| named(&t)) {
            return None;
        }
    }
    let noun = tokens.get(at + 1).filter(|_| noun_of(tokens, at) == at + 2);
    if clause.iter().any(|t| named(&t) && !t.any(|s| matches!(s, Sense::Share(_))) && noun != Some(t)) {
        return None;
    }
    let said = clause.iter().find_map(place);
    let room = match said {
        Some(Place::Room(room)) => Some(room),
        Some(Place::Here) | None => local,
        Some(_) => None,
    }?;
    let sort = |d: &DeviceIndex| noun.and_then(kind).is_none_or(|kind| vocabulary.devices[*d].is(kind));
    let of = all.filter(|d| vocabulary.home.devices[*d].room == Some(room) && sort(d));
    let of: Vec<DeviceIndex> = of.collect();
    let property = only(&tokens[at], &of, vocabulary)?;
    let mut owners = of.into_iter().filter(|d| has(*d, property, &tokens[at], vocabulary));
    let owner = owners.next()?;
    // Of two that have it nobody knows which is meant.
    owners.next().is_none().then_some((property, Some(owner)))
}

/// The only property of some devices that may be called so.
fn only(share: &Token, of: &[DeviceIndex], vocabulary: &Vocabulary) -> Option<PropertyId> {
    let mut found = share.senses.iter().filter_map(|s| match s {
        Sense::Share(property) if of.iter().any(|d| has(*d, *property, share, vocabulary)) => Some(*property),
        _ => None,
    });
    found.next().filter(|_| found.next().is_none())
}

/// Whether a device has a property that it calls by a name of which this is a part.
fn has(device: DeviceIndex, property: PropertyId, share: &Token, vocabulary: &Vocabulary) -> bool {
    let own = &vocabulary.home.devices[device];
    // 清理 of what cleans when it is told and has 自动清理 besides.
    let domains = vocabulary.devices[device].abilities.iter().filter_map(|a| a.domain.as_ref());
    let mut values = domains.filter_map(|d| if let Domain::Enum(list) = d { Some(list) } else { None }).flatten();
    if values.any(|choice| normalize(&choice.describe).contains(&share.text)) {
        return false;
    }
    let mut about = vocabulary.devices[device].abilities.iter().filter(|a| a.property == Some(property));
    about.any(|a| normalize(a.called(own)).contains(&share.text))
}
