//! What is asked only to know whether to do something: `灯还开着吧，开着就帮我关了`, `灯关没关，没关就关了`. The question says of which thing it
//! is, and the case behind it what has to be so.

use super::super::lexicon::Lexicon;
use super::super::segment::Token;
use super::super::sense::{Question, Sense};
use super::super::vocabulary::Vocabulary;
use super::nominal::is_thing;

/// The sentence with the thing alone where it is asked how that is, and told right behind what to do in one case.
pub(super) fn whether(tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let clauses: Vec<&[Token]> = tokens.split(|t| t.has(&Sense::Punctuation)).collect();
    let Some(at) = (1..clauses.len()).find(|at| is_case(clauses[*at])) else { return tokens };
    let Some(thing) = asked(clauses[at - 1]) else { return tokens };
    let begin: usize = clauses[..at - 1].iter().map(|clause| clause.len() + 1).sum();
    let (before, behind) = (&tokens[..begin], &tokens[begin + clauses[at - 1].len() + 1..]);
    let supposed = behind.first().is_some_and(|t| t.has(&Sense::If) && !t.has(&Sense::IfClose));
    let supposes = Token { text: lexicon.marks.supposes.clone(), heard: None, senses: vec![Sense::If] };
    let case = (!supposed).then_some(supposes);
    before.iter().chain(thing).cloned().chain(case).chain(behind.iter().cloned()).collect()
}

/// `空调还开着吧`: who supposes that something is still so asks whether it is.
pub(super) fn still(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let Some(at) = tokens.windows(2).position(|pair| {
        let goes_on = pair[0].has(&Sense::And) && pair[0].has(&Sense::Filler);
        goes_on && pair[1].text.contains(&marks.going) && pair[1].any(|s| matches!(s, Sense::State(_) | Sense::Verb(_)))
    }) else {
        return tokens;
    };
    let (state, tagged) = match tokens[at + 1].text.strip_suffix(&marks.tag) {
        Some(state) => (state.to_owned(), 0),
        None => (tokens[at + 1].text.clone(), 1),
    };
    let tag = tagged == 0 || tokens.get(at + 2).is_some_and(|t| t.text == marks.tag);
    let ends = tokens.get(at + 2 + tagged).is_none_or(|t| t.has(&Sense::Punctuation));
    let senses: Vec<Sense> =
        vocabulary.senses(&state).iter().filter(|s| matches!(s, Sense::State(_))).cloned().collect();
    if tag && ends && !senses.is_empty() {
        let asks = Token { text: marks.tag.clone(), heard: None, senses: vec![Sense::Question(Question::YesNo)] };
        tokens.splice(at + 1..at + 2 + tagged, [Token { text: state, heard: None, senses }, asks]);
    }
    tokens
}

/// `开着就…`, `没关就…`: how something is, and then what to do, of no other thing.
fn is_case(clause: &[Token]) -> bool {
    let said: Vec<&Token> = clause.iter().filter(|t| !t.has(&Sense::If) || t.has(&Sense::IfClose)).collect();
    let not = usize::from(said.first().is_some_and(|t| t.has(&Sense::Not)));
    let state = said.get(not).is_some_and(|t| t.any(|s| matches!(s, Sense::State(_))) && !t.is_entity());
    let then = said.get(not + 1).is_some_and(|t| t.any(|s| matches!(s, Sense::Then | Sense::IfClose)));
    state && then && !said.iter().any(|t| is_thing(t))
}

/// What a clause asks the state of, up to what it is called.
fn asked(clause: &[Token]) -> Option<&[Token]> {
    let last = clause.iter().rposition(is_thing)?;
    let rest = &clause[last + 1..];
    let state = |t: &Token| t.any(|s| matches!(s, Sense::State(_) | Sense::Verb(_)));
    let asks = |t: &Token| t.any(|s| matches!(s, Sense::Question(Question::YesNo) | Sense::Exists));
    // 还开着吧
    let goes_on = rest.first().is_some_and(|t| t.has(&Sense::And));
    let only = rest
        .iter()
        .all(|t| state(t) || asks(t) || t.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::And)));
    (rest.iter().any(state) && only && (goes_on || rest.iter().any(asks))).then_some(&clause[..=last])
}
