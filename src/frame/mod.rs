//! The wire: request, stream and finish frames of seed 003, and the other JSON documents the daemon publishes.

mod origin;
mod render;
mod request;
mod share;
mod text;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use origin::{Door, Origin};
pub use render::{
    UNKNOWN_RID, finish_frame, instruct_payload, instructs_of, reply_payload, spoken_failure, stream_frame,
};
pub use request::{BadFrame, Utterance, is_topic_level};
pub use share::{Share, Shares};
pub use text::clean;

/// Bounds of what is read from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request or utterance.
    pub payload_bytes: usize,
    /// Characters of what was said.
    pub question_chars: usize,
    /// Characters of `rid` and of `page_id`.
    pub id_chars: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { payload_bytes: 1 << 20, question_chars: 2_000, id_chars: 128 }
    }
}

/// The `topic` field of every frame.
pub const TOPIC: &str = "llm/smarthome";

/// What an utterance turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    /// Devices move.
    Instruct,
    /// The daemon needs to know more: which one, or whether really.
    Question,
    /// An answer from the state of the home.
    Answer,
    /// Nothing for this daemon.
    None,
}

impl Intent {
    /// As in frames.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Instruct => "instruct",
            Self::Question => "question",
            Self::Answer => "answer",
            Self::None => "none",
        }
    }
}

/// One device's order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instruct {
    /// Device id.
    pub id: String,
    /// Values to set, for devices described by properties.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub state: Option<crate::home::State>,
    /// Command to run, for devices described by commands.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub command: Option<CommandCall>,
    /// What happens, in words.
    pub summary: String,
    /// Live state already says so.
    #[serde(default)]
    pub noop: bool,
}

/// A command of a device and its argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandCall {
    /// Command id.
    pub id: String,
    /// Its argument.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub argument: Option<Value>,
}

/// Why a request failed: the `ret` and `code` of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// Not JSON, not the frame's shape, too large, not UTF-8.
    BadFrame,
    /// The home document is invalid.
    BadHome,
    /// No home in the request and none registered.
    NoHome,
    /// The queue is full; nothing was done.
    Overloaded,
    /// The deadline passed; nothing was done.
    Timeout,
    /// A bug.
    Internal,
}

impl ErrorCode {
    /// The non-zero `ret` of a finish frame.
    pub fn ret(self) -> u8 {
        match self {
            Self::BadFrame => 1,
            Self::BadHome => 2,
            Self::NoHome => 3,
            Self::Overloaded => 4,
            Self::Timeout => 5,
            Self::Internal => 6,
        }
    }

    /// The name on the wire.
    pub fn code(self) -> &'static str {
        match self {
            Self::BadFrame => "bad_frame",
            Self::BadHome => "bad_home",
            Self::NoHome => "no_home",
            Self::Overloaded => "overloaded",
            Self::Timeout => "timeout",
            Self::Internal => "internal",
        }
    }
}

/// A request, checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// Answers carry it back.
    pub rid: String,
    /// The dialogue it belongs to.
    pub page_id: String,
    /// What was said.
    pub question: String,
    /// The room it was said in.
    pub local: Option<String>,
    /// Whether devices may move.
    pub instruct: bool,
    /// A home for this request alone, as its JSON text: read it is many times as large, so it is read by whoever serves it.
    pub home: Option<String>,
    /// Where it came in; told by whoever took it, never read from it.
    pub origin: Origin,
}

impl Request {
    /// What its page is kept by.
    pub fn page_key(&self) -> String {
        self.origin.page_key(&self.page_id)
    }

    /// Whether its instructs are given to devices: those of a home that it brought are not ours to move.
    pub fn moves(&self) -> bool {
        self.instruct && self.home.is_none()
    }
}

/// What a satellite says aloud: nothing, where nobody spoke to the home.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Speech {
    /// The words; empty: it is over, and nothing is said.
    pub text: String,
    /// How much of it needs to be said.
    pub feedback: Feedback,
}

impl Speech {
    /// Words that have to be heard in full.
    pub fn full(text: &str) -> Self {
        Self { text: text.to_owned(), feedback: Feedback::Full }
    }
}

/// How much of a reply needs to be said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Feedback {
    /// Everything worked, in the room of the speaker: a sound is enough.
    Chime,
    /// Everything worked, elsewhere: the words may be short.
    Brief,
    /// It has to be heard: a question, an answer, something that did not work.
    #[default]
    Full,
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Finish {
    /// It was served.
    Done {
        /// What the utterance turned out to be.
        intent: Intent,
        /// The reply in words.
        result: String,
        /// What a satellite says aloud.
        speech: Speech,
        /// One instruct per device.
        instructs: Vec<Instruct>,
        /// Those of these devices that can do harm: they move only if the audit trail says so.
        risky: Vec<String>,
        /// Whether this is done because somebody said yes.
        confirmed: bool,
        /// What is to be done later: the jobs that were made, changed, taken back or asked for.
        jobs: Vec<Value>,
    },
    /// It was not served, and nothing moved.
    Failed {
        /// Why.
        code: ErrorCode,
        /// What a person can do about it.
        message: String,
    },
}

/// What the service says while it serves one request, in this order of variants.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The summary, as soon as the commands are resolved.
    Stream {
        /// What the utterance turned out to be.
        intent: Intent,
        /// The summary in words.
        text: String,
        /// Whether a satellite says it aloud.
        aloud: bool,
    },
    /// The hub should report this device's state afresh.
    AskState {
        /// Device id.
        device: String,
    },
    /// What was found: the payload of `candidates/{rid}`.
    Candidates(Arc<Value>),
    /// The end, exactly once.
    Finish(Finish),
}
