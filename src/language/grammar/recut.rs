//! Words that are cut or taken once more, because of what stands beside them.

mod manner;
mod owners;
mod row;
mod scenes;
mod theirs;
mod toward;
mod verbs;

pub(super) use manner::manner;
pub(super) use owners::rooms_of;
pub(super) use row::{at_its_end, joined_by_and, of_its_extreme, washed_fast};
pub(super) use scenes::scenes;
pub use theirs::points_to_a_room;
pub(super) use theirs::{alike_here, as_many_as_called, of_others, of_speaker, theirs};
pub(super) use toward::toward;
pub(super) use verbs::{beside, today};

use super::super::lexicon::{Effect, Question, Sense, Unit};
use super::super::meaning::Ability;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{kind, place, property, sort};
pub(super) use super::word::devices;
use crate::home::Domain;
use crate::text::normalize;

/// `把门锁上` where there is a 门锁: the door, and what is done to it.
pub(super) fn unlocked(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lock = vocabulary.lexicon.verb("lock");
    let locks = |word: &str| vocabulary.senses(word).iter().any(|s| matches!(s, Sense::Verb(v) if Some(*v) == lock));
    let kind = vocabulary.lexicon.kind("lock");
    let is_lock = |t: &Token| {
        let locks = |of: Vec<usize>| of.iter().all(|d| kind.is_some_and(|lock| vocabulary.devices[*d].is(lock)));
        devices(t, vocabulary).is_some_and(locks)
    };
    let mut cut: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let split = cut.last().and_then(|last| {
            let (at, c) = last.text.char_indices().next_back()?;
            let verb = format!("{c}{}", token.text);
            let free = !token.any(|s| matches!(s, Sense::Verb(_) | Sense::Of)) && !token.is_residue();
            (at > 0 && free && token.text != verb && locks(&verb)).then(|| (last.text[..at].to_owned(), verb))
        });
        match split.map(|(what, verb)| (what.clone(), vocabulary.senses(&what), verb.clone(), vocabulary.senses(&verb)))
        {
            Some((what, of_what, verb, of_verb)) if !of_what.is_empty() => {
                cut.pop();
                cut.push(Token { text: what, heard: None, senses: of_what });
                cut.push(Token { text: verb, heard: None, senses: of_verb });
            }
            // 书房门锁上, where nothing is called 书房门.
            Some((_, of_what, verb, of_verb)) if of_what.is_empty() && cut.last().is_some_and(is_lock) => {
                cut.push(Token { text: verb, heard: None, senses: of_verb });
            }
            _ => cut.push(token),
        }
    }
    cut
}

/// `台灯光太黄`, `床头灯光暗一点`: the light of a lamp, and no lights; those of a room stay so (`客厅灯光`).
pub(super) fn lit(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(light) = vocabulary.lexicon.kind("light") else { return tokens };
    let counts =
        |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Reference | Sense::Some | Sense::Question(_)));
    let bounds = |t: &Token| t.is_entity() || place(t).is_some() || t.has(&Sense::Punctuation);
    let mut at = 1;
    while at < tokens.len() {
        let end = tokens[at].text.char_indices().nth(1).map(|(end, _)| end);
        let Some(end) = end.filter(|_| kind(&tokens[at]) == Some(light)) else {
            at += 1;
            continue;
        };
        let first = tokens[..at].iter().rposition(bounds).map_or(0, |bound| bound + 1);
        let joined = (first..at).filter(|start| *start == 0 || !counts(&tokens[start - 1])).find_map(|start| {
            let words = tokens[start..at].iter().map(|t| t.text.as_str());
            let lamp: String = words.chain([&tokens[at].text[..end]]).collect();
            let senses = vocabulary.senses(&lamp);
            let named = senses.iter().any(|s| matches!(s, Sense::Devices(_) | Sense::Sort(_)));
            named.then_some((start, Token { text: lamp, heard: None, senses }))
        });
        if let Some((start, lamp)) = joined {
            tokens[at].text.drain(..end);
            tokens[at].senses = vec![Sense::Filler];
            tokens.splice(start..at, [lamp]);
            at = start + 1;
        }
        at += 1;
    }
    tokens
}

/// `打开声音五十`: a verb and its object that are one word are two where a value follows.
pub(super) fn opened(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let valued = |t: &Token| {
        t.any(|s| {
            matches!(
                s,
                Sense::Number(_) | Sense::Step { .. } | Sense::Extreme(_) | Sense::Degree { .. } | Sense::Set { .. }
            )
        })
    };
    let mut split: Vec<Token> = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        let parts = (token.any(|s| matches!(s, Sense::Verb(_))) && tokens.get(at + 1).is_some_and(valued))
            .then(|| {
                token.text.char_indices().skip(1).find_map(|(cut, _)| {
                    let (verb, what) = token.text.split_at(cut);
                    let (of_verb, of_what) = (vocabulary.senses(verb), vocabulary.senses(what));
                    let fits = of_verb.iter().any(|s| matches!(s, Sense::Verb(_)))
                        && of_what.iter().any(|s| matches!(s, Sense::Property(_)));
                    fits.then(|| [(verb.to_owned(), of_verb), (what.to_owned(), of_what)])
                })
            })
            .flatten();
        match parts {
            Some(parts) => split.extend(parts.map(|(text, senses)| Token { text, heard: None, senses })),
            None => split.push(token.clone()),
        }
    }
    split
}

/// `台灯换写字模式`, `空调别上下吹了改左右`: what a thing can be set to is a value where it is said as one, whatever else the language
/// knows the word for.
pub(super) fn offered(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    for at in 1..tokens.len() {
        let token = &tokens[at];
        if token.is_entity() || !vocabulary.is_offered(&token.text) {
            continue;
        }
        let clause = tokens[..at].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
        let thing = tokens[clause..at].iter().rev().find_map(|t| devices(t, vocabulary));
        let offered = match &thing {
            Some(devices) => devices.iter().any(|d| offers(*d, &token.text, vocabulary)),
            None => (0..vocabulary.devices.len()).any(|d| offers(d, &token.text, vocabulary)),
        };
        let next = tokens.get(at + 1);
        let sorts = |p: usize| ["mode", "program", "speed"].contains(&vocabulary.lexicon.properties[p].id.as_str());
        let suffixed = next.is_some_and(|t| property(t).is_some_and(sorts) && !t.is_entity());
        // 电视 is the television where there is one, and a verb is done to it.
        let other = |s: &Sense| match s {
            // 灯带调成日落
            Sense::Reason | Sense::BothSides | Sense::Future => true,
            Sense::Kind(kind) => !vocabulary.devices.iter().any(|d| d.is(*kind)),
            _ => false,
        };
        // 换电脑了 says nothing of what; 换成煮饭 says at least that it is set.
        let led = thing.is_some() || tokens[at - 1].text.chars().count() > 1;
        let set = led && tokens[at - 1].any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare));
        let whole = next.is_none_or(|t| !t.is_residue() && !t.any(|s| matches!(s, Sense::Of | Sense::Verb(_))));
        if offered && (suffixed || set && whole && token.senses.iter().all(other)) {
            tokens[at].senses = vec![Sense::Value];
        }
    }
    tokens
}

/// Whether a device can be set to a value of that name.
pub(super) fn offers(device: usize, value: &str, vocabulary: &Vocabulary) -> bool {
    let settable = vocabulary.devices[device].abilities.iter().filter(|a| a.writable).filter_map(|a| a.domain.as_ref());
    settable.into_iter().any(|domain| match domain {
        Domain::Enum(choices) => choices.iter().any(|c| normalize(&c.describe) == value),
        _ => false,
    })
}

/// Whether a device can be set to what a word means, by whatever name it has there.
pub(super) fn means(device: usize, word: &str, vocabulary: &Vocabulary) -> bool {
    vocabulary.devices[device].abilities.iter().any(|ability| ability.writable && has(ability, word, vocabulary))
}

/// Whether one of the values of an ability is what a word means.
pub(super) fn has(ability: &Ability, word: &str, vocabulary: &Vocabulary) -> bool {
    let called = match &ability.domain {
        Some(Domain::Enum(choices)) => choices.iter().any(|c| normalize(&c.describe) == word),
        _ => false,
    };
    let chosen = |choice: &usize| vocabulary.lexicon.choices[*choice].words.iter().any(|w| w == word);
    called || ability.choices.iter().flatten().any(chosen)
}

/// Values that words beside them hide.
pub(super) fn pointed_values(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    for at in 0..tokens.len().saturating_sub(2) {
        inserted(&mut tokens, at, vocabulary);
        attributive(&mut tokens, at, vocabulary);
    }
    for at in 0..tokens.len().saturating_sub(1) {
        make_much(&mut tokens, at);
        set_bare(&mut tokens, at, &vocabulary.lexicon.marks.sets);
        inside_nothing(&mut tokens, at);
        paused(&mut tokens, at, vocabulary);
        feature_named(&mut tokens, at, vocabulary);
        to_the_end(&mut tokens, at);
    }
    let mut at = 0;
    while at + 2 < tokens.len() {
        point(&mut tokens, at, vocabulary);
        at += 1;
    }
    tokens
}

/// `杀下菌`, `除一下霜`: how often or how much of it stands within the name of what is done.
fn inserted(tokens: &mut [Token], at: usize, vocabulary: &Vocabulary) {
    let [first, between, last] = &tokens[at..at + 3] else { return };
    let short = |t: &Token| t.text.chars().count() == 1 && !t.is_entity();
    let within = between.any(|s| matches!(s, Sense::Filler | Sense::Measure)) && !between.is_entity();
    if !short(first) || !short(last) || !within || !last.is_residue() {
        return;
    }
    let text = format!("{}{}", first.text, last.text);
    let senses = vocabulary.senses(&text);
    if senses.iter().any(|s| matches!(s, Sense::Property(_) | Sense::Feature(_))) {
        tokens[at] = Token { text, heard: None, senses };
        tokens[at + 2].senses = vec![Sense::Filler];
    }
}

/// `拖地水量少一点`: work that is named right before a property says which one, and is not begun for it.
fn attributive(tokens: &mut [Token], at: usize, vocabulary: &Vocabulary) {
    let [work, property, amount] = &tokens[at..at + 3] else { return };
    let works = |s: &Sense| match s {
        Sense::Verb(verb) => matches!(vocabulary.lexicon.verbs[*verb].does.first(), Some(Effect::Choice(_))),
        _ => false,
    };
    let graded = amount.any(|s| {
        matches!(
            s,
            Sense::Degree { .. } | Sense::Step { .. } | Sense::Extreme(_) | Sense::Set { .. } | Sense::Question(_)
        )
    });
    let named = property.any(|s| matches!(s, Sense::Property(_))) && !property.any(|s| matches!(s, Sense::Verb(_)));
    if work.any(works) && !work.is_entity() && named && !property.is_entity() && graded {
        tokens[at].senses = vec![Sense::Filler];
    }
}

/// `空调打除湿`, `亮度打四成`
fn set_bare(tokens: &mut [Token], at: usize, sets: &[String]) {
    let of_value = |s: &Sense| match s {
        Sense::Choice(_) | Sense::Value | Sense::Fraction(_) => true,
        Sense::Number(number) => number.percent,
        _ => false,
    };
    let value = |t: &Token| t.any(of_value) && !t.is_entity();
    if tokens[at].is_residue() && sets.contains(&tokens[at].text) && value(&tokens[at + 1]) {
        tokens[at].senses = vec![Sense::SetBare];
    }
}

/// `暂停打印`: what is paused is no value that is set.
fn paused(tokens: &mut [Token], at: usize, vocabulary: &Vocabulary) {
    let pause = vocabulary.lexicon.verb("pause");
    let pauses = tokens[at].any(|s| matches!(s, Sense::Verb(v) if Some(*v) == pause)) && !tokens[at].is_entity();
    let work = tokens[at + 1].any(|s| matches!(s, Sense::Value | Sense::Choice(_))) && !tokens[at + 1].is_entity();
    if pauses && work && !tokens[at + 1].any(|s| matches!(s, Sense::Verb(_) | Sense::Kind(_))) {
        tokens[at + 1].senses = vec![Sense::Filler];
    }
}

/// `除湿机静音模式打开`: what would be done is a feature where the thing before it has one of that name, and no such value.
fn feature_named(tokens: &mut [Token], at: usize, vocabulary: &Vocabulary) {
    let suffix = vocabulary.lexicon.feature_suffix.contains(&tokens[at + 1].text) && !tokens[at + 1].is_entity();
    let flag = |s: &Sense| match s {
        Sense::Verb(verb) => match vocabulary.lexicon.verbs[*verb].does.first() {
            Some(Effect::Flag(property, true)) => Some(*property),
            _ => None,
        },
        _ => None,
    };
    let Some(property) = tokens[at].senses.iter().find_map(flag).filter(|_| suffix && !tokens[at].is_entity()) else {
        return;
    };
    let clause = tokens[..at].iter().rev().take_while(|t| !t.has(&Sense::Punctuation));
    let Some(owners) = clause.into_iter().find_map(|t| devices(t, vocabulary)) else { return };
    let has = |d: &usize| vocabulary.devices[*d].abilities.iter().any(|a| a.writable && a.property == Some(property));
    if owners.iter().any(has) && !owners.iter().any(|d| means(*d, &tokens[at].text, vocabulary)) {
        tokens[at].senses = vec![Sense::Property(property)];
        tokens[at + 1].senses = vec![Sense::Filler];
    }
}

/// `弄一半亮度`
fn make_much(tokens: &mut [Token], at: usize) {
    let made = tokens[at].has(&Sense::Make) && !tokens[at].any(|s| matches!(s, Sense::Verb(_) | Sense::SetBare));
    if at > 0 && made && tokens[at + 1].any(|s| matches!(s, Sense::Fraction(_))) {
        tokens[at].senses = vec![Sense::SetBare];
    }
}

/// `把头抬起来`: what is inside nothing is no inside.
fn inside_nothing(tokens: &mut [Token], at: usize) {
    let leads = |t: &Token| {
        let parts = |s: &Sense| matches!(s, Sense::Disposal | Sense::Punctuation | Sense::Verb(_) | Sense::Filler);
        t.any(parts) && !t.is_entity()
    };
    let inside = tokens[at].senses == [Sense::RoomSuffix] && tokens[at].text.chars().count() == 1;
    if inside && at.checked_sub(1).is_none_or(|before| leads(&tokens[before])) {
        tokens[at].senses = Vec::new();
    }
}

/// `亮到顶`: the end of what a direction says.
fn to_the_end(tokens: &mut [Token], at: usize) {
    let through = tokens[at + 1].any(|s| matches!(s, Sense::Extreme(_))) && tokens[at + 1].text.chars().count() > 1;
    let direction = tokens[at].senses.iter().find_map(|s| match s {
        Sense::Direction { property, up: true } => Some(*property),
        _ => None,
    });
    if let Some(property) = direction.filter(|_| through && tokens[at].text.chars().count() == 1) {
        tokens[at].senses = vec![Sense::Property(property)];
    }
}

/// `打到取暖那一挡`, `换成画画那个模式`: what points to a value as one of its sort says no more than it does.
fn point(tokens: &mut Vec<Token>, at: usize, vocabulary: &Vocabulary) {
    // 开到最热那档 as well.
    let value =
        |t: &Token| t.any(|s| matches!(s, Sense::Value | Sense::Choice(_) | Sense::Extreme(_))) && !t.is_entity();
    let gear = |t: &Token| t.any(|s| matches!(s, Sense::Unit(Unit::Gear))) && !t.is_entity();
    let sort = |t: &Token| vocabulary.lexicon.feature_suffix.contains(&t.text) && !t.is_entity();
    let set = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare));
    if !tokens[at + 1].has(&Sense::Reference) || !vocabulary.lexicon.pointers.contains(&tokens[at + 1].text) {
        return;
    }
    let number = tokens[at + 2].any(|s| matches!(s, Sense::Number(n) if n.value == 1.0));
    let end = at + 2 + usize::from(number);
    let offered = at > 0 && set(&tokens[at - 1]) && (value(&tokens[at]) || vocabulary.is_offered(&tokens[at].text));
    if value(&tokens[at]) && tokens.get(end).is_some_and(gear) {
        tokens.drain(at + 1..=end);
    } else if offered && sort(&tokens[at + 2]) {
        tokens.drain(at + 1..=at + 2);
        tokens[at].senses = vec![Sense::Value];
    }
}

/// `桂芳睡着了，把她那个床头灯关了`: whose it is was said before, where a thing of that name is hers.
pub(super) fn hers(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(at) =
        tokens.iter().position(|t| vocabulary.lexicon.pronouns.contains(&t.text) && t.has(&Sense::Reference))
    else {
        return tokens;
    };
    let links = |t: &&Token| t.any(|s| matches!(s, Sense::Of | Sense::Reference | Sense::Measure)) && !t.is_entity();
    let thing = at + 1 + tokens[at + 1..].iter().take_while(links).count();
    let Some(what) = tokens.get(thing).filter(|t| kind(t).is_some() || sort(t).is_some()).map(|t| t.text.clone())
    else {
        return tokens;
    };
    let of = &vocabulary.lexicon.marks.of;
    let mut names = tokens[..at]
        .iter()
        .filter(|t| t.text.chars().count() > 1)
        .flat_map(|owner| [format!("{}{what}", owner.text), format!("{}{of}{what}", owner.text)]);
    let devices = |name: &String| vocabulary.senses(name).iter().any(|s| matches!(s, Sense::Devices(_)));
    if let Some(text) = names.find(devices) {
        let senses = vocabulary.senses(&text);
        tokens.splice(at..=thing, [Token { text, heard: None, senses }]);
    }
    tokens
}

/// `喂食器里粮还剩多少`: how much of what is asked, where it is a part of the name of one number that was named (`余粮`).
pub(super) fn counted(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let asks = |t: &Token| t.has(&Sense::Question(Question::HowMuch)) && !t.is_entity();
    if !tokens.iter().any(asks) {
        return tokens;
    }
    // Nothing that the language knows, or what the home alone calls so.
    let own = |t: &Token| t.senses.iter().all(|s| matches!(s, Sense::Feature(_)));
    let Some(devices) = tokens.iter().find_map(|t| devices(t, vocabulary)) else { return tokens };
    let Some(at) = tokens.iter().position(|t| own(t) && !t.is_entity()) else { return tokens };
    let abilities = devices.iter().flat_map(|d| vocabulary.devices[*d].abilities.iter());
    let measured = abilities.filter(|a| matches!(a.domain, Some(Domain::Number { .. })) && !a.writable);
    let called =
        |p: &usize| vocabulary.lexicon.properties[*p].words.first().is_some_and(|own| own.contains(&tokens[at].text));
    let mut found: Vec<usize> = measured.filter_map(|a| a.property).filter(called).collect();
    found.sort_unstable();
    found.dedup();
    if let [only] = found[..] {
        tokens[at].senses = vec![Sense::Property(only)];
    }
    tokens
}
