//! What is left out, and what is corrected, after it was said.

use super::super::exclusion;
use super::super::nominal::Place;
use super::*;

impl Clause {
    /// Takes over from what was taken back whatever the correction does not say again.
    pub(super) fn amend(&mut self, wrong: Self) {
        // 猫粮机改成四份，说错了，两份: what nobody knew of it is still what it is about; the value that was wrong is none of it.
        let counts = |n: &Nominal| n.head.is_none() && n.places.is_empty();
        if self.nominals.iter().all(counts) {
            self.loose.extend(wrong.loose.into_iter().filter(|text| !is_number(text)));
        }
        // 麦克风音量八十，不对，六十五: another value of the same.
        let of = wrong.predicates.last().and_then(|(_, property)| *property);
        if self.nominals.is_empty() && self.property.is_none() {
            let valued = |p: &Predicate| matches!(p.core, Core::Set(None, Amount::Number(..) | Amount::Percent(_)));
            let values = self.predicates.iter_mut().filter(|(p, own)| own.is_none() && valued(p));
            values.for_each(|(_, own)| *own = of);
        }
        if self.predicates.is_empty() {
            self.predicates = wrong.predicates;
        }
        if self.nominals.is_empty() {
            self.nominals = wrong.nominals;
            return;
        }
        let head = wrong.nominals.iter().rev().find_map(|n| n.head.clone());
        for nominal in &mut self.nominals {
            if nominal.head.is_none() {
                nominal.head.clone_from(&head);
                self.amended = true;
            }
        }
    }
}

impl Assembly {
    /// `关灯，卧室除外`: the nominal before becomes an exclusion of what was said earlier.
    pub(super) fn exclude_last(&mut self, vocabulary: &Vocabulary) {
        // 卫生间和厨房的不要: all that was joined.
        let alone = self.current.predicates.is_empty();
        let mut excluded: Vec<Nominal> = Vec::new();
        while let Some(nominal) = self.current.nominals.pop() {
            excluded.push(nominal);
            if !alone || self.done.is_empty() {
                break;
            }
        }
        let empty = self.current.is_empty();
        let from = self.of_several();
        let earlier = match self.current.nominals.is_empty() {
            true => &mut self.done[from..],
            false => std::slice::from_mut(&mut self.current),
        };
        let Some(last) = earlier.last_mut() else { return };
        if last.nominals.is_empty() {
            last.nominals.push(Nominal::default());
        }
        for nominal in earlier.iter_mut().flat_map(|clause| &mut clause.nominals) {
            nominal.kept = true;
            for excluded in &excluded {
                match (&excluded.head, excluded.places.is_empty()) {
                    (Some(head), true) => nominal.except_heads.push(head.clone()),
                    // 卧室床头灯留着: no other lamp of that room.
                    (Some(head @ (Head::Sort(..) | Head::Named { .. })), false) if is_particular(head, vocabulary) => {
                        nominal.except_heads.push(standing(head, &excluded.places, vocabulary));
                    }
                    _ => nominal.except_places.extend(excluded.places.iter().cloned()),
                }
            }
        }
        if empty {
            self.current = Clause::default();
        }
    }

    /// Where the clauses begin that something may be left out of: `灯全关，灯带也关，就小胡房的留着` leaves nothing out of one lamp, and out of
    /// all of them what is named.
    fn of_several(&self) -> usize {
        let several = |n: &Nominal| {
            let general = matches!(n.head, Some(Head::Kind(..) | Head::Everything));
            general || n.all || n.each || n.places.contains(&Place::Home)
        };
        let last = self.done.iter().rposition(|clause| clause.nominals.iter().any(several));
        last.unwrap_or(self.done.len().saturating_sub(1))
    }

    /// `空调都关掉，只留主卧的`: what is left out was said last.
    pub(super) fn exclude_at_end(&mut self) {
        let Some(excluded) = self.excluded.take() else { return };
        let from = self.of_several();
        for nominal in self.done[from..].iter_mut().flat_map(|c| &mut c.nominals) {
            nominal.leave_out(&excluded);
        }
    }

    /// `全屋灯都关掉，就留玄关灯，电视关了`: what is left out is of the kind of what was told before, and not of what is named next.
    pub(super) fn leave_out_before(&mut self, next: &mut Nominal) {
        let kind = |head: &Head| match head {
            Head::Kind(kind, _) | Head::Sort(kind, _) | Head::Named { kind: Some(kind), .. } => Some(*kind),
            _ => None,
        };
        let left = self.excluded.as_ref().unwrap_or(next);
        let told = if self.current.predicates.is_empty() { self.done.last() } else { Some(&self.current) };
        let before = told.and_then(|clause| clause.nominals.last()?.head.as_ref()).and_then(kind);
        let of_before = before.is_some()
            && left.except_places.is_empty()
            && !left.except_heads.is_empty()
            && left.except_heads.iter().all(|head| kind(head) == before);
        if !of_before || next.other || next.head.as_ref().is_none_or(|head| kind(head) == before) {
            return;
        }
        if self.excluded.is_none() {
            self.excluded =
                Some(Nominal { except_heads: std::mem::take(&mut next.except_heads), ..Nominal::default() });
        }
        self.close();
        self.exclude_at_end();
    }

    /// Takes back the last predicate; what it was about stays.
    pub(super) fn correct(&mut self) {
        if self.current.is_empty() {
            // 不，还是…: twice corrected is corrected once.
            self.corrected = self.corrected.take().or_else(|| self.done.pop());
        } else {
            self.corrected = Some(std::mem::take(&mut self.current));
        }
    }
}

/// A thing in its room; `玄关和走廊灯别关` leaves out a lamp that stands elsewhere.
fn standing(head: &Head, places: &[Place], vocabulary: &Vocabulary) -> Head {
    let elsewhere = match head {
        Head::Named { devices, .. } => {
            !devices.iter().any(|d| places.iter().any(|place| placed::stands(*d, place, vocabulary)))
        }
        _ => false,
    };
    if elsewhere { head.clone() } else { exclusion::in_room(head.clone(), places) }
}

/// Whether something has a name of its own, or is of one sort of its kind.
fn is_particular(head: &Head, vocabulary: &Vocabulary) -> bool {
    match head {
        Head::Named { text, kind: Some(kind), .. } => !vocabulary.lexicon.kinds[*kind].words.contains(text),
        Head::Named { .. } | Head::Sort(..) => true,
        _ => false,
    }
}
