//! Devices that are described instead of named, found by what they are and what they are for.

use std::collections::HashSet;
use std::time::Instant;

use tracing::debug;

use super::{Gist, Surroundings};
use crate::embedding::index::Hit;
use crate::language::command::Quantifier;
use crate::language::grammar::{Mention, Parse, mentions, parse};
use crate::language::order::{Order, Target};
use crate::retrieval::{Candidate, Entity, Signals};
use crate::text::normalize;
use crate::zh::Phrasing;

/// An order for something that was described, and what it may be, with the signal `vector` set.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// The order; its target bears the name of the most similar.
    pub order: Order,
    /// What may be meant, the most similar first; never empty.
    pub candidates: Vec<Candidate>,
}

/// What a device must reach to be meant, measured on `tests/eval/mentions.jsonl`: what describes nothing of the home must
/// not pass.
const SCORE: f32 = 0.6;

/// Least lead before devices of other kinds.
const MARGIN: f32 = 0.12;

/// Largest share of a description that neither the texts of the device nor empty words explain.
const FOREIGN: f32 = 0.35;

/// A device this far behind the best may be meant as well, if it stands nearer.
const BAND: f32 = 0.3;

/// The signal `vector` of the best: least, what a point of score adds to it, and most. It stays below that of a name.
const SIGNAL: (f32, f32, f32) = (0.5, 0.2, 0.7);

/// What a point of score behind the best takes from the signal: less over the whole band than the room counts.
const FALL: f32 = 0.5;

/// A description settled by the grammar: with any name in its place, the sentence is one order for one device.
pub fn settle(sentence: &str, place: Surroundings<'_>) -> Option<Mention> {
    let vocabulary = place.vocabulary;
    mentions(sentence, vocabulary).into_iter().find(|mention| {
        let hits = place.indexes.devices.rank(&mention.phrase(), None);
        let fits = |hit: &&Hit| mention.kind.is_none_or(|kind| vocabulary.devices[hit.owner].is(kind));
        hits.iter().find(fits).is_some_and(|hit| order(mention, hit.owner, place).is_some())
    })
}

/// The order of a sentence with the name of a device in place of its description.
fn order(mention: &Mention, device: usize, place: Surroundings<'_>) -> Option<Order> {
    let vocabulary = place.vocabulary;
    let name = &vocabulary.home.devices[device].name;
    let Parse::Orders(mut orders) = parse(&mention.named(name), vocabulary, place.speaker) else { return None };
    let mut order = orders.pop().filter(|_| orders.is_empty())?;
    let one =
        !order.everywhere && !order.each && order.ordinal.is_none() && order.filter.is_none() && order.count.is_none();
    // Words that the grammar took for a part of the name belong to the description.
    let exact = match &order.target {
        Target::Type(kind) => {
            vocabulary.devices[device].kinds.iter().any(|k| vocabulary.lexicon.kinds[*k].kind == *kind)
        }
        target => target.word(vocabulary).is_some_and(|named| normalize(named) == normalize(name)),
    };
    order.target = Target::device(device, vocabulary);
    order.quantifier = Quantifier::One;
    (one && exact && !order.action.moves_nothing()).then_some(order)
}

impl Gist {
    /// All devices of the kind that was said, by how well the description fits, the best first.
    pub async fn likeness(&self, mention: &Mention, place: Surroundings<'_>, deadline: Instant) -> Vec<Hit> {
        let phrase = mention.phrase();
        let vector = self.vector(&phrase, &place.indexes.devices, deadline).await;
        let mut hits = place.indexes.devices.rank(&phrase, vector.as_deref());
        hits.retain(|hit| mention.kind.is_none_or(|kind| place.vocabulary.devices[hit.owner].is(kind)));
        hits
    }

    /// What was described, as an order for what it may be; `None` when it is nothing here.
    pub(super) async fn describe(
        &self,
        mention: &Mention,
        place: Surroundings<'_>,
        deadline: Instant,
    ) -> Option<Described> {
        let hits = self.likeness(mention, place, deadline).await;
        let best = hits.first()?;
        let kinds = |hit: &Hit| &place.vocabulary.devices[hit.owner].kinds;
        let next = hits.iter().find(|hit| kinds(hit) != kinds(best)).map_or(0.0, |hit| hit.score);
        let foreign = foreign(
            &mention.description,
            &place.vocabulary.lexicon.texts.phrasing,
            place.indexes.devices.texts_of(best),
        );
        debug!(?mention, score = best.score, margin = best.score - next, foreign, "the nearest device");
        let sure = best.score >= SCORE && best.score - next >= MARGIN && foreign <= FOREIGN;
        let order = order(mention, best.owner, place).filter(|_| sure)?;
        let near = hits.iter().take_while(|hit| best.score - hit.score <= BAND);
        Some(Described { order, candidates: near.map(|hit| candidate(hit, best.score)).collect() })
    }
}

/// The share of a description that is in none of `texts` and means something.
pub(super) fn foreign<'t>(description: &str, phrasing: &Phrasing, texts: impl Iterator<Item = &'t str>) -> f32 {
    let known: HashSet<char> = texts.flat_map(str::chars).chain(phrasing.hollow.chars()).collect();
    let foreign = description.chars().filter(|c| !known.contains(c)).count();
    foreign as f32 / description.chars().count().max(1) as f32
}

fn candidate(hit: &Hit, best: f32) -> Candidate {
    let (least, slope, most) = SIGNAL;
    let vector = (least + slope * (best - SCORE)).min(most) - FALL * (best - hit.score);
    Candidate { entity: Entity::Device(hit.owner), signals: Signals { vector, ..Signals::default() } }
}
