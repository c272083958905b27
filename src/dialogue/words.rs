//! The words of an utterance, and what kind of words they are.

use crate::language::lexicon::Sense;
use crate::language::segment::{Token, segment};
use crate::retrieval::World;

pub(super) fn tokens(sentence: &str, world: &World) -> Vec<Token> {
    segment(&world.vocabulary.utterance(sentence), &world.vocabulary)
}

pub(super) fn says(tokens: &[Token], sense: &Sense) -> bool {
    tokens.iter().any(|t| t.has(sense))
}

/// The utterance without punctuation, and without what is said while thinking before it (`呃都要`).
pub(super) fn bare(sentence: &str, world: &World) -> String {
    let tokens = tokens(sentence, world);
    let spoken: Vec<&Token> = tokens.iter().filter(|t| !t.has(&Sense::Punctuation)).collect();
    let thinks = |t: &&&Token| t.has(&Sense::Filler) && world.lexicon().answers.is_none_of(&t.text);
    let start = spoken.iter().take_while(thinks).count();
    let said = if start < spoken.len() { &spoken[start..] } else { &spoken[..] };
    said.iter().map(|t| t.heard.as_deref().unwrap_or(&t.text)).collect()
}

/// The clauses of an utterance, politeness at their ends taken off where something is left.
pub(super) fn parts(sentence: &str, world: &World) -> Vec<String> {
    let tokens = tokens(sentence, world);
    let written = |t: &Token| t.heard.clone().unwrap_or_else(|| t.text.clone());
    let clauses = tokens.split(|t| t.has(&Sense::Punctuation)).filter(|c| !c.is_empty());
    let thinks = |t: &&Token| t.has(&Sense::Filler) && world.lexicon().answers.is_none_of(&t.text);
    let content = |clause: &[Token]| clause.iter().skip_while(thinks).map(written).collect::<String>();
    clauses.map(content).filter(|part| !part.is_empty()).collect()
}

pub(super) fn written(tokens: &[Token]) -> String {
    tokens.iter().map(|t| t.heard.as_deref().unwrap_or(&t.text)).collect()
}

/// Whether a word names something of the home, or does something.
pub(super) fn is_ours(token: &Token) -> bool {
    token.is_entity()
        || token.any(|s| {
            matches!(
                s,
                Sense::Kind(_)
                    | Sense::Sort(_)
                    | Sense::Verb(_)
                    | Sense::Room(_)
                    | Sense::Property(_)
                    | Sense::Feature(_)
            )
        })
}

pub(super) fn is_small(token: &Token) -> bool {
    token.any(|s| {
        matches!(
            s,
            Sense::Filler
                | Sense::Particle
                | Sense::Punctuation
                | Sense::Correction
                | Sense::Is
                | Sense::Reference
                | Sense::Then
                | Sense::Of
                | Sense::Measure
        )
    }) && !token.is_entity()
}
