//! Compiles the data file of the language into a [`Lexicon`]: raw, checked, then a table from words to senses.

mod raw;
mod table;

use std::collections::HashMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::command::Type;
use super::lexicon::{
    Answers, Asides, Choice, Effect, Extreme, Felt, Kind, Lexicon, LexiconError, PropertyWord, RoomClass, Situation,
    Unit, Verb, Wish,
};
use super::time::TimeWords;
use crate::text::normalize;
use raw::{Groups, RawChoice, RawKind, RawLexicon, RawProperty, RawRoom, RawSituation, RawVerb, RawWish, Words};
use table::{Table, fill_entries, fill_groups};

/// Reads, checks and compiles a data file.
pub(super) fn compile(text: &str) -> Result<Lexicon, LexiconError> {
    let raw: RawLexicon = serde_yaml::from_str(text)?;
    if raw.version != 1 {
        return Err(LexiconError::Version(raw.version));
    }
    if let Some(duty) = raw.marks.missing() {
        return Err(LexiconError::Empty(format!("marks.{duty}")));
    }
    let kinds: Vec<(String, RawKind)> = entries(&raw.kinds)?;
    let properties: Vec<(String, RawProperty)> = entries(&raw.properties)?;
    let choices: Vec<(String, RawChoice)> = entries(&raw.choices)?;
    let verbs: Vec<(String, RawVerb)> = entries(&raw.verbs)?;
    let rooms: Vec<(String, RawRoom)> = entries(&raw.rooms)?;
    let situations: Vec<(String, RawSituation)> = entries(&raw.situations)?;
    let fractions: Vec<(String, Words)> = entries(&raw.fractions)?;
    let ids =
        Ids { kinds: index(&kinds), properties: index(&properties), choices: index(&choices), verbs: index(&verbs) };

    let mut lexicon = Lexicon {
        kinds: kinds.iter().map(|(id, k)| ids.kind_entry(id, k)).collect::<Result<_, _>>()?,
        properties: properties.iter().map(|(id, p)| ids.property_entry(id, p)).collect::<Result<_, _>>()?,
        choices: choices
            .into_iter()
            .map(|(id, c)| Choice { id, words: normal(&c.words), ids: normal(&c.ids) })
            .collect(),
        verbs: verbs.iter().map(|(id, v)| ids.verb_entry(id, v)).collect::<Result<_, _>>()?,
        rooms: rooms
            .into_iter()
            .map(|(_, r)| RoomClass {
                words: normal(&r.words),
                specific: normal(&r.specific),
                outside: r.outside,
                whole: r.whole,
            })
            .collect(),
        time: Arc::new(TimeWords::built_in()?),
        kelvin: raw.kelvin.iter().map(|(k, words)| (*k, normal(words))).collect(),
        units: raw
            .units
            .iter()
            .map(|(id, words)| Ok((unit(id)?, normal(words))))
            .collect::<Result<_, LexiconError>>()?,
        quantity_suffix: normal(&raw.quantity_suffix),
        pointers: normal(&raw.pointers),
        measures: normal(&raw.measures),
        marks: raw.marks.clone(),
        interjections: normal(&raw.interjections),
        so: normal(&raw.so),
        through: normal(&raw.through),
        attributed: normal(&raw.attributed),
        asides: asides(&raw.asides),
        device_suffix: normal(&raw.device_suffix),
        pronouns: normal(&raw.pronouns),
        left_out: ["before", "after"]
            .map(|group| raw.left_out.get(group).map(|words| normal(words)).unwrap_or_default()),
        tuned: ["before", "after"].map(|group| raw.tuned.get(group).map(|words| normal(words)).unwrap_or_default()),
        kept: normal(&raw.kept),
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
        switched: ["off", "on"].map(|way| raw.switched.get(way).map(|w| normal(w)).unwrap_or_default()),
        misheard: normal(&raw.misheard),
        little: raw.degree.get("small").map(|words| normal(words)).unwrap_or_default(),
        sides: ["left", "right"].map(|side| raw.sides.get(side).map(|w| normal(w)).unwrap_or_default()),
        home: normal(&raw.home),
        any_room: normal(&raw.any_room),
        scene_words: normal(&raw.scene_words),
        floor_suffix: normal(&raw.floors.suffix),
        felt: felt(&raw.felt),
        wants: normal(&raw.wants),
        modals: normal(&raw.modals),
        situations: situations.iter().map(|(id, s)| ids.situation(id, s)).collect::<Result<_, _>>()?,
        answers: answers(&raw.answers)?,
        senses: HashMap::new(),
        sounds: HashMap::new(),
    };
    let mut table = Table::default();
    fill_entries(&mut table, &lexicon, &verbs);
    fill_groups(&mut table, &raw, &fractions)?;
    lexicon.sounds = table.sounds();
    lexicon.senses = table.senses;
    Ok(lexicon)
}

/// The entries of a mapping in the order of the file.
fn entries<T: DeserializeOwned>(mapping: &serde_yaml::Mapping) -> Result<Vec<(String, T)>, LexiconError> {
    mapping
        .iter()
        .map(|(key, value)| {
            let key = match key {
                serde_yaml::Value::String(key) => key.clone(),
                other => serde_yaml::to_string(other)?.trim().to_owned(),
            };
            Ok((key, serde_yaml::from_value(value.clone())?))
        })
        .collect()
}

fn index<T>(entries: &[(String, T)]) -> HashMap<String, usize> {
    entries.iter().enumerate().map(|(i, (id, _))| (id.clone(), i)).collect()
}

fn normal(words: &[String]) -> Words {
    words.iter().map(|w| normalize(w)).collect()
}

fn unknown(path: String, what: &'static str, id: &str) -> LexiconError {
    LexiconError::Unknown { path, what, id: id.to_owned() }
}

/// Ids of the file, to check what entries point to.
struct Ids {
    kinds: HashMap<String, usize>,
    properties: HashMap<String, usize>,
    choices: HashMap<String, usize>,
    verbs: HashMap<String, usize>,
}

impl Ids {
    fn find(map: &HashMap<String, usize>, path: &str, what: &'static str, id: &str) -> Result<usize, LexiconError> {
        map.get(id).copied().ok_or_else(|| unknown(path.to_owned(), what, id))
    }

    fn kind_entry(&self, id: &str, raw: &RawKind) -> Result<Kind, LexiconError> {
        let path = format!("kinds.{id}");
        Ok(Kind {
            id: id.to_owned(),
            kind: Type::from_name(&raw.r#type).ok_or_else(|| unknown(path.clone(), "type", &raw.r#type))?,
            words: normal(&raw.words),
            specific: normal(&raw.specific),
            hints: normal(&raw.hints),
            number: raw.number.as_ref().map(|p| Self::find(&self.properties, &path, "property", p)).transpose()?,
            collective: raw.collective,
            covers: raw.covers.iter().map(|k| Self::find(&self.kinds, &path, "kind", k)).collect::<Result<_, _>>()?,
            mobile: raw.mobile,
            sensor: raw.sensor,
            carrier: raw.carrier,
            risky: raw.risk == Some(crate::home::Risk::High),
            part: raw.part,
            takes: raw.takes,
            inverse: normal(&raw.inverse),
        })
    }

    fn property_entry(&self, id: &str, raw: &RawProperty) -> Result<PropertyWord, LexiconError> {
        let path = format!("properties.{id}");
        Ok(PropertyWord {
            id: id.to_owned(),
            words: normal(&raw.words),
            ids: raw.ids.iter().map(|i| i.to_lowercase()).collect(),
            absent: normal(&raw.absent),
            up: normal(&raw.up),
            down: normal(&raw.down),
            units: normal(&raw.units),
            kinds: raw.kinds.iter().map(|k| Self::find(&self.kinds, &path, "kind", k)).collect::<Result<_, _>>()?,
            step: raw.step,
            floor: raw.floor,
            own: false,
            flag: raw.flag,
            describes: normal(&raw.describes),
            covers: raw
                .covers
                .iter()
                .map(|p| Self::find(&self.properties, &path, "property", p))
                .collect::<Result<_, _>>()?,
            kind: None,
            like: raw.like.as_ref().map(|p| Self::find(&self.properties, &path, "property", p)).transpose()?,
            aim: raw.aim,
            counts: raw.counts.as_deref().map(unit).transpose()?,
            implied: raw.implied.clone(),
        })
    }

    fn verb_entry(&self, id: &str, raw: &RawVerb) -> Result<Verb, LexiconError> {
        let path = format!("verbs.{id}");
        Ok(Verb {
            id: id.to_owned(),
            words: normal(&raw.words),
            does: raw.does.iter().map(|e| self.effect(&path, e)).collect::<Result<_, _>>()?,
            opposite: raw.opposite.as_ref().map(|v| Self::find(&self.verbs, &path, "verb", v)).transpose()?,
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
        })
    }

    fn effect(&self, path: &str, text: &str) -> Result<Effect, LexiconError> {
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

    fn situation(&self, id: &str, raw: &RawSituation) -> Result<Situation, LexiconError> {
        let path = format!("situations.{id}");
        let verb = |v: &String| Self::find(&self.verbs, &path, "verb", v);
        let wish = |w: &RawWish| -> Result<Wish, LexiconError> {
            let named = w.property.as_ref().map(|p| (p, w.up.unwrap_or(true)));
            let step = named.or(w.then.as_ref().map(|t| (&t.property, t.up)));
            Ok(Wish {
                kind: Self::find(&self.kinds, &path, "kind", &w.kind)?,
                verb: w.verb.as_ref().map(verb).transpose()?,
                only: w.only.as_ref().map(verb).transpose()?,
                step: step
                    .map(|(p, up)| Ok::<_, LexiconError>((Self::find(&self.properties, &path, "property", p)?, up)))
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

/// What says how much, by where it stands.
fn felt(raw: &Groups) -> Felt {
    let words = |key: &str| raw.get(key).map(|words| normal(words)).unwrap_or_default();
    Felt { before: words("before"), after: words("after") }
}

fn unit(id: &str) -> Result<Unit, LexiconError> {
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
        other => return Err(unknown("units".into(), "unit", other)),
    })
}

fn answers(groups: &Groups) -> Result<Answers, LexiconError> {
    let mut answers = Answers::default();
    for (id, words) in groups {
        let list = match id.as_str() {
            "yes" => &mut answers.yes,
            "no" => &mut answers.no,
            "all" => &mut answers.all,
            "any" => &mut answers.any,
            "last" => &mut answers.last,
            "first" => &mut answers.first,
            other => return Err(unknown("answers".into(), "answer", other)),
        };
        *list = normal(words);
    }
    Ok(answers)
}

fn asides(raw: &Groups) -> Asides {
    let words = |group: &str| raw.get(group).map(|words| normal(words)).unwrap_or_default();
    Asides {
        goes: words("goes"),
        hurry: words("hurry"),
        unwilling: words("unwilling"),
        told_of: words("told_of"),
        therefore: words("therefore"),
        fine: words("fine"),
        taken_back: words("taken_back"),
        quoted: words("quoted"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexicon::Sense;
    use super::*;

    #[test]
    fn the_lexicon_that_ships_is_valid() {
        let lexicon = Lexicon::built_in().unwrap();
        assert!(lexicon.senses("打开").iter().any(|s| matches!(s, Sense::Verb(_))));
        assert!(lexicon.senses("tv").iter().any(|s| matches!(s, Sense::Kind(_))));
        assert!(lexicon.sounding("kon'tiao").contains(&"空调".to_owned()));
    }

    #[test]
    fn an_entry_that_points_nowhere_is_named_with_its_path() {
        let text = crate::zh::LEXICON.replace("number: brightness", "number: brilliance");
        let error = compile(&text).unwrap_err().to_string();
        assert!(error.contains("kinds.light") && error.contains("brilliance"), "{error}");
    }

    #[test]
    fn another_version_is_refused() {
        let text = crate::zh::LEXICON.replacen("version: 1", "version: 2", 1);
        assert!(matches!(compile(&text), Err(LexiconError::Version(2))));
    }
}
