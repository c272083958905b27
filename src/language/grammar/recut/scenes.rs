//! Scenes by the word for what they are: `来客模式` where the home has a scene 来客.

use super::super::super::lexicon::Sense;
use super::super::super::number::Number;
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::is_thing;
use super::{devices, means};

/// The sentence with scenes by their names alone: `把来客那个场景打开`, `来一个来客模式`, `走来客模式`. What is said of a thing
/// (`台灯来客模式`) is a mode of it.
pub(in super::super) fn scenes(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let mode = vocabulary.lexicon.property("mode");
    let scene = |s: &Sense| matches!(s, Sense::Scene(_));
    let word = |t: &Token| {
        let calls = t.has(&Sense::Scenes) || mode.is_some_and(|mode| t.has(&Sense::Property(mode)));
        calls && !t.is_entity() && !t.any(|s| matches!(s, Sense::Unit(_)))
    };
    let joins = |t: &&Token| t.any(|s| matches!(s, Sense::Of | Sense::Reference)) && !t.is_entity();
    let one = |t: &Token| matches!(t.senses[..], [Sense::Number(Number { value: 1.0, percent: false })]);
    let counts = |t: &Token| one(t) || t.has(&Sense::Measure) && !t.any(Sense::is_action);
    of_a_thing(&mut tokens, vocabulary);
    let mut at = 0;
    while at < tokens.len() {
        let joined = tokens[at + 1..].iter().take_while(joins).count();
        let called = tokens[at].any(scene) && tokens.get(at + 1 + joined).is_some_and(word);
        let begin = tokens[..at].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
        if called && !tokens[begin..at].iter().any(is_thing) {
            tokens.drain(at + 1..at + 2 + joined);
            tokens[at].senses.retain(scene);
            let counted = tokens[begin..at].iter().rev().take_while(|t| counts(t)).count();
            tokens.drain(at - counted..at);
            at -= counted;
            let led = at > begin && tokens[at - 1].is_residue() && tokens[at - 1].text.chars().count() == 1;
            if led {
                at -= 1;
                tokens.remove(at);
            }
        }
        at += 1;
    }
    tokens
}

/// `净化器开睡眠模式`: a mode of what is named before it, where that has one of that name.
fn of_a_thing(tokens: &mut [Token], vocabulary: &Vocabulary) {
    let switches_on = |t: &Token| t.any(|s| vocabulary.lexicon.switches(s) == Some(true)) && !t.is_entity();
    for at in 2..tokens.len() {
        let called = tokens[at].any(|s| matches!(s, Sense::Scene(_))) && switches_on(&tokens[at - 1]);
        if called && is_thing(&tokens[at - 2]) && has_a_value(&tokens[at - 2], &tokens[at].text, vocabulary) {
            tokens[at - 1].senses = vec![Sense::Set { open: false }];
        }
    }
}

/// Whether all that a word is for has a value of this name, or of this name without the word for modes.
fn has_a_value(thing: &Token, name: &str, vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let modes = lexicon.property("mode").map(|mode| &lexicon.properties[mode].words);
    let bare = modes.into_iter().flatten().find_map(|word| name.strip_suffix(word.as_str())).unwrap_or(name);
    let has = |d: &usize| means(*d, name, vocabulary) || means(*d, bare, vocabulary);
    devices(thing, vocabulary).is_some_and(|of| !of.is_empty() && of.iter().all(has))
}
