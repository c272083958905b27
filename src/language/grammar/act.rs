//! What each part of a sentence is for. Who asks for something often says why in the same breath (`晾衣架降下来我收衣服`,
//! `嗓子要冒烟了 加湿器打开`), remembers, complains or tells about the day. That silences its own part, and not its neighbours: what is
//! left has to be whole without it.

mod part;

use super::super::lexicon::{Marks, Question, Sense, Unit};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{self, is_somebody, is_thing, kind, place, sort};
use part::*;
pub(super) use part::{is_comment, is_idle_statement, names_something, tells};

/// `不不不先别断`: what it takes back may be what was told, in whatever words.
fn takes_back(part: &[Token]) -> bool {
    let own = |sense: &Sense| part.iter().any(|t| t.has(sense) && !t.is_entity());
    own(&Sense::Negation) && own(&Sense::Correction)
}

/// The sentence without the parts that only comment. A part that could be a condition, a time, a refusal, an exclusion or
/// somebody else's words is never taken for a comment, nor is one that could be what another part is about.
pub(super) fn without_comments(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let parts = parts(&tokens, vocabulary);
    if parts.len() < 2 {
        return tokens;
    }
    let told_before = |at: usize| parts[..at].iter().any(|p| (tells(p) && is_about_something(p)) || asks(p));
    let comment: Vec<bool> = parts
        .iter()
        .enumerate()
        .map(|(at, part)| {
            is_comment(part, vocabulary)
                || is_sigh(part)
                || (told_before(at) && !takes_back(part) && (warns(part, vocabulary) || reports(part)))
        })
        .collect();
    if super::means_another(&tokens) || !comment.contains(&true) {
        return tokens;
    }
    let told: Vec<&[Token]> = parts.iter().zip(&comment).filter(|(_, c)| !**c).map(|(p, _)| *p).collect();
    if !told.iter().any(|part| tells(part) || asks(part) || wishes(part, vocabulary)) {
        return tokens;
    }
    // 蛋风，蛋风那个，调四档: what is pointed at is strange, and a value says nothing of what it is for.
    let valued = |t: &&Token| is_unit(t) || t.any(|s| matches!(s, Sense::Number(_)));
    let about =
        |part: &[Token]| part.iter().filter(|t| !valued(t)).any(|t| is_about_something(std::slice::from_ref(t)));
    let strange = |part: &[Token]| part.iter().any(Token::is_residue) && part.iter().any(|t| t.has(&Sense::Reference));
    let pointed = parts.iter().zip(&comment).any(|(part, comment)| *comment && strange(part));
    let whole = told.iter().all(|part| !tells(part) || if pointed { about(part) } else { is_about_something(part) });
    let owner = owner(&told, &parts, &comment, vocabulary);
    let mut kept: Vec<Token> = Vec::new();
    let mut taken = false;
    for (at, part) in parts.iter().enumerate() {
        if !comment[at] {
            if let Some(owner) = owner.filter(|_| tells(part)) {
                kept.push(owner.clone());
            }
            // 屏显太亮了，关了它: what it points to has been said.
            let said = part.iter().filter(|t| !(taken && t.has(&Sense::Reference) && !t.is_entity()));
            kept.extend(said.cloned());
            taken = false;
            continue;
        }
        // 灯真暗，调亮一点: what is complained of is what shall change.
        let next = parts.iter().zip(&comment).skip(at + 1).find(|(_, c)| !**c).map(|(p, _)| *p);
        let subject = super::reason::subject(part, vocabulary);
        let pointed = |next: &[Token]| {
            next.iter().all(|t| t.has(&Sense::Reference) || is_unit(t) || !names_something(std::slice::from_ref(t)))
        };
        if let Some(next) = next.filter(|next| tells(next) && pointed(next) && !subject.is_empty()) {
            let placed = next.iter().any(|t| place(t).is_some());
            taken = subject.iter().any(is_named);
            kept.extend(subject.iter().filter(|t| !placed || place(t).is_none()).cloned());
        } else if !whole && !closes(part, &vocabulary.lexicon.marks) {
            return tokens;
        }
    }
    kept
}

/// `童锁打开，豆豆又在乱按洗衣机了`: the one thing that a comment names, where what is told names only a feature; it has that
/// feature, or is none of this home.
fn owner<'a>(told: &[&[Token]], parts: &[&'a [Token]], comment: &[bool], vocabulary: &Vocabulary) -> Option<&'a Token> {
    let [only] = told else { return None };
    let named = |p: usize| vocabulary.lexicon.properties[p].flag;
    let flag = only.iter().find_map(|t| nominal::property(t).filter(|p| named(*p)))?;
    if only.iter().any(|t| is_thing(t) || place(t).is_some() || t.has(&Sense::Reference)) {
        return None;
    }
    let mut things =
        parts.iter().zip(comment).filter(|(_, c)| **c).flat_map(|(part, _)| part.iter()).filter(|t| is_thing(t));
    let (one, None) = (things.next()?, things.next()) else { return None };
    let meant: Vec<usize> = match one.senses.iter().find_map(|s| if let Sense::Devices(d) = s { Some(d) } else { None })
    {
        Some(devices) => devices.clone(),
        None => {
            let kind = kind(one).or_else(|| sort(one))?;
            (0..vocabulary.devices.len()).filter(|d| vocabulary.devices[*d].is(kind)).collect()
        }
    };
    (meant.is_empty() || meant.iter().any(|d| vocabulary.devices[*d].about(flag).is_some())).then_some(one)
}

/// Cuts at pauses, and where a new thought begins without one: after what has been told in full, before whoever is spoken of.
fn parts<'a>(tokens: &'a [Token], vocabulary: &Vocabulary) -> Vec<&'a [Token]> {
    let mut parts = Vec::new();
    for clause in tokens.split_inclusive(|t| t.has(&Sense::Punctuation)) {
        let interjects = |t: &Token| vocabulary.lexicon.interjections.contains(&t.text) && !t.is_entity();
        let said = clause.iter().take_while(|t| interjects(t)).count();
        let (interjection, clause) = clause.split_at(if said < clause.len() { said } else { 0 });
        if !interjection.is_empty() {
            parts.push(interjection);
        }
        let (before, clause) = clause.split_at(lead(clause, vocabulary).unwrap_or(0));
        if !before.is_empty() {
            parts.push(before);
        }
        match tail(clause, vocabulary) {
            Some(at) => parts.extend([&clause[..at], &clause[at..]]),
            None => parts.push(clause),
        }
    }
    parts
}

/// Where the comment at the beginning of a clause ends: `碗都码好了|洗碗机启动`.
fn lead(clause: &[Token], vocabulary: &Vocabulary) -> Option<usize> {
    let ended = |t: &Token| t.has(&Sense::Particle) && !t.any(|s| matches!(s, Sense::Of | Sense::Question(_)));
    let marks = &vocabulary.lexicon.marks;
    let over = |t: &Token| t.text.ends_with(marks.changed.as_str()) && !acts(t) && !is_named(t);
    (1..clause.len()).find(|at| {
        let (before, rest) = clause.split_at(*at);
        let last = &before[before.len() - 1];
        // 施肥机不急着开: what is denied is what follows.
        let denied = before.iter().any(|t| t.any(|s| matches!(s, Sense::Not | Sense::Negation)));
        // 昨天忘了关冷气: of what was, what follows was as well.
        let past = before.iter().any(|t| t.has(&Sense::Past));
        // 左屏刺眼|调低点: how it feels, and at once what shall be done.
        let feels = |t: &Token| t.any(|s| matches!(s, Sense::Direction { .. }));
        let felt = ((last.has(&Sense::Reason) && names_something(before))
            || (feels(last) && before.iter().any(|t| t.has(&Sense::Reason))))
            && (acts(&rest[0]) || feels(&rest[0]) || rest[0].has(&Sense::Make))
            && !is_named(&rest[0]);
        (ended(last) || over(last) || felt)
            && (!denied || names_something(rest))
            && !past
            && !goes_on(before, rest)
            && !ended(&rest[0])
            && tells(rest)
            && (is_about_something(rest) || names_something(before) || switches_alone(rest))
            && is_comment(before, vocabulary)
    })
}

/// `豆豆眯着|再关灯`, `豆豆一眯着|就关灯`: what follows waits for what nobody here understands.
pub(super) fn goes_on(before: &[Token], rest: &[Token]) -> bool {
    let waits = rest.first().is_some_and(|t| t.any(|s| matches!(s, Sense::Sequence | Sense::Then | Sense::Of)));
    waits && before.iter().any(Token::is_residue)
}

/// `太烫了|关了`: an action of what was spoken of last, and nothing else.
fn switches_alone(rest: &[Token]) -> bool {
    let small =
        |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler | Sense::Punctuation | Sense::Sequence));
    rest.iter().any(acts) && rest.iter().all(|t| acts(t) || small(t))
}

/// Where the comment at the end of a clause begins: `灯都关掉|交电费了`, `晾衣架降下来|我收衣服`.
fn tail(clause: &[Token], vocabulary: &Vocabulary) -> Option<usize> {
    let starts = (1..clause.len()).filter(|at| {
        let (before, rest) = clause.split_at(*at);
        let last = &before[before.len() - 1];
        let first = &rest[0];
        let ended = last.any(|s| matches!(s, Sense::Particle | Sense::Little | Sense::Number(_) | Sense::Unit(_)))
            || last.any(|s| matches!(s, Sense::Verb(_) | Sense::State(_) | Sense::Choice(_) | Sense::Value))
                && last.text.chars().count() > 1;
        let of = first.any(|s| matches!(s, Sense::Of | Sense::Conjunction | Sense::Also | Sense::Each))
            // 升上去会晃: what is told of what stands before it.
            || vocabulary.lexicon.modals.iter().any(|m| first.text.starts_with(m.as_str()));
        let pronoun = is_pronoun(first, vocabulary) || first.has(&Sense::Person);
        // 今儿个冷得很
        let begin = rest.iter().find(|t| !t.has(&Sense::Filler)).unwrap_or(first);
        let felt = || begin.any(|s| matches!(s, Sense::Direction { .. })) && rest.iter().any(|t| t.has(&Sense::Reason));
        // 童锁锁上|别叫俩娃乱按
        let cautions = || {
            let whom = |t: &Token| t.has(&Sense::Disposal) || is_pronoun(t, vocabulary) || t.has(&Sense::Person);
            first.has(&Sense::Negation) && rest.iter().any(whom) && warns(rest, vocabulary)
        };
        let fresh =
            pronoun || (ended && cautions()) || (ended && (first.is_residue() || begin.has(&Sense::Reason) || felt()));
        let leads_on = last.any(|s| matches!(s, Sense::Conjunction | Sense::Of | Sense::Disposal));
        // 再打开|我端锅出去
        // What follows a verb that plays is what is asked for.
        let switch = |s: &Sense| vocabulary.lexicon.switches(s).is_some();
        let it = is_pronoun(first, vocabulary) && switches_alone(before) && before.iter().any(|t| t.any(switch));
        let whole = || complete(before) || it;
        let said = || (tells(before) && whole()) || (asks(before) && ended) || wishes(before, vocabulary);
        let about = is_about_something(before) || it;
        fresh && !of && !leads_on && said() && about
    });
    starts.into_iter().find(|at| {
        let rest = &clause[*at..];
        is_comment(rest, vocabulary) || reports(rest) || warns(rest, vocabulary)
    })
}

/// A pronoun, or one with what its bearer wants (`我要`).
fn is_pronoun(token: &Token, vocabulary: &Vocabulary) -> bool {
    let pronouns = &vocabulary.lexicon.pronouns;
    pronouns.contains(&token.text)
        || (token.has(&Sense::Filler) && pronouns.iter().any(|p| token.text.starts_with(p.as_str())))
}

/// Whether what was told so far could stand alone: a verb that has its object, or comes after it.
fn complete(before: &[Token]) -> bool {
    // 大灯再亮一点
    let measured = before
        .iter()
        .rev()
        .find(|t| !t.has(&Sense::Particle))
        .is_some_and(|t| t.any(|s| matches!(s, Sense::Little | Sense::Lots | Sense::Unit(_))) || is_graded(t));
    if measured && before.iter().any(is_named) {
        return true;
    }
    let verb = before.iter().rposition(acts);
    verb.filter(|at| *at == 0 || !super::reading::is_not(&before[at - 1])).is_some_and(|verb| {
        let named = |t: &Token| is_named(t);
        before[..verb].iter().any(named)
            || before[verb + 1..].iter().any(named)
            || before[verb].text.chars().count() > 3
    })
}

/// Whether a part ends as only statements do.
fn closes(part: &[Token], marks: &Marks) -> bool {
    let last = part.iter().rev().find(|t| !t.has(&Sense::Punctuation));
    last.is_some_and(|t| t.has(&Sense::Particle) || t.has(&Sense::Reason) || t.text.ends_with(&marks.changed))
}
