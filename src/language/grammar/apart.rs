//! Clauses that stand apart: `炒辣椒呛死人，油烟机三档`. Where a sentence as a whole is not understood, what is beyond a pause from
//! the words that nobody knows may be as clear as if it had been said alone. It is, unless those words could bind it, take
//! it back, or make somebody's story of it.

mod refused;

use refused::Refused;

use super::super::action::Action;
use super::super::order::Order;
use super::super::segment::{self, Token};
use super::super::sense::{Question, Sense};
use super::super::vocabulary::Vocabulary;
use super::nominal::{is_somebody, is_thing, place, property};
use super::order::names_thing;
use super::{Parse, Rejection, SpeakerContext, act, amid, guard, later, order, parse_noted, reason};

/// Clauses of a sentence in which a remark is looked for without a pause. Clauses divided by pauses are read apart however many
/// there are: a sentence has a longest length, so that this costs in proportion to it.
const CLAUSES: usize = 6;

/// Places in a clause without a pause where it is tried whether a remark begins or ends.
const CUTS: usize = 3;

/// Characters of the shortest remark that is told from a name without a pause before it.
const REMARK: usize = 3;

/// Numbers above this one are no manner of speaking (一屋子, 俩).
const COUNTED: f64 = 2.0;

/// What a clause is, read by itself.
enum Part {
    /// It tells what to do, or asks.
    Told(Vec<Order>),
    /// It tells something that is not understood, of a thing that is named.
    Open,
    /// It tells something for a time or a case that is not understood, or of a thing that is not there by then.
    Deferred,
    /// It says what not to do with things that it names.
    Refused(Refused),
    /// It tells nothing.
    Idle,
}

/// What is told in clauses that are understood by themselves, where the others only comment, refuse something else or are not
/// understood. `talks`: the sentence as a whole speaks of what somebody does; then only pauses divide it. `negated`: it refuses.
pub(super) fn clause_by_clause(
    tokens: &[Token],
    talks: bool,
    negated: bool,
    vocabulary: &Vocabulary,
    speaker: &SpeakerContext,
) -> Option<Parse> {
    let between: Vec<&[Token]> =
        tokens.split(|t| t.has(&Sense::Punctuation)).filter(|clause| !clause.is_empty()).collect();
    // 天黑了，所以顶灯开了: what came of it.
    let follows = tokens.iter().any(|t| vocabulary.lexicon.therefore.contains(&t.text));
    if follows {
        return None;
    }
    let cuts = !talks && between.len() <= CLAUSES;
    let mut read_apart = Vec::new();
    for clause in between {
        match part(clause, vocabulary, speaker) {
            Some(told @ Part::Told(_)) => read_apart.push((clause, told)),
            read => match Some(clause).filter(|_| cuts).and_then(|c| with_remark(c, vocabulary, speaker)) {
                Some(cut) => read_apart.extend(cut),
                None => read_apart.push((clause, read?)),
            },
        }
    }
    let (clauses, parts): (Vec<_>, Vec<_>) = read_apart.into_iter().unzip();
    if parts.len() < 2 {
        return None;
    }
    let told = |at: usize| matches!(parts[at], Part::Told(_));
    let (first, last) = ((0..parts.len()).find(|at| told(*at))?, (0..parts.len()).rfind(|at| told(*at))?);
    let mut left = String::new();
    let mixed = asks_beside(&clauses, &parts);
    let mut asked: Vec<Order> = Vec::new();
    let mut unknown = Vec::new();
    for (at, clause) in clauses.iter().enumerate() {
        match &parts[at] {
            // 书房的灯开着吗，把书房的空调关掉: a question is answered, and binds nothing.
            Part::Told(orders) if mixed && orders.iter().all(asks) => {
                asked.extend_from_slice(orders);
            }
            Part::Told(orders) => {
                if !left.is_empty() {
                    left.push(',');
                }
                let before = at.checked_sub(1);
                // 空调温度不用动，风改小: of the same thing.
                if let Some((Part::Refused(refused), spoken_of)) =
                    before.map(|before| (&parts[before], clauses[before]))
                    && refused.is_narrow()
                    && refused::things(clause, vocabulary).is_empty()
                {
                    spoken_of.iter().filter(|t| is_thing(t)).for_each(|token| left.push_str(&token.text));
                    clause.iter().for_each(|token| left.push_str(&token.text));
                    continue;
                }
                // 泡脚桶的水，热三度: what nothing was told of yet is told of here.
                let topic =
                    before.is_some_and(|at| is_topic(clauses[at], vocabulary)) && !orders.iter().any(names_thing);
                if (topic || !orders.iter().all(is_about_something)) && before.is_none_or(|before| !told(before)) {
                    let subject = match before.map(|before| (&parts[before], clauses[before])) {
                        Some((Part::Idle, clause)) => reason::subject(clause, vocabulary),
                        _ => &[],
                    };
                    if subject.is_empty() {
                        return None;
                    }
                    subject.iter().for_each(|token| left.push_str(&token.text));
                }
                clause.iter().for_each(|token| left.push_str(&token.text));
            }
            Part::Refused(_) => {}
            // 十分钟后打开跑步机，关灯: the time may be of both.
            Part::Deferred if at < last => return None,
            Part::Deferred => unknown.push(clause.iter().map(|t| t.text.as_str()).collect()),
            Part::Open | Part::Idle => {
                let (before, after) = (at < first, at > last);
                let open = matches!(parts[at], Part::Open);
                // 不用泡，直接洗: whatever else is refused may be of what is told.
                let refuses = || clause.iter().any(|t| t.has(&Sense::Negation) && !t.is_entity());
                // 不不不先别断: which of it nobody understood.
                let takes_back = clause.iter().any(|t| t.has(&Sense::Correction) && !t.is_entity()) && refuses();
                if takes_back || negated && (refuses() || amid::is_story(clause, before, vocabulary)) {
                    return None;
                }
                let text: String = clause.iter().map(|t| t.text.as_str()).collect();
                let awaits = vocabulary.lexicon.asides.says_when(&text);
                if awaits || (0..clause.len()).any(|word| binds(clause, word, before, vocabulary)) {
                    return None;
                }
                let states = closes(clause, vocabulary);
                // 小明走进客厅，打开电视: a story goes on without its subject.
                let goes_on = before && clauses.get(at + 1).is_some_and(|next| begins_with_action(next));
                if !open && !states && (goes_on || after) {
                    return None;
                }
                if open {
                    unknown.push(text);
                }
            }
        }
    }
    let Parse::Orders(mut orders) = parse_noted(&left, vocabulary, speaker, &mut |_, _| {}) else { return None };
    let told_in: Vec<&[Token]> =
        clauses.iter().zip(&parts).filter(|(_, p)| matches!(p, Part::Told(_))).map(|(c, _)| *c).collect();
    let refused = parts.iter().filter_map(|p| if let Part::Refused(refused) = p { Some(refused) } else { None });
    if !refused.into_iter().all(|refused| refused.leaves_room_for(&orders, &told_in, vocabulary)) {
        return None;
    }
    orders.extend(asked);
    if !orders.iter().any(is_about_something) {
        return None;
    }
    if !unknown.is_empty() {
        orders.push(order::unclear(&unknown));
    }
    Some(Parse::Orders(orders))
}

/// A clause cut where a remark begins or ends without a pause: `厨房围栏关上|俩货要爬进来了`, `水开了|把灯关掉`. What is told names
/// what it is about.
fn with_remark<'a>(
    clause: &'a [Token],
    vocabulary: &Vocabulary,
    speaker: &SpeakerContext,
) -> Option<[(&'a [Token], Part); 2]> {
    let told = |side: &'a [Token]| match part(side, vocabulary, speaker) {
        Some(Part::Told(orders)) if orders.iter().all(is_about_something) => Some((side, Part::Told(orders))),
        _ => None,
    };
    // Whatever is said has few places where a remark may begin; what has more is made to cost much.
    let cuts = (1..clause.len()).filter_map(|at| {
        let (before, after) = clause.split_at(at);
        let remark_follows = begins_remark(before, after, vocabulary);
        (remark_follows || ends_remark(before, after, vocabulary)).then_some((before, after, remark_follows))
    });
    cuts.take(CUTS).find_map(|(before, after, remark_follows)| match remark_follows {
        true => told(before).map(|told| [told, (after, Part::Idle)]),
        false => told(after).map(|told| [(before, Part::Idle), told]),
    })
}

/// Whether what stands before what is told is a remark that is over.
fn ends_remark(before: &[Token], after: &[Token], vocabulary: &Vocabulary) -> bool {
    let past = before.iter().any(|t| t.has(&Sense::Past));
    let over = closes(before, vocabulary) && is_remark(before, vocabulary) && !closes(after, vocabulary);
    over && !past && !act::goes_on(before, after)
}

/// Whether what follows what was told in full only remarks on it.
fn begins_remark(before: &[Token], after: &[Token], vocabulary: &Vocabulary) -> bool {
    let (last, first) = (&before[before.len() - 1], &after[0]);
    let somebody = vocabulary.lexicon.pronouns.contains(&first.text) || first.has(&Sense::Person);
    let value = |t: &Token| t.any(|s| matches!(s, Sense::Fraction(_) | Sense::Extreme(_) | Sense::Value));
    let counts = last.any(|s| matches!(s, Sense::Unit(_))) && !acts(last);
    let complete = last.any(|s| matches!(s, Sense::Particle | Sense::Little))
        || counts
        || value(last)
        || (acts(last) && last.text.chars().count() > 1);
    let goes_on = |s: &Sense| {
        matches!(s, Sense::Of | Sense::Conjunction | Sense::Also | Sense::Each | Sense::Disposal | Sense::Is)
    };
    let modal = vocabulary.lexicon.modals.iter().any(|modal| first.text.starts_with(modal.as_str()));
    // 窗帘拉上|一半太阳照进来了: how much belongs to what is told.
    let led = modal || first.any(goes_on) || value(first);
    complete && !led && is_remark(after, vocabulary) && (closes(after, vocabulary) || somebody)
}

/// Whether words say something of nothing that this home has.
fn is_remark(words: &[Token], vocabulary: &Vocabulary) -> bool {
    let has = |t: &Token| property(t).is_some() || t.any(|s| matches!(s, Sense::Feature(_)));
    let ours = |t: &Token| (names(t) || has(t)) && !is_somebody(t, vocabulary);
    let counted = |t: &Token| t.any(|s| matches!(s, Sense::Number(n) if n.value > COUNTED));
    let letters: usize = words.iter().map(|t| t.text.chars().count()).sum();
    letters >= REMARK && words.iter().any(Token::is_residue) && !words.iter().any(|t| ours(t) || counted(t))
}

/// What a clause is by itself; `None` where that may be half of what another one says.
fn part(clause: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Part> {
    let text: String = clause.iter().map(|t| t.text.as_str()).collect();
    let clear = |order: &Order| !matches!(order.action, Action::Unclear(_));
    let timed = || later::times(&text, &segment::plain(&text, vocabulary), vocabulary).is_some();
    // 我把窗户关了: within a story it was done by who speaks.
    if guard::is_own_action(clause, &vocabulary.lexicon) {
        return Some(Part::Idle);
    }
    // 半夜老是热醒: no time of what is told beside it.
    let remarks = || clause.iter().any(Token::is_residue) && !clause.iter().any(|t| acts(t) || names(t));
    match parse_noted(&text, vocabulary, speaker, &mut |_, _| {}) {
        Parse::Orders(orders) if orders.iter().all(clear) && says(clause, &orders) => Some(Part::Told(orders)),
        _ if let Some(refused) = Refused::of(clause, vocabulary) => Some(Part::Refused(refused)),
        Parse::Rejected(Rejection::Later | Rejection::Standing) if clause.iter().any(acts) => Some(Part::Deferred),
        // 设个闹钟
        Parse::Rejected(_) if begins_with_action(clause) && clause.iter().any(|t| t.has(&Sense::Future)) => {
            Some(Part::Deferred)
        }
        Parse::Fragment(_) | Parse::Jobs(_) | Parse::Rejected(Rejection::OtherAddressee | Rejection::Standing) => None,
        _ if timed() && clause.iter().any(acts) && clause.iter().any(Token::is_residue) => Some(Part::Deferred),
        _ if timed() && !remarks() => None,
        // 给旺财出一次粮: whoever handles a thing wants something of it.
        _ if clause.iter().any(names) && clause.iter().any(|t| acts(t) || handles(t)) => Some(Part::Open),
        _ => Some(Part::Idle),
    }
}

/// Whether a clause says what to do, or asks. That the light is glaring is a wish only for who says nothing else.
fn says(clause: &[Token], orders: &[Order]) -> bool {
    let value = |s: &Sense| matches!(s, Sense::Number(_) | Sense::Choice(_) | Sense::Value | Sense::Extreme(_));
    let much = |s: &Sense| matches!(s, Sense::Little | Sense::Lots | Sense::Fraction(_) | Sense::Scene(_));
    orders.iter().all(asks) || clause.iter().any(|t| acts(t) || t.any(|s| value(s) || much(s)))
}

/// Whether questions stand beside commands and each says of which thing it is. 书房的灯亮吗，调暗一点 goes on with what was asked.
fn asks_beside(clauses: &[&[Token]], parts: &[Part]) -> bool {
    let told = clauses.iter().zip(parts).filter_map(|(clause, part)| match part {
        Part::Told(orders) => Some((*clause, orders)),
        Part::Open | Part::Deferred | Part::Refused(_) | Part::Idle => None,
    });
    let (questions, commands): (Vec<_>, Vec<_>) = told.partition(|(_, orders)| orders.iter().all(asks));
    let named = questions.iter().all(|(clause, _)| clause.iter().any(names));
    named && commands.first().is_some_and(|(_, orders)| orders.iter().all(names_thing))
}

fn asks(order: &Order) -> bool {
    matches!(order.action, Action::Ask(_))
}

/// Whether an order says what it is about, or at least what of it.
fn is_about_something(order: &Order) -> bool {
    order.action.is_about_something() || names_thing(order)
}

/// Whether a word of a clause that is left out binds what is told, takes it back or makes somebody else's words of it.
fn binds(clause: &[Token], at: usize, before: bool, vocabulary: &Vocabulary) -> bool {
    let (token, next) = (&clause[at], clause.get(at + 1));
    if token.is_entity() {
        return false;
    }
    let named = clause.iter().any(names);
    let acting = clause.iter().any(acts);
    // 院灯留着你爸还没回来: what stays as it is is no comment.
    if vocabulary.lexicon.kept.contains(&token.text) && named {
        return true;
    }
    let quotes = vocabulary.lexicon.quotes.contains(&token.text) || token.has(&Sense::Report);
    // 大夫说的，四十度就够了
    let ends = clause[at + 1..].iter().all(|t| t.text == vocabulary.lexicon.marks.of);
    if quotes && (ends || !before) {
        return true;
    }
    if token.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Reason)) && !token.has(&Sense::Disposal) {
        return false;
    }
    // 前吊扇关掉，呃，是后面那台: what is meant, though nobody knows its name.
    if token.has(&Sense::Is)
        && !before
        && clause[..at].iter().all(|t| vocabulary.lexicon.marks.hesitates.contains(&t.text))
    {
        return true;
    }
    if token.has(&Sense::Correction) && at == 0 && (next.is_none() || token.text.chars().count() > 1) {
        return true;
    }
    if token.any(|s| matches!(s, Sense::Negation | Sense::ExceptAfter)) && (!before || named || acting) {
        return true;
    }
    if token.has(&Sense::Not) && next.is_some_and(acts) {
        return true;
    }
    let counted = |s: &Sense| matches!(s, Sense::Number(n) if n.value > COUNTED) || matches!(s, Sense::Unit(_));
    if token.any(counted) && !before {
        return true;
    }
    if token.any(|s| matches!(s, Sense::Question(q) if *q != Question::YesNo)) && named {
        return true;
    }
    token.any(|s| conditions(s) || matches!(s, Sense::Scene(_)))
}

/// Whether a sense makes what is told depend on something, leaves something out or speaks to another assistant.
pub(super) fn conditions(sense: &Sense) -> bool {
    matches!(
        sense,
        Sense::If
            | Sense::IfClose
            | Sense::Unless
            | Sense::Standing
            | Sense::Else
            | Sense::ExceptOpen
            | Sense::ExceptClose
            | Sense::OtherAssistant
    )
}

/// Whether a clause ends as statements do.
fn closes(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let last = clause.last();
    last.is_some_and(|t| {
        t.any(|s| matches!(s, Sense::Particle | Sense::Reason)) || t.text.ends_with(&vocabulary.lexicon.marks.changed)
    })
}

/// Whether a clause begins with a thing of this home and says of it no more than what belongs to it.
fn is_topic(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let [thing, of, _] = clause else { return false };
    thing.is_entity() && of.has(&Sense::Of) && !clause.iter().any(acts) && !closes(clause, vocabulary)
}

/// Whether a clause begins with what is done, or with what it is done to by 把.
fn begins_with_action(clause: &[Token]) -> bool {
    let first = clause.iter().find(|t| !t.any(|s| matches!(s, Sense::Sequence)));
    first.is_some_and(|t| acts(t) || (t.has(&Sense::Disposal) && !t.has(&Sense::Filler)))
}

fn acts(token: &Token) -> bool {
    token.any(Sense::is_action) && !token.is_entity() && !token.has(&Sense::Reason)
}

fn handles(token: &Token) -> bool {
    token.has(&Sense::Disposal) && !token.is_entity() && !token.has(&Sense::Filler)
}

fn names(token: &Token) -> bool {
    is_thing(token) || place(token).is_some()
}
