//! Numbers that are no values: `电视换一个台`, `换成七十五寸的`; and things that are no devices, though they are called after one:
//! `洗衣机门`, `电视柜`.

use super::super::lexicon::Sense;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::is_thing;
use super::recut::devices;

/// The sentence with what counts or belongs to something else as words that nobody knows.
pub(super) fn uncounted(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    parts(counts(tokens, vocabulary), vocabulary)
}

/// `换一个台`, `七十五寸`
fn counts(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    let one = |t: &Token| t.any(|s| matches!(s, Sense::Number(n) if n.value == 1.0 && !n.percent));
    let mut at = 0;
    while at + 1 < tokens.len() {
        let next = &tokens[at + 1];
        let counted = marks.counters.iter().any(|word| next.text.starts_with(word.as_str())) && !next.is_entity();
        // 关掉一盏 asks which.
        let sets = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare));
        let does = at > 0 && sets(&tokens[at - 1]);
        let measures = next.has(&Sense::Measure) && !next.any(|s| matches!(s, Sense::Unit(_) | Sense::Property(_)));
        let noun = |t: &Token| is_thing(t) || t.any(|s| matches!(s, Sense::Reference | Sense::Side { .. }));
        let other = one(&tokens[at]) && measures && does && !tokens.get(at + 2).is_some_and(noun);
        if number(&tokens[at]) && (counted || other) {
            let text = format!("{}{}", tokens[at].text, next.text);
            tokens.splice(at..at + 2, [Token { text, heard: None, senses: Vec::new() }]);
        }
        at += 1;
    }
    tokens
}

/// `洗衣机门打开`, `把电视柜打开`: the door of what washes is opened by hand.
fn parts(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let named = |s: &Sense| matches!(s, Sense::Devices(_) | Sense::Measure | Sense::Group(_));
    let part = |t: &Token| marks.parts.contains(&t.text) && !t.any(named);
    // 冰箱门上那块别亮 is of what it shows there.
    let verbs = &vocabulary.lexicon.verbs;
    let switches = |t: &Token| t.any(|s| matches!(s, Sense::Verb(verb) if verbs[*verb].switches.is_some()));
    let led = |t: &Token| t.any(|s| matches!(s, Sense::Disposal)) || switches(t);
    let mut at = 0;
    while at + 1 < tokens.len() {
        let of = usize::from(tokens[at + 1].text == marks.of && at + 2 < tokens.len());
        let owner = is_thing(&tokens[at]) && !tokens[at].any(|s| matches!(s, Sense::Scene(_)));
        let before = at > 0 && led(&tokens[at - 1]);
        let after = tokens.get(at + 2 + of).is_some_and(switches);
        if owner && part(&tokens[at + 1 + of]) && (before || after) && !has(&tokens[at], &tokens[at + 1 + of].text, vocabulary) {
            let text: String = tokens[at..=at + 1 + of].iter().map(|t| t.text.as_str()).collect();
            tokens.splice(at..=at + 1 + of, [Token { text, heard: None, senses: Vec::new() }]);
        }
        at += 1;
    }
    tokens
}

/// Whether a thing has something of that name: the lid of a toilet seat.
fn has(thing: &Token, part: &str, vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let called = |property: usize| lexicon.properties[property].words.iter().any(|word| word.contains(part));
    let of = |device: &usize| vocabulary.devices[*device].abilities.iter().filter_map(|a| a.property).any(called);
    devices(thing, vocabulary).is_some_and(|devices| devices.iter().any(of))
}
