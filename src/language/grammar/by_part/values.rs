//! A value by a part of its name, where it is pointed at as one of its sort: `换成自然的那种` (自然风), `拨到音乐那个台`, `换个女的`.

use super::said::{choices, clause, named, only_near, sets, strange, text};
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::grammar::nominal::property;
use crate::language::lexicon::PropertyId;
use crate::language::meaning::Ability;
use crate::language::segment::Token;
use crate::language::sense::Sense;
use crate::language::vocabulary::Vocabulary;
use crate::text::{is_han, normalize};

/// Characters of a part of a name, at the least.
const LEAST: usize = 2;

/// The words with the values by their names.
pub(super) fn pointed_at(mut tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let mut at = 0;
    while at + 1 < tokens.len() {
        let (begin, end) = clause(&tokens, at);
        // 不对，是床单那个程序
        let is = tokens[at].has(&Sense::Is) && tokens[begin..at].iter().any(|t| t.has(&Sense::Correction));
        if (sets(&tokens[at]) || is) && at + 1 < end {
            let of_a_thing = named(&tokens[begin..at], vocabulary).is_some();
            // 洗床单那个程序: what is done with it is in no name of a value.
            let does =
                |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && t.text.chars().count() == 1 && !t.is_entity();
            let from = at + 1 + usize::from(at + 2 < end && does(&tokens[at + 1]) && strange(&tokens[at + 2]));
            let (said, end) = said(&tokens, from, end, of_a_thing, vocabulary);
            // 颜色 that is set to what is one of something else is left as it was said.
            let of = tokens[begin..at].iter().rev().find_map(property);
            let found = |d: DeviceIndex| said.as_deref().and_then(|said| meant(said, d, of_a_thing, of, vocabulary));
            if let Some((owner, value)) = only_near(&tokens[begin..at], vocabulary, local, found) {
                let mut senses = vocabulary.senses(&value);
                senses.retain(|s| matches!(s, Sense::Value | Sense::Choice(_)));
                if senses.is_empty() {
                    senses.push(Sense::Value);
                }
                tokens.splice(at + 1..end, [Token { text: value, heard: None, senses }]);
                if let Some(device) = owner {
                    tokens.insert(at, Token::of_device(device, &vocabulary.home));
                    at += 1;
                }
            }
        }
        at += 1;
    }
    tokens
}

/// What is said of the value that is pointed at, and where those words end.
fn said(
    tokens: &[Token],
    from: usize,
    end: usize,
    of_a_thing: bool,
    vocabulary: &Vocabulary,
) -> (Option<String>, usize) {
    let by_part = &vocabulary.lexicon.by_part;
    let particle = |t: &&Token| t.has(&Sense::Particle) && !t.has(&Sense::Of) && !t.is_entity();
    let end = end - tokens[from..end].iter().rev().take_while(particle).count();
    let words = text(&tokens[from..end]);
    let plain = |said: &str| {
        let said = by_part.like.iter().find_map(|like| said.strip_suffix(like.as_str())).unwrap_or(said);
        Some(said.to_owned()).filter(|said| !said.is_empty() && said.chars().all(is_han))
    };
    let pointed = by_part.pointers.iter().filter_map(|pointer| {
        let at = words.find(pointer.as_str()).filter(|at| *at > 0)?;
        let noun = &words[at + pointer.len()..];
        let sort = noun.is_empty() || by_part.sorts.iter().any(|sort| sort == noun);
        sort.then(|| words[..at].to_owned())
    });
    if let Some(said) = pointed.min_by_key(String::len) {
        return (plain(&said), end);
    }
    // 收音机换到戏曲台: strange to the language but for what such values are.
    let bare = by_part.sorts.iter().filter_map(|sort| words.strip_suffix(sort.as_str())).min_by_key(|said| said.len());
    let unknown = tokens[from..end].first().is_some_and(strange);
    if let Some(said) = bare.filter(|said| unknown && of_a_thing && said.chars().count() >= LEAST) {
        return (plain(said), end);
    }
    (None, end)
}

/// The one value of a device that is meant: it is called so or what is taken for it, begins or ends so, or holds what is said last.
pub(super) fn meant(
    said: &str,
    device: DeviceIndex,
    of_a_thing: bool,
    of: Option<PropertyId>,
    vocabulary: &Vocabulary,
) -> Option<String> {
    let about = |a: &Ability| of.is_none() || a.property == of || a.kin == of;
    let several = choices(device, vocabulary).filter(|(a, values)| values.len() > 1 && about(a));
    let values: Vec<String> =
        several.flat_map(|(_, values)| values).map(|choice| normalize(&choice.describe)).collect();
    let one = |test: &dyn Fn(&str) -> bool| {
        let mut found = values.iter().filter(|value| test(value));
        let first = found.next()?;
        found.all(|value| value == first).then(|| first.clone())
    };
    let whole = said.chars().count() >= LEAST;
    let called = |value: &str| value == said && (whole || of_a_thing);
    if let Some(value) = one(&|value| called(value) || vocabulary.lexicon.are_alike(value, said)) {
        return Some(value);
    }
    let edge = |value: &str| whole && (value.starts_with(said) || value.ends_with(said));
    if let Some(value) = one(&edge) {
        return Some(value);
    }
    let ends = said.char_indices().skip(1).map(|(at, _)| &said[at..]).filter(|end| end.chars().count() >= LEAST);
    ends.into_iter().filter(|_| of_a_thing).find_map(|end| one(&|value| value.contains(end)))
}
