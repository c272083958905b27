//! The data file as it is written.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::lexicon::Tasks;
use crate::zh::Entries;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawKind {
    pub(super) r#type: String,
    pub(super) words: Vec<String>,
    #[serde(default)]
    pub(super) specific: Vec<String>,
    #[serde(default)]
    pub(super) hints: Vec<String>,
    pub(super) number: Option<String>,
    #[serde(default)]
    pub(super) collective: bool,
    #[serde(default)]
    pub(super) main: Vec<String>,
    #[serde(default)]
    pub(super) overhead: Vec<String>,
    #[serde(default)]
    pub(super) covers: Vec<String>,
    #[serde(default)]
    pub(super) mobile: bool,
    #[serde(default)]
    pub(super) sensor: bool,
    #[serde(default)]
    pub(super) carrier: bool,
    pub(super) risk: Option<crate::home::Risk>,
    #[serde(default)]
    pub(super) part: bool,
    #[serde(default)]
    pub(super) takes: u16,
    #[serde(default)]
    pub(super) inverse: Vec<String>,
    #[serde(default)]
    pub(super) goes: Vec<String>,
    #[serde(default)]
    pub(super) handles: Vec<String>,
    #[serde(default)]
    pub(super) measure: Option<String>,
    #[serde(default)]
    pub(super) task: bool,
    #[serde(default)]
    pub(super) cooks: bool,
    #[serde(default)]
    pub(super) functions: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawProperty {
    pub(super) words: Vec<String>,
    pub(super) ids: Vec<String>,
    #[serde(default)]
    pub(super) absent: Vec<String>,
    #[serde(default)]
    pub(super) up: Vec<String>,
    #[serde(default)]
    pub(super) down: Vec<String>,
    #[serde(default)]
    pub(super) units: Vec<String>,
    #[serde(default)]
    pub(super) kinds: Vec<String>,
    pub(super) step: Option<f64>,
    #[serde(default)]
    pub(super) floor: bool,
    #[serde(default)]
    pub(super) flag: bool,
    #[serde(default)]
    pub(super) describes: Vec<String>,
    #[serde(default)]
    pub(super) covers: Vec<String>,
    pub(super) like: Option<String>,
    #[serde(default)]
    pub(super) aim: bool,
    pub(super) counts: Option<String>,
    #[serde(default)]
    pub(super) implied: Vec<super::super::lexicon::Implied>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawChoice {
    pub(super) words: Vec<String>,
    pub(super) ids: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawVerb {
    pub(super) words: Vec<String>,
    #[serde(default)]
    pub(super) weak: Vec<String>,
    /// What it is done to wherever it is done, and nothing that a home has: `地板`.
    #[serde(default)]
    pub(super) surfaces: Vec<String>,
    pub(super) does: Vec<String>,
    pub(super) opposite: Option<String>,
    #[serde(default)]
    pub(super) safe: bool,
    #[serde(default)]
    pub(super) state: Vec<String>,
    #[serde(default)]
    pub(super) describes: Vec<String>,
    #[serde(default)]
    pub(super) ids: Vec<String>,
    pub(super) switches: Option<bool>,
    #[serde(default)]
    pub(super) mobile: bool,
    #[serde(default)]
    pub(super) plays: bool,
    pub(super) told: Option<String>,
    pub(super) rest: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRoom {
    pub(super) words: Vec<String>,
    pub(super) specific: Vec<String>,
    #[serde(default)]
    pub(super) outside: bool,
    #[serde(default)]
    pub(super) private: bool,
    #[serde(default)]
    pub(super) whole: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSituation {
    #[serde(default)]
    pub(super) begins: Vec<String>,
    #[serde(default)]
    pub(super) feels: Vec<String>,
    pub(super) texts: Vec<String>,
    #[serde(default)]
    pub(super) scene: Vec<String>,
    pub(super) wish: Vec<RawWish>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawWish {
    pub(super) kind: String,
    pub(super) verb: Option<String>,
    pub(super) only: Option<String>,
    pub(super) property: Option<String>,
    pub(super) up: Option<bool>,
    pub(super) then: Option<RawThen>,
    pub(super) r#where: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawThen {
    pub(super) property: String,
    pub(super) up: bool,
}

pub(super) type Words = Vec<String>;
pub(super) type Groups = BTreeMap<String, Words>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFloors {
    pub(super) suffix: Words,
    pub(super) up: Words,
    pub(super) down: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStep {
    pub(super) words: Words,
    pub(super) adjectives: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSet {
    pub(super) words: Words,
    pub(super) bare: Words,
    pub(super) open: Words,
    pub(super) link: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLexicon {
    pub(super) version: u32,
    pub(super) kinds: Entries<RawKind>,
    pub(super) properties: Entries<RawProperty>,
    pub(super) choices: Entries<RawChoice>,
    pub(super) kelvin: BTreeMap<u32, Words>,
    pub(super) verbs: Entries<RawVerb>,
    pub(super) set: RawSet,
    pub(super) up: RawStep,
    pub(super) down: RawStep,
    pub(super) make: Words,
    pub(super) degree: Groups,
    pub(super) extremes: Groups,
    pub(super) fractions: Entries<Words>,
    pub(super) units: Groups,
    pub(super) marks: super::super::lexicon::Marks,
    pub(super) measures: Words,
    pub(super) rooms: Entries<RawRoom>,
    pub(super) here: Words,
    pub(super) home: Words,
    pub(super) floors: RawFloors,
    pub(super) room_suffix: Words,
    pub(super) beside: Words,
    pub(super) quantity_suffix: Words,
    pub(super) pointers: Words,
    pub(super) undo: Words,
    pub(super) restores: Groups,
    pub(super) interjections: Words,
    pub(super) so: Words,
    pub(super) lest: Words,
    pub(super) through: Words,
    pub(super) how_long: Groups,
    pub(super) asked: Groups,
    pub(super) attributed: Words,
    pub(super) asides: Groups,
    pub(super) device_suffix: Words,
    pub(super) pronouns: Words,
    pub(super) left_out: Groups,
    pub(super) tuned: Groups,
    pub(super) kept: Words,
    #[serde(default)]
    pub(super) leaves: Groups,
    pub(super) ceases: Groups,
    pub(super) therefore: Words,
    pub(super) topics: Words,
    pub(super) quantity_ending: Words,
    pub(super) quantity_infix: Words,
    pub(super) lifted: Words,
    pub(super) between: Words,
    pub(super) ends: Groups,
    pub(super) same: Vec<Words>,
    pub(super) doings: Vec<Words>,
    pub(super) pressing: Groups,
    pub(super) by_part: super::super::lexicon::ByPart,
    pub(super) turned: super::super::lexicon::Turned,
    pub(super) alike: Vec<Words>,
    pub(super) tasks: Tasks,
    pub(super) addressees: Words,
    pub(super) complement: Words,
    pub(super) day: Words,
    pub(super) quotes: Words,
    pub(super) feature_suffix: Words,
    pub(super) command_suffix: Words,
    pub(super) switched: Groups,
    pub(super) misheard: Words,
    pub(super) quantifiers: Groups,
    pub(super) everything: Words,
    pub(super) other: Words,
    pub(super) references: Groups,
    pub(super) exclusion: Groups,
    pub(super) conjunctions: Words,
    pub(super) sequence: Words,
    pub(super) correction: Words,
    pub(super) conditions: Groups,
    pub(super) questions: Groups,
    pub(super) particles: Words,
    pub(super) of: Words,
    pub(super) ba: Words,
    pub(super) fillers: Words,
    pub(super) negation: Words,
    pub(super) past: Words,
    pub(super) report: Words,
    pub(super) suppose: Words,
    pub(super) future: Words,
    pub(super) time_after: Words,
    pub(super) time_before: Words,
    pub(super) clock: Words,
    pub(super) others: Words,
    pub(super) people: Words,
    pub(super) answers: Groups,
    pub(super) not: Words,
    pub(super) finished: Words,
    pub(super) reasons: Words,
    pub(super) sides: Groups,
    pub(super) most: Words,
    pub(super) any_room: Words,
    pub(super) scene_words: Words,
    pub(super) felt: Groups,
    pub(super) grants: Words,
    pub(super) wants: Words,
    pub(super) modals: Words,
    pub(super) situations: Entries<RawSituation>,
}
