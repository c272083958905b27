//! What language models are told, as data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// The texts of `zh/tools.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    /// What the server is for.
    pub(super) instructions: String,
    /// By the tool's name.
    pub(super) tools: BTreeMap<String, ToolWords>,
    /// What a user is asked to fill in.
    pub(super) answer: String,
    /// What is said in the place of a user who declines.
    pub(super) declined: String,
}

/// The texts of one tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolWords {
    pub(super) title: String,
    pub(super) description: String,
    /// By the argument's name.
    #[serde(default)]
    pub(super) arguments: BTreeMap<String, String>,
}

impl Words {
    /// Those that ship.
    pub(super) fn get() -> &'static Self {
        static WORDS: LazyLock<Words> = LazyLock::new(|| crate::zh::TOOLS.shipped().expect("a test reads the data"));
        &WORDS
    }
}
