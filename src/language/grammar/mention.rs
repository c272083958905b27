//! Things that are described instead of named: `那个吹风的`, `烘衣服的机器`, `落地的灯`.

use super::super::lexicon::{KindId, Sense};
use super::super::vocabulary::Vocabulary;
use crate::zh::Phrasing;

/// Characters of the longest description.
const LONGEST: usize = 10;

/// Characters of the longest word that is looked up after 的.
const LONGEST_WORD: usize = 6;

/// A part of a sentence that may describe a device, and what stands around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The sentence before it.
    pub before: String,
    /// What is said of the thing.
    pub description: String,
    /// The word for what it is; empty when none was said.
    pub thing: String,
    /// What it is, if that was said.
    pub kind: Option<KindId>,
    /// The sentence after it.
    pub after: String,
}

impl Mention {
    /// What is looked for: `落地的灯` may be a 落地灯.
    pub fn phrase(&self) -> String {
        format!("{}{}", self.description, self.thing)
    }

    /// The sentence with a name in place of the description.
    pub fn named(&self, name: &str) -> String {
        format!("{}{name}{}", self.before, self.after)
    }
}

/// The parts of a sentence that may describe a device, the shortest first. Where one begins is for the grammar to say: it
/// must be sure of the sentence with a name in its place.
pub fn mentions(sentence: &str, vocabulary: &Vocabulary) -> Vec<Mention> {
    let (text, phrasing, of_it) =
        (vocabulary.utterance(sentence), &vocabulary.lexicon.texts.phrasing, vocabulary.lexicon.marks.of.as_str());
    let mut found = Vec::new();
    for (of, _) in text.rmatch_indices(of_it) {
        let (kind, word, after) = thing(&text[of + of_it.len()..], vocabulary);
        let first = found.len();
        for (start, c) in text[..of].char_indices().rev().take(LONGEST) {
            if phrasing.no_description.contains(c) {
                // 没用的: what is left of it would be the opposite.
                found.truncate(first);
                break;
            }
            if !c.is_alphanumeric() || c.is_numeric() {
                break;
            }
            let said = bare(&text[start..of], phrasing);
            if said.is_empty() || vocabulary.senses(said).iter().any(is_place) {
                continue;
            }
            found.push(Mention {
                before: text[..start].to_owned(),
                description: said.to_owned(),
                thing: word.to_owned(),
                kind,
                after: after.to_owned(),
            });
        }
    }
    found
}

fn is_place(sense: &Sense) -> bool {
    matches!(
        sense,
        Sense::Room(_) | Sense::Floor(_) | Sense::RoomClass(_) | Sense::RoomSort(_) | Sense::Here | Sense::WholeHome
    )
}

/// What follows 的: what it is and the word for that, and the rest of the sentence.
fn thing<'t>(text: &'t str, vocabulary: &Vocabulary) -> (Option<KindId>, &'t str, &'t str) {
    let phrasing = &vocabulary.lexicon.texts.phrasing;
    let pointed = text
        .strip_prefix(|c| phrasing.pointers.contains(c))
        .map_or(text, |rest| rest.strip_prefix(|c| phrasing.measures.contains(c)).unwrap_or(rest));
    let any = phrasing.things.iter().find_map(|thing| pointed.strip_prefix(thing.as_str()));
    if let Some(rest) = any {
        return (None, "", rest);
    }
    let ends = pointed.char_indices().map(|(at, c)| at + c.len_utf8()).take(LONGEST_WORD);
    let mut ends: Vec<usize> = ends.collect();
    ends.reverse();
    let known = ends.into_iter().find_map(|end| {
        let (word, rest) = pointed.split_at(end);
        let kind = vocabulary.senses(word).iter().find_map(|sense| match sense {
            Sense::Kind(kind) | Sense::Sort(kind) => Some(*kind),
            Sense::Devices(devices) => vocabulary.devices.get(*devices.first()?)?.kinds.first().copied(),
            _ => None,
        });
        Some((Some(kind?), word, rest))
    });
    known.unwrap_or((None, "", pointed))
}

/// A description without the words at its beginning that say nothing.
fn bare<'t>(mut text: &'t str, phrasing: &Phrasing) -> &'t str {
    while let Some(rest) = phrasing.before.iter().find_map(|word| text.strip_prefix(word.as_str())) {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::lexicon::Lexicon;
    use super::*;
    use crate::home::parse;

    fn described(sentence: &str) -> Vec<(String, String, String)> {
        let document = include_str!("../../../tests/homes/villa.json");
        let (home, _) = parse(&serde_json::from_str(document).unwrap()).unwrap();
        let vocabulary = Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home));
        let found = mentions(sentence, &vocabulary);
        found.into_iter().map(|m| (m.before.clone(), m.phrase(), m.after)).collect()
    }

    fn has(sentence: &str, before: &str, description: &str, after: &str) -> bool {
        described(sentence).contains(&(before.to_owned(), description.to_owned(), after.to_owned()))
    }

    #[test]
    fn what_is_said_of_a_thing_is_told_from_the_order() {
        assert!(has("打开会转的那个", "打开", "转", ""));
        assert!(has("把烘衣服的机器启动", "把", "烘衣服", "启动"));
        assert!(has("关掉落地的灯", "关掉", "落地灯", ""));
        assert!(has("把透光的那层帘子打开", "把", "透光帘子", "打开"));
        assert!(has("把放音乐的声音调小", "把", "放音乐", "声音调小"));
    }

    #[test]
    fn states_comparisons_and_places_describe_nothing() {
        for sentence in
            ["把亮着的关了", "关掉最大的", "把不用的关掉", "关掉没用的那个", "把客厅的关了", "打开灯", "的", ""]
        {
            let found = described(sentence);
            assert!(
                !found.iter().any(|(before, ..)| before == "把" || before.starts_with("关掉") || before == "打开"),
                "{found:?}"
            );
        }
    }
}
