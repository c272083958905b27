//! What a clause says not to do: `净化器别嘀嘀叫`, `床的背部不要动`.

use std::collections::BTreeSet;

use crate::home::DeviceIndex;
use crate::language::action::{Action, Amount};
use crate::language::lexicon::{Effect, Lexicon, PropertyId, Sense};
use crate::language::segment::Token;
use crate::language::vocabulary::Vocabulary;

/// What is not to be done.
#[derive(Debug)]
pub(super) struct Refusal {
    /// To these.
    pub(super) devices: BTreeSet<DeviceIndex>,
    /// What of them was named; empty where only they were.
    properties: Vec<PropertyId>,
    /// Whether it could be an ending that is refused: `别关`, `不动`.
    ends: bool,
}

impl Refusal {
    /// What a clause refuses of what it names.
    pub(super) fn of(clause: &[Token], devices: BTreeSet<DeviceIndex>, vocabulary: &Vocabulary) -> Self {
        let lexicon = &vocabulary.lexicon;
        let property = |s: &Sense| match s {
            Sense::Property(p) | Sense::Feature(p) | Sense::Direction { property: p, .. } => Some(*p),
            _ => None,
        };
        let properties = clause.iter().filter(|t| !t.is_entity()).flat_map(|t| t.senses.iter().filter_map(property));
        let ending = |s: &Sense| lexicon.switches(s) == Some(false);
        let held = |t: &Token| lexicon.held(&t.text) == Some(false);
        let spares = |s: &Sense| matches!(s, Sense::ExceptOpen | Sense::ExceptClose | Sense::ExceptAfter);
        let stays = |t: &Token| t.any(spares) || t.any(ending) || t.has(&Sense::Negation) && held(t);
        let ends = clause.iter().any(|t| !t.is_entity() && stays(t));
        Self { devices, properties: properties.collect(), ends }
    }

    /// What is left out as a whole.
    pub(super) fn whole(devices: BTreeSet<DeviceIndex>) -> Self {
        Self { devices, properties: Vec::new(), ends: true }
    }

    /// Whether an action is surely not what was refused: it ends something, where no ending was refused, or is about another
    /// property than the one that was named.
    pub(super) fn permits(&self, action: &Action, lexicon: &Lexicon) -> bool {
        let about = match action {
            Action::Set { property, .. } => *property,
            _ => None,
        };
        let another = about.is_some_and(|p| !self.properties.is_empty() && !self.properties.contains(&p));
        another || (!self.ends && ends(action, lexicon))
    }
}

/// Whether an action only ends something.
fn ends(action: &Action, lexicon: &Lexicon) -> bool {
    match action {
        Action::Verb(verb) => {
            let verb = &lexicon.verbs[*verb];
            verb.switches == Some(false) || matches!(verb.does.first(), Some(Effect::Flag(_, false)))
        }
        Action::Set { property: Some(_), to: Amount::Word(word) } => {
            lexicon.verb("off").is_some_and(|off| lexicon.verbs[off].words.first() == Some(word))
        }
        _ => false,
    }
}
