//! Arguments said in words that nobody knows: the value or the property of the home that they are like.

use std::time::Instant;

use tracing::debug;

use super::describe::foreign;
use super::{Gist, Surroundings};
use crate::embedding::index::{Document, Hit};
use crate::embedding::polarity::Agreement;
use crate::home::{Choice, Device, Domain};
use crate::language::action::Action;
use crate::language::grammar::{Outline, Parse, Role, Slot, outline, parse};
use crate::language::order::Order;
use crate::language::vocabulary::Vocabulary;
use crate::text::normalize;

/// Values of one home that can be found: an index over a hostile home stays small.
const MAX_VALUES: usize = 2_048;

/// Least score of a value, and least similarity in words: what describes another thing reaches 0.22.
const VALUE: (f32, f32) = (0.3, 0.08);

/// Least score of a property.
const PROPERTY: f32 = 0.3;

/// Largest share of an unknown word that the texts it is like do not explain.
const FOREIGN: f32 = 0.5;

/// Least lead before whatever means something else.
const MARGIN: f32 = 0.15;

/// One document for every value that a device can be set to by word; capabilities are counted through its choices.
pub(super) fn values(vocabulary: &Vocabulary) -> Vec<Document> {
    let devices = vocabulary.home.devices.iter().enumerate();
    let values = devices.flat_map(|(owner, device)| {
        let texts = move |choice: &Choice| {
            let written = choice.value.as_str().unwrap_or_default();
            let word = normalize(if choice.describe.is_empty() { written } else { &choice.describe });
            // 轻柔洗 is said 轻柔, and in whatever other words the language has for that.
            let like = vocabulary.lexicon.choices.iter().filter(|known| {
                known.words.iter().any(|other| other.chars().count() > 1 && word.contains(other.as_str()))
            });
            let others = like.flat_map(|known| known.words.iter().cloned()).collect::<Vec<_>>();
            std::iter::once(word).chain(others).collect()
        };
        choices(device).enumerate().map(move |(number, choice)| Document {
            owner,
            capability: number,
            texts: texts(choice),
        })
    });
    values.filter(|document| document.texts.first().is_some_and(|text| !text.is_empty())).take(MAX_VALUES).collect()
}

/// The values that a device can be set to by word, in order.
fn choices(device: &Device) -> impl Iterator<Item = &Choice> {
    let properties = device.properties.iter().filter(|property| property.writable).map(|property| &property.domain);
    let domains = properties.chain(device.commands.iter().filter_map(|command| command.argument.as_ref()));
    domains.filter_map(|domain| if let Domain::Enum(choices) = domain { Some(choices) } else { None }).flatten()
}

/// The order of a sentence with a word of the home in the slot, if the grammar is sure of it.
fn filled(slot: &Slot, word: &str, place: Surroundings<'_>) -> Option<Order> {
    let Parse::Orders(mut orders) = parse(&slot.filled(word), place.vocabulary, place.speaker) else { return None };
    orders.pop().filter(|order| orders.is_empty() && matches!(order.action, Action::Set { .. }))
}

impl Gist {
    /// The order that a sentence means with the word of the home that its unknown word is like, and the cosine.
    pub(super) async fn argument(
        &self,
        slot: &Slot,
        place: Surroundings<'_>,
        deadline: Instant,
    ) -> Option<(Order, f32)> {
        let around = outline(&slot.rest(), place.vocabulary, place.speaker)?;
        match slot.role {
            Role::Value => self.value(slot, &around, place, deadline).await,
            Role::Property => self.property(slot, &around, place, deadline).await,
        }
    }

    async fn value(
        &self,
        slot: &Slot,
        around: &Outline,
        place: Surroundings<'_>,
        deadline: Instant,
    ) -> Option<(Order, f32)> {
        let index = &place.indexes.values;
        let vector = self.vector(&slot.words, index, deadline).await;
        let mut hits = index.rank(&slot.words, vector.as_deref());
        hits.retain(|hit| place.meant(around, hit.owner) && hit.agreement != Agreement::Opposite);
        let word = |hit: &Hit| index.texts_of(hit).next().unwrap_or_default();
        let best = hits.first()?;
        let next = hits.iter().find(|hit| word(hit) != word(best)).map_or(0.0, |hit| hit.score);
        debug!(
            words = slot.words,
            value = word(best),
            score = best.score,
            margin = best.score - next,
            "the nearest value"
        );
        let foreign = foreign(&slot.words, &place.vocabulary.lexicon.texts.phrasing, index.texts_of(best));
        let sure = best.score >= VALUE.0 && best.words >= VALUE.1 && best.score - next >= MARGIN && foreign <= FOREIGN;
        let risky = place.vocabulary.devices[best.owner].risky;
        Some((filled(slot, word(best), place).filter(|_| sure && !risky)?, best.cosine.unwrap_or(0.0)))
    }

    /// Only of a device that was named: a number alone would fit too many.
    async fn property(
        &self,
        slot: &Slot,
        around: &Outline,
        place: Surroundings<'_>,
        deadline: Instant,
    ) -> Option<(Order, f32)> {
        around.devices.as_ref()?;
        let index = &place.indexes.capabilities;
        let vector = self.vector(&slot.words, index, deadline).await;
        let mut hits = index.rank(&slot.words, vector.as_deref());
        hits.retain(|hit| place.meant(around, hit.owner));
        let named = |hit: &Hit| number(hit, place.vocabulary);
        hits.retain(|hit| named(hit).is_some());
        let best = hits.first()?;
        let next = hits.iter().find(|hit| named(hit) != named(best)).map_or(0.0, |hit| hit.score);
        let name = named(best)?;
        debug!(words = slot.words, name, score = best.score, margin = best.score - next, "the nearest property");
        let phrasing = &place.vocabulary.lexicon.texts.phrasing;
        let telling: String = slot.words.chars().filter(|c| !phrasing.quantity.contains(*c)).collect();
        let foreign = foreign(&telling, phrasing, index.texts_of(best));
        let told = phrasing.how_much.contains(&slot.words) || foreign <= FOREIGN;
        let sure = best.score >= PROPERTY && best.score - next >= MARGIN && told;
        Some((filled(slot, &name, place).filter(|_| sure)?, best.cosine.unwrap_or(0.0)))
    }
}

/// The word for the property of a hit, if it takes numbers.
fn number(hit: &Hit, vocabulary: &Vocabulary) -> Option<String> {
    let ability = super::choice::ability(hit, vocabulary)?;
    let property = ability.property.filter(|_| matches!(ability.domain, Some(Domain::Number { .. })))?;
    vocabulary.lexicon.properties[property].words.first().cloned()
}
