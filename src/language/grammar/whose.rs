//! Whose something is that only one thing of the home has: `采暖温度` of the boiler, the `帘子` of a skylight, `屏幕的灯`.

use super::super::lexicon::{PropertyId, Sense};
use super::super::meaning::kinds_of_name;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{is_thing, kind, place, property, sort};
use super::recut::devices;
use crate::text::normalize;

/// The sentence with what is said in the home's own words as what its thing has.
pub(super) fn told_by_its_words(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    felt_before(
        named_by_what_it_has(blind_of_it(lamp_of_display(tokens, vocabulary), vocabulary), vocabulary),
        vocabulary,
    )
}

/// `采暖温度低五度`, `脱水转速高一点`: a name that only one thing has for a property is said of that thing.
fn named_by_what_it_has(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let mut at = 0;
    while at < tokens.len() {
        let begin = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
        let clause = tokens[begin..].split(pause).next().unwrap_or_default();
        let named = |t: &Token| is_thing(t) || t.is_entity() || place(t).is_some() || t.has(&Sense::Reference);
        let told = |t: &Token| {
            let told = |s: &Sense| {
                matches!(
                    s,
                    Sense::Set { .. }
                        | Sense::Step { .. }
                        | Sense::Degree { .. }
                        | Sense::Direction { .. }
                        | Sense::Make
                        | Sense::Number(_)
                )
            };
            t.any(told) && !t.is_entity()
        };
        if !clause.iter().any(named)
            && tokens.get(at + 1).is_some_and(told)
            && let Some(device) = only_owner(&tokens[at], vocabulary)
        {
            tokens.insert(at, Token::of_device(device, &vocabulary.home));
            at += 1;
        }
        at += 1;
    }
    tokens
}

/// The one thing that calls a property of the language by a word that the language does not have for it.
fn only_owner(token: &Token, vocabulary: &Vocabulary) -> Option<usize> {
    let what = property(token).filter(|_| !token.is_entity() && token.senses.len() == 1)?;
    let entry = &vocabulary.lexicon.properties[what];
    if entry.own || entry.words.contains(&token.text) || token.text.chars().count() < 2 {
        return None;
    }
    let calls = |device: &usize| {
        let own = &vocabulary.home.devices[*device];
        vocabulary.devices[*device]
            .abilities
            .iter()
            .filter(|a| a.writable && a.property == Some(what))
            .any(|a| normalize(a.called(own)).starts_with(&token.text))
    };
    let mut owners = (0..vocabulary.devices.len()).filter(calls);
    let others = (0..vocabulary.devices.len()).filter(|d| vocabulary.devices[*d].about(what).is_some()).count();
    owners.next().filter(|_| owners.next().is_none() && others > 1)
}

/// `天窗的帘子拉上`, `天窗遮阳帘`: what hangs there, where a window has one of its own.
fn blind_of_it(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(blind) = vocabulary.lexicon.kind("blind") else { return tokens };
    let curtain = |t: &Token| kind(t).or_else(|| sort(t)) == Some(blind) && !t.is_entity();
    for at in 0..tokens.len() {
        if !curtain(&tokens[at]) {
            continue;
        }
        // 天窗帘 is cut as one word.
        let joined = (1..tokens[at].text.len()).filter(|cut| tokens[at].text.is_char_boundary(*cut)).find_map(|cut| {
            let (thing, what) = tokens[at].text.split_at(cut);
            let senses = vocabulary.senses(thing);
            let named = senses.iter().any(|s| matches!(s, Sense::Devices(devices) if devices.len() == 1));
            let hangs = kinds_of_name(what, &vocabulary.lexicon).contains(&blind);
            (named && hangs).then(|| Token { text: thing.to_owned(), heard: None, senses })
        });
        let linked = tokens[..at].iter().rev().take_while(|t| t.has(&Sense::Of) && !t.is_entity()).count();
        let owner = match (&joined, at.checked_sub(linked + 1)) {
            (Some(thing), _) => thing,
            (None, Some(owner)) => &tokens[owner],
            (None, None) => continue,
        };
        let of = devices(owner, vocabulary).unwrap_or_default();
        let ([device], true) = (&of[..], owner.is_entity()) else { continue };
        let Some(hung) = hung_there(*device, blind, vocabulary) else { continue };
        let text = vocabulary.lexicon.properties[hung].words[0].clone();
        let named = Token { text, heard: None, senses: vec![Sense::Property(hung)] };
        let begin = if joined.is_some() { at } else { at - linked };
        // 天窗帘 leaves 子 behind.
        let rest = tokens.get(at + 1).is_some_and(|t| t.is_residue() && t.text.chars().count() == 1);
        let end = at + 1 + usize::from(joined.is_some() && rest);
        tokens.splice(begin..end, joined.into_iter().chain([named]));
        return tokens;
    }
    tokens
}

/// What a thing that is no blind calls the one that it has.
fn hung_there(device: usize, blind: usize, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let of = &vocabulary.devices[device];
    let mut own = of.abilities.iter().filter(|a| a.writable).filter_map(|a| a.property).filter(|p| {
        let property = &vocabulary.lexicon.properties[*p];
        property.own && property.words.iter().any(|word| kinds_of_name(word, &vocabulary.lexicon).contains(&blind))
    });
    own.next().filter(|_| own.next().is_none() && !of.is(blind))
}

/// `空调屏幕的灯关一下`: the light of a display is the display.
fn lamp_of_display(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(light) = vocabulary.lexicon.kind("light") else { return tokens };
    for at in 2..tokens.len() {
        let lamp = kind(&tokens[at]) == Some(light) && !tokens[at].is_entity();
        if !lamp || !tokens[at - 1].has(&Sense::Of) {
            continue;
        }
        let shown = property(&tokens[at - 2]).filter(|_| !tokens[at - 2].is_entity()).is_some_and(|p| {
            let property = &vocabulary.lexicon.properties[p];
            let lit = |word: &String| kinds_of_name(word, &vocabulary.lexicon).contains(&light);
            property.own && property.flag && property.words.iter().any(lit)
        });
        if shown {
            tokens.drain(at - 1..=at);
            return tokens;
        }
    }
    tokens
}

/// `水暖毯右边冷，高两度`, `马桶座圈凉了，调到三档`: how it is found to be, before what it shall be is told.
fn felt_before(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let own = |t: &Token| !t.is_entity();
    let felt = |t: &Token| own(t) && t.any(|s| matches!(s, Sense::Direction { .. }));
    let sets = |t: &Token| {
        let sets = |s: &Sense| matches!(s, Sense::Set { .. } | Sense::Step { .. } | Sense::Degree { .. } | Sense::Make);
        own(t) && t.any(sets)
    };
    for at in 1..tokens.len() {
        let changed = tokens.get(at + 1).is_some_and(|t| t.text == vocabulary.lexicon.marks.changed);
        let end = at + 1 + usize::from(changed);
        let of = property(&tokens[at - 1]).filter(|_| own(&tokens[at - 1]));
        if of.is_none() || !felt(&tokens[at]) || !tokens.get(end).is_some_and(pause) {
            continue;
        }
        let next = tokens[end + 1..].split(pause).next().unwrap_or_default();
        let named = |t: &Token| is_thing(t) || t.is_entity() || place(t).is_some();
        if next.first().is_some_and(sets) && !next.iter().any(named) {
            tokens.drain(at..=end);
            return tokens;
        }
    }
    tokens
}
