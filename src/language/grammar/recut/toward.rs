//! Which way something is moved: `音量往大里拧一拧`, `声音往下去去`, `灯往亮里调`. It is a little more of that.

use super::super::super::lexicon::Sense;
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::property;

/// The sentence with such ways as a little up or down.
pub(in super::super) fn toward(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let turned = &vocabulary.lexicon.turned;
    let graded = |t: &Token| t.any(|s| matches!(s, Sense::Direction { .. } | Sense::Degree { .. })) && !t.is_entity();
    let moves = |t: &Token| {
        let said = || t.text.chars().all(|c| turned.moves.contains(c) || turned.after.contains(c));
        !t.is_entity() && (t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare)) || said())
    };
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let mut at = 0;
    while at + 1 < tokens.len() {
        at += 1;
        let Some(rest) = turned.toward.iter().find_map(|word| tokens[at].text.strip_prefix(word.as_str())) else {
            continue;
        };
        let next = tokens.get(at + 1).filter(|t| rest.is_empty() && graded(t));
        let up = turned.is_up(rest).filter(|_| property(&tokens[at - 1]).is_some());
        let step = up.map(|up| Token { text: rest.to_owned(), heard: None, senses: vec![Sense::Step { up }] });
        let Some(word) = next.cloned().or(step) else { continue };
        let mut end = at + 1 + usize::from(next.is_some());
        end += usize::from(tokens.get(end).is_some_and(|t| t.has(&Sense::RoomSuffix)));
        let moved = tokens[end..].iter().take_while(|t| moves(t)).count();
        let ends = tokens.get(end + moved).is_none_or(pause);
        if moved > 0 && ends {
            tokens.splice(at..end + moved, [word, Token::unsaid(Sense::Little)]);
        }
    }
    tokens
}
