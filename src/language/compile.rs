//! Compiles the data file of the language into a [`Lexicon`]: raw, checked, then a table from words to senses.

mod ids;
mod raw;
mod table;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::lexicon::{
    Answers, Asides, AskedWords, Called, Ceases, Choice, Felt, HowLong, Lexicon, Pressing, Restores, RoomClass,
    SituationTexts, Unit,
};
use super::ordinary::Ordinary;
use super::protocol::ProtocolWords;
use super::time::TimeWords;
use crate::embedding::documents::Clusters;
use crate::embedding::words::Words as Meanings;
use crate::text::normalize;
use crate::zh::{self, DataError, Fault, Problem, Sources, Texts};
use ids::Ids;
use raw::{Groups, RawLexicon, Words};
use table::{Table, fill_entries, fill_groups};

/// A path and what is wrong there, until the file is known.
type Wrong = (String, Problem);

/// Reads, checks and compiles the data of the language. Files that do not need each other are all looked at: each names what
/// is wrong in it.
pub(super) fn compile(sources: &Sources) -> Result<Lexicon, DataError> {
    let mut faults = Vec::new();
    let lexicon = taken(lexicon(sources), &mut faults);
    let time = taken(TimeWords::of(sources), &mut faults);
    let texts = taken(Texts::of(sources), &mut faults);
    let ordinary = taken(Ordinary::of(sources), &mut faults);
    let protocol = taken(ProtocolWords::of(sources), &mut faults);
    let meanings = taken(Meanings::of(sources), &mut faults);
    let capabilities = taken(Clusters::of(sources), &mut faults);
    let all = || {
        let (time, texts, ordinary, protocol) = (time.map(Arc::new)?, texts.map(Arc::new)?, ordinary?, protocol?);
        let (meanings, capabilities, ordinary, protocol) =
            (meanings?, capabilities?, Arc::new(ordinary), Arc::new(protocol));
        Some(Lexicon { time, texts, ordinary, protocol, meanings, capabilities, ..lexicon? })
    };
    all().ok_or(DataError(faults))
}

/// What was read, or nothing and what is wrong with it beside what is wrong elsewhere.
fn taken<T>(read: Result<T, DataError>, faults: &mut Vec<Fault>) -> Option<T> {
    read.map_err(|DataError(wrong)| faults.extend(wrong)).ok()
}

/// The lexicon with what its kinds are for.
fn lexicon(sources: &Sources) -> Result<Lexicon, DataError> {
    let data = sources.data(&zh::LEXICON)?;
    let mut lexicon = words(data.read()?).map_err(|(path, problem)| data.fault(&path, problem))?;
    let purposes = sources.data(&zh::PURPOSES)?;
    for (id, texts) in purposes.read::<zh::Entries<Words>>()?.0 {
        let kind = lexicon.kinds.iter_mut().find(|kind| kind.id == id);
        let kind = kind.ok_or_else(|| purposes.fault(&id, Problem::Unknown { what: "kind", id: id.clone() }))?;
        if kind.risky {
            return Err(purposes.fault(&id, Problem::Refused("what is risky is not found by what it is for")));
        }
        kind.purposes = texts;
    }
    Ok(lexicon)
}

/// The lexicon alone.
fn words(raw: RawLexicon) -> Result<Lexicon, Wrong> {
    if raw.version != 1 {
        return Err(("version".into(), Problem::Version(raw.version)));
    }
    let (kinds, properties, choices, verbs) = (&raw.kinds.0, &raw.properties.0, &raw.choices.0, &raw.verbs.0);
    let ids = Ids { kinds: index(kinds), properties: index(properties), choices: index(choices), verbs: index(verbs) };
    ids.has_all()?;
    acyclic("kinds", kinds.iter().map(|(id, k)| (id, k.covers.iter().collect())))?;
    acyclic("properties", properties.iter().map(|(id, p)| (id, p.covers.iter().chain(&p.like).collect())))?;
    let group = |section: &str, groups: &Groups, group: &str| found(section, groups, group);

    let mut lexicon = Lexicon {
        kinds: kinds.iter().map(|(id, k)| ids.kind_entry(id, k)).collect::<Result<_, _>>()?,
        properties: properties.iter().map(|(id, p)| ids.property_entry(id, p)).collect::<Result<_, _>>()?,
        choices: choices
            .iter()
            .map(|(id, c)| Choice { id: id.clone(), words: normal(&c.words), ids: normal(&c.ids) })
            .collect(),
        verbs: verbs.iter().map(|(id, v)| ids.verb_entry(id, v)).collect::<Result<_, _>>()?,
        rooms: raw
            .rooms
            .0
            .iter()
            .map(|(_, r)| RoomClass {
                words: normal(&r.words),
                specific: normal(&r.specific),
                outside: r.outside,
                private: r.private,
                whole: r.whole,
            })
            .collect(),
        time: Arc::default(),
        texts: Arc::default(),
        ordinary: Arc::default(),
        protocol: Arc::default(),
        meanings: Arc::default(),
        capabilities: Arc::default(),
        kelvin: raw.kelvin.iter().map(|(k, words)| (*k, normal(words))).collect(),
        units: raw.units.iter().map(|(id, words)| Ok((unit(id)?, normal(words)))).collect::<Result<_, Wrong>>()?,
        quantity_suffix: normal(&raw.quantity_suffix),
        pointers: normal(&raw.pointers),
        undo: normal(&raw.undo),
        restores: Restores {
            by: group("restores", &raw.restores, "by")?,
            to: group("restores", &raw.restores, "to")?,
            when: group("restores", &raw.restores, "when")?,
            what: group("restores", &raw.restores, "what")?,
        },
        measures: normal(&raw.measures),
        marks: raw.marks.clone(),
        interjections: normal(&raw.interjections),
        so: normal(&raw.so),
        lest: normal(&raw.lest),
        through: normal(&raw.through),
        how_long: HowLong {
            asked: group("how_long", &raw.how_long, "asked")?,
            left: group("how_long", &raw.how_long, "left")?,
        },
        asked: AskedWords {
            arrived: group("asked", &raw.asked, "arrived")?,
            due: group("asked", &raw.asked, "due")?,
            left: group("asked", &raw.asked, "left")?,
            done: group("asked", &raw.asked, "done")?,
            full: group("asked", &raw.asked, "full")?,
            warm: group("asked", &raw.asked, "warm")?,
            much: group("asked", &raw.asked, "much")?.into_iter().next().unwrap_or_default(),
        },
        attributed: normal(&raw.attributed),
        asides: asides(&raw.asides)?,
        device_suffix: normal(&raw.device_suffix),
        pronouns: normal(&raw.pronouns),
        left_out: [group("left_out", &raw.left_out, "before")?, group("left_out", &raw.left_out, "after")?],
        tuned: [group("tuned", &raw.tuned, "before")?, group("tuned", &raw.tuned, "after")?],
        kept: normal(&raw.kept),
        leaves: ["by", "none"].map(|group| raw.leaves.get(group).map(|words| normal(words)).unwrap_or_default()),
        ceases: ceases(&raw.ceases)?,
        therefore: normal(&raw.therefore),
        topics: normal(&raw.topics),
        quantity_ending: normal(&raw.quantity_ending),
        quantity_infix: normal(&raw.quantity_infix),
        lifted: normal(&raw.lifted),
        between: normal(&raw.between),
        ends: raw.ends.values().map(|words| normal(words)).collect(),
        tasks: raw.tasks.clone(),
        pressing: pressing(&raw.pressing)?,
        by_part: raw.by_part.clone(),
        turned: raw.turned.clone(),
        alike: raw.alike.iter().map(|group| normal(group)).collect(),
        doings: raw.doings.iter().map(|group| normal(group)).collect(),
        same: raw.same.iter().map(|group| normal(group)).collect(),
        addressees: normal(&raw.addressees),
        complement: normal(&raw.complement),
        day: normal(&raw.day),
        quotes: normal(&raw.quotes),
        feature_suffix: normal(&raw.feature_suffix),
        command_suffix: normal(&raw.command_suffix),
        switched: [group("switched", &raw.switched, "off")?, group("switched", &raw.switched, "on")?],
        misheard: normal(&raw.misheard),
        little: group("degree", &raw.degree, "small")?,
        sides: [group("sides", &raw.sides, "left")?, group("sides", &raw.sides, "right")?],
        home: normal(&raw.home),
        any_room: normal(&raw.any_room),
        scene_words: normal(&raw.scene_words),
        floor_suffix: normal(&raw.floors.suffix),
        felt: Felt { before: group("felt", &raw.felt, "before")?, after: group("felt", &raw.felt, "after")? },
        wants: normal(&raw.wants),
        modals: normal(&raw.modals),
        situations: raw.situations.0.iter().map(|(id, s)| ids.situation(id, s)).collect::<Result<_, _>>()?,
        answers: answers(&raw.answers)?,
        called: Called::default(),
        situation_texts: SituationTexts::default(),
        senses: HashMap::new(),
        sounds: HashMap::new(),
        longest: HashMap::new(),
    };
    let mut table = Table::default();
    fill_entries(&mut table, &lexicon, verbs);
    fill_groups(&mut table, &raw)?;
    lexicon.sounds = table.sounds();
    lexicon.senses = table.senses;
    lexicon.called = Called::of(&lexicon.properties);
    lexicon.situation_texts = SituationTexts::of(&lexicon.situations, |text| lexicon.without_particles(text));
    Ok(lexicon.measured())
}

fn index<T>(entries: &[(String, T)]) -> HashMap<String, usize> {
    entries.iter().enumerate().map(|(i, (id, _))| (id.clone(), i)).collect()
}

fn normal(words: &[String]) -> Words {
    words.iter().map(|w| normalize(w)).collect()
}

fn unknown(path: impl Into<String>, what: &'static str, id: &str) -> Wrong {
    (path.into(), Problem::Unknown { what, id: id.to_owned() })
}

/// The words of a group that code asks for.
fn found(section: &str, groups: &Groups, group: &str) -> Result<Words, Wrong> {
    let missing = || (section.to_owned(), Problem::Missing { what: "group", id: group.to_owned() });
    groups.get(group).map(|words| normal(words)).ok_or_else(missing)
}

/// Refuses entries that lead back to themselves by what they point to.
fn acyclic<'a>(section: &str, entries: impl Iterator<Item = (&'a String, Vec<&'a String>)>) -> Result<(), Wrong> {
    let arrows: BTreeMap<&String, Vec<&String>> = entries.collect();
    for (start, ahead) in &arrows {
        let (mut seen, mut ahead) = (HashSet::new(), ahead.clone());
        while let Some(next) = ahead.pop() {
            if next == *start {
                return Err((format!("{section}.{start}"), Problem::Cycle((*start).clone())));
            }
            if seen.insert(next) {
                ahead.extend(arrows.get(next).into_iter().flatten());
            }
        }
    }
    Ok(())
}

fn unit(id: &str) -> Result<Unit, Wrong> {
    Ok(match id {
        "C" => Unit::Celsius,
        "K" => Unit::Kelvin,
        "%" => Unit::Percent,
        "gear" => Unit::Gear,
        "channel" => Unit::Channel,
        "lx" => Unit::Lux,
        "minute" => Unit::Minute,
        "hour" => Unit::Hour,
        "second" => Unit::Second,
        "portion" => Unit::Portion,
        other => return Err(unknown("units", "unit", other)),
    })
}

fn answers(groups: &Groups) -> Result<Answers, Wrong> {
    let mut answers = Answers::default();
    for (id, words) in groups {
        let list = match id.as_str() {
            "yes" => &mut answers.yes,
            "no" => &mut answers.no,
            "all" => &mut answers.all,
            "any" => &mut answers.any,
            "last" => &mut answers.last,
            "first" => &mut answers.first,
            other => return Err(unknown("answers", "answer", other)),
        };
        *list = normal(words);
    }
    Ok(answers)
}

fn asides(raw: &Groups) -> Result<Asides, Wrong> {
    let words = |group: &str| found("asides", raw, group);
    Ok(Asides {
        goes: words("goes")?,
        hurry: words("hurry")?,
        unwilling: words("unwilling")?,
        told_of: words("told_of")?,
        leads_on: words("leads_on")?,
        turns_out: words("turns_out")?,
        therefore: words("therefore")?,
        nonetheless: words("nonetheless")?,
        back_then: words("back_then")?,
        fine: words("fine")?,
        taken_back: words("taken_back")?,
        quoted: words("quoted")?,
        cannot: words("cannot")?,
        sung: words("sung")?,
        awaits: words("awaits")?,
        moments: words("moments")?,
        reaches: words("reaches")?,
        judges: words("judges")?,
        contents: words("contents")?,
        happens: words("happens")?,
        thanks: words("thanks")?,
        warms: words("warms")?,
        begins: words("begins")?,
        lately: words("lately")?,
        passes: words("passes")?,
        enough: words("enough")?,
        hushes: words("hushes")?,
        stops: words("stops")?,
        theirs: words("theirs")?,
        belongings: words("belongings")?,
        business: words("business")?,
        crowd: words("crowd")?,
        calls: words("calls")?,
        plays: words("plays")?,
        protests: words("protests")?,
        darkens: words("darkens")?,
        glares: words("glares")?,
        stuffs: words("stuffs")?,
        works: words("works")?,
        recites: words("recites")?,
        gives_up: words("gives_up")?,
        elsewhere: words("elsewhere")?,
        towns: words("towns")?,
        matters: words("matters")?,
    })
}

fn pressing(raw: &Groups) -> Result<Pressing, Wrong> {
    let words = |group: &str| found("pressing", raw, group);
    Ok(Pressing {
        before: words("before")?,
        overly: words("overly")?,
        harder: words("harder")?,
        softer: words("softer")?,
        tighter: words("tighter")?,
        looser: words("looser")?,
        after: words("after")?,
    })
}

fn ceases(raw: &Groups) -> Result<Ceases, Wrong> {
    let words = |group: &str| found("ceases", raw, group);
    Ok(Ceases {
        not: words("not")?,
        let_it: words("let")?,
        feature: words("feature")?,
        ends: words("ends")?,
        over: words("over")?,
        enjoyed: words("enjoyed")?,
        far_enough: words("far_enough")?,
        against: words("against")?,
    })
}

#[cfg(test)]
mod tests;
