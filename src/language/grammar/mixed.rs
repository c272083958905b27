//! A row of things and of what things have, of which one thing is told: `油烟机灯和厨房灯都关了`, `投影和鱼缸灯都关了`.

use super::super::lexicon::{PropertyId, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::feature::devices_of;
use super::nominal::{self, Head, Nominal};

/// One of the row: where it begins and ends, and what it is.
struct Item {
    begin: usize,
    end: usize,
    nominal: Nominal,
}

/// The words with each of such a row told by itself, so that what one thing has is not looked for in the other.
pub(super) fn told_apart(tokens: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let mut told: Vec<Token> = Vec::new();
    let mut changed = false;
    for clause in tokens.split_inclusive(|t| t.has(&Sense::Punctuation)) {
        let pause = clause.last().filter(|t| t.has(&Sense::Punctuation));
        let words = &clause[..clause.len() - usize::from(pause.is_some())];
        match each_by_itself(words, vocabulary) {
            Some(apart) => {
                told.extend(apart);
                changed = true;
            }
            None => told.extend_from_slice(words),
        }
        told.extend(pause.cloned());
    }
    changed.then_some(told)
}

/// A clause that is such a row and one verb that switches, as a clause for each of them.
fn each_by_itself(clause: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Disposal | Sense::Filler)) && !t.is_entity();
    let switches = |t: &Token| {
        let switches = |s: &Sense| vocabulary.lexicon.switches(s).is_some();
        t.any(switches) && !t.is_entity()
    };
    let begin = clause.iter().take_while(|t| small(t)).count();
    let lead = usize::from(clause.get(begin).is_some_and(switches));
    let items = row(clause, begin + lead, vocabulary);
    let rest = &clause[items.last()?.end..];
    let (verb, told) = if lead > 0 {
        (clause.get(begin)?, rest)
    } else {
        let quantity = |t: &Token| t.has(&Sense::Each) || small(t);
        let skipped = rest.iter().take_while(|t| quantity(t) && !switches(t)).count();
        (rest.get(skipped).filter(|t| switches(t))?, &rest[skipped + 1..])
    };
    let over = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Polite)) && !t.is_entity();
    if !told.iter().all(over) || !is_mixed(&items, vocabulary) {
        return None;
    }
    let shared = shared(clause, &items, vocabulary)?;
    let pause = Token { text: ",".to_owned(), heard: None, senses: vec![Sense::Punctuation] };
    let mut apart = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            apart.push(pause.clone());
        }
        apart.extend_from_slice(&clause[item.begin..item.end]);
        if item.nominal.property.is_none() {
            apart.extend_from_slice(shared);
        }
        let each = |t: &&Token| t.has(&Sense::Each) && matches!(item.nominal.head, Some(Head::Kind(..)));
        apart.extend(rest.iter().filter(each).cloned());
        apart.push(verb.clone());
    }
    Some(apart)
}

/// The things in a row; a comma or nothing stands between them where the first says what of it is meant.
fn row(clause: &[Token], begin: usize, vocabulary: &Vocabulary) -> Vec<Item> {
    let and = |t: &Token| t.has(&Sense::Conjunction) && !t.is_entity();
    let mut items: Vec<Item> = Vec::new();
    let mut at = begin;
    while at < clause.len() {
        let Some((nominal, end)) = nominal::read(clause, at, vocabulary) else { break };
        items.push(Item { begin: at, end, nominal });
        at = match clause.get(end) {
            Some(token) if and(token) => end + 1,
            Some(_) if items.iter().all(|item| item.nominal.property.is_some()) => end,
            _ => break,
        };
    }
    items
}

/// Whether one of them is a feature of a thing and another one a whole thing, or a feature of another thing.
fn is_mixed(items: &[Item], vocabulary: &Vocabulary) -> bool {
    let flag = |p: PropertyId| vocabulary.lexicon.properties[p].flag;
    let feature = |n: &Nominal| n.property.is_some_and(flag) && (n.head.is_some() || n.places.is_empty());
    let thing = |n: &Nominal| {
        let named = matches!(n.head, Some(Head::Named { scene: false, .. } | Head::Kind(..) | Head::Sort(..)));
        named && n.property.is_none() && n.except_is_empty() && !n.other
    };
    let features: Vec<&Nominal> = items.iter().map(|item| &item.nominal).filter(|n| feature(n)).collect();
    let things = items.iter().filter(|item| thing(&item.nominal)).count();
    let headed = |n: &&Nominal| n.head.is_some();
    let several = features.windows(2).any(|two| two[0].property != two[1].property && two.iter().all(headed));
    features.len() + things == items.len() && !features.is_empty() && (things > 0 || several)
}

/// What is said at the end for those before it as well: `酒柜和泳池的灯`. `None` where nobody can tell whether it is.
fn shared<'t>(clause: &'t [Token], items: &[Item], vocabulary: &Vocabulary) -> Option<&'t [Token]> {
    let last = items.last()?;
    let Some(property) = last.nominal.property else { return Some(&[]) };
    let kind = vocabulary.lexicon.properties[property].kind;
    let has = |n: &Nominal| {
        let devices = n.head.as_ref().and_then(|head| devices_of(head, vocabulary)).unwrap_or_default();
        let of_kind =
            |d: usize| kind.and_then(|kind| vocabulary.devices[d].feature_of_kind(kind, &vocabulary.lexicon)).is_some();
        devices.iter().any(|d| {
            let of = &vocabulary.devices[*d];
            of.about(property).is_some_and(|a| a.writable && a.property == Some(property)) || of_kind(*d)
        })
    };
    let mut whole = items.iter().filter(|item| item.nominal.property.is_none()).peekable();
    if whole.peek().is_none() || !whole.clone().any(|item| has(&item.nominal)) {
        return Some(&[]);
    }
    let of = (last.begin..last.end).find(|at| clause[*at].has(&Sense::Of) && !clause[*at].is_entity());
    of.filter(|_| whole.all(|item| has(&item.nominal))).map(|of| &clause[of..last.end])
}
