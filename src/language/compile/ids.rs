//! Entries of the data file, with what they point to checked.

use std::collections::HashMap;

use super::raw::{RawKind, RawProperty, RawSituation, RawVerb, RawWish};
use super::{Problem, Wrong, normal, unit, unknown};
use crate::language::command::Type;
use crate::language::lexicon::{Effect, Extreme, Kind, PropertyWord, RELIED, Situation, Verb, Wish};

/// Ids of the file, to check what entries point to.
pub(super) struct Ids {
    pub(super) kinds: HashMap<String, usize>,
    pub(super) properties: HashMap<String, usize>,
    pub(super) choices: HashMap<String, usize>,
    pub(super) verbs: HashMap<String, usize>,
}

impl Ids {
    fn find(map: &HashMap<String, usize>, path: &str, what: &'static str, id: &str) -> Result<usize, Wrong> {
        map.get(id).copied().ok_or_else(|| unknown(path, what, id))
    }

    /// Whether all is there that code asks for by its id.
    pub(super) fn has_all(&self) -> Result<(), Wrong> {
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

    pub(super) fn kind_entry(&self, id: &str, raw: &RawKind) -> Result<Kind, Wrong> {
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
            main: raw.main.clone(),
            overhead: raw.overhead.clone(),
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
            handles: normal(&raw.handles),
            measure: raw.measure.clone(),
            task: raw.task,
            cooks: raw.cooks,
            functions: raw.functions,
            purposes: Vec::new(),
        })
    }

    pub(super) fn property_entry(&self, id: &str, raw: &RawProperty) -> Result<PropertyWord, Wrong> {
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

    pub(super) fn verb_entry(&self, id: &str, raw: &RawVerb) -> Result<Verb, Wrong> {
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
            plays: raw.plays,
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

    pub(super) fn situation(&self, id: &str, raw: &RawSituation) -> Result<Situation, Wrong> {
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
