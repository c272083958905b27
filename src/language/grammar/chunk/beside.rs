//! What stands side by side without a pause and belongs together.

use super::super::super::action::Amount;
use super::super::super::lexicon::Effect;
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

/// `打开空调的节能`, `关掉空调节能`, `打开空调的静音开关`: what is switched is what is named of the thing, and not the thing. A value
/// that it does not have switches nothing on; one that it has is left by setting another, and nobody says which.
pub(super) fn values_switched(chunks: &mut Vec<Chunk>, vocabulary: &Vocabulary) {
    let lexicon = &vocabulary.lexicon;
    let ends = |chunk: Option<&Chunk>| chunk.is_none_or(|c| matches!(c, Chunk::Break { .. }));
    let suffix = |chunk: &Chunk| match chunk {
        Chunk::Nominal(Nominal { head: Some(Head::Kind(_, text)), places, .. }) => {
            places.is_empty() && lexicon.feature_suffix.contains(text)
        }
        _ => false,
    };
    values_left(chunks, vocabulary);
    let mut at = 2;
    while at < chunks.len() {
        let (first, suffixed) = (at - 2, chunks.get(at + 1).is_some_and(suffix));
        let alone = (first == 0 || ends(chunks.get(first - 1))) && ends(chunks.get(at + 1 + usize::from(suffixed)));
        let told = match &chunks[first..=at] {
            [
                verb @ Chunk::Predicate(Predicate { core: Core::Verb(by), .. }),
                Chunk::Nominal(thing),
                Chunk::Predicate(Predicate { core, .. }),
            ] if alone && thing.property.is_none() => {
                lexicon.verbs[*by].switches.and_then(|on| switched(verb, on, thing, core, vocabulary))
            }
            _ => None,
        };
        if let Some(told) = told {
            chunks.splice(first..=at + usize::from(suffixed), told);
        }
        at += 1;
    }
}

/// `关闭无风感`: a value that is switched off, of whatever has it.
fn values_left(chunks: &mut Vec<Chunk>, vocabulary: &Vocabulary) {
    let off = vocabulary.lexicon.verb("off");
    let alone = |verb: &Predicate| matches!(verb.core, Core::Verb(verb) if Some(verb) == off);
    let [Chunk::Predicate(verb), Chunk::Predicate(Predicate { core: Core::Set(None, Amount::Word(word)), .. })] =
        &chunks[..]
    else {
        return;
    };
    let devices: Vec<usize> = (0..vocabulary.devices.len()).collect();
    if alone(verb) && devices.iter().any(|d| recut::means(*d, word, vocabulary)) {
        let predicate = |core| Chunk::Predicate(Predicate { core, opens: false, closed: true, bare: false });
        *chunks = match left(&devices, word, vocabulary) {
            Some(core) => vec![predicate(core)],
            None => vec![Chunk::Predicate(verb.clone()), Chunk::Loose(word.clone())],
        };
    }
}

/// What is told where a verb that switches, a thing and what is named of it stand in a row; `None` where both are told.
fn switched(first: &Chunk, on: bool, thing: &Nominal, core: &Core, vocabulary: &Vocabulary) -> Option<Vec<Chunk>> {
    let lexicon = &vocabulary.lexicon;
    let devices: Vec<usize> = match thing.head.as_ref()? {
        Head::Named { devices, kind, scene: false, .. } => {
            let of_kind = |d: &usize| devices.contains(d) || kind.is_some_and(|kind| vocabulary.devices[*d].is(kind));
            (0..vocabulary.devices.len()).filter(of_kind).collect()
        }
        _ => feature::meant(thing, vocabulary)?,
    };
    let flips = |verb: usize| {
        let verb = &lexicon.verbs[verb];
        verb.switches.is_none() && matches!(verb.does.first(), Some(Effect::Flag(..)))
    };
    let predicate = |core| Chunk::Predicate(Predicate { core, opens: false, closed: true, bare: false });
    let with = |chunk| Some(vec![Chunk::Nominal(thing.clone()), chunk]);
    let flag = match core {
        Core::Verb(verb) => Some(*verb).filter(|verb| flips(*verb)),
        // 静音模式 of what can only be silent, or not.
        Core::Set(_, Amount::Word(word)) => {
            let has = |effect: &Effect| match effect {
                Effect::Flag(property, _) => devices.iter().any(|d| vocabulary.devices[*d].about(*property).is_some()),
                _ => false,
            };
            (0..lexicon.verbs.len()).find(|verb| {
                let entry = &lexicon.verbs[*verb];
                flips(*verb) && entry.words.contains(word) && entry.does.iter().any(has)
            })
        }
        _ => None,
    };
    match (flag, core) {
        (Some(flag), _) => {
            let told = if on { Some(flag) } else { lexicon.verbs[flag].opposite }?;
            with(predicate(Core::Verb(told)))
        }
        (None, Core::Set(_, Amount::Word(word))) => {
            let offered = devices.iter().any(|d| recut::means(*d, word, vocabulary));
            match (offered, on) {
                (true, true) => None,
                (true, false) => match left(&devices, word, vocabulary) {
                    Some(core) => with(predicate(core)),
                    None => Some(vec![first.clone(), Chunk::Nominal(thing.clone()), Chunk::Loose(word.clone())]),
                },
                (false, _) => with(predicate(core.clone())),
            }
        }
        _ => None,
    }
}

/// How a value is left that has one beside it for being off: `关掉空调的无风感` where that is one of 关, 无风感 and 强力.
fn left(devices: &[usize], word: &str, vocabulary: &Vocabulary) -> Option<Core> {
    let lexicon = &vocabulary.lexicon;
    let off = lexicon.choices.iter().position(|choice| choice.id == "close")?;
    let left = devices.iter().flat_map(|d| vocabulary.devices[*d].abilities.iter()).find(|ability| {
        ability.writable && ability.choices.iter().any(|c| c.contains(&off)) && recut::has(ability, word, vocabulary)
    });
    Some(Core::Set(Some(left?.property?), Amount::Word(lexicon.choices[off].words.first()?.clone())))
}
