//! What was named in the same sentence is pointed at once more: the thing, its room, a feature that is also switched.

use super::super::lexicon::{Effect, PropertyId, Sense};
use super::super::meaning::{Ability, Source};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::recut::devices;
use crate::home::Domain;

/// The sentence with what points back replaced by what it points at.
pub(super) fn named_again(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    for at in 1..tokens.len() {
        itself(&mut tokens, at, vocabulary);
        room(&mut tokens, at, vocabulary);
    }
    feature_too(&mut tokens, vocabulary);
    feature_like_it(&mut tokens, vocabulary);
    side_of_it(both_of_it(tokens, vocabulary), vocabulary)
}

/// `电热毯两边都二档`, `酒柜上下两层都十度`: two properties of a thing that are called alike but for how they begin.
fn both_of_it(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    for at in 1..tokens.len() {
        let owner = tokens[..at].iter().rev().find(|t| !links(t));
        let Some(([one, other], alike)) = owner.and_then(|owner| pair_of(owner, vocabulary)) else { continue };
        let begin = |(_, begins): (PropertyId, char)| {
            let is_side = |s: &Sense| matches!(s, Sense::Side { .. });
            vocabulary.lexicon.senses(begins.encode_utf8(&mut [0; 4])).iter().any(is_side)
        };
        let mut end = at + 1;
        if !(tokens[at].has(&Sense::BothSides) && begin(one) && begin(other)) {
            let called = |end: usize| -> String { tokens[at..end].iter().map(|t| t.text.as_str()).collect() };
            let (said, reversed) = (format!("{}{}", one.1, other.1), format!("{}{}", other.1, one.1));
            // 上下, 上下层
            let both = |text: &str| {
                let rest = text.strip_prefix(&said).or_else(|| text.strip_prefix(&reversed));
                rest.is_some_and(|rest| alike.starts_with(rest))
            };
            let Some(till) = (at + 1..tokens.len().min(at + 2) + 1).find(|end| both(&called(*end))) else { continue };
            let two = |t: &Token| t.any(|s| matches!(s, Sense::Number(n) if n.value == 2.0));
            let counted = |t: &&Token| two(t) || t.has(&Sense::Measure) || t.has(&Sense::BothSides);
            end = till + tokens[till.min(tokens.len())..].iter().take_while(counted).count();
        }
        let property = |(property, _): (PropertyId, char)| word_for(property, vocabulary);
        let and = Token::unsaid(Sense::Conjunction);
        tokens.splice(at..end, [property(one), and, property(other)]);
        return tokens;
    }
    tokens
}

fn word_for(property: PropertyId, vocabulary: &Vocabulary) -> Token {
    let text = vocabulary.lexicon.properties[property].words.first().cloned().unwrap_or_default();
    Token { text, heard: None, senses: vec![Sense::Property(property)] }
}

fn links(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Of | Sense::Disposal | Sense::Filler)) && !token.is_entity()
}

/// The two quantities of one thing that are called alike but for their first characters, which stand beside them, and what is
/// alike.
fn pair_of(owner: &Token, vocabulary: &Vocabulary) -> Option<([(PropertyId, char); 2], String)> {
    let named = |(property, name): (PropertyId, &str)| {
        let first = name.chars().next()?;
        let alike = &name[first.len_utf8()..];
        (alike.chars().count() >= 2).then(|| (property, first, alike.to_owned()))
    };
    let named: Vec<_> = quantities(owner, vocabulary)?.into_iter().filter_map(named).collect();
    let pairs = named.iter().enumerate().flat_map(|(at, one)| named[at + 1..].iter().map(move |other| (one, other)));
    let mut alike = pairs.filter(|(one, other)| one.2 == other.2 && one.1 != other.1);
    let (one, other) = alike.next().filter(|_| alike.next().is_none())?;
    Some(([(one.0, one.1), (other.0, other.1)], one.2.clone()))
}

/// What can be set to a number of the one thing that a word names, and what it is called.
fn quantities<'v>(owner: &Token, vocabulary: &'v Vocabulary) -> Option<Vec<(PropertyId, &'v str)>> {
    let owners = devices(owner, vocabulary)?;
    let [device] = owners[..] else { return None };
    let numbers = vocabulary.devices[device].abilities.iter().filter(|a| a.writable);
    let numbers = numbers.filter(|a| matches!(a.domain, Some(Domain::Number { .. })));
    let own = &vocabulary.home.devices[device].properties;
    let called = |ability: &'v Ability| match ability.source {
        Source::Property(at) => Some((ability.property?, own[at].describe.as_str())),
        Source::Command(_) => None,
    };
    Some(numbers.filter_map(called).collect())
}

/// `电热毯左边三档`: a side of a thing that is set by sides.
fn side_of_it(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    for at in 1..tokens.len() {
        if tokens[at].is_entity() || !tokens[at].any(|s| matches!(s, Sense::Side { .. })) {
            continue;
        }
        let owner = tokens[..at].iter().rev().find(|t| !links(t));
        let sides = owner.and_then(|owner| sides_of(owner, vocabulary));
        let own = |(_, begins): &&(PropertyId, char)| tokens[at].text.starts_with(*begins);
        if let Some((property, _)) = sides.iter().flatten().find(own) {
            tokens[at] = word_for(*property, vocabulary);
        }
    }
    tokens
}

/// The two quantities of one thing that are called alike but for the side that they begin with, and how each begins.
fn sides_of(owner: &Token, vocabulary: &Vocabulary) -> Option<[(PropertyId, char); 2]> {
    let sided: Vec<(PropertyId, char)> = quantities(owner, vocabulary)?
        .into_iter()
        .filter_map(|(property, name)| {
            let side =
                |end: usize| vocabulary.lexicon.senses(&name[..end]).iter().any(|s| matches!(s, Sense::Side { .. }));
            let first = name.chars().next()?;
            let ends = name.char_indices().map(|(at, c)| at + c.len_utf8());
            ends.take(2).any(side).then_some((property, first))
        })
        .collect();
    <[(PropertyId, char); 2]>::try_from(sided).ok().filter(|[one, other]| one.1 != other.1)
}

/// `空调给他高一度`: the thing that was named in these words.
fn itself(tokens: &mut [Token], at: usize, vocabulary: &Vocabulary) {
    let given = tokens[at - 1].has(&Sense::Disposal) && !tokens[at - 1].is_entity() && points(&tokens[at]);
    // 奶奶的灯还亮着呢 帮她关了
    let helps = vocabulary.lexicon.marks.helps.contains(&tokens[at - 1].text);
    let same = |t: &&Token| {
        let acts = t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. }));
        !acts && (helps || !t.has(&Sense::Punctuation))
    };
    let named = |t: &Token| devices(t, vocabulary).is_some_and(|devices| !devices.is_empty());
    if given && tokens[..at - 1].iter().rev().take_while(same).any(named) {
        tokens[at].senses = vec![Sense::Filler];
    }
}

/// `轩轩房低于二十度就把他屋的空调打开`: the room that was named last.
fn room(tokens: &mut [Token], at: usize, vocabulary: &Vocabulary) {
    let whose = points(&tokens[at - 1]) && vocabulary.lexicon.pronouns.contains(&tokens[at - 1].text);
    let any = tokens[at].has(&Sense::AnyRoom) && !tokens[at].is_entity();
    let named = |t: &&Token| t.any(|s| matches!(s, Sense::Room(_))) && !t.is_entity();
    if let Some(room) = tokens[..at - 1].iter().rfind(named).filter(|_| whose && any).cloned() {
        tokens[at - 1].senses = vec![Sense::Filler];
        tokens[at] = room;
    }
}

/// `摇头也开`: what is both done and a feature is a feature where it is switched as well.
fn feature_too(tokens: &mut [Token], vocabulary: &Vocabulary) {
    let power = vocabulary.lexicon.property("power");
    let verb = |t: &Token, wanted: fn(&Effect) -> Option<PropertyId>| {
        let of = |s: &Sense| match s {
            Sense::Verb(verb) => vocabulary.lexicon.verbs[*verb].does.first().and_then(wanted),
            _ => None,
        };
        t.senses.iter().find_map(of).filter(|_| !t.is_entity())
    };
    let made_true = |effect: &Effect| if let Effect::Flag(property, true) = effect { Some(*property) } else { None };
    let flag = |effect: &Effect| if let Effect::Flag(property, _) = effect { Some(*property) } else { None };
    for at in 0..tokens.len().saturating_sub(2) {
        let (also, switch) = (&tokens[at + 1], &tokens[at + 2]);
        let switched = also.has(&Sense::Also) && verb(switch, flag).is_some_and(|p| Some(p) == power);
        let feature = verb(&tokens[at], made_true).filter(|p| switched && Some(*p) != power);
        if let Some(property) = feature {
            tokens[at].senses = vec![Sense::Property(property)];
        }
    }
}

/// `空调上下扫风打开 左右的关掉`: another of what a thing has, of which the end of the name was said before.
fn feature_like_it(tokens: &mut Vec<Token>, vocabulary: &Vocabulary) {
    let pause = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Sequence | Sense::Conjunction));
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Of | Sense::Also | Sense::Each)) && !t.is_entity();
    let switches = |s: &Sense| vocabulary.lexicon.switches(s).is_some();
    for at in 2..tokens.len().saturating_sub(1) {
        let end = at + 1 + tokens[at + 1..].iter().take_while(small).count();
        let part = &tokens[at];
        let alone = pause(&tokens[at - 1]) && !part.is_entity() && !part.any(Sense::is_action);
        if !alone || !tokens.get(end).is_some_and(|t| t.any(switches)) {
            continue;
        }
        let feature = |t: &&Token| t.any(|s| matches!(s, Sense::Property(_))) && !t.is_entity();
        let before = &tokens[..at];
        let Some(named) = before.iter().rfind(feature).map(|t| t.text.as_str()) else { continue };
        let has = |d: &usize| {
            let named = |s: &Sense| matches!(s, Sense::Property(p) if vocabulary.devices[*d].about(*p).is_some());
            before.iter().rfind(feature).is_some_and(|t| t.any(named))
        };
        let owners = before.iter().rev().find_map(|t| devices(t, vocabulary));
        let owners = owners.unwrap_or_else(|| (0..vocabulary.devices.len()).filter(has).collect());
        let own = |s: &Sense| match s {
            Sense::Property(p) => owners.iter().any(|d| vocabulary.devices[*d].about(*p).is_some()),
            _ => false,
        };
        let tails = named.char_indices().skip(1).map(|(cut, _)| &named[cut..]);
        let another = tails.map(|tail| format!("{}{tail}", part.text)).filter(|text| text != named).find_map(|text| {
            let senses = vocabulary.senses(&text);
            senses.iter().any(own).then_some(Token { text, heard: None, senses })
        });
        if let Some(another) = another {
            tokens.splice(at..end, [another]);
            return;
        }
    }
}

fn points(token: &Token) -> bool {
    token.has(&Sense::Reference) && !token.is_entity()
}
