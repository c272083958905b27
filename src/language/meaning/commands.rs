//! What the description of a command says that it does: switch, set one value, move by a step, or take a value.
//!
//! Commands come as people write them (`打开设备`, `切换到制冷模式`) and as hubs do: component, capability and command in the id
//! (`main-switch-on`), the capability and 启用 or 停用 in the description (`照明启用`).

use super::super::lexicon::{Effect, KindId, Lexicon, PropertyId, VerbId};
use super::super::sense::Sense;
use super::contained;
use crate::home::DeviceCommand;
use crate::text::normalize;

/// What a command does.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// A verb of the language.
    Verb(VerbId),
    /// It makes something that the device has true or false: `照明启用`.
    Feature {
        /// What.
        name: String,
        /// Which.
        on: bool,
    },
    /// It sets one value: `切换到制冷模式`.
    Value(String),
    /// It moves a property by a step, up or not: `增大音量`.
    Step(PropertyId, bool),
    /// It takes a value of what this names.
    Argument {
        /// What its description says.
        name: String,
        /// What its id says.
        id: String,
    },
    /// Nobody knows.
    Nothing,
}

/// What a command does, by its description, else by its id.
pub fn command(command: &DeviceCommand, kinds: &[KindId], lexicon: &Lexicon) -> Command {
    let description = normalize(&command.description);
    // 晾衣架上升, 晾衣架照明启用: what it is the device's own need not say.
    let of_itself = kinds.iter().flat_map(|k| lexicon.kinds[*k].words.iter().chain(&lexicon.kinds[*k].specific));
    let bare = of_itself.filter_map(|word| description.strip_prefix(word.as_str())).find(|rest| !rest.is_empty());
    let does = bare.filter(|_| command.argument.is_none()).map(|rest| described(command, rest, kinds, lexicon));
    // 带 of 灯带启用 is no word, and 灯 of 吊扇灯启用 is any lamp.
    let exactly = |verb: VerbId| {
        let verb = &lexicon.verbs[verb];
        bare.is_some_and(|rest| verb.words.iter().chain(&verb.describes).any(|word| word == rest))
    };
    match does {
        Some(does @ Command::Verb(verb)) if exactly(verb) => does,
        Some(Command::Feature { name, on }) if name.chars().count() > 1 && !lexicon.senses(&name).is_empty() => {
            Command::Feature { name, on }
        }
        _ => described(command, &description, kinds, lexicon),
    }
}

/// What a description says that a command does.
fn described(command: &DeviceCommand, description: &str, kinds: &[KindId], lexicon: &Lexicon) -> Command {
    if command.argument.is_some() {
        let name = lexicon.command_suffix.iter().find_map(|s| description.strip_suffix(s.as_str()));
        let name = name.filter(|name| !name.is_empty()).unwrap_or(description).to_owned();
        return Command::Argument { name, id: argument_of(&command.id) };
    }
    if let Some((name, on)) = feature(description, lexicon) {
        let itself = name.is_empty() || names_device(&name, kinds, lexicon);
        return match (itself, lexicon.verb(if on { "on" } else { "off" })) {
            (true, Some(verb)) => Command::Verb(verb),
            _ => known(&name, on, lexicon).unwrap_or(Command::Feature { name, on }),
        };
    }
    if let Some(value) = command_value(description, lexicon) {
        return Command::Value(value);
    }
    if let Some((property, up)) = command_step(description, lexicon) {
        return Command::Step(property, up);
    }
    command_verb(&command.id, description, lexicon).map_or(Command::Nothing, Command::Verb)
}

/// The property behind `setSomething`: the last part of the id without what only says that it is set.
fn argument_of(id: &str) -> String {
    let tail = id.rsplit(['-', '.', '/']).next().unwrap_or(id);
    let bare =
        tail.strip_prefix("set").filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase())).unwrap_or(tail);
    let mut snake = String::new();
    for c in bare.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

/// What is switched and whether on, where a description says no more than that: `照明启用`, `净化停用`, `电源启用`.
fn feature(description: &str, lexicon: &Lexicon) -> Option<(String, bool)> {
    let [off, on] = &lexicon.switched;
    let ending = |words: &[String]| words.iter().find_map(|w| description.strip_suffix(w.as_str()).map(str::to_owned));
    ending(on).map(|name| (name, true)).or_else(|| ending(off).map(|name| (name, false)))
}

/// Whether a name means the device itself: its power, or its kind.
fn names_device(name: &str, kinds: &[KindId], lexicon: &Lexicon) -> bool {
    let senses = lexicon.senses(name);
    let power = lexicon.property("power");
    senses.iter().any(|s| match s {
        Sense::Property(p) => Some(*p) == power,
        Sense::Kind(k) | Sense::Sort(k) => kinds.contains(k),
        Sense::Everything => true,
        _ => false,
    })
}

/// A switched name that the language has a verb for: `静音启用` mutes.
fn known(name: &str, on: bool, lexicon: &Lexicon) -> Option<Command> {
    let verb = lexicon.senses(name).iter().find_map(|s| match s {
        Sense::Verb(verb) if matches!(lexicon.verbs[*verb].does.first(), Some(Effect::Flag(_, true))) => Some(*verb),
        _ => None,
    })?;
    let property = match lexicon.verbs[verb].does.first() {
        Some(Effect::Flag(property, _)) => *property,
        _ => return None,
    };
    // What turns or swings is a feature that people name; muting is something that they do.
    if lexicon.properties[property].words.iter().any(|w| w == name) {
        return None;
    }
    let verb = if on { Some(verb) } else { lexicon.verbs[verb].opposite };
    verb.map(Command::Verb)
}

/// The longest beginning of a text that has a sense which `reads` accepts: what it reads as, and the rest.
fn beginning<T>(text: &str, lexicon: &Lexicon, reads: impl Fn(&Sense) -> Option<T>) -> Option<(T, String)> {
    let ends: Vec<usize> = text.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
    ends.into_iter().rev().find_map(|end| {
        let read = lexicon.senses(&text[..end]).iter().find_map(&reads)?;
        Some((read, text[end..].to_owned()))
    })
}

/// The value that a command without an argument sets, as its description says it: `制冷` of `切换到制冷模式`, `打开制冷模式` and
/// `制冷`.
fn command_value(description: &str, lexicon: &Lexicon) -> Option<String> {
    let set = |sense: &Sense| matches!(sense, Sense::Set { .. }).then_some(());
    let switch = |sense: &Sense| (*sense == Sense::Verb(lexicon.verb("on")?)).then_some(());
    let (prefix, value) = match beginning(description, lexicon, set) {
        Some(((), value)) => (true, value),
        None => (false, beginning(description, lexicon, switch).map_or(description.to_owned(), |((), value)| value)),
    };
    let modes = lexicon.property("mode").map(|mode| &lexicon.properties[mode].words);
    let suffix =
        modes.into_iter().flatten().filter(|word| value.ends_with(word.as_str())).max_by_key(|word| word.len());
    let bare = suffix.map_or(&*value, |word| &value[..value.len() - word.len()]);
    let senses = lexicon.senses(bare);
    let only_value = value == description
        && senses.iter().any(|s| matches!(s, Sense::Choice(_)))
        && !senses.iter().any(|s| matches!(s, Sense::Verb(_)));
    (!bare.is_empty() && (prefix || suffix.is_some() || only_value)).then(|| bare.to_owned())
}

/// What a command without an argument moves by a step, and whether up: `增大音量`, `音量减小`.
fn command_step(description: &str, lexicon: &Lexicon) -> Option<(PropertyId, bool)> {
    let step = |sense: &Sense| match sense {
        Sense::Step { up } => Some(*up),
        _ => None,
    };
    if let Some((up, what)) = beginning(description, lexicon, step) {
        return Some((contained(&what, lexicon)?, up));
    }
    let starts: Vec<usize> = description.char_indices().map(|(at, _)| at).skip(1).collect();
    starts.into_iter().find_map(|at| {
        let (what, how) = description.split_at(at);
        let up = lexicon.senses(how).iter().find_map(step)?;
        Some((contained(what, lexicon)?, up))
    })
}

/// What a command without an argument does: what its description says, else the last part of its id.
fn command_verb(id: &str, description: &str, lexicon: &Lexicon) -> Option<VerbId> {
    let described = lexicon
        .verbs
        .iter()
        .enumerate()
        .flat_map(|(id, v)| v.words.iter().chain(&v.describes).map(move |w| (id, w)))
        .filter(|(_, w)| w.chars().count() > 1 && description.contains(w.as_str()))
        // 暂停清扫 pauses.
        .max_by_key(|(_, w)| (w.chars().count(), description.starts_with(w.as_str())))
        .map(|(id, _)| id);
    let by_id = || {
        let tail = id.rsplit(['-', '.', '_', '/']).next().unwrap_or_default().to_lowercase();
        lexicon.verbs.iter().position(|v| v.id == tail || v.ids.contains(&tail))
    };
    described.or_else(by_id)
}
