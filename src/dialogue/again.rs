//! The turn before, once more: of something else (`主卧也一样`), or mended (`错了，二十三`, `不是主卧，是儿童房`).

use super::words::{is_ours, is_small, written};
use super::{Meant, Nothing, Page, page, plain, replaced, sibling, tokens};
use crate::home::RoomIndex;
use crate::language::action::{Action, Amount};
use crate::language::command::Type;
use crate::language::grammar::{self, Parse, SpeakerContext};
use crate::language::lexicon::Sense;
use crate::language::order::{Fragment, Order, Place, Target};
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
    // 湿度呢
    if let (Some(asked), false) = (before.last(), matches!(parse, Parse::Orders(_)))
        && matches!(asked.action, Action::Ask(_))
    {
        let speaker = SpeakerContext { local, ..SpeakerContext::default() };
        let other = grammar::how_about(&tokens(sentence, world), asked, &world.vocabulary, &speaker);
        if let Some(order) = other {
            return Some(plain(vec![order]));
        }
    }
    if before.is_empty() || before.iter().all(|o| o.action.moves_nothing()) {
        return None;
    }
    let tokens = tokens(sentence, world);
    let speaker = SpeakerContext { local, ..SpeakerContext::default() };
    let read = |tokens: &[Token]| grammar::parse(&written(tokens), &world.vocabulary, &speaker);
    let parsed = |text: &str| grammar::parse(text, &world.vocabulary, &speaker);
    if let Some(meant) = replaced::replaced(&tokens, page, world, parsed) {
        return Some(meant);
    }
    if (!matches!(parse, Parse::Orders(_)) || tokens.iter().any(|t| t.has(&Sense::Another)))
        && let Some(meant) = sibling::sibling(&tokens, page, world, parsed)
    {
        return Some(meant);
    }
    let repeats = tokens.iter().any(|t| t.has(&Sense::Same));
    let also = tokens.iter().any(|t| t.has(&Sense::Also));
    // 和客厅的一样: as it is there, which nobody has told.
    let as_there = |t: &Token| t.has(&Sense::Conjunction) && !t.has(&Sense::Also) && !t.is_entity();
    if repeats && tokens.iter().find(|t| !is_small(t)).is_some_and(as_there) {
        return Some(Meant::Nothing(Nothing::Unsure(Vec::new())));
    }
    // 205的也放到十度: of what is like it there.
    let nameless = |order: &Order| order.target == Target::Anything && !order.scope.include.is_empty();
    // 宝宝房的调到二十六 likewise: of there, and no more.
    let of_there = (1..tokens.len()).any(|at| of_a_room(&tokens, at));
    // 书房的24: a value there, and nothing else.
    let elliptic = || of_there && !matches!(parse, Parse::Orders(_)) && of_value(&tokens, &world.vocabulary).is_some();
    let there = (also || of_there)
        && matches!(parse, Parse::Orders(orders) if matches!(&orders[..], [order] if nameless(order)))
        || elliptic();
    if repeats || there || also && !matches!(parse, Parse::Orders(_)) {
        if let Some(order) = feature(&tokens, &world.vocabulary) {
            return Some(plain(vec![order]));
        }
        if let Some((other, to)) = of_value(&tokens, &world.vocabulary).filter(|_| also || there) {
            let Parse::Fragment(other) = read(other) else { return None };
            let orders = with_value(before, &to)?;
            return Some(plain(of_another(orders, &other, &world.vocabulary)));
        }
    }
    if repeats {
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
    // 主卧的: behind what was done in another room.
    if let (Parse::Fragment(other), [_]) = (parse, &before[..])
        && tokens.last().is_some_and(|t| t.has(&Sense::Of))
        && matches!((&other.target, &other.scope.include[..]), (Target::Anything, [_]))
    {
        return Some(plain(of_another(before, other, &world.vocabulary)));
    }
    // 九十: a number alone, behind another one.
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_)));
    if let ([Order { action: Action::Set { to, .. }, .. }], [first, ..]) = (&before[..], &tokens[..])
        && number(first)
        && matches!(to, Amount::Number(..) | Amount::Percent(_))
        && let Some(orders) = value(&tokens, &world.vocabulary).and_then(|to| with_value(before.clone(), &to))
    {
        return Some(plain(orders));
    }
    // 太高了，二十三就行: a comment, and the value once more.
    let complains = |t: &Token| t.any(|s| matches!(s, Sense::Reason | Sense::Direction { .. } | Sense::Correction));
    // 太暗了九十: what has changed ends a comment as a pause does.
    let marks = &world.lexicon().marks;
    let over = |t: &Token| t.has(&Sense::Punctuation) || t.has(&Sense::Particle) && t.text == marks.changed;
    let parts: Vec<&[Token]> = tokens.split(over).filter(|p| !p.is_empty()).collect();
    if let [comments @ .., last] = &parts[..]
        && !comments.is_empty()
        && comments.iter().all(|c| c.iter().any(complains) && !c.iter().any(is_ours))
        && let Some(orders) = value(last, &world.vocabulary).and_then(|to| with_value(before.clone(), &to))
    {
        return Some(plain(orders));
    }
    let rest = mended(&tokens, &world.vocabulary)?;
    let value = value(rest, &world.vocabulary);
    // 打开 is a value as well as an action: 算了还是打开吧.
    let action = rest.iter().any(|t| t.any(|s| matches!(s, Sense::Verb(_))));
    if let Some(value) = value {
        let mended = with_value(before.clone(), &value).map(plain);
        if mended.is_some() || !action {
            return mended;
        }
    }
    let corrects = tokens.iter().any(|t| t.has(&Sense::Correction));
    if let Some(orders) = value_after_reason(rest, &world.vocabulary)
        .filter(|_| corrects)
        .and_then(|value| with_value(before.clone(), &value))
    {
        return Some(plain(orders));
    }
    // What is skipped says nothing, or has ended: 要妈妈的那盏 is never the 那盏 of the turn before.
    let parted = |at: usize| rest[at - 1].any(|s| matches!(s, Sense::Punctuation | Sense::Is));
    let starts = (0..rest.len()).filter(|at| *at == 0 || parted(*at) || rest[..*at].iter().all(is_small));
    starts.take(MAX_STARTS).filter(|_| corrects).find_map(|at| match read(&rest[at..]) {
        Parse::Fragment(other) if names(&other) => Some(plain(of_another(before.clone(), &other, &world.vocabulary))),
        Parse::Orders(orders) => Some(plain(orders)),
        _ => None,
    })
}

/// `它的照明也要`, `烘干也要`: a feature of what was spoken of, and no verb.
fn feature(tokens: &[Token], vocabulary: &Vocabulary) -> Option<Order> {
    let named = |t: &Token| {
        let mut properties = t
            .senses
            .iter()
            .filter_map(|s| if let Sense::Property(p) | Sense::Feature(p) = s { Some(*p) } else { None });
        properties.find(|p| vocabulary.lexicon.properties[*p].flag && vocabulary.lexicon.properties[*p].own)
    };
    let rest: Vec<&Token> = tokens.iter().filter(|t| !is_small(t) && !only_repeats(t)).collect();
    let [only] = rest[..] else { return None };
    let on = vocabulary.lexicon.verb("on")?;
    let action = Action::about(on, named(only)?, &vocabulary.lexicon);
    Some(Order::about(action, Target::Reference(Type::Unknown)))
}

/// `右边的也五十`, `书房的调到五十`, `书房的五十`: another thing, and a value at the end.
fn of_value<'t>(tokens: &'t [Token], vocabulary: &Vocabulary) -> Option<(&'t [Token], Amount)> {
    let sets = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare)) && !t.is_entity();
    let also = tokens.iter().position(|t| t.has(&Sense::Also)).or_else(|| tokens.iter().position(sets));
    // 书房的24
    let of = || (1..tokens.len()).find(|at| of_a_room(tokens, *at)).map(|at| (at, at + 1));
    let (end, begin) = also.map(|at| (at, at + 1)).or_else(of)?;
    let to = value(&tokens[begin..], vocabulary)?;
    (end > 0).then_some((&tokens[..end], to))
}

/// Whether a word is the 的 behind a room.
fn of_a_room(tokens: &[Token], at: usize) -> bool {
    tokens[at].has(&Sense::Of) && tokens[at - 1].any(|s| matches!(s, Sense::Room(_)))
}

/// Beginnings of what is meant instead that are tried at most.
const MAX_STARTS: usize = 4;

/// Words of a repetition that say no more than that it is one.
fn only_repeats(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Same | Sense::Set { .. } | Sense::SetBare | Sense::Also | Sense::Each))
        && !token.is_entity()
}

/// What is said instead: behind the words that take back, and behind what is denied (`不是主卧，是…`).
pub(super) fn mended<'t>(tokens: &'t [Token], vocabulary: &Vocabulary) -> Option<&'t [Token]> {
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

/// `不对，泡绿茶是75`, `记错了，大夫嘱咐27度`: a value at the end, and before it nothing of the home that it could be of.
fn value_after_reason(rest: &[Token], vocabulary: &Vocabulary) -> Option<Amount> {
    let at = (1..rest.len()).find(|at| {
        let led = rest[at - 1].has(&Sense::Is);
        let unit = rest[*at..].iter().any(|t| t.any(|s| matches!(s, Sense::Unit(_))));
        (led || unit) && rest[*at].any(|s| matches!(s, Sense::Number(_))) && value(&rest[*at..], vocabulary).is_some()
    })?;
    let strange = rest[..at].iter().any(Token::is_residue);
    (strange && !rest[..at].iter().any(is_ours)).then(|| value(&rest[at..], vocabulary))?
}

/// How much larger than a step is no step any more.
const FAR: f64 = 5.0;

fn number(amount: &Amount) -> Option<f64> {
    match amount {
        Amount::Number(number, _) | Amount::Percent(number) => Some(*number),
        _ => None,
    }
}

/// The same with another value, where the last of them set one of its sort.
fn with_value(mut orders: Vec<Order>, value: &Amount) -> Option<Vec<Order>> {
    let word = |amount: &Amount| matches!(amount, Amount::Word(_) | Amount::Kelvin(..));
    let last = orders.iter_mut().rev().find(|o| matches!(o.action, Action::Set { .. } | Action::Step { .. }))?;
    match &mut last.action {
        Action::Set { to, .. } if word(to) == word(value) => *to = value.clone(),
        // 调低一度, 还是二十七吧: what is far from a step is what it shall be.
        Action::Step { ways, by } if !word(value) => match (number(value), by.as_ref().and_then(number)) {
            (Some(said), Some(step)) if said <= step * FAR => *by = Some(value.clone()),
            _ => {
                let property = ways.first().and_then(|way| way.0);
                last.action = Action::Set { property, to: value.clone() };
            }
        },
        _ => return None,
    }
    Some(vec![last.clone()])
}

/// Whether a fragment names a place or a thing.
pub(super) fn names(fragment: &Fragment) -> bool {
    !fragment.scope.include.is_empty() || !matches!(fragment.target, Target::Anything | Target::Reference(_))
}

/// The same of another place or another thing. A place by itself means what there is of the same kind.
pub(super) fn of_another(mut orders: Vec<Order>, other: &Fragment, vocabulary: &Vocabulary) -> Vec<Order> {
    orders.retain(|o| !o.action.moves_nothing());
    let only_place = matches!(other.target, Target::Anything | Target::Reference(_));
    for order in &mut orders {
        if let (true, Target::Named { entities, kind, .. }) = (only_place, &order.target) {
            let device = entities.iter().find_map(|e| if let Entity::Device(d) = e { Some(*d) } else { None });
            let of_device = || vocabulary.devices.get(device?)?.kinds.first().copied();
            let lexicon = &vocabulary.lexicon;
            let alike = match (device, &other.scope.include[..]) {
                (Some(device), [Place::Room(room)]) if entities.len() == 1 => {
                    sibling::called_alike(device, *room, vocabulary)
                }
                _ => None,
            };
            if let Some(alike) = alike {
                order.target = alike;
            } else if let Some(kind) = kind.or_else(of_device) {
                order.target = Target::of_kind(kind, &lexicon.kinds[kind].words[0], lexicon);
            }
        }
        if !only_place {
            order.scope.include.clear();
        }
        // 挂灯, then 阿凯那个: of all that is called after 阿凯 the one that is a 挂灯.
        if let Some(target) = sibling::of_its_like(&other.target, &order.target, vocabulary) {
            order.refer(&Fragment { target, ..other.clone() });
            continue;
        }
        order.refer(other);
    }
    orders
}
