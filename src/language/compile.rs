//! Compiles the data file of the language into a [`Lexicon`]: raw, checked, then a table from words to senses.

mod raw;
mod table;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::command::Type;
use super::lexicon::{
    Answers, Asides, Called, Ceases, Choice, Effect, Extreme, Felt, HowLong, Kind, Lexicon, PropertyWord, RELIED,
    RoomClass, Situation, SituationTexts, Unit, Verb, Wish,
};
use super::ordinary::Ordinary;
use super::time::TimeWords;
use crate::embedding::documents::Clusters;
use crate::embedding::words::Words as Meanings;
use crate::text::normalize;
use crate::zh::{self, DataError, Problem, Sources};
use raw::{Groups, RawKind, RawLexicon, RawProperty, RawSituation, RawVerb, RawWish, Words};
use table::{Table, fill_entries, fill_groups};

/// A path and what is wrong there, until the file is known.
type Wrong = (String, Problem);

/// Reads, checks and compiles the data of the language.
pub(super) fn compile(sources: &Sources) -> Result<Lexicon, DataError> {
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
    lexicon.time = Arc::new(TimeWords::of(sources)?);
    lexicon.ordinary = Arc::new(Ordinary::of(sources)?);
    lexicon.meanings = Meanings::of(sources)?;
    lexicon.capabilities = Clusters::of(sources)?;
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
                whole: r.whole,
            })
            .collect(),
        time: Arc::default(),
        ordinary: Arc::default(),
        meanings: Arc::default(),
        capabilities: Arc::default(),
        kelvin: raw.kelvin.iter().map(|(k, words)| (*k, normal(words))).collect(),
        units: raw.units.iter().map(|(id, words)| Ok((unit(id)?, normal(words)))).collect::<Result<_, Wrong>>()?,
        quantity_suffix: normal(&raw.quantity_suffix),
        pointers: normal(&raw.pointers),
        measures: normal(&raw.measures),
        marks: raw.marks.clone(),
        interjections: normal(&raw.interjections),
        so: normal(&raw.so),
        through: normal(&raw.through),
        how_long: HowLong {
            asked: group("how_long", &raw.how_long, "asked")?,
            left: group("how_long", &raw.how_long, "left")?,
        },
        attributed: normal(&raw.attributed),
        asides: asides(&raw.asides)?,
        device_suffix: normal(&raw.device_suffix),
        pronouns: normal(&raw.pronouns),
        left_out: [group("left_out", &raw.left_out, "before")?, group("left_out", &raw.left_out, "after")?],
        tuned: [group("tuned", &raw.tuned, "before")?, group("tuned", &raw.tuned, "after")?],
        kept: normal(&raw.kept),
        leaves: ["by", "none"].map(|group| raw.leaves.get(group).map(|words| normal(words)).unwrap_or_default()),
        ceases: Ceases {
            not: group("ceases", &raw.ceases, "not")?,
            let_it: group("ceases", &raw.ceases, "let")?,
            feature: group("ceases", &raw.ceases, "feature")?,
            ends: group("ceases", &raw.ceases, "ends")?,
        },
        therefore: normal(&raw.therefore),
        topics: normal(&raw.topics),
        quantity_ending: normal(&raw.quantity_ending),
        quantity_infix: normal(&raw.quantity_infix),
        lifted: normal(&raw.lifted),
        between: normal(&raw.between),
        ends: raw.ends.values().map(|words| normal(words)).collect(),
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

/// Ids of the file, to check what entries point to.
struct Ids {
    kinds: HashMap<String, usize>,
    properties: HashMap<String, usize>,
    choices: HashMap<String, usize>,
    verbs: HashMap<String, usize>,
}

impl Ids {
    fn find(map: &HashMap<String, usize>, path: &str, what: &'static str, id: &str) -> Result<usize, Wrong> {
        map.get(id).copied().ok_or_else(|| unknown(path, what, id))
    }

    /// Whether all is there that code asks for by its id.
    fn has_all(&self) -> Result<(), Wrong> {
        let sections = [
            ("kinds", "kind", &self.kinds, RELIED.kinds),
            ("properties", "property", &self.properties, RELIED.properties),
            ("choices", "choice", &self.choices, RELIED.choices),
            ("verbs", "verb", &self.verbs, RELIED.verbs),
        ];
        for (section, what, known, relied) in sections {
            if let Some(id) = relied.iter().find(|id| !known.contains_key(**id)) {
                return Err((section.to_owned(), Problem::Missing { what, id: (*id).to_owned() }));
            }
        }
        Ok(())
    }

    fn kind_entry(&self, id: &str, raw: &RawKind) -> Result<Kind, Wrong> {
        let path = format!("kinds.{id}");
        Ok(Kind {
            id: id.to_owned(),
            kind: Type::from_name(&raw.r#type).ok_or_else(|| unknown(format!("{path}.type"), "type", &raw.r#type))?,
            words: normal(&raw.words),
            specific: normal(&raw.specific),
            hints: normal(&raw.hints),
            number: raw
                .number
                .as_ref()
                .map(|p| Self::find(&self.properties, &format!("{path}.number"), "property", p))
                .transpose()?,
            collective: raw.collective,
            covers: raw
                .covers
                .iter()
                .map(|k| Self::find(&self.kinds, &format!("{path}.covers"), "kind", k))
                .collect::<Result<_, _>>()?,
            mobile: raw.mobile,
            sensor: raw.sensor,
            carrier: raw.carrier,
            risky: raw.risk == Some(crate::home::Risk::High),
            part: raw.part,
            takes: raw.takes,
            inverse: normal(&raw.inverse),
            goes: normal(&raw.goes),
            task: raw.task,
            cooks: raw.cooks,
            purposes: Vec::new(),
        })
    }

    fn property_entry(&self, id: &str, raw: &RawProperty) -> Result<PropertyWord, Wrong> {
        let path = format!("properties.{id}");
        Ok(PropertyWord {
            id: id.to_owned(),
            words: normal(&raw.words),
            ids: raw.ids.iter().map(|i| i.to_lowercase()).collect(),
            absent: normal(&raw.absent),
            up: normal(&raw.up),
            down: normal(&raw.down),
            units: normal(&raw.units),
            kinds: raw
                .kinds
                .iter()
                .map(|k| Self::find(&self.kinds, &format!("{path}.kinds"), "kind", k))
                .collect::<Result<_, _>>()?,
            step: raw.step,
            floor: raw.floor,
            own: false,
            flag: raw.flag,
            describes: normal(&raw.describes),
            covers: raw
                .covers
                .iter()
                .map(|p| Self::find(&self.properties, &format!("{path}.covers"), "property", p))
                .collect::<Result<_, _>>()?,
            kind: None,
            like: raw
                .like
                .as_ref()
                .map(|p| Self::find(&self.properties, &format!("{path}.like"), "property", p))
                .transpose()?,
            aim: raw.aim,
            counts: raw.counts.as_deref().map(unit).transpose()?,
            implied: raw.implied.clone(),
        })
    }

    fn verb_entry(&self, id: &str, raw: &RawVerb) -> Result<Verb, Wrong> {
        let path = format!("verbs.{id}");
        Ok(Verb {
            id: id.to_owned(),
            words: normal(&raw.words),
            does: raw.does.iter().map(|e| self.effect(&format!("{path}.does"), e)).collect::<Result<_, _>>()?,
            opposite: raw
                .opposite
                .as_ref()
                .map(|v| Self::find(&self.verbs, &format!("{path}.opposite"), "verb", v))
                .transpose()?,
            safe: raw.safe,
            state: normal(&raw.state),
            describes: normal(&raw.describes),
            ids: raw.ids.iter().map(|i| i.to_lowercase()).collect(),
            told: raw
                .told
                .clone()
                .unwrap_or_else(|| raw.words.first().map_or_else(String::new, |w| format!("{w}{{what}}"))),
            rest: raw.rest.clone(),
            switches: raw.switches,
            mobile: raw.mobile,
        })
    }

    fn effect(&self, path: &str, text: &str) -> Result<Effect, Wrong> {
        if let Some(choice) = text.strip_prefix("choice:") {
            return Ok(Effect::Choice(Self::find(&self.choices, path, "choice", choice)?));
        }
        let (property, value) = text.split_once('=').ok_or_else(|| unknown(path.to_owned(), "effect", text))?;
        let property = Self::find(&self.properties, path, "property", property)?;
        match value {
            "true" => Ok(Effect::Flag(property, true)),
            "false" => Ok(Effect::Flag(property, false)),
            "max" => Ok(Effect::End(property, Extreme::Max)),
            "min" => Ok(Effect::End(property, Extreme::Min)),
            "up" => Ok(Effect::Nudge(property, true)),
            "down" => Ok(Effect::Nudge(property, false)),
            _ => Err(unknown(path.to_owned(), "effect", text)),
        }
    }

    fn situation(&self, id: &str, raw: &RawSituation) -> Result<Situation, Wrong> {
        let path = format!("situations.{id}.wish");
        let verb = |v: &String| Self::find(&self.verbs, &path, "verb", v);
        let wish = |w: &RawWish| -> Result<Wish, Wrong> {
            let named = w.property.as_ref().map(|p| (p, w.up.unwrap_or(true)));
            let step = named.or(w.then.as_ref().map(|t| (&t.property, t.up)));
            Ok(Wish {
                kind: Self::find(&self.kinds, &path, "kind", &w.kind)?,
                verb: w.verb.as_ref().map(verb).transpose()?,
                only: w.only.as_ref().map(verb).transpose()?,
                step: step
                    .map(|(p, up)| Ok::<_, Wrong>((Self::find(&self.properties, &path, "property", p)?, up)))
                    .transpose()?,
                whole_home: w.r#where.as_deref() == Some("home"),
            })
        };
        Ok(Situation {
            id: id.to_owned(),
            texts: normal(&raw.texts),
            begins: normal(&raw.begins),
            feels: normal(&raw.feels),
            scene: normal(&raw.scene),
            wishes: raw.wish.iter().map(wish).collect::<Result<_, _>>()?,
        })
    }
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
        therefore: words("therefore")?,
        fine: words("fine")?,
        taken_back: words("taken_back")?,
        quoted: words("quoted")?,
        cannot: words("cannot")?,
        sung: words("sung")?,
        awaits: words("awaits")?,
        gives_up: words("gives_up")?,
    })
}

#[cfg(test)]
mod tests;
