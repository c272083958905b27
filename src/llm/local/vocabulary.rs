//! The tokens of a model: text into tokens, and the bytes that each token stands for.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use serde_json::{Value, json};
use tokenizers::{AddedVocabulary, Tokenizer};

use super::LocalError;
use super::gguf::Gguf;

/// Bytes of a `tokenizer.json`: the largest in use have about 20 MB.
const FILE_LIMIT: u64 = 64 << 20;

/// The tokenizer of a model, without its marks: no text becomes a mark, whatever it contains.
pub(super) struct Vocabulary {
    tokenizer: Tokenizer,
    marks: HashMap<String, u32>,
    bytes: TokenBytes,
}

/// The tokenizer cannot do this.
#[derive(Debug, thiserror::Error)]
pub(super) enum VocabularyError {
    #[error("there is no token {0}")]
    NoMark(&'static str),
    #[error("a text cannot be written in tokens: {0}")]
    Encode(String),
}

/// The bytes of every token, one behind the other.
#[derive(Debug, Default)]
pub struct TokenBytes {
    bytes: Vec<u8>,
    /// Where each token's bytes end.
    ends: Vec<usize>,
}

impl TokenBytes {
    /// Adds the next token.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
    }

    /// The bytes of a token: none for a mark, or for one that does not exist.
    pub fn get(&self, token: usize) -> &[u8] {
        let start = token.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        match (start, self.ends.get(token)) {
            (Some(start), Some(end)) => &self.bytes[start..*end],
            _ => &[],
        }
    }

    /// A byte that the grammar may need and that is no token of its own.
    fn missing(&self) -> Option<u8> {
        let mut single = [false; 256];
        for token in 0..self.ends.len() {
            if let [byte] = self.get(token) {
                single[usize::from(*byte)] = true;
            }
        }
        // The ASCII of the grammar, and what an unfinished character may lack.
        (b' '..=b'~').filter(|byte| *byte != b'\\').chain(0x80..=0xbf).find(|byte| !single[usize::from(*byte)])
    }
}

impl Vocabulary {
    /// The tokenizer of `gguf`: from `file`, or, without one, from the metadata.
    pub(super) fn load(gguf: &Gguf, file: Option<&Path>) -> Result<Self, LocalError> {
        let path = file.unwrap_or(gguf.path());
        let wrong = |reason: String| LocalError::tokenizer(path, reason);
        let json = match file {
            Some(path) => read(path)?,
            None => serde_json::to_vec(&embedded(gguf).map_err(wrong)?).map_err(|error| wrong(error.to_string()))?,
        };
        // The parser is not ours: should it panic, that is an error too.
        let tokenizer = panic::catch_unwind(AssertUnwindSafe(|| Tokenizer::from_bytes(&json)))
            .map_err(|_| wrong("the parser panicked".into()))?
            .map_err(|error| wrong(error.to_string()))?;
        let rows = gguf.shape("token_embd.weight").and_then(|shape| shape.first().copied()).unwrap_or(0);
        Self::new(tokenizer, rows, gguf.texts("tokenizer.ggml.tokens").as_deref()).map_err(wrong)
    }

    /// `rows` is how many tokens the model knows, `known` what they are, if it says so.
    fn new(mut tokenizer: Tokenizer, rows: usize, known: Option<&[&str]>) -> Result<Self, String> {
        let marks: HashMap<String, u32> =
            tokenizer.get_added_tokens_decoder().into_iter().map(|(id, token)| (token.content, id)).collect();
        tokenizer.with_added_vocabulary(AddedVocabulary::new());
        tokenizer.with_post_processor(None::<tokenizers::PostProcessorWrapper>);
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| error.to_string())?;
        let mut words: Vec<(u32, String)> = tokenizer
            .get_vocab(false)
            .into_iter()
            .filter(|(word, _)| !marks.contains_key(word))
            .map(|(w, i)| (i, w))
            .collect();
        words.sort_unstable();
        let beyond = words.iter().map(|(id, word)| (*id, word)).chain(marks.iter().map(|(word, id)| (*id, word)));
        if let Some((id, word)) = beyond.filter(|(id, _)| *id as usize >= rows).max() {
            return Err(format!("token {id} ({word:?}) is beyond the {rows} that the model knows"));
        }
        if let Some(known) = known
            && let Some((id, word)) = words.iter().find(|(id, word)| known.get(*id as usize) != Some(&word.as_str()))
        {
            let theirs = known.get(*id as usize);
            return Err(format!("it is not this model's: token {id} is {word:?}, the model has {theirs:?}"));
        }
        let mut bytes = TokenBytes::default();
        let spelling = Spelling::of(&words);
        for (id, word) in &words {
            while bytes.ends.len() < *id as usize {
                bytes.push(&[]);
            }
            bytes.push(&spelling.bytes(word));
        }
        if let Some(byte) = bytes.missing() {
            return Err(format!(
                "no token for the byte 0x{byte:02x}: it spells neither in bytes nor falls back to them"
            ));
        }
        Ok(Self { tokenizer, marks, bytes })
    }

    /// The tokens of a text, none of which is a mark.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, VocabularyError> {
        let encoding = self.tokenizer.encode_fast(text, false).map_err(|e| VocabularyError::Encode(e.to_string()))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// The token of a mark.
    pub(super) fn mark(&self, mark: &'static str) -> Result<u32, VocabularyError> {
        self.marks.get(mark).copied().ok_or(VocabularyError::NoMark(mark))
    }

    /// What each token stands for.
    pub(super) fn bytes(&self) -> &TokenBytes {
        &self.bytes
    }
}

fn read(path: &Path) -> Result<Vec<u8>, LocalError> {
    let io = |source| LocalError::io(path, source);
    let mut json = Vec::new();
    File::open(path).map_err(io)?.take(FILE_LIMIT + 1).read_to_end(&mut json).map_err(io)?;
    if json.len() as u64 > FILE_LIMIT {
        return Err(LocalError::tokenizer(path, format!("more than {FILE_LIMIT} bytes")));
    }
    Ok(json)
}

/// How a vocabulary spells bytes.
enum Spelling {
    /// Each byte as a printable character, as GPT-2 does.
    Characters(HashMap<char, u8>),
    /// As text with `▁` for a space, and single bytes as `<0x0A>`, as SentencePiece does.
    Fallback,
}

impl Spelling {
    fn of(words: &[(u32, String)]) -> Self {
        match words.iter().any(|(_, word)| word == "<0x0A>") {
            true => Self::Fallback,
            false => Self::Characters(byte_characters().map(|(byte, c)| (c, byte)).collect()),
        }
    }

    /// None when the word is not spelled so.
    fn bytes(&self, word: &str) -> Vec<u8> {
        match self {
            Self::Characters(bytes) => {
                word.chars().map(|c| bytes.get(&c).copied()).collect::<Option<_>>().unwrap_or_default()
            }
            Self::Fallback => match word.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>')) {
                Some(hex) => u8::from_str_radix(hex, 16).map(|byte| vec![byte]).unwrap_or_default(),
                None => word.replace('▁', " ").into_bytes(),
            },
        }
    }
}

/// GPT-2's alphabet: printable bytes of Latin-1 stand for themselves, the others for characters from U+0100 on.
pub(super) fn byte_characters() -> impl Iterator<Item = (u8, char)> {
    let mut other = 0x100;
    (0..=u8::MAX).map(move |byte| match byte {
        b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff => (byte, char::from(byte)),
        _ => {
            other += 1;
            (byte, char::from_u32(other - 1).unwrap_or_default())
        }
    })
}

/// A `tokenizer.json` of what the metadata of a GGUF say, for the byte-level tokenizers of the models that come without.
fn embedded(gguf: &Gguf) -> Result<Value, String> {
    let beside = "put its tokenizer.json beside it";
    match gguf.text("tokenizer.ggml.model") {
        Some("gpt2") => {}
        other => return Err(format!("of kind {other:?} it cannot be built from the metadata; {beside}")),
    }
    let list = |key: &str| gguf.texts(key).ok_or_else(|| format!("no {key} in the metadata; {beside}"));
    let (words, merges) = (list("tokenizer.ggml.tokens")?, list("tokenizer.ggml.merges")?);
    let kinds = gguf.numbers("tokenizer.ggml.token_type").unwrap_or_default();
    // Unknown, control, defined by the user, unused.
    let is_mark = |id: usize| matches!(kinds.get(id), Some(2..=5));
    let by = |pattern: String| json!({ "type": "Split", "pattern": { "Regex": pattern }, "behavior": "Isolated", "invert": false });
    let (split, normalizer, whole_words) = match gguf.text("tokenizer.ggml.pre").unwrap_or_default() {
        "qwen2" => (by(pattern(1)), json!({ "type": "NFC" }), false),
        "llama-bpe" => (by(pattern(3)), Value::Null, true),
        "smollm" => (json!({ "type": "Digits", "individual_digits": true }), Value::Null, false),
        other => return Err(format!("its way of splitting, {other:?}, is not known; {beside}")),
    };
    // The patterns of the others leave nothing for the byte level's own to split.
    let splits_itself = split["type"] == "Digits";
    let vocabulary: serde_json::Map<String, Value> =
        words.iter().enumerate().map(|(id, word)| ((*word).to_owned(), json!(id))).collect();
    let marks: Vec<Value> = (0..words.len())
        .filter(|id| is_mark(*id))
        .map(|id| {
            json!({ "id": id, "content": words[id], "special": true, "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false })
        })
        .collect();
    Ok(json!({
        "version": "1.0",
        "added_tokens": marks,
        "normalizer": normalizer,
        "pre_tokenizer": { "type": "Sequence", "pretokenizers": [
            split,
            { "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": splits_itself },
        ] },
        "decoder": { "type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true },
        "model": { "type": "BPE", "vocab": vocabulary, "merges": merges, "ignore_merges": whole_words },
    }))
}

/// How Qwen 2 and Llama 3 split text before they merge: contractions, words with one mark before them, up to `digits`
/// digits, punctuation, line ends, spaces.
fn pattern(digits: usize) -> String {
    let digits = if digits == 1 { String::new() } else { format!("{{1,{digits}}}") };
    format!(
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
}
