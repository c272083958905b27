//! Of what a thing does only the one: `扫地机只扫不拖`, `光拖地别扫`, `别拖了光扫就行`, `消毒柜光消毒不烘干`. That is a value of it, or the other
//! is a feature of its own that ends.

use super::super::lexicon::{PropertyId, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::recut::{devices, offers};
use crate::home::{DeviceIndex, Domain, RoomIndex};
use crate::text::normalize;

/// The sentence with that as the value that the thing is set to.
pub(super) fn done(tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let Some((begin, end, what, other)) = (0..tokens.len()).find_map(|at| said(&tokens, at, vocabulary)) else {
        return without(tokens, vocabulary);
    };
    let named = tokens[..begin].iter().rev().find_map(|t| devices(t, vocabulary).filter(|of| !of.is_empty()));
    let here = || {
        let stands = |d: &DeviceIndex| local.is_some() && vocabulary.home.devices[*d].room == local;
        (0..vocabulary.devices.len()).filter(stands).collect::<Vec<_>>()
    };
    let of = named.unwrap_or_else(here);
    let told = match value(&what, &of, vocabulary) {
        Some(value) => {
            let set = Token::unsaid(Sense::Set { open: false });
            vec![set, Token { text: value, heard: None, senses: vec![Sense::Value] }]
        }
        None => match other.and_then(|other| flag(&other, &of, vocabulary)).zip(lexicon.verb("off")) {
            Some((feature, off)) => vec![Token::of_property(feature, lexicon), Token::of_verb(off, lexicon)],
            None => return tokens,
        },
    };
    tokens[..begin].iter().cloned().chain(told).chain(tokens[end..].iter().cloned()).collect()
}

/// `扫地机吸力大点，别拖地`: of a thing that is told something it is not that it shall end, where it can do only the other.
fn without(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let told = |t: &Token| t.any(|s| s.is_action() || matches!(s, Sense::Degree { .. })) && !t.is_entity();
    let begins = |at: &usize| *at > 0 && pause(&tokens[*at - 1]);
    let found = (0..tokens.len()).filter(begins).find_map(|at| {
        let (what, end) = not(&tokens, at, vocabulary).filter(|(_, end)| ends(&tokens, *end))?;
        let thing = tokens[..at].iter().rposition(|t| devices(t, vocabulary).is_some_and(|of| !of.is_empty()))?;
        let of = devices(&tokens[thing], vocabulary)?;
        let value = the_other(&what, &of, vocabulary).filter(|_| tokens[thing..at].iter().any(told))?;
        Some((at, end, value))
    });
    if let Some((at, end, value)) = found {
        let set = Token::unsaid(Sense::Set { open: false });
        tokens.splice(at..end, [set, Token { text: value, heard: None, senses: vec![Sense::Value] }]);
    }
    tokens
}

/// 只扫, where something does 只扫 or 只拖.
fn the_other(what: &str, of: &[DeviceIndex], vocabulary: &Vocabulary) -> Option<String> {
    let only = |name: &str| {
        let done = vocabulary.lexicon.marks.only.iter().find_map(|only| name.strip_prefix(only.as_str()))?;
        (!done.is_empty()).then(|| done.to_owned())
    };
    let domains = of.iter().flat_map(|d| vocabulary.devices[*d].abilities.iter()).filter_map(|a| a.domain.as_ref());
    domains.into_iter().find_map(|domain| {
        let Domain::Enum(list) = domain else { return None };
        let names: Vec<String> = list.iter().map(|c| normalize(&c.describe)).filter(|n| only(n).is_some()).collect();
        let [one, other] = &names[..] else { return None };
        let is = |name: &String| only(name).is_some_and(|done| what.starts_with(&done));
        match (is(one), is(other)) {
            (true, false) => Some(other.clone()),
            (false, true) => Some(one.clone()),
            _ => None,
        }
    })
}

/// Where it is said, what only shall be and what shall not.
fn said(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(usize, usize, String, Option<String>)> {
    if let Some((what, end)) = only(tokens, at, vocabulary) {
        let rest = small(tokens, end);
        return Some(match not(tokens, rest, vocabulary) {
            Some((other, end)) => (at, end, what, Some(other)),
            // 光扫地, and no more.
            None if ends(tokens, end) => (at, end, what, None),
            None => return None,
        });
    }
    let (other, end) = not(tokens, at, vocabulary)?;
    let (what, end) = only(tokens, small(tokens, end), vocabulary)?;
    ends(tokens, end).then_some((at, end, what, Some(other)))
}

/// `只扫`, `光拖地`: one word or two.
fn only(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(String, usize)> {
    let marks = &vocabulary.lexicon.marks;
    let token = tokens.get(at).filter(|t| !t.is_entity())?;
    if marks.only.contains(&token.text) {
        let what = tokens.get(at + 1).filter(|t| !t.is_entity() && !t.has(&Sense::Punctuation))?;
        return Some((what.text.clone(), at + 2));
    }
    let what = marks.only.iter().find_map(|only| token.text.strip_prefix(only.as_str()))?;
    (!what.is_empty()).then(|| (what.to_owned(), at + 1))
}

/// `不拖`, `别扫了`: one word or two.
fn not(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(String, usize)> {
    let lexicon = &vocabulary.lexicon;
    let token = tokens.get(at).filter(|t| !t.is_entity())?;
    let denies = |text: &str| text == lexicon.marks.not || lexicon.ceases.not.iter().any(|not| not == text);
    let (what, end) = if denies(&token.text) {
        let what = tokens.get(at + 1).filter(|t| !t.is_entity() && !t.has(&Sense::Punctuation))?;
        (what.text.clone(), at + 2)
    } else {
        let mut cuts = token.text.char_indices().skip(1).map(|(cut, _)| token.text.split_at(cut));
        (cuts.find(|(not, _)| denies(not))?.1.to_owned(), at + 1)
    };
    let what = what.trim_end_matches(lexicon.marks.changed.as_str()).to_owned();
    (!what.is_empty()).then_some((what, end))
}

/// Behind small words and a pause.
fn small(tokens: &[Token], at: usize) -> usize {
    let small =
        |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler | Sense::Punctuation)) && !t.is_entity();
    at + tokens[at..].iter().take_while(|t| small(t)).count()
}

/// Whether nothing more is told of it.
fn ends(tokens: &[Token], at: usize) -> bool {
    let rest = tokens[at..].split(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
    rest.iter().all(|t| t.any(|s| matches!(s, Sense::Particle | Sense::Filler | Sense::Reason | Sense::Finished)))
}

/// The value of one of the things that is called so: 只扫, or 消毒 of what has 消毒加烘干 besides.
fn value(what: &str, of: &[DeviceIndex], vocabulary: &Vocabulary) -> Option<String> {
    let first: String = what.chars().take(1).collect();
    let marks = &vocabulary.lexicon.marks;
    let names = marks.only.iter().flat_map(|only| [format!("{only}{what}"), format!("{only}{first}")]);
    let mut names = names.chain([what.to_owned()]);
    names.find(|name| of.iter().filter(|d| offers(**d, name, vocabulary)).count() == 1)
}

/// The feature of its own of one of the things that is called so.
fn flag(what: &str, of: &[DeviceIndex], vocabulary: &Vocabulary) -> Option<PropertyId> {
    let properties = &vocabulary.lexicon.properties;
    let called = |p: &PropertyId| {
        let named = |word: &String| word == what || word.starts_with(what);
        properties[*p].own && properties[*p].flag && properties[*p].words.iter().any(named)
    };
    let abilities = of.iter().flat_map(|d| vocabulary.devices[*d].abilities.iter()).filter(|a| a.writable);
    let mut found: Vec<PropertyId> = abilities.filter_map(|a| a.property).filter(called).collect();
    found.dedup();
    if let [one] = found[..] { Some(one) } else { None }
}
