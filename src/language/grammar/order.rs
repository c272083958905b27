//! Orders: what clauses say, as one thing to do each.

use super::super::action::{Action, Amount, Ask, Status};
use super::super::command::{Quantifier, Type};
use super::super::lexicon::{PropertyId, Sense, Unit};
use super::super::meaning::Ability;
use super::super::order::{Excluded, Fragment, Order, Place, Scope, Target};
use super::super::vocabulary::Vocabulary;
use super::SpeakerContext;
use super::clause::Clause;
use super::exclusion;
use super::nominal::{Head, Nominal};
pub(super) use super::noun::kind_of;
use super::predicate::{Core, property_of_unit};
use crate::home::{Domain, Entity};
use crate::text::PAUSE;

/// Commands of all clauses in order, and what is incomplete about them.
pub fn orders(clauses: &[Clause], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> (Vec<Order>, Vec<String>) {
    let mut orders = Vec::new();
    let mut open = Vec::new();
    for clause in clauses {
        let mut clause_open = clause.loose.clone();
        let elided = [Nominal::default()];
        let nominals = if clause.nominals.is_empty() { &elided[..] } else { &clause.nominals };
        for nominal in nominals {
            for (predicate, property) in &clause.predicates {
                if predicate.core == Core::SetOpen {
                    // Nobody said what to set it to: there is no word that was not understood.
                    clause_open.push(String::new());
                    continue;
                }
                let Some(action) = predicate.action(*property, &vocabulary.lexicon) else { continue };
                // 立减五百: a number more or less of nothing that was named.
                if let (Action::Step { ways, by: Some(Amount::Number(_, None)) }, None, true) =
                    (&action, &nominal.head, nominal.places.is_empty())
                    && (ways.iter().all(|w| w.0.is_none()) || (property.is_none() && ways.len() > 1))
                {
                    clause_open.push(String::new());
                    continue;
                }
                // 吸力开到强力 of nothing that is named: whatever is off is switched on by its value.
                let of_nothing = nominal.head.is_none() && nominal.places.is_empty();
                let of_task = property.is_some() && (of_nothing || has_no_switch(nominal, vocabulary));
                if predicate.opens
                    && !nominal.errand
                    && !moves_itself(nominal, vocabulary)
                    && !of_task
                    && let Some(on) = vocabulary.lexicon.verb("on")
                {
                    orders.push(order(nominal, &Action::Verb(on), vocabulary, speaker));
                }
                let mut told = order(nominal, &action, vocabulary, speaker);
                // 客厅的开三成: what is set is what is switched on.
                if predicate.opens && nominal.head.is_none() && !nominal.places.is_empty() && property.is_none() {
                    told.target = Target::Reference(Type::Unknown);
                }
                orders.extend(beside_what_is_not(told, vocabulary));
            }
        }
        open.append(&mut clause_open);
    }
    (orders, open)
}

/// `客厅主卧书房的灯都关了`: of rooms in a row those that the home lacks are told apart, so that the others are not lost with them.
fn beside_what_is_not(told: Order, vocabulary: &Vocabulary) -> Vec<Order> {
    let missing = |place: &Place| match place {
        Place::Class(class, _) => super::word::is_class_without_rooms(&Sense::RoomClass(*class), vocabulary),
        Place::Unknown(_) => true,
        _ => false,
    };
    let (lacks, has): (Vec<Place>, Vec<Place>) = told.scope.include.iter().cloned().partition(missing);
    if lacks.is_empty() || has.is_empty() {
        return vec![told];
    }
    let within = |include: Vec<Place>| {
        let scope = Scope { include, exclude: told.scope.exclude.clone() };
        Order { scope, ..told.clone() }
    };
    std::iter::once(has).chain(lacks.into_iter().map(|place| vec![place])).map(within).collect()
}

/// 窗帘开一半: how far it opens is all there is to say; it has no switch besides.
fn moves_itself(nominal: &Nominal, vocabulary: &Vocabulary) -> bool {
    let position = vocabulary.lexicon.property("position");
    kind_of(nominal, vocabulary).is_some_and(|k| vocabulary.lexicon.kinds[k].number == position)
}

/// 扫地机吸力开到最大: to switch on what has no switch is to set it to work, which nobody said of a property.
fn has_no_switch(nominal: &Nominal, vocabulary: &Vocabulary) -> bool {
    let power = vocabulary.lexicon.property("power");
    let switched = |d: &usize| power.and_then(|power| vocabulary.devices[*d].about(power)).is_some_and(|a| a.writable);
    super::feature::meant(nominal, vocabulary).is_some_and(|devices| !devices.iter().any(switched))
}

/// A nominal by itself.
pub fn fragment(nominal: &Nominal, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Fragment {
    about(nominal, None, vocabulary, speaker)
}

/// What nobody understood of a clause: it is named, and nothing moves for it.
pub fn unclear(words: &[String]) -> Order {
    Order::about(Action::Unclear(listed(words)), Target::Anything)
}

/// Words that were not understood, in a row; what was left out has none.
pub fn listed(words: &[String]) -> String {
    let said: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    said.join(PAUSE.encode_utf8(&mut [0; 4]))
}

/// One nominal's part of one action.
pub fn order(nominal: &Nominal, action: &Action, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Order {
    let action = complete(action.clone(), nominal, vocabulary);
    about(nominal, Some(&action), vocabulary, speaker).with(action)
}

/// Fills in the property that a bare number or direction means for the kind of device (`灯调到50%`: its brightness).
fn complete(action: Action, nominal: &Nominal, vocabulary: &Vocabulary) -> Action {
    let action = geared(action, vocabulary);
    let number = kind_of(nominal, vocabulary).and_then(|k| vocabulary.lexicon.kinds[k].number);
    let Some(number) = number.filter(|number| !counts_otherwise(nominal, *number, vocabulary)) else {
        return action;
    };
    match action {
        // 三档 is a gear of whatever has gears.
        action @ Action::Set { to: Amount::Number(_, Some(Unit::Gear)), .. } => action,
        Action::Step { ways, by: by @ Some(Amount::Number(_, Some(Unit::Gear))) }
            if matches!(ways[..], [(None, _)]) && !is_gear(number, vocabulary) =>
        {
            let gear = ["level", "speed"].iter().find_map(|id| vocabulary.lexicon.property(id));
            Action::Step { ways: ways.iter().map(|(_, up)| (gear, *up)).collect(), by }
        }
        Action::Set { property: None, to: to @ (Amount::Number(..) | Amount::Percent(_) | Amount::Extreme(_)) } => {
            Action::Set { property: Some(number), to }
        }
        Action::Step { ways, by } => match ways[..] {
            [(None, up)] => {
                // 地暖加三度: the unit says of what.
                let unit = match &by {
                    Some(Amount::Number(_, Some(unit))) => property_of_unit(*unit, vocabulary),
                    _ => None,
                };
                Action::Step { ways: vec![(Some(unit.unwrap_or(number)), up)], by }
            }
            _ => Action::Step { ways, by },
        },
        other => other,
    }
}

/// Whether the things that are spoken of have nothing of what their kind is set by, and something else that the language knows and
/// that is set to a number: `加热棒调到30` of one that is told a temperature, `暖气调到二十二` where radiators have no gears.
fn counts_otherwise(nominal: &Nominal, number: PropertyId, vocabulary: &Vocabulary) -> bool {
    let Some(mut devices) = super::noun::meant(nominal, vocabulary) else { return false };
    if let Some(Head::Sort(_, sort)) = &nominal.head {
        let called = |d: &usize| vocabulary.home.devices[*d].name.contains(sort.as_str());
        if devices.iter().any(called) {
            devices.retain(called);
        }
    }
    let known = |property: Option<PropertyId>| property.is_some_and(|p| !vocabulary.lexicon.properties[p].own);
    let otherwise = |device: &usize| {
        let settable = || vocabulary.devices[*device].abilities.iter().filter(|a| a.writable);
        let number_of = |a: &Ability| matches!(a.domain, Some(Domain::Number { .. }));
        settable().any(|a| (known(a.property) || a.kin.is_some()) && number_of(a))
            && !settable().any(|a| a.property == Some(number) || a.kin == Some(number))
    };
    !devices.is_empty() && devices.iter().all(otherwise)
}

/// `再热一档`: what goes by gears is a gear, whatever it brings about.
fn geared(action: Action, vocabulary: &Vocabulary) -> Action {
    match action {
        Action::Step { ways, by: by @ Some(Amount::Number(_, Some(Unit::Gear))) } => {
            let measured = |p: usize| !vocabulary.lexicon.properties[p].units.is_empty();
            let gear = ["level", "speed"].iter().find_map(|id| vocabulary.lexicon.property(id));
            let way = |(property, up): (Option<usize>, bool)| {
                (if property.is_some_and(measured) { gear } else { property }, up)
            };
            let mut ways: Vec<_> = ways.into_iter().map(way).collect();
            ways.dedup();
            Action::Step { ways, by }
        }
        other => other,
    }
}

/// Whether a property is counted in gears.
fn is_gear(property: usize, vocabulary: &Vocabulary) -> bool {
    ["level", "speed"].contains(&vocabulary.lexicon.properties[property].id.as_str())
}

/// What a nominal says: where, what, and how much of it.
fn about(nominal: &Nominal, action: Option<&Action>, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Fragment {
    // 三档，灯别动: what is spared of nothing that was named makes it no more than what it is about.
    let named = nominal.head.is_some() || nominal.all || nominal.each || nominal.other || !nominal.places.is_empty();
    let spared = exclusion::spared(nominal, vocabulary);
    let excludes = named && (!nominal.except_places.is_empty() || !spared.is_empty() || nominal.other);
    let home = nominal.places.contains(&Place::Home);
    let here_only =
        matches!(nominal.head, Some(Head::Named { .. })) && !nominal.each && nominal.except_places.is_empty();
    let switches = |v: &usize| vocabulary.lexicon.verbs[*v].switches == Some(false);
    let off =
        matches!(action, None | Some(Action::Verb(_))) && !matches!(action, Some(Action::Verb(v)) if !switches(v));
    let compares = matches!(action, Some(Action::Ask(Ask::More(..))));
    // The whole home is no bound; where it is compared with a place, it has to be said.
    let said = |place: &&Place| compares || **place != Place::Home;
    let include = nominal.places.iter().filter(said).filter_map(|place| here(place, speaker)).collect();
    let places = nominal.except_places.iter().filter(|place| **place != Place::Home);
    let places = places.filter_map(|place| here(place, speaker)).map(Excluded::Place);
    let things = spared.iter().filter_map(|head| excluded(head, vocabulary));
    let scope = Scope { include, exclude: places.chain(things).collect() };

    // Of what tells whether a condition holds one is enough.
    let states = action.is_some_and(Action::states) && nominal.head.is_none();
    let every = (nominal.all || nominal.each || home) && !states;
    let (target, general) = target(nominal, action, vocabulary);
    // 射灯关一个: which one is for whoever says so; 随便关一个 is any.
    let single = nominal.count == Some(1) && !nominal.any && !nominal.each;
    let quantifier = match () {
        () if excludes => Quantifier::Except,
        () if single => Quantifier::One,
        () if nominal.any || (nominal.count.is_some() && !nominal.each) => Quantifier::Any,
        () if every || general => Quantifier::All,
        () => Quantifier::One,
    };
    Order {
        action: (),
        scope,
        target,
        quantifier,
        count: nominal.count,
        // 一号二号射灯关了，就留三号: who names some of several means those here.
        everywhere: nominal.all
            || home
            || excludes && !here_only && !exclusion::stays_in_room(nominal, &spared, off, vocabulary, speaker),
        each: nominal.each || nominal.all,
        ordinal: nominal.ordinal,
        filter: nominal.only.clone(),
        when: None,
    }
}

/// A place with the speaker's room by its name; nothing where nobody knows the speaker's room.
fn here(place: &Place, speaker: &SpeakerContext) -> Option<Place> {
    match place {
        Place::Here => speaker.local.map(Place::Room),
        other => Some(other.clone()),
    }
}

/// What is meant, and whether it is a type in general (then `all` is the default).
fn target(nominal: &Nominal, action: Option<&Action>, vocabulary: &Vocabulary) -> (Target, bool) {
    let lexicon = &vocabulary.lexicon;
    let every = nominal.all || nominal.each;
    match &nominal.head {
        // 客厅那个插座: the place says which, the pronoun only points. 那个油烟机: what has no type of its own is not told from other things
        // by pointing.
        Some(Head::Reference(Some(kind)))
            if !nominal.places.is_empty() || lexicon.kinds[*kind].kind == Type::Unknown =>
        {
            (Target::of_kind(*kind, &lexicon.kinds[*kind].words[0], lexicon), false)
        }
        Some(head) => {
            let target = of_head(head, vocabulary);
            let general = match &target {
                Target::Type(_) | Target::Anything | Target::Rooms | Target::Scenes => true,
                Target::Kind(..) => every,
                _ => false,
            };
            (target, general)
        }
        // Nothing named: a plain verb means what was spoken of last, a property means whatever has it.
        None => match action {
            Some(Action::Verb(verb)) if is_switch(*verb, vocabulary) => (Target::Reference(Type::Unknown), false),
            // 现在几度: whatever tells it, where the speaker is.
            Some(Action::Ask(
                Ask::Value(_)
                | Ask::Range(_)
                | Ask::Most(..)
                | Ask::More(..)
                | Ask::Any(_)
                | Ask::Is(Status::Compare { .. } | Status::Flag(..)),
            )) => (Target::Anything, !nominal.places.is_empty()),
            Some(Action::When(_) | Action::OrWhen(_)) => (Target::Anything, false),
            Some(Action::Ask(_)) if nominal.places.is_empty() && !nominal.all => {
                (Target::Reference(Type::Unknown), false)
            }
            _ => (Target::Anything, !nominal.places.is_empty() || every),
        },
    }
}

/// What the head of a nominal means by itself.
fn of_head(head: &Head, vocabulary: &Vocabulary) -> Target {
    let lexicon = &vocabulary.lexicon;
    match head {
        Head::Named { text, devices, kind, .. } => {
            let general = kind.map(|kind| Target::of_kind(kind, text, lexicon));
            if let Some(general @ Target::Type(_)) = general {
                return general;
            }
            let others = vocabulary.named(text).iter().filter_map(|sense| match sense {
                Sense::Group(group) => Some(Entity::Group(*group)),
                Sense::Scene(scene) => Some(Entity::Scene(*scene)),
                _ => None,
            });
            let entities = devices.iter().copied().map(Entity::Device).chain(others).collect();
            Target::Named { text: text.clone(), entities, kind: *kind }
        }
        Head::Kind(kind, text) if text.is_empty() => Target::of_kind(*kind, &lexicon.kinds[*kind].words[0], lexicon),
        Head::Kind(kind, text) => Target::of_kind(*kind, text, lexicon),
        Head::Sort(kind, text) => Target::Sort(*kind, text.clone()),
        Head::Reference(kind) => Target::Reference(kind.map_or(Type::Unknown, |kind| lexicon.kinds[kind].kind)),
        Head::Everything => Target::Anything,
        Head::Rooms => Target::Rooms,
        Head::Scenes => Target::Scenes,
        Head::Unknown(text) | Head::Strange(text) => Target::Text(text.clone(), Type::Unknown),
        Head::In(_, head) => of_head(head, vocabulary),
    }
}

/// A head that is left out; what is no thing by itself leaves nothing out.
fn excluded(head: &Head, vocabulary: &Vocabulary) -> Option<Excluded> {
    match head {
        Head::Everything | Head::Reference(_) | Head::Rooms | Head::Scenes => None,
        Head::In(room, head) => Some(Excluded::Thing(of_head(head, vocabulary), Some(*room))),
        head => Some(Excluded::Thing(of_head(head, vocabulary), None)),
    }
}

/// Verbs that almost every device takes.
fn is_switch(verb: usize, vocabulary: &Vocabulary) -> bool {
    ["on", "off", "stop", "halt", "start", "cancel"].contains(&vocabulary.lexicon.verbs[verb].id.as_str())
}

/// Whether an order says of which thing it is.
pub(super) fn names_thing(order: &Order) -> bool {
    !matches!(order.target, Target::Anything | Target::Reference(_))
}
