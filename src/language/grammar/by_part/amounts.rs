//! Amounts by a part of what the document calls them: `保温六十度` of what has 保温 and 保温温度, `背抬到三十度` of a 背部角度, and how
//! much there is of something by what holds it (`水桶里还剩多少`).

use super::said::{called, clause, numbers, of_property, only, sets, strange, text};
use crate::home::{DeviceIndex, Domain, RoomIndex};
use crate::language::grammar::nominal::property;
use crate::language::lexicon::{Extreme, PropertyId, Question, Unit};
use crate::language::segment::Token;
use crate::language::sense::Sense;
use crate::language::vocabulary::Vocabulary;

/// `养生壶保温搞到六十度`: the number that is called after a feature, where a number with its unit is said of it.
pub(super) fn set_by_its_name(mut tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let mut at = 0;
    while at < tokens.len() {
        let (begin, end) = clause(&tokens, at);
        if at == end {
            at += 1;
            continue;
        }
        let behind = tokens[at + 1..end].iter().filter(|t| !t.has(&Sense::Filler)).skip_while(|t| sets(t));
        let said: Vec<&Token> = behind.take(2).collect();
        let number = said.first().is_some_and(|t| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity());
        let degrees = said.get(1).is_some_and(|t| t.any(|s| matches!(s, Sense::Unit(Unit::Celsius))));
        if property(&tokens[at]).is_some() && !tokens[at].is_entity() && number && degrees {
            let word = tokens[at].text.clone();
            let found = |d: DeviceIndex| {
                vocabulary.flags(d).find(|(name, _)| *name == word)?;
                let mut of = numbers(d, true, vocabulary).filter(|(name, a)| {
                    let warm = a.unit.as_deref().is_some_and(|u| u.trim_start_matches('°').eq_ignore_ascii_case("c"));
                    warm && name.starts_with(&word)
                });
                let (name, ability) = of.next().filter(|_| of.next().is_none())?;
                Some((name, ability.property?))
            };
            if let Some((owner, (name, property))) = only(&tokens[begin..at], vocabulary, local, found) {
                tokens[at] = of_property(name, property);
                if let Some(device) = owner {
                    tokens.insert(at, Token::of_device(device, &vocabulary.home));
                    at += 1;
                }
            }
        }
        at += 1;
    }
    tokens
}

/// `背抬到三十度，腿抬十五度`: a part of the body names the angle that is called after it.
pub(super) fn of_a_body(mut tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let by_part = &vocabulary.lexicon.by_part;
    let mut at = 0;
    while at < tokens.len() {
        let (begin, end) = clause(&tokens, at);
        if at == end {
            at += 1;
            continue;
        }
        let part = by_part.bodies.iter().find_map(|part| {
            let rest = tokens[at].text.strip_prefix(part.as_str()).filter(|_| strange(&tokens[at]))?;
            let raised = rest.is_empty() || by_part.raises.iter().any(|raise| raise == rest);
            raised.then_some((part.as_str(), !rest.is_empty()))
        });
        let mut behind =
            tokens[at + 1..end].iter().filter(|t| !t.has(&Sense::Filler) && !t.has(&Sense::Also)).peekable();
        // 腿呢抬十五度
        let apart = behind.next_if(|t| strange(t) && by_part.raises.contains(&t.text)).is_some();
        let part = part.map(|(part, raised)| (part, raised || apart));
        let next = behind.next();
        let amount =
            |s: &Sense| matches!(s, Sense::Set { .. } | Sense::SetBare | Sense::Number(_) | Sense::Step { .. });
        let valued = next.is_some_and(|t| t.any(amount) && !t.is_entity());
        let number = next.is_some_and(|t| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity());
        let level = by_part.flat.iter().any(|flat| *flat == text(without_end(&tokens[at + 1..end])));
        if let Some((part, raised)) = part.filter(|(_, raised)| valued && (number || !raised) || level && !raised) {
            // 腿抬高一点 may be told to somebody where no bed is.
            let counted = tokens[at..end].iter().any(|t| t.any(|s| matches!(s, Sense::Number(_))));
            let near = |d: DeviceIndex| counted || vocabulary.home.devices[d].room == local;
            let owned = super::said::named(&tokens[begin..at], vocabulary).is_some();
            let found = |d: DeviceIndex| {
                let mut of =
                    numbers(d, true, vocabulary).filter(|(name, _)| (owned || near(d)) && name.starts_with(part));
                let (name, ability) = of.next().filter(|_| of.next().is_none())?;
                Some((name, ability.property?))
            };
            if let Some((owner, (name, property))) = only(&tokens[begin..at], vocabulary, local, found) {
                tokens[at] = of_property(name, property);
                let set = Token { text: by_part.set.clone(), heard: None, senses: vec![Sense::Set { open: false }] };
                if level {
                    let least =
                        Token { text: by_part.least.clone(), heard: None, senses: vec![Sense::Extreme(Extreme::Min)] };
                    let behind = at + 1 + without_end(&tokens[at + 1..end]).len();
                    tokens.splice(at + 1..behind, [set, least]);
                } else if apart {
                    let raise = (at + 1..end).find(|at| by_part.raises.contains(&tokens[*at].text)).unwrap_or(at + 1);
                    tokens[raise] = set;
                } else if raised {
                    tokens.insert(at + 1, set);
                }
                if let Some(device) = owner {
                    tokens.insert(at, Token::of_device(device, &vocabulary.home));
                    at += 1;
                }
            }
        }
        at += 1;
    }
    tokens
}

/// Words without the particles that they end in.
fn without_end(words: &[Token]) -> &[Token] {
    let particle = |t: &&Token| t.has(&Sense::Particle) && !t.is_entity();
    &words[..words.len() - words.iter().rev().take_while(particle).count()]
}

/// `水桶里还剩百分之几`, `药还剩多少颗`: the one amount that is called after what is asked of.
pub(super) fn asked_of_what_holds_it(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let asks = |t: &Token| t.has(&Sense::Question(Question::HowMuch)) && !t.is_entity();
    let Some(question) = tokens.iter().position(asks) else { return tokens };
    let (begin, end) = clause(&tokens, question);
    let words = &tokens[begin..end];
    if let Some((device, name, property)) = how_often(words, question - begin, vocabulary) {
        let asked = vocabulary.lexicon.by_part.asked.clone();
        let asked = Token { text: asked, heard: None, senses: vec![Sense::Question(Question::HowMuch)] };
        tokens.splice(begin..end, [Token::of_device(device, &vocabulary.home), of_property(name, property), asked]);
        return tokens;
    }
    if super::said::named(words, vocabulary).is_some() || words.iter().any(|t| property(t).is_some()) {
        return tokens;
    }
    let within = |t: &&Token| t.any(|s| matches!(s, Sense::RoomSuffix | Sense::Filler)) && !t.is_entity();
    let to = question - tokens[begin..question].iter().rev().take_while(within).count();
    let from = to - tokens[begin..to].iter().rev().take_while(|t| strange(t)).count();
    // 浇菜那水桶: what it is for says no more.
    let whole = from < to
        && tokens[begin..from].iter().all(|t| {
            strange(t) || t.any(|s| matches!(s, Sense::Reference | Sense::Of | Sense::Filler | Sense::Particle))
        });
    let counted = &tokens[question + 1..end];
    let by_part = &vocabulary.lexicon.by_part;
    let noun = text(counted.split(|t| t.has(&Sense::Particle)).next().unwrap_or_default());
    let known = noun.is_empty() || by_part.counted.contains(&noun);
    if !whole || !known {
        return tokens;
    }
    if let Some((device, name, property)) = amount(&text(&tokens[from..to]), vocabulary) {
        let behind = question + 1 + counted.iter().take_while(|t| !t.has(&Sense::Particle)).count();
        tokens.drain(question + 1..behind);
        tokens.splice(begin..question, [Token::of_device(device, &vocabulary.home), of_property(name, property)]);
    }
    tokens
}

/// `猫今天上了几回厕所`: the only number that counts how often that was done.
fn how_often(words: &[Token], question: usize, vocabulary: &Vocabulary) -> Option<(DeviceIndex, String, PropertyId)> {
    let lexicon = &vocabulary.lexicon;
    let times = words.get(question + 1).filter(|t| lexicon.by_part.times.contains(&t.text))?;
    let told = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Property(_)));
    if times.is_entity() || words.iter().any(|t| t.is_entity() || told(t)) {
        return None;
    }
    let said = text(words);
    let done = |name: &str| {
        let group = |group: &&Vec<String>| group.iter().any(|word| said.contains(word.as_str()));
        let counts = |group: &Vec<String>| group.iter().any(|word| name.contains(word.as_str()));
        lexicon.by_part.often.iter().filter(group).any(counts)
    };
    let counted = (0..vocabulary.devices.len()).flat_map(|d| {
        let of = numbers(d, false, vocabulary).filter_map(move |(name, a)| Some((d, name, a.property?)));
        of.filter(|(_, name, _)| name.ends_with(lexicon.marks.how_often.as_str()) && done(name))
    });
    let mut counted = counted;
    let (device, name, property) = counted.next().filter(|_| counted.next().is_none())?;
    // 今日 of its name is no time that is told.
    let begins = lexicon.by_part.often.iter().flatten().filter_map(|word| name.find(word.as_str())).min()?;
    Some((device, name[begins..].to_owned(), property))
}

/// The only amount of the home that begins so and says how much there still is.
fn amount(part: &str, vocabulary: &Vocabulary) -> Option<(DeviceIndex, String, PropertyId)> {
    let by_part = &vocabulary.lexicon.by_part;
    let left = |name: &str| by_part.amounts.iter().any(|amount| name.ends_with(amount.as_str()));
    let measured = (0..vocabulary.devices.len()).flat_map(|d| {
        let of = vocabulary.devices[d].abilities.iter();
        let number =
            |a: &&crate::language::meaning::Ability| !a.writable && matches!(a.domain, Some(Domain::Number { .. }));
        of.filter(number).filter_map(move |a| Some((d, called(d, a, vocabulary), a.property?)))
    });
    let stem =
        |name: &str| by_part.amounts.iter().find_map(|amount| name.strip_suffix(amount.as_str()).map(str::to_owned));
    let mut found = measured.filter(|(_, name, _)| left(name) && stem(name).is_some_and(|stem| stem.ends_with(part)));
    found.next().filter(|_| found.next().is_none())
}
