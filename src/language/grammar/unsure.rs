//! What is understood and may be meant otherwise: a scene of which something shall stay as it is, one more of several, one of several
//! beside something that nobody knows, and several values of a thing that was the wrong one.

use super::super::action::Action;
use super::super::command::Quantifier;
use super::super::lexicon::Sense;
use super::super::order::{Order, Target};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{is_thing, kind, place};
use super::recut::devices;
use crate::home::Entity;

/// The words that leave it open; `None` where nothing does.
pub(super) fn leaves_open(words: &[Token], orders: &[Order], vocabulary: &Vocabulary) -> Option<String> {
    let text = |tokens: &[Token]| tokens.iter().map(|t| t.text.as_str()).collect::<String>();
    spares_of_many(words, orders, vocabulary)
        .or_else(|| fewer_than_all(words, orders))
        .or_else(|| one_more(words, vocabulary))
        .or_else(|| corrected_twice(words))
        .or_else(|| plays_a_title(words, vocabulary))
        .map(text)
        .or_else(|| beside_the_unknown(words).map(str::to_owned))
}

/// `开晚安模式，窗帘别关`, `乐乐的灯关了，护眼灯留着`: what is told of many at once leaves nothing out.
fn spares_of_many<'t>(words: &'t [Token], orders: &[Order], vocabulary: &Vocabulary) -> Option<&'t [Token]> {
    let run = vocabulary.lexicon.verb("run_scene").map(Action::Verb);
    let all = |order: &&Order| order.scope.exclude.is_empty() && order.quantifier != Quantifier::Except;
    let many: Vec<&Order> = orders.iter().filter(all).collect();
    let scene = |order: &Order| {
        let of = |entities: &[Entity]| entities.iter().any(|entity| matches!(entity, Entity::Scene(_)));
        matches!(&order.target, Target::Named { entities, .. } if of(entities))
    };
    let runs = many.iter().any(|order| Some(&order.action) == run.as_ref() || scene(order));
    let members: Vec<usize> = many.iter().flat_map(|order| members(order, vocabulary)).collect();
    if !runs && members.is_empty() {
        return None;
    }
    let spares = |s: &Sense| matches!(s, Sense::Negation | Sense::ExceptAfter | Sense::ExceptOpen);
    let among = |t: &Token| {
        runs && is_thing(t) || devices(t, vocabulary).is_some_and(|d| d.iter().any(|d| members.contains(d)))
    };
    words.split(|t| t.has(&Sense::Punctuation)).skip(1).find(|clause| {
        clause.iter().any(|t| t.any(spares) && !t.is_entity())
            && clause.iter().any(among)
            && !clause.iter().any(|t| t.has(&Sense::Other))
    })
}

/// The devices of the groups that an order is about.
fn members(order: &Order, vocabulary: &Vocabulary) -> Vec<usize> {
    let Target::Named { entities, .. } = &order.target else { return Vec::new() };
    let group = |entity: &Entity| if let Entity::Group(group) = entity { Some(*group) } else { None };
    entities.iter().filter_map(group).flat_map(|group| vocabulary.home.groups[group].members.clone()).collect()
}

/// `三个灯关两个`: which of them nobody said.
fn fewer_than_all<'t>(words: &'t [Token], orders: &[Order]) -> Option<&'t [Token]> {
    let verb = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity();
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Both));
    let counted = |w: &[Token]| verb(&w[0]) && number(&w[1]) && (w[2].has(&Sense::Measure) || w[1].has(&Sense::Both));
    let at = words.windows(3).position(counted).or_else(|| {
        let [.., does, both] = words else { return None };
        (verb(does) && both.has(&Sense::Both)).then_some(words.len() - 2)
    })?;
    let led = words[..at].iter().any(|t| t.any(|s| matches!(s, Sense::Number(_))));
    let all = orders.iter().any(|order| order.quantifier != Quantifier::One);
    let noun = words.get(at + 3).is_some_and(is_thing);
    (led && all && !noun && words[..at].iter().any(|t| kind(t).is_some())).then(|| &words[at + 1..at + 2])
}

/// `灯再开一个`: which of the others nobody said.
fn one_more<'t>(words: &'t [Token], vocabulary: &Vocabulary) -> Option<&'t [Token]> {
    let marks = &vocabulary.lexicon.marks;
    let verb = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity();
    let counted = |w: &[Token]| {
        let number = w[2].any(|s| matches!(s, Sense::Number(_)));
        marks.again.contains(&w[0].text) && verb(&w[1]) && number && w[3].has(&Sense::Measure)
    };
    let at = words.windows(4).position(counted)?;
    let noun = words.get(at + 4).is_some_and(is_thing);
    (!noun && words[..at].iter().any(|t| kind(t).is_some())).then(|| &words[at + 2..at + 4])
}

/// `主卧空调打开，二十五度，不对，开客厅的`: which of the two is wrong of it.
fn corrected_twice(words: &[Token]) -> Option<&[Token]> {
    let clauses: Vec<&[Token]> = words.split(|t| t.has(&Sense::Punctuation)).filter(|c| !c.is_empty()).collect();
    let corrects =
        |clause: &[Token]| clause.iter().take(2).any(|t| t.has(&Sense::Correction) && !t.has(&Sense::Alternative));
    let at = (2..clauses.len()).find(|at| corrects(clauses[*at]))?;
    let names = |t: &Token| is_thing(t) || place(t).is_some();
    let value = |t: &Token| {
        let set = |s: &Sense| {
            matches!(
                s,
                Sense::Number(_)
                    | Sense::Choice(_)
                    | Sense::Step { .. }
                    | Sense::Direction { .. }
                    | Sense::Degree { .. }
            )
        };
        t.any(set) && !t.is_entity()
    };
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let (told, more) = (clauses[at - 2], clauses[at - 1]);
    let twice = told.iter().any(names) && told.iter().any(acts) && !more.iter().any(names) && more.iter().any(value);
    let bare = !clauses[at].iter().any(|t| value(t) || acts(t));
    let other =
        clauses[at].iter().any(names) || bare && clauses.get(at + 1).is_some_and(|clause| clause.iter().any(names));
    (twice && other).then_some(clauses[at])
}

/// `播放歌曲开灯`: what is played may be called so.
fn plays_a_title<'t>(words: &'t [Token], vocabulary: &Vocabulary) -> Option<&'t [Token]> {
    let lexicon = &vocabulary.lexicon;
    let play = lexicon.verb("play")?;
    let plays = |t: &Token| t.any(|s| matches!(s, Sense::Verb(verb) if *verb == play)) && t.text.chars().count() > 1;
    let told = |t: &Token| t.any(|s| matches!(s, Sense::Verb(verb) if *verb != play)) && !t.is_entity();
    let at = words.windows(2).position(|pair| plays(&pair[0]) && told(&pair[1]))?;
    let first = at == 0 || words[at - 1].has(&Sense::Punctuation);
    first.then(|| &words[at..at + 2])
}

/// `沙发那两个灯打开`: those beside something that nobody knows.
pub(super) fn beside_the_unknown(words: &[Token]) -> Option<&str> {
    // 快递盒里的灯泡
    let within = |w: &[Token]| {
        let strange = w[0].is_residue() && w[1].has(&Sense::RoomSuffix) && w[2].has(&Sense::Of);
        strange && kind(&w[3]).is_some() && !w[3].is_entity()
    };
    let named = |at: usize| words[at].has(&Sense::Person) || words[at].is_residue();
    if let Some(at) = words.windows(4).position(within).filter(|at| *at > 0 && named(at - 1)) {
        return Some(words[at].text.as_str());
    }
    let many = |t: &Token| t.any(|s| matches!(s, Sense::Both | Sense::Number(_))) && !t.is_entity();
    let at = (1..words.len().saturating_sub(2)).find(|at| {
        let points = words[*at].has(&Sense::Reference) && !words[*at].is_entity();
        let measure = usize::from(words[at + 2].has(&Sense::Measure));
        points && many(&words[at + 1]) && words.get(at + 2 + measure).is_some_and(|t| kind(t).is_some())
    })?;
    let before = &words[at - 1];
    let strange = before.is_residue() || before.has(&Sense::RoomSuffix) && place(before).is_none();
    strange.then_some(before.text.as_str())
}

/// What a sentence tells of and nobody here knows: `打开厨房的镜子`, `把担架打开`.
pub fn names_the_unknown(words: &[Token]) -> Option<&str> {
    let own = |t: &Token, sense: &Sense| t.has(sense) && !t.is_entity();
    let of_place = |at: usize| at > 1 && own(&words[at - 1], &Sense::Of) && place(&words[at - 2]).is_some();
    let disposed = |at: usize| own(&words[at - 1], &Sense::Disposal) && words.get(at + 1).is_some_and(switches);
    let at = (1..words.len()).find(|at| words[*at].is_residue() && (of_place(*at) || disposed(*at)))?;
    Some(&words[at].text)
}

fn switches(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Verb(_))) && !token.is_entity()
}
