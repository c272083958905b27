//! What is to be made or washed, in the words that people have for it: `电饭锅煮上粥`, `洗衣机洗毛衣`, `烘床单`, `甩干`. It is one of the
//! programs of a thing, by whatever name that has there.

use super::super::lexicon::Sense;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::recut::devices;
use crate::home::{DeviceIndex, Domain, RoomIndex};
use crate::text::normalize;

/// What a clause tells to be made.
struct Task {
    /// The names that its program may have, the best first.
    values: Vec<String>,
    /// It is to begin (`煮上`).
    begins: bool,
}

/// The sentence with that as a program that is set, of the thing that is named, or of the only one that has such a program.
pub(super) fn as_programs(tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let named = |t: &Token| devices(t, vocabulary).is_some_and(|of| !of.is_empty());
    let mut told = Vec::with_capacity(tokens.len());
    let mut rest = &tokens[..];
    while !rest.is_empty() {
        let end = rest.iter().position(pause).map_or(rest.len(), |pause| pause + 1);
        let (clause, behind) = rest.split_at(end);
        // Where nothing is named, it has to be all that is told.
        if clause.iter().any(named) {
            told.extend(of_clause(clause.to_vec(), vocabulary, local));
        } else if told.is_empty() {
            return of_clause(tokens.clone(), vocabulary, local);
        } else {
            told.extend(clause.iter().cloned());
        }
        rest = behind;
    }
    told
}

/// The same of one clause, or of the first one where no thing is named in it.
fn of_clause(tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let first = tokens.split(pause).next().unwrap_or_default();
    let thing = first.iter().rposition(|t| devices(t, vocabulary).is_some_and(|of| !of.is_empty()));
    let begin = thing.map_or(0, |thing| thing + 1);
    let rest = &first[begin..];
    let others = &tokens[first.len()..];
    if rest.is_empty() || thing.is_none() && others.iter().any(|t| names(t, vocabulary)) {
        return tokens;
    }
    let text: String = rest.iter().map(|t| t.text.as_str()).collect();
    // 煮饭了 tells what somebody does.
    if thing.is_none() && text.ends_with(vocabulary.lexicon.marks.changed.as_str()) {
        return tokens;
    }
    let Some(task) = task(&text, thing.is_some(), vocabulary) else { return tokens };
    let named = thing.and_then(|thing| devices(&first[thing], vocabulary));
    let Some((device, value)) = owner(&task, named, vocabulary, local) else { return tokens };
    let lexicon = &vocabulary.lexicon;
    let of = Token::of_device(device, &vocabulary.home);
    let set = Token::unsaid(Sense::Set { open: false });
    let value = value.map(|text| Token { text, heard: None, senses: vec![Sense::Value] });
    let told: Vec<Token> = value.map(|value| vec![set, value]).unwrap_or_default();
    let start = lexicon.verb("start").filter(|_| task.begins).map(|start| Token::of_verb(start, lexicon));
    let before = first[..begin].iter().cloned();
    let thing = if thing.is_none() { Some(of) } else { None };
    before.chain(thing).chain(told).chain(start).chain(others.iter().cloned()).collect()
}

/// Whether a word is about something else of the home.
fn names(token: &Token, vocabulary: &Vocabulary) -> bool {
    devices(token, vocabulary).is_some_and(|of| !of.is_empty())
        || token.any(|s| s.is_action() && !is_start(s, vocabulary)) && !token.is_entity()
}

fn is_start(sense: &Sense, vocabulary: &Vocabulary) -> bool {
    matches!(sense, Sense::Verb(verb) if Some(*verb) == vocabulary.lexicon.verb("start"))
}

/// What words tell to be made: all of them have to be about that.
fn task(text: &str, named: bool, vocabulary: &Vocabulary) -> Option<Task> {
    let tasks = &vocabulary.lexicon.tasks;
    let mut rest = text;
    while let Some(cut) = prefix(rest, &tasks.before) {
        rest = &rest[cut..];
    }
    let ends = |rest: &str| {
        let mut rest = rest;
        while let Some(cut) = prefix(rest, &tasks.after) {
            rest = &rest[cut..];
        }
        rest.is_empty()
    };
    for making in &tasks.makings {
        for verb in making.verbs.iter().filter(|verb| rest.contains(verb.as_str())) {
            // 煮上一锅粥
            if let Some(mut what) = rest.strip_prefix(verb.as_str()) {
                let begun = prefix(what, &tasks.begun);
                what = &what[begun.unwrap_or_default()..];
                what = &what[prefix(what, &tasks.between).unwrap_or_default()..];
                if let Some(cut) = prefix(what, &making.of)
                    && ends(&what[cut..])
                {
                    // 洗衣机洗毛衣: 洗 alone tells it to begin.
                    let starts = vocabulary.lexicon.senses(verb).iter().any(|s| is_start(s, vocabulary));
                    let begins = begun.is_some() || starts && named;
                    return Some(Task { values: making.values.clone(), begins });
                }
            }
            // 粥熬上
            if let Some(what) = prefix(rest, &making.of)
                && let Some(behind) = rest[what..].strip_prefix(verb.as_str())
            {
                let begun = prefix(behind, &tasks.begun);
                if ends(&behind[begun.unwrap_or_default()..]) {
                    return Some(Task { values: making.values.clone(), begins: begun.is_some() });
                }
            }
        }
        // 甩干: what is done is all that is said.
        if making.verbs.is_empty()
            && let Some(cut) = prefix(rest, &making.of)
            && ends(&rest[cut..])
        {
            return Some(Task { values: making.values.clone(), begins: false });
        }
    }
    None
}

/// How much of a text is one of some words, the longest.
fn prefix(text: &str, words: &[String]) -> Option<usize> {
    words.iter().filter(|word| text.starts_with(word.as_str())).map(String::len).max()
}

/// The thing that has such a program, and what it calls it: of what is named, else of what is in the room, else of all that the
/// home has. Where a thing is named that only begins (`洗衣机洗裤子`), nothing is set.
fn owner(
    task: &Task,
    named: Option<Vec<DeviceIndex>>,
    vocabulary: &Vocabulary,
    local: Option<RoomIndex>,
) -> Option<(DeviceIndex, Option<String>)> {
    let only = |of: Vec<DeviceIndex>| {
        let mut found = of.into_iter().filter_map(|d| Some((d, program(d, task, vocabulary)?)));
        found.next().filter(|_| found.next().is_none())
    };
    let all = || 0..vocabulary.devices.len();
    match named {
        Some(of) if task.values.is_empty() => Some((*of.first()?, None)),
        Some(of) => only(of).map(|(device, value)| (device, Some(value))),
        None if task.values.is_empty() => None,
        None => {
            let here = all().filter(|d| local.is_some() && vocabulary.home.devices[*d].room == local).collect();
            only(here).or_else(|| only(all().collect())).map(|(device, value)| (device, Some(value)))
        }
    }
}

/// What a device calls the program of a task.
fn program(device: DeviceIndex, task: &Task, vocabulary: &Vocabulary) -> Option<String> {
    let settable = vocabulary.devices[device].abilities.iter().filter(|a| a.writable).filter_map(|a| a.domain.as_ref());
    let lists = settable.filter_map(|domain| if let Domain::Enum(list) = domain { Some(list) } else { None });
    let called: Vec<String> = lists.flatten().map(|choice| normalize(&choice.describe)).collect();
    task.values.iter().find_map(|value| {
        let exact = called.iter().find(|name| *name == value);
        let mut held = called.iter().filter(|name| name.contains(value.as_str()));
        exact.cloned().or_else(|| held.next().filter(|_| held.next().is_none()).cloned())
    })
}
