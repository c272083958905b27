//! A model with everything it takes to answer, and the prefix that its answers share.

use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;

use super::architecture::Dimensions;
use super::decoder::{Cache, Decoder, Stopped};
use super::generate::{self, Answer};
use super::gguf::Gguf;
use super::template::Template;
use super::vocabulary::{Vocabulary, VocabularyError};
use super::{LocalError, LocalSettings};

/// Bytes that no token exceeds by much: a longer text cannot fit, and is not even split into tokens.
const BYTES_PER_TOKEN: usize = 16;

/// A loaded model.
pub(super) struct Engine {
    decoder: Decoder,
    vocabulary: Vocabulary,
    template: Template,
    /// Tokens of an answer.
    budget: usize,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("stopped")]
    Stopped,
    #[error("the prompt has {tokens} tokens and the answer up to {budget}; the model takes {context}")]
    TooLong { tokens: usize, budget: usize, context: usize },
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    #[error("forward pass: {0}")]
    Forward(#[from] candle_core::Error),
    #[error("the forward pass panicked")]
    Panicked,
}

impl From<Stopped> for Failure {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// The constant part of the prompt, and as much of its KV cache as is computed.
pub(super) struct Prefix {
    text: Arc<str>,
    tokens: Vec<u32>,
    cache: Cache,
    ready: bool,
}

impl Prefix {
    /// Whether it is the prefix of this text.
    pub(super) fn is_of(&self, text: &str) -> bool {
        &*self.text == text
    }

    /// Whether all of it is computed.
    pub(super) fn is_ready(&self) -> bool {
        self.ready
    }

    /// Computes some more of it. What is computed stays, whatever happens to the rest.
    pub(super) fn advance(&mut self, engine: &Engine, go_on: &dyn Fn() -> bool) -> Result<(), Failure> {
        generate::advance(&engine.decoder, &self.tokens, self.cache.tokens(), &mut self.cache, go_on)??;
        if self.cache.tokens() == self.tokens.len() {
            self.cache = std::mem::take(&mut self.cache).share();
            self.ready = true;
        }
        Ok(())
    }

    /// Computes what is missing of it.
    pub(super) fn complete(&mut self, engine: &Engine, go_on: &dyn Fn() -> bool) -> Result<(), Failure> {
        while !self.ready {
            self.advance(engine, go_on)?;
        }
        Ok(())
    }
}

impl Engine {
    /// Loads the files of `settings`.
    pub(super) fn load(settings: &LocalSettings) -> Result<Self, LocalError> {
        let path = &settings.model;
        let mut gguf = Gguf::open(path)?;
        let dimensions = Dimensions::of(&gguf, settings.context)?;
        let beside = path.with_file_name("tokenizer.json");
        let file = settings.tokenizer.as_deref().or(beside.exists().then_some(&*beside));
        let vocabulary = Vocabulary::load(&gguf, file)?;
        let template = Template::of(dimensions.architecture, &vocabulary, gguf.text("tokenizer.chat_template"))
            .ok_or_else(|| LocalError::tokenizer(file.unwrap_or(path), "it has the marks of no known chat template"))?;
        // A panic in the kernels (a type they do not know together with a shape) is an error like any other.
        panic::catch_unwind(AssertUnwindSafe(|| {
            let decoder = Decoder::load(&mut gguf, dimensions)?;
            try_out(&decoder, path)?;
            Ok(Self { decoder, vocabulary, template, budget: settings.max_tokens })
        }))
        .unwrap_or_else(|_| Err(LocalError::malformed(path, "the forward pass panicked")))
    }

    /// The prefix of a text, of which nothing is computed yet.
    pub(super) fn prefix(&self, text: &Arc<str>) -> Result<Prefix, Failure> {
        self.bound(text.len() / BYTES_PER_TOKEN)?;
        let tokens = self.template.before(text, &self.vocabulary)?;
        self.bound(tokens.len())?;
        Ok(Prefix { text: text.clone(), tokens, cache: Cache::default(), ready: false })
    }

    /// Answers a sentence behind a prefix, which is computed as far as it is missing. `first` is called when the first
    /// token of the answer stands. Gives the tokens of the prompt, too.
    pub(super) fn answer(
        &self,
        prefix: &mut Prefix,
        sentence: &str,
        first: impl FnMut(),
        go_on: &dyn Fn() -> bool,
    ) -> Result<(Answer, usize), Failure> {
        self.bound(prefix.tokens.len() + sentence.len() / BYTES_PER_TOKEN)?;
        let tokens = self.template.after(sentence, &self.vocabulary)?;
        let prompt = prefix.tokens.len() + tokens.len();
        self.bound(prompt)?;
        prefix.complete(self, go_on)?;
        let mut cache = prefix.cache.clone();
        let scores = generate::prefill(&self.decoder, &tokens, &mut cache, go_on)??;
        let bytes = self.vocabulary.bytes();
        let answer = generate::write(&self.decoder, bytes, scores, &mut cache, self.budget, first, go_on)??;
        Ok((answer, prompt))
    }

    fn bound(&self, tokens: usize) -> Result<(), Failure> {
        let (budget, context) = (self.budget, self.decoder.context());
        match tokens + budget > context {
            true => Err(Failure::TooLong { tokens, budget, context }),
            false => Ok(()),
        }
    }
}

/// Flipped bits in the weights show here, not in the first answer.
fn try_out(decoder: &Decoder, path: &Path) -> Result<(), LocalError> {
    let scores = decoder.forward(&[0], &mut Cache::default(), &|| true);
    match scores.map_err(|error| LocalError::malformed(path, error))? {
        Ok(scores) if scores.iter().all(|score| score.is_finite()) => Ok(()),
        _ => Err(LocalError::malformed(path, "the weights give no finite scores: they are damaged")),
    }
}
