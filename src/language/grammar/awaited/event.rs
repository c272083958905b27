//! What has to come about first, and is said before what is told then: `奶奶睡了再关电视`, `等洗衣机停了再扫地`, `温度降到26度再关空调`.

use super::super::super::lexicon::{Lexicon, Sense};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;

/// Words between a number and what is told then: its unit and 以下.
const NEAR: usize = 4;

/// Characters of what is no event yet (`来了` of anybody).
const SHORT: usize = 2;

/// Whether a clause tells what shall be done when something has come about.
pub(super) fn comes_first(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    is_soon(clause, lexicon)
        || is_through(clause, lexicon)
        || waits(clause, lexicon) && acts(clause)
        || then_again(clause, lexicon)
        || when_through(clause, lexicon)
        || is_reached(clause, lexicon)
}

/// `等客人来了`, `一会儿孩子睡了`: what follows behind a pause is for then. `等会儿就要出门了` is a reason, `等半天了` has been.
pub fn has_to_come(clause: &[Token], lexicon: &Lexicon) -> bool {
    let marks = &lexicon.marks;
    let text: String = clause.iter().map(|t| t.text.as_str()).collect();
    let waits = marks.waits.iter().find_map(|word| text.strip_prefix(word.as_str()));
    let soon = || clause.first().filter(|t| t.has(&Sense::Future)).and_then(|t| text.strip_prefix(t.text.as_str()));
    let Some(event) = waits.or_else(soon) else { return false };
    let again = marks.waits.iter().any(|word| event.starts_with(word.as_str()));
    let lasted = marks.lasted.iter().any(|word| event.contains(word.as_str()));
    let impends = marks.impends.iter().any(|word| event.contains(word.as_str()));
    event.ends_with(&marks.changed)
        && event.chars().count() > SHORT
        && !event.starts_with(&marks.changed)
        && !lasted
        && !again
        && !impends
}

fn acts(rest: &[Token]) -> bool {
    rest.iter().any(|t| t.any(Sense::is_action) && !t.is_entity())
}

/// `等下关电视`, `空调等下关`
fn is_soon(clause: &[Token], lexicon: &Lexicon) -> bool {
    clause.windows(2).any(|pair| lexicon.marks.soon.contains(&pair[0].text) && acts(&pair[1..]))
}

/// `洗完衫你就叫旺财开工`: when somebody is through with something else.
fn is_through(clause: &[Token], lexicon: &Lexicon) -> bool {
    let Some((first, rest)) = clause.split_first() else { return false };
    let through = first.has(&Sense::Finished) && lexicon.marks.over.iter().any(|over| first.text.ends_with(over));
    let of = rest.iter().take_while(|t| t.is_residue()).count();
    let you = rest.get(of).is_some_and(|t| lexicon.addressees.contains(&t.text));
    let rest = &rest[of + usize::from(you)..];
    through && of > 0 && rest.first().is_some_and(|t| t.has(&Sense::Then)) && acts(&rest[1..])
}

/// `写完作业把台灯关了`, `你看完了把电视关了`: told to whoever is at something. `看完了，把电视关了` is over.
fn when_through(clause: &[Token], lexicon: &Lexicon) -> bool {
    let over = |t: &Token| {
        let ends = lexicon.marks.over.iter().any(|over| t.text.find(over.as_str()).is_some_and(|at| at > 0));
        ends && !t.is_entity() && (t.is_residue() || t.any(|s| matches!(s, Sense::Finished | Sense::Reason)))
    };
    let Some(at) = clause.iter().position(over) else { return false };
    let you = clause[..at].iter().any(|t| lexicon.addressees.contains(&t.text));
    let mine = clause[..at].iter().any(|t| t.has(&Sense::Speaker));
    let changed = &lexicon.marks.changed;
    let done = clause[at].text.ends_with(changed.as_str()) || clause.get(at + 1).is_some_and(|t| t.text == *changed);
    let told = clause[at + 1..].iter().position(|t| t.has(&Sense::Disposal) && !t.is_entity());
    !mine && (you || !done) && told.is_some_and(|told| acts(&clause[at + 1 + told..]))
}

/// `等洗衣机停了再扫地`, `等电影结束`: whatever else is told, it waits.
fn waits(clause: &[Token], lexicon: &Lexicon) -> bool {
    let Some((first, rest)) = clause.split_first() else { return false };
    let begins = |mark: &String| first.text.starts_with(mark.as_str()) && first.is_residue();
    let long = first.text.chars().count() > 1;
    // 等打开 is heard as 灯打开.
    let misheard = |s: &Sense| {
        let told = matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Each | Sense::All);
        told || matches!(s, Sense::Direction { .. } | Sense::Number(_) | Sense::Degree { .. })
    };
    lexicon.marks.waits.iter().any(begins) && (long || rest.first().is_some_and(|t| !t.any(misheard)))
}

/// `奶奶睡了再关电视`, `天黑了你再把灯打开`: behind what has to be so. 太暗了再开个灯 says why.
fn then_again(clause: &[Token], lexicon: &Lexicon) -> bool {
    let again = |t: &Token| t.has(&Sense::Sequence) && lexicon.marks.again.contains(&t.text) && !t.is_entity();
    let Some(at) = clause.iter().position(again) else { return false };
    let (before, after) = (&clause[..at], &clause[at + 1..]);
    let small = |t: &Token| {
        let somebody = lexicon.addressees.contains(&t.text) || lexicon.pronouns.contains(&t.text);
        somebody || t.any(|s| matches!(s, Sense::Filler | Sense::Speaker)) && !t.has(&Sense::Reason)
    };
    let end = before.iter().rposition(|t| !small(t)).map_or(0, |last| last + 1);
    let before = &before[..end];
    let says: String = before.iter().map(|t| t.text.as_str()).collect();
    let over = |t: &Token| lexicon.marks.over.iter().any(|over| t.text.contains(over.as_str())) && !t.is_entity();
    let came = [&lexicon.marks.changed, &lexicon.marks.going].iter().any(|mark| says.ends_with(mark.as_str()));
    let judged = lexicon.asides.judges.iter().any(|word| says.contains(word.as_str()));
    // 关了电视再关灯 are two orders.
    let told = |s: &Sense| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Step { .. });
    let more = |s: &Sense| matches!(s, Sense::Step { .. } | Sense::Direction { .. } | Sense::Degree { .. });
    (came || before.iter().any(over))
        && !judged
        && !before.first().is_some_and(|t| t.has(&Sense::Sequence))
        && !before.iter().any(|t| t.any(told) && !t.is_entity())
        && !after.first().is_some_and(|t| t.any(more))
        && acts(after)
}

/// `温度降到26度再关空调`, `冷到26度就关`: what is measured has to come to that.
fn is_reached(clause: &[Token], lexicon: &Lexicon) -> bool {
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    let then = |t: &Token| (t.has(&Sense::Then) || lexicon.marks.again.contains(&t.text)) && !t.is_entity();
    let reached = |at: &usize| {
        let before: String = clause[..*at].iter().map(|t| t.text.as_str()).collect();
        number(&clause[*at]) && lexicon.asides.reaches.iter().any(|word| before.ends_with(word.as_str()))
    };
    let Some(at) = (0..clause.len()).find(reached) else { return false };
    let rest = &clause[at + 1..];
    // 茶吧机烧到九十五度再把保温关了 are two orders.
    let named = clause[..at].iter().any(Token::is_entity) && !rest.iter().any(|t| t.has(&Sense::Then));
    let soon = rest.iter().take(NEAR).any(then) && !named;
    soon && rest.iter().position(then).is_some_and(|then| acts(&rest[then..]))
}
