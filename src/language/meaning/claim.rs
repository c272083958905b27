//! What each property and command of a device is about: a property of the language, or one that only this home has.
//!
//! A home's own words win. `童锁` is a feature of its own although its id says `lock`; `制冷设定温度` is the temperature and may be
//! named so; the second temperature of a refrigerator is a property of its own.

use super::super::lexicon::{KindId, Lexicon, PropertyId, Unit};
use super::commands::{Command, command};
use super::{concept_of_unit, contained, kinds_of_name};
use crate::home::{Choice, Device, Domain, Property};
use crate::text::{SEPARATES, normalize};

/// Property ids that say nothing about what is set.
const GENERIC_IDS: [&str; 5] = ["level", "value", "state", "status", "gear"];

/// What a property or a command of a device is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claim {
    /// The property of the language, or of this home once its words are part of the language.
    pub concept: Option<PropertyId>,
    /// What it would be about if it had no name of its own: the `level` behind `雾量`.
    pub kin: Option<PropertyId>,
    /// What the home calls it, the description first; empty where the language has the same word.
    pub words: Vec<String>,
    /// No property of the language: the first word is its name.
    pub own: bool,
    /// It is true or false.
    pub flag: bool,
}

/// What the document says of one property or command.
struct Declared<'a> {
    id: &'a str,
    describe: &'a str,
    unit: Option<&'a str>,
    domain: &'a Domain,
    writable: bool,
}

/// The claims of a device's properties, then those of its commands, in order.
pub fn claims(device: &Device, kinds: &[KindId], lexicon: &Lexicon) -> (Vec<Claim>, Vec<(Claim, Command)>) {
    // What is set and what is measured may be the same: 目标湿度 and 当前湿度.
    let mut taken: Vec<(PropertyId, bool)> = Vec::new();
    let mut claim = |said: &Declared| {
        let claim = claim(said, device, kinds, &taken, lexicon);
        taken.extend(claim.concept.filter(|_| !claim.own).map(|c| (c, said.writable)));
        claim
    };
    let properties = device.properties.iter().map(|p| {
        claim(&Declared {
            id: &p.id,
            describe: &p.describe,
            unit: p.unit.as_deref(),
            domain: &p.domain,
            writable: p.writable,
        })
    });
    let properties: Vec<Claim> = properties.collect();
    let commands = device.commands.iter().map(|c| {
        let does = command(c, kinds, lexicon);
        let claimed = match &does {
            Command::Feature { name, .. } => {
                claim(&Declared { id: "", describe: name, unit: None, domain: &Domain::Bool, writable: true })
            }
            Command::Argument { name, id } => match &c.argument {
                Some(domain) => {
                    claim(&Declared { id, describe: name, unit: c.unit.as_deref(), domain, writable: true })
                }
                None => Claim::default(),
            },
            Command::Value(value) => {
                let concept = contained(&normalize(&c.description), lexicon);
                Claim { concept, words: vec![value.clone()], ..Claim::default() }
            }
            Command::Step(property, _) => Claim { concept: Some(*property), ..Claim::default() },
            Command::Verb(_) | Command::Nothing => Claim::default(),
        };
        (claimed, does)
    });
    let commands = commands.collect();
    (properties, commands)
}

fn claim(said: &Declared, device: &Device, kinds: &[KindId], taken: &[(PropertyId, bool)], lexicon: &Lexicon) -> Claim {
    let describe = without_kind(normalize(said.describe), kinds, lexicon);
    let flag = *said.domain == Domain::Bool || is_switch(said.domain);
    let describe = if flag { in_full(describe, lexicon) } else { describe };
    // 光照阈值 is set, and is no measure of light.
    let [before, after] = &lexicon.tuned;
    let tuned = before.iter().any(|w| describe.starts_with(w.as_str()) && describe != *w)
        || after.iter().any(|w| describe.ends_with(w.as_str()));
    let sort = |p: &PropertyId| is_sort(said.domain, *p, lexicon);
    let kin = by_id(said.id, lexicon, true).filter(|p| !sort(p));
    let kin = kin.or_else(|| number_of_kind(said.domain, kinds, lexicon)).filter(|_| !tuned);
    if let Some(own) = lexicon.properties.iter().position(|p| p.own && p.id == describe) {
        return Claim { concept: Some(own), kin: kin.filter(|_| !flag), own: true, flag, words: Vec::new() };
    }
    if let Some(plain) = lexicon.properties.iter().position(|p| !p.aim && p.words.contains(&describe)) {
        let kin = lexicon.properties[plain].like;
        return Claim { concept: Some(plain), kin, flag, ..Claim::default() };
    }
    let concept = match (describe.is_empty(), flag) {
        _ if tuned => None,
        (true, _) => unnamed(said, device, kinds, lexicon),
        (false, true) => by_id(said.id, lexicon, false)
            .filter(|p| describes(&describe, *p, lexicon))
            .or_else(|| lexicon.properties.iter().position(|p| p.describes.contains(&describe))),
        // 洗涤水温 is a 水温, whatever its id says of temperatures; 风速模式 is no 模式.
        (false, false) => contained(&describe, lexicon)
            .filter(|p| {
                let ends = |w: &&String| w.chars().count() > 1 && describe.ends_with(w.as_str());
                lexicon.properties[*p].words.iter().any(|w| ends(&w) && !lexicon.feature_suffix.contains(w))
            })
            .or_else(|| by_id(said.id, lexicon, false).filter(|p| !is_sort(said.domain, *p, lexicon)))
            .filter(|p| lexicon.properties[*p].flag == flag)
            .or_else(|| {
                // 下雨暂停 is a number of something, and not whether it rains.
                let number = matches!(said.domain, Domain::Number { .. });
                let fits =
                    |p: &PropertyId| !(is_sort(said.domain, *p, lexicon) || number && lexicon.properties[*p].flag);
                contained(&describe, lexicon).filter(fits)
            })
            .or_else(|| said.unit.and_then(|u| concept_of_unit(u, lexicon))),
    };
    // 沸腾后温度 of what has a 温度 besides.
    let plainly = |c: PropertyId| {
        let named = |p: &Property| lexicon.properties[c].words.contains(&normalize(&p.describe));
        device.properties.iter().any(|p| p.writable == said.writable && named(p))
    };
    let free = concept.is_some_and(|c| !taken.contains(&(c, said.writable)) && (describe.is_empty() || !plainly(c)));
    let like = concept.and_then(|c| lexicon.properties[c].like);
    if describe.is_empty() || (free && concept.is_some_and(|c| lexicon.properties[c].describes.contains(&describe))) {
        return Claim { concept, kin: like, flag, ..Claim::default() };
    }
    let mut words = words_of(&describe, flag, lexicon);
    if shares_name(said, device) {
        // 送风温度 of what has one for each of 送风温度（强劲） and 送风温度（在家） is neither.
        words = whole_names(said.describe).skip(1).chain(words.into_iter().skip(1)).collect();
    }
    // 嘟 of what beeps: a character is a name where the thing stands before it.
    if words.is_empty() && concept.is_none() && describe.chars().all(crate::text::is_han) {
        words.push(describe.clone());
    }
    if words.is_empty() {
        return Claim { concept, kin: like, flag, ..Claim::default() };
    }
    let known = |id: &String| lexicon.properties.iter().position(|p| p.own && p.id == *id);
    // 冷藏温度 of a refrigerator is a temperature, and 冷藏 is said of nothing else.
    let number = said.writable && matches!(said.domain, Domain::Number { .. });
    let qualified = number && words.len() > 1 && concept.is_some() && concept == kin;
    // 左侧档位 of a blanket that has another one on its right.
    let sided = lexicon.sides.iter().flatten().any(|side| describe.starts_with(side.as_str()));
    match free && !qualified && !(sided && number) {
        true => Claim { concept, kin: like, words, flag, ..Claim::default() },
        false => {
            let kin = kin.or(concept.filter(|_| sided)).filter(|_| !flag);
            // 净化（除 PM2.5） is known by its first part.
            Claim { concept: known(&words[0]), kin, words, own: true, flag }
        }
    }
}

/// Whether something else that a device has is described by the same words up to the first mark.
fn shares_name(said: &Declared, device: &Device) -> bool {
    let name = |describe: &str| parts(&normalize(describe)).next().map(str::to_owned);
    let own = name(said.describe);
    let others = device.properties.iter().map(|p| &p.describe).chain(device.commands.iter().map(|c| &c.description));
    let mut others = others.filter(|describe| *describe != said.describe);
    parts(&normalize(said.describe)).nth(1).is_some() && own.is_some() && others.any(|other| name(other) == own)
}

/// 灯 of a fan that has one: the word for any lamp is no name for it.
fn in_full(describe: String, lexicon: &Lexicon) -> String {
    let part = lexicon.kinds.iter().find(|kind| kind.part && kind.words.first() == Some(&describe));
    let longer = part.and_then(|kind| kind.words.iter().find(|word| word.chars().count() > describe.chars().count()));
    longer.cloned().unwrap_or(describe)
}

/// A description without the device that it begins with: `空调模式` of an air conditioner is its 模式.
fn without_kind(describe: String, kinds: &[KindId], lexicon: &Lexicon) -> String {
    let words = kinds.iter().flat_map(|k| lexicon.kinds[*k].words.iter().chain(&lexicon.kinds[*k].specific));
    let rest = words.filter_map(|word| describe.strip_prefix(word.as_str()));
    let mut plain = rest.filter(|rest| lexicon.properties.iter().any(|p| !p.own && p.words.iter().any(|w| w == rest)));
    match plain.next() {
        Some(rest) => rest.to_owned(),
        None => describe,
    }
}

/// On and off as the two values of an enumeration.
fn is_switch(domain: &Domain) -> bool {
    let word = |c: &Choice| c.value.as_str().map(str::to_lowercase).unwrap_or_default();
    matches!(domain, Domain::Enum(list) if list.len() == 2
        && list.iter().all(|c| ["on", "off", "true", "false", "enabled", "disabled"].contains(&word(c).as_str())))
}

/// Whether a domain is of sorts (正常风, 自然风, 睡眠风) where the property counts gears, whatever its id says.
fn is_sort(domain: &Domain, property: PropertyId, lexicon: &Lexicon) -> bool {
    let Domain::Enum(list) = domain else { return false };
    let grades: Vec<_> = ["low", "mid", "high"].iter().filter_map(|id| lexicon.choice(id)).collect();
    let graded = |c: &Choice| {
        let value = c.value.as_str().map(str::to_lowercase).unwrap_or_default();
        let describe = normalize(&c.describe);
        let number = c.value.is_number() || value.chars().chain(describe.chars()).any(|c| c.is_ascii_digit());
        let of = |grade: usize| {
            let choice = &lexicon.choices[grade];
            choice.ids.contains(&value) || choice.words.contains(&describe)
        };
        number || grades.iter().any(|grade| of(*grade))
    };
    // One of them may be called like a grade: 正常风.
    lexicon.properties[property].counts == Some(Unit::Gear) && list.iter().filter(|c| graded(c)).count() < 2
}

/// The property that an id names. `generic`: also one that says nothing about what is set.
fn by_id(id: &str, lexicon: &Lexicon, generic: bool) -> Option<PropertyId> {
    let id = id.to_lowercase();
    let tail = id.rsplit(['.', '/', '-']).next().unwrap_or(&id);
    if GENERIC_IDS.contains(&tail) && !generic {
        return None;
    }
    let exact = lexicon.properties.iter().position(|p| p.ids.iter().any(|i| i == tail));
    let part = || {
        let tokens: Vec<&str> = tail.split(['_', '-']).collect();
        lexicon.properties.iter().position(|p| p.ids.iter().any(|i| i.len() > 2 && tokens.contains(&i.as_str())))
    };
    exact.or_else(part)
}

/// Whether a description may be one of a property: it holds one of its words.
fn describes(describe: &str, property: PropertyId, lexicon: &Lexicon) -> bool {
    let property = &lexicon.properties[property];
    let holds = |w: &&String| w.chars().count() > 1 && describe.contains(w.as_str());
    property.words.iter().chain(&property.describes).any(|w| holds(&w))
        || property.describes.contains(&describe.to_owned())
}

/// What a property without a description is about.
fn unnamed(said: &Declared, device: &Device, kinds: &[KindId], lexicon: &Lexicon) -> Option<PropertyId> {
    by_id(said.id, lexicon, false).or_else(|| {
        let number = number_of_kind(said.domain, kinds, lexicon);
        let by_unit = || said.unit.and_then(|u| concept_of_unit(u, lexicon));
        let by_device = || contained(&normalize(&device.describe), lexicon);
        match said.domain {
            Domain::Number { .. } => number.or_else(by_unit).or_else(by_device),
            _ => by_id(said.id, lexicon, true),
        }
    })
}

/// What a bare number means for a kind of device.
fn number_of_kind(domain: &Domain, kinds: &[KindId], lexicon: &Lexicon) -> Option<PropertyId> {
    let number = matches!(domain, Domain::Number { .. });
    kinds.iter().find_map(|k| lexicon.kinds[*k].number).filter(|_| number)
}

/// What a description is made of: a name, and what is said of it (`色温，越小越暖`).
pub fn parts(describe: &str) -> impl Iterator<Item = &str> {
    describe.split(|c| SEPARATES.contains(c)).map(str::trim).filter(|part| !part.is_empty())
}

/// A description as a name, as it is written and as it is said: nobody speaks the marks of `自动开/关` and `送风温度（强劲）`.
pub fn whole_names(describe: &str) -> impl Iterator<Item = String> {
    let written = normalize(describe);
    let said: String = written.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace()).collect();
    let said = Some(said).filter(|said| *said != written && !said.is_empty());
    std::iter::once(written).chain(said)
}

/// The Chinese part of a name of two parts: 节能 of ECO节能.
pub fn han_name(name: &str) -> Option<String> {
    let at = name.find(|c: char| !c.is_ascii()).filter(|at| *at > 1)?;
    let (latin, han) = name.split_at(at);
    let letters = latin.starts_with(|c: char| c.is_ascii_alphabetic());
    (letters && han.chars().count() > 1 && han.chars().all(crate::text::is_han)).then(|| han.to_owned())
}

/// As many characters as a description that is a name may have.
const MAX_SPOKEN: usize = 12;

/// How long a name is for whoever says it: a Latin word takes as long as three characters at most.
fn spoken(name: &str) -> usize {
    let mut letters = 0;
    name.chars()
        .filter(|c| {
            letters = if c.is_ascii_alphabetic() { letters + 1 } else { 0 };
            letters <= 3
        })
        .count()
}

/// The words of a description: its parts (`净化（除 PM2.5）`, `ECO 节能`), and what is left of it without the word for what
/// every feature is (`睡眠功能`).
fn words_of(describe: &str, flag: bool, lexicon: &Lexicon) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut add = |word: &str| {
        if (2..=MAX_SPOKEN).contains(&spoken(word)) && !words.iter().any(|w| w == word) {
            words.push(word.to_owned());
        }
    };
    let parts: Vec<&str> = parts(describe).collect();
    let Some(first) = parts.first() else { return words };
    add(first);
    let free = |word: &str| lexicon.senses(word).is_empty();
    let suffixes = if flag { &lexicon.feature_suffix } else { &lexicon.quantity_suffix };
    // 冷藏室温度 is said as 冷藏室, and as 冷藏.
    let mut stems: Vec<&str> = suffixes.iter().filter_map(|s| first.strip_suffix(s.as_str())).collect();
    stems.sort_by_key(|stem| stem.len());
    for stem in stems.into_iter().filter(|stem| free(stem)) {
        add(stem);
    }
    // 制冷设定温度 is said as 制冷温度.
    for infix in &lexicon.quantity_infix {
        let said = first.replacen(infix.as_str(), "", 1);
        if said != *first && !first.starts_with(infix.as_str()) && !first.ends_with(infix.as_str()) && free(&said) {
            add(&said);
        }
    }
    // 屏幕灯 of what the home calls 屏显.
    for group in lexicon.same.iter().filter(|group| group.iter().any(|word| word == first)) {
        for word in group.iter().filter(|word| free(word)) {
            add(word);
        }
    }
    // ECO节能: a Latin word and a Chinese one are two names of the same.
    let han = first.find(|c: char| !c.is_ascii()).filter(|at| *at > 1);
    if let Some((latin, han)) = han.map(|at| first.split_at(at)).filter(|_| flag) {
        for word in [latin.trim(), han] {
            if free(word) {
                add(word);
            }
        }
    }
    for part in &parts[1..] {
        if free(part) {
            add(part);
        }
    }
    // 自动开/关 is said as 自动开关.
    if describe.contains('/') {
        whole_names(describe).skip(1).filter(|said| free(said)).for_each(|said| add(&said));
    }
    words
}

/// The kind of thing that a feature is called after: the lamp in a hood.
pub fn kind_of_feature(word: &str, lexicon: &Lexicon) -> Option<KindId> {
    kinds_of_name(word, lexicon).into_iter().find(|k| lexicon.kinds[*k].part)
}
