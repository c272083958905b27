//! Conditions: `如果…就…，否则…`, `…，除非…`, and rules for whenever something is so.

mod compared;

use super::super::action::{Action, Condition};
use super::super::command::Type;
use super::super::lexicon::{Comparison, Sense};
use super::super::order::{Order, Scope, Target};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{Head, Nominal, Place};
use super::reading::stated;
use super::{Parse, Rejection, SpeakerContext, command, order, query};

/// Conditions joined by 而且 or by 或者, and what each is about.
struct Guard {
    parts: Vec<(Condition, Nominal)>,
    /// One is enough.
    any: bool,
}

impl Guard {
    /// The commands that guard others.
    fn orders(&self, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Vec<Order> {
        let parts = self.parts.iter().enumerate();
        let action = |at: usize, condition: &Condition| match self.any && at > 0 {
            true => Action::OrWhen(condition.clone()),
            false => Action::When(condition.clone()),
        };
        parts.map(|(at, (when, of))| order::order(of, &action(at, when), vocabulary, speaker)).collect()
    }

    /// `如果走廊没人就把灯关掉`: the room that the condition is about is where it happens, if there is such a thing.
    fn placed(&self, mut order: Order, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Order {
        let [(_, of)] = &self.parts[..] else { return order };
        // 净化器PM2.5超过35就开强劲: what the condition is about, if it is more than measured.
        let about = match of.head {
            Some(Head::Kind(kind, _) | Head::Sort(kind, _) | Head::Named { kind: Some(kind), .. }) => {
                !vocabulary.lexicon.kinds[kind].sensor
            }
            _ => false,
        };
        if about && order.target == Target::Anything && order.scope == Scope::default() {
            order.target = Target::Reference(Type::Unknown);
            return order;
        }
        let ([Place::Room(room)], None) = (&of.places[..], &of.head) else { return order };
        let Target::Type(kind) = order.target else { return order };
        let lexicon = &vocabulary.lexicon;
        let there = vocabulary.home.devices.iter().zip(&vocabulary.devices).any(|(device, sense)| {
            device.room == Some(*room) && sense.kinds.iter().any(|k| lexicon.kinds[*k].kind == kind)
        });
        if there && speaker.local != Some(*room) && !order.everywhere && order.scope == Scope::default() {
            order.scope.include.push(Place::Room(*room));
        }
        order
    }

    /// What is told where it holds.
    fn guarded(&self, part: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Vec<Order>> {
        let Parse::Orders(orders) = command(part, vocabulary, speaker) else { return None };
        let there = orders.into_iter().map(|order| self.placed(order, vocabulary, speaker));
        Some(self.orders(vocabulary, speaker).into_iter().chain(there).collect())
    }

    /// What holds when this does not: not both is one of them not.
    fn opposite(&self) -> Option<Self> {
        let parts = self.parts.iter().map(|(when, of)| Some((when.opposite()?, of.clone()))).collect::<Option<_>>()?;
        Some(Self { parts, any: !self.any })
    }
}

/// Reads a sentence with a condition; `None` when it states none.
pub fn condition(tokens: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Parse> {
    let opens = |t: &Token| (t.has(&Sense::If) && !t.has(&Sense::IfClose) || t.has(&Sense::Unless)) && !t.is_entity();
    let open = tokens.iter().position(opens);
    let close = tokens
        .iter()
        .position(|t| t.has(&Sense::IfClose) && !t.is_entity() && (t.has(&Sense::If) || t.has(&Sense::Standing)));
    if let (None, Some(close)) = (open, close)
        && let Some(asked) = asked_since(tokens, close, vocabulary, speaker)
    {
        return Some(asked);
    }
    if let Some(parse) = open.and_then(|open| behind_others(tokens, open, vocabulary, speaker)) {
        return Some(parse);
    }
    if open.is_none() && close.is_none() {
        if whenever(tokens, vocabulary, speaker) {
            return Some(Parse::Rejected(Rejection::Standing));
        }
        return compared::bare(tokens, vocabulary, speaker).or_else(|| compared::unmarked(tokens, vocabulary, speaker));
    }
    let unless = open.is_some_and(|at| tokens[at].has(&Sense::Unless));
    let read = after(tokens, open, close, vocabulary)
        .or_else(|| open.and_then(|open| before(tokens, open, close, vocabulary)))
        .or_else(|| close.filter(|_| open.is_none()).and_then(|close| last(tokens, close, vocabulary)));
    let Some((guard, then, otherwise)) = read else { return Some(Parse::Rejected(Rejection::Talk)) };
    let guard = if unless { guard.opposite()? } else { guard };
    let guarded = |guard: &Guard, part: &[Token]| guard.guarded(part, vocabulary, speaker);
    // 除非有人，否则关灯: what follows 否则 is what is to be done.
    let (then, otherwise) = match otherwise {
        Some(part) if unless && blank(then) => (part, None),
        other => (then, other),
    };
    let Some(mut orders) = guarded(&guard, then) else { return Some(Parse::Rejected(Rejection::Talk)) };
    let standing = |at: Option<usize>| at.is_some_and(|at| tokens[at].has(&Sense::Standing));
    if standing(open) || standing(close) {
        return Some(Parse::Rejected(Rejection::Standing));
    }
    if let Some(part) = otherwise {
        let more = guard.opposite().and_then(|opposite| guarded(&opposite, part));
        match more {
            Some(more) => orders.extend(of_the_same(more, &orders)),
            None => return Some(Parse::Unsure(orders, vec![part.iter().map(|t| t.text.as_str()).collect()])),
        }
    }
    Some(Parse::Orders(orders))
}

/// `灯带关了，屋里要是过了二十六度空调就开高风`: what is told before it depends on no condition.
fn behind_others(tokens: &[Token], open: usize, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Parse> {
    let pause = tokens[..open].iter().rposition(|t| t.has(&Sense::Punctuation))?;
    let (first, rest) = (&tokens[..pause], &tokens[pause + 1..]);
    let subject = &rest[..open - pause - 1];
    let then = rest.iter().position(|t| t.has(&Sense::Then) && !t.is_entity())?;
    if !acts(first) || acts(subject) || then <= subject.len() || !acts(&rest[then..]) {
        return None;
    }
    let Parse::Orders(mut orders) = command(first, vocabulary, speaker) else { return None };
    match condition(rest, vocabulary, speaker)? {
        Parse::Orders(more) => orders.extend(more),
        _ => return None,
    }
    Some(Parse::Orders(orders))
}

/// `湿度低于五十就开加湿器，不低于就关掉`: a comparison without a number is what the one before it is not.
pub(super) fn or_else(mut tokens: Vec<Token>) -> Vec<Token> {
    let own = |t: &Token, sense: &Sense| t.has(sense) && !t.is_entity();
    let compares = |t: &Token| t.any(|s| matches!(s, Sense::Compare(_))) && !t.is_entity();
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_)));
    let comparison = |t: &Token| t.senses.iter().find_map(|s| if let Sense::Compare(c) = s { Some(*c) } else { None });
    let compared = |at: &usize| compares(&tokens[*at]) && number(&tokens[at + 1]);
    let Some(first) = (0..tokens.len().saturating_sub(1)).find(compared) else { return tokens };
    let opposite = comparison(&tokens[first]).map(Comparison::opposite);
    let denies = |t: &Token| own(t, &Sense::Not) || compares(t) && comparison(t) == opposite;
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Not | Sense::Compare(_) | Sense::If | Sense::Filler));
    for begin in first + 2..tokens.len() {
        if !own(&tokens[begin - 1], &Sense::Punctuation) {
            continue;
        }
        let Some(length) = tokens[begin..].iter().position(|t| own(t, &Sense::Then)) else { break };
        let stated = &tokens[begin..begin + length];
        // 没超
        let word = |at: usize| {
            stated[at].is_residue()
                && stated[at].text.chars().count() == 1
                && at > 0
                && own(&stated[at - 1], &Sense::Not)
        };
        if (1..=3).contains(&length)
            && (0..length).all(|at| small(&stated[at]) || word(at))
            && stated.iter().any(denies)
        {
            tokens.splice(begin..=begin + length, [Token::unsaid(Sense::Else)]);
            break;
        }
    }
    tokens
}

/// `我出门的时候大门锁了没`: when somebody did something is no condition of a question.
fn asked_since(tokens: &[Token], close: usize, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Parse> {
    let (when, rest) = (&tokens[..close], &tokens[close + 1..]);
    let own = |t: &Token| {
        t.is_entity()
            || t.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_) | Sense::Property(_) | Sense::Compare(_)))
    };
    let asks = query::is_question(rest, &vocabulary.lexicon.marks) && !rest.iter().any(|t| t.has(&Sense::Disposal));
    let parse = (asks && !when.iter().any(own)).then(|| query::question(rest, vocabulary, speaker))?;
    matches!(parse, Parse::Orders(_)).then_some(parse)
}

/// `…就开三档，否则关掉`: what is not named is the same thing, though nothing was done to it.
fn of_the_same(mut more: Vec<Order>, told: &[Order]) -> Vec<Order> {
    let named = |o: &&Order| !matches!(o.action, Action::When(_) | Action::OrWhen(_)) && order::names_thing(o);
    let guards = |o: &&Order| matches!(o.action, Action::When(_) | Action::OrWhen(_));
    if let Some(first) = told.iter().find(guards) {
        let points = |o: &&mut Order| guards(&&**o) && o.target == Target::Reference(Type::Unknown);
        for order in more.iter_mut().filter(points) {
            *order = first.clone().with(order.action.clone());
        }
    }
    if let Some(thing) = told.iter().rfind(named) {
        // 没超就升两度
        let bare = |o: &Order| match &o.action {
            Action::Step { ways, .. } => ways.iter().all(|(property, _)| property.is_none()),
            Action::Set { property, .. } => property.is_none(),
            _ => false,
        };
        let same = |o: &&mut Order| {
            !guards(&&**o) && o.target == Target::Reference(Type::Unknown)
                || o.target == Target::Anything && o.scope == Scope::default() && bare(o)
        };
        for order in more.iter_mut().filter(same) {
            *order = thing.clone().with(order.action.clone());
        }
    }
    more
}

/// Nothing that says anything.
fn blank(tokens: &[Token]) -> bool {
    tokens.iter().all(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Filler | Sense::Particle | Sense::Then)))
}

type Parts<'a> = (Guard, &'a [Token], Option<&'a [Token]>);

/// `如果…就…`: the condition first. Where it ends is where everything before it can be read.
fn after<'a>(
    tokens: &'a [Token],
    open: Option<usize>,
    close: Option<usize>,
    vocabulary: &Vocabulary,
) -> Option<Parts<'a>> {
    let start = open.map_or(0, |at| at + 1);
    // 阳台门要是开着: what stands before 如果 belongs to the condition.
    let subject = &tokens[..open.unwrap_or(0)];
    if acts(subject) {
        return None;
    }
    let ends = (start + 1..tokens.len()).filter(|at| {
        let token = &tokens[*at];
        let marked =
            token.has(&Sense::Then) || token.has(&Sense::Punctuation) || Some(*at) == close || token.has(&Sense::Else);
        // 温度超过26度打开空调: no 就 and no comma; what acts begins the consequence.
        marked
            || token.has(&Sense::Disposal)
            || token.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Kind(_)))
    });
    ends.into_iter().find_map(|end| {
        let rest = &tokens[end..];
        let skipped = rest.iter().take_while(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::IfClose))).count();
        let joined = rest.get(skipped).is_some_and(|t| t.has(&Sense::And) || t.has(&Sense::Or));
        if joined && rest.get(skipped).is_some_and(|t| !t.has(&Sense::Filler)) && marked_end(rest, vocabulary) {
            return None;
        }
        let stated: Vec<Token> = subject.iter().chain(&tokens[start..end]).cloned().collect();
        let guard = guard(&stated, vocabulary)?;
        let otherwise = rest.iter().position(|t| t.has(&Sense::Else));
        let (then, otherwise) = match otherwise {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        (acts(then) || otherwise.is_some_and(acts)).then_some((guard, then, otherwise))
    })
}

/// Whether another condition follows, and not only an action that 并且 joins.
fn marked_end(rest: &[Token], vocabulary: &Vocabulary) -> bool {
    let next = rest.iter().position(|t| t.has(&Sense::And) || t.has(&Sense::Or)).map_or(rest, |at| &rest[at + 1..]);
    let end = next
        .iter()
        .position(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Then | Sense::IfClose)))
        .unwrap_or(next.len());
    stated(&next[..end], vocabulary).is_some()
}

/// `关灯，如果没人的话`: the condition last.
fn before<'a>(tokens: &'a [Token], open: usize, close: Option<usize>, vocabulary: &Vocabulary) -> Option<Parts<'a>> {
    let then = &tokens[..open];
    let stated = &tokens[open + 1..close.filter(|at| *at > open).unwrap_or(tokens.len())];
    let guard = guard(stated, vocabulary)?;
    acts(then).then_some((guard, then, None))
}

/// `关灯，没人的话`: the condition last, and only its end says that it is one.
fn last<'a>(tokens: &'a [Token], close: usize, vocabulary: &Vocabulary) -> Option<Parts<'a>> {
    let pause = tokens[..close].iter().rposition(|t| t.has(&Sense::Punctuation))?;
    blank(&tokens[close + 1..]).then(|| before(&tokens[..close], pause, None, vocabulary))?
}

/// Whether something is told to be done.
fn acts(tokens: &[Token]) -> bool {
    tokens.iter().any(|t| {
        t.any(|s| {
            matches!(
                s,
                Sense::Verb(_)
                    | Sense::Set { .. }
                    | Sense::Step { .. }
                    | Sense::SetBare
                    | Sense::Little
                    | Sense::Scene(_)
            )
        })
    })
}

/// Conditions joined by 而且 or 或者; what a later one leaves out, the first has said.
fn guard(tokens: &[Token], vocabulary: &Vocabulary) -> Option<Guard> {
    if let Some((condition, nominal)) = stated(tokens, vocabulary) {
        return Some(Guard { parts: vec![(condition, nominal)], any: false });
    }
    let joins = |t: &Token| t.has(&Sense::And) || t.has(&Sense::Or);
    let any = tokens.iter().any(|t| t.has(&Sense::Or));
    if any && tokens.iter().any(|t| t.has(&Sense::And) && !t.has(&Sense::Filler)) {
        return None;
    }
    let mut parts: Vec<(Condition, Nominal)> = Vec::new();
    for part in tokens.split(joins) {
        let part: &[Token] = match part {
            [rest @ .., comma] if comma.has(&Sense::Punctuation) => rest,
            whole => whole,
        };
        let part = if part.first().is_some_and(|t| t.has(&Sense::Punctuation)) { &part[1..] } else { part };
        let (condition, mut nominal) = stated(part, vocabulary)?;
        if let Some((_, first)) = parts.first()
            && nominal.places.is_empty()
            && nominal.head.is_none()
        {
            nominal.places.clone_from(&first.places);
        }
        parts.push((condition, nominal));
    }
    (parts.len() > 1).then_some(Guard { parts, any })
}

/// `一有人就开灯`: a rule without a word that opens a condition.
fn whenever(tokens: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> bool {
    let once = tokens.iter().position(|t| {
        t.senses.iter().any(|s| matches!(s, Sense::Number(n) if n.value == 1.0)) && t.text.chars().count() == 1
    });
    let Some(once) = once.filter(|at| *at + 2 < tokens.len()) else { return false };
    let next = &tokens[once + 1];
    if next.any(|s| matches!(s, Sense::Unit(_) | Sense::Measure | Sense::Link)) {
        return false;
    }
    let then = tokens[once + 2..].iter().position(|t| t.has(&Sense::Then)).map(|at| once + 2 + at);
    then.is_some_and(|then| matches!(command(&tokens[then..], vocabulary, speaker), Parse::Orders(_)))
}
