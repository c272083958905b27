//! Orders: clauses written as commands of the protocol.

use super::super::command::{Command, Name, Quantifier, Scope, Target, Type};
use super::super::deed::{Amount, Ask, Deed, Status};
use super::super::lexicon::KindId;
use super::super::vocabulary::Vocabulary;
use super::clause::Clause;
use super::nominal::{Head, Nominal, Place};
use super::predicate::{Core, property_of_unit};
use super::{Hearing, Order};

/// Commands of all clauses in order, and what is incomplete about them.
pub fn orders(clauses: &[Clause], vocabulary: &Vocabulary, hearing: &Hearing) -> (Vec<Order>, Vec<String>) {
    let mut orders = Vec::new();
    let mut open = Vec::new();
    for clause in clauses {
        let elided = [Nominal::default()];
        let nominals = if clause.nominals.is_empty() { &elided[..] } else { &clause.nominals };
        for nominal in nominals {
            for (predicate, property) in &clause.predicates {
                if predicate.core == Core::SetOpen {
                    open.push("设置".to_owned());
                    continue;
                }
                let Some(deed) = predicate.deed(*property, &vocabulary.lexicon) else { continue };
                // 立减五百: a number more or less of nothing that was named.
                if let (Deed::Step { ways, by: Some(Amount::Number(_, None)) }, None, true) =
                    (&deed, &nominal.head, nominal.places.is_empty())
                    && ways.iter().all(|w| w.0.is_none())
                {
                    open.push(deed.write(&vocabulary.lexicon));
                    continue;
                }
                if predicate.opens
                    && !moves_itself(nominal, vocabulary)
                    && let Some(on) = vocabulary.lexicon.verb("on")
                {
                    orders.push(order(nominal, &Deed::Verb(on), vocabulary, hearing));
                }
                orders.push(order(nominal, &deed, vocabulary, hearing));
            }
        }
    }
    (orders, open)
}

/// 窗帘开一半: how far it opens is all there is to say; it has no switch besides.
fn moves_itself(nominal: &Nominal, vocabulary: &Vocabulary) -> bool {
    let position = vocabulary.lexicon.property("position");
    kind_of(nominal, vocabulary).is_some_and(|k| vocabulary.lexicon.kinds[k].number == position)
}

/// A nominal by itself.
pub fn fragment(nominal: &Nominal, vocabulary: &Vocabulary, hearing: &Hearing) -> Order {
    let mut order = order_of(nominal, super::super::command::UNKNOWN_ACTION, None, vocabulary, hearing);
    order.ordinal = nominal.ordinal;
    order
}

/// The order to run a scene.
pub fn scene(name: &str, vocabulary: &Vocabulary) -> Order {
    let verb = vocabulary.lexicon.verb("run_scene").map_or("执行", |v| &vocabulary.lexicon.verbs[v].words[0]);
    let target = Target { name: Name::named(name), kind: Type::Unknown, quantifier: Quantifier::One, count: None };
    Order {
        command: Command::new(verb, Scope::default(), target),
        everywhere: false,
        each: false,
        ordinal: None,
        only: None,
    }
}

/// One nominal's part of one deed.
pub fn order(nominal: &Nominal, deed: &Deed, vocabulary: &Vocabulary, hearing: &Hearing) -> Order {
    let deed = complete(deed.clone(), nominal, vocabulary);
    let action = deed.write(&vocabulary.lexicon);
    order_of(nominal, &action, Some(&deed), vocabulary, hearing)
}

/// The kind of device a nominal means.
pub fn kind_of(nominal: &Nominal, vocabulary: &Vocabulary) -> Option<KindId> {
    match &nominal.head {
        Some(Head::Kind(kind, _) | Head::Sort(kind, _) | Head::Reference(Some(kind))) => Some(*kind),
        Some(Head::Named { devices, kind, .. }) => {
            kind.or_else(|| devices.first().and_then(|d| vocabulary.devices[*d].kinds.first().copied()))
        }
        _ => None,
    }
}

/// Fills in the property that a bare number or direction means for the kind of device (`灯调到50%`: its brightness).
fn complete(deed: Deed, nominal: &Nominal, vocabulary: &Vocabulary) -> Deed {
    let Some(number) = kind_of(nominal, vocabulary).and_then(|k| vocabulary.lexicon.kinds[k].number) else {
        return deed;
    };
    match deed {
        Deed::Set { property: None, to: to @ (Amount::Number(..) | Amount::Percent(_) | Amount::Extreme(_)) } => {
            Deed::Set { property: Some(number), to }
        }
        Deed::Step { ways, by } => match ways[..] {
            [(None, up)] => {
                // 地暖加三度: the unit says of what.
                let unit = match &by {
                    Some(Amount::Number(_, Some(unit))) => property_of_unit(*unit, vocabulary),
                    _ => None,
                };
                Deed::Step { ways: vec![(Some(unit.unwrap_or(number)), up)], by }
            }
            _ => Deed::Step { ways, by },
        },
        other => other,
    }
}

fn order_of(nominal: &Nominal, action: &str, deed: Option<&Deed>, vocabulary: &Vocabulary, hearing: &Hearing) -> Order {
    let excludes = !nominal.except_places.is_empty() || !nominal.except_heads.is_empty() || nominal.other;
    let home = nominal.places.contains(&Place::Home);
    let mut include: Vec<String> = nominal.places.iter().filter_map(|p| place_name(p, vocabulary, hearing)).collect();
    if matches!(deed, Some(Deed::Ask(Ask::More(..)))) {
        include = nominal.places.iter().map(|p| compared_place(p, vocabulary, hearing)).collect();
    }
    let mut exclude: Vec<String> =
        nominal.except_places.iter().filter_map(|p| place_name(p, vocabulary, hearing)).collect();
    exclude.extend(nominal.except_heads.iter().filter_map(head_name));
    let scope = Scope::new(include.iter().map(String::as_str), exclude.iter().map(String::as_str));

    let every = nominal.all || nominal.each || home;
    let (name, kind, general) = target(nominal, deed, vocabulary);
    let quantifier = match () {
        () if excludes => Quantifier::Except,
        () if nominal.any || (nominal.count.is_some() && !nominal.each) => Quantifier::Any,
        () if every => Quantifier::All,
        () if general => Quantifier::All,
        () => Quantifier::One,
    };
    let implied = quantifier == Quantifier::Any && nominal.any && matches!(nominal.head, Some(Head::Kind(..)));
    let count = nominal.count.or(implied.then_some(1));
    Order {
        command: Command::new(action, scope, Target { name, kind, quantifier, count }),
        everywhere: nominal.all || home || excludes,
        each: nominal.each || nominal.all,
        ordinal: nominal.ordinal,
        only: nominal.only.as_ref().map(|c| c.write(&vocabulary.lexicon)),
    }
}

/// NAME, TYPE, and whether it is a type in general (then `all` is the default).
fn target(nominal: &Nominal, deed: Option<&Deed>, vocabulary: &Vocabulary) -> (Name, Type, bool) {
    let kind_type = |kind: KindId| vocabulary.lexicon.kinds[kind].kind;
    match &nominal.head {
        Some(Head::Named { text, devices, kind, .. }) => {
            let general = kind.is_some_and(|k| vocabulary.lexicon.is_primary(k) && is_general(text, k, vocabulary));
            let of_device = || devices.first().and_then(|d| vocabulary.devices[*d].kinds.first().copied());
            let kind = kind.or_else(of_device).map_or(Type::Unknown, kind_type);
            if general && kind != Type::Unknown {
                return (Name::Any, kind, true);
            }
            (Name::named(text), kind, false)
        }
        Some(Head::Kind(kind, text)) if text.is_empty() => {
            let named = Head::Kind(*kind, vocabulary.lexicon.kinds[*kind].words[0].clone());
            target(&Nominal { head: Some(named), ..nominal.clone() }, deed, vocabulary)
        }
        Some(Head::Kind(kind, text)) => match kind_type(*kind) {
            Type::Unknown => (Name::named(text), Type::Unknown, nominal.all || nominal.each),
            closed if !vocabulary.lexicon.is_primary(*kind) => (Name::named(text), closed, nominal.all || nominal.each),
            closed if is_general(text, *kind, vocabulary) => (Name::Any, closed, true),
            closed => (Name::named(text), closed, false),
        },
        Some(Head::Sort(kind, text)) => (Name::named(text), kind_type(*kind), false),
        Some(Head::Everything) => (Name::Any, Type::Unknown, true),
        Some(Head::Rooms) => (general_name(&vocabulary.lexicon.any_room), Type::Unknown, true),
        Some(Head::Scenes) => (general_name(&vocabulary.lexicon.scene_words), Type::Unknown, true),
        // 客厅那个插座: the place says which, the pronoun only points.
        Some(Head::Reference(Some(kind))) if !nominal.places.is_empty() => {
            let word = &vocabulary.lexicon.kinds[*kind].words[0];
            let name = if kind_type(*kind) == Type::Unknown { Name::named(word) } else { Name::Any };
            (name, kind_type(*kind), false)
        }
        Some(Head::Reference(kind)) => (Name::Last, kind.map_or(Type::Unknown, kind_type), false),
        Some(Head::Unknown(text)) => (Name::named(text), Type::Unknown, false),
        // Nothing named: a plain verb means what was spoken of last, a property means whatever has it.
        None => match deed {
            Some(Deed::Verb(verb)) if is_switch(*verb, vocabulary) => (Name::Last, Type::Unknown, false),
            // 现在几度: whatever tells it, where the speaker is.
            Some(Deed::Ask(
                Ask::Value(_)
                | Ask::Most(..)
                | Ask::More(..)
                | Ask::Any(_)
                | Ask::Is(Status::Compare { .. } | Status::Flag(..)),
            )) => (Name::Any, Type::Unknown, !nominal.places.is_empty()),
            Some(Deed::Ask(_)) if nominal.places.is_empty() && !nominal.all => (Name::Last, Type::Unknown, false),
            _ => (Name::Any, Type::Unknown, !nominal.places.is_empty() || nominal.all || nominal.each),
        },
    }
}

/// Rooms or scenes in general, by the first word for them.
fn general_name(words: &[String]) -> Name {
    words.first().map_or(Name::Any, |word| Name::named(word))
}

/// Whether a word is one for the kind in general.
fn is_general(text: &str, kind: KindId, vocabulary: &Vocabulary) -> bool {
    vocabulary.lexicon.kinds[kind].words.iter().any(|w| w == text)
}

/// Verbs that almost every device takes.
fn is_switch(verb: usize, vocabulary: &Vocabulary) -> bool {
    ["on", "off", "stop", "halt", "start", "cancel"].contains(&vocabulary.lexicon.verbs[verb].id.as_str())
}

/// A place as the protocol writes it; `None` for the whole home.
fn place_name(place: &Place, vocabulary: &Vocabulary, hearing: &Hearing) -> Option<String> {
    match place {
        Place::Room(room) => Some(vocabulary.home.rooms[*room].name.clone()),
        Place::Floor(_, text)
        | Place::Class(_, text)
        | Place::Storey(_, text)
        | Place::Group(text)
        | Place::Unknown(text) => Some(text.clone()),
        Place::Described(condition, rooms) => Some(format!("{}的{rooms}", condition.write(&vocabulary.lexicon))),
        Place::Here => hearing.local.map(|room| vocabulary.home.rooms[room].name.clone()),
        Place::Home => None,
    }
}

/// A place that is compared with another: the whole home has to be said as well.
fn compared_place(place: &Place, vocabulary: &Vocabulary, hearing: &Hearing) -> String {
    let home = || vocabulary.lexicon.home.first().cloned().unwrap_or_default();
    place_name(place, vocabulary, hearing).unwrap_or_else(home)
}

fn head_name(head: &Head) -> Option<String> {
    match head {
        Head::Named { text, .. } | Head::Kind(_, text) | Head::Sort(_, text) | Head::Unknown(text) => {
            Some(text.clone())
        }
        Head::Everything | Head::Reference(_) | Head::Rooms | Head::Scenes => None,
    }
}
