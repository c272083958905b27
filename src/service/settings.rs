//! What the service is told before it serves.

use std::sync::Arc;
use std::time::Duration;

use crate::dialogue::PageLimits;
use crate::hub::HubWords;
use crate::language::lexicon::Lexicon;
use crate::resolve::reply::Replies;
use crate::zh::{DataError, OwnFiles, Sources, assistant};

/// What the service is told by the configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ServiceSettings {
    /// Names the assistant answers to.
    pub names: Vec<String>,
    /// Names of other assistants, besides those of the lexicon.
    pub others: Vec<String>,
    /// Devices that move without asking when nobody said where.
    pub handful: usize,
    /// States older than this are asked for again before a condition or an answer rests on them; `None` never asks.
    pub state_max_age: Option<Duration>,
    /// How long the hub has to report a fresh state.
    pub state_wait: Duration,
    /// Bounds of conversations.
    pub pages: PageLimits,
    /// How long a question waits for its answer.
    pub confirm_within: Duration,
    /// How long a sentence waits for its vector; a late one is done without.
    pub vector_wait: Duration,
    /// Whether what sounds like chatter is asked about too, if it calls the assistant by name.
    pub ask_about_chatter: bool,
    /// Sentences with what language models answered that are kept; 0 keeps none.
    pub keep_hard: usize,
    /// What is learned from the people of the home; `None` learns nothing.
    pub learning: Option<Learning>,
    /// Whether the log may hold what was said.
    pub log_sentences: bool,
}

/// Most conversations that are remembered about homes that came with their requests.
const MAX_BROUGHT: usize = 64;

impl ServiceSettings {
    /// Bounds of conversations about homes that came with their requests.
    pub(super) fn brought_pages(&self) -> PageLimits {
        PageLimits { pages: self.pages.pages.min(MAX_BROUGHT), ..self.pages }
    }
}

impl Default for ServiceSettings {
    fn default() -> Self {
        Self {
            names: vec![assistant()],
            others: Vec::new(),
            handful: 4,
            state_max_age: None,
            state_wait: Duration::from_millis(500),
            pages: PageLimits { idle: Duration::from_secs(600), pages: 256, turns: 16 },
            confirm_within: Duration::from_secs(30),
            vector_wait: Duration::from_millis(30),
            ask_about_chatter: false,
            keep_hard: 0,
            learning: None,
            log_sentences: false,
        }
    }
}

/// The language that is understood and spoken.
#[derive(Clone, Debug)]
pub struct Language {
    /// What is understood.
    pub lexicon: Arc<Lexicon>,
    /// What is said.
    pub replies: Arc<Replies>,
    /// What hubs' things are called.
    pub hubs: HubWords,
}

impl Language {
    /// The language that ships, with what an owner lays over it. This is where all of its files are checked.
    ///
    /// # Errors
    /// Names what is wrong in them, each with its file and its path.
    pub fn load(own: Option<&OwnFiles>) -> Result<Self, DataError> {
        let sources = own.map(Sources::read).transpose()?.unwrap_or_default();
        match (Lexicon::of(&sources), Replies::of(&sources), HubWords::of(&sources)) {
            (Ok(lexicon), Ok(replies), Ok(hubs)) => {
                Ok(Self { lexicon: Arc::new(lexicon), replies: Arc::new(replies), hubs })
            }
            (lexicon, replies, hubs) => {
                let wrong = [lexicon.err(), replies.err(), hubs.err()].into_iter().flatten();
                Err(DataError(wrong.flat_map(|DataError(faults)| faults).collect()))
            }
        }
    }
}

/// What is learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Learning {
    /// Sentences that were not understood which are kept; 0 keeps none.
    pub keep: usize,
}
