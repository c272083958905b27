//! Channels that are said by their number alone (`电视换十五`, `电视放五套`), by their place in the row (`第八台`), or as the next one.

use super::super::lexicon::{Sense, Unit};
use super::super::number::Number;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal;
use super::recut::devices;
use crate::home::Domain;

/// The sentence with such a number as that of a channel: what is changed by a number is no volume.
pub(super) fn changed(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let mut tokens = by_one(ordinal(counted(tokens), vocabulary), vocabulary);
    let lexicon = &vocabulary.lexicon;
    let (Some(television), Some(channel)) = (lexicon.kind("television"), lexicon.property("channel")) else {
        return tokens;
    };
    let is_one = |t: &Token| {
        let all =
            |devices: Vec<usize>| !devices.is_empty() && devices.iter().all(|d| vocabulary.devices[*d].is(television));
        nominal::kind(t) == Some(television) || t.is_entity() && devices(t, vocabulary).is_some_and(all)
    };
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(n) if !n.percent)) && !t.is_entity();
    let ends = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle | Sense::Filler));
    for at in 1..tokens.len().saturating_sub(1) {
        let begin = tokens[..at].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
        let of = tokens[begin..at].iter().rposition(is_one).map(|of| begin + of);
        let (Some(of), true) = (of, number(&tokens[at + 1])) else { continue };
        if tokens[begin..at].iter().any(|t| nominal::property(t).is_some() && !t.is_entity()) {
            continue;
        }
        let next = tokens.get(at + 2);
        let counted = next.is_some_and(|t| lexicon.marks.channels.contains(&t.text) && !t.is_entity());
        let last = counted || next.is_none_or(ends);
        let word = lexicon.marks.tunes.contains(&tokens[at].text) && !tokens[at].is_entity();
        if counted && (word || of + 1 == at || tokens[at].any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare))) {
            tokens[at + 2].senses = vec![Sense::Unit(Unit::Channel)];
        }
        if word && last {
            let text = lexicon.properties[channel].words[0].clone();
            tokens[at].senses = vec![Sense::SetBare];
            tokens.insert(of + 1, Token { text, heard: None, senses: vec![Sense::Property(channel)] });
            return tokens;
        }
    }
    tokens
}

/// `两台都关了`: so many of what was spoken of, and no channel.
fn counted(mut tokens: Vec<Token>) -> Vec<Token> {
    for at in 1..tokens.len().saturating_sub(1) {
        let number = tokens[at - 1].any(|s| matches!(s, Sense::Number(_)));
        if number && tokens[at].has(&Sense::Measure) && tokens[at + 1].has(&Sense::Each) {
            tokens[at].senses.retain(|s| *s == Sense::Measure);
        }
    }
    tokens
}

/// `电视调到第八台`: the channel of that number.
fn ordinal(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let channel = vocabulary.lexicon.property("channel");
    let has = |d: &usize| channel.is_some_and(|channel| vocabulary.devices[*d].about(channel).is_some());
    let tuned = |t: &Token| devices(t, vocabulary).is_some_and(|of| of.iter().any(has));
    let ends = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle | Sense::Filler));
    for at in 1..tokens.len().saturating_sub(1) {
        let number = tokens[at].senses.iter().find_map(|s| if let Sense::Ordinal(n) = s { Some(*n) } else { None });
        let counts = tokens[at + 1].has(&Sense::Unit(Unit::Channel)) && tokens.get(at + 2).is_none_or(ends);
        let of = tokens[..at].rsplit(|t| t.has(&Sense::Punctuation)).next().is_some_and(|c| c.iter().any(tuned));
        if let Some(value) = number.filter(|_| counts && of) {
            tokens[at].senses = vec![Sense::Number(Number { value: f64::from(value), percent: false })];
            tokens[at + 1].senses = vec![Sense::Unit(Unit::Channel)];
        }
    }
    tokens
}

/// `频道加一` of what counts its channels: the next one.
fn by_one(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(channel) = vocabulary.lexicon.property("channel") else { return tokens };
    let counts = vocabulary.devices.iter().filter_map(|device| device.about(channel));
    let choices = counts.clone().any(|a| !matches!(a.domain, Some(Domain::Number { .. })));
    if choices || counts.count() == 0 {
        return tokens;
    }
    let words = &vocabulary.lexicon.properties[channel].words;
    for at in 0..tokens.len() {
        let choice = tokens[at].any(|s| matches!(s, Sense::Choice(_))) && !tokens[at].is_entity();
        let Some(rest) = words.iter().find_map(|word| tokens[at].text.strip_prefix(word.as_str())) else { continue };
        let way = vocabulary.senses(rest).into_iter().find(|s| matches!(s, Sense::Step { .. }));
        if let Some(way) = way.filter(|_| choice) {
            let name = tokens[at].text[..tokens[at].text.len() - rest.len()].to_owned();
            let step = Token { text: rest.to_owned(), heard: None, senses: vec![way] };
            tokens.splice(at..=at, [Token { text: name, heard: None, senses: vec![Sense::Property(channel)] }, step]);
            break;
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use crate::language::action::{Action, Amount};
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn a_bare_number_behind_what_tunes_is_a_channel() {
        for sentence in ["电视换十五", "电视换到十五套"] {
            let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}") };
            let [order] = &orders[..] else { panic!("{sentence}: {orders:?}") };
            let Action::Set { property: Some(_), to: Amount::Number(number, _) } = order.action else {
                panic!("{sentence}: {order:?}")
            };
            assert_eq!(number, 15.0, "{sentence}");
        }
    }

    #[test]
    fn a_number_of_something_else_is_none() {
        assert_ne!(at_home("空调换十五"), at_home("电视换十五"));
    }
}
