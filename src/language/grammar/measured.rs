//! Who is told by what it has: `龙鱼缸水温` is that of the `龙鱼缸探头`, and `空调那个屏幕灯` is no air conditioner.

use super::super::meaning::Ability;
use super::super::segment::Token;
use super::super::sense::Sense;
use super::super::vocabulary::Vocabulary;
use crate::text::{is_han, normalize};

/// Characters of a part of a name, at the least.
const LEAST: usize = 2;

/// The sentence with the one thing in place of the words that are a part of its name and stand before what it has.
pub(super) fn told_by_property(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let mut at = 1;
    while at < tokens.len() {
        let start = at - tokens[..at].iter().rev().take_while(|t| unknown(t)).count();
        let part: String = tokens[start..at].iter().map(|t| t.text.as_str()).collect();
        let asked = tokens.get(at + 1).is_some_and(|t| t.any(|s| matches!(s, Sense::Compare(_) | Sense::Question(_))));
        let name = (part.chars().count() >= LEAST).then(|| called(&part, &tokens[at], asked, vocabulary)).flatten();
        if let Some(name) = name {
            tokens.splice(start..at, [name]);
            at = start + 1;
        }
        at += 1;
    }
    tokens
}

/// `空调那个屏幕灯`: what is pointed at belongs to the thing before, and is not that thing, where nobody knows what it is. In
/// `桌上那盏关了` it is that thing itself.
pub(super) fn pointed_part(mut tokens: Vec<Token>) -> Vec<Token> {
    for at in 1..tokens.len().saturating_sub(1) {
        let thing = tokens[at - 1].any(|s| matches!(s, Sense::Devices(_) | Sense::Kind(_) | Sense::Sort(_)));
        let pointer = |t: &Token| t.has(&Sense::Reference) && !t.is_entity();
        if !thing || !pointer(&tokens[at]) {
            continue;
        }
        if unknown(&tokens[at + 1]) {
            tokens[at].senses = vec![Sense::Of];
            continue;
        }
        let measured = at + 1 + usize::from(tokens[at + 1].has(&Sense::Measure) && !tokens[at + 1].is_entity());
        let done = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. })) && !t.is_entity();
        if tokens.get(measured).is_some_and(done) {
            tokens[at..measured].iter_mut().for_each(|t| t.senses = vec![Sense::Filler]);
        }
    }
    tokens
}

fn unknown(token: &Token) -> bool {
    token.is_residue() && token.text.chars().all(is_han)
}

/// The only device with a part of that name that has the property which a word names; of several, where it is asked for, the
/// only one that measures it.
fn called(part: &str, property: &Token, asked: bool, vocabulary: &Vocabulary) -> Option<Token> {
    let of = |s: &Sense| if let Sense::Property(property) = s { Some(*property) } else { None };
    let property = property.senses.iter().find_map(of).filter(|_| !property.is_entity())?;
    let has = |device: usize, measures: bool| {
        let own = |a: &Ability| a.property == Some(property) && !(measures && a.writable);
        vocabulary.devices[device].abilities.iter().any(own)
    };
    let devices = vocabulary.home.devices.iter().enumerate();
    let bears = devices.filter(|(_, device)| device.names().any(|name| normalize(name).contains(part)));
    let found: Vec<usize> = bears.map(|(index, _)| index).filter(|index| has(*index, false)).collect();
    let measuring: Vec<usize> = found.iter().copied().filter(|index| asked && has(*index, true)).collect();
    let (([index], _) | (_, [index])) = (&found[..], &measuring[..]) else { return None };
    Some(Token::of_device(*index, &vocabulary.home))
}
