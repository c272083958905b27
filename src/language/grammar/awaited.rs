//! What is to happen when something has come about, and no word makes a condition of it: `睡着了就把灯关了`, `烧到五十度就关`, `电视看完关了`.
//! Nobody here knows when that is, so nothing is done at once. And what is only half of a thing, or only asked for.

mod event;

pub use event::has_to_come;

use super::super::lexicon::{Comparison, Sense, Unit};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{is_somebody, is_thing, place, property};
use super::{Parse, Rejection, addressee, aside, order, unsure};

/// Why a sentence waits for something, or asks whether.
pub(super) fn awaits(tokens: &[Token], vocabulary: &Vocabulary) -> Option<Parse> {
    if only_half(tokens, vocabulary) {
        return Some(Parse::Orders(vec![order::unclear(&[tokens.iter().map(|t| t.text.as_str()).collect()])]));
    }
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    // 到二十八度没有，到了就关: of what was asked.
    if tokens.iter().any(|t| t.any(|s| matches!(s, Sense::Question(_))) && !t.is_entity()) {
        return None;
    }
    let clauses: Vec<&[Token]> = tokens.split(pause).filter(|clause| !clause.is_empty()).collect();
    // 等客人来了，把灯打开
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let comes = |pair: &[&[Token]]| has_to_come(pair[0], &vocabulary.lexicon) && pair[1].iter().any(acts);
    if clauses.windows(2).any(comes) {
        return Some(Parse::Rejected(Rejection::Later));
    }
    clauses.into_iter().find_map(|clause| {
        let later =
            is_over(clause, vocabulary) || soon_ends(clause, vocabulary) || event::comes_first(clause, vocabulary);
        let later = later.then_some(Parse::Rejected(Rejection::Later));
        let standing = || when_become(clause, vocabulary) || when_reached(clause, vocabulary);
        let asks = || whether(clause, vocabulary).then_some(Parse::Rejected(Rejection::Talk));
        later.or_else(|| standing().then_some(Parse::Rejected(Rejection::Standing))).or_else(asks)
    })
}

/// Whether words tell nothing to be done at once: it waits for something else, or is only found of something.
pub fn only_speaks_of(words: &[Token], vocabulary: &Vocabulary) -> bool {
    let waits = || matches!(awaits(words, vocabulary), Some(Parse::Rejected(Rejection::Later | Rejection::Standing)));
    let beside = || unsure::beside_the_unknown(words).is_some();
    waits() || beside() || addressee::is_told_elsewhere(words, vocabulary) || aside::only_remarks(words, vocabulary)
}

/// `窗帘开到一半就停`: what goes to a place stops there by itself.
pub(super) fn without_stop(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let share = |t: &Token| t.any(|s| matches!(s, Sense::Fraction(_)));
    let stops = |t: &Token| verb(t, vocabulary).is_some_and(|id| ["stop", "halt"].contains(&id));
    let at = (1..tokens.len().saturating_sub(1))
        .find(|at| share(&tokens[at - 1]) && tokens[*at].has(&Sense::Then) && stops(&tokens[at + 1]));
    if let Some(at) = at {
        tokens.drain(at..at + 2);
    }
    tokens
}

/// `睡着了就把灯关了`: what comes about has nothing to do with the home, and 太 says that it has.
fn when_become(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let Some(then) = clause.iter().position(|t| t.has(&Sense::Then) && !t.is_entity()) else { return false };
    let (before, after) = clause.split_at(then);
    let came = before.last().is_some_and(|t| t.text.ends_with(&lexicon.marks.changed) && !t.is_entity());
    let ours = |t: &Token| is_thing(t) && !is_somebody(t, vocabulary) || place(t).is_some() || property(t).is_some();
    let says = |t: &Token| t.any(|s| matches!(s, Sense::Reason));
    // 太热了就开空调
    let too = |t: &Token| {
        let end = t.text.char_indices().nth(1).map_or(t.text.len(), |(end, _)| end);
        let (much, how) = t.text.split_at(end);
        let degree = |s: &Sense| matches!(s, Sense::Direction { .. } | Sense::Degree { .. });
        let led = how.is_empty() || vocabulary.senses(how).iter().any(degree);
        says(t) && led && vocabulary.senses(much).contains(&Sense::Reason)
    };
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    // 声音大了就关掉
    let degree = |t: &Token| t.any(|s| matches!(s, Sense::Degree { .. })) && !t.is_entity();
    let measured = matches!(before, [.., of, how, _] if property(of).is_some() && degree(how));
    if came && measured && after.iter().any(acts) {
        return true;
    }
    came && before.iter().any(says) && !before.iter().any(|t| ours(t) || too(t) || acts(t)) && after.iter().any(acts)
}

/// `热水器烧到五十度就关`: it ends when that is reached.
fn when_reached(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let end = clause.iter().rposition(|t| !t.has(&Sense::Particle)).map_or(0, |last| last + 1);
    let [before @ .., then, last] = &clause[..end] else { return false };
    let ends = verb(last, vocabulary).is_some_and(|id| ["off", "stop", "halt", "pause"].contains(&id));
    let counts = |t: &Token| t.any(|s| matches!(s, Sense::Number(_)));
    let unit = |t: &Token| t.any(|s| matches!(s, Sense::Unit(unit) if *unit != Unit::Gear));
    let number = match before {
        [.., set, number, of] => sets(set) && counts(number) && unit(of),
        _ => false,
    };
    let bare = matches!(before, [.., set, number] if sets(set) && counts(number));
    // 空调到24度就关: of what is set to so much, and not of how warm a room is.
    let comes_to = |t: &Token| t.has(&Sense::Link) && t.has(&Sense::Compare(Comparison::AtLeast)) && !t.is_entity();
    let aims = |t: &Token| {
        let kinds = vocabulary.lexicon.property("temperature").map(|p| &vocabulary.lexicon.properties[p].kinds);
        super::nominal::kind(t).is_some_and(|kind| kinds.is_some_and(|kinds| kinds.contains(&kind)))
    };
    let reached = match before {
        [of @ .., to, number, unit_of] if comes_to(to) && counts(number) && unit(unit_of) => {
            of.iter().all(|t| aims(t) || t.has(&Sense::Filler)) && !of.iter().any(|t| t.has(&Sense::If))
        }
        _ => false,
    };
    ends && then.has(&Sense::Then) && (number || bare || reached)
}

fn sets(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Set { .. }))
}

/// `电视看完关了`: when somebody is through with it.
fn is_over(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let (over, changed) = (&vocabulary.lexicon.marks.over, &vocabulary.lexicon.marks.changed);
    let ends = |t: &Token| {
        // 洗完澡
        let through = |word: &str| t.text.find(word).is_some_and(|at| at > 0) && !t.text.ends_with(changed.as_str());
        let said = over.iter().any(|word| t.text.ends_with(word.as_str()) && t.text != *word || through(word));
        said && !t.is_entity() && !t.has(&Sense::Finished)
    };
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Then | Sense::Sequence)) && !t.is_entity();
    let Some(at) = clause.iter().position(ends) else { return false };
    let skipped = clause[at + 1..].iter().take_while(|t| small(t)).count();
    let rest = &clause[at + 1 + skipped..];
    let switches = rest.first().and_then(|t| verb(t, vocabulary)).is_some_and(|id| ["on", "off"].contains(&id));
    let told = at > 0 && clause[..at].iter().any(is_thing);
    told && switches && rest[1..].iter().all(|t| t.has(&Sense::Particle)) || at == 0 && is_behind(clause, vocabulary)
}

/// `加湿器开一会儿就关`: what begins does not end at once.
fn soon_ends(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let does = |t: &Token, id: &str| verb(t, vocabulary).is_some_and(|of| of == id);
    let Some(then) = clause.iter().position(|t| t.has(&Sense::Then) && !t.is_entity()) else { return false };
    let (before, after) = clause.split_at(then);
    let small = |t: &&Token| t.has(&Sense::Filler) && !t.is_entity();
    let begins = before.iter().rev().find(|t| !small(t)).is_some_and(|t| does(t, "on"));
    let ends = after.get(1).is_some_and(|t| does(t, "off"));
    begins && ends && after[2..].iter().all(|t| t.has(&Sense::Particle))
}

/// `看完电视关灯`: nobody says that it is over.
fn is_behind(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let switches = |t: &Token| verb(t, vocabulary).is_some_and(|id| ["on", "off"].contains(&id));
    let rest = &clause[1..];
    let of = usize::from(rest.first().is_some_and(|t| is_thing(t) || t.is_residue()));
    let [does, told, ..] = &rest[of..] else { return false };
    switches(does) && is_thing(told)
}

/// `灯关不关`: whoever asks whether has told nothing.
fn whether(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let not = &vocabulary.lexicon.marks.denies;
    let end = clause.iter().rposition(|t| !t.has(&Sense::Particle)).map_or(0, |last| last + 1);
    let [.., does, or_not] = &clause[..end] else { return false };
    verb(does, vocabulary).is_some() && or_not.text.strip_prefix(not.as_str()) == Some(does.text.as_str())
}

/// Whether words leave open which of two is meant: `客厅灯或者卧室灯关了`.
pub fn leaves_open(words: &[Token]) -> bool {
    words.iter().any(|t| t.has(&Sense::Or) && !t.is_entity())
}

/// `一半的灯关了`: of which of them nobody said.
fn only_half(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let half = |w: &[Token]| {
        let share = w[0].any(|s| matches!(s, Sense::Fraction(_))) && w[1].has(&Sense::Of);
        share && is_thing(&w[2]) && verb(&w[3], vocabulary).is_some_and(|id| ["on", "off"].contains(&id))
    };
    // 客厅灯或者卧室灯关了
    let either = |w: &[Token]| w[0].has(&Sense::Or) && !w[0].is_entity() && w[1..].iter().any(is_thing);
    let acts = |t: &Token| verb(t, vocabulary).is_some();
    let one_of = (1..tokens.len().saturating_sub(2)).any(|at| is_thing(&tokens[at - 1]) && either(&tokens[at..]));
    tokens.windows(4).any(half) || one_of && !tokens.iter().any(|t| t.has(&Sense::If)) && tokens.iter().any(acts)
}

/// The id of the verb that a word is.
fn verb<'a>(token: &Token, vocabulary: &'a Vocabulary) -> Option<&'a str> {
    let verbs = &vocabulary.lexicon.verbs;
    let found =
        token.senses.iter().find_map(|s| if let Sense::Verb(verb) = s { Some(verbs[*verb].id.as_str()) } else { None });
    found.filter(|_| !token.is_entity())
}
