//! All others: `筒灯只留三号，其他的灭了`, `灯只留书房的，其余屋里灯全灭`, `只留大灯，别的灯不要`. Said as 除了三号筒灯，其他筒灯灭了.

use super::super::lexicon::Sense;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{is_thing, place};
use super::recut::devices;

/// The sentence with what it is about behind what is left out, and with what is told of the others.
pub(super) fn behind_the_spared(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let opens = |at: &usize| tokens[*at].has(&Sense::ExceptOpen) && !tokens[*at].is_entity();
    let Some(at) = (0..tokens.len()).find(opens) else { return tokens };
    let begin = tokens[..at].iter().rposition(is_pause).map_or(0, |pause| pause + 1);
    let topic = &tokens[begin..at];
    let spared = tokens[at + 1..].iter().take_while(|t| !ends_the_spared(t)).count();
    let spared = &tokens[at + 1..at + 1 + spared];
    let rest = &tokens[at + 1 + spared.len()..];
    let rest = &rest[rest.iter().take_while(|t| is_pause(t) || t.has(&Sense::ExceptClose)).count()..];
    let (clause, later) = rest.split_at(rest.iter().take_while(|t| !is_pause(t)).count());
    // 筒灯除了三号都关.
    let numbered = || !spared.iter().any(|t| is_thing(t) || place(t).is_some());
    let all = |t: &Token| t.any(|s| matches!(s, Sense::Each | Sense::All));
    let clause = match clause.first() {
        Some(first) if first.has(&Sense::Other) => &clause[1..],
        Some(first) if all(first) && numbered() => clause,
        _ => return tokens,
    };
    let asks = |t: &Token| t.any(|s| matches!(s, Sense::Question(_) | Sense::If | Sense::Report));
    if spared.is_empty() || clause.iter().any(asks) || !topic.iter().all(names) {
        return tokens;
    }
    let about = topic.iter().rfind(|t| is_thing(t));
    let Some(told) = told(clause, vocabulary) else { return tokens };
    if about.is_none() && told == clause {
        return tokens;
    }
    let mut said = tokens[..begin].to_vec();
    said.push(tokens[at].clone());
    said.extend(named(spared, about, vocabulary));
    said.push(Token::unsaid(Sense::Punctuation));
    said.push(Token::unsaid(Sense::Other));
    // 除了书房的，其余屋里灯: other rooms, and not what else is in this one.
    let elsewhere = spared.iter().any(|t| place(t).is_some());
    let own = told.iter().any(is_thing);
    if !own {
        said.extend(topic.iter().filter(|t| place(t).is_some() || is_thing(t)).cloned());
    }
    said.extend(told.into_iter().filter(|t| !(elsewhere && t.any(|s| matches!(s, Sense::Here)))));
    said.extend_from_slice(later);
    said
}

/// `除了电视都关了`, `除了空调，别的都关掉`: all else in the room, where what is left out is no lamp (`除了大灯都关了` is of lamps).
pub(super) fn everything_but(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(open) = tokens.iter().position(|t| t.has(&Sense::ExceptOpen) && !t.is_entity()) else { return tokens };
    let spared = tokens[open + 1..].iter().take_while(|t| !ends_the_spared(t)).count();
    let end = open + 1 + spared;
    let skipped = tokens[end..].iter().take_while(|t| is_pause(t) || t.has(&Sense::ExceptClose)).count();
    let all =
        |t: &&Token| t.any(|s| matches!(s, Sense::Other | Sense::Each | Sense::All | Sense::Of)) && !t.is_entity();
    let others = tokens[end + skipped..].iter().take_while(all).count();
    let clause = tokens[end + skipped + others..].split(is_pause).next().unwrap_or_default();
    let off = |t: &Token| t.any(|s| vocabulary.lexicon.switches(s) == Some(false)) && !t.is_entity();
    let ends = |t: &Token| off(t) || t.any(|s| matches!(s, Sense::Particle | Sense::Filler | Sense::Disposal));
    let first = tokens[..open].iter().all(|t| t.any(|s| matches!(s, Sense::Filler | Sense::Punctuation)));
    let lamp = vocabulary.lexicon.kind("light");
    let lights = |d: &usize| lamp.is_some_and(|lamp| vocabulary.devices[*d].is(lamp));
    let thing = |t: &Token| {
        let of = devices(t, vocabulary).filter(|of| !of.is_empty());
        of.is_some_and(|of| !of.iter().any(lights)) && place(t).is_none()
    };
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Conjunction | Sense::Of | Sense::Filler));
    let things = tokens[open + 1..end].iter().any(thing) && tokens[open + 1..end].iter().all(|t| thing(t) || small(t));
    if first && things && others > 0 && clause.iter().any(off) && clause.iter().all(ends) {
        let here = [Sense::ExceptClose, Sense::Here, Sense::Everything, Sense::Each].map(Token::unsaid);
        tokens.splice(end..end + skipped + others, here);
    }
    tokens
}

/// What the others are told; what is not wanted ends.
fn told(clause: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    if clause.iter().any(|t| t.any(Sense::is_action) && !t.is_entity()) {
        return (!clause.iter().any(|t| t.has(&Sense::Negation))).then(|| clause.to_vec());
    }
    let lexicon = &vocabulary.lexicon;
    let at = clause.iter().position(|t| lexicon.marks.unwanted.contains(&t.text))?;
    let ends = clause[at + 1..].iter().all(|t| t.any(|s| matches!(s, Sense::Particle | Sense::Filler)));
    let mut told = clause[..at].to_vec();
    told.push(Token::unsaid(Sense::Verb(lexicon.verb("off")?)));
    ends.then_some(told)
}

/// What is left out, by a name of its own: of 三号 which one it is of stands before.
fn named(spared: &[Token], about: Option<&Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(about) = about.filter(|_| !spared.iter().any(is_thing)) else { return spared.to_vec() };
    let ends = |t: &&Token| {
        t.any(|s| matches!(s, Sense::Particle | Sense::Of | Sense::Measure | Sense::Filler))
            && !t.has(&Sense::Reference)
    };
    let bare = &spared[..spared.len() - spared.iter().rev().take_while(ends).count()];
    let text: String = bare.iter().map(|t| t.text.as_str()).collect();
    let known = [format!("{text}{}", about.text), format!("{}{text}", about.text)];
    let known = known.into_iter().find(|name| vocabulary.senses(name).iter().any(|s| matches!(s, Sense::Devices(_))));
    if let Some(text) = known {
        return vec![Token { senses: vocabulary.senses(&text), text, heard: None }];
    }
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler)) && !t.is_entity();
    spared.iter().chain([about]).filter(|t| !small(t)).cloned().collect()
}

fn is_pause(token: &Token) -> bool {
    token.has(&Sense::Punctuation)
}

fn ends_the_spared(token: &Token) -> bool {
    let ends = |s: &Sense| {
        matches!(s, Sense::Punctuation | Sense::ExceptClose | Sense::Other | Sense::Each | Sense::All) || s.is_action()
    };
    token.any(ends) && !token.is_entity()
}

/// Whether a word only names what it is about.
fn names(token: &Token) -> bool {
    let small = |s: &Sense| matches!(s, Sense::Of | Sense::RoomSuffix | Sense::Here | Sense::Disposal | Sense::Filler);
    is_thing(token) || place(token).is_some() || token.any(small)
}
