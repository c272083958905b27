//! Clauses: which predicate belongs to which nominals, and what each clause leaves out because another has said it.

mod complete;
mod lone;
mod pause;
mod placed;
mod sent;
mod taken_back;

use complete::{fill, of_its_kind, others_of_kind, stay_in_room};
pub(super) use placed::{only_of_class, room_in_name};

use super::super::action::Amount;
use super::super::lexicon::PropertyId;
use super::super::vocabulary::Vocabulary;
use super::chunk::{Chunk, is_number};
use super::nominal::{Head, Nominal};
use super::predicate::{Core, Predicate};

/// Predicates and what they are about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clause {
    /// What it is about.
    pub nominals: Vec<Nominal>,
    /// What is done, in order, each with the property named beside it.
    pub predicates: Vec<(Predicate, Option<PropertyId>)>,
    /// A property that waits for its predicate.
    property: Option<PropertyId>,
    /// Others that were named before it, for the same.
    properties: Vec<PropertyId>,
    /// The nominals came before the predicate.
    nominal_first: bool,
    /// `都` without a nominal.
    each: bool,
    /// `也`.
    also: bool,
    /// Its thing was named with what it corrects.
    amended: bool,
    /// A conjunction stands before the next nominal.
    joined: bool,
    /// Words in it that nothing explains: nobody knows what it means, or what takes something from it.
    pub loose: Vec<String>,
}

impl Clause {
    fn is_empty(&self) -> bool {
        self.nominals.is_empty() && self.predicates.is_empty() && self.property.is_none()
    }

    fn waits_for_object(&self) -> bool {
        self.nominals.is_empty() && self.predicates.last().is_some_and(|(p, _)| !p.closed)
    }

    /// `降一度客厅空调`: what is told so much of stands right behind the value, and nothing else is told of it.
    fn says_so_much_of_what_follows(&self, after: &[Chunk]) -> bool {
        let tells = |c: &&Chunk| matches!(c, Chunk::Predicate(_) | Chunk::Break { .. });
        let alone = after.iter().find(tells).is_none_or(|c| matches!(c, Chunk::Break { .. }));
        self.nominals.is_empty() && self.predicates.len() == 1 && alone
    }

    /// Whether places were said before the verb and their devices come after it (`厨房开灯`).
    fn waits_at_places(&self) -> bool {
        let places =
            !self.nominals.is_empty() && self.nominals.iter().all(|n| n.head.is_none() && !n.places.is_empty());
        places && self.predicates.len() == 1 && !self.predicates[0].0.closed && self.predicates[0].1.is_none()
    }

    /// Gives a property to the predicate that came before it (`调高音量`), else keeps it for the next.
    fn take_property(&mut self, property: PropertyId) {
        match self.predicates.last_mut() {
            Some((predicate, own @ None)) if !predicate.closed => *own = Some(property),
            _ => self.properties.extend(self.property.replace(property).filter(|before| *before != property)),
        }
    }
}

/// Clauses of a sentence, complete: what one leaves out is filled in from its neighbours. The texts are what no clause
/// could take. `local`: the room of the speaker.
pub fn clauses(chunks: &[Chunk], vocabulary: &Vocabulary, local: Option<usize>) -> (Vec<Clause>, Vec<String>) {
    let mut chunks = chunks.to_vec();
    chunks.iter_mut().for_each(|chunk| others_of_kind(chunk, vocabulary));
    let chunks = &chunks[..];
    let mut assembly = Assembly::default();
    for (at, chunk) in chunks.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|i| chunks.get(i));
        assembly.take(chunk, &chunks[at + 1..], before, vocabulary);
    }
    assembly.close();
    assembly.exclude_at_end();
    let mut clauses = assembly.done;
    clauses.iter_mut().for_each(Clause::stand_together);
    clauses.iter_mut().for_each(|c| c.stand_in_row(vocabulary));
    clauses.iter_mut().for_each(|c| c.stand_apart(vocabulary));
    fill(&mut clauses, vocabulary, local);
    stay_in_room(&mut clauses, vocabulary, local);
    (clauses, assembly.loose)
}

#[derive(Default)]
struct Assembly {
    done: Vec<Clause>,
    current: Clause,
    /// Exclusions that wait for what they are taken from.
    excluded: Option<Nominal>,
    /// A quantity that waits for what it counts (`随便打开一盏灯`).
    quantity: Option<Nominal>,
    loose: Vec<String>,
    /// What was said before a correction.
    corrected: Option<Clause>,
}

impl Assembly {
    fn close(&mut self) {
        let mut clause = std::mem::take(&mut self.current);
        if let Some(quantity) = self.quantity.take() {
            // 全部关掉: nothing else says what.
            if clause.nominals.is_empty() {
                clause.nominals.push(quantity);
            } else {
                clause.nominals.iter_mut().for_each(|n| n.quantify(&quantity));
            }
        }
        if let Some(wrong) = self.corrected.take().filter(|_| !clause.is_empty()) {
            clause.amend(wrong);
        }
        if !clause.is_empty() {
            self.done.push(clause);
        } else {
            // Words by themselves could bind any of the others.
            self.loose.append(&mut clause.loose);
        }
    }

    fn take(&mut self, chunk: &Chunk, after: &[Chunk], before: Option<&Chunk>, vocabulary: &Vocabulary) {
        match chunk {
            // 去扫主卧和客厅
            Chunk::Nominal(nominal) if self.sends_on(nominal) => {
                let more = nominal.places.iter().cloned();
                self.current.nominals[0].places.extend(more);
                self.current.joined = false;
            }
            Chunk::Nominal(nominal) if self.sends(nominal, before, after) => {
                let sent = &mut self.current.nominals[0];
                sent.places.clone_from(&nominal.places);
                sent.errand = true;
            }
            Chunk::Nominal(nominal) => {
                if self.is_over_before(nominal, after) {
                    self.close();
                }
                self.take_nominal(nominal.clone(), before, after);
            }
            Chunk::Predicate(predicate) => self.take_predicate(predicate.clone(), after),
            Chunk::Disposal => {
                if !self.current.predicates.is_empty() && !self.current.waits_for_object() {
                    self.close();
                }
            }
            Chunk::Conjunction => {
                let verb_follows = matches!(after.first(), Some(Chunk::Predicate(_) | Chunk::Disposal));
                if verb_follows && !self.current.predicates.is_empty() {
                    self.close();
                } else {
                    self.current.joined = true;
                }
            }
            Chunk::Break { strong } => {
                if self.ends_at_pause(*strong, after) {
                    self.close();
                }
            }
            Chunk::Each => {
                // 台灯和顶灯都打开: of a list 都 says that both are meant, not that there are several of each.
                let list = self.current.nominals.len() > 1;
                match (&mut self.quantity, self.current.nominals.is_empty()) {
                    (Some(quantity), _) => quantity.each = true,
                    (None, true) => self.current.each = true,
                    (None, false) => {
                        let named = |n: &Nominal| matches!(n.head, Some(Head::Named { .. } | Head::Sort(..)));
                        self.current.nominals.iter_mut().filter(|n| !(list && named(n))).for_each(|n| n.each = true);
                    }
                }
            }
            Chunk::Also => {
                self.current.also = true;
                self.current.joined = true;
            }
            Chunk::Except => self.exclude_last(vocabulary),
            Chunk::Correction => self.correct(),
            Chunk::Loose(text) => self.current.loose.push(text.clone()),
        }
    }

    /// `冷气开起来风大点`: a property that is stepped right behind it is not what the verb before it does.
    fn is_over_before(&self, nominal: &Nominal, after: &[Chunk]) -> bool {
        let alone = Nominal { property: None, ..nominal.clone() }.is_empty() && nominal.property.is_some();
        let done = matches!(self.current.predicates.last(), Some((p, None)) if matches!(p.core, Core::Verb(_)));
        let stepped = matches!(
            after.first(),
            Some(Chunk::Predicate(p)) if match &p.core {
                Core::Step(ways, _) => ways.iter().all(|(own, _)| own.is_none()),
                // 取消静音声音调到五十
                Core::Set(own, Amount::Number(..) | Amount::Percent(_)) => own.is_none() && !p.bare,
                _ => false,
            }
        );
        alone && done && stepped && self.current.nominal_first && !self.current.nominals.is_empty()
    }

    /// `客厅把灯关了`, `灯在车库里打开`: a place and a thing that belong together. `None` when the place was taken in.
    fn merge_place(&mut self, mut nominal: Nominal, before: Option<&Chunk>) -> Option<Nominal> {
        let apart =
            self.current.joined || !self.current.predicates.is_empty() || matches!(before, Some(Chunk::Break { .. }));
        let Some(last) = self.current.nominals.last_mut().filter(|_| !apart) else { return Some(nominal) };
        let placed = |n: &Nominal| n.head.is_none() && !n.places.is_empty();
        // 地暖客厅那个
        let one = |n: &Nominal| !n.places.is_empty() && matches!(n.head, None | Some(Head::Reference(None)));
        let headed = |n: &Nominal| n.head.is_some() && n.places.is_empty();
        // 大厅那俩灯: the pronoun only points.
        let points = last.head == Some(Head::Reference(None)) && nominal.count.is_some() && nominal.head.is_some();
        if points && nominal.places.is_empty() && matches!(before, Some(Chunk::Nominal(_))) {
            nominal.places.append(&mut last.places);
            self.current.nominals.pop();
        } else if placed(last) && headed(&nominal) && matches!(before, Some(Chunk::Disposal)) {
            nominal.places.append(&mut last.places);
            nominal.leave_out(last);
            self.current.nominals.pop();
        } else if headed(last) && one(&nominal) && matches!(before, Some(Chunk::Nominal(_))) {
            // 空调除了浩浩那台全家的统统关掉
            last.leave_out(&nominal);
            last.places = nominal.places;
            return None;
        }
        Some(nominal)
    }

    fn take_nominal(&mut self, mut nominal: Nominal, before: Option<&Chunk>, after: &[Chunk]) {
        if nominal.only_excludes() {
            self.excluded = Some(nominal);
            return;
        }
        self.leave_out_before(&mut nominal);
        if let Some(excluded) = self.excluded.take() {
            nominal.leave_out(&excluded);
            // 只留夜灯，其他都关了: others of its kind.
            if nominal.head.is_none() && nominal.other {
                nominal.head = nominal.except_heads.iter().find_map(of_its_kind);
            }
        }
        // 二楼的灯除了书房的，其余全关: the others of what was named before.
        let waits = self.current.predicates.is_empty() && !self.current.nominals.is_empty();
        if waits && nominal.other && nominal.places.is_empty() && !nominal.except_is_empty() {
            self.current.nominals.iter_mut().for_each(|named| named.leave_out(&nominal));
            return;
        }
        if nominal.only_quantifies() {
            self.quantity = Some(nominal);
            return;
        }
        if self.points_back(&nominal, before) {
            return;
        }
        let property = nominal.property.take();
        if nominal.is_empty() {
            if let Some(property) = property {
                let separated = matches!(before, Some(Chunk::Break { .. }));
                if !self.current.predicates.is_empty()
                    && (separated || self.current.predicates.iter().all(|(p, own)| p.closed || own.is_some()))
                {
                    self.close();
                }
                self.current.take_property(property);
            }
            return;
        }
        let mut nominal = match self.merge_place(nominal, before) {
            Some(nominal) => nominal,
            None => return,
        };
        let after_verb = matches!(before, Some(Chunk::Predicate(_)));
        if after_verb && nominal.places.is_empty() && nominal.head.is_some() && self.current.waits_at_places() {
            for place in &mut self.current.nominals {
                *place = Nominal { places: std::mem::take(&mut place.places), ..nominal.clone() };
            }
            if let Some(property) = property {
                self.current.take_property(property);
            }
            return;
        }
        let joined = std::mem::take(&mut self.current.joined);
        let continues_list = joined && !self.current.nominal_first && !self.current.nominals.is_empty();
        let takes_more = self.current.predicates.is_empty()
            || self.current.waits_for_object()
            || continues_list
            || after_verb && self.current.says_so_much_of_what_follows(after);
        if !takes_more {
            self.close();
        }
        if self.current.predicates.is_empty() {
            self.current.nominal_first = true;
            // 窗帘除了卧室的窗帘都拉上: of all of them those are left out.
            let kind = |n: &Nominal| if let Some(Head::Kind(kind, _)) = n.head { Some(kind) } else { None };
            if let Some(all) = self.current.nominals.last_mut()
                && !joined
                && !nominal.except_places.is_empty()
                && kind(all).is_some_and(|of| kind(&nominal) == Some(of))
            {
                all.except_places.append(&mut nominal.except_places);
                return;
            }
            if !joined && self.stands_for_itself(&nominal, before) {
                self.current.nominals.clear();
            }
        }
        // 灯和空调 share the room that was said first.
        if joined
            && nominal.places.is_empty()
            && nominal.head.is_some()
            && let Some(last) = self.current.nominals.last()
        {
            nominal.places = last.places.clone();
            nominal.shares_place = true;
        }
        self.current.nominals.push(nominal);
        if let Some(property) = property {
            self.current.take_property(property);
        }
    }

    fn take_predicate(&mut self, predicate: Predicate, after: &[Chunk]) {
        let property = self.current.property.take();
        let others = std::mem::take(&mut self.current.properties);
        if let Some((last, own)) = self.current.predicates.last_mut() {
            match (&mut last.core, &predicate.core) {
                (Core::SetOpen, Core::Set(..)) => {
                    let own = own.or(property);
                    self.current.predicates.pop();
                    self.current.predicates.push((predicate, own));
                    return;
                }
                // 打开亮度二十: what is switched on is the thing, and the value is of the property.
                (Core::Verb(_), Core::Set(None, _)) if predicate.bare && property.is_none() && own.is_some() => {
                    let own = own.take();
                    self.current.predicates.push((predicate, own));
                    return;
                }
                // 降低空调温度 两度.
                (Core::Step(_, by @ None), Core::Set(_, amount)) if predicate.bare => {
                    *by = Some(amount.clone());
                    *own = own.or(property);
                    return;
                }
                // 提高亮度到80: to, not by.
                (Core::Step(_, None), Core::Set(..)) if !predicate.opens && own.is_some() => {
                    let own = own.or(property);
                    self.current.predicates.pop();
                    self.current.predicates.push((predicate, own));
                    return;
                }
                _ => {}
            }
        }
        let fresh = self.current.predicates.is_empty() || self.current.nominals.is_empty();
        if !fresh && self.begins_clause(&predicate, after) {
            self.close();
        }
        self.current.joined = false;
        // 上下扫风和左右扫风都开，上层温度和下层温度都十度
        if matches!(predicate.core, Core::Verb(_)) || self.current.nominals.iter().any(|n| n.each) {
            self.current.predicates.extend(others.into_iter().map(|other| (predicate.clone(), Some(other))));
        }
        self.current.predicates.push((predicate, property));
    }

    /// Whether a second predicate takes what follows it (`开灯 关空调`) or what came before it (`灯打开 调到50%`).
    fn begins_clause(&self, predicate: &Predicate, after: &[Chunk]) -> bool {
        let mut rest = after.iter().skip_while(|c| matches!(c, Chunk::Each | Chunk::Disposal));
        let Some(Chunk::Nominal(next)) = rest.next() else { return false };
        if predicate.closed || (next.head.is_none() && next.places.is_empty()) {
            return false;
        }
        let followed = rest.find(|c| !matches!(c, Chunk::Each | Chunk::Also | Chunk::Nominal(_) | Chunk::Conjunction));
        !self.current.nominal_first || !matches!(followed, Some(Chunk::Predicate(_)))
    }
}
