//! All that is Chinese and no home's own, in one folder: what is understood, what is said, what hubs' words are here.
//!
//! The files are data that others read into their own types; [`load`] is the one way in which that is done. An owner may lay
//! files of his own over all but those of [`NOT_OWNED`]. [`Texts`] are those that no module makes a type of its own of.

mod load;
mod texts;

pub use load::{Data, DataError, Entries, Fault, OwnFiles, Problem, Sources};
pub use texts::{Failures, Phrasing, Share, Texts, Told, ToolWords, Tools};

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
    /// What language models are told; the first line is a comment with its version.
    PROMPT = "prompt.md";
    /// What the assistant is called.
    ASSISTANT = "assistant.yaml";
}

/// The files that are no language of an owner's: the words of the protocol, which other programs and what was written down speak
/// as well, and the name that the configuration says.
pub const NOT_OWNED: [File; 2] = [PROTOCOL, ASSISTANT];

/// What the assistant is called where nobody says otherwise.
pub fn assistant() -> String {
    ASSISTANT.shipped().expect("a test reads the data")
}

#[cfg(test)]
mod tests;
