//! All that is Chinese and no home's own, in one folder: what is understood, what is said, what hubs' words are here.
//!
//! The files are data that others read in their own ways; here they only stand together, so that whoever adds a word, or
//! another language, finds them. [`phrasing`] is what code looks for word by word.

use std::sync::LazyLock;

use serde::Deserialize;

/// Every word that the grammar knows.
pub const LEXICON: &str = include_str!("lexicon.yaml");

/// Words of time.
pub const TIME: &str = include_str!("time.yaml");

/// What the daemon says.
pub const REPLIES: &str = include_str!("replies.yaml");

/// Words that mean the same, and words that mean opposites.
pub const MEANINGS: &str = include_str!("meanings.yaml");

/// What people say for what a capability does.
pub const CAPABILITIES: &str = include_str!("capabilities.yaml");

/// What things of a kind are for.
pub const PURPOSES: &str = include_str!("purposes.yaml");

/// What language models are told; the first line is a comment with its version.
pub const PROMPT: &str = include_str!("prompt.md");

/// What models that use our tools are told.
pub const TOOLS: &str = include_str!("tools.yaml");

/// What the values of Home Assistant are called.
pub const HOME_ASSISTANT: &str = include_str!("home_assistant.yaml");

/// What the entities of MQTT discovery are.
pub const DISCOVERY: &str = include_str!("discovery.yaml");

/// What Zigbee2MQTT's properties, values, parts and devices are called.
pub const ZIGBEE2MQTT: &str = include_str!("zigbee2mqtt.yaml");

/// What stands in place of names in a trace that is given away.
pub const SHARE: &str = include_str!("share.yaml");

/// How things are put: the words that code looks for around a description or an argument.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phrasing {
    /// Words that stand for any device.
    pub things: Vec<String>,
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
}

/// How things are put.
pub fn phrasing() -> &'static Phrasing {
    static PHRASING: LazyLock<Phrasing> =
        LazyLock::new(|| serde_yaml::from_str(include_str!("phrasing.yaml")).expect("a test reads the data"));
    &PHRASING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_list_of_the_phrasing_is_empty_or_holds_an_empty_word() {
        let Phrasing { things, measures, before, no_description, how_much, quantity, hollow, no_wish, conditions } =
            phrasing();
        for list in [things, before, how_much, conditions] {
            assert!(!list.is_empty() && list.iter().all(|word| !word.trim().is_empty()), "{list:?}");
        }
        for set in [measures, no_description, quantity, hollow, no_wish] {
            assert!(!set.is_empty() && set.chars().all(char::is_alphabetic), "{set}");
        }
    }
}
