//! A part of one thing, by its side or by its number: `电热毯左边三档`, `排插第二个孔断电`.

use super::super::lexicon::{PropertyId, Sense};
use super::super::meaning::counted;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal;
use super::recut::devices;
use crate::home::DeviceIndex;

/// Characters of a word behind a number that says what is counted.
const MAX_NOUN: usize = 3;

/// How a part is told from its like.
#[derive(Clone, Copy)]
enum Which {
    Side { left: bool },
    Number(u32),
}

/// The sentence with such parts as the properties that they are of the thing that was named before.
pub(super) fn of_a_thing(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let mut tokens = of_what_it_does(tokens, vocabulary);
    let mut at = 0;
    while at < tokens.len() {
        if let Some((end, property)) = before_its_thing(&tokens, at, vocabulary) {
            let text = vocabulary.lexicon.properties[property].words[0].clone();
            let thing = tokens[end - 1].clone();
            tokens.splice(at..end, [thing, Token { text, heard: None, senses: vec![Sense::Property(property)] }]);
            at += 1;
        } else if let Some((begin, end, name)) = sibling(&tokens, at, vocabulary) {
            tokens.splice(begin..end, [name]);
            at = begin;
        } else if let Some((property, end)) = part(&tokens, at, vocabulary) {
            let text = vocabulary.lexicon.properties[property].words[0].clone();
            tokens.splice(at..end, [Token { text, heard: None, senses: vec![Sense::Property(property)] }]);
        }
        at += 1;
    }
    of_same_side(tokens, vocabulary)
}

/// `扫地机拖地的水量`: what is done with it is not told to be done.
fn of_what_it_does(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let does =
        |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && !t.any(|s| vocabulary.lexicon.switches(s).is_some());
    for at in 1..tokens.len().saturating_sub(2) {
        let [verb, of, what] = &tokens[at..at + 3] else { break };
        let thing = nominal::is_thing(&tokens[at - 1]) && of.has(&Sense::Of) && !of.is_entity();
        if thing && does(verb) && !verb.is_entity() && nominal::property(what).is_some() {
            tokens.drain(at..at + 2);
            break;
        }
    }
    tokens
}

/// `电热毯左边打开，三档`: the value behind the pause is of the side that was told.
fn of_same_side(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    for at in 1..tokens.len().saturating_sub(3) {
        let flag = tokens[at].senses.iter().find_map(|s| match s {
            Sense::Property(p) if lexicon.properties[*p].flag && !tokens[at].is_entity() => Some(*p),
            _ => None,
        });
        let begins = |side: &Sense| {
            let words = lexicon.side_words(side);
            flag.is_some_and(|p| words.iter().any(|word| lexicon.properties[p].words[0].starts_with(word.as_str())))
        };
        let side = [true, false].into_iter().find(|left| begins(&Sense::Side { left: *left }));
        let of = devices(&tokens[at - 1], vocabulary).unwrap_or_default();
        let (Some(left), [device]) = (side, &of[..]) else { continue };
        let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Particle));
        let pause = at + 2 + tokens[at + 2..].iter().take_while(|t| small(t)).count();
        let switched = tokens[at + 1].any(|s| switches(s, vocabulary));
        let valued = tokens.get(pause + 1).is_some_and(sets);
        if switched
            && valued
            && tokens[pause].has(&Sense::Punctuation)
            && let Some(property) = part_of(*device, Which::Side { left }, false, vocabulary)
        {
            let text = lexicon.properties[property].words[0].clone();
            tokens.insert(pause + 1, Token { text, heard: None, senses: vec![Sense::Property(property)] });
            return tokens;
        }
    }
    tokens
}

/// `左边电褥子调到六`: where its words and the thing end, and the property.
fn before_its_thing(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(usize, PropertyId)> {
    let (which @ Which::Side { .. }, end) = which(tokens, at, vocabulary)? else { return None };
    let links = |t: &&Token| t.any(|s| matches!(s, Sense::Of | Sense::Reference | Sense::Measure)) && !t.is_entity();
    let thing = end + tokens[end..].iter().take_while(links).count();
    let of = devices(tokens.get(thing)?, vocabulary)?;
    let small = |t: &&Token| !t.any(|s| matches!(s, Sense::Filler | Sense::Also | Sense::Disposal));
    let next = tokens[thing + 1..].iter().find(small)?;
    let flag = next.any(|s| switches(s, vocabulary));
    let [device] = of[..] else { return None };
    let property = part_of(device, which, flag, vocabulary).filter(|_| flag || sets(next))?;
    Some((thing + 1, property))
}

/// `床头灯左边六十，右边十`: the one of two things of which one stands on each side; its name, and the words in place of which it
/// stands.
fn sibling(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(usize, usize, Token)> {
    let (Which::Side { left }, end) = which(tokens, at, vocabulary)? else { return None };
    let owner = tokens[..at].iter().rposition(|t| devices(t, vocabulary).is_some_and(|of| !of.is_empty()))?;
    let lexicon = &vocabulary.lexicon;
    let said = tokens[owner].text.as_str();
    let stem =
        lexicon.sides.iter().flatten().filter_map(|side| said.strip_prefix(side.as_str())).min_by_key(|s| s.len());
    let stem = stem.unwrap_or(said);
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Reference | Sense::Measure)) && !t.is_entity();
    let end = end + tokens[end..].iter().take_while(small).count();
    let alone = tokens.get(end).is_some_and(|t| sets(t) || t.any(|s| switches(s, vocabulary)) || t.has(&Sense::Of));
    let named = |side: &String| {
        let text = format!("{side}{stem}");
        let senses = vocabulary.senses(&text);
        let one = senses.iter().any(|s| matches!(s, Sense::Devices(devices) if devices.len() == 1));
        (one && !stem.is_empty()).then_some(Token { text, heard: None, senses })
    };
    let name = lexicon.side_words(&Sense::Side { left }).iter().find_map(named).filter(|_| alone)?;
    let joined = owner + 1 == at;
    Some((if joined { owner } else { at }, end, name))
}

/// What is set by itself.
fn sets(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Number(_) | Sense::Set { .. } | Sense::SetBare | Sense::Step { .. }))
}

fn switches(sense: &Sense, vocabulary: &Vocabulary) -> bool {
    vocabulary.lexicon.switches(sense).is_some()
}

/// The property that a part is, and where its words end.
fn part(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(PropertyId, usize)> {
    let (which, mut end) = which(tokens, at, vocabulary).or_else(|| called_by_number(tokens, at, vocabulary))?;
    let owner = tokens[..at].iter().rev().find_map(|t| devices(t, vocabulary).filter(|of| !of.is_empty()))?;
    let small = |t: &Token| {
        t.any(|s| matches!(s, Sense::Of | Sense::Reference | Sense::Measure | Sense::RoomSuffix | Sense::Fraction(_)))
            && !t.is_entity()
    };
    end += tokens[end..].iter().take_while(|t| small(t)).count();
    let parts = |flag: bool| owner.iter().find_map(|d| part_of(*d, which, flag, vocabulary));
    // 第二个孔, 2号插孔
    if let (Which::Number(_), Some(noun)) = (which, tokens.get(end)) {
        let strange = noun.is_residue() && noun.text.chars().count() <= MAX_NOUN;
        let named = |p: PropertyId| vocabulary.lexicon.properties[p].words[0].ends_with(&noun.text);
        end += usize::from((strange || parts(true).is_some_and(named)) && !noun.any(Sense::is_action));
    }
    // Which of its parts it is says what is done to it.
    let next = tokens[end..].iter().find(|t| !t.any(|s| matches!(s, Sense::Filler | Sense::Also | Sense::Each)))?;
    let more = which_number(tokens, end, vocabulary).is_some();
    let property = match (next.any(|s| switches(s, vocabulary)) || more, sets(next)) {
        (true, _) => parts(true)?,
        (false, true) => parts(false)?,
        (false, false) => return None,
    };
    Some((property, end))
}

/// Which part is said at a position, and where that ends.
fn which(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(Which, usize)> {
    let side = tokens[at].senses.iter().find_map(|s| match s {
        Sense::Side { left } if !tokens[at].is_entity() => Some(Which::Side { left: *left }),
        _ => None,
    });
    side.map(|side| (side, at + 1)).or_else(|| which_number(tokens, at, vocabulary))
}

/// `2号`, `第二个`.
fn which_number(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(Which, usize)> {
    let token = tokens.get(at).filter(|t| !t.is_entity())?;
    token.senses.iter().find_map(|s| match s {
        Sense::Ordinal(number) => Some((Which::Number(*number), at + 1)),
        Sense::Number(number) => {
            let marked = tokens.get(at + 1).is_some_and(|t| t.text == vocabulary.lexicon.marks.number);
            marked.then_some((Which::Number(number.value as u32), at + 2))
        }
        _ => None,
    })
}

/// `排插一号断电` where a lamp is called 一号 as well: right behind what has numbered parts it is one of these.
fn called_by_number(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(Which, usize)> {
    let token = tokens.get(at).filter(|t| t.is_entity())?;
    let number = token.text.strip_suffix(vocabulary.lexicon.marks.number.as_str())?;
    let chars: Vec<char> = number.chars().collect();
    let (value, used) = crate::language::number::read(&chars)?;
    let of = devices(tokens.get(at.checked_sub(1)?)?, vocabulary)?;
    let has = |d: &DeviceIndex| !vocabulary.devices[*d].parts(true, &vocabulary.lexicon).is_empty();
    (used == chars.len() && of.len() == 1 && of.iter().all(has)).then_some((Which::Number(value.value as u32), at + 1))
}

/// What a thing calls one of its sides, as a switch (`flag`) or as what is set.
pub(super) fn side_of(device: DeviceIndex, left: bool, flag: bool, vocabulary: &Vocabulary) -> Option<PropertyId> {
    part_of(device, Which::Side { left }, flag, vocabulary)
}

/// What a thing calls this part of it, if that can be told something of this sort.
fn part_of(device: DeviceIndex, which: Which, flag: bool, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let lexicon = &vocabulary.lexicon;
    let is = |p: &PropertyId| {
        let property = &lexicon.properties[*p];
        let Some(word) = property.words.first().filter(|_| property.own && property.flag == flag) else { return false };
        match which {
            Which::Side { left } => {
                lexicon.side_words(&Sense::Side { left }).iter().any(|side| word.starts_with(side.as_str()))
            }
            Which::Number(wanted) => counted(word) == Some(wanted),
        }
    };
    vocabulary.devices[device].abilities.iter().filter(|a| a.writable).filter_map(|a| a.property).find(is)
}
