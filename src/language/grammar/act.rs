//! What each part of a sentence is for. Who asks for something often says why in the same breath (`晾衣架降下来我收衣服`,
//! `嗓子要冒烟了 加湿器打开`), remembers, complains or tells about the day. That silences its own part, and not its neighbours: what is
//! left has to be whole without it.

use super::super::lexicon::{Marks, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{self, kind, place, sort};

/// The sentence without the parts that only comment. A part that could be a condition, a time, a refusal, an exclusion or
/// somebody else's words is never taken for a comment, nor is one that could be what another part is about.
pub(super) fn without_comments(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let parts = parts(&tokens, vocabulary);
    if parts.len() < 2 {
        return tokens;
    }
    let told_before = |at: usize| parts[..at].iter().any(|p| tells(p) && is_about_something(p));
    let comment: Vec<bool> = parts
        .iter()
        .enumerate()
        .map(|(at, part)| is_comment(part, vocabulary) || (told_before(at) && warns(part)))
        .collect();
    if !comment.contains(&true) {
        return tokens;
    }
    let told: Vec<&[Token]> = parts.iter().zip(&comment).filter(|(_, c)| !**c).map(|(p, _)| *p).collect();
    if !told.iter().any(|part| tells(part)) {
        return tokens;
    }
    let whole = told.iter().all(|part| !tells(part) || is_about_something(part));
    let mut kept: Vec<Token> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        if !comment[at] {
            kept.extend_from_slice(part);
            continue;
        }
        // 灯真暗，调亮一点: what is complained of is what shall change.
        let next = parts.iter().zip(&comment).skip(at + 1).find(|(_, c)| !**c).map(|(p, _)| *p);
        let subject = super::reason::subject(part, vocabulary);
        if let Some(next) = next.filter(|next| tells(next) && !names_something(next) && !subject.is_empty()) {
            let placed = next.iter().any(|t| place(t).is_some());
            kept.extend(subject.iter().filter(|t| !placed || place(t).is_none()).cloned());
        } else if !whole && !closes(part, &vocabulary.lexicon.marks) {
            return tokens;
        }
    }
    kept
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
        (ended(last) || over(last))
            && !ended(&rest[0])
            && tells(rest)
            && is_about_something(rest)
            && is_comment(before, vocabulary)
    })
}

/// Where the comment at the end of a clause begins: `灯都关掉|交电费了`, `晾衣架降下来|我收衣服`.
fn tail(clause: &[Token], vocabulary: &Vocabulary) -> Option<usize> {
    let starts = (2..clause.len()).filter(|at| {
        let (before, rest) = clause.split_at(*at);
        let last = &before[before.len() - 1];
        let first = &rest[0];
        let ended = last.any(|s| matches!(s, Sense::Particle | Sense::Little | Sense::Number(_) | Sense::Unit(_)))
            || last.any(|s| matches!(s, Sense::Verb(_) | Sense::State(_) | Sense::Choice(_) | Sense::Value))
                && last.text.chars().count() > 1;
        let of = first.any(|s| matches!(s, Sense::Of | Sense::Conjunction | Sense::Also | Sense::Each));
        let pronoun = vocabulary.lexicon.pronouns.contains(&first.text) || first.has(&Sense::Person);
        let fresh = pronoun || (ended && (first.is_residue() || first.has(&Sense::Reason)));
        let leads_on = last.any(|s| matches!(s, Sense::Conjunction | Sense::Of | Sense::Disposal));
        fresh && !of && !leads_on && tells(before) && is_about_something(before) && complete(before)
    });
    starts.into_iter().find(|at| is_comment(&clause[*at..], vocabulary))
}

/// Whether what was told so far could stand alone: a verb that has its object, or comes after it.
fn complete(before: &[Token]) -> bool {
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

/// Whether a part says how things are or why, and tells nothing.
pub(super) fn is_comment(part: &[Token], vocabulary: &Vocabulary) -> bool {
    let content = super::guard::trim(part);
    if part.iter().all(|t| vocabulary.lexicon.interjections.contains(&t.text) || t.has(&Sense::Punctuation)) {
        return true;
    }
    let bound = || part.iter().enumerate().any(|(at, t)| binds(t, vocabulary) && !denies(part, at));
    if content.is_empty() || tells(part) || bound() {
        return false;
    }
    let strange = content.iter().any(Token::is_residue);
    let explains = content.iter().any(|t| {
        t.any(|s| matches!(s, Sense::Reason | Sense::Past | Sense::Suppose | Sense::Report | Sense::Finished))
            || vocabulary.lexicon.complement.contains(&t.text)
    });
    let home = content.iter().any(is_named);
    let pronoun = part.first().is_some_and(|t| vocabulary.lexicon.pronouns.contains(&t.text) || t.has(&Sense::Person));
    let marks = &vocabulary.lexicon.marks;
    let day = content.iter().any(|t| vocabulary.lexicon.day.contains(&t.text));
    match (strange || explains, home) {
        (false, _) => day && part.iter().any(|t| t.text == marks.changed),
        // A strange word beside something of the home may be what is meant, unless the sentence ends as statements do.
        (true, true) => explains && !strange || closes(part, marks) || pronoun,
        (true, false) => content.iter().map(|t| t.text.chars().count()).sum::<usize>() > 1,
    }
}

/// `别让狗跑出去`, `甭那么大动静` after a command: what shall not happen because of it, and nothing of the home.
fn warns(part: &[Token]) -> bool {
    let negates = part.iter().any(|t| t.has(&Sense::Negation));
    let strange: usize = part.iter().filter(|t| t.is_residue()).map(|t| t.text.chars().count()).sum();
    let home =
        part.iter().any(|t| is_named(t) || place(t).is_some() || t.has(&Sense::Reference) || t.has(&Sense::Each));
    negates && strange >= 1 && part.len() > 2 && !home && !part.iter().any(acts)
}

/// `耳朵又不好`: a denial within a statement, of something that is no deed and no thing of the home.
fn denies(part: &[Token], at: usize) -> bool {
    let next = part.get(at + 1);
    // 受不了: what cannot be borne.
    let cannot = at > 0 && part[at - 1].is_residue() && next.is_some_and(|t| t.has(&Sense::Particle));
    part[at].has(&Sense::Not) && cannot
        || part[at].has(&Sense::Not)
            && !part[at].has(&Sense::Correction)
            && next.is_some_and(|t| {
                !acts(t)
                    && !is_named(t)
                    && !t.any(|s| matches!(s, Sense::State(_) | Sense::Punctuation | Sense::Particle))
            })
}

/// What binds other parts, or means that somebody else speaks.
fn binds(token: &Token, vocabulary: &Vocabulary) -> bool {
    if token.is_entity() {
        return false;
    }
    let time = token.has(&Sense::Future) && !vocabulary.lexicon.day.contains(&token.text);
    let quotes = vocabulary.lexicon.quotes.contains(&token.text);
    let spoken = !token.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Reason));
    quotes
        || time && spoken
        || token.any(|s| {
            matches!(
                s,
                Sense::If
                    | Sense::Unless
                    | Sense::Standing
                    | Sense::Else
                    | Sense::ExceptOpen
                    | Sense::Negation
                    | Sense::Correction
                    | Sense::Question(_)
                    | Sense::Scene(_)
                    | Sense::Disposal
            )
        }) && spoken
}

fn acts(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::SetBare | Sense::Step { .. }))
}

/// Whether something is told to be done.
fn tells(part: &[Token]) -> bool {
    part.iter().any(|t| {
        let acts = acts(t) && !t.any(|s| matches!(s, Sense::Reason));
        let value = t.any(|s| {
            matches!(s, Sense::Little | Sense::Lots | Sense::Extreme(_) | Sense::Scene(_) | Sense::Fraction(_))
        });
        acts || value
    }) || part
        .windows(2)
        .any(|pair| pair[0].any(|s| matches!(s, Sense::Number(_))) && pair[1].any(|s| matches!(s, Sense::Unit(_))))
}

fn is_named(token: &Token) -> bool {
    token.is_entity()
        || kind(token).is_some()
        || sort(token).is_some()
        || nominal::property(token).is_some()
        || token.any(|s| matches!(s, Sense::Feature(_) | Sense::Everything))
}

/// Whether a part names a thing or a place.
fn names_something(part: &[Token]) -> bool {
    part.iter().any(|t| is_named(t) || place(t).is_some() || t.any(|s| matches!(s, Sense::Reference | Sense::Scene(_))))
}

/// Whether a part names what it is about.
fn is_about_something(part: &[Token]) -> bool {
    part.iter().any(|t| {
        is_named(t)
            || place(t).is_some()
            || t.any(|s| {
                matches!(
                    s,
                    Sense::Reference
                        | Sense::Direction { .. }
                        | Sense::Choice(_)
                        | Sense::Value
                        | Sense::Scene(_)
                        | Sense::Number(_)
                )
            })
    })
}
