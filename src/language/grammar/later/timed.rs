//! A sentence with its times marked, and what stands around them.

use super::super::super::lexicon::Sense;
use super::super::super::segment::Token;
use super::super::super::time::Span;
use super::super::super::vocabulary::Vocabulary;

/// A sentence with its times marked.
pub(in crate::language::grammar) struct Timed {
    pub(super) chars: Vec<char>,
    pub(super) spans: Vec<Span>,
}

impl Timed {
    pub(super) fn text(&self, from: usize, to: usize) -> String {
        self.chars.get(from..to).unwrap_or_default().iter().collect()
    }

    /// What is between the times: one text more than there are times.
    pub(super) fn texts(&self) -> Vec<String> {
        let starts = std::iter::once(0).chain(self.spans.iter().map(|span| span.end));
        let ends = self.spans.iter().map(|span| span.start).chain([self.chars.len()]);
        starts.zip(ends).map(|(from, to)| self.text(from, to)).collect()
    }
}

/// The characters from the last pause on, or those up to the first.
pub(super) fn pause(chars: &[char], last: bool) -> &[char] {
    let pauses = |c: &char| !c.is_alphanumeric();
    if last {
        &chars[chars.iter().rposition(pauses).map_or(0, |at| at + 1)..]
    } else {
        &chars[..chars.iter().position(pauses).unwrap_or(chars.len())]
    }
}

/// Whether somebody wants to be told something (`十点提醒我关灯`).
pub(super) fn is_reminder(written: &str, vocabulary: &Vocabulary) -> bool {
    vocabulary.lexicon.time.reminders().iter().any(|word| written.contains(word.as_str()))
}

pub(super) fn is_action(token: &Token) -> bool {
    token.any(|s| {
        matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Step { .. } | Sense::SetBare | Sense::Scene(_))
    }) && !token.any(|s| matches!(s, Sense::Filler))
}
