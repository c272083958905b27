//! What is left to say about a sentence that the grammar is not sure of: what it is about, and the words around that.

use super::super::lexicon::Sense;
use super::super::order::Fragment;
use super::super::segment;
use super::super::vocabulary::Vocabulary;
use super::nominal::{self, Head, Nominal, Place};
use super::{SpeakerContext, addressee, order, query};

/// The recognised parts of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Scope and target as they were said, without an action.
    pub order: Fragment,
    /// The devices that the target may be, wherever they are; `None` when none was named.
    pub devices: Option<Vec<usize>>,
    /// The one room that was said.
    pub room: Option<usize>,
    /// Any place was said.
    pub placed: bool,
    /// The other words.
    pub phrase: String,
    /// A number was said.
    pub number: bool,
}

/// Outlines a sentence. `None` when it asks, says more than one thing, leaves something out, or points to something that
/// nobody knows: then similarity has nothing to hold on to.
pub fn outline(sentence: &str, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Outline> {
    let tokens = segment::segment(&vocabulary.utterance(sentence), vocabulary);
    let tokens = addressee::address(tokens, vocabulary, speaker).ok()?;
    if query::is_question(&tokens, &vocabulary.lexicon.marks)
        || tokens.iter().any(|t| t.any(|s| matches!(s, Sense::Question(_))))
    {
        return None;
    }
    let mut found: Option<Nominal> = None;
    let mut phrase = String::new();
    let mut number = false;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let thing = nominal::read(&tokens, at, vocabulary).filter(|(n, _)| n.head.is_some() || !n.places.is_empty());
        if let Some((nominal, end)) = thing {
            // The property is said of the thing, and tells what to do with it.
            if nominal.property.is_some() {
                phrase.push_str(&tokens[end - 1].text);
            }
            if found.replace(nominal).is_some() {
                return None;
            }
            at = end;
            continue;
        }
        if token.is_entity() {
            return None;
        }
        number |= token.any(|s| matches!(s, Sense::Number(_) | Sense::Fraction(_) | Sense::Ordinal(_)));
        phrase.push_str(token.heard.as_deref().unwrap_or(&token.text));
        at += 1;
    }
    let nominal = found.unwrap_or_default();
    if !nominal.except_places.is_empty() || !nominal.except_heads.is_empty() || nominal.other {
        return None;
    }
    let devices = match &nominal.head {
        None => None,
        Some(Head::Named { devices, scene: false, .. }) if !devices.is_empty() => Some(devices.clone()),
        Some(Head::Kind(kind, _) | Head::Sort(kind, _) | Head::Reference(Some(kind))) => {
            Some((0..vocabulary.devices.len()).filter(|d| vocabulary.devices[*d].is(*kind)).collect())
        }
        Some(_) => return None,
    };
    let room = match nominal.places[..] {
        [Place::Room(room)] => Some(room),
        _ => None,
    };
    let placed = !nominal.places.is_empty();
    Some(Outline { order: order::fragment(&nominal, vocabulary, speaker), devices, room, placed, phrase, number })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::lexicon::Lexicon;
    use super::*;
    use crate::home::parse;

    fn outlined(sentence: &str) -> Option<Outline> {
        let document = include_str!("../../../tests/homes/villa.json");
        let (home, _) = parse(&serde_json::from_str(document).unwrap()).unwrap();
        let vocabulary = Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home));
        outline(sentence, &vocabulary, &SpeakerContext::default())
    }

    #[test]
    fn what_was_named_is_told_from_the_words_around_it() {
        let outline = outlined("小音箱吵死了小点声").unwrap();
        assert_eq!((outline.phrase.as_str(), outline.devices.map(|d| d.len())), ("吵死了小点声", Some(1)));
        let outline = outlined("我都快热化了").unwrap();
        assert_eq!((outline.phrase.as_str(), outline.devices, outline.placed), ("我都快热化了", None, false));
    }

    #[test]
    fn a_property_stays_with_the_words_around() {
        assert_eq!(outlined("电视音量搞低些太闹了").unwrap().phrase, "音量搞低些太闹了");
    }

    #[test]
    fn questions_and_two_things_at_once_have_no_outline() {
        for sentence in ["空调怎么这么吵", "电视和音箱都吵死了"] {
            assert_eq!(outlined(sentence), None, "{sentence}");
        }
    }
}
