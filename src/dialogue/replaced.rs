//! The turn before with one of its words replaced: `打开阿强的空调`, then `不是阿强，是雯雯的`; `左边窗帘拉上`, then `右边的也要`.

use super::{Meant, Page, plain};
use crate::language::action::Action;
use crate::language::grammar::{self, Parse};
use crate::language::lexicon::Sense;
use crate::language::number;
use crate::language::order::Order;
use crate::language::segment::Token;
use crate::retrieval::World;

/// Characters of what is denied or meant instead.
const MAX_WORD: usize = 12;

/// Turns that are looked at for what is said once more of another thing.
const MAX_TURNS: usize = 3;

/// What the turn before says with the word that was meant; `None` where no word of it is replaced, or the grammar is not sure of
/// what comes of it.
pub(super) fn replaced(tokens: &[Token], page: &Page, world: &World, read: impl Fn(&str) -> Parse) -> Option<Meant> {
    let before = world.vocabulary.utterance(&page.turns.last()?.question);
    let mended = denied(tokens, &before, world)
        .or_else(|| other_side(tokens, &before, world))
        .or_else(|| other_number(tokens, &before, world));
    let Some(mended) = mended else {
        // 二号四十, 三号五十: the turn in which the thing was named may be a while ago.
        let said = page.turns.iter().rev().take(MAX_TURNS).map(|turn| world.vocabulary.utterance(&turn.question));
        return said
            .filter_map(|before| other_and_value(tokens, &before, world))
            .find_map(|mended| clear(read(&mended)));
    };
    clear(read(&mended))
}

/// Orders that move something and are understood.
fn clear(parse: Parse) -> Option<Meant> {
    match parse {
        Parse::Orders(orders) if orders.iter().all(is_clear) => Some(plain(orders)),
        _ => None,
    }
}

/// The sentence with the word that it corrects itself in: `二号筒灯关了，哦不是，是三号`, `雾开三档，不是三，是一档`.
pub(super) fn within(tokens: &[Token], world: &World, read: impl Fn(&str) -> Parse) -> Option<Meant> {
    let hesitates = |t: &Token| world.lexicon().marks.hesitates.contains(&t.text) || t.has(&Sense::Punctuation);
    let denies = |t: &Token| (t.has(&Sense::Correction) || grammar::is_denial(t, &world.vocabulary)) && !t.is_entity();
    let at = (1..tokens.len()).find(|at| denies(&tokens[*at]) && hesitates(&tokens[at - 1]))?;
    let end = at - tokens[..at].iter().rev().take_while(|t| hesitates(t)).count();
    let before = written(&tokens[..end]);
    // What follows behind another pause says why, or what else is told.
    let pause =
        |from: usize| (from..tokens.len()).find(|at| tokens[*at].has(&Sense::Punctuation)).unwrap_or(tokens.len());
    let is = (at + 1..tokens.len()).find(|at| tokens[*at].has(&Sense::Is));
    let start = at + 1 + tokens[at + 1..].iter().take_while(|t| hesitates(t)).count();
    let stop = pause(is.unwrap_or(start));
    // 不是，右边: what is meant follows behind the pause.
    let meant = [&tokens[at..=at], &tokens[start..stop.max(start)]].concat();
    let mended = is
        .and_then(|_| denied(&tokens[at..stop], &before, world))
        .or_else(|| other_number(&meant, &before, world))
        .or_else(|| other_side(&meant, &before, world))?;
    let rest = tokens.get(stop + 1..).unwrap_or_default();
    let acts = rest.iter().any(|t| t.any(Sense::is_action));
    let whole = if acts { format!("{mended}{}{}", tokens[stop].text, written(rest)) } else { mended };
    clear(read(&whole))
}

/// Commands that move something and are understood.
fn is_clear(order: &Order) -> bool {
    !order.action.moves_nothing() && !matches!(order.action, Action::Unclear(_))
}

/// `不是阿强，是雯雯的`: the one word in place of the other, which was said.
fn denied(tokens: &[Token], before: &str, world: &World) -> Option<String> {
    let small = |t: &&Token| super::words::is_small(t);
    let at = tokens.iter().position(|t| grammar::is_denial(t, &world.vocabulary))?;
    if !tokens[..at].iter().all(super::words::is_small) {
        return None;
    }
    let rest = &tokens[at + 1..];
    let end = rest.iter().position(|t| t.has(&Sense::Punctuation) || t.has(&Sense::Is))?;
    let (wrong, meant) = (&rest[..end], &rest[end..]);
    let trim = |words: &[Token]| {
        let start = words.iter().take_while(small).count();
        let stop = words.len() - words.iter().rev().take_while(small).count();
        words.get(start..stop).map(written)
    };
    let (wrong, meant) = (trim(wrong)?, trim(meant)?);
    // 是兰花灯关掉: what is meant is told in whole.
    if rest[end..].iter().any(|t| t.any(Sense::is_action) && !t.is_entity()) {
        return None;
    }
    let fits = |word: &str| (1..=MAX_WORD).contains(&word.chars().count());
    let once = fits(&wrong) && fits(&meant) && before.matches(&wrong).count() == 1;
    if !once {
        return None;
    }
    // 三档，不是三，是一档: the end of what is meant stands there already.
    let (head, tail) = before.split_once(&wrong)?;
    let ends = meant.char_indices().skip(1).map(|(at, _)| at);
    let known = ends.into_iter().find(|at| tail.starts_with(&meant[*at..])).unwrap_or(meant.len());
    Some(format!("{head}{}{tail}", &meant[..known]))
}

/// `错了，要二号`, `三号也要`: another of a row that was counted, and nothing else that would have to be explained.
fn other_number(tokens: &[Token], before: &str, world: &World) -> Option<String> {
    let mark = &world.lexicon().marks.number;
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    let at = tokens.iter().position(number)?;
    let goes_on = |t: &Token| t.any(|s| matches!(s, Sense::Also | Sense::Same | Sense::Correction));
    let known = |t: &Token| goes_on(t) || super::words::is_small(t) || is_wish(t) || t.has(&Sense::Of);
    let rest = tokens[..at].iter().chain(tokens.get(at + 2..)?);
    let marked = tokens[at + 1].heard.as_ref().unwrap_or(&tokens[at + 1].text).starts_with(mark.as_str());
    if !marked || !tokens.iter().any(goes_on) || !rest.clone().all(known) {
        return None;
    }
    let chars: Vec<char> = before.chars().collect();
    let mut counted = (0..chars.len()).filter_map(|at| Some((at, number::read(&chars[at..])?.1)));
    let (start, length) = counted.next()?;
    let once = counted.all(|(at, _)| at < start + length);
    let kept = |part: &[char]| part.iter().collect::<String>();
    once.then(|| format!("{}{}{}", kept(&chars[..start]), tokens[at].text, kept(&chars[start + length..])))
}

/// `一号筒灯三十`, then `二号四十`; `左床头灯三十`, then `右边也五十`: another one, and another value.
fn other_and_value(tokens: &[Token], before: &str, world: &World) -> Option<String> {
    let lexicon = world.lexicon();
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    let side = |t: &Token| t.senses.iter().find(|s| matches!(s, Sense::Side { .. })).cloned();
    let value = tokens.iter().rposition(number).filter(|at| *at > 0)?;
    let small = |t: &Token| super::words::is_small(t) || is_wish(t) || t.has(&Sense::Also) || t.has(&Sense::Same);
    let unit = |t: &Token| t.any(|s| matches!(s, Sense::Unit(_)));
    if !tokens[value + 1..].iter().all(|t| small(t) || unit(t)) {
        return None;
    }
    let chars: Vec<char> = before.chars().collect();
    let mut counted: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let length = number::read(&chars[at..]).map(|read| read.1);
        counted.extend(length.map(|length| (at, length)));
        at += length.unwrap_or(1);
    }
    let text = |t: &Token| t.text.chars().collect::<Vec<char>>();
    let put = |chars: &[char], (start, length): (usize, usize), new: &[char]| {
        [&chars[..start], new, &chars[start + length..]].concat()
    };
    let head = &tokens[..value];
    let which = head.iter().position(|t| number(t) || side(t).is_some())?;
    let others = || head[which + 1..].iter().chain(&head[..which]);
    if number(&head[which]) {
        let [first, last] = counted[..] else { return None };
        let marked = |t: &Token| t.heard.as_ref().unwrap_or(&t.text).starts_with(lexicon.marks.number.as_str());
        let known = head.get(which + 1).is_some_and(marked) && others().all(|t| small(t) || marked(t));
        let mended = put(&put(&chars, last, &text(&tokens[value])), first, &text(&head[which]));
        return known.then(|| mended.into_iter().collect());
    }
    let ([last], Sense::Side { left }) = (&counted[..], side(&head[which])?) else { return None };
    let first = |sense: &Sense| lexicon.side_words(sense).iter().min_by_key(|word| word.len()).cloned();
    let (other, this) = (first(&Sense::Side { left: !left })?, first(&Sense::Side { left })?);
    let mended: String = put(&chars, *last, &text(&tokens[value])).into_iter().collect();
    (others().all(small) && before.matches(&other).count() == 1).then(|| mended.replacen(&other, &this, 1))
}

/// `右边的也要`: the other side, and nothing else that would have to be explained.
fn other_side(tokens: &[Token], before: &str, world: &World) -> Option<String> {
    let side = |t: &Token| t.senses.iter().find(|s| matches!(s, Sense::Side { .. })).cloned();
    let meant = tokens.iter().find_map(side)?;
    let goes_on = |t: &Token| t.any(|s| matches!(s, Sense::Also | Sense::Same | Sense::Correction));
    let said = |t: &Token| before.contains(t.text.as_str());
    let known = |t: &Token| side(t).is_some() || goes_on(t) || super::words::is_small(t) || is_wish(t) || said(t);
    if !tokens.iter().any(goes_on) || !tokens.iter().all(known) {
        return None;
    }
    let Sense::Side { left } = meant else { return None };
    let lexicon = world.lexicon();
    let first = |sense: &Sense| lexicon.side_words(sense).iter().min_by_key(|word| word.len()).cloned();
    let (other, this) = (first(&Sense::Side { left: !left })?, first(&meant)?);
    (before.matches(&other).count() == 1).then(|| before.replacen(&other, &this, 1))
}

/// `要`, `开`: what says no more than that it is wanted as well.
fn is_wish(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::RoomSuffix | Sense::Measure))
}

fn written(tokens: &[Token]) -> String {
    tokens.iter().map(|t| t.text.as_str()).collect()
}
