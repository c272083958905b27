//! What is told of what was found, and what was mentioned.

use std::collections::HashSet;

use super::*;
use crate::home::Home;

/// Candidates that are told: enough to choose from, however large the home is.
const MAX_CANDIDATES: usize = 5;

/// Devices that one utterance asks for by themselves.
const MAX_ASKED_FOR: usize = 8;

impl Outcome {
    /// The devices that were meant by themselves and move: none that moves only because a group or a scene has it. Of many
    /// that are told at once none is meant more than others of its kind.
    pub fn asked_for(&self, home: &Home) -> Vec<&str> {
        let meant = |entity: &Entity| match entity {
            Entity::Device(device) => Some(home.devices[*device].id.as_str()),
            _ => None,
        };
        let meant: HashSet<&str> = self.mentioned.iter().filter_map(meant).collect();
        let moved = self.instructs.iter().map(|instruct| instruct.id.as_str());
        let asked: Vec<&str> = moved.filter(|id| meant.contains(id)).collect();
        if asked.len() > MAX_ASKED_FOR { Vec::new() } else { asked }
    }
}

impl Resolver<'_> {
    pub(in crate::resolve) fn find(&mut self, found: &[Candidate], order: &Order) {
        for candidate in found.iter().take(MAX_CANDIDATES) {
            let known = self.candidates.iter().any(|c| c.set.is_none() && c.candidate.entity == candidate.entity);
            if !known {
                self.found(candidate.clone(), None, order);
            }
        }
    }

    /// A whole set is one candidate; of fewer each is one.
    pub(in crate::resolve) fn find_all(&mut self, devices: &[DeviceIndex], found: &[Candidate], order: &Order) {
        let whole = order.each || matches!(order.quantifier, Quantifier::All | Quantifier::Except);
        match found.first() {
            Some(first) if whole && devices.len() > 1 => {
                let command = encode(order, &self.context.world.vocabulary);
                let id = format!("{}-{}", command.scope, command.target);
                let set = Set { id, name: self.what(devices, order), members: devices.len() };
                self.found(first.clone(), Some(set), order);
            }
            _ => self.find(found, order),
        }
    }

    /// A group stands for its members.
    pub(in crate::resolve) fn find_group(&mut self, group: usize, found: &[Candidate], order: &Order) {
        let group = found.iter().filter(|c| c.entity == Entity::Group(group)).cloned().collect::<Vec<_>>();
        self.find(&group, order);
    }

    fn found(&mut self, candidate: Candidate, set: Option<Set>, order: &Order) {
        if self.candidates.len() < MAX_CANDIDATES {
            let command = encode(order, &self.context.world.vocabulary).to_string();
            self.candidates.push(Found { candidate, set, command });
        }
    }

    pub(in crate::resolve) fn mention(&mut self, entities: impl IntoIterator<Item = Entity>) {
        for entity in entities {
            if !self.mentioned.contains(&entity) {
                self.mentioned.push(entity);
            }
        }
    }
}
