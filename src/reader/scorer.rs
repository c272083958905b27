//! A small encoder that scores words for the chain: how much each speaks for telling, and the seams between them for a comment that
//! begins or ends there. It reads pieces of words together with what the language and the home say about each word, so names of a
//! home need not be known to it.

use std::path::Path;

use candle_core::quantized::QMatMul;
use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::LayerNorm;

use super::chain::Chain;
use super::pieces::{Pieces, Seen};
use crate::embedding::ModelError;
use crate::embedding::bert::{Layers, Linear, Shape, norm};
use crate::embedding::weights::Weights;

/// Scores of a word: that it tells, that a comment begins before it, that one ends there.
const SCORES: usize = 3;

/// Width of a head of attention.
const HEAD: usize = 32;

/// An encoder and what lies before and behind it.
pub(super) struct Scorer {
    table: QMatMul,
    positions: Tensor,
    classes: Linear,
    norm: LayerNorm,
    layers: Layers,
    out: Linear,
    /// Classes of words that there are.
    kinds: usize,
}

impl Scorer {
    /// What `bytes` hold, in the form that `models/recipe/reader` writes: the scorer, and what it sees of a sentence.
    ///
    /// # Errors
    /// When they are anything else.
    pub(super) fn read(path: &Path, bytes: &[u8]) -> std::result::Result<(Self, Pieces), ModelError> {
        let weights = Weights::read(path, bytes)?;
        let pieces = Pieces::new(&weights.text("names.pieces")?, &weights.text("names.classes")?);
        let matrix = |name: &str| match weights.shape(name)?[..] {
            [rows, width] => Ok((rows, width)),
            _ => Err(ModelError::malformed(path, format!("{name} is no matrix"))),
        };
        let (longest, hidden) = matrix("positions.weight")?;
        let (inner, _) = matrix("encoder.layer.0.intermediate.dense.weight")?;
        let count = |n: &usize| weights.shape(&format!("encoder.layer.{n}.intermediate.dense.weight")).is_ok();
        let layers = (0..).take_while(count).count();
        if hidden == 0 || !hidden.is_multiple_of(HEAD) {
            return Err(ModelError::malformed(path, format!("a width of {hidden} is no multiple of {HEAD}")));
        }
        let shape = Shape::new(layers, hidden, inner, hidden / HEAD);
        let scorer = Self {
            table: weights.table("table.weight", &[pieces.rows(), hidden])?,
            positions: weights.dense("positions.weight", &[longest, hidden])?,
            classes: Linear::load(&weights, "classes", hidden, pieces.classes())?,
            norm: norm(&weights, "norm", &shape)?,
            layers: Layers::load(&weights, &shape)?,
            out: Linear::load(&weights, "out", SCORES, 2 * hidden)?,
            kinds: pieces.classes(),
        };
        Ok((scorer, pieces))
    }

    /// The chain of a sentence; `None` for one that is too long or empty.
    pub(super) fn chain(&self, seen: &Seen) -> Result<Option<Chain>> {
        let (length, words) = (seen.pieces.len(), seen.classes.len());
        let (longest, hidden) = self.positions.dims2()?;
        if length > longest || words == 0 {
            return Ok(None);
        }
        let device = &Device::Cpu;
        let mut kinds = vec![0f32; words * self.kinds];
        for (word, classes) in seen.classes.iter().enumerate() {
            classes.iter().for_each(|class| kinds[word * self.kinds + class] = 1.0);
        }
        // Which piece belongs to which word, (length, words); and the mean of the pieces of each, (words, length).
        let mut belongs = vec![0f32; length * words];
        let mut counts = vec![0f32; words];
        for (piece, word) in seen.words.iter().enumerate().filter_map(|(at, word)| Some((at, (*word)?))) {
            belongs[piece * words + word] = 1.0;
            counts[word] += 1.0;
        }
        let mean =
            (0..words * length).map(|at| belongs[at % length * words + at / length] / counts[at / length].max(1.0));
        let mean = Tensor::from_iter(mean.collect::<Vec<f32>>(), device)?.reshape((words, length))?;
        let belongs = Tensor::from_vec(belongs, (length, words), device)?;
        let kinds = self.classes.forward(&Tensor::from_vec(kinds, (words, self.kinds), device)?)?;
        let ids = Tensor::from_vec(seen.pieces.clone(), length, device)?;
        let pieces = self.table.embedding(&ids)?.to_dtype(DType::F32)?;
        let states = ((pieces + self.positions.narrow(0, 0, length)?)? + belongs.matmul(&kinds)?)?;
        let states = self.layers.forward(self.norm.forward(&states)?, &[length])?;
        let of_words = mean.matmul(&states)?;
        let before =
            Tensor::cat(&[&Tensor::zeros((1, hidden), DType::F32, device)?, &of_words.narrow(0, 0, words - 1)?], 0)?;
        let scores = self.out.forward(&Tensor::cat(&[&of_words, &before], 1)?)?.to_vec2::<f32>()?;
        Ok(Some(Chain::of(scores.into_iter().map(|s| [s[0], s[1], s[2]]))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::tests::{SCORER, words};

    fn scorer() -> (Scorer, Pieces) {
        Scorer::read(Path::new("scorer.safetensors"), SCORER).unwrap()
    }

    #[test]
    fn every_word_gets_its_scores_and_a_story_none() {
        let (scorer, pieces) = scorer();
        let sentence = words("腰疼得直不起来大灯开亮点儿");
        let chain = scorer.chain(&pieces.see(&sentence)).unwrap().unwrap();
        let best = chain.best(&[]).unwrap();
        assert_eq!(best.len(), sentence.len());
        assert!(!best[0] && best[best.len() - 1], "{best:?}");
        assert!(scorer.chain(&pieces.see(&words(&"打开空调，".repeat(40)))).unwrap().is_none());
        assert!(scorer.chain(&pieces.see(&[])).unwrap().is_none());
    }

    #[test]
    fn scores_are_those_of_the_implementation_that_trained_it() {
        let golden: serde_json::Value = serde_json::from_str(include_str!("../../tests/golden/scorer.json")).unwrap();
        let (scorer, _) = scorer();
        for case in golden.as_array().unwrap() {
            let numbers = |name: &str| serde_json::from_value::<Vec<i64>>(case[name].clone()).unwrap();
            let seen = Seen {
                pieces: numbers("pieces").into_iter().map(|piece| piece as u32).collect(),
                words: numbers("words").into_iter().map(|word| usize::try_from(word).ok()).collect(),
                classes: serde_json::from_value(case["classes"].clone()).unwrap(),
            };
            let expected: Vec<[f32; 3]> = serde_json::from_value(case["scores"].clone()).unwrap();
            let found = scorer.chain(&seen).unwrap().unwrap();
            assert!(found.is_near(&Chain::of(expected.into_iter()), 0.02), "{case}");
        }
    }

    #[test]
    fn a_file_that_is_wrong_in_any_way_is_named() {
        let path = Path::new("scorer.safetensors");
        for bytes in [&SCORER[..1000], &SCORER[1..], b"", b"GGUF", &[0; 64]] {
            let error = Scorer::read(path, bytes).err().unwrap().to_string();
            assert!(error.contains("scorer.safetensors"), "{error}");
        }
    }
}
