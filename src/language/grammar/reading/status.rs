//! The state that is in question: of a thing, or of a feature of it.

use super::*;
use crate::home::Domain;
use crate::language::lexicon::Effect;

impl Reading {
    /// Takes a state by its verb. What was named before it is what it is said of (`电视静音关了吗`).
    pub(super) fn state(&mut self, verb: VerbId, vocabulary: &Vocabulary) {
        let Some(switches) = vocabulary.lexicon.verbs[verb].switches else {
            self.status.get_or_insert(Status::Verb(verb));
            return;
        };
        match &self.status {
            Some(Status::Verb(named)) if is_made(*named, vocabulary) => self.negated ^= !switches,
            Some(_) => {}
            None => self.status = Some(Status::Verb(verb)),
        }
    }

    /// The state in question; 有人, 漏水 are states as well.
    pub(super) fn status(&self, vocabulary: &Vocabulary) -> Option<Status> {
        let lexicon = &vocabulary.lexicon;
        match (&self.status, self.property) {
            // 童锁开着吗: of a feature the verb says whether it is.
            (Some(Status::Verb(verb)), Some(property))
                if self.is_switched(*verb, property, vocabulary)
                    || words::is_switched(property, &self.nominal, vocabulary) =>
            {
                let on = lexicon.verbs[*verb].switches.unwrap_or(true);
                Some(Status::Flag(property, on != self.negated))
            }
            // 不摇头了吗: a verb that has no word for how it leaves a thing.
            (Some(Status::Verb(verb)), _) if let Some((property, on)) = unnamed(*verb, vocabulary) => {
                Some(Status::Flag(property, on != self.negated))
            }
            (Some(status @ Status::Verb(_)), _) if self.negated => {
                status.opposite(&vocabulary.lexicon).or_else(|| Some(status.clone()))
            }
            (Some(status), _) => Some(status.clone()),
            (None, Some(property)) if is_flag(property, vocabulary) => Some(Status::Flag(property, !self.negated)),
            _ => None,
        }
    }

    /// Makes what is in question what says which things are meant, where things are named; whether it does.
    pub(super) fn only_those_in_state(&mut self, vocabulary: &Vocabulary) -> bool {
        let thing = matches!(self.nominal.head, Some(Head::Named { .. } | Head::Kind(..) | Head::Sort(..)));
        let Some(status) = self.status(vocabulary).filter(|_| thing && self.nominal.only.is_none()) else {
            return false;
        };
        self.nominal.only = Some(Condition::Status { status, holds: true });
        true
    }

    /// Whether a verb says of a property whether it is on, and not of its thing.
    fn is_switched(&self, verb: VerbId, property: PropertyId, vocabulary: &Vocabulary) -> bool {
        let entry = &vocabulary.lexicon.properties[property];
        if entry.own && entry.flag {
            return true;
        }
        let switches = vocabulary.lexicon.verbs[verb].switches.is_some();
        switches && (is_feature(property, vocabulary) || self.is_told_besides(property, vocabulary))
    }

    /// Whether what is named is told of a thing besides how that is as a whole: `护理床的手控器锁定`, `人体传感器的有人`.
    fn is_told_besides(&self, property: PropertyId, vocabulary: &Vocabulary) -> bool {
        let whole = ["power", "open"].iter().any(|id| vocabulary.lexicon.property(id) == Some(property));
        let tells = |d: &usize| {
            let abilities = &vocabulary.devices[*d].abilities;
            let named = abilities.iter().find(|a| a.property == Some(property));
            let others = || abilities.iter().any(|a| a.writable && a.property != Some(property));
            named.is_some_and(|named| named.domain == Some(Domain::Bool) && (!named.writable || others()))
        };
        let devices = super::super::feature::meant(&self.nominal, vocabulary).unwrap_or_default();
        !whole && !devices.is_empty() && devices.iter().all(tells)
    }
}

/// Whether a verb makes a feature so (`静音`, `扫风`), and does not only switch.
fn is_made(verb: VerbId, vocabulary: &Vocabulary) -> bool {
    let verb = &vocabulary.lexicon.verbs[verb];
    let makes = |e: &Effect| matches!(e, Effect::Flag(property, _) if is_feature(*property, vocabulary));
    verb.switches.is_none() && verb.does.iter().any(makes)
}

/// The feature that a verb makes so, or ends, and that has no word of its own for how that leaves a thing.
fn unnamed(verb: VerbId, vocabulary: &Vocabulary) -> Option<(PropertyId, bool)> {
    let entry = &vocabulary.lexicon.verbs[verb];
    let makes = |e: &Effect| match e {
        Effect::Flag(property, on) => Some((*property, *on)).filter(|_| is_feature(*property, vocabulary)),
        _ => None,
    };
    entry.does.iter().find_map(makes).filter(|_| entry.state.is_empty() && is_made(verb, vocabulary))
}
