//! From a prompt to an answer: greedy, and held to the grammar at every step.

use super::decoder::{Cache, Decoder, Stopped};
use super::grammar::Position;
use super::vocabulary::TokenBytes;
use crate::language::command::Command;
use crate::language::protocol::print_array;

/// Tokens of a prompt that go through the forward pass together: what a cancellation may have to wait for is one layer
/// of it.
const CHUNK: usize = 32;

/// An answer.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) bytes: Vec<u8>,
    pub(super) tokens: usize,
}

/// Runs up to [`CHUNK`] of the `tokens` that are not yet in `cache`, and gives the scores after them.
pub(super) fn advance(
    decoder: &Decoder,
    tokens: &[u32],
    done: usize,
    cache: &mut Cache,
    go_on: &dyn Fn() -> bool,
) -> candle_core::Result<Result<Vec<f32>, Stopped>> {
    let end = tokens.len().min(done + CHUNK);
    decoder.forward(&tokens[done..end], cache, go_on)
}

/// Runs all `tokens` and gives the scores after them. There is at least one.
pub(super) fn prefill(
    decoder: &Decoder,
    tokens: &[u32],
    cache: &mut Cache,
    go_on: &dyn Fn() -> bool,
) -> candle_core::Result<Result<Vec<f32>, Stopped>> {
    let mut scores = Vec::new();
    for done in (0..tokens.len()).step_by(CHUNK) {
        match advance(decoder, tokens, done, cache, go_on)? {
            Ok(after) => scores = after,
            Err(stopped) => return Ok(Err(stopped)),
        }
    }
    Ok(Ok(scores))
}

/// Writes an answer from the `scores` after a prompt on. `first` is called when its first token stands.
///
/// What is not finished in `budget` tokens is no answer: the model went round in circles, and half of what it would have
/// said may be the opposite of all of it. `UNKNOWN` stands in its place.
pub(super) fn write(
    decoder: &Decoder,
    bytes: &TokenBytes,
    mut scores: Vec<f32>,
    cache: &mut Cache,
    budget: usize,
    mut first: impl FnMut(),
    go_on: &dyn Fn() -> bool,
) -> candle_core::Result<Result<Answer, Stopped>> {
    let mut answer = Answer::default();
    let mut position = Position::START;
    while let Some((token, next)) = choose(&scores, bytes, position) {
        if answer.tokens == 0 {
            first();
        }
        answer.bytes.extend_from_slice(bytes.get(token));
        answer.tokens += 1;
        position = next;
        if position.is_done() || answer.tokens >= budget {
            break;
        }
        match decoder.forward(&[token as u32], cache, go_on)? {
            Ok(after) => scores = after,
            Err(stopped) => return Ok(Err(stopped)),
        }
    }
    if !position.is_done() {
        answer.bytes = print_array(&[Command::unknown()]).into_bytes();
    }
    Ok(Ok(answer))
}

/// The token of the highest score among those that the grammar allows, and the position after it.
///
/// There is one wherever every byte is a token of its own, which is checked when a model is loaded; `None` is for others.
/// Most tokens are not even looked at: only one that scores more than the best so far is spelled out.
pub fn choose(scores: &[f32], bytes: &TokenBytes, position: Position) -> Option<(usize, Position)> {
    let mut best: Option<(f32, usize, Position)> = None;
    for (token, score) in scores.iter().enumerate() {
        // Damaged weights give scores that are no numbers; the array shall be one all the same.
        let score = if score.is_nan() { f32::NEG_INFINITY } else { *score };
        if best.is_some_and(|(highest, ..)| score <= highest) {
            continue;
        }
        if let Some(next) = position.after(bytes.get(token)) {
            best = Some((score, token, next));
        }
    }
    best.map(|(_, token, next)| (token, next))
}
