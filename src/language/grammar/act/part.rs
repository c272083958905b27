//! What a part of a sentence does: whether it comments, reports, wishes, asks or tells.

use super::super::guard;
use super::*;

/// Whether a part ends as statements do, tells nothing and names nothing of the home.
pub(in super::super) fn is_idle_statement(part: &[Token], vocabulary: &Vocabulary) -> bool {
    closes(part, &vocabulary.lexicon.marks) && !tells(part) && !names_something(part) && !asks(part)
}

/// Whether a part says how things are or why, and tells nothing.
pub(in super::super) fn is_comment(part: &[Token], vocabulary: &Vocabulary) -> bool {
    let content = guard::trim(part);
    if part.iter().all(|t| vocabulary.lexicon.interjections.contains(&t.text) || t.has(&Sense::Punctuation)) {
        return true;
    }
    let strange = content.iter().any(Token::is_residue);
    let home = content.iter().any(is_named);
    let free = |at: usize| denies(part, at) || (strange && !home && is_idle(part, at));
    let text: String = part.iter().map(|t| t.text.as_str()).collect();
    if vocabulary.lexicon.asides.says_when(&text) {
        return false;
    }
    // 院灯留着你爸还没回来: what stays as it is, of a thing or a place of this home.
    let ours = home || part.iter().any(|t| place(t).is_some() || t.has(&Sense::Reference));
    // 按不动了: what cannot be done.
    let cannot = |at: usize| at > 0 && part[at - 1].is_residue();
    let stays = |at: usize, t: &Token| ours && t.has(&Sense::ExceptAfter) && !t.is_entity() && !cannot(at);
    let bound = || part.iter().enumerate().any(|(at, t)| (binds(t, vocabulary) || stays(at, t)) && !free(at));
    if content.is_empty() || tells(part) || bound() {
        return false;
    }
    let explains = content.iter().any(|t| {
        t.any(|s| matches!(s, Sense::Reason | Sense::Past | Sense::Suppose | Sense::Report | Sense::Finished))
            || vocabulary.lexicon.complement.contains(&t.text)
    });
    let somebody = |t: &Token| is_pronoun(t, vocabulary) || t.has(&Sense::Person);
    let pronoun = part.first().is_some_and(somebody);
    let marks = &vocabulary.lexicon.marks;
    let day = content.iter().any(|t| vocabulary.lexicon.day.contains(&t.text));
    let changed = part.iter().any(|t| t.text == marks.changed);
    match (strange || explains, home) {
        (false, home) => day && changed || (!home && content.iter().any(somebody) && (content.len() > 1 || changed)),
        // A strange word beside something of the home may be what is meant, unless the sentence ends as statements do.
        (true, true) => explains && !strange || closes(part, marks) || pronoun,
        (true, false) => content.iter().map(|t| t.text.chars().count()).sum::<usize>() > 1,
    }
}

/// `有人说冷`, `我怎么这么热` after a command: what is told or wondered of nothing of the home silences itself alone.
pub(super) fn reports(part: &[Token]) -> bool {
    let told = |t: &Token| t.any(|s| matches!(s, Sense::Report | Sense::Suppose | Sense::Past));
    let binds = |t: &Token| {
        t.any(|s| {
            matches!(
                s,
                Sense::If
                    | Sense::Unless
                    | Sense::Else
                    | Sense::ExceptOpen
                    | Sense::Negation
                    | Sense::Correction
                    | Sense::Future
            )
        })
    };
    let named = part.iter().any(|t| {
        (is_named(t) && !t.has(&Sense::Everything))
            || place(t).is_some()
            || t.any(|s| matches!(s, Sense::Reference | Sense::Scene(_)))
    });
    // 地已经扫干净了
    let done = part.iter().any(|t| t.has(&Sense::Already));
    (done || part.iter().any(told) && !tells(part)) && !named && !part.iter().any(binds)
}

/// `疼`, `丑`: one strange character between pauses.
pub(super) fn is_sigh(part: &[Token]) -> bool {
    matches!(guard::trim(part), [only] if only.is_residue() && only.text.chars().count() == 1)
}

/// What binds nothing in a part that is strange: for whom it is done (`让鱼也歇歇`), how much of something there is
/// (`买了好多肉`), what is still so (`脚底还是冰的`).
pub(super) fn is_idle(part: &[Token], at: usize) -> bool {
    let token = &part[at];
    token.has(&Sense::Disposal)
        || (token.has(&Sense::Lots) && token.any(|s| matches!(s, Sense::Question(_))))
        || (at > 0 && token.has(&Sense::Alternative) && !part[at - 1].has(&Sense::Punctuation))
}

/// `小冰箱速冷`: a thing and at the end a feature of it.
pub(super) fn wishes(part: &[Token], vocabulary: &Vocabulary) -> bool {
    let flag = |t: &Token| {
        let own = |p: usize| vocabulary.lexicon.properties[p].flag && vocabulary.lexicon.properties[p].own;
        t.any(|s| matches!(s, Sense::Property(p) | Sense::Feature(p) if own(*p))) && !t.is_entity()
    };
    let last =
        part.iter().rev().find(|t| !t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle | Sense::Filler)));
    part.iter().any(Token::is_entity) && last.is_some_and(flag)
}

/// Whether something is asked: a question word that is no more than that.
pub(super) fn asks(part: &[Token]) -> bool {
    let open = |t: &Token| t.any(|s| matches!(s, Sense::Question(q) if *q != Question::YesNo)) && !t.has(&Sense::Lots);
    let last = part.iter().rev().find(|t| !t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
    is_about_something(part)
        && (part.iter().any(open)
            || last.is_some_and(|t| t.has(&Sense::Question(Question::YesNo)) && !t.has(&Sense::Correction)))
}

/// A direction that says how much by itself: `大声点`.
pub(super) fn is_graded(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Direction { .. })) && token.text.chars().count() > 2
}

/// `别让狗跑出去`, `甭那么大动静` after a command: what shall not happen because of it, and nothing of the home.
pub(super) fn warns(part: &[Token], vocabulary: &Vocabulary) -> bool {
    let negates = part.iter().any(|t| t.has(&Sense::Negation));
    let strange: usize = part.iter().filter(|t| t.is_residue()).map(|t| t.text.chars().count()).sum();
    // 别对着人吹
    let somebody = |t: &Token| is_somebody(t, vocabulary);
    let ours = |t: &Token| is_named(t) || place(t).is_some() || t.has(&Sense::Reference) || t.has(&Sense::Each);
    let home = part.iter().any(|t| ours(t) && !somebody(t));
    // 别冻着
    let explains = part.iter().any(|t| t.has(&Sense::Reason));
    // 别把我车放锈了: what comes of it.
    let results = |at: usize| {
        part[at].senses.iter().all(|s| matches!(s, Sense::SetBare | Sense::Make))
            && part.get(at + 1).is_some_and(Token::is_residue)
    };
    let acting = (0..part.len()).any(|at| acts(&part[at]) && !results(at));
    negates && (strange >= 1 || explains) && part.len() > 2 && !home && !acting
}

/// `耳朵又不好`: a denial within a statement, of something that is no action and no thing of the home.
pub(super) fn denies(part: &[Token], at: usize) -> bool {
    let next = part.get(at + 1);
    // 受不了: what cannot be borne.
    let cannot = at > 0 && part[at - 1].is_residue() && next.is_some_and(|t| t.has(&Sense::Particle));
    part[at].has(&Sense::Not) && cannot
        || part[at].has(&Sense::Not)
            && next.is_some_and(|t| {
                // 调到27，不，26 takes back; 水不热 tells.
                let instead = |s: &Sense| matches!(s, Sense::Number(_) | Sense::Choice(_) | Sense::Value | Sense::Is);
                !acts(t)
                    && !is_named(t)
                    && !t.any(|s| matches!(s, Sense::State(_) | Sense::Punctuation | Sense::Particle))
                    && !(part[at].has(&Sense::Correction) && (place(t).is_some() || t.any(instead)))
                    // 长不长 asks.
                    && !(at > 0 && t.text.starts_with(part[at - 1].text.as_str()))
            })
}

/// What binds other parts, or means that somebody else speaks.
pub(super) fn binds(token: &Token, vocabulary: &Vocabulary) -> bool {
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

pub(super) fn acts(token: &Token) -> bool {
    token.any(Sense::is_action)
}

/// Whether something is told to be done.
pub(in super::super) fn tells(part: &[Token]) -> bool {
    let last = part.iter().rposition(|t| !t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
    let graded =
        || part.iter().any(|t| is_named(t) || t.any(|s| matches!(s, Sense::Direction { .. } | Sense::Degree { .. })));
    // 我换衣服呢: whoever speaks does something to what is nothing of the home.
    let first = part.iter().find(|t| !t.has(&Sense::Punctuation));
    let told_of =
        first.is_some_and(|t| t.has(&Sense::Speaker)) && part.iter().any(Token::is_residue) && !names_something(part);
    if told_of {
        return false;
    }
    part.iter().enumerate().any(|(at, t)| {
        // 手冲用: nothing follows that it could be set to.
        let idle = t.any(|s| matches!(s, Sense::Set { .. })) && Some(at) == last && at > 0 && part[at - 1].is_residue();
        let acts = acts(t) && !idle && !t.any(|s| matches!(s, Sense::Reason));
        let value = t.any(|s| matches!(s, Sense::Extreme(_) | Sense::Scene(_) | Sense::Fraction(_)));
        let much = t.any(|s| matches!(s, Sense::Little | Sense::Lots)) && graded();
        acts || value || much || is_graded(t)
    }) || part
        .windows(2)
        .any(|pair| pair[0].any(|s| matches!(s, Sense::Number(_))) && pair[1].any(|s| matches!(s, Sense::Unit(_))))
}

pub(super) fn is_named(token: &Token) -> bool {
    is_thing(token)
        || nominal::property(token).is_some()
        || token.any(|s| matches!(s, Sense::Feature(_) | Sense::Everything))
}

/// `档`, the unit of a value, is no property of its own.
pub(super) fn is_unit(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Unit(Unit::Gear))) && !token.is_entity()
}

/// Whether a part names a thing or a place.
pub(in super::super) fn names_something(part: &[Token]) -> bool {
    part.iter().any(|t| is_named(t) || place(t).is_some() || t.any(|s| matches!(s, Sense::Reference | Sense::Scene(_))))
}

/// Whether a part names what it is about.
pub(super) fn is_about_something(part: &[Token]) -> bool {
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
