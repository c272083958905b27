//! Names in a row of which what they have in common is said once: `阿强和雯雯的空调`, `筒灯5到筒灯8`, `两屋的地暖`, and `上层的` beside a
//! `下层补光灯`.

use super::super::number;
use super::super::segment::Token;
use super::super::sense::Sense;
use super::super::vocabulary::Vocabulary;
use super::nominal::{is_thing, place};
use super::{respective, summed};

/// As many words as the part of a name is cut into where nothing knows it.
const CUT: usize = 3;
/// As many things as a row of numbers may have.
const MAX_ROW: usize = 30;

/// The sentence with each of such names in full.
pub(super) fn in_full(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let tokens = both_sides(from_to(tokens, vocabulary), vocabulary);
    let tokens = summed::rooms(summed::up(tokens), vocabulary);
    let mut tokens = respective::told_apart(tokens, &vocabulary.lexicon.marks);
    let mut at = 0;
    while at < tokens.len() {
        // The row is shorter then; what stands behind it is looked at all the same.
        let _ = before_a_name(&mut tokens, at, vocabulary) || like_one_before(&mut tokens, at, vocabulary);
        at += 1;
    }
    tokens
}

/// `左右床头灯`, `左边和右边的床头灯`: that of the other side as well.
fn both_sides(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let side =
        |t: &Token| t.senses.iter().find(|s| matches!(s, Sense::Side { .. })).filter(|_| !t.is_entity()).cloned();
    for at in 0..tokens.len() {
        let Some(Sense::Side { left }) = side(&tokens[at]) else { continue };
        let joined = usize::from(tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Conjunction) && !t.is_entity()));
        let Some(other) = tokens.get(at + 1 + joined).filter(|t| t.any(|s| matches!(s, Sense::Devices(_)))) else {
            continue;
        };
        let words = |left| vocabulary.lexicon.side_words(&Sense::Side { left });
        let rest =
            words(!left).iter().filter_map(|word| other.text.strip_prefix(word.as_str())).min_by_key(|rest| rest.len());
        let one = rest.and_then(|rest| words(left).iter().find_map(|word| named(format!("{word}{rest}"), vocabulary)));
        if let Some(one) = one.filter(|one| one.senses != other.senses) {
            tokens.splice(at..=at + joined, [one, Token::unsaid(Sense::Conjunction)]);
            break;
        }
    }
    tokens
}

/// `阿强和雯雯的空调`, `客厅主卧窗帘`: whose it is, or where, stands before another of the same.
fn before_a_name(tokens: &mut Vec<Token>, at: usize, vocabulary: &Vocabulary) -> bool {
    if !tokens[at].any(|s| matches!(s, Sense::Devices(_))) {
        return false;
    }
    let joined =
        at > 0 && tokens[at - 1].any(|s| matches!(s, Sense::And | Sense::Conjunction)) && !tokens[at - 1].is_entity();
    let end = at - usize::from(joined);
    let word = tokens[at].text.clone();
    for start in (end.saturating_sub(CUT)..end).filter(|start| joined || at - start == 1) {
        let owner = &tokens[start..end];
        let placed = owner.len() == 1 && place(&owner[0]).is_some();
        if !placed && (!joined || !owner.iter().all(part_of_name)) {
            continue;
        }
        // 书房台灯 is one lamp, also where another is called 书房灯: only a room stands in for a room.
        let fits = |(head, _): &(&str, &str)| !placed || names_room(head, vocabulary);
        let tails = split(&word).filter(fits).map(|(_, tail)| tail);
        if let Some(name) = called(owner, tails, vocabulary).filter(|name| name.text != word) {
            // 老陈房老陈的空调 is one.
            let devices = |t: &Token| t.senses.iter().find(|s| matches!(s, Sense::Devices(_))).cloned();
            let same = !joined && devices(&name) == devices(&tokens[at]);
            tokens.splice(start..end, Some(name).filter(|_| !same));
            return true;
        }
    }
    false
}

/// `下层补光灯打开，上层的关掉`: another of what was named.
fn like_one_before(tokens: &mut Vec<Token>, at: usize, vocabulary: &Vocabulary) -> bool {
    let goes_on = |t: &Token| is_thing(t) || t.is_residue() || place(t).is_some();
    if at == 0 || !tokens[at].has(&Sense::Of) || tokens.get(at + 1).is_some_and(goes_on) {
        return false;
    }
    for start in at.saturating_sub(CUT)..at {
        let (before, part) = (&tokens[..start], &tokens[start..at]);
        let open = before.last().is_some_and(|t| !t.is_residue() && !t.has(&Sense::Of));
        if !open || !part.iter().all(part_of_name) || part.iter().any(|t| place(t).is_some()) {
            continue;
        }
        let of = before.iter().rev().find(|t| is_thing(t) || t.is_entity());
        let Some(of) = of.map(|t| t.text.clone()) else { continue };
        let whole = std::iter::once(of.as_str());
        if let Some(name) = called(part, whole.chain(split(&of).map(|(_, tail)| tail)), vocabulary) {
            tokens.splice(start..=at, [name]);
            return true;
        }
    }
    false
}

/// Whether a word may be a part of a name that is cut in pieces.
fn part_of_name(token: &Token) -> bool {
    let says = |s: &Sense| {
        matches!(
            s,
            Sense::Verb(_)
                | Sense::Set { .. }
                | Sense::Negation
                | Sense::Punctuation
                | Sense::Of
                | Sense::Disposal
                | Sense::Reference
                | Sense::Side { .. }
                | Sense::Number(_)
                | Sense::Question(_)
                | Sense::Other
                | Sense::Property(_)
        )
    };
    !token.any(says) && !is_thing(token)
}

/// A name in two parts, in all ways; that with the longest end first.
fn split(name: &str) -> impl Iterator<Item = (&str, &str)> {
    name.char_indices().skip(1).map(|(at, _)| name.split_at(at))
}

fn names_room(word: &str, vocabulary: &Vocabulary) -> bool {
    let room = |s: &Sense| matches!(s, Sense::Room(_) | Sense::RoomClass(_) | Sense::RoomSort(_));
    vocabulary.senses(word).iter().any(room)
}

/// The thing that is called so with one of the tails.
fn called<'a>(part: &[Token], mut tails: impl Iterator<Item = &'a str>, vocabulary: &Vocabulary) -> Option<Token> {
    let part: String = part.iter().map(|t| t.text.as_str()).collect();
    tails.find_map(|tail| named(format!("{part}{tail}"), vocabulary))
}

fn named(text: String, vocabulary: &Vocabulary) -> Option<Token> {
    let senses = vocabulary.senses(&text);
    senses.iter().any(|s| matches!(s, Sense::Devices(_))).then_some(Token { text, heard: None, senses })
}

/// `筒灯5到筒灯8`, `一号射灯到三号射灯`: all between as well.
fn from_to(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let of = |t: &Token| t.any(|s| matches!(s, Sense::Devices(_)));
    let to = |t: &Token| t.any(|s| matches!(s, Sense::Compare(_))) && t.has(&Sense::Link);
    let Some(at) =
        (1..tokens.len().saturating_sub(1)).find(|at| to(&tokens[*at]) && of(&tokens[at - 1]) && of(&tokens[at + 1]))
    else {
        return tokens;
    };
    let (Some(first), Some(last)) = (numbered(&tokens[at - 1].text), numbered(&tokens[at + 1].text)) else {
        return tokens;
    };
    let ((stem, from, end), (same, to, same_end)) = (first, last);
    if stem != same || end != same_end || from >= to || to - from > MAX_ROW {
        return tokens;
    }
    let one = |number: usize| {
        let written = |number: &str| named(format!("{stem}{number}{end}"), vocabulary);
        written(&number.to_string()).or_else(|| written(&number::han(number)?))
    };
    let between: Vec<Token> = (from + 1..to).filter_map(one).collect();
    if between.len() == to - from - 1 {
        let and = Token::unsaid(Sense::Conjunction);
        let row = between.into_iter().flat_map(|name| [and.clone(), name]).chain([and.clone()]).collect::<Vec<_>>();
        tokens.splice(at..=at, row);
    }
    tokens
}

/// A name with one number in it: what stands before it, the number, and what stands behind it.
fn numbered(name: &str) -> Option<(String, usize, String)> {
    let chars: Vec<char> = name.chars().collect();
    let (at, (number, used)) = (0..chars.len()).find_map(|at| Some((at, number::read(&chars[at..])?)))?;
    let whole = number.value.fract() == 0.0 && (0.0..1_000.0).contains(&number.value) && !number.percent;
    let text = |chars: &[char]| chars.iter().collect::<String>();
    whole.then(|| (text(&chars[..at]), number.value as usize, text(&chars[at + used..])))
}
