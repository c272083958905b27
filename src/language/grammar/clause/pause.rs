//! Where a clause ends, and what in it only points back to what it named.

use super::*;

/// Words of a clause that nobody knows, with which it still stands by itself.
const STRANGE: usize = 2;

impl Assembly {
    /// Whether a pause ends the clause. A comma between nominals continues the list; after a predicate it ends the clause.
    pub(super) fn ends_at_pause(&self, strong: bool, after: &[Chunk]) -> bool {
        let Clause { nominals, predicates, loose, also, .. } = &self.current;
        // 空调还是关着，月亮灯调到最暗: what is not understood is of what it names.
        let headed =
            |n: &Nominal| !matches!(n.head, None | Some(Head::Strange(_) | Head::Unknown(_) | Head::Reference(_)));
        let named = |n: &Nominal| headed(n) || n.head.is_none() && n.places.is_empty() && n.property.is_some();
        let next = matches!(after.first(), Some(Chunk::Nominal(n)) if named(n));
        let apart = next && loose.len() <= STRANGE && nominals.iter().any(headed);
        let strange = predicates.is_empty() && !loose.is_empty() && (self.current.is_empty() || apart);
        // 射灯也是，柜机二十六度
        let again = *also && !nominals.is_empty() && !self.done.is_empty();
        !predicates.is_empty() || strange || again || strong && !self.current.is_empty()
    }

    /// `空调把显示灭了`, `净化器，水箱灯灭了`: what nobody knows is still what it is done to, and not the thing that it is of.
    pub(super) fn stands_for_itself(&self, nominal: &Nominal, before: Option<&Chunk>) -> bool {
        let alone = self.current.nominals.len() == 1 && self.current.property.is_none();
        match (&nominal.head, before) {
            (Some(Head::Strange(_)), Some(Chunk::Disposal)) => true,
            (Some(Head::Strange(_) | Head::Unknown(_)), Some(Chunk::Break { .. })) => alone,
            _ => false,
        }
    }

    /// `洗碗机让它开始洗`, `射灯灭了它`: the thing itself, named before it in the same breath.
    pub(super) fn points_back(&self, nominal: &Nominal, before: Option<&Chunk>) -> bool {
        let it = Nominal { head: Some(Head::Reference(None)), ..Nominal::default() };
        let named = |n: &Nominal| n.head.is_some() && !matches!(n.head, Some(Head::Reference(_)));
        let handled = match before {
            Some(Chunk::Disposal) => true,
            Some(Chunk::Predicate(predicate)) => matches!(predicate.core, Core::Verb(_)),
            _ => false,
        };
        let Clause { nominals, joined, nominal_first, .. } = &self.current;
        *nominal == it && handled && !joined && *nominal_first && nominals.last().is_some_and(named)
    }
}
