//! One score from named signals, and the gate.

use serde::Serialize;

use super::Entity;

/// Two candidates whose scores differ by less are equally meant.
pub const EPSILON: f32 = 0.08;

/// A candidate whose name says less than this is not found at all.
pub const FLOOR: f32 = 0.5;

/// What speaks for a candidate; every signal is 0 when it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Signals {
    /// Spelling of the name: 1 exact, 0.98 alias, less for parts.
    pub name: f32,
    /// Sound of the name.
    pub pinyin: f32,
    /// Shared bigrams of the name.
    pub fuzzy: f32,
    /// The word is one for its kind.
    pub kind: f32,
    /// It is of the type of the command: a weak feature.
    pub r#type: f32,
    /// It stands where the speaker is.
    pub room: f32,
    /// It can do what is asked: a strong feature.
    pub capability: f32,
    /// It can be reached.
    pub online: f32,
    /// It was mentioned last.
    pub recent: f32,
    /// Similarity of meaning, 0 without a model.
    pub vector: f32,
}

impl Signals {
    /// What the name alone says: the best of its signals.
    pub fn naming(&self) -> f32 {
        [self.name, self.pinyin, self.fuzzy, self.kind, self.vector].into_iter().fold(0.0, f32::max)
    }

    /// The score: what the name says, weighed by place, ability, reach and recency.
    pub fn score(&self) -> f32 {
        self.naming()
            + 0.3 * self.room
            + 0.4 * self.capability
            + 0.5 * self.online
            + 0.03 * self.r#type
            + 0.05 * self.recent
    }
}

/// Something found.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What.
    pub entity: Entity,
    /// Why.
    pub signals: Signals,
}

impl Candidate {
    /// Its score.
    pub fn score(&self) -> f32 {
        self.signals.score()
    }
}

/// The candidates as good as the best, best first.
pub fn leaders(candidates: &[Candidate]) -> &[Candidate] {
    let Some(best) = candidates.first() else { return &[] };
    let end = candidates.iter().take_while(|c| best.score() - c.score() < EPSILON).count();
    &candidates[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(name: f32, room: f32) -> Candidate {
        Candidate { entity: Entity::Device(0), signals: Signals { name, room, ..Signals::default() } }
    }

    #[test]
    fn the_gate_holds_back_what_is_as_good_as_the_best() {
        let found = [candidate(1.0, 0.0), candidate(0.98, 0.0), candidate(0.85, 0.0)];
        assert_eq!(leaders(&found).len(), 2);
        assert!(leaders(&[]).is_empty());
    }

    #[test]
    fn a_part_of_a_name_in_the_room_beats_the_whole_name_elsewhere() {
        assert!(candidate(0.85, 1.0).score() - candidate(1.0, 0.0).score() > EPSILON);
    }
}
