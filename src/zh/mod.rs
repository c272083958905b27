//! All that is Chinese and no home's own, in one folder: what is understood, what is said, what hubs' words are here.
//!
//! The files are data that others read into their own types; [`load`] is the one way in which that is done. An owner may lay
//! files of his own over those of [`OWNED`]. [`phrasing`] is what code looks for word by word.

mod load;

use std::sync::LazyLock;

use serde::Deserialize;

pub use load::{Data, DataError, Entries, Fault, OwnFiles, Problem, Sources};

/// A data file that ships.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// Its name in this folder.
    pub name: &'static str,
    text: &'static str,
}

macro_rules! files {
    ($($(#[$doc:meta])* $file:ident = $name:literal;)*) => {
        $($(#[$doc])* pub const $file: File = File { name: $name, text: include_str!($name) };)*

        /// Every data file.
        pub const FILES: &[File] = &[$($file),*];
    };
}

files! {
    /// Every word that the grammar knows.
    LEXICON = "lexicon.yaml";
    /// Words that mean nothing to a home, and hold words that do.
    ORDINARY = "ordinary.yaml";
    /// Words of time.
    TIME = "time.yaml";
    /// What the daemon says.
    REPLIES = "replies.yaml";
    /// Words that mean the same, and words that mean opposites.
    MEANINGS = "meanings.yaml";
    /// What people say for what a capability does.
    CAPABILITIES = "capabilities.yaml";
    /// What things of a kind are for.
    PURPOSES = "purposes.yaml";
    /// How things are put.
    PHRASING = "phrasing.yaml";
    /// The words of the protocol's commands.
    PROTOCOL = "protocol.yaml";
    /// What is said of a request that failed.
    FAILURES = "failures.yaml";
    /// What language models are told besides the rules.
    MODELS = "models.yaml";
    /// What models that use our tools are told.
    TOOLS = "tools.yaml";
    /// What the values of Home Assistant are called.
    HOME_ASSISTANT = "home_assistant.yaml";
    /// What the entities of MQTT discovery are.
    DISCOVERY = "discovery.yaml";
    /// What Zigbee2MQTT's properties, values, parts and devices are called.
    ZIGBEE2MQTT = "zigbee2mqtt.yaml";
    /// What SmartThings' capabilities are called.
    SMARTTHINGS = "smartthings.yaml";
    /// Colours that people name.
    COLOURS = "colours.yaml";
    /// What is said in every home, for speech recognisers.
    HOT_WORDS = "hot_words.yaml";
    /// What stands in place of names in a trace that is given away.
    SHARE = "share.yaml";
}

/// What language models are told; the first line is a comment with its version.
pub const PROMPT: &str = include_str!("prompt.md");

/// The files over which an owner may lay files of the same names. The others are what code and other programs speak.
pub const OWNED: [File; 6] = [LEXICON, TIME, REPLIES, MEANINGS, CAPABILITIES, PURPOSES];

/// How things are put: the words that code looks for around a description or an argument.
#[derive(Debug, Deserialize)]
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
    /// What a command of the protocol begins with that says when others hold: 如果, 或者, and what models write instead.
    pub conditions: Vec<String>,
    /// What the assistant is called where nobody says otherwise.
    pub assistant: String,
}

/// How things are put.
pub fn phrasing() -> &'static Phrasing {
    static READ: LazyLock<Phrasing> = LazyLock::new(|| PHRASING.shipped().expect("a test reads the data"));
    &READ
}

/// What language models are told besides the rules.
#[derive(Debug, Deserialize)]
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

/// What language models are told besides the rules.
pub fn told() -> &'static Told {
    static READ: LazyLock<Told> = LazyLock::new(|| MODELS.shipped().expect("a test reads the data"));
    &READ
}

#[cfg(test)]
mod tests;
