//! What an utterance means: readers from cheap to expensive, the grammar first; what it leaves in doubt the others read again
//! ([`policy`]). Whatever does not rest on the words alone is held against them before it moves anything
//! ([`grounding`]).

mod confidence;
mod grammatical;
mod grounding;
mod hard;
mod home;
mod interpretation;
mod learned;
mod models;
mod policy;
mod ranked;
mod restrain;
mod similarity;

pub use confidence::{Confidence, Slots};
pub use grounding::Evidence;
pub use hard::HardSentences;
pub use home::HomeModel;
use interpretation::is_open;
pub use interpretation::{By, Doubt, Interpretation, Interpreter, Utterance};
pub use learned::Learned;
pub use models::Models;
pub use policy::{Interpreters, Readings};
pub use ranked::{Ranked, left};
pub use restrain::restrain;
pub use similarity::Similarity;
