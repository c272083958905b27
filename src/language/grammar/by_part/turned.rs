//! Which way a camera is turned: `摄像头往左边扭扭` is its 左转.

use super::said::{choices, clause, cut, of_its_owner, only, text};
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::segment::Token;
use crate::language::sense::Sense;
use crate::language::vocabulary::Vocabulary;
use crate::text::normalize;

/// The words with the way that a thing is turned as the value that it has for it.
pub(super) fn to_a_side(mut tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let turned = &vocabulary.lexicon.turned;
    let toward = |t: &Token| turned.toward.iter().any(|word| t.text.starts_with(word.as_str())) && !t.is_entity();
    let mut at = 0;
    while at < tokens.len() {
        let (begin, end) = clause(&tokens, at);
        let way = Some(at).filter(|at| toward(&tokens[*at])).and_then(|at| way(&tokens, at, end, vocabulary));
        let Some((way, end)) = way.and_then(|(way, length)| Some((way, cut(&mut tokens, at, length)?))) else {
            at += 1;
            continue;
        };
        // 镜头 is that of the only thing that turns.
        let of = |t: &Token| super::said::named(std::slice::from_ref(t), vocabulary).is_some();
        let first = (begin..at).find(|from| turned.lens.iter().any(|lens| text(&tokens[*from..at]) == *lens));
        let owned = tokens[begin..at].iter().any(of);
        let found = |d: DeviceIndex| value(way, d, vocabulary);
        let known =
            (owned || first.is_some()).then(|| only(&tokens[begin..first.unwrap_or(at)], vocabulary, local, found));
        if let Some((owner, value)) = known.flatten() {
            let value = Token { text: value, heard: None, senses: vec![Sense::Value] };
            let said = of_its_owner(owner, [Token::unsaid(Sense::Set { open: false }), value], vocabulary);
            let from = first.unwrap_or(at);
            let grown = said.len();
            tokens.splice(from..end, said);
            at = from + grown;
        }
        at += 1;
    }
    tokens
}

/// The words for the side that is said, and how many characters say that it turns there.
fn way<'v>(tokens: &[Token], at: usize, end: usize, vocabulary: &'v Vocabulary) -> Option<(&'v [String], usize)> {
    let turned = &vocabulary.lexicon.turned;
    let said = text(&tokens[at..end]);
    let length = said.chars().count();
    let rest = turned.toward.iter().find_map(|word| said.strip_prefix(word.as_str()))?;
    let (way, rest) = turned.ways.iter().find_map(|way| Some((way, rest.strip_prefix(way.first()?.as_str())?)))?;
    let rest = super::said::without(rest, &turned.sides).unwrap_or(rest);
    let moves = rest.starts_with(|c| turned.moves.contains(c));
    let rest = rest.trim_start_matches(|c| turned.moves.contains(c) || turned.after.contains(c));
    moves.then(|| (way.as_slice(), length - rest.chars().count()))
}

/// The one value by which a device turns that way, if it turns in several.
fn value(way: &[String], device: DeviceIndex, vocabulary: &Vocabulary) -> Option<String> {
    let ways = &vocabulary.lexicon.turned.ways;
    let mut found = choices(device, vocabulary).filter_map(|(_, values)| {
        let names: Vec<String> = values.iter().map(|choice| normalize(&choice.describe)).collect();
        let says = |name: &&String, way: &[String]| {
            let turn = |c: char| vocabulary.lexicon.turned.moves.contains(c);
            way.iter().any(|word| name.contains(word.as_str())) && name.chars().any(turn)
        };
        let turns = ways.iter().filter(|way| names.iter().filter(|name| says(name, way)).count() == 1).count() > 1;
        let mut of = names.iter().filter(|name| says(name, way));
        of.next().filter(|_| turns && of.next().is_none()).cloned()
    });
    found.next().filter(|_| found.next().is_none())
}
