//! Reading what the words of a question or a condition say, in whatever order they stand.

mod status;
mod words;

pub(super) use words::is_not;
use words::{
    asked_property, direction, is_feature, is_flag, is_noun, is_small, leads_to_amount, state_of, told_by_name,
};

use super::super::action::{Amount, Ask, Condition, Status};
use super::super::lexicon::{Comparison, Extreme, PropertyId, Question, Sense, Unit, VerbId};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::filter::superlative_word;
use super::nominal::{self, Head, Nominal};
use super::predicate;

/// What the words of a question or condition say.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) nominal: Nominal,
    pub(super) property: Option<PropertyId>,
    /// More of it or less: `热`, `高`.
    up: Option<bool>,
    /// `最热`.
    extreme: Option<Extreme>,
    most: bool,
    /// `比` between two things.
    than: bool,
    status: Option<Status>,
    pub(super) negated: bool,
    questions: Vec<Question>,
    /// `有`.
    exists: bool,
    /// Rooms are asked for.
    pub(super) rooms: bool,
    /// How it is, and not whether it is so: `是制冷还是制热`, `洗完了吗`.
    open: bool,
    /// `几档`.
    gear: bool,
    /// `设了多少`: what it was set to.
    set: bool,
    /// `设的多少度`, `调到几度了`: by a verb of setting, and not by what comes about (`烧到几度`).
    aims: bool,
    /// `目标温度`: what it is set to is asked for, and not what is measured.
    aimed: Option<PropertyId>,
    pub(super) loose: Vec<String>,
}

/// Reads what is stated: the state or comparison, and of what.
pub(super) fn stated(tokens: &[Token], vocabulary: &Vocabulary) -> Option<(Condition, Nominal)> {
    let mut reading = Reading::default();
    reading.read(tokens, vocabulary);
    if !reading.loose.is_empty() || reading.extreme.is_some() || reading.than {
        return None;
    }
    let holds = !reading.negated;
    reading.negated = false;
    let status = reading.status(vocabulary)?;
    // 没到26度: the comparison that a negation undoes.
    let condition = Condition::Status { status, holds };
    let compares = matches!(&condition, Condition::Status { status: Status::Compare { .. }, holds: false });
    let condition = if compares { flipped(&condition) } else { condition };
    Some((condition, reading.nominal))
}

/// Whether what stands at a position is denied: 没开, 没在扫.
fn is_denied(tokens: &[Token], at: usize) -> bool {
    tokens[..at].iter().rev().find(|t| !t.has(&Sense::Is)).is_some_and(is_not)
}

/// A comparison that must not hold, written as the one that must.
fn flipped(condition: &Condition) -> Condition {
    let Condition::Status { status: Status::Compare { property, comparison, value, unit }, .. } = condition else {
        return condition.clone();
    };
    let status = Status::Compare { property: *property, comparison: comparison.opposite(), value: *value, unit: *unit };
    Condition::Status { status, holds: true }
}

impl Reading {
    pub(super) fn read(&mut self, tokens: &[Token], vocabulary: &Vocabulary) {
        let aims = |sense: &Sense| match sense {
            Sense::Property(p) => Some(*p).filter(|p| vocabulary.lexicon.properties[*p].aim),
            _ => None,
        };
        self.aimed = tokens.iter().flat_map(|t| &t.senses).find_map(aims);
        let mut at = 0;
        while at < tokens.len() {
            let compared = self.comparison(tokens, at, vocabulary);
            at = compared.unwrap_or_else(|| self.take(tokens, at, vocabulary)).max(at + 1);
        }
        // 超过26度: the unit says of what; 26度 may be said before the property as well.
        if let Some(Status::Compare { property, .. }) = &mut self.status
            && let Some(named) = self.property
        {
            *property = named;
        }
    }

    /// `超过26度`, `比26度高`, `26度以上`, `到26度`.
    fn comparison(&mut self, tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<usize> {
        let compares = |t: &Token| {
            let by = t.senses.iter().rev().find_map(|s| if let Sense::Compare(c) = s { Some(*c) } else { None });
            by.filter(|_| !t.any(|s| matches!(s, Sense::Direction { .. })))
        };
        let number = |at: usize| tokens.get(at).is_some_and(|t| t.any(|s| matches!(s, Sense::Number(_))));
        let before = compares(&tokens[at]).filter(|_| !tokens[at].any(|s| matches!(s, Sense::Number(_))));
        let start = if before.is_some() {
            let filler = tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Particle) || compares(t).is_some());
            at + 1 + usize::from(filler && !number(at + 1))
        } else {
            at
        };
        if !number(start) {
            return None;
        }
        let (amount, unit_property, end) = predicate::amount(tokens, start, true, vocabulary)?;
        let (value, unit) = match amount {
            Amount::Number(value, unit) => (value, unit),
            Amount::Percent(value) => (value, Some(Unit::Percent)),
            _ => return None,
        };
        // 比26度高, 26度以上: the comparison stands at the end.
        let after = tokens.get(end).and_then(compares);
        let comparison = after.or(before)?;
        // 空调低于二十五: what a number means for it.
        let usual = || vocabulary.lexicon.kinds[super::order::kind_of(&self.nominal, vocabulary)?].number;
        let property = self.property.or(unit_property).or_else(usual)?;
        self.status = Some(Status::Compare { property, comparison, value, unit });
        Some(end + usize::from(after.is_some()))
    }

    fn take(&mut self, tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> usize {
        let token = &tokens[at];
        let question = token.senses.iter().find_map(|s| if let Sense::Question(q) = s { Some(*q) } else { None });
        let state = state_of(token);
        let settled = self.nominal.head.is_some();
        if token.has(&Sense::Exists) {
            // 大门有没有锁好 asks of the door whether it is.
            self.exists |= !settled;
            if question.is_none() || token.text.chars().count() == 1 {
                return at + 1;
            }
        }
        if token.has(&Sense::Finished) || token.has(&Sense::Alternative) {
            self.questions.push(Question::State);
            self.open = true;
            return at + 1;
        }
        if let Some((property, extreme)) = superlative_word(token, self.most, vocabulary) {
            self.extreme = Some(extreme);
            self.property = property.or(self.property);
            return at + 1;
        }
        if token.has(&Sense::Most) {
            self.most = true;
            return at + 1;
        }
        if token.has(&Sense::AnyRoom) && self.asks_for_rooms(tokens, at) {
            self.rooms = true;
            self.questions.extend(question);
            return at + 1;
        }
        if token.has(&Sense::Scenes) && !settled {
            self.nominal.head = Some(Head::Scenes);
            // 情景模式
            return at + 1 + usize::from(tokens.get(at + 1).is_some_and(|t| nominal::property(t).is_some()));
        }
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
            // 几台空调 counts air conditioners; 电视几台 asks for the channel.
            let counts = question == Question::HowMany && tokens.get(at + 1).is_some_and(|t| t.any(is_noun));
            let asked = asked_property(token, vocabulary).filter(|_| !counts && question != Question::Which);
            self.property = self.property.or(asked);
            let last: String = token.text.chars().last().into_iter().collect();
            self.gear |= vocabulary.senses(&last).contains(&Sense::Unit(Unit::Gear));
            // 没 asks only at the end.
            self.negated |= is_not(token) && tokens.get(at + 1).is_some_and(|t| nominal::property(t).is_some());
            return at + 1;
        }
        let absent = |s: &Sense| if let Sense::Absent(property) = s { Some(*property) } else { None };
        if let Some(property) = token.senses.iter().find_map(absent) {
            self.negated = true;
            self.property.get_or_insert(property);
            return at + 1;
        }
        // 空调在扫风吗: what is done is the feature itself.
        if let Some(property) = nominal::property(token).filter(|p| state.is_none() || is_feature(*p, vocabulary)) {
            self.negated |= state.is_some() && is_denied(tokens, at);
            self.property.get_or_insert(property);
            // 摆风功能开着吗
            let suffix = |t: &Token| vocabulary.lexicon.feature_suffix.contains(&t.text) && !t.is_entity();
            return at + 1 + usize::from(is_flag(property, vocabulary) && tokens.get(at + 1).is_some_and(suffix));
        }
        if let Some(verb) = state {
            // 没锁: the state that a negation undoes; 还亮着没关 says the same twice.
            self.negated |= self.status.is_none() && is_denied(tokens, at);
            self.state(verb, vocabulary);
            return at + 1;
        }
        if let Some((property, up)) = self.direction(token, vocabulary) {
            self.property.get_or_insert(property);
            self.up = Some(up);
            return at + 1;
        }
        if token.any(|s| matches!(s, Sense::Choice(_) | Sense::Value)) && token.text.chars().count() > 1 {
            self.negated |= is_denied(tokens, at);
            self.status.get_or_insert(Status::Word(token.text.clone()));
            return at + 1;
        }
        if let Some(up) = token.senses.iter().find_map(|s| if let Sense::Degree { up } = s { Some(*up) } else { None })
        {
            self.up = Some(up);
            return at + 1;
        }
        if token.any(|s| matches!(s, Sense::Compare(Comparison::Greater))) && !self.nominal.is_empty() {
            self.than = true;
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
        } else if token.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare | Sense::Link)) {
            self.set = true;
            let first: String = token.text.chars().take(1).collect();
            // 空调开到几度
            let opens = token.has(&Sense::Set { open: true }) && vocabulary.senses(&first).contains(&Sense::Make);
            self.aims |= opens || vocabulary.senses(&first).contains(&Sense::SetBare);
        } else if leads_to_amount(tokens, at, vocabulary) {
            self.property = self.property.or_else(|| words::of_water(token, &self.nominal, vocabulary));
        } else if !is_small(token) && !is_not(token) {
            self.loose.push(token.text.clone());
        }
        at + 1
    }

    /// 冷 is said of air and of light: of light only where a lamp was named.
    fn direction(&self, token: &Token, vocabulary: &Vocabulary) -> Option<(PropertyId, bool)> {
        let kind = super::order::kind_of(&self.nominal, vocabulary);
        let ways: Vec<(PropertyId, bool)> = token.senses.iter().filter_map(direction).collect();
        let usual =
            |way: &&(PropertyId, bool)| kind.is_some_and(|k| vocabulary.lexicon.properties[way.0].kinds.contains(&k));
        let air = |way: &&(PropertyId, bool)| vocabulary.lexicon.properties[way.0].step.is_some();
        ways.iter().find(usual).or_else(|| ways.iter().find(air)).or(ways.first()).copied()
    }

    /// 哪里, 几个房间, 哪个 房间; not the 房间 of 房间的灯.
    fn asks_for_rooms(&self, tokens: &[Token], at: usize) -> bool {
        let asked = |t: &Token| t.any(|s| matches!(s, Sense::Question(_) | Sense::Exists | Sense::Some | Sense::All));
        let counted = at > 0 && (asked(&tokens[at - 1]) || tokens[at - 1].has(&Sense::Measure));
        let described = self.nominal.only.is_some();
        tokens[at].any(|s| matches!(s, Sense::Question(_))) || counted || described
    }

    fn join(&mut self, mut nominal: Nominal) {
        if let Some(property) = nominal.property.take() {
            self.property.get_or_insert(property);
        }
        let own = &mut self.nominal;
        own.places.append(&mut nominal.places);
        own.except_places.append(&mut nominal.except_places);
        own.except_heads.append(&mut nominal.except_heads);
        own.head = own.head.take().or(nominal.head);
        own.only = own.only.take().or(nominal.only);
        own.all |= nominal.all;
        own.each |= nominal.each;
        own.any |= nominal.any;
    }

    /// What is asked; what is left of the nominal is what it is asked of.
    pub(super) fn ask(&mut self, vocabulary: &Vocabulary) -> Option<Ask> {
        let asked = |q: Question| self.questions.contains(&q);
        let (how_many, how_much) = (asked(Question::HowMany), asked(Question::HowMuch));
        let (which, place) = (asked(Question::Which) || asked(Question::Who), asked(Question::Where));
        let how = asked(Question::State) || asked(Question::Wrong);
        let open = how || asked(Question::YesNo) || how_much;
        let value = self.property.filter(|p| !is_flag(*p, vocabulary));
        if self.rooms && self.nominal.head.is_none() {
            self.nominal.head = Some(Head::Rooms);
        }
        if place {
            self.only_those_in_state(vocabulary);
            return Some(Ask::Where);
        }
        let two = self.nominal.places.len() == 2;
        if let (true, true, Some(property), Some(up)) = (self.than, two, value, self.up) {
            return Some(Ask::More(property, up));
        }
        if self.than {
            return None;
        }
        let end = |up: bool| if up { Extreme::Max } else { Extreme::Min };
        let most = self.extreme.or(self.up.filter(|_| which).map(end));
        if let (Some(extreme), Some(property)) = (most, value) {
            return Some(Ask::Most(property, extreme));
        }
        if let Some(extreme) = self.extreme {
            // 风扇最大几档
            let gears = vocabulary.lexicon.property("level").filter(|_| self.gear);
            return gears.map(|property| Ask::Most(property, extreme));
        }
        if (self.open || asked(Question::State)) && self.nominal.head.is_some() && value.is_none() {
            // 空调上下摆风是什么状态
            let feature = self.property.filter(|p| self.status.is_none() && is_feature(*p, vocabulary));
            return Some(feature.map_or(Ask::State, Ask::Value));
        }
        // 油烟机开的几档: what a number means for it.
        let value = value.or_else(|| {
            let kind = super::order::kind_of(&self.nominal, vocabulary)?;
            // 加湿器开到几档: whatever goes by gears there.
            let measured = |p: &PropertyId| vocabulary.lexicon.properties[*p].counts.is_none();
            if self.gear && vocabulary.lexicon.kinds[kind].number.as_ref().is_some_and(measured) {
                return vocabulary.lexicon.property("level");
            }
            vocabulary.lexicon.kinds[kind].number.filter(|_| self.gear || (self.set && (how_much || how_many)))
        });
        // 有人在家吗: people where the home knows any, else whoever the sensors see.
        let flag = self.property.filter(|p| is_flag(*p, vocabulary));
        if let (Some(Status::Word(_)), Some(property), None) = (&self.status, flag, &self.nominal.head) {
            self.nominal.all = true;
            let person = vocabulary.lexicon.kind("person").filter(|p| vocabulary.devices.iter().any(|d| d.is(*p)));
            let Some(person) = person else { return Some(Ask::Any(Status::Flag(property, !self.negated))) };
            self.nominal.head = Some(Head::Kind(person, vocabulary.lexicon.kinds[person].words[0].clone()));
            return self.status.clone().map(if which { Ask::Which } else { Ask::Any });
        }
        let mut status = self.status(vocabulary).filter(|_| !self.gear);
        // 有没有开着的灯: what the relative clause says is what is asked.
        if status.is_none()
            && value.is_none()
            && let Some(Condition::Status { status: only, holds }) = self.nominal.only.clone()
        {
            status = if holds { Some(only) } else { only.opposite(&vocabulary.lexicon) };
            self.nominal.only = status.is_none().then(|| self.nominal.only.take()).flatten();
        }
        if let Some(status) = status {
            if how_many || (how_much && value.is_none()) {
                return Some(Ask::Count(status));
            }
            // 洗衣机在洗什么程序 asks for the program of what is at work.
            let of_one = value.is_some() && self.nominal.head.is_some() && !self.rooms;
            if which && !(of_one && matches!(status, Status::Verb(_))) {
                // 哪几间还开着灯: where those are that are on.
                let where_they_are = self.rooms && self.only_those_in_state(vocabulary);
                return Some(if where_they_are { Ask::Where } else { Ask::Which(status) });
            }
            // 家里有人吗: any of them.
            let anywhere = matches!(status, Status::Flag(..)) && self.nominal.head.is_none();
            if (self.exists || anywhere) && !self.nominal.each && !self.nominal.all {
                return Some(Ask::Any(status));
            }
            if value.is_none() || !(how_much || which) || matches!(status, Status::Compare { .. }) {
                return Some(Ask::Is(status));
            }
        }
        if let Some(property) = value {
            let of = |aim: &PropertyId| vocabulary.lexicon.properties[*aim].like == Some(property);
            let aims = |p: &PropertyId| vocabulary.lexicon.properties[*p].aim && of(p);
            let set = || (0..vocabulary.lexicon.properties.len()).find(aims).filter(|_| self.aims && how_much);
            return Some(Ask::Value(self.aimed.filter(of).or_else(set).unwrap_or(property)));
        }
        let head = self.nominal.head.is_some();
        if how_many && head {
            return Some(told_by_name(&self.nominal, vocabulary).map_or(Ask::Number, Ask::Value));
        }
        // 客厅有什么, 有哪些场景, 有空调吗: what there is.
        if (self.exists || which) && (head || !self.nominal.places.is_empty()) && !how {
            let rooms =
                self.rooms && matches!(self.nominal.head, Some(Head::Named { .. } | Head::Kind(..) | Head::Sort(..)));
            return Some(match (which, rooms) {
                (true, true) => Ask::Where,
                (true, false) => Ask::List,
                (false, _) => Ask::Number,
            });
        }
        (open && (head || !self.nominal.places.is_empty())).then_some(Ask::State)
    }
}
