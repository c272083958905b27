//! Numbers that are no values: `电视换一个台`, `换成七十五寸的`; and things that are no devices, though they are called after one:
//! `洗衣机门`, `电视柜`.

use super::super::lexicon::{Extreme, Sense, Unit};
use super::super::number::Number;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{is_thing, property};
use super::recut::devices;

/// The sentence with what counts or belongs to something else as words that nobody knows.
pub(super) fn uncounted(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let tokens = each_of_them(what_for(unwashed(tokens, vocabulary), vocabulary));
    parts(counts(joined(digits(bounded(tokens))), vocabulary), vocabulary)
}

/// `音量二十 五`: a number that a short pause has cut.
fn joined(mut tokens: Vec<Token>) -> Vec<Token> {
    let number = |t: &Token| t.senses.iter().find_map(|s| if let Sense::Number(n) = s { Some(*n) } else { None });
    for at in 0..tokens.len().saturating_sub(2) {
        let (Some(tens), Some(ones)) = (number(&tokens[at]), number(&tokens[at + 2])) else { continue };
        let ends = |t: &Token| {
            t.any(|s| matches!(s, Sense::Particle | Sense::Punctuation | Sense::Unit(Unit::Celsius | Unit::Percent)))
        };
        let whole = !tens.percent && !ones.percent && tokens[at + 1].has(&Sense::Punctuation);
        let last = tokens.get(at + 3).is_none_or(ends);
        let han = |t: &Token| !t.text.is_ascii();
        let value = match (tens.value, ones.value) {
            (ten, one) if (20.0..100.0).contains(&ten) && ten % 10.0 == 0.0 && (1.0..10.0).contains(&one) => ten + one,
            (one, ten) if (2.0..10.0).contains(&one) && ten == 10.0 => one * ten,
            _ => continue,
        };
        if whole && last && han(&tokens[at]) && han(&tokens[at + 2]) {
            let text = format!("{}{}", tokens[at].text, tokens[at + 2].text);
            let senses = vec![Sense::Number(Number { value, percent: false })];
            tokens.splice(at..at + 3, [Token { text, heard: None, senses }]);
            break;
        }
    }
    tokens
}

/// `音量2 0`, `空调2 6度`: digits that a recogniser has parted.
fn digits(mut tokens: Vec<Token>) -> Vec<Token> {
    let digit = |t: &Token| {
        let mut chars = t.text.chars();
        let only = chars.next().filter(|_| chars.next().is_none())?;
        only.to_digit(10).filter(|_| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity())
    };
    let ends = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle));
    for at in 1..tokens.len().saturating_sub(2) {
        let (Some(tens), Some(ones)) = (digit(&tokens[at]), digit(&tokens[at + 2])) else { continue };
        let parted = tokens[at + 1].text.trim().is_empty() || tokens[at + 1].has(&Sense::Punctuation);
        let unit = tokens.get(at + 3).is_some_and(|t| t.any(|s| matches!(s, Sense::Unit(_))));
        let set = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare)) || property(t).is_some();
        let valued = unit || set(&tokens[at - 1]) && tokens.get(at + 3).is_none_or(ends);
        if tens > 0 && parted && valued {
            let value = f64::from(tens * 10 + ones);
            let senses = vec![Sense::Number(Number { value, percent: false })];
            tokens.splice(at..at + 3, [Token { text: format!("{tens}{ones}"), heard: None, senses }]);
            break;
        }
    }
    tokens
}

/// `热水器最高开到五十`: what a value is said to be at most or at least is that value.
fn bounded(mut tokens: Vec<Token>) -> Vec<Token> {
    for at in 0..tokens.len().saturating_sub(2) {
        let [bound, set, number] = &tokens[at..at + 3] else { break };
        let sets = set.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare)) && !set.is_entity();
        let counts = number.any(|s| matches!(s, Sense::Number(_))) && !number.is_entity();
        // 最低亮度 may be what is set.
        let only = !bound.is_residue() && bound.senses.iter().all(|s| matches!(s, Sense::Extreme(_)));
        if only && sets && counts {
            tokens[at].senses = vec![Sense::Filler];
        }
    }
    tokens
}

/// `窗帘洗一下`: what does not wash is washed by somebody.
fn unwashed(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let washes = |t: &Token| {
        let named = lexicon.marks.washes.iter().any(|word| t.text.starts_with(word.as_str()));
        named && t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity()
    };
    let Some(at) = tokens.iter().position(washes) else { return tokens };
    let goes = |kind: &usize| lexicon.kinds[*kind].goes.iter().any(|word| lexicon.marks.washes.contains(word));
    let of = |t: &Token| -> Option<bool> {
        if let Some(kind) = super::nominal::kind(t).filter(|_| !t.is_entity()) {
            return Some(goes(&kind));
        }
        let devices = devices(t, vocabulary)?;
        let can = |d: &usize| vocabulary.devices[*d].kinds.iter().any(goes);
        (!devices.is_empty()).then(|| devices.iter().any(can))
    };
    let begin = tokens[..at].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
    // 台灯关了我要洗 is about whoever speaks.
    let small = |t: &&Token| {
        t.any(|s| matches!(s, Sense::Filler | Sense::Disposal)) && !t.has(&Sense::Speaker) && !t.is_entity()
    };
    let thing = tokens[begin..at].iter().rev().find(|t| !small(t));
    if thing.and_then(of) == Some(false) {
        tokens[at].senses.clear();
    }
    tokens
}

/// `窗帘全部拉开`: all of those that are meant, and not of the home.
fn each_of_them(mut tokens: Vec<Token>) -> Vec<Token> {
    let general = |t: &Token| super::nominal::kind(t).or_else(|| super::nominal::sort(t)).is_some();
    for at in 1..tokens.len() {
        let all = tokens[at].has(&Sense::All) && !tokens[at].is_entity();
        let does = tokens.get(at + 1).is_some_and(|t| t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity());
        if all && does && general(&tokens[at - 1]) {
            tokens[at].senses = vec![Sense::Each];
        }
    }
    tokens
}

/// `关灯睡觉`: what somebody does then is no value of it.
fn what_for(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let switches = |t: &Token| t.any(|s| vocabulary.lexicon.switches(s).is_some()) && !t.is_entity();
    for at in 2..tokens.len() {
        let both = tokens[at].has(&Sense::Reason) && tokens[at].any(|s| matches!(s, Sense::Choice(_)));
        let ends = tokens.get(at + 1).is_none_or(|t| t.any(|s| matches!(s, Sense::Particle | Sense::Punctuation)));
        if both && ends && switches(&tokens[at - 2]) && is_thing(&tokens[at - 1]) {
            tokens[at].senses = vec![Sense::Reason];
        }
    }
    tokens
}

/// `换一个台`, `七十五寸`
fn counts(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    let one = |t: &Token| t.any(|s| matches!(s, Sense::Number(n) if n.value == 1.0 && !n.percent));
    // 中间的灯 is one of several.
    let mid = |w: &[Token]| w[0].has(&Sense::Extreme(Extreme::Mid)) && w[1].text == marks.of && is_thing(&w[2]);
    if let Some(at) = tokens.windows(3).position(mid) {
        tokens[at].senses.clear();
    }
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
    let switches = |t: &Token| t.any(|s| vocabulary.lexicon.switches(s).is_some());
    let led = |t: &Token| t.any(|s| matches!(s, Sense::Disposal)) || switches(t);
    let lamps = |t: &Token| t.has(&Sense::Each) || t.any(|s| matches!(s, Sense::All | Sense::Conjunction));
    let listed = tokens.iter().any(lamps);
    let mut at = 0;
    while at + 1 < tokens.len() {
        if !listed && is_lamp_of_none(&tokens[at..], vocabulary) {
            let text = format!("{}{}", tokens[at].text, tokens[at + 1].text);
            tokens.splice(at..at + 2, [Token { text, heard: None, senses: Vec::new() }]);
        }
        let Some(next) = tokens.get(at + 1) else { break };
        let of = usize::from(next.text == marks.of && at + 2 < tokens.len());
        let owner = is_thing(&tokens[at]) && !tokens[at].any(|s| matches!(s, Sense::Scene(_)));
        let before = at > 0 && led(&tokens[at - 1]);
        let after = tokens.get(at + 2 + of).is_some_and(switches);
        if owner
            && part(&tokens[at + 1 + of])
            && (before || after)
            && !has(&tokens[at], &tokens[at + 1 + of].text, vocabulary)
        {
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

/// `热水器灯关了`: the lamp of what has none.
fn is_lamp_of_none(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let [thing, lamp, ..] = tokens else { return false };
    let Some(light) = lexicon.kind("light") else { return false };
    let lit = |property: usize| lexicon.properties[property].kind == Some(light);
    let has = |d: &usize| {
        let sense = &vocabulary.devices[*d];
        sense.is(light) || sense.abilities.iter().filter_map(|a| a.property).any(lit)
    };
    let verb = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_)));
    let called = lamp.text == lexicon.kinds[light].words[0] && !lamp.is_entity();
    called
        && tokens.get(2).is_none_or(verb)
        && devices(thing, vocabulary).is_some_and(|devices| !devices.is_empty() && !devices.iter().any(has))
}
