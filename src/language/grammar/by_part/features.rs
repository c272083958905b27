//! A feature by the end of its name: 跟踪 for 恒星跟踪, `药盒那个提醒` for 服药提醒, `把雾除了` for 除雾.

use super::said::{clause, of_its_owner, of_property, only_near, refuses, small, strange, switches, text};
use crate::home::{DeviceIndex, Domain, RoomIndex};
use crate::language::lexicon::PropertyId;
use crate::language::segment::Token;
use crate::language::sense::Sense;
use crate::language::vocabulary::Vocabulary;
use crate::text::normalize;

/// Characters of a part of a name, at the least.
const LEAST: usize = 2;

/// The words with the features by their names.
pub(super) fn by_their_cores(tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let mut tokens = parted(tokens, vocabulary, local);
    let mut at = 0;
    while at < tokens.len() {
        if switches(&tokens[at], vocabulary)
            && let Some((begin, end)) = beside(&tokens, at, vocabulary)
        {
            let said = text(&tokens[begin..end]);
            let (start, _) = clause(&tokens, begin);
            let found = |d: DeviceIndex| core(&said, d, vocabulary);
            if said.chars().count() >= LEAST
                && let Some((owner, (name, property))) = only_near(&tokens[start..begin], vocabulary, local, found)
            {
                let named = of_its_owner(owner, [of_property(name, property)], vocabulary);
                let grown = named.len();
                tokens.splice(begin..end, named);
                at = at.max(begin + grown);
            }
        }
        at += 1;
    }
    tokens
}

/// The words beside a verb that may be the end of a name: behind the thing it may be one of talk (`药盒那个提醒`).
fn beside(tokens: &[Token], verb: usize, vocabulary: &Vocabulary) -> Option<(usize, usize)> {
    let end = verb - tokens[..verb].iter().rev().take_while(|t| small(t)).count();
    let begin = end - tokens[..end].iter().rev().take_while(|t| strange(t)).count();
    if begin < end {
        let before = tokens[..begin].last();
        // What stands before it is a thing, or nothing that would go with it.
        let bound = |t: &Token| {
            let bound = |s: &Sense| {
                matches!(
                    s,
                    Sense::Punctuation
                        | Sense::Conjunction
                        | Sense::Sequence
                        | Sense::Room(_)
                        | Sense::Here
                        | Sense::Particle
                )
            };
            t.is_entity()
                || super::said::named(std::slice::from_ref(t), vocabulary).is_some()
                || small(t)
                || t.any(bound)
        };
        return before.is_none_or(bound).then_some((begin, end));
    }
    let talks = |t: &Token| {
        let talk = |s: &Sense| matches!(s, Sense::Future | Sense::Reason | Sense::Report | Sense::Suppose);
        !t.senses.is_empty() && t.senses.iter().all(talk)
    };
    if let Some(at) = end.checked_sub(1).filter(|at| talks(&tokens[*at])) {
        let thing = tokens[..at].iter().rev().find(|t| !small(t))?;
        return super::said::named(std::slice::from_ref(thing), vocabulary).map(|_| (at, end));
    }
    let begin = verb + 1;
    let end = begin + tokens[begin..].iter().take_while(|t| strange(t)).count();
    let ends = tokens.get(end).is_none_or(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
    (end > begin && ends).then_some((begin, end))
}

/// The one feature of a device whose name ends so, where nothing else of it is called by these characters.
fn core(said: &str, device: DeviceIndex, vocabulary: &Vocabulary) -> Option<(String, PropertyId)> {
    let mut of = vocabulary.flags(device).filter(|(name, _)| name.ends_with(said) && *name != said);
    let (name, property) = of.next().filter(|_| of.next().is_none())?;
    let values = vocabulary.devices[device].abilities.iter().filter_map(|a| match &a.domain {
        Some(Domain::Enum(choices)) => Some(choices),
        _ => None,
    });
    let valued = values.flatten().any(|choice| normalize(&choice.describe).contains(said));
    (!valued).then(|| (name.to_owned(), property))
}

/// `把雾除了`, `除一除雾`: what is done and to what, which together are the name of a feature, apart.
fn parted(mut tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let Some(on) = vocabulary.lexicon.verb("on") else { return tokens };
    let mut at = 0;
    while at < tokens.len() {
        let (begin, end) = clause(&tokens, at);
        let words = &tokens[begin..end];
        let said = text(words);
        let found = |d: DeviceIndex| {
            let likely = vocabulary.flags(d).filter(|(name, _)| shares(name, &said));
            let mut of = likely.filter_map(|(name, property)| {
                let (from, to) = apart(words, name, vocabulary)?;
                Some((from, to, property))
            });
            of.next().filter(|_| of.next().is_none())
        };
        let before = words.iter().take_while(|t| !strange(t)).count();
        if words.iter().any(strange)
            && !refuses(words)
            && let Some((owner, (from, to, property))) = only_near(&words[..before], vocabulary, local, found)
        {
            let told = [Token::of_property(property, &vocabulary.lexicon), Token::of_verb(on, &vocabulary.lexicon)];
            let named = of_its_owner(owner, told, vocabulary);
            let grown = named.len();
            tokens.splice(begin + from..begin + to, named);
            at = clause(&tokens, begin + from + grown - 1).1;
        } else {
            at = end;
        }
        at += 1;
    }
    tokens
}

/// Whether what is said has the characters of a name that it needs to be that name apart: most names of a home share none.
fn shares(name: &str, said: &str) -> bool {
    let mut chars = name.chars();
    let begins = [chars.next(), chars.next()].iter().all(|c| c.is_some_and(|c| said.contains(c)));
    begins || name.chars().rev().nth(1).is_some_and(|verb| said.contains(verb))
}

/// The words of a clause that are the verb and the object that a name begins with, in another order or the verb said twice.
fn apart(words: &[Token], name: &str, vocabulary: &Vocabulary) -> Option<(usize, usize)> {
    let chars: Vec<char> = name.chars().collect();
    let [verb, object, ..] = chars[..] else { return None };
    let lexicon = &vocabulary.lexicon;
    // 除除, 除一除: what follows the verb said once more.
    fn again<'s>(rest: &'s str, verb: char, twice: &[String]) -> Option<&'s str> {
        super::said::without(rest, twice).unwrap_or(rest).strip_prefix(verb)
    }
    let twice = &lexicon.by_part.twice;
    let done = |rest: &str| {
        let ended = |rest: &str| rest.is_empty() || lexicon.by_part.done.iter().any(|done| done == rest);
        ended(rest) || again(rest, verb, twice).is_some_and(ended)
    };
    let twice = |said: &str| done(again(said.strip_prefix(verb)?, verb, twice)?.strip_prefix(object)?).then_some(());
    // 菜地浇上水 of 二路菜地浇水
    let placed = |said: &str| {
        let [.., last, what] = chars[..] else { return None };
        let place = name.strip_suffix(what).and_then(|rest| rest.strip_suffix(last))?;
        let places = place.char_indices().map(|(at, _)| &place[at..]).filter(|place| place.chars().count() >= LEAST);
        let rest = places.into_iter().find_map(|place| said.strip_prefix(place))?.strip_prefix(last)?;
        if let Some(rest) = rest.strip_prefix(last) {
            return (rest.is_empty() || rest == what.to_string()).then_some(());
        }
        let bare = super::said::without(rest, &lexicon.by_part.carries);
        let rest = bare.or(Some(rest).filter(|rest| rest.starts_with(what)))?;
        // 菜地浇了水 is done already.
        (rest.is_empty() || rest == what.to_string()).then_some(())
    };
    let over = |to: usize| words.get(to).is_some_and(|t| lexicon.marks.done.contains(&t.text));
    let disposed = |from: usize| from > 0 && words[from - 1].has(&Sense::Disposal);
    let turned = |said: &str| {
        let rest = said.strip_prefix(object)?;
        let rest = super::said::without(rest, &lexicon.by_part.sided).unwrap_or(rest).strip_prefix(verb)?;
        (!rest.is_empty() && done(rest)).then_some(())
    };
    (0..words.len()).find_map(|from| {
        let ends = (from + 1..=words.len()).rev();
        ends.map(|to| (to, text(&words[from..to])))
            .find(|(_, said)| {
                twice(said).is_some() || placed(said).is_some() || disposed(from) && turned(said).is_some()
            })
            .filter(|(to, said)| placed(said).is_none() || !over(*to) && words[from..*to].iter().any(strange))
            .map(|(to, _)| (from, to))
    })
}
