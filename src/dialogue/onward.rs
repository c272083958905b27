//! What goes on from the turn before and does not say of what: `主卧空调开着没`, then `没开就打开`; `加湿器调到三档`, then
//! `再加一档`; `书桌灯关了`, then `还有窗帘`.

use super::{Meant, Page, again, page, plain, words};
use crate::language::action::{Action, Amount, Ask};
use crate::language::command::Type;
use crate::language::grammar::{self, Parse};
use crate::language::lexicon::{PropertyId, Sense};
use crate::language::order::{Order, Scope, Target};
use crate::language::segment::Token;
use crate::retrieval::World;

/// What an utterance adds to the orders of the turn before; `None` where it does not go on from them.
pub(super) fn onward(
    tokens: &[Token],
    parse: &Parse,
    page: &Page,
    world: &World,
    read: impl Fn(&str) -> Parse,
) -> Option<Meant> {
    let before = page::orders(&page.orders, &world.vocabulary);
    if let [asked] = &before[..]
        && let Action::Ask(ask) = &asked.action
    {
        let property = if let Ask::Value(property) = ask { Some(*property) } else { None };
        return supposed(tokens, asked, property, world, read).map(plain);
    }
    let order = stepped(tokens, parse, &before, world).or_else(|| joined(tokens, &before, world, read))?;
    Some(plain(vec![order]))
}

/// `还有窗帘`: the same of another thing, which is named and nothing else.
fn joined(tokens: &[Token], before: &[Order], world: &World, read: impl Fn(&str) -> Parse) -> Option<Order> {
    let (first, rest) = tokens.split_first()?;
    let [told] = before else { return None };
    if !first.has(&Sense::Also) || !first.has(&Sense::Conjunction) || told.action.moves_nothing() {
        return None;
    }
    let Parse::Fragment(other) = read(&words::written(rest)) else { return None };
    let named = again::names(&other);
    named.then(|| again::of_another(vec![told.clone()], &other, &world.vocabulary)).and_then(|mut orders| orders.pop())
}

/// `没开就打开`, `低于三十五就关了`: a condition on what was asked about, which is not named again.
fn supposed(
    tokens: &[Token],
    asked: &Order,
    property: Option<PropertyId>,
    world: &World,
    read: impl Fn(&str) -> Parse,
) -> Option<Vec<Order>> {
    let lexicon = world.lexicon();
    let own = |t: &Token, sense: &Sense| t.has(sense) && !t.is_entity();
    let ends = |t: &Token| own(t, &Sense::Then) || own(t, &Sense::IfClose) || own(t, &Sense::Punctuation);
    let compared = compared(tokens);
    let end = compared.or_else(|| tokens.iter().position(ends))?;
    let (stated, rest) = tokens.split_at(end);
    let opens = stated.first().is_some_and(|t| own(t, &Sense::If));
    let stated = &stated[usize::from(opens)..];
    let supposes = opens || compared.is_some() || own(&rest[0], &Sense::Then) || own(&rest[0], &Sense::IfClose);
    // What is named is asked about by itself.
    let says = |t: &Token| t.any(|s| matches!(s, Sense::State(_) | Sense::Compare(_) | Sense::Not));
    let names = |t: &Token| words::is_ours(t) && !t.any(|s| matches!(s, Sense::State(_)));
    if !supposes || stated.iter().any(names) || !stated.iter().any(says) {
        return None;
    }
    let of = property.map(|p| lexicon.properties[p].words[0].as_str()).unwrap_or_default();
    let (marks, written) = (&lexicon.marks, |tokens: &[Token]| words::written(tokens));
    let text = format!("{}{}{of}{}{}", marks.supposes, marks.it, written(stated), written(rest));
    let Parse::Orders(mut orders) = read(&text) else { return None };
    let guards = |o: &Order| matches!(o.action, Action::When(_) | Action::OrWhen(_));
    if !orders.first().is_some_and(guards) || orders.iter().any(|o| matches!(o.action, Action::Unclear(_))) {
        return None;
    }
    let of_it = |o: &Order| matches!(o.target, Target::Reference(_) | Target::Anything) && o.scope == Scope::default();
    for order in orders.iter_mut().filter(|o| guards(o) && of_it(o)) {
        *order = asked.clone().with(order.action.clone());
    }
    Some(orders)
}

/// `超过1500新风开到四档`: where what begins with a comparison and a thing behind it ends to compare.
fn compared(tokens: &[Token]) -> Option<usize> {
    let [first, number, ..] = tokens else { return None };
    let compares = first.any(|s| matches!(s, Sense::Compare(_))) && number.any(|s| matches!(s, Sense::Number(_)));
    let unit = tokens.get(2).is_some_and(|t| t.any(|s| matches!(s, Sense::Unit(_))));
    let end = 2 + usize::from(unit);
    (compares && tokens.get(end).is_some_and(words::is_ours)).then_some(end)
}

/// `再加二十`, `再大点`, `调到六十`: more or less of what was set before, or another value of it.
fn stepped(tokens: &[Token], parse: &Parse, before: &[Order], world: &World) -> Option<Order> {
    let property = match &before.last()?.action {
        Action::Set { property, to: Amount::Number(..) | Amount::Percent(_) | Amount::Extreme(_) } => *property,
        Action::Step { ways, .. } => match ways[..] {
            [(property, _)] => property,
            _ => None,
        },
        _ => return None,
    };
    let step = |up, by| Action::Step { ways: vec![(property, up)], by };
    let action = match parse {
        _ if let (Some(up), Some(by)) = (way(&before.last()?.action), once_more(tokens, world)) => step(up, Some(by)),
        Parse::Orders(orders) => {
            let [Order { action, target, scope, when: None, .. }] = &orders[..] else { return None };
            let of_it = matches!(target, Target::Anything | Target::Reference(Type::Unknown));
            if !of_it || *scope != Scope::default() || property.is_none() {
                return None;
            }
            match action {
                Action::Step { ways, by } => match ways[..] {
                    [(None, up)] => step(up, by.clone()),
                    _ => return None,
                },
                Action::Set { property: None, to: to @ (Amount::Number(_, None) | Amount::Percent(_)) } => {
                    Action::Set { property, to: to.clone() }
                }
                _ => return None,
            }
        }
        _ => bare(tokens, world).map(|(up, by)| step(up, by))?,
    };
    Some(Order::about(action, Target::Reference(Type::Unknown)))
}

/// Which way a step went.
fn way(action: &Action) -> Option<bool> {
    match action {
        Action::Step { ways, .. } => ways.first().map(|(_, up)| *up),
        _ => None,
    }
}

/// `再来一度`, `再两度`: how far once more, and no way.
fn once_more(tokens: &[Token], world: &World) -> Option<Amount> {
    let says = |t: &&Token| !words::is_small(t) && !t.has(&Sense::Make) || t.any(|s| matches!(s, Sense::Number(_)));
    let (first, rest) = tokens.split_first().filter(|(t, _)| world.lexicon().marks.again.contains(&t.text))?;
    let begin = rest.iter().position(|t| says(&t)).filter(|_| !first.is_entity())?;
    let (by, end) = grammar::amount(rest, begin, &world.vocabulary)?;
    (matches!(by, Amount::Number(..)) && !rest[end..].iter().any(|t| says(&t))).then_some(by)
}

/// `减十`, and `多了多了` of what is too much: which way and how far, where nothing else is said.
fn bare(tokens: &[Token], world: &World) -> Option<(bool, Option<Amount>)> {
    let says = |t: &&Token| !words::is_small(t) && !t.any(|s| matches!(s, Sense::Make | Sense::Sequence | Sense::Then));
    let changed = |t: &Token| t.has(&Sense::Particle) && t.text == world.lexicon().marks.changed;
    let degree = |t: &Token| t.senses.iter().find_map(|s| if let Sense::Degree { up } = s { Some(*up) } else { None });
    if let [first, _, ..] = tokens
        && let Some(up) = degree(first)
        && tokens.chunks(2).all(|pair| matches!(pair, [what, over] if degree(what) == Some(up) && changed(over)))
    {
        return Some((!up, Some(Amount::Little)));
    }
    let begin = tokens.iter().position(|t| says(&t))?;
    let step = |t: &Token| t.senses.iter().find_map(|s| if let Sense::Step { up } = s { Some(*up) } else { None });
    let up = step(&tokens[begin])?;
    let (by, end) = grammar::amount(tokens, begin + 1, &world.vocabulary)?;
    let number = matches!(by, Amount::Number(..) | Amount::Percent(_));
    (number && !tokens[end..].iter().any(|t| says(&t))).then_some((up, Some(by)))
}
