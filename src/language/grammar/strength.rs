//! How strong an air conditioner blows: `空调开大点`, `空调开到最大`. By its degrees that would be the other way where it cools.

use super::super::lexicon::{Lexicon, PropertyId, Sense, Unit};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{self, property};
use super::recut::devices;

/// The sentence with what is said of its strength.
pub(super) fn of_the_wind(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let (Some(cools), Some(speed)) = (lexicon.kind("air_conditioner"), lexicon.property("speed")) else {
        return tokens;
    };
    let is_one = |t: &Token| {
        let all = |devices: Vec<usize>| !devices.is_empty() && devices.iter().all(|d| vocabulary.devices[*d].is(cools));
        let kind = nominal::kind(t) == Some(cools) && !lexicon.kinds[cools].inverse.contains(&t.text);
        kind || t.is_entity() && devices(t, vocabulary).is_some_and(all)
    };
    let how = |s: &Sense| matches!(s, Sense::Degree { .. } | Sense::Step { .. } | Sense::Extreme(_));
    let strong = |t: &Token| {
        let much = lexicon.marks.strong.iter().any(|word| t.text.ends_with(word.as_str()));
        much && t.any(how) && !t.is_entity()
    };
    parted_values(&mut tokens, lexicon);
    by_itself(&mut tokens, speed, vocabulary);
    let mut at = 1;
    while at < tokens.len() {
        let begin = tokens[..at].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
        let before = &tokens[begin..at];
        let named = before.iter().any(|t| {
            let value = t.any(|s| matches!(s, Sense::Feature(_) | Sense::Choice(_) | Sense::Number(_)));
            property(t).is_some() || value && !t.any(|s| matches!(s, Sense::Verb(_)))
        });
        let found = before.last().is_some_and(|t| t.any(|s| matches!(s, Sense::Reason | Sense::Not | Sense::Negation)));
        let one = before.iter().rposition(is_one).map(|one| begin + one + 1);
        // 空调小一度 is fewer degrees.
        let of_degrees = tokens[at + 1..].iter().take(2).any(|t| t.has(&Sense::Unit(Unit::Celsius)) && !t.is_entity());
        if let Some(behind) = one.filter(|_| strong(&tokens[at]) && !named && !found && !of_degrees) {
            let text = lexicon.properties[speed].words[0].clone();
            tokens.insert(behind, Token { text, heard: None, senses: vec![Sense::Property(speed)] });
            at += 1;
        }
        at += 1;
    }
    tokens
}

/// `空调25低风`: two values, and no number of winds.
fn parted_values(tokens: &mut Vec<Token>, lexicon: &Lexicon) {
    let blows = |t: &Token| {
        let value = t.any(|s| matches!(s, Sense::Choice(_))) && !t.is_entity();
        value && lexicon.marks.winds.iter().any(|wind| t.text.ends_with(wind.as_str()) && t.text != *wind)
    };
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    for at in (1..tokens.len()).rev() {
        if blows(&tokens[at]) && number(&tokens[at - 1]) {
            tokens.insert(at, pause());
        }
    }
}

fn pause() -> Token {
    Token { text: ",".into(), heard: None, senses: vec![Sense::Punctuation] }
}

/// `空调26度 自动风`: that the wind is set by itself, and not what the thing does.
fn by_itself(tokens: &mut Vec<Token>, speed: PropertyId, vocabulary: &Vocabulary) {
    let lexicon = &vocabulary.lexicon;
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        let cut = lexicon.marks.winds.iter().find_map(|wind| token.text.strip_suffix(wind.as_str()));
        let chosen =
            |t: &[Sense]| t.iter().find_map(|s| if let Sense::Choice(choice) = s { Some(*choice) } else { None });
        let value = cut.filter(|value| {
            let same = chosen(&token.senses).is_some_and(|choice| chosen(lexicon.senses(value)) == Some(choice));
            value.chars().count() > 1 && same && !token.is_entity() && !vocabulary.is_offered(&token.text)
        });
        let named = at > 0 && property(&tokens[at - 1]) == Some(speed);
        if let Some(value) = value.map(str::to_owned).filter(|_| !named) {
            let senses = tokens[at].senses.clone();
            let wind = lexicon.properties[speed].words[0].clone();
            let wind = Token { text: wind, heard: None, senses: vec![Sense::Property(speed)] };
            // 除湿自动风 is no wind that dries.
            let apart = at > 0 && chosen(&tokens[at - 1].senses).is_some();
            let value = Token { text: value, heard: None, senses };
            let parts: Vec<Token> = apart.then(pause).into_iter().chain([wind, value]).collect();
            let end = at + parts.len();
            tokens.splice(at..=at, parts);
            at = end;
        } else {
            at += 1;
        }
    }
}
