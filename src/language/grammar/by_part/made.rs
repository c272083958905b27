//! What a machine shall make or do by its program: `豆浆机打个米糊`, `养生壶里熬上银耳` (its 银耳羹), `按摩椅捶捶腰` (its 腰部), and that it begins.

use super::said::{choices, clause, cut, named, of_its_owner, only_near, refuses, small, strange, text, without};
use super::values::meant;
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::grammar::nominal::{is_thing, place};
use crate::language::lexicon::VerbId;
use crate::language::segment::Token;
use crate::language::sense::Sense;
use crate::language::time;
use crate::language::vocabulary::Vocabulary;
use crate::text::normalize;

/// The words with what is made as the value that the machine has for it.
pub(super) fn by_its_program(mut tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let makes = |t: &Token| strange(t) && t.text.starts_with(|c| lexicon.by_part.makes.contains(c));
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let mut at = 0;
    while at < tokens.len() {
        if !makes(&tokens[at]) {
            at += 1;
            continue;
        }
        let begin = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
        let small =
            |t: &Token| small(t) || t.any(|s| matches!(s, Sense::RoomSuffix | Sense::Measure | Sense::Particle));
        let led = tokens[begin..at].iter().all(|t| {
            let speaks = t.has(&Sense::Speaker) && t.text == lexicon.marks.speaker;
            !speaks && (small(t) || is_thing(t) || place(t).is_some())
        });
        let before: Vec<char> = text(&tokens[begin..at]).chars().collect();
        // 今天泡普洱: when it is to be is of somebody who plans.
        let plans = || !time::read(&before, |_| false, &lexicon.time).is_empty();
        if !led || refuses(&tokens[begin..at]) || plans() {
            at += 1;
            continue;
        }
        // 空调吹热风: the language knows what that is.
        let graded = |t: &Token| t.any(|s| matches!(s, Sense::Direction { .. } | Sense::Degree { .. }));
        let choice = |t: &Token| t.any(|s| matches!(s, Sense::Choice(_))) && !graded(t) && !t.is_entity();
        let of_a_thing = named(&tokens[begin..at], vocabulary).is_some();
        if of_a_thing && tokens[at].text.chars().count() == 1 && tokens.get(at + 1).is_some_and(choice) {
            tokens[at] = Token::unsaid(Sense::Set { open: false });
            at += 2;
            continue;
        }
        match what(&tokens, at, of_a_thing, vocabulary, local) {
            Some(made) => at = told(&mut tokens, at, made, vocabulary),
            None => at += 1,
        }
    }
    tokens
}

/// What is made: how many characters say so, whose it is where nobody named that, the device, and the value.
struct Made {
    length: usize,
    owner: Option<DeviceIndex>,
    device: DeviceIndex,
    value: String,
}

fn what(
    tokens: &[Token],
    at: usize,
    of_a_thing: bool,
    vocabulary: &Vocabulary,
    local: Option<RoomIndex>,
) -> Option<Made> {
    let by_part = &vocabulary.lexicon.by_part;
    let (begin, end) = clause(tokens, at);
    let said = text(&tokens[at..end]);
    // 捶捶, 煮一煮
    let rest = said.trim_start_matches(|c| by_part.makes.contains(c));
    let carried = without(rest, &by_part.carries).or_else(|| without(rest, &by_part.portions));
    let bare = carried.unwrap_or(rest);
    let ends = |length: usize| {
        let mut left = said.chars().count() - bare.chars().count() + length;
        let next = tokens[at..end].iter().find(|t| {
            let over = left == 0;
            left = left.saturating_sub(t.text.chars().count());
            over
        });
        next.is_none_or(|t| is_thing(t) || t.any(|s| matches!(s, Sense::Particle | Sense::Sequence)))
    };
    (1..=bare.chars().count()).rev().filter(|length| ends(*length)).find_map(|length| {
        let made: String = bare.chars().take(length).collect();
        let found = |d: DeviceIndex| value(&made, d, of_a_thing, vocabulary).map(|value| (d, value));
        let (owner, (device, value)) = only_near(&tokens[begin..at], vocabulary, local, found)?;
        // 煮花茶 may be said to anybody; 煮个花茶 of what stands here is not.
        let told = of_a_thing || carried.is_some() && value == made;
        told.then(|| Made { length: said.chars().count() - bare.chars().count() + length, owner, device, value })
    })
}

/// The one program of a device that is called so, or by a part of it.
fn value(made: &str, device: DeviceIndex, of_a_thing: bool, vocabulary: &Vocabulary) -> Option<String> {
    let whole = meant(made, device, of_a_thing, None, vocabulary);
    whole.or_else(|| {
        let names =
            choices(device, vocabulary).flat_map(|(_, values)| values).map(|choice| normalize(&choice.describe));
        let mut called = names.filter(|of| of.starts_with(made));
        called.next().filter(|_| of_a_thing && called.next().is_none())
    })
}

/// Puts what is made in place of the words that say so. Where the words go on.
fn told(tokens: &mut Vec<Token>, at: usize, made: Made, vocabulary: &Vocabulary) -> usize {
    let Some(end) = cut(tokens, at, made.length) else { return at + 1 };
    let value = Token { text: made.value, heard: None, senses: vec![Sense::Value] };
    let mut words = vec![Token::unsaid(Sense::Set { open: false }), value];
    words.extend(start(made.device, vocabulary).map(|verb| Token::of_verb(verb, &vocabulary.lexicon)));
    let words = of_its_owner(made.owner, words, vocabulary);
    let length = words.len();
    tokens.splice(at..end, words);
    at + length
}

/// The verb that begins what a device is set to, if it has one.
fn start(device: DeviceIndex, vocabulary: &Vocabulary) -> Option<VerbId> {
    let start = vocabulary.lexicon.verb("start")?;
    let begins = |describe: &str| vocabulary.senses(&normalize(describe)).contains(&Sense::Verb(start));
    let any = choices(device, vocabulary).flat_map(|(_, values)| values).any(|choice| begins(&choice.describe));
    any.then_some(start)
}
