//! Several sentences in one: questions in a row (`空调开着吗，电视呢`), and conditions in a row, each with what it guards.

use super::super::action::{Action, Ask};
use super::super::command::Type;
use super::super::order::{Order, Target};
use super::super::segment::Token;
use super::super::sense::{Question, Sense};
use super::super::vocabulary::Vocabulary;
use super::nominal::{self, Nominal};
use super::word::without_room;
use super::{Parse, Rejection, SpeakerContext, heard, order, words};

/// Clauses of a sentence that are read each by itself.
const CLAUSES: usize = 6;

/// The orders of several sentences in one, by what was made of them as one.
pub(super) fn in_a_row(
    sentence: &str,
    parse: &Parse,
    vocabulary: &Vocabulary,
    speaker: &SpeakerContext,
) -> Option<Vec<Order>> {
    let all = |test: fn(&Order) -> bool| matches!(parse, Parse::Orders(orders) if orders.iter().all(test));
    let open = matches!(parse, Parse::Unsure(..) | Parse::Rejected(Rejection::Chatter | Rejection::Talk));
    // What has no pause is one sentence.
    let words = || words(sentence, vocabulary, speaker);
    if !vocabulary.utterance(sentence).contains(|c: char| !c.is_alphanumeric()) {
        return None;
    }
    if open || all(|o| matches!(o.action, Action::Ask(_))) {
        let words = words()?;
        return questions(&words, vocabulary, speaker)
            .or_else(|| conditions(&words, vocabulary, speaker))
            .or_else(|| told_and_asked(&words, vocabulary, speaker));
    }
    if all(|o| o.when.is_some()) { later_and_now(&words()?, vocabulary, speaker) } else { None }
}

/// `净化器三档 童锁打开 滤芯还剩多少`, `空调几度了 灯关了 窗帘关了没`: what is told, and what is only asked beside it.
fn told_and_asked(words: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Vec<Order>> {
    let clauses = clauses(words)?;
    // 没关就关了, 开着的话: what is told depends on what is asked.
    let binds = |t: &Token| {
        let case = |s: &Sense| {
            matches!(s, Sense::If | Sense::IfClose | Sense::Unless | Sense::Else | Sense::Then | Sense::Negation)
        };
        t.any(case) && !t.is_entity()
    };
    let case = |clause: &[Token]| {
        let first = clause.iter().find(|t| !t.has(&Sense::Filler));
        let so = |s: &Sense| matches!(s, Sense::Not | Sense::State(_));
        clause.iter().any(binds) || first.is_some_and(|t| t.any(so) && !t.any(Sense::is_action) && !t.is_entity())
    };
    if clauses.iter().any(|clause| case(clause)) {
        return None;
    }
    let question = |clause: &[Token]| {
        let how_much = |t: &Token| t.has(&Sense::Question(Question::HowMuch)) && !t.is_entity();
        let last = clause.iter().rfind(|t| !t.has(&Sense::Particle));
        clause.iter().any(how_much) || last.is_some_and(|t| t.has(&Sense::Question(Question::YesNo)) && !t.is_entity())
    };
    let mut groups: Vec<(bool, Vec<Token>)> = Vec::new();
    for clause in &clauses {
        let asks = question(clause);
        match groups.last_mut().filter(|(asked, _)| !asked && !asks) {
            Some((_, group)) => {
                group.push(Token { text: ",".into(), heard: None, senses: vec![Sense::Punctuation] });
                group.extend_from_slice(clause);
            }
            None => groups.push((asks, clause.to_vec())),
        }
    }
    if groups.len() < 2 {
        return None;
    }
    let mut orders: Vec<Order> = Vec::new();
    let mut thing: Option<Token> = None;
    for (asks, mut group) in groups {
        let named = group.iter().rfind(|t| nominal::is_thing(t)).cloned();
        match (&named, &thing, asks) {
            // 滤芯还剩多少 is of what was told before.
            (None, Some(thing), true) => group.insert(0, thing.clone()),
            (None, None, _) | (None, _, false) => return None,
            _ => {}
        }
        let more = read(&group, vocabulary, speaker)?;
        if more.iter().any(|o| matches!(o.action, Action::Ask(_)) != asks || o.when.is_some()) {
            return None;
        }
        thing = named.or(thing);
        orders.extend(more);
    }
    // What is told is done before anything is answered.
    orders.sort_by_key(|order| matches!(order.action, Action::Ask(_)));
    Some(orders)
}

/// The questions of a sentence of which each says what it is about.
fn questions(words: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Vec<Order>> {
    let clauses = clauses(words)?;
    let asks = |clause: &&&[Token]| {
        clause.last().is_some_and(|t| t.has(&Sense::Particle))
            || clause.iter().any(|t| t.any(|s| matches!(s, Sense::Question(_))) && !t.is_entity())
    };
    if clauses.iter().filter(asks).count() != clauses.len() {
        return None;
    }
    let mut orders: Vec<Order> = Vec::new();
    for clause in clauses {
        if let Some(more) = orders.last().and_then(|last| how_about(clause, last, vocabulary, speaker)) {
            orders.push(more);
            continue;
        }
        let more = read(clause, vocabulary, speaker)?;
        let placed = |o: &Order| order::names_thing(o) || !o.scope.include.is_empty() || orders.is_empty();
        if !more.iter().all(|o| matches!(o.action, Action::Ask(_)) && placed(o)) {
            return None;
        }
        orders.extend(more);
    }
    Some(orders)
}

/// `湿度呢`, `电视呢`: what was asked before, of something else.
pub fn how_about(clause: &[Token], last: &Order, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Order> {
    let (tag, named) = clause.split_last()?;
    let named = &named[named
        .iter()
        .take_while(|t| t.any(|s| matches!(s, Sense::Filler | Sense::Sequence | Sense::Conjunction)) && !t.is_entity())
        .count()..];
    // 那主卧灯呢: what only leads to it.
    let leads =
        named.len() > 1 && named[0].has(&Sense::Reference) && !named[0].is_entity() && !named[1].has(&Sense::Measure);
    let named = &named[usize::from(leads && named[1..].iter().any(nominal::is_thing))..];
    let (nominal, end) = nominal::read(named, 0, vocabulary).filter(|_| tag.has(&Sense::Particle))?;
    if end != named.len() {
        return None;
    }
    if let Some(property) = nominal.property {
        let of = Nominal { property: None, ..nominal };
        let action = Action::Ask(Ask::Value(property));
        return Some(match of.is_empty() {
            true => Order { action, ..last.clone() },
            false => order::order(&of, &action, vocabulary, speaker),
        });
    }
    let order = order::fragment(&nominal, vocabulary, speaker).with(last.action.clone());
    // 客厅灯开着吗，主卧的呢: the same things there.
    let only_a_place = nominal.head.is_none() && !nominal.places.is_empty();
    Some(match alike(&last.target, vocabulary).filter(|_| only_a_place) {
        Some(target) => Order { target, quantifier: last.quantifier, ..order },
        None => order,
    })
}

/// What of the same sort is called elsewhere: 空调 of 主卧空调.
fn alike(target: &Target, vocabulary: &Vocabulary) -> Option<Target> {
    match target {
        Target::Named { kind: Some(_), .. } | Target::Type(_) | Target::Kind(..) | Target::Sort(..) => {
            Some(target.clone())
        }
        Target::Named { text, .. } => without_room(text, vocabulary).find_map(|bare| {
            vocabulary.senses(bare).iter().find_map(|s| match s {
                Sense::Kind(kind) => Some(Target::Kind(*kind, bare.to_owned())),
                Sense::Sort(kind) => Some(Target::Sort(*kind, bare.to_owned())),
                _ => None,
            })
        }),
        _ => None,
    }
}

/// The conditions of a sentence, each with what it guards.
fn conditions(words: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Vec<Order>> {
    let clauses = clauses(words)?;
    let guards =
        |clause: &[Token]| clause.iter().any(|t| t.any(|s| matches!(s, Sense::If | Sense::IfClose)) && !t.is_entity());
    let acts = |clause: &[Token]| clause.iter().any(|t| t.any(Sense::is_action) && !t.is_entity());
    if clauses.iter().filter(|clause| guards(clause) && acts(clause)).count() < 2 {
        return None;
    }
    let mut groups: Vec<Vec<Token>> = Vec::new();
    for clause in clauses {
        match groups.last_mut().filter(|_| !guards(clause)) {
            Some(group) => {
                group.push(Token { text: ",".into(), heard: None, senses: vec![Sense::Punctuation] });
                group.extend_from_slice(clause);
            }
            None => groups.push(clause.to_vec()),
        }
    }
    let read = groups.iter().map(|group| read(group, vocabulary, speaker)).collect::<Option<Vec<_>>>()?;
    // What stands before the first condition depends on none.
    let guarded = |orders: &Vec<Order>| matches!(orders[..], [Order { action: Action::When(_), .. }, _, ..]);
    (read.iter().skip(1).all(guarded)).then(|| read.concat())
}

/// `十分钟后关灯，现在先把电视关了`: what is done later, and what is done at once.
fn later_and_now(words: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Vec<Order>> {
    let now = |at: usize| {
        let said = vocabulary.lexicon.marks.now.contains(&words[at].text) && !words[at].is_entity();
        said && at > 0 && words[at - 1].has(&Sense::Punctuation)
    };
    let at = (0..words.len()).find(|at| now(*at))?;
    let waits = |o: &Order| o.when.is_some();
    let later = read(&words[..at], vocabulary, speaker).filter(|orders| orders.iter().any(waits))?;
    let now = read(&words[at..], vocabulary, speaker).filter(|orders| !orders.iter().any(waits))?;
    let of_it = |o: Order| match (&o.target, later.last()) {
        (Target::Reference(Type::Unknown), Some(last)) => last.clone().with(o.action),
        _ => o,
    };
    let now: Vec<Order> = now.into_iter().map(|o| Order { when: None, ..of_it(o) }).collect();
    Some(later.iter().cloned().chain(now).collect())
}

/// The clauses of a sentence; of one, and of more than anybody asks, none.
fn clauses(words: &[Token]) -> Option<Vec<&[Token]>> {
    let clauses: Vec<&[Token]> = words.split(|t| t.has(&Sense::Punctuation)).filter(|c| !c.is_empty()).collect();
    (2..=CLAUSES).contains(&clauses.len()).then_some(clauses)
}

/// What a clause says by itself, where it is clear.
fn read(clause: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Vec<Order>> {
    // 音量又是多少
    let text: String =
        clause.iter().filter(|t| !t.has(&Sense::And) || t.is_entity()).map(|t| t.text.as_str()).collect();
    match super::parse(&text, vocabulary, speaker) {
        parse if !heard::is_clear(&parse) => None,
        Parse::Orders(orders) => Some(orders),
        _ => None,
    }
}
