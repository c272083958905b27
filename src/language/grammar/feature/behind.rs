//! What stands behind a thing: a feature of it behind a pause (`打开空调 屏显`), and what nobody knows (`净化器的闩锁`).

use super::super::super::action::{Action, Ask, Status};
use super::super::super::lexicon::{Lexicon, Sense};
use super::super::super::order::{Order, Target};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{is_thing, kind};
use super::super::recut::{self, devices};
use super::{ambiguous, property};
use crate::home::Entity;

/// What stands between two that are told apart: 自动开/关.
const STROKE: &str = "/";

/// `打开空调 屏显`, `空调 上下摆风开着吗`: no pause between a thing and its feature, where nothing is told of the thing itself.
pub(in super::super) fn without_pause(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let mut at = 1;
    while at + 1 < tokens.len() {
        // 空调的 屏显
        let of = usize::from(at > 1 && tokens[at - 1].has(&Sense::Of) && !tokens[at - 1].is_entity());
        let thing = &tokens[at - 1 - of];
        if pause(&tokens[at]) && is_thing(thing) && is_feature(thing, &tokens[at + 1], vocabulary) {
            let begin = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
            let acts = |t: &Token| t.any(|s| s.is_action() || matches!(s, Sense::State(_))) && !t.is_entity();
            let clause = tokens[at + 2..].split(pause).next().unwrap_or_default();
            let (before, after) = (tokens[begin..at - 1 - of].iter().any(acts), clause.iter().any(acts));
            if of == 1 || !(before && after) {
                tokens.remove(at);
            }
        }
        at += 1;
    }
    tokens
}

/// Whether a word names what a thing has as something that is on or off.
fn is_feature(thing: &Token, what: &Token, vocabulary: &Vocabulary) -> bool {
    let Some(named) = property(what).or_else(|| ambiguous(what)).filter(|_| !what.is_entity()) else { return false };
    let word = &vocabulary.lexicon.properties[named];
    let has = |d: &usize| vocabulary.devices[*d].abilities.iter().any(|a| a.property == Some(named));
    word.flag && word.own && devices(thing, vocabulary).is_some_and(|devices| devices.iter().any(has))
}

/// What stands behind a thing and 的 and is nothing that it has, and of which things it is said.
fn unknown(words: &[Token], vocabulary: &Vocabulary) -> Option<(String, Vec<usize>)> {
    let of = |t: &Token| t.has(&Sense::Of) && !t.is_entity();
    let pause = |t: &Token| t.has(&Sense::Punctuation) && t.text != STROKE;
    (0..words.len()).find_map(|at| {
        if let Some((things, what)) = within(&words[at], vocabulary) {
            return Some((what.to_owned(), things));
        }
        if at < 2 || !of(&words[at - 1]) || !is_thing(&words[at - 2]) {
            return None;
        }
        let things = devices(&words[at - 2], vocabulary).filter(|things| !things.is_empty())?;
        let begin = words[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
        let clause = words[at..].split(pause).next().unwrap_or_default();
        let strange = if goes_on(clause, vocabulary) {
            clause.first()
        } else {
            let what = named(&words[begin..at], clause, vocabulary);
            what.iter().find(|t| !is_its(t, &things, vocabulary))
        };
        strange.map(|t| (t.text.clone(), things))
    })
}

/// 净化器的闩锁, 净化器的启动关掉: what is done, and right behind it a thing that nobody knows, or more that is done.
fn goes_on(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let [first, next, ..] = clause else { return false };
    let switches = |t: &Token| t.any(|s| vocabulary.lexicon.switches(s).is_some()) && !t.is_entity();
    let does = first.any(|s| matches!(s, Sense::Verb(_))) && !first.is_entity() && kind(first).is_none();
    does && switches(next) || switches(first) && (next.is_residue() || kind(next).is_some() && !next.is_entity())
}

/// What is named of a thing: up to what is told or asked of it.
fn named<'t>(before: &[Token], clause: &'t [Token], vocabulary: &Vocabulary) -> &'t [Token] {
    let switches = |t: &Token| t.any(|s| vocabulary.lexicon.switches(s).is_some()) && !t.is_entity();
    // 锁 is a noun right behind 的.
    let state = |t: &Token| t.any(|s| matches!(s, Sense::State(_))) && !t.is_entity();
    let says = |t: &Token| (switches(t) || state(t)) && kind(t).is_none();
    let told = before.iter().any(switches);
    let first = clause.iter().position(says);
    match first {
        // 打开净化器的自动开/关
        Some(at) if told && at > 0 && clause.iter().any(|t| t.text == STROKE) => clause,
        Some(end) => &clause[..end],
        None if told => clause,
        None => &clause[..clause.iter().take_while(|t| t.is_residue()).count()],
    }
}

/// Whether a word may be said of things that have no such name: small words, and what they have, are or can be set to.
fn is_its(token: &Token, things: &[usize], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    if token.is_entity() {
        return true;
    }
    // 净化器的跟随运动: what people do is nothing that a thing has.
    let talk = |s: &Sense| matches!(s, Sense::Reason | Sense::Suppose | Sense::Report | Sense::Past);
    if token.is_residue() || token.text == STROKE || token.any(talk) {
        return false;
    }
    let power = lexicon.property("power");
    let any = |test: &dyn Fn(&usize) -> bool| things.iter().any(test);
    let has = |p: usize| Some(p) == power || any(&|d| vocabulary.devices[*d].about(p).is_some());
    let is = |kind: usize| {
        let switch = lexicon.kind("switch") == Some(kind);
        switch
            || any(&|d| {
                let sense = &vocabulary.devices[*d];
                // The lock of a door is the door.
                let covers = sense.kinds.iter().any(|k| *k == kind || lexicon.kinds[*k].covers.contains(&kind));
                covers || sense.feature_of_kind(kind, lexicon).is_some()
            })
    };
    let mut names = false;
    let fits = token.senses.iter().any(|sense| match sense {
        Sense::Property(p) | Sense::Feature(p) => {
            names = true;
            has(*p)
        }
        Sense::Kind(k) | Sense::Sort(k) => {
            names = true;
            is(*k)
        }
        Sense::Choice(_) | Sense::Value => {
            names = true;
            any(&|d| recut::means(*d, &token.text, vocabulary))
        }
        _ => false,
    });
    fits || !names
}

/// 净化器的插头 where that is one word that nobody knows.
fn within<'t>(token: &'t Token, vocabulary: &Vocabulary) -> Option<(Vec<usize>, &'t str)> {
    let (thing, what) = token.text.split_once(vocabulary.lexicon.marks.of.as_str()).filter(|_| token.is_residue())?;
    let thing = Token { text: thing.to_owned(), heard: None, senses: vocabulary.senses(thing) };
    Some((devices(&thing, vocabulary)?, what))
}

/// What nobody knows that is told or asked of a thing, where the orders are of the thing as a whole: they are none of it.
pub fn unknown_feature(words: &[Token], orders: &[Order], vocabulary: &Vocabulary) -> Option<String> {
    let (what, things) = unknown(words, vocabulary)?;
    let is = |entity: &Entity| matches!(entity, Entity::Device(device) if things.contains(device));
    let of_it = |order: &Order| match &order.target {
        Target::Named { entities, .. } => entities.iter().any(is),
        Target::Text(..) | Target::Rooms | Target::Scenes => false,
        _ => true,
    };
    orders.iter().any(|order| as_a_whole(&order.action, &vocabulary.lexicon) && of_it(order)).then_some(what)
}

/// Whether an action is of a thing as a whole: it is switched, or how it is is asked.
fn as_a_whole(action: &Action, lexicon: &Lexicon) -> bool {
    match action {
        Action::Verb(verb) => lexicon.verbs[*verb].switches.is_some(),
        Action::Ask(ask) => matches!(ask, Ask::State | Ask::Is(Status::Verb(_))),
        _ => false,
    }
}
