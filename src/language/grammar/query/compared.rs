//! Whether a value is so much: `空调是不是二十四度`, `空调开到二十三了吗`, `湿度有没有五十`.

use super::super::super::lexicon::{Comparison, Question, Sense};
use super::super::super::segment::Token;

/// The words of a question with what compares before its one number, where it asks whether that is so. `有` asks for as much at
/// least.
pub(in super::super) fn compared(mut tokens: Vec<Token>) -> Vec<Token> {
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    let asks = |t: &Token| t.has(&Sense::Question(Question::YesNo)) && !t.is_entity();
    let mut numbers = (0..tokens.len()).filter(|at| number(&tokens[*at]));
    let (Some(at), None) = (numbers.next(), numbers.next()) else { return tokens };
    // 空调可以开到二十四度吗 asks what it can do.
    let more = |t: &Token| t.any(|s| matches!(s, Sense::Polite | Sense::Punctuation));
    if at == 0
        || tokens.iter().any(more)
        || !tokens.iter().any(asks)
        || tokens.iter().any(|t| t.any(|s| matches!(s, Sense::Compare(_))))
    {
        return tokens;
    }
    let before = &tokens[at - 1];
    let sets = before.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare));
    let is = sets || before.has(&Sense::Is) || asks(before) && !before.has(&Sense::Not);
    if before.is_entity() || !is && !before.has(&Sense::Exists) {
        return tokens;
    }
    let by = if before.has(&Sense::Exists) && !sets { Comparison::AtLeast } else { Comparison::Equal };
    let compares = Token { text: before.text.clone(), heard: None, senses: vec![Sense::Compare(by)] };
    // What asks stays, what sets told nothing.
    let begin = if asks(before) { at } else { at - 1 };
    tokens.splice(begin..at, [compares]);
    tokens
}
