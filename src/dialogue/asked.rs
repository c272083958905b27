//! A value for what was asked about in the turn before: `烫台现在是多少度`, then `加到一百八`; `台灯的亮度是多少`, then `那改成八十五`;
//! and what is told of the kind of thing that was asked about: `哪些灯还亮着`, then `客厅的都关了`.

use super::{Meant, Mention, Page, page, plain};
use crate::language::action::{Action, Ask, Condition, Status};
use crate::language::command::{Quantifier, Type};
use crate::language::grammar::Parse;
use crate::language::lexicon::{PropertyId, Sense};
use crate::language::order::{Order, Scope, Target};
use crate::language::segment::Token;
use crate::retrieval::World;

/// The one thing that was asked about gets the value that is told of nothing else; `None` where more was asked about, where the
/// thing does not take it, or where the value says what it is of.
pub(super) fn asked(parse: &Parse, page: &Page, world: &World) -> Option<Meant> {
    let before = page::orders(&page.orders, &world.vocabulary);
    let ([asked], Parse::Orders(told)) = (&before[..], parse) else { return None };
    if let Some(orders) = of_kind(asked, told, page).or_else(|| of_feature(asked, told, world)) {
        return Some(plain(orders));
    }
    let ([order], Action::Ask(Ask::Value(property)), [Mention::Device(id)]) =
        (&told[..], &asked.action, &page.last[..])
    else {
        return None;
    };
    let device = world.home().devices.iter().position(|device| device.id == *id)?;
    let takes = world.vocabulary.devices[device].about(*property).is_some_and(|ability| ability.writable);
    let of_nothing = matches!(order.target, Target::Anything | Target::Reference(_)) && order.scope.include.is_empty();
    if !takes || !of_nothing || order.when.is_some() {
        return None;
    }
    let action = of_property(&order.action, *property)?;
    // What was answered of is what was mentioned last, and nothing else.
    Some(plain(vec![Order::about(action, Target::Reference(Type::Unknown))]))
}

/// What is asked of the one thing that was spoken of, without its name: `热水器开着吗`, then `几度`; `空调26度`, then `风呢`.
pub(super) fn of_it(tokens: &[Token], parse: &Parse, page: &Page, world: &World) -> Option<Meant> {
    let [Mention::Device(id)] = &page.last[..] else { return None };
    let (device, _) = world.home().device(id)?;
    let has = |property: PropertyId| world.vocabulary.devices[device].about(property).is_some();
    let before = page::orders(&page.orders, &world.vocabulary);
    let [told] = &before[..] else { return None };
    let named = |order: &Order| !matches!(order.target, Target::Anything | Target::Rooms | Target::Scenes);
    let property = match parse {
        Parse::Orders(orders) => match &orders[..] {
            [Order { action: Action::Ask(Ask::Value(property)), target, scope, when: None, .. }] => {
                let nameless = matches!(target, Target::Anything) && *scope == Scope::default();
                let asked = matches!(told.action, Action::Ask(Ask::Is(_) | Ask::State)) && named(told);
                Some(*property).filter(|_| nameless && asked)
            }
            _ => None,
        },
        _ if told.action.moves_nothing() || told.when.is_some() => None,
        _ => match tokens {
            [what, asks] if asks.has(&Sense::Particle) && !what.is_entity() => {
                what.senses.iter().find_map(|s| match s {
                    Sense::Property(property) => Some(*property),
                    _ => None,
                })
            }
            _ => None,
        },
    };
    let property = property.filter(|property| has(*property))?;
    Some(plain(vec![Order::about(Action::Ask(Ask::Value(property)), Target::Reference(Type::Unknown))]))
}

/// A value or a step of nothing else than this property.
fn of_property(action: &Action, property: PropertyId) -> Option<Action> {
    match action {
        Action::Set { property: None, to } => Some(Action::Set { property: Some(property), to: to.clone() }),
        Action::Step { ways, by } => {
            let fits = ways.iter().find(|(way, _)| way.is_none_or(|way| way == property));
            fits.map(|(_, up)| Action::Step { ways: vec![(Some(property), *up)], by: by.clone() })
        }
        _ => None,
    }
}

/// Of what was answered in general there is nothing that could be pointed to but its kind.
fn of_kind(asked: &Order, told: &[Order], page: &Page) -> Option<Vec<Order>> {
    let nameless = |o: &Order| o.target == Target::Anything && o.each && o.scope.include.is_empty();
    let points = |o: &Order| (o.target == Target::Reference(Type::Unknown) || nameless(o)) && !o.action.moves_nothing();
    let general = matches!(asked.target, Target::Type(_) | Target::Kind(..));
    if !general || !matches!(asked.action, Action::Ask(_)) || !page.last.is_empty() || !told.iter().all(points) {
        return None;
    }
    let of_the_kind = told.iter().map(|order| {
        let mut order = order.clone();
        order.target = asked.target.clone();
        // 有几个空调开着, then 都调到二十二度: those that were answered of.
        let switches = matches!(order.action, Action::Verb(_));
        if let (Action::Ask(Ask::Which(status) | Ask::Count(status) | Ask::Any(status)), false) =
            (&asked.action, switches)
        {
            order.filter = Some(Condition::Status { status: status.clone(), holds: true });
        }
        order.quantifier = Quantifier::All;
        if order.scope.include.is_empty() {
            order.scope.include.clone_from(&asked.scope.include);
            order.everywhere = asked.scope.include.is_empty();
        }
        order
    });
    Some(of_the_kind.collect())
}

/// `鱼缸灯亮着没`, then `关掉吧`: what was asked about is a part of the thing.
fn of_feature(asked: &Order, told: &[Order], world: &World) -> Option<Vec<Order>> {
    let (Action::Ask(Ask::Is(Status::Flag(property, _))), [order]) = (&asked.action, told) else { return None };
    let Action::Verb(verb) = order.action else { return None };
    let lexicon = world.lexicon();
    let switches = lexicon.verbs[verb].switches.is_some() && lexicon.properties[*property].own;
    let points = order.target == Target::Reference(Type::Unknown) && order.scope.include.is_empty();
    (switches && points).then(|| vec![order.clone().with(Action::about(verb, *property, lexicon))])
}
