//! What a sentence comes to, and what is known of who says it.

use super::super::order::{Fragment, Order};
use super::later::JobAsk;

/// What the grammar is told besides the sentence.
#[derive(Clone, Debug, Default)]
pub struct SpeakerContext {
    /// The room of the speaker.
    pub local: Option<usize>,
    /// Names the assistant answers to, normalised.
    pub names: Vec<String>,
    /// Names of other assistants besides those of the lexicon, normalised.
    pub others: Vec<String>,
}

/// What a sentence is.
#[derive(Clone, Debug, PartialEq)]
pub enum Parse {
    /// Commands, all of them understood.
    Orders(Vec<Order>),
    /// Commands that may be wrong, and what is doubtful; never to be carried out without more certainty.
    Unsure(Vec<Order>, Vec<String>),
    /// A name, a room or a number by itself: an answer to a question, or half a sentence.
    Fragment(Fragment),
    /// Something people say without naming what to do.
    Situation {
        /// Which, by position in the lexicon.
        situation: usize,
        /// The room it was said of; the speaker's when none was.
        room: Option<usize>,
    },
    /// About what is to be done later, not something to do.
    Jobs(JobAsk),
    /// No command.
    Rejected(Rejection),
}

/// Why a sentence is no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// Addressed to somebody else.
    OtherAddressee,
    /// A report, a quotation, an opinion, a supposition.
    Talk,
    /// What is told is only spoken of.
    Aside,
    /// Told, and taken back in the same breath.
    Withdrawn,
    /// Told not to.
    Negated,
    /// For later, and not understood.
    Later,
    /// A rule for whenever something is so: not possible yet.
    Standing,
    /// Not about the home.
    Chatter,
}
