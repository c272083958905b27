//! Clauses that say how something is, or what becomes of it, in words that could tell to do it.

use super::super::super::lexicon::{Lexicon, Sense};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{is_thing, property};

/// Whether a clause says what becomes of something, or wonders how it is.
pub(super) fn says_how_it_is(clause: &[Token], lexicon: &Lexicon) -> bool {
    is_not_so(clause, lexicon) || makes_it_so(clause, lexicon) || even_so(clause, lexicon)
}

/// `灯亮了`: how a thing is now, in a word that nobody commands with, and nothing else.
pub(super) fn tells_that_it_is(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let state = |t: &Token| {
        let is = t.any(|s| matches!(s, Sense::State(_))) && !t.any(|s| matches!(s, Sense::Verb(_)));
        is && t.any(|s| matches!(s, Sense::Direction { .. })) && !t.is_entity()
    };
    // 空调不制冷, 空调制冷不行; 空调制冷还是制热 asks.
    let value = |t: &Token| t.any(|s| matches!(s, Sense::Choice(_))) && !t.any(|s| matches!(s, Sense::Verb(_)));
    let not = |t: &Token| t.text == vocabulary.lexicon.marks.denies;
    let fine = |t: &Token| vocabulary.lexicon.asides.fine.contains(&t.text);
    match tokens {
        [.., thing, is, over] if is_thing(thing) && state(is) => {
            over.text == vocabulary.lexicon.marks.changed && tokens.len() <= 4
        }
        [.., thing, no, what] if is_thing(thing) && not(no) => value(what) && tokens.len() <= 4,
        [.., thing, what, no, good] if is_thing(thing) && value(what) && not(no) => fine(good),
        [.., thing, one, or, other] if is_thing(thing) && or.has(&Sense::Alternative) => value(one) && value(other),
        _ => false,
    }
}

/// Whether a clause says how something is, in words that could tell to do it.
pub(in super::super) fn tells_how_it_is(clause: &[Token], lexicon: &Lexicon) -> bool {
    says_what_follows(clause)
        || goes_on(clause, lexicon)
        || is_at_work(clause, lexicon)
        || is_over(clause, lexicon)
        || is_so(clause, lexicon)
}

/// `床头灯白一点我也看不进去书`: what is not so for all that.
fn even_so(clause: &[Token], lexicon: &Lexicon) -> bool {
    let more = |t: &Token| t.any(|s| matches!(s, Sense::Direction { .. } | Sense::Degree { .. })) && !t.is_entity();
    let told = clause.iter().any(|t| t.has(&Sense::Disposal) && !t.is_entity());
    let denied = |t: &Token| t.has(&Sense::Not) || t.is_residue() && t.text.contains(&lexicon.marks.denies);
    let not = |rest: &[Token]| rest.iter().any(denied) && !rest.iter().any(is_thing);
    let also = |w: &[Token]| w[0].has(&Sense::Speaker) && w[1].has(&Sense::Also);
    !told
        && (1..clause.len().saturating_sub(2)).any(|at| {
            also(&clause[at..])
                && clause[..at].iter().any(more)
                && clause[..at].iter().any(is_thing)
                && not(&clause[at + 2..])
        })
}

/// `电扇风不大吧`: whether it is so is wondered about.
fn is_not_so(clause: &[Token], lexicon: &Lexicon) -> bool {
    let [.., thing, not, how, tag] = clause else { return false };
    let measured = how.any(|s| matches!(s, Sense::Degree { .. } | Sense::Direction { .. })) && !how.is_entity();
    let of = is_thing(thing) || property(thing).is_some();
    of && measured && not.text == lexicon.marks.denies && tag.text == lexicon.marks.tag
}

/// `调奶壶关了水就凉了`: what becomes of something else by it.
fn makes_it_so(clause: &[Token], lexicon: &Lexicon) -> bool {
    let done = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && t.text.ends_with(&lexicon.marks.changed);
    let becomes = |rest: &[Token]| {
        let [what, then, how, over] = rest else { return false };
        let named = !what.any(|s| matches!(s, Sense::Speaker | Sense::Person | Sense::Verb(_)));
        let so = how.is_residue() || how.any(|s| matches!(s, Sense::Direction { .. } | Sense::Degree { .. }));
        named && then.has(&Sense::Then) && so && over.text == lexicon.marks.changed
    };
    let told = clause.iter().any(|t| t.has(&Sense::Disposal) && !t.is_entity());
    !told && (1..clause.len()).any(|at| done(&clause[at]) && !clause[at].is_entity() && becomes(&clause[at + 1..]))
}

/// `浴霸换气打开过了`, `刚给猫添过粮了`: it was done before.
fn is_over(clause: &[Token], lexicon: &Lexicon) -> bool {
    let before = |t: &Token| lexicon.marks.done.contains(&t.text) && t.text != lexicon.marks.changed;
    let does = |t: &Token| (t.any(Sense::is_action) || t.is_residue()) && !t.is_entity();
    let asks = clause.iter().any(|t| t.any(|s| matches!(s, Sense::Question(_) | Sense::Negation | Sense::Not)));
    let changed = |t: &Token| t.text == lexicon.marks.changed;
    !asks && clause.windows(3).any(|three| does(&three[0]) && before(&three[1]) && changed(&three[2]))
}

/// `灯也关了的`: it is so already.
fn is_so(clause: &[Token], lexicon: &Lexicon) -> bool {
    let [told @ .., verb, of] = clause else { return false };
    let changed = verb.text.ends_with(&lexicon.marks.changed);
    let does = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity();
    let done = changed && (does(verb) || told.last().is_some_and(does));
    done && of.text == lexicon.marks.of && !told.iter().any(|t| t.has(&Sense::Disposal))
}

/// `汤煲保温着呢`: a feature is at work.
fn goes_on(clause: &[Token], lexicon: &Lexicon) -> bool {
    let going = |t: &Token| t.text == lexicon.marks.going && t.has(&Sense::Particle);
    // 窗帘拉着呢, 窗帘还拉着
    let does = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && t.text.ends_with(&lexicon.marks.going);
    let stays = match clause {
        [.., verb, last] if does(verb) => {
            last.has(&Sense::Particle) && last.text != lexicon.marks.tag && last.text != lexicon.marks.changed
        }
        [.., still, verb] => does(verb) && still.has(&Sense::And) && still.has(&Sense::Filler),
        _ => false,
    };
    if stays {
        return true;
    }
    clause.windows(3).any(|three| {
        property(&three[0]).is_some() && !three[0].is_entity() && going(&three[1]) && three[2].has(&Sense::Particle)
    })
}

/// `洗碗机在洗碗呢`, `洗衣机洗着呢`: what it is doing.
fn is_at_work(clause: &[Token], lexicon: &Lexicon) -> bool {
    let own = |t: &Token| !t.is_entity();
    let works = |t: &Token| {
        t.any(|s| matches!(s, Sense::Verb(verb) if lexicon.verbs[*verb].opposite.is_none() || lexicon.verbs[*verb].id == "start")) && own(t)
    };
    let ends = |rest: &[Token]| match rest {
        [] => true,
        [last, ..] => {
            last.has(&Sense::Particle) && last.text != lexicon.marks.tag && last.text != lexicon.marks.changed
        }
    };
    let asks = clause.iter().any(|t| own(t) && t.any(|s| matches!(s, Sense::Question(_) | Sense::Not)));
    let thing = |before: &[Token]| before.iter().any(is_thing);
    !asks
        && (1..clause.len()).any(|at| {
            let here = clause[at - 1].text == lexicon.marks.at_work && own(&clause[at - 1]);
            let going = clause.get(at + 1).is_some_and(|t| t.text == lexicon.marks.going);
            let after = &clause[at + 1 + usize::from(going)..];
            works(&clause[at])
                && (here && thing(&clause[..at - 1]) && ends(after)
                    || going && is_thing(&clause[at - 1]) && !after.is_empty() && ends(after))
        })
}

/// `震尘一开跟打雷一样`, `空调一开我就冷`: what comes of it whenever it is done.
fn says_what_follows(clause: &[Token]) -> bool {
    let once = |t: &Token| t.any(|s| matches!(s, Sense::Number(n) if n.value == 1.0)) && !t.is_entity();
    let does = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity();
    let goes_on = |rest: &[Token]| rest.iter().any(|t| !t.any(|s| matches!(s, Sense::Particle | Sense::Little)));
    let thing = |t: &Token| is_thing(t) || property(t).is_some();
    let begins = |at: usize| thing(&clause[at]) && once(&clause[at + 1]) && does(&clause[at + 2]);
    let told = clause.iter().any(|t| t.has(&Sense::Disposal) && !t.is_entity());
    !told && (0..clause.len().saturating_sub(3)).any(|at| begins(at) && goes_on(&clause[at + 3..]))
}
