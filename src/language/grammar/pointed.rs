//! Names with a pointer or a count in the middle: `下层那个补光灯` is 下层补光灯, `床头两个灯` two of the 床头灯; and the others of a row
//! (`筒灯1、2、3`).

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
        if let Some(sibling) = sibling(&joined, &tokens[at..], vocabulary) {
            joined.push(sibling);
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

/// A number after the name of one in a row and 和: the one of that number.
fn sibling(before: &[Token], rest: &[Token], vocabulary: &Vocabulary) -> Option<Token> {
    let [.., named, and] = before else { return None };
    let number = rest.first().filter(|t| t.any(|s| matches!(s, Sense::Number(_))))?;
    let counts = rest.get(1).is_some_and(|t| t.any(|s| matches!(s, Sense::Unit(_) | Sense::Measure)));
    if !and.any(|s| matches!(s, Sense::Conjunction | Sense::Punctuation)) || counts || !named.is_entity() {
        return None;
    }
    let stem = named.text.trim_end_matches(|c: char| c.is_ascii_digit());
    let text = format!("{stem}{}", number.text);
    let senses = vocabulary.senses(&text);
    let called = stem.len() < named.text.len() && senses.iter().any(|s| matches!(s, Sense::Devices(_)));
    called.then_some(Token { text, heard: None, senses })
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
