//! The turn before with one of its words replaced: `打开阿强的空调`, then `不是阿强，是雯雯的`; `左边窗帘拉上`, then `右边的也要`.

use super::{Meant, Page, plain};
use crate::language::action::Action;
use crate::language::grammar::{self, Parse};
use crate::language::lexicon::Sense;
use crate::language::number;
use crate::language::order::Order;
use crate::language::segment::Token;
use crate::retrieval::World;
use crate::text::utterance;

/// Characters of what is denied or meant instead.
const MAX_WORD: usize = 12;

/// What the turn before says with the word that was meant; `None` where no word of it is replaced, or the grammar is not sure of
/// what comes of it.
pub(super) fn replaced(tokens: &[Token], page: &Page, world: &World, read: impl Fn(&str) -> Parse) -> Option<Meant> {
    let before = utterance(&page.turns.last()?.question);
    let mended = denied(tokens, &before, world)
        .or_else(|| other_side(tokens, &before, world))
        .or_else(|| other_number(tokens, &before, world))?;
    match read(&mended) {
        Parse::Orders(orders) if orders.iter().all(is_clear) => Some(plain(orders)),
        _ => None,
    }
}

/// Commands that move something and are understood.
fn is_clear(order: &Order) -> bool {
    !order.action.moves_nothing() && !matches!(order.action, Action::Unclear(_))
}

/// `不是阿强，是雯雯的`: the one word in place of the other, which was said.
fn denied(tokens: &[Token], before: &str, world: &World) -> Option<String> {
    let small = |t: &&Token| super::again::is_small(t);
    let at = tokens.iter().position(|t| grammar::is_denial(t, &world.vocabulary))?;
    if !tokens[..at].iter().all(super::again::is_small) {
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
    let fits = |word: &str| (1..=MAX_WORD).contains(&word.chars().count());
    let once = fits(&wrong) && fits(&meant) && before.matches(&wrong).count() == 1;
    once.then(|| before.replacen(&wrong, &meant, 1))
}

/// `错了，要二号`, `三号也要`: another of a row that was counted, and nothing else that would have to be explained.
fn other_number(tokens: &[Token], before: &str, world: &World) -> Option<String> {
    let mark = &world.lexicon().marks.number;
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    let at = tokens.iter().position(number)?;
    let goes_on = |t: &Token| t.any(|s| matches!(s, Sense::Also | Sense::Same | Sense::Correction));
    let known = |t: &Token| goes_on(t) || super::again::is_small(t) || is_wish(t) || t.has(&Sense::Of);
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

/// `右边的也要`: the other side, and nothing else that would have to be explained.
fn other_side(tokens: &[Token], before: &str, world: &World) -> Option<String> {
    let side = |t: &Token| t.senses.iter().find(|s| matches!(s, Sense::Side { .. })).cloned();
    let meant = tokens.iter().find_map(side)?;
    let goes_on = |t: &Token| t.any(|s| matches!(s, Sense::Also | Sense::Same | Sense::Correction));
    let said = |t: &Token| before.contains(t.text.as_str());
    let known = |t: &Token| side(t).is_some() || goes_on(t) || super::again::is_small(t) || is_wish(t) || said(t);
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
