//! What a thing shall not do besides what it is for: `空调别扫了`, `地暖不防冻了`. The feature ends, and not the thing.

use super::super::super::lexicon::{Lexicon, PropertyId, Sense};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal;
use super::super::recut::devices;
use super::{goes_on, kinds};

/// The clause with the feature that shall end; without what nothing of the thing does, which says nothing (`烘干机别响了`). `None` where
/// it does not say that something shall not be.
pub(super) fn of_its_feature(clause: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let lexicon = &vocabulary.lexicon;
    let at = (1..clause.len())
        .find(|at| !is_kept(&clause[*at], vocabulary) && no_more(&clause[*at..], lexicon).is_some())?;
    let what = no_more(&clause[at..], lexicon)?;
    let thing = clause[..at].iter().rfind(|t| devices(t, vocabulary).is_some_and(|of| !of.is_empty()))?;
    let of_kind: Vec<usize> = thing.senses.iter().flat_map(|sense| kinds(sense, vocabulary)).collect();
    if of_kind.iter().any(|kind| lexicon.kinds[*kind].goes.contains(&what)) {
        return None;
    }
    let before = || clause[..at].iter().cloned();
    let named = || {
        let flag = |p: &PropertyId| lexicon.properties[*p].flag;
        clause.get(at + 1).and_then(nominal::property).filter(flag)
    };
    if let Some(feature) = feature_called(&devices(thing, vocabulary)?, &what, vocabulary).or_else(named) {
        let off = lexicon.verb("off")?;
        let text = lexicon.properties[feature].words[0].clone();
        let feature = Token { text, heard: None, senses: vec![Sense::Property(feature)] };
        let off = Token { text: lexicon.verbs[off].words[0].clone(), heard: None, senses: vec![Sense::Verb(off)] };
        return Some(before().chain([feature, off]).collect());
    }
    // 别响了 by itself ends whatever sounds.
    let known = [lexicon.verb("off"), lexicon.verb("stop")];
    let [word] = &clause[at..] else { return None };
    let ends = word.senses.iter().any(|s| matches!(s, Sense::Verb(verb) if known.contains(&Some(*verb))));
    let of_it = of_kind.iter().any(|kind| !lexicon.kinds[*kind].goes.is_empty());
    (ends && of_it).then(|| before().chain([Token { senses: Vec::new(), ..word.clone() }]).collect())
}

/// Whether a clause says of a thing that it shall not do what it never does: `烘干机别响了`.
pub fn ends_nothing(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    of_its_feature(clause, vocabulary).is_some_and(|clause| clause.last().is_some_and(Token::is_residue))
}

fn is_kept(token: &Token, vocabulary: &Vocabulary) -> bool {
    token.is_entity() || vocabulary.lexicon.kept.contains(&token.text)
}

/// What words say that shall not be: behind 别, or between 不 and 了.
pub fn no_more(words: &[Token], lexicon: &Lexicon) -> Option<String> {
    let text: String = words.iter().map(|t| t.text.as_str()).collect();
    let denied = || text.strip_prefix(lexicon.marks.not.as_str()).filter(|rest| rest.contains(&lexicon.marks.changed));
    let rest = goes_on(words, lexicon).or_else(|| denied().map(str::to_owned))?;
    let end = |c: char| lexicon.ceases.ends.iter().any(|end| *end == c.to_string());
    let what = rest.trim_end_matches(end);
    (!what.is_empty()).then(|| what.to_owned())
}

/// The feature of things that is called so, or by words with that in them; the one that covers several.
pub fn feature_called(owners: &[usize], what: &str, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let lexicon = &vocabulary.lexicon;
    let switched = |p: &PropertyId| lexicon.properties[*p].flag && Some(*p) != lexicon.property("power");
    let abilities = owners.iter().flat_map(|d| vocabulary.devices[*d].abilities.iter()).filter(|a| a.writable);
    let mut features: Vec<PropertyId> = abilities.filter_map(|a| a.property).filter(switched).collect();
    features.sort_unstable();
    features.dedup();
    let called = |p: &PropertyId| lexicon.properties[*p].words.iter().any(|word| word == what);
    let within = |p: &PropertyId| lexicon.properties[*p].words.iter().any(|word| word.contains(what));
    if let Some(exact) = features.iter().find(|p| called(p)) {
        return Some(*exact);
    }
    let found: Vec<PropertyId> = features.into_iter().filter(within).collect();
    let covers = |p: &PropertyId| found.iter().all(|one| lexicon.properties[*p].covers.contains(one));
    match found[..] {
        [] => None,
        [one] => Some(one),
        _ => (0..lexicon.properties.len()).find(covers),
    }
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn a_feature_that_shall_not_be_ends_and_not_the_thing() {
        let Parse::Orders(orders) = at_home("空调不扫风了") else { panic!() };
        assert_eq!(Parse::Orders(orders), at_home("空调扫风关了"));
    }

    #[test]
    fn what_a_thing_never_does_ends_nothing() {
        assert!(
            !matches!(at_home("热水器别响了"), Parse::Orders(orders) if orders.iter().any(|o| !o.action.moves_nothing()))
        );
    }
}
