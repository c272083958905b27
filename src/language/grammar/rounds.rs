//! How often and how fast a thing turns, in the words that people have for it: `洗衣机一千四百转`, `漂两次`.

use super::super::lexicon::{PropertyId, Sense};
use super::super::meaning::Ability;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::property;
use super::recut::devices;
use crate::home::{Domain, RoomIndex};
use crate::text::normalize;

/// What counts turns by the minute.
const RPM: &str = "rpm";

/// The sentence with that as what the thing that was named last calls so, or one in the speaker's room.
pub(super) fn counted(mut tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let mut at = 0;
    while at + 1 < tokens.len() {
        let number = tokens[at].senses.iter().find_map(|s| match s {
            Sense::Number(number) if !number.percent && !tokens[at].is_entity() => Some(number.value),
            _ => None,
        });
        let (Some(number), next) = (number, tokens[at + 1].text.clone()) else {
            at += 1;
            continue;
        };
        let ends = tokens.get(at + 2).is_none_or(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
        let near = || abilities(&tokens[..at], vocabulary, local);
        if next == marks.turns && ends {
            let name = format!("{number}{next}");
            let named = at > 0 && property(&tokens[at - 1]).is_some();
            let value = |a: &&Ability| {
                let called = |list: &Vec<crate::home::Choice>| list.iter().any(|c| normalize(&c.describe) == name);
                matches!(&a.domain, Some(Domain::Enum(list)) if called(list))
            };
            let turns = |a: &&Ability| a.unit.as_deref().is_some_and(|unit| unit.eq_ignore_ascii_case(RPM));
            let set = Token::unsaid(Sense::Set { open: false });
            let offered = near().any(|a| value(&a));
            let turning = near().find(turns).and_then(|a| a.property);
            if offered {
                let value = Token { text: name, heard: None, senses: vec![Sense::Value] };
                tokens.splice(at..at + 2, [set, value]);
                at += 1;
            } else if let Some(of) = turning {
                let told = [Token::of_property(of, &vocabulary.lexicon), set, tokens[at].clone()];
                tokens.splice(at..at + 2, told.into_iter().skip(usize::from(named)));
                at += 1;
            }
        } else if marks.times.contains(&next) && ends && at > 0 {
            let of = |p: &PropertyId| {
                let word = vocabulary.lexicon.properties[*p].words.first();
                word.is_some_and(|w| w.starts_with(&tokens[at - 1].text) && w.ends_with(marks.how_often.as_str()))
            };
            let said = property(&tokens[at - 1]).filter(|p| !tokens[at - 1].is_entity() && of(p));
            let verb = tokens[at - 1].is_residue();
            let found = said.or_else(|| near().filter(|_| verb).filter_map(|a| a.property).find(of));
            if let Some(of) = found {
                let set = Token::unsaid(Sense::Set { open: false });
                let told = [Token::of_property(of, &vocabulary.lexicon), set, tokens[at].clone()];
                tokens.splice(at - 1..at + 2, told);
                at += 1;
            }
        }
        at += 1;
    }
    tokens
}

/// What can be set of the thing that was named last; of all in the room where none was.
fn abilities<'v>(
    before: &[Token],
    vocabulary: &'v Vocabulary,
    local: Option<RoomIndex>,
) -> impl Iterator<Item = &'v Ability> {
    let named = before.iter().rev().find_map(|t| devices(t, vocabulary).filter(|of| !of.is_empty()));
    let here = || {
        let stands = |d: &usize| local.is_some() && vocabulary.home.devices[*d].room == local;
        (0..vocabulary.devices.len()).filter(stands).collect()
    };
    let of: Vec<usize> = named.unwrap_or_else(here);
    of.into_iter().flat_map(|d| vocabulary.devices[d].abilities.iter()).filter(|a| a.writable)
}
