//! Clauses that name a thing and something of it, and nothing else.

use super::super::super::action::{Action, Amount};
use super::super::super::lexicon::PropertyId;
use super::super::super::meaning::Source;
use super::super::super::vocabulary::Vocabulary;
use super::super::feature::meant;
use super::super::nominal::{Head, Nominal};
use super::super::predicate::Predicate;
use super::Clause;
use crate::home::Domain;
use crate::text::normalize;

impl Clause {
    /// `风扇摇头`, `扫地机器人集尘`: a feature of a thing that was named, and nothing said of it, is a wish for it.
    pub fn switch_feature_on(&mut self, vocabulary: &Vocabulary) {
        let named =
            |n: &Nominal| matches!(n.head, Some(Head::Named { scene: false, .. } | Head::Kind(..) | Head::Sort(..)));
        let Some(property) = self.property.filter(|_| self.predicates.is_empty() && self.loose.is_empty()) else {
            return;
        };
        let entry = &vocabulary.lexicon.properties[property];
        let feature = entry.flag && (entry.own || !entry.kinds.is_empty());
        if let (true, Some(on)) =
            (feature && !self.nominals.is_empty() && self.nominals.iter().all(named), vocabulary.lexicon.verb("on"))
        {
            self.predicates.push((Predicate::plain(on), Some(property)));
            self.property = None;
        }
    }

    /// `门锁电量`: a thing and something that is measured of it, and nothing else, asks for it.
    pub fn asks_for_value(&self, vocabulary: &Vocabulary) -> Option<PropertyId> {
        let named =
            |n: &Nominal| matches!(n.head, Some(Head::Named { scene: false, .. } | Head::Kind(..) | Head::Sort(..)));
        let whole = self.predicates.is_empty() && self.loose.is_empty() && self.nominals.len() == 1;
        self.property.filter(|p| whole && named(&self.nominals[0]) && !vocabulary.lexicon.properties[*p].flag)
    }

    /// `鱼缸喂食` of what is set to 喂食 for it: what is named is done.
    pub fn asks_to_do(&self, property: PropertyId, vocabulary: &Vocabulary) -> Option<Action> {
        let of = meant(self.nominals.first()?, vocabulary)?;
        let named = |d: usize| {
            let mut own = vocabulary.devices[d].abilities.iter().filter(|a| a.writable && a.property == Some(property));
            own.find_map(|a| match (&a.domain, a.source) {
                (Some(Domain::Enum(list)), Source::Property(at)) => {
                    let called = &vocabulary.home.devices[d].properties[at].describe;
                    list.iter().any(|c| c.describe == *called).then(|| normalize(called))
                }
                _ => None,
            })
        };
        let word = of.into_iter().find_map(named)?;
        Some(Action::Set { property: Some(property), to: Amount::Word(word) })
    }
}
