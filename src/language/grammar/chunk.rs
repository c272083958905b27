//! Chunks: a sentence as nominals, predicates and the small words between them.

use super::super::lexicon::{Question, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{self, Nominal};
use super::predicate::{self, Context, Core, Predicate};

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum Chunk {
    /// What is meant.
    Nominal(Nominal),
    /// What is to be done.
    Predicate(Predicate),
    /// `把`.
    Disposal,
    /// `和`.
    Conjunction,
    /// A comma or `然后`; `strong` for the latter.
    Break {
        /// It orders steps, and does not only separate.
        strong: bool,
    },
    /// `都`.
    Each,
    /// `也`.
    Also,
    /// `除外` after what is left out.
    Except,
    /// `不，还是`.
    Correction,
    /// Words that nothing explains.
    Loose(String),
}

/// Cuts words into chunks.
pub fn chunks(tokens: &[Token], vocabulary: &Vocabulary) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (chunk, end) = next(tokens, at, &chunks, vocabulary);
        debug_assert!(end > at, "every chunk takes at least one word");
        chunks.extend(chunk);
        at = end.max(at + 1);
    }
    chunks
}

fn next(tokens: &[Token], at: usize, before: &[Chunk], vocabulary: &Vocabulary) -> (Option<Chunk>, usize) {
    let token = &tokens[at];
    let has = |sense: &Sense| token.has(sense);
    if has(&Sense::Punctuation) {
        return (Some(Chunk::Break { strong: false }), at + 1);
    }
    if excludes_before(tokens, at, before) {
        return (Some(Chunk::Except), at + 1);
    }
    if corrects(tokens, at, before) {
        return (Some(Chunk::Correction), at + 1);
    }
    let context = context(before);
    let after_disposal = matches!(before.last(), Some(Chunk::Disposal));
    let deed_word = token.any(|s| {
        matches!(
            s,
            Sense::Verb(_) | Sense::Set { .. } | Sense::SetBare | Sense::Step { .. } | Sense::Make | Sense::Little
        ) || matches!(s, Sense::Direction { .. } | Sense::Degree { .. } | Sense::Link)
    });
    let noun_word = after_disposal || token.is_entity() || token.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_)));
    let predicate =
        || predicate::read(tokens, at, context, vocabulary).map(|(p, end)| (Some(Chunk::Predicate(p)), end));
    let nominal = || nominal::read(tokens, at, vocabulary).map(|(n, end)| (Some(Chunk::Nominal(n)), end));
    let verb_like_noun =
        token.any(|s| matches!(s, Sense::Verb(_))) && !after_disposal && nominal_follows(tokens, at + 1);
    let found = if deed_word && (!noun_word || (verb_like_noun && !token.is_entity())) {
        predicate().or_else(nominal)
    } else {
        nominal().or_else(predicate)
    };
    if let Some(found) = found {
        return found;
    }
    // 给客人开门: for whom it is done changes nothing.
    if has(&Sense::Disposal)
        && has(&Sense::Filler)
        && tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Person) && !t.is_entity())
    {
        return (None, at + 2);
    }
    if has(&Sense::Disposal) && nominal_follows(tokens, at + 1) {
        return (Some(Chunk::Disposal), at + 1);
    }
    if has(&Sense::Each) {
        return (Some(Chunk::Each), at + 1);
    }
    if has(&Sense::Conjunction) && !has(&Sense::Also) {
        return (Some(Chunk::Conjunction), at + 1);
    }
    if has(&Sense::Also) {
        return (Some(Chunk::Also), at + 1);
    }
    if has(&Sense::Sequence) {
        return (Some(Chunk::Break { strong: true }), at + 1);
    }
    if is_empty_word(token) || only_explains(tokens, at) {
        return (None, at + 1);
    }
    (Some(Chunk::Loose(token.text.clone())), at + 1)
}

/// Words that add nothing to a command.
fn is_empty_word(token: &Token) -> bool {
    token.any(|s| {
        matches!(
            s,
            Sense::Filler
                | Sense::Particle
                | Sense::Of
                | Sense::Polite
                | Sense::AskFor
                | Sense::Is
                | Sense::Alternative
                | Sense::Already
                | Sense::Disposal
                | Sense::Then
                | Sense::IfClose
                | Sense::Measure
                | Sense::Little
                | Sense::All
                | Sense::RoomSuffix
                | Sense::ExceptClose
                | Sense::Question(Question::YesNo)
        )
    })
}

/// `用不着了`, `晒晒太阳`: why, in the same breath. Before a noun it would be a part of a name (学习灯).
fn only_explains(tokens: &[Token], at: usize) -> bool {
    let ends = |t: &Token| t.has(&Sense::Particle) || t.has(&Sense::Punctuation) || t.has(&Sense::Disposal);
    let next = tokens.get(at + 1);
    let over = tokens[at].text.chars().count() > 2 && next.is_none_or(|t| t.any(|s| matches!(s, Sense::Verb(_))));
    let finished = tokens[at].text.ends_with('了');
    tokens[at].has(&Sense::Reason) && (finished || over || next.is_none_or(ends))
}

/// What the chunks so far say about the next predicate.
fn context(before: &[Chunk]) -> Context {
    let mut context = Context { first: before.is_empty(), ..Context::default() };
    for chunk in before.iter().rev() {
        match chunk {
            Chunk::Nominal(n) => {
                context.property |= n.property.is_some();
                context.target |= n.head.is_some() || !n.places.is_empty();
            }
            Chunk::Predicate(p) => {
                context.open_set |= matches!(p.core, Core::SetOpen) || matches!(p.core, Core::Step(_, None));
                context.target = true;
                break;
            }
            Chunk::Each | Chunk::Also | Chunk::Conjunction | Chunk::Disposal => {}
            Chunk::Break { .. } => {
                context.target |= before.iter().any(|c| matches!(c, Chunk::Nominal(_)));
                break;
            }
            _ => break,
        }
    }
    context
}

/// Whether something nominal stands at a position, small words aside.
fn nominal_follows(tokens: &[Token], at: usize) -> bool {
    let rest = tokens.iter().skip(at).find(|t| !(t.has(&Sense::Filler) || t.has(&Sense::Particle)));
    rest.is_some_and(|t| {
        nominal::place(t).is_some()
            || t.is_entity()
            || nominal::kind(t).is_some()
            || nominal::sort(t).is_some()
            || t.has(&Sense::Reference)
            || t.has(&Sense::All)
            || t.has(&Sense::Other)
            || t.has(&Sense::AnyOne)
            || t.has(&Sense::Everything)
            || t.has(&Sense::ExceptOpen)
            || t.any(|s| matches!(s, Sense::Property(_) | Sense::State(_) | Sense::Number(_)))
            || t.is_residue()
    })
}

/// `卧室除外`, `卧室不要`: ends what is left out, and nothing is done to it.
fn excludes_before(tokens: &[Token], at: usize, before: &[Chunk]) -> bool {
    let ends = tokens[at + 1..].iter().all(|t| t.has(&Sense::Particle) || t.has(&Sense::Punctuation));
    let next_breaks = tokens.get(at + 1).is_none_or(|t| t.has(&Sense::Punctuation));
    tokens[at].has(&Sense::ExceptAfter)
        && (ends || next_breaks)
        && matches!(before.last(), Some(Chunk::Nominal(_)))
        && before.len() > 1
}

/// `不，还是关掉`.
fn corrects(tokens: &[Token], at: usize, before: &[Chunk]) -> bool {
    let named = before.iter().any(|c| matches!(c, Chunk::Nominal(_)));
    let done = before.iter().any(|c| matches!(c, Chunk::Predicate(_)));
    let after_break = matches!(before.last(), Some(Chunk::Break { .. } | Chunk::Correction | Chunk::Loose(_)));
    let alone = tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Punctuation) || t.has(&Sense::Correction));
    let long = tokens[at].text.chars().count() > 1;
    // 台灯，说错了，月球灯打开: before the verb, pauses on both sides make a correction of it.
    let started = done || (named && after_break && alone && long);
    tokens[at].has(&Sense::Correction) && started && (after_break || alone || long)
}
