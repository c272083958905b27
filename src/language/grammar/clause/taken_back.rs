//! What is left out, and what is corrected, after it was said.

use super::*;

impl Assembly {
    /// `关灯，卧室除外`: the nominal before becomes an exclusion of what was said earlier.
    pub(super) fn exclude_last(&mut self) {
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
        let earlier = if self.current.nominals.is_empty() { self.done.last_mut() } else { Some(&mut self.current) };
        let Some(earlier) = earlier else { return };
        if earlier.nominals.is_empty() {
            earlier.nominals.push(Nominal::default());
        }
        for nominal in &mut earlier.nominals {
            for excluded in &excluded {
                match (&excluded.head, excluded.places.is_empty()) {
                    (Some(head), true) => nominal.except_heads.push(head.clone()),
                    _ => nominal.except_places.extend(excluded.places.iter().cloned()),
                }
            }
        }
        if empty {
            self.current = Clause::default();
        }
    }

    /// `空调都关掉，只留主卧的`: what is left out was said last.
    pub(super) fn exclude_at_end(&mut self) {
        let Some(excluded) = self.excluded.take() else { return };
        for nominal in self.done.last_mut().into_iter().flat_map(|c| &mut c.nominals) {
            nominal.leave_out(&excluded);
        }
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
