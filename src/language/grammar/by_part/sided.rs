//! What is done on one side, and which feature of a thing that is: `西边那畦浇上水` is the 西畦浇水 of the 浇水器.

use super::said::{clause, cut, of_its_owner, of_property, only, refuses, text, without};
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::lexicon::{Lexicon, PropertyId};
use crate::language::segment::Token;
use crate::language::sense::Sense;
use crate::language::vocabulary::Vocabulary;

/// The words with such a feature switched on by its name.
pub(super) fn done_there(mut tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let Some(on) = vocabulary.lexicon.verb("on") else { return tokens };
    let mut at = 0;
    while at < tokens.len() {
        let (begin, end) = clause(&tokens, at);
        let words = &tokens[begin..end];
        let owner = |from: usize| super::said::named(&words[..from], vocabulary);
        let found = |d: DeviceIndex| {
            of_device(d, words, vocabulary).filter(|(from, ..)| owner(*from).is_none_or(|of| of.contains(&d)))
        };
        let told = Some(words).filter(|words| says_a_side(words, &vocabulary.lexicon) && !refuses(words));
        if let Some((device, (from, length, done))) = told.and_then(|_| only(&[], vocabulary, local, found)) {
            let verb = || Token::of_verb(on, &vocabulary.lexicon);
            let device = device.filter(|_| owner(from).is_none());
            let done = done.into_iter().flat_map(|(name, property)| [of_property(name, property), verb()]);
            let said = of_its_owner(device, done, vocabulary);
            let grown = said.len();
            let told = begin + from > 0 && tokens[begin + from - 1].has(&Sense::Disposal);
            let Some(to) = cut(&mut tokens, begin + from, length).filter(|to| ends(&tokens, *to, told, vocabulary))
            else {
                at = end + 1;
                continue;
            };
            tokens.splice(begin + from..to, said);
            at = clause(&tokens, begin + from + grown - 1).1;
        } else {
            at = end;
        }
        at += 1;
    }
    tokens
}

/// Whether any side is said: most sentences say none, and no thing of the home is looked at.
fn says_a_side(words: &[Token], lexicon: &Lexicon) -> bool {
    let said = text(words);
    lexicon.sides.iter().chain(&lexicon.ends).filter_map(|group| group.first()).any(|side| said.contains(side.as_str()))
}

/// Whether what is done ends at a position, and no other word of it follows.
/// 西边浇上水了 is done already where nobody is told to, and 西边浇着呢 tells how it is.
fn ends(tokens: &[Token], at: usize, told: bool, vocabulary: &Vocabulary) -> bool {
    let marks = &vocabulary.lexicon.marks;
    let done = |t: &Token| marks.done.iter().chain([&marks.going]).any(|done| t.text.starts_with(done.as_str()));
    let over = |at: usize| tokens.get(at).is_some_and(done) && !told;
    let bound = |s: &Sense| {
        matches!(
            s,
            Sense::Punctuation | Sense::Particle | Sense::Disposal | Sense::Sequence | Sense::Conjunction | Sense::Also
        )
    };
    !over(at) && tokens.get(at).is_none_or(|t| t.is_entity() || t.any(bound))
}

/// Characters of what grows there, at the most.
const MOST: usize = 3;

/// Features by their names.
type Named = Vec<(String, PropertyId)>;

/// Where a clause says which sides of a device do what they do, in how many characters, and those features.
fn of_device(device: DeviceIndex, words: &[Token], vocabulary: &Vocabulary) -> Option<(usize, usize, Named)> {
    let lexicon = &vocabulary.lexicon;
    let groups = lexicon.sides.iter().chain(&lexicon.ends);
    let sided =
        |name: &str| groups.clone().filter_map(|group| group.first()).any(|side| name.starts_with(side.as_str()));
    let flags: Named =
        vocabulary.flags(device).filter(|(name, _)| sided(name)).map(|(name, p)| (name.to_owned(), p)).collect();
    if flags.len() < 2 {
        return None;
    }
    let sides: Vec<(&Vec<String>, &(String, PropertyId))> = groups
        .filter_map(|group| {
            let mut of =
                flags.iter().filter(|(name, _)| group.first().is_some_and(|side| name.starts_with(side.as_str())));
            of.next().filter(|_| of.next().is_none()).map(|flag| (group, flag))
        })
        .collect();
    let (_, (name, _)) = sides.first()?;
    let rest: String = name.chars().skip(1).collect();
    let alike = sides.len() > 1 && sides.iter().all(|(_, (name, _))| name.ends_with(&rest));
    let chars: Vec<char> = rest.chars().collect();
    let [noun @ .., verb, object] = &chars[..] else { return None };
    if !alike {
        return None;
    }
    let noun: String = noun.iter().collect();
    let by_part = &lexicon.by_part;
    let starts: Vec<usize> = words.iter().scan(0, |at, t| Some(std::mem::replace(at, *at + t.text.len()))).collect();
    let said = text(words);
    let both: String = sides.iter().filter_map(|(group, _)| group.first()).map(String::as_str).collect();
    starts.iter().enumerate().find_map(|(from, start)| {
        let said = &said[*start..];
        // 先浇东边那畦
        let first = said.strip_prefix(*verb).map(|rest| without(rest, &by_part.carries).unwrap_or(rest));
        let place = first.unwrap_or(said);
        // 东西两畦都浇上, 西边那畦浇上水
        let (which, rest) = match place.strip_prefix(both.as_str()).and_then(|rest| without(rest, &by_part.both)) {
            Some(rest) if sides.len() == 2 => (sides.iter().collect::<Vec<_>>(), rest),
            _ => {
                let side = sides.iter().flat_map(|side| side.0.iter().map(move |word| (side, word)));
                let side = side.filter(|(_, word)| place.starts_with(word.as_str()));
                let (side, word) = side.max_by_key(|(_, word)| word.len())?;
                (vec![side], &place[word.len()..])
            }
        };
        let rest = without(rest, &by_part.links).unwrap_or(rest);
        let there = rest.strip_prefix(noun.as_str()).filter(|_| !noun.is_empty());
        let rest = if first.is_some() {
            there?
        } else {
            // 西边那畦韭菜
            let grows = |rest: &str| rest.char_indices().take(MOST + 1).find(|(_, c)| c == verb).map(|(at, _)| at);
            let rest = there.and_then(|rest| grows(rest).map(|at| &rest[at..])).or(there).unwrap_or(rest);
            let rest = without(rest, &by_part.sided).unwrap_or(rest).strip_prefix(*verb)?;
            let rest = without(rest, &by_part.carries).unwrap_or(rest);
            rest.strip_prefix(*object).unwrap_or(rest)
        };
        let length = said[..said.len() - rest.len()].chars().count();
        let features = which.into_iter().map(|(_, flag)| (*flag).clone()).collect();
        Some((from, length, features))
    })
}
