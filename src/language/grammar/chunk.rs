//! Chunks: a sentence as nominals, predicates and the small words between them.

mod beside;

use super::super::action::Amount;
use super::super::lexicon::{Question, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{self, Nominal};
use super::predicate::{self, Context, Core, Predicate};

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum Chunk {
    /// What is meant.
    Nominal(Nominal),
    /// What is to be done.
    Predicate(Predicate),
    /// `把`.
    Disposal,
    /// `和`.
    Conjunction,
    /// A comma or `然后`; `strong` for the latter.
    Break {
        /// It orders steps, and does not only separate.
        strong: bool,
    },
    /// `都`.
    Each,
    /// `也`.
    Also,
    /// `除外` after what is left out.
    Except,
    /// `不，还是`.
    Correction,
    /// Words that nothing explains.
    Loose(String),
}

/// Cuts words into chunks.
pub fn chunks(tokens: &[Token], vocabulary: &Vocabulary) -> Vec<Chunk> {
    let tokens = &strange_names(tokens, vocabulary)[..];
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (chunk, end) = next(tokens, at, &chunks, vocabulary);
        debug_assert!(end > at, "every chunk takes at least one word");
        chunks.extend(chunk);
        at = end.max(at + 1);
    }
    name_the_unknown(&mut chunks, vocabulary);
    beside::values_of_things(&mut chunks, vocabulary);
    beside::modes_of_things(&mut chunks, vocabulary);
    beside::parts_of_things(&mut chunks);
    beside::values_before_off(&mut chunks, vocabulary);
    beside::values_switched(&mut chunks, vocabulary);
    beside::flags_before_numbers(chunks, vocabulary)
}

/// `茶吧机` is cut as 茶, 吧 and 机: what ends as names of devices do is one name with the strange words before it.
fn strange_names(tokens: &[Token], vocabulary: &Vocabulary) -> Vec<Token> {
    let suffix = &vocabulary.lexicon.device_suffix;
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let ends = token.is_residue() && suffix.iter().any(|s| token.text.ends_with(s.as_str()));
        let small = |t: &Token| {
            t.any(|s| matches!(s, Sense::Particle | Sense::Property(_)))
                && t.text.chars().count() == 1
                && !t.is_entity()
        };
        let start = match &joined[..] {
            _ if !ends => joined.len(),
            [.., first, between] if small(between) && first.is_residue() => joined.len() - 2,
            [.., last] if last.is_residue() => joined.len() - 1,
            _ => joined.len(),
        };
        let text: String = joined[start..].iter().chain([token]).map(|t| t.text.as_str()).collect();
        joined.truncate(start);
        joined.push(Token { text, heard: None, senses: token.senses.clone() });
    }
    joined
}

/// Characters that the name of something unknown has at least and at most.
const UNKNOWN_NAME: std::ops::RangeInclusive<usize> = 2..=8;

/// `打开电视和跑步机`: an unknown word where a thing is named is a thing that this home does not have.
fn name_the_unknown(chunks: &mut [Chunk], vocabulary: &Vocabulary) {
    for at in 0..chunks.len() {
        let Chunk::Loose(text) = &chunks[at] else { continue };
        // 算了还是打开吧: what takes back is no thing.
        let described = text.starts_with(&vocabulary.lexicon.marks.of);
        if described || vocabulary.lexicon.senses(text).contains(&Sense::Correction) {
            continue;
        }
        let before = at.checked_sub(1).map(|i| &chunks[i]);
        let after = chunks[at + 1..].iter().find(|c| !matches!(c, Chunk::Each | Chunk::Also | Chunk::Disposal));
        let waits = |c: &Chunk| matches!(c, Chunk::Predicate(p) if !p.closed);
        let subject = before.is_none_or(|c| {
            matches!(c, Chunk::Break { .. } | Chunk::Disposal | Chunk::Conjunction | Chunk::Also | Chunk::Predicate(_))
        }) && after.is_some_and(|c| matches!(c, Chunk::Predicate(p) if !p.bare));
        // 凶手关掉了所有的灯 tells what somebody did: what is told to be done to it has no other object.
        let verb = chunks[at + 1..].iter().position(|c| matches!(c, Chunk::Predicate(_)));
        let other = verb.is_some_and(|v| matches!(chunks.get(at + 2 + v), Some(Chunk::Nominal(_))));
        let told = matches!(before, Some(Chunk::Disposal | Chunk::Conjunction | Chunk::Also));
        let subject = subject && (told || !other);
        let object = before.is_some_and(|c| waits(c) || matches!(c, Chunk::Conjunction))
            && after.is_none_or(|c| matches!(c, Chunk::Break { .. } | Chunk::Conjunction));
        let predicate = vocabulary.lexicon.modals.iter().any(|m| text.starts_with(m.as_str()));
        if (subject || object) && !predicate && UNKNOWN_NAME.contains(&text.chars().count()) && !is_number(text) {
            let head = Some(part_of_name(text, vocabulary).unwrap_or_else(|| nominal::Head::Strange(text.clone())));
            chunks[at] = Chunk::Nominal(Nominal { head, ..Nominal::default() });
        }
    }
}

/// A number is no name.
pub(super) fn is_number(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    crate::language::number::read(&chars).is_some_and(|(_, used)| used == chars.len())
}

/// What has a word in its name: 香薰 where there is a 大香薰机. 机器 is no part of 扫地机器人, but of the word for what that is.
fn part_of_name(text: &str, vocabulary: &Vocabulary) -> Option<nominal::Head> {
    let lexicon = &vocabulary.lexicon;
    let cut = |word: &String| {
        let rest = word.strip_prefix(text).filter(|rest| !rest.is_empty());
        rest.is_some_and(|rest| !lexicon.device_suffix.iter().any(|suffix| suffix == rest))
    };
    if lexicon.kinds.iter().flat_map(|kind| &kind.words).any(cut) {
        return None;
    }
    let home = vocabulary.home.devices.iter().enumerate();
    let called = home.filter(|(_, d)| d.names().any(|name| crate::text::normalize(name).contains(text)));
    let devices: Vec<usize> = called.map(|(index, _)| index).collect();
    let named = !devices.is_empty();
    named.then(|| nominal::Head::Named { text: text.to_owned(), devices, kind: None, scene: false })
}

fn next(tokens: &[Token], at: usize, before: &[Chunk], vocabulary: &Vocabulary) -> (Option<Chunk>, usize) {
    let token = &tokens[at];
    let has = |sense: &Sense| token.has(sense);
    if has(&Sense::Punctuation) {
        return (Some(Chunk::Break { strong: false }), at + 1);
    }
    if excludes_before(tokens, at, before) {
        return (Some(Chunk::Except), at + 1);
    }
    if corrects(tokens, at, before) {
        return (Some(Chunk::Correction), at + 1);
    }
    // 四升 counts, and raises nothing.
    let counted = at > 0 && tokens[at - 1].any(|s| matches!(s, Sense::Number(_)));
    if counted && has(&Sense::Measure) && token.any(|s| matches!(s, Sense::Step { .. })) {
        return (None, at + 1);
    }
    let context = context(before, vocabulary);
    let after_disposal = matches!(before.last(), Some(Chunk::Disposal));
    let action_word = token.any(|s| {
        matches!(
            s,
            Sense::Verb(_) | Sense::Set { .. } | Sense::SetBare | Sense::Step { .. } | Sense::Make | Sense::Little
        ) || matches!(s, Sense::Direction { .. } | Sense::Degree { .. } | Sense::Link)
    });
    let switched = (nominal::property(token).is_some() || token.any(|s| matches!(s, Sense::Feature(_))))
        && super::feature::feature(tokens, at, vocabulary).is_some()
        && (!token.any(|s| matches!(s, Sense::Verb(_))) || super::feature::after_switch(tokens, at, vocabulary));
    let noun_word =
        switched || after_disposal || token.is_entity() || token.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_)));
    let predicate =
        || predicate::read(tokens, at, context, vocabulary).map(|(p, end)| (Some(Chunk::Predicate(p)), end));
    let nominal = || nominal::read(tokens, at, vocabulary).map(|(n, end)| (Some(Chunk::Nominal(n)), end));
    let verb_like_noun =
        token.any(|s| matches!(s, Sense::Verb(_))) && !switched && !after_disposal && nominal_follows(tokens, at + 1);
    // 喂食器出粮三份: behind what is counted so, a number is how much of it, and not of how many things.
    let measured = token.any(|s| matches!(s, Sense::Number(_)))
        && counts_out(before.last(), vocabulary)
        && tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Measure))
        && tokens.get(at + 2).is_none_or(|t| t.has(&Sense::Punctuation) || t.has(&Sense::Particle));
    let found = if measured {
        predicate()
    } else if action_word && (!noun_word || (verb_like_noun && !token.is_entity())) {
        predicate().or_else(nominal)
    } else {
        nominal().or_else(predicate)
    };
    if let Some(found) = found {
        return found;
    }
    // 给客人开门: for whom it is done changes nothing.
    if has(&Sense::Disposal)
        && has(&Sense::Filler)
        && tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Person) && !t.is_entity())
    {
        return (None, at + 2);
    }
    if has(&Sense::Disposal) && nominal_follows(tokens, at + 1) {
        return (Some(Chunk::Disposal), at + 1);
    }
    if has(&Sense::Each) {
        return (Some(Chunk::Each), at + 1);
    }
    if has(&Sense::Conjunction) && !has(&Sense::Also) {
        return (Some(Chunk::Conjunction), at + 1);
    }
    // 射灯也是，柜机二十六度: the same is done to it, and nothing of what follows.
    let ends = tokens.get(at + 1).is_none_or(|t| t.has(&Sense::Punctuation));
    if has(&Sense::Also) || has(&Sense::Same) && ends && matches!(before.last(), Some(Chunk::Nominal(_))) {
        return (Some(Chunk::Also), at + 1);
    }
    if has(&Sense::Sequence) {
        return (Some(Chunk::Break { strong: true }), at + 1);
    }
    // 上层的关掉: a side of something that was not named is not nothing.
    let hangs =
        has(&Sense::RoomSuffix) && !has(&Sense::Filler) && matches!(before.last(), None | Some(Chunk::Break { .. }));
    let hangs =
        hangs && tokens.get(at + 1).is_some_and(|t| t.any(|s| matches!(s, Sense::Of | Sense::Measure)) || kind_of(t));
    if !hangs && is_empty_word(token) || only_explains(tokens, at, vocabulary) {
        return (None, at + 1);
    }
    // 洗衣服的机器: what is told of by what it does is described, and that is no name.
    let described = at >= 2
        && token.is_residue()
        && tokens[at - 1].has(&Sense::Of)
        && tokens[at - 2].any(|s| matches!(s, Sense::Verb(_)))
        && !tokens[at - 2].is_entity();
    let of = if described { tokens[at - 1].text.as_str() } else { "" };
    (Some(Chunk::Loose(format!("{of}{}", token.text))), at + 1)
}

/// Whether a property that is a number of this home's own was named last.
fn counts_out(before: Option<&Chunk>, vocabulary: &Vocabulary) -> bool {
    let Some(Chunk::Nominal(Nominal { property: Some(property), .. })) = before else { return false };
    let property = &vocabulary.lexicon.properties[*property];
    property.own && !property.flag
}

/// Whether a word is one for a kind or a sort of it.
fn kind_of(token: &Token) -> bool {
    nominal::kind(token).is_some() || nominal::sort(token).is_some()
}

/// Words that add nothing to a command.
fn is_empty_word(token: &Token) -> bool {
    token.any(|s| {
        matches!(
            s,
            Sense::Filler
                | Sense::Particle
                | Sense::Of
                | Sense::Polite
                | Sense::AskFor
                | Sense::Is
                | Sense::Alternative
                | Sense::Already
                | Sense::Disposal
                | Sense::Same
                | Sense::Then
                | Sense::IfClose
                | Sense::Measure
                | Sense::Little
                | Sense::All
                | Sense::RoomSuffix
                | Sense::ExceptClose
                | Sense::Question(Question::YesNo)
        )
    })
}

/// `用不着了`, `晒晒太阳`: why, in the same breath. Before a noun it would be a part of a name (学习灯).
fn only_explains(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> bool {
    let ends = |t: &Token| t.has(&Sense::Particle) || t.has(&Sense::Punctuation) || t.has(&Sense::Disposal);
    let next = tokens.get(at + 1);
    let over = tokens[at].text.chars().count() > 2 && next.is_none_or(|t| t.any(|s| matches!(s, Sense::Verb(_))));
    let finished = tokens[at].text.ends_with(vocabulary.lexicon.marks.changed.as_str());
    tokens[at].has(&Sense::Reason) && (finished || over || next.is_none_or(ends))
}

/// What the chunks so far say about the next predicate.
fn context(before: &[Chunk], vocabulary: &Vocabulary) -> Context {
    let mut context = Context { first: before.is_empty(), ..Context::default() };
    // 空调制热二十六: the mode stands between the thing and its number.
    let mode = |c: &Chunk| matches!(c, Chunk::Predicate(p) if matches!(p.core, Core::Set(_, Amount::Word(_))));
    let named = match before {
        [rest @ .., last] if mode(last) => rest.last(),
        _ => before.last(),
    };
    if let Some(Chunk::Nominal(nominal)) = named {
        let kind = super::order::kind_of(nominal, vocabulary);
        let named = !matches!(nominal.head, Some(nominal::Head::Reference(_)) | None);
        // 客厅空调二十三，主卧二十五
        let counted =
            |c: &Chunk| matches!(c, Chunk::Predicate(p) if matches!(p.core, Core::Set(_, super::Amount::Number(..))));
        let elsewhere = nominal.head.is_none() && !nominal.places.is_empty() && before.iter().any(counted);
        context.numbered = elsewhere || named && kind.is_some_and(|k| vocabulary.lexicon.kinds[k].number.is_some());
    }
    for chunk in before.iter().rev() {
        match chunk {
            Chunk::Nominal(n) => {
                context.property |= n.property.is_some();
                context.target |= n.head.is_some() || !n.places.is_empty();
            }
            Chunk::Predicate(p) => {
                context.open_set |= matches!(p.core, Core::SetOpen) || matches!(p.core, Core::Step(_, None));
                context.target = true;
                break;
            }
            Chunk::Each | Chunk::Also | Chunk::Conjunction | Chunk::Disposal => {}
            // 调到27，哦不，26: the value once more.
            Chunk::Correction => {
                context.property |=
                    before.iter().any(|c| matches!(c, Chunk::Predicate(p) if matches!(p.core, Core::Set(..))));
                context.target = true;
                break;
            }
            Chunk::Break { .. } => {
                // 音量三十，呃，十五: a number after a number is said instead of it.
                let numbered = |p: &Predicate| {
                    matches!(p.core, Core::Set(_, super::Amount::Number(..) | super::Amount::Percent(_)))
                };
                let before_break = before.iter().rev().find(|c| !matches!(c, Chunk::Break { .. } | Chunk::Correction));
                context.mends = matches!(before_break, Some(Chunk::Predicate(p)) if numbered(p));
                context.target |= before.iter().any(|c| matches!(c, Chunk::Nominal(_)));
                break;
            }
            _ => break,
        }
    }
    context
}

/// Whether something nominal stands at a position, small words aside.
fn nominal_follows(tokens: &[Token], at: usize) -> bool {
    let rest = tokens.iter().skip(at).find(|t| !(t.has(&Sense::Filler) || t.has(&Sense::Particle)));
    rest.is_some_and(|t| {
        nominal::place(t).is_some()
            || nominal::is_thing(t)
            || t.has(&Sense::Reference)
            || t.has(&Sense::All)
            || t.has(&Sense::Other)
            || t.has(&Sense::AnyOne)
            || t.has(&Sense::Everything)
            || t.has(&Sense::ExceptOpen)
            || t.any(|s| matches!(s, Sense::Property(_) | Sense::Feature(_) | Sense::State(_) | Sense::Number(_)))
            || t.is_residue()
    })
}

/// `卧室除外`, `卧室不要`: ends what is left out, and nothing is done to it.
fn excludes_before(tokens: &[Token], at: usize, before: &[Chunk]) -> bool {
    let ends = tokens[at + 1..].iter().all(|t| t.has(&Sense::Particle) || t.has(&Sense::Punctuation));
    let next_breaks = tokens.get(at + 1).is_none_or(|t| t.has(&Sense::Punctuation));
    tokens[at].has(&Sense::ExceptAfter)
        && (ends || next_breaks)
        && matches!(before.last(), Some(Chunk::Nominal(_)))
        && before.len() > 1
}

/// `不，还是关掉`.
fn corrects(tokens: &[Token], at: usize, before: &[Chunk]) -> bool {
    let named = before.iter().any(|c| matches!(c, Chunk::Nominal(_)));
    let done = before.iter().any(|c| matches!(c, Chunk::Predicate(_)));
    let after_break = matches!(before.last(), Some(Chunk::Break { .. } | Chunk::Correction | Chunk::Loose(_)));
    let alone = tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Punctuation) || t.has(&Sense::Correction));
    let long = tokens[at].text.chars().count() > 1;
    // 台灯，说错了，月球灯打开: before the verb, pauses on both sides make a correction of it.
    let started = done || (named && after_break && alone && long);
    tokens[at].has(&Sense::Correction) && started && (after_break || alone || long)
}
