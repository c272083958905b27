//! The gist of a sentence that the grammar is not sure of: the situation it tells of, or the one thing it wants of a device,
//! found by similarity in words and vectors.
//!
//! Similarity chooses among what the home can do and nothing else: it writes an ordinary command, and resolution decides
//! what moves. The polarity guard stands in between: a sentence never does the opposite of what its words say, and what
//! is risky is only ever asked for.

mod argument;
mod choice;
mod describe;
mod portrait;
mod stored;

use std::sync::Arc;
use std::time::Instant;

use prometheus_client::metrics::counter::Counter;
use tracing::{debug, info, warn};

use crate::embedding::cache::{VectorStore, passages};
use crate::embedding::documents::documents;
use crate::embedding::index::{Document, Hit, Index};
use crate::embedding::polarity::Agreement;
use crate::embedding::words::Words;
use crate::embedding::{Encoder, Kind};
use crate::home::RoomIndex;
use crate::language::grammar::{Outline, SpeakerContext, outline, slot};
use crate::language::lexicon::Lexicon;
use crate::language::order::Order;
use crate::language::vocabulary::Vocabulary;
use crate::zh::Texts;
use portrait::portraits;

pub use describe::{Described, settle};
pub use stored::StoredVectors;

/// Characters of the longest sentence that is looked at. Whoever says more tells a story.
const MAX_CHARACTERS: usize = 24;

/// Looked at before anything else: what is found in a sentence grows with its length, and so does the cost of each find.
fn is_long(sentence: &str) -> bool {
    sentence.chars().nth(MAX_CHARACTERS).is_some()
}

/// What has to be there before similarity is believed. Measured on `tests/eval/no-commands.txt`, of which nothing may pass.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bar {
    /// Least score of the best, see [`Hit::score`].
    score: f32,
    /// Least similarity in words of the best: vectors alone say too little of sentences that are no commands.
    words: f32,
    /// Least lead before the next that means something else.
    margin: f32,
    /// Largest share of characters that nothing explains: 皮肤好干 is not about the air. Nothing may be left unexplained
    /// where the words have no direction for the guard to check.
    foreign: f32,
}

/// For a situation. One strange character is enough to make it another: 我有点冷 and 我有点冷淡.
const SITUATION: Bar = Bar { score: 0.65, words: 0.3, margin: 0.3, foreign: 0.0 };

/// For a capability of a device that was named.
const NAMED: Bar = Bar { score: 0.7, words: 0.35, margin: 0.3, foreign: 0.2 };

/// For a capability of something in the room, when nothing was named.
const UNNAMED: Bar = Bar { score: 0.85, words: 0.4, margin: 0.4, foreign: 0.0 };

/// What a sentence was found to mean, and how similar by vectors it is to that; 0 without vectors.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A situation by its position in the lexicon, and the room it was said of.
    Situation(usize, Option<RoomIndex>, f32),
    /// One thing to do.
    Order(Order, f32),
    /// One thing to do for something that was described.
    Described(Described),
}

/// What can be found in a home by similarity.
#[derive(Debug)]
pub struct Indexes {
    /// What its devices can do; see [`crate::embedding::documents`].
    pub capabilities: Index,
    /// What its devices are; owners are their positions.
    pub devices: Index,
    /// The values that its devices can be set to by word.
    pub values: Index,
}

/// How well the best fits.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Evidence {
    score: f32,
    words: f32,
    margin: f32,
    foreign: f32,
    cosine: f32,
    agreement: Agreement,
}

impl Evidence {
    /// Of the first of `hits`, if the guard lets it pass; `other` says which hits mean something else.
    fn of(hits: &[Hit], foreign: f32, other: impl Fn(&Hit) -> bool) -> Option<Self> {
        let best = hits.first().filter(|hit| hit.agreement != Agreement::Opposite)?;
        let next = hits.iter().skip(1).find(|hit| other(hit)).map_or(0.0, |hit| hit.score);
        Some(Self {
            score: best.score,
            words: best.words,
            margin: best.score - next,
            foreign,
            cosine: best.cosine.unwrap_or(0.0),
            agreement: best.agreement,
        })
    }

    fn clears(&self, bar: &Bar) -> bool {
        let foreign = if self.agreement == Agreement::Same { bar.foreign } else { 0.0 };
        self.score >= bar.score && self.words >= bar.words && self.margin >= bar.margin && self.foreign <= foreign
    }
}

/// Where a sentence is understood.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Words and devices of the home.
    pub vocabulary: &'a Vocabulary,
    /// What can be found in the home, see [`Gist::index`].
    pub indexes: &'a Indexes,
    /// Who speaks where.
    pub speaker: &'a SpeakerContext,
}

impl Surroundings<'_> {
    /// Whether a device may be meant: one of those that were named, where they were said to be, or one of the room.
    fn meant(&self, outline: &Outline, device: usize) -> bool {
        let stands = self.vocabulary.home.devices[device].room;
        match (&outline.devices, outline.room) {
            (Some(devices), None) => devices.contains(&device),
            (Some(devices), room) => devices.contains(&device) && stands == room,
            (None, Some(room)) => stands == Some(room),
            (None, None) => !outline.placed && stands.is_some() && stands == self.speaker.local,
        }
    }
}

/// Understanding by similarity. Without an encoder it works by words alone.
pub struct Gist {
    words: Arc<Words>,
    texts: Arc<Texts>,
    encoder: Option<Encoder>,
    store: Box<dyn VectorStore>,
    /// The situations of the lexicon; owners are their positions.
    situations: Index,
    /// Counts the vectors that were not there in time.
    late: Counter,
}

impl std::fmt::Debug for Gist {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gist").field("encoder", &self.encoder).finish_non_exhaustive()
    }
}

impl Gist {
    /// With an encoder, if there is one, whose vectors are kept in `store`.
    pub fn new(lexicon: &Lexicon, encoder: Option<Encoder>, store: Box<dyn VectorStore>) -> Self {
        let words = Arc::clone(&lexicon.meanings);
        let situations = lexicon.situations.iter().enumerate();
        let situations = situations.map(|(owner, s)| Document { owner, capability: 0, texts: s.texts.clone() });
        let situations = Index::new(Arc::clone(&words), situations.collect());
        Self { words, texts: Arc::clone(&lexicon.texts), encoder, store, situations, late: Counter::default() }
    }

    /// The same, which counts the vectors that were not there in time.
    #[must_use]
    pub fn counting(self, late: Counter) -> Self {
        Self { late, ..self }
    }

    /// What can be found in a home, to be compared by words; [`Self::prepare`] adds the vectors.
    pub fn index(&self, vocabulary: &Vocabulary) -> Indexes {
        let index = |documents| Index::new(Arc::clone(&self.words), documents);
        Indexes {
            capabilities: index(documents(&vocabulary.home, &vocabulary.lexicon.capabilities)),
            devices: index(portraits(vocabulary)),
            values: index(argument::values(vocabulary)),
        }
    }

    /// Computes the vectors of an index that are not in the store, behind whatever is being understood meanwhile.
    pub async fn prepare(&self, indexes: &Indexes) {
        let Some(encoder) = &self.encoder else { return };
        let all = [&self.situations, &indexes.capabilities, &indexes.devices, &indexes.values];
        for index in all.into_iter().filter(|index| !index.has_vectors()) {
            let started = Instant::now();
            let progress = |done, all| info!(done, all, "computing vectors");
            match passages(encoder, self.store.as_ref(), index.texts(), progress).await {
                Ok(vectors) => {
                    index.set_vectors(vectors);
                    info!(texts = index.texts().len(), ms = started.elapsed().as_millis() as u64, "vectors are ready");
                }
                Err(error) => warn!(%error, "understanding by words alone"),
            }
        }
    }

    /// What a sentence describes that the grammar took for something else: `打开制冷的那个` switches no mode.
    pub async fn read_description(&self, sentence: &str, place: Surroundings<'_>, deadline: Instant) -> Option<Found> {
        if is_long(sentence) {
            return None;
        }
        let mention = settle(sentence, place)?;
        self.describe(&mention, place, deadline).await.map(Found::Described)
    }

    /// What a sentence means by similarity; `guess` is what the grammar made of it. A vector that is not there by
    /// `deadline` is done without.
    pub async fn read(
        &self,
        sentence: &str,
        guess: &[Order],
        place: Surroundings<'_>,
        deadline: Instant,
    ) -> Option<Found> {
        if is_long(sentence) {
            return None;
        }
        // Something is described: then it decides, and what the rest of the words are like does not.
        if let Some(mention) = settle(sentence, place) {
            return self.describe(&mention, place, deadline).await.map(Found::Described);
        }
        if guess.len() > 1 {
            return None;
        }
        // A word that nobody knows stands where something is set: all the rest has to be known.
        if let Some(slot) = slot(sentence, place.vocabulary, place.speaker) {
            let found = self.argument(&slot, place, deadline).await;
            return found.map(|(order, cosine)| Found::Order(order, cosine));
        }
        let outline = outline(sentence, place.vocabulary, place.speaker)?;
        let bar = if outline.devices.is_some() { NAMED } else { UNNAMED };
        let capabilities = &place.indexes.capabilities;
        // Vectors take milliseconds, and most talk is like nothing even in words.
        let situation = guess.is_empty() && self.may_clear(&SITUATION, &outline.phrase, &self.situations);
        if !situation && !self.may_clear(&bar, &outline.phrase, capabilities) {
            return None;
        }
        let vector = self.vector(&outline.phrase, capabilities, deadline).await;
        let situation = if guess.is_empty() { self.situation(&outline, vector.as_deref()) } else { None };
        situation.or_else(|| self.capability(&outline, guess, place, vector.as_deref()))
    }

    /// Whether anything is enough like a phrase in words to clear a bar, whatever its vector should be.
    fn may_clear(&self, bar: &Bar, phrase: &str, index: &Index) -> bool {
        index.rank(phrase, None).iter().any(|hit| {
            let like = hit.agreement != Agreement::Opposite && hit.words >= bar.words;
            like && self.foreign(phrase, index, hit) <= bar.foreign
        })
    }

    /// The vector of a phrase to be compared with an index, if it is there in time and there is something to compare with.
    async fn vector(&self, phrase: &str, index: &Index, deadline: Instant) -> Option<Arc<[f32]>> {
        let encoder = self.encoder.as_ref().filter(|_| index.has_vectors())?;
        let vector = encoder.embed(Kind::Query, phrase, deadline).await;
        if vector.is_none() {
            self.late.inc();
        }
        vector
    }

    /// The share of a phrase that neither the word lists nor the texts it was found similar to explain. All of it, when
    /// that stands before anything that is explained: then it is the subject, and the sentence is about something else.
    fn foreign(&self, phrase: &str, index: &Index, hit: &Hit) -> f32 {
        let empty = |word: &str| word.chars().all(|c| !c.is_alphanumeric() || self.texts.phrasing.hollow.contains(c));
        let (mut foreign, mut explained) = (0, false);
        for (word, steers) in self.words.cut(phrase) {
            if steers || index.texts_of(hit).any(|text| text.contains(word)) {
                explained = true;
            } else if !empty(word) {
                if !explained {
                    return 1.0;
                }
                foreign += word.chars().count();
            }
        }
        foreign as f32 / phrase.chars().count().max(1) as f32
    }

    fn situation(&self, outline: &Outline, vector: Option<&[f32]>) -> Option<Found> {
        if outline.devices.is_some() || outline.placed && outline.room.is_none() {
            return None;
        }
        let hits = self.situations.rank(&outline.phrase, vector);
        let foreign = self.foreign(&outline.phrase, &self.situations, hits.first()?);
        let best = hits.first()?.owner;
        let evidence = Evidence::of(&hits, foreign, |hit| hit.owner != best)?;
        debug!(?evidence, situation = best, "the nearest situation");
        evidence.clears(&SITUATION).then_some(Found::Situation(best, outline.room, evidence.cosine))
    }

    fn capability(
        &self,
        outline: &Outline,
        guess: &[Order],
        place: Surroundings<'_>,
        vector: Option<&[f32]>,
    ) -> Option<Found> {
        let vocabulary = place.vocabulary;
        let mut hits = place.indexes.capabilities.rank(&outline.phrase, vector);
        hits.retain(|hit| place.meant(outline, hit.owner));
        let action = |hit: &Hit| choice::action(hit, outline, &self.words, vocabulary);
        let chosen = action(hits.first()?)?;
        let foreign = self.foreign(&outline.phrase, &place.indexes.capabilities, hits.first()?);
        let evidence = Evidence::of(&hits, foreign, |hit| action(hit).as_ref() != Some(&chosen))?;
        debug!(?evidence, action = ?chosen, "the nearest capability");
        let bar = if outline.devices.is_some() { NAMED } else { UNNAMED };
        if !evidence.clears(&bar) {
            return None;
        }
        let order = match guess {
            // Both agree: the grammar knows better whom it is said of.
            [guess] if choice::same(&guess.action, &chosen) => guess.clone(),
            [guess] if !choice::fits(&guess.action, &chosen) => return None,
            _ => choice::order(&chosen, &hits, outline, vocabulary)?,
        };
        Some(Found::Order(order, evidence.cosine))
    }
}
