//! How strong an air conditioner blows: `空调开大点`, `空调开到最大`. By its degrees that would be the other way where it cools.

use super::super::lexicon::{Extreme, KindId, Lexicon, PropertyId, Sense, Unit};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{self, property};
use super::recut::{devices, offers};

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
    of_the_air(&mut tokens, cools, vocabulary);
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

/// `冷气开大`, `热风小一点`: more of the cold is fewer degrees, and more of the warm is more of them.
fn of_the_air(tokens: &mut Vec<Token>, cools: KindId, vocabulary: &Vocabulary) {
    let lexicon = &vocabulary.lexicon;
    let Some(temperature) = lexicon.property("temperature") else { return };
    let cold = |t: &Token| lexicon.kinds[cools].inverse.contains(&t.text) && !t.is_entity();
    let other = |t: &Token| {
        let own = t.any(|s| matches!(s, Sense::Property(_) | Sense::Feature(_)));
        let of = |kind: KindId| vocabulary.devices.iter().any(|d| d.is(kind));
        let stands = nominal::kind(t).or_else(|| nominal::sort(t)).is_some_and(of);
        let offers = |d: usize| !vocabulary.devices[d].is(cools) && offers(d, &t.text, vocabulary);
        own || stands || (0..vocabulary.devices.len()).any(offers)
    };
    let warm = |t: &Token| lexicon.marks.warm_air.contains(&t.text) && !t.is_entity() && !other(t);
    let small = |t: &&Token| {
        let makes = t.any(|s| matches!(s, Sense::Make | Sense::Set { .. } | Sense::SetBare | Sense::Filler));
        makes && !t.any(|s| matches!(s, Sense::Degree { .. } | Sense::Step { .. }))
    };
    for at in (0..tokens.len()).rev() {
        let (is_cold, is_warm) = (cold(&tokens[at]), warm(&tokens[at]));
        let how = at + 1 + tokens[at + 1..].iter().take_while(small).count();
        // 冷气大 is how it is.
        let told = how > at + 1 || tokens.get(how + 1).is_some_and(|t| t.has(&Sense::Little));
        let much = |t: &&mut Token| {
            let strong = lexicon.marks.strong.iter().any(|word| t.text.ends_with(word.as_str()));
            strong
                && t.any(|s| match s {
                    Sense::Degree { .. } => told,
                    Sense::Step { .. } | Sense::Extreme(_) => true,
                    _ => false,
                })
        };
        let Some(token) = tokens.get_mut(how).filter(|t| (is_cold || is_warm) && much(t)) else { continue };
        for sense in token.senses.iter_mut().filter(|_| is_cold) {
            match sense {
                Sense::Degree { up } | Sense::Step { up } => *up = !*up,
                Sense::Extreme(Extreme::Max) => *sense = Sense::Extreme(Extreme::Min),
                Sense::Extreme(Extreme::Min) => *sense = Sense::Extreme(Extreme::Max),
                _ => {}
            }
        }
        // 空调冷气开大点
        let clause = tokens[..at].iter().rev().take_while(|t| !t.has(&Sense::Punctuation));
        let named = clause.into_iter().any(|t| nominal::is_thing(t) || nominal::kind(t).is_some());
        let thing = lexicon.kinds[cools].words[0].clone();
        let thing = Token { text: thing, heard: None, senses: vec![Sense::Kind(cools)] };
        let warms = [Token::of_property(temperature, lexicon)];
        tokens.splice(at..=at, Some(thing).filter(|_| !named).into_iter().chain(warms));
    }
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
