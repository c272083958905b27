//! The properties of entities, each sort of them once: a house has many things of a few models, which differ in their topics
//! alone.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde_json::Value;

use super::entity::{Slot, Writer};

/// The properties of an entity. Their topics go on from what the topics of the entity have in common.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// What each topic begins with.
    base: Box<str>,
    /// The properties, with the rest of each topic.
    pub(super) slots: Arc<[Slot]>,
}

impl Form {
    /// A topic of these properties in full.
    pub(super) fn topic(&self, rest: &str) -> String {
        format!("{}{rest}", self.base)
    }

    /// Whether a topic is the one that has this rest.
    pub(super) fn is_topic(&self, topic: &str, rest: &str) -> bool {
        topic.strip_prefix(&*self.base) == Some(rest)
    }
}

/// Those that there are.
#[derive(Debug, Default)]
pub(super) struct Forms {
    /// By a number of what they are; two may have the same.
    known: HashMap<u64, Vec<Arc<[Slot]>>>,
    /// What properties are called and take.
    documents: HashSet<Arc<Value>>,
}

impl Forms {
    /// Takes the properties of an entity.
    pub(super) fn take(&mut self, mut slots: Vec<Slot>) -> Form {
        let base = common(slots.iter_mut().flat_map(topics).map(|topic| &**topic));
        for topic in slots.iter_mut().flat_map(topics) {
            topic.drain(..base.len());
        }
        let known = self.known.entry(number(&slots)).or_default();
        let slots = match known.iter().find(|known| ***known == *slots) {
            Some(known) => Arc::clone(known),
            None => {
                for slot in &mut slots {
                    match self.documents.get(&slot.document) {
                        Some(known) => slot.document = Arc::clone(known),
                        None => _ = self.documents.insert(Arc::clone(&slot.document)),
                    }
                }
                let slots: Arc<[Slot]> = slots.into();
                known.push(Arc::clone(&slots));
                slots
            }
        };
        Form { base: base.into(), slots }
    }

    /// Lets go of what an entity was the last to have.
    pub(super) fn release(&mut self, form: Form) {
        let slots = form.slots;
        // It is held here and by the entity that is gone.
        if Arc::strong_count(&slots) > 2 {
            return;
        }
        let number = number(&slots);
        if let Some(known) = self.known.get_mut(&number) {
            known.retain(|known| !Arc::ptr_eq(known, &slots));
            if known.is_empty() {
                self.known.remove(&number);
            }
        }
        for slot in slots.iter() {
            // By this slot and by the set alone.
            if Arc::strong_count(&slot.document) == 2 {
                self.documents.remove(&slot.document);
            }
        }
    }

    /// How many there are, and how many documents.
    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.known.values().map(Vec::len).sum(), self.documents.len())
    }
}

/// The topics that a property is read and set by.
fn topics(slot: &mut Slot) -> Vec<&mut String> {
    let mut all: Vec<&mut String> = slot.read.iter_mut().map(|read| &mut read.topic).collect();
    match &mut slot.write {
        Some(Writer::Plain { topic, .. } | Writer::Field { topic, .. } | Writer::Light { topic, .. }) => {
            all.push(topic)
        }
        Some(Writer::Each(each)) => all.extend(each.iter_mut().map(|(_, topic, _)| topic)),
        None => {}
    }
    all
}

/// What all texts begin with.
fn common<'a>(mut texts: impl Iterator<Item = &'a str>) -> String {
    let Some(first) = texts.next() else { return String::new() };
    let shared = |one: &'a str, other: &str| {
        let end = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
        &one[..end.unwrap_or(one.len().min(other.len()))]
    };
    texts.fold(first, shared).to_owned()
}

/// A number by which the same properties are found again.
fn number(slots: &[Slot]) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{slots:?}").hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::codec::Codec;
    use super::super::entity::Reader;
    use super::*;

    fn slot(state: &str, command: &str, word: &str) -> Slot {
        let read = Reader { topic: state.into(), template: None, path: Vec::new(), alias: Vec::new() };
        let document = Arc::new(json!({"type": "bool", "describe": word}));
        let codec = Codec::Flag { on: "ON".into(), off: "OFF".into() };
        let write = Some(Writer::Plain { topic: command.into(), template: None });
        Slot { id: "power".into(), document, codec, read: Some(read), write, once: false }
    }

    #[test]
    fn things_of_one_model_share_all_but_their_topics() {
        let mut forms = Forms::default();
        let one = forms.take(vec![slot("灯/甲", "灯/甲/set", "开关")]);
        let other = forms.take(vec![slot("灯/乙", "灯/乙/set", "开关")]);
        let third = forms.take(vec![slot("灯/丙", "灯/丙/set", "灯")]);
        assert!(Arc::ptr_eq(&one.slots, &other.slots) && !Arc::ptr_eq(&one.slots, &third.slots));
        assert_eq!(forms.counts(), (2, 2));
        let rest = one.slots[0].read.as_ref().map(|read| read.topic.clone()).unwrap();
        assert_eq!((one.topic(&rest), other.topic("/set")), ("灯/甲".to_owned(), "灯/乙/set".to_owned()));
        assert!(one.is_topic("灯/甲", &rest) && !one.is_topic("灯/乙", &rest) && !one.is_topic("灯", &rest));
        for (form, left) in [(one, (2, 2)), (third, (1, 1)), (other, (0, 0))] {
            forms.release(form);
            assert_eq!(forms.counts(), left);
        }
    }

    #[test]
    fn what_texts_begin_with_ends_between_two_characters() {
        let of = |texts: &[&'static str]| common(texts.iter().copied());
        assert_eq!(of(&["a/灯/x", "a/的/x"]), "a/");
        assert_eq!([of(&["a/b", "a/bc"]), of(&["x", "y"]), of(&["a"]), of(&[])], ["a/b", "", "a", ""]);
    }
}
