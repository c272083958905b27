//! Texts of the language that are used as they stand: in one place, checked together.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{DataError, FAILURES, File, HOT_WORDS, MODELS, PHRASING, PROMPT, Problem, SHARE, Sources, TOOLS};

/// Texts of the language.
#[derive(Clone, Debug)]
pub struct Texts {
    /// How things are put.
    pub phrasing: Phrasing,
    /// What language models are told besides the rules.
    pub told: Told,
    /// The rules that language models are told.
    pub rules: String,
    /// What models that use our tools are told.
    pub tools: Tools,
    /// What is said of a request that failed.
    pub failures: Failures,
    /// What is said in every home.
    pub hot_words: Vec<String>,
    /// What stands in place of names.
    pub share: Share,
}

/// How things are put: the words that code looks for around a description or an argument.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phrasing {
    /// Words that stand for any device.
    pub things: Vec<String>,
    /// What points to a thing: 那盏灯.
    pub pointers: String,
    /// What may stand between 那 and a kind: 那盏灯, 那层帘子.
    pub measures: String,
    /// Words before a description that say nothing about the thing; longer ones first.
    pub before: Vec<String>,
    /// What tells a description from a state, a comparison or a refusal: 亮着的, 最大的, 不用的.
    pub no_description: String,
    /// Words for how much of whatever a device mainly gives: 力度来个八成.
    pub how_much: Vec<String>,
    /// What ends the words for quantities and says nothing of them.
    pub quantity: String,
    /// Characters of words that say nothing by themselves.
    pub hollow: String,
    /// With these, whether something is a wish is more than similarity can tell: 别开了, 没人开过, 灯灭了.
    pub no_wish: String,
}

/// What language models are told besides the rules.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// What the rooms of a home are called in its data.
    pub rooms: String,
    /// What the names of its things are called there.
    pub names: String,
    /// What is said where a server insists on an object.
    pub object: String,
    /// What stands above the devices that an agent is given.
    pub candidates: String,
}

/// What models that use our tools are told.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// What the server is for.
    pub instructions: String,
    /// By the tool's name.
    pub tools: BTreeMap<String, ToolWords>,
    /// What a user is asked to fill in.
    pub answer: String,
    /// What is said in the place of a user who declines.
    pub declined: String,
}

/// The texts of one tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolWords {
    /// What it is called.
    pub title: String,
    /// What it does.
    pub description: String,
    /// By the argument's name.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
}

/// What is said of a request that failed, by why.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Failures {
    pub bad_frame: String,
    pub no_home: String,
    pub overloaded: String,
    pub timeout: String,
    pub internal: String,
}

/// What stands in place of names in a trace that is given away, by what is named.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Share {
    pub device: String,
    pub room: String,
    pub floor: String,
    pub group: String,
    pub scene: String,
    pub client: String,
    pub home: String,
}

impl Texts {
    /// Those that ship, with what an owner lays over them.
    ///
    /// # Errors
    /// Names what is wrong in them, each with its file and its path.
    pub fn of(sources: &Sources) -> Result<Self, DataError> {
        Ok(Self {
            phrasing: sources.data(&PHRASING)?.read()?,
            told: sources.data(&MODELS)?.read()?,
            rules: rules(&sources.data(&PROMPT)?.read::<String>()?),
            tools: tools(sources)?,
            failures: sources.data(&FAILURES)?.read()?,
            hot_words: sources.data(&HOT_WORDS)?.read()?,
            share: sources.data(&SHARE)?.read()?,
        })
    }
}

impl Default for Texts {
    /// Those that ship.
    fn default() -> Self {
        Self::of(&Sources::default()).expect("a test reads the data")
    }
}

/// What is told of a text for models: without the comment for people in its first line.
fn rules(text: &str) -> String {
    let told = text.split_once('\n').filter(|(first, _)| first.starts_with("<!--"));
    told.map_or(text, |(_, rules)| rules).to_owned()
}

/// Every tool is explained that is explained in what ships, and no other: there is none.
fn tools(sources: &Sources) -> Result<Tools, DataError> {
    let (shipped, data): (Tools, _) = (TOOLS.shipped()?, sources.data(&TOOLS)?);
    let tools: Tools = data.read()?;
    let missing = |path: &str, what, id: &str| Err(data.fault(path, Problem::Missing { what, id: id.to_owned() }));
    let unknown = |path: &str, what, id: &str| Err(data.fault(path, Problem::Unknown { what, id: id.to_owned() }));
    for (name, known) in &shipped.tools {
        let Some(own) = tools.tools.get(name) else { return missing("tools", "tool", name) };
        let path = format!("tools.{name}.arguments");
        if let Some(lost) = known.arguments.keys().find(|argument| !own.arguments.contains_key(*argument)) {
            return missing(&path, "argument", lost);
        }
        if let Some(new) = own.arguments.keys().find(|argument| !known.arguments.contains_key(*argument)) {
            return unknown(&path, "argument", new);
        }
    }
    if let Some(new) = tools.tools.keys().find(|name| !shipped.tools.contains_key(*name)) {
        return unknown("tools", "tool", new);
    }
    Ok(tools)
}

impl File {
    /// Whether it is a text as it stands and no data.
    pub(super) fn is_text(name: &str) -> bool {
        name.ends_with(".md")
    }
}
