//! The sides of a thing that has two, each told by itself: `电热毯左边开三档，右边一档`, `电热毯关掉左边的`, `左边三档 右边关了`.

use super::super::lexicon::Sense;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal;
use super::parts::side_of;
use super::recut::devices;
use crate::home::{DeviceIndex, RoomIndex};

/// The sentence with each side as what the thing has for it.
pub(super) fn by_itself(tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let mut thing: Option<Token> = None;
    let mut told: Vec<Token> = Vec::with_capacity(tokens.len());
    for clause in tokens.split_inclusive(pause) {
        let (clause, end) = match clause.split_last() {
            Some((last, rest)) if pause(last) => (rest, Some(last)),
            _ => (clause, None),
        };
        let named = |t: &&Token| nominal::is_thing(t) || t.is_entity();
        if let Some(of) = clause.iter().rfind(named) {
            thing = two_sided(of, vocabulary).map(|_| of.clone());
        } else if thing.is_none() && told.is_empty() {
            thing = only_here(vocabulary, local);
        }
        let of = thing.as_ref().and_then(|of| Some((of, two_sided(of, vocabulary)?)));
        match of.and_then(|(of, device)| one_side(clause, of, device, vocabulary)) {
            Some(one) => told.extend(one),
            None => told.extend(clause.iter().cloned()),
        }
        told.extend(end.cloned());
    }
    told
}

/// The one device that is meant, where it has two sides.
fn two_sided(thing: &Token, vocabulary: &Vocabulary) -> Option<DeviceIndex> {
    let of = devices(thing, vocabulary)?;
    let both = |d: &DeviceIndex| [true, false].iter().all(|left| side_of(*d, *left, true, vocabulary).is_some());
    if let [device] = of[..] { Some(device).filter(both) } else { None }
}

/// The only thing in a room that has two sides, where nothing there is called after one.
fn only_here(vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Option<Token> {
    let here = |d: &DeviceIndex| local.is_some() && vocabulary.home.devices[*d].room == local;
    let token = |d: DeviceIndex| Token::of_device(d, &vocabulary.home);
    let sides = || vocabulary.lexicon.sides.iter().flatten();
    let called =
        |d: DeviceIndex| vocabulary.home.devices[d].names().any(|n| sides().any(|side| n.contains(side.as_str())));
    let all = (0..vocabulary.devices.len()).filter(here);
    if all.clone().any(called) {
        return None;
    }
    let mut found = all.map(token).filter(|t| two_sided(t, vocabulary).is_some());
    found.next().filter(|_| found.next().is_none())
}

/// A clause that tells one side to be on, off or at a value.
fn one_side(clause: &[Token], thing: &Token, device: DeviceIndex, vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let lexicon = &vocabulary.lexicon;
    // 我这边: nobody knows which that is.
    let mine = clause.iter().any(|t| t.has(&Sense::Here) && t.text.ends_with(lexicon.marks.side.as_str()));
    if mine && clause.iter().any(|t| t == thing) {
        let unknown =
            |t: &Token| if t.has(&Sense::Here) { Token { senses: Vec::new(), ..t.clone() } } else { t.clone() };
        return Some(clause.iter().map(unknown).collect());
    }
    let which = |t: &Token| {
        let side = t.senses.iter().find_map(|s| if let Sense::Side { left } = s { Some(*left) } else { None });
        let part = nominal::property(t)
            .and_then(|p| [true, false].into_iter().find(|left| side_of(device, *left, true, vocabulary) == Some(p)));
        side.or(part).filter(|_| !t.is_entity())
    };
    let small = |t: &Token| {
        let small = |s: &Sense| {
            use Sense::{Disposal, Each, Filler, Measure, Of, Particle, Reference};
            matches!(s, Disposal | Each | Filler | Measure | Of | Particle | Reference)
        };
        t.any(small) && !t.is_entity()
    };
    let switch = |t: &Token| t.senses.iter().find_map(|s| lexicon.switches(s)).filter(|_| !t.is_entity());
    let sets = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare)) && !t.is_entity();
    let is_value = |t: &Token| {
        let value = |s: &Sense| matches!(s, Sense::Value | Sense::Number(_) | Sense::Unit(_) | Sense::Extreme(_));
        t.any(value) && !t.is_entity()
    };
    // 两边都开: the whole of it.
    let both = clause.iter().position(|t| t.has(&Sense::BothSides) && !t.is_entity());
    if let Some(both) = both.filter(|_| clause.iter().any(|t| t == thing)) {
        return Some(clause.iter().enumerate().filter(|(at, _)| *at != both).map(|(_, t)| t.clone()).collect());
    }
    let mut sides = clause.iter().filter_map(which);
    let left = sides.next().filter(|_| clause.iter().filter_map(which).count() == 1)?;
    let (mut on, mut opens, mut value) = (None, false, Vec::new());
    for token in clause.iter().filter(|t| *t != thing && which(t).is_none()) {
        match switch(token) {
            _ if is_value(token) && switch(token).is_none() => value.push(token.clone()),
            Some(switched) if on.is_none() && !token.any(|s| matches!(s, Sense::Number(_))) => on = Some(switched),
            None if sets(token) => opens |= token.has(&Sense::Set { open: true }),
            None if small(token) => {}
            _ => return None,
        }
    }
    let flag = Token::of_property(side_of(device, left, true, vocabulary)?, lexicon);
    let verb = |on: bool| lexicon.verb(if on { "on" } else { "off" }).map(|verb| Token::of_verb(verb, lexicon));
    let switched = |on: bool| Some(vec![thing.clone(), flag.clone(), verb(on)?]);
    match (on, value.is_empty()) {
        (Some(on), true) => switched(on),
        (Some(false), false) | (None, true) => None,
        (on, false) => {
            let level = Token::of_property(side_of(device, left, false, vocabulary)?, lexicon);
            let set = Token::unsaid(Sense::Set { open: false });
            let mut told = Vec::new();
            if on.is_some() || opens {
                told = switched(true)?;
                told.push(Token { text: ",".into(), heard: None, senses: vec![Sense::Punctuation] });
            }
            told.extend([thing.clone(), level, set]);
            told.extend(value);
            Some(told)
        }
    }
}
