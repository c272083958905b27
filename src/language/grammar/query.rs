//! Questions about the home, and conditions.

use super::super::deed::{Ask, Condition, Deed, Status};
use super::super::lexicon::{Comparison, PropertyId, Question, Sense, Unit, VerbId};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{self, Head, Nominal};
use super::{Hearing, Parse, Silence, command, order, predicate, property_of_direction};

/// Whether a sentence asks. A request in the form of a question (能不能打开灯, 关下灯好吗) does not.
pub fn is_question(tokens: &[Token]) -> bool {
    let last = tokens.iter().rposition(|t| !t.has(&Sense::Punctuation) && !only_particle(t));
    let asks = |(at, t): (usize, &Token)| {
        if t.is_entity() || t.has(&Sense::Polite) {
            return false;
        }
        t.senses.iter().any(|s| match s {
            Sense::Question(Question::YesNo) => t.text.chars().count() > 1 || Some(at) == last,
            Sense::Question(Question::HowMuch) => !t.has(&Sense::Some) || at + 1 == tokens.len(),
            Sense::Question(Question::State) => true,
            Sense::Question(_) => true,
            _ => false,
        })
    };
    if !tokens.iter().enumerate().any(asks) {
        return false;
    }
    let polite = tokens.iter().position(|t| t.has(&Sense::Polite));
    let verb =
        tokens.iter().position(|t| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Step { .. })));
    let request = tokens.iter().any(|t| t.has(&Sense::Disposal));
    let strong = tokens
        .iter()
        .any(|t| t.any(|s| matches!(s, Sense::Question(q) if *q != Question::YesNo)) && !t.has(&Sense::Polite));
    match (polite, verb) {
        (Some(polite), Some(verb)) => strong || !(polite < verb && (request || polite == 0)),
        _ => true,
    }
}

fn only_particle(token: &Token) -> bool {
    token.has(&Sense::Particle) && !token.any(|s| matches!(s, Sense::Question(_)))
}

/// Reads a question.
pub fn question(tokens: &[Token], vocabulary: &Vocabulary, hearing: &Hearing) -> Parse {
    let mut reading = Reading::default();
    reading.read(tokens, vocabulary);
    let Some(ask) = reading.ask(vocabulary) else {
        return Parse::Silent(Silence::Chatter);
    };
    let mut nominal = reading.nominal;
    // 有什么开着, 哪些灯: without a subject all devices are asked about.
    if nominal.head.is_none() && matches!(ask, Ask::Which(_) | Ask::Count(_)) {
        nominal.head = Some(Head::Everything);
        nominal.all = true;
    }
    if matches!(ask, Ask::Is(_) | Ask::Which(_) | Ask::Count(_) | Ask::State) && nominal.places.is_empty() {
        nominal.all |= matches!(ask, Ask::Which(_) | Ask::Count(_));
    }
    if reading.loose.is_empty() {
        Parse::Orders(vec![order::order(&nominal, &Deed::Ask(ask), vocabulary, hearing)])
    } else if nominal.is_empty() {
        Parse::Silent(Silence::Chatter)
    } else {
        Parse::Unsure(vec![order::order(&nominal, &Deed::Ask(ask), vocabulary, hearing)], reading.loose)
    }
}

/// What the words of a question or condition say, in whatever order.
#[derive(Default)]
struct Reading {
    nominal: Nominal,
    property: Option<PropertyId>,
    status: Option<Status>,
    negated: bool,
    questions: Vec<Question>,
    loose: Vec<String>,
}

impl Reading {
    fn read(&mut self, tokens: &[Token], vocabulary: &Vocabulary) {
        let mut at = 0;
        while at < tokens.len() {
            at = self.take(tokens, at, vocabulary).max(at + 1);
        }
    }

    fn take(&mut self, tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> usize {
        let token = &tokens[at];
        let question = token.senses.iter().find_map(|s| if let Sense::Question(q) = s { Some(*q) } else { None });
        let state = state_of(token);
        let settled = self.nominal.head.is_some();
        // 门锁好了吗: the noun first, the state after it.
        let noun = !settled && (state.is_none() || token.any(is_noun));
        if noun
            && question.is_none_or(|_| token.is_entity())
            && let Some((nominal, end)) = nominal::read(tokens, at, vocabulary)
        {
            self.join(nominal);
            return end;
        }
        if let Some(question) = question {
            self.questions.push(question);
            if let Some(property) = asked_property(token, vocabulary) {
                self.property.get_or_insert(property);
            }
            return at + 1;
        }
        if let Some(property) = token.senses.iter().find_map(|s| if let Sense::Absent(p) = s { Some(*p) } else { None })
        {
            self.negated = true;
            self.property.get_or_insert(property);
            return at + 1;
        }
        if let Some(verb) = state {
            // 没锁, 没开: the state that a negation undoes.
            self.negated |= at > 0 && is_not(&tokens[at - 1]);
            self.status.get_or_insert(Status::Verb(verb));
            return at + 1;
        }
        if let Some(property) = nominal::property(token) {
            self.property.get_or_insert(property);
            return at + 1;
        }
        if let Some(property) = token.senses.iter().find_map(direction) {
            self.property.get_or_insert(property);
            return at + 1;
        }
        if token.any(|s| matches!(s, Sense::Choice(_) | Sense::Value)) && token.text.chars().count() > 1 {
            self.status.get_or_insert(Status::Word(token.text.clone()));
            return at + 1;
        }
        if let Some((nominal, end)) = nominal::read(tokens, at, vocabulary)
            && (nominal.head.is_none() || self.nominal.head.is_none())
        {
            self.join(nominal);
            return end;
        }
        if token.has(&Sense::Each) {
            self.nominal.each = true;
        } else if !is_small(token) && !is_not(token) {
            self.loose.push(token.text.clone());
        }
        at + 1
    }

    fn join(&mut self, mut nominal: Nominal) {
        if let Some(property) = nominal.property.take() {
            self.property.get_or_insert(property);
        }
        if let Some(verb) = nominal.status.take() {
            self.status.get_or_insert(Status::Verb(verb));
        }
        let own = &mut self.nominal;
        own.places.append(&mut nominal.places);
        own.except_places.append(&mut nominal.except_places);
        own.except_heads.append(&mut nominal.except_heads);
        own.head = own.head.take().or(nominal.head);
        own.all |= nominal.all;
        own.each |= nominal.each;
        own.any |= nominal.any;
    }

    fn ask(&self, vocabulary: &Vocabulary) -> Option<Ask> {
        let asked = |q: Question| self.questions.contains(&q);
        let status = self.status(vocabulary);
        let value = self.property.filter(|p| !is_flag(*p, vocabulary));
        if asked(Question::Where) {
            return Some(Ask::Where);
        }
        if let Some(status) = status {
            if asked(Question::HowMany) || (asked(Question::HowMuch) && value.is_none()) {
                return Some(Ask::Count(status));
            }
            if asked(Question::Which) {
                return Some(Ask::Which(status));
            }
            if value.is_none() || !asked(Question::HowMuch) {
                return Some(Ask::Is(status));
            }
        }
        if let Some(property) = value {
            return Some(Ask::Value(property));
        }
        let about = self.nominal.head.is_some() || !self.nominal.places.is_empty();
        (about && (asked(Question::State) || asked(Question::YesNo) || asked(Question::HowMuch))).then_some(Ask::State)
    }

    /// The state in question; 有人, 漏水 are states as well.
    fn status(&self, vocabulary: &Vocabulary) -> Option<Status> {
        match (&self.status, self.property) {
            (Some(Status::Verb(verb)), _) if self.negated => {
                let opposite = vocabulary.lexicon.verbs[*verb].opposite;
                Some(Status::Verb(opposite.unwrap_or(*verb)))
            }
            (Some(status), _) => Some(status.clone()),
            (None, Some(property)) if is_flag(property, vocabulary) => Some(Status::Flag(property, !self.negated)),
            _ => None,
        }
    }
}

/// Properties that are true or false.
fn is_flag(property: PropertyId, vocabulary: &Vocabulary) -> bool {
    ["occupied", "leak", "smoke", "mute", "swing", "open", "locked", "power"]
        .contains(&vocabulary.lexicon.properties[property].id.as_str())
}

fn is_noun(sense: &Sense) -> bool {
    matches!(sense, Sense::Devices(_) | Sense::Group(_) | Sense::Scene(_) | Sense::Kind(_) | Sense::Sort(_))
}

/// The state a word names; verbs count in questions (关了没, 打开了吗).
fn state_of(token: &Token) -> Option<VerbId> {
    let state = token.senses.iter().find_map(|s| if let Sense::State(v) = s { Some(*v) } else { None });
    state.or_else(|| token.senses.iter().find_map(|s| if let Sense::Verb(v) = s { Some(*v) } else { None }))
}

fn direction(sense: &Sense) -> Option<PropertyId> {
    if let Sense::Direction { property, .. } = sense { Some(*property) } else { None }
}

/// 几度, 多热: the question word that settles the property.
fn asked_property(token: &Token, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let rest: String = token.text.chars().skip(1).collect();
    let last: String = token.text.chars().last().into_iter().collect();
    let unit = |word: &str| {
        vocabulary
            .senses(word)
            .contains(&Sense::Unit(Unit::Celsius))
            .then(|| vocabulary.lexicon.property("temperature"))?
    };
    // 几档: a gear is whatever the device calls it.
    if vocabulary.senses(&last).contains(&Sense::Unit(Unit::Gear)) {
        return None;
    }
    property_of_direction(&rest, vocabulary).or_else(|| unit(&last)).or_else(|| {
        vocabulary.senses(&rest).iter().find_map(|s| if let Sense::Property(p) = s { Some(*p) } else { None })
    })
}

fn is_not(token: &Token) -> bool {
    token.has(&Sense::Question(Question::YesNo)) && token.text.chars().count() == 1 || token.has(&Sense::Negation)
}

/// Words that add nothing to a question.
fn is_small(token: &Token) -> bool {
    token.any(|s| {
        matches!(
            s,
            Sense::Filler
                | Sense::Particle
                | Sense::Of
                | Sense::Is
                | Sense::Already
                | Sense::AskFor
                | Sense::Polite
                | Sense::Punctuation
                | Sense::Each
                | Sense::Disposal
                | Sense::Measure
                | Sense::All
                | Sense::RoomSuffix
                | Sense::Also
                | Sense::Conjunction
                | Sense::IfClose
                | Sense::SetBare
                | Sense::Make
        )
    })
}

/// Reads `如果…就…，否则…`; `None` when the sentence states no condition.
pub fn condition(tokens: &[Token], vocabulary: &Vocabulary, hearing: &Hearing) -> Option<Parse> {
    let open = tokens.iter().position(|t| t.has(&Sense::If) && !t.has(&Sense::IfClose) && !t.is_entity());
    let close = tokens.iter().position(|t| t.has(&Sense::IfClose) && t.has(&Sense::If));
    let start = match (open, close) {
        (Some(open), _) => open + 1,
        (None, Some(_)) => 0,
        (None, None) => return None,
    };
    let split = (start..tokens.len()).find(|at| {
        let token = &tokens[*at];
        (token.has(&Sense::Then) && *at > start)
            || token.has(&Sense::Punctuation)
            || (Some(*at) == close && close.is_some())
    });
    // 温度超过26度打开空调: no 就 and no comma; the first verb that acts begins the consequence.
    let split = split.or_else(|| {
        (start + 1..tokens.len()).find(|at| {
            let t = &tokens[*at];
            (t.any(|s| matches!(s, Sense::Verb(_))) && !t.any(|s| matches!(s, Sense::State(_))))
                || t.has(&Sense::Disposal)
        })
    });
    let Some(split) = split else { return Some(Parse::Silent(Silence::Talk)) };
    // 阳台门要是开着: what stands before 如果 belongs to the condition.
    let before = &tokens[..open.unwrap_or(0)];
    let stated: Vec<Token> = before.iter().chain(&tokens[start..split]).cloned().collect();
    let Some((when, nominal)) = read_condition(&stated, vocabulary) else {
        return Some(Parse::Silent(Silence::Talk));
    };
    let consequence = &tokens[split..];
    let otherwise = consequence.iter().position(|t| t.has(&Sense::Else));
    let (then, otherwise) = match otherwise {
        Some(at) => (&consequence[..at], Some(&consequence[at + 1..])),
        None => (consequence, None),
    };
    let guarded = |when: &Condition, part: &[Token]| match command(part, vocabulary, hearing) {
        Parse::Orders(orders) => {
            let guard = order::order(&nominal, &Deed::When(when.clone()), vocabulary, hearing);
            Some(std::iter::once(guard).chain(orders).collect::<Vec<_>>())
        }
        _ => None,
    };
    let Some(mut orders) = guarded(&when, then) else { return Some(Parse::Silent(Silence::Talk)) };
    if let Some(part) = otherwise {
        match guarded(&opposite(&when), part) {
            Some(more) => orders.extend(more),
            None => return Some(Parse::Unsure(orders, vec![part.iter().map(|t| t.text.as_str()).collect()])),
        }
    }
    Some(Parse::Orders(orders))
}

/// The condition that holds when the other does not.
fn opposite(when: &Condition) -> Condition {
    match when.clone() {
        Condition::Status { status, holds } => Condition::Status { status, holds: !holds },
        Condition::Compare { property, comparison, value, unit } => {
            let comparison = match comparison {
                Comparison::Greater => Comparison::Less,
                Comparison::Less | Comparison::Equal => Comparison::Greater,
            };
            Condition::Compare { property, comparison, value, unit }
        }
    }
}

/// Reads what stands between 如果 and 就.
fn read_condition(tokens: &[Token], vocabulary: &Vocabulary) -> Option<(Condition, Nominal)> {
    let compare = tokens.iter().position(|t| {
        t.any(|s| matches!(s, Sense::Compare(_)))
            && !t.any(|s| matches!(s, Sense::Direction { .. }))
            && !t.has(&Sense::Is)
    });
    let number = tokens.iter().position(|t| t.any(|s| matches!(s, Sense::Number(_))));
    if let (Some(mut at), Some(number)) = (compare, number) {
        let (amount, unit_property, _) = predicate::amount(tokens, number, true, vocabulary)?;
        let (value, unit) = match amount {
            super::Amount::Number(value, unit) => (value, unit),
            super::Amount::Percent(value) => (value, Some(Unit::Percent)),
            _ => return None,
        };
        // 比26度高: the comparison stands at the end.
        if let Some(end) = (number..tokens.len()).rev().find(|i| tokens[*i].any(|s| matches!(s, Sense::Compare(_)))) {
            at = end.max(at);
        }
        let comparison = comparison_of(&tokens[at])?;
        let subject = &tokens[..compare?.min(number)];
        let mut reading = Reading::default();
        reading.read(subject, vocabulary);
        let property = reading.property.or(unit_property)?;
        let explained = reading.loose.is_empty();
        return explained.then_some((Condition::Compare { property, comparison, value, unit }, reading.nominal));
    }
    let mut reading = Reading::default();
    reading.read(tokens, vocabulary);
    let holds = !reading.negated;
    reading.negated = false;
    let status = reading.status(vocabulary)?;
    reading.loose.is_empty().then_some((Condition::Status { status, holds }, reading.nominal))
}

fn comparison_of(token: &Token) -> Option<Comparison> {
    token.senses.iter().rev().find_map(|s| if let Sense::Compare(c) = s { Some(*c) } else { None })
}
