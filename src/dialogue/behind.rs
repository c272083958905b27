//! What is said of the device of the turn before without its name: `关了` behind a feature is of that feature, `灯也打开`
//! behind a hood is of its lamp, `还是太大` finds too much of what was set.

use super::{Meant, Nothing, Page, ceased, degree, page, plain, refused, remark, sibling, words};
use crate::home::{DeviceIndex, Domain};
use crate::language::action::{Action, Amount};
use crate::language::command::Type;
use crate::language::grammar::{self, Parse, Rejection};
use crate::language::lexicon::{Lexicon, PropertyId, Question, Sense, VerbId};
use crate::language::order::{Order, Target};
use crate::language::segment::Token;
use crate::retrieval::{Entity, World};
use crate::text::normalize;

/// What an utterance means behind what was done; `None` where it speaks for itself.
pub(super) fn behind(tokens: &[Token], parse: &Parse, page: &Page, world: &World) -> Option<Meant> {
    // 你考了多少分, then 二十: who was asked that answers it.
    let asked =
        |turn: &super::Turn| super::says(&super::tokens(&turn.question, world), &Sense::Question(Question::HowMuch));
    if page.talked && is_number(tokens) && page.turns.last().is_some_and(asked) {
        return Some(Meant::Nothing(Nothing::Rejected(Rejection::Aside)));
    }
    let before = page::orders(&page.orders, &world.vocabulary);
    let of_it = |action: Action| plain(vec![Order::about(action, Target::Reference(Type::Unknown))]);
    // 洗衣机还有多久, then 不洗了: it ends, where it is at work.
    if !before.is_empty()
        && let Some(action) = ceased::work_no_more(tokens, page, world)
    {
        return Some(of_it(action));
    }
    if before.is_empty() || before.iter().any(|order| order.action.moves_nothing() || order.when.is_some()) {
        return None;
    }
    // 麻将机快点, which nobody understood, then 再快点: of what that was.
    let begins = tokens.iter().find(|t| !t.has(&Sense::Punctuation));
    if page.unheard.is_some() && begins.is_some_and(|t| goes_further(t, world)) {
        return Some(Meant::Nothing(Nothing::Unsure(Vec::new())));
    }
    if of_what_is_off(parse, &before, page, world) {
        return Some(Meant::Nothing(Nothing::Rejected(Rejection::Aside)));
    }
    if is_number_of_a_word(tokens, &before) {
        return Some(Meant::Nothing(Nothing::Rejected(Rejection::Aside)));
    }
    // 不用再开了 stops it, and 不开了 takes it back.
    let further = tokens.iter().any(|t| world.lexicon().marks.again.contains(&t.text) && !t.is_entity());
    if further && let Some(action) = ceased::no_more(tokens, &before, page, world) {
        return Some(of_it(action));
    }
    if let Some(meant) = refused::refused(tokens, &before, page, world) {
        return Some(meant);
    }
    let action = of_its_feature(tokens, &before, page, world)
        .or_else(|| its_value(tokens, parse, page, world))
        .or_else(|| its_lamp(tokens, page, world))
        .or_else(|| overdone(tokens, &before, world))
        .or_else(|| too_much(tokens, &before, world))
        .or_else(|| drawn_more(tokens, page, world))
        .or_else(|| goes_on(tokens, &before, page, world))
        .or_else(|| ceased::no_more(tokens, &before, page, world))
        .or_else(|| degree::of_it(parse, page, world))?;
    Some(of_it(action))
}

/// Whether a word says that something goes on: `再`, `还是`.
fn goes_further(token: &Token, world: &World) -> bool {
    let marks = &world.lexicon().marks;
    !token.is_entity() && (marks.again.contains(&token.text) || marks.still.contains(&token.text))
}

/// Whether words are a number, and its unit.
fn is_number(tokens: &[Token]) -> bool {
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_)));
    let unit = |t: &Token| t.any(|s| matches!(s, Sense::Unit(_) | Sense::Measure));
    tokens.iter().any(number) && tokens.iter().all(|t| number(t) || unit(t) || words::is_small(t))
}

/// `电视切到HDMI1`, then `不对，是2`: of what has a word for a value a number is none.
fn is_number_of_a_word(tokens: &[Token], before: &[Order]) -> bool {
    let word = matches!(before, [Order { action: Action::Set { to: Amount::Word(_), .. }, .. }]);
    word && tokens.iter().any(|t| t.has(&Sense::Correction)) && is_number(tokens)
}

/// `26度` behind what was switched off, and not what was switched on before: of which of them nobody said.
fn of_what_is_off(parse: &Parse, before: &[Order], page: &Page, world: &World) -> bool {
    let verbs = &world.lexicon().verbs;
    let off = |order: &Order| matches!(order.action, Action::Verb(verb) if verbs[verb].switches == Some(false));
    let Parse::Orders(told) = parse else { return false };
    let sets = |order: &Order| {
        let number = matches!(order.action, Action::Set { to: Amount::Number(..) | Amount::Percent(_), .. });
        let value = number || matches!(order.action, Action::Step { .. });
        let points = matches!(order.target, Target::Anything | Target::Reference(_));
        value && points && order.scope.include.is_empty() && order.when.is_none()
    };
    // 关灯, then 26度: no lamp has degrees.
    let takes = |order: &Order| {
        let property = match &order.action {
            Action::Set { property, .. } => *property,
            Action::Step { ways, .. } => ways.first().and_then(|way| way.0),
            _ => None,
        };
        let of = |d: &DeviceIndex| property.is_none_or(|p| world.vocabulary.devices[*d].about(p).is_some());
        sibling::devices(page, world).iter().any(of)
    };
    let told_of_it = told.iter().all(takes);
    told_of_it && before.iter().all(off) && told.len() == 1 && told.iter().all(sets)
}

/// Whether a word says nothing of what is meant.
pub(super) fn is_small(token: &Token) -> bool {
    words::is_small(token) || token.has(&Sense::Sequence) && !token.is_entity()
}

/// `关了`: the feature that was switched, and not all of the thing.
fn of_its_feature(tokens: &[Token], before: &[Order], page: &Page, world: &World) -> Option<Action> {
    let lexicon = world.lexicon();
    let [Order { action: Action::Set { property: Some(property), to: Amount::Word(_) }, .. }] = before else {
        return None;
    };
    // 洗好了，关了吧
    let clauses = tokens.split(|t| t.has(&Sense::Punctuation)).filter(|clause| !clause.is_empty());
    let told: Vec<&[Token]> = clauses.filter(|clause| !remark::is_talk(clause, world)).collect();
    let [tokens] = told[..] else { return None };
    let said: Vec<&Token> = tokens.iter().filter(|t| !is_small(t)).collect();
    let [does] = said[..] else { return None };
    let switches = |verb: &VerbId| lexicon.verbs[*verb].switches.is_some();
    // 防皱打开, then 启动: a feature is not started.
    let starts = |verb: &VerbId| Some(*verb) == lexicon.verb("start");
    let verb = verb(does).filter(|verb| !does.is_entity() && switches(verb) && !starts(verb))?;
    // 关掉它 is all of it, where all of it can be switched.
    let power = lexicon.property("power");
    let off = lexicon.verb("off");
    let switched = |d: &DeviceIndex| {
        let sense = &world.vocabulary.devices[*d];
        let told = sense.abilities.iter().any(|ability| ability.verb.is_some() && ability.verb == off);
        told || power.is_some_and(|p| sense.about(p).is_some())
    };
    let points = sibling::devices(page, world).iter().any(switched)
        && tokens.iter().any(|t| t.has(&Sense::Reference) || t.text.contains(&lexicon.marks.it));
    let feature = !points && lexicon.properties[*property].flag && lexicon.property("power") != Some(*property);
    feature.then(|| Action::about(verb, *property, lexicon))
}

/// `调成睡眠模式` behind a purifier that has one: its mode, and no scene of that name.
fn its_value(tokens: &[Token], parse: &Parse, page: &Page, world: &World) -> Option<Action> {
    let Parse::Orders(orders) = parse else { return None };
    let [Order { target: Target::Named { text, entities, .. }, when: None, .. }] = &orders[..] else { return None };
    let scene = matches!(entities[..], [Entity::Scene(_)]);
    let sets = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. })) && !t.is_entity();
    let small = |t: &Token| is_small(t) || sets(t) || t.any(|s| matches!(s, Sense::Scene(_)));
    if !scene || !tokens.iter().any(sets) || !tokens.iter().all(small) {
        return None;
    }
    let lexicon = world.lexicon();
    let modes = lexicon.property("mode").map(|mode| &lexicon.properties[mode].words);
    let bare = modes.into_iter().flatten().find_map(|word| text.strip_suffix(word.as_str())).unwrap_or(text);
    let devices = sibling::devices(page, world);
    let value = |device: &DeviceIndex| {
        let lists = world.vocabulary.devices[*device].abilities.iter().filter(|a| a.writable);
        let mut choices = lists.filter_map(|a| match &a.domain {
            Some(Domain::Enum(choices)) => Some(choices),
            _ => None,
        });
        choices.find_map(|list| list.iter().find(|c| [text.as_str(), bare].contains(&normalize(&c.describe).as_str())))
    };
    let found = devices.iter().map(value).collect::<Option<Vec<_>>>()?;
    let to = Amount::Word(found.first()?.describe.clone());
    Some(Action::Set { property: None, to })
}

/// `灯也打开`: the lamp of what was spoken of.
fn its_lamp(tokens: &[Token], page: &Page, world: &World) -> Option<Action> {
    let lexicon = world.lexicon();
    let light = lexicon.kind("light")?;
    let [device] = sibling::devices(page, world)[..] else { return None };
    let sense = &world.vocabulary.devices[device];
    if sense.is(light) || !tokens.iter().any(|t| t.has(&Sense::Also) && !t.is_entity()) {
        return None;
    }
    let small = |t: &Token| is_small(t) || t.any(|s| matches!(s, Sense::Also | Sense::Disposal)) && !t.is_entity();
    let said: Vec<&Token> = tokens.iter().filter(|t| !small(t)).collect();
    let lamp = |t: &Token| t.any(|s| matches!(s, Sense::Kind(kind) if *kind == light)) && !t.is_entity();
    let (what, does) = match said[..] {
        [what, does] if lamp(what) => (what, does),
        [does, what] if lamp(what) => (what, does),
        _ => return None,
    };
    let verb = verb(does).filter(|verb| !does.is_entity() && lexicon.verbs[*verb].switches.is_some())?;
    let of_light = |property: &PropertyId| {
        let called = &lexicon.properties[*property];
        called.kind == Some(light) || called.words.contains(&what.text)
    };
    let mut properties = sense.abilities.iter().filter(|ability| ability.writable).filter_map(|a| a.property);
    let property = properties.find(|property| lexicon.properties[*property].flag && of_light(property))?;
    Some(Action::about(verb, property, lexicon))
}

/// `还是太大`, `还大`: of what was set there is too much, or too little.
fn too_much(tokens: &[Token], before: &[Order], world: &World) -> Option<Action> {
    let property = match &before.last()?.action {
        Action::Set { property: Some(property), to: Amount::Number(..) | Amount::Percent(_) } => *property,
        Action::Step { ways, .. } => ways.first()?.0?,
        _ => return None,
    };
    let lexicon = world.lexicon();
    let judges = |t: &Token| lexicon.asides.judges.contains(&t.text) && !t.is_entity();
    if !tokens.iter().any(judges) {
        return None;
    }
    // 声音还是大, 风还大
    let same = |t: &Token| t.any(|s| matches!(s, Sense::Property(of) if *of == property)) && !t.is_entity();
    let said: Vec<&Token> = tokens.iter().filter(|t| !is_small(t) && !judges(t) && !same(t)).collect();
    let [how] = said[..] else { return None };
    let up = how.senses.iter().find_map(|s| match s {
        Sense::Degree { up } => Some(*up),
        Sense::Direction { property: of, up } if *of == property => Some(*up),
        _ => None,
    })?;
    Some(Action::Step { ways: vec![(Some(property), !up)], by: Some(Amount::Little) })
}

/// `过了`, `多了`: the step went too far.
fn overdone(tokens: &[Token], before: &[Order], world: &World) -> Option<Action> {
    let [Order { action: Action::Step { ways, .. }, .. }] = before else { return None };
    let [(property, up)] = ways[..] else { return None };
    let marks = &world.lexicon().marks;
    let said: String = tokens.iter().filter(|t| !t.has(&Sense::Punctuation)).map(|t| t.text.as_str()).collect();
    let bare = said.strip_suffix(marks.changed.as_str()).unwrap_or(&said);
    marks
        .overdone
        .iter()
        .any(|word| word == bare)
        .then(|| Action::Step { ways: vec![(property, !up)], by: Some(Amount::Little) })
}

/// `再开点`, `再拉上点`, `再开20` of a curtain: a little or so much more, and not all.
fn drawn_more(tokens: &[Token], page: &Page, world: &World) -> Option<Action> {
    let lexicon = world.lexicon();
    let (blind, position) = (lexicon.kind("blind")?, lexicon.property("position")?);
    let devices = sibling::devices(page, world);
    let again = |t: &Token| lexicon.marks.again.contains(&t.text);
    let little = |t: &Token| t.any(|s| matches!(s, Sense::Little)) && !t.is_entity();
    let said: Vec<&Token> = tokens.iter().filter(|t| !is_small(t) && !again(t)).collect();
    let ([does, much @ ..], true) = (&said[..], tokens.iter().any(again)) else { return None };
    let up = verb(does).and_then(|verb| lexicon.verbs[verb].switches).filter(|_| !does.is_entity())?;
    let by = match much {
        [one] if little(one) => Amount::Little,
        [number, ..] if number.any(|s| matches!(s, Sense::Number(_))) => {
            let from = tokens.iter().position(|t| std::ptr::eq(t, *number))?;
            let (by, end) = grammar::amount(tokens, from, &world.vocabulary)?;
            let so_far = matches!(by, Amount::Number(_, None) | Amount::Percent(_));
            Some(by).filter(|_| so_far && tokens[end..].iter().all(is_small))?
        }
        _ => return None,
    };
    let hangs = |d: &DeviceIndex| {
        world.vocabulary.devices[*d].is(blind) && world.vocabulary.devices[*d].about(position).is_some()
    };
    (!devices.is_empty() && devices.iter().all(hangs))
        .then(|| Action::Step { ways: vec![(Some(position), up)], by: Some(by) })
}

/// `继续`: what was paused.
fn goes_on(tokens: &[Token], before: &[Order], page: &Page, world: &World) -> Option<Action> {
    let lexicon = world.lexicon();
    let said: Vec<&Token> = tokens.iter().filter(|t| !is_small(t)).collect();
    let [word] = said[..] else { return None };
    let paused = |order: &Order| matches!(order.action, Action::Verb(id) if ["pause", "stop", "halt"].contains(&lexicon.verbs[id].id.as_str()));
    if !lexicon.marks.continues.contains(&word.text) || !before.iter().all(paused) {
        return None;
    }
    let task = |d: &DeviceIndex| world.vocabulary.devices[*d].kinds.iter().any(|kind| lexicon.kinds[*kind].task);
    let plays = !sibling::devices(page, world).iter().all(task);
    lexicon.verb(if plays { "play" } else { "start" }).map(Action::Verb)
}

pub(super) fn verb(token: &Token) -> Option<VerbId> {
    token.senses.iter().find_map(|s| if let Sense::Verb(verb) = s { Some(*verb) } else { None })
}

/// Whether a word does no more than what it does: 关火 and 关机 are of something that no home has.
pub(super) fn is_plain(token: &Token, world: &World) -> bool {
    let lexicon = world.lexicon();
    let bare = bare(token, lexicon);
    let does = |text: &str| lexicon.senses(text).iter().any(|s| lexicon.switches(s).is_some());
    let mut ends = bare.char_indices().skip(1).map(|(end, _)| end).chain([bare.len()]);
    let rest = ends.find(|end| does(&bare[..*end])).map(|end| &bare[end..]);
    rest.is_none_or(|rest| rest.is_empty() || lexicon.marks.completes.iter().any(|word| word == rest))
}

/// A word without what says that it is done: `关` of `关了的`.
pub(super) fn bare<'t>(token: &'t Token, lexicon: &Lexicon) -> &'t str {
    token.text.trim_end_matches(lexicon.marks.of.as_str()).trim_end_matches(lexicon.marks.changed.as_str())
}

/// Whether a word names a device, or what kind of thing it is if it is no name.
pub(super) fn is_of(token: &Token, device: DeviceIndex, world: &World) -> bool {
    let named = token.senses.iter().find_map(|s| if let Sense::Devices(devices) = s { Some(devices) } else { None });
    if let Some(devices) = named {
        return devices.contains(&device);
    }
    token.any(|s| match s {
        Sense::Kind(kind) | Sense::Sort(kind) => world.vocabulary.devices[device].is(*kind),
        _ => false,
    })
}
