//! Language models as parsers: one trait, and what all of them are asked and answer.
//!
//! What grammar and similarity are not sure of goes down the [`cascade`]: the models of the configuration, one after the
//! other, within one deadline. What a model answers is read by [`crate::language::protocol`] and resolved like any other
//! command; a model has no way to move a device but through it.

pub mod breaker;
pub mod budget;
pub mod cascade;
pub mod http;
pub mod local;
pub mod metrics;
pub mod prompt;
pub mod settings;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a language model is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// What is the same for every sentence of a home: rules, closed sets, examples, rooms. A local model keeps its KV
    /// cache of it as long as the text stays the same.
    pub prefix: Arc<str>,
    /// What is said behind it where a server insists on an object.
    pub object: Arc<str>,
    /// The sentence, as data.
    pub sentence: String,
}

/// What a language model answered, unread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The text as it came; hostile until read by [`crate::language::protocol`].
    pub text: String,
    /// Tokens of the prompt, where the model counts them.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// It ended before the model had said all, and what is missing may turn around what is there.
    pub cut_off: bool,
    /// From the question to the first token, where it is known.
    pub first_token: Option<Duration>,
}

/// Why a language model gave no answer.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum LlmError {
    /// The deadline passed.
    #[error("{client}: no answer before the deadline")]
    Deadline {
        /// The client's name.
        client: String,
    },
    /// It could not be reached, or the connection broke.
    #[error("{client}: {reason}")]
    Unreachable {
        /// The client's name.
        client: String,
        /// Why.
        reason: String,
        /// Whether the connection was refused or cut, so that asking again at once may help.
        again: bool,
    },
    /// It refused: status of HTTP, and for how long it asks to be left alone.
    #[error("{client}: refused with status {status}")]
    Refused {
        /// The client's name.
        client: String,
        /// Status of HTTP.
        status: u16,
        /// `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// Its answer is not what was agreed on: not JSON, too large, without content.
    #[error("{client}: {reason}")]
    Malformed {
        /// The client's name.
        client: String,
        /// Why.
        reason: String,
    },
    /// The prompt and the longest answer have more tokens than it takes. That is no fault of its own.
    #[error("{client}: {reason}")]
    TooLong {
        /// The client's name.
        client: String,
        /// By how much.
        reason: String,
    },
    /// It did not begin with the sentence: it is busy with another one or with what comes before all of them, or has
    /// stopped. That is no fault of its own.
    #[error("{client}: busy")]
    Busy {
        /// The client's name.
        client: String,
    },
}

/// An answer under way. Dropping it cancels the work.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Result<Completion, LlmError>> + Send + 'a>>;

/// A language model, wherever it runs.
pub trait Client: Send + Sync + std::fmt::Debug {
    /// The name it has in the configuration, in counters and in the log.
    fn name(&self) -> &str;

    /// Gets ready for sentences of this prefix, where that helps; does not wait for it.
    fn prepare(&self, _prefix: &Arc<str>) {}

    /// Asks; the answer comes before the deadline, or is [`LlmError::Deadline`] or [`LlmError::Busy`] then.
    fn ask<'a>(&'a self, prompt: &'a Prompt, deadline: Instant) -> Answering<'a>;
}
