//! Nominals: `二楼除了书房以外所有的灯`, `它`, `客厅电视的声音`.

mod head;
mod side;

pub(super) use head::head;
use head::starts_predicate;
use side::sided;

use super::super::action::Condition;
use super::super::lexicon::{KindId, Sense};
pub(super) use super::super::order::Place;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::filter::filter;
pub use super::noun::{Head, Nominal};
use super::quantity::quantity;
use super::word::place_of;
pub(super) use super::word::{is_somebody, is_thing, kind, place, property, sort};

/// Reads the longest nominal at a position: the nominal and where it ends.
pub fn read(tokens: &[Token], start: usize, vocabulary: &Vocabulary) -> Option<(Nominal, usize)> {
    let mut nominal = Nominal::default();
    let mut at = start;
    while at < tokens.len() {
        let next = step(tokens, at, &mut nominal, vocabulary);
        if next == at {
            break;
        }
        at = next;
        if nominal.property.is_some() {
            break;
        }
    }
    (!nominal.is_empty()).then_some((nominal, at))
}

/// Consumes what belongs to the nominal at a position; the position itself when nothing does.
fn step(tokens: &[Token], at: usize, nominal: &mut Nominal, vocabulary: &Vocabulary) -> usize {
    let token = &tokens[at];
    if let Some(end) = super::exclusion::exclusion(tokens, at, nominal, vocabulary) {
        return end;
    }
    if nominal.head.is_none()
        && nominal.only.is_none()
        && let Some((condition, end)) = filter(tokens, at, vocabulary)
    {
        return described(tokens, condition, end, nominal);
    }
    if let Some(end) = any_rooms(tokens, at, nominal) {
        return end;
    }
    if let Some(end) = sided(tokens, at, nominal, vocabulary) {
        return end;
    }
    // 补光灯两边都: both of them.
    if token.has(&Sense::BothSides) && nominal.head.is_some() && !token.is_entity() {
        nominal.each = true;
        return at + 1;
    }
    if let Some(end) = of_group(tokens, at, nominal) {
        return end;
    }
    if let Some(place) = place(token) {
        // A place after the head begins another nominal: 客厅灯 卧室灯.
        if nominal.head.is_some() || (!nominal.places.is_empty() && is_bare_entity(token, tokens, at)) {
            return at;
        }
        nominal.places.push(place);
        let mut end = at + 1;
        while tokens.get(end).is_some_and(|t| t.has(&Sense::RoomSuffix) && place_of(t).is_none()) {
            end += 1;
        }
        return end;
    }
    if let Some(end) = all_but(tokens, at, nominal) {
        return end;
    }
    if let Some((property, end)) = super::feature::owned(tokens, at, nominal, vocabulary) {
        nominal.property = Some(property);
        return end;
    }
    if let Some(end) = beside(tokens, at, nominal) {
        return end;
    }
    if let Some(end) = quantity(tokens, at, nominal) {
        return end;
    }
    let sorted = kind(token)
        .or_else(|| sort(token))
        .is_some_and(|k| !token.is_entity() && (kind(token).is_none() || !vocabulary.lexicon.kinds[k].part));
    if sorted
        && nominal.head.is_none()
        && token.any(|s| matches!(s, Sense::Feature(_)))
        && let Some((property, end)) = super::feature::feature(tokens, at, vocabulary)
    {
        nominal.property = Some(property);
        return end;
    }
    if let Some(end) = head(tokens, at, nominal, vocabulary) {
        return end;
    }
    if nominal.property.is_none()
        && !starts_predicate(tokens, at, vocabulary)
        && let Some((property, end)) = super::feature::feature(tokens, at, vocabulary)
    {
        nominal.property = Some(property);
        return end;
    }
    // 和 between places that share a head: 餐厅和厨房的灯.
    if token.has(&Sense::Conjunction) && nominal.head.is_none() && !nominal.places.is_empty() {
        let follows = tokens.get(at + 1).is_some_and(|t| place(t).is_some());
        if follows && shares_head(tokens, at + 1) {
            return at + 1;
        }
    }
    let linked = token.has(&Sense::Of) && !nominal.is_empty();
    // 小宝房的那台空调
    let pointed =
        tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Reference)) && tokens.get(at + 2).is_some_and(is_thing);
    if linked && (tokens.get(at + 1).is_some_and(|t| continues(t, nominal)) || pointed && nominal.head.is_none()) {
        return at + 1;
    }
    // The 的 of 书房的 and 客厅的: nothing follows.
    if linked && nominal.head.is_none() && tokens.get(at + 1).is_none_or(|t| t.has(&Sense::Punctuation)) {
        return at + 1;
    }
    at
}

/// `其他房间`, `主卧的房间`: rooms in general add nothing to what was said.
fn any_rooms(tokens: &[Token], at: usize, nominal: &mut Nominal) -> Option<usize> {
    let general = |at: usize| tokens.get(at).is_some_and(|t| t.has(&Sense::AnyRoom) && !t.is_entity());
    let every = nominal.other || nominal.all || !nominal.except_places.is_empty();
    if nominal.head.is_none() && nominal.places.is_empty() && every && general(at) {
        nominal.all = true;
        return Some(at + 1 + usize::from(tokens.get(at + 1).is_some_and(|t| t.has(&Sense::RoomSuffix))));
    }
    let of_place = nominal.head.is_none() && !nominal.places.is_empty() && tokens[at].has(&Sense::Of);
    (of_place && general(at + 1)).then_some(at + 2)
}

/// `影音区的灯`: a group is where its members are.
fn of_group(tokens: &[Token], at: usize, nominal: &mut Nominal) -> Option<usize> {
    let group = tokens[at].senses.iter().find_map(|s| if let Sense::Group(group) = s { Some(*group) } else { None });
    let group = group.filter(|_| !tokens[at].any(|s| matches!(s, Sense::Devices(_))))?;
    let of = tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Of));
    let mut next = at + 1 + usize::from(of);
    while tokens.get(next).is_some_and(|t| t.has(&Sense::All)) {
        next += 1;
    }
    let member = tokens.get(next).is_some_and(|t| kind(t).is_some() || sort(t).is_some() || t.is_entity());
    if !(of && member && nominal.head.is_none()) {
        return None;
    }
    nominal.places.push(Place::Group(group));
    Some(at + 2)
}

/// `油烟机上头那个灯`: where it is, and no thing of its own, if no feature of the hood is called so.
fn beside(tokens: &[Token], at: usize, nominal: &mut Nominal) -> Option<usize> {
    let Some(Head::Kind(_, text) | Head::Sort(_, text)) = &nominal.head else { return None };
    let points = |t: &&Token| t.any(|s| matches!(s, Sense::Of | Sense::Reference | Sense::Measure)) && !t.is_entity();
    let suffix = tokens[at].has(&Sense::RoomSuffix) && place_of(&tokens[at]).is_none();
    let next = tokens[at + 1..].iter().find(|t| !points(t))?;
    let pointed = tokens.get(at + 1).is_some_and(|t| points(&t));
    let thing = !next.is_entity() && (kind(next).is_some() || sort(next).is_some());
    if !(suffix && pointed && thing && nominal.places.is_empty()) {
        return None;
    }
    nominal.places.push(Place::Unknown(format!("{text}{}", tokens[at].text)));
    nominal.head = None;
    Some(at + 1)
}

/// `客厅以外的灯`, `廊灯以外的灯`: what was just said is left out, of all that there are.
fn all_but(tokens: &[Token], at: usize, nominal: &mut Nominal) -> Option<usize> {
    let (token, of) = (&tokens[at], tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Of)));
    let closes = token.has(&Sense::ExceptClose) && (of || token.text.chars().count() > 1);
    if !closes || nominal.only.is_some() {
        return None;
    }
    match nominal.head.take() {
        Some(head) if !matches!(head, Head::Reference(_)) => nominal.except_heads.push(head),
        Some(head) => {
            nominal.head = Some(head);
            return None;
        }
        None if nominal.places.is_empty() => return None,
        None => nominal.except_places.append(&mut nominal.places),
    }
    nominal.all |= !nominal.except_heads.is_empty();
    Some(at + 1 + usize::from(of))
}

/// Takes what a relative clause describes: rooms (`最热的房间`), or the devices that follow.
fn described(tokens: &[Token], condition: Condition, end: usize, nominal: &mut Nominal) -> usize {
    let sort = |t: &Token| {
        t.has(&Sense::AnyRoom) || (!t.is_entity() && matches!(place(t), Some(Place::Class(..) | Place::Floor(..))))
    };
    let Some(rooms) = tokens.get(end).filter(|t| sort(t)) else {
        nominal.only = Some(condition);
        return end;
    };
    let among = if rooms.has(&Sense::AnyRoom) { None } else { place(rooms) };
    nominal.places.push(Place::Described(condition, Box::new(among.unwrap_or(Place::Home))));
    let suffix = tokens.get(end + 1).is_some_and(|t| t.has(&Sense::RoomSuffix) && place_of(t).is_none());
    end + 1 + usize::from(suffix)
}

/// Whether something nominal comes after 的.
pub(super) fn continues(token: &Token, nominal: &Nominal) -> bool {
    place(token).is_some()
        || is_thing(token)
        || token.has(&Sense::Everything)
        || (property(token).is_some())
        || (nominal.head.is_none()
            && (token.has(&Sense::All)
                || token.has(&Sense::Other)
                || token.has(&Sense::AnyOne)
                || token.is_residue()
                || token.any(|s| matches!(s, Sense::Number(_)))))
}

/// Whether a token that is a place and a device at once stands for the device: nothing nominal follows.
fn is_bare_entity(token: &Token, tokens: &[Token], at: usize) -> bool {
    token.is_entity() && tokens.get(at + 1).is_none_or(|t| kind(t).is_none() && !t.has(&Sense::Of))
}

/// Whether the places after a conjunction lead to a head: `厨房的灯`, not `卧室` at the end.
fn shares_head(tokens: &[Token], mut at: usize) -> bool {
    while let Some(token) = tokens.get(at) {
        let inner = place(token).is_some()
            || token.has(&Sense::Conjunction)
            || token.has(&Sense::RoomSuffix)
            || token.has(&Sense::All)
            || token.has(&Sense::Of);
        if !inner {
            return token.has(&Sense::ExceptClose)
                || kind(token).is_some()
                || sort(token).is_some()
                || token.is_entity()
                || property(token).is_some()
                || token.has(&Sense::Everything)
                || token.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Also));
        }
        at += 1;
    }
    true
}
