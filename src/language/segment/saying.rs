//! Values of a home that are sentences themselves, as those of a loudspeaker may be: `打开主卧的灯`. Whoever says only that gives
//! the order, or tells something; the value is meant where what takes it is named before.

use super::super::lexicon::Sense;
use super::super::vocabulary::Vocabulary;
use super::{Token, cheapest, words_at};
use crate::home::Domain;
use crate::text::{PAUSES, normalize};

/// The first value that is a sentence and stands where nothing that takes it is named.
pub(super) fn unnamed<'t>(tokens: &'t [Token], vocabulary: &Vocabulary) -> Option<&'t str> {
    let says = |at: &usize| is_sentence(&tokens[*at], vocabulary) && !is_named(tokens, *at, vocabulary);
    (0..tokens.len()).find(says).map(|at| tokens[at].text.as_str())
}

/// Whether nothing but a value is called so, and it reads like something switched or told: it has a pause, or a word that
/// switches or sets and a thing.
fn is_sentence(token: &Token, vocabulary: &Vocabulary) -> bool {
    if token.senses.is_empty() || token.any(|sense| *sense != Sense::Value) {
        return false;
    }
    let chars: Vec<char> = token.text.chars().collect();
    let tokens = cheapest(&chars, |at| {
        let mut edges = words_at(&chars, at, vocabulary);
        edges.retain(|edge| edge.length < chars.len());
        edges
    });
    let verbs = &vocabulary.lexicon.verbs;
    let tells = |sense: &Sense| match sense {
        Sense::Verb(verb) => verbs[*verb].switches.is_some(),
        sense => matches!(sense, Sense::Set { .. } | Sense::Step { .. }),
    };
    let names = |sense: &Sense| matches!(sense, Sense::Kind(_) | Sense::Sort(_) | Sense::Everything);
    tokens.iter().any(|token| token.text.contains(|c| PAUSES.contains(c)))
        || tokens.iter().any(|token| token.any(tells))
            && tokens.iter().any(|token| token.is_entity() || token.any(names))
}

/// Whether a device that takes this value, its kind or the property is named before it in its clause, and nothing is switched
/// in between: `小喇叭播报打开主卧的灯`, and not `把小喇叭关了，打开主卧的灯`.
fn is_named(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> bool {
    let value = tokens[at].text.as_str();
    let switches = |sense: &Sense| match sense {
        Sense::Verb(verb) => vocabulary.lexicon.verbs[*verb].switches.is_some(),
        sense => *sense == Sense::Punctuation,
    };
    let clause = tokens[..at].iter().rev().take_while(|token| !token.any(switches));
    let owns = |device: usize, property: Option<usize>| {
        vocabulary.devices[device].abilities.iter().any(|ability| {
            let Some(Domain::Enum(choices)) = &ability.domain else { return false };
            property.is_none_or(|property| [ability.property, ability.kin].contains(&Some(property)))
                && choices.iter().any(|choice| normalize(&choice.describe) == value)
        })
    };
    let all = 0..vocabulary.devices.len();
    let names = |sense: &Sense| match sense {
        Sense::Devices(devices) => devices.iter().any(|device| owns(*device, None)),
        Sense::Property(property) | Sense::Feature(property) => all.clone().any(|d| owns(d, Some(*property))),
        Sense::Kind(kind) => all.clone().any(|d| vocabulary.devices[d].kinds.contains(kind) && owns(d, None)),
        _ => false,
    };
    clause.into_iter().any(|token| token.any(names))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::super::super::lexicon::Lexicon;
    use super::super::segment;
    use super::*;

    fn vocabulary() -> Vocabulary {
        let says = ["打开主卧的灯", "请把所有的灯都关掉", "今天天气真好，我们出去玩吧", "雨声"];
        let says: Vec<_> = says.iter().map(|text| json!({"value": text, "describe": text})).collect();
        let power = json!({"type": "bool"});
        let document = json!({
            "layout": [{"name": "主卧"}],
            "model": {
                "l": {"name": "light", "describe": "灯", "property": {"power": power}},
                "s": {"name": "speaker", "describe": "音箱", "property": {
                    "power": power, "say": {"type": "enum", "describe": "播报", "range": says}}},
            },
            "devices": [
                {"id": "lamp", "name": "主卧灯", "local": "主卧", "device": {"model": "l", "state": {}}},
                {"id": "horn", "name": "小喇叭", "local": "主卧", "device": {"model": "s", "state": {}}},
            ],
        });
        let (home, report) = crate::home::parse(&document).unwrap();
        assert_eq!(report.rejected, []);
        Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home))
    }

    /// The values among the words of a sentence.
    fn values(sentence: &str) -> Vec<String> {
        let tokens = segment(&normalize(sentence), &vocabulary());
        tokens.into_iter().filter(|token| token.has(&Sense::Value)).map(|token| token.text).collect()
    }

    #[test]
    fn a_value_that_is_an_order_takes_the_order_from_nobody() {
        for order in [
            "打开主卧的灯",
            "请把所有的灯都关掉",
            "今天天气真好，我们出去玩吧",
            "把小喇叭关了打开主卧的灯",
            "关掉小喇叭，打开主卧的灯",
        ] {
            assert_eq!(values(order), [""; 0], "{order}");
        }
    }

    #[test]
    fn a_value_that_is_an_order_is_meant_where_what_takes_it_is_named() {
        for said in ["小喇叭播报打开主卧的灯", "播报设成打开主卧的灯", "音箱的播报调成打开主卧的灯"]
        {
            assert_eq!(values(said), ["打开主卧的灯"], "{said}");
        }
        assert_eq!(values("放雨声"), ["雨声"]);
    }
}
