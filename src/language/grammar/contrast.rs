//! What is told of all, and of some of them not: `开灯，不要大灯`, `打开所有空调，但是不要打开主卧的`.

use super::super::segment::Token;
use super::super::sense::Sense;
use super::super::vocabulary::Vocabulary;
use super::nominal::{Place, is_thing, kind, place};
use super::recut::devices;

/// The sentence with what is refused behind what is told of all of them as left out of it.
pub(super) fn left_out(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let mut tokens = paused(tokens, vocabulary);
    let mut at = 1;
    while at < tokens.len() {
        let refuses = is_pause(&tokens[at - 1]) && tokens[at].has(&Sense::Negation);
        if let Some((refused, end)) = refuses.then(|| refused(&tokens, at, vocabulary)).flatten() {
            let close = Token::unsaid(Sense::ExceptClose);
            let spared = [vec![Token::unsaid(Sense::ExceptOpen)], refused, vec![close]].concat();
            let next = at - 1 + spared.len();
            tokens.splice(at - 1..end, spared);
            at = next;
        }
        at += 1;
    }
    tokens
}

/// `不要大灯，要落地灯`: the one ends, and the other is wanted.
pub(super) fn rather(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let said: Vec<&Token> = tokens.iter().filter(|t| !t.has(&Sense::Particle) || t.is_entity()).collect();
    let wants = |t: &Token, no: &Token| no.text.ends_with(&t.text) && no.text != t.text && t.has(&Sense::Filler);
    let [no, unwanted @ .., _] = &said[..] else { return tokens };
    let Some(pause) = unwanted.iter().position(|t| is_pause(t)) else { return tokens };
    let (one, rest) = (&unwanted[..pause], &said[pause + 2..]);
    let named = |words: &[&Token]| {
        let names = |t: &&Token| is_thing(t) || place(t).is_some() || t.has(&Sense::Of);
        words.iter().any(|t| is_thing(t)) && words.iter().all(names)
    };
    let (Some((wish, other)), Some(on), Some(off)) = (rest.split_first(), lexicon.verb("on"), lexicon.verb("off"))
    else {
        return tokens;
    };
    if !no.has(&Sense::Negation) || no.is_entity() || !wants(wish, no) || !named(one) || !named(other) {
        return tokens;
    }
    let told = |words: &[&Token], verb| {
        words.iter().map(|t| (*t).clone()).chain([Token::of_verb(verb, lexicon)]).collect::<Vec<_>>()
    };
    [told(one, off), vec![Token::unsaid(Sense::Punctuation)], told(other, on)].concat()
}

fn is_pause(token: &Token) -> bool {
    token.has(&Sense::Punctuation)
}

fn is_small(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Particle | Sense::Filler)) && !token.is_entity()
}

fn does(token: &Token) -> bool {
    token.any(Sense::is_action) && !token.is_entity()
}

/// `开灯但是不要开大灯`: what contrasts with what was told is a clause of its own, with a pause or without.
fn paused(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let contrasts = |t: &Token| vocabulary.lexicon.marks.contrasts.contains(&t.text) && is_small(t);
    for at in (1..tokens.len()).rev() {
        let refuses = || tokens[at + 1..].iter().find(|t| !is_small(t)).is_some_and(|t| t.has(&Sense::Negation));
        let told =
            || tokens[..at].rsplit(is_pause).find(|clause| !clause.is_empty()).is_some_and(|c| c.iter().any(does));
        if contrasts(&tokens[at]) && refuses() && told() {
            match is_pause(&tokens[at - 1]) {
                true => drop(tokens.remove(at)),
                false => tokens[at] = Token::unsaid(Sense::Punctuation),
            }
        }
    }
    tokens
}

/// What a clause that begins with a negation refuses of what was told before it, and where that ends.
fn refused(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(Vec<Token>, usize)> {
    let before = tokens[..at - 1].rsplit(is_pause).next().filter(|clause| clause.iter().any(does))?;
    let general = before.iter().rfind(|t| is_thing(t))?;
    let all = devices(general, vocabulary).unwrap_or_default();
    let of_all = |d: usize| all.contains(&d) || kind(general).is_some_and(|kind| vocabulary.devices[d].is(kind));
    let end = tokens[at..].iter().position(is_pause).map_or(tokens.len(), |pause| at + pause);
    let verb =
        usize::from(tokens.get(at + 1).is_some_and(|t| t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity()));
    let small = tokens[at + 1 + verb..end].iter().rev().take_while(|t| is_small(t)).count();
    let refused = &tokens[at + 1 + verb..end - small];
    let names = |t: &Token| {
        is_thing(t)
            || place(t).is_some()
            || t.any(|s| matches!(s, Sense::Of | Sense::Reference | Sense::Measure | Sense::Conjunction))
    };
    let placed = refused.iter().any(|t| place(t).is_some());
    // 关玄关的窗帘，别关阳台的窗帘: those of another room are none of them.
    if placed && before.iter().any(|t| matches!(place(t), Some(Place::Room(_)))) {
        return None;
    }
    let one_of_them = |t: &Token| {
        let devices = devices(t, vocabulary).unwrap_or_default();
        let own = !devices.is_empty() && devices.iter().all(|d| of_all(*d));
        own && (placed || devices.len() < all.len() || all.is_empty())
    };
    let mut things = refused.iter().filter(|t| is_thing(t)).peekable();
    let named = things.peek().is_some() || placed;
    let fits = named && refused.iter().all(names) && things.all(one_of_them);
    // 灯都关了，但不要关主卧的灯: the rooms of them.
    let rest = refused.iter().filter(|t| !placed || t.text != general.text);
    fits.then(|| (rest.cloned().collect(), end))
}
