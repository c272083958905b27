//! Names with a pointer or a count in the middle: `下层那个补光灯` is 下层补光灯, `床头两个灯` two of the 床头灯; and the others of a row
//! (`筒灯1、2、3`).

use super::super::number;
use super::super::segment::Token;
use super::super::sense::Sense;
use super::super::vocabulary::Vocabulary;
use super::nominal::kind;

/// Words that the part of a name before its pointer may be cut into.
const MAX_PARTS: usize = 3;

/// The sentence with such names as one word each.
pub(super) fn joined(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if let Some((sibling, used)) = sibling_ahead(&tokens[at..], vocabulary) {
            joined.push(sibling);
            at += used;
            continue;
        }
        if let Some(siblings) = siblings(&joined, &tokens[at..], vocabulary) {
            joined.extend(siblings);
            at += 1;
            continue;
        }
        let counts = tokens[at].has(&Sense::Both);
        let points = tokens[at].has(&Sense::Reference) && vocabulary.lexicon.pointers.contains(&tokens[at].text);
        // 桂芳那灯: the lamp that is called so.
        if points && joined.last().is_some_and(|name| tokens.get(at + 1).is_some_and(|t| is_it(name, t, vocabulary))) {
            at += 2;
            continue;
        }
        let head = tokens.get(at + 1).filter(|t| (points || counts) && (t.is_entity() || kind(t).is_some()));
        match head.and_then(|head| whole(&joined, head, vocabulary)) {
            Some((start, name)) => {
                joined.truncate(start);
                joined.extend(counts.then(|| tokens[at].clone()));
                joined.push(name);
                at += 2;
            }
            None => {
                joined.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    joined
}

/// Whether a word only says what the one thing is that was named before it.
fn is_it(name: &Token, what: &Token, vocabulary: &Vocabulary) -> bool {
    let named = name.senses.iter().find_map(|s| if let Sense::Devices(devices) = s { Some(devices) } else { None });
    let is = |kind: usize| matches!(named.map(Vec::as_slice), Some([device]) if vocabulary.devices[*device].is(kind));
    !what.is_entity() && kind(what).is_some_and(is)
}

/// The name that the last words and a head make, and where it starts.
fn whole(before: &[Token], head: &Token, vocabulary: &Vocabulary) -> Option<(usize, Token)> {
    let ends =
        |t: &Token| t.is_entity() || t.any(|s| matches!(s, Sense::Punctuation | Sense::Verb(_) | Sense::Room(_)));
    let free = before.iter().rev().take(MAX_PARTS).take_while(|t| !ends(t)).count();
    (before.len() - free..before.len()).find_map(|start| {
        let part: String = before[start..].iter().map(|t| t.text.as_str()).collect();
        let text = format!("{part}{}", head.text);
        let senses = vocabulary.senses(&text);
        let called = senses.iter().any(|s| matches!(s, Sense::Devices(_) | Sense::Sort(_)));
        called.then_some((start, Token { text, heard: None, senses }))
    })
}

/// A number after the name of one in a row and 和: the one of that number. Numbers right behind the name are a row where they are
/// switched (`筒灯二三打开`).
fn siblings(before: &[Token], rest: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let number = rest.first().filter(|t| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity())?;
    let counts = rest.get(1).is_some_and(|t| {
        let switched = t.any(|s| vocabulary.lexicon.switches(s).is_some());
        !switched && t.any(|s| matches!(s, Sense::Unit(_) | Sense::Measure))
    });
    let joins = |t: &Token| t.any(|s| matches!(s, Sense::Conjunction | Sense::Punctuation)) && !t.is_entity();
    let (named, joined) = match before {
        [.., named, and] if joins(and) => (named, true),
        [.., named] => (named, false),
        [] => return None,
    };
    let stem = named.text.trim_end_matches(numeral);
    if counts || !named.is_entity() || stem.is_empty() || stem.len() == named.text.len() {
        return None;
    }
    let called = |number: &str| {
        let text = format!("{stem}{number}");
        let senses = vocabulary.senses(&text);
        senses.iter().any(|s| matches!(s, Sense::Devices(_))).then_some(Token { text, heard: None, senses })
    };
    if joined {
        return Some(vec![called(&number.text)?]);
    }
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Each | Sense::Disposal | Sense::Filler)) && !t.is_entity();
    let switched = rest[1..]
        .iter()
        .find(|t| !small(t))
        .is_some_and(|t| t.any(|s| vocabulary.lexicon.switches(s).is_some()) && !t.is_entity());
    // 筒灯二三十 is a value.
    if !switched || !number.text.chars().all(numeral) {
        return None;
    }
    let each = number.text.chars().map(|c| called(c.encode_utf8(&mut [0; 4])));
    let and = || Token::unsaid(Sense::Conjunction);
    Some(each.collect::<Option<Vec<Token>>>()?.into_iter().flat_map(|name| [and(), name]).collect())
}

/// `打开筒灯二和五` where there is no fifth: of a row only a part is known.
pub fn goes_on_by_number(words: &[Token], vocabulary: &Vocabulary) -> bool {
    let words = joined(words.to_vec(), vocabulary);
    let counted = |t: &Token| t.any(|s| matches!(s, Sense::Unit(_) | Sense::Measure));
    let of = |t: &Token| t.any(|s| matches!(s, Sense::Devices(_))) && t.text.ends_with(numeral);
    (2..words.len()).any(|at| {
        let number = words[at].any(|s| matches!(s, Sense::Number(_))) && !words[at].is_entity();
        let switched = words.get(at + 1).is_none_or(|t| t.any(|s| vocabulary.lexicon.switches(s).is_some()));
        number
            && of(&words[at - 2])
            && words[at - 1].has(&Sense::Conjunction)
            && (switched || !words.get(at + 1).is_some_and(counted))
    })
}

fn numeral(c: char) -> bool {
    c.is_ascii_digit() || number::TO_TEN.contains(c)
}

/// A number before the whole name of the next of a row: `二号和三号筒灯`; and how many words of it are taken.
fn sibling_ahead(rest: &[Token], vocabulary: &Vocabulary) -> Option<(Token, usize)> {
    let mark = &vocabulary.lexicon.marks.number;
    let numbered = |at: usize| {
        let number = rest.get(at)?.any(|s| matches!(s, Sense::Number(_)));
        (number && rest.get(at + 1)?.text == *mark).then_some(at + 2)
    };
    let joins = |t: &Token| t.any(|s| matches!(s, Sense::Conjunction | Sense::Punctuation));
    let used = numbered(0)?;
    let mut at = used;
    let named = loop {
        at += usize::from(joins(rest.get(at)?));
        match numbered(at) {
            Some(next) => at = next,
            None => break rest.get(at).filter(|t| t.is_entity())?,
        }
    };
    let (_, kind) = named.text.split_once(mark.as_str()).filter(|(_, kind)| !kind.is_empty())?;
    let text = format!("{}{mark}{kind}", rest[0].text);
    let senses = vocabulary.senses(&text);
    senses.iter().any(|s| matches!(s, Sense::Devices(_))).then_some((Token { text, heard: None, senses }, used))
}
