//! How hard a thing presses, in the words that people have for it: `按摩椅重一点`, `劲儿大点`, `按得太重了`, `气囊松一点`.

use super::super::lexicon::{PropertyId, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::property;
use super::recut::devices;
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::command::Type;

/// The sentence with that as its force, of the thing that is named, or of the only one in the speaker's room.
pub(super) fn how_hard(tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let mut said: Vec<Token> = Vec::with_capacity(tokens.len());
    let alone = !tokens.iter().any(pause);
    for clause in tokens.split_inclusive(pause) {
        let (clause, end) = clause.split_at(clause.len() - usize::from(clause.last().is_some_and(pause)));
        let told = told(clause, &said, alone, vocabulary, local);
        said.extend(told.unwrap_or_else(|| clause.to_vec()));
        said.extend_from_slice(end);
    }
    said
}

/// A clause with the force as a property that becomes more or less.
fn told(
    clause: &[Token],
    before: &[Token],
    alone: bool,
    vocabulary: &Vocabulary,
    local: Option<RoomIndex>,
) -> Option<Vec<Token>> {
    let named = |t: &Token| devices(t, vocabulary).is_some_and(|of| !of.is_empty());
    let thing = clause.iter().rposition(named);
    let begin = thing.map_or(0, |thing| thing + 1);
    // 气囊松一点
    let own = |t: &Token| property(t).filter(|p| vocabulary.lexicon.properties[*p].own && !t.is_entity());
    let part = clause.get(begin).and_then(own);
    let rest = &clause[begin + usize::from(part.is_some())..];
    // 按摩轻柔 of a bed that has 轻柔 as a value.
    let value = |t: &Token| t.any(|s| matches!(s, Sense::Value | Sense::Choice(_)));
    if rest.is_empty() || rest.iter().any(Token::is_entity) || matches!(rest, [one] if value(one)) {
        return None;
    }
    let text: String = rest.iter().map(|t| t.text.as_str()).collect();
    let (up, plain) = way(&text, part.is_some(), vocabulary)?;
    let degree =
        [Token { text: text.clone(), heard: None, senses: vec![Sense::Degree { up }] }, Token::unsaid(Sense::Little)];
    if part.is_some() {
        return Some(clause[..clause.len() - rest.len()].iter().cloned().chain(degree).collect());
    }
    let mentioned = || before.iter().rfind(|t| named(t));
    let of = match thing.map(|thing| &clause[thing]).or_else(mentioned) {
        Some(thing) => devices(thing, vocabulary)?,
        // 轻点 may be said of what plays, and of nothing at all.
        None if alone || !plain => in_room(plain, vocabulary, local?)?,
        None => return None,
    };
    let mut pressing = of.into_iter().filter_map(|d| Some((d, force_of(d, vocabulary)?)));
    let (device, force) = pressing.next()?;
    if pressing.next().is_some() {
        return None;
    }
    // Whoever is asked, a place.
    let lead = &clause[..begin.saturating_sub(1)];
    let thing = Token::of_device(device, &vocabulary.home);
    let named = [thing, Token::of_property(force, &vocabulary.lexicon)];
    Some(lead.iter().cloned().chain(named).chain(degree).collect())
}

/// Which way words say that it shall be pressed, and whether they may be of a voice as well (轻点). `loose`: of a part, which can
/// be tight or loose.
fn way(text: &str, loose: bool, vocabulary: &Vocabulary) -> Option<(bool, bool)> {
    let pressing = &vocabulary.lexicon.pressing;
    let strip = |text: &'_ mut &str, words: &[String]| {
        let found = words.iter().filter(|word| text.starts_with(word.as_str())).max_by_key(|word| word.len());
        if let Some(word) = found {
            *text = &text[word.len()..];
        }
        found.is_some()
    };
    let mut rest = text;
    let mut said: Option<bool> = None;
    let mut plain = true;
    while !rest.is_empty() {
        while strip(&mut rest, &pressing.before) {
            plain = false;
        }
        if rest.is_empty() {
            break;
        }
        let too = strip(&mut rest, &pressing.overly);
        let (tight, slack) = (strip_of(rest, &pressing.tighter), strip_of(rest, &pressing.looser));
        let (hard, soft) = (strip_of(rest, &pressing.harder), strip_of(rest, &pressing.softer));
        let (up, length) = match (hard.or(tight.filter(|_| loose)), soft.or(slack.filter(|_| loose))) {
            (Some(length), None) => (true, length),
            (None, Some(length)) => (false, length),
            _ => return None,
        };
        plain &= soft.is_some();
        // 使点劲 says how much, 重 does not.
        let mut graded = too || rest[..length].chars().count() > 1;
        rest = &rest[length..];
        let up = up != too;
        while strip(&mut rest, &pressing.after) {
            graded = true;
        }
        if !graded || said.is_some_and(|said| said != up) {
            return None;
        }
        said = Some(up);
    }
    said.map(|up| (up, plain))
}

fn strip_of(text: &str, words: &[String]) -> Option<usize> {
    words.iter().filter(|word| text.starts_with(word.as_str())).map(String::len).max()
}

/// What stands in a room; nothing where what was said may be of what plays there.
fn in_room(plain: bool, vocabulary: &Vocabulary, room: RoomIndex) -> Option<Vec<DeviceIndex>> {
    let stands = |d: &DeviceIndex| vocabulary.home.devices[*d].room == Some(room);
    let of: Vec<DeviceIndex> = (0..vocabulary.devices.len()).filter(stands).collect();
    let plays = |d: &DeviceIndex| {
        let kinds = &vocabulary.devices[*d].kinds;
        kinds.iter().any(|k| matches!(vocabulary.lexicon.kinds[*k].kind, Type::Television | Type::NetworkAudio))
    };
    (!(plain && of.iter().any(plays))).then_some(of)
}

/// What a device calls the force with which it presses.
fn force_of(device: DeviceIndex, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let words = |p: &PropertyId| &vocabulary.lexicon.properties[*p].words;
    let exact = |p: &PropertyId| words(p).iter().any(|word| vocabulary.lexicon.marks.force.contains(word));
    let part = |p: &PropertyId| {
        words(p).iter().any(|word| vocabulary.lexicon.marks.force.iter().any(|force| word.ends_with(force.as_str())))
    };
    let own = |p: &PropertyId| vocabulary.lexicon.properties[*p].own;
    let found =
        || vocabulary.devices[device].abilities.iter().filter(|a| a.writable).filter_map(|a| a.property).filter(own);
    let mut parts = found().filter(part);
    found().find(exact).or_else(|| parts.next().filter(|_| parts.next().is_none()))
}
