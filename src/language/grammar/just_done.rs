//! What was done just now or is being done, in the same breath before what is told: `刚关了空调风扇开三档`, `打扫呢灯开亮点`.

use super::super::lexicon::Sense;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::is_thing;

/// The sentence without it.
pub(super) fn without_what_was_done(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    where_i_am(without_own_work(without_past(tokens, vocabulary), vocabulary), vocabulary)
}

/// `我在主卧，灯打开`: in that room.
fn where_i_am(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let end = tokens.iter().position(pause).unwrap_or_default();
    let me = tokens.first().is_some_and(|t| t.text.starts_with(&vocabulary.lexicon.marks.speaker) && !t.is_entity());
    let room = |t: &Token| t.any(|s| matches!(s, Sense::Room(_)));
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::RoomSuffix));
    let only = tokens.get(1..end).is_some_and(|said| said.first().is_some_and(room) && said[1..].iter().all(small));
    if me && only {
        tokens.remove(0);
    }
    tokens
}

/// `刚关了空调风扇开三档`: the thing that was switched is not the one that is told.
fn without_past(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let just = |t: &Token| {
        t.has(&Sense::Past) && vocabulary.lexicon.marks.just.iter().any(|word| t.text.starts_with(word.as_str()))
    };
    let Some(at) = tokens.iter().position(just) else { return tokens };
    let verb = usize::from(tokens.get(at + 1).is_some_and(|t| t.any(|s| matches!(s, Sense::Verb(_)))));
    let over = |t: &Token| t.text == vocabulary.lexicon.marks.changed;
    let after = usize::from(tokens.get(at + 1 + verb).is_some_and(over));
    let thing = at + 1 + verb + after;
    let told = |rest: &[Token]| rest.first().is_some_and(is_thing) && rest.iter().any(acts);
    if tokens.get(thing).is_some_and(is_thing) && tokens.get(thing + 1..).is_some_and(told) {
        tokens.drain(at..=thing);
    }
    tokens
}

/// `打扫呢灯开亮点`: what somebody is at is no order to what does the same.
fn without_own_work(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let verbs = &vocabulary.lexicon.verbs;
    let lead = |t: &Token| t.any(|s| matches!(s, Sense::Speaker | Sense::Filler | Sense::Sequence)) && !acts(t);
    let begin = tokens.iter().take_while(|t| lead(t)).count();
    let works = |t: &Token| {
        let verb = |s: &Sense| matches!(s, Sense::Verb(verb) if verbs[*verb].switches.is_none());
        !t.is_entity() && t.any(|s| verb(s) || matches!(s, Sense::Choice(_))) && t.text.chars().count() > 1
    };
    let of = usize::from(tokens.get(begin + 1).is_some_and(Token::is_residue));
    let busy = |t: &Token| t.has(&Sense::Particle) && vocabulary.lexicon.marks.busy.contains(&t.text);
    let told = |rest: &[Token]| rest.iter().any(is_thing) && rest.iter().any(acts);
    let end = begin + 1 + of;
    let is_busy = tokens.get(begin).is_some_and(works) && tokens.get(end).is_some_and(busy);
    if is_busy && tokens.get(end + 1..).is_some_and(told) {
        tokens.drain(begin..=end);
    }
    tokens
}

fn acts(token: &Token) -> bool {
    let more = |s: &Sense| s.is_action() || matches!(s, Sense::Direction { .. } | Sense::Degree { .. });
    !token.is_entity() && token.any(more)
}
