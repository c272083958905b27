//! Amounts by a part of what the document calls them: `保温六十度` of what has 保温 and 保温温度, `背抬到三十度` of a 背部角度, and how
//! much there is of something by what holds it (`水桶里还剩多少`).

use super::said::{clause, named, numbers, of_its_owner, of_property, only, sets, strange, text};
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::grammar::nominal::property;
use crate::language::lexicon::{Extreme, PropertyId, Question, Unit};
use crate::language::segment::Token;
use crate::language::sense::Sense;
use crate::language::vocabulary::Vocabulary;

/// `养生壶保温搞到六十度`: the number that is called after a feature, where a number with its unit is said of it.
pub(super) fn set_by_its_name(tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    each(tokens, |tokens, at| Some((at + 1, warmth(tokens, at, vocabulary, local)?)))
}

/// `背抬到三十度，腿抬十五度`: a part of the body names the angle that is called after it.
pub(super) fn of_a_body(tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    each(tokens, |tokens, at| angle(tokens, at, vocabulary, local))
}

/// The words with others in the place of some, from a position to where these end.
fn each(mut tokens: Vec<Token>, told: impl Fn(&[Token], usize) -> Option<(usize, Vec<Token>)>) -> Vec<Token> {
    let mut at = 0;
    while at < tokens.len() {
        let Some((end, words)) = told(&tokens, at) else {
            at += 1;
            continue;
        };
        let grown = words.len();
        tokens.splice(at..end, words);
        at += grown;
    }
    tokens
}

/// The number of degrees that is called after the feature at a position, if that many are said of it.
fn warmth(tokens: &[Token], at: usize, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Option<Vec<Token>> {
    let word = Some(&tokens[at]).filter(|t| property(t).is_some() && !t.is_entity())?;
    let (begin, end) = clause(tokens, at);
    let mut behind = tokens[at + 1..end].iter().filter(|t| !t.has(&Sense::Filler)).skip_while(|t| sets(t));
    behind.next().filter(|t| is_number(t))?;
    behind.next().filter(|t| t.any(|s| matches!(s, Sense::Unit(Unit::Celsius))))?;
    let found = |d: DeviceIndex| {
        vocabulary.flags(d).find(|(name, _)| *name == word.text)?;
        let mut of = numbers(d, true, vocabulary).filter(|(name, a)| {
            let warm = a.unit.as_deref().is_some_and(|u| u.trim_start_matches('°').eq_ignore_ascii_case("c"));
            warm && name.starts_with(&word.text)
        });
        let (name, ability) = of.next().filter(|_| of.next().is_none())?;
        Some((name, ability.property?))
    };
    let (owner, (name, property)) = only(&tokens[begin..at], vocabulary, local, found)?;
    Some(of_its_owner(owner, [of_property(name, property)], vocabulary))
}

/// The angle of the part of the body at a position with what is told of it, and where that ends.
fn angle(
    tokens: &[Token],
    at: usize,
    vocabulary: &Vocabulary,
    local: Option<RoomIndex>,
) -> Option<(usize, Vec<Token>)> {
    let by_part = &vocabulary.lexicon.by_part;
    let raises = |text: &str| by_part.raises.iter().any(|raise| raise == text);
    let word = Some(&tokens[at]).filter(|t| strange(t))?.text.as_str();
    let (part, within) = by_part.bodies.iter().find_map(|part| {
        let rest = word.strip_prefix(part.as_str()).filter(|rest| rest.is_empty() || raises(rest))?;
        Some((part.as_str(), !rest.is_empty()))
    })?;
    let (begin, end) = clause(tokens, at);
    let behind = &tokens[at + 1..end];
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Also));
    // 腿呢抬十五度
    let verb =
        behind.iter().position(|t| !small(t)).filter(|verb| strange(&behind[*verb]) && raises(&behind[*verb].text));
    let next = behind[verb.map_or(0, |verb| verb + 1)..].iter().find(|t| !small(t));
    let amount = |s: &Sense| matches!(s, Sense::Set { .. } | Sense::SetBare | Sense::Number(_) | Sense::Step { .. });
    let valued = next.is_some_and(|t| t.any(amount) && !t.is_entity());
    let raised = within || verb.is_some();
    let flat = without_end(behind);
    let level = by_part.flat.iter().any(|level| *level == text(flat));
    let told = if raised { valued && next.is_some_and(is_number) } else { valued || level };
    if !told {
        return None;
    }
    // 腿抬高一点 may be told to somebody where no bed is.
    let near = behind.iter().any(is_number) || named(&tokens[begin..at], vocabulary).is_some();
    let found = |d: DeviceIndex| {
        let here = near || vocabulary.home.devices[d].room == local;
        let mut of = numbers(d, true, vocabulary).filter(|(name, _)| here && name.starts_with(part));
        let (name, ability) = of.next().filter(|_| of.next().is_none())?;
        Some((name, ability.property?))
    };
    let (owner, (name, property)) = only(&tokens[begin..at], vocabulary, local, found)?;
    let set = (raised || level).then(|| Token::unsaid(Sense::Set { open: false }));
    let least = level.then(|| Token::unsaid(Sense::Extreme(Extreme::Min)));
    let words = [Some(of_property(name, property)), set, least].into_iter().flatten();
    let length = if level { flat.len() } else { verb.map_or(0, |verb| verb + 1) };
    Some((at + 1 + length, of_its_owner(owner, words, vocabulary)))
}

fn is_number(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Number(_))) && !token.is_entity()
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
    if named(words, vocabulary).is_some() || words.iter().any(|t| property(t).is_some()) {
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

/// The only amount of the home that is called after a part and says how much there still is.
fn amount(part: &str, vocabulary: &Vocabulary) -> Option<(DeviceIndex, String, PropertyId)> {
    let ends = &vocabulary.lexicon.by_part.amounts;
    let after =
        |name: &str| ends.iter().filter_map(|end| name.strip_suffix(end.as_str())).any(|stem| stem.ends_with(part));
    let measured = (0..vocabulary.devices.len())
        .flat_map(|d| numbers(d, false, vocabulary).filter_map(move |(name, a)| Some((d, name, a.property?))));
    let mut found = measured.filter(|(_, name, _)| after(name));
    found.next().filter(|_| found.next().is_none())
}
