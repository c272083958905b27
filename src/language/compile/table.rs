//! The table from words to senses.

use std::collections::HashMap;

use super::super::lexicon::{Comparison, Extreme, Lexicon, Question, Sense};
use super::raw::{Groups, RawLexicon, RawVerb, Words};
use super::{Wrong, unknown};
use crate::text::{is_han, normalize, pinyin};

/// A section of the file: its key, its groups, and what each group means.
type Section<'a> = (&'a str, &'a Groups, &'a [(&'a str, Sense)]);

/// From words to senses, while it is being filled.
#[derive(Default)]
pub(super) struct Table {
    pub(super) senses: HashMap<String, Vec<Sense>>,
}

impl Table {
    fn add<'a>(&mut self, words: impl IntoIterator<Item = &'a String>, sense: &Sense) {
        for word in words {
            let senses = self.senses.entry(normalize(word)).or_default();
            if !senses.contains(sense) {
                senses.push(sense.clone());
            }
        }
    }

    /// Words by their blurred readings.
    pub(super) fn sounds(&self) -> HashMap<String, Vec<String>> {
        let mut sounds: HashMap<String, Vec<String>> = HashMap::new();
        let mut words: Vec<&String> = self.senses.keys().filter(|word| word.chars().all(is_han)).collect();
        words.sort();
        for word in words {
            for reading in pinyin::readings(word) {
                let words = sounds.entry(pinyin::blur(&reading)).or_default();
                if !words.contains(word) {
                    words.push(word.clone());
                }
            }
        }
        sounds
    }
}

/// Words of kinds, properties, values, verbs and rooms.
pub(super) fn fill_entries(table: &mut Table, lexicon: &Lexicon, raw_verbs: &[(String, RawVerb)]) {
    for (id, kind) in lexicon.kinds.iter().enumerate() {
        table.add(&kind.words, &Sense::Kind(id));
        table.add(&kind.specific, &Sense::Sort(id));
    }
    for (id, property) in lexicon.properties.iter().enumerate() {
        table.add(&property.words, &Sense::Property(id));
        table.add(&property.absent, &Sense::Absent(id));
        table.add(&property.up, &Sense::Direction { property: id, up: true });
        table.add(&property.down, &Sense::Direction { property: id, up: false });
    }
    for (id, choice) in lexicon.choices.iter().enumerate() {
        table.add(&choice.words, &Sense::Choice(id));
    }
    for (id, verb) in lexicon.verbs.iter().enumerate() {
        table.add(&verb.words, &Sense::Verb(id));
        table.add(&refused_otherwise(&verb.words, &lexicon.marks.stop), &Sense::Verb(id));
        table.add(&verb.state, &Sense::State(id));
        table.add(&raw_verbs[id].1.weak, &Sense::Verb(id));
        table.add(&with_surfaces(&verb.words, &raw_verbs[id].1.surfaces), &Sense::Verb(id));
    }
    for (id, room) in lexicon.rooms.iter().enumerate() {
        table.add(&room.words, &Sense::RoomClass(id));
        table.add(&room.specific, &Sense::RoomSort(id));
    }
    for (kelvin, words) in &lexicon.kelvin {
        table.add(words, &Sense::Kelvin(*kelvin));
    }
    for (unit, words) in &lexicon.units {
        table.add(words, &Sense::Unit(*unit));
    }
}

/// `莫扫了` beside `别扫了`: whoever tells something to end refuses it by any of these words.
fn refused_otherwise(words: &[String], stop: &[String]) -> Vec<String> {
    let Some((first, others)) = stop.split_first() else { return Vec::new() };
    let rest = words.iter().filter_map(|word| word.strip_prefix(first.as_str()));
    rest.flat_map(|rest| others.iter().map(move |other| format!("{other}{rest}"))).collect()
}

/// `莫开` beside `别开`: what is not to be switched, by any of the short words that refuse.
fn switched_otherwise(words: &[String], raw: &RawLexicon) -> Vec<String> {
    let stop: Vec<String> = raw.marks.stop.iter().filter(|word| word.chars().count() == 1).cloned().collect();
    let switches = |word: &&String| {
        let rest = word.chars().skip(1).collect::<String>();
        raw.verbs.0.iter().any(|(id, verb)| {
            ["on", "off"].contains(&id.as_str()) && verb.words.iter().chain(&verb.weak).any(|w| *w == rest)
        })
    };
    refused_otherwise(&words.iter().filter(switches).cloned().collect::<Vec<_>>(), &stop)
}

/// `地板打扫一下`, `打扫一下地板`: with what a verb is done to wherever it is done, and nothing that a home has.
fn with_surfaces(words: &[String], surfaces: &[String]) -> Vec<String> {
    let both = |word: &String, surface: &String| [format!("{surface}{word}"), format!("{word}{surface}")];
    surfaces.iter().flat_map(|surface| words.iter().flat_map(move |word| both(word, surface))).collect()
}

/// Words of closed classes.
pub(super) fn fill_groups(table: &mut Table, raw: &RawLexicon) -> Result<(), Wrong> {
    table.add([&raw.marks.speaker], &Sense::Speaker);
    let simple: [(&Words, Sense); 46] = [
        (&raw.grants, Sense::Grant),
        (&raw.interjections, Sense::Filler),
        (&raw.attributed, Sense::Report),
        (&raw.set.words, Sense::Set { open: false }),
        (&raw.set.open, Sense::Set { open: true }),
        (&raw.set.bare, Sense::SetBare),
        (&raw.set.link, Sense::Link),
        (&raw.up.words, Sense::Step { up: true }),
        (&raw.down.words, Sense::Step { up: false }),
        (&raw.up.adjectives, Sense::Degree { up: true }),
        (&raw.down.adjectives, Sense::Degree { up: false }),
        (&raw.make, Sense::Make),
        (&raw.measures, Sense::Measure),
        (&raw.here, Sense::Here),
        (&raw.home, Sense::WholeHome),
        (&raw.floors.up, Sense::Storey { up: true }),
        (&raw.floors.down, Sense::Storey { up: false }),
        (&raw.room_suffix, Sense::RoomSuffix),
        (&raw.beside, Sense::Beside),
        (&raw.everything, Sense::Everything),
        (&raw.other, Sense::Other),
        (&raw.conjunctions, Sense::Conjunction),
        (&raw.sequence, Sense::Sequence),
        (&raw.correction, Sense::Correction),
        (&raw.particles, Sense::Particle),
        (&raw.of, Sense::Of),
        (&raw.ba, Sense::Disposal),
        (&raw.fillers, Sense::Filler),
        (&raw.negation, Sense::Negation),
        (&raw.past, Sense::Past),
        (&raw.report, Sense::Report),
        (&raw.suppose, Sense::Suppose),
        (&raw.future, Sense::Future),
        (&raw.time_after, Sense::TimeAfter),
        (&raw.time_before, Sense::TimeAfter),
        (&raw.clock, Sense::Future),
        (&raw.others, Sense::OtherAssistant),
        (&raw.people, Sense::Person),
        (&raw.floors.suffix, Sense::Particle),
        (&raw.most, Sense::Most),
        (&raw.finished, Sense::Finished),
        (&raw.not, Sense::Not),
        (&raw.reasons, Sense::Reason),
        (&raw.lest, Sense::Reason),
        (&raw.any_room, Sense::AnyRoom),
        (&raw.scene_words, Sense::Scenes),
    ];
    for (words, sense) in &simple {
        table.add(*words, sense);
    }
    let after = raw.exclusion.get("after").map_or(&[][..], Vec::as_slice);
    for (words, sense) in [(&raw.negation[..], Sense::Negation), (after, Sense::ExceptAfter)] {
        table.add(&switched_otherwise(words, raw), &sense);
    }
    for (group, words) in &raw.degree {
        table.add(words, &if group == "small" { Sense::Little } else { Sense::Lots });
    }
    let groups: [Section<'_>; 7] = [
        (
            "sides",
            &raw.sides,
            &[("both", Sense::BothSides), ("left", Sense::Side { left: true }), ("right", Sense::Side { left: false })],
        ),
        (
            "extremes",
            &raw.extremes,
            &[
                ("max", Sense::Extreme(Extreme::Max)),
                ("min", Sense::Extreme(Extreme::Min)),
                ("mid", Sense::Extreme(Extreme::Mid)),
            ],
        ),
        (
            "quantifiers",
            &raw.quantifiers,
            &[
                ("all", Sense::All),
                ("each", Sense::Each),
                ("both", Sense::Both),
                ("any", Sense::AnyOne),
                ("some", Sense::Some),
            ],
        ),
        (
            "references",
            &raw.references,
            &[
                ("it", Sense::Reference),
                ("also", Sense::Also),
                ("again", Sense::Again),
                ("same", Sense::Same),
                ("another", Sense::Another),
                ("how_about", Sense::Particle),
            ],
        ),
        (
            "exclusion",
            &raw.exclusion,
            &[("open", Sense::ExceptOpen), ("close", Sense::ExceptClose), ("after", Sense::ExceptAfter)],
        ),
        (
            "conditions",
            &raw.conditions,
            &[
                ("open", Sense::If),
                ("close", Sense::IfClose),
                ("then", Sense::Then),
                ("else", Sense::Else),
                ("unless", Sense::Unless),
                ("standing", Sense::Standing),
                ("and", Sense::And),
                ("or", Sense::Or),
                ("at_least", Sense::Compare(Comparison::AtLeast)),
                ("at_most", Sense::Compare(Comparison::AtMost)),
                ("greater", Sense::Compare(Comparison::Greater)),
                ("less", Sense::Compare(Comparison::Less)),
                ("equal", Sense::Compare(Comparison::Equal)),
            ],
        ),
        (
            "questions",
            &raw.questions,
            &[
                ("yes_no", Sense::Question(Question::YesNo)),
                ("how_many", Sense::Question(Question::HowMany)),
                ("how_much", Sense::Question(Question::HowMuch)),
                ("which", Sense::Question(Question::Which)),
                ("who", Sense::Question(Question::Who)),
                ("where", Sense::Question(Question::Where)),
                ("state", Sense::Question(Question::State)),
                ("wrong", Sense::Question(Question::Wrong)),
                ("ask", Sense::AskFor),
                ("is", Sense::Is),
                ("alternative", Sense::Alternative),
                ("exists", Sense::Exists),
                ("already", Sense::Already),
                ("states", Sense::Question(Question::State)),
                ("polite", Sense::Polite),
            ],
        ),
    ];
    for (section, words, senses) in groups {
        for (group, words) in words {
            let sense = senses.iter().find(|(id, _)| id == group);
            let (_, sense) = sense.ok_or_else(|| unknown(section, "group", group))?;
            table.add(words, sense);
        }
    }
    for (value, words) in &raw.fractions.0 {
        let value: f64 = value.parse().map_err(|_| unknown("fractions", "number", value))?;
        table.add(words, &Sense::Fraction((value * 1000.0).round() as u32));
    }
    Ok(())
}
