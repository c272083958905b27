//! `温度跟客厅一样`: as another thing stands. Nothing knows yet what that comes to, and the other thing is told nothing.

use super::super::lexicon::Sense;
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
