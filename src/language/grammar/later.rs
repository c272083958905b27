//! Commands with a time: the times are cut out, and what is left reads as ordinary commands.
//!
//! Whatever of such a sentence is not understood, all of it is refused: nothing that was said of a time is done at once.

mod about;
mod amended;
mod ask;
mod due;
mod hour;
mod length;
mod parts;
mod timed;
mod told;

pub(super) use about::about_jobs;
pub use ask::{Doing, JobAsk, SpokenOf, Which};
pub(super) use due::when_due;
use hour::of_its_own;
pub(super) use hour::without_the_hour;
use length::length;
use parts::{Part, is_blank, parts};
use timed::{Timed, is_action, is_reminder, pause};
pub use told::{about_told_jobs, has_time};

use super::super::action::Action;
use super::super::lexicon::Sense;
use super::super::order::{Order, Scope, Target};
use super::super::segment::{self, Token};
use super::super::time::{self, Day, Moment, Piece, Span, Start, When};
use super::super::vocabulary::Vocabulary;
use super::word::is_own_name;
use super::{Parse, Rejection, SpeakerContext, act, guard, trace};

/// Stands for a character of a name.
const OPAQUE: char = '\u{fffc}';

/// Times that one sentence may name.
const MAX_TIMES: usize = 8;

/// The times of a sentence, and of its words as it is written; `None` when it names none.
pub(super) fn times(written: &str, tokens: &[Token], vocabulary: &Vocabulary) -> Option<Timed> {
    let chars: Vec<char> = written.chars().take(segment::MAX_CHARS).collect();
    let mut owner = Vec::with_capacity(chars.len());
    for (at, token) in tokens.iter().enumerate() {
        owner.extend(token.text.chars().map(|_| at));
    }
    let token = |at: usize| owner.get(at).and_then(|at| tokens.get(*at));
    let greets = |t: &Token| vocabulary.lexicon.marks.greets.contains(&t.text);
    let own = |at: usize| owner.get(at).is_some_and(|at| is_own_name(tokens, *at, vocabulary));
    let taken = |at: usize| token(at).is_some_and(|t| is_taken(t) || greets(t)) || own(at);
    let mut spans = time::read(&chars, taken, &vocabulary.lexicon.time);
    let supported = guard::later(tokens);
    spans.retain(|span| {
        let before = span.start.checked_sub(1).and_then(token);
        let adds = |t: &Token| {
            t.any(|s| {
                matches!(s, Sense::Direction { .. } | Sense::Degree { .. } | Sense::Step { .. } | Sense::Property(_))
            })
        };
        // 明天还得考试呢 beside a command: a statement of its own, and nothing of the home.
        let states = || {
            let (before, after) = (pause(&chars[..span.start], true), pause(&chars[span.end..], false));
            let own = before.len() + (span.end - span.start) + after.len() < chars.len();
            let rest: Vec<Token> = segment::plain(&after.iter().collect::<String>(), vocabulary);
            let strange = rest.iter().any(Token::is_residue);
            own && before.is_empty() && strange && act::is_idle_statement(&rest, vocabulary)
        };
        let comment = || {
            let (before, after) = (pause(&chars[..span.start], true), pause(&chars[span.end..], false));
            let rest: String = before.iter().chain(after).collect();
            !is_blank(&rest, vocabulary) && act::is_comment(&segment::plain(&rest, vocabulary), vocabulary)
        };
        // 这个会还有一个钟头 闷得很: how long something else lasts.
        let lasts_on = || {
            let (before, after) = (pause(&chars[..span.start], true), pause(&chars[span.end..], false));
            let said: String = before.iter().collect();
            let rest: String = before.iter().chain(after).collect();
            let remains = vocabulary.lexicon.marks.remains.iter().any(|word| said.ends_with(word.as_str()));
            let beside = before.len() + (span.end - span.start) + after.len() < chars.len();
            let idle = !segment::plain(&rest, vocabulary).iter().any(|t| is_action(t) || super::nominal::is_thing(t));
            matches!(span.piece, Piece::For(_) | Piece::After { .. }) && remains && beside && idle
        };
        // 写了一天材料: how long something took.
        let took = matches!(span.piece, Piece::For(_))
            && before.is_some_and(|t| t.has(&Sense::Particle) && t.text == vocabulary.lexicon.marks.changed);
        // 今天只拖地
        let only = || {
            let rest: String = chars[span.end..].iter().collect();
            vocabulary.lexicon.marks.only.iter().any(|only| rest.starts_with(only.as_str()))
        };
        // 三点过才收摊: that is not when what is told shall be.
        let no_sooner = || {
            let rest: String = chars[span.end..].iter().take(2).collect();
            vocabulary.lexicon.marks.no_sooner.iter().any(|word| rest.starts_with(word.as_str()))
        };
        let comment = || {
            no_sooner()
                || is_vague(&span.piece) && (comment() || states() || only())
                || took
                || of_its_own(&chars, span, vocabulary)
        };
        // 开一会儿: how long, and nobody knows how long.
        // 眯一会儿 likewise.
        let does = |t: &Token| is_action(t) || t.is_residue() && t.text.chars().count() == 1;
        let lasts = span.piece == Piece::At(Moment::default(), None) && before.is_some_and(does);
        // 今天空调开26度吧: today is now, where no part of it is said.
        let today = span.piece == Piece::At(Moment { day: Some(Day::In(0)), ..Moment::default() }, None);
        let meant = !today && (!span.weak || (supported && !before.is_some_and(adds)));
        meant && !lasts && !lasts_on() && !comment()
    });
    let timed = (!spans.is_empty() && spans.len() <= MAX_TIMES).then_some(Timed { chars, spans })?;
    Some(amended::amended(&timed, vocabulary).unwrap_or(timed))
}

/// A time and nothing else, as an answer to the question for one: `八点吧`, `半小时后`.
pub fn lone_time(written: &str, vocabulary: &Vocabulary) -> Option<Start> {
    let chars: Vec<char> = written.chars().take(segment::MAX_CHARS).collect();
    let spans = time::read(&chars, |_| false, &vocabulary.lexicon.time);
    let timed = Timed { chars, spans };
    if !timed.texts().iter().all(|text| is_blank(text, vocabulary)) {
        return None;
    }
    match &timed.spans[..] {
        [Span { piece: Piece::At(moment, None) | Piece::To(moment), .. }] if moment.clock.is_some() => {
            Some(Start::At(moment.clone()))
        }
        [Span { piece: Piece::After { seconds, .. }, .. }] => Some(Start::After(*seconds)),
        _ => None,
    }
}

/// A day, or a part of one, without an hour: people tell of those as well as they ask for them (`打开投影 今晚看球`).
fn is_vague(piece: &Piece) -> bool {
    matches!(piece, Piece::At(moment, None) if moment.clock.is_none())
}

/// `把落地扇打开，两点钟叫我`: without the time to be called, which is nothing that is told of the home, where that stands behind a pause.
pub(super) fn without_reminder(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let text = |clause: &[Token]| clause.iter().map(|t| t.text.as_str()).collect::<String>();
    let Some(last) = tokens.iter().rposition(pause) else { return tokens };
    let (told, clause) = (&tokens[..last], &tokens[last + 1..]);
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let timed = |tokens: &[Token]| times(&text(tokens), tokens, vocabulary).is_some();
    let bare = is_reminder(&text(clause), vocabulary) && !clause.iter().any(acts) && timed(clause);
    match bare && told.iter().any(acts) && !timed(told) {
        true => told.to_vec(),
        false => tokens,
    }
}

/// Why that is no command. `八点叫醒我，窗帘拉开`: what is told beside a time to be called is of that time, and not read into it at once.
pub(super) fn reminder(written: &str, timed: bool, vocabulary: &Vocabulary) -> Option<Rejection> {
    let beside = timed && written.contains(|c: char| !c.is_alphanumeric());
    is_reminder(written, vocabulary).then_some(if beside { Rejection::Aside } else { Rejection::Chatter })
}

/// Names and words of this home are no times: 晚上模式 is a scene.
fn is_taken(token: &Token) -> bool {
    let named = token.is_entity()
        || token.any(|s| {
            matches!(
                s,
                Sense::Room(_) | Sense::Floor(_) | Sense::Value | Sense::Choice(_) | Sense::Kind(_) | Sense::Sort(_)
            )
        });
    named && token.text.chars().count() > 1
}

/// The text of words in which what things have is as if nobody could read it.
pub(super) fn without_own_names(tokens: &[Token], vocabulary: &Vocabulary) -> String {
    let text = |(at, token): (usize, &Token)| match is_own_name(tokens, at, vocabulary) {
        true => token.text.chars().map(|_| OPAQUE).collect(),
        false => token.text.clone(),
    };
    tokens.iter().enumerate().map(text).collect()
}

/// Reads commands with times. `None` when not all of it is understood.
pub(super) fn commands(
    timed: &Timed,
    vocabulary: &Vocabulary,
    speaker: &SpeakerContext,
    note: trace::Note,
) -> Option<Parse> {
    if let Some(set) = length(timed, vocabulary, speaker, note) {
        return Some(set);
    }
    let parts = parts(timed, vocabulary)?;
    note("times", &|| format!("{parts:?}"));
    let mut read: Vec<(Vec<Order>, &Part)> = Vec::new();
    for part in &parts {
        match super::heard::untimed(&without_itself(part, vocabulary), vocabulary, speaker, note) {
            Parse::Orders(orders) if orders.iter().all(can_wait) => read.push((orders, part)),
            rejected @ Parse::Rejected(_) => return guard_rejection(rejected),
            _ => return None,
        }
    }
    complete(&mut read);
    let mut orders = Vec::new();
    for (said, part) in read {
        let begins = When { start: part.start.clone(), repeat: part.repeat, end: None };
        let waits = (begins != When::default()).then_some(begins);
        let undone = match &part.end {
            Some(_) => Some(undo(&said, vocabulary)?),
            None => None,
        };
        orders.extend(said.into_iter().map(|order| Order { when: waits.clone(), ..order }));
        let ends = When { start: part.start.clone(), repeat: part.repeat, end: part.end.clone() };
        orders.extend(undone.into_iter().flatten().map(|order| Order { when: Some(ends.clone()), ..order }));
    }
    Some(Parse::Orders(once(orders)))
}

/// `两个小时以后空调自己关`: at its time everything does what was told by itself.
fn without_itself(part: &Part, vocabulary: &Vocabulary) -> String {
    let words = segment::plain(&part.text, vocabulary);
    let switches = |t: &Token| t.any(|s| vocabulary.lexicon.switches(s).is_some()) && !t.is_entity();
    let itself = |at: usize| {
        vocabulary.lexicon.marks.itself.contains(&words[at].text) && words.get(at + 1).is_some_and(switches)
    };
    // 电视再看半小时就关: what is done until then.
    let until = |at: usize| {
        let meanwhile = |more: usize, does: usize| {
            words[more].has(&Sense::Sequence) && words[does].is_residue() && words.get(does + 1).is_some_and(switches)
        };
        at > 0 && meanwhile(at - 1, at) || at + 1 < words.len() && meanwhile(at, at + 1)
    };
    let idle = |at: usize| itself(at) || until(at);
    if !part.is_timed() || !(0..words.len()).any(idle) {
        return part.text.clone();
    }
    (0..words.len()).filter(|at| !idle(*at)).map(|at| words[at].text.as_str()).collect()
}

/// `关电视 再看十分钟就关`: what is told for a while from now, and said before without a time, is told once.
fn once(orders: Vec<Order>) -> Vec<Order> {
    let delayed = |order: &&Order| {
        let when = order.when.as_ref();
        when.is_some_and(|when| {
            matches!(when.start, Some(Start::After(_))) && when.repeat.is_none() && when.end.is_none()
        })
    };
    let later: Vec<Order> = orders.iter().filter(delayed).map(|order| Order { when: None, ..order.clone() }).collect();
    orders.into_iter().filter(|order| order.when.is_some() || !later.contains(order)).collect()
}

/// Whether what is left without the times is something to do.
pub(super) fn tells(timed: &Timed, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> bool {
    let moves = |orders: &[Order]| orders.iter().any(|order| !order.action.moves_nothing());
    match super::heard::untimed(&timed.texts().concat(), vocabulary, speaker, &mut |_, _| {}) {
        Parse::Orders(orders) => moves(&orders),
        _ => false,
    }
}

/// A report or a refusal stays one, whenever it is about.
fn guard_rejection(silent: Parse) -> Option<Parse> {
    matches!(silent, Parse::Rejected(Rejection::Talk | Rejection::Negated | Rejection::Aside | Rejection::Withdrawn))
        .then_some(silent)
}

/// What can be done later: whatever moves something, and its conditions.
fn can_wait(order: &Order) -> bool {
    !matches!(order.action, Action::Ask(_) | Action::Unclear(_))
}

/// What one command leaves out, its neighbours have said: `七点开灯八点关`.
fn complete(read: &mut [(Vec<Order>, &Part)]) {
    let named = |order: &Order| !matches!(order.target, Target::Reference(_) | Target::Anything);
    for at in 0..read.len() {
        let earlier = read[..at].iter().rev();
        let others = earlier.chain(&read[at + 1..]);
        let found = others.flat_map(|(orders, _)| orders).find(|order| named(order) && !order.action.states()).cloned();
        let Some(found) = found else { continue };
        for order in &mut read[at].0 {
            if !named(order) && order.scope == Scope::default() && !order.everywhere {
                let said = Order { action: order.action.clone(), ..found.clone() };
                *order = said;
            }
        }
    }
}

/// What undoes what was said: everything in it has to be switched on.
fn undo(orders: &[Order], vocabulary: &Vocabulary) -> Option<Vec<Order>> {
    let lexicon = &vocabulary.lexicon;
    let opposite = |order: &Order| match order.action {
        Action::Verb(verb) if ["on", "start"].contains(&lexicon.verbs[verb].id.as_str()) => {
            lexicon.verbs[verb].opposite
        }
        _ => None,
    };
    let undone: Vec<Order> = orders
        .iter()
        .filter_map(|order| Some(Order { action: Action::Verb(opposite(order)?), ..order.clone() }))
        .collect();
    let covered = |order: &Order| undone.iter().any(|u| u.target == order.target && u.scope == order.scope);
    let all = orders.iter().all(|order| covered(order) && !order.action.states());
    (all && !undone.is_empty()).then_some(undone)
}
