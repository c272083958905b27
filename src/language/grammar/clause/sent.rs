//! Where what moves about is sent: `旺财去打扫餐厅和客厅，吸力最大`.

use super::*;

impl Assembly {
    /// `旺财去打扫餐厅，…`: a place at the end, after a verb whose doer was named.
    pub(super) fn sends(&self, nominal: &Nominal, before: Option<&Chunk>, after: &[Chunk]) -> bool {
        let place = nominal.head.is_none() && !nominal.places.is_empty() && nominal.property.is_none();
        let verb = matches!(before, Some(Chunk::Predicate(p)) if !p.closed && matches!(p.core, Core::Verb(_)));
        let done = matches!(after.first(), Some(Chunk::Break { .. }));
        let alone = matches!(&self.current.nominals[..], [only] if only.places.is_empty()
            && matches!(only.head, Some(Head::Named { .. } | Head::Kind(..) | Head::Sort(..) | Head::Reference(_))));
        place && verb && done && alone && self.current.nominal_first
    }

    /// Whether another place is joined to that where something was sent.
    pub(super) fn sends_on(&self, nominal: &Nominal) -> bool {
        let bare = nominal.head.is_none() && !nominal.places.is_empty() && nominal.except_is_empty();
        bare && self.current.joined && matches!(&self.current.nominals[..], [sent] if sent.errand)
    }
}
