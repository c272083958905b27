//! What stands side by side without a pause and belongs together.

use super::super::super::action::Amount;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{Head, Nominal};
use super::super::predicate::{Core, Predicate};
use super::super::{feature, recut};
use super::Chunk;

/// `空调面板灯光`: an unknown thing right behind a known one is a part of it that it does not have. The whole of it is meant by
/// nothing that is done to the part.
pub(super) fn parts_of_things(chunks: &mut Vec<Chunk>) {
    let mut at = 1;
    while at < chunks.len() {
        let whole = match (&chunks[at - 1], &chunks[at]) {
            (Chunk::Nominal(thing), Chunk::Nominal(part)) => of_whole(thing, part),
            _ => None,
        };
        match whole {
            Some(whole) => {
                chunks[at - 1] = Chunk::Nominal(whole);
                chunks.remove(at);
            }
            None => at += 1,
        }
    }
}

fn of_whole(thing: &Nominal, part: &Nominal) -> Option<Nominal> {
    let (Head::Named { text, scene: false, .. } | Head::Kind(_, text) | Head::Sort(_, text)) = thing.head.as_ref()?
    else {
        return None;
    };
    let (Head::Unknown(own) | Head::Strange(own)) = part.head.as_ref()? else { return None };
    let apart = !part.places.is_empty() || !part.except_is_empty() || thing.property.is_some() || text.is_empty();
    (!apart).then(|| Nominal { head: Some(Head::Unknown(format!("{text}{own}"))), ..thing.clone() })
}

/// `风扇摇头，二档`: what is only on or off takes no number. It is switched on, and the number is of something else.
pub(super) fn flags_before_numbers(chunks: Vec<Chunk>, vocabulary: &Vocabulary) -> Vec<Chunk> {
    let lexicon = &vocabulary.lexicon;
    let Some(on) = lexicon.verb("on").map(|on| lexicon.verbs[on].words[0].clone()) else { return chunks };
    let numbered = |chunk: Option<&Chunk>| {
        matches!(chunk, Some(Chunk::Predicate(Predicate { core: Core::Set(None, Amount::Number(..)), bare: true, .. })))
    };
    let mut split = Vec::with_capacity(chunks.len());
    for (at, chunk) in chunks.iter().enumerate() {
        let next = chunks.get(at + 1);
        let follows = numbered(next) || matches!(next, Some(Chunk::Break { .. })) && numbered(chunks.get(at + 2));
        match chunk {
            Chunk::Nominal(nominal) if follows => match nominal.property.filter(|p| lexicon.properties[*p].flag) {
                Some(flag) => {
                    let core = Core::Set(Some(flag), Amount::Word(on.clone()));
                    split.push(Chunk::Nominal(Nominal { property: None, ..nominal.clone() }));
                    split.push(Chunk::Predicate(Predicate { core, opens: false, closed: true, bare: false }));
                }
                None => split.push(chunk.clone()),
            },
            _ => split.push(chunk.clone()),
        }
    }
    split
}

/// A value that is set, without what it is a value of.
fn value(text: String) -> Chunk {
    Chunk::Predicate(Predicate { core: Core::Set(None, Amount::Word(text)), opens: false, closed: true, bare: true })
}

/// `净化器睡眠模式`, `把空调打开睡眠模式`: right behind a thing that has modes, what a scene is called is a mode of that thing,
/// whether it has this one or not. The scene would move everything else.
pub(super) fn modes_of_things(chunks: &mut [Chunk], vocabulary: &Vocabulary) {
    let mode = vocabulary.lexicon.property("mode");
    let has_modes = |nominal: &Nominal| {
        let writable = |d: &usize| mode.and_then(|mode| vocabulary.devices[*d].about(mode)).is_some_and(|a| a.writable);
        feature::meant(nominal, vocabulary).is_some_and(|devices| devices.iter().any(writable))
    };
    for at in 1..chunks.len() {
        let Chunk::Nominal(Nominal { head: Some(Head::Named { text, scene: true, .. }), .. }) = &chunks[at] else {
            continue;
        };
        let of_thing = match &chunks[..at] {
            [.., Chunk::Nominal(thing)] => has_modes(thing),
            [.., Chunk::Disposal, Chunk::Nominal(thing), Chunk::Predicate(_)] => has_modes(thing),
            _ => false,
        };
        if of_thing {
            chunks[at] = value(text.clone());
        }
    }
}

/// `浴霸开换气`: right behind a thing that has a value of that name, a word for a kind of thing is that value, unless the home has
/// such a thing.
pub(super) fn values_of_things(chunks: &mut [Chunk], vocabulary: &Vocabulary) {
    let offers = |nominal: &Nominal, text: &str| {
        let devices = feature::meant(nominal, vocabulary);
        devices.is_some_and(|devices| devices.iter().any(|d| recut::offers(*d, text, vocabulary)))
    };
    let opens = |chunk: Option<&Chunk>| {
        let on = vocabulary.lexicon.verb("on");
        matches!(chunk, Some(Chunk::Predicate(p)) if matches!(p.core, Core::Verb(verb) if Some(verb) == on))
    };
    for at in 1..chunks.len() {
        let Chunk::Nominal(nominal) = &chunks[at] else { continue };
        let Some(Head::Kind(kind, text)) = &nominal.head else { continue };
        let text = text.clone();
        if !nominal.places.is_empty() || vocabulary.devices.iter().any(|d| d.is(*kind)) {
            continue;
        }
        let ends = chunks.get(at + 1).is_none_or(|c| matches!(c, Chunk::Break { .. }));
        let of_thing = match &chunks[..at] {
            [.., Chunk::Nominal(thing)] => (ends || opens(chunks.get(at + 1))) && offers(thing, &text),
            [.., Chunk::Nominal(thing), verb] => ends && opens(Some(verb)) && offers(thing, &text),
            _ => false,
        };
        if of_thing {
            chunks[at] = value(text);
        }
    }
}

/// `大灯自动关掉了`, `大灯八成关掉了`: nobody sets what he switches off in the same breath, so the value is none.
pub(super) fn values_before_off(chunks: &mut [Chunk], vocabulary: &Vocabulary) {
    let off = vocabulary.lexicon.verb("off");
    for at in 1..chunks.len() {
        let ends =
            matches!(&chunks[at], Chunk::Predicate(p) if matches!(p.core, Core::Verb(verb) if Some(verb) == off));
        let Chunk::Predicate(Predicate { core: Core::Set(None, to), bare: true, .. }) = &chunks[at - 1] else {
            continue;
        };
        let said = match to {
            Amount::Word(word) => word.clone(),
            Amount::Percent(share) => format!("{share}%"),
            _ => continue,
        };
        if ends {
            chunks[at - 1] = Chunk::Loose(said);
        }
    }
}
