//! A learned reader beside the grammar: which words of a sentence tell something to do, and which only comment on it.
//!
//! It reads no names and writes no commands. Of `主卧的空调启动一下今儿个冷得很` it says that the words after 一下 are none of the
//! command; the grammar reads what is left, with all that it asks of any sentence.

mod apart;
mod chain;
mod features;
mod pieces;
mod remark;
mod scorer;
mod thread;
mod weights;

pub use chain::{Chain, Likely, Role};
pub use features::{BUCKETS, Features, class, features};
pub use pieces::classes;
pub use weights::{Weights, WeightsError, pack};

use std::path::PathBuf;

use thread::Thread;
use tracing::debug;

use crate::embedding::ModelError;
use crate::language::lexicon::Lexicon;
use crate::language::segment::Token;

/// How likely all readings together have to be that come to the same, before that is believed. Each of them counts only if the
/// grammar is sure of all that is left.
pub const SURE: f32 = 0.6;

/// How likely one of them has to be to be believed where a weaker one is not.
pub const CERTAIN: f32 = 0.9;

/// Readings that are looked at: where exactly a comment ends is often open, and comes to the same.
const READINGS: usize = 8;

/// How likely one of them has to be.
const POSSIBLE: f32 = 0.04;

/// Words of the longest sentence that is read: what is known of a word grows with its clause.
const MAX_WORDS: usize = 48;

/// What the scorer's scores count beside those of the words' features.
const SHARE: f32 = 0.8;

/// How likely it has to be that nothing is told before nothing is said about it either.
const NOTHING: f32 = 0.98;

/// The reader that ships.
const SHIPPED: &[u8] = include_bytes!("../../models/reader-zh/weights.bin");

/// How far a reading is believed against what the words suggest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Trust {
    /// What might belong together belongs together.
    Little,
    /// What only might belong together is apart.
    Much,
    /// What it says is apart.
    Full,
}

/// Knows comments from commands.
#[derive(Debug)]
pub struct Reader {
    weights: Weights<3, BUCKETS>,
    scorer: Option<Thread>,
}

/// What a sentence was read as.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// For each word, whether it tells something to do, and how likely that reading is, from 0 to 1; the best is the first.
    pub readings: Vec<(Vec<bool>, f32)>,
    /// How likely nothing is told at all, from 0 to 1.
    pub nothing: f32,
    /// The scorer has read it, which knows more of what people say: what it is certain of stands apart.
    scored: bool,
}

impl Reader {
    /// The one that ships.
    ///
    /// # Errors
    /// When the weights that were built in are damaged.
    pub fn shipped() -> Result<Self, WeightsError> {
        Self::of(SHIPPED)
    }

    /// A reader of these weights, in the form that [`pack`] writes.
    ///
    /// # Errors
    /// When they are anything else.
    pub fn of(bytes: &[u8]) -> Result<Self, WeightsError> {
        Ok(Self { weights: Weights::read(bytes)?, scorer: None })
    }

    /// The same, with the scorer of these bytes beside it; `path` stands in errors.
    ///
    /// # Errors
    /// When they are none, or there is no thread for it.
    pub fn scored_by(self, path: PathBuf, bytes: Vec<u8>) -> Result<Self, ModelError> {
        Ok(Self { scorer: Some(Thread::start(path, bytes)?), ..self })
    }

    /// Whether there is a scorer beside it.
    pub fn is_scored(&self) -> bool {
        self.scorer.is_some()
    }

    /// The chain of a sentence by the features of its words; `None` for one that nobody commands in one breath.
    fn linear(&self, tokens: &[Token]) -> Option<Chain> {
        let weight = |role, feature| self.weights.of(role as usize, feature);
        (tokens.len() <= MAX_WORDS).then(|| Chain::new(&features(tokens), weight))
    }

    /// For each word how likely it tells something, and how likely nothing is told at all, by the features of words: what the ranker
    /// has learned to weigh. `None` for a sentence that nobody commands in one breath.
    pub fn likely(&self, tokens: &[Token]) -> Option<(Vec<f32>, f32)> {
        let chain = self.linear(tokens)?;
        Some((chain.likely().tells, chain.probability(&vec![false; tokens.len()])))
    }

    /// Reads a sentence: what may be told in it. `None` for a sentence that nobody commands in one breath.
    pub fn told(&self, tokens: &[Token]) -> Option<Told> {
        let linear = self.linear(tokens)?;
        // It reads what names something that could be told.
        let scorer = self.scorer.as_ref().filter(|_| tokens.iter().any(remark::names));
        let scores = scorer.and_then(|scorer| scorer.chain(tokens));
        let scored = scores.is_some();
        let chain = scores.map_or_else(|| linear.clone(), |scores| scores.mixed(&linear, SHARE));
        // A strange word tells nothing that could be done, unless the scorer knows better.
        let mute: Vec<bool> = tokens.iter().map(|t| t.is_residue() && !scored).collect();
        let nothing = chain.probability(&vec![false; tokens.len()]);
        Some(Told { readings: chain.likeliest(&mute, READINGS), nothing, scored })
    }
}

impl Told {
    /// What may be left of the sentence without what only comments on it, each with how likely that is.
    pub fn left(&self, tokens: &[Token], lexicon: &Lexicon) -> Vec<(String, f32)> {
        debug!(told = ?self, "read by the learned reader");
        let mut lefts: Vec<(String, f32)> = Vec::new();
        for (words, likely) in self.readings.iter().filter(|(_, likely)| *likely >= POSSIBLE) {
            let trust = match (*likely >= CERTAIN, self.scored) {
                (true, true) => Trust::Full,
                (true, false) => Trust::Much,
                (false, _) => Trust::Little,
            };
            let Some(left) = apart::apart(tokens, words, trust, lexicon) else { continue };
            // Where exactly a pause belongs to makes no difference.
            match lefts.iter_mut().find(|(known, _)| *known == left) {
                Some((_, total)) => *total += likely,
                None => lefts.push((left, *likely)),
            }
        }
        lefts
    }

    /// Whether it is all but certain that nothing is told at all.
    pub fn is_nothing(&self) -> bool {
        self.nothing >= NOTHING
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::home::parse;
    use crate::language::grammar::{self, SpeakerContext};
    use crate::language::vocabulary::Vocabulary;

    /// The scorer that is tried out.
    pub(super) const SCORER: &[u8] = include_bytes!("../../models/reader-zh/scorer.safetensors");

    fn vocabulary() -> Vocabulary {
        let document = include_str!("../../tests/homes/villa.json");
        let (home, _) = parse(&serde_json::from_str(document).unwrap()).unwrap();
        Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home))
    }

    /// The words of a sentence in the villa.
    pub(super) fn words(sentence: &str) -> Vec<Token> {
        grammar::words(sentence, &vocabulary(), &SpeakerContext::default()).unwrap()
    }

    /// The likeliest of what may be left.
    fn left(reader: &Reader, sentence: &str) -> Option<String> {
        let words = words(sentence);
        let told = reader.told(&words).unwrap();
        told.left(&words, &vocabulary().lexicon).into_iter().find(|(_, likely)| *likely >= SURE).map(|(left, _)| left)
    }

    #[test]
    fn a_story_is_not_read() {
        let reader = Reader::shipped().unwrap();
        assert!(reader.told(&words(&"打开空调，".repeat(10))).is_some());
        assert_eq!(reader.told(&words(&"打开空调，".repeat(20))), None);
    }

    #[test]
    fn comments_are_told_from_commands() {
        let reader = Reader::shipped().unwrap();
        for (sentence, command) in [
            ("客厅空调打开一下今儿个冻得慌", "客厅空调打开一下"),
            ("书房的窗帘拉上吧邻居瞅得见", "书房的窗帘拉上吧"),
            ("娃闹腾得很，把电视关了", "把电视关了"),
        ] {
            assert_eq!(left(&reader, sentence).as_deref(), Some(command), "{sentence}");
        }
    }

    #[test]
    fn of_talk_nothing_is_left_and_nothing_is_asked() {
        let reader = Reader::shipped().unwrap();
        for sentence in ["隔壁老王家昨天买了台空调花了八千", "我们单位空调坏了半个月没人修"]
        {
            assert_eq!(left(&reader, sentence), None, "{sentence}");
            assert!(reader.told(&words(sentence)).unwrap().is_nothing(), "{sentence}");
        }
    }

    #[test]
    fn what_a_verb_is_about_is_no_comment_on_it() {
        let reader = Reader::shipped().unwrap();
        for sentence in ["关掉小怪兽", "打开老伙计", "关掉大铁箱吧"] {
            assert_eq!(left(&reader, sentence), None, "{sentence}");
        }
    }

    #[test]
    fn the_files_are_those_of_the_manifest() {
        use sha2::{Digest, Sha256};
        let manifest: serde_json::Value =
            serde_json::from_str(include_str!("../../models/reader-zh/manifest.json")).unwrap();
        for (name, bytes) in [("weights.bin", SHIPPED), ("scorer.safetensors", SCORER)] {
            let sha256: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            let file = &manifest["files"][name];
            let known = (file["bytes"].as_u64(), file["sha256"].as_str());
            assert_eq!(known, (Some(bytes.len() as u64), Some(sha256.as_str())), "{name}");
        }
    }

    #[test]
    fn the_scorer_tells_comments_from_commands_that_the_chain_alone_does_not() {
        let alone = Reader::shipped().unwrap();
        let scored = Reader::shipped().unwrap().scored_by("scorer.safetensors".into(), SCORER.to_vec()).unwrap();
        let sentence = "布丁饿得围到我脚杆转书房窗帘合上";
        assert_eq!(left(&scored, sentence).as_deref(), Some("书房窗帘合上"));
        assert_eq!(left(&alone, sentence), None);
        // What names nothing is left to the words' features.
        assert_eq!(scored.told(&words("今天股票又跌了")), alone.told(&words("今天股票又跌了")));
    }

    #[test]
    fn a_scorer_that_is_damaged_is_named() {
        let damaged = SCORER[..SCORER.len() / 2].to_vec();
        let error = Reader::shipped().unwrap().scored_by("broken.safetensors".into(), damaged).unwrap_err();
        assert!(error.to_string().contains("broken.safetensors"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_text_is_read_to_its_end(text in "[\\PC灯开关的了不，我]{0,240}") {
            let reader = Reader::shipped().unwrap();
            if let Some(words) = grammar::words(&text, &vocabulary(), &SpeakerContext::default()) {
                let Some(told) = reader.told(&words) else { return Ok(()) };
                for (tells, likely) in &told.readings {
                    prop_assert_eq!(tells.len(), words.len());
                    prop_assert!((0.0..=1.001).contains(likely));
                }
                prop_assert!((0.0..=1.001).contains(&told.nothing));
                prop_assert!(told.left(&words, &vocabulary().lexicon).iter().all(|(left, _)| !left.is_empty()));
            }
        }
    }
}
