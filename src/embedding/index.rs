//! What the home can do, ready to be compared with a phrase: by words at once, by vectors when they have been computed.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::lexical::Lexicon;
use super::polarity::{Agreement, agreement};
use super::words::{Dimension, Meaning, Pole, Words};

/// What a standard deviation of cosine counts beside a full agreement in words (1.0).
const VECTOR_WEIGHT: f32 = 0.1;

/// The deviation is never taken for smaller: among a handful of texts it means nothing.
const LEAST_DEVIATION: f32 = 0.01;

/// Texts of one index; those of a home with more are compared no further: an index over a hostile home stays small.
const MAX_TEXTS: usize = 4_096;

/// One capability of one device, described by a handful of short texts; the one that fits best counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The device, as the caller numbers them.
    pub owner: usize,
    /// The capability of the device, as the caller numbers them.
    pub capability: usize,
    /// Description, verbs, values, aliases: several short texts, never one long one.
    pub texts: Vec<String>,
}

/// A document's standing for one phrase.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// [`Document::owner`].
    pub owner: usize,
    /// [`Document::capability`].
    pub capability: usize,
    /// What hits are ordered by: `words`, plus a tenth of the standard deviations that `cosine` lies above the mean
    /// over all texts of the index. Comparable within one index and, roughly, between indexes.
    pub score: f32,
    /// Similarity in words, 0 to 1.
    pub words: f32,
    /// Similarity of vectors; `None` while there are none.
    pub cosine: Option<f32>,
    /// What the polarity guard says. An opposite is never acted on and comes after all others.
    pub agreement: Agreement,
}

/// Documents to compare phrases with.
#[derive(Debug)]
pub struct Index {
    words: Arc<Words>,
    texts: Vec<String>,
    lexicon: Lexicon,
    documents: Vec<Entry>,
    vectors: OnceLock<Vec<Arc<[f32]>>>,
}

#[derive(Debug)]
struct Entry {
    owner: usize,
    capability: usize,
    /// Into [`Index::texts`].
    texts: Vec<usize>,
    directions: Vec<(Dimension, Pole)>,
}

impl Index {
    /// An index that compares by words. A text that several documents share is kept once.
    pub fn new(words: Arc<Words>, documents: Vec<Document>) -> Self {
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut texts = Vec::new();
        let mut meanings: Vec<Meaning> = Vec::new();
        let mut entries = Vec::with_capacity(documents.len());
        for document in documents {
            let mut entry = Entry {
                owner: document.owner,
                capability: document.capability,
                texts: Vec::with_capacity(document.texts.len()),
                directions: Vec::new(),
            };
            for text in document.texts {
                if texts.len() == MAX_TEXTS && !numbers.contains_key(&text) {
                    continue;
                }
                let number = *numbers.entry(text).or_insert_with_key(|text| {
                    meanings.push(words.meaning(text));
                    texts.push(text.clone());
                    texts.len() - 1
                });
                entry.directions.extend(meanings.get(number).into_iter().flat_map(|meaning| &meaning.directions));
                entry.texts.push(number);
            }
            entries.push(entry);
        }
        let lexicon = Lexicon::new(texts.iter().map(String::as_str).zip(&meanings));
        Self { words, texts, lexicon, documents: entries, vectors: OnceLock::new() }
    }

    /// The distinct texts, to be encoded as passages.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The texts of the document of a hit.
    pub fn texts_of(&self, hit: &Hit) -> impl Iterator<Item = &str> {
        let of = |entry: &&Entry| entry.owner == hit.owner && entry.capability == hit.capability;
        let texts = self.documents.iter().filter(of).flat_map(|entry| &entry.texts);
        texts.filter_map(|text| self.texts.get(*text).map(String::as_str))
    }

    /// Adds the vectors of [`Self::texts`], in their order. Ignored if there are too few or too many, or some already.
    pub fn set_vectors(&self, vectors: Vec<Arc<[f32]>>) {
        if vectors.len() == self.texts.len() {
            let _ = self.vectors.set(vectors);
        }
    }

    /// Whether vectors were set.
    pub fn has_vectors(&self) -> bool {
        self.vectors.get().is_some()
    }

    /// All documents, the best first: by words, and by `vector`, the phrase's as a query, if both sides have one.
    pub fn rank(&self, phrase: &str, vector: Option<&[f32]>) -> Vec<Hit> {
        let meaning = self.words.meaning(phrase);
        let words = self.lexicon.compare(phrase, &meaning);
        let cosines = vector.and_then(|vector| self.cosines(vector));
        let scale = cosines.as_deref().map(Scale::of);
        let mut hits: Vec<Hit> = self
            .documents
            .iter()
            .map(|document| {
                let words = best(&words, &document.texts).unwrap_or(0.0);
                let cosine = cosines.as_deref().and_then(|cosines| best(cosines, &document.texts));
                let vector = scale.as_ref().zip(cosine).map_or(0.0, |(scale, cosine)| scale.deviations(cosine));
                Hit {
                    owner: document.owner,
                    capability: document.capability,
                    score: words + VECTOR_WEIGHT * vector,
                    words,
                    cosine,
                    agreement: agreement(&meaning.directions, &document.directions),
                }
            })
            .collect();
        hits.sort_by(|a, b| {
            let opposite = |hit: &Hit| hit.agreement == Agreement::Opposite;
            opposite(a).cmp(&opposite(b)).then(b.score.total_cmp(&a.score))
        });
        hits
    }

    /// Owner, capability and best cosine of all documents by vectors alone, the nearest first; empty without vectors.
    pub fn nearest(&self, vector: &[f32]) -> Vec<(usize, usize, f32)> {
        let Some(cosines) = self.cosines(vector) else { return Vec::new() };
        let mut nearest: Vec<_> = self
            .documents
            .iter()
            .filter_map(|document| Some((document.owner, document.capability, best(&cosines, &document.texts)?)))
            .collect();
        nearest.sort_by(|a, b| b.2.total_cmp(&a.2));
        nearest
    }

    fn cosines(&self, vector: &[f32]) -> Option<Vec<f32>> {
        let vectors = self.vectors.get()?;
        Some(vectors.iter().map(|other| other.iter().zip(vector).map(|(a, b)| a * b).sum()).collect())
    }
}

/// How the cosines of one phrase are spread over the index. They crowd in a narrow band that moves from phrase to phrase,
/// so only their place in the band says something.
struct Scale {
    mean: f32,
    deviation: f32,
}

impl Scale {
    fn of(cosines: &[f32]) -> Self {
        let count = cosines.len().max(1) as f32;
        let mean = cosines.iter().sum::<f32>() / count;
        let variance = cosines.iter().map(|cosine| (cosine - mean).powi(2)).sum::<f32>() / count;
        Self { mean, deviation: variance.sqrt().max(LEAST_DEVIATION) }
    }

    fn deviations(&self, cosine: f32) -> f32 {
        (cosine - self.mean) / self.deviation
    }
}

fn best(scores: &[f32], texts: &[usize]) -> Option<f32> {
    texts.iter().filter_map(|text| scores.get(*text).copied()).max_by(f32::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Index {
        let document = |capability, texts: &[&str]| Document {
            owner: 7,
            capability,
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        };
        let documents =
            vec![document(0, &["上锁", "锁门"]), document(1, &["解锁", "开门"]), document(2, &["锁门", "关门"])];
        Index::new(Words::chinese(), documents)
    }

    #[test]
    fn an_index_over_a_hostile_home_stays_small() {
        let texts = |owner: usize| (0..24).map(|n| format!("灯{owner}-{n}")).collect();
        let documents = (0..1_000).map(|owner| Document { owner, capability: 0, texts: texts(owner) });
        let index = Index::new(Words::chinese(), documents.collect());
        assert_eq!((index.texts().len(), index.documents.len()), (MAX_TEXTS, 1_000));
        assert_eq!(index.rank("灯7-3", None)[0].owner, 7);
    }

    #[test]
    fn shared_texts_are_kept_once() {
        assert_eq!(index().texts(), ["上锁", "锁门", "解锁", "开门", "关门"]);
    }

    #[test]
    fn opposites_come_last_however_near_they_are() {
        let index = index();
        let towards = |x: f32| Arc::from([x, (1.0 - x * x).sqrt()]);
        index.set_vectors([0.0, 0.1, 1.0, 0.9, 0.2].map(towards).to_vec());
        assert_eq!(index.nearest(&[1.0, 0.0]).first().map(|hit| hit.1), Some(1));
        let hits = index.rank("把门锁上", Some(&[1.0, 0.0]));
        assert_eq!(hits.last().map(|hit| (hit.capability, hit.agreement)), Some((1, Agreement::Opposite)));
    }

    #[test]
    fn without_vectors_words_decide() {
        let index = index();
        index.set_vectors(Vec::new());
        assert!(!index.has_vectors());
        let hits = index.rank("开门", Some(&[1.0, 0.0]));
        assert_eq!(hits.first().map(|hit| (hit.owner, hit.capability, hit.cosine)), Some((7, 1, None)));
        assert!(Index::new(Words::chinese(), Vec::new()).rank("开门", None).is_empty());
    }
}
