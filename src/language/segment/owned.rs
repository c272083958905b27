//! What a thing has, by the thing's own name for it: behind `净化器的` that name is one word, whatever else its characters say.

use super::super::lexicon::{PropertyId, Sense};
use super::super::vocabulary::Vocabulary;
use super::{Token, WordsAt, covered};
use crate::home::DeviceIndex;

/// The words of a text with what a thing calls what it has as one word each.
pub(super) fn named(tokens: Vec<Token>, chars: &[char], vocabulary: &Vocabulary, words_at: WordsAt) -> Vec<Token> {
    let Some((before, at, length, property)) = first(&tokens, chars, vocabulary) else { return tokens };
    let text = chars[at..at + length].iter().collect();
    let mut named: Vec<Token> = tokens.into_iter().take(before).collect();
    named.push(Token { text, heard: None, senses: vec![Sense::Property(property)] });
    let rest = &chars[at + length..];
    named.extend(self::named(covered(rest, vocabulary, words_at), rest, vocabulary, words_at));
    named
}

/// The first such name that is not a word of its own: how many words stand before it, where it begins, its length and what it
/// names.
fn first(tokens: &[Token], chars: &[char], vocabulary: &Vocabulary) -> Option<(usize, usize, usize, PropertyId)> {
    let mut at = 0;
    for (index, thing) in tokens.iter().enumerate() {
        at += thing.text.chars().count();
        let link = |t: &&Token| t.any(|s| matches!(s, Sense::Of | Sense::Reference)) && !t.is_entity();
        let links = tokens[index + 1..].iter().take_while(link).count();
        let rest = &tokens[index + 1 + links..];
        let of = if rest.is_empty() { None } else { things(thing, vocabulary) };
        let Some(of) = of else { continue };
        let linked: usize = tokens[index + 1..index + 1 + links].iter().map(|t| t.text.chars().count()).sum();
        let begin = at + linked;
        let Some((length, property)) = vocabulary.feature_ahead(chars.get(begin..)?, &of) else { continue };
        let latin = |at: usize| chars.get(at).is_some_and(char::is_ascii_alphanumeric);
        let cut = latin(begin + length) && latin(begin + length - 1);
        if !cut && !is_known(rest, length, property, links > 0) {
            return Some((index + 1 + links, begin, length, property));
        }
    }
    None
}

/// Whether a name needs no help: it is a word that may mean this, or, right behind the thing, words that say something else.
fn is_known(rest: &[Token], length: usize, property: PropertyId, linked: bool) -> bool {
    let mut end = 0;
    let ends = rest.iter().take_while(|t| {
        let before = end;
        end += t.text.chars().count();
        before < length
    });
    let words = &rest[..ends.count()];
    let whole: usize = words.iter().map(|t| t.text.chars().count()).sum();
    let named = |s: &Sense| match s {
        Sense::Property(p) | Sense::Feature(p) => Some(*p),
        _ => None,
    };
    // 节能模式 of what has 节能 as well is named first by the other.
    let means = |t: &Token| t.senses.iter().find_map(named) == Some(property);
    match words {
        // 计划 of 净化器的计划 supposes nothing.
        // 止鼾功能 is 止鼾.
        [word] if means(word) => !linked || !word.any(talks),
        // 打开空调节能 where 节能 is no value of the air conditioner, and what it has is called so.
        [word] if whole == length && !linked => {
            length < 2
                || !word.is_residue() && !word.senses.iter().all(|s| matches!(s, Sense::Choice(_) | Sense::Value))
        }
        // A longer word begins with it: 自动开 of 自动开关.
        [_] if !linked => true,
        words => !linked && (length < 2 || !words.iter().any(Token::is_residue)),
    }
}

/// Whether a word is one of talk besides.
fn talks(sense: &Sense) -> bool {
    use Sense::{Future, Past, Reason, Report, Suppose};
    matches!(sense, Future | Past | Reason | Report | Suppose)
}

/// The devices that a word names.
fn things(token: &Token, vocabulary: &Vocabulary) -> Option<Vec<DeviceIndex>> {
    let named =
        token.senses.iter().find_map(|s| if let Sense::Devices(devices) = s { Some(devices.clone()) } else { None });
    let kind = || {
        token.senses.iter().find_map(|s| if let Sense::Kind(kind) | Sense::Sort(kind) = s { Some(*kind) } else { None })
    };
    named.or_else(|| {
        let kind = kind()?;
        Some((0..vocabulary.devices.len()).filter(|device| vocabulary.devices[*device].is(kind)).collect())
    })
}
