//! `温度跟客厅一样`: as another thing stands. Nothing knows yet what that comes to, and the other thing is told nothing.

use super::super::lexicon::{Comparison, Sense};
use super::super::segment::Token;
use super::nominal::{is_thing, place};

/// The sentence with such a comparison as one word that is not understood, where anything is told at all.
pub(super) fn as_another(mut tokens: Vec<Token>) -> Vec<Token> {
    let own = |t: &Token, sense: &Sense| t.has(sense) && !t.is_entity();
    let names = |t: &Token| is_thing(t) || place(t).is_some();
    let of_it = |t: &Token| names(t) || t.any(|s| matches!(s, Sense::Of | Sense::Reference | Sense::Measure));
    let tells = |t: &Token| t.any(|s| s.is_action() || matches!(s, Sense::Number(_))) && !t.is_entity();
    // 客厅和卧室空调一样，都26度: both are told.
    let all = tokens.iter().any(|t| own(t, &Sense::Each));
    if all || !tokens.iter().any(tells) {
        return tokens;
    }
    while let Some((at, end)) = compared(&tokens) {
        let said: Vec<Token> = tokens.drain(at..end).collect();
        let text = said.iter().map(|t| t.text.as_str()).collect();
        tokens.insert(at, Token { text, heard: None, senses: Vec::new() });
    }
    for at in (0..tokens.len()).rev() {
        let joins = own(&tokens[at], &Sense::Conjunction) && !own(&tokens[at], &Sense::Also);
        let length = tokens[at + 1..].iter().take_while(|t| of_it(t)).count();
        let like = tokens.get(at + 1 + length).is_some_and(|t| own(t, &Sense::Same));
        if joins && like && tokens[at + 1..at + 1 + length].iter().any(names) {
            let said: Vec<Token> = tokens.drain(at..=at + 1 + length).collect();
            let text = said.iter().map(|t| t.text.as_str()).collect();
            tokens.insert(at, Token { text, heard: None, senses: Vec::new() });
        }
    }
    tokens
}

/// `主卧空调比次卧空调低两度`: whether a thing is told by another one, which is not what is set.
pub fn compares(tokens: &[Token]) -> bool {
    compared(tokens).is_some()
}

/// Where the other one stands, with the word before it.
fn compared(tokens: &[Token]) -> Option<(usize, usize)> {
    let names = |t: &Token| is_thing(t) || place(t).is_some();
    let of_it = |t: &Token| names(t) || t.any(|s| matches!(s, Sense::Of | Sense::Reference | Sense::Measure));
    let than = |t: &Token| t.has(&Sense::Compare(Comparison::Greater)) && !t.is_entity();
    let how = |t: &Token| t.any(|s| matches!(s, Sense::Degree { .. } | Sense::Direction { .. })) && !t.is_entity();
    let asks = |t: &Token| t.any(|s| matches!(s, Sense::Question(_) | Sense::If | Sense::IfClose | Sense::Then));
    if tokens.iter().any(asks) {
        return None;
    }
    (1..tokens.len()).find_map(|at| {
        let end = at + 1 + tokens[at + 1..].iter().take_while(|t| of_it(t)).count();
        let behind = tokens.get(end).is_some_and(how);
        let found = than(&tokens[at]) && names(&tokens[at - 1]) && tokens[at + 1..end].iter().any(names) && behind;
        found.then_some((at, end))
    })
}
