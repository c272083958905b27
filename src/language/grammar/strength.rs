//! How strong an air conditioner blows: `空调开大点`, `空调开到最大`. By its degrees that would be the other way where it cools.

use super::super::lexicon::Sense;
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
        if let Some(behind) = one.filter(|_| strong(&tokens[at]) && !named && !found) {
            let text = lexicon.properties[speed].words[0].clone();
            tokens.insert(behind, Token { text, heard: None, senses: vec![Sense::Property(speed)] });
            at += 1;
        }
        at += 1;
    }
    tokens
}
