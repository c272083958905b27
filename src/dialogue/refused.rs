//! What was done is refused: `不洗了`, `别关 我还看呢`, `谁让你关的`; of a part of it `灯带别关`; `不是这个灯`. It becomes as it was, where that is known.

use super::behind::{bare, is_of, is_plain, is_small, verb};
use super::{Meant, Nothing, Page, plain, remark, sibling, undo};
use crate::home::{DeviceIndex, Entity};
use crate::language::action::Action;
use crate::language::grammar::Rejection;
use crate::language::lexicon::{Question, Sense, VerbId};
use crate::language::order::{Order, Target};
use crate::language::segment::Token;
use crate::retrieval::World;

/// What a refusal of what was told before comes to; `None` where words refuse nothing of it.
pub(super) fn refused(tokens: &[Token], before: &[Order], page: &Page, world: &World) -> Option<Meant> {
    let clauses = tokens.split(|t| t.has(&Sense::Punctuation)).filter(|clause| !clause.is_empty());
    // 错了，不关
    let mut clauses = clauses.skip_while(|clause| clause.iter().all(|t| is_small(t) && !t.has(&Sense::Not)));
    let names = |t: &Token| t.is_entity() || t.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_) | Sense::Room(_)));
    let said: Vec<&Token> = clauses.next()?.iter().filter(|t| !is_small(t) || t.has(&Sense::Not)).collect();
    let taken_back = match said[..] {
        // 打开餐厅的灯, then 壁灯不要
        [thing, no] | [no, thing] if is_unwanted(no, world) && names(thing) => named(thing, page, world),
        [no, does] if is_refusal(no, world) => is_told(does, before, world).then(Vec::new),
        // 谁让你关的
        [who, lets, does] if who.has(&Sense::Question(Question::Who)) && lets.has(&Sense::Disposal) => {
            is_told(does, before, world).then(Vec::new)
        }
        [held] if is_held(held, before, world) => Some(Vec::new()),
        [thing] => return is_not_it(tokens, thing, page, world).then(no),
        [thing, held] if is_held(held, before, world) || is_kept(held, before, world) => named(thing, page, world),
        // 灯打开, then 只留主灯, is told of the others.
        [except, thing] if except.has(&Sense::ExceptOpen) && !except.is_entity() && !switched_on(before, world) => {
            named(thing, page, world)
        }
        [thing, no, does] if is_refusal(no, world) && is_told(does, before, world) => named(thing, page, world),
        _ => None,
    }?;
    if !clauses.all(|clause| remark::is_talk(clause, world) || is_opposite(clause, before, world)) {
        return None;
    }
    let orders = undo::of(&taken_back, page, world);
    if orders.is_empty() { Some(no()) } else { Some(plain(orders)) }
}

fn no() -> Meant {
    Meant::Nothing(Nothing::Rejected(Rejection::Negated))
}

/// `不`, `别`, `没让`.
fn is_refusal(token: &Token, world: &World) -> bool {
    !token.is_entity() && (token.has(&Sense::Negation) || token.text == world.lexicon().marks.denies)
}

/// `不要`, `不用`: a thing is not wanted.
fn is_unwanted(token: &Token, world: &World) -> bool {
    token.has(&Sense::Negation) && !token.is_entity() && world.lexicon().marks.unwanted.contains(&token.text)
}

/// `落地灯留着`, `灯带开着就行` behind what was switched the other way.
fn is_kept(token: &Token, before: &[Order], world: &World) -> bool {
    let lexicon = world.lexicon();
    let way = |verb: VerbId| lexicon.verbs[verb].switches;
    let opposite = |state: VerbId| {
        let told = |o: &Order| matches!(o.action, Action::Verb(told) if way(told).is_some() && way(state) == way(told).map(|on| !on));
        !before.is_empty() && before.iter().all(told)
    };
    // 纱帘打开 tells to open it, however it was.
    let states = verb(token).is_none() && token.any(|s| matches!(s, Sense::State(state) if opposite(*state)));
    let off = before.iter().all(|o| matches!(o.action, Action::Verb(told) if way(told) == Some(false)));
    !token.is_entity() && (states || off && lexicon.kept.contains(&token.text))
}

/// Whether all that was told is switched on.
fn switched_on(before: &[Order], world: &World) -> bool {
    let verbs = &world.lexicon().verbs;
    let on = |o: &Order| matches!(o.action, Action::Verb(told) if verbs[told].switches == Some(true));
    before.iter().all(on)
}

/// `开回来` behind what was switched off, and nothing else.
fn is_opposite(clause: &[Token], before: &[Order], world: &World) -> bool {
    let lexicon = world.lexicon();
    let way = |verb: VerbId| lexicon.verbs[verb].switches;
    let back = |t: &&Token| is_small(t) || lexicon.marks.back.contains(&t.text);
    let said: Vec<&Token> = clause.iter().filter(|t| !back(t)).collect();
    let [does] = said[..] else { return false };
    let does = verb(does).and_then(way).filter(|_| !does.is_entity());
    let told = |o: &Order| matches!(o.action, Action::Verb(told) if way(told).is_some() && way(told) != does);
    does.is_some() && !before.is_empty() && before.iter().all(told)
}

/// Whether a word does what was told before; `关的` is how it is then, and 关火 is something else.
fn is_told(token: &Token, before: &[Order], world: &World) -> bool {
    let lexicon = world.lexicon();
    let of = |s: &Sense| if let Sense::Verb(verb) = s { Some(*verb) } else { None };
    let senses = token.senses.iter().chain(lexicon.senses(bare(token, lexicon)));
    let does = senses.into_iter().find_map(of).filter(|_| !token.is_entity() && is_plain(token, world));
    let way = |verb: VerbId| lexicon.verbs[verb].switches;
    let same = |told: VerbId, does: VerbId| told == does || way(told).is_some() && way(told) == way(does);
    if does.is_some_and(|does| way(does).is_some()) && !before.is_empty() && before.iter().all(runs) {
        return true;
    }
    does.is_some_and(|does| before.iter().any(|o| matches!(o.action, Action::Verb(told) if same(told, does))))
}

/// `别关`, `不关了`: a refusal that is one word.
fn is_held(token: &Token, before: &[Order], world: &World) -> bool {
    let lexicon = world.lexicon();
    let bare = token.text.trim_end_matches(lexicon.marks.changed.as_str());
    let switched = |way: bool| {
        let same = |verb: VerbId| lexicon.verbs[verb].switches == Some(way);
        before.iter().any(|order| matches!(order.action, Action::Verb(verb) if same(verb)))
    };
    let scenes = !before.is_empty() && before.iter().all(runs);
    token.has(&Sense::Negation) && lexicon.held(bare).is_some_and(|way| switched(way) || scenes)
}

/// Whether an order runs a scene.
fn runs(order: &Order) -> bool {
    matches!(&order.target, Target::Named { entities, .. } if matches!(entities[..], [Entity::Scene(_)]))
}

/// Those of the devices that were told something which a word names, if it names one.
fn named(thing: &Token, page: &Page, world: &World) -> Option<Vec<DeviceIndex>> {
    let home = world.home();
    let mut told = sibling::devices(page, world);
    if told.is_empty() {
        told = page.was.iter().filter_map(|was| Some(home.device(&was.device)?.0)).collect();
    }
    let there =
        |device: DeviceIndex| thing.any(|s| matches!(s, Sense::Room(room) if home.devices[device].room == Some(*room)));
    let devices: Vec<DeviceIndex> =
        told.into_iter().filter(|device| is_of(thing, *device, world) || there(*device)).collect();
    (!devices.is_empty()).then_some(devices)
}

/// `不是这个灯`
fn is_not_it(tokens: &[Token], thing: &Token, page: &Page, world: &World) -> bool {
    let marks = &world.lexicon().marks;
    let denies = |t: &Token| t.has(&Sense::Correction) && t.text.starts_with(&marks.not) && t.text != marks.not;
    let room = thing.any(|s| matches!(s, Sense::Room(_)));
    tokens.first().is_some_and(denies) && !room && named(thing, page, world).is_some()
}
