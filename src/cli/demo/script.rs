//! What is said in the demonstration, and what must come of it; all of it stands in `script.yaml`.

use serde::Deserialize;

const SCRIPT: &str = include_str!("script.yaml");

/// One utterance.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// Which way it is said.
    pub(super) speaks: Speaks,
    /// The conversation: equal pages belong together.
    pub(super) page: String,
    /// The room it is said in.
    pub(super) room: String,
    /// What is said.
    pub(super) text: String,
    /// Exactly these devices get an instruct; others at most repeat what they do already.
    #[serde(default)]
    pub(super) moves: Vec<String>,
    /// Nothing moves and the reply holds these words. With neither, it is none of the daemon's business.
    #[serde(default)]
    pub(super) says: Vec<String>,
}

/// How an utterance reaches the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Speaks {
    /// A request frame with a home of its own.
    Request,
    /// A satellite in a room of the registered home.
    Satellite,
    /// The same, about something that only a language model knows.
    Model,
}

impl Speaks {
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Request => "An app asks, each request with its own small home (zhiju/demo/request)",
            Self::Satellite => "Satellites in the villa hand on what they hear (zhiju/demo/utterance/ROOM)",
            Self::Model => "A language model is asked what is left (a scripted one, over HTTP)",
        }
    }
}

/// The script; the scene with a language model, whose answers stand in `model`, comes last.
pub(super) fn script() -> Vec<Step> {
    serde_yaml::from_str(SCRIPT).expect("the script in the source is whole: a test reads it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_whole() {
        let steps = script();
        assert!(steps.iter().any(|step| step.speaks == Speaks::Model && step.moves.is_empty()));
        assert!(steps.iter().all(|step| step.moves.is_empty() || step.says.is_empty()));
    }
}
