//! Whether a sentence as it was heard is better than as it is written: what is heard explains, and neither breaks a word that is
//! written right nor adds an action to those that are told. A lamp box (灯箱) is no lamp that shall be lowered (灯降).

use super::super::lexicon::{Lexicon, Sense};
use super::Token;

/// Words after 都 among which what is done or is so has to stand.
const REACH: usize = 3;

/// Whether what was heard breaks or adds something.
pub(super) fn doubtful(plain: &[Token], heard: &[Token], lexicon: &Lexicon) -> bool {
    let going = &lexicon.marks.going;
    breaks(plain, heard, lexicon)
        || unnames(plain, heard)
        || clauses(heard).any(|clause| {
            let odd = |at| {
                adds(clause, at)
                    || undoes(clause, at, lexicon)
                    || goes_on(clause, at, going)
                    || is_said(clause, at, lexicon)
            };
            (0..clause.len()).any(odd)
        })
}

/// Whether a single character is heard as what is told that says something by itself where it stands: `挺好的`, `听收音机`, `暖一点的光`,
/// `等电影结束`.
fn is_said(clause: &[Token], at: usize, lexicon: &Lexicon) -> bool {
    let token = &clause[at];
    let Some(written) = token.heard.as_ref().filter(|_| token.text.chars().count() == 1) else { return false };
    let marks = &lexicon.marks;
    let next = clause.get(at + 1);
    let ends = next.is_none_or(|t| t.any(|s| matches!(s, Sense::Particle | Sense::Little)) || acts(t));
    let before = at.checked_sub(1).map(|before| &clause[before]);
    let of = before.is_some_and(|t| t.any(|s| matches!(s, Sense::Of | Sense::Little)));
    let all = |t: &Token| t.any(|s| matches!(s, Sense::Each | Sense::All));
    let lead = at == 0 && next.is_some_and(|t| !acts(t) && !is_state(t) && !all(t));
    (marks.very.contains(written) || marks.listens.contains(written)) && !ends
        || marks.shine.contains(written) && (of || before.is_some_and(is_thing) && !ends)
        || marks.waits.contains(written) && lead
}

/// `叫号喇叭` as 叫好啦把: a thing, a property or a switch of several characters that is written is cut in pieces; so is a name that nobody
/// knows (`豆浆机开一下` as 都降给开一下).
fn breaks(plain: &[Token], heard: &[Token], lexicon: &Lexicon) -> bool {
    let strange =
        |t: &Token| t.is_residue() && lexicon.device_suffix.iter().any(|suffix| t.text.ends_with(suffix.as_str()));
    let heard_at: Vec<(usize, usize)> =
        spans(heard).into_iter().zip(heard).filter(|(_, t)| t.heard.is_some()).map(|(span, _)| span).collect();
    spans(plain).into_iter().zip(plain).any(|((start, end), word)| {
        let crosses = |(s, e): &(usize, usize)| *s < end && start < *e && !(*s <= start && end <= *e);
        let cut = |(s, e): &(usize, usize)| *s < end && start < *e && (*s, *e) != (start, end);
        let unknown = end > start + 2 && strange(word) && heard_at.iter().filter(|span| cut(span)).count() > 1;
        end > start + 1 && (names(word) || switches(word, lexicon).is_some()) && heard_at.iter().any(crosses) || unknown
    })
}

/// Where each word stands in what is written, in characters.
fn spans(tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut at = 0;
    let span = |t: &Token| {
        let start = at;
        at += t.heard.as_deref().unwrap_or(&t.text).chars().count();
        (start, at)
    };
    tokens.iter().map(span).collect()
}

/// `打开厨房的日历` as 厨房的里: what somebody or some place has, or what stands in a row of things, is heard as what names nothing.
fn unnames(plain: &[Token], heard: &[Token]) -> bool {
    let told = |t: &Token| {
        names(t)
            || t.any(|s| {
                matches!(
                    s,
                    Sense::Value | Sense::Choice(_) | Sense::Direction { .. } | Sense::Degree { .. } | Sense::State(_)
                )
            })
    };
    let heard_at = spans(heard);
    let own = |at: usize, sense: &Sense| plain.get(at).is_some_and(|t| t.has(sense) && !t.is_entity());
    let had = |at: usize| at > 1 && own(at - 1, &Sense::Of) && names(&plain[at - 2]);
    let joined = |at: usize| own(at + 1, &Sense::Conjunction);
    let ends = |at: usize| joined(at) || plain.get(at + 1).is_none_or(|t| t.has(&Sense::Punctuation));
    let listed = |at: usize| own(at - 1, &Sense::Conjunction) && ends(at) || verb(&plain[at - 1]) && joined(at);
    let noun = |at: &usize| plain[*at].is_residue() && (had(*at) || listed(*at));
    (1..plain.len()).filter(noun).map(|at| spans(plain)[at]).any(|(start, end)| {
        let over = heard_at.iter().zip(heard).filter(|((s, e), _)| *s < end && start < *e).map(|(_, t)| t);
        over.filter(|t| t.heard.is_some()).any(|t| !told(t))
    })
}

/// Parts in which one thing is told.
fn clauses(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    tokens.split(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Sequence | Sense::Then | Sense::Conjunction)))
}

/// Whether a single character that was heard says more than its clause has room for.
fn adds(clause: &[Token], at: usize) -> bool {
    let token = &clause[at];
    if token.heard.is_none() || token.text.chars().count() > 1 {
        return false;
    }
    // 空调出风 leaves nothing out.
    if token.has(&Sense::ExceptOpen) {
        return true;
    }
    let (before, next) = (at.checked_sub(1).map(|before| &clause[before]), clause.get(at + 1));
    // 灯安一点: how much follows.
    let measured = next.is_some_and(|t| t.any(|s| matches!(s, Sense::Little | Sense::Lots | Sense::Number(_))));
    // 我想听关灯 is no 停, because it has a verb already.
    let told = || clause.iter().any(|t| t.heard.is_none() && (verb(t) || t.text.chars().count() > 1 && acts(t)));
    let second = before.is_some_and(|t| t.heard.is_none() && is_thing(t)) && is_thing(token);
    let reach = clause.len().min(at + 1 + REACH);
    // 豆豆把灯关了 is no 都把灯关了: what all of something is said of stands before it.
    let listed = clause[..at].iter().any(|t| names(t) || t.any(|s| matches!(s, Sense::All | Sense::ExceptClose)));
    let idle = token.has(&Sense::Each) && (!listed || !clause[at + 1..reach].iter().any(|t| acts(t) || is_state(t)));
    // 小两格声 goes the other way than 升.
    let graded = |t: &Token| t.heard.is_none() && t.any(|s| matches!(s, Sense::Degree { .. } | Sense::Step { .. }));
    let steps = token.any(|s| matches!(s, Sense::Step { .. })) && clause[..at].iter().any(graded);
    second || idle || steps || (acts(token) && !measured && told())
}

/// Whether what is heard undoes what is written: `关掉电热扇` is no 关掉点热上.
fn undoes(clause: &[Token], at: usize, lexicon: &Lexicon) -> bool {
    let switch = |t: &Token| switches(t, lexicon);
    let written = |t: &&Token| t.heard.is_none() && t.text.chars().count() > 1;
    let Some(heard) = switch(&clause[at]).filter(|_| clause[at].heard.is_some()) else { return false };
    clause.iter().filter(written).any(|t| switch(t).is_some_and(|told| told != heard))
}

/// Whether a single character is heard as a thing where what goes on stands: in 等着用 there is no lamp.
fn goes_on(clause: &[Token], at: usize, going: &str) -> bool {
    let token = &clause[at];
    let single = token.heard.is_some() && token.text.chars().count() == 1;
    single && is_thing(token) && clause.get(at + 1).is_some_and(|t| t.text == going && !t.is_entity())
}

/// Which way a word switches what it is said of.
fn switches(token: &Token, lexicon: &Lexicon) -> Option<bool> {
    token.senses.iter().find_map(|s| lexicon.switches(s)).filter(|_| verb(token))
}

fn verb(token: &Token) -> bool {
    !token.is_entity() && token.any(|s| matches!(s, Sense::Verb(_)))
}

fn acts(token: &Token) -> bool {
    !token.is_entity()
        && token.any(|s| {
            matches!(
                s,
                Sense::Verb(_)
                    | Sense::Set { .. }
                    | Sense::SetBare
                    | Sense::Step { .. }
                    | Sense::Degree { .. }
                    | Sense::Direction { .. }
            )
        })
}

fn is_state(token: &Token) -> bool {
    token.any(|s| {
        matches!(
            s,
            Sense::State(_)
                | Sense::Disposal
                | Sense::Filler
                | Sense::Negation
                | Sense::ExceptAfter
                | Sense::Question(_)
                | Sense::Number(_)
                | Sense::Value
                | Sense::Choice(_)
                | Sense::Extreme(_)
                | Sense::Same
        )
    })
}

fn is_thing(token: &Token) -> bool {
    token.is_entity() || token.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_)))
}

fn names(token: &Token) -> bool {
    is_thing(token) || token.any(|s| matches!(s, Sense::Property(_) | Sense::Room(_) | Sense::RoomClass(_)))
}
