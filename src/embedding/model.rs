//! A text encoder in memory: tokenizer, weights and what they were loaded from.

use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use tokenizers::{Tokenizer, TruncationParams};

use super::bert::{Bert, Config};
use super::files::{File, Files};
use super::weights::Weights;
use super::{EncodeError, ModelError};

/// Texts that go through the forward pass together. More do not make it faster, and this bounds its memory.
const BATCH: usize = 16;

/// No piece of the vocabulary needs more than this many characters of a text, so characters beyond this many a position
/// cannot matter. It bounds what the tokenizer is given.
const CHARACTERS_PER_POSITION: usize = 16;

/// Which side of the comparison a text is on. The model was trained with a prefix for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What someone said.
    Query,
    /// What it is compared with: descriptions, names, aliases.
    Passage,
}

impl Kind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Query => "query: ",
            Self::Passage => "passage: ",
        }
    }
}

/// A text encoder: a BERT, mean pooling over all tokens, unit length.
pub struct Model {
    tokenizer: Tokenizer,
    bert: Bert,
    dimensions: usize,
    checksum: [u8; 32],
}

impl Model {
    /// Loads the folder `dir`: `config.json`, `tokenizer.json`, and `model.safetensors` or one `*.gguf` with the same
    /// tensor names; with a `manifest.json`, only if they are the files it describes.
    ///
    /// # Errors
    /// Whatever is wrong with the folder, see [`ModelError`]. Nothing in it makes this panic.
    pub fn load(dir: &Path) -> Result<Self, ModelError> {
        let files = Files::read(dir)?;
        // The parsers below are not ours. They answer a damaged file with an error; should one panic, that is an
        // error too: a bad model must not take the daemon with it.
        panic::catch_unwind(AssertUnwindSafe(|| Self::build(&files)))
            .unwrap_or_else(|_| Err(ModelError::malformed(dir, "a parser panicked")))
    }

    fn build(files: &Files) -> Result<Self, ModelError> {
        let config = Config::parse(&files.config.path, &files.config.bytes)?;
        let bert = Bert::load(&Weights::open(&files.weights)?, &config)?;
        if let Some((path, manifest)) = &files.manifest {
            let promised = &manifest.dimensions;
            let promised = [promised.vocabulary, promised.positions, promised.hidden, promised.layers];
            let found = [config.vocab_size, bert.positions(), config.shape.hidden_size, config.shape.num_hidden_layers];
            if found != promised {
                return Err(ModelError::dimensions(path, "[vocabulary, positions, hidden, layers]", found, promised));
            }
        }
        let tokenizer = tokenizer(&files.tokenizer, config.vocab_size, bert.positions())?;
        let model = Self { tokenizer, bert, dimensions: config.shape.hidden_size, checksum: files.checksum };
        // Flipped bits in a file without a manifest show here, not in the first answer.
        model.encode(&[(Kind::Query, "")]).map_err(|e| ModelError::malformed(&files.weights.path, e))?;
        Ok(model)
    }

    /// Length of a vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Tokens of a text that count, prefix and marks included; the rest is cut off.
    pub fn positions(&self) -> usize {
        self.bert.positions()
    }

    /// SHA-256 over the model's files: vectors of different checksums cannot be compared.
    pub fn checksum(&self) -> &[u8; 32] {
        &self.checksum
    }

    /// The vectors of `texts`, in their order, each of unit length. A text's vector is the same in any company, to
    /// about 1e-6 a component.
    ///
    /// Runs on the rayon pool of the calling thread; [`super::Encoder`] gives it a pool of one thread.
    ///
    /// # Errors
    /// The tokenizer refuses a text, or the weights give no finite vector.
    pub fn encode(&self, texts: &[(Kind, &str)]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let ids = batch.iter().map(|(kind, text)| self.token_ids(*kind, text)).collect::<Result<Vec<_>, _>>()?;
            for mut vector in self.bert.forward(&ids)? {
                let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
                if !norm.is_normal() {
                    return Err(EncodeError::NotFinite);
                }
                vector.iter_mut().for_each(|x| *x /= norm);
                vectors.push(vector);
            }
        }
        Ok(vectors)
    }

    /// The token ids of `text` with its prefix: at least one, at most [`Self::positions`].
    ///
    /// # Errors
    /// The tokenizer refuses the text.
    pub fn token_ids(&self, kind: Kind, text: &str) -> Result<Vec<u32>, EncodeError> {
        let limit = self.positions() * CHARACTERS_PER_POSITION;
        let text: String = kind.prefix().chars().chain(text.chars().take(limit)).collect();
        let encoding = self.tokenizer.encode_fast(text, true).map_err(|e| EncodeError::Tokenizer(e.to_string()))?;
        match encoding.get_ids() {
            [] => Err(EncodeError::Tokenizer("no tokens".into())),
            ids => Ok(ids.to_vec()),
        }
    }
}

fn tokenizer(file: &File, rows: usize, positions: usize) -> Result<Tokenizer, ModelError> {
    let malformed = |error: tokenizers::Error| ModelError::malformed(&file.path, error);
    let mut tokenizer = Tokenizer::from_bytes(&file.bytes).map_err(malformed)?;
    let pieces = tokenizer.get_vocab_size(true);
    let beyond = tokenizer.get_vocab(true).into_values().find(|&id| id as usize >= rows);
    if pieces != rows || beyond.is_some() {
        return Err(ModelError::dimensions(&file.path, "vocabulary", pieces, rows));
    }
    let truncation = TruncationParams { max_length: positions, ..TruncationParams::default() };
    tokenizer.with_truncation(Some(truncation)).map_err(malformed)?;
    tokenizer.with_padding(None);
    Ok(tokenizer)
}
