//! The turn before, once more: of something else (`主卧也一样`), or mended (`错了，二十三`, `不是主卧，是儿童房`).

use super::{Meant, Page, page, plain, tokens};
use crate::home::RoomIndex;
use crate::language::deed::{Amount, Deed};
use crate::language::grammar::{self, Hearing, Parse};
use crate::language::lexicon::Sense;
use crate::language::order::{Fragment, Order, Target};
use crate::language::segment::Token;
use crate::language::vocabulary::Vocabulary;
use crate::retrieval::{Entity, World};

/// What an utterance makes of the commands of the turn before; `None` where it speaks for itself.
pub(super) fn again(
    sentence: &str,
    parse: &Parse,
    page: &Page,
    world: &World,
    local: Option<RoomIndex>,
) -> Option<Meant> {
    let before = page::orders(&page.orders, &world.vocabulary);
    if before.is_empty() || before.iter().all(|o| o.action.moves_nothing()) {
        return None;
    }
    let tokens = tokens(sentence, world);
    let hearing = Hearing { local, ..Hearing::default() };
    let read = |tokens: &[Token]| grammar::parse(&written(tokens), &world.vocabulary, &hearing);
    if tokens.iter().any(|t| t.has(&Sense::Same)) {
        let about: Vec<Token> = tokens.iter().filter(|t| !only_repeats(t)).cloned().collect();
        return match read(&about) {
            Parse::Fragment(other) => Some(plain(of_another(before, &other, &world.vocabulary))),
            _ => None,
        };
    }
    // What reads by itself needs no turn before it.
    if matches!(parse, Parse::Orders(_)) {
        return None;
    }
    let rest = mended(&tokens, &world.vocabulary)?;
    let value = value(rest, &world.vocabulary);
    if let Some(value) = value {
        return with_value(before, &value).map(plain);
    }
    let corrects = tokens.iter().any(|t| t.has(&Sense::Correction));
    let starts = (0..rest.len()).filter(|at| *at == 0 || is_small(&rest[at - 1]));
    starts.take(MAX_STARTS).filter(|_| corrects).find_map(|at| match read(&rest[at..]) {
        Parse::Fragment(other) if names(&other) => Some(plain(of_another(before.clone(), &other, &world.vocabulary))),
        Parse::Orders(orders) => Some(plain(orders)),
        _ => None,
    })
}

/// Beginnings of what is meant instead that are tried at most.
const MAX_STARTS: usize = 4;

fn written(tokens: &[Token]) -> String {
    tokens.iter().map(|t| t.heard.as_deref().unwrap_or(&t.text)).collect()
}

/// Words of a repetition that say no more than that it is one.
fn only_repeats(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Same | Sense::Set { .. } | Sense::SetBare | Sense::Also | Sense::Each))
        && !token.is_entity()
}

fn is_small(token: &Token) -> bool {
    token.any(|s| {
        matches!(
            s,
            Sense::Filler
                | Sense::Particle
                | Sense::Punctuation
                | Sense::Correction
                | Sense::Is
                | Sense::Reference
                | Sense::Then
                | Sense::Of
                | Sense::Measure
        )
    }) && !token.is_entity()
}

/// What is said instead: behind the words that take back, and behind what is denied (`不是主卧，是…`).
fn mended<'t>(tokens: &'t [Token], vocabulary: &Vocabulary) -> Option<&'t [Token]> {
    let small = |t: &&Token| is_small(t);
    let begin = tokens.iter().take_while(small).count();
    let marks = |t: &Token| {
        t.any(|s| matches!(s, Sense::Correction | Sense::Then | Sense::Reference | Sense::Set { .. } | Sense::SetBare))
    };
    let denies = tokens[..begin].iter().any(|t| grammar::is_denial(t, vocabulary));
    let rest = &tokens[begin..];
    let after = rest.iter().position(|t| t.has(&Sense::Punctuation) || t.has(&Sense::Is)).filter(|_| denies);
    let rest = after.map_or(rest, |at| &rest[at + 1..]);
    let led = tokens[..begin].iter().any(marks) || rest.first().is_some_and(marks);
    (led && !rest.is_empty()).then_some(rest)
}

/// A number with its unit, or a value by word, and nothing else but small words.
fn value(tokens: &[Token], vocabulary: &Vocabulary) -> Option<Amount> {
    let leads = |t: &&Token| is_small(t) || t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare));
    let at = tokens.iter().take_while(leads).count();
    let (amount, end) = grammar::amount(tokens, at, vocabulary)?;
    tokens[end..].iter().all(is_small).then_some(amount)
}

/// The same with another value, where the last of them set one of its sort.
fn with_value(mut orders: Vec<Order>, value: &Amount) -> Option<Vec<Order>> {
    let word = |amount: &Amount| matches!(amount, Amount::Word(_) | Amount::Kelvin(..));
    let last = orders.iter_mut().rev().find(|o| matches!(o.action, Deed::Set { .. }))?;
    let Deed::Set { to, .. } = &mut last.action else { return None };
    if word(to) != word(value) {
        return None;
    }
    *to = value.clone();
    Some(vec![last.clone()])
}

/// Whether a fragment names a place or a thing.
fn names(fragment: &Fragment) -> bool {
    !fragment.scope.include.is_empty() || !matches!(fragment.target, Target::Anything | Target::Reference(_))
}

/// The same of another place or another thing. A place by itself means what there is of the same kind.
fn of_another(mut orders: Vec<Order>, other: &Fragment, vocabulary: &Vocabulary) -> Vec<Order> {
    orders.retain(|o| !o.action.moves_nothing());
    let only_place = matches!(other.target, Target::Anything | Target::Reference(_));
    for order in &mut orders {
        if let (true, Target::Named { entities, kind, .. }) = (only_place, &order.target) {
            let device = entities.iter().find_map(|e| if let Entity::Device(d) = e { Some(*d) } else { None });
            let of_device = || vocabulary.devices.get(device?)?.kinds.first().copied();
            let lexicon = &vocabulary.lexicon;
            if let Some(kind) = kind.or_else(of_device) {
                order.target = Target::of_kind(kind, &lexicon.kinds[kind].words[0], lexicon);
            }
        }
        if !only_place {
            order.scope.include.clear();
        }
        order.refer(other);
    }
    orders
}
