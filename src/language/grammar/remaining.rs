//! What alone shall remain: `只留主灯`, `客厅只留一个落地灯`.

use super::super::lexicon::Sense;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::recut::devices;
use super::{SpeakerContext, keep, nominal};

/// `只留主灯`, and nothing said of the others: the others of its kind in its room end. What is said of them is of that room as well.
pub(super) fn only_these(mut tokens: Vec<Token>, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let only = |t: &Token| {
        let begins = lexicon.marks.only.iter().any(|only| t.text.starts_with(only.as_str()));
        begins && t.has(&Sense::ExceptOpen) && !t.is_entity()
    };
    let Some(at) = tokens.iter().position(only) else { return tokens };
    let placed = |t: &Token| nominal::place(t).is_some();
    if !tokens[..at].iter().all(|t| keep::is_empty(t) || placed(t) || t.has(&Sense::Of)) {
        return tokens;
    }
    let Some((named, read)) = nominal::read(&tokens[at + 1..], 0, vocabulary) else { return tokens };
    let end = at + 1 + read;
    // 只留主卧的灯 says nothing of which others.
    if !named.places.is_empty() {
        return tokens;
    }
    let said_where = tokens[..at].iter().any(placed);
    let room = keep::room_of(&named, false, vocabulary, speaker).filter(|_| !said_where);
    let of = tokens[at + 1..end].iter().find_map(|t| devices(t, vocabulary)).unwrap_or_default();
    let kinds: Vec<Option<usize>> = of.iter().map(|d| vocabulary.devices[*d].kinds.first().copied()).collect();
    let (Some(Some(kind)), Some(off)) = (kinds.first().copied(), lexicon.verb("off")) else { return tokens };
    if kinds.iter().any(|other| *other != Some(kind)) {
        return tokens;
    }
    let small = |t: &&Token| keep::is_empty(t) || t.has(&Sense::ExceptClose);
    let pauses = tokens[end..].iter().take_while(small).count();
    let ends = end + pauses == tokens.len();
    let others = tokens.get(end + pauses).is_some_and(|t| t.has(&Sense::Other));
    let room = room.map(|room| Token::unsaid(Sense::Room(room)));
    if ends {
        let place: Vec<Token> = tokens[..at].iter().filter(|t| placed(t)).cloned().collect();
        let mut told = tokens[at..end].to_vec();
        told.push(Token::unsaid(Sense::ExceptClose));
        told.extend(room.into_iter().chain(place));
        let text = lexicon.kinds[kind].words[0].clone();
        told.extend([Token::unsaid(Sense::Other), Token { text, heard: None, senses: vec![Sense::Kind(kind)] }]);
        told.push(Token::unsaid(Sense::Verb(off)));
        return told;
    }
    if let (true, Some(room)) = (others, room) {
        tokens.splice(end..end + pauses, [Token::unsaid(Sense::ExceptClose), room]);
    }
    tokens
}
