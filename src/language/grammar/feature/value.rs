//! Features that are called as a value is: `扫地机强力关了` where it has a 强力模式 that is switched, and can be set to nothing of that name.

use super::super::super::lexicon::{PropertyId, Sense};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::recut::{devices, means};
use crate::home::{DeviceIndex, Domain};

/// The sentence with such features beside what switches them.
pub(in super::super) fn named_as_value(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let suffix = |t: &Token| lexicon.feature_suffix.contains(&t.text) && !t.is_entity();
    for at in (0..tokens.len()).rev() {
        let value = tokens[at].any(|s| matches!(s, Sense::Value | Sense::Choice(_))) && !tokens[at].is_entity();
        if !value || tokens[at].any(|s| matches!(s, Sense::Verb(_) | Sense::Kind(_) | Sense::Property(_))) {
            continue;
        }
        let suffixed = tokens.get(at + 1).is_some_and(suffix);
        if !stands_beside_switch(&tokens, at, at + 1 + usize::from(suffixed), vocabulary) {
            continue;
        }
        let clause = tokens[..at].iter().rev().take_while(|t| !t.has(&Sense::Punctuation));
        let Some(owners) = clause.into_iter().find_map(|t| devices(t, vocabulary)) else { continue };
        let Some(property) = called(&owners, &tokens[at].text, vocabulary) else { continue };
        tokens[at] = Token::of_property(property, lexicon);
        if suffixed {
            tokens.remove(at + 1);
        }
    }
    tokens
}

/// `把警报器的声音关掉`: a word for being silent is what is switched and the verb that does, where the thing has that as a feature.
pub(in super::super) fn sound_switched(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let switches = |s: &Sense| lexicon.switches(s).is_some();
    for at in (1..tokens.len()).rev() {
        let cut = |(cut, _): (usize, char)| {
            let (what, verb) = tokens[at].text.split_at(cut);
            let verb = vocabulary.senses(verb).into_iter().find(switches)?;
            let property = |s: &Sense| if let Sense::Property(property) = s { Some(*property) } else { None };
            Some((what.to_owned(), vocabulary.senses(what).iter().find_map(property)?, verb))
        };
        let acts = tokens[at].any(|s| matches!(s, Sense::Verb(_))) && !tokens[at].any(switches);
        let found = tokens[at].text.char_indices().skip(1).find_map(cut).filter(|_| acts && !tokens[at].is_entity());
        let Some((what, of_sound, Sense::Verb(verb))) = found else { continue };
        let clause = || tokens[..at].iter().rev().take_while(|t| !t.has(&Sense::Punctuation));
        let owners = clause().filter(|t| t.is_entity()).find_map(|t| devices(t, vocabulary));
        let Some(owners) = owners.or_else(|| clause().find_map(|t| devices(t, vocabulary))) else { continue };
        // 提示音|声音关掉 of what is called 提示音声音
        let before = &tokens[at - 1];
        let whole = format!("{}{what}", before.text);
        let abilities = owners.iter().flat_map(|d| vocabulary.devices[*d].abilities.iter());
        let flags: Vec<PropertyId> =
            abilities.filter(|a| a.writable && a.domain == Some(Domain::Bool)).filter_map(|a| a.property).collect();
        let called = |p: &&PropertyId| lexicon.properties[**p].words.contains(&whole);
        let own = |p: &&PropertyId| super::property(before) == Some(**p);
        let joined = flags.iter().find(called).or_else(|| flags.iter().find(own)).copied();
        let Some(property) = joined.or_else(|| flags.contains(&of_sound).then_some(of_sound)) else { continue };
        let told = [Token::of_property(property, lexicon), Token::of_verb(verb, lexicon)];
        tokens.splice(at - usize::from(joined.is_some())..=at, told);
    }
    tokens
}

/// Whether a verb that switches, or the state that one leaves, stands behind a word, or before it and what that is of.
fn stands_beside_switch(tokens: &[Token], at: usize, end: usize, vocabulary: &Vocabulary) -> bool {
    let switches = |t: &Token| {
        let verb = |s: &Sense| match s {
            Sense::Verb(verb) | Sense::State(verb) => vocabulary.lexicon.verbs[*verb].switches.is_some(),
            _ => false,
        };
        t.any(verb) && !t.is_entity()
    };
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Each | Sense::Also | Sense::Filler | Sense::Disposal));
    let behind = tokens[end..].iter().find(|t| !small(t) || switches(t));
    behind.is_some_and(switches) || super::after_switch(tokens, at, vocabulary)
}

/// The feature of things that has the name of a value, where none of them takes one of that name.
fn called(owners: &[DeviceIndex], word: &str, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let word = crate::text::normalize(word);
    if owners.iter().any(|d| means(*d, &word, vocabulary)) {
        return None;
    }
    let abilities = owners.iter().flat_map(|d| vocabulary.devices[*d].abilities.iter());
    let mut switched = abilities.filter(|a| a.domain == Some(Domain::Bool)).filter_map(|a| a.property);
    switched.find(|p| vocabulary.lexicon.is_feature_called(*p, &word))
}
