//! A device by the head of its name: `把泵合上` where the 水泵 is the only one, 毯子 for the 水暖毯.

use super::said::{clause, named, small, strange, switches};
use crate::home::DeviceIndex;
use crate::language::segment::Token;
use crate::language::sense::Sense;
use crate::language::vocabulary::Vocabulary;
use crate::text::normalize;

/// The words with the one device in place of the head of its name, where something is told beside it.
pub(super) fn by_their_heads(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    for at in 0..tokens.len() {
        if let Some(word) = Some(&tokens[at]).filter(|t| strange(t)).and_then(|t| made_small(&t.text, vocabulary)) {
            tokens[at] = word;
            continue;
        }
        let head = Some(&tokens[at]).filter(|t| strange(t)).and_then(|t| head(&t.text, vocabulary));
        if let Some(device) = head.filter(|_| is_told(&tokens, at, vocabulary)).and_then(|head| only(head, vocabulary))
        {
            tokens[at] = Token::of_device(device, &vocabulary.home);
        }
    }
    tokens
}

/// 帘儿 is 帘子, where the language knows the thing by one of these.
fn made_small(text: &str, vocabulary: &Vocabulary) -> Option<Token> {
    let head = head(text, vocabulary).filter(|head| *head != text)?;
    let mut words = vocabulary.lexicon.by_part.diminutives.iter().map(|small| format!("{head}{small}"));
    words.find_map(|text| {
        let senses = vocabulary.senses(&text);
        senses.iter().any(|s| matches!(s, Sense::Kind(_))).then_some(Token { text, heard: None, senses })
    })
}

/// `把泵合上`: what closes a circuit starts what is in it.
pub(super) fn in_a_circuit(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let (circuits, on) = (&lexicon.by_part.circuits, lexicon.verb("on"));
    for at in 1..tokens.len() {
        if !circuits.verbs.contains(&tokens[at].text) || !switches(&tokens[at], vocabulary) {
            continue;
        }
        let (begin, _) = clause(&tokens, at);
        let closes = |d: &DeviceIndex| {
            let name = normalize(&vocabulary.home.devices[*d].name);
            circuits.of.iter().any(|end| name.ends_with(end.as_str()))
        };
        if let Some(on) = on.filter(|_| named(&tokens[begin..at], vocabulary).is_some_and(|of| of.iter().all(closes))) {
            tokens[at] = Token::of_verb(on, lexicon);
        }
    }
    tokens
}

/// The head that a word is, with or without what makes it small: 壶, 壶儿, 毯子.
fn head<'v>(text: &str, vocabulary: &'v Vocabulary) -> Option<&'v str> {
    let by_part = &vocabulary.lexicon.by_part;
    let bare = by_part.diminutives.iter().find_map(|small| text.strip_suffix(small.as_str())).unwrap_or(text);
    by_part.heads.iter().find(|head| **head == bare).map(String::as_str)
}

/// The only device with a name that ends so.
fn only(head: &str, vocabulary: &Vocabulary) -> Option<DeviceIndex> {
    let ends = |d: &DeviceIndex| vocabulary.home.devices[*d].names().any(|name| normalize(name).ends_with(head));
    let mut found = (0..vocabulary.devices.len()).filter(ends);
    found.next().filter(|_| found.next().is_none())
}

/// Whether what is done stands right behind it or right before it: 锅里冒烟 tells nothing of a pot.
fn is_told(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> bool {
    let tells = |t: &Token| {
        let value = |s: &Sense| matches!(s, Sense::Set { .. } | Sense::Property(_) | Sense::Step { .. });
        (switches(t, vocabulary) || t.any(value)) && !t.is_entity()
    };
    let own = |t: &&Token| !small(t) || t.has(&Sense::Of);
    let begins = tokens[..at].iter().rev().find(own).is_none_or(|t| {
        let bound = |s: &Sense| {
            matches!(s, Sense::Punctuation | Sense::Conjunction | Sense::Sequence | Sense::Room(_) | Sense::Negation)
        };
        t.any(bound) && !t.is_entity() || tells(t) || t.has(&Sense::Particle)
    });
    let behind = tokens[at + 1..].iter().find(own);
    let ends = behind.is_none_or(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
    let before = tokens[..at].iter().rev().find(own).is_some_and(|t| switches(t, vocabulary));
    // 壶开了: the water boils.
    let boils = |t: &Token| {
        let on = t.any(|s| vocabulary.lexicon.switches(s) == Some(true));
        let changed = &vocabulary.lexicon.marks.changed;
        let mut clause = tokens[at + 1..].iter().take_while(|t| !t.has(&Sense::Punctuation));
        let past = clause.any(|t| t.text.ends_with(changed.as_str()));
        on && past && at.checked_sub(1).is_none_or(|before| !tokens[before].has(&Sense::Disposal))
    };
    begins && !behind.is_some_and(boils) && (behind.is_some_and(tells) || ends && before)
}
